import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
counts = torch.tensor([600, 300, 150, 100, 50])  # five kinds of support tickets, some of them rare
labels = torch.arange(5).repeat_interleave(counts)[torch.randperm(1200)]
inputs = torch.randn(5, 16)[labels] + 0.8 * torch.randn(1200, 16)
train_inputs, train_labels, val_inputs, val_labels = inputs[:900], labels[:900], inputs[900:], labels[900:]

model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=0.005)


def predict(batch):
    return model(batch)  # error


for epoch in range(10):
    for chosen in torch.randperm(900).split(50):
        loss = F.nll_loss(predict(train_inputs[chosen]), train_labels[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    if epoch % 3 == 0:
        print(f"epoch={epoch} loss={loss.item():.1g}")

with torch.no_grad():
    error = (predict(val_inputs).argmax(dim=1) != val_labels).float().mean().item()
print(f"val_error={error:.2f}")
