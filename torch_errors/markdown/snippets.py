"""The snippets of `debug-templates/snippets/`: Python files to copy, each with its page as its docstring."""

from __future__ import annotations

import ast
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from torch_errors.errors import UserError
from torch_errors.languages import ENGLISH, in_language, split_front_matter
from torch_errors.reading import read_text


@dataclass(frozen=True)
class Snippet:
    """A Python file to copy, and the page that is its docstring or the docstring's translation."""

    path: Path
    source: str
    title: str
    statement: str  # first line of the docstring
    text: str  # rest of the docstring, as Markdown

    @property
    def markdown(self) -> str:
        """The whole page."""
        return "\n\n".join(part for part in (f"# {self.title}", self.statement, self.text.strip("\n")) if part) + "\n"


def read_snippet(path: Path, language: str = ENGLISH) -> Snippet:
    """Read a snippet, with its page in `language` if it is translated.

    Raises UserError if the file has no docstring.
    """
    source = read_text(path, "it is a snippet of the guide")
    try:
        docstring = ast.get_docstring(ast.parse(source))
    except SyntaxError as error:
        raise UserError(f"{path}:{error.lineno}: is not Python: {error.msg}") from None
    if not docstring:
        raise UserError(f"{path}: needs a docstring that says what it prints; it is the text of its page")
    translated = in_language(path, language)
    if translated != path:
        return _translated(path, source, translated)
    statement, _, rest = docstring.partition("\n")
    title = path.stem.replace("_", " ").capitalize()
    return Snippet(path, source, title, statement, _with_examples_fenced(rest.strip("\n")))


def _translated(path: Path, source: str, page: Path) -> Snippet:
    text = split_front_matter(read_text(page, f"it is the translation of {path.name}"))[1]
    parts = re.fullmatch(r"\s*# (.+)\n\n(.+(?:\n.+)*)\n*((?:.|\n)*)", text)
    if not parts:
        raise UserError(f"{page}: needs a line `# Title`, and below it the statement")
    return Snippet(path, source, parts[1], parts[2], parts[3].rstrip("\n"))


def _with_examples_fenced(text: str) -> str:
    """Return the text with indented examples (`>>> …`) as fenced blocks, which the site highlights."""

    def fenced(match: re.Match[str]) -> str:
        return f"```pycon\n{textwrap.dedent(match[0]).strip()}\n```\n"

    return re.sub(r"(?m)^    >>> .*\n?(?:^(?:    .*)?\n?)*", fenced, text)
