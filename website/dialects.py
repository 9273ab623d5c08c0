"""The two dialects of Markdown in which a page is written: for the site, and for its copy as a file.

The site's is for Python-Markdown with `attr_list`, `pymdownx.superfences` and `pymdownx.tabbed`; the copy's is
CommonMark with tables.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

from torch_errors.languages import Texts
from website.markup import fence_marks, literal


@dataclass(frozen=True)
class Dialect:
    """Either `SITE` or `PLAIN`."""

    plain: bool

    def on_site(self, markup: str) -> str:
        """Markup that only the site understands; the copy leaves it out."""
        return "" if self.plain else markup

    def fence(self, text: str, language: str, *classes: str, **options: str) -> str:
        """A fenced block whose marks are longer than any in the text."""
        marks = fence_marks(text)
        words = [f".{name}" for name in (language, *classes)]
        words += [f'{name}="{value}"' for name, value in options.items() if value]
        head = language if self.plain else f" {{ {' '.join(words)} }}"
        return f"{marks}{head}\n{text.rstrip()}\n{marks}"

    def file(self, path: Path, source: str, texts: Texts, marked: str = "") -> str:
        """Link to a Python file, a button that copies it, and its text with the `marked` lines highlighted."""
        link = f"[{path.name}]({path.name})"
        # Material's own button drops the line end of the file; its script serves this attribute as it is.
        button = (
            f'<button type="button" class="copy" data-clipboard-text="{literal(source)}">{texts.word("Copy")}</button>'
        )
        head = link + self.on_site(f" {button}\n{{: .file }}")
        code = self.fence(source, "python", "no-copy", hl_lines=marked)
        return f"{head}\n\n{code}"

    def tab(self, label: str, content: str) -> str:
        """One of several tabs; a section in the copy."""
        return f"### {label}\n\n{content}" if self.plain else f'=== "{label}"\n\n{textwrap.indent(content, "    ")}'


SITE, PLAIN = Dialect(plain=False), Dialect(plain=True)
