"""Converts the attributes on fences, which MAINTAINING.md lists, to titles and classes for Python-Markdown."""

from __future__ import annotations

import re
from pathlib import Path

from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER, RECORDED_FOLDER
from torch_errors.languages import IN_ENGLISH, Texts
from torch_errors.markdown.parsing import Fence, parse_page
from torch_errors.running.recordings import Recording
from website import entry_facts

# A report that does not give its version of torch; the version is inferred from the wording.
_WORDING = re.compile(r"the wording of (?P<version>torch [\d.]+(?: to [\d.]+)?), (?P<report>.+)")
_KEPT_ATTRIBUTES = ("title", "hl_lines", "linenums")


def with_site_fences(text: str, path: Path, texts: Texts = IN_ENGLISH) -> str:
    """Return the Markdown with the attributes on its fences converted to titles and classes.

    Python-Markdown would not recognize a fence with the original attributes.
    """
    lines = text.split("\n")
    for fence in parse_page(path, text).fences:
        if fence.attributes:
            line = lines[fence.first_line - 1]
            marks = re.search(r"`{3,}|~{3,}", line)
            assert marks, line  # markdown-it has found a fence here
            lines[fence.first_line - 1] = line[: marks.end()] + " " + _fence_options(fence, path, texts)
    return "\n".join(lines)


def _fence_options(fence: Fence, path: Path, texts: Texts) -> str:
    """Return what follows the marks of a fence, in the syntax of superfences."""
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
    """Return where the text of a block comes from, according to its attributes, or None if they do not state it."""
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
    """Return the path of a quoted recording. `name`: a file beside the page, or `entry/file` for a different entry."""
    entry, slash, file = name.rpartition("/")
    if not slash:
        return path.parent / RECORDED_FOLDER / name
    root = next(folder for folder in path.parents if (folder / CATALOG_FILE).is_file())
    return next((root / ENTRIES_FOLDER).glob(f"*/{entry}/{RECORDED_FOLDER}/{file}"), path.parent / name)
