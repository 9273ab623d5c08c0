"""The texts in the fences of a page: computed from recordings and from running the page's blocks."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from torch_errors.catalog.entries import Entry
from torch_errors.errors import UserError, Violation
from torch_errors.markdown.parsing import Fence, Page, broken_links, looks_like_message
from torch_errors.running.recordings import Recording, shorten_paths, without_addresses
from torch_errors.running.report import Report, last_line
from torch_errors.running.versions import Versions

# Languages of fences that hold no output. Python is written `python`, which is run.
CODE_LANGUAGES = {"python", "sh", "diff", "yaml", "toml", "json", "ini", "mermaid"}
# Maximum relative difference between a printed number and the recorded one.
NUMBERS_AGREE = 0.05
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
# What torch prints of a loader with workers on a machine with one core.
_ONE_CORE = re.compile(
    r"(?m)^\S*dataloader\.py:\d+: UserWarning: This DataLoader will create \d+ worker processes in total\. Our"
    r" suggested max number of worker in current system is 1,.*\n(?:  .*\n)?"
)
# The attributes by which a fence says where its text comes from, as messages list them.
TEXT_FENCES = 'recorded="….out", printed, verdicts, version="…" or seen="torch VERSION"'

# Worker processes import the page under a name other than __main__, so they do not run its blocks.
_HARNESS = """
if __name__ == "__main__":
    import json as _json, os as _os, subprocess as _subprocess, sys as _sys
    import tempfile as _tempfile, traceback as _traceback
    from sys import path as _search_path
    _search_path[:0] = {importable!r}
    _start, _folder = _os.getcwd(), _tempfile.TemporaryDirectory()
    _os.chdir(_folder.name)
    for _number, (_language, _source) in enumerate(_json.loads({blocks!r})):
        print("\\n@@ block", _number, flush=True)
        if _language == "sh":
            _path = _os.pathsep.join([_os.path.dirname(_sys.executable), _os.environ.get("PATH", _os.defpath)])
            _status = _subprocess.run(["bash", "-e", "-c", _source], env=_os.environ | {{"PATH": _path}}).returncode
            if _status:
                print("@@ raised exit", _status)
            continue
        try:
            exec(compile(_source, {page!r}, "exec"), globals())
        except Exception as _error:
            print("@@ raised", type(_error).__name__)
            print("".join(_traceback.format_exception_only(_error)), end="")
    print("\\n@@ end")
    _os.chdir(_start)
    _folder.cleanup()
