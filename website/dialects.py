"""The two Markdown dialects in which a page is written: one for the site, and one for the page's copy as a file.

The site uses Python-Markdown with `attr_list`, `pymdownx.superfences` and `pymdownx.tabbed`; the copy is CommonMark
with tables.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

from torch_errors.languages import Texts
from website.markup import fence_marks, literal


@dataclass(frozen=True)
class Dialect:
    """One of the dialects, `SITE` or `PLAIN`."""

    plain: bool  # whether this is the dialect of the copy

    def on_site(self, markup: str) -> str:
        """Return markup that only the site understands, or an empty text for the copy."""
        return "" if self.plain else markup

    def fence(self, text: str, language: str, *classes: str, **options: str) -> str:
        """Return a fenced block whose marks are longer than any marks in the text."""
        marks = fence_marks(text)
        words = [f".{name}" for name in (language, *classes)]
        words += [f'{name}="{value}"' for name, value in options.items() if value]
        head = language if self.plain else f" {{ {' '.join(words)} }}"
        return f"{marks}{head}\n{text.rstrip()}\n{marks}"

    def file(self, path: Path, source: str, texts: Texts, marked: str = "") -> str:
        """Return a link to a Python file, a button that copies it, and its text with the `marked` lines highlighted."""
        link = f"[{path.name}]({path.name})"
        # The copy button of Material drops the last line end of the file; this attribute is copied unchanged.
        button = (
            f'<button type="button" class="copy" data-clipboard-text="{literal(source)}">{texts.word("Copy")}</button>'
        )
        head = link + self.on_site(f" {button}\n{{: .file }}")
        code = self.fence(source, "python", "no-copy", hl_lines=marked)
        return f"{head}\n\n{code}"

    def tab(self, label: str, content: str) -> str:
        """Return a tab, or a section for the copy."""
        return f"### {label}\n\n{content}" if self.plain else f'=== "{label}"\n\n{textwrap.indent(content, "    ")}'


SITE, PLAIN = Dialect(plain=False), Dialect(plain=True)
