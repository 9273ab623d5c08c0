"""Converts links of the repository to links of the site, of its translation, and of its copies in Markdown."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from urllib.parse import unquote

from torch_errors.languages import english_path
from torch_errors.markdown.parsing import parse_page
from website import commands


def with_site_links(text: str, source: str, published: Collection[str], root: Path) -> str:
    """Return the Markdown with links that work in the repository converted to links that work on the site.

    A link to a folder becomes a link to the folder's README.md, and a link to a section of README.md that is on the
    page of the commands leads there. A link to a file that the site does not publish (of the program or the tests)
    becomes plain text. Broken links are kept for MkDocs to report.
    """
    for _, link in parse_page(root / source, text).links:
        target, mark, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if not target or "://" in target:
            continue
        if path.endswith(".py") and f"{path.removesuffix('.py')}.md" in published:
            text = text.replace(f"]({link})", f"]({target.removesuffix('.py')}.md{mark}{anchor})")
            continue
        if path == commands.README and unquote(anchor) in commands.anchors(root):
            there = posixpath.join(posixpath.dirname(target), commands.SOURCE)
            for written in (anchor, unquote(anchor)):  # the parser percent-encodes characters beyond ASCII
                text = text.replace(f"]({target}#{written})", f"]({there}#{unquote(anchor)})")
        if path in published:
            continue
        if posixpath.join(path, "README.md") in published:
            text = text.replace(f"]({link})", f"]({posixpath.join(target, 'README.md')}{mark}{anchor})")
        elif (root / path).exists():
            text = re.sub(rf"\[([^\]]*)\]\({re.escape(link)}\)", r"\1", text)
    return text


def with_english_links(text: str, name: str, root: Path, language: str) -> str:
    """Replace links to translations with links to the English files, which have the translation's text on the site.

    A link keeps its part after `#`.
    """
    for _, target in parse_page(root / name, text).links:
        file, mark, anchor = target.partition("#")
        path = root / posixpath.normpath(posixpath.join(posixpath.dirname(name), file))
        english = english_path(path, language)
        if "://" not in file and english != path and english.is_file():
            link = f"{posixpath.join(posixpath.dirname(file), english.name)}{mark}{unquote(anchor)}"
            for written in (target, unquote(target)):  # the parser percent-encodes characters beyond ASCII
                text = text.replace(f"]({written})", f"]({link})")
    return text


def with_copy_links(line: str, source: str, place: str, places: Mapping[str, str]) -> str:
    """Return a line of the copy of `source` with its links adapted to the site.

    `place`: where the copy is on the site; `places`: where each published file of the repository is on the site.
    """

    def replaced(match: re.Match[str]) -> str:
        target, mark, anchor = match[1].partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if not target or path not in places:
            return match[0]
        return f"]({posixpath.relpath(places[path], posixpath.dirname(place) or '.')}{mark}{anchor})"

    return re.sub(r"\]\(([^()\s]+)\)", replaced, line)
