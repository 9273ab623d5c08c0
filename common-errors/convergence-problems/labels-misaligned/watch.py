"""Proof: a loss compares outputs for a batch of one DataLoader with a batch of another, which draws its own random order.

Both loaders have as many samples, and one at least is shuffled by a `RandomSampler` without a generator, which draws its order for
itself. The targets are a tensor that the second loader handed out, and the outputs were computed from one that the first did, by the
number of the autograd node. It speaks at the second such loss. It is silent about targets that were converted or moved
first, about inputs that were changed in place and outputs that are compared with targets of their own loader as well, as by CutMix, about other samplers and given generators, whose orders may agree, about loaders that began at the same random state, and
about tensors, lists and files that were put into another order before a loader saw them.
"""

from __future__ import annotations

import weakref

import torch
from torch.utils.data import RandomSampler, SequentialSampler

from torch_errors.watching.detector import Detector, tensors

KEPT, DEEP = 4096, 6  # batches and outputs that are remembered; reshaping nodes between an output and its loss


class Watch(Detector):
    saw = {
        "en": "{loss} compares outputs for a batch of one DataLoader with targets of another, and the two put their {samples} samples into different random orders",
        "zh": "{loss} 比较的输出和目标来自两个 DataLoader，它们各有 {samples} 个样本，随机顺序互不相同",
    }
    inside = ()

    def __init__(self, run):
        super().__init__(run)
        self.orders = weakref.WeakKeyDictionary()  # loader -> (shuffled, random state at the beginning of the pass)
        self.batches = {}  # id of a tensor -> (weak references to it and to its loader, its version)
        self.outputs = {}  # number of an autograd node -> loader of what it was computed from
        self.seen = 0

    def on_pass(self, loader):
        sampler, generator = loader.sampler, getattr(loader.sampler, "generator", None) or loader.generator
        known = type(sampler) in (RandomSampler, SequentialSampler) and generator is None and loader.batch_size
        shuffled = type(sampler) is RandomSampler
        self.orders[loader] = (shuffled, hash(torch.get_rng_state().numpy().tobytes())) if known else None

    def on_batch(self, loader, batch):
        if len(self.orders) > 1 and self.orders.get(loader) is not None:
            for tensor in (one for one in tensors(batch) if not one.is_inference()):  # those have no version
                self.batches[id(tensor)] = (weakref.ref(tensor), weakref.ref(loader), tensor._version)
            while len(self.batches) > KEPT:
                del self.batches[next(iter(self.batches))]

    def loader_of(self, tensor):
        known, loader, version = self.batches.get(id(tensor), (None, None, 0))
        return loader() if known is not None and known() is tensor and tensor._version == version else None

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
                    del self.outputs[node._sequence_nr()]  # whatever else this output is compared with
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
