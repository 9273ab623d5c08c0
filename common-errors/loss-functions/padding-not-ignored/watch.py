"""Proof: padding in the targets counts in the loss.

The ids passed to an embedding show which id is padding and at which positions. The graph of the loss keeps the targets,
the ignored class and the class weights. The detector reports targets that have the padding id exactly where the ids
have it, or one position earlier (shifted targets), if that id is neither ignored nor of weight 0 and makes up at least
a tenth of the targets, in two batches. It reports nothing if a class has the same number as the padding, or if the loss
keeps one value per target (`reduction="none"`), as in programs that apply a mask.
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
        "zh": "loss 里的 {all} 个目标有 {share:.0%} 是填充（id {pad}）",
    }

    def __init__(self, run):
        super().__init__(run)
        self.batches = []  # (padding id, mask of the padded positions) of the last embedding calls
        self.seen = 0  # batches with padding in the loss

    def on_forward(self, module, inputs, output, depth):
        if not isinstance(module, nn.Embedding) or not inputs or not isinstance(inputs[0], torch.Tensor):
            return
        self.finished = self.run.backwards > 2**10
        words = words_of(inputs[0], module.padding_idx) if graph_is_likely(self.run.backwards) else None
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
                is_pad = target == pad
                share = is_pad.float().mean().item() if saved(node, "_saved_ignore_index") != pad else 0
                if share >= SMALLEST_SHARE and matches_padding(is_pad, padding):
                    self.seen += 1
                    if self.seen >= BATCHES:
                        self.find("proof", share=share, all=target.numel(), pad=pad)
                    return


def matches_padding(is_pad, padding):
    """Whether targets, flat or not, are padding where the ids are, (batch, length), or one position earlier."""
    if is_pad.device != padding.device:
        return False
    for expected, shifted in ((padding, False), (padding[:, 1:], False), (padding, True)):
        if is_pad.numel() != expected.numel():
            continue
        for targets in (is_pad.reshape(expected.shape), is_pad.reshape(expected.T.shape).T):
            if torch.equal(targets[:, :-1], expected[:, 1:]) if shifted else torch.equal(targets, expected):
                return True
    return False


def graph_is_likely(backwards):
    """Whether the graph of the next backward call is likely to be read; the ids are checked only then."""
    return backwards < 8 or backwards & (backwards - 1) == 0
