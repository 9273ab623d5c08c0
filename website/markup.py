"""Escapes and formats texts for Markdown and HTML."""

from __future__ import annotations

import re
from html import escape

_CELL = re.compile(r"(?s)<t[dh]\b[^>]*>.*?</t[dh]>")
_CODE = re.compile(r"(?<=<code>)[^<]+(?=</code>)")
# Words of code, with the marks after which a line may break: `torch.nn.functional.cross_entropy`, `map_location="cpu"`.
_LONG_WORD = re.compile(r"[^\s]{12,}")
_AFTER_MARK = re.compile(r"(?<=[A-Za-z0-9])[._/=,(:-]+(?=[A-Za-z0-9_&])")


def literal(text: str) -> str:
    """Escape a text so that neither HTML, attributes included, nor Markdown interprets any of it."""
    return "".join(char if char.isalnum() or char == " " else f"&#{ord(char)};" for char in text)


def plain(text: str) -> str:
    """Return a title or summary of the catalog without its code marks."""
    return text.replace("`", "")


def inline_html(text: str) -> str:
    """Return a title or summary of the catalog as HTML."""
    parts = text.split("`")
    return "".join(f"<code>{escape(part)}</code>" if i % 2 else escape(part) for i, part in enumerate(parts))


def table(columns: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    cells = [columns, ["---"] * len(columns), *([text.replace("|", "\\|") for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def code_span(text: str) -> str:
    """Return a text of one line as inline code."""
    marks = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{marks}{space}{text}{space}{marks}"


def fence_marks(text: str) -> str:
    """Return marks for a fenced block, longer than any marks in its text."""
    return "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))


def with_breaks_in_tables(html: str) -> str:
    """Return a page on which long words of code in tables break after their marks, such as dots, and not anywhere."""

    def word(match: re.Match[str]) -> str:
        return _AFTER_MARK.sub(lambda mark: f"{mark[0]}<wbr>", match[0])

    def cell(match: re.Match[str]) -> str:
        return _CODE.sub(lambda code: _LONG_WORD.sub(word, code[0]), match[0])

    return _CELL.sub(cell, html)
