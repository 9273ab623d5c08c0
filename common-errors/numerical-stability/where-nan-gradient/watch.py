"""Proof: a mask hides values, but the operation before it turns their gradient of 0 into NaN, which reaches gradients.

Before each backward pass, the detector follows the results of `log`, `sqrt`, `exp`, powers, divisions and similar
operations. If every path ends in a mask (`where`, `masked_fill`, a product with zeros, `clamp`, `relu`, `nan_to_num`,
`nansum`, an index), it computes what the backward pass makes of a gradient of 0 at the hidden positions. It reports
nothing if the result is finite (for example, because the input was also masked), if the loss or the weights are not
finite, and if no NaN reaches a gradient.
"""

from __future__ import annotations

import functools
import math
import weakref
from collections import defaultdict

import torch

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import Graph, is_finite, kind_of, parents, saved, shape_of

DEEPEST = 32  # maximum number of operations between the mask and what it hides
OFTEN = 512  # in programs that mask such an operation, so many backward passes are all checked, then every 16th
# What the backward pass makes of a gradient of 0. `s` reads a value that the node saved.
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
# What a mask hides: the positions of its input number `at` whose gradient it sets to 0.
CLAMPED = lambda s: ~((s("self") >= number_or(s("min"), -math.inf)) & (s("self") <= number_or(s("max"), math.inf)))  # noqa: E731
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
# Each number of the result depends on one number of the input, so a gradient of 0 keeps its position.
ELEMENTWISE = OF_ZERO.keys() | HIDDEN.keys() - SELECTING | {
    "AbsBackward", "AddBackward", "AliasBackward", "CloneBackward", "ExpandBackward", "NegBackward", "RsubBackward",
    "SigmoidBackward", "SubBackward", "TanhBackward", "ToCopyBackward",
}  # fmt: skip
REDUCING = {"SumBackward", "MeanBackward"}
LOSSES = {"BinaryCrossEntropyWithLogitsBackward", "HuberLossBackward", "MseLossBackward", "SmoothL1LossBackward"}
FOLLOWED = LOSSES | ELEMENTWISE | SELECTING | VIEWS | REDUCING


class Watch(Detector):
    saw = {
        "en": "`{mask}` hides {count} results of `{operation}`, but not their gradients: 0 times infinity is NaN; select on the input of `{operation}` instead",
        "zh": "`{mask}` 遮住了 `{operation}` 的 {count} 个结果，却遮不住梯度：0 乘无穷大得 NaN；应当在 `{operation}` 之前替换输入",
    }

    def __init__(self, run):
        super().__init__(run)
        self.suspected = False  # whether the program masks such an operation
        self.expected = None  # values to report, and the leaves whose gradients will hold NaN after this pass

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
                values = {"operation": function_name(node), "mask": function_name(mask), "count": count}
                self.expected = values, [weakref.ref(leaf) for leaf in leaves]
                return

    def on_backward_done(self, loss):
        if self.expected is None:
            return
        values, leaves = self.expected
        gradients = [leaf().grad for leaf in leaves if leaf() is not None]
        if any(gradient is not None and not is_finite(gradient) and gradient.isnan().any() for gradient in gradients):
            self.find("proof", **values)
            self.finished = True
        self.expected = None


def masked(graph):
    """Each masked operation whose backward pass may turn 0 into NaN, its mask, and the results at which it does."""
    kinds = {node: kind_of(node) for node in graph.nodes}
    if OF_ZERO.keys().isdisjoint(kinds.values()) or HIDDEN.keys().isdisjoint(kinds.values()):
        return
    uses = defaultdict(list)
    for node in graph.nodes:
        for at, (parent, number_of_output) in enumerate(node.next_functions):
            uses[parent].append((node, at, number_of_output))
    masks = {}  # node -> the mask that hides its results
    zero_gradient = {}  # node -> where the gradient of its result is 0, or None if unknown

    def zero_gradient_of(node, deep=0):
        if node not in zero_gradient:
            users = uses[node] if deep < DEEPEST else []
            hidden = []
            for user, at, output in users:
                hidden.append(hidden_by(user, at, node, deep) if output == 0 else None)
                if hidden[-1] is None:
                    break
            all_known = hidden and hidden[-1] is not None
            zero_gradient[node] = functools.reduce(torch.logical_and, hidden) if all_known else None
        return zero_gradient[node]

    def hidden_by(user, at, node, deep):
        """Where the gradient that `user` passes to its input number `at`, `node`, is 0; None if unknown."""
        kind, shape, after = kinds[user], shape_of(node), shape_of(user)
        if shape is None or after is None or kind not in FOLLOWED or (kind in LOSSES and after != shape):
            return None
        is_mask = kind in HIDDEN and (kind != "MulBackward" or parents(user)[1 - at : 2 - at] == [None])
        hidden = if_saved(HIDDEN[kind], reader_of(user), at) if is_mask else None
        downstream = None if kind in SELECTING else zero_gradient_of(user, deep + 1)
        if hidden is None and downstream is None:
            return None
        masks[node] = masks[user] if hidden is None else user
        if kind in SELECTING:
            return hidden[(..., *[None] * (len(shape) - hidden.dim()))].expand(shape)
        if hidden is not None:
            hidden = hidden.expand(after)
        combined = downstream if hidden is None else hidden if downstream is None else hidden | downstream
        if kind in REDUCING:
            return unreduced(combined, user, shape)
        return combined.reshape(shape) if kind in VIEWS else (~combined).float().sum_to_size(shape) == 0

    for node, kind in kinds.items():
        if kind in OF_ZERO and (hidden := zero_gradient_of(node)) is not None:
            ruined = if_saved(lambda read: OF_ZERO[kind](read).isnan() & hidden, reader_of(node))  # noqa: B023
            if ruined is not None:
                yield node, masks[node], ruined


def if_saved(function, *arguments):
    """The result of a function of saved tensors, or None if one of them was not saved."""
    try:
        return function(*arguments)
    except (AttributeError, TypeError):
        return None


def unreduced(hidden, node, shape):
    """Where the input of a sum or mean has no gradient, if its result has none at `hidden`; None if unknown."""
    if hidden.dim() < len(shape):
        dims = saved(node, "_saved_dim") or ()
        if hidden.dim() + len(dims) != len(shape):
            return None
        for dim in sorted((dim - 2**64 if dim >= 2**63 else dim) % len(shape) for dim in dims):
            hidden = hidden.unsqueeze(dim)
    return hidden.expand(shape)


def reader_of(node):
    return lambda name: saved(node, f"_saved_{name}")


def function_name(node):
    """The name of a node's function, such as `masked_fill` for MaskedFillBackward0."""
    name = kind_of(node).removesuffix("Backward")
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).strip("_")


def number_or(value, otherwise):
    return otherwise if value is None else value


def unchosen(indices, sizes):
    """What a single index, boolean or of numbers, leaves out; None for other indices."""
    index = indices[0] if indices is not None and len(indices) == 1 else None
    if index is None or index.dtype == torch.bool:
        return None if index is None else ~index
    return torch.ones(sizes[0], dtype=torch.bool, device=index.device).index_fill(0, index.flatten(), False)


def zeros_of(factor):
    """The zeros of a factor, or None if it is a single number."""
    return factor == 0 if isinstance(factor, torch.Tensor) and factor.dim() else None
