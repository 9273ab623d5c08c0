"""Commands that maintain the guide: verify, record, translations, new, schema."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch_errors.cli.terminal import named_entry, output, positive, progress_bar

if TYPE_CHECKING:
    from torch_errors.catalog.entries import Catalog, Entry
    from torch_errors.errors import Violation
    from torch_errors.verifying.pages import DocumentResult
    from torch_errors.verifying.verify import Result

_COLOURS = {"held": "green", "not held": "red", "skipped": "yellow"}


def add_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Declare the commands; `add(name, command, help)` returns the parser of a command."""
    sub = add("verify", _verify, "run the scripts and check every promise of every entry")
    _add_run_options(sub)
    sub.add_argument("--seeds", type=positive, default=1, metavar="N", help="run silent entries with N seeds")
    extent = sub.add_mutually_exclusive_group()
    extent.add_argument(
        "--quick",
        action="store_true",
        help="only the scripts of entries, without their cases, detectors and blocks of pages",
    )
    extent.add_argument(
        "--kernels", action="store_true", help="also compute as other processors do: without AVX, with AVX2"
    )
    sub.add_argument("--entries-only", action="store_true", help="leave out the pages that belong to no entry")
    sub.add_argument(
        "--skip-held",
        type=Path,
        metavar="FILE",
        help="leave out entries that held before and have not changed since; FILE remembers them",
    )
    sub.add_argument("--json", action="store_true", help="as JSON")

    sub = add("record", _record, "run the scripts and write down what they print, also where the pages quote it")
    _add_run_options(sub)

    sub = add("translations", _translations, "report translations that are missing, stale or unlike the English page")
    sub.add_argument(
        "--stamp",
        metavar="PATH",
        nargs="+",
        default=[],
        help="note that these translations are up to date with English",
    )
    sub.add_argument("--json", action="store_true", help="as JSON")

    sub = add("new", _new, "write the first version of an entry")
    sub.add_argument("category", metavar="CATEGORY")
    sub.add_argument("id", metavar="ID")
    sub.add_argument("--kind", choices=("exception", "warning", "silent"), default="exception", help="how it fails")

    sub = add("schema", _schema, "print a JSON Schema for editors")
    sub.add_argument("file", choices=("catalog", "entry"), nargs="?", default="catalog", help="of which YAML file")


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", metavar="ID", nargs="*", help="entries, or paths of other pages (default: all)")
    parser.add_argument("--fresh", action="store_true", help="a new interpreter for each script")
    parser.add_argument("--workers", type=positive, metavar="N", help="scripts at a time (default: one a core)")


def _verify(options: argparse.Namespace) -> int:
    from torch_errors.catalog.loading import load_catalog
    from torch_errors.running.requirements import require

    catalog = load_catalog()
    entries, documents = _chosen(catalog, options.ids)
    require("torch", "psutil")
    from torch_errors.verifying.files import check_folders
    from torch_errors.verifying.unchanged import HeldEntries

    rows: dict[str, dict[str, Any]] = {}
    held = None
    if options.skip_held:
        held = HeldEntries(options.skip_held, catalog, f"{options.seeds} seeds, {options.quick=}, {options.kernels=}")
        rows = {entry.id: row for entry in entries if (row := held.row(entry))}
    skipped = len(rows)
    changed = [entry for entry in entries if entry.id not in rows]
    results, pages = _run_and_judge(catalog, changed, [] if options.entries_only else documents, options)
    rows |= {result.entry.id: _as_row(result) for result in results}
    if held:
        held.write((entry, rows[entry.id]) for entry in entries)
    strays = [] if options.ids else check_folders(catalog)
    failed = bool(strays) or any(result.findings for result in results) or any(page.findings for page in pages)
    if options.json:
        others = [
            {"path": page.name, "findings": _as_rows(page.findings), "seconds": round(page.seconds, 3)}
            for page in pages
        ]
        document = {
            "held": not failed,
            "entries": [rows[entry.id] for entry in entries],
            "pages": others,
            "strays": strays,
        }
        print(json.dumps(document, indent=2))
    else:
        # Pages that held are only counted, unless they were asked for.
        shown = [page for page in pages if page.findings or options.ids]
        _print_findings(results, shown, strays)
        counts = (
            [f"{sum(result.state == state for result in results)} {state}" for state in _COLOURS] if results else []
        )
        counts += [f"{skipped} held before and have not changed"] if skipped else []
        counts += [f"{sum(not page.findings for page in pages)} of {len(pages)} other pages held"] if pages else []
        output().print(", ".join(counts), highlight=False)
    return int(failed)


