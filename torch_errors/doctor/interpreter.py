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
