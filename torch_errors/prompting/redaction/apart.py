r"""Secrets whose name does not stand right before them with `=` or `:` in between.

Pairs and records, tables, values on the next line, defaults of getters, sentences. A plain word is taken where the
form leaves no other reading, elsewhere only what mixes letters and digits.
"""

from __future__ import annotations

from torch_errors.prompting.redaction.assignments import (
    EXPRESSION,
    NAMED,
    NO_QUOTED,
    OPEN,
    PLACEHOLDER,
    QUOTE,
    string,
)
from torch_errors.prompting.redaction.rule import SECRET, Rule

# A value without quotes that is no expression, and one of letters and digits.
_CHARS = r"[^\s\"'`,;|│()\[\]{}<>，。；、）]"
_NOT_CODE = rf"(?!{EXPRESSION})"
_MIXED = (
    r"(?=[^\s\"'`]{0,60}\d)(?=[^\s\"'`]{0,60}[A-Za-z])"
    r"(?!(?i:sha|md|argon|base|utf|oauth|bcrypt|ed|x|v|py|h|a|rfc|iso|int|uint|float|bf|fp|cuda|cu|gpu|node|rank|step|epoch|layer)[-_]?\d{1,5}\b)"
)
# Names that need no `_KEY`, as people say them.
_SAID = (
    r"(?i:password|passphrase|passwd|passcode|passwort|kennwort|contraseña|mot de passe|senha|api[ _-]?key|"
    r"secret[ _-]?key|access[ _-]?key|(?:access|auth|api)[ _-]?token)"
)
# Adjectives and participles behind "the password is".
_NO_SECRET = (
    r"(?!(?i:\w{0,20}(?:ed|ing|ly|ble|ive|ent|ant|al|ary|ory|rect|lid|ong|pty|own|ten|ical|lete|ull|ious|ous|ss|less)\b|"
    r"(?:the|your|our|this|that|which|what|where|when|still|never|always|too|same|stored|sent|read|short|long|okay|here|there|"
    r"needed|found|used|right|also|only|already|longer|from|into|with|both|different|hashes|default|unset)\b))"
)
_FIELD_NAME = r"(?i:\b(?:name|key|id|field|variable|var|param(?:eter)?|property|option|setting|header|label)s?)"
_FIELD_VALUE = r"(?i:\b(?:value|val|default|content|data|text|string_?value|defaultvalue))"
# Names of other columns and fields, not values.
_OTHER_FIELD = r"(?!(?i:e-?mail|user(?:_?name)?|name|host|port|login|role|id|type|description|created|updated|age|address|phone|hash|salt|digest)[\"'`])"

