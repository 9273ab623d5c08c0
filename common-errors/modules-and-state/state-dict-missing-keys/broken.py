import torch
from torch import nn

torch.manual_seed(0)
centers = 3 * torch.randn(10, 16)
labels = torch.arange(500) % 10
features = centers[labels] + torch.randn(500, 16)


def make_model():
    return nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 10))


trained = make_model()
optimizer = torch.optim.Adam(trained.parameters(), lr=0.01)
for _ in range(60):
    loss = nn.functional.cross_entropy(trained(features), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
# As saved from a multi-GPU run: the state dict of the wrapper instead of the model.
checkpoint = nn.DataParallel(trained).state_dict()

model = make_model()
model.load_state_dict(checkpoint)  # error
accuracy = (model(features).argmax(dim=1) == labels).float().mean().item()
print(f"accuracy={accuracy:.2f}")
