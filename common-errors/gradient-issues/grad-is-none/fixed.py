import torch
from torch import nn

torch.manual_seed(0)
# One network says which of four kinds of fish a scan shows, and how long the fish is.
scans = torch.randn(256, 16)
kinds = (scans @ torch.randn(16, 4)).argmax(dim=1)
lengths = scans @ torch.randn(16, 1)

model = nn.ModuleDict({"body": nn.Linear(16, 64), "kind": nn.Linear(64, 4), "length": nn.Linear(64, 1)})
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)

for step in range(200):
    hidden = model["body"](scans).relu()
    kind_scores, predicted_lengths = model["kind"](hidden), model["length"](hidden)
    loss = nn.functional.cross_entropy(kind_scores, kinds)
    loss = loss + nn.functional.mse_loss(predicted_lengths, lengths)  # the second head had no part in the loss
    optimizer.zero_grad()
    loss.backward()
    grad_norms = {name: p.grad.norm().item() for name, p in model.named_parameters()}
    optimizer.step()

print("gradients:", ", ".join(f"{name} {norm:.2g}" for name, norm in grad_norms.items()))
print(f"length_error={nn.functional.mse_loss(predicted_lengths, lengths).item():.3f}")
