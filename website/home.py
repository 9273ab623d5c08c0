"""The home page: what the guide is, the paste box, and ways to all other pages."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.locate import ENTRIES_FOLDER, SNIPPETS, TEMPLATES, WORKFLOWS
from torch_errors.languages import IN_ENGLISH, Texts, in_language
from torch_errors.markdown.parsing import Page, page_links, parse_page
from website import all_errors, prompting, symptoms
from website.commands import sections
from website.dialects import SITE, Dialect
from website.markup import table

PROMPTS = f"{TEMPLATES}/prompts"
AGENT = f"{TEMPLATES}/agent"


# Shown where the script of the box has not arrived after a second.
WAITING = (
    "The paste box is loading. If this page was opened from a file, it and the search cannot work: start "
    "<code>python -m http.server</code> in the folder of the site, and open the address that it prints."
)
WITHOUT_SCRIPT = (
    "The paste box and search need JavaScript, which is disabled. Use the tables below or the command line, which "
    "gives the same answers: {command}"
)

# How many rows of the first table the home page shows: of those that begin with a message.
MOST_FREQUENT = 10


def home_page(catalog: Catalog, readme: str, texts: Texts = IN_ENGLISH, dialect: Dialect = SITE) -> str:
    """Return the Markdown of the home page; its copy as a file has neither the box nor curves.

    `readme`: README.md with links and fences prepared for the site. The page begins with what the guide is and the box.
    Then follow the curves and symptoms, for readers who have nothing to paste, the most frequent messages of the first
    section, and the overview of all other pages. website/commands.py has the rest of README.md.
    """
    title, introduction, first, *_ = sections(readme)
    # What the page says of its translation; the sentence below it takes the place of the rest.
    notice = next(iter(re.findall(r'\A\s*((?:<div class="translation-notice"|> ).*)', introduction)), "")
    overview = [_categories(catalog, texts), _workflows(catalog.root, texts), _templates(catalog.root, texts)]
    box = dialect.on_site(_box(catalog.root, texts))
    curves = _curves(catalog, texts, dialect)
    parts = [
        title,
        notice,
        _promise(catalog, texts),
        box,
        curves,
        _symptoms(catalog, texts),
        _most_frequent(first),
        *overview,
    ]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _promise(catalog: Catalog, texts: Texts) -> str:
    """Return one sentence that says what the guide is, with the number of its entries."""
    text = "{count} PyTorch errors, each with a script that reproduces it, the fix, and an explanation."
    return texts.word(text, count=len(catalog)) if len(catalog) else ""


def _curves(catalog: Catalog, texts: Texts, dialect: Dialect) -> str:
    grid = dialect.on_site(symptoms.curve_grid(catalog, texts, ""))
    return f"## {texts.word(symptoms.CURVES)}\n\n{grid}" if grid else ""


def _most_frequent(section: str) -> str:
    """Return the heading of a section and the rows of its table that begin with a message, at most MOST_FREQUENT."""
    heading, _, text = section.partition("\n")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    messages = [row for row in rows[2:] if row.startswith("| `")]
    return "\n".join([heading, "", *rows[:2], *messages[:MOST_FREQUENT]]) if messages else ""


def _box(root: Path, texts: Texts) -> str:
    """Return the place of the box, its script (a file, since the site allows no inline scripts), and a fallback."""
    without = texts.word(WITHOUT_SCRIPT, command="<code>torch-errors explain error.txt</code>")
    prompts = " data-prompts" if prompting.exists(root) else ""
    return (
        f'<div class="paste-box" id="paste-box" data-search-exclude{prompts}><p>{texts.word(WAITING)}</p></div>\n'
        f'<noscript><p class="paste-box-off">{without}</p></noscript>\n'
        '<script type="module" src="assets/paste-box.js"></script>'
    )


def _symptoms(catalog: Catalog, texts: Texts) -> str:
    """Return links to the symptoms, for readers who have no message to paste."""
    links = [_link(symptom.title, symptoms.source(symptom)) for symptom in symptoms.shown(catalog)]
    if not links:
        return ""
    watch = _link(texts.word("watch a run"), symptoms.WATCH)
    title = _link(texts.word(symptoms.TITLE), symptoms.INDEX)
    return texts.word("**{title}** Let the guide {watch}, or start from what you see:", title=title, watch=watch) + (
        "\n\n" + " · ".join(links)
    )


def _categories(catalog: Catalog, texts: Texts) -> str:
    rows = [
        [
            _link(category.title, f"{ENTRIES_FOLDER}/{category.id}/README.md"),
            str(len(category.entries)),
            category.summary,
        ]
        for category in catalog.categories
    ]
    heading = _link(texts.word("All errors"), all_errors.SOURCE)
    return _section(heading, [texts.word("Category"), texts.word("Entries"), texts.word("What it is about")], rows)


def _workflows(root: Path, texts: Texts) -> str:
    """Return a table of the workflows, in the order in which their README.md links to them."""
    readme = root / WORKFLOWS / "README.md"
    if not readme.is_file():
        return ""
    names = dict.fromkeys(posixpath.normpath(target.partition("#")[0]) for _, target in page_links(parse_page(readme)))
    pages = {
        name: parse_page(in_language(root / WORKFLOWS / name, texts.language))
        for name in names
        if _is_page(root / WORKFLOWS, name)
    }
    rows = [[_link(title_of(page), f"{WORKFLOWS}/{name}"), statement_of(page)] for name, page in pages.items()]
    heading = _link(texts.word("Workflows"), f"{WORKFLOWS}/README.md")
    return _section(heading, [texts.word("Workflow"), texts.word("What it is about")], rows)


def _templates(root: Path, texts: Texts) -> str:
    """Return a table of the folders of templates, with the number of files to copy in each."""
    rows = []
    for folder, suffix in ((PROMPTS, ".md"), (SNIPPETS, ".py"), (AGENT, ".md")):
        readme = root / folder / "README.md"
        if readme.is_file():
            page = parse_page(in_language(readme, texts.language))
            files = [path for path in (root / folder).glob(f"*{suffix}") if _is_content(path)]
            rows.append([_link(title_of(page), f"{folder}/README.md"), str(len(files)), statement_of(page)])
    if not rows:
        return ""
    readme = root / TEMPLATES / "README.md"
    title = texts.word("Templates")
    heading = _link(title, f"{TEMPLATES}/README.md") if readme.is_file() else title
    return _section(heading, [texts.word("Template"), texts.word("Files"), texts.word("What it is about")], rows)


def _is_page(folder: Path, name: str) -> bool:
    path = folder / name
    return path.parent == folder and path.is_file() and path.suffix == ".md" and _is_content(path)


def _is_content(path: Path) -> bool:
    """Whether a file is neither an index nor a translation nor private to a package."""
    return path.stem != "README" and not path.name.startswith("_") and not path.name.endswith(".zh.md")


def title_of(page: Page) -> str:
    """Return the first-level heading of a page, or the name of its file if it has none."""
    return next((text for level, text in page.headings if level == 1), page.path.stem)


def statement_of(page: Page) -> str:
    """Return the first paragraph of a page without its links, which are relative to that page."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", page.statement)


def _link(text: str, target: str) -> str:
    return f"[{text}]({target})"


def _section(heading: str, columns: list[str], rows: list[list[str]]) -> str:
    if not rows:
        return ""
    return f"## {heading}\n\n{table(columns, rows)}"
