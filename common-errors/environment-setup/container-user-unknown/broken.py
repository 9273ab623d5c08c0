import os
import subprocess
import sys
import tempfile
from pathlib import Path

EXPORT = """\
import torch
from torch import nn

torch.export.draft_export(nn.Linear(4, 2), (torch.randn(3, 4),))
print("exported")
"""

folder = tempfile.TemporaryDirectory()
Path(folder.name, "export.py").write_text(EXPORT)
os.chmod(folder.name, 0o777)
# As with `docker run --user 12345`: a number that /etc/passwd of the image does not have.
container = ["unshare", "--user", "--map-user=12345"]
names = ("USER", "LOGNAME", "USERNAME")
environment = {name: value for name, value in os.environ.items() if name not in names} | {"TMPDIR": folder.name}
subprocess.run([*container, sys.executable, "export.py"], cwd=folder.name, env=environment, check=True)  # error
