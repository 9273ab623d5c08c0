import importlib
import sys
import tempfile
from pathlib import Path

import torch

FASTNORM = """
import torch


@torch.library.custom_op("fastnorm::rms_norm", mutates_args=())
def rms_norm(x: torch.Tensor, eps: float) -> torch.Tensor:
    return x / x.pow(2).mean(-1, keepdim=True).add(eps).sqrt()
"""

torch.manual_seed(0)
with tempfile.TemporaryDirectory() as folder:
    Path(folder, "fastnorm.py").write_text(FASTNORM)
    sys.path.insert(0, folder)
    importlib.import_module("fastnorm")  # registers the operator

    namespace, name = "fastnorm", "rms_norm"
    x = torch.randn(4, 16)
    y = torch.ops.fastnorm.rms_norm(x, 1e-6)
    print(f"root mean square: {y.pow(2).mean().sqrt():.2f}")
