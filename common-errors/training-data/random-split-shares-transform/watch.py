"""Proof: the part of a `random_split` that is validated is augmented, since the part that is trained has the same dataset.

It compares the first sample that a DataLoader hands out of a `Subset` in two passes in that order of the dataset, with training between
them, on which a model was only evaluated (without gradient). It speaks at the end where that sample differs, the dataset has a random transform
of torchvision at both times, and a `Subset` of the same dataset without a common index is trained on. It is silent about loaders that shuffle, a single
validation pass, repeated passes without training between them (test-time augmentation), a transform that is exchanged before the validation, random
transforms of other packages, and parts that are trained on, too, or whose indices change (pseudo-labels, active learning).
"""

from __future__ import annotations

import weakref

import torch
from torch.utils.data import SequentialSampler, Subset

from torch_errors.watching.detector import Detector, program_line, tensors

DEEPEST = 4
ALSO_RANDOM = ("ColorJitter", "AutoAugment", "RandAugment", "TrivialAugmentWide", "AugMix", "ElasticTransform")


class Watch(Detector):
    inside = ()
    saw = {
        "en": "the {validated} samples that are only evaluated differ from pass to pass: `{transform}` changes them, since they share one dataset with the {trained} samples of the training",
        "zh": "只用来验证的 {validated} 个样本，每遍取出来都不一样：它们和训练的 {trained} 个样本共用一个数据集，`{transform}` 也作用在它们身上",
    }

    def __init__(self, run):
        super().__init__(run)
        self.part, self.begins = lambda: None, False  # of the last batch, and whether it is the first one of a pass
        # Part -> a number of its first sample, backward passes before it, and whether a later sample differs.
        self.first = weakref.WeakKeyDictionary()
        self.augmented = weakref.WeakKeyDictionary()  # part -> what to say of it
        self.said = []  # the same, also of parts that the program has dropped
        self.trained = weakref.WeakSet()

    def on_pass(self, loader):
        self.begins = True

    def on_batch(self, loader, batch):
        part, begins, self.begins = loader.dataset, self.begins, False
        self.part = weakref.ref(part) if type(part) is Subset else lambda: None
        if type(part) is not Subset or not begins or type(loader.sampler) is not SequentialSampler:
            return
        name = random_transform(part.dataset)
        images = next((tensor for tensor in tensors(batch) if tensor.dim() >= 3), None)
        if name is None or images is None:
            self.first.pop(part, None)
            return
        sample = images[0].double().sum().item()
        before, when, _ = self.first.get(part, (sample, 0, False))
        self.first[part] = (sample, self.run.backwards, before != sample and self.run.backwards > when)

    def on_forward(self, module, inputs, output, depth):
        part = self.part()
        if depth or part is None or part in self.trained or not self.first.get(part, (0, 0, False))[2]:
            return
        if part in self.augmented:
            return
        if any(tensor.requires_grad for tensor in tensors(output)) or next(module.parameters(), None) is None:
            return
        for other in self.trained:
            if other.dataset is part.dataset and not set(other.indices) & set(part.indices):
                name = random_transform(part.dataset)
                self.augmented[part] = said = {"validated": len(part), "trained": len(other), "transform": name}
                self.said.append((said, program_line()))
                return

    def on_backward(self, loss, value):
        part = self.part()
        if part is not None:
            self.trained.add(part)
            self.augmented.get(part, {}).clear()  # it is not only evaluated

    def on_end(self):
        for part, said in self.augmented.items():
            if said and len(part) != said["validated"]:
                said.clear()
        for said, line in self.said:
            if said:
                self.find("proof", at=line, **said)


def random_transform(dataset):
    """The name of the first random transform of torchvision that a dataset has; None without one."""
    stack = [(getattr(dataset, name, None), 0) for name in ("transforms", "transform")]
    while stack:
        one, deep = stack.pop()
        if deep > DEEPEST or one is None:
            continue
        if isinstance(one, list | tuple | torch.nn.Sequential | torch.nn.ModuleList):
            stack += [(part, deep + 1) for part in one]
            continue
        kind = type(one)
        ours = kind.__module__.startswith("torchvision.")
        if ours and (kind.__name__.startswith("Random") or kind.__name__ in ALSO_RANDOM) and getattr(one, "p", 1) != 0:
            return kind.__name__
        stack += [(getattr(one, name, None), deep + 1) for name in ("transforms", "transform") if ours]
    return None
