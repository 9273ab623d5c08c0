"""Facts from a text that somebody posted about an installation. The time is linear in the length of the text."""

from __future__ import annotations

import re

from torch_errors.doctor.facts import WITHIN, Facts, conclude, quoted
from torch_errors.doctor.rules import Rules

# The first line of the report that `torch-errors doctor --report` prints; its other lines are `name: value`.
TITLE = "torch-errors doctor report"
TITLE_LINE = re.compile(rf"^{TITLE}$", re.MULTILINE)
OWN_LINE = re.compile(r"^(?P<name>[a-z]\w{1,40}): (?P<value>[^\n]{1,300})$", re.ASCII | re.MULTILINE)
# What only reports of an installation contain.
REPORT = re.compile(
    rf"^{TITLE}$|^Collecting environment information|^Is debug build: |^CUDA used to build PyTorch: |\(GPU\?\): \d"
    r"|^\| NVIDIA-SMI \d|^GPU \d: [^\n]{1,60}\(UUID: |^Failed to initialize NVML|ROCm System Management Interface"
    r"|^Agent \d{1,2} {1,9}$|^# packages in environment at |^Package {1,60}Version|^\[(?:pip3?|conda)\] \w"
    r"|^[ \t]{0,8}(?:torch|pytorch)(?:==| {2,60})\d[\w.+]{2,40}[ \t]*(?:\S{1,60}[ \t]*){0,2}$|^ ?[-+] torch==\d"
    r"|^- `(?:transformers|[Aa]ccelerate|diffusers)` version: |^DeepSpeed (?:general environment|C\+\+/CUDA extension)"
    r"|^Cuda compilation tools, release |[Pp]y[Tt]orch [Vv]ersion[:*]|^Total VRAM \d|xFormers was built for:"
    r"|^(?:## )?System Information|^=== System Information|^\S{1,60} +[\d.]{1,6}[KMG] [^\n]{1,40}% +/dev/shm$",
    re.ASCII | re.MULTILINE,
)
# A line of a list of packages: pip list, pip freeze, conda list, uv, and the lists of other reports.
PACKAGE = re.compile(
    r"^[ \t>|+~*-]{0,8}(?:\[(?:pip3?|conda)\] )?(?P<name>torch|pytorch|torchvision|torchaudio|numpy|torch[-_]npu)"
    r"(?:==|[ \t]{1,60}|: {1,30})(?P<version>\d[\w.+-]{0,50})(?:[ \t]{1,60}(?P<build>[\w.<>]{1,60}))?"
    r"(?:[ \t]{1,60}(?P<channel>[\w.-]{1,40}))?[ \t\r]*$",
    re.ASCII | re.MULTILINE,
)
# Builds that conda lists for what pip installed.
BY_PIP = ("pypi", "<pip>")
# Packages of which a second copy matters, by the name that pip has for them.
COPIED = {"pytorch": "torch", "torch": "torch", "torchvision": "torchvision", "torchaudio": "torchaudio"}
# GPUs as `nvidia-smi -L` and collect_env number them.
NUMBERED = re.compile(r"^(?:GPU models and configuration: ?)?GPU (?P<number>\d{1,2}): ", re.ASCII | re.MULTILINE)


def is_report(text: str) -> bool:
    """Whether a text contains a report of an installation."""
    return bool(REPORT.search(text[:WITHIN]))


def read_report(text: str, rules: Rules) -> Facts:
    """Return the facts of a report, with the lines that tell them."""
    text = text[:WITHIN].replace("\r\n", "\n")
    facts = Facts()
    own = TITLE_LINE.search(text)
    if own:
        for line in OWN_LINE.finditer(text, own.end()):
            facts.put(line["name"], line["value"], quoted(text, line.start()))
    else:
        _packages(facts, text)
        _numbered(facts, text)
    conclude(facts, rules["facts"], "" if own else text)
    return facts


def _packages(facts: Facts, text: str) -> None:
    by: dict[str, dict[bool, str]] = {}
    for line in PACKAGE.finditer(text):
        name, place = line["name"].replace("-", "_"), quoted(text, line.start())
        facts.put(f"listed_{name}", line["version"], place)
        if line["build"]:
            facts.put(f"listed_{name}_build", line["build"], place)
            facts.put(f"listed_{name}_channel", line["channel"] or "defaults", place)
            if name in COPIED:
                by.setdefault(COPIED[name], {}).setdefault(line["build"].startswith(BY_PIP), line["version"])
    for name, versions in by.items():
        if len(versions) > 1:
            facts.put("copies", f"{name} {versions[False]} (conda), {versions[True]} (pip)", None)


def _numbered(facts: Facts, text: str) -> None:
    numbers = [(int(line["number"]), line.start()) for line in NUMBERED.finditer(text)]
    if numbers:
        most, at = max(numbers)
        facts.put("gpu_count", str(most + 1), quoted(text, at))
