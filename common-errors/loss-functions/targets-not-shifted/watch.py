"""Proof: at every position, a language model has to predict the token that is its input there.

The detector follows the graph of the logits from each position down to an embedding, through operations that keep
positions apart (layers applied to each position, residual connections, unidirectional recurrent layers). If that
embedding got exactly the targets of the loss, position by position, in three losses in a row, the input contains the
answer. It reports only models that read from left to right: with a recurrent layer on the way, or attention with a
causal mask. So it reports no autoencoders (a single vector for all positions, a layer less than half as wide, dropped
positions, or inputs shifted inside the model), no masked language models (some inputs differ), no sequences that hardly
change from one position to the next, and no steps that have a loss with different targets. It can't detect packed
sequences, loops over cells and one-hot inputs.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, is_real
from torch_errors.watching.graph import MATRIX, Graph, apart, kind_of, saved, shape_of

LOOKED_AT = 24  # number of losses that are checked
IN_A_ROW = 3
FEWEST = 8  # minimum number of targets
HIDDEN = -1e3  # mask values up to this one hide a position


class Watch(Detector):
    inside = (torch.nn.RNNBase,)
    saw = {
        "en": "the targets of `{loss}` are the model's input, token by token ({count} of them): it is asked for the token that it is given, not for the next one",
        "zh": "`{loss}` 的目标与模型输入逐个相同（共 {count} 个 token）：模型要预测的就是当前输入的 token，而不是下一个",
    }

    def __init__(self, run):
        super().__init__(run)
        self.losses = self.in_a_row = 0
        self.layers = {}  # sequence number of a recurrent layer's output node -> its input node's

    def on_forward(self, module, inputs, output, depth):
        if not isinstance(module, torch.nn.RNNBase) or module.bidirectional or not isinstance(output, tuple):
            return
        before, after = inputs[0] if inputs else None, output[0]
        if all(isinstance(tensor, torch.Tensor) and tensor.grad_fn is not None for tensor in (before, after)):
            self.layers[after.grad_fn._sequence_nr()] = before.grad_fn._sequence_nr()

    def on_loss(self, name, input, target, value):
        if name not in ("cross_entropy", "nll_loss") or not isinstance(value, torch.Tensor) or not value.requires_grad:
            return
        if not isinstance(target, torch.Tensor) or not is_real(target) or target.dtype.is_floating_point:
            return
        self.losses += 1
        self.in_a_row = self.in_a_row + 1 if self.predicts_input(input, target) else 0
        self.layers.clear()
        if self.in_a_row == IN_A_ROW:
            self.find("proof", loss=name, count=target.numel())
        self.finished = self.losses >= LOOKED_AT and not self.in_a_row

    def predicts_input(self, input, target):
        graph = Graph(input)
        embeddings = [node for node in graph.named("EmbeddingBackward") if got_targets(node, target)]
        if not embeddings:
            return False
        numbered = {node._sequence_nr(): node for node in graph.nodes} if self.layers else {}
        recurrent = {numbered[top]: numbered.get(below) for top, below in self.layers.items() if top in numbered}
        for embedding in embeddings:
            tokens, narrowest = saved(embedding, "_saved_indices"), min(shape_of(embedding)[-1], input.shape[1]) / 2
            reached = apart(
                graph.root,
                tokens.shape,
                {tokens.numel(), target.numel()},
                stops=lambda node: scales_positions(node) or kind_of(node) in MATRIX and shape_of(node)[-1] < narrowest,
                jumps=recurrent,
            )
            if embedding in reached and (reached & recurrent.keys() or any(map(is_causal, graph.nodes))):
                return True
        return False


def scales_positions(node):
    """Whether a node multiplies whole positions by a factor, for example to drop some of them."""
    if kind_of(node) != "MulBackward":
        return False
    factors = [saved(node, name) for name in ("_saved_self", "_saved_other")]
    return any(isinstance(factor, torch.Tensor) and factor.numel() > 1 and factor.shape[-1] == 1 for factor in factors)


def got_targets(embedding, target):
    """Whether the tokens of an embedding, or all but the last of each sequence, are the targets."""
    tokens = saved(embedding, "_saved_indices")
    if tokens is None or tokens.numel() < FEWEST or any(changes_little(tokens, dim) for dim in range(tokens.dim())):
        return False
    orders = [tokens, tokens.t()] if tokens.dim() == 2 else [tokens]
    if tokens.dim() == 2:
        orders += [tokens[:, :-1], tokens[:-1].t(), tokens[:-1], tokens[:, :-1].t()]
    for ids in orders:
        if ids.numel() == target.numel() and ids.numel() >= FEWEST:
            counted = target.flatten() != -100  # -100 is the default `ignore_index` of cross entropy
            if 2 * counted.sum() >= counted.numel() and torch.equal(ids.flatten()[counted], target.flatten()[counted]):
                return True
    return False


def changes_little(tokens, dim):
    """Whether most tokens equal the next one, so that shifting the sequence by one would change little."""
    size = tokens.shape[dim]
    before, after = tokens.narrow(dim, 0, size - 1), tokens.narrow(dim, 1, size - 1)
    return size > 1 and bool((before != after).float().mean() < 0.25)


def is_causal(node):
    """Whether a node is attention that hides later positions from each position."""
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
