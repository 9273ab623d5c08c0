import torch
from torch import nn
from torch.export import Dim

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(3, 16, kernel_size=3),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(16, 10),
)
example = torch.rand(1, 3, 32, 32)
dynamic_shapes = ({0: Dim.AUTO},)
program = torch.export.export(model.eval(), (example,), dynamic_shapes=dynamic_shapes)
for size in (1, 16):
    logits = program.module()(torch.rand(size, 3, 32, 32))  # error
    print(f"logits: {tuple(logits.shape)}")
