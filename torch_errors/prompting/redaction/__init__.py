"""Takes what is nobody's business out of a text: home folders, names, tokens, addresses.

`RULES` is one table, which the site applies, too (website/prompt_builder.py): regular expressions that can be said in
JavaScript. Words are those of ASCII: in Chinese text nothing else separates a token from what stands before it. Linear
in the length of the text: nothing is repeated without a bound inside a repetition.

| module | what it finds |
|---|---|
| `keys` | blocks of private keys |
| `tokens` | tokens by the format that their issuer gives them |
| `transfers` | secrets in addresses, headers, cookies, on command lines |
| `assignments` | secrets by the name that they are assigned to |
| `apart` | secrets whose name stands apart from them: records, tables, sentences |
| `people` | people and their folders |
| `machines` | hosts and addresses of networks |

Code and numbers stay: a rule takes a value that is written out, never an expression, a number or a shape. No rule goes
by entropy.
"""

from __future__ import annotations

import getpass
import re
import socket
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress

from torch_errors.prompting.redaction import apart, assignments, keys, machines, people, tokens, transfers
from torch_errors.prompting.redaction.people import COMMON, OWNER
from torch_errors.prompting.redaction.rule import HOST, USER, Rule, Searched

# In order: what is gone is not found again.
RULES: tuple[Rule, ...] = (
    *keys.RULES,
    *tokens.RULES,
    *transfers.RULES,
    *apart.RULES,
    *assignments.RULES,
    *people.RULES,
    *machines.RULES,
)
# Shorter names are parts of too many words, in characters.
SHORTEST_NAME = 3
# How many names of home folders are looked for elsewhere: each is one more search of the text.
MOST_OWNERS = 50
# What a name counts as, by what is written in its place.
NAMED = {USER: "user name", HOST: "host name"}

__all__ = [
    "COMMON",
    "HOST",
    "MOST_OWNERS",
    "NAMED",
    "OWNER",
    "RULES",
    "SHORTEST_NAME",
    "USER",
    "local_names",
    "owners",
    "redact",
]


def redact(text: str, names: Mapping[str, str] | None = None) -> tuple[str, Counter[str]]:
    """`text` without secrets, and how many of which kind were taken out.

    `names`: user and host names -> what to write wherever one stands as a word. Names found in home folders of the
    text are replaced, too.
    """
    counts: Counter[str] = Counter()
    replaced = owners(text) | dict(names or {})
    searched = Searched(text)
    for rule in RULES:
        text, count = rule.apply(searched)
        if count:
            counts[rule.what] += count
            searched = Searched(text)
    for name, replacement in sorted(replaced.items(), key=lambda item: -len(item[0])):
        if len(name) < SHORTEST_NAME or name.lower() in COMMON or name not in text:
            continue
        text, count = re.subn(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", replacement, text, flags=re.ASCII)
        counts[NAMED[replacement]] += count
    return text, +counts


def owners(text: str) -> dict[str, str]:
    """The names that home folders of the text have, the first ones -> what to write in their place."""
    found: dict[str, str] = {}
    for match in OWNER.finditer(text):
        found[match[1]] = USER
        if len(found) == MOST_OWNERS:
            break
    return found


def local_names() -> dict[str, str]:
    """The names of this user and this machine -> what to write in their place."""
    names = {}
    host = socket.gethostname()
    for name in (host, host.partition(".")[0]):
        names[name] = HOST
    with suppress(KeyError, OSError):  # a container without a user database
        names[getpass.getuser()] = USER
    return {name: put for name, put in names.items() if name}
