"""Strong: a data set that is only evaluated contains rows that the model was trained on, beside new rows.

By a checksum, the detector compares the samples that DataLoaders return, all tensors of each, bit by bit. It reports at
the end if, in a whole pass without a backward pass, at least 5% of the samples and at least ten were in training
batches since the first step of the latest optimizer, and at least 5% and ten were not. It does not report if the pass
has all samples that were trained on, or if a training set was never read once completely, in order or shuffled: then
the program may have measured the accuracy on all data or on part of the training set. It also ignores inputs with fewer
than 8 different numbers (equal by chance), samples that carry an index or are changed at random, and leaks without
copies, such as statistics, selected features or two scans of one patient.
"""

from __future__ import annotations

import weakref

import torch
from torch.utils.data import BatchSampler, RandomSampler, SequentialSampler

from torch_errors.watching.detector import Detector, program_line, tensors

SHARE, FEWEST = 0.05, 10  # minimum share and number of samples, for copies and for new samples
VARIED = 8  # minimum of different numbers in an input
MOST, LOOKED_AT = 100_000, 256  # maximum size of a data set; numbers to read per sample
MIX = 0x9E3779B97F4A7C15 - 2**64  # odd multiplier without a pattern, for checksums; products and sums wrap around


class Pass:
    def __init__(self, loader):
        data = loader.dataset
        self.size, self.given, self.plain = len(data), 0, goes_through_all(loader)
        self.sources = [id(data)]  # ids of the data set and of the data sets that it is a subset of
        while isinstance(data, torch.utils.data.Subset):
            data = data.dataset
            self.sources.append(id(data))
        # checksums of all batches, checksums of the last batch, whether a backward pass followed a batch
        self.rows, self.batch, self.learned = [], [], False


class Watch(Detector):
    needs = "validation"
    saw = {
        "en": "{copies} of the {rows} inputs that were evaluated are exact copies of training inputs, the others are new to the model: remove duplicates, and split before rows are copied",
        "zh": "评估用的 {rows} 个输入里，{copies} 个与训练过的输入完全相同，其余的模型没见过：先去重，再划分，最后才复制样本",
    }

    def __init__(self, run):
        super().__init__(run)
        self.optimizers = weakref.WeakSet()  # optimizers that have made a step
        self.trained = set()  # checksums of samples that were trained on
        # ids of data sets that were trained on, and of the ones among them that were read completely
        self.sets, self.whole = set(), set()
        self.mixed = {}  # id of a data set -> its last pass with copies and new samples: line, checksums, sources
        self.passes = weakref.WeakKeyDictionary()  # loader -> its latest pass
        self.open = []  # passes with a batch since the last backward pass, the current pass last

    def on_step(self, optimizer):
        if optimizer not in self.optimizers:  # a different model or fold
            self.judge()
            self.optimizers.add(optimizer)
            self.trained, self.mixed = set(), {}

    def on_pass(self, loader):
        self.close()
        self.passes.pop(loader, None)
        data = loader.dataset
        if hasattr(data, "__len__") and hasattr(data, "__getitem__") and len(data) <= MOST:
            self.passes[loader] = Pass(loader)

    def on_batch(self, loader, batch):
        this, parts = self.passes.get(loader), list(tensors(batch))
        if self.open and self.open[-1] is not this:
            self.close()
        if this is None or not parts:
            return
        self.open = [other for other in self.open if other is not this] + [this]
        this.batch = checksums(parts)
        this.given += len(parts[0]) if parts[0].dim() else 0
        this.rows += [] if this.learned else this.batch

    def on_backward(self, loss, value):
        for opened in self.open:
            opened.learned, opened.rows = True, []
            self.sets.add(opened.sources[0])
            self.trained.update(opened.batch)
            if opened.plain and opened.given >= (1 - SHARE) * opened.size:
                self.whole.add(opened.sources[0])
        self.open = []

    def on_end(self):
        self.close()
        self.judge()

    def close(self):
        """Record the pass that may have ended if it evaluated both rows that were trained on and new rows."""
        if not self.open or len(self.open[-1].rows) < 0.9 * self.open[-1].size:
            return
        this = self.open.pop()
        rows, this.rows = this.rows, []
        if self.copies(rows, this.sources):
            self.mixed[this.sources[0]] = program_line(), rows, this.sources

    def copies(self, rows, sources):
        """Return how many of these rows were trained on, or 0 if there are too few or too many rows to tell."""
        copies, least = sum(row in self.trained for row in rows), max(FEWEST, SHARE * len(rows))
        mixed = least <= copies <= len(rows) - least and not self.trained <= set(rows)
        return copies if mixed and not self.sets.intersection(sources) else 0

    def judge(self):
        """Report a leak. Runs before a new model starts and at the end, when all training rows are known."""
        for line, rows, sources in self.mixed.values():
            copies = self.copies(rows, sources)
            if copies and self.sets <= self.whole:
                self.find("strong", line, copies=copies, rows=len(rows))
                self.finished = True


def goes_through_all(loader):
    """Whether a pass returns each sample once, except perhaps for the last batch."""
    sampler, batches = loader.sampler, loader.batch_sampler
    in_order = type(sampler) is SequentialSampler or (type(sampler) is RandomSampler and not sampler.replacement)
    return in_order and (batches is None or type(batches) is BatchSampler)


def checksums(parts):
    """Return a checksum per sample of a batch, without samples whose first tensor has few different numbers."""
    count = len(parts[0]) if parts[0].dim() else 0
    rows = [part for part in parts if part.dim() and len(part) == count]
    if not all(part.device.type == "cpu" and part.layout == torch.strided and not part.is_complex() for part in rows):
        return []
    sums = [checksum(part.detach().reshape(count, -1)) for part in rows if part.numel()]
    if not sums or parts[0].dim() < 2 or not parts[0].numel():
        return []
    varied = sums[0][1].tolist()
    whole = [
        sum((number + 1) * value for number, value in enumerate(row))
        for row in zip(*(s[0].tolist() for s in sums), strict=True)
    ]
    return [row for row, many in zip(whole, varied, strict=True) if many]


def checksum(flat):
    """Return a checksum for each row, and whether the row has many different numbers."""
    flat = flat[:, :: max(1, flat.shape[1] // LOOKED_AT)]
    whole = flat.double().view(torch.int64) if flat.is_floating_point() else flat.to(torch.int64)
    mixed = whole * (torch.arange(1, 2 * whole.shape[1], 2) * MIX)
    sums = ((mixed ^ (mixed >> 29)) * MIX).sum(1)
    return sums, (whole.sort(1).values.diff(dim=1) != 0).sum(1) >= VARIED - 1
