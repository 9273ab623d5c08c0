"""Strong: all inputs of a batch are the same, but their targets differ, or are as many series or images of one kind.

The detector reads the first batches that a model is called with in training mode (floating point, at least four
samples) and the targets of the loss that follows. It reports three such batches in a row, whatever the cause: a buffer
that all samples share, or preprocessing that loses the sample. Targets that are the same, too, count if each has four
different values, as where a series or an image is predicted; a label does not. It reports nothing if a module has a
second input, such as a decoder with a state, for ids, for samples with few different values (zeros, ones, a category),
and for one sample that is expanded to a batch.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, is_real

BATCHES = 3
# Number of batches that are checked: later ones come from the same place.
MOST_BATCHES = 16
SMALLEST_BATCH, FEWEST_VALUES = 4, 4


class Watch(Detector):
    inside = ()
    saw = {
        "en": "the {count} inputs of a batch {shape} are all the same, in {batches} batches; their targets {targets}",
        "zh": "批次 {shape} 里的 {count} 个输入完全相同（连续 {batches} 个批次），目标{targets_zh}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.shape = None  # shape of the latest batch, if all its inputs are the same
        self.same = self.looked = 0

    def on_forward(self, module, inputs, output, depth):
        if depth or not module.training or len(inputs) != 1 or not isinstance(inputs[0], torch.Tensor):
            return
        batch = inputs[0]
        if batch.ndim < 2 or not batch.is_floating_point() or batch.requires_grad or not is_real(batch):
            return
        if len(batch) < SMALLEST_BATCH or batch.stride(0) == 0 or batch[0].numel() < FEWEST_VALUES:
            return
        same = bool((batch == batch[:1]).all()) and len(batch[0].unique()) >= FEWEST_VALUES
        self.shape = tuple(batch.shape) if same else None
        self.same = self.same if same else 0
        self.looked += 1
        self.finished = self.looked >= MOST_BATCHES

    def on_loss(self, name, input, target, value):
        shape, self.shape = self.shape, None
        if shape is None or not isinstance(target, torch.Tensor) or not is_real(target) or len(target) != shape[0]:
            return
        differ = bool((target != target[:1]).any())
        if differ or (target.is_floating_point() and len(target[0].unique()) >= FEWEST_VALUES):
            self.same += 1
            if self.same >= BATCHES:
                targets, targets_zh = ("differ", "却不同") if differ else ("are the same, too", "也完全相同")
                self.find(
                    "strong", count=shape[0], shape=shape, batches=self.same, targets=targets, targets_zh=targets_zh
                )
