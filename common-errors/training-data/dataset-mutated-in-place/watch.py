"""Strong: reading the first batch changes the samples that the dataset stores, in two passes after a complete one.

The detector compares sums of the tensors and arrays in the dataset's attributes, one per sample or with a row per
sample, between the start of a pass over a DataLoader and its first batch: in between, only the dataset has been read.
A change in the first pass counts if it is in as many rows as the batch has samples, and none of them was 0 before.
It reports nothing for other changes in the first passes, which fill caches (more passes if they leave samples out); changes at other
times, as in a replay buffer; worker processes, which change copies; fewer than four numbers per sample, and more than
100 million in all.
"""

from __future__ import annotations

import weakref

import numpy
import torch
from torch.utils.data import IterableDataset, RandomSampler, SequentialSampler

from torch_errors.watching.detector import Detector, is_real, tensors

MOST_PASSES, MOST_NUMBERS, MOST_PARTS = 64, 100_000_000, 4096
LONGER = 8  # number of passes before the first check, if a pass does not visit every sample


class Watch(Detector):
    needs = "epochs"
    saw = {
        "en": "reading a batch has changed the samples that {dataset} stores: each pass starts from what the previous one left; let transforms work on a copy, as with `.clone()`",
        "zh": "读取批次时，{dataset} 里保存的样本被原地改动了：每一遍都从上一遍改过的数据开始；应当在副本上做变换，例如先 `.clone()`",
    }

    def __init__(self, run):
        super().__init__(run)
        self.complete = {}  # id of a dataset -> [weak reference to it (None for a list), number of complete passes]
        self.loader, self.before, self.batches = lambda: None, None, 0  # loader, sums and batches of this pass
        self.changed = 0
        self.rows = []  # sums of the rows that the dataset stores, before its first pass

    def on_pass(self, loader):
        self.loader, self.before, self.batches, self.rows = lambda: None, None, 0, []
        self.finished = self.run.passes > MOST_PASSES
        if loader.num_workers or isinstance(loader.dataset, IterableDataset) or not hasattr(loader.dataset, "__len__"):
            return
        self.loader, key = weakref.ref(loader), id(loader.dataset)
        reference = weakref.ref(loader.dataset) if type(loader.dataset).__weakrefoffset__ else None  # a list has none
        if key not in self.complete or self.complete[key][0] is not reference:  # Python keeps one per object
            self.complete[key] = [reference, 0]
            self.rows = [] if self.changed else row_sums(loader.dataset)
        whole = isinstance(loader.sampler, SequentialSampler) or (
            isinstance(loader.sampler, RandomSampler) and not loader.sampler.replacement
        )
        whole = whole and loader.batch_size is not None and not loader.drop_last
        if self.complete[key][1] >= (1 if whole else LONGER):
            self.before = sums(loader.dataset)

    def on_batch(self, loader, batch):
        if self.loader() is not loader:
            return
        self.batches += 1
        if self.rows and self.batches == 1:
            count = next((len(part) for part in tensors(batch) if part.dim()), 0)
            self.changed += any(
                len(before) == len(now) and is_change(before, now, count)
                for before, now in zip(self.rows, row_sums(loader.dataset), strict=False)
            )
            self.rows = []
        after = sums(loader.dataset) if self.batches == 1 and self.before else self.before
        if self.before and len(after) == len(self.before) and after != self.before:
            self.changed, self.before = self.changed + 1, None
            if self.changed == 2:
                self.find("strong", dataset=type(loader.dataset).__name__)
                self.finished = True
        if self.batches == len(loader) and len(loader.sampler) >= len(loader.dataset):
            self.complete[id(loader.dataset)][1] += 1


def sums(dataset):
    """Two sums of each stored tensor or array of samples, also in wrapped datasets; empty if these are too large."""
    parts = list(stored(dataset))
    if sum(map(size, parts)) > MOST_NUMBERS:
        return []
    flat = [(part.reshape(-1), torch if isinstance(part, torch.Tensor) else numpy) for part in parts]
    return [str([float(part[::step].sum(dtype=library.float64)) for step in (1, 3)]) for part, library in flat]


def row_sums(dataset):
    """The sums of the rows of each floating-point tensor or array with a row per sample; empty if these are too large."""
    parts = [part for part in stored(dataset) if len(part) == len(dataset)]
    parts = [torch.as_tensor(part) for part in parts]
    if sum(map(size, parts)) > MOST_NUMBERS:
        return []
    return [
        part.detach().flatten(1).sum(1, dtype=torch.double)
        for part in parts
        if part.dim() > 1 and part.is_floating_point()
    ]


def is_change(before, now, count):
    """Whether exactly `count` of all rows have changed, none of which was 0."""
    changed = (before != now) & ~(before.isnan() & now.isnan())
    return 0 < count == int(changed.sum()) < len(before) and bool(before[changed].all())


def stored(dataset, deep=0):
    for inner in [getattr(dataset, "dataset", None), *(getattr(dataset, "datasets", None) or [])]:
        if inner is not None and deep < 4:  # a Subset, a ConcatDataset
            yield from stored(inner, deep + 1)
    count = len(dataset) if hasattr(dataset, "__len__") else 0
    for value in [dataset] if isinstance(dataset, list) else list(getattr(dataset, "__dict__", {}).values()):
        parts = (
            list(value.values()) if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value]
        )
        rows = 1 if len(parts) >= count else count  # a part is one sample, or has one row per sample
        for part in parts[:: len(parts) // MOST_PARTS + 1] if count else []:
            items = part[:4] if isinstance(part, tuple | list) else part.values() if isinstance(part, dict) else [part]
            yield from (item for item in items if size(item) >= 4 * rows and item.shape[0] >= rows)


def size(item):
    """How many numbers a tensor or array holds; 0 for anything else."""
    if isinstance(item, torch.Tensor):
        return (
            item.numel() if is_real(item) and item.dim() and item.dtype != torch.bool and not item.is_complex() else 0
        )
    writable = isinstance(item, numpy.ndarray) and item.dtype.kind in "fiu" and item.ndim and item.flags.writeable
    return item.size if writable else 0
