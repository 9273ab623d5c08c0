"""Versions and hardware of this machine for a prompt, also where torch is missing or does not load."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass

# Runs in an interpreter of its own: importing a broken torch can end the process, and a working one takes seconds.
_PROBE = """
import importlib.metadata, importlib.util, json, platform, sys
found = {"python": platform.python_version(), "packages": {}}
for name in ("torchvision", "torchaudio", "numpy", "triton", "lightning", "transformers", "accelerate"):
    try:
        found["packages"][name] = importlib.metadata.version(name)
    except Exception:
        pass
try:
    found["torch_installed"] = importlib.metadata.version("torch")
except Exception:
    found["torch_installed"] = None
try:
    import torch
    found["torch"] = str(torch.__version__)
    found["cuda_built"] = torch.version.cuda
    found["hip_built"] = getattr(torch.version, "hip", None)
    found["cuda"] = torch.cuda.is_available()
    found["mps"] = torch.backends.mps.is_available()
    found["cudnn"] = torch.backends.cudnn.version() if found["cuda_built"] else None
    found["gpus"] = []
    if found["cuda"]:
        for index in range(torch.cuda.device_count()):
            gpu = torch.cuda.get_device_properties(index)
            found["gpus"].append(f"{gpu.name}, {gpu.total_memory / 2**30:.0f} GiB")
    found["torch_file"] = torch.__file__
except BaseException as error:
    text = str(error).strip().splitlines()
    found["torch_error"] = type(error).__name__ + (": " + text[-1] if text else "")
print("@@" + json.dumps(found))
"""
SECONDS = 90  # a first import from a slow disk


@dataclass(frozen=True)
class Environment:
    """Lines for a prompt, each `label: value`."""

    lines: list[str]

    def __str__(self) -> str:
        return "\n".join(self.lines)


def collect_environment(interpreter: str | None = None) -> Environment:
    """Ask an interpreter and the driver of NVIDIA. Never raises.

    `interpreter`: by default this one, or where it has no torch, the `python` on the path.
    """
    found = _probe(interpreter) if interpreter else _first_with_torch()
    gpu = _nvidia_smi()
    lines = [f"PyTorch: {_torch(found)}", f"Python: {found.get('python', platform.python_version())}"]
    lines.append(f"OS: {_system()}")
    if "torch" in found:
        lines.append(f"CUDA: {_cuda(found)}")
        if found.get("cudnn"):
            lines.append(f"cuDNN: {found['cudnn']}")
        lines += [f"GPU {number}: {name}" for number, name in enumerate(found.get("gpus", []))]
        if found.get("mps"):
            lines.append("GPU: Apple, MPS available")
    if gpu:
        lines.append(f"driver: {gpu[0]}")
        if not found.get("gpus"):
            lines += [f"GPU seen by nvidia-smi: {name}" for name in gpu[1]]
    elif not found.get("gpus") and not found.get("mps"):
        lines.append("GPU: none found (no nvidia-smi)")
    packages = found.get("packages") or {}
    if packages:
        lines.append("packages: " + ", ".join(f"{name} {version}" for name, version in packages.items()))
    return Environment(lines)


def _first_with_torch() -> dict:
    """The answer of the first interpreter that has torch; if none has it, that of the current one."""
    answers = []
    for interpreter in dict.fromkeys(filter(None, [sys.executable, shutil.which("python"), shutil.which("python3")])):
        found = _probe(interpreter)
        if found.get("torch_installed") or "torch" in found:
            return found
        answers.append(found)
    return answers[0] if answers else {}


def _probe(interpreter: str) -> dict:
    try:
        done = subprocess.run(
            [interpreter, "-c", _PROBE], capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return {"torch_error": f"import torch did not end within {SECONDS} s"}
    except OSError as error:
        return {"torch_error": f"{interpreter} cannot be run ({error.strerror})"}
    for line in done.stdout.splitlines():
        if line.startswith("@@"):
            return json.loads(line[2:])
    said = done.stderr.strip().splitlines()
    why = f" ({said[-1]})" if said else ""
    return {"torch_error": f"import torch ended the interpreter with status {done.returncode}{why}"}


def _torch(found: dict) -> str:
    if "torch" in found:
        return found["torch"]
    error = found.get("torch_error", "unknown")
    if found.get("torch_installed"):
        return f"{found['torch_installed']} is installed and cannot be imported ({error})"
    return "not installed" if "No module named 'torch'" in error else f"cannot be imported ({error})"


def _cuda(found: dict) -> str:
    built = found.get("cuda_built") or (f"ROCm {found['hip_built']}" if found.get("hip_built") else None)
    if not built:
        return "this PyTorch was built without CUDA"
    return f"built for {built}, {'available' if found.get('cuda') else 'torch.cuda.is_available() is False'}"


def _system() -> str:
    name = platform.platform(terse=True)
    with suppress(OSError, KeyError):  # not Linux
        name = platform.freedesktop_os_release()["PRETTY_NAME"] + f" ({name})"
    return f"{name}, {platform.machine()}"


def _nvidia_smi() -> tuple[str, list[str]] | None:
    """Version of the driver and names of the GPUs, None without nvidia-smi."""
    program = shutil.which("nvidia-smi")
    if not program:
        return None
    command = [program, "--query-gpu=driver_version,name,memory.total", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "nvidia-smi does not answer", []
    rows = [[cell.strip() for cell in row.split(",")] for row in done.stdout.strip().splitlines()]
    if done.returncode or not rows or len(rows[0]) < 3:
        said = (done.stdout + done.stderr).strip().splitlines()
        return f"nvidia-smi fails ({said[-1] if said else done.returncode})", []
    return rows[0][0], [f"{name}, {memory}" for _, name, memory in rows]
