"""Pages at the addresses that entries and other pages had before; they lead to where their content is now."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import Any

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.locate import ENTRIES_FOLDER, SNIPPETS, WORKFLOWS
from torch_errors.languages import Texts
from torch_errors.prompting.template import FOLDER
from website.dialects import Dialect

# Addresses of pages that are no entries, and the sources of the pages that took their place.
FORMER_PAGES = {
    f"{SNIPPETS}/which-finds-what": f"{WORKFLOWS}/watch-a-run.md",
    "prompt": f"{FOLDER}/README.md",
}


@dataclass(frozen=True)
class Moved:
    """An address that a page had, and the page that it leads to: its address, its source, its name and its title."""

    address: str
    new: str
    leads_to: str
    name: str
    title: str
    texts: Texts

    @property
    def source(self) -> str:
        """A name for the page among the files of the repository. There is no such file."""
        return f"moved/{self.address}.md"

    @property
    def target(self) -> str:
        """Relative address of the new page from the former one."""
        return posixpath.relpath(self.new, self.address) + "/"


def of_entry(address: str, entry: Entry) -> Moved:
    """An address that an entry had, as `category/id`."""
    name = f"{entry.category}/{entry.id}"
    return Moved(address, name, f"{ENTRIES_FOLDER}/{name}/README.md", name, entry.title, entry.texts)


def of_page(address: str, source: str, title: str, texts: Texts) -> Moved:
    """An address that leads to the page made of `source`."""
    return Moved(address, source.removesuffix(".md").removesuffix("/README"), source, title, title, texts)


def page(moved: Moved, dialect: Dialect) -> str:
    """Markdown of the page. On the site its link has an id, by which `docs/assets/redirect.js` finds it."""
    path = posixpath.relpath(moved.leads_to, posixpath.dirname(moved.source))
    link = f"[{moved.name}]({path}){dialect.on_site('{ #moved }')}"
    return f"# {moved.title}\n\n{moved.texts.word('This page has moved to {link}.', link=link)}\n"


def metadata(moved: Moved) -> dict[str, Any]:
    """Front matter of the page: its template, which leads on, and that searches do not show it."""
    return {"template": "redirect.html", "moved_to": moved.target, "search": {"exclude": True}, "hide": ["toc"]}
