"""Proof: a mask hides values at which the operation before it turns a gradient of 0 into NaN, and gradients hold NaN.

Before each backward pass it follows, from `log`, `sqrt`, `exp`, a power, a division and their like, where their results go.
If every way ends in a mask (`where`, `masked_fill`, a product with zeros, `clamp`, `relu`, `nan_to_num`, `nansum`, an index),
it computes what the backward pass will make of 0 at the hidden positions. It is silent where that stays finite
(as where the input was chosen, too), where the loss or the weights are not finite, and where no NaN reaches a gradient.
"""

from __future__ import annotations

import functools
import math
import weakref
from collections import defaultdict

import torch

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import Graph, is_finite, kind_of, parents, saved, shape_of

DEEPEST = 32  # operations between the mask and what it hides
OFTEN = 512  # backward passes of which each is looked at, in programs that mask such an operation; then every 16th
# What the backward pass makes of a gradient of 0. `s`: reads what the node has saved.
OF_ZERO = {
    "LogBackward": lambda s: 0 / s("self"),
    "Log2Backward": lambda s: 0 / s("self"),
    "Log10Backward": lambda s: 0 / s("self"),
    "Log1PBackward": lambda s: 0 / (s("self") + 1),
    "SqrtBackward": lambda s: 0 / s("result"),
    "RsqrtBackward": lambda s: 0 * s("result") ** 3,
    "ReciprocalBackward": lambda s: 0 * s("result") ** 2,
    "DivBackward": lambda s: 0 / s("other"),
    "PowBackward": lambda s: 0 * s("self") ** (s("exponent") - 1),
    "ExpBackward": lambda s: 0 * s("result"),
    "Expm1Backward": lambda s: 0 * (s("result") + 1),
    "AcosBackward": lambda s: 0 * (1 - s("self") ** 2).rsqrt(),
    "AsinBackward": lambda s: 0 * (1 - s("self") ** 2).rsqrt(),
}
# What a mask hides: the positions of its input (that of this number) whose gradient it sets to 0.
CLAMPED = lambda s: ~((s("self") >= number(s("min"), -math.inf)) & (s("self") <= number(s("max"), math.inf)))  # noqa: E731
HIDDEN = {
    "WhereBackward": lambda s, at: s("condition") if at else ~s("condition"),
    "MaskedFillBackward": lambda s, at: None if at else s("mask"),
    "MaskedSelectBackward": lambda s, at: ~s("mask"),
    "IndexBackward": lambda s, at: unchosen(s("indices"), s("self_sym_sizes")),
    "NansumBackward": lambda s, at: s("self").isnan(),
    "MulBackward": lambda s, at: zeros_of(s("self" if at else "other")),
    "NanToNumBackward": lambda s, at: ~s("self").isfinite(),
    "ClampBackward": lambda s, at: CLAMPED(s),
    "ClampMinBackward": lambda s, at: CLAMPED(s),
    "ClampMaxBackward": lambda s, at: CLAMPED(s),
    "ReluBackward": lambda s, at: s("result") <= 0,
}
SELECTING = {"MaskedSelectBackward", "IndexBackward", "NansumBackward"}  # their masks have the shape of the input
VIEWS = {"ViewBackward", "ReshapeAliasBackward", "UnsafeViewBackward", "SqueezeBackward", "UnsqueezeBackward"}
# Each number of the result has one number of the input behind it: a gradient of 0 stays where it is.
ELEMENTWISE = OF_ZERO.keys() | HIDDEN.keys() - SELECTING | {
    "AbsBackward", "AddBackward", "AliasBackward", "CloneBackward", "ExpandBackward", "NegBackward", "RsubBackward",
    "SigmoidBackward", "SubBackward", "TanhBackward", "ToCopyBackward",
}  # fmt: skip
REDUCING = {"SumBackward", "MeanBackward"}
LOSSES = {"BinaryCrossEntropyWithLogitsBackward", "HuberLossBackward", "MseLossBackward", "SmoothL1LossBackward"}
FOLLOWED = LOSSES | ELEMENTWISE | SELECTING | VIEWS | REDUCING


