import os
import tempfile

import torch
from torch import nn


class TrainingSettings:
    def __init__(self, lr, epochs):
        self.lr = lr
        self.epochs = epochs


model = nn.Linear(16, 3)
settings = TrainingSettings(lr=0.01, epochs=20)

folder = tempfile.TemporaryDirectory()
path = os.path.join(folder.name, "checkpoint.pt")
torch.save({"model": model.state_dict(), "settings": settings}, path)

checkpoint = torch.load(path)  # error
model.load_state_dict(checkpoint["model"])
print(f"settings: {vars(checkpoint['settings'])}")
