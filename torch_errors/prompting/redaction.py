"""Takes what is nobody's business out of a text: home folders, names, tokens, addresses.

The site applies the same rules (website/prompt_builder.py), so they are regular expressions that can be said in
JavaScript. Words are those of ASCII: in Chinese text nothing else separates a token from what stands before it. Shapes
of tokens are those that their issuers document; what has no shape of its own is found by the name that it is assigned
to. Linear in the length of the text: nothing is repeated without a bound inside a repetition.
"""

from __future__ import annotations

import getpass
import re
import socket
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

SECRET, HOME, USER, HOST, EMAIL, ADDRESS = "<secret>", "~", "<user>", "<host>", "<e-mail>", "<address>"


@dataclass(frozen=True)
class Rule:
    """`pattern` -> `replacement`, in which `\\1` is the first group. `what` names it for people."""

    what: str
    pattern: str
    replacement: str
    ignore_case: bool = False
    keep: str | None = None  # what looks like it and is something else

    @cached_property
    def regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.ASCII | re.MULTILINE | (re.IGNORECASE if self.ignore_case else 0))

    @cached_property
    def keep_regex(self) -> re.Pattern[str] | None:
        return re.compile(self.keep, re.ASCII | re.IGNORECASE) if self.keep else None


_KEY_NAME = r"[A-Z0-9_.-]{0,40}(?:API[_-]?KEY|SECRET|TOKEN|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|ACCESS[_-]?KEY)"
# Of the languages in which folders are named: Latin, Greek to Georgian and beyond, kana, Han, Hangul.
_LETTERS = "A-Za-z\u00c0-\u024f\u0370-\u1fff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3"
# Where a folder's name ends, in English and Chinese text.
_END = r"\s/\\\"'<>|:*?，。；：、（）“”"
_NAME = r"[A-Za-z][\w.-]{0,63}"
_DOMAINS = "com|org|net|edu|gov|mil|int|info|biz|io|ai|dev|app|me|co|tech|cloud|xyz|eu|" + (
    "ac|ae|ar|at|au|be|br|ca|ch|cl|cn|cz|de|dk|ee|es|fi|fr|gr|hk|hu|id|ie|il|in|ir|it|jp|kr|lt|mx|my|nl|no|nz|pk|pl|pt|"
    "ro|rs|ru|sa|se|sg|si|sk|th|tr|tw|ua|uk|us|vn|za"
)
# Four numbers with dots are a version when they stand behind the name of a package.
_VERSION = (
    r"\b(?:nvidia|cuda|cudnn|nccl|driver|version|lib[a-z]{2,20}|[a-z][a-z0-9_]{1,30}-cu\d\d)"
    r"[\w-]{0,40}[\s=:@v-]{1,40}\d[\d.]{2,30}"
)

