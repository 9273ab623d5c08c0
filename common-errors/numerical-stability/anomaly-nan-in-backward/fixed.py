import torch
from torch import nn

torch.autograd.set_detect_anomaly(True)  # names the operation in whose backward a NaN appears
torch.manual_seed(0)
encoder = nn.Linear(16, 8)
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
anchors, positives = torch.randn(32, 16), torch.randn(32, 16)
positives[5] = anchors[5]  # one picture is in the dataset twice


def compute_loss():
    difference = encoder(anchors) - encoder(positives)
    return torch.linalg.vector_norm(difference, dim=1).mean()  # its gradient at zero is defined: zero


for step in range(3):
    loss = compute_loss()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step={step} loss={loss.item():.4f}")
