"""Proof: a DistributedSampler that shuffles has the same epoch and seed in three passes with which a model is trained.

The order of a pass follows from these two numbers, so that each pass has the same batches, on each rank. It is silent about
passes without a backward pass, about samplers with an order of their own, and about a sampler that is made anew for each pass.
"""

from __future__ import annotations

import weakref

from torch.utils.data import DistributedSampler

from torch_errors.watching.detector import Detector

PASSES, GIVEN_UP = 3, 64


class Watch(Detector):
    saw = {
        "en": "{passes} passes of training had the same order of samples: `epoch` of the DistributedSampler stays {epoch}; call `sampler.set_epoch(epoch)` before each pass",
        "zh": "已有 {passes} 遍训练的样本顺序完全相同：DistributedSampler 的 `epoch` 一直是 {epoch}；每一遍之前应当调用 `sampler.set_epoch(epoch)`",
    }

    def __init__(self, run):
        super().__init__(run)
        self.orders = weakref.WeakKeyDictionary()  # sampler -> epoch and seed -> passes of training
        self.current = None  # orders of the latest pass, until it trains
        self.order = None

    def on_pass(self, loader):
        sampler = loader.sampler
        if not isinstance(sampler, DistributedSampler):  # a batch sampler may have it
            sampler = getattr(loader.batch_sampler, "sampler", None)
        self.current = None
        self.finished = self.run.passes > GIVEN_UP
        if isinstance(sampler, DistributedSampler) and type(sampler).__iter__ is DistributedSampler.__iter__:
            if sampler.shuffle:
                self.order = (sampler.epoch, sampler.seed)
                self.current = self.orders.setdefault(sampler, {})

    def on_backward(self, loss, value):
        if self.current is None:
            return
        passes = self.current[self.order] = self.current.get(self.order, 0) + 1
        self.current = None
        if passes == PASSES:
            self.find("proof", passes=passes, epoch=self.order[0])
            self.finished = True
