"""Strong: the learning rate was gone in the first passes over the data, and training went on without it.

After each scheduler step it compares the rate with the highest one so far. It speaks where the rate fell to 1/1000 by several
scheduler steps a pass over a DataLoader, stayed there for as many steps as the fall had taken (twice as many where it fell in
the third pass, and so on), and another pass over the same data set began. It is silent about schedules that end with the
training (one-cycle, cosine), rates that rise again (warm restarts), slow decay per step, and programs without a DataLoader.
"""

from __future__ import annotations

import weakref

from torch_errors.watching.detector import Detector

GONE = 999  # three times a tenth, rounded
FEWEST = 4  # scheduler steps a pass, and twice as many in all


class Watch(Detector):
    saw = {
        "en": "the learning rate fell from {high:.1e} to {low:.1e} within {steps} scheduler steps, in pass {passes} over the data, and training goes on: the scheduler is stepped once a batch",
        "zh": "学习率在 {steps} 步内（第 {passes} 遍数据）就从 {high:.1e} 降到 {low:.1e}：scheduler 每个批次都调用了一次 step()",
    }

    def __init__(self, run):
        super().__init__(run)
        self.data = None  # id of the data set of the latest pass
        self.seen = weakref.WeakKeyDictionary()  # optimizer -> its history

    def on_pass(self, loader):
        self.data = id(loader.dataset)

    def on_scheduled(self, scheduler):
        optimizer = getattr(scheduler, "optimizer", None)
        if optimizer is None or self.data is None:
            return
        rate = max(float(group["lr"]) for group in optimizer.param_groups)
        history = self.seen.get(optimizer)
        if history is None:
            self.seen[optimizer] = {
                "data": self.data,
                "passes": {self.run.passes},
                "high": rate,
                "steps": 1,
                "fell": None,
            }
            return
        if history["data"] == self.data:
            history["steps"] += 1
            history["passes"].add(self.run.passes)
        history["high"] = max(history["high"], rate)
        if rate * GONE >= history["high"]:
            history["fell"] = None
        elif history["fell"] is None:
            history["fell"] = (history["steps"], len(history["passes"]))
        else:
            steps, passes = history["fell"]
            inside, stayed = steps >= FEWEST * max(2, passes), history["steps"] >= steps * max(2, passes)
            if inside and stayed and len(history["passes"]) > passes:
                self.find("strong", high=history["high"], low=rate, steps=steps, passes=passes)
