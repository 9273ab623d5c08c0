"""The page of an entry: its README, with facts below the title, curves after the first section, and the scripts."""

from __future__ import annotations

import re
from html import escape

from torch_errors.catalog.entries import Entry, marked_lines
from torch_errors.catalog.fields import SilentEntry, Variant
from torch_errors.catalog.locate import WORKFLOWS
from torch_errors.curves import figure
from torch_errors.errors import UserError
from torch_errors.explaining.explain import explain
from torch_errors.languages import in_language
from torch_errors.markdown.parsing import heading_anchors, parse_page
from torch_errors.reading import read_text
from website import commands, entry_facts, notebooks
from website.dialects import SITE, Dialect
from website.markup import code_span, literal, plain
from website.run_times import run_time_words

# Which page, and which section of it, says how to get the names of a function back after an error.
_TECHNIQUES, _NAMES = "techniques", "Names after an error"
# Here a confirmation asks about the installation, not for names of the program.
_WITHOUT_NAMES = "environment-setup"
_TABS: dict[Variant, str] = {"broken": "Broken", "fixed": "Fixed", "wrong_fix": "Wrong fix"}


def entry_page(entry: Entry, text: str, dialect: Dialect = SITE, notebooks_on_github: str = "") -> str:
    """Return the page, given its README as `text`. Raises UserError if the README does not start with a title.

    `notebooks_on_github`: see `notebooks.colab_address`; empty if the notebooks are not there. The smallest fix is
    added below the statement, so that a reader on a phone sees it without scrolling.
    """
    title, _, rest = text.lstrip("\n").partition("\n")
    if not title.startswith("# "):
        raise UserError(f"{entry.page}: must begin with a line `# Title`")
    statement, mark, sections = rest.strip("\n").partition("\n## ")
    seen, others = _first_section(entry, (mark + sections).strip("\n"))
    curves = "" if dialect.plain else _curves(entry)
    parts = [title, _facts(entry, dialect), statement.strip("\n"), _smallest_fix(entry, dialect), seen, curves]
    parts += [_shapes(entry, dialect), _running(entry, dialect, notebooks_on_github), others, _scripts(entry, dialect)]
    return "\n\n".join(part for part in parts if part) + "\n"


def with_way_to_names(entry: Entry, text: str) -> str:
    """Insert, above the confirmation of an exception, a link to how a function's names are found after its error."""
    fence = parse_page(entry.page, text).confirmation
    path = entry.root / WORKFLOWS / f"{_TECHNIQUES}.md"
    if fence is None or entry.kind != "exception" or entry.category == _WITHOUT_NAMES or not path.is_file():
        return text
    english, page = parse_page(path), parse_page(in_language(path, entry.texts.language))
    anchors = dict(zip([title for _, title in english.headings], heading_anchors(page), strict=True))
    link = f"../../../{WORKFLOWS}/{_TECHNIQUES}.md#{anchors[_NAMES]}"
    sentence = entry.texts.word(
        "If the error was raised inside a function, [get its names back first]({link}).", link=link
    )
    lines = text.split("\n")
    return "\n".join([*lines[: fence.first_line - 1], sentence, "", *lines[fence.first_line - 1 :]])


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


def _shapes(entry: Entry, dialect: Dialect) -> str:
    """Return the shapes of the recorded message, if its pattern declares a picture; a script draws them."""
    recording = entry_facts.recording(entry, "broken")
    if recording is None or not any(pattern.picture for pattern in getattr(entry.fields, "patterns", ())):
        return ""
    found = explain(recording.body, entry.root, entry.texts.language)
    picture = next((match.picture for match in found if match.id == entry.id), None)
    if not picture:
        return ""
    word, plain_text = entry.texts.word, picture.replace("*", "")
    if dialect.plain:
        return word("Shapes: {shapes}", shapes=code_span(plain_text))
    marked = ", ".join(re.findall(r"\*(-?\d+|\?)\*", picture))
    values = {
        "shapes": picture,
        "title": word("Shapes: {shapes}", shapes=plain_text),
        "marked": word("Sizes that do not fit: {sizes}", sizes=marked),
    }
    data = " ".join(f'data-{name}="{literal(value)}"' for name, value in values.items())
    text = re.sub(r"\*(.+?)\*", r"<b>\1</b>", escape(picture))
    script = '<script type="module" src="../../assets/shapes.js"></script>'
    return f"<p {data} data-search-exclude><code>{text}</code></p>\n{script}"


def _running(entry: Entry, dialect: Dialect, notebooks_on_github: str) -> str:
    """Return the command that runs both scripts, what it needs, how long, and the notebook."""
    word, command = entry.texts.word, f"torch-errors compare {entry.id}"
    needs = ", ".join([*(entry_facts.need_words(entry) or [word("needs no GPU")]), *run_time_words(entry)])
    if dialect.plain:
        return f"{word('Run it: ')}`{command}` ({needs})"
    setup = f'<a href="../../{commands.SOURCE.removesuffix(".md")}/">{word("installation")}</a>'
    facts = [setup, literal(needs), f'<a href="{entry.id}.ipynb" download>{word("notebook")}</a>']
    colab = notebooks.colab_address(entry, notebooks_on_github)
    facts += [f'<a href="{colab}">{word("open in Colab")}</a>'] if colab else []
    button = f'<button type="button" class="copy" data-clipboard-text="{command}">{word("Copy")}</button>'
    shown = f"<strong>{word('Run it: ')}</strong><code>{command}</code> {button} <span>{' · '.join(facts)}</span>"
    return f'<p class="run-it" data-search-exclude>{shown}</p>'


def _curves(entry: Entry) -> str:
    if not isinstance(entry.fields, SilentEntry) or not entry.fields.curve:
        return ""
    curve = entry.fields.curve
    series = entry_facts.recorded_series(entry, curve.x, curve.y)
    if not series:
        return f"{_not_recorded(entry).capitalize()}\n{{: .environment }}"
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
