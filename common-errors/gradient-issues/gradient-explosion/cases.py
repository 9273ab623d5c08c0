import torch
from torch import nn

torch.manual_seed(0)


def train(model, batches, lr, momentum=0.0, max_norm=float("inf")):
    optimizer, norms = torch.optim.SGD(model.parameters(), lr=lr, momentum=momentum), []
    for batch, targets in batches:
        loss = nn.functional.mse_loss(model(batch), targets)
        optimizer.zero_grad()
        loss.backward()
        norms.append(nn.utils.clip_grad_norm_(model.parameters(), max_norm).item())
        optimizer.step()
    return norms


def mlp():
    return nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))


inputs = torch.randn(60, 16, 4)
targets = inputs.sum(dim=2, keepdim=True).sin()

# %% one target in another unit
targets[30, 0] = 1e8
grad_norms = train(mlp(), zip(inputs, targets, strict=True), lr=0.1)
# %% fixed
targets[30, 0] = 1e8
grad_norms = train(mlp(), zip(inputs, targets, strict=True), lr=0.1, max_norm=1.0)

# %% momentum, and an input that was not standardized
inputs[40] *= 1e6
grad_norms = train(mlp(), zip(inputs, targets, strict=True), lr=0.02, momentum=0.9)

# %% right: a spike that clipping survives
targets[30, 0] = 1e8
grad_norms = train(mlp(), zip(inputs, targets, strict=True), lr=0.1, max_norm=1.0)

# %% a spike after steps that a gradient scaler has skipped
targets[30, 0] = 1e8
grad_norms = [float("inf"), float("inf"), *train(mlp(), zip(inputs, targets, strict=True), lr=0.1)]

# %% right: a gradient scaler skips a step with inf, and training goes on
grad_norms = train(mlp(), zip(inputs, targets, strict=True), lr=0.1)
grad_norms[40:40] = [30 * max(grad_norms), float("inf")]

# %% right: NaN in the data, after normal norms
inputs[30, 0] = torch.nan
grad_norms = train(mlp(), zip(inputs, targets, strict=True), lr=0.1)

# %% right: a second model, trained after one that knows its targets by heart
train(mlp(), [(inputs[0], torch.zeros(16, 1))] * 300, lr=0.05)
grad_norms = train(mlp(), zip(inputs, 100 + targets, strict=True), lr=0.001)
