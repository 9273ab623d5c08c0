import torch
from torch import nn
from torch.export import Dim, export


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 3))

    def forward(self, features):
        return self.layers(features)


torch.manual_seed(0)
model = Classifier().eval()
args = (torch.randn(8, 16),)
dynamic_shapes = {"features": {0: Dim("batch")}}  # the parameter of forward
program = export(model, args, dynamic_shapes=dynamic_shapes)
for size in (2, 5):
    print(f"batch of {size}:", tuple(program.module()(torch.randn(size, 16)).shape))