def _run_and_judge(
    catalog: Catalog, entries: Sequence[Entry], documents: Sequence[Path], options: argparse.Namespace
) -> tuple[list[Result], list[DocumentResult]]:
    """Verify entries and pages.

    With `--kernels`, they run again as on an old processor, and the findings from there are added: with one seed, and
    only with pages that were asked for. The seeds after the third are distributed over KERNELS, at least one for each.
    """
    from torch_errors.errors import Violation
    from torch_errors.running.pool import KERNELS, OLD, OLD_PROCESSOR, Runner
    from torch_errors.verifying.detectors import SEEDS
    from torch_errors.verifying.pages import run_documents
    from torch_errors.verifying.verify import Only, verify

    results: list[Result] = []
    pages: list[DocumentResult] = []
    here = min(SEEDS, options.seeds) if options.kernels else options.seeds
    extent: Only | None = "scripts" if options.quick else None
    settings: list[tuple[str, dict[str, str], Sequence[int], Only | None]] = [("", {}, range(here), extent)]
    if options.kernels:
        for number, (name, variables) in enumerate(KERNELS.items(), here):
            shared = range(number, options.seeds, len(KERNELS))
            settings.append((name, variables, shared or [0], "scripts"))
        settings.append((OLD_PROCESSOR, OLD, [0], "numbers"))
    for name, variables, seeds, only in settings:
        further_seeds = bool(name) and only == "scripts"
        asked = [entry for entry in entries if entry.is_measured or not further_seeds]
        chosen = documents if options.ids or not name else []
        if name and not asked and not chosen:
            continue
        with Runner("fresh" if options.fresh else None, options.workers, variables) as runner:
            with progress_bar(f"verifying entries {name}".strip(), quiet=options.json) as progress:
                found = verify(asked, runner, seeds, progress, only)
            with progress_bar(f"verifying pages {name}".strip(), quiet=options.json) as progress:
                found_in_pages = run_documents(chosen, catalog, runner, progress, run=not options.quick)
        if not name:
            results, pages = found, found_in_pages
            continue
        earlier = [result for result in results if result.entry in asked]
        if further_seeds:
            for result, further in zip(earlier, found, strict=True):
                result.add_runs(further)
        before = [result.findings for result in earlier] + [page.findings for page in pages if chosen]
        after = [result.findings for result in found] + [page.findings for page in found_in_pages]
        for old, new in zip(before, after, strict=True):
            for finding in new:
                if not any(same.where == finding.where and same.problem.endswith(finding.problem) for same in old):
                    old.append(Violation(finding.where, f"with {name}: {finding.problem}"))
    return results, pages


def _print_findings(results: Sequence[Result], pages: Sequence[DocumentResult], strays: Sequence[str]) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("entry", "result", "what did not hold"):
        table.add_column(name, overflow="fold")
    # A finding of every entry, such as a file written outside their folders, is shown once.
    shared = set.intersection(*(set(result.findings) for result in results)) if len(results) > 1 else set()
    for result in results:
        text = _as_lines(finding for finding in result.findings if finding not in shared) or result.skipped or ""
        table.add_row(result.entry.id, f"[{_COLOURS[result.state]}]{result.state}[/]", escape(text))
    for page in pages:
        text = _as_lines(page.findings)
        table.add_row(page.name, "[red]not held[/]" if text else "[green]held[/]", escape(text))
    output().print(table)
    for line in (*(_as_lines([finding]) for finding in sorted(shared, key=str)), *strays):
        output().print(escape(line), style="red")


def _as_lines(findings: Iterable[Violation]) -> str:
    return "\n".join(f"{finding.where}: {finding.problem}" for finding in findings)


def _as_row(result: Result) -> dict[str, Any]:
    """The result of an entry for programs."""
    return {
        "id": result.entry.id,
        "state": result.state,
        "skipped": result.skipped,
        "findings": _as_rows(result.findings),
        "scripts": result.scripts,
        "cases": result.cases,
        "message": result.message,
        "seconds": round(result.seconds, 3),
        "values": {
            variant: [value if math.isfinite(value) else str(value) for value in values]
            for variant, values in result.values.items()
        },
    }


