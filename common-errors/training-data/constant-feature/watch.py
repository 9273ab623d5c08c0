"""Strong: an input column that was constant in training is 100,000 or more later, while the other columns are about 1.

The detector reads the tables (rows of numbers) that the outermost module is called with, if they are standardized: most
columns vary by 1 to 30. At least 64 training rows had the same small number in the column, and a call without gradients
has a value of at least 100,000 there. It reports nothing for columns that stay constant, such as ones for the bias,
tables that were not standardized, rows that are as large in the other columns, images and sequences, and an eps of 1e-3
or more.
"""

from __future__ import annotations

import weakref

import torch

from torch_errors.watching.detector import Detector, tensors

ROWS, LARGE, USUAL, MOST_COLUMNS, MOST_CALLS = 64, 1e5, 30, 4096, 1024


class Watch(Detector):
    needs = "validation"
    inside = ()
    saw = {
        "en": "column {column} of the inputs was {constant:.2g} in all training rows, and is {value:.0e} now: its standard deviation was 0, so it was divided by the eps alone",
        "zh": "输入的第 {column} 列在所有训练数据里都是 {constant:.2g}，现在却是 {value:.0e}：它的标准差是 0，标准化时除以的其实是 eps",
    }

    def __init__(self, run):
        super().__init__(run)
        self.ranges = weakref.WeakKeyDictionary()  # module -> minimum and maximum of each column in training, rows
        self.varied = weakref.WeakSet()  # modules of which every column has varied in training
        self.calls = 0

    def on_forward(self, module, inputs, output, depth):
        if depth or module in self.varied:
            return
        table = next(iter(tensors(inputs)), None)
        if table is None or table.dim() != 2 or not table.is_floating_point() or table.requires_grad:
            return
        if table.layout != torch.strided or not 1 < table.shape[1] <= MOST_COLUMNS or not len(table):
            return
        low, high, rows = self.ranges.get(module, (None, None, 0))
        if low is not None and low.shape != table.shape[1:]:
            return
        if any(result.requires_grad for result in tensors(output)):
            self.calls += 1
            if self.calls <= MOST_CALLS:
                least, most = table.amin(0), table.amax(0)
                both = (least, most) if low is None else (torch.minimum(low, least), torch.maximum(high, most))
                self.ranges[module] = (*both, rows + len(table))
                if bool((both[0] != both[1]).all()):
                    self.varied.add(module)
        elif rows >= ROWS:
            far = torch.where((high == low) & (high.abs() <= USUAL), table.abs().amax(0), 0.0)
            value = float(far.max())
            varied = high > low
            spread, now = (high - low)[varied].double(), table.abs().amax(0)[varied]
            if (
                value >= LARGE
                and len(spread)
                and 1 <= float(spread.median()) <= USUAL
                and float(now.median()) <= LARGE / 100
            ):
                column = int(far.argmax())
                self.find("strong", column=column, constant=float(low[column]), value=value)
                self.finished = True
