"""The command `torch-errors`."""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from torch_errors.errors import UserError
from torch_errors.languages import LANGUAGES, from_locale, in_language, load_texts

# Imported where they are used, for the sake of `explain`, which must answer at once and where nothing else works.
if TYPE_CHECKING:
    from rich.console import Console

    from torch_errors.catalog import Catalog, Entry

BAD_INPUT = 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. 0: done; 1: `verify` or `record` found something; 2: bad input, said in one line."""
    options = _parser().parse_args(arguments)
    try:
        return options.command(options)
    except UserError as error:
        print(f"torch-errors: {error}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:  # the reader (head, less) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


def entry_point() -> None:
    """The installed command."""
    sys.exit(main())


def script_point() -> None:
    """`python -m torch_errors SCRIPT [ARGUMENTS]`: run the script, with a note on what the catalog knows."""
    from torch_errors.explaining.note import run_script

    try:
        sys.exit(run_script(Path(sys.argv[1]).absolute(), sys.argv[2:]))
    except UserError as error:
        print(f"torch-errors: {error}", file=sys.stderr)
        sys.exit(BAD_INPUT)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="torch-errors", description="The PyTorch debugging guide on the command line."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def add(name: str, command: Callable[[argparse.Namespace], int], help: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=help, description=help[0].upper() + help[1:] + ".")
        sub.set_defaults(command=command)
        return sub

    sub = add("list", _list, "list the entries of the catalog")
    sub.add_argument("--category", metavar="C", help="only this category")
    sub.add_argument("--json", action="store_true", help="as JSON")
    _add_language(sub)

    sub = add("explain", _explain, "say what a pasted error means")
    sub.add_argument("file", metavar="FILE", nargs="?", default="-", help="file with the error, - for standard input")
    sub.add_argument("--json", action="store_true", help="as JSON")
    _add_language(sub)

    sub = add("prompt", _prompt, "print a prompt for a language model, filled in")
    sub.add_argument("name", metavar="NAME", nargs="?", help="which prompt (default: list them)")
    sub.add_argument("--traceback", metavar="FILE", help="file with the error, - for standard input")
    sub.add_argument("--code", metavar="FILE", help="code to quote (default: around the line that failed)")
    sub.add_argument("--lines", metavar="A-B", type=_line_range, help="only these lines of the code")
    sub.add_argument("--no-redact", dest="redact", action="store_false", help="leave names, paths and secrets in")
    _add_language(sub)

    sub = add("show", _show, "show the page of an entry in the terminal")
    sub.add_argument("id", metavar="ID")
    _add_language(sub)

    sub = add("run", _run, "run an entry's broken script as by hand")
    sub.add_argument("id", metavar="ID")
    which = sub.add_mutually_exclusive_group()
    which.add_argument("--fixed", dest="variant", action="store_const", const="fixed", help="run the fixed script")
    which.add_argument(
        "--wrong-fix", dest="variant", action="store_const", const="wrong_fix", help="run the fix that does not work"
    )
    sub.set_defaults(variant="broken")

    sub = add("compare", _compare, "run an entry's broken and fixed script and show how they differ")
    sub.add_argument("id", metavar="ID")

    sub = add("verify", _verify, "run the scripts and hold every entry to its promise")
    _add_run_options(sub)
    sub.add_argument("--seeds", type=_positive, default=1, metavar="N", help="run silent entries with N seeds")
    sub.add_argument("--json", action="store_true", help="as JSON")

    sub = add("record", _record, "run the scripts and write down what they print, also where the pages quote it")
    _add_run_options(sub)

    sub = add(
        "translations", _translations, "say which translations are missing, stale or differ from the English page"
    )
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

    add("schema", _schema, "print the JSON Schema of catalog.yaml")

    sub = add("bench", _bench, "time the verification of the whole catalog, forked and fresh")
    sub.add_argument("--workers", type=_positive, metavar="N", help="scripts at a time (default: one a core)")
    return parser


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--lang", choices=LANGUAGES, default=from_locale(), help="language (default: of your locale)")


def _add_run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ids", metavar="ID", nargs="*", help="entries, or paths of other pages (default: all)")
    parser.add_argument("--fresh", action="store_true", help="a new interpreter for each script")
    parser.add_argument("--workers", type=_positive, metavar="N", help="scripts at a time (default: one a core)")


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def _line_range(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a range of lines such as 10-25")
    return int(first), int(last or first)


# Commands ----------------------------------------------------------------------------------------------------------


def _explain(options: argparse.Namespace) -> int:
    from torch_errors.explaining import answer
    from torch_errors.explaining.explain import explain, guess
    from torch_errors.locate import find_root

    root = find_root()
    text = _read(options.file)
    matches = explain(text, root, options.lang)
    guesses = [] if matches else guess(text, root, language=options.lang)
    if options.json:
        found = {
            "matches": [answer.match_json(match) for match in matches],
            "guesses": [answer.guess_json(near) for near in guesses],
        }
        print(json.dumps(found, indent=2, ensure_ascii=False))
    else:
        texts = load_texts(root, options.lang)
        print(answer.matches_text(matches, texts) if matches else answer.guesses_text(guesses, texts))
    return 0 if matches else 1


def _prompt(options: argparse.Namespace) -> int:
    from torch_errors.locate import find_root
    from torch_errors.prompting.template import load_prompt, load_prompts

    root = find_root()
    if options.name is None:
        from rich.markup import escape
        from rich.table import Table

        table = Table(box=None, pad_edge=False, show_header=False)
        for prompt in load_prompts(root, options.lang).values():
            table.add_row(f"[bold]{prompt.name}[/bold]", escape(prompt.summary))
        _console().print(table)
        return 0
    from torch_errors.prompting.compose import compose

    if options.lines and not options.code:
        raise UserError("--lines needs the file that they are of: --code FILE")
    composed = compose(
        load_prompt(options.name, root, options.lang),
        root,
        traceback=_read(options.traceback) if options.traceback else None,
        code=Path(options.code) if options.code else None,
        lines=options.lines,
        hide=options.redact,
        language=options.lang,
    )
    print(composed.text, end="")
    notes = []
    if composed.entry:
        notes.append(f"quotes what the guide says of {composed.entry}")
    if composed.redacted:
        taken = ", ".join(f"{what} ({count})" for what, count in composed.redacted.most_common())
        notes.append(f"redacted: {taken} (--no-redact leaves them in); read it once more before you send it")
    if composed.open_blanks:
        notes.append(f"left for you to fill in: {', '.join(composed.open_blanks)}")
    sys.stdout.flush()
    for note in notes:
        print(f"torch-errors: {note}", file=sys.stderr)
    return 0


def _read(name: str) -> str:
    """A file or standard input, whatever its bytes are."""
    if name == "-":
        if sys.stdin.isatty():
            print("Paste the error, then press Ctrl-D (Windows: Ctrl-Z, Enter).", file=sys.stderr)
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        with open(name, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError as error:
        raise UserError(
            f"{name}: cannot be read ({error.strerror}); name a file with the error, or - to paste"
        ) from None


def _list(options: argparse.Namespace) -> int:
    from torch_errors.catalog import load_catalog

    catalog = load_catalog().in_language(options.lang)
    categories = (catalog.category(options.category),) if options.category else catalog.categories
    if options.json:
        rows = [_as_json(entry) for category in categories for entry in category.entries]
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return 0
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("id", "kind", "title"):
        table.add_column(name, no_wrap=name != "title")
    for category in categories:
        table.add_row(f"[bold]{escape(category.title)}[/bold]", "", f"[dim]{category.id}[/dim]")
        for entry in category.entries:
            table.add_row(f"  {entry.id}", entry.kind, escape(entry.title))
    _console().print(table)
    return 0


def _as_json(entry: Entry) -> dict[str, object]:
    return {
        "id": entry.id,
        "category": entry.category,
        "title": entry.title,
        "summary": entry.summary,
        "kind": entry.kind,
        "requires": entry.requires,
        "folder": str(entry.folder.relative_to(entry.root)),
    }


def _show(options: argparse.Namespace) -> int:
    from rich.markdown import Markdown

    from torch_errors.catalog import load_catalog
    from torch_errors.pages import plain_markdown
    from torch_errors.reading import read_text

    entry = _entry(load_catalog().in_language(options.lang), options.id)
    text = read_text(in_language(entry.page, options.lang), f"it is the page of {entry.id}")
    console = _console()
    console.print(Markdown(plain_markdown(text)))
    scripts = entry.texts.word("Scripts: {folder}", folder=entry.folder)
    console.print(f"\n{scripts}", style="dim", highlight=False, soft_wrap=True)
    return 0


def _run(options: argparse.Namespace) -> int:
    from torch_errors.catalog import load_catalog
    from torch_errors.running.requirements import require

    entry = _entry(load_catalog(), options.id)
    script = entry.script(options.variant)
    if options.variant == "wrong_fix" and "wrong_fix" not in entry.variants:
        raise UserError(f"{entry.id} has no wrong fix; the page says so: torch-errors show {entry.id}")
    if not script.is_file():
        raise UserError(f"{script}: is missing; the entry {entry.id} needs it")
    require("torch")
    if entry.requires:
        print(f"{entry.id} needs {', '.join(entry.requires)}", file=sys.stderr)
    return subprocess.run([sys.executable, str(script)]).returncode


def _compare(options: argparse.Namespace) -> int:
    from torch_errors.catalog import load_catalog
    from torch_errors.running.requirements import require

    entry = _entry(load_catalog(), options.id)
    diff = entry.diff()  # before anything is shown: it needs both scripts
    require("torch")
    from rich.rule import Rule
    from rich.syntax import Syntax

    console = _console()
    for variant in ("broken", "fixed"):
        script = entry.script(variant)
        console.print(Rule(f"{script.name}: what it prints", align="left"))
        sys.stdout.flush()
        subprocess.run([sys.executable, str(script)], stderr=subprocess.STDOUT)
    console.print(Rule("the fix", align="left"))
    console.print(Syntax(diff, "diff", background_color="default", word_wrap=True))
    console.print(f"Why: torch-errors show {entry.id}", style="dim", highlight=False)
    return 0


def _verify(options: argparse.Namespace) -> int:
    from torch_errors.catalog import load_catalog
    from torch_errors.running.requirements import require

    catalog = load_catalog()
    entries, documents = _chosen(catalog, options.ids)
    require("torch", "psutil")
    from torch_errors.documents import verify_documents
    from torch_errors.running.runner import Runner
    from torch_errors.verify import stray_folders, verify

    with Runner("fresh" if options.fresh else None, options.workers) as runner:
        with _progress("verifying entries", quiet=options.json) as progress:
            results = verify(entries, runner, options.seeds, progress)
        with _progress("verifying pages", quiet=options.json) as progress:
            pages = verify_documents(documents, catalog, runner, progress)
    strays = [] if options.ids else stray_folders(catalog)
    failed = bool(strays) or any(result.findings for result in results) or any(page.findings for page in pages)
    if options.json:
        rows = [
            {
                "id": result.entry.id,
                "state": result.state,
                "skipped": result.skipped,
                "findings": [dataclasses.asdict(finding) for finding in result.findings],
                "seconds": round(result.seconds, 3),
                "values": {
                    variant: [value if math.isfinite(value) else str(value) for value in values]
                    for variant, values in result.values.items()
                },
            }
            for result in results
        ]
        others = [
            {
                "path": page.name,
                "findings": [dataclasses.asdict(finding) for finding in page.findings],
                "seconds": round(page.seconds, 3),
            }
            for page in pages
        ]
        print(json.dumps({"held": not failed, "entries": rows, "pages": others, "strays": strays}, indent=2))
        return int(failed)

    from rich.markup import escape
    from rich.table import Table

    console = _console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("entry", "result", "what did not hold"):
        table.add_column(name, overflow="fold")
    colours = {"held": "green", "not held": "red", "skipped": "yellow"}
    # What is said of every entry (a file outside their folders was written while they ran) is shown once.
    shared = set.intersection(*(set(result.findings) for result in results)) if len(results) > 1 else set()
    for result in results:
        own = [finding for finding in result.findings if finding not in shared]
        text = "\n".join(f"{finding.where}: {finding.problem}" for finding in own) or result.skipped or ""
        table.add_row(result.entry.id, f"[{colours[result.state]}]{result.state}[/]", escape(text))
    for page in pages:
        if page.findings or options.ids:
            text = "\n".join(f"{finding.where}: {finding.problem}" for finding in page.findings)
            table.add_row(page.name, "[red]not held[/]" if text else "[green]held[/]", escape(text))
    console.print(table)
    for finding in sorted(shared, key=str):
        console.print(escape(f"{finding.where}: {finding.problem}"), style="red")
    for stray in strays:
        console.print(escape(stray), style="red")
    count = {state: sum(result.state == state for result in results) for state in colours}
    said = [f"{number} {state}" for state, number in count.items()] if results else []
    if pages:
        said.append(f"{sum(not page.findings for page in pages)} of {len(pages)} other pages held")
    console.print(", ".join(said), highlight=False)
    return int(failed)


def _record(options: argparse.Namespace) -> int:
    from torch_errors.catalog import load_catalog
    from torch_errors.running.requirements import require

    catalog = load_catalog()
    entries, documents = _chosen(catalog, options.ids)
    require("torch", "psutil")
    from torch_errors.documents import record_documents
    from torch_errors.record import record
    from torch_errors.running.runner import Runner

    with Runner("fresh" if options.fresh else None, options.workers) as runner:
        with _progress("recording entries") as progress:
            results = record(entries, runner, progress)
        with _progress("recording pages") as progress:
            pages = record_documents(documents, catalog, runner, progress)
    for result in results:
        for problem in result.problems:
            print(f"{result.entry.id}: not recorded: {problem}", file=sys.stderr)
        if result.skipped:
            print(f"{result.entry.id}: skipped, {result.skipped}")
        for path in result.written:
            print(path.relative_to(result.entry.root))
    for page in pages:
        for finding in page.findings:
            print(f"{page.name}: not recorded: {finding.where}: {finding.problem}", file=sys.stderr)
        if page.written:
            print(page.name)
    return int(any(result.problems for result in results) or any(page.findings for page in pages))


def _translations(options: argparse.Namespace) -> int:
    from torch_errors.catalog import load_catalog
    from torch_errors.translations import CURRENT, MISSING, STALE, check_texts, stamp, translations

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
                "findings": [dataclasses.asdict(finding) for finding in page.findings],
            }
            for page in pages
        ]
        told = {
            "missing": [{"where": where, "text": text} for where, text in texts.missing],
            "findings": [dataclasses.asdict(finding) for finding in texts.findings],
        }
        print(json.dumps({"held": not failed, "pages": rows, "texts": told}, indent=2, ensure_ascii=False))
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
    from torch_errors.catalog import load_catalog
    from torch_errors.scaffold import new_entry

    catalog = load_catalog()
    for path in new_entry(catalog, options.category, options.id):
        print(path.relative_to(catalog.root))
    print(f"Fill them in, then: torch-errors record {options.id} && torch-errors verify {options.id}")
    return 0


def _schema(options: argparse.Namespace) -> int:
    from torch_errors.catalog import json_schema

    print(json.dumps(json_schema(), indent=2))
    return 0


def _bench(options: argparse.Namespace) -> int:
    from torch_errors.bench import benchmark
    from torch_errors.catalog import load_catalog

    result = benchmark(list(load_catalog()), options.workers)
    print(f"{result.entries} entries, {result.scripts} scripts")
    print(f"forked from one process   {result.fork_s:6.2f} s")
    print(f"an interpreter a script   {result.fresh_s:6.2f} s   {result.ratio:.1f} times as long")
    print(
        f"scripts and one import    {result.limit_s:6.2f} s   the forked run takes {result.over_limit:.2f} times that"
    )
    print(json.dumps(dataclasses.asdict(result)))
    return 0


def _chosen(catalog: Catalog, names: Sequence[str]) -> tuple[list[Entry], list[Path]]:
    """The entries and the other pages that are named; all of them where none is."""
    from torch_errors.documents import document, find_documents

    if not names:
        return list(catalog), find_documents(catalog)
    names = list(dict.fromkeys(names))
    entries = [_entry(catalog, name) for name in names if not name.endswith(".md")]
    return (
        list({entry.id: entry for entry in entries}.values()),  # under its old and its new name it is one
        [document(catalog, name) for name in names if name.endswith(".md")],
    )


def _entry(catalog: Catalog, id: str) -> Entry:
    """The entry that a user named, perhaps by what it was called."""
    entry = catalog.entry(id)
    if id != entry.id:
        now = f"{entry.category}/{entry.id}" if "/" in id else entry.id
        print(f"torch-errors: {id} is now called {now}", file=sys.stderr)
    return entry


def _console() -> Console:
    """Standard output for tables and pages."""
    from rich.console import Console

    class Output(Console):
        def on_broken_pipe(self) -> None:
            """Rich would end the program with status 1; `main` knows better."""
            raise BrokenPipeError

    return Output()


@contextmanager
def _progress(what: str, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, shown only on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, quiet=quiet)
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, all: bar.update(task, completed=done, total=all)
