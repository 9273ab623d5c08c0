"""Proof: the attention of a language model lets a position read the very token that it is to predict.

The targets of the loss are the tokens given to an embedding, shifted by one. From the logits, the detector walks back
through operations that keep positions separate to an attention over these positions, whose weights let a position see
the next one, and from its query, key and values, again with separate positions, to that embedding: so the output at `t`
is computed from token `t + 1`, which is the target there. It reports after three losses in a row. It does not report
cross attention (its query comes from a different embedding), attention over heads, masked language models and taggers
(their targets are not the next token), recurrent decoders, or sequences whose last target is always the same, or the
first token again: an encoder may be trained to shift a sequence. It can't detect other leaks: scores that aren't dot
products, bidirectional recurrence, convolution.
"""

from __future__ import annotations

import math
from functools import partial

import torch

from torch_errors.watching.detector import Detector, is_real
from torch_errors.watching.graph import RESHAPING, Graph, apart, kind_of, name_of, parents, saved

LOOKED_AT = 24  # number of losses to check
IN_A_ROW = 3
# A position sees a different one if the mask adds more than MASK, or if the weight is above WEIGHT.
MASK, WEIGHT = -3.0, 1e-9
SOFTMAX = ("SoftmaxBackward", "SafeSoftmaxBackward")


class Watch(Detector):
    saw = {
        "en": "attention over {length} tokens has no causal mask, and the targets are these tokens moved by one: each position can read its own target",
        "zh": "对 {length} 个 token 的注意力没有因果掩码，而目标正是这些 token 错开一位：每个位置都能看到自己要预测的答案",
    }

    def __init__(self, run):
        super().__init__(run)
        self.looked = self.in_a_row = 0
        self.last = set()  # some of the targets at the ends of sequences

    def on_loss(self, name, input, target, value):
        if name not in ("cross_entropy", "nll_loss") or not isinstance(value, torch.Tensor) or not value.requires_grad:
            return
        if not isinstance(target, torch.Tensor) or not is_real(target) or target.dtype.is_floating_point:
            return
        self.looked += 1
        length = self.read(Graph(input), target)
        self.in_a_row = self.in_a_row + 1 if length else 0
        if self.in_a_row >= IN_A_ROW and len(self.last) > 1:
            self.find("proof", length=length)
        self.finished = self.looked >= LOOKED_AT and not self.in_a_row

    def read(self, graph, target):
        """Return the length of the sequences if the output at a position is computed from its target, or 0."""
        for embedding in graph.named("EmbeddingBackward"):
            tokens = saved(embedding, "_saved_indices")
            length = self.moved_by_one(tokens, target)
            if not length:
                continue
            below = partial(apart, tokens=tokens.shape, positions={tokens.numel(), target.numel()})
            for node in below(graph.root):
                operands = attention(node, length, tokens.numel())
                if operands and all(embedding in below(operand) for operand in operands):
                    return length
        return 0

    def moved_by_one(self, tokens, target):
        """Return the length of the sequences if the targets are their next tokens, or 0."""
        if tokens is None or tokens.dim() != 2:
            return 0
        for time in (1, 0):
            rows = tokens if time else tokens.t()
            count, length = rows.shape
            for asked_for in (length, length - 1):
                if length < 4 or target.numel() != count * asked_for:
                    continue
                asked = target.reshape(count, asked_for) if time else target.reshape(asked_for, count).t()
                next_tokens, counted = rows[:, 1:], asked[:, : length - 1] != -100
                if 2 * counted.sum() < counted.numel() or (next_tokens != rows[:, :-1]).float().mean() < 0.25:
                    continue
                if not torch.equal(asked[:, : length - 1][counted], next_tokens[counted]):
                    continue
                if asked_for == length and torch.equal(asked[:, -1], rows[:, 0]):
                    continue
                self.last.update(asked[:4, -1].tolist())
                return length
        return 0


def attention(node, length, count):
    """Return query, key and values of an attention that lets a position see the next one, or None."""
    kind, square = kind_of(node), (length, length)
    if kind.startswith("ScaledDotProduct"):
        query, key = saved(node, "_saved_query"), saved(node, "_saved_key")
        mask = saved(node, "_saved_attn_mask") if kind.endswith("CpuBackward") else saved(node, "_saved_attn_bias")
        if saved(node, "_saved_is_causal") is not False or query is None or key is None:
            return None
        if (query.shape[-2], key.shape[-2]) == square and (mask is None or sees_next(mask, MASK)):
            return parents(node)[:3]
    elif kind == "BmmBackward":
        weights, values = parents(node)
        weights = before(weights, "MulBackward", "NativeDropoutBackward")
        result = saved(weights, "_saved_result") if weights is not None and kind_of(weights) in SOFTMAX else None
        if result is None or result.shape[-2:] != square or not sees_next(result, WEIGHT):
            return None
        if math.prod(result.shape[:-2]) % count == 0:  # attention at each position, over heads
            return None
        scores = before(parents(weights)[0], "AddBackward", "DivBackward", "MaskedFillBackward", "MulBackward")
        if scores is not None and kind_of(scores) in ("BmmBackward", "BaddbmmBackward"):
            return [*parents(scores)[-2:], values]
    return None


def before(node, *kinds):
    """Return the nearest node, itself included, that neither only reshapes nor is of these kinds; or None."""
    while node is not None and (name_of(node) in RESHAPING or kind_of(node) in kinds):
        node = next((parent for parent in parents(node) if parent is not None), None)
    return node


def sees_next(table, hidden):
    """Whether most positions see the next one, because their mask or weight is above `hidden`."""
    if table.dim() < 2 or table.shape[-2] not in (1, table.shape[-1]):
        return False
    table = table.expand(*table.shape[:-2], table.shape[-1], table.shape[-1])  # a padding mask applies to all positions
    return bool((table.diagonal(1, -2, -1) > hidden).float().mean() > 0.5)
