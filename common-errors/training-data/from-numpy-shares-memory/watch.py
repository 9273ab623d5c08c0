"""Strong: all inputs of a batch are the same, but their targets differ.

The detector reads the first batches that a model is called with in training mode (floating point, at least four
samples) and the targets of the loss that follows. It reports three such batches in a row, whatever the cause: a buffer
that all samples share, or preprocessing that loses the sample. It reports nothing if a module has a second input, such
as a decoder with a state, for ids, and for samples with few different values: zeros, ones, a category.
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
        "en": "the {count} inputs of a batch {shape} are all the same, in {batches} batches; their targets differ",
        "zh": "批次 {shape} 里的 {count} 个输入完全相同（连续 {batches} 个批次），目标却不同",
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
        if len(batch) < SMALLEST_BATCH or batch[0].numel() < FEWEST_VALUES:
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
        if bool((target != target[:1]).any()):
            self.same += 1
            if self.same >= BATCHES:
                self.find("strong", count=shape[0], shape=shape, batches=self.same)