RULES = (
    Rule(
        "private key",
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]{0,20000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?",
        SECRET,
    ),
    Rule(
        "password in an address",
        r"\b([a-z][a-z0-9+.-]{1,20}://)[^\s/@:]{0,100}:[^\s/@]{1,200}@",
        r"\1" + SECRET + "@",
        True,
    ),
    Rule("token", r"\b((?:Bearer|Basic)\s{1,3})[A-Za-z0-9._~+/=-]{8,}", r"\1" + SECRET, True),
    # Hugging Face, OpenAI and Anthropic, GitHub, GitLab, Slack, Google, AWS, Stripe, npm, PyPI, JSON Web Token.
    Rule("token", r"\bhf_[A-Za-z0-9]{20,}", SECRET),
    Rule("token", r"\bsk-[A-Za-z0-9_-]{16,}", SECRET),
    Rule("token", r"\b(?:gh[opusr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})", SECRET),
    Rule("token", r"\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{16,}", SECRET),
    Rule("token", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}", SECRET),
    Rule("token", r"\bAIza[A-Za-z0-9_-]{30,}|\bya29\.[A-Za-z0-9_-]{20,}", SECRET),
    Rule("token", r"\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b", SECRET),
    Rule("token", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[A-Za-z0-9_-]{30,}", SECRET),
    Rule("token", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?", SECRET),
    # `WANDB_API_KEY=…`, `password: …`, `"token": "…"`, `--api-key …`. A value in code such as `token=tokens[0]` or
    # `token=None` is no secret: what is taken has eight characters or is quoted, and neither dots nor brackets follow.
    Rule(
        "secret",
        rf"""\b({_KEY_NAME}["']?\s{{0,3}}[:=]\s{{0,3}}["'])[^"'\s]{{4,400}}(["'])""",
        rf"\1{SECRET}\2",
        True,
    ),
    Rule(
        "secret",
        rf"""\b({_KEY_NAME}\s{{0,1}}[:=]\s{{0,1}})(?=[^\s"'()\[\],;]{{0,60}}[0-9])[^\s"'()\[\],;.]{{8,400}}(?![\w.(\[])""",
        rf"\1{SECRET}",
        True,
    ),
    Rule(
        "secret",
        r"(--?(?:api[_-]?key|token|password|secret)(?:\s{1,2}|=))[^\s\"'-][^\s\"']{5,400}",
        rf"\1{SECRET}",
        True,
    ),
    # Only with the end of a real domain: `x@self.weight` is a product of matrices.
    Rule(
        "e-mail address",
        rf"\b[A-Za-z0-9][A-Za-z0-9._%+-]{{0,63}}@[A-Za-z0-9](?:[A-Za-z0-9-]{{0,62}}\.){{1,5}}(?:{_DOMAINS})\b(?![(\[.])",
        EMAIL,
    ),
    # The prompt of a shell: `name@machine:~/project$`.
    Rule("user and host", rf"(^|[\s(]){_NAME}@{_NAME}(?=[:\s][^\n]{{0,200}}[$#%>](?:\s|$))", rf"\1{USER}@{HOST}"),
    Rule(
        "home folder",
        r"(?:/(?:mnt|media|Volumes|data|export|cluster|nfs|net|system|storage|private)(?:/[\w.-]{1,40}){0,2})?"
        rf"/(?:home|homes|Users|users)/[^{_END}()]{{1,64}}",
        HOME,
    ),
    Rule(
        "home folder",
        rf"\b[A-Za-z]:(?:\\{{1,2}}|/)(?:Users|Documents and Settings)(?:\\{{1,2}}|/)[^{_END}]{{1,64}}",
        HOME,
    ),
    Rule("home folder", r"(^|[\s\"'=:(])/root(?=[/\s\"':)]|$)", r"\1" + HOME),
    Rule("host name", r"(?<![\w:\\])(\\{2,4})[A-Za-z0-9][\w.-]{1,62}(?=\\{1,2}[\w$])", r"\1" + HOST),
    # torchrun's report, environment variables, the sockets of torch.distributed.
    Rule(
        "host name",
        rf"\b((?:host|hostname|node|nodename|MASTER_ADDR|rdzv[_-]endpoint|server)[\"']?\s{{0,12}}[:=]\s{{0,3}}[\"']?)(?!localhost\b|127\.|0\.0\.)(?=[\w.-]{{0,62}}[0-9.-]){_NAME}",
        r"\1" + HOST,
        True,
    ),
    Rule(
        "host name",
        rf"((?:connect to|connected to|listening on|socket to) \[)(?!localhost\]|127\.|::|0\.0\.){_NAME}(?=\])",
        r"\1" + HOST,
        True,
    ),
    Rule(
        "network address",
        r"(?<![\w.=])(?!127\.|0\.0\.0\.0)(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.])",
        ADDRESS,
        keep=_VERSION,
    ),
    Rule(
        "network address",
        r"(?<![\w:.])(?:[23][0-9a-f]{3}|fe80|f[cd][0-9a-f]{2}):[0-9a-f:]{2,40}(?:%\w{1,15})?(?![\w:])",
        ADDRESS,
        True,
    ),
    Rule("network address", r"(?<![\w:-])(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}(?![\w:-])", ADDRESS, True),
)
# The name in a home folder, to be found elsewhere in the text.
OWNER = re.compile(
    r"(?:/(?:home|homes|Users)/|[A-Za-z]:(?:\\{1,2}|/)Users(?:\\{1,2}|/))"
    rf"([{_LETTERS}][{_LETTERS}\w.-]{{2,63}})",
    re.ASCII,
)
# Names that say nothing about a person, and words of every traceback: they stay.
_COMMON = """
    admin administrator all app conda container data debian default docker ec2-user fedora guest home host
    jovyan linux local localhost main miniconda model none opt project public python root runner
    sagemaker-user shared src test torch train ubuntu user username users vscode windows work worker workspace
    you your-name
"""
COMMON = frozenset(_COMMON.split())
# Shorter names are parts of too many words, in characters.
SHORTEST_NAME = 3
# How many names of home folders are looked for elsewhere: each is one more search of the text.
MOST_OWNERS = 50
# What a name counts as, by what is written in its place.
NAMED = {USER: "user name", HOST: "host name"}


def redact(text: str, names: Mapping[str, str] | None = None) -> tuple[str, Counter[str]]:
    """`text` without secrets, and how many of which kind were taken out.

    `names`: user and host names -> what to write wherever one stands as a word. Names found in home folders of the
    text are replaced, too.
    """
    counts: Counter[str] = Counter()
    replaced = owners(text) | dict(names or {})
    for rule in RULES:
        text, count = _apply(rule, text)
        counts[rule.what] += count
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


def _apply(rule: Rule, text: str) -> tuple[str, int]:
    kept = [match.span() for match in rule.keep_regex.finditer(text)] if rule.keep_regex else []
    starts = [start for start, _ in kept]
    count = 0

    def put(match: re.Match[str]) -> str:
        nonlocal count
        before = bisect_right(starts, match.start()) - 1
        if before >= 0 and match.start() < kept[before][1]:
            return match[0]
        count += 1
        return match.expand(rule.replacement)

    return rule.regex.sub(put, text), count


def local_names() -> dict[str, str]:
    """The names of this user and this machine -> what to write in their place."""
    names = {}
    host = socket.gethostname()
    for name in (host, host.partition(".")[0]):
        names[name] = HOST
    with suppress(KeyError, OSError):  # a container without a user database
        names[getpass.getuser()] = USER
    return {name: put for name, put in names.items() if name}
