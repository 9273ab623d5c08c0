"""The navigation of the site: the order of its pages, and which pages link to the next one."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Any

from torch_errors.catalog.entries import Catalog, Category, Entry
from torch_errors.catalog.locate import SNIPPETS
from torch_errors.languages import IN_ENGLISH, Texts
from torch_errors.markdown.parsing import page_links, parse_page
from torch_errors.markdown.snippets import read_snippet
from website import all_errors, commands, symptoms
from website.markup import plain
from website.publishing import (
    CHANGELOG,
    CONTRIBUTING,
    FOLDERS,
    HOME,
    MAINTAINING,
    Published,
    category_source,
    entry_source,
)


def navigation(catalog: Catalog, texts: Texts = IN_ENGLISH) -> list[dict[str, Any]]:
    """Return the `nav` for MkDocs: categories and entries in the order of the catalog, then the other folders."""
    nav: list[dict[str, Any]] = [{texts.word("Home"): HOME}, {texts.word("All errors"): all_errors.SOURCE}]
    shown = symptoms.shown(catalog)
    if shown:
        of_symptoms = [{plain(symptom.title): symptoms.source(symptom)} for symptom in shown]
        nav.append({texts.word(symptoms.TITLE): [symptoms.INDEX, *of_symptoms]})
    for category in catalog.categories:
        below = [{plain(entry.title): entry_source(entry)} for entry in category.entries]
        nav.append({plain(category.title): [category_source(category.id), *below]})
    for folder, title in FOLDERS.items():
        section = _section(catalog.root, folder, texts)
        if section:
            nav.append({texts.word(title): section})
    nav.append({texts.word(commands.TITLE): commands.SOURCE})
    for title, name in (("Contributing", CONTRIBUTING), ("Maintaining", MAINTAINING), ("Changelog", CHANGELOG)):
        if (catalog.root / name).is_file():
            nav.append({texts.word(title): name})
    return nav


def _section(root: Path, folder: str, texts: Texts) -> list[Any]:
    """Return the pages and subfolders of a folder, in the order in which its README.md links to them."""
    readme = root / folder / "README.md"
    if not readme.is_file():
        return []
    items: dict[str, Any] = {}
    for _, target in page_links(parse_page(readme)):
        name = posixpath.normpath(target.partition("#")[0])
        if name.startswith("..") or "://" in target:
            continue
        path = root / folder / name
        below = f"{folder}/{name}"
        if path.name == "README.md" and path.parent.parent == root / folder:
            path, below = path.parent, posixpath.dirname(below)
        if path.is_dir() and path.parent == root / folder:
            items.setdefault(
                below, {texts.word(path.name.replace("-", " ").capitalize()): _section(root, below, texts)}
            )
        elif path.parent == root / folder and path.suffix == ".md" and path.is_file():
            items.setdefault(below, below)
        elif path.parent == root / SNIPPETS and folder == SNIPPETS and path.suffix == ".py" and path.is_file():
            items.setdefault(below, {read_snippet(path, texts.language).title: f"{folder}/{path.stem}.md"})
    return [f"{folder}/README.md", *items.values()]


def follows(item: Published, other: Published) -> bool:
    """Whether a page links to the adjacent page. Entries link only to pages of their own category."""
    if not isinstance(item.subject, Entry):
        return True
    beside = other.subject
    return (isinstance(beside, Entry) and beside.category == item.subject.category) or (
        isinstance(beside, Category) and beside.id == item.subject.category
    )
