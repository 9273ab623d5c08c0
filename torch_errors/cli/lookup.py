"""Commands that look up errors: explain, show, list, prompt, mcp."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from torch_errors.cli.terminal import add_language, named_entry, output, paged
from torch_errors.errors import UserError
from torch_errors.languages import in_language

if TYPE_CHECKING:
    from torch_errors.catalog.entries import Entry

# From this width on, in columns, a list has the titles beside the ids.
WIDE = 100
EMPTY = "there is nothing to explain: pass the whole output of the program, a message, or what you see"
# One word with a dot or a slash, of characters that names of files have.
_FILE_NAME = re.compile(r"(?=.*[./\\])[\w./\\~:+@-]+", re.ASCII)


def add_commands(add: Callable[..., argparse.ArgumentParser]) -> None:
    """Declare the commands; `add(name, command, help)` returns the parser of a new command."""
    sub = add("explain", _explain, "explain an error, or a description of what goes wrong")
    sub.add_argument(
        "what",
        metavar="FILE or TEXT",
        nargs="*",
        default=["-"],
        help="file with the error, the error or a description itself, - for standard input",
    )
    sub.add_argument("--all", action="store_true", help="if there are several errors, explain each in full")
    sub.add_argument("--json", action="store_true", help="as JSON")
    add_language(sub)

    sub = add("show", _show, "show the page of an entry, or a workflow, in the terminal")
    sub.add_argument("id", metavar="ID")
    add_language(sub)

    sub = add("list", _list, "list the entries of the catalog")
    sub.add_argument("--category", metavar="C", help="only this category")
    sub.add_argument("--json", action="store_true", help="as JSON")
    add_language(sub)

    sub = add("prompt", _prompt, "print a prompt for a language model with its blanks filled")
    sub.add_argument("name", metavar="NAME", nargs="?", help="which prompt (default: list them)")
    sub.add_argument("--traceback", metavar="FILE", help="file with the error, - for standard input")
    sub.add_argument("--code", metavar="FILE", help="code to quote (default: around the failing line)")
    sub.add_argument("--lines", metavar="A-B", type=_line_range, help="only these lines of the code")
    sub.add_argument("--no-redact", dest="redact", action="store_false", help="keep names, paths and secrets")
    add_language(sub)

    sub = add("mcp", _mcp, "serve the guide to assistants: the Model Context Protocol, over standard input and output")


def _line_range(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a range of lines such as 10-25")
    return int(first), int(last or first)


def _explain(options: argparse.Namespace) -> int:
    from torch_errors.catalog.locate import find_root
    from torch_errors.doctor.answer import diagnosis_json, diagnosis_text
    from torch_errors.doctor.diagnosis import beside
    from torch_errors.explaining import answer
    from torch_errors.explaining.compiled import interface
    from torch_errors.explaining.explain import explain
    from torch_errors.explaining.guess import nearest
    from torch_errors.logs.answer import log_json, log_text
    from torch_errors.logs.rules import read_log
    from torch_errors.paste.facts import facts

    root = find_root()
    texts = interface(root, options.lang)
    text = _given(" ".join(options.what))
    if not text.strip():
        print(f"torch-errors: {texts.word(EMPTY)}", file=sys.stderr)
        return 2
    matches = explain(text, root, options.lang)
    diagnosis = beside(text, matches, options.lang, root)
    log = read_log(text, options.lang)
    if matches and log and not log.findings:
        log = None  # the error is the answer
    near = None if matches else nearest(text, root, options.lang)
    if options.json:
        answers = {
            "matches": [answer.match_json(match) for match in matches],
            **answer.nearest_json(near),
            "facts": answer.facts_json(facts(text)),
            "report": diagnosis and diagnosis_json(diagnosis),
            "log": log and log_json(log, root, options.lang),
        }
        print(json.dumps(answers, indent=2, ensure_ascii=False))
    else:
        parts = [answer.matches_text(matches, texts, options.all)] if matches else []
        if diagnosis and (diagnosis.findings or not matches):
            parts.append(diagnosis_text(diagnosis, texts))
        if near and not parts and not (log and (log.findings or not facts(text).exception)):
            parts.append(answer.unknown_text(facts(text), near, texts))
        if log:
            parts.append(log_text(log, root, texts))
        print(f"\n\n{answer.RULE}\n\n".join(parts))
    return 0 if matches or log or (diagnosis and diagnosis.findings) else 1


def _given(what: str) -> str:
    """Return the text of a file, or `what` itself where it is no file and does not look like the name of one."""
    path = Path(what)
    with suppress(OSError, ValueError):  # a long text is no name of a file
        if what == "-" or (what and path.exists()):
            return read_input(what)
    if not _FILE_NAME.fullmatch(what):
        return what
    near = get_close_matches(path.name, [one.name for one in _files(path.parent)], n=1)
    hint = f"did you mean {path.with_name(near[0])}?" if near else "put a message in quotes, or pass - to paste it"
    raise UserError(f"{what}: no such file; {hint}")


def _files(folder: Path) -> list[Path]:
    """Return the first files of a folder, or none where it cannot be read."""
    try:
        return [one for one in islice(folder.iterdir(), 10_000) if one.is_file()]
    except OSError:
        return []


def _prompt(options: argparse.Namespace) -> int:
    from torch_errors.catalog.locate import find_root
    from torch_errors.prompting.template import load_prompt, load_prompts

    root = find_root()
    if options.name is None:
        from rich.markup import escape
        from rich.table import Table

        table = Table(box=None, pad_edge=False, show_header=False)
        for prompt in load_prompts(root, options.lang).values():
            table.add_row(f"[bold]{prompt.name}[/bold]", escape(prompt.summary))
        output().print(table)
        return 0
    from torch_errors.prompting.compose import compose

    if options.lines and not options.code:
        raise UserError("--lines needs the file to take them from: --code FILE")
    composed = compose(
        load_prompt(options.name, root, options.lang),
        root,
        traceback=read_input(options.traceback) if options.traceback else None,
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
        kinds = ", ".join(f"{kind} ({count})" for kind, count in composed.redacted.most_common())
        notes.append(f"redacted: {kinds} (--no-redact keeps them); read the prompt again before you send it")
    for blank, count in composed.shortened.items():
        notes.append(f"{blank}: too long for a chat; {count} characters in the middle are left out")
    if composed.open_blanks:
        notes.append(f"left for you to fill in: {', '.join(composed.open_blanks)}")
    sys.stdout.flush()
    for note in notes:
        print(f"torch-errors: {note}", file=sys.stderr)
    return 0


def _mcp(options: argparse.Namespace) -> int:
    try:
        from torch_errors.mcp_server import server
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise UserError("mcp needs the SDK of the protocol: pip install 'torch-errors[mcp]'") from None
    made = server()
    if sys.stdin.isatty():
        print("Waiting for an assistant on standard input; it starts this command by itself.", file=sys.stderr)
    made.run()
    return 0


def read_input(name: str) -> str:
    """Return the text of a file or of standard input, with bytes that aren't UTF-8 replaced."""
    if name == "-":
        if sys.stdin.isatty():
            print("Paste the error, then press Ctrl-D (Windows: Ctrl-Z, Enter).", file=sys.stderr)
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    try:
        with open(name, "rb") as file:
            return file.read().decode("utf-8", "replace")
    except OSError as error:
        raise UserError(
            f"{name}: cannot be read ({error.strerror}); pass a file with the error, or - to paste it"
        ) from None


