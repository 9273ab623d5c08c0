import os
import tempfile

import torch
from torch import nn


class RotaryQuery(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(32, 32)
        angles = torch.outer(torch.arange(64.0), 10000 ** (-torch.arange(0, 32, 2) / 32))
        self.register_buffer("rotations", torch.polar(torch.ones_like(angles), angles))

    def forward(self, tokens):
        pairs = torch.view_as_complex(self.query(tokens).unflatten(-1, (-1, 2)))
        return torch.view_as_real(pairs * self.rotations).flatten(-2)


torch.manual_seed(0)
model = RotaryQuery().eval()
tokens = torch.randn(1, 64, 32)
options = {"dynamo": False, "verbose": False}
with tempfile.TemporaryDirectory() as folder:
    torch.onnx.export(model, (tokens,), f"{folder}/rotary.onnx", **options)  # error
    print("exported:", "rotary.onnx" in os.listdir(folder))
