"""Pages at the former addresses of entries and other pages; they redirect to the current address."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import Any

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.locate import ENTRIES_FOLDER, SNIPPETS, WORKFLOWS
from torch_errors.languages import Texts
from torch_errors.prompting.template import FOLDER
from website.dialects import Dialect

# Former addresses of pages other than entries -> sources of the pages that replace them.
FORMER_PAGES = {
    f"{SNIPPETS}/which-finds-what": f"{WORKFLOWS}/watch-a-run.md",
    "prompt": f"{FOLDER}/README.md",
}


@dataclass(frozen=True)
class Moved:
    """A former address of a page, and the page to which it redirects."""

    address: str
    new: str  # current address of the page
    leads_to: str  # source of the page
    name: str  # name of the page, as the text of the link
    title: str  # title of the page
    texts: Texts

    @property
    def source(self) -> str:
        """Name of the redirecting page among the files of the repository. There is no such file."""
        return f"moved/{self.address}.md"

    @property
    def target(self) -> str:
        """Relative address of the new page from the former one."""
        return posixpath.relpath(self.new, self.address) + "/"


def of_entry(address: str, entry: Entry) -> Moved:
    """Return the redirect from a former address of an entry, `category/id`."""
    name = f"{entry.category}/{entry.id}"
    return Moved(address, name, f"{ENTRIES_FOLDER}/{name}/README.md", name, entry.title, entry.texts)


def of_page(address: str, source: str, title: str, texts: Texts) -> Moved:
    """Return the redirect from a former address to the page made from `source`."""
    return Moved(address, source.removesuffix(".md").removesuffix("/README"), source, title, title, texts)


def page(moved: Moved, dialect: Dialect) -> str:
    """Return the Markdown of the page. On the site its link has an id, by which `docs/assets/redirect.js` finds it."""
    path = posixpath.relpath(moved.leads_to, posixpath.dirname(moved.source))
    link = f"[{moved.name}]({path}){dialect.on_site('{ #moved }')}"
    return f"# {moved.title}\n\n{moved.texts.word('This page has moved to {link}.', link=link)}\n"


def metadata(moved: Moved) -> dict[str, Any]:
    """Return the front matter of the page: its template, which redirects, and its exclusion from the search."""
    return {"template": "redirect.html", "moved_to": moved.target, "search": {"exclude": True}, "hide": ["toc"]}
