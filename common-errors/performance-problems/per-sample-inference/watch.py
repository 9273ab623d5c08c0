"""Strong: a model was called 256 times in a row with one sample, and all these samples were there before.

They are rows of one tensor that nothing has written to meanwhile, or batches of a DataLoader with `batch_size=1`, all of one shape;
no backward pass came between. It is silent where a sample may follow from the output before it (an environment, a generated token,
a series that is filled, a model that changes its state), and, on the CPU, where one sample has enough to compute (measured: with
convolutions, attention or long sequences, batches gain little). Of large samples it says nothing on GPUs either.
"""

from __future__ import annotations

import weakref

import torch
from torch.utils.data import IterableDataset

from torch_errors.watching.detector import Detector, is_real, tensors

FIRST, CALLS = 8, 256
LARGEST, LARGEST_ON_CPU, POSITIONS_ON_CPU = 2**18, 4096, 16  # of a sample: numbers, and rows of them
STEPPED = (torch.nn.RNNBase, torch.nn.EmbeddingBag)  # long samples do not fill the processor here
FILLING = (torch.nn.modules.conv._ConvNd, torch.nn.MultiheadAttention)


class Watch(Detector):
    inside = ()
    saw = {
        "en": "{module} was called {calls} times in a row with one sample of shape {shape}, all of which were there before: call it with batches, such as `for part in inputs.split(256)`",
        "zh": "{module} 连续 {calls} 次只处理一个样本（形状 {shape}），而这些样本早已全部就绪：应当按批次调用，例如 `for part in inputs.split(256)`",
    }

    def __init__(self, run):
        super().__init__(run)
        self.calls = (
            weakref.WeakKeyDictionary()
        )  # module -> what its calls in a row have in common, where samples are, state
        self.single, self.batches = None, 0  # the pass over a loader that has handed the latest batch, if of one sample

    def on_batch(self, loader, batch):
        several = loader.batch_size != 1 or isinstance(loader.dataset, IterableDataset)
        self.single = None if several else self.run.passes
        self.batches += 1

    def on_forward(self, module, inputs, output, depth):
        sample = inputs[0] if inputs else None
        one = isinstance(sample, torch.Tensor) and is_real(sample) and sample.dim() > 0
        if not one or (sample.dim() > 1 and len(sample) != 1) or sample.numel() > LARGEST:
            self.forget(module)
            return
        sources = [self.source(value) for value in inputs if isinstance(value, torch.Tensor)]
        if None in sources:
            self.forget(module)
            return
        common = (sample.shape, self.run.backwards, *(base for base, _ in sources))
        known, places, state = self.calls.get(module, (None, None, None))
        if known != common:
            places = set()
        places.add(sources[0][1])
        if len(places) == FIRST:
            state = state_of(module)
        self.calls[module] = (common, places, state)
        if len(places) == CALLS:
            if state == state_of(module) and (sample.device.type != "cpu" or not fills(module, sample)):
                self.find("strong", module=type(module).__name__, calls=CALLS, shape=tuple(sample.shape))
            self.finished = True

    def forget(self, module):
        if self.calls:
            self.calls.pop(module, None)

    def source(self, value):
        """What a sample is a part of, and where it is there; None where it may just have been computed."""
        if self.single is not None:
            return self.single, self.batches
        base = value._base
        if base is None or base.is_inference() or base.dim() == 0 or len(base) < CALLS:
            return None
        return ((id(base), base._version), value.storage_offset()) if value.numel() == base[0].numel() else None


def fills(module, sample):
    """Whether one sample keeps a CPU busy."""
    kinds = list(module.modules())
    positions = sample.numel() // sample.shape[-1] if sample.is_floating_point() else sample.numel()
    long = positions > POSITIONS_ON_CPU and not any(isinstance(kind, STEPPED) for kind in kinds)
    return long or sample.numel() > LARGEST_ON_CPU or any(isinstance(kind, FILLING) for kind in kinds)


def state_of(module):
    """What a module has besides parameters, and may carry from call to call, as numbers."""
    kept = [value for part in module.modules() for value in tensors([vars(part), part._buffers])]
    return [value.double().sum().item() for value in kept if value.numel() and not value.is_complex()]
