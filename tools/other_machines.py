"""Runs a command of the Makefile in a new clone, under the conditions of machines unlike this one.

    python -m tools.other_machines no-browser no-compiler              # make test, under both conditions at once
    python -m tools.other_machines --target test-all one-core
    python -m tools.other_machines --python python3.13 odd-path C-locale unwritable-home
    python -m tools.other_machines                                     # only list the conditions

Prints the output of make, then the conditions, the exit status and the time in seconds including the installation.
POSIX only; `one-core` needs Linux.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONDITIONS = {
    "no-browser": "no program on PATH is a browser, and none can be downloaded",
    "no-compiler": "no program on PATH is a compiler or ninja",
    "unwritable-home": "HOME is a folder in which nothing can be created",
    "C-locale": "LANG=C and no other setting of the locale",
    "one-core": "the processes share one core",
    "busy": "two endless loops run beside it",
    "odd-path": "the clone is in a folder with spaces and letters beyond ASCII",
}
LEFT_OUT = {
    "no-browser": ("chrom", "google-chrome", "firefox", "microsoft-edge"),
    "no-compiler": ("cc", "gcc", "g++", "c++", "clang", "ninja", "x86_64-linux-gnu-g", "aarch64-linux-gnu-g", "nvcc"),
}
# A folder in which nobody can create files, not even root.
UNWRITABLE = "/proc/self"
ENDLESS = [sys.executable, "-c", "while True: pass"]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("conditions", nargs="*", metavar="CONDITION", help=", ".join(CONDITIONS))
    parser.add_argument("--target", default="test", help="target for make (default: test)")
    parser.add_argument("--python", default=sys.executable, help="interpreter for the clone (default: this one)")
    options = parser.parse_args(arguments)
    unknown = set(options.conditions) - CONDITIONS.keys()
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: no such condition; there are {', '.join(CONDITIONS)}")
    if not options.conditions and options.python == sys.executable:
        print("\n".join(f"{name:16} {meaning}" for name, meaning in CONDITIONS.items()))
        return 0
    with tempfile.TemporaryDirectory(prefix="other-machine-") as folder:
        status, seconds = run(options.target, options.python, set(options.conditions), Path(folder))
    print(f"{' '.join([*options.conditions, options.python])}: status {status} after {seconds:.0f} s")
    return status


def run(target: str, python: str, conditions: set[str], folder: Path) -> tuple[int, float]:
    """Run `make TARGET` in a clone below `folder`. Returns the exit status, and seconds including the installation."""
    clone = folder / ("Größe 目录 1" if "odd-path" in conditions else "clone")
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    # Its own path: a shim of a version manager would look for its versions in the HOME of the run.
    interpreter = subprocess.run([python, "-c", "import sys; print(sys.executable)"], capture_output=True, check=True)
    command = ["make", target, f"PYTHON={interpreter.stdout.decode().strip()}"]
    if "one-core" in conditions:
        command = ["taskset", "-c", "0", *command]
    started = time.monotonic()
    with ExitStack() as stack:
        for _ in range(2 if "busy" in conditions else 0):
            stack.callback(stack.enter_context(subprocess.Popen(ENDLESS)).kill)
        status = subprocess.run(command, cwd=clone, env=environment(conditions, folder)).returncode
    return status, time.monotonic() - started


def environment(conditions: set[str], folder: Path) -> dict[str, str]:
    """Return environment variables that create the conditions."""
    variables = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "PYTHONPATH")}
    left_out = tuple(prefix for condition in conditions for prefix in LEFT_OUT.get(condition, ()))
    if left_out:
        variables["PATH"] = str(_programs_without(left_out, variables["PATH"], folder / "bin"))
        variables |= {"PLAYWRIGHT_BROWSERS_PATH": str(folder / "browsers")} if "no-browser" in conditions else {}
    if "no-browser" in conditions:
        variables.pop("CHROMIUM", None)
        variables["PLAYWRIGHT_DOWNLOAD_HOST"] = "http://127.0.0.1:9"
    if "unwritable-home" in conditions:
        variables["HOME"] = UNWRITABLE
    if "C-locale" in conditions:
        variables = {
            name: value for name, value in variables.items() if not name.startswith(("LC_", "LANG", "PYTHONUTF8"))
        }
        variables["LANG"] = "C"
    return variables


def _programs_without(prefixes: tuple[str, ...], path: str, target: Path) -> Path:
    """Fill a folder with links to the programs on `path` whose names don't start with any of `prefixes`."""
    target.mkdir()
    for program in (
        file for folder in path.split(os.pathsep) if Path(folder).is_dir() for file in Path(folder).iterdir()
    ):
        link = target / program.name
        if not program.name.startswith(prefixes) and os.access(program, os.X_OK) and not os.path.lexists(link):
            link.symlink_to(program)
    return target


if __name__ == "__main__":
    sys.exit(main())
