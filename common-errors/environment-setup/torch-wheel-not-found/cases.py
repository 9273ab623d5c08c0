import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path


def add_wheel(version, python, system="manylinux_2_28_x86_64", package="torch"):
    name, info = f"{package}-{version}-{python}-{python}-{system}.whl", f"{package}-{version}.dist-info"
    with zipfile.ZipFile(Path(index.name, name), "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\n")
        wheel.writestr(f"{info}/RECORD", "")


def options(python="3.12", system="manylinux_2_28_x86_64"):
    where = ["--no-index", "--find-links", ".", "--dest", "."]
    return [*where, "--python-version", python, "--platform", system, "--only-binary", ":all:"]


index = tempfile.TemporaryDirectory()

# %% a Python that is newer than all wheels
add_wheel("2.15.0", "cp312")
command = ["--isolated", "download", "torch", *options("3.20")]
subprocess.run([sys.executable, "-m", "pip", *command], cwd=index.name, check=True)

# %% an old version, a new Python
add_wheel("2.15.0", "cp312")
add_wheel("1.13.1", "cp310")
command = ["--isolated", "download", "torch==1.13.1", *options("3.12")]
subprocess.run([sys.executable, "-m", "pip", *command], cwd=index.name, check=True)

# %% a build for another CUDA than the index has
add_wheel("2.15.0+cu132", "cp312")
command = ["--isolated", "download", "torch==2.15.0+cu118", *options("3.12")]
subprocess.run([sys.executable, "-m", "pip", *command], cwd=index.name, check=True)

# %% a Mac with an Intel processor
add_wheel("2.2.2", "cp312", "macosx_10_9_x86_64")
add_wheel("2.15.0", "cp312", "macosx_11_0_arm64")
command = ["--isolated", "download", "torch>=2.3", *options("3.12", "macosx_14_0_x86_64")]
subprocess.run([sys.executable, "-m", "pip", *command], cwd=index.name, check=True)

# %% a 32-bit Python for Windows
add_wheel("2.15.0", "cp312", "win_amd64")
command = ["--isolated", "download", "torch", *options("3.12", "win32")]
subprocess.run([sys.executable, "-m", "pip", *command], cwd=index.name, check=True)

# %% message: torchvision
add_wheel("0.29.2", "cp312", package="torchvision")
command = ["--isolated", "download", "torchvision==0.13.1", *options("3.12")]
subprocess.run([sys.executable, "-m", "pip", *command], cwd=index.name, check=True)

# %% message: a requirement of another package
Path(index.name, "requirements.txt").write_text("torch<2.0\n")
add_wheel("2.15.0", "cp312")
command = ["--isolated", "download", "-r", "requirements.txt", *options("3.12")]
subprocess.run([sys.executable, "-m", "pip", *command], cwd=index.name, check=True)

# %% right: the version is there
add_wheel("2.15.0", "cp312")
command = ["--isolated", "download", "torch==2.15.0", *options("3.12")]
subprocess.run([sys.executable, "-m", "pip", *command], cwd=index.name, check=True)
