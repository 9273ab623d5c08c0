"""Strong: most validation samples have classes that no training sample had, as in a split of sorted data.

The detector collects the classes in the targets of `cross_entropy` and `nll_loss` for each model: before a backward
pass those of the training, without gradient those of the validation. It reports at the end of the run if at least half
of all validation samples have unseen classes, and these lie next to each other, like a range of sorted labels. It
reports nothing for models that learn these classes later (class-incremental training), may have learned them before (a
checkpoint with as many outputs, an earlier model of the run) or get them from others (federated training); fewer than
10 training samples per class; validation without such a loss; more than 2048 classes; and once a model was trained on
all classes.
"""

from __future__ import annotations

import weakref
from collections import Counter

import torch

from torch_errors.watching.detector import Detector, is_real, program_line

CLASSES = ("cross_entropy", "nll_loss")
FEWEST, EACH, MOST_COLUMNS, MOST_LOSSES = 16, 10, 2048, 65536


class Watch(Detector):
    needs = "validation"
    inside = ()
    saw = {
        "en": "{unseen} of {total} samples that were validated have classes ({some}) that none of the {trained} training samples had: the split is not random",
        "zh": "验证过的 {total} 个样本中，有 {unseen} 个的类别（{some}）在 {trained} 个训练样本里从未出现：数据集不是随机划分的",
    }

    def __init__(self, run):
        super().__init__(run)
        self.model = lambda: None  # weak reference to the last model that the program called
        self.complete = False  # whether it was trained on all classes, so that none can be missing
        self.classes = weakref.WeakKeyDictionary()  # model -> its classes in training and validation, [line]
        # (training classes, validation classes, [line], number of classes, classes that earlier models were trained on)
        # of each model.
        self.entries = []
        self.loaded = weakref.WeakKeyDictionary()  # model -> first dimensions of the tensors that were loaded into it
        self.pending = []  # (training classes of a model, classes of a loss) that wait for the backward pass
        self.losses = 0

    def on_forward(self, module, inputs, output, depth):
        if depth == 0 and module is not self.model() and next(module.parameters(), None) is not None:
            self.model, self.complete = weakref.ref(module), False

    def on_loaded(self, owner, state):
        if isinstance(owner, torch.nn.Module) and owner not in self.classes:
            self.loaded[owner] = {value.shape[0] for value in state.values() if getattr(value, "ndim", 0)}

    def on_loss(self, name, input, target, value):
        model = None if self.complete else self.model()
        if name not in CLASSES or model is None or input.dim() != 2 or target.shape != input.shape[:1]:
            return
        if target.is_floating_point() or not is_real(target) or input.shape[1] > MOST_COLUMNS:
            return
        if model not in self.classes:
            self.classes[model] = (Counter(), Counter(), [])
        trained, validated, line = self.classes[model]
        columns = input.shape[1]
        if len(trained) == columns or columns in self.loaded.get(model, ()):  # no class can be missing
            self.complete = True
            return
        if not line:
            line.append(program_line())
            before = {kind for entry in self.entries if entry[3] == columns for kind in entry[0]}
            self.entries.append((trained, validated, line, columns, before))
        self.losses += 1
        self.finished = self.losses > MOST_LOSSES
        classes, counts = target.unique(return_counts=True)
        seen = {kind: count for kind, count in zip(classes.tolist(), counts.tolist(), strict=True) if kind >= 0}
        if input.requires_grad:
            self.pending.append((trained, seen))
        else:
            line[0] = program_line()
            validated.update(seen)

    def on_backward(self, loss, value):
        for trained, seen in self.pending:
            trained.update(seen)
        self.pending.clear()

    def on_end(self):
        for trained, validated, line, columns, before in self.entries:
            elsewhere = {
                kind for entry in self.entries if entry[3] == columns for kind in entry[0].keys() & entry[1].keys()
            }
            unseen = sorted(validated.keys() - trained.keys() - before - elsewhere)
            count, total = sum(validated[kind] for kind in unseen), validated.total()
            if trained.total() < EACH * columns or count < FEWEST or 2 * count < total:
                continue
            if not any(unseen[0] < kind < unseen[-1] for kind in trained):
                some = ", ".join(map(str, unseen[:4])) + (", …" if len(unseen) > 4 else "")
                self.find("strong", at=line[0], unseen=count, total=total, some=some, trained=trained.total())
                return
