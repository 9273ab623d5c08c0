"""Redacts private data: home folders, names, tokens, addresses.

The rules are in `redaction.toml`, which the site also uses (website/prompting.py). They are regular expressions
that JavaScript also supports, applied one after the other to the whole text; values of blanks have at most `LONGEST`
characters. No list of rules finds everything, so the sender should still review the result.
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
# Maximum length of a value in a prompt, in characters.
LONGEST = 20_000
# Shortest name to redact, in characters; shorter names also occur as ordinary words.
SHORTEST_NAME = 3
# Replacement of a name -> the kind under which it is counted.
NAMED = {USER: "user name", HOST: "host name"}
# The owner of a home folder.
OWNER = re.compile(
    r"(?:(?<![\w.])/(?:home|homes|Users|users)\d{0,3}/|(?<!\w)[Uu]sers(?:\\{1,2}|/))([^\s/\\\"'<>|:*?，。；：、（）“”()]{2,64})(?=[\\/])",
    re.ASCII,
)
# Names that reveal nothing about a person and therefore stay.
_COMMON = """
    admin administrator all app conda container data debian default docker ec2-user guest home host jovyan linux local
    localhost main model none opt project public python root runner shared src test torch train ubuntu user username
    users vscode windows work worker workspace you
"""
COMMON = frozenset(_COMMON.split())
_MADE = re.compile(r"«(h?)(\d+)»")


@dataclass(frozen=True)
class Rule:
    """Replaces each match of `find` with `put`, in which `\\1` is the first group of the match."""

    what: str  # kind of private data, as shown to the user
    find: re.Pattern[str]
    put: str
    catches: str  # example that the rule redacts
    leaves: str  # example that the rule leaves unchanged


@cache
def rules() -> tuple[Rule, ...]:
    """The rules in the order in which they are applied."""
    data = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    parts: dict[str, str] = data["parts"]
    return tuple(_rule(row, parts) for row in data["rule"])


def _rule(row: dict[str, str], parts: Mapping[str, str]) -> Rule:
    source = re.sub(r"\{([A-Z]+)\}", lambda match: parts[match[1]], row["find"])
    flags = re.ASCII | re.MULTILINE
    if source.startswith("(?i)"):
        source, flags = source.removeprefix("(?i)"), flags | re.IGNORECASE
    what, put = row.get("what", "secret"), row.get("put", r"\1<secret>")
    return Rule(what, re.compile(source, flags), put, _sample(row["catches"]), row["leaves"])


def _sample(text: str) -> str:
    """Return an example with its placeholders (`«40»`, or `«h40»` for hexadecimal) replaced with made-up secrets."""

    def secret(match: re.Match[str]) -> str:
        length = int(match[2])
        return (("0123456789abcdef" if match[1] else "aB3dE5gH") * (length // 8 + 1))[:length]

    return _MADE.sub(secret, text)


def redact(text: str, names: Mapping[str, str] | None = None) -> tuple[str, Counter[str]]:
    """Return `text` without secrets, and how many of each kind were redacted.

    `names`: user and host names -> replacement wherever the name occurs as a word. Names found in home folders of the
    text are also replaced.
    """
    counts: Counter[str] = Counter()
    replaced = owners(text) | dict(names or {})
    for rule in rules():

        def replacement(match: re.Match[str], rule: Rule = rule) -> str:
            new = match.expand(rule.put)
            counts[rule.what] += new != match[0]  # equal if an earlier rule has already redacted it
            return new

        text = rule.find.sub(replacement, text)
    for name, put in sorted(replaced.items(), key=lambda item: -len(item[0])):
        if len(name) >= SHORTEST_NAME and name.lower() not in COMMON and name in text:
            text, count = re.subn(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", put, text, flags=re.ASCII)
            counts[NAMED[put]] += count
    return text, +counts


def owners(text: str) -> dict[str, str]:
    """User names found in home folders of the text -> their replacement."""
    return dict.fromkeys(OWNER.findall(text), USER)


def local_names() -> dict[str, str]:
    """The names of this user and this machine -> their replacement."""
    host = socket.gethostname()
    names = {host: HOST, host.partition(".")[0]: HOST}
    with suppress(KeyError, OSError):  # raised in a container without a user database
        names[getpass.getuser()] = USER
    return {name: put for name, put in names.items() if name}
