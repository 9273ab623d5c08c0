"""Blocks of private keys: whole, without their end, with only their end, escaped, and behind prefixes of a log."""

from __future__ import annotations

from torch_errors.prompting.redaction.rule import HOST, SECRET, USER, Rule

# Of a block, in lines: a key of 16,384 bits has 200.
_LONGEST = 400
_BEGIN = r"-{4,5} ?BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_END = r"-{4,5} ?END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}"
_LINE_END = r"(?:[ \t\r]{0,4}(?:\n|(?:\\{1,3}r)?\\{1,3}n)){1,3}"
# A line of a block that has no end: what a key is made of, perhaps behind a prefix, or one of its headers.
_BODY = (
    r"(?:[^\n\\]{0,80}?(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{24,}={0,3}|[ \t>|]{0,8}[A-Za-z0-9+/]{12,}={0,3}(?=[ \t\r]{0,4}(?:\n|\\|$))"
    r"|[ \t>|]{0,8}[A-Za-z0-9+/]{2,}={1,3}(?=[ \t\r]{0,4}(?:\n|\\|$))"
    r"|[ \t>|]{0,8}(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|X-[\w-]{1,20}): ?[^\n\\]{0,200})"
)
_SAMPLE = "MIIEpAIBAAKCAQEA7" + "bc1DEf+/" * 6

RULES = (
    Rule(
        "private key",
        rf"{_BEGIN}(?:(?!-----|---- )[\s\S]){{0,20000}}{_END}",
        SECRET,
        catches=f"-----BEGIN {'RSA'} PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{_SAMPLE}\n-----END RSA PRIVATE KEY-----",
        leaves="-----BEGIN CERTIFICATE-----",
        lines=_LONGEST,
    ),
    Rule(
        "private key",
        rf"{_BEGIN}(?:{_LINE_END}{_BODY})*",
        SECRET,
        catches=f"-----BEGIN {'EC'} PRIVATE KEY-----\n{_SAMPLE}",
        leaves="-----BEGIN PUBLIC KEY-----",
        lines=_LONGEST,
    ),
    Rule(
        "private key",
        rf"(?:(?<![A-Za-z0-9+/=])(?:[A-Za-z0-9+/]{{60,76}}{_LINE_END}(?:[^\n]{{0,80}}?[ \t|>:])?){{0,200}}[A-Za-z0-9+/]{{1,76}}={{0,3}}{_LINE_END}(?:[^\n]{{0,80}}?[ \t|>:])?)?{_END}",
        SECRET,
        catches=f"bc1DEf+/\n-----END {'EC'} PRIVATE KEY-----",
        leaves="-----END CERTIFICATE-----",
        lines=_LONGEST,
    ),
    # Without either marker: by how a key begins, DER or OpenSSH's "openssh-key".
    Rule(
        "private key",
        rf"((?:^|\\n)(?:[^\n\\]{{0,80}}?[ \t>|:\"'])?)(?:MII[BCEGJ]|b3BlbnNzaC1rZXk)[A-Za-z0-9+/]{{40,}}={{0,2}}(?:{_LINE_END}{_BODY})*",
        rf"\1{SECRET}",
        catches="MIIEpA8B" * 8,
        leaves="0123456789abcdef" * 4,
        lines=_LONGEST,
    ),
    Rule(
        "private key",
        r"(Private-Lines: \d{1,3}(?:\r?\n|\\n))(?:[A-Za-z0-9+/=]{1,80}(?:\r?\n|\\n|$)){1,80}",
        rf"\1{SECRET}" + "\n",
        catches="Private-Lines: 1\n" + "AAAAgQDr" * 4,
        leaves="Public-Lines: 1\nAAAA",
        lines=_LONGEST,
    ),
    # A public key may be shown. Its comment names a person and a machine.
    Rule(
        "user and host",
        r"(\b(?:ssh-(?:rsa|dss|ed25519)|ecdsa-sha2-nistp\d{3}|sk-ssh-ed25519@openssh\.com) AAAA[A-Za-z0-9+/=]{16,800} )"
        r"[^\s\"'][^\n\"']{0,100}",
        rf"\1{USER}@{HOST}",
        catches="ssh-ed25519 AAAA" + "C3NzaC1l" * 4 + " annabel@laptop",
        leaves="ssh-ed25519 key",
    ),
)  # fmt: skip
