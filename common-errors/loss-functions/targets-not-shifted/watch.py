"""Proof: a language model is asked, at every position, for the token that it is given there.

In the graph of the logits it walks from each position down through operations that leave positions apart (layers applied to
each position, residual connections, one-directional recurrent layers) to an embedding. Where that embedding was given the very
targets of the loss, position by position, in three losses in a row, the answer is part of the input. It speaks only of models
that read from left to right: a recurrent layer on the way, or attention with a causal mask. So it is silent about autoencoders
(a vector for all positions, a layer less than half as wide, dropped positions, or the input is moved inside the model), masked
language models (some inputs differ), sequences that hardly change from one position to the next, and about any step with a
loss that asks for something else. It does not see packed sequences, loops over cells, and one-hot inputs.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, is_real
from torch_errors.watching.graph import MATRIX, Graph, apart, kind_of, saved, shape_of

LOOKED_AT = 24  # losses
IN_A_ROW = 3
FEWEST = 8  # targets
HIDDEN = -1e3  # what a mask adds at least to hide a position


class Watch(Detector):
    inside = (torch.nn.RNNBase,)
    saw = {
        "en": "the targets of `{loss}` are the model's input, token by token ({count} of them): it is asked for the token that it is given, not for the next one",
        "zh": "`{loss}` 的目标与模型输入逐个相同（共 {count} 个 token）：模型要预测的就是当前输入的 token，而不是下一个",
    }

    def __init__(self, run):
        super().__init__(run)
        self.looked = self.in_a_row = 0
        self.layers = {}  # number of the graph node that a recurrent layer returned -> that of its input

    def on_forward(self, module, inputs, output, depth):
        if not isinstance(module, torch.nn.RNNBase) or module.bidirectional or not isinstance(output, tuple):
            return
        given, returned = inputs[0] if inputs else None, output[0]
        if all(isinstance(one, torch.Tensor) and one.grad_fn is not None for one in (given, returned)):
            self.layers[returned.grad_fn._sequence_nr()] = given.grad_fn._sequence_nr()

    def on_loss(self, name, input, target, value):
        if name not in ("cross_entropy", "nll_loss") or not isinstance(value, torch.Tensor) or not value.requires_grad:
            return
        if not isinstance(target, torch.Tensor) or not is_real(target) or target.dtype.is_floating_point:
            return
        self.looked += 1
        self.in_a_row = self.in_a_row + 1 if self.asks_for_input(input, target) else 0
        self.layers.clear()
        if self.in_a_row == IN_A_ROW:
            self.find("proof", loss=name, count=target.numel())
        self.finished = self.looked >= LOOKED_AT and not self.in_a_row

    def asks_for_input(self, input, target):
        graph = Graph(input)
        embeddings = [node for node in graph.named("EmbeddingBackward") if are_the_same(node, target)]
        if not embeddings:
            return False
        numbered = {node._sequence_nr(): node for node in graph.nodes} if self.layers else {}
        recurrent = {numbered[one]: numbered.get(below) for one, below in self.layers.items() if one in numbered}
        for embedding in embeddings:
            tokens, narrowest = saved(embedding, "_saved_indices"), min(shape_of(embedding)[-1], input.shape[1]) / 2
            reached = apart(
                graph.root,
                tokens.shape,
                {tokens.numel(), target.numel()},
                stops=lambda node: blanks(node) or kind_of(node) in MATRIX and shape_of(node)[-1] < narrowest,
                jumps=recurrent,
            )
            if embedding in reached and (reached & recurrent.keys() or any(map(is_causal, graph.nodes))):
                return True
        return False


def blanks(node):
    """Whether a node multiplies whole positions by something, as where some are dropped."""
    if kind_of(node) != "MulBackward":
        return False
    factors = [saved(node, name) for name in ("_saved_self", "_saved_other")]
    return any(isinstance(one, torch.Tensor) and one.numel() > 1 and one.shape[-1] == 1 for one in factors)


def are_the_same(embedding, target):
    """Whether an embedding was given the targets, or these without the last of each sequence."""
    tokens = saved(embedding, "_saved_indices")
    if tokens is None or tokens.numel() < FEWEST or any(changes_little(tokens, dim) for dim in range(tokens.dim())):
        return False
    orders = [tokens, tokens.t()] if tokens.dim() == 2 else [tokens]
    if tokens.dim() == 2:
        orders += [tokens[:, :-1], tokens[:-1].t(), tokens[:-1], tokens[:, :-1].t()]
    for one in orders:
        if one.numel() == target.numel() and one.numel() >= FEWEST:
            counted = target.flatten() != -100  # what cross entropy leaves out unless told otherwise
            if 2 * counted.sum() >= counted.numel() and torch.equal(one.flatten()[counted], target.flatten()[counted]):
                return True
    return False


def changes_little(tokens, dim):
    """Whether the next token is mostly the same one, so that moving the sequence by one would change little."""
    size = tokens.shape[dim]
    before, after = tokens.narrow(dim, 0, size - 1), tokens.narrow(dim, 1, size - 1)
    return size > 1 and bool((before != after).float().mean() < 0.25)


def is_causal(node):
    """Whether a node is an attention that hides from each position those after it."""
    if getattr(node, "_saved_is_causal", False):
        return True
    if kind_of(node) in ("SoftmaxBackward", "SafeSoftmaxBackward"):
        masks, hidden = [saved(node, "_saved_result")], 0.0
    else:
        masks, hidden = [saved(node, name) for name in ("_saved_attn_mask", "_saved_attn_bias")], HIDDEN
    for mask in masks:
        if mask is not None and mask.dim() > 1 and mask.shape[-1] == mask.shape[-2] > 2:
            above = torch.ones(mask.shape[-2:], dtype=torch.bool, device=mask.device).triu(1)
            if bool((mask[..., above] <= hidden).all()) and not bool((mask <= hidden).all()):
                return True
    return False
