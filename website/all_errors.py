"""The page of all errors: a table with a row for each entry, which `docs/assets/all-errors.js` filters."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from torch_errors.catalog.entries import Catalog, Category, Entry
from torch_errors.catalog.fields import ExceptionEntry, WarningEntry
from torch_errors.catalog.locate import ENTRIES_FOLDER
from torch_errors.languages import IN_ENGLISH, Texts
from website import entries
from website.markup import cell, code_span, inline_html, plain

# A name beside README.md under which other pages link to it. There is no such file.
SOURCE = "errors.md"
# Its folder on the site. The scripts of the site know it, too.
FOLDER = "errors"


@dataclass(frozen=True)
class AllErrors:
    """What the page is about."""

    catalog: Catalog


def page(catalog: Catalog, texts: Texts = IN_ENGLISH) -> str:
    """Markdown of the page. The table is whole: without JavaScript only the filters are missing.

    The script finds what it filters by in attributes of each row: `data-category`, `data-kind`, `data-needs` (what the
    entry requires, separated by spaces) and `data-words` (what is searched and not shown).
    """
    head = _html_row([_html_cell("columnheader", escape(name)) for name in _columns(texts)])
    rows = [_row(category, entry) for category in catalog.categories for entry in category.entries]
    table = [
        '<table class="all-errors" id="error-table" role="table">',
        f'<thead role="rowgroup">{head}</thead>',
        '<tbody role="rowgroup">',
        *rows,
        "</tbody>",
        "</table>",
    ]
    return "\n\n".join(
        [
            f"# {texts.word('All errors')}",
            _introduction(catalog, texts),
            '<div class="error-filters" id="error-filters"></div>',
            "\n".join(table),
            '<script type="module" src="../assets/all-errors.js"></script>',
        ]
    )


def as_markdown(catalog: Catalog, texts: Texts = IN_ENGLISH) -> str:
    """The page as plain Markdown. Links lead to the files of the repository, as on its other pages."""
    rows = []
    for category in catalog.categories:
        for entry in category.entries:
            folder = f"{ENTRIES_FOLDER}/{category.id}"
            rows.append(
                [
                    f"[{entry.title}]({folder}/{entry.id}/README.md)",
                    entries.seen(entry, code_span, str),
                    f"[{category.title}]({folder}/README.md)",
                    entries.kind_word(entry),
                    _hardware(entry),
                ]
            )
    table = [_columns(texts), ["---"] * 5, *([cell(text) for text in row] for row in rows)]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in table)
    return f"# {texts.word('All errors')}\n\n{_introduction(catalog, texts)}\n\n{lines}\n"


def _introduction(catalog: Catalog, texts: Texts) -> str:
    return texts.word("All {count} entries of the catalog, by category.", count=len(catalog))


def _columns(texts: Texts) -> list[str]:
    return [
        texts.word("Entry"),
        texts.word("You see"),
        texts.word("Category"),
        texts.word("Kind"),
        texts.word("Hardware"),
    ]


def _row(category: Category, entry: Entry) -> str:
    """The row as HTML. The page lies in a folder of its own, so that other pages are one level up."""
    cells = [
        _html_cell("rowheader", f'<a href="../{category.id}/{entry.id}/">{inline_html(entry.title)}</a>'),
        _html_cell("cell", entries.seen(entry, _code, inline_html)),
        _html_cell("cell", f'<a href="../{category.id}/">{inline_html(category.title)}</a>'),
        _html_cell("cell", escape(entries.kind_word(entry))),
        _html_cell("cell", escape(_hardware(entry))),
    ]
    return _html_row(cells, category=category.id, kind=entry.kind, needs=" ".join(entry.requires), words=_words(entry))


def _html_row(cells: list[str], **data: str) -> str:
    attributes = "".join(f' data-{name}="{escape(value)}"' for name, value in data.items())
    return f'<tr role="row"{attributes}>{"".join(cells)}</tr>'


def _html_cell(role: str, html: str) -> str:
    """A cell that says what it is: where the style shows rows as grids, some browsers forget that they are a table."""
    name, scope = {"columnheader": ("th", ' scope="col"'), "rowheader": ("th", ' scope="row"')}.get(role, ("td", ""))
    return f'<{name} role="{role}"{scope}>{html}</{name}>'


def _code(text: str) -> str:
    return f"<code>{escape(text)}</code>"


def _hardware(entry: Entry) -> str:
    return ", ".join(entries.need_words(entry)) or entry.texts.word("runs anywhere")


def _words(entry: Entry) -> str:
    """What an entry is found by and its row does not show."""
    names = [entry.id]
    if isinstance(entry.fields, ExceptionEntry):
        names.append(entry.fields.exception)
    elif isinstance(entry.fields, WarningEntry):
        names.append(entry.fields.warning)
    texts = [plain(entry.summary), *entry.fields.keywords, *entries.quoted_messages(entry)]
    return " ".join(" ".join([*names, *texts]).split())