RULES = (
    # ("password", "…") and [("api_key", "…"), …]
    Rule(
        "secret",
        rf"([(\[]\s{{0,20}}{QUOTE}[\w.-]{{0,60}}?(?:{NAMED}|(?i:\btoken)){QUOTE},\s{{0,20}}{OPEN})(?!-){_OTHER_FIELD}{NO_QUOTED}{string(3)}(?={QUOTE}\s{{0,20}}[)\]])",
        rf"\1{SECRET}",
        catches='[("user", "ann"), ("password", "swordfish")]',
        leaves='fields = ("username", "password", "email"); ("password", "email")',
    ),
    # A record with a field for the name and one for the value: Kubernetes, JSON, XML, HCL.
    Rule(
        "secret",
        rf"({_FIELD_NAME}{QUOTE}?[ \t]{{0,3}}[:= ][ \t]{{0,3}}{QUOTE}?[\w.:-]{{0,60}}?{NAMED}{QUOTE}?(?:[\s,}}{{]{{1,40}}(?:(?:type|description|sensitive)[^\n]{{0,100}}\s{{1,40}}){{0,3}}(?:- )?){QUOTE}?{_FIELD_VALUE}{QUOTE}?[ \t]{{0,3}}[:=][ \t]{{0,3}})"
        rf"(?:{OPEN}{NO_QUOTED}{string(3)}|(?!{PLACEHOLDER}[\s,}}\]]|[A-Za-z_][\w.]{{0,80}}[(\[]){_CHARS}{{3,2000}})",
        rf"\1{SECRET}",
        catches="- name: DB_PASSWORD\n  value: swordfish",
        leaves="- name: DB_PASSWORD\n  value: $PASSWORD\nname: key\nvalue: 3",
    ),
    Rule(
        "secret",
        rf"(<\w{{1,40}} {_FIELD_NAME}={QUOTE}[\w.:-]{{0,60}}?{NAMED}{QUOTE}>)(?![${{<])[^<\n]{{3,1000}}(?=</)",
        rf"\1{SECRET}",
        catches='<entry key="db.password">swordfish</entry>',
        leaves='<entry key="db.password">${pw}</entry>',
    ),
    # A row of a table.
    Rule(
        "secret",
        rf"((?:^|[|│])[ \t`*]{{0,20}}[\w.-]{{0,60}}?{NAMED}[`*]{{0,2}}[ \t]{{0,40}}(?:[|│\t])[ \t`*]{{0,20}}){_NOT_CODE}{_CHARS}{{4,400}}(?=[`*]{{0,2}}[ \t\r]{{0,80}}(?:[|│]|$))",
        rf"\1{SECRET}",
        catches="| password | swordfish |",
        leaves="| password | string | of the database |",
    ),
    # An arrow or a dash.
    Rule(
        "secret",
        rf"({NAMED}[`\"']?[ \t]{{1,3}}(?:[-=]>|[→⇒›»❯:?]=?)[ \t]{{1,3}}[\"'`]?)(?![-=]){_NOT_CODE}{_CHARS}{{6,400}}(?=[\"'`]?[ \t\r]{{0,20}}$)",
        rf"\1{SECRET}",
        catches="api_key → swordfish",
        leaves="def password(self) -> string",
    ),
    Rule(
        "secret",
        rf"(\b{_SAID}[ \t]{{1,3}}(?:[-–—/][ \t]{{1,3}}|[\"'`(（]?))(?![-=]){_MIXED}{_NOT_CODE}{_CHARS}{{6,400}}(?=[\"'`)）]?[.,;!，。]?(?:\s|$))",
        rf"\1{SECRET}",
        catches="set password hunter22",
        leaves="password argon2 hash, password - required",
    ),
    # A value on the next line, behind a tag, behind `|`, `>`, `(` or a backslash.
    Rule(
        "secret",
        rf"({NAMED}{QUOTE}?\]?[ \t]{{0,3}}[:=][ \t]{{0,3}}(?:!!?[\w:/.-]{{0,30}}[ \t]{{1,3}})?(?:[|>][+-]?\d?|\\)[ \t\r]{{0,4}}\n[ \t]{{1,40}})(?:{OPEN}{NO_QUOTED}{string(3)}|(?![\w-]{{1,60}}:){_NOT_CODE}{_CHARS}{{3,2000}})",
        rf"\1{SECRET}",
        catches="password: |\n  swordfish",
        leaves="password: |\n  $PASSWORD",
    ),
    Rule(
        "secret",
        rf"({NAMED}{QUOTE}?\]?[ \t]{{0,3}}[:=][ \t]{{0,3}}[(\[]?[ \t\r]{{0,4}}\n\s{{0,40}}{OPEN}){NO_QUOTED}{string(3)}",
        rf"\1{SECRET}",
        catches='api_key = (\n    "swordfish"\n)',
        leaves='api_key = (\n    "<your key>"\n)',
    ),
    Rule(
        "secret",
        rf"({NAMED}{QUOTE}?:[ \t]{{1,3}}!!?[\w:/.-]{{0,30}}[ \t]{{1,3}}[\"']?){_NOT_CODE}{_CHARS}{{3,2000}}",
        rf"\1{SECRET}",
        catches="password: !!str swordfish",
        leaves="password: !secret db_password",
    ),
    # A call around the value.
    Rule(
        "secret",
        rf"((?:{NAMED}|(?i:\bsecret)){QUOTE}?\]?[ \t]{{0,3}}[:=][ \t]{{0,3}}(?:[\w.]{{0,40}}(?:b64decode|fromhex|unhexlify|b32decode)\(|[\"'][\"']\.join\(\[?)[ \t]{{0,3}}[rbu]?[\"'])[^\"'\n]{{3,2000}}(?=[\"'])",
        rf"\1{SECRET}",
        catches='api_key = base64.b64decode("c3dvcmRmaXNo")',
        leaves="api_key = base64.b64decode(encoded)",
    ),
    # What a getter gives where nothing is set.
    Rule(
        "secret",
        rf"((?i:(?:get|env|pop|set|config|conf|str|attr|default|secret|header|read|fetch|lookup)[a-z_]{{0,12}})\([^()\n\"']{{0,60}}(?:{QUOTE}[\w.-]{{0,40}}{QUOTE},[ \t]?)?{QUOTE}[\w.-]{{0,60}}?(?:{NAMED}|(?i:secret|[_-]token|[_-]key)){QUOTE},\s{{0,60}}(?:(?i:default|fallback|value)[ \t]?=[ \t]?)?{OPEN}){NO_QUOTED}{string(3)}",
        rf"\1{SECRET}",
        catches='env("SECRET_KEY", default="swordfish")',
        leaves='config("SECRET_KEY", default="")',
    ),
    Rule(
        "secret",
        rf"(\$\{{\w{{0,60}}?{NAMED}:?[-=])(?![$<\"'{{}}])[^\s\"'{{}}]{{3,400}}(?=\}})",
        rf"\1{SECRET}",
        catches="${DB_PASSWORD:-swordfish}",
        leaves="${DB_PASSWORD:-$PW}",
    ),
    # Lists: `user=ann,password=…,vers=3`. A word that is short or names a secret itself is a variable of a program.
    Rule(
        "secret",
        rf"({NAMED}=)(?!{PLACEHOLDER}[,)\]}}]|\w{{0,40}}(?i:pass|pw|key|tok|secret|cred|auth|hash|code|plain|default|input|value|string|arg|conf|param|self|env|text|_)|[A-Z])[a-z][a-z0-9-]{{5,200}}(?=[,)\]}}])",
        rf"\1{SECRET}",
        catches="mount -o username=ann,password=swordfish,vers=3.0",
        leaves="connect(password=my_password, api_key=key)",
    ),
    Rule(
        "secret",
        rf"({NAMED}{QUOTE}?:[ \t]{{0,3}})(?!{PLACEHOLDER}[,)\]}}]|{EXPRESSION}(?<![,)\]}}])|\w{{0,40}}(?i:pass|pw|key|tok|secret|cred|auth|hash|code|plain|default|input|value|string|arg|conf|param|self|env|text|_)|(?:needed|expired|incorrect|wrong|unknown|missing|tuple|object|callable|accepted|rejected|changed|please|sequence)\b)(?:[a-z][a-z0-9-]{{5,200}}|{_MIXED}[A-Za-z0-9!@#$%^&*+~-]{{6,200}})(?=[,)}}])",
        rf"\1{SECRET}",
        catches="{password: swordfish, user: ann}",
        leaves="def f(password: SecretStr, api_key: str): pass",
    ),
    Rule(
        "secret",
        rf"((?:^|[\s,;{{(])(?i:token|pw|pass|psk|secret){QUOTE}?[ \t]{{0,2}}[:=][ \t]{{0,2}}){_MIXED}(?=[^\s\d]{{0,60}}\d[^\s]{{0,60}})(?![\d.:]{{1,40}}[\s,;)%])[A-Za-z][A-Za-z0-9!@#$%^&*+~-]{{7,200}}(?=[ \t]?[,;)(}}]|[ \t]|$)",
        rf"\1{SECRET}",
        catches="token=hunter22x, user=ann",
        leaves="pass: 12, token: layer_0_q",
    ),
    Rule(
        "secret",
        rf"((?i:user(?:name)?|login|e-?mail)[\"']?[ \t]{{0,3}}[:=][^\n]{{1,80}}\n[ \t-]{{0,12}}[\"']?(?i:pass|pw){QUOTE}?[ \t]{{0,3}}[:=][ \t]{{0,3}}{QUOTE}?){_NOT_CODE}{_CHARS}{{3,400}}",
        rf"\1{SECRET}",
        catches="user: ann\npass: swordfish",
        leaves="user: ann\npass: $PASS",
    ),
    # Sentences
    Rule(
        "secret",
        rf"(\b(?:{_SAID}|(?i:(?:my|our|his|her|their|the|sudo|root|wifi) (?:pass|token|pin|key)))[ \t](?i:is|was|ist|lautet|es|est)[ \t:]{{1,3}}[\"'`“„]?)"
        rf"(?:{_MIXED}(?!\d{{1,12}}\b)[^\s\"'`,;()”“]{{6,400}}|{_NO_SECRET}(?!{EXPRESSION})[a-z][a-z0-9-]{{5,60}}(?=[\"'`”“]?[.!,;]?[ \t\r]{{0,4}}(?:$|\n|please|and )))",
        rf"\1{SECRET}",
        catches="my password is swordfish",
        leaves="the password is incorrect. The token is deprecated",
    ),
    Rule(
        "secret",
        rf"(\b{_SAID}(?:[ ](?i:of \w{{1,20}}|for \w{{1,20}}))?[ ][\"'`“„])(?!{PLACEHOLDER}[\"'`”“])[^\s\"'`”“{{}}]{{4,200}}(?=[\"'`”“])",
        rf"\1{SECRET}",
        catches='I typed the password "swordfish"',
        leaves='the argument password "{}"',
    ),
    Rule(
        "secret",
        r"((?i:\b(?:key|token|secret)) [\"'`])(?=[A-Za-z0-9+/=-]{0,60}[a-z])(?=[A-Za-z0-9+/=-]{0,60}[A-Z])(?=[A-Za-z0-9+/=-]{0,60}\d)[A-Za-z0-9+/=-]{24,400}(?=[\"'`])",
        rf"\1{SECRET}",
        catches="I used the key `" + "aB3dE5gH" * 4 + "`",
        leaves="missing key 'layer4.0.bn1.weight'",
    ),
    Rule(
        "secret",
        rf"(\b(?i:Passwort|Kennwort|contraseña|senha|mot de passe|passphrase)[ \t]?[:=][ \t]{{0,3}}){_NOT_CODE}{_CHARS}{{4,400}}(?=[ \t\r]{{0,4}}$)",
        rf"\1{SECRET}",
        catches="Passwort: swordfish",
        leaves="Passwort:",
    ),
    Rule(
        "secret",
        rf"((?:密码|口令|密钥|令牌|验证码|(?i:token|api[ _-]?key|password|secret)(?=[ ]?[是为（]))[ ]?(?:是|为|[:：=（( ])[ \t]{{0,3}}[\"'“「`]?)(?!{PLACEHOLDER}(?:[\s\"'”」，。）]|$)){_MIXED}[!-'*-~]{{5,2000}}",
        rf"\1{SECRET}",
        catches="我的 token 是 hunter22",
        leaves="token是int64类型",
    ),
    # Prompts with words between the name and the colon.
    Rule(
        "secret",
        r"(\b(?i:(?:token|key|password|secret|code) here|(?:verification|authorization|auth|device|security|one-time|2fa|mfa) code(?: \d)?(?: \([^()\n]{0,60}\))?)[ ]?[:：][ \t]{1,3})(?![${<])(?=[^\s]{0,60}\d)[^\s\"'`]{6,2000}",
        rf"\1{SECRET}",
        catches="Enter authorization code: 4/0swordfish",
        leaves="error code: 12, authorization code: none",
    ),
)  # fmt: skip
