"""Proof: the validation part of a `random_split` is augmented, because the training part shares its dataset.

For a `Subset` that a DataLoader reads in the order of the dataset and a model is only evaluated on (without gradient),
the detector compares the first sample of two passes with training between them. It reports the subset at the end if
that sample differs, the dataset had a random transform of torchvision both times, and the model is trained on a
`Subset` of the same dataset without a common index. It reports nothing for loaders that shuffle, a single validation
pass, repeated passes without training between them (test-time augmentation), a transform that is replaced before
validation, random transforms of other packages, and parts that are also trained on or whose indices change
(pseudo-labels, active learning).
"""

from __future__ import annotations

import weakref

import torch
from torch.utils.data import SequentialSampler, Subset

from torch_errors.watching.detector import Detector, program_line, tensors

DEEPEST = 4
ALSO_RANDOM = ("ColorJitter", "AutoAugment", "RandAugment", "TrivialAugmentWide", "AugMix", "ElasticTransform")


class Watch(Detector):
    needs = "validation"
    inside = ()
    saw = {
        "en": "the {validated} samples that are only evaluated differ from pass to pass: `{transform}` changes them, because they share one dataset with the {trained} training samples",
        "zh": "只用来验证的 {validated} 个样本，每遍取出来都不一样：它们和训练的 {trained} 个样本共用一个数据集，`{transform}` 也作用在它们身上",
    }

    def __init__(self, run):
        super().__init__(run)
        self.part, self.starts = lambda: None, False  # part of the last batch; whether a pass has just started
        # Part -> (sum of its first sample, backward passes before it, whether it differs from the last pass).
        self.first = weakref.WeakKeyDictionary()
        self.augmented = weakref.WeakKeyDictionary()  # part -> values to report
        self.reports = []  # (values to report, line), also of parts that the program has dropped
        self.trained = weakref.WeakSet()

    def on_pass(self, loader):
        self.starts = True

    def on_batch(self, loader, batch):
        part, starts, self.starts = loader.dataset, self.starts, False
        self.part = weakref.ref(part) if type(part) is Subset else lambda: None
        if type(part) is not Subset or not starts or type(loader.sampler) is not SequentialSampler:
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
                self.augmented[part] = values = {"validated": len(part), "trained": len(other), "transform": name}
                self.reports.append((values, program_line()))
                return

    def on_backward(self, loss, value):
        part = self.part()
        if part is not None:
            self.trained.add(part)
            self.augmented.get(part, {}).clear()  # it is not only evaluated

    def on_end(self):
        for part, values in self.augmented.items():
            if values and len(part) != values["validated"]:
                values.clear()
        for values, line in self.reports:
            if values:
                self.find("proof", at=line, **values)


def random_transform(dataset):
    """The name of the first random transform of torchvision in a dataset, or None."""
    stack = [(getattr(dataset, name, None), 0) for name in ("transforms", "transform")]
    while stack:
        item, deep = stack.pop()
        if deep > DEEPEST or item is None:
            continue
        if isinstance(item, list | tuple | torch.nn.Sequential | torch.nn.ModuleList):
            stack += [(part, deep + 1) for part in item]
            continue
        kind = type(item)
        torchvision = kind.__module__.startswith("torchvision.")
        if (
            torchvision
            and (kind.__name__.startswith("Random") or kind.__name__ in ALSO_RANDOM)
            and getattr(item, "p", 1) != 0
        ):
            return kind.__name__
        stack += [(getattr(item, name, None), deep + 1) for name in ("transforms", "transform") if torchvision]
    return None
