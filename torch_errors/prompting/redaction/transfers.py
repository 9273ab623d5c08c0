"""Secrets on their way: in addresses, headers, cookies, on command lines and in the files of programs that log in."""

from __future__ import annotations

from torch_errors.prompting.redaction.rule import SECRET, Rule

# What a shell or a template puts in: no secret.
_FILLED_IN = r"(?:[\"']?(?:\$|\{|%\w|<|\*{2,}|x{3,}|\.{3}|…)|-)"
_ARGUMENT = rf"(?!{_FILLED_IN})(?:\"[^\"\n]{{1,400}}\"|'[^'\n]{{1,400}}'|[^\s\"'|;]{{1,2000}})"
_OPTIONS = r"(?:[ \t]{1,4}-{1,2}[\w-]{1,40}(?:[= ][^\s-][^\s]{0,200})?){0,8}"
# Words of prose behind the name of an option.
_PROSE = (
    r"(?:is|are|was|to|or|and|flag|option|argument|if|for|from|instead|must|should|can|will|as|with|without|in|on|of|not|the|a|an|requires?|"
    r"required|has|have|you|your|value|does|when|that|which|it|this|file|via|here|needs?|arguments?|options?|flags?|given|"
    r"None|True|False|none|true|false|null|str|string|TEXT)"
)
_HEADER_VALUE = r"[^\s\"'`\\,;]{4,4000}"

