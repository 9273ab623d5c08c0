"""Strong: two workers of a DataLoader yield the same samples of an IterableDataset, in the same order.

The detector compares the samples of the first batches of a pass, which the DataLoader takes from each worker in turn.
It reports if at least 16 samples, and 60% of the samples of the worker with fewer, are the same at the same place in
both workers, while hardly any came twice from one of them. It does not report workers that shuffle, each in its own
order: that is correct for an endless stream, and the end of a stream can't be seen. It also ignores samples that repeat
within a worker (rows of few categories), data that random augmentation changes, and batches with anything but tensors,
numbers and strings. It would be wrong about a stream that contains each row once per worker, one directly after the
other.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch.utils.data import IterableDataset

from torch_errors.watching.detector import Detector

FEWEST_SAMPLES, MOST_SAMPLES, MOST_BATCHES, MOST_PASSES = 16, 512, 16, 4
MOST_BYTES = 4096  # maximum number of bytes to read per sample


class Watch(Detector):
    saw = {
        "en": "{same} of the first {count} samples of worker {other} also came from worker 0: each of the {workers} workers reads all of {dataset}; split it by `get_worker_info()`",
        "zh": "worker {other} 的前 {count} 个样本里，有 {same} 个 worker 0 也读过：{workers} 个 worker 进程都读了完整的 {dataset}；应当用 `get_worker_info()` 分片",
    }

    def __init__(self, run):
        super().__init__(run)
        self.loader, self.batches, self.samples = 0, 0, []  # of the current pass: id, batches, samples per worker
        self.passes = 0

    def on_pass(self, loader):
        self.loader = 0
        if loader.num_workers > 1 and isinstance(loader.dataset, IterableDataset) and getattr(loader, "in_order", True):
            self.loader, self.batches, self.samples = id(loader), 0, [[] for _ in range(loader.num_workers)]
            self.passes += 1
            self.finished = self.passes > MOST_PASSES

    def on_batch(self, loader, batch):
        if id(loader) != self.loader:
            return
        number, workers = divmod(self.batches, loader.num_workers)[1], loader.num_workers
        own = self.samples[number]
        if len(own) < MOST_SAMPLES:
            own += samples_of(batch, loader.batch_size is not None)
        self.batches += 1
        if self.batches >= MOST_BATCHES * workers:
            self.loader = 0
        if number == 0:
            return
        first = self.samples[0]
        same = sum(a == b for a, b in zip(first, own, strict=False))
        alone = min(len(set(samples)) / max(1, len(samples)) for samples in (own, first))
        if same >= max(FEWEST_SAMPLES, 0.6 * min(len(own), len(first))) and alone > 0.9:
            dataset = type(loader.dataset).__name__
            self.find("strong", same=same, count=len(own), other=number, workers=workers, dataset=dataset)
            self.finished = True


def samples_of(batch, several):
    """Return a hash per sample of a batch (a single sample unless `several`), or none if it has unsupported values."""
    parts = list(leaves(batch))
    if None in parts:
        return []
    sizes = [len(part) for part in parts if several and part and isinstance(part, list)]
    count = sizes[0] if sizes else 1
    rows = [part for part in parts if isinstance(part, list) and len(part) == count and sizes]
    rest = str([part for part in parts if not any(part is row for row in rows)])  # part of every sample's hash
    return [hash((sample, rest)) for sample in (zip(*rows, strict=True) if rows else [()])]


def leaves(value, deep=0):
    """Yield the parts of a batch: a list of rows for a tensor, a list of strings, text for other values, None if unsupported."""
    if isinstance(value, torch.Tensor):
        yield bytes_of(value) if value.device.type == "cpu" and value.layout == torch.strided else None
    elif isinstance(value, list | tuple) and value and all(isinstance(item, str) for item in value):
        yield list(value)
    elif isinstance(value, Mapping | list | tuple) and deep < 4:
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from leaves(item, deep + 1)
    else:
        yield repr(value) if isinstance(value, str | bytes | int | float | None) else None


def bytes_of(part):
    """Return the first bytes of each row of a tensor, or a single number as text."""
    if not part.ndim:
        return repr(part.item())
    rows = part.reshape(len(part), -1)[:, :MOST_BYTES].contiguous() if part.numel() else part
    return [row.tobytes()[:MOST_BYTES] for row in rows.view(torch.uint8).numpy()] if rows.numel() else [b""] * len(part)
