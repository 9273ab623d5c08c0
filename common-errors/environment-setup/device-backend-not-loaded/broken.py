import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

folder = tempfile.TemporaryDirectory()
package = Path(folder.name, "acme_npu")
package.mkdir()
package.joinpath("__init__.py").write_text(
    "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), 'libacme_npu.so'))\ndef autoload(): pass\n"
)
# Like the build of a device's package for another torch: it asks for a function that the installed one does not have.
torchvision = Path(importlib.util.find_spec("torchvision").origin).parent
code = next(torchvision.glob("_C*.so")).read_bytes()
code = code.replace(b"\0torch_list_push_back\0", b"\0torch_list_push_last\0")
package.joinpath("libacme_npu.so").write_bytes(code)
# As pip installs it: `import torch` loads all packages that have an entry point in this group.
info = Path(folder.name, "acme_npu-2.8.0.dist-info")
info.mkdir()
info.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: acme-npu\nVersion: 2.8.0\n")
info.joinpath("entry_points.txt").write_text("[torch.backends]\nacme_npu = acme_npu:autoload\n")
os.environ["PYTHONPATH"] = folder.name
subprocess.run([sys.executable, "-c", "import torch"], check=True)  # error
