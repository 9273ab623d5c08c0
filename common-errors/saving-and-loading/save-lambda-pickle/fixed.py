import tempfile
from pathlib import Path

import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.hidden = nn.Linear(64, 32)
        self.activation = activation
        self.output = nn.Linear(32, 10)

    def forward(self, inputs):
        return self.output(self.activation(self.hidden(inputs)))


torch.manual_seed(0)
model = Classifier(activation=lambda hidden: hidden.clamp(0, 6))

folder = tempfile.TemporaryDirectory()
path = Path(folder.name, "classifier.pt")
# The weights alone: tensors can be saved, whatever functions the model uses.
content = model.state_dict()
torch.save(content, path)
print(f"saved: {', '.join(torch.load(path))}")
