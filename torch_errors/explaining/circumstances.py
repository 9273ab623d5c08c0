"""Reads the circumstances of a reader: framework or program, platform, operating system, versions.

They choose among the variants of an advice (`torch_errors/catalog/circumstances.py`). Each is kept with its evidence,
which the answer shows, so that a wrong guess is noticed. The site uses the same expressions (website/engine.py).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Any

from torch_errors.catalog.circumstances import INTERFACE, NAMES, NOTEBOOKS, OTHERS, PLATFORMS, PROGRAMS, SYSTEMS

if TYPE_CHECKING:
    from torch_errors.catalog.circumstances import Part
    from torch_errors.explaining.patterns import Variant

# Only so many characters at the end of a paste are read.
WITHIN = 100_000
# What shows a circumstance: a text that must occur, which is quickly found, and the expression that then decides. Lists
# of all backends, as in the messages of the dispatcher, and reports that say N/A must not match.
READING: dict[str, dict[str, str]] = {
    "ComfyUI": {
        "ComfyUI": r"[\\/]ComfyUI[\w.-]{0,40}[\\/]|\bComfyUI (?:version|startup)",
        "!!! Exception during processing": "!!! Exception during processing",
    },
    "AUTOMATIC1111": {
        "stable-diffusion-webui": r"[\\/]stable-diffusion-webui[\w.-]{0,40}[\\/]",
        "webui-user.": r"\bwebui-user\.",
        "launch_utils.py": r"[\\/]modules[\\/]launch_utils\.py",
    },
    "Kohya": {
        "kohya_": r"[\\/]kohya_ss[\w.-]{0,40}[\\/]|\bkohya_gui\b",
        "sd-scripts": r"[\\/]sd-scripts[\\/]",
        "lora_gui.py": r"\blora_gui\.py",
    },
    "InvokeAI": {"invokeai": r"[\\/]invokeai[\\/]"},
    "text-generation-webui": {"text-generation-webui": r"[\\/]text-generation-webui[\w.-]{0,40}[\\/]"},
    "Fooocus": {"Fooocus": r"[\\/]Fooocus[\w.-]{0,40}[\\/]"},
    "yolo command": {
        "yolo": r"[\\/](?:bin|Scripts)[\\/]yolo\b|\byolo (?:task=|mode=|train |val |predict |detect )",
    },
    "Colab": {"/content/": r"(?<![\w.])/content/\w", "google.colab": r"\bgoogle\.colab\b"},
    "Kaggle": {"/kaggle/": r"/kaggle/(?:working|input)\b"},
    "RDNA 4": {
        "gfx120": r"\bgfx120[01]\b",
        "RX": r"\bRX ?90[67]0\b",
        "XT": r"\b90[67]0 ?XT\b",
        "GRE": r"\b9070 ?GRE\b",
    },
    "Jetson": {
        "Jetson": r"\bJetson",
        "JetPack": r"\bJetPack",
        "L4T": r"\bL4T\b",
        "-tegra": r"-tegra\b",
        "+nv": r"\b\d\.\d{1,2}\.\d[a-z0-9]{0,9}\+nv\d\d",
        "Orin": r"\b(?:AGX Orin|Orin N)",
    },
    "NPU": {
        "npu": r"\btorch[_-]npu\b|(?<![\w.])npu:\d",
        "昇腾": "昇腾",
        "Ascend": r"\bAscend[ /\d]",
        "NPU": r"\bNPU (?:function error|out of memory)",
        "HCCL": r"\bHCCL\b",
    },
    "DirectML": {
        "directml": r"\b(?:py)?torch[_-]directml\b|--directml\b",
        "privateuseone:": r"\bprivateuseone:\d",
        "DirectML": r"\bDirectML\b",
        "'DML' backend": "'DML' backend",
    },
    "ROCm": {
        "gfx": r"\bgfx(?:9|1[0-2])[0-9a-f]{2}\b",
        "rocm": r"\+rocm\d|/opt/rocm\b|\brocm ?\d",
        "OCm": r"\bROCm ?\d",
        "HIP": r"\bHIP (?:error|out of memory|GPUs)\b|\bHIPBLAS_STATUS_",
        "miopenStatus": r"\bmiopenStatus\w",
        "hipError": r"\bhipError\w",
        "Radeon": r"\bRadeon (?:RX|Pro|VII|AI)\b",
        "RX": r"\bRX ?[5679]\d{3}\b",
        "XT": r"\b[5679]\d{3} ?XTX?\b",
        "used to build PyTorch": r"ROCM used to build PyTorch: \d",
        "HIP runtime version": r"HIP runtime version: \d",
    },
    "XPU": {
        "xpu": r"\+xpu\b|(?<![\w.,/])xpu:\d",
        "XPU ": r"\bXPU (?:device|out of memory|error)",
        "intel_extension_for_pytorch": r"\bintel_extension_for_pytorch\b",
        "Arc": r"\bIntel(?:\(R\))? Arc\b|\bArc [AB]\d{3}\b",
    },
    "MPS": {
        "mps": r"(?<![\w.,/])mps:\d|['\"]mps['\"]",
        "MPS": r"\bMPS (?:backend|device|framework)\b|\bMPSNDArray|\bPYTORCH_(?:ENABLE_)?MPS_",
        "MetalPerformanceShaders": r"\bMetalPerformanceShaders\b",
        "Apple M": r"\bApple M\d",
    },
    "CUDA": {
        "+cu": r"\+cu\d{2,3}\b",
        "GeForce": r"\bGeForce\b",
        "NVIDIA": r"\bNVIDIA (?:RTX|A\d|H\d|T\d|L\d|TITAN|Tesla|Graphics)",
        "Tesla": r"\bTesla [A-Z]\d",
        "RTX": r"\bRTX ?[A-Z]?\d{4}\b",
        "used to build PyTorch": r"CUDA used to build PyTorch: \d",
    },
    "WSL": {"WSL": r"(?:-|\b)WSL2?\b", "/mnt/": r"(?<!\w)/mnt/[c-f]/"},
    "Intel Mac": {
        "x86_64": r"\bmacosx_1\d_\d{1,2}_x86_64\b|\bmacOS[^\n]{0,40}\bx86_64\b",
        "Intel Mac": r"\bIntel Mac\b",
    },
    "Windows": {
        ":\\": r"(?<![A-Za-z])[A-Z]:\\{1,2}[\w.]",
        "WinError": r"\[WinError \d",
        "WindowsPath": r"\bWindowsPath\(",
        "win_amd64": r"\bwin_amd64\b",
        "Windows": r"\bMicrosoft Windows\b|\bWindows[- ]1[01]\b",
        "win32": r"\bwin32\b",
        "DLL load failed": "DLL load failed",
        ".dll": r"\.dll\b",
    },
    "macOS": {
        "/Users/": r"(?<![\w.])/Users/[\w.-]",
        "/opt/homebrew/": "/opt/homebrew/",
        "/Library/Frameworks/Python": "/Library/Frameworks/Python",
        "macosx_": r"\bmacosx_\d",
        "macOS": r"\bmacOS[ -]\d",
        "Apple clang": "Apple clang",
    },
    "Linux": {
        "/": r"(?<![\w.])/(?:home|root|usr|opt|workspace|data|mnt)/",
        "linux-gnu": "linux-gnu",
        "Ubuntu": r"\bUbuntu\b",
        "manylinux": "manylinux",
    },
    "multi-GPU": {
        "cuda:": r"\bcuda:[1-9]\b",
        "--nproc": r"--nproc[_-]per[_-]node[= ][2-9]",
        "DataParallel(": r"\bnn\.DataParallel\(",
        "device_map": r"\bdevice_map ?= ?['\"](?:auto|balanced)",
        "parallel_apply": r"\bparallel_apply\b",
    },
    "autocast": {
        "autocast": r"\b(?:decorate_)?autocast\b",
        "GradScaler": r"\bGradScaler\b",
        "16": r"\b(?:fp16|bf16) ?= ?True|\bmixed_precision ?[=:] ?['\"]?[fb]|\bprecision ?= ?['\"]?(?:16|bf16)",
    },
}
# A version that the paste states as that of the reader: certain forms, then others, which requirements may share.
_NUMBER = r"(?P<version>\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)"
VERSIONS: dict[str, list[tuple[str, str]]] = {
    "torch": [
        (
            "version",
            rf"(?:[Pp]y)?[Tt]orch(?:\.__version__|[ _]version)[\s'\"]{{0,2}}[:=]{{0,2}}[\s'\"]{{0,2}}{_NUMBER}",
        ),
        ("orch-", rf"\b[Tt]orch-{_NUMBER}(?:\+\w{{1,12}}| CUDA:| CPU)"),
        ("ou", rf"\b(?:[Yy]ou have|[Yy]ours is) (?:(?:[Pp]y)?[Tt]orch )?{_NUMBER}"),
        (
            "+",
            r"(?<![\w.=])(?<!versions: )(?<!, )(?<!for: PyTorch )(?<!with torch )(?P<version>\d\.\d{1,2}\.\d{1,2})"
            r"\+(?:cu\d{2,3}|rocm\d|cpu|xpu)",
        ),
        (
            "orch",
            r"(?<![\w-])(?<![Ii]n )(?<!of )(?<!to )(?<!than )(?<!ince )(?<!for )(?<!uires )(?<!ment )(?<!tall )"
            rf"(?<!ith )(?:(?:torch|pytorch)(?: |==|: )v?{_NUMBER}|PyTorch v?(?P<exact>\d\.\d{{1,2}}\.\d{{1,2}}))"
            r"(?![\w+]|\.\d| \(?or )",
        ),
    ],
    "Python": [
        ("python3", r"[\\/]python(?P<version>3\.\d{1,2})[\\/]"),
        ("Python", r"\bPython(?: version)?[ :-]{1,2}(?P<version>3\.\d{1,2})(?:\.\d{1,2})?(?![\d+])"),
        ("Python3", r"[\\/]Python(?P<version>3\d{1,2})[\\/]"),
    ],
}
# What a fix may name that older versions of torch lack, with the version that brought it (from its release notes).
FEATURES: dict[str, str] = {
    "torch.inference_mode": "1.9", "weights_only": "1.13", "torch.compile": "2.0", "torch.func.": "2.0",
    "torch.vmap": "2.0", "set_default_device": "2.0", "torch.export.export": "2.1", "mmap=True": "2.1",
    "expandable_segments": "2.1", "assign=True": "2.1", "use_reentrant": "1.11", "label_smoothing": "1.10",
    "torch.amp.GradScaler": "2.3", "sdpa_kernel": "2.3", "init_device_mesh": "2.2", "add_safe_globals": "2.4",
    "nn.RMSNorm": "2.4", "dynamo=True": "2.5", "safe_globals": "2.5", "fully_shard": "2.6", "set_stance": "2.6",
    "torch.accelerator": "2.6", "torch.cond": "2.0", "mark_dynamic": "2.1", "register_fsdp_forward_method": "2.6",
    "scaled_dot_product_attention": "2.0", "_functorch.config.donated_buffer": "2.6",
}  # fmt: skip
# A fix that states versions itself.
STATES_VERSIONS = re.compile(r"\b(?:torch|PyTorch)(?: before| since|≥|>=|<)? ?[12]\.\d", re.ASCII)


def read_text(text: str) -> dict[str, str]:
    """Return the circumstances that a cleaned paste shows, each with the words that show it."""
    text = text[-WITHIN:]
    found: dict[str, str] = {}
    for name, expressions in READING.items():
        kind = next((names for names in (NOTEBOOKS, PLATFORMS, SYSTEMS) if name in names), ())
        if any(other in found for other in kind):
            continue
        matches = (_compiled(source).search(text) for literal, source in expressions.items() if literal in text)
        match = next(filter(None, matches), None)
        if match and name in PROGRAMS:
            found[name] = name
            found.setdefault(INTERFACE, name)
        elif match:
            found[name] = match[0].strip(" '\"")
    for name, forms in VERSIONS.items():
        version = next(filter(None, (_stated(source, text) for literal, source in forms if literal in text)), None)
        if version:
            found[name] = version
    return found


@cache
def _compiled(source: str) -> re.Pattern[str]:
    return re.compile(source, re.ASCII)


def _stated(source: str, text: str) -> str | None:
    """The version that an expression finds, or None if there is none or there are several."""
    found = ["".join(filter(None, match.groups())) for match in _compiled(source).finditer(text)]
    return found[0] if found and all(_numbers(version) == _numbers(found[0]) for version in found) else None


def _numbers(version: str) -> list[int]:
    """Major and minor version: 2.5.1 -> 2, 5; and 312, as in a folder `Python312`, -> 3, 12."""
    if "." not in version:
        return [int(version[0]), int(version[1:])]
    return [int(number) for number in version.split(".")[:2]]


def circumstances(in_text: Mapping[str, str], frameworks: Sequence[str], running: Mapping[str, str]) -> dict[str, str]:
    """Join what the paste, the frames of the failure (outermost first) and the running program show.

    The running program outweighs the paste. The order is that in which variants are chosen.
    """
    taken = [names for names in (PLATFORMS, SYSTEMS) if any(name in running for name in names)]
    paste = {name: words for name, words in in_text.items() if not any(name in names for names in taken)}
    programs = {name: words for name, words in paste.items() if name in PROGRAMS}
    packages = {name: name for name in frameworks if name in NAMES}
    return programs | packages | paste | dict(running)


def chosen(variants: Iterable[Variant], found: Mapping[str, str]) -> Variant | None:
    """The variant that applies: the one with the most parts, then the one whose circumstance was found first."""
    order = list(found)
    applying = [variant for variant in variants if all(_applies(part, found) for part in variant.parts)]
    return min(
        applying,
        key=lambda variant: (-len(variant.parts), min(order.index(_name(part)) for part in variant.parts)),
        default=None,
    )


def _name(part: Part) -> str:
    return part if isinstance(part, str) else part[0]


def _applies(part: Part, found: Mapping[str, str]) -> bool:
    if isinstance(part, str):
        return part in found
    name, comparison, limit = part
    return name in found and (_numbers(found[name]) < limit) == (comparison == "<")


def reasons(parts: Iterable[Part], found: Mapping[str, str]) -> tuple[str, ...]:
    """What the answer says of the circumstances that chose a variant, such as `ROCm (gfx1201)` or `torch 1.11`."""
    return tuple(_reason(_name(part), found[_name(part)]) for part in parts)


def _reason(name: str, words: str) -> str:
    if name in (INTERFACE, words):
        return words
    return f"{name} {words}" if name in VERSIONS else f"{name} ({words})"


def other_platform(parts: Iterable[Part], message: str) -> str | None:
    """The platform other than NVIDIA GPUs that an answer is about: its advice or its message names it."""
    named = {*map(_name, parts), *read_text(message)}
    return next((name for name in OTHERS if name in named), None)


def lacking(fix: str, found: Mapping[str, str]) -> str | None:
    """The version of torch that a fix needs, if the reader's is older and the fix does not speak of versions."""
    if "torch" not in found or STATES_VERSIONS.search(fix):
        return None
    needed = max((version for name, version in FEATURES.items() if name in fix), key=_numbers, default="0.0")
    return needed if _numbers(found["torch"]) < _numbers(needed) else None


