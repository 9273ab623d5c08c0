"""Nothing private stays in a prompt, and nothing else is taken out."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT
from tests.ordinary_text import ORDINARY
from tests.planted_secrets import CLASSES, planted
from torch_errors.catalog.loading import load_catalog
from torch_errors.markdown.parsing import parse_page
from torch_errors.prompting.redaction import HOST, LONGEST, USER, Rule, local_names, redact, rules

# Put together from parts, so that no scanner of repositories takes them for real ones.
SECRETS = {
    "Hugging Face": "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz01234567",
    "OpenAI": "sk-" + "proj-abcdefghijklmnop_QRSTUVWXYZ012345",
    "GitHub": "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345",
    "GitHub, fine-grained": "github_pat_" + "11ABCDEFG0123456789_abcdefghij",
    "GitLab": "glpat-" + "abcdefghijKLMNOPqrst",
    "Slack": "xoxb-" + "123456789012-abcdefghijkl",
    "Google": "AIza" + "SyA0123456789abcdefghijklmnopqrstuv",
    "AWS": "AKIA" + "IOSFODNN7EXAMPLE",
    "npm": "npm_" + "abcdefghijklmnopqrstuvwxyz0123456789",
    "JSON Web Token": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P",
}
# Text, and the parts of it that must not be left.
PLANTED = {
    **{f"token of {name}": (f"login({token!r}) failed", [token]) for name, token in SECRETS.items()},
    "token at the end of an address": (f"https://example.org/?token={SECRETS['GitHub']}", [SECRETS["GitHub"]]),
    "environment variable": ("export WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567", ["0123456789abcdef"]),
    "quoted in code": ('client = Client(api_key="not-so-long-1")', ["not-so-long-1"]),
    "dictionary": ("{'password': 'correct-horse', 'user': 1}", ["correct-horse"]),
    "YAML": ("db_password: hunter2hunter2", ["hunter2hunter2"]),
    "option": ("python train.py --api-key abcdef123456 --lr 0.1", ["abcdef123456"]),
    "bearer": ("Authorization: Bearer abc.def-ghi_jkl", ["abc.def-ghi_jkl"]),
    "password in an address": ("git clone https://ann:s3cretpass@example.org/x.git", ["s3cretpass"]),
    "private key": (
        "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\nAAAA\n-----END OPENSSH PRIVATE KEY-----",
        ["b3BlbnNzaC1rZXktdjEA", "AAAA"],
    ),
    "private key, cut short": ("-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7", ["MIIEpAIBAAKCAQEA7"]),
    "home on Linux": ('File "/home/annabel/thesis/train.py", line 3', ["annabel", "/home"]),
    "home on a Mac": ('File "/Users/annabel/thesis/train.py", line 3', ["annabel", "/Users"]),
    "home on Windows": (r'File "C:\Users\annabel\thesis\train.py", line 3', ["annabel"]),
    "home on Windows, as Python shows it": (r"open('C:\\Users\\annabel\\train.py')", ["annabel"]),
    "home in the Linux of Windows": ("/mnt/c/Users/annabel/train.py", ["annabel", "/mnt/c"]),
    "home on a cluster": ("/cluster/home/annabel/train.py", ["annabel", "/cluster"]),
    "name elsewhere": (
        "/home/annabel/x.py: saved to /scratch/annabel/run1 as annabel_best.pt",
        ["annabel/", "/annabel"],
    ),
    "prompt of a shell": ("annabel@gpu-node7:~/thesis$ python train.py", ["annabel", "gpu-node7"]),
    "prompt with an environment": ("(base) annabel@gpu-node7:~/thesis$ python train.py", ["annabel", "gpu-node7"]),
    "e-mail": ("ask annabel.lee@physics.example.edu for access", ["annabel", "physics"]),
    "host in torchrun's report": ("  host      : gpu-node7.cluster.example.org", ["gpu-node7"]),
    "host in a variable": ("MASTER_ADDR=gpu-node7 MASTER_PORT=29500", ["gpu-node7"]),
    "host of a socket": ("The client socket has failed to connect to [gpu-node7]:29500", ["gpu-node7"]),
    "share": (r"FileNotFoundError: \\fileserver\data\train.csv", ["fileserver"]),
    "token in Chinese text": (f"密钥是{SECRETS['Hugging Face']}，请保密", [SECRETS["Hugging Face"]]),
    "name elsewhere in Chinese text": ("/home/annabel/x.py，用户是annabel。", ["annabel"]),
    "name of other letters": ("/home/张三丰/x.py saved by 张三丰.", ["张三丰"]),
    "address": ("connect to 192.168.17.20:29500 failed", ["192.168.17.20"]),
    "address, version 6": ("connect to [fe80::1ff:fe23:4567:890a%eth0]:29500", ["fe80", "4567"]),
    "address of a network card": ("HWaddr 00:1B:44:11:3A:B7", ["44:11"]),
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_private_is_taken_out(name: str) -> None:
    text, private = PLANTED[name]
    assert all(part in text for part in private), "planted"
    cleaned, counts = redact(f"before\n{text}\nafter")
    assert not [part for part in private if part in cleaned], cleaned
    assert cleaned.startswith("before\n")
    assert cleaned.endswith("\nafter") or "cut short" in name  # where a key ends cannot be known then
    assert counts.total() >= 1


# --- the two lists ---


@pytest.mark.parametrize("name", CLASSES)
def test_no_planted_secret_slips_through(name: str) -> None:
    """Alone, inside other lines, and behind an indentation, as people paste them."""
    left = [
        (around, text)
        for of, text, secret in planted()
        if of == name
        for around in ("%s", "step=1 loss=0.5\n%s\nTraceback (most recent call last):\n  x")
        if any(part in redact(around % text)[0] for part in secret.split("\n"))
    ]
    assert not left


def test_the_lists_are_long() -> None:
    assert len(CLASSES) >= 20 and len(list(planted())) >= 200
    assert len(set(ORDINARY)) >= 100
    assert all(secret in text for _, text, secret in planted())


def test_ordinary_lines_stay() -> None:
    assert {line: redact(line)[0] for line in ORDINARY if redact(line)[0] != line} == {}
    text = "\n".join(ORDINARY)
    assert redact(text) == (text, {})


def test_blocks_of_pages_stay() -> None:
    """Code and output of every page. The few that show an address of the reader's say so with a made-up one."""
    changed = {
        (path.parent.name, line): redact(line)[0]
        for path in sorted((ROOT / "common-errors").glob("*/*/README.md"))
        for fence in parse_page(path).fences
        for line in fence.text.split("\n")
        if redact(line)[0] != line
    }
    assert changed == {}


