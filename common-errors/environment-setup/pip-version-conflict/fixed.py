import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path


def add_wheel(package, version, needs=""):
    """Adds a wheel without files: pip compares names, versions and requirements."""
    info = f"{package}-{version}.dist-info"
    with zipfile.ZipFile(Path(folder.name, f"{package}-{version}-py3-none-any.whl"), "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n{needs}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


folder = tempfile.TemporaryDirectory()
add_wheel("torch", "2.2.1")
add_wheel("torch", "2.3.0")
add_wheel("torchvision", "0.17.1", "Requires-Dist: torch (==2.2.1)\n")
add_wheel("torchvision", "0.18.0", "Requires-Dist: torch (==2.3.0)\n")
venv.create(Path(folder.name, ".venv"))
python = Path(folder.name, ".venv", "Scripts" if sys.platform == "win32" else "bin", "python")
# Isolated: without the settings of this machine, such as a mirror.
pip = [sys.executable, "-m", "pip", "--isolated", "--python", str(python)]
local = ["--no-index", "--find-links", folder.name]
subprocess.run([*pip, "install", "--quiet", *local, "torch==2.3.0", "torchvision==0.18.0"], check=True)
# Both packages in one command: pip then chooses the torchvision that belongs to this torch.
subprocess.run([*pip, "install", "--quiet", *local, "torch==2.2.1", "torchvision"], check=True)
subprocess.run([*pip, "check"], check=True)