def running(trace: TracebackType | None = None) -> dict[str, str]:
    """The circumstances of the running program. Only modules that it has imported are asked."""
    system = {"win32": "Windows", "darwin": "macOS", "linux": "Linux"}.get(sys.platform)
    found = {system: sys.platform} if system else {}
    found["Python"] = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if os.path.exists("/etc/nv_tegra_release"):
        found["Jetson"] = "/etc/nv_tegra_release"
    torch: Any = sys.modules.get("torch")
    version = getattr(torch, "version", None)
    if version is None:
        return found
    found["torch"] = re.split(r"[^0-9.]", torch.__version__)[0].rstrip(".")
    platforms = {
        "NPU": "torch_npu" in sys.modules and "torch_npu",
        "DirectML": "torch_directml" in sys.modules and "torch_directml",
        "ROCm": version.hip,
        "XPU": getattr(version, "xpu", None),
        "CUDA": version.cuda and torch.cuda.is_initialized() and version.cuda,
    }
    platform = next((name for name in platforms if platforms[name]), None)
    if platform and "Jetson" not in found:
        found[platform] = str(platforms[platform])
    if torch.cuda.is_initialized() and torch.cuda.device_count() > 1:
        found["multi-GPU"] = f"{torch.cuda.device_count()} GPUs"
    while trace:
        kinds = {type(value).__name__ for value in trace.tb_frame.f_locals.values()}
        for kind in kinds & {"GradScaler", "autocast"}:
            found["autocast"] = kind
        trace = trace.tb_next
    return found