# --- the table ---


RULES = rules()
RULE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.what}: {rule.catches[:30]}")


def test_there_are_few_rules() -> None:
    assert len(RULES) <= 60


@RULE
def test_a_rule_catches_its_sample_and_leaves_the_other(rule: Rule) -> None:
    assert rule.find.search(rule.catches), "by itself"
    assert redact(rule.catches)[0] != rule.catches
    assert redact(rule.leaves) == (rule.leaves, {})


def test_a_token_is_known_by_its_format() -> None:
    token = SECRETS["Hugging Face"]
    for text in ("x {} y", "密钥是{}，请保密", "'a\\n{}'", "\x1b[31m{}\x1b[0m", "a%3D{}&b", "({})", "{}"):
        assert token not in redact(text.format(token))[0], text


def test_names_that_are_given_go_as_words_only() -> None:
    text, counts = redact("annabel at gpu-node7: annabella gpu-node70 annabel.", {"annabel": USER, "gpu-node7": HOST})
    assert text == f"{USER} at {HOST}: annabella gpu-node70 {USER}."
    assert counts == {"user name": 2, "host name": 1}


def test_text_behind_a_home_folder_stays() -> None:
    assert redact("在 /home/annabel，然后失败")[0] == "在 ~，然后失败"


def test_short_and_common_names_stay() -> None:
    text = "root al ubuntu torch 22.04"
    assert redact(text, {"root": USER, "al": USER, "ubuntu": USER, "torch": HOST})[0] == text


