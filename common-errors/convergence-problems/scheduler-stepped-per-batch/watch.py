"""Strong: the learning rate was gone in the first passes over the data, and training went on without it.

After each scheduler step it compares the rate with the highest one so far. It speaks where the rate fell to 1/1000 by several
scheduler steps a pass over a DataLoader, stayed there for as many steps as the fall had taken (twice as many where it fell in
the third pass, and so on, unless it kept falling, below 1/100000), and another pass over the same data set began. It is
silent about schedules that end with the training (one-cycle, cosine), rates that rise again (warm restarts), and slow decay
per step. Without a DataLoader, it sees a pass where a model is given slices of one tensor in their order, `data[i : i + size]`: each begins as far
behind the one before it, and then the first one comes again.
"""

from __future__ import annotations

import weakref

import torch

from torch_errors.watching.detector import Detector, is_real

GONE = 999  # three times a tenth, rounded
FEWEST = 4  # scheduler steps a pass, and twice as many in all
VANISHED, FEW_PASSES = 1e5, 4  # a rate that falls on and on in a few passes
SLICES, FIRST_STEPS = 8, 64  # of a pass without a DataLoader; in which a scheduler has to make a step


class Watch(Detector):
    inside = ()
    saw = {
        "en": "the learning rate fell from {high:.1e} to {low:.1e} within {steps} scheduler steps, in pass {passes} over the data, and training goes on: the scheduler is stepped once a batch",
        "zh": "学习率在 {steps} 步内（第 {passes} 遍数据）就从 {high:.1e} 降到 {low:.1e}：scheduler 每个批次都调用了一次 step()",
    }

    def __init__(self, run):
        super().__init__(run)
        self.data = None  # id of the data set of the latest pass, or the address of the tensor that is sliced
        self.rounds = 0  # passes over slices, while there is no DataLoader
        self.slices = 0, 0, 0, 0  # addresses of the first, how far apart they are, of the last; how many
        self.seen = weakref.WeakKeyDictionary()  # optimizer -> its history

    def on_pass(self, loader):
        self.data = id(loader.dataset)

    def on_forward(self, module, inputs, output, depth):
        """Without a DataLoader: whether a tensor is read in slices, and they begin anew."""
        unscheduled = not self.seen and self.run.steps > FIRST_STEPS
        if self.run.passes or unscheduled or depth or not module.training:
            return
        given = inputs[0] if inputs and isinstance(inputs[0], torch.Tensor) and is_real(inputs[0]) else None
        address = given.data_ptr() if given is not None else 0
        first, stride, last, count = self.slices
        if address == last:
            pass  # the same slice once more
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
