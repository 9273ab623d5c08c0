"""Escapes and formats texts for Markdown and HTML."""

from __future__ import annotations

import re
from html import escape


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
