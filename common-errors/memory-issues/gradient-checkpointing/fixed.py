import weakref

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
layers = nn.ModuleList(nn.TransformerEncoderLayer(64, 4, 256, dropout=0.1, batch_first=True) for _ in range(12))
tokens, wanted = torch.randn(4, 128, 64), torch.randn(4, 128, 64)
for parameter in layers.parameters():
    parameter.grad = torch.zeros_like(parameter)  # so that gradients are not counted


class Memory(TorchDispatchMode):
    """Adds up what operations have allocated and something still references, in MiB."""

    live, now, peak = weakref.WeakKeyDictionary(), 0.0, 0.0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        results = function(*args, **(kwargs or {}))
        for result in tree_leaves(results):
            if torch.is_tensor(result):
                self.live[result.untyped_storage()] = result.untyped_storage().nbytes() / 2**20
        self.now = sum(self.live.values())
        self.peak = max(self.peak, self.now)
        return results


def forward(hidden):
    for number, layer in enumerate(layers):
        # keeps the layer's input only, and computes the rest again in the backward pass
        hidden = checkpoint(layer, hidden, use_reentrant=False)
        if number % 4 == 3:
            print(f"layer={number + 1} memory_mib={memory.now:.0f}")
    return hidden


def train_step():
    loss = nn.functional.mse_loss(forward(tokens), wanted)
    loss.backward()


with Memory() as memory:
    train_step()
print(f"peak_mib={memory.peak:.1f}")
