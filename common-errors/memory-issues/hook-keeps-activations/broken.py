import weakref

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.Conv2d(16, 16, 3, padding=1), nn.ReLU())
head = nn.Linear(16, 10)
optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=0.1)
alive = weakref.WeakValueDictionary()  # layer outputs that something still references
activations = []


def keep(layer, inputs, output):
    alive[id(output)] = output
    activations.append(output)  # error


for layer in model:
    layer.register_forward_hook(keep)


def train_step(images, labels):
    loss = nn.functional.cross_entropy(head(model(images).mean(dim=(2, 3))), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return activations[-1].std().item()  # of the last layer, for the log


memory = []
for step in range(30):
    deviation = train_step(torch.randn(16, 3, 32, 32), torch.randint(10, (16,)))
    memory.append(sum(output.nbytes for output in alive.values()) / 2**20)
    print(f"step={step} memory_mib={memory[-1]:.1f}")

print(f"growth_mib={memory[-1] - memory[0]:.1f}")
