"""Proof: a random generator that the dataset keeps is in the same state in two workers, and each batch advances it.

After each of the first two batches of a pass, every worker tells the states of the generators that the dataset, its transforms
or a dataset inside it have as attributes. Equal states in two workers, which the second batch has changed: they draw the same
numbers. It is silent about a pass in which no backward pass came, as of a validation with fixed noise; about an
`IterableDataset`, whose workers may share a permutation; about global generators, which the loader seeds itself; about workers
that are not forked; and about the same draws in each epoch with a single worker.
"""

from __future__ import annotations

import random
import weakref
import zlib

import numpy
import torch
from torch.utils.data import IterableDataset

from torch_errors.watching.detector import Detector

BATCHES, MOST_PASSES, MOST_ATTRIBUTES = 2, 4, 256
KINDS = (numpy.random.Generator, numpy.random.RandomState, torch.Generator, random.Random)


class Watch(Detector):
    saw = {
        "en": "workers {first} and {second} draw the same random numbers: `{name}` of {dataset} is a copy of one generator in each of them; seed it in `worker_init_fn`",
        "zh": "工作进程 {first} 和 {second} 抽到相同的随机数：{dataset} 的 `{name}` 在每个工作进程里都是同一个生成器的副本；应当在 `worker_init_fn` 里重新设种子",
    }

    def __init__(self, run):
        super().__init__(run)
        self.passes = self.fetched = 0  # the second one in a worker
        self.numbers = weakref.WeakKeyDictionary()  # loader -> its latest pass that is watched
        self.latest = None  # the pass of the latest batch
        self.trained = set()  # the passes in which a backward pass came
        self.states = {}  # pass, place of the generator, worker -> the states after its batches

    def on_pass(self, loader):
        self.numbers.pop(loader, None)
        if loader.num_workers > 1 and not isinstance(loader.dataset, IterableDataset):
            self.passes += 1
            self.numbers[loader] = self.passes
        self.finished = self.passes > MOST_PASSES

    def on_batch(self, loader, batch):
        self.latest = self.numbers.get(loader)

    def on_backward(self, loss, value):
        if self.latest:
            self.trained.add(self.latest)

    def on_fetched(self, dataset, worker, batch):
        self.fetched += 1
        if self.fetched <= BATCHES and not isinstance(dataset, IterableDataset):
            for place, (name, generator) in enumerate(generators(dataset)):
                self.share([self.passes, place, type(dataset).__name__, name, state_of(generator)])

    def on_shared(self, kind, number, value):
        at, place, dataset, name, state = value
        known = self.states.setdefault((at, place), {})
        known.setdefault(number, []).append(state)
        for other, states in known.items():
            if other != number and states == known[number] and len(set(states)) == BATCHES and at in self.trained:
                first, second = sorted((other, number))
                self.find("proof", first=first, second=second, name=name, dataset=dataset)
                self.finished = True
                return


def generators(owner, deep=0):
    """Generators that an object has as attributes, also those of its transforms and of a dataset inside it."""
    inside = list(owner) if isinstance(owner, list | tuple) else list(getattr(owner, "__dict__", {}).items())
    for item in inside[:MOST_ATTRIBUTES]:
        name, value = item if isinstance(item, tuple) and len(item) == 2 else ("", item)
        if isinstance(value, KINDS):
            yield str(name), value
        elif deep < 4 and (isinstance(value, list | tuple) or hasattr(value, "__dict__")):
            if not isinstance(value, torch.Tensor | type):
                yield from generators(value, deep + 1)


def state_of(generator):
    if isinstance(generator, torch.Generator):
        return zlib.crc32(generator.get_state().numpy().tobytes())
    if isinstance(generator, numpy.random.Generator):
        return zlib.crc32(repr(generator.bit_generator.state).encode())
    state = generator.get_state() if isinstance(generator, numpy.random.RandomState) else generator.getstate()
    return zlib.crc32(repr([part.tobytes() if hasattr(part, "tobytes") else part for part in state]).encode())
