"""What must not stay in a prompt, by class: lines as people paste them, each with the part that must vanish.

`§` stands for that part. Tokens are made at run time, from a seed, so that no scanner of repositories takes them for
real ones; passwords are words.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator

_LETTERS = string.ascii_letters + string.digits


def _made(count: int, alphabet: str = _LETTERS) -> str:
    """`count` characters, the same at every run."""
    return "".join(random.Random(f"{count}{alphabet}").choices(alphabet, k=count))


def _hex(count: int) -> str:
    return _made(count, "0123456789abcdef")


def _base64(count: int) -> str:
    return _made(count, _LETTERS + "+/")


_WANDB, _KAGGLE, _AWS = _hex(40), _hex(32), _base64(40)
_WORD, _MIXED, _SYMBOLS = "swordfishbanana", "Tr0ub4dor3xyz", "h#nt!er2%x"
_PEM = "\n".join([_base64(64)] * 3 + [_base64(30) + "=="])
_BEGIN, _END = "-----BEGIN " + "%s-----", "-----END " + "%s-----"


def _block(kind: str, body: str = _PEM) -> str:
    return f"{_BEGIN % kind}\n{body}\n{_END % kind}"


# Class -> lines with the part that must vanish.
CLASSES: dict[str, list[tuple[str, str]]] = {
    "assigned to os.environ": [
        ('os.environ["WANDB_API_KEY"] = "§"', _WANDB),
        ("os.environ['HF_TOKEN'] = '§'", _WORD),
        ('os.environ["OPENAI_API_KEY"]="§"', _made(48)),
        ('os.environ.setdefault("KAGGLE_KEY", "§")', _KAGGLE),
        ("environ.setdefault('AWS_SECRET_ACCESS_KEY', '§')", _AWS),
        ('os.putenv("NEPTUNE_API_TOKEN", "§")', _made(60)),
        ('token = os.environ.get("HF_TOKEN", "§")', _made(37)),
        ("key = os.getenv('COMET_API_KEY', '§')", _made(25)),
    ],
    "parsers of arguments": [
        ('parser.add_argument("--wandb_key", type=str, default="§", help="key of W&B")', _WANDB),
        ("parser.add_argument('--password', required=False, default='§')", _SYMBOLS),
        ('ap.add_argument("--hf-token", dest="token", default="§")', _made(30)),
        ('@click.option("--token", default="§", show_default=False)', _made(30)),
        ('flags.DEFINE_string("api_key", "§", "key")', _WORD),
        ('parser.add_argument("-p", "--db_password", default="§")', _WORD),
        ('api_key: str = "§"', _made(40)),
        ("Namespace(lr=0.1, wandb_api_key='§', epochs=3)", _WANDB),
    ],
    "dictionaries and JSON": [
        ("{'api_key': '§', 'model': 'gpt'}", _WORD),
        ('{"password": "§", "host": "db"}', _SYMBOLS),
        ('{"password":"§"}', "correct horse battery"),
        ('{\\"api_key\\": \\"§\\", \\"n\\": 1}', _made(24)),
        ('"client_secret": "§",', _made(24)),
        ("'secret_key': b'§'", _made(24)),
        ('"apiKey": "§"', _made(32)),
        ('"accessToken" : "§"', _made(32)),
    ],
    "YAML and INI": [
        ("api_key: §", _made(32)),
        ("  password: §", _WORD),
        ("password: '§'", "correct horse battery"),
        ('  token: "§"', _made(32)),
        ("wandb:\n  api_key: §\n  project: x", _WANDB),
        ("hf_token: § # of Hugging Face", _made(34)),
        ("db_password = §", _MIXED),
        ("[default]\naws_access_key_id = x\naws_secret_access_key = §", _AWS),
    ],
    "flags": [
        ("python train.py --api_key=§", _WORD),
        ("torchrun train.py --wandb-key § --epochs 3", _WANDB),
        ("accelerate launch x.py --hub_token § --push_to_hub", _made(34)),
        ("python x.py --password '§'", "correct horse"),
        ("python x.py --db-password=§", _SYMBOLS),
        ("x --token § -v", _made(20)),
        ("x --secret-key=§", _made(24)),
        ("subprocess.run(['x', '--api-key', '§'])", _WORD),
    ],
    "prompts": [
        ("Password: §", _WORD),
        ("password for ann: §", _MIXED),
        ("Password for 'https://ann@github.com': §", _WORD),
        ("API key: §", _WORD),
        ("Enter API key: §", _made(40)),
        ("wandb: Paste an API key from your profile and hit enter, or press ctrl+c to quit: §", _WANDB),
        ("Enter your OpenAI API key: §", _made(40)),
        ("Your personal access token: §", _made(30)),
    ],
    "variables of a shell": [
        ("export WANDB_API_KEY=§", _WANDB),
        ("export HF_TOKEN='§'", _WORD),
        ('export SECRET_KEY="§"', "correct horse"),
        ("set OPENAI_API_KEY=§", _made(48)),
        ("setenv NGC_API_KEY §", _made(60)),
        ("setx REPLICATE_API_TOKEN §", _made(40)),
        ("ENV DB_PASSWORD=§", _WORD),
        ("ENV AUTH_TOKEN §", _WORD),
    ],
    "code": [
        ('openai.api_key = "§"', _made(40)),
        ('wandb.login(key="§")', _WANDB),
        ("wandb.login(key='§', relogin=True)", _made(86)),
        ('login("§")', "hf" + _made(34)),
        ('login(token="§")', _WORD),
        ('huggingface_hub.login(token="§", add_to_git_credential=True)', _made(34)),
        ("comet_ml.Experiment(api_key='§', project_name='x')", _made(25)),
        ('neptune.init_run(api_token="§")', _made(60)),
    ],
    "headers": [
        ("Authorization: Bearer §", _made(40)),
        ("Authorization: token §", _made(40)),
        ("Authorization: Basic §", _base64(24) + "=="),
        ("authorization: §", _made(32)),
        ('headers = {"Authorization": "Bearer §"}', _WORD),
        ("headers={'Authorization': 'Token §'}", _made(40)),
        ('-H "Authorization: Api-Key §"', _made(40)),
        ("X-Api-Key: §", _WORD),
    ],
    "cookies": [
        ("Cookie: session=§; theme=dark", _made(30)),
        ("Set-Cookie: sid=§; HttpOnly; Path=/", _made(30)),
        ('cookies = {"session": "§"}', _made(30)),
        ("requests.get(url, cookies={'jwt': '§'})", _made(30)),
        ("cookie: _xsrf=§", _made(30)),
        ("sessionid=§", _made(32)),
        ("PHPSESSID=§", _made(26)),
        ('headers = {"Cookie": "auth=§"}', _made(30)),
    ],
    "addresses with passwords": [
        ("https://ann:§@example.org/x.git", _WORD),
        ("git clone https://ann:§@github.com/a/b.git", "p@ss/word"),
        ("postgresql+psycopg2://ann:§@db:5432/x", "p@ss:w/d"),
        ("redis://:§@cache:6379/0", _WORD),
        ("mongodb+srv://ann:§@cluster0.example.mongodb.net/x", _SYMBOLS.replace("#", "")),
        ("amqp://ann:§@rabbit//", _WORD),
        ("https_proxy=http://ann:§@proxy:3128", _WORD),
        ("pip install --extra-index-url https://__token__:§@pypi.example.org/simple x", _made(20)),
    ],
    "parameters of addresses": [
        ("https://x.blob.core.windows.net/c/b?sv=2022-11-02&sig=§", _made(40, _LETTERS + "%")),
        ("https://b.s3.amazonaws.com/k?X-Amz-Signature=§", _hex(64)),
        ("https://b.s3.amazonaws.com/k?AWSAccessKeyId=x&Signature=§&Expires=1", _made(28)),
        ("http://localhost:8888/?token=§", _hex(48)),
        ("http://127.0.0.1:8888/lab?token=§", _hex(48)),
        ("https://api.example.org/v1?api_key=§&q=x", _WORD),
        ("https://maps.example.org/api?key=§", _made(39)),
        ("https://example.org/cb?access_token=§", _made(40)),
    ],
    "webhooks": [
        ("https://hooks.slack.com/services/§", f"T{_made(8)}/B{_made(8)}/{_made(24)}"),
        ("https://discord.com/api/webhooks/§", f"{_made(18, '0123456789')}/{_made(68)}"),
        ("https://discordapp.com/api/webhooks/§", f"{_made(18, '0123456789')}/{_made(60)}"),
        ("https://x.webhook.office.com/webhookb2/§", f"{_hex(8)}@{_hex(8)}/IncomingWebhook/{_hex(32)}"),
        ("https://api.telegram.org/bot§/sendMessage", f"{_made(9, '123456789')}:AA{_made(33)}"),
        ("https://open.feishu.cn/open-apis/bot/v2/hook/§", f"{_hex(8)}-{_hex(4)}-{_hex(12)}"),
        ("https://oapi.dingtalk.com/robot/send?access_token=§", _hex(64)),
        ("https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=§", f"{_hex(8)}-{_hex(4)}-{_hex(12)}"),
    ],
    "tokens by their format": [
        (f"login failed: {prefix}§", body)
        for prefix, body in (
            ("hf_", _made(34, string.ascii_letters)),
            ("api_org_", _made(34, string.ascii_letters)),
            ("sk-", _made(48)),
            ("sk-proj-", _made(120, _LETTERS + "-_")),
            ("sk-ant-api03-", _made(93, _LETTERS + "-_")),
            ("sk-or-v1-", _hex(64)),
            ("wandb_v1_", _made(77)),
            ("local-", _hex(40)),
            ("r8_", _made(37)),
            ("gsk_", _made(52)),
            ("nvapi-", _made(64)),
            ("xai-", _made(80)),
            ("pplx-", _made(48)),
            ("tgp_v1_", _made(43)),
            ("fw_", _made(24)),
            ("csk-", _made(48)),
            ("rpa_", _made(46)),
            ("pcsk_", _made(70)),
            ("lsv2_pt_", _hex(32) + "_" + _hex(10)),
            ("KGAT_", _hex(32)),
            ("ak-", _made(22)),
            ("jina_", _made(60)),
            ("pa-", _made(43)),
            ("tvly-", _made(32)),
            ("ghp_", _made(36)),
            ("gho_", _made(36)),
            ("github_pat_", _made(82)),
            ("glpat-", _made(20)),
            ("npm_", _made(36)),
            ("pypi-", "AgEIcHlwaS5vcmc" + _made(80)),
            ("dckr_pat_", _made(27)),
            ("AKIA", _made(16, string.ascii_uppercase)),
            ("AIza", _made(35)),
            ("ya29.", _made(60)),
            ("GOCSPX-", _made(28)),
            ("LTAI", _made(20)),
            ("dapi", _hex(32)),
            ("dop_v1_", _hex(64)),
            ("hvs.", _made(95)),
            ("xoxb-", "1234567890-1234567890-" + _made(24)),
            ("xapp-1-", "A1-1-" + _made(40)),
            ("SG.", _made(22) + "." + _made(43)),
            ("SK", _hex(32)),
            ("key-", _hex(32)),
            ("sk_live_", _made(24)),
            ("whsec_", _made(32)),
            ("shpat_", _hex(32)),
            ("sntryu_", _hex(64)),
            ("glsa_", _made(41)),
            ("ntn_", _made(46)),
            ("PMAK-", _hex(24) + "-" + _hex(34)),
            ("ATATT", "3" + _made(180)),
            ("tskey-auth-", _made(30)),
            ("lin_api_", _made(40)),
            ("eyJ" + "hbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxIn0." + _made(43)),
            ("123456789:", "AA" + _made(33)),
            ("phx_", _made(43)),
        )
    ],
    "private keys": [
        (_block("OPENSSH " + "PRIVATE KEY", "§"), _PEM),
        (_block("RSA " + "PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\n§"), _PEM),
        (_block("PGP " + "PRIVATE KEY BLOCK", "Version: GnuPG v2\n\n§"), _PEM),
        (f"§\n{_END % ('RSA ' + 'PRIVATE KEY')}\nafter", _PEM),
        ('{"private_key": "' + _block("PRIVATE KEY", "§").replace("\n", "\\n") + '\\n", "x": 1}', _base64(64)),
        ('{"private_key": "' + (_BEGIN % ("PRIVATE " + "KEY")) + "\\n§\\nMII", _base64(64)),
        (
            "\n".join(
                f"2026-01-01 12:00:00,123 INFO {line}" for line in _block("RSA " + "PRIVATE KEY", "§").split("\n")
            ),
            _base64(64),
        ),
        ("\n".join(f"> {line}" for line in _block("PRIVATE KEY", "§").split("\n")), _base64(64)),
    ],
    "public keys": [
        (f"ssh-rsa AAAAB3NzaC1yc2E{_base64(80)} §", "ann@laptop"),
        (f"ssh-ed25519 AAAAC3NzaC1lZDI1{_base64(40)} §", "annabel lee"),
    ],
    "command lines": [
        ("curl -u ann:§ https://example.org", _WORD),
        ("curl --user 'ann:§' https://example.org", "correct horse"),
        ("curl -s -X POST -u ann:§ -d @x https://example.org", _SYMBOLS),
        ("wget --user=ann --password=§ https://example.org", _WORD),
        ("mysql -u ann -p§ db", _WORD),
        ("mysql -uroot -h db -p'§'", _WORD),
        ("sshpass -p § ssh ann@node", _WORD),
        ("sshpass -p '§' scp a b", "correct horse"),
    ],
    "files of programs that log in": [
        ("machine api.wandb.ai login user password §", _WANDB),
        ("machine api.wandb.ai\n  login user\n  password §", _WANDB),
        ("machine github.com login ann password §", _WORD),
        ('{"username":"ann","key":"§"}', _KAGGLE),
        (
            "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=§;EndpointSuffix=core.windows.net",
            _base64(86) + "==",
        ),
        ("Endpoint=sb://x.net/;SharedAccessKeyName=x;SharedAccessKey=§", _base64(43) + "="),
        ("Server=tcp:x;Database=d;User ID=ann;Password=§;Encrypt=True", "sword,fish(1)"),
        ("<password>§</password>", _WORD),
    ],
    "folders": [
        (r"C:\Users\§\thesis\train.py", "Bob Smith"),
        (r"open('C:\\Users\\§\\x.py')", "annabel"),
        ("C:/Users/§/x.py", "annabel"),
        ("/Users/§/thesis/x.py", "Bob Smith"),
        ("/home/§/x.py", "annabel"),
        ("/scratch/§/runs/best.pt", "annabel"),
        ("/gpfs/scratch/§/x", "annabel"),
        ("/gpfs/group7/§/x", "annabel"),
    ],
    "names of people": [
        ("USER=§", "annabel"),
        ("LOGNAME=§", "annabel"),
        ("USERNAME=§", "annabel"),
        ("'USER': '§'", "annabel"),
        ("user.name=§", "Annabel Lee"),
        ('git config --global user.name "§"', "Annabel Lee"),
        ("Author: § <a@example.org>", "Annabel Lee"),
        ("From: § <a@example.org>", "Annabel Lee"),
    ],
    "prompts of a shell": [
        ("§:~/thesis$ python train.py", "annabel@gpu-node7"),
        ("(base) §:~$ python train.py", "annabel@gpunode"),
        ("[§ thesis]$ python train.py", "annabel@login1"),
        ("§ thesis % python train.py", "annabel@Anns-MacBook-Pro"),
        ("(venv) [§ ~]$ ls", "annabel@login1"),
        ("root@§:/workspace# python x.py", "a1b2c3d4e5f6"),
        ("$ ssh §", "annabel@login1.example.org"),
        ("$ scp x.pt §:/data", "annabel@gpunode"),
    ],
    "machines": [
        ("SLURM_NODELIST=§", "gpu[01-04]"),
        ("SLURM_JOB_NODELIST=§", "gpunode"),
        ("SLURMD_NODENAME=§", "gpunode"),
        ("HOSTNAME=§", "gpunode"),
        ("MASTER_ADDR=§", "gpunode"),
        ("srun: error: §: task 0: Exited with exit code 1", "node12"),
        ("slurmstepd: error: *** JOB 1 ON § CANCELLED AT 2026", "node12"),
        ("§:1234:5678 [0] NCCL INFO Bootstrap : Using eth0", "node12"),
    ],
    "addresses of networks": [
        ("connect to §:29500", "192.168.17.20"),
        ("MASTER_ADDR=§", "10.1.2.3"),
        ("--ip=§", "10.1.2.3"),
        ("host=§ port=1", "172.16.4.5"),
        ("connect to [§]:29500", "fe80::1ff:fe23:4567:890a%eth0"),
        ("connect to [§]:29500", "2001:db8::8a2e:370:7334"),
        ("ether §", "00:1b:44:11:3a:b7"),
        ("ssh: connect to host § port 22", "10.20.30.40"),
    ],
}


def planted() -> Iterator[tuple[str, str, str]]:
    """Class, text, and the part of it that must vanish."""
    for name, samples in CLASSES.items():
        for template, secret in samples:
            yield name, template.replace("§", secret), secret
