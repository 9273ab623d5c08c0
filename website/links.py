"""Links of the repository as links of the site, of its translation, and of its copies in Markdown."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from urllib.parse import unquote

from torch_errors.languages import english_path
from torch_errors.markdown.parsing import parse_page


def with_site_links(text: str, source: str, published: Collection[str], root: Path) -> str:
    """The Markdown with links that work in the repository turned into links that work on the site.

    A link to a folder, which GitHub follows, leads to the folder's README.md. A link to what the repository holds and
    the site does not show (the program, the tests) becomes plain text. Links that lead nowhere stay, and MkDocs
    reports them.
    """
    for _, link in parse_page(root / source, text).links:
        target, mark, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if not target or "://" in target:
            continue
        if path.endswith(".py") and f"{path.removesuffix('.py')}.md" in published:
            text = text.replace(f"]({link})", f"]({target.removesuffix('.py')}.md{mark}{anchor})")
            continue
        if path in published:
            continue
        if posixpath.join(path, "README.md") in published:
            text = text.replace(f"]({link})", f"]({posixpath.join(target, 'README.md')}{mark}{anchor})")
        elif (root / path).exists():
            text = re.sub(rf"\[([^\]]*)\]\({re.escape(link)}\)", r"\1", text)
    return text


def with_english_links(text: str, name: str, root: Path, language: str) -> str:
    """Links to translations lead to the English files, which on the site have the translation's text.

    Where only the English page exists, a heading of it keeps its name.
    """
    for _, target in parse_page(root / name, text).links:
        file, mark, anchor = target.partition("#")
        path = root / posixpath.normpath(posixpath.join(posixpath.dirname(name), file))
        english = english_path(path, language)
        if "://" not in file and english != path and english.is_file():
            link = f"{posixpath.join(posixpath.dirname(file), english.name)}{mark}{unquote(anchor)}"
            for written in (target, unquote(target)):  # the parser encodes what is not ASCII
                text = text.replace(f"]({written})", f"]({link})")
    return text


def with_copy_links(line: str, source: str, place: str, places: Mapping[str, str]) -> str:
    """A line of the copy of `source`, which lies at `place`, with links to what lies at `places` on the site."""

    def replaced(found: re.Match[str]) -> str:
        target, mark, anchor = found[1].partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        if not target or path not in places:
            return found[0]
        return f"]({posixpath.relpath(places[path], posixpath.dirname(place) or '.')}{mark}{anchor})"

    return re.sub(r"\]\(([^()\s]+)\)", replaced, line)
