"""Strong: a data set that was only evaluated holds rows that the model was trained on beside rows that it was not.

It compares the inputs that DataLoaders hand out, bit by bit, by a checksum of each. It speaks where 5 % of the inputs of a whole
pass without a backward pass, ten of them at least, were in training batches since the latest optimizer began. It is silent where
the pass has only inputs that were trained on, or all of them: then the training accuracy was measured, or that of all data.
It is silent, too, about inputs of fewer than 8 different numbers, which may be equal by chance; about inputs that are changed at
random; and about leaks without copies, such as statistics, selected features, or two scans of one patient.
"""

from __future__ import annotations

import weakref

import torch

from torch_errors.watching.detector import Detector, tensors

SHARE, FEWEST, VARIED = 0.05, 10, 8  # of the inputs that are copies; of copies; of different numbers in an input
MOST, LOOKED_AT = 100_000, 256  # inputs of a data set that is looked at; numbers of an input that are read
MIX = 0x9E3779B97F4A7C15 - 2**64  # an odd number without a pattern; products and sums wrap around


class Pass:
    def __init__(self, data):
        self.size = len(data)
        self.sources = [id(data)]  # of the data set, and of those that it is a part of
        while isinstance(data, torch.utils.data.Subset):
            data = data.dataset
            self.sources.append(id(data))
        self.rows, self.batch, self.learned = [], [], False  # checksums, those of the last batch; any backward pass


class Watch(Detector):
    saw = {
        "en": "{copies} of the {rows} inputs that were evaluated are exact copies of training inputs, the others are new to the model: remove duplicates, and split before rows are copied",
        "zh": "评估用的 {rows} 个输入里，{copies} 个与训练过的输入完全相同，其余的模型没见过：先去重，再划分，最后才复制样本",
    }

    def __init__(self, run):
        super().__init__(run)
        self.optimizers = weakref.WeakSet()  # that have made a step
        self.trained, self.sets = set(), set()  # checksums of inputs; ids of data sets
        self.passes = weakref.WeakKeyDictionary()  # loader -> its latest pass
        self.open = []  # passes with a batch since the last backward pass; the last one is the present one

    def on_step(self, optimizer):
        if optimizer not in self.optimizers:  # another model, or another fold
            self.optimizers.add(optimizer)
            self.trained = set()

    def on_pass(self, loader):
        self.close()
        self.passes.pop(loader, None)
        data = loader.dataset
        if hasattr(data, "__len__") and hasattr(data, "__getitem__") and len(data) <= MOST:
            self.passes[loader] = Pass(data)

    def on_batch(self, loader, batch):
        this, given = self.passes.get(loader), next(iter(tensors(batch)), None)
        if self.open and self.open[-1] is not this:
            self.close()
        if this is None or given is None:
            return
        self.open = [one for one in self.open if one is not this] + [this]
        this.batch = checksums(given)
        this.rows += [] if this.learned else this.batch

    def on_backward(self, loss, value):
        for one in self.open:
            one.learned, one.rows = True, []
            self.sets.add(one.sources[0])
            self.trained.update(one.batch)
        self.open = []

    def on_end(self):
        self.close()

    def close(self):
        """Whether the pass that may have ended was an evaluation of some trained rows and some others."""
        if not self.open or len(self.open[-1].rows) < 0.9 * self.open[-1].size:
            return
        this = self.open.pop()
        rows, this.rows = this.rows, []
        copies, others = sum(row in self.trained for row in rows), self.trained - set(rows)
        mixed = max(FEWEST, SHARE * len(rows)) <= copies <= len(rows) - FEWEST
        if mixed and others and not self.sets.intersection(this.sources):
            self.find("strong", copies=copies, rows=len(rows))
            self.finished = True


def checksums(given):
    """A number for each row, the same for equal rows; none for rows of few different numbers."""
    if given.device.type != "cpu" or given.layout != torch.strided or given.dim() < 2 or given.is_complex():
        return []
    flat = given.detach().flatten(1)
    flat = flat[:, :: max(1, flat.shape[1] // LOOKED_AT)]
    if flat.shape[1] < VARIED:
        return []
    whole = flat.double().view(torch.int64) if flat.is_floating_point() else flat.to(torch.int64)
    mixed = whole * (torch.arange(1, 2 * whole.shape[1], 2) * MIX)
    sums = ((mixed ^ (mixed >> 29)) * MIX).sum(1)
    varied = (whole.sort(1).values.diff(dim=1) != 0).sum(1) >= VARIED - 1
    return [row for row, many in zip(sums.tolist(), varied.tolist(), strict=True) if many]
