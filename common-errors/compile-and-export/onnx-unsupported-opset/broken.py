import os
import tempfile

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 30 * 30, 10)).eval()
images = torch.randn(1, 3, 32, 32)
options = {"dynamo": False, "verbose": False, "opset_version": 28}
with tempfile.TemporaryDirectory() as folder:
    torch.onnx.export(model, (images,), f"{folder}/model.onnx", **options)  # error
    print("exported:", "model.onnx" in os.listdir(folder))
