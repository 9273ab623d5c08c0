import torch
from torch import nn

torch.manual_seed(0)
centers = torch.randn(10, 20)
labels = torch.randint(10, (1000,))
inputs = centers[labels] + torch.randn(1000, 20)


class Mixture(nn.Module):
    """Four experts, of which two answer for each sample."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(20, 4)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(20, 32), nn.ReLU(), nn.Linear(32, 10)) for _ in range(4))

    def forward(self, features):
        scores = self.router(features)
        second = scores.topk(2).values[:, 1:]
        gates = scores.masked_fill(scores < second, -torch.inf).softmax(dim=1)  # two of four are 0
        answers = torch.stack([expert(features) for expert in self.experts], dim=2)
        entropy = -torch.where(gates > 0, gates * gates.log(), 0.0).sum(dim=1)  # error
        return (answers * gates[:, None]).sum(dim=2), entropy.mean()


model = Mixture()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def compute_loss():
    logits, entropy = model(inputs)
    return nn.functional.cross_entropy(logits, labels) - 0.01 * entropy  # both experts are to take part


for step in range(60):
    loss = compute_loss()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0 or step == 1:
        nan = sum(int(p.grad.isnan().sum()) for p in model.router.parameters())
        print(f"step={step} loss={loss.item():.3f} nan_gradients_of_router={nan}")

print(f"accuracy={(model(inputs)[0].argmax(dim=1) == labels).float().mean().item():.4f}")
