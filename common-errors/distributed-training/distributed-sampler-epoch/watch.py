"""Proof: a DistributedSampler that shuffles has the same epoch and seed in three training passes in a row.

The order of a pass follows from these two numbers, so each pass has the same batches on each rank. The detector does
not report passes with fewer than two optimizer steps: an evaluation that needs gradients makes none, and a single step
for all samples is the same in any order. It also does not report if a different optimizer starts (the next trial of a
search), samplers with an order of their own, or a sampler that is recreated for each pass.
"""

from __future__ import annotations

import weakref

from torch.utils.data import DistributedSampler

from torch_errors.watching.detector import Detector

PASSES, GIVEN_UP = 3, 64


class Watch(Detector):
    needs = "epochs"
    saw = {
        "en": "{passes} passes of training had the same order of samples: `epoch` of the DistributedSampler stays {epoch}; call `sampler.set_epoch(epoch)` before each pass",
        "zh": "已有 {passes} 遍训练的样本顺序完全相同：DistributedSampler 的 `epoch` 一直是 {epoch}；每一遍之前应当调用 `sampler.set_epoch(epoch)`",
    }

    def __init__(self, run):
        super().__init__(run)
        # optimizer -> sampler -> (its order in the latest pass, number of passes in a row with this order)
        self.trained = weakref.WeakKeyDictionary()
        self.sampler, self.order = None, None  # sampler of the latest pass and its order
        self.steps = weakref.WeakKeyDictionary()  # optimizer -> its steps in the latest pass

    def on_pass(self, loader):
        sampler = loader.sampler
        if not isinstance(sampler, DistributedSampler):  # the batch sampler may contain it
            sampler = getattr(loader.batch_sampler, "sampler", None)
        self.sampler = None
        self.finished = self.run.passes > GIVEN_UP
        if isinstance(sampler, DistributedSampler) and type(sampler).__iter__ is DistributedSampler.__iter__:
            if sampler.shuffle:
                self.sampler, self.order = weakref.ref(sampler), (sampler.epoch, sampler.seed)
                self.steps.clear()

    def on_step(self, optimizer):
        sampler = self.sampler and self.sampler()
        if sampler is None:
            return
        self.steps[optimizer] = self.steps.get(optimizer, 0) + 1
        if self.steps[optimizer] != 2:
            return
        passes = self.trained.setdefault(optimizer, weakref.WeakKeyDictionary())
        order, count = passes.get(sampler, (None, 0))
        passes[sampler] = self.order, count + 1 if order == self.order else 1
        if passes[sampler][1] == PASSES:
            self.find("proof", passes=PASSES, epoch=self.order[0])
            self.finished = True