RULES = (
    # Addresses
    Rule(
        "password in an address",
        r"\b([a-z][a-z0-9+.-]{1,30}://)(?![^\s/@:]{0,100}:\d{1,5}(?:[/?#]|$))[^\s/@:\"'<>]{0,100}:(?![${<]|%[(s]|\*{2,}@)[^\s\"'<>]{1,200}@(?=[\w.\[-])",
        r"\1" + SECRET + "@",
        catches="postgres://ann:p@ss/word@db.example.org/x",
        leaves="http://localhost:8080/a@b postgres://{user}:{password}@host",
        ignore_case=True,
    ),
    Rule(
        "password in an address",
        r"((?:\b|\+)(?:https?|ftps?)://)(?!git@|\$|\{|%|<)[^\s/@:\"'<>?#]{3,400}@(?=[\w-]{1,60}[.:/])",
        r"\1" + SECRET + "@",
        catches="git clone https://swordfish@github.com/x/y.git",
        leaves="pip install git+https://github.com/x/y.git@0123abc",
        ignore_case=True,
    ),
    Rule(
        "token",
        r"([?&;](?:[\w-]{0,30}(?:token|api[_-]?key|apikey|secret|password|passwd|signature|credential)|sig|key|auth|authkey|jwt|code|pwd|hash|access|st|X-Amz-Security-Token)=)(?!\$|\{|%[(s]|<|\*{2,})[^\s&\"'<>)\\]{6,4000}",
        r"\1" + SECRET,
        catches="https://x.blob.core.windows.net/a?sv=2020&sig=abc%2Fdef%3D",
        leaves="https://example.org/?token={token}&v=2",
        ignore_case=True,
    ),
    Rule(
        "token",
        r"(hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/|discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/|"
        r"webhook\.office\.com/webhookb2/|outlook\.office(?:365)?\.com/webhook/|api\.telegram\.org/(?:file/)?bot|"
        r"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/|hooks\.zapier\.com/hooks/catch/|chat\.googleapis\.com/v1/spaces/|"
        r"maker\.ifttt\.com/trigger/\w{1,60}/with/key/|hc-ping\.com/|ntfy\.sh/|logic\.azure\.com[:\d]{0,5}/workflows/|hooks/incoming/|"
        r"api\.day\.app/|sctapi\.ftqq\.com/|(?:mattermost|rocketchat|chat)[\w.-]{0,60}/hooks/)(?![<{$]|\.\.\.)[^\s\"'<>`)]{6,1000}",
        r"\1" + SECRET,
        catches="https://hooks.slack.com/services/" + "T000/B000/" + "abcdefgh" * 3,
        leaves="https://discord.com/channels/1/2",
        ignore_case=True,
    ),
    Rule(
        "token",
        r"((?:webhook[\w-]{0,20}|hook)[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?https?://[^\s/\"']{1,100}/)(?=[^\s\"']{0,400}[A-Za-z0-9_-]{16})[^\s\"'<>`)]{8,1000}",
        r"\1" + SECRET,
        catches="WEBHOOK_URL=https://chat.example.org/hooks/" + "abcdefgh" * 3,
        leaves="webhook: https://example.org/docs/webhooks",
        ignore_case=True,
    ),
    # Headers
    Rule(
        "token",
        r"(\b(?:Proxy-)?Authorization(?:\\{0,3}[\"'])?\]?[ \t]{0,3}(?::[ \t]{0,3}(?:b?f?\\{0,3}[\"'])?|=[ \t]{0,3}b?f?\\{0,3}[\"'])(?:(?:Bearer|Basic|Token|Digest|Negotiate|NTLM|Api-?Key|Key|Splunk|JWT|OAuth|GenieKey|SSWS|DPoP|AWS4-HMAC-SHA256)[ \t]{1,3}|token=)?)"
        r"(?![${<%*]|None|null|str\b|Bearer\b|Basic\b|Token\b|required|missing|failed|header|[A-Za-z_][\w.]{0,60}[(\[,)}])[^\s\"'`\\]{4,4000}(?:(?<=,)[ \t][^\n\"']{1,2000})?",
        r"\1" + SECRET,
        catches="Authorization: token swordfish",
        leaves="Authorization: Bearer ${TOKEN}",
        ignore_case=True,
    ),
    Rule(
        "token",
        r"\b((?:Bearer|Basic)\s{1,3})(?=[A-Za-z._~+/=-]{0,60}[0-9=]|[A-Za-z0-9._~+/=-]{20})[A-Za-z0-9._~+/=-]{8,4000}",
        r"\1" + SECRET,
        catches="Bearer abc.def-ghi_jk1",
        leaves="basic block, bearer token",
        ignore_case=True,
    ),
    Rule(
        "token",
        r"(\b(?:X-[\w-]{0,40}(?:Key|Token|Secret|Auth|Signature|Password)|(?:PRIVATE|JOB|DEPLOY)-TOKEN|(?:xi-|x-goog-)?api-key|Ocp-Apim-Subscription-Key|apikey)(?:\\{0,3}[\"'])?[ \t]{0,3}[:=][ \t]{0,3}(?:b?f?\\{0,3}[\"'])?)"
        rf"(?![${{<%*]|None|null|str\b|your|[\w.]{{1,60}}[(\[,)}}]){_HEADER_VALUE}",
        r"\1" + SECRET,
        catches="X-Api-Key: swordfish",
        leaves="X-Api-Key: <key>",
        ignore_case=True,
    ),
    Rule(
        "token",
        r"(\b(?:Set-)?Cookie2?(?:\\{0,3}[\"'])?[ \t]{0,3}:[ \t]{0,3}(?:\\{0,3}[\"'])?)(?![${<%*]|None|null)(?=[\w.-]{1,60}=)[^\n\"'\\]{4,4000}",
        r"\1" + SECRET,
        catches="Set-Cookie: session=swordfish; Path=/",
        leaves="Cookie: <session>",
        ignore_case=True,
    ),
    Rule(
        "token",
        r"(\bcookies?[\"']?[ \t]{0,3}[:=][ \t]{0,3}(?:\{|dict\(|[\"'](?=[\w.-]{1,60}=)))(?![\"']type)(?=[^\n]{2})[^\n{}()]{2,4000}?(?=[})\"']?(?:[})]|$)|[\"'](?:[,;) ]|$))",
        r"\1" + SECRET,
        catches='cookies={"session": "swordfish"}',
        leaves="cookies={}",
        ignore_case=True,
    ),
    Rule(
        "token",
        r"(\b(?:session(?:id|_?token)|sessid|PHPSESSID|JSESSIONID|ASP\.NET_SessionId|connect\.sid|csrftoken|_xsrf|_gitlab_session|li_at|remember_token|sid)=)(?![${<%*])[^\s;&\"']{6,2000}",
        r"\1" + SECRET,
        catches="sessionid=swordfish",
        leaves="sessionid=<id>",
        ignore_case=True,
    ),
    # Connection strings, whose parts end in `;`
    Rule(
        "secret",
        r"((?:AccountKey|SharedAccessKey|SharedAccessSignature|SharedSecretValue|Password|Pwd|PrimaryKey)[ ]?=)(?![${<%*])[^;\s\"'`]{3,2000}(?=;)",
        r"\1" + SECRET,
        catches="Server=x;User Id=ann;Password=sword(fish;",
        leaves="AccountKey=${KEY};",
        ignore_case=True,
    ),
    # Files: netrc, docker, XML, htpasswd, /etc/shadow, pgpass
    Rule(
        "secret",
        r"(\b(?:machine[ \t]{1,4}[^\s]{1,200}|default)(?:\s{1,20}(?:login|account)\s{1,20})?)(?:(?<=login )[^\s]{1,200}|(?<=account )[^\s]{1,200})?(\s{1,20}password\s{1,20})[^\s]{1,400}",
        rf"\1{SECRET}\2{SECRET}",
        catches="machine api.wandb.ai login user password swordfish",
        leaves="machine learning needs no password",
        ignore_case=True,
    ),
    Rule(
        "secret",
        r"(\blogin[ \t]{1,20})[A-Za-z0-9][^\s]{0,100}(\s{1,20}password[ \t]{1,20})[^\s]{3,400}",
        rf"\1{SECRET}\2{SECRET}",
        catches="login ann\n  password swordfish",
        leaves="login and password",
    ),
    Rule(
        "secret",
        r"([\"']?\bauth[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"'])(?=[A-Za-z0-9+/]{0,200}[A-Z0-9=])[A-Za-z0-9+/]{8,2000}={0,2}(?=[\"'])",
        rf"\1{SECRET}",
        catches='{"auths": {"ghcr.io": {"auth": "YW5uOnN3b3JkZmlzaA=="}}}',
        leaves='{"auth": "required"}',
    ),
    Rule(
        "secret",
        r"(<(?:\w{1,40}:)?\w{0,40}(?:password|passwd|token|apikey|api_key|secret|accesskey|privatekey)>)(?![${<])[^<\n]{3,1000}(?=</)",
        rf"\1{SECRET}",
        catches="<password>swordfish</password>",
        leaves="<password>${env.PW}</password>",
        ignore_case=True,
    ),
    Rule(
        "secret",
        r"(<add key=\"[\w:.-]{0,60}(?:password|token|key|secret)\" value=\")[^\"\n]{3,1000}",
        rf"\1{SECRET}",
        catches='<add key="ClearTextPassword" value="swordfish"',
        leaves='<add key="nuget" value="https://x"',
        ignore_case=True,
    ),
    Rule(
        "secret",
        r"((?:^|[\s:\"'])[A-Za-z_][\w.-]{0,40}:)\$(?:apr1|1|2[aby]|5|6|y|argon2id?)\$[A-Za-z0-9./$=,+]{20,400}",
        rf"\1{SECRET}",
        catches="ann:$6$" + "abcdefgh$" + "abcdefgh" * 4,
        leaves="ann:$HOME",
    ),
    # Command lines
    # Commands whose last word is a secret.
    Rule(
        "secret",
        rf"(\b(?:mc[ \t]{{1,3}}alias[ \t]{{1,3}}set[ \t]{{1,3}}[^\s]{{1,60}}[ \t]{{1,3}}[^\s]{{1,200}}[ \t]{{1,3}}[^\s]{{1,100}}|(?:[\w-]{{1,20}}[ \t]{{1,3}}){{1,3}}(?:(?:add-|set-)?authtoken|auth[ \t]token|set-token|add-token)|(?:pulumi|firebase|heroku|flyctl|fly)[ \t][^\n]{{0,60}}(?:--secret[ \t]{{1,3}}\w{{1,60}}|functions:secrets:set)|rclone[ \t]obscure|(?:cargo|vault|swanlab|npm|gh|hf|clearml|dvc|zenml)[ \t]login(?:[ \t]{{1,3}}(?:-k|--api-key|--token))?|(?:put-secret|create-secret)[^\n]{{0,100}}?--(?:string-value|secret-string|value)|nmcli[ \t][^\n]{{1,100}}?[ \t](?:password|wifi-sec\.psk))[ \t=]{{1,3}})(?!{_PROSE}[\s.,;:)]|{_PROSE}$|-|command|first|again|failed|using|before|shell){_ARGUMENT}(?=[ \t\r]{{0,20}}(?:$|[#;&|\"'`]))",
        rf"\1{SECRET}",
        catches="ngrok config add-authtoken swordfish",
        leaves="npm login first",
    ),
    Rule(
        "secret",
        rf"((?<![\w-])--?(?:[\w-]{{0,40}}[_-])?(?:api[_-]?key|apikey|password|passwd|passphrase|secret|secret[_-]key|access[_-]?key|access[_-]?token|"
        rf"auth[_-]?token|hub[_-]token|hf[_-]token|api[_-]token|bot[_-]token|pwd|http-password|token-secret|account-key|client-secret|credentials?|(?<=-)pass)(?:=|[ \t]{{1,3}}))(?!\d{{1,4}}(?:\s|$))"
        rf"(?!{_PROSE}[\s.,;:)\]]|{_PROSE}$|[A-Z_]{{2,40}}(?:[\s\])]|$)|\[|\(){_ARGUMENT}",
        rf"\1{SECRET}",
        catches="train.py --api-key swordfish --lr 0.1",
        leaves="--password is required [--api-key API_KEY] --hf-token $HF_TOKEN",
    ),
    Rule(
        "secret",
        rf"((?<![\w-])--(?:[\w-]{{0,40}}[_-])?(?:token|key|auth)(?:=|[ \t]{{1,3}}))(?!{_PROSE}[\s.,;:)\]]|[A-Z_]{{2,40}}(?:[\s\])]|$))(?=[^\s\"']{{0,60}}[0-9])(?![\d.]{{1,40}}(?:\s|$))(?=[^\s]{{8}}){_ARGUMENT}",
        rf"\1{SECRET}",
        catches="login --token abcdef123456",
        leaves="--max-token 128 --sort-key loss",
    ),
    Rule(
        "secret",
        rf"(\b(?:curl|wget|http|https|httpie|mc|aria2c)\b[^\n|;]{{0,400}}?[ \t](?:-u|--user|--proxy-user|-U|-a|--auth)(?:=|[ \t]{{0,3}})(?:[\"']?))(?!{_FILLED_IN})[^\s:\"'/]{{0,100}}:(?!{_FILLED_IN}|//)[^\s\"']{{1,400}}",
        rf"\1{SECRET}",
        catches="curl -s -u ann:swordfish https://example.org",
        leaves="curl -u $USER:$PASS https://example.org",
    ),
    Rule(
        "secret",
        rf"(\bsshpass[ \t]{{1,3}}(?:-v[ \t]{{1,3}})?-p[ \t]{{0,3}})(?:{_ARGUMENT})",
        rf"\1{SECRET}",
        catches="sshpass -p swordfish ssh node",
        leaves="sshpass -e ssh node",
    ),
    Rule(
        "secret",
        rf"(\b(?:mysql|mysqldump|mysqladmin|mariadb|mongo|mongosh|mongodump|7z|7za|unrar|rar)\b(?:[ \t]{{1,3}}[^\s|;]{{1,200}}){{0,8}}?[ \t]{{1,3}}-p)(?=[^\s-])(?:{_ARGUMENT})",
        rf"\1{SECRET}",
        catches="mysql -u ann -pswordfish db",
        leaves="mysql -u ann -p db",
    ),
    Rule(
        "secret",
        rf"(\b(?:docker|podman|nerdctl|helm|skopeo|crane|oras|az|az acr|twine|buildah|oc|mongo|mongosh|mongodump|xfreerdp|rdesktop)\b[^\n|;]{{0,200}}?[ \t](?:-p|--password)[ \t=]{{1,3}})(?=[^\n]{{0,1}}[^\s\d:])(?!\d{{1,5}}:\d)(?:{_ARGUMENT})",
        rf"\1{SECRET}",
        catches="docker login -u ann -p swordfish ghcr.io",
        leaves="docker run -p 8888:8888 image",
    ),
    Rule(
        "secret",
        rf"(\b(?:redis-cli\b[^\n|;]{{0,200}}?[ \t]-a|ldap\w{{2,10}}\b[^\n|;]{{0,200}}?[ \t]-w|(?:un)?zip\b[^\n|;]{{0,200}}?[ \t]-P|sqlcmd\b[^\n|;]{{0,200}}?[ \t]-P|htpasswd[ \t]{{1,3}}-\w{{0,4}}b\w{{0,4}}[ \t]{{1,3}}[^\s]{{1,200}}[ \t]{{1,3}}[^\s]{{1,60}}|gpg\b[^\n|;]{{0,200}}?--passphrase|(?:wandb|comet)[ \t]{{1,3}}login{_OPTIONS}(?=[ \t])|kaggle[ \t]config[ \t]set[ \t]-n[ \t]key[ \t]-v|openssl\b[^\n|;]{{0,200}}?(?:pass:|[ \t]-k(?=[ \t]))|gh[ \t]auth[ \t]login[ \t]--with-token[ \t]<<<|smbclient\b[^\n|;]{{0,200}}?-U[ \t]?[\w.\\-]{{1,60}}%|curl\b[^\n|;]{{0,400}}?[ \t](?:-b|--cookie)(?=[ =][\"']?[\w.-]{{1,60}}=)=?|sudo[ \t]-S[ \t]<<<)[ \t]{{0,3}})(?!to\b|with\b|and\b|or\b|first\b|again\b|command\b|in\b|before\b|failed\b|using\b|is\b|required\b|--|\(|:|`)(?:{_ARGUMENT})",
        rf"\1{SECRET}",
        catches="wandb login --relogin swordfish",
        leaves="wandb login --relogin",
    ),
    Rule(
        "secret",
        rf"(\b(?:aws[ \t]configure[ \t]set|git[ \t]config(?:[ \t]--\w{{3,10}})?|npm[ \t](?:config[ \t])?set|poetry[ \t]config|pip[ \t]config[ \t]set|conda[ \t]config[ \t]--set|heroku[ \t]config:set|gh[ \t]secret[ \t]set|dvc[ \t]remote[ \t]modify|rclone[ \t]config[ \t]\w{{1,12}}|mc[ \t]alias[ \t]set)[ \t]{{1,3}}[^\n]{{0,200}}?(?:key_id|key|token|password|secret|pass|_authToken|pypi-token\.pypi)(?:[ \t]{{1,3}}(?:-b|--body)?|=)[ \t]{{0,3}})(?:{_ARGUMENT})",
        rf"\1{SECRET}",
        catches="aws configure set aws_secret_access_key swordfish",
        leaves="aws configure set region us-east-1",
        ignore_case=True,
    ),
    Rule(
        "secret",
        r"(\becho[ \t]{1,3}(?:-n[ \t]{1,3})?[\"']?)(?!\$|\{)[^\s|\"']{4,400}(?=[\"']?[ \t]{0,3}\|[^\n]{0,200}(?:--password-stdin|sudo -S|passwd|--with-token|--stdin|login))",
        rf"\1{SECRET}",
        catches="echo swordfish | docker login --password-stdin",
        leaves="echo hello | grep h",
    ),
    Rule(
        "secret",
        r"((?:--from-literal=|net use [^\n]{0,100}?/user:)[\w.\\-]{1,80}[= ])(?![$<{])[^\s\"']{3,1000}",
        rf"\1{SECRET}",
        catches="kubectl create secret generic x --from-literal=db=swordfish",
        leaves="--from-literal=db=$DB",
    ),
    # Calls that log in, whose argument has no name
    Rule(
        "secret",
        r"((?:\b|_)(?:login|set_access_token|set_token|save_token|set_api_key|authenticate|Bearer|HfFolder\.save_token|AzureKeyCredential|TokenAuth|SecretStr|SecretBytes|set_openai_key|load_secret|SecureString)\([ \t]{0,3}(?:(?:token|key|api_key|apikey|relogin=True, ?key)[ \t]{0,2}=[ \t]{0,2})?[rbfu]?[\"'])(?![${<%*]|https?:)(?:[^\s\"'@]{6,2000}|[^\"'\n@]{6,400})(?=[\"'])",
        rf"\1{SECRET}",
        catches='wandb.login(key="swordfish")',
        leaves='login("<token>")',
    ),
    Rule(
        "secret",
        r"((?:\b(?:auth|HTTPBasicAuth|HTTPDigestAuth|BasicAuth|login|basic_auth|proxy_auth|http_auth)[ \t]{0,2}=?[ \t]{0,2}(?:[\w.]{0,40}BasicAuth)?\([ \t]{0,3}[rbfu]?[\"'])[^\"'\n]{1,200}[\"'][ \t]{0,2},[ \t]{0,2}[rbfu]?[\"'])(?![${<%*]|\w{0,20}(?:key|token|password|name)[\"'])[^\"'\n]{3,400}(?=[\"'])",
        rf"\1{SECRET}",
        catches='requests.get(url, auth=("ann", "swordfish"))',
        leaves='auth=("ann", "<password>")',
    ),
    Rule(
        "secret",
        r"(\b(?:Client|ClientV2|AsyncClient|OpenAI|Anthropic|Groq|Together|Mistral|MistralClient|Replicate|TeleBot|Bot|Pinecone|configure|set_key)\([ \t]{0,3}[\"'])(?=[\w:-]{0,60}\d)(?![\w-]{0,60}[-_][a-z]{3,}[-_])[A-Za-z0-9_:-]{24,2000}(?=[\"'])",
        rf"\1{SECRET}",
        catches='cohere.Client("' + "aB3dE5gH" * 5 + '")',
        leaves='Client("https://example.org")',
    ),
    Rule(
        "secret",
        r"(\b(?:response|nonce|cnonce|opaque)=\")[A-Za-z0-9+/=]{8,400}",
        rf"\1{SECRET}",
        catches='Digest username="ann", response="' + "0123456789abcdef" * 2 + '"',
        leaves='response="ok"',
    ),
    Rule(
        "secret",
        r"(\b(?:password|passphrase|passcode|api[ _]key|access token|token) (?:is|was)[ :]{1,3}[\"'`]?)(?=[^\s\"'`]{0,60}\d)(?=[^\s\"'`]{0,60}[A-Za-z])(?!\d{1,12}\b)[^\s\"'`,;()]{6,400}",
        rf"\1{SECRET}",
        catches="my password is hunter22",
        leaves="the token is 128000123, the password is checked",
        ignore_case=True,
    ),
    # What sets or takes a secret, by the name of the function.
    Rule(
        "secret",
        r"((?i:\bset_?(?:[a-z]{1,20}_)?(?:token|key|password|secret|credentials?)|(?:authorize|authenticate|log_?in|use_token)|\bFernet|\bAES\.new|\bhmac\.new|\bjwt\.(?:en|de)code\([\w.]{1,40},|\b(?:ChaCha20Poly1305|AESGCM|HTTPBearer|TokenAuthentication)"
        r")[(]?[ \t]{0,3}(?:(?:token|key|password|secret|k)[ \t]?=[ \t]?)?[rbu]?[\"'])(?![${<%*]|https?:|[a-z]{1,12}[\"'][,)]|\w{0,20}(?:key|token|password)[\"'])[^\s\"'@(){}]{6,2000}(?=[\"'])",
        rf"\1{SECRET}",
        catches='client.set_auth_token("swordfishbanana")',
        leaves='set_token("pad"); batch.set_key("token"); login("user")',
    ),
    # A client made with nothing but a long random text, or with one behind an account's id.
    Rule(
        "secret",
        r"(\b(?:[A-Za-z]{0,30}(?:Client|Github|Gitlab|Api|API|Session|Bot|Service|Connection|Credentials?|Auth|Login))\((?:[\w=]{0,20}[\"'][^\"'\n]{1,100}[\"'],[ \t]?)?[\"'])(?=[A-Za-z0-9_+/=:-]{0,80}\d)(?=[0-9_+/=:-]{0,60}[A-Za-z])(?![\w-]{0,60}[-_][a-z]{3,}[-_])[A-Za-z0-9_+/=:-]{24,2000}(?=[\"'])",
        rf"\1{SECRET}",
        catches='Github("' + "aB3dE5gH" * 5 + '")',
        leaves='Client("my-long-project-name-for-2024-experiments")',
    ),
    # Behind the name of a user.
    Rule(
        "secret",
        r"(\b(?i:log_?in|credentials?|connect|authenticate|auth|signin|sign_in)\((?:[ \t]{0,3}[\"'][^\"'\n]{1,100}[\"'],[ \t]?\d{1,5},)?[ \t]{0,3}[rbu]?[\"'][^\"'\n]{1,100}[\"'],[ \t]{0,3}[rbu]?[\"'])(?![${<%*]|https?:|\w{0,20}(?:key|token|password|name)[\"'])[^\s\"'(){}]{5,400}(?=[\"'])",
        rf"\1{SECRET}",
        catches='server.login("ann@example.org", "swordfish")',
        leaves='login("user", "password")',
    ),
    Rule(
        "secret",
        rf"(\b(?:rclone[ \t]config[ \t]\w{{1,12}}|dvc[ \t]remote|aws[ \t]configure|git[ \t]config|conda[ \t]config|npm[ \t]config)[ \t][^\n]{{1,300}}[ \t](?i:[\w.-]{{0,40}}(?:secret_access_key|secret|password|pass|token))[ \t=]{{1,3}}){_ARGUMENT}",
        rf"\1{SECRET}",
        catches="rclone config create r s3 access_key_id x secret_access_key swordfish",
        leaves="git config --get credential.helper",
    ),
    Rule(
        "secret",
        rf"(\b(?:az|openssl|swanlab|gpg|azcopy|blobfuse|7z|restic|borg|lftp|ncftp|smbclient|twine|sqlcmd|bcp|ldapsearch|mount\.cifs|kinit|cadaver|rpcclient|influx|cqlsh|clickhouse-client)\b[^\n|;]{{0,200}}?[ \t](?:-k|-p|-P|-w|--password|--account-key)(?:=|[ \t]{{1,3}}))(?=[^\s]{{0,200}}[A-Za-z])(?!\d{{1,5}}\b){_ARGUMENT}",
        rf"\1{SECRET}",
        catches="az storage blob list -k swordfish",
        leaves="openssl rand -hex 16",
    ),
    Rule(
        "secret",
        rf"(\b(?:lftp|ncftpget|ncftpput|smbclient|rpcclient|net|curl|smbmap)\b[^\n|;]{{0,200}}?[ \t]-[uU][ \t]{{0,3}}[\"']?[\w.@\\-]{{1,60}}[,%])(?!{_FILLED_IN})[^\s\"']{{3,400}}",
        rf"\1{SECRET}",
        catches="lftp -u ann,swordfish ftp://h",
        leaves="lftp -u ann,$PW ftp://h",
    ),
    Rule(
        "secret",
        r"(\b(?:echo|printf)[ \t]{1,3}(?:-n[ \t]{1,3}|'%s(?:\\n)?'[ \t]{1,3})?[\"']?)(?!\$|\{)[^\s|\"']{4,400}(?=[\"']?[ \t]{0,3}\|[^\n]{0,200}(?:--password-stdin|sudo -S|passwd|--with-token|--stdin|\blogin|\bkinit|cryptsetup|gpg|sshpass|vncpasswd|openssl|smbpasswd|base64 -d))",
        rf"\1{SECRET}",
        catches="echo swordfish | kinit ann",
        leaves="echo hello | grep h",
    ),
    Rule(
        "secret",
        rf"((?:--password-command[ =][\"']echo[ \t]|\b(?:vncpasswd|passwd|cryptsetup|kinit|sudo|gpg|login)\b[^\n|;]{{0,100}}<<<[ \t]{{0,3}}))(?:{_ARGUMENT}|[^\s\"']{{3,100}})",
        rf"\1{SECRET}",
        catches="vncpasswd <<< swordfish",
        leaves='vncpasswd <<< "$PW"',
    ),
    Rule(
        "secret",
        rf"(--\w{{1,40}}(?:App|Hub|Proxy|Spawner)\.(?:token|password|auth_token|cookie_secret)=){_ARGUMENT}",
        rf"\1{SECRET}",
        catches="--NotebookApp.token='swordfish'",
        leaves="--NotebookApp.token='' --ServerApp.port=1",
    ),
    # A token in the place of the user, and as a folder of an address.
    Rule(
        "password in an address",
        r"(\b[a-z][a-z0-9+.-]{1,30}://)(?![${<%*])[^\s/@:\"'<>]{8,400}:(?=@[\w\[])",
        rf"\1{SECRET}",
        catches="https://swordfish1:@example.org",
        leaves="https://$USER:@example.org",
    ),
    Rule(
        "secret",
        r"(\bcurl\b[^\n|;]{0,400}?[ \t](?:-u|--user)[ \t=]{0,3}[\"']?)(?![${<%*])[^\s:\"'/]{8,400}(?=:[\"']?(?:\s|$))",
        rf"\1{SECRET}",
        catches="curl -u swordfish: https://example.org",
        leaves="curl -u $KEY: https://example.org",
    ),
    Rule(
        "token",
        r"((?:https?://[\w.-]{1,100}(?::\d{2,5})?)/(?:[\w.-]{1,40}/){0,2}(?:t|token|tokens|apikey|key)/)(?![${<%*])(?=[^\s/\"']{0,100}\d)[A-Za-z0-9_-]{16,400}(?=[/\s\"')]|$)",
        rf"\1{SECRET}",
        catches="https://conda.anaconda.org/t/" + "aB3dE5gH" * 3 + "/ann",
        leaves="https://example.org/t/topic-title-12/3",
    ),
    # .pgpass, and files of settings that put a blank between name and value
    Rule(
        "secret",
        r"(^[ \t]{0,4}[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w.*-]{1,60}:)(?![\d:.]{1,40}$)[^\s:]{4,400}(?=[ \t\r]{0,4}$)",
        rf"\1{SECRET}",
        catches="db.example.org:5432:*:ann:swordfish",
        leaves="train.py:12:3:4:5",
    ),
    Rule(
        "secret",
        r"(^[ \t]{0,12}(?:requirepass|masterauth|rootpw|bindpw|auth_pass|ldap_default_authtok|sasl_passwd|wpa_passphrase|wpa-psk|password|passwd|secret|proxy_password)[ \t]{1,20}[\"']?)(?![${<%*=:({|]|\w{0,20}(?:ed|ing|ly|ble|ion|s|for|is|file|auth)\b)[^\s\"']{6,400}(?=[\"']?[ \t\r]{0,4}$)",
        rf"\1{SECRET}",
        catches="requirepass swordfish",
        leaves="password required\npassword authentication",
    ),
    # Prompts: `Password for 'https://github.com': …`, `Enter your API key and hit enter: …`
    Rule(
        "secret",
        r"(\b(?:(?:API|access|secret) ?key|password|passphrase|(?:access|personal access|API|authentication|verification|login)[ -](?:token|code)|one-time (?:password|code)|token(?= \())\b(?: (?:for|of|from|is|and|to|in|on|here)\b[^\n:]{0,120}(?:https?://[^\s'\"]{1,100}['\"]?[^\n:]{0,40})?| \([^()\n]{0,80}\))[:：=][ \t]{1,4})(?![${<%*({\[\"'])(?:(?=[^\s]{0,200}\d)[^\s\"'`]{6,2000}|[^\s\"'`]{6,2000}(?=[ \t\r]{0,20}$))",
        rf"\1{SECRET}",
        catches="Password for 'https://ann@github.com': swordfish",
        leaves="The password is checked: True",
        ignore_case=True,
    ),
)  # fmt: skip
