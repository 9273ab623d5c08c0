"""Strong: a model was called 256 times in a row with one sample, although all of the samples were available before.

They are rows of one tensor that nothing has written to in between, or batches of a DataLoader with `batch_size=1`; all
have the same shape, and no backward pass runs in between. The detector reports nothing if a sample may depend on the
previous output (an environment, a generated token, a series that is filled in, a model that changes its state). On the
CPU, it also reports nothing if one sample is enough work (measured: with convolutions, attention or long sequences,
batches gain little); on GPUs, nothing for large samples.
"""

from __future__ import annotations

import weakref

import torch
from torch.utils.data import IterableDataset

from torch_errors.watching.detector import Detector, is_real, tensors

FIRST, CALLS = 8, 256
LARGEST, LARGEST_ON_CPU, POSITIONS_ON_CPU = 2**18, 4096, 16  # numbers in a sample, and rows of them
STEPPED = (torch.nn.RNNBase, torch.nn.EmbeddingBag)  # modules in which long samples don't keep the CPU busy
FILLING = (torch.nn.modules.conv._ConvNd, torch.nn.MultiheadAttention)  # modules in which one sample does so


class Watch(Detector):
    needs = "validation"
    inside = ()
    saw = {
        "en": "{module} was called {calls} times in a row with one sample of shape {shape}, although all samples were already available: call it with batches, such as `for part in inputs.split(256)`",
        "zh": "{module} 连续 {calls} 次只处理一个样本（形状 {shape}），而这些样本早已全部就绪：应当按批次调用，例如 `for part in inputs.split(256)`",
    }

    def __init__(self, run):
        super().__init__(run)
        # module -> what its calls in a row have in common, the places of the samples, its state
        self.calls = weakref.WeakKeyDictionary()
        self.single, self.batches = None, 0  # pass of the latest batch if it is one sample; number of batches

    def on_batch(self, loader, batch):
        several = loader.batch_size != 1 or isinstance(loader.dataset, IterableDataset)
        self.single = None if several else self.run.passes
        self.batches += 1

    def on_forward(self, module, inputs, output, depth):
        sample = inputs[0] if inputs else None
        usable = isinstance(sample, torch.Tensor) and is_real(sample) and sample.dim() > 0
        if not usable or (sample.dim() > 1 and len(sample) != 1) or sample.numel() > LARGEST:
            self.forget(module)
            return
        sources = [self.source(value) for value in inputs if isinstance(value, torch.Tensor)]
        if None in sources:
            self.forget(module)
            return
        common = (sample.shape, self.run.backwards, *(base for base, _ in sources))
        previous, places, state = self.calls.get(module, (None, None, None))
        if previous != common:
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
        """What a sample is part of, and its place there; None if it may just have been computed."""
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
    """Sums of the tensors in a module, which show whether it carries a state from call to call."""
    values = [tensor for part in module.modules() for tensor in tensors([vars(part), part._buffers])]
    return [tensor.double().sum().item() for tensor in values if tensor.numel() and not tensor.is_complex()]
