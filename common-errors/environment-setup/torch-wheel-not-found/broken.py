import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def add_wheel(version, python):
    """Adds what pip reads of a wheel before it installs one: its name and its metadata."""
    name, info = f"torch-{version}-{python}-{python}-manylinux_2_28_x86_64.whl", f"torch-{version}.dist-info"
    with zipfile.ZipFile(Path(index.name, name), "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n")
        wheel.writestr(f"{info}/RECORD", "")


# Stands for the index of PyTorch, with some of its wheels: those of 2.15.0 begin with Python 3.11.
index = tempfile.TemporaryDirectory()
add_wheel("2.6.0", "cp310")
add_wheel("2.15.0", "cp311")
add_wheel("2.15.0", "cp312")
target = ["--python-version", "3.10", "--platform", "manylinux_2_28_x86_64", "--only-binary", ":all:"]
options = ["--no-index", "--find-links", ".", "--dest", ".", *target]
# Isolated: without the settings of this machine, such as a mirror.
command = ["--isolated", "download", "torch==2.15.0", *options]
subprocess.run([sys.executable, "-m", "pip", *command], cwd=index.name, check=True)  # error
