"""The circumstances of a reader by which advice may vary, and the conditions on them.

A condition is the name of a circumstance (`Windows`), a comparison of a version (`torch < 2.5`, `Python >= 3.13`), or
several of them that must all hold (`ROCm + Windows`). `torch_errors/explaining/circumstances.py` reads the
circumstances from a paste and from the running program.
"""

from __future__ import annotations

import re
from typing import TypeAlias

# Packages (names of their folders) that call PyTorch for their users, who therefore need different advice.
FRAMEWORKS = (
    "accelerate", "deepspeed", "diffusers", "lightning", "peft", "timm", "torch_geometric", "transformers", "trl",
    "ultralytics",
)  # fmt: skip
# Programs whose users choose, click and install, but do not write code. INTERFACE is any of them.
PROGRAMS = ("ComfyUI", "AUTOMATIC1111", "Kohya", "InvokeAI", "text-generation-webui", "Fooocus", "yolo command")
INTERFACE = "interface"
NOTEBOOKS = ("Colab", "Kaggle")
GENERATIONS = ("RDNA 4", "Intel Mac")
PLATFORMS = ("Jetson", "NPU", "DirectML", "ROCm", "XPU", "MPS", "CUDA")
# Platforms that the page OTHER_PLATFORMS of troubleshooting-workflows/ is about.
OTHERS = ("Jetson", "NPU", "ROCm", "XPU", "MPS")
OTHER_PLATFORMS = "other-accelerators"
SYSTEMS = ("WSL", "Windows", "macOS", "Linux")
VERSIONS = ("torch", "Python")
NAMES = (*PROGRAMS, *FRAMEWORKS, INTERFACE, *NOTEBOOKS, *GENERATIONS, *PLATFORMS, *SYSTEMS, "multi-GPU", "autocast")

# A name, or a version with `<` or `>=` and its numbers.
Part: TypeAlias = str | tuple[str, str, list[int]]

_VERSION = re.compile(rf"({'|'.join(VERSIONS)}) (<|>=) ([0-9]+\.[0-9]+)")


def compile_circumstance(condition: str) -> list[Part]:
    """Return the parts of a condition. Raises ValueError if it is not valid."""
    return [_part(text) for text in condition.split(" + ")]


def _part(text: str) -> Part:
    version = _VERSION.fullmatch(text)
    if version:
        return version[1], version[2], [int(number) for number in version[3].split(".")]
    if text not in NAMES:
        raise ValueError(f"{text!r} is not a circumstance; write `torch < 2.5`, `Python >= 3.13`, {', '.join(NAMES)}")
    return text
