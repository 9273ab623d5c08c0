"""Proof: a model is validated on labels that number the classes differently from those that it was trained on.

Datasets such as `ImageFolder` have a `class_to_idx`. A DataLoader returns labels of such a dataset (or of a `Subset`),
and a loss gets them unchanged: if it has a gradient, that numbering trains the model, otherwise it validates the model.
The detector reports a name that has two numbers if the loss has a column for each class in training. It reports nothing
if validation computes no loss, the dataset has a `target_transform`, the program translates labels or columns, less
than half of the names are shared (a different task), or the model was also trained with that numbering.
"""

from __future__ import annotations

import weakref

import torch
from torch.utils.data import Subset

from torch_errors.watching.detector import Detector, is_real

CLASSES = ("cross_entropy", "nll_loss")


class Watch(Detector):
    needs = "validation"
    inside = ()
    saw = {
        "en": "`{name}` is class {trained} in the training set and class {validated} in the validation set ({moved} of {common} classes have two numbers): each folder was numbered separately",
        "zh": "`{name}` 在训练里是类别 {trained}，在验证里是类别 {validated}（{common} 个类别中有 {moved} 个编号不同）：两个文件夹各自编号",
    }

    def __init__(self, run):
        super().__init__(run)
        self.model = lambda: None  # weak reference to the last model that the program called
        self.numbers, self.labels = None, lambda: None  # `class_to_idx` and labels of the last batch
        self.pending = None  # numbering of a training loss that waits for its backward pass
        self.trained = weakref.WeakKeyDictionary()  # model -> the numberings that it was trained on

    def on_batch(self, loader, batch):
        dataset = loader.dataset
        while isinstance(dataset, Subset):
            dataset = dataset.dataset
        self.numbers = getattr(dataset, "class_to_idx", None)
        if not isinstance(self.numbers, dict) or getattr(dataset, "target_transform", None) is not None:
            self.numbers = None
            return
        labels = batch[-1] if isinstance(batch, tuple | list) and len(batch) == 2 else None
        usable = (
            isinstance(labels, torch.Tensor) and is_real(labels) and labels.dtype == torch.int64 and labels.dim() == 1
        )
        self.labels = weakref.ref(labels) if usable else lambda: None

    def on_forward(self, module, inputs, output, depth):
        if depth == 0 and self.numbers is not None and next(module.parameters(), None) is not None:
            self.model = weakref.ref(module)

    def on_loss(self, name, input, target, value):
        labels, model = self.labels(), self.model()
        if self.numbers is None or name not in CLASSES or labels is None or model is None or input.dim() != 2:
            return
        if target is not labels and (target.shape != labels.shape or not torch.equal(target.to(labels.device), labels)):
            return
        if input.requires_grad:
            self.pending = self.numbers
            return
        numberings = self.trained.get(model, [])
        for numbers in numberings:
            common = sorted(numbers.keys() & self.numbers.keys())
            moved = [name for name in common if numbers[name] != self.numbers[name]]
            few = 2 * len(common) < len(self.numbers)  # a different task that shares some names
            if not moved or few or input.shape[1] != len(numbers):
                return
        if numberings:
            values = {"name": moved[0], "trained": numbers[moved[0]], "validated": self.numbers[moved[0]]}
            self.find("proof", **values, moved=len(moved), common=len(common))
            self.finished = True

    def on_backward(self, loss, value):
        model = self.model()
        if self.pending is not None and model is not None:
            numberings = self.trained.setdefault(model, [])
            if self.pending not in numberings:
                numberings.append(self.pending)
            self.pending = None
