"""Proof: targets that are padding count in the loss.

The ids that an embedding was given show which id is padding, and where. The graph of the loss keeps the targets, the class that
it ignores, and the weights of the classes. It speaks if the targets have that id exactly where the ids have it, or one
position before, as when they are shifted; if it is neither ignored nor of weight 0; and if it makes up a tenth of the targets or
more, in two batches. It is silent where a class has the number of the padding, and where the loss keeps one value for each
target (`reduction="none"`), as programs with masks do.
"""

from __future__ import annotations

import torch
from torch import nn

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import saved
from torch_errors.watching.padding import words_of

SMALLEST_SHARE = 0.1
BATCHES = 2


class Watch(Detector):
    inside = (nn.Embedding,)
    saw = {
        "en": "{share:.0%} of the {all} targets in the loss are padding, the id {pad}",
        "zh": "损失里的 {all} 个目标有 {share:.0%} 是填充（id {pad}）",
    }

    def __init__(self, run):
        super().__init__(run)
        self.batches = []  # of the last embeddings: id of the padding, and where it is, (batch, length)
        self.seen = 0

    def on_forward(self, module, inputs, output, depth):
        if not isinstance(module, nn.Embedding) or not inputs or not isinstance(inputs[0], torch.Tensor):
            return
        self.finished = self.run.backwards > 2**10
        words = words_of(inputs[0], module.padding_idx) if wanted(self.run.backwards) else None
        if words is not None:
            ids = inputs[0] if inputs[0].shape == words.shape else inputs[0].T
            self.batches = [*self.batches, (int(ids[~words][0]), ~words)][-4:]

    def on_graph(self, graph, loss):
        for node in graph.named("NllLossBackward", "NllLoss2DBackward") if self.batches else ():
            target, weight = saved(node, "_saved_target"), saved(node, "_saved_weight")
            if target is None or saved(node, "_saved_reduction") == 0:
                continue
            for pad, padding in self.batches:
                if weight is not None and pad < len(weight) and float(weight[pad]) == 0:
                    continue
                found = target == pad
                share = found.float().mean().item() if saved(node, "_saved_ignore_index") != pad else 0
                if share >= SMALLEST_SHARE and stands_there(found, padding):
                    self.seen += 1
                    if self.seen >= BATCHES:
                        self.find("proof", share=share, all=target.numel(), pad=pad)
                    return


def stands_there(found, padding):
    """Whether targets, flat or not, are padding where the ids are, (batch, length), or one position before."""
    if found.device != padding.device:
        return False
    for expected, shifted in ((padding, False), (padding[:, 1:], False), (padding, True)):
        if found.numel() != expected.numel():
            continue
        for targets in (found.reshape(expected.shape), found.reshape(expected.T.shape).T):
            if torch.equal(targets[:, :-1], expected[:, 1:]) if shifted else torch.equal(targets, expected):
                return True
    return False


def wanted(backwards):
    """Whether the graph of the next backward call is likely to be read: the ids are looked at only then."""
    return backwards < 8 or backwards & (backwards - 1) == 0
