import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(20, 64), nn.ReLU()).requires_grad_(False)
neck, head = nn.Linear(64, 16), nn.Linear(16, 3)

# Only the two new layers are trained: their tensors, not the layers that hold them.
trained = [*neck.parameters(), *head.parameters()]
optimizer = torch.optim.Adam(trained, lr=0.01)

features, labels = torch.randn(32, 20), torch.randint(3, (32,))
loss = nn.functional.cross_entropy(head(neck(backbone(features)).relu()), labels)
loss.backward()
optimizer.step()
print(f"trained tensors: {len(optimizer.param_groups[0]['params'])}")
