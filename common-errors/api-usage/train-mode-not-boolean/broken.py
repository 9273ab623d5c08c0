import torch
from torch import nn

torch.manual_seed(0)
data = {"train": torch.randn(64, 8), "validation": torch.randn(16, 8)}
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Dropout(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

for phase in ("train", "validation"):
    mode = phase
    model.train(mode)  # error
    loss = model(data[phase]).pow(2).mean()
    if phase == "train":
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{phase}: dropout is active: {model[2].training}")
