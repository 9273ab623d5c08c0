r"""Secrets without a format of their own: found by the name that they are assigned to.

A name decides how much its value must look like a secret. `password`, `api_key` or `client_secret` have no other use,
so every value goes that is not code: `password=getpass()`, `api_key: str`, `token=os.environ["X"]` stay. `token` and
`key` alone are everyday words of language models and dictionaries: their values must look random, too.

The patterns begin with the last words of a name and not with the whole of it: what stands before them is not read at
every word of a text.
"""

from __future__ import annotations

from itertools import groupby

from torch_errors.prompting.redaction.rule import SECRET, Rule

# --- names -----------------------------------------------------------------------------------------------------------

# Services whose name makes a secret of any `…_KEY` and `…_TOKEN`.
_SERVICES = (
    "wandb|openai|anthropic|claude|hf|huggingface|hugging_face|replicate|groq|nvidia|ngc|databricks|google|gemini|sendgrid|"
    "telegram|twilio|slack|discord|mistral|together|togetherai|cohere|comet|comet_ml|neptune|kaggle|openrouter|xai|grok|"
    "perplexity|pinecone|langsmith|langchain|langfuse|azure|alibaba|aliyun|dashscope|qwen|deepseek|moonshot|kimi|zhipu|"
    "zhipuai|minimax|baidu|qianfan|tencent|volc|ark|siliconflow|modelscope|aws|gcp|s3|oss|cos|minio|github|gh|gitlab|"
    "bitbucket|npm|pypi|twine|docker|dockerhub|ghcr|registry|fireworks|cerebras|runpod|vast|vastai|jina|voyage|tavily|"
    "serper|serpapi|firecrawl|elevenlabs|assemblyai|deepgram|stability|anyscale|nomic|qdrant|weaviate|milvus|zilliz|mongo|"
    "mongodb|redis|postgres|mysql|database|db|supabase|firebase|snowflake|roboflow|labelbox|clearml|mlflow|prefect|"
    "airflow|sentry|datadog|grafana|newrelic|stripe|paypal|cloudflare|digitalocean|heroku|vercel|netlify|jwt|ssh|gpg|smtp|"
    "jupyter|webhook|ngrok|tailscale|notion|linear_api|figma|twitter|facebook|rapidapi|newsapi|dropbox|jira|atlassian|swanlab"
)
# What makes a key, a token, … one that has no other use, whatever stands before it: `myApiKey`, `AWS_ACCESS_KEY`.
_OF_SECRETS = {
    "key": "api secret access account private signing encryption decryption master storage subscription auth authentication license licence "
    "fernet aes hmac service deploy function webhook consumer shared",
    "token": "api access auth authentication authorization refresh bearer session identity deploy security registration hub bot face oauth login "
    "csrf xsrf admin sas private use_auth id secret personal_access",
    "secret": "api client app consumer shared webhook jwt session token auth hmac oauth user cookie bot signing access totp otp",
    "pass": "db user usr admin root smtp mail ftp ssh redis mysql pg postgres mongo sudo login vnc wifi ldap registry docker jupyter elastic service "
    "app account keystore http proxy sql auth gpg pem zip vpn rabbitmq amqp imap",
    "pwd": "db user usr admin my sql ftp smtp root",
}


def _behind(word: str, before: str, *, whole: bool = False) -> str:
    """`word` where one of the words `before` precedes it, with `_`, a hyphen or a space between them, or nothing.

    `whole`: only where that one is no part of a longer word. Lookbehinds, so that a search begins at `word`; the words
    of one length go together, as Python asks.
    """
    words = sorted(before.split(), key=len)
    found = []
    for _, same in groupby(words, key=len):
        group = f"(?:{'|'.join(same)})"
        for between in ("[_ -]", ""):
            not_longer = rf"(?<![A-Za-z]{group}{between}{word})" if whole else ""
            found.append(f"(?<={group}{between}{word}){not_longer}")
    return rf"{word}(?:{'|'.join(found)})"


