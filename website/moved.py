"""Pages at the addresses that entries had before they were renamed; they lead to the entries."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from typing import Any

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.locate import ENTRIES_FOLDER
from website.dialects import Dialect


@dataclass(frozen=True)
class Moved:
    """An address that an entry had, as `category/id`."""

    address: str
    entry: Entry

    @property
    def source(self) -> str:
        """A name for the page among the files of the repository. There is no such file."""
        return f"moved/{self.address}.md"

    @property
    def target(self) -> str:
        """Relative address of the entry from the page."""
        return posixpath.relpath(f"{self.entry.category}/{self.entry.id}", self.address) + "/"


def page(moved: Moved, dialect: Dialect) -> str:
    """Markdown of the page. On the site its link has an id, by which `docs/assets/redirect.js` finds it."""
    entry = moved.entry
    target = f"../../{ENTRIES_FOLDER}/{entry.category}/{entry.id}/README.md"
    link = f"[{entry.category}/{entry.id}]({target}){dialect.on_site('{ #moved }')}"
    return f"# {entry.title}\n\n{entry.texts.word('This page has moved to {link}.', link=link)}\n"


def metadata(moved: Moved) -> dict[str, Any]:
    """Front matter of the page: its template, which leads on, and that searches do not show it."""
    return {"template": "redirect.html", "moved_to": moved.target, "search": {"exclude": True}, "hide": ["toc"]}
