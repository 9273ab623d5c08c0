"""Strong: the learning rate nearly vanished in the first passes over the data, and training continued.

After each scheduler step, the detector compares the learning rate with the highest one so far. It reports if several
scheduler steps per pass over a DataLoader lowered it to 1/1000, it stayed there for as many steps as the fall had taken
(twice as many if it fell in the third pass, and so on, unless it kept falling, below 1/100000), and a further pass over
the same data set started. It does not report schedules that end with the training run (one-cycle, cosine), learning
rates that rise again (warm restarts), or slow decay per step. Without a DataLoader, a model that is given slices of one
tensor in order, `data[i : i + size]`, makes a pass: the slices are equally far apart, and then the first one comes
again.
"""

from __future__ import annotations

import weakref

import torch

from torch_errors.watching.detector import Detector, is_real

GONE = 999  # three decays by a factor of 10, with a margin for rounding
FEWEST = 4  # minimum number of scheduler steps per pass; at least twice as many are needed in total
VANISHED, FEW_PASSES = 1e5, 4  # for a learning rate that keeps falling: total decay factor, maximum number of passes
SLICES, FIRST_STEPS = 8, 64  # minimum slices of a pass without a DataLoader; steps by which a scheduler must step


class Watch(Detector):
    needs = "epochs"
    inside = ()
    saw = {
        "en": "the learning rate fell from {high:.1e} to {low:.1e} within {steps} scheduler steps, in pass {passes} over the data, and training goes on: the scheduler is stepped once per batch",
        "zh": "学习率在 {steps} 步内（第 {passes} 遍数据）就从 {high:.1e} 降到 {low:.1e}：scheduler 每个批次都调用了一次 step()",
    }

    def __init__(self, run):
        super().__init__(run)
        self.data = None  # id of the data set of the latest pass, or address of the tensor that is sliced
        self.rounds = 0  # number of passes over slices if there is no DataLoader
        self.slices = 0, 0, 0, 0  # address of the first slice, distance, address of the last slice, count
        self.seen = weakref.WeakKeyDictionary()  # optimizer -> its history

    def on_pass(self, loader):
        self.data = id(loader.dataset)

    def on_forward(self, module, inputs, output, depth):
        """Count the passes over a tensor that is read in slices, without a DataLoader."""
        unscheduled = not self.seen and self.run.steps > FIRST_STEPS
        if self.run.passes or unscheduled or depth or not module.training:
            return
        given = inputs[0] if inputs and isinstance(inputs[0], torch.Tensor) and is_real(inputs[0]) else None
        address = given.data_ptr() if given is not None and given.layout == torch.strided else 0
        first, stride, last, count = self.slices
        if address == last:
            pass  # the same slice again
        elif count == 1 and address > last:
            self.slices = first, address - last, address, 2
        elif count > 1 and address == last + stride:
            self.slices = first, stride, address, count + 1
            if count + 1 == SLICES:
                self.data = first
        else:
            self.rounds += address == first and count >= SLICES
            self.slices = address, 0, address, 1

    def on_scheduled(self, scheduler):
        optimizer = getattr(scheduler, "optimizer", None)
        if optimizer is None:
            return
        rate = max(float(group["lr"]) for group in optimizer.param_groups)
        history, number = self.seen.get(optimizer), self.run.passes or self.rounds
        if history is None:
            self.seen[optimizer] = {
                "data": self.data,
                "passes": {number},
                "high": rate,
                "steps": 1,
                "fell": None,
            }
            return
        if history["data"] is None:
            history["data"] = self.data
        if history["data"] == self.data:
            history["steps"] += 1
            history["passes"].add(number)
        history["high"] = max(history["high"], rate)
        if rate * GONE >= history["high"]:
            history["fell"] = None
        elif history["fell"] is None:
            history["fell"] = (history["steps"], len(history["passes"]), rate)
        else:
            steps, passes, low = history["fell"]
            inside, stayed = steps >= FEWEST * max(2, passes), history["steps"] >= steps * max(2, passes)
            falls = 0 < rate * VANISHED < history["high"] and passes <= FEW_PASSES and history["steps"] >= 2 * steps
            stayed = stayed or falls
            if inside and stayed and len(history["passes"]) > passes:
                self.find("strong", high=history["high"], low=low, steps=steps, passes=passes)
