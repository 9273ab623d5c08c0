import weakref

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
inputs, targets = torch.randn(64, 16), torch.randn(64, 1)
validation_inputs, validation_targets = torch.randn(4096, 16), torch.randn(4096, 1)

alive = weakref.WeakSet()  # layer outputs that something still references
for layer in model:
    layer.register_forward_hook(lambda layer, inputs, output: alive.add(output))

history, memory = [], []
for step in range(30):
    loss = nn.functional.mse_loss(model(inputs), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    validation_loss = nn.functional.mse_loss(model(validation_inputs), validation_targets)
    history.append(validation_loss.item())  # a Python number has no graph
    memory.append(sum(output.nbytes for output in alive) / 2**20)
    print(f"step={step} memory_mib={memory[-1]:.1f}")

print(f"growth_mib={memory[-1] - memory[0]:.1f}")
