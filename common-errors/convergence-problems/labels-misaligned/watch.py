"""Proof: a loss compares outputs for a batch of one DataLoader with a batch of a second one in a different order.

Both loaders have the same number of samples, and at least one is shuffled by a `RandomSampler` without a generator,
which draws its own order. The targets are a tensor that the second loader returned, and the outputs were computed from
a tensor that the first one returned; the sequence number of the autograd node shows this. The detector reports at the
second such loss. It does not report targets that were converted or moved first, inputs that were changed in place,
outputs that are also compared with targets of their own loader (CutMix), other samplers and given generators (whose
orders may agree), loaders that started from the same random state, or tensors, lists and files that were reordered
before a loader read them.
"""

from __future__ import annotations

import weakref

import torch
from torch.utils.data import RandomSampler, SequentialSampler

from torch_errors.watching.detector import Detector, tensors

KEPT, DEEP = 4096, 6  # maximum number of batches and outputs to keep; of nodes between an output and its loss


class Watch(Detector):
    saw = {
        "en": "{loss} compares outputs for a batch of one DataLoader with targets of a different one, and the two put their {samples} samples into different random orders",
        "zh": "{loss} 比较的输出和目标来自两个 DataLoader，它们各有 {samples} 个样本，随机顺序互不相同",
    }
    inside = ()

    def __init__(self, run):
        super().__init__(run)
        self.orders = weakref.WeakKeyDictionary()  # loader -> (shuffled, random state at the start of the pass)
        self.batches = {}  # id of a tensor -> (weak reference to it, weak reference to its loader, its version)
        self.outputs = {}  # sequence number of an autograd node -> loader of its input
        self.seen = 0

    def on_pass(self, loader):
        sampler, generator = loader.sampler, getattr(loader.sampler, "generator", None) or loader.generator
        supported = type(sampler) in (RandomSampler, SequentialSampler) and generator is None and loader.batch_size
        shuffled = type(sampler) is RandomSampler
        self.orders[loader] = (shuffled, hash(torch.get_rng_state().numpy().tobytes())) if supported else None

    def on_batch(self, loader, batch):
        if len(self.orders) > 1 and self.orders.get(loader) is not None:
            for tensor in (t for t in tensors(batch) if not t.is_inference()):  # inference tensors have no version
                self.batches[id(tensor)] = (weakref.ref(tensor), weakref.ref(loader), tensor._version)
            while len(self.batches) > KEPT:
                del self.batches[next(iter(self.batches))]

    def loader_of(self, tensor):
        reference, loader, version = self.batches.get(id(tensor), (None, None, 0))
        return loader() if reference is not None and reference() is tensor and tensor._version == version else None

    def on_forward(self, module, inputs, output, depth):
        if depth or not self.batches:
            return
        loaders = [self.loader_of(tensor) for tensor in tensors(inputs)]
        if len(loaders) == 1 and loaders[0] is not None:
            for tensor in tensors(output):
                if tensor.grad_fn is not None:
                    self.outputs[tensor.grad_fn._sequence_nr()] = weakref.ref(loaders[0])
            while len(self.outputs) > KEPT:
                del self.outputs[next(iter(self.outputs))]

    def on_loss(self, name, input, target, value):
        second = self.loader_of(target) if self.outputs else None
        node = getattr(input, "grad_fn", None) if second is not None else None
        for _ in range(DEEP):
            if node is None:
                return
            if node._sequence_nr() in self.outputs:
                if self.outputs[node._sequence_nr()]() is second:
                    del self.outputs[node._sequence_nr()]  # compared with its own targets: ignore it from now on
                    self.seen = 0
                else:
                    self.compare(name, self.outputs[node._sequence_nr()](), second)
                return
            node = node.next_functions[0][0] if node.next_functions else None

    def compare(self, name, first, second):
        if first is None or len(first.dataset) != len(second.dataset) > first.batch_size:
            return
        orders = self.orders.get(first), self.orders.get(second)
        if None not in orders and orders[0] != orders[1] and (orders[0][0] or orders[1][0]):
            self.seen += 1
            if self.seen == 2:
                self.find("proof", loss=name, samples=len(first.dataset))
                self.finished = True
