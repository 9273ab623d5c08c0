import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Linear(32, 16)
        self.head = nn.Linear(16, 5)

    def forward(self, images):
        features = self.backbone(images).relu()
        return {"logits": self.head(features), "features": features}


torch.manual_seed(0)
model = Classifier().eval()
images = torch.randn(2, 32)
options = {}
traced = torch.jit.trace(model, images, **options)  # error
print("logits:", tuple(traced(images)["logits"].shape))
