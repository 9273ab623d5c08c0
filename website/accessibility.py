"""Adds to built pages what the theme lacks for screen readers and keyboard users.

Only what its templates leave out and no block of theirs lets a page say. Contrast is in `docs/assets/site.css`, and
what the theme's script adds in the browser in `docs/assets/accessibility.js`.
"""

from __future__ import annotations

import re
from html import escape

# The section of the navigation that holds the page is named by a label that shows an arrow and no text; the label with
# the title stands inside.
_SECTION = re.compile(r'aria-labelledby="__nav_(?P<number>[\d_]+)_label"')
_SECTION_TITLE = re.compile(r'<label class="md-nav__title" for="__nav_(?P<number>[\d_]+)">')
# On a narrow screen this label opens the navigation; the theme gives it to the mouse only. Without a role: labels of
# inputs may have none.
_DRAWER = '<label class="md-header__button md-icon" for="__drawer"'
_SEARCH = 'data-md-component="search" role="dialog"'


def with_names(html: str, search: str, navigation: str) -> str:
    """The page with names for its search dialog (`search`), what opens its `navigation`, and the sections in that."""
    html = html.replace(_DRAWER, f'{_DRAWER} tabindex="0" title="{escape(navigation)}"')
    html = html.replace(_SEARCH, f'{_SEARCH} aria-label="{escape(search)}"')
    html = _SECTION.sub(r'aria-labelledby="__nav_\g<number>_title"', html)
    return _SECTION_TITLE.sub(r'<label class="md-nav__title" for="__nav_\g<number>" id="__nav_\g<number>_title">', html)
