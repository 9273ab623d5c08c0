"""Adds to built pages what the theme lacks for screen readers and keyboard users.

This changes only what the blocks of the theme's templates can't override. `docs/assets/site.css` sets the contrast, and
`docs/assets/accessibility.js` corrects the elements that the theme's script adds in the browser.
"""

from __future__ import annotations

import re
from html import escape

# In the theme, the navigation section of the current page is labelled by an element that shows an arrow and no text.
# The label with the title is inside the section.
_SECTION = re.compile(r'aria-labelledby="__nav_(?P<number>[\d_]+)_label"')
_SECTION_TITLE = re.compile(r'<label class="md-nav__title" for="__nav_(?P<number>[\d_]+)">')
# On a narrow screen this label opens the navigation, but in the theme only the mouse can reach it. It gets no role,
# since HTML allows none for the label of an input.
_DRAWER = '<label class="md-header__button md-icon" for="__drawer"'
_SEARCH = 'data-md-component="search" role="dialog"'


def with_names(html: str, search: str, navigation: str) -> str:
    """Return the page with labels: `search` for the search dialog, `navigation` for its button, titles for sections."""
    html = html.replace(_DRAWER, f'{_DRAWER} tabindex="0" title="{escape(navigation)}"')
    html = html.replace(_SEARCH, f'{_SEARCH} aria-label="{escape(search)}"')
    html = _SECTION.sub(r'aria-labelledby="__nav_\g<number>_title"', html)
    return _SECTION_TITLE.sub(r'<label class="md-nav__title" for="__nav_\g<number>" id="__nav_\g<number>_title">', html)
