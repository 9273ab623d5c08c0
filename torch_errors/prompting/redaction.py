"""Redacts private data: home folders, names, tokens, addresses.

The rules are data, `redaction.toml`, which the site applies, too (website/prompting.py). They are regular
expressions that JavaScript has as well, tried one after the other on the whole text; blanks have at most `LONGEST`
characters. No list of rules finds everything, so who sends the result reads it once more.
"""

from __future__ import annotations

import getpass
import re
import socket
import tomllib
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

USER, HOST = "<user>", "<host>"
# What a blank of a prompt may hold, in characters.
LONGEST = 20_000
# Shorter names are parts of too many words, in characters.
SHORTEST_NAME = 3
# What a name counts as, by what is written in its place.
NAMED = {USER: "user name", HOST: "host name"}
# Who a home folder belongs to; names that say nothing about a person stay.
OWNER = re.compile(
    r"(?:(?<![\w.])/(?:home|homes|Users|users)\d{0,3}/|(?<!\w)[Uu]sers(?:\\{1,2}|/))([^\s/\\\"'<>|:*?，。；：、（）“”()]{2,64})(?=[\\/])",
    re.ASCII,
)
_COMMON = """
    admin administrator all app conda container data debian default docker ec2-user guest home host jovyan linux local
    localhost main model none opt project public python root runner shared src test torch train ubuntu user username
    users vscode windows work worker workspace you
"""
COMMON = frozenset(_COMMON.split())
_MADE = re.compile(r"«(h?)(\d+)»")


@dataclass(frozen=True)
class Rule:
    """`find` is replaced by `put`, in which `\\1` is its first group. `what` names it for people."""

    what: str
    find: re.Pattern[str]
    put: str
    catches: str
    leaves: str


@cache
def rules() -> tuple[Rule, ...]:
    """The rules in their order."""
    data = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    parts: dict[str, str] = data["parts"]
    return tuple(_rule(row, parts) for row in data["rule"])


def _rule(row: dict[str, str], parts: Mapping[str, str]) -> Rule:
    source = re.sub(r"\{([A-Z]+)\}", lambda found: parts[found[1]], row["find"])
    flags = re.ASCII | re.MULTILINE
    if source.startswith("(?i)"):
        source, flags = source.removeprefix("(?i)"), flags | re.IGNORECASE
    what, put = row.get("what", "secret"), row.get("put", r"\1<secret>")
    return Rule(what, re.compile(source, flags), put, _sample(row["catches"]), row["leaves"])


def _sample(text: str) -> str:
    def made(found: re.Match[str]) -> str:
        length = int(found[2])
        return (("0123456789abcdef" if found[1] else "aB3dE5gH") * (length // 8 + 1))[:length]

    return _MADE.sub(made, text)


def redact(text: str, names: Mapping[str, str] | None = None) -> tuple[str, Counter[str]]:
    """`text` without secrets, and how many of which kind were taken out.

    `names`: user and host names -> what to write wherever one stands as a word. Names found in home folders of the
    text are replaced, too.
    """
    counts: Counter[str] = Counter()
    replaced = owners(text) | dict(names or {})
    for rule in rules():

        def written(found: re.Match[str], rule: Rule = rule) -> str:
            new = found.expand(rule.put)
            counts[rule.what] += new != found[0]  # another rule was there before
            return new

        text = rule.find.sub(written, text)
    for name, put in sorted(replaced.items(), key=lambda item: -len(item[0])):
        if len(name) >= SHORTEST_NAME and name.lower() not in COMMON and name in text:
            text, count = re.subn(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", put, text, flags=re.ASCII)
            counts[NAMED[put]] += count
    return text, +counts


def owners(text: str) -> dict[str, str]:
    """User names found in home folders of the text -> what to write in their place."""
    return dict.fromkeys(OWNER.findall(text), USER)


def local_names() -> dict[str, str]:
    """The names of this user and this machine -> what to write in their place."""
    host = socket.gethostname()
    names = {host: HOST, host.partition(".")[0]: HOST}
    with suppress(KeyError, OSError):  # a container without a user database
        names[getpass.getuser()] = USER
    return {name: put for name, put in names.items() if name}