"""


@dataclass(frozen=True)
class BlockRun:
    """The result of running one block of a page."""

    printed: str
    raised: str | None  # type of the exception, or "exit N" if a shell command ended with status N


def quoted_text(entry: Entry, fence: Fence) -> str:
    """The text that belongs in a fence with `recorded` or `version`. Raises UserError if there is none."""
    if "version" in fence.attributes:
        version = fence.attributes["version"]
        message = Versions.load(entry).message(version)
        if message is None:
            raise UserError(
                f"{entry.page}:{fence.first_line}: no message of torch {version} is recorded; run `make versions`"
            )
        return message
    name = fence.attributes["recorded"].rpartition("/")[2]
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
def page_script(page: Page, before: Path | None = None, importable: Sequence[Path] = ()) -> Iterator[Path]:
    """Write a script that runs `before` (a fixed.py), then the page's blocks in order, in a folder of its own.

    `importable`: folders whose modules the blocks may import.
    """
    sources = [(fence.language, "\n" * fence.first_line + fence.text) for fence in page.blocks()]
    head = before.read_bytes() if before else b""
    with TemporaryDirectory(prefix="torch-errors-page-") as folder:
        path = Path(folder).resolve() / "page.py"
        harness = _HARNESS.format(
            blocks=json.dumps(sources), page=str(page.path), importable=[str(folder) for folder in importable]
        )
        path.write_bytes(head + harness.encode())
        yield path


def block_runs(report: Report, page: Page) -> list[BlockRun]:
    """The result of each block. If the script ended early, the results of the remaining blocks are missing."""
    output = _ONE_CORE.sub("", shorten_paths(report.output, page.path.parent))
    pieces = re.split(r"\n@@ (?:block \d+|end)\n", output)[1:]
    runs = []
    for piece in pieces[:-1]:
        printed, mark, raised = piece.partition("@@ raised ")
        kind, _, message = raised.partition("\n")
        runs.append(BlockRun((printed + message).strip("\n"), kind if mark else None))
    return runs


def printed_texts(page: Page, runs: list[BlockRun]) -> dict[int, str]:
    """The text that belongs in each `printed` fence, by the line number of the fence."""
    texts: dict[int, str] = {}
    block = -1
    for fence in page.fences:
        if page.runs(fence):
            block += 1
        elif "printed" in fence.attributes:
            texts[fence.first_line] = runs[block].printed if 0 <= block < len(runs) else ""
    return texts


def judge_blocks(page: Page, report: Report, name: str, compare: bool = True) -> list[Violation]:
    """Check that the blocks of a page ran to the end, raised only what they promise, and printed the texts below them.

    `name`: the page as an argument of `torch-errors record`. `compare`: whether to compare the printed texts; they may
    differ if torch or Python is not the recorded version.
    """
    runs = block_runs(report, page)
    findings = [Violation(page.path.name, problem) for problem in report.trespasses()]
    blocks = page.blocks()
    for fence, run in zip(blocks, runs, strict=False):
        promised = fence.attributes.get("raises")
        if run.raised != promised:
            last = f"{run.raised}: {last_line(run.printed)}" if run.raised else ""
            problem = f"the block should raise {promised or 'nothing'}, raised {last or 'nothing'}"
            findings.append(Violation(f"{page.path.name}:{fence.first_line}", problem))
    if len(runs) < len(blocks):
        fence = blocks[len(runs)]
        problem = f"the blocks stop at this one: {report.limit or last_line(report.output)}"
        findings.append(Violation(f"{page.path.name}:{fence.first_line}", problem))
    if findings or not compare:
        return findings
    texts = printed_texts(page, runs)
    problem = f"is not what the block before it prints; `torch-errors record {name}` fills it in"
    return [
        Violation(f"{page.path.name}:{fence.first_line}", problem)
        for fence in page.fences
        if fence.first_line in texts and not same_text(fence.text, texts[fence.first_line])
    ]


def check_links(page: Page, root: Path) -> list[Violation]:
    """Check that every link inside the repository has a target, also when the file is read outside the site."""
    return [
        Violation(f"{page.path.name}:{line}", f"the link leads nowhere: {target}")
        for line, target in broken_links(page, root)
    ]


def check_fences(
    page: Page, quote: Callable[[Fence], str | None], sources: Iterable[str], name: str, others: Collection[str] = ()
) -> list[Violation]:
    """Check that every fence says where its text comes from, and that every quoted message occurs in `sources`.

    `quote`: returns the text that belongs in a `recorded` fence, or None if that is unknown. `name`: the page as an
    argument of `torch-errors record`. `others`: attributes of fences that are checked elsewhere.
    """
    problem = "a block must be fenced, and the fence must say where its text comes from"
    findings = [Violation(f"{page.path.name}:{line}", problem) for line in page.indented]
    for fence in page.fences:
        where = f"{page.path.name}:{fence.first_line}"
        attributes = set(fence.attributes)
        if attributes & {"recorded", "version"}:
            try:
                expected = quote(fence)
            except UserError as error:
                findings.append(Violation(where, str(error)))
                continue
            if expected is not None and fence.text.strip() != expected.strip():
                findings.append(Violation(where, f"is not what was recorded; `torch-errors record {name}` fills it in"))
        elif fence.language not in CODE_LANGUAGES and not attributes & {
            "printed",
            "verdicts",
            "seen",
            "version",
            *others,
        }:
            findings.append(Violation(where, f"the fence must say where its text comes from: {TEXT_FENCES}"))
        elif "seen" in attributes and not re.search(r"\d+\.\d+", fence.attributes["seen"]):
            findings.append(Violation(where, 'seen="…" must give the torch version'))
        elif "no-run" in attributes and len(fence.attributes["no-run"].split()) < 2:
            findings.append(Violation(where, 'no-run="…" must say why the block cannot be run'))
    quotable = " ".join(" ".join(text.split()) for text in [*sources, *(fence.text for fence in page.fences)])
    for line, code in page.code_spans:
        if looks_like_message(code) and not _is_quoted_from(code, quotable):
            findings.append(
                Violation(f"{page.path.name}:{line}", f"quotes a message that is in no recording: {code!r}")
            )
    return findings


def _is_quoted_from(code: str, text: str) -> bool:
    """Whether the text contains the quotation, whose `…` may stand for up to 300 characters."""
    parts = [re.escape(part.strip()) for part in " ".join(code.split()).split("…")]
    return re.search(".{0,300}?".join(parts), text) is not None


def same_text(first: str, second: str, numbers: bool = True) -> bool:
    """Whether the words are equal and the numbers close: processors round differently, and training amplifies that.

    Without `numbers`, only the words are compared.
    """
    first, second = without_addresses(first).strip(), without_addresses(second).strip()
    if _NUMBER.sub("#", first) != _NUMBER.sub("#", second):
        return False
    if not numbers:
        return True
    pairs = zip(_NUMBER.findall(first), _NUMBER.findall(second), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=NUMBERS_AGREE, abs_tol=1e-6) for a, b in pairs)
