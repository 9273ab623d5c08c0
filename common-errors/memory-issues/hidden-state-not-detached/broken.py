import weakref

import torch
from torch import nn

torch.manual_seed(0)
# One long recording for each of 8 sensors, read in chunks of 40 samples; the target is the next sample.
recording = torch.randn(8, 801, 16).cumsum(dim=1) / 10
model, head = nn.GRU(16, 64, batch_first=True), nn.Linear(64, 16)
optimizer = torch.optim.Adam([*model.parameters(), *head.parameters()], lr=3e-3)

alive = weakref.WeakValueDictionary()  # what graphs keep for a backward pass


def note(tensor):
    alive[id(tensor)] = tensor
    return tensor


def train_chunk(inputs, targets, hidden):
    outputs, hidden = model(inputs, hidden)
    loss = nn.functional.mse_loss(head(outputs), targets) / 20
    loss.backward(retain_graph=True)  # error
    return hidden


hidden, memory = None, []
with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
    for chunk in range(20):
        part = recording[:, 40 * chunk : 40 * chunk + 41]
        hidden = train_chunk(part[:, :-1], part[:, 1:], hidden)
        memory.append(sum({tensor.data_ptr(): tensor.nbytes for tensor in alive.values()}.values()) / 2**20)
        print(f"chunk={chunk} memory_mib={memory[-1]:.1f}")
optimizer.step()
print(f"growth_mib={memory[-1] - memory[0]:.1f}")
