"""Strong: the learning rate was gone within two passes over the data, and training went on without it.

After each scheduler step it compares the rate with the highest one so far. It speaks where the rate fell below 1/1000 while a
DataLoader was in its first or second pass, by scheduler steps inside the pass, stayed there for as many steps as the fall had
taken, and another pass over the same DataLoader began. It is silent about schedules that end with the training (one-cycle,
cosine), rates that rise again (warm restarts), slow decay per step, and programs without a DataLoader.
"""

from __future__ import annotations

import weakref

from torch_errors.watching.detector import Detector

GONE = 1000
FEWEST = 8  # scheduler steps inside the passes


class Watch(Detector):
    saw = {
        "en": "the learning rate fell from {high:.1e} to {low:.1e} within {steps} scheduler steps, in pass {passes} over the data, and training goes on: the scheduler is stepped once a batch",
        "zh": "学习率在 {steps} 步内（第 {passes} 遍数据）就从 {high:.1e} 降到 {low:.1e}：scheduler 每个批次都调用了一次 step()",
    }

    def __init__(self, run):
        super().__init__(run)
        self.loader = lambda: None  # of the latest pass
        self.seen = weakref.WeakKeyDictionary()  # optimizer -> its history

    def on_pass(self, loader):
        self.loader = weakref.ref(loader)
        for history in self.seen.values():
            history["passes"] += history["loader"]() is loader

    def on_scheduled(self, scheduler):
        optimizer, loader = getattr(scheduler, "optimizer", None), self.loader()
        if optimizer is None or loader is None:
            return
        rate = max(float(group["lr"]) for group in optimizer.param_groups)
        history = self.seen.get(optimizer)
        if history is None:
            self.seen[optimizer] = {"loader": self.loader, "passes": 1, "high": rate, "steps": 1, "fell": None}
            return
        history["steps"] += 1
        history["high"] = max(history["high"], rate)
        if rate * GONE >= history["high"]:
            history["fell"] = None
        elif history["fell"] is None:
            history["fell"] = (history["steps"], history["passes"])
        else:
            steps, passes = history["fell"]
            inside = passes <= 2 and steps >= FEWEST
            if inside and history["passes"] > passes and history["steps"] >= 2 * steps:
                self.find("strong", high=history["high"], low=rate, steps=steps, passes=passes)