class Watch(Detector):
    saw = {
        "en": "`{mask}` hides {count} results of `{operation}`, but not their gradients: 0 times infinity is NaN; choose the input of `{operation}` instead",
        "zh": "`{mask}` 遮住了 `{operation}` 的 {count} 个结果，却遮不住梯度：0 乘无穷大得 NaN；应当在 `{operation}` 之前替换输入",
    }

    def __init__(self, run):
        super().__init__(run)
        self.suspected = False  # whether the program masks such an operation
        self.expected = None  # of this backward pass: what is seen, and whose gradients will hold NaN

    def on_graph(self, graph, loss):
        self.suspected = self.suspected or any(True for _ in masked(graph))

    def on_backward(self, loss, value):
        self.expected = None
        if not self.suspected or (self.run.backwards > OFTEN and self.run.backwards % 16):
            return
        for node, mask, ruined in masked(Graph(loss)):
            count = int(ruined.sum())
            if count == 0:
                continue
            before = Graph(loss)
            before.root = node
            leaves = [leaf for leaf in before.leaves if is_finite(leaf) and (leaf.grad is None or is_finite(leaf.grad))]
            if len(leaves) == len(before.leaves) and is_finite(loss):
                seen = {"operation": called(node), "mask": called(mask), "count": count}
                self.expected = seen, [weakref.ref(leaf) for leaf in leaves]
                return

    def on_backward_done(self, loss):
        if self.expected is None:
            return
        seen, leaves = self.expected
        gradients = [leaf().grad for leaf in leaves if leaf() is not None]
        if any(gradient is not None and not is_finite(gradient) and gradient.isnan().any() for gradient in gradients):
            self.find("proof", **seen)
            self.finished = True
        self.expected = None


def masked(graph):
    """Each masked operation whose backward pass may make NaN of 0, the mask, and at which of its results it does."""
    kinds = {node: kind_of(node) for node in graph.nodes}
    if OF_ZERO.keys().isdisjoint(kinds.values()) or HIDDEN.keys().isdisjoint(kinds.values()):
        return
    uses = defaultdict(list)
    for node in graph.nodes:
        for at, (parent, number_of_output) in enumerate(node.next_functions):
            uses[parent].append((node, at, number_of_output))
    masks = {}  # node -> the mask behind it
    without = {}  # node -> where the gradient of what it computed is 0; None where that is not known

    def without_gradient(node, deep=0):
        if node not in without:
            users = uses[node] if deep < DEEPEST else []
            hidden = []
            for user, at, output in users:
                hidden.append(hidden_by(user, at, node, deep) if output == 0 else None)
                if hidden[-1] is None:
                    break
            known = hidden and hidden[-1] is not None
            without[node] = functools.reduce(torch.logical_and, hidden) if known else None
        return without[node]

    def hidden_by(user, at, node, deep):
        """Where the gradient is 0 that `user` passes to `node`, its input of number `at`."""
        kind, shape, after = kinds[user], shape_of(node), shape_of(user)
        if shape is None or after is None or kind not in FOLLOWED or (kind in LOSSES and after != shape):
            return None
        one_mask = kind in HIDDEN and (kind != "MulBackward" or parents(user)[1 - at : 2 - at] == [None])
        hidden = what(HIDDEN[kind], reader(user), at) if one_mask else None
        through = None if kind in SELECTING else without_gradient(user, deep + 1)
        if hidden is None and through is None:
            return None
        masks[node] = masks[user] if hidden is None else user
        if kind in SELECTING:
            return hidden[(..., *[None] * (len(shape) - hidden.dim()))].expand(shape)
        if hidden is not None:
            hidden = hidden.expand(after)
        both = through if hidden is None else hidden if through is None else hidden | through
        if kind in REDUCING:
            return unreduced(both, user, shape)
        return both.reshape(shape) if kind in VIEWS else (~both).float().sum_to_size(shape) == 0

    for node, kind in kinds.items():
        if kind in OF_ZERO and (hidden := without_gradient(node)) is not None:
            ruined = what(lambda read: OF_ZERO[kind](read).isnan() & hidden, reader(node))  # noqa: B023
            if ruined is not None:
                yield node, masks[node], ruined


def what(function, *arguments):
    """What a function of saved tensors returns; None where one was not saved."""
    try:
        return function(*arguments)
    except (AttributeError, TypeError):
        return None


def unreduced(hidden, node, shape):
    """Where the input of a sum or mean along some dimensions has no gradient."""
    if hidden.dim() < len(shape):
        dims = saved(node, "_saved_dim") or ()
        if hidden.dim() + len(dims) != len(shape):
            return None
        for dim in sorted((dim - 2**64 if dim >= 2**63 else dim) % len(shape) for dim in dims):
            hidden = hidden.unsqueeze(dim)
    return hidden.expand(shape)


def reader(node):
    return lambda name: saved(node, f"_saved_{name}")


def called(node):
    """Such as `masked_fill`, of MaskedFillBackward0."""
    name = kind_of(node).removesuffix("Backward")
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).strip("_")


def number(value, otherwise):
    return otherwise if value is None else value


def unchosen(indices, sizes):
    """What a single index leaves out, boolean or of numbers."""
    one = indices[0] if indices is not None and len(indices) == 1 else None
    if one is None or one.dtype == torch.bool:
        return None if one is None else ~one
    return torch.ones(sizes[0], dtype=torch.bool, device=one.device).index_fill(0, one.flatten(), False)


def zeros_of(factor):
    """The zeros of a factor; None of a number."""
    return factor == 0 if isinstance(factor, torch.Tensor) and factor.dim() else None
