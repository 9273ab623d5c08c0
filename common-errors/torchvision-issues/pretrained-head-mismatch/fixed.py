import tempfile
from pathlib import Path

import torch
from torch import nn
from torchvision.models import ResNet18_Weights, resnet18

torch.manual_seed(0)
weights = ResNet18_Weights.DEFAULT
options = {}  # the weights decide the number of classes
with tempfile.TemporaryDirectory() as cache:
    # Random weights under the name of the published file, so that the example needs no network.
    torch.hub.set_dir(cache)
    Path(cache, "checkpoints").mkdir()
    torch.save(resnet18().state_dict(), Path(cache, "checkpoints", Path(weights.url).name))

    model = resnet18(weights=weights, **options)
model.fc = nn.Linear(model.fc.in_features, 10)  # a new, untrained head for the 10 classes

logits = model(torch.rand(8, 3, 64, 64))
print(f"logits: {tuple(logits.shape)}")
