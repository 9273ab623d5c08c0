import tempfile

import torch
from torch import nn


class Pooling(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(16, 4)

    def forward(self, inputs: dict[str, torch.Tensor]):
        mask = inputs["attention_mask"].unsqueeze(-1)
        return self.head((inputs["tokens"] * mask).sum(1) / mask.sum(1))


torch.manual_seed(0)
with tempfile.TemporaryDirectory() as folder:
    torch.jit.script(Pooling().eval()).save(f"{folder}/pooling.pt")
    model = torch.jit.load(f"{folder}/pooling.pt")
batch = {"tokens": torch.randn(2, 8, 16), "mask": torch.ones(2, 8)}
scores = model(batch)  # error
print(f"scores: {tuple(scores.shape)}")
