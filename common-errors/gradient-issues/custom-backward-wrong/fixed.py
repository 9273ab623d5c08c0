import torch
from torch import nn

torch.manual_seed(0)


class Gate(torch.autograd.Function):
    """values * sigmoid(scores)"""

    @staticmethod
    def forward(ctx, values, scores):
        gate = torch.sigmoid(scores)
        ctx.save_for_backward(values, gate)
        return values * gate

    @staticmethod
    def backward(ctx, grad):
        values, gate = ctx.saved_tensors
        return grad * gate, grad * values * gate * (1 - gate)  # times values, by the product rule


values, scores = nn.Linear(6, 32), nn.Linear(6, 32)
head = nn.Linear(32, 1)
optimizer = torch.optim.Adam([*values.parameters(), *scores.parameters(), *head.parameters()], lr=3e-3)
for step in range(600):
    inputs = torch.randn(128, 6)
    targets = inputs[:, :1] * (inputs[:, 1:2] > 0)
    outputs = head(Gate.apply(values(inputs), scores(inputs)))
    loss = nn.functional.mse_loss(outputs, targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 100 == 99:
        print(f"step={step + 1} loss={loss.item():.4f}")

# The derivative along a random direction, by backward and by a difference quotient.
inputs, scores = torch.randn(2, 50, 4, dtype=torch.double)
scores.requires_grad_()
direction, h = torch.randn_like(scores), 1e-5
[gradient] = torch.autograd.grad(Gate.apply(inputs, scores).sum(), scores)
ahead, behind = (Gate.apply(inputs, scores + sign * h * direction).sum() for sign in (1, -1))
quotient = ((ahead - behind) / (2 * h)).item()
print(f"gradient_error={abs((gradient * direction).sum().item() - quotient) / abs(quotient):.2f}")