# Their keys are those of records and objects.
_STORES = {
    "s3",
    "oss",
    "cos",
    "minio",
    "redis",
    "mongo",
    "mongodb",
    "mysql",
    "postgres",
    "database",
    "db",
    "docker",
    "registry",
    "webhook",
    "slack",
}
_STRONG = (
    "(?:"
    # What it may begin with, before all of it is tried at every letter.
    r"(?=[ACDGKMOPRSTacdgkmoprst_])"
    r"(?i:pass(?:word|wd|phrase|wrd|code)s?|(?:pswd|passw|otp|totp|creds|psk)(?:(?<![a-z]psk)(?<![a-z]pswd)(?<![a-z]passw)(?<![a-z]otp)(?<![a-z]totp)(?<![a-z]creds))|(?:github|gitlab|azure|devops|git|gh)_pat"
    r"|(?:"
    + "|".join(_behind(word, before) for word, before in _OF_SECRETS.items())
    + "|"
    + "|".join(
        _behind(
            word, " ".join(name for name in _SERVICES.split("|") if word != "key" or name not in _STORES), whole=True
        )
        for word in ("key", "token", "secret", "pass", "auth")
    )
    + r")s?|secret[_ -]?(?:base|string)|secret[_ -]?access[_ -]?key"
    r"|shared[_ -]?access[_ -]?signature|connection[_ -]?string|conn[_-]?str|credentials?|_auth|recovery[_ -]?code|mnemonic|client-key-data|(?:databricks|dbx|db|snowflake|ado|bitbucket)_pat)"
    # The folder of a shell is called PWD, too.
    r"|(?<![A-Za-z])[pP][wW][dD](?<!\bPWD)(?<!\bOLDPWD))"
)
_SUFFIX = r"(?i:[_-]?(?:id|value|b64|base64|base|string|str|raw|text|prod|dev|test|live|old|new)|[_-]?\d{1,2})?"
# Endings of the names of environment variables, which are large letters.
_VARIABLE = r"(?:KEY|TOKEN|SECRET|PASS|PASSWD|PASSWORD|PASSPHRASE|PWD(?<!\bPWD)(?<!\bOLDPWD)|AUTH|CREDENTIALS?|CREDS|COOKIE|SIGNATURE)"
# … except these, which are of programs and of language models.
_WORDS_OF_PROGRAMS = (
    "PAD BOS EOS UNK CLS SEP MASK IMAGE IMG VIDEO AUDIO VISION SPECIAL START END STOP NEXT PREV MAX MIN NUM PER CACHE "
    "PRIMARY FOREIGN PUBLIC SORT STATE DICT DATA LABEL LABELS INPUT OUTPUT TARGET METRIC MODEL FORWARD BACKWARD FIRST "
    "SECOND LAST MULTI SINGLE TWO ONE OPT TRAIN VAL EVAL CONFIG GROUP INDEX ATTENTION ATTN BATCH LOSS PARTITION "
    "PLACEHOLDER PROMPT SYSTEM ASSISTANT TOOL NEW NEWLINE WORD CONTROL BLANK EXTRA SOS EOT EOD EOM BOI EOI FIM THINK PATCH POINT "
    "OBJECT BOX LANG SOURCE TIME SEED RNG COLUMN FIELD ID LOG LEARNING FEATURE FEATURES TEXT SPLIT DATASET ENV"
)
_NO_VARIABLE = "".join(rf"(?<!{word}_)" for word in _WORDS_OF_PROGRAMS.split())

# A name, in whatever form: the last words of it, and no more letters behind them.
NAMED = rf"(?:(?:{_STRONG}){_SUFFIX}|(?<=_){_NO_VARIABLE}{_VARIABLE})(?![A-Za-z0-9_-])"

# --- between name and value ------------------------------------------------------------------------------------------