def _record(options: argparse.Namespace) -> int:
    from torch_errors.catalog.loading import load_catalog
    from torch_errors.running.requirements import require

    catalog = load_catalog()
    entries, documents = _chosen(catalog, options.ids)
    require("torch", "psutil")
    from torch_errors.running.pool import Runner
    from torch_errors.verifying.category_pages import add_rows
    from torch_errors.verifying.detector_table import write_table
    from torch_errors.verifying.heads import write_heads
    from torch_errors.verifying.pages import run_documents
    from torch_errors.verifying.record import record

    for entry in entries:
        for path in write_heads(catalog, entry):
            print(path.relative_to(catalog.root))
    with Runner("fresh" if options.fresh else None, options.workers) as runner:
        with progress_bar("recording entries") as progress:
            results = record(entries, runner, progress)
        with progress_bar("recording pages") as progress:
            pages = run_documents(documents, catalog, runner, progress, write=True)
    for result in results:
        for problem in result.problems:
            print(f"{result.entry.id}: not recorded: {problem}", file=sys.stderr)
        if result.skipped:
            print(f"{result.entry.id}: skipped, {result.skipped}")
        for path in result.written:
            print(path.relative_to(result.entry.root))
    recorded = {result.entry.category for result in results if not result.problems}
    for category in catalog.categories:
        if category.id in recorded or not catalog.page_of(category).is_file():
            for path in add_rows(catalog, category):
                print(path.relative_to(catalog.root))
    for path in write_table(catalog):
        print(path.relative_to(catalog.root))
    for page in pages:
        for finding in page.findings:
            print(f"{page.name}: not recorded: {finding.where}: {finding.problem}", file=sys.stderr)
        if page.written:
            print(page.name)
    return int(any(result.problems for result in results) or any(page.findings for page in pages))


def _translations(options: argparse.Namespace) -> int:
    from torch_errors.catalog.loading import load_catalog
    from torch_errors.verifying.translations import CURRENT, MISSING, STALE, check_texts, stamp, translations

    catalog = load_catalog()
    for path in stamp(catalog, options.stamp):
        print(path.relative_to(catalog.root), file=sys.stderr)
    pages, texts = translations(catalog), check_texts(catalog)
    findings = [finding for page in pages for finding in page.findings] + texts.findings
    failed = bool(findings) or any(page.state == STALE for page in pages)
    if options.json:
        rows = [
            {
                "path": page.source.name,
                "translation": page.name,
                "state": page.state,
                "findings": _as_rows(page.findings),
            }
            for page in pages
        ]
        text_rows = {
            "missing": [{"where": where, "text": text} for where, text in texts.missing],
            "findings": _as_rows(texts.findings),
        }
        print(json.dumps({"held": not failed, "pages": rows, "texts": text_rows}, indent=2, ensure_ascii=False))
        return int(failed)
    for page in pages:
        if page.state != CURRENT:
            print(f"{page.state:8} {page.source.name if page.state == MISSING else page.name}")
    for where, text in texts.missing:
        print(f"{MISSING:8} {where}: {text}")
    for finding in findings:
        print(f"{finding.where}: {finding.problem}")
    count = [f"{sum(page.state == state for page in pages)} {state}" for state in (CURRENT, STALE, MISSING)]
    print(f"{len(pages)} pages: {', '.join(count)}; {len(texts.missing)} texts missing; {len(findings)} findings")
    return int(failed)


def _new(options: argparse.Namespace) -> int:
    from torch_errors.catalog.loading import load_catalog
    from torch_errors.verifying.new_entry import new_entry

    catalog = load_catalog()
    for path in new_entry(catalog, options.category, options.id, options.kind):
        print(path.relative_to(catalog.root))
    print(f"Fill in every TODO, then: torch-errors record {options.id} && torch-errors verify {options.id}")
    return 0


def _schema(options: argparse.Namespace) -> int:
    from torch_errors.catalog.loading import catalog_schema, entry_schema

    schema = entry_schema() if options.file == "entry" else catalog_schema()
    print(json.dumps(schema, indent=2))
    return 0


def _as_rows(findings: Iterable[Violation]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(finding) for finding in findings]


def _chosen(catalog: Catalog, names: Sequence[str]) -> tuple[list[Entry], list[Path]]:
    """The named entries and other pages; all of them if none is named."""
    from torch_errors.verifying.pages import document, find_documents

    if not names:
        return list(catalog), find_documents(catalog)
    names = list(dict.fromkeys(names))
    entries = [named_entry(catalog, name) for name in names if not name.endswith(".md")]
    return (
        list({entry.id: entry for entry in entries}.values()),  # an entry may be named by its former id, too
        [document(catalog, name) for name in names if name.endswith(".md")],
    )
