"""An interpreter as it describes itself: this one, or another one that a child process asks."""

from __future__ import annotations

import inspect
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch_errors.errors import UserError

SECONDS = 10  # timeout of the child process
IMPORT_SECONDS = 120  # timeout of an import: the first one of torch from a slow disk takes long
# Imports torch and computes on the GPU if it can, or with an argument in any case: then CUDA says why it cannot.
IMPORT = """
import sys, torch
print("Is CUDA available:", torch.cuda.is_available())
torch.ones(8, device="cuda" if sys.argv[1:] or torch.cuda.is_available() else "cpu").add(1).sum().item()
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python interpreter and its search path."""

    executable: str
    version: str  # such as 3.11.9
    bits: int
    system: str  # linux, windows or macos
    machine: str  # x86_64, aarch64, arm64
    libc: str  # glibc or musl on Linux, else empty
    glibc: str  # version of glibc, or empty
    macos: str  # version of macOS, or empty
    prefix: str
    base_prefix: str
    paths: tuple[str, ...]  # the search path, without the folder of the script
    user_site: str


def describe() -> dict[str, Any]:
    """Describe the interpreter that runs this function, in a child process from its source alone."""
    import platform
    import site
    import sys
    import sysconfig

    systems = {"win32": "windows", "darwin": "macos"}
    tags = f"{sysconfig.get_config_var('SOABI')} {sysconfig.get_config_var('HOST_GNU_TYPE')}"
    name, version = platform.libc_ver()
    return {
        "executable": sys.executable,
        "version": platform.python_version(),
        "bits": 64 if sys.maxsize > 2**32 else 32,
        "system": systems.get(sys.platform, sys.platform),
        "machine": platform.machine().replace("AMD64", "x86_64"),
        "libc": "musl" if "musl" in tags else name,
        "glibc": version if name == "glibc" else "",
        "macos": platform.mac_ver()[0],
        "prefix": sys.prefix,
        "base_prefix": sys.base_prefix,
        "paths": [path for path in sys.path if path],
        "user_site": site.getusersitepackages(),
    }


def this_interpreter() -> Interpreter:
    """Return the interpreter that runs, without the working directory, which `python -m` puts on the search path."""
    described = describe()
    return Interpreter(**described | {"paths": tuple(path for path in described["paths"] if path != os.getcwd())})


def other_interpreter(executable: str, environment: Mapping[str, str]) -> Interpreter:
    """Return another interpreter. Raises UserError if it cannot be asked."""
    source = f"import json, sys\nsys.path.pop(0)\n{inspect.getsource(describe)}\nprint(json.dumps(describe()))"
    source = source.replace("-> dict[str, Any]", "")  # older versions lack it
    try:
        done = subprocess.run(
            [executable, "-c", source], capture_output=True, timeout=SECONDS, env=dict(environment), check=True
        )
        described = json.loads(done.stdout)
        return Interpreter(**described | {"paths": tuple(described["paths"])})
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise UserError(f"{executable}: cannot be asked about itself ({error}); pass the path of a Python") from None


def import_torch(executable: str, gpu: bool) -> tuple[str, str]:
    """Import torch in a child process. Return what that printed, and the error that ended it, empty if none did.

    `gpu`: whether to compute on the GPU even if torch says that there is none.
    """
    command = [executable, "-c", IMPORT, *["gpu"] * gpu]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=IMPORT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return "", f"it did not end within {IMPORT_SECONDS} s"
    except OSError as error:
        return "", f"{executable} cannot be run ({error.strerror})"
    printed = done.stdout + done.stderr
    if done.returncode == 0:
        return printed, ""
    last = done.stderr.strip().splitlines()[-1:]
    return printed, last[0] if last and done.returncode > 0 else f"it ended Python with status {done.returncode}"
