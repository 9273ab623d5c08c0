"""What stands in the fences of an entry's page: computed from recordings and from running the page's Python blocks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from torch_errors.catalog import Entry
from torch_errors.errors import UserError
from torch_errors.pages import Fence, Page
from torch_errors.recording import Recording, shorten_paths
from torch_errors.running.report import Report

# Names the fence kinds that a text block may be, for messages.
TEXT_FENCES = 'recorded="….out", printed or seen="torch VERSION"'

_HARNESS = """
import json as _json, traceback as _traceback
for _number, _source in enumerate(_json.loads({blocks!r})):
    print("\\n@@ block", _number)
    try:
        exec(compile(_source, {page!r}, "exec"), globals())
    except Exception as _error:
        print("@@ raised", type(_error).__name__)
        print("".join(_traceback.format_exception_only(_error)), end="")
print("\\n@@ end")
"""


@dataclass(frozen=True)
class BlockRun:
    """What one Python block of a page did."""

    printed: str
    raised: str | None  # type name


def quoted_text(entry: Entry, fence: Fence) -> str:
    """The text that a `recorded` fence must hold. Raises UserError where the fence or the recording is wrong."""
    name = fence.attributes["recorded"]
    variant = name.removesuffix(".out")
    if variant not in entry.variants or not name.endswith(".out"):
        raise UserError(f"{entry.page}:{fence.first_line}: no recording {name!r} in this entry")
    recording = Recording.load(entry.recording(variant))
    if "match" in fence.attributes:
        try:
            pattern = re.compile(fence.attributes["match"])
        except re.error as error:
            raise UserError(f"{entry.page}:{fence.first_line}: match is not a regular expression: {error}") from None
        lines = [line for line in recording.body.splitlines() if pattern.search(line)]
        if not lines:
            raise UserError(f"{entry.page}:{fence.first_line}: no line of {name} matches {fence.attributes['match']!r}")
        return "\n".join(lines)
    part = fence.attributes.get("part")
    if part == "all":
        return recording.body.rstrip("\n")
    if part == "message":
        return recording.message(entry.promise(variant))
    raise UserError(f'{entry.page}:{fence.first_line}: needs part="message", part="all" or match="…"')


@contextmanager
def page_script(page: Page, before: Path | None) -> Iterator[Path]:
    """A script that runs `before` (a fixed.py) and then the page's Python blocks, one after the other."""
    sources = ["\n" * fence.first_line + fence.text for fence in page.python_blocks()]
    head = before.read_bytes() if before else b""
    with TemporaryDirectory(prefix="torch-errors-page-") as folder:
        path = Path(folder).resolve() / "page.py"
        harness = _HARNESS.format(blocks=json.dumps(sources), page=str(page.path))
        path.write_bytes(head + harness.encode())
        yield path


def block_runs(report: Report, page: Page) -> list[BlockRun]:
    """What each block did; fewer than there are blocks where the script ended before its end."""
    output = shorten_paths(report.output, page.path.parent)
    pieces = re.split(r"\n@@ (?:block \d+|end)\n", output)[1:]
    runs = []
    for piece in pieces[:-1]:
        printed, mark, raised = piece.partition("@@ raised ")
        kind, _, message = raised.partition("\n")
        runs.append(BlockRun((printed + message).strip("\n"), kind if mark else None))
    return runs


def printed_texts(page: Page, runs: list[BlockRun]) -> dict[int, str]:
    """First line of each `printed` fence -> the text that must stand there."""
    texts: dict[int, str] = {}
    block = -1
    for fence in page.fences:
        if fence.language == "python" and "no-run" not in fence.attributes:
            block += 1
        elif "printed" in fence.attributes:
            texts[fence.first_line] = runs[block].printed if 0 <= block < len(runs) else ""
    return texts
