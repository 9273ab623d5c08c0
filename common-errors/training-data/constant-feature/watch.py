"""Strong: a column of the inputs that was the same number in all training rows is 100,000 or more later, where the others are about 1.

It looks at tables, rows of numbers that the outermost module is called with, standardized: most columns vary by 1 to 30. At least 64 training
rows had the same small number in that column; a call without gradients has a value of 100,000 at least. It is silent about columns that
stay constant, such as one of ones for the bias, about tables that were not standardized, about rows that are as large in the other columns, about images and sequences, and about an eps of 1e-3 or more.
"""

from __future__ import annotations

import weakref

import torch

from torch_errors.watching.detector import Detector, tensors

ROWS, LARGE, USUAL, MOST_COLUMNS, MOST_CALLS = 64, 1e5, 30, 4096, 1024


class Watch(Detector):
    inside = ()
    saw = {
        "en": "column {column} of the inputs was {constant:.2g} in all training rows, and is {value:.0e} now: it was divided by the eps of a standard deviation of 0",
        "zh": "输入的第 {column} 列在所有训练数据里都是 {constant:.2g}，现在却是 {value:.0e}：它的标准差是 0，标准化时除以的其实是 eps",
    }

    def __init__(self, run):
        super().__init__(run)
        self.known = weakref.WeakKeyDictionary()  # module -> least and largest of each column in training, and rows
        self.calls = 0

    def on_forward(self, module, inputs, output, depth):
        given = next(iter(tensors(inputs)), None)
        if depth or given is None or given.dim() != 2 or not given.is_floating_point() or given.requires_grad:
            return
        if given.layout != torch.strided or not 1 < given.shape[1] <= MOST_COLUMNS or not len(given):
            return
        low, high, rows = self.known.get(module, (None, None, 0))
        if low is not None and low.shape != given.shape[1:]:
            return
        if any(result.requires_grad for result in tensors(output)):
            self.calls += 1
            if self.calls <= MOST_CALLS:
                least, most = given.amin(0), given.amax(0)
                both = (least, most) if low is None else (torch.minimum(low, least), torch.maximum(high, most))
                self.known[module] = (*both, rows + len(given))
        elif rows >= ROWS:
            far = torch.where((high == low) & (high.abs() <= USUAL), given.abs().amax(0), 0.0)
            value = float(far.max())
            varied = high > low
            spread, now = (high - low)[varied].double(), given.abs().amax(0)[varied]
            if (
                value >= LARGE
                and len(spread)
                and 1 <= float(spread.median()) <= USUAL
                and float(now.median()) <= LARGE / 100
            ):
                column = int(far.argmax())
                self.find("strong", column=column, constant=float(low[column]), value=value)
                self.finished = True
