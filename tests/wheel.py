"""Installs the package as people do, without torch and outside the checkout.

    python -m tests.wheel FOLDER

builds the wheel, creates a virtual environment in the folder, and installs the wheel there, with the extra `mcp`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def python_in(folder: Path) -> Path:
    """The interpreter of the environment."""
    return folder / "env" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def main(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", folder, ROOT], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    [wheel] = folder.glob("*.whl")
    target: list[str | Path] = [*pip, "--python", python_in(folder), "install", "-c", ROOT / "constraints.txt"]
    subprocess.run([*target, f"{wheel}[mcp]"], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