QUOTE = r"\\{0,3}[\"'`]"
# `=`, `:`, `=>`, `==`; a type before it, `: str =`; behind `["NAME"]` and `"NAME"`.
_ASSIGN = rf"(?:{QUOTE})?\]?[ \t]{{0,20}}(?::[ \t]{{0,3}}[A-Za-z_][\w.\[\], |]{{0,40}}?[ \t]{{0,3}})?(?:=>|:=|[=!]?=|[:：]|是|为)[ \t]{{0,20}}"
# A class around the value: `SecretStr("…")`, `Field(default="…")`.
_WRAPPED = r"(?:(?:pydantic\.|\w{1,12}\.)?(?:SecretStr|SecretBytes|Secret|Field|field|str|bytes|String|Var|Input|Output|quote|quote_plus)\((?:default[ \t]{0,2}=[ \t]{0,2})?)?"
OPEN = r"(?:[rbfuRBFU]{0,2})(?:\"\"\"|\"(?!\")|'(?!')|`(?!`)|\\{1,3}[\"'])"
_WORDS = (
    "(?i:none|null|nil|true|false|str|string|bytes|int|bool|boolean|float|dict|list|text|optional|required|any|object|undefined|default|"
    "auto|hidden|missing|invalid|empty|set|unset|not set|enabled|disabled|yes|no|ok|n/a|env|prompt|stdin|file|input|"
    r"password|passwd|token|secret|key|api[_-]?key|username|user|value|basic|bearer|header|redacted|removed|masked|filtered|SecretStr|SecretBytes|Any|Union|Literal|Callable|\w{0,30}Credentials?)\??"
)
# Values that stand for a secret, or for the lack of one.
PLACEHOLDER = (
    rf"(?:{_WORDS}|<[^<>\"']{{0,80}}>|\[[A-Za-z_/]{{0,40}}\]|\{{[^\"']{{0,80}}\}}|\$\(?\{{?[^\"']{{0,80}}|%(?:\(\w{{1,40}}\))?[sdr]|%\w{{1,40}}%|"
    r"[*x.•…_?#-]{1,60}|[A-Z]{2,20}(?:_[A-Z]{1,20}){1,6}|(?i:your|my|insert|enter|paste|replace|add)[ _-][\w -]{0,60}|"
    r"[\w-]{0,12}(?:\.\.\.|…)|~?\.{0,2}/(?:[\w.~-]{1,60}/)[\w./~-]{0,200}|~[\\/][^\"']{0,200}|[A-Za-z]:\\[^\"']{0,200}|[\w./-]{1,80}\.(?:json|ya?ml|txt|pem|key|crt|env|cfg|ini|toml|pub|jwt|enc))"
)
NO_QUOTED = (
    rf"(?![)\]}},; ]|{PLACEHOLDER}(?:[\"'`\\]|$)"
    r"|(?:The|Your|Please|Enter|Invalid|Missing|Incorrect|Wrong|No|An?|Path|Name|Type|Use|Set|Optional|Required|Failed|Could|Cannot|API) )"
)
# The rest of a string, by the quote that opened it.
_STRING = (
    r"(?:(?<=[^\\]\")(?:[^\"\\\n]|\\[^\n]){%s,2000}|(?<=[^\\]')(?:[^'\\\n]|\\[^\n]){%s,2000}|(?<=`)[^`\n]{%s,2000}"
    r"|(?<=\\[\"'])[^\"'\\\n]{%s,2000})"
)


def string(shortest: int) -> str:
    return _STRING.replace("%s", str(shortest))


# What looks random: letters and digits that change at least three times, or hexadecimal digits.
_RANDOM = r"(?=[^\s\"'`]{0,40}?(?:[A-Za-z]\d[A-Za-z0-9]{0,60}?[A-Za-z]\d|\d[A-Za-z]{1,60}\d[A-Za-z]|[A-Z][a-z]{0,4}\d[a-z]{0,6}[A-Z]|[0-9a-f]{32}))"
_LONG = r"(?=[^\s\"'`]{16})"

# --- values without quotes ---------------------------------------------------------------------------------------------

# What a value is not: an expression of code. A name that is called, indexed, or has an attribute; a name alone where a
# call goes on behind it.
EXPRESSION = (
    r"(?:(?:await |not |lambda |(?:self|cls|args?|os|config|conf|cfg|settings|env|opts?|options|params|hparams|kwargs|FLAGS|flags|st|app|request|secrets|ctx|user|creds|credentials|module|client|session|getpass|self\._\w{1,30})\.[A-Za-z_]|getattr|f?[\"'`])"
    r"|[A-Za-z_][\w.]{0,80}[(\[,)\]}]|[a-z_]{0,40}_(?i:password|passwd|pwd|passphrase|token|secret|key|credentials?|creds|pw|pass)(?:[\s,;)]|$)"
    rf"|{PLACEHOLDER}(?:[\s,;)\]}}\"'&]|$))"
)
# Behind `NAME = ` and `NAME: `, a name with an attribute is one, too: `pydantic.SecretStr`.
_ATTRIBUTE = r"(?:[A-Za-z_]\w{0,40}\.[A-Za-z_]\w{0,40}(?:[\s,;)\]}]|$)|[A-Za-z_][\w.]{0,80}\._)"
_BARE = r"[^\s\"'`,;()\[\]{}<>，。；、]"

