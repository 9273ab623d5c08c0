import os
import subprocess
import sys
import tempfile
from pathlib import Path

folder = tempfile.TemporaryDirectory()
os.environ["PYTHONPATH"] = folder.name


def install(name, code, entry="autoload"):
    """Install a package that `import torch` loads."""
    Path(folder.name, f"{name}.py").write_text(code)
    info = Path(folder.name, f"{name}-1.0.dist-info")
    info.mkdir()
    info.joinpath("METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    info.joinpath("entry_points.txt").write_text(f"[torch.backends]\n{name} = {name}:{entry}\n")


# %% the runtime of Ascend NPUs was not loaded
install("acme_npu", "import ctypes\nctypes.CDLL('libhccl.so')\n")
subprocess.run([sys.executable, "-c", "import torch"], check=True)

# %% a package without the function that torch calls
install("acme_npu", "import torch\n", entry="autoload")
subprocess.run([sys.executable, "-c", "import torch"], check=True)

# %% the function expects an argument that torch does not pass
install("acme_gcu", "def autoload(device): pass\n")
subprocess.run([sys.executable, "-c", "import torch; print(torch.ones(2))"], check=True)

# %% a dependency of the package is missing
install("acme_npu", "import acme_codegen\ndef autoload(): pass\n")
subprocess.run([sys.executable, "-c", "import torch"], check=True)

# %% two packages want to name the same device
Path(folder.name, "acme_gcu.py").write_text("import torch\ntorch.utils.rename_privateuse1_backend('gcu')\n")
install("acme_npu", "import acme_gcu, torch\ndef autoload(): torch.utils.rename_privateuse1_backend('npu')\n")
subprocess.run([sys.executable, "-c", "import torch"], check=True)

# %% right: no package for a device
subprocess.run([sys.executable, "-c", "import torch"], check=True)

# %% right: a package that can be loaded
install("acme_npu", "def autoload(): pass\n")
subprocess.run([sys.executable, "-c", "import torch"], check=True)
