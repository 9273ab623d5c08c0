"""Versions and hardware of this machine for a prompt, even if torch is missing or can't be imported."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass

# Runs in a separate interpreter: importing a broken torch can crash the process, and importing a working one is slow.
_PROBE = """
import importlib.metadata, importlib.util, json, platform, sys
report = {"python": platform.python_version(), "packages": {}}
for name in ("torchvision", "torchaudio", "numpy", "triton", "lightning", "transformers", "accelerate"):
    try:
        report["packages"][name] = importlib.metadata.version(name)
    except Exception:
        pass
try:
    report["torch_installed"] = importlib.metadata.version("torch")
except Exception:
    report["torch_installed"] = None
try:
    import torch
    report["torch"] = str(torch.__version__)
    report["cuda_built"] = torch.version.cuda
    report["hip_built"] = getattr(torch.version, "hip", None)
    report["cuda"] = torch.cuda.is_available()
    report["mps"] = torch.backends.mps.is_available()
    report["cudnn"] = torch.backends.cudnn.version() if report["cuda_built"] else None
    report["gpus"] = []
    if report["cuda"]:
        for index in range(torch.cuda.device_count()):
            gpu = torch.cuda.get_device_properties(index)
            report["gpus"].append(f"{gpu.name}, {gpu.total_memory / 2**30:.0f} GiB")
    report["torch_file"] = torch.__file__
except BaseException as error:
    text = str(error).strip().splitlines()
    report["torch_error"] = type(error).__name__ + (": " + text[-1] if text else "")
print("@@" + json.dumps(report))
"""
SECONDS = 90  # timeout of the probe; the first import of torch from a slow disk takes long


@dataclass(frozen=True)
class Environment:
    """Lines of a prompt that describe the environment, each as `label: value`."""

    lines: list[str]

    def __str__(self) -> str:
        return "\n".join(self.lines)


def collect_environment(interpreter: str | None = None) -> Environment:
    """Query an interpreter and the NVIDIA driver. Never raises.

    `interpreter`: by default the current one, or `python` on the PATH if the current one has no torch.
    """
    report = _probe(interpreter) if interpreter else _first_with_torch()
    gpu = _nvidia_smi()
    lines = [f"PyTorch: {_torch(report)}", f"Python: {report.get('python', platform.python_version())}"]
    lines.append(f"OS: {_system()}")
    if "torch" in report:
        lines.append(f"CUDA: {_cuda(report)}")
        if report.get("cudnn"):
            lines.append(f"cuDNN: {report['cudnn']}")
        lines += [f"GPU {number}: {name}" for number, name in enumerate(report.get("gpus", []))]
        if report.get("mps"):
            lines.append("GPU: Apple, MPS available")
    if gpu:
        lines.append(f"driver: {gpu[0]}")
        if not report.get("gpus"):
            lines += [f"GPU seen by nvidia-smi: {name}" for name in gpu[1]]
    elif not report.get("gpus") and not report.get("mps"):
        lines.append("GPU: none found (no nvidia-smi)")
    packages = report.get("packages") or {}
    if packages:
        lines.append("packages: " + ", ".join(f"{name} {version}" for name, version in packages.items()))
    return Environment(lines)


def _first_with_torch() -> dict:
    """Return the report of the first interpreter that has torch, or of the current one if none has torch."""
    reports = []
    for interpreter in dict.fromkeys(filter(None, [sys.executable, shutil.which("python"), shutil.which("python3")])):
        report = _probe(interpreter)
        if report.get("torch_installed") or "torch" in report:
            return report
        reports.append(report)
    return reports[0] if reports else {}


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
    errors = done.stderr.strip().splitlines()
    why = f" ({errors[-1]})" if errors else ""
    return {"torch_error": f"import torch ended the interpreter with status {done.returncode}{why}"}


def _torch(report: dict) -> str:
    if "torch" in report:
        return report["torch"]
    error = report.get("torch_error", "unknown")
    if report.get("torch_installed"):
        return f"{report['torch_installed']} is installed and cannot be imported ({error})"
    return "not installed" if "No module named 'torch'" in error else f"cannot be imported ({error})"


def _cuda(report: dict) -> str:
    built = report.get("cuda_built") or (f"ROCm {report['hip_built']}" if report.get("hip_built") else None)
    if not built:
        return "this PyTorch was built without CUDA"
    return f"built for {built}, {'available' if report.get('cuda') else 'torch.cuda.is_available() is False'}"


def _system() -> str:
    name = platform.platform(terse=True)
    with suppress(OSError, KeyError):  # raised if this is not Linux
        name = platform.freedesktop_os_release()["PRETTY_NAME"] + f" ({name})"
    return f"{name}, {platform.machine()}"


def _nvidia_smi() -> tuple[str, list[str]] | None:
    """Return the driver's version and the names of the GPUs, or None if there is no nvidia-smi."""
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
        printed = (done.stdout + done.stderr).strip().splitlines()
        return f"nvidia-smi fails ({printed[-1] if printed else done.returncode})", []
    return rows[0][0], [f"{name}, {memory}" for _, name, memory in rows]
