"""Strong: two workers of a DataLoader yield the same samples of an IterableDataset.

It compares the samples of the first batches of a pass, of which the DataLoader takes one from each worker in turn. It speaks
when at least 16 samples, and most of the smaller share, came from both workers, while hardly any came twice from one of them:
so shuffling does not hide the fault. It is silent about samples that repeat within a worker, as rows of few categories; about
data that random augmentation changes; and about samples that are neither tensors, numbers nor texts. It would be wrong about
a stream in which each row stands once for each worker, one behind the other.
"""

from __future__ import annotations

import torch
from torch.utils.data import IterableDataset

from torch_errors.watching.detector import Detector, tensors

FEWEST_SAMPLES, MOST_SAMPLES, MOST_BATCHES, MOST_PASSES = 16, 512, 16, 4
MOST_BYTES = 4096  # of a sample that are read


class Watch(Detector):
    saw = {
        "en": "{same} of the first {count} samples of worker {other} have come from worker 0, too: each of the {workers} workers reads all of {dataset}; split it by `get_worker_info()`",
        "zh": "工作进程 {other} 的前 {count} 个样本里，有 {same} 个工作进程 0 也读过：{workers} 个工作进程各自读完整的 {dataset}；应当用 `get_worker_info()` 分片",
    }

    def __init__(self, run):
        super().__init__(run)
        self.loader, self.batches, self.samples = 0, 0, []  # of the present pass: of each worker, its samples
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
        first = set(self.samples[0])
        same = len(first.intersection(own))
        alone = min(len(set(of)) / max(1, len(of)) for of in (own, self.samples[0]))
        if same >= max(FEWEST_SAMPLES, 0.6 * min(len(own), len(first))) and alone > 0.9:
            dataset = type(loader.dataset).__name__
            self.find("strong", same=same, count=len(own), other=number, workers=workers, dataset=dataset)
            self.finished = True


def samples_of(batch, several):
    """A hash of each sample in a batch, which consists of several or is one."""
    parts = [part for part in tensors(batch) if part.device.type == "cpu" and part.layout == torch.strided]
    texts = [
        part for part in columns(batch) if isinstance(part, list | tuple) and all(isinstance(s, str) for s in part)
    ]
    count = len(texts[0]) if texts else len(parts[0]) if parts and parts[0].ndim else 0
    if not several or not count:
        texts, parts, count = (
            [[repr(batch)]] if isinstance(batch, str | int | float) else [],
            [p[None] for p in parts],
            1,
        )
    rows = [bytes_of(part) for part in parts if part.ndim and len(part) == count]
    rows += [part for part in texts if len(part) == count]
    return [hash(sample) for sample in zip(*rows, strict=True)]


def columns(batch):
    return (
        batch.values() if isinstance(batch, dict) else [batch, *batch] if isinstance(batch, list | tuple) else [batch]
    )


def bytes_of(part):
    """Of each row, the first bytes."""
    rows = part.reshape(len(part), -1)[:, :MOST_BYTES].contiguous()
    return [row.tobytes()[:MOST_BYTES] for row in rows.view(torch.uint8).numpy()] if rows.numel() else [b""] * len(part)
