"""What the attributes on a fence say of its block. MAINTAINING.md lists them; Python-Markdown knows none of them."""

from __future__ import annotations

import re
from pathlib import Path

from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER, RECORDED_FOLDER
from torch_errors.languages import IN_ENGLISH, Texts
from torch_errors.markdown.parsing import Fence, parse_page
from torch_errors.running.recordings import Recording
from website import entry_facts

# A report that does not name its version of torch, but quotes what this one prints.
_WORDING = re.compile(r"the wording of (?P<version>torch [\d.]+(?: to [\d.]+)?), (?P<report>.+)")
_KEPT_ATTRIBUTES = ("title", "hl_lines", "linenums")


def with_site_fences(text: str, path: Path, texts: Texts = IN_ENGLISH) -> str:
    """The Markdown with the attributes on its fences turned into titles and classes.

    MAINTAINING.md lists the attributes. Python-Markdown would not recognise a fence that carries them.
    """
    lines = text.split("\n")
    for fence in parse_page(path, text).fences:
        if fence.attributes:
            line = lines[fence.first_line - 1]
            found = re.search(r"`{3,}|~{3,}", line)
            assert found, line  # markdown-it found a fence here
            lines[fence.first_line - 1] = line[: found.end()] + " " + _fence_options(fence, path, texts)
    return "\n".join(lines)


def _fence_options(fence: Fence, path: Path, texts: Texts) -> str:
    """What follows the marks of a fence, in the form of superfences."""
    classes = [fence.language] if fence.language else []
    options = {name: fence.attributes[name] for name in _KEPT_ATTRIBUTES if name in fence.attributes}
    title = fence_title(fence, path, texts)
    if title:
        options["title"] = title
    if entry_facts.quotes_message(fence) or {"match", "prompt", "filled"} & set(fence.attributes):
        classes.append("message")  # long lines are wrapped
    words = [f".{name}" for name in classes] + [f'{name}="{value}"' for name, value in options.items()]
    return "{ " + " ".join(words) + " }" if words else ""


def fence_title(fence: Fence, path: Path, texts: Texts) -> str | None:
    """Where the text of a block comes from, as its attributes say; None where they say nothing of it."""
    if "recorded" in fence.attributes:
        recording = _quoted_recording(path, fence.attributes["recorded"])
        if not recording.is_file():
            return texts.word(entry_facts.NOT_RECORDED)
        return texts.word("recorded with {version}", version=entry_facts.torch_version(Recording.load(recording)))
    if "seen" in fence.attributes:
        wording = _WORDING.fullmatch(fence.attributes["seen"])
        if wording:
            return texts.word("wording of {version}, {report}", **wording.groupdict())
        return texts.word("seen with {version}", version=fence.attributes["seen"])
    if "version" in fence.attributes:
        return texts.word("seen with {version}", version=f"torch {fence.attributes['version']}")
    if "verdicts" in fence.attributes:
        return texts.word("prints after each script")
    return texts.word("prints") if "printed" in fence.attributes else None


def _quoted_recording(path: Path, name: str) -> Path:
    """The recording that a page quotes: of the entry that lies beside it, or of the one that it names."""
    entry, slash, file = name.rpartition("/")
    if not slash:
        return path.parent / RECORDED_FOLDER / name
    root = next(folder for folder in path.parents if (folder / CATALOG_FILE).is_file())
    return next((root / ENTRIES_FOLDER).glob(f"*/{entry}/{RECORDED_FOLDER}/{file}"), path.parent / name)
