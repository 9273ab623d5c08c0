import tempfile
from pathlib import Path

import torch
from torchvision.models import ResNet18_Weights, resnet18

torch.manual_seed(0)
weights = ResNet18_Weights.DEFAULT
options = {"num_classes": 10}
with tempfile.TemporaryDirectory() as cache:
    # Random weights under the name of the published file, so that the example needs no network.
    torch.hub.set_dir(cache)
    Path(cache, "checkpoints").mkdir()
    torch.save(resnet18().state_dict(), Path(cache, "checkpoints", Path(weights.url).name))

    model = resnet18(weights=weights, **options)  # error

logits = model(torch.rand(8, 3, 64, 64))
print(f"logits: {tuple(logits.shape)}")
