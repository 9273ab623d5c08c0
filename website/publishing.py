"""The files of the repository that the site publishes, and their places there. Nothing here depends on MkDocs."""

from __future__ import annotations

import posixpath
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from torch_errors.catalog.entries import Catalog, Category, Entry
from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER, SNIPPETS, TEMPLATES, WORKFLOWS
from torch_errors.errors import UserError
from torch_errors.languages import IN_ENGLISH, Texts, in_language
from torch_errors.markdown.parsing import parse_page
from torch_errors.markdown.snippets import Snippet, read_snippet
from website import all_errors, commands, moved, symptoms
from website.all_errors import AllErrors
from website.commands import Commands
from website.moved import Moved
from website.symptoms import AllSymptoms, Continued, OneSymptom

HOME = "README.md"
CONTRIBUTING, MAINTAINING, CHANGELOG = "CONTRIBUTING.md", "MAINTAINING.md", "CHANGELOG.md"
# Folders of Markdown beside the catalog, in the order of the navigation.
FOLDERS = {WORKFLOWS: "Workflows", TEMPLATES: "Templates"}
# Files that pages link to, published unchanged.
HANDED_OUT = ("LICENSE", CATALOG_FILE)

# The subject of a page.
Subject = (
    Entry | Category | Catalog | Snippet | AllErrors | Commands | AllSymptoms | OneSymptom | Continued | Moved | None
)


@dataclass(frozen=True)
class Published:
    """A file of the repository and its place on the site, both with `/`."""

    source: str  # path below the root of the repository
    destination: str | None = None  # path below the root of the site; None if MkDocs derives it from the source
    subject: Subject = None

    @property
    def is_page(self) -> bool:
        return self.source.endswith(".md")

    @property
    def place(self) -> str:
        """Path below the root of the site."""
        if self.destination is not None or not self.is_page:
            return self.destination or self.source
        folder, _, name = self.source.rpartition("/")
        return posixpath.join(folder, "" if name == "README.md" else name.removesuffix(".md"), "index.html")

    @property
    def made(self) -> bool:
        """Whether the page is generated, without a Markdown file."""
        return isinstance(self.subject, (Snippet, AllErrors, Commands, AllSymptoms, OneSymptom, Moved))


def require_files(catalog: Catalog) -> None:
    """Raise UserError with one line for each missing file that `catalog.yaml` requires."""
    needed = [(catalog.root / HOME, "it is the home page")]
    needed += [(catalog.page_of(category), "`torch-errors record` writes it") for category in catalog.categories]
    for entry in catalog:
        why = f"entry {entry.id} of {CATALOG_FILE} needs it"
        needed += [(entry.page, why), *((entry.script(variant), why) for variant in entry.variants)]
        if not entry.rare:
            written = f"`torch-errors record {entry.id}` writes it"
            needed += [(entry.recording(variant), written) for variant in entry.variants]
    for symptom in symptoms.shown(catalog):
        if symptom.workflow:
            why = f"symptom {symptom.id} of {CATALOG_FILE} names it as its workflow"
            needed.append((catalog.root / WORKFLOWS / f"{symptom.workflow}.md", why))
    missing = [f"{path}: missing; {why}" for path, why in needed if not path.is_file()]
    if missing:
        raise UserError("\n".join(missing))


def published(catalog: Catalog, texts: Texts = IN_ENGLISH) -> list[Published]:
    """Return everything that the site publishes."""
    found = [Published(HOME, subject=catalog), Published(CONTRIBUTING, "contributing/index.html")]
    found.append(Published(commands.SOURCE, subject=Commands()))
    others = ((MAINTAINING, "maintaining"), (CHANGELOG, "changelog"))
    found += [Published(name, f"{place}/index.html") for name, place in others if (catalog.root / name).is_file()]
    found += [Published(name) for name in HANDED_OUT]
    for folder in FOLDERS:
        found += [Published(path, subject=_continued(catalog, path)) for path in _files_below(catalog.root, folder)]
    for path in sorted((catalog.root / SNIPPETS).glob("*.py")):
        found.append(Published(f"{SNIPPETS}/{path.stem}.md", subject=read_snippet(path, texts.language)))
    found.append(Published(all_errors.SOURCE, f"{all_errors.FOLDER}/index.html", AllErrors(catalog)))
    seen = symptoms.shown(catalog)
    found += [Published(symptoms.INDEX, subject=AllSymptoms(catalog))] if seen else []
    found += [Published(symptoms.source(symptom), subject=OneSymptom(catalog, symptom)) for symptom in seen]
    found = [item for item in found if item.made or (catalog.root / item.source).is_file()]
    for category in catalog.categories:
        found.append(Published(category_source(category.id), f"{category.id}/index.html", category))
        for entry in category.entries:
            below = f"{category.id}/{entry.id}"
            found.append(Published(entry_source(entry), f"{below}/index.html", entry))
            files = [path(variant) for variant in entry.variants for path in (entry.script, entry.recording)]
            there = [path for path in files if path.is_file()]
            found += [Published(path.relative_to(catalog.root).as_posix(), f"{below}/{path.name}") for path in there]
    return found + _moved(catalog, {item.place for item in found}) + _moved_pages(catalog.root, texts)


def _continued(catalog: Catalog, path: str) -> Continued | None:
    """Return the symptoms whose pages lead to this workflow, or None if there are none."""
    leading = tuple(symptom for symptom in symptoms.shown(catalog) if path == f"{WORKFLOWS}/{symptom.workflow}.md")
    return Continued(leading) if leading else None


def _moved(catalog: Catalog, taken: Collection[str]) -> list[Published]:
    """Return the redirects from former addresses of entries. Raises UserError if there is a page at such an address."""
    found = []
    for entry in catalog:
        for address in entry.former_addresses:
            subject = moved.of_entry(address, entry)
            found.append(Published(subject.source, f"{address}/index.html", subject))
            if found[-1].place in taken:
                raise UserError(
                    f"{catalog.root / CATALOG_FILE}: entry {entry.id}, field formerly: the site has another page at "
                    f"{address}; leave it out"
                )
    return found


def _moved_pages(root: Path, texts: Texts) -> list[Published]:
    """Return the redirects from former addresses of other pages."""
    found = []
    for address, source in moved.FORMER_PAGES.items():
        if (root / source).is_file():
            title = parse_page(in_language(root / source, texts.language)).headings[0][1]
            subject = moved.of_page(address, source, title, texts)
            found.append(Published(subject.source, f"{address}/index.html", subject))
    return found


def _files_below(root: Path, folder: str) -> list[str]:
    """Return the files of a folder that the site publishes, each README.md before the others of its folder."""
    paths = [path.relative_to(root) for path in (root / folder).rglob("*") if path.is_file()]
    shown = [
        path
        for path in paths
        if not path.name.endswith(".zh.md") and not any(part.startswith((".", "__")) for part in path.parts)
    ]
    return [path.as_posix() for path in sorted(shown, key=lambda p: (p.parent, p.name != "README.md", p.name))]


def category_source(category: str) -> str:
    return f"{ENTRIES_FOLDER}/{category}/README.md"


def entry_source(entry: Entry) -> str:
    return f"{ENTRIES_FOLDER}/{entry.category}/{entry.id}/README.md"