def _list(options: argparse.Namespace) -> int:
    from torch_errors.catalog.loading import load_catalog

    catalog = load_catalog().in_language(options.lang)
    categories = (catalog.category(options.category),) if options.category else catalog.categories
    if options.json:
        rows = [entry_json(entry) for category in categories for entry in category.entries]
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return 0
    if not sys.stdout.isatty():  # one line per entry, for grep
        for category in categories:
            for entry in category.entries:
                print(f"{entry.id:34} {entry.kind:9} {entry.title}  ({category.id})")
        return 0
    from rich.markup import escape
    from rich.padding import Padding
    from rich.table import Table

    console = output()
    wide = console.width >= WIDE
    table = Table(box=None, pad_edge=False, header_style="bold", show_header=wide)
    for name in ("id", "kind", "title") if wide else ("",):
        table.add_column(name, no_wrap=name in ("id", "kind"), overflow="fold")
    for category in categories:
        head = f"[bold]{escape(category.title)}[/bold]"
        table.add_row(head, *(["", f"[dim]{category.id}[/dim]"] if wide else []))
        for entry in category.entries:
            if wide:
                table.add_row(f"  {entry.id}", entry.kind, escape(entry.title))
            else:  # the title below the id
                table.add_row(f"  [cyan]{entry.id}[/cyan]  [dim]{entry.kind}[/dim]")
                table.add_row(Padding(escape(entry.title), (0, 0, 0, 4)))
    console.print(table)
    return 0


def entry_json(entry: Entry) -> dict[str, object]:
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

    from torch_errors.catalog.loading import load_catalog
    from torch_errors.markdown.parsing import plain_markdown
    from torch_errors.reading import read_text

    catalog = load_catalog().in_language(options.lang)
    console = output()
    if options.id in catalog.workflows and options.id not in catalog.by_id:
        text = read_text(in_language(catalog.workflows[options.id], options.lang), "it is a workflow of the guide")
        with paged(console):
            console.print(Markdown(plain_markdown(text)))
        return 0
    entry = named_entry(catalog, options.id)
    text = read_text(in_language(entry.page, options.lang), f"it is the page of {entry.id}")
    word = entry.texts.word
    with paged(console):
        if entry.fields.fix:
            fix = word("{label}: ", label=word("smallest fix")) + entry.fields.fix
            console.print(Markdown(fix), style="bold")
            console.print()
        console.print(Markdown(plain_markdown(text)))
        scripts = word("Scripts: {folder}", folder=entry.folder)
        console.print(f"\n{scripts}", style="dim", highlight=False, soft_wrap=True)
    return 0
