import os
import subprocess
import sys
import tempfile
from pathlib import Path

NOISE = """
import sys
import torch

generator = torch.Generator(sys.argv[1]).manual_seed(0)
print("noise:", torch.randn(2, 3, generator=generator, device=sys.argv[1]).device.type)
"""
device = "cpu"  # until the driver is there: delete the empty files and start with `docker run --gpus all`

with tempfile.TemporaryDirectory() as image:
    # A Docker image that was built or committed with the NVIDIA runtime keeps empty files in place of the driver.
    (Path(image) / "libcuda.so.1").touch()
    environment = os.environ | {"LD_LIBRARY_PATH": image}
    subprocess.run([sys.executable, "-c", NOISE, device], env=environment, check=True)
