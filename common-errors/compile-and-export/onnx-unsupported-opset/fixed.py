import os
import tempfile

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 30 * 30, 10)).eval()
images = torch.randn(1, 3, 32, 32)
# An opset that torch and the runtime both know, with the exporter that is the default since torch 2.9.
options = {"dynamo": True, "verbose": False, "opset_version": 20}
with tempfile.TemporaryDirectory() as folder:
    torch.onnx.export(model, (images,), f"{folder}/model.onnx", **options)
    print("exported:", "model.onnx" in os.listdir(folder))