_K = "aB3dE5gH" * 3

RULES = (
    Rule(
        "secret",
        rf"((?:{_STRONG}){_SUFFIX}{_ASSIGN}{_WRAPPED}{OPEN}){NO_QUOTED}{string(3)}",
        rf"\1{SECRET}",
        catches='client = Client(api_key="correct horse")',
        leaves='Client(api_key="<your key>")',
    ),
    # `("NAME", "value")` of a call that sets or reads a variable, and `getenv("NAME") or "value"`.
    Rule(
        "secret",
        rf"((?i:environ\.get|getenv|setdefault|putenv|setenv|set_env|set_secret|add_header|putheader|setattr|\.get|\.set|set_password|config|DEFINE_string)"
        rf"\([^()\n\"']{{0,40}}(?:{QUOTE}[\w.-]{{0,40}}{QUOTE}, ?)?{QUOTE}(?:--)?[\w.-]{{0,60}}(?:{_STRONG}|(?i:secret|[_-]token|[_-]key|authorization|cookie)){_SUFFIX}{QUOTE}"
        rf"(?:[ \t]{{0,3}},[ \t]{{0,3}}|\)[ \t]{{1,3}}or[ \t]{{1,3}}){OPEN}){NO_QUOTED}{string(3)}",
        rf"\1{SECRET}",
        catches='os.environ.setdefault("WANDB_API_KEY", "correcthorse")',
        leaves='os.environ.get("HF_TOKEN", None)',
    ),
    # `add_argument("--api-key", default="…")`, `click.option`, `["--password", "…"]`.
    Rule(
        "secret",
        rf"({QUOTE}--?[\w-]{{0,40}}?(?:{_STRONG}|(?i:secret)|(?<=--)token){QUOTE}[^()]{{0,200}}?(?:\([^()\n]{{0,60}}\)[^()]{{0,80}}?)?\bdefault[ \t]{{0,2}}=[ \t]{{0,2}}{OPEN}){NO_QUOTED}{string(3)}",
        rf"\1{SECRET}",
        catches='add_argument("--password", type=str, default="swordfish")',
        leaves='add_argument("--password", help="of the database")',
    ),
    Rule(
        "secret",
        rf"({QUOTE}--?[\w-]{{0,40}}?(?:{_STRONG}|(?i:secret|(?<![a-z])token)){QUOTE}, ?{OPEN})(?!-){NO_QUOTED}{string(3)}",
        rf"\1{SECRET}",
        catches='["train.py", "--api-key", "swordfish"]',
        leaves='["--password", "--lr"]',
    ),
    # Variables of the environment, by their large letters: every value of `…_KEY` there is one.
    Rule(
        "secret",
        rf"((?<![A-Za-z])(?<![a-z]_){_NO_VARIABLE}{_VARIABLE}(?:_?\d{{1,2}})?(?:={OPEN}|=(?![=\s])|{QUOTE}\][ \t]{{0,3}}=[ \t]{{0,3}}{OPEN}))"
        rf"(?!{EXPRESSION})(?:(?<=[\"'`])(?!{PLACEHOLDER}{QUOTE}){string(3)}|(?<==)(?!\d{{1,6}}(?:\.\d{{1,6}})?(?:\s|$))[^\s\"'`]{{3,2000}})",
        rf"\1{SECRET}",
        catches="export MY_SIGNING_KEY=swordfish",
        leaves="DATA_KEY=image",
    ),
    Rule(
        "secret",
        rf"(^[ \t]{{0,8}}(?:export|!export|set|set -[a-zA-Z]{{1,3}}|setx|setenv|ENV|ARG|env|%env|%set_env|declare -x|\$env:|SET|-e|--env|--build-arg)[ \t]{{1,4}}[\"']?\w{{0,60}}{_NO_VARIABLE}{_VARIABLE}(?:_?\d{{1,2}})?(?:=|[ \t]{{1,4}}=?[ \t]{{0,4}})[\"']?)"
        rf"(?!{EXPRESSION})[^\s\"'`]{{3,2000}}",
        rf"\1{SECRET}",
        catches="ENV SERVICE_TOKEN swordfish",
        leaves="set CACHE_KEY image",
    ),
    Rule(
        "secret",
        rf"(\$env:\w{{0,60}}(?i:{_VARIABLE})[ \t]{{0,3}}=[ \t]{{0,3}}[\"']?)(?!{EXPRESSION})[^\s\"'`]{{3,2000}}",
        rf"\1{SECRET}",
        catches='$env:HF_TOKEN = "swordfish"',
        leaves="$env:HF_HOME = 'x'",
    ),
    Rule(
        "secret",
        rf"([A-Z]_PAT{QUOTE}?\]?[ \t]{{0,3}}[:=][ \t]{{0,3}}[\"']?)[A-Za-z0-9_-]{{8,400}}(?=[\"'\s;]|$)",
        rf"\1{SECRET}",
        catches="export MY_PAT=swordfish",
        leaves='FILE_PAT = "*.txt"',
    ),
    # Without quotes and without spaces around `=`: what is not an expression.
    Rule(
        "secret",
        rf"((?:{_STRONG}){_SUFFIX}(?:{QUOTE})?=)(?!{EXPRESSION}|=|\d{{1,6}}[\s,;)]){_BARE}{{3,2000}}",
        rf"\1{SECRET}",
        catches="password=swordfish",
        leaves="connect(password=password, api_key=args.key)",
    ),
    # With spaces, `NAME = value` and `NAME: value`: to the end of the line, or random.
    Rule(
        "secret",
        rf"((?:{_STRONG}){_SUFFIX}(?:{QUOTE})?(?:[ \t]{{1,20}}[?+:]?=[ \t]{{0,20}}|=[ \t]{{1,20}}|[ \t]{{0,20}}(?:\[[^\]\n]{{0,40}}\])?[:：][ \t]{{0,20}}))"
        rf"(?!{EXPRESSION}|{_ATTRIBUTE}|=|!!?[a-z][\w:]{{0,30}}[ \t]|[-=+?]\$)(?:{_BARE}{{3,2000}}(?=[ \t]{{0,200}}(?:[,;}}]?[ \t\r]{{0,4}}$|#|\\n))|(?=[^\s\"'`]{{0,60}}[0-9!@$%^&*?+~]){_BARE}{{6,2000}}(?![(\[]))",
        rf"\1{SECRET}",
        catches="db_password: swordfish",
        leaves="password: str = None",
    ),
    Rule(
        "secret",
        rf"((?:密码|口令|密钥|令牌|验证码)[\"']?[ \t]{{0,3}}(?:[:：=]|是|为)[ \t]{{0,3}}[\"'“「]?)(?!{PLACEHOLDER}(?:[\s\"'”」，。]|$)|[<{{(\[])[!-~]{{4,2000}}",
        rf"\1{SECRET}",
        catches="密码：swordfish",
        leaves="密码：请输入",
    ),
    # Variables in YAML and in what people write: large letters before a colon.
    Rule(
        "secret",
        rf"((?<![A-Za-z])(?<![a-z]_){_NO_VARIABLE}(?:TOKEN|SECRET|PASS|PASSWD):[ \t]{{1,20}})(?!{EXPRESSION}|{_ATTRIBUTE}|\d{{1,6}}[\s,])(?<!\bTOKEN: )(?<!\bPASS: ){_BARE}{{6,2000}}(?=[ \t\r]{{0,20}}$)",
        rf"\1{SECRET}",
        catches="SERVICE_SECRET: swordfish",
        leaves="STOP_TOKEN: sentence",
    ),
    Rule(
        "secret",
        rf"((?<![a-z])(?<![a-z]_){_NO_VARIABLE}(?:KEY|TOKEN)[ \t]{{0,20}}[:=][ \t]{{0,20}}{OPEN}){_RANDOM}[A-Za-z0-9+/=_-]{{16,2000}}(?=[\"'`\\])",
        rf"\1{SECRET}",
        catches=f'MY_KEY = "{_K}"',
        leaves='BACKBONE_KEY = "resnet50_imagenet1k_v2"',
    ),
    Rule(
        "secret",
        r"(^[ \t-]{0,12}[Kk]ey[:=][ \t]{0,3}|[\"']--key[\"'][^()\n]{0,100}?default[ \t]?=[ \t]?[\"'])[0-9a-f]{32}(?:[0-9a-f]{8}|[0-9a-f]{32})?(?=[\s\"']|$)",
        rf"\1{SECRET}",
        catches="  key: " + "0123456789abcdef" * 2,
        leaves="  key: 0123456789abcdef",
    ),
    Rule(
        "secret",
        rf"([(,][ \t]{{0,3}}token=[\"'])(?!{PLACEHOLDER}[\"'])[A-Za-z0-9._~+/=!@#$%^&*-]{{10,2000}}(?=[\"'])",
        rf"\1{SECRET}",
        catches='snapshot_download("x", token="swordfishbanana")',
        leaves='add_tokens(token="<image>", token="hello")',
    ),
    # `secret`, whatever it is of.
    Rule(
        "secret",
        rf"((?<![A-Za-z])(?i:secrets?|pass)(?! ?:[a-z]{{2,8}}:`){_SUFFIX}{_ASSIGN}{_WRAPPED}{OPEN})(?!forward|backward|first|second){NO_QUOTED}{string(6)}",
        rf"\1{SECRET}",
        catches='{"secret": "swordfish"}',
        leaves='secret = "<hidden>"',
    ),
    Rule(
        "secret",
        rf"((?:(?<![A-Za-z])(?i:secrets?)|^[ \t]{{0,12}}pass){_SUFFIX}(?:{QUOTE})?[ \t]{{0,20}}[:=][ \t]{{0,20}})(?!{EXPRESSION})(?=[^\s\"'`]{{0,60}}[0-9]){_BARE}{{6,2000}}(?![(\[])",
        rf"\1{SECRET}",
        catches="secret: sw0rdfish",
        leaves="Secret: dropout",
    ),
    # `token` and `key`: what looks random only.
    Rule(
        "secret",
        rf"((?<![A-Za-z])(?i:token|auth|sig|signature|jwt|pass|(?<![_-])pin|cookie){_SUFFIX}{_ASSIGN}{_WRAPPED}{OPEN}){NO_QUOTED}"
        rf"(?:(?=[^\s\"'`]{{0,60}}\d[^\s\"'`\d]{{0,60}}\d)(?=[^\s\"'`\d]{{0,60}}\d?\d?[A-Za-z])(?![\d.:/-]{{1,40}}[\"'`])[A-Za-z0-9._~+/=:!@#$%^&*-]{{10,2000}}|[A-Za-z0-9._~+/=-]{{24,2000}})(?=[\"'`\\])",
        rf"\1{SECRET}",
        catches=f'requests.get(url, token="{_K}")',
        leaves='{"token": "international"}',
    ),
    Rule(
        "secret",
        rf"((?<![A-Za-z])(?i:token|sig|jwt){_SUFFIX}(?:{QUOTE})?[ \t]{{0,1}}[:=][ \t]{{0,1}})(?!{EXPRESSION}|[\d.]{{1,40}}(?:[^\w]|$)){_RANDOM}{_BARE}{{8,2000}}(?![\w.(\[])",
        rf"\1{SECRET}",
        catches=f"token: {_K}",
        leaves="bos_token=128000123 token=tokens[0]",
    ),
    Rule(
        "secret",
        rf"((?<![a-z])key{_SUFFIX}{_ASSIGN}{OPEN})(?:[0-9a-f]{{32}}(?:[0-9a-f]{{8}}|[0-9a-f]{{32}})?|{_RANDOM}(?=[A-Za-z0-9+/_-]{{0,60}}[A-Z])(?=[A-Za-z0-9+/_-]{{0,60}}[a-z])[A-Za-z0-9+/_-]{{20,2000}}={{0,2}})(?=[\"'`\\])",
        rf"\1{SECRET}",
        catches='{"username": "ann", "key": "' + "0123456789abcdef" * 2 + '"}',
        leaves='max(scores, key="layer_0_attention_output_weight")',
    ),
)  # fmt: skip
