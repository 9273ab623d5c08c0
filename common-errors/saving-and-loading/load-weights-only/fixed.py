import os
import tempfile

import torch
from torch import nn


class TrainingSettings:
    def __init__(self, lr, epochs):
        self.lr = lr
        self.epochs = epochs


torch.manual_seed(0)
model = nn.Linear(16, 3)
settings = TrainingSettings(lr=0.01, epochs=20)

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "checkpoint.pt")
    torch.save({"model": model.state_dict(), "settings": settings}, path)

    # Only what is listed may be created while the file is read. The class is ours, so it can be trusted.
    with torch.serialization.safe_globals([TrainingSettings]):
        checkpoint = torch.load(path)
    model.load_state_dict(checkpoint["model"])
    print(f"settings: {vars(checkpoint['settings'])}")
    print(f"foreign_code_ran={len(os.listdir(folder)) - 1}")
