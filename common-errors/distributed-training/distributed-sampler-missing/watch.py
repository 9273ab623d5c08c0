"""Proof: two ranks train with the same inputs in four steps in a row.

In a group of several ranks that DistributedDataParallel averages over, each rank records the sum of the inputs that it
gives to the wrapper with a gradient, in its first four passes, and sends the sums to the other ranks. The same four
sums, all different from each other, mean the same batches: the gradient of the second rank adds nothing. The detector
does not report if ranks shuffle the same data with different seeds, if inputs do not change from step to step, or
groups smaller than the run, as in tensor parallelism.
"""

from __future__ import annotations

import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from torch_errors.watching.detector import Detector, program_line, tensors

BATCHES = 4


class Watch(Detector):
    inside = (DistributedDataParallel,)
    saw = {
        "en": "ranks {mine} and {other} train with the same {batches} batches: give the DataLoader a DistributedSampler, or let each rank read its own part",
        "zh": "rank {mine} 和 rank {other} 训练用的 {batches} 个批次完全相同：应当给 DataLoader 传入 DistributedSampler，或者让每个 rank 读取各自的部分",
    }

    def __init__(self, run):
        super().__init__(run)
        self.wraps = False
        # sums of this rank, rank -> sums of that rank, line of the first call of the wrapper
        self.sums, self.others, self.line = [], {}, None

    def on_wrapped(self, wrapper):
        self.wraps = dist.get_world_size(wrapper.process_group) == dist.get_world_size() > 1

    def on_forward(self, module, inputs, output, depth):
        if not self.wraps or len(self.sums) == BATCHES or not isinstance(module, DistributedDataParallel):
            return
        if any(tensor.requires_grad for tensor in tensors(output)):
            self.line = self.line or program_line()
            self.sums.append([tensor.double().sum().item() for tensor in tensors(inputs) if not tensor.is_complex()])
            if len(self.sums) == BATCHES:
                self.share(self.sums)
                self.compare()

    def on_shared(self, kind, number, value):
        if kind == "rank":
            self.others[number] = value
            self.compare()

    def compare(self):
        different = len({tuple(batch) for batch in self.sums}) == BATCHES
        for other, sums in self.others.items():
            if different and sums == self.sums:
                self.find("proof", at=self.line, mine=self.run.rank, other=other, batches=BATCHES)
                self.finished = True
                return
