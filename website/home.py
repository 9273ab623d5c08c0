"""The home page: the paste box, what README.md says, and an overview of everything else."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.locate import ENTRIES_FOLDER, SNIPPETS, TEMPLATES, WORKFLOWS
from torch_errors.languages import IN_ENGLISH, Texts, in_language
from torch_errors.markdown.parsing import Page, page_links, parse_page
from website import all_errors, prompting, symptoms
from website.dialects import SITE, Dialect
from website.markup import table

PROMPTS = f"{TEMPLATES}/prompts"
AGENT = f"{TEMPLATES}/agent"


WITHOUT_SCRIPT = (
    "The paste box and search need JavaScript, which is disabled. Use the tables below or the command line, which "
    "gives the same answers: {command}"
)

_PICTURE = re.compile(
    r'<picture>\n<source media="\(prefers-color-scheme: dark\)" srcset="website/docs/(?P<dark>[^"]+)">\n'
    r'<img alt="(?P<alt>[^"]+)" src="website/docs/(?P<light>[^"]+)"[^>]*>\n</picture>'
)


def home_page(catalog: Catalog, readme: str, texts: Texts = IN_ENGLISH, dialect: Dialect = SITE) -> str:
    """Markdown of the home page; its copy is without the box and its picture.

    `readme` is README.md with its links and fences prepared for the site. It stays whole: below its title stands the
    box, after its introduction the symptoms, for those who have nothing to paste, and after its first section, which is
    the table of the commonest messages, the overview.
    """
    readme = _PICTURE.sub("", readme) if dialect.plain else _with_own_pictures(readme)
    title, introduction, first, *others = _sections(readme)
    overview = [_categories(catalog, texts), _workflows(catalog.root, texts), _templates(catalog.root, texts)]
    box, seen = dialect.on_site(_box(catalog.root, texts)), _symptoms(catalog, texts)
    parts = [title, box, introduction, seen, first, *overview, *others]
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def _with_own_pictures(readme: str) -> str:
    """GitHub follows the system's colors; here the reader chooses them, so the theme switches between two images.

    Lazy, so that the hidden one is not loaded, and the other only where a reader comes near it.
    """

    def images(found: re.Match[str]) -> str:
        return "\n".join(
            f"![{found['alt']}]({found[scheme]}#only-{scheme}){{ loading=lazy }}" for scheme in ("light", "dark")
        )

    return _PICTURE.sub(images, readme)


def _sections(readme: str) -> list[str]:
    """Title, introduction and sections; the latter two at least once, perhaps empty."""
    head, *sections = re.split(r"(?m)^(?=## )", readme.lstrip("\n"))
    title, _, introduction = head.partition("\n")
    return [title, introduction, *(sections or [""])]


def _box(root: Path, texts: Texts) -> str:
    """The place of the box, and what to do without it. The script is a file: the site runs no script inside a page."""
    without = texts.word(WITHOUT_SCRIPT, command="<code>torch-errors explain error.txt</code>")
    prompts = " data-prompts" if prompting.exists(root) else ""
    return (
        f'<div class="paste-box" id="paste-box" data-search-exclude{prompts}></div>\n'
        f'<noscript><p class="paste-box-off">{without}</p></noscript>\n'
        '<script type="module" src="assets/paste-box.js"></script>'
    )


def _symptoms(catalog: Catalog, texts: Texts) -> str:
    """Where those go who have nothing to paste."""
    seen = [_link(one.title, symptoms.source(one)) for one in symptoms.shown(catalog)]
    if not seen:
        return ""
    watch = _link(texts.word("watch a run"), symptoms.WATCH)
    title = _link(texts.word(symptoms.TITLE), symptoms.INDEX)
    return texts.word("**{title}** Let the guide {watch}, or start from what you see:", title=title, watch=watch) + (
        "\n\n" + " · ".join(seen)
    )


def _categories(catalog: Catalog, texts: Texts) -> str:
    rows = [
        [_link(one.title, f"{ENTRIES_FOLDER}/{one.id}/README.md"), str(len(one.entries)), one.summary]
        for one in catalog.categories
    ]
    heading = _link(texts.word("All errors"), all_errors.SOURCE)
    return _section(heading, [texts.word("Category"), texts.word("Entries"), texts.word("What it is about")], rows)


def _workflows(root: Path, texts: Texts) -> str:
    """The pages of the folder, in the order in which its README.md links to them."""
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
    """The folders of templates, with how many files each holds for copying."""
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
    """Not an index, a translation or part of a package."""
    return path.stem != "README" and not path.name.startswith("_") and not path.name.endswith(".zh.md")


def title_of(page: Page) -> str:
    """The heading of first level, or the name of the file."""
    return next((text for level, text in page.headings if level == 1), page.path.stem)


def statement_of(page: Page) -> str:
    """First paragraph, without links: they would lead elsewhere from here."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", page.statement)


def _link(text: str, target: str) -> str:
    return f"[{text}]({target})"


def _section(heading: str, columns: list[str], rows: list[list[str]]) -> str:
    if not rows:
        return ""
    return f"## {heading}\n\n{table(columns, rows)}"
