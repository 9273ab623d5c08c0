"""Checks of the files of an entry that run nothing."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from torch_errors.catalog.entries import Catalog, Entry, marked_lines, recording_name
from torch_errors.catalog.fields import SYSTEMS, SilentPromise, Variant
from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER, ENTRY_FILE
from torch_errors.errors import UserError, Violation
from torch_errors.markdown.parsing import Fence, Page, parse_page
from torch_errors.reading import read_text
from torch_errors.running.recordings import Recording
from torch_errors.running.sandbox import constant_seeds
from torch_errors.verifying import blocks, cases, confirming, staged_errors
from torch_errors.verifying.detectors import check_also_named
from torch_errors.verifying.heads import check_heads
from torch_errors.verifying.judging import as_number, first_line, matches
from torch_errors.verifying.skeletons import TODO

REQUIRED_SECTIONS = ["What you see", "Fix", "Why it happens", "Other wordings", "How to confirm it", "Related"]
SECTIONS = [
    "What you see",
    "Fix",
    "Why it happens",
    "Other causes",
    "The popular fix that does not work",
    "When this does not apply",
    "Other wordings",
    "How to confirm it",
    "Related",
]


def check_files(entry: Entry) -> list[Violation]:
    """The ways in which the files of an entry break its promise."""
    expected = sorted({"README.md", *(f"{variant}.py" for variant in entry.variants)})
    findings = [Violation(name, "is missing") for name in expected if not (entry.folder / name).is_file()]
    if (entry.folder / "wrong_fix.py").is_file() and "wrong_fix" not in entry.variants:
        findings.append(
            Violation("wrong_fix.py", f"{ENTRY_FILE} does not say how it fails: `wrong_fix: same` or a promise")
        )
    checks: list[tuple[Path, Callable[[], list[Violation]]]] = [
        (entry.page, partial(check_page, entry)),
        *((entry.script(variant), partial(check_script, entry, variant)) for variant in entry.variants),
    ]
    for path, check in checks:
        if path.is_file():
            try:
                findings += check()
            except UserError as error:
                findings.append(Violation(path.name, str(error)))
    for variant in entry.variants:
        findings += check_recording(entry, variant)
    findings += check_requirements(entry) + check_filled_in(entry)
    if not entry.rare:
        try:
            own_cases = cases.read_cases(entry)
            findings += cases.check_cases(entry, own_cases)
            findings += check_also_named(
                entry, [case.title for case in own_cases.cells if case.kind in ("right", "undecided")]
            )
        except UserError as error:
            findings.append(Violation(cases.CASES_FILE, str(error)))
    return findings


def check_filled_in(entry: Entry) -> list[Violation]:
    """Check that nothing that `torch-errors new` wrote is left to be filled in."""
    findings = []
    for path in sorted(entry.folder.iterdir()):
        if path.suffix in (".md", ".py", ".yaml"):
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            findings += [
                Violation(f"{path.name}:{number}", f"still to be filled in: {line.partition(TODO)[2].strip()}")
                for number, line in enumerate(lines, 1)
                if TODO in line
            ]
    return findings


def check_requirements(entry: Entry) -> list[Violation]:
    """Check that each requirement is a known system or a package that the scripts or the page mention."""
    files = [path for path in (entry.page, *map(entry.script, entry.variants)) if path.is_file()]
    text = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in files)
    packages = [name for name in entry.requires if name not in SYSTEMS]
    return [
        Violation(
            CATALOG_FILE,
            f"requires {name}, which is neither {', '.join(SYSTEMS)} nor a package of its scripts or page",
        )
        for name in packages
        if not re.search(rf"\b{name}\b", text)
    ]


def check_script(entry: Entry, variant: Variant) -> list[Violation]:
    """Check the syntax and the mark of a script, and that nothing in it is staged."""
    name = f"{variant}.py"
    source = read_text(entry.script(variant), f"the entry {entry.id} needs it")
    promise = entry.promise(variant)
    try:
        places = staged_errors.staged(source, promise.measure.name if isinstance(promise, SilentPromise) else None)
    except SyntaxError as error:
        return [Violation(f"{name}:{error.lineno}", f"is not Python: {error.msg}")]
    findings = [Violation(f"{name}:{place.line}", f"staged: {place.what}") for place in places]
    marked = marked_lines(source)
    if variant == "broken" and len(marked) != 1:
        findings.append(Violation(name, f"one line must end in `# error`; {len(marked)} do"))
    if variant == "fixed" and marked:
        findings.append(Violation(f"{name}:{marked[0]}", "is marked `# error`"))
    return findings


def check_seeds(entry: Entry) -> list[Violation]:
    """Check that scripts judged by a number set a seed that can be replaced; otherwise all seeds give the same run."""
    if not entry.is_measured:
        return []
    findings = []
    for variant in entry.variants:
        script = entry.script(variant)
        try:
            seeded = script.is_file() and constant_seeds(ast.parse(script.read_bytes()))
        except (SyntaxError, ValueError):
            continue  # check_script reports it
        if script.is_file() and not seeded:
            problem = "sets no seed that can be replaced: call `torch.manual_seed(0)` with a literal number"
            findings.append(Violation(script.name, problem))
    return findings


def check_recording(entry: Entry, variant: Variant) -> list[Violation]:
    """Check that the recording exists, unless it needs rare hardware, and that it shows what was promised."""
    path, where = entry.recording(variant), recording_name(variant)
    if not path.is_file():
        # Somebody with the hardware must run `record`; until then the page says that the recording is missing.
        if entry.rare:
            return []
        return [Violation(where, f"is missing; `torch-errors record {entry.id}` writes it")]
    try:
        recording = Recording.load(path)
        promise = entry.promise(variant)
        if variant == "fixed":
            return [] if recording.status == 0 else [Violation(where, f"exit status {recording.status}")]
        message = recording.message(promise)
    except UserError as error:
        return [Violation(where, str(error))]
    if isinstance(promise, SilentPromise):
        value = as_number(message.partition("=")[2])
        if value is None or value not in promise.measure.broken:
            problem = f"the recorded {message} is not in the broken range ({promise.measure.broken})"
            return [Violation(where, problem)]
    elif not matches(promise.patterns, message):
        return [Violation(where, f"no pattern matches the recorded message: {first_line(message)}")]
    return []


def check_page(entry: Entry) -> list[Violation]:
    """Check title, statement, sections, confirmation and links, and that every quoted message was recorded."""
    page = parse_page(entry.page)
    name = page.path.name
    findings = list(check_heads(entry))
    sections = [text for level, text in page.headings if level == 2]
    missing = [section for section in REQUIRED_SECTIONS if section not in sections]
    if missing:
        findings.append(Violation(name, f"lacks the section {', '.join(missing)}"))
    if sections != [section for section in SECTIONS if section in sections]:
        findings.append(Violation(name, f"sections must be, in this order: {', '.join(SECTIONS)}"))
    findings += _check_quotes(entry, page)
    findings += confirming.check_confirmation(page)
    return findings + blocks.check_links(page, entry.root)


def _check_quotes(entry: Entry, page: Page) -> list[Violation]:
    unrecorded = {path.name for path in map(entry.recording, entry.variants) if not path.is_file()}

    def quote(fence: Fence) -> str | None:
        # check_recording reports a missing recording; once is enough.
        return None if fence.attributes.get("recorded") in unrecorded else blocks.quoted_text(entry, fence)

    return blocks.check_fences(page, quote, _quotable_texts(entry), entry.id)


def _quotable_texts(entry: Entry) -> Iterator[str]:
    """The texts that a message on the page may be quoted from: the entry's recordings and scripts."""
    for variant in entry.variants:
        for path in (entry.recording(variant), entry.script(variant)):
            if path.is_file():
                yield path.read_text(encoding="utf-8", errors="replace")


def check_folders(catalog: Catalog) -> list[str]:
    """Messages about folders that `catalog.yaml` does not list, and category pages that are missing or unfinished."""
    listed = {entry.folder for entry in catalog}
    strays = [
        f"{folder.relative_to(catalog.root)}: the folder is not in {CATALOG_FILE}; "
        f"add it there below {folder.parent.name}, or remove it"
        for folder in sorted((catalog.root / ENTRIES_FOLDER).glob("*/*/"))
        if folder.is_dir() and folder not in listed and folder.name != "__pycache__"
    ]
    for page in map(catalog.page_of, catalog.categories):
        where = page.relative_to(catalog.root)
        if not page.is_file():
            strays.append(f"{where}: missing; `torch-errors record` writes it")
        elif TODO in page.read_text(encoding="utf-8", errors="replace"):
            strays.append(f"{where}: a row is still to be filled in; `torch-errors record` of its entry does it")
    return strays
