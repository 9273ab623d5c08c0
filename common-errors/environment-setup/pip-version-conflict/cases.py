import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path


def add_wheel(package, version, *needs):
    info = f"{package.replace('-', '_')}-{version}.dist-info"
    lines = "".join(f"Requires-Dist: {need}\n" for need in needs)
    name = f"{package.replace('-', '_')}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder.name, name), "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n{lines}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")


folder = tempfile.TemporaryDirectory()
venv.create(Path(folder.name, ".venv"))
python = Path(folder.name, ".venv", "Scripts" if sys.platform == "win32" else "bin", "python")
pip = [sys.executable, "-m", "pip", "--isolated", "--python", str(python)]
local = ["--no-index", "--find-links", folder.name]

# %% torchaudio stayed behind
add_wheel("torch", "2.9.1")
add_wheel("torchaudio", "2.8.0", "torch (==2.8.0)")
subprocess.run([*pip, "install", "--quiet", *local, "--no-deps", "torch==2.9.1", "torchaudio==2.8.0"], check=True)
subprocess.run([*pip, "check"], check=True)

# %% fixed
add_wheel("torch", "2.9.1")
add_wheel("torchaudio", "2.9.1", "torch (==2.9.1)")
subprocess.run([*pip, "install", "--quiet", *local, "torch==2.9.1", "torchaudio==2.9.1"], check=True)
subprocess.run([*pip, "check"], check=True)

# %% xformers for another torch
add_wheel("torch", "2.9.1")
add_wheel("xformers", "0.0.28", "torch (==2.4.1)")
subprocess.run([*pip, "install", "--quiet", *local, "--no-deps", "torch==2.9.1", "xformers"], check=True)
subprocess.run([*pip, "check"], check=True)

# %% torch was removed
add_wheel("torchvision", "0.18.0", "torch (==2.3.0)")
subprocess.run([*pip, "install", "--quiet", *local, "--no-deps", "torchvision==0.18.0"], check=True)
subprocess.run([*pip, "check"], check=True)

# %% a package that needs a newer torch
add_wheel("torch", "2.0.1")
add_wheel("lightning", "2.6.0", "torch (>=2.1)")
subprocess.run([*pip, "install", "--quiet", *local, "lightning", "--no-deps"], check=True)
subprocess.run([*pip, "install", "--quiet", *local, "torch==2.0.1"], check=True)
subprocess.run([*pip, "check"], check=True)

# %% message: what torch itself needs was replaced
add_wheel("torch", "2.9.1", "triton (==3.5.1)")
add_wheel("triton", "3.5.1")
add_wheel("triton", "3.4.0")
subprocess.run([*pip, "install", "--quiet", *local, "torch==2.9.1"], check=True)
subprocess.run([*pip, "install", "--quiet", *local, "triton==3.4.0"], check=True)
subprocess.run([*pip, "check"], check=True)

# %% message: two versions at once
add_wheel("torch", "2.2.1")
add_wheel("torch", "2.3.0")
add_wheel("torchvision", "0.18.0", "torch (==2.3.0)")
subprocess.run([*pip, "install", *local, "torch==2.2.1", "torchvision==0.18.0"], check=True)

# %% message: a requirement that no torch meets
add_wheel("torch", "2.9.1")
add_wheel("fastai", "2.7.19", "torch (<2.7,>=1.10)")
subprocess.run([*pip, "install", "--quiet", *local, "--no-deps", "torch==2.9.1", "fastai"], check=True)
subprocess.run([*pip, "check"], check=True)

# %% right: all from one command
add_wheel("torch", "2.2.1")
add_wheel("torch", "2.3.0")
add_wheel("torchvision", "0.18.0", "torch (==2.3.0)")
subprocess.run([*pip, "install", "--quiet", *local, "torch", "torchvision"], check=True)
subprocess.run([*pip, "check"], check=True)
