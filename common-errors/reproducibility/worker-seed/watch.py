"""Proof: a random generator in the dataset has the same state in two workers, and each batch advances it.

After each of the first two batches of a pass, every worker sends the states of the generators that the dataset, its
transforms or a wrapped dataset have as attributes. The detector reports equal states in two workers if the second batch
has changed them: these workers draw the same numbers. It reports nothing for passes without a backward pass, such as
validation with fixed noise; an `IterableDataset`, whose workers may share a permutation; global generators, which the
loader seeds itself; workers that are not forked; and repeated draws in each epoch with a single worker.
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
        "zh": "worker 进程 {first} 和 {second} 抽到相同的随机数：{dataset} 的 `{name}` 在每个 worker 里都是同一个生成器的副本；应当在 `worker_init_fn` 里重新设种子",
    }

    def __init__(self, run):
        super().__init__(run)
        self.passes = self.fetched = 0  # number of passes that are watched; in a worker, number of its batches
        self.numbers = weakref.WeakKeyDictionary()  # loader -> number of its latest pass that is watched
        self.latest = None  # number of the pass of the latest batch
        self.trained = set()  # numbers of the passes with a backward pass
        self.states = {}  # (pass, place of the generator) -> worker -> states after its batches

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
        pass_id, place, dataset, name, state = value
        sent = self.states.setdefault((pass_id, place), {})
        sent.setdefault(number, []).append(state)
        for other, states in sent.items():
            if other != number and states == sent[number] and len(set(states)) == BATCHES and pass_id in self.trained:
                first, second = sorted((other, number))
                self.find("proof", first=first, second=second, name=name, dataset=dataset)
                self.finished = True
                return


def generators(owner, deep=0):
    """Names and generators among an object's attributes, also in its transforms and in a wrapped dataset."""
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
