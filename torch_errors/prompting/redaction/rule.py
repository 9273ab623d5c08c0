"""One rule of redaction: what is searched for, what is written in its place, and a text that shows each side of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

SECRET, HOME, USER, HOST, EMAIL, ADDRESS = "<secret>", "~", "<user>", "<host>", "<e-mail>", "<address>"


@dataclass(frozen=True)
class Rule:
    """`pattern` -> `replacement`, in which `\\1` is the first group. `what` names it for people.

    `catches` and `leaves` are samples: a text that the rule changes and a similar one that it does not.
    """

    what: str
    pattern: str
    replacement: str
    catches: str
    leaves: str
    ignore_case: bool = False
    keep: str | None = None  # what looks like it and is something else

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.ASCII | re.MULTILINE | (re.IGNORECASE if self.ignore_case else 0))

    @cached_property
    def keep_regex(self) -> re.Pattern[str] | None:
        return re.compile(self.keep, re.ASCII | re.MULTILINE | re.IGNORECASE) if self.keep else None