def test_names_of_this_machine_are_known() -> None:
    assert set(local_names().values()) <= {USER, HOST} and local_names()


KEPT = [
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x2304 and 3136x10)",
    "token = tokens[:, 0]; tokens = tokenizer(text, max_length=128)",
    "num_tokens=4096 pad_token=None eos_token_id=50256",
    "scores = query@key.transpose(-2, -1); out = x@self.weight; y = a@b.T",
    "loss=nan at 12:34:56, [W1122 10:11:12.123456789 init.cpp:1]",
    "c10::cuda::CUDAException at::native::add",
    "nvidia-cublas-cu12==12.1.3.1 nvidia-curand-cu12       10.3.2.106",
    "driver version: 535.104.05, CUDA 12.1, cuDNN 8.9.2.26",
    "torch 2.15.0+cu132 | Python 3.11.7 | Linux x86_64 | CPU",
    "MASTER_ADDR=localhost tcp://127.0.0.1:29500 [::1]:0 0.0.0.0",
    "node: 3, server: none, host memory",
    'File "/usr/lib/python3.11/runpy.py", line 1',
    "@torch.no_grad()\ndef f(): ...",
    "https://pytorch.org/docs/stable/notes/cuda.html",
    "0x7f3a2c1b4d50 tensor(0.5000, device='cuda:0')",
    r"path = 'C:\\projects\\train.py'",
    "Secret ingredient: dropout. The password is checked: True",
]


@pytest.mark.parametrize("text", KEPT)
def test_what_is_not_private_stays(text: str) -> None:
    assert redact(text) == (text, {})


def test_recordings_stay_as_they_are() -> None:
    """What torch prints holds nothing private, so a rule that touches it takes out what a reader needs."""
    for entry in load_catalog(ROOT):
        for variant in entry.variants:
            for path in (entry.script(variant), entry.recording(variant)):
                if path.is_file():
                    text = path.read_text(encoding="utf-8")
                    assert redact(text) == (text, {}), path


def test_redacting_twice_changes_nothing_more() -> None:
    text = "\n".join(text for text, _ in PLANTED.values())
    once, _ = redact(text)
    assert redact(once)[0] == once


HOSTILE = [
    "a@" * 50_000,
    "a." * 50_000 + "@",
    "/home/" * 20_000,
    "-----BEGIN PRIVATE KEY-----" * 4_000,
    "token=" * 20_000,
    "\\\\" * 50_000,
    "1.2.3." * 20_000,
    "fe80:" * 20_000,
    "x" * 200_000,
    "https://" * 20_000,
    "host: " * 20_000,
    "API_KEY_" * 20_000,
    " " * 200_000,
    "lib" * 60_000,
]


def _worst(rule: Rule) -> list[str]:
    """What begins like a find of the rule again and again, and does not end like one."""
    return [rule.catches[: len(rule.catches) * part // 8] + between for part in (3, 6, 7) for between in ("", " ")]


@RULE
def test_a_rule_takes_little_time_for_the_longest_text(rule: Rule) -> None:
    for unit in [*_worst(rule), *HOSTILE]:
        text = (unit[:LONGEST] * (LONGEST // len(unit) + 1))[:LONGEST]
        started = time.process_time()
        rule.find.sub("", text)
        assert time.process_time() - started < 2, unit[:30]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_no_text_makes_it_hang(text: str) -> None:
    started = time.process_time()
    redact(text[:LONGEST])
    assert time.process_time() - started < 5


@given(st.text(alphabet=st.sampled_from("ab1@:/.\\=- \n'\"_~$[]hometokenUsersC"), max_size=300))
def test_any_text_is_taken(text: str) -> None:
    cleaned, counts = redact(text)
    assert (cleaned == text) == (counts.total() == 0) or counts.total() > 0
