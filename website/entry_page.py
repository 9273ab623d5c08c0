"""The page of an entry: its README, with facts below the title, curves after the first section, and the scripts."""

from __future__ import annotations

from torch_errors.catalog.entries import Entry, marked_lines
from torch_errors.catalog.fields import SilentEntry, Variant
from torch_errors.errors import UserError
from torch_errors.markdown.parsing import parse_page
from torch_errors.reading import read_text
from website import entry_facts
from website.curves import Series, figure
from website.dialects import SITE, Dialect
from website.markup import literal, plain

_TABS: dict[Variant, str] = {"broken": "Broken", "fixed": "Fixed", "wrong_fix": "Wrong fix"}


def entry_page(entry: Entry, text: str, dialect: Dialect = SITE) -> str:
    """Return the page, given its README as `text`. Raises UserError if the README does not start with a title.

    The smallest fix is added below the statement, so that a reader on a phone sees it without scrolling.
    """
    title, _, rest = text.lstrip("\n").partition("\n")
    if not title.startswith("# "):
        raise UserError(f"{entry.page}: must begin with a line `# Title`")
    statement, mark, sections = rest.strip("\n").partition("\n## ")
    seen, others = _first_section(entry, (mark + sections).strip("\n"))
    curves = "" if dialect.plain else _curves(entry)
    parts = [title, _facts(entry, dialect), statement.strip("\n"), _smallest_fix(entry, dialect), seen, curves, others]
    parts.append(_scripts(entry, dialect))
    return "\n\n".join(part for part in parts if part) + "\n"


def _first_section(entry: Entry, text: str) -> tuple[str, str]:
    """Split the text at its second heading of second level."""
    page = parse_page(entry.page, text)
    starts = [line for (level, _), line in zip(page.headings, page.heading_lines, strict=True) if level == 2]
    lines = text.split("\n")
    end = starts[1] - 1 if len(starts) > 1 else len(lines)
    return "\n".join(lines[:end]).strip("\n"), "\n".join(lines[end:]).strip("\n")


def _facts(entry: Entry, dialect: Dialect) -> str:
    """Return kind, category, requirements, and where the scripts were verified; on the site as badges."""
    kind, *others = entry_facts.kind_word(entry), *entry_facts.need_words(entry), entry_facts.verified_words(entry)
    category = f"[{plain(entry.category_title)}](../README.md)"
    if dialect.plain:
        return " · ".join([kind, category, *others])
    copy = f'<a class="badge" href="index.md">{entry.texts.word("as Markdown")}</a>'
    badges = [_badge(kind), f"{category}{{ .badge }}", *map(_badge, others), copy]
    return "\n".join([*badges, "{: .badges data-search-exclude }"])


def _badge(text: str) -> str:
    return f'<span class="badge">{literal(text)}</span>'


def _smallest_fix(entry: Entry, dialect: Dialect) -> str:
    if entry.fields.fix is None:
        return ""
    before, _, after = entry.texts.word("Smallest fix: {fix}", fix="\0").partition("\0")
    label = before if dialect.plain else f"<strong>{before}</strong>"
    return f"{label}{entry.fields.fix}{after}" + dialect.on_site("\n{: .smallest-fix data-search-exclude }")


def _curves(entry: Entry) -> str:
    if not isinstance(entry.fields, SilentEntry) or not entry.fields.curve:
        return ""
    curve = entry.fields.curve
    series = []
    for variant in ("broken", "fixed"):
        recording = entry_facts.recording(entry, variant)
        if recording is None:
            return f"{_not_recorded(entry).capitalize()}\n{{: .environment }}"
        for name in curve.y:
            points = recording.series(name, curve.x)
            if not points:
                raise UserError(f"{entry.recording(variant)}: no line with {curve.x}= and {name}=, as `curve` promises")
            series.append(Series(variant, name, points))
    return figure(series, curve.x, log=curve.log, texts=entry.texts)


def _scripts(entry: Entry, dialect: Dialect) -> str:
    """Return the tabs with the scripts. The search leaves them out: they are long and add no relevant words."""
    word = entry.texts.word
    parts = [f"## {word('Scripts')}" + dialect.on_site(" { #scripts data-search-exclude }")]
    for variant in entry.variants:
        path = entry.script(variant)
        source = read_text(path, f"the entry {entry.id} needs it")
        marked = " ".join(str(line) for line in marked_lines(source))
        label = path.name if dialect.plain else word(_TABS[variant])
        parts.append(dialect.tab(label, dialect.file(path, source, entry.texts, marked)))
    parts.append(dialect.tab(word("Diff"), dialect.fence(entry.diff(), "diff")))
    output = "\n\n".join(_output(entry, variant, dialect) for variant in entry.variants)
    return "\n\n".join([*parts, dialect.tab(word("Output"), output)])


def _output(entry: Entry, variant: Variant, dialect: Dialect) -> str:
    """Return the recording as in a terminal, with the exit status and the environment below it."""
    recording, word = entry_facts.recording(entry, variant), entry.texts.word
    if recording is None:
        return f"`python {variant}.py`: {_not_recorded(entry)}" + dialect.on_site("\n{: .environment }")
    shown = dialect.fence(f"$ python {recording.script}\n{recording.body}", "text")
    made = word("exit status {status}, {environment}", status=recording.status, environment=recording.environment)
    return f"{shown}\n\n{made if dialect.plain else literal(made)}" + dialect.on_site("\n{: .environment }")


def _not_recorded(entry: Entry) -> str:
    return entry.texts.word("{what}.", what=entry.texts.word(entry_facts.NOT_RECORDED))
