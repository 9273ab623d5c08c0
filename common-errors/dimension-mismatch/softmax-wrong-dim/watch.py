"""Proof: a loss picks classes along a different axis from its softmax, or attention normalizes over the samples.

The graph shows along which axis the softmax was normalized, and along which axis `nll_loss`, `ctc_loss`, a `gather`, an
index `[torch.arange(n), classes]` or a product with one-hot rows picks one number; the detector follows views,
transposes and masks in between. With the last three, the softmax must yield logarithms: weights may be picked along any
axis. It does not report square matrices and matrices normalized along both axes (contrastive losses), an axis that it
can't follow, or soft targets.

If the result of a softmax is summed (attention, pooling, routing), any axis is useful except for the samples: the
detector reports if dimension 0 is normalized and kept, up to a loss of as many samples, while a different dimension is
summed. It also reports a softmax along an axis on which the mask of the scores is constant, if the weights are directly
multiplied by values and summed along another one: a mask that hides whole slices of a softmax, some of them and all
alike, does not change the others. Masked attention of a set to itself, in which the weights of each query are summed,
must be normalized for each query; weights that are divided by their sum afterwards are not reported.
"""

from __future__ import annotations

from math import prod

import torch

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import kind_of, name_of, parents, saved, shape_of, source

GRAPHS = 32  # number of graphs to check: by then, each kind of loss has occurred
SAME = (
    "AliasBackward",
    "CloneBackward",
    "ToCopyBackward",
    "LogBackward",
    "ClampBackward",
    "ClampMinBackward",
    "NegBackward",
)
VIEWS = ("ViewBackward", "ReshapeAliasBackward", "UnsafeViewBackward", "SqueezeBackward", "UnsqueezeBackward")
# Losses that compare samples, which are dimension 0 of their input.
PER_SAMPLE = (
    "BinaryCrossEntropyBackward",
    "BinaryCrossEntropyWithLogitsBackward",
    "LogSoftmaxBackward",
    "MseLossBackward",
    "SmoothL1LossBackward",
)
KEPT = (*VIEWS, "ExpandBackward", "NativeDropoutBackward")
ROWS = ("IndexBackward", "IndexSelectBackward", "SliceBackward")


class Watch(Detector):
    saw = {
        "en": "a softmax over dimension {dim} of {shape}, although {why}",
        "zh": "softmax 沿 {shape} 的第 {dim} 维归一化，而{why_zh}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.graphs = 0

    def on_graph(self, graph, loss):
        self.graphs += 1
        self.finished = self.graphs > GRAPHS
        softmaxes = list(graph.named("LogSoftmaxBackward", "SoftmaxBackward"))
        if not softmaxes:
            return
        logged = {source(parents(node)[0]) for node in graph.named("LogBackward")}
        for node in graph.nodes:
            scores, axis = picked(node)
            if scores is None:
                continue
            softmax, axis, is_log = origin(scores, axis)
            if softmax is None or not (is_log or "Loss" in name_of(node) or node in logged):
                continue
            shape = shape_of(softmax)
            dim = wrapped(softmax._saved_dim, len(shape))
            both = sum(parents(other)[0] is parents(softmax)[0] for other in softmaxes) > 1
            if dim != axis and shape[dim] != shape[axis] and shape[axis] > 1 and not both:
                why = f"the loss picks its class along dimension {axis}: the class probabilities of a sample do not sum to 1"
                why_zh = f"loss 沿第 {axis} 维取类别：每个样本的各类概率之和不为 1"
                self.find("proof", dim=dim, shape=shape, why=why, why_zh=why_zh)
        for softmax, dim, without in [*masked_along(graph), *masked_in_sums(softmaxes, graph)]:
            why = "its mask hides some positions of the dimension along which the weights are summed: it has no effect"
            why_zh = "掩码遮住的是加权求和那一维上的某些位置：掩码不起作用"
            if not without:
                why = "the weights of each query are summed along the last dimension: they do not add up to 1"
                why_zh = "每个查询的权重沿最后一维求和：这些权重之和不为 1"
            self.find("proof", dim=dim, shape=shape_of(softmax), why=why, why_zh=why_zh)
        for softmax in over_samples(graph, softmaxes):
            why = (
                "the weighted values are summed along a different one: the weights of a sample depend on the others"
                " in its batch"
            )
            why_zh = "加权之后沿另一维求和：一个样本的权重取决于同一批次里的其他样本"
            self.find("proof", dim=0, shape=shape_of(softmax), why=why, why_zh=why_zh)


def mask_of(scores):
    """Return what is hidden of the scores of a softmax, as a mask that is true there, or None."""
    if scores is not None and kind_of(scores) == "MaskedFillBackward":
        return saved(scores, "_saved_mask")
    if scores is not None and kind_of(scores) == "WhereBackward" and parents(scores)[1:2] == [None]:
        condition = saved(scores, "_saved_condition")
        return None if condition is None else ~condition
    return None


def masked_in_sums(softmaxes, graph):
    """Yield, as `masked_along`, weights of a sum along an axis on which their mask differs, but not along theirs."""
    masked = [
        node for node in softmaxes if kind_of(node) == "SoftmaxBackward" and mask_of(parents(node)[0]) is not None
    ]
    for total in graph.named("SumBackward") if masked else ():
        product = parents(total)[0]
        weights = [source(parent) for parent in parents(product)] if kind_of(product) == "MulBackward" else []
        softmax = next((node for node in weights if node in masked), None)
        if softmax is None:
            continue
        shape, summed = (
            shape_of(softmax),
            {wrapped(dim, len(shape_of(product))) for dim in saved(total, "_saved_dim") or ()},
        )
        dim, mask = wrapped(softmax._saved_dim, len(shape)), mask_of(parents(softmax)[0])
        if dim in summed or len(summed) != 1 or mask.dim() > len(shape) or shape_of(product)[: len(shape)] != shape:
            continue
        mask, [axis] = mask.expand(shape), summed
        if axis < len(shape) and bool((mask == mask.narrow(dim, 0, 1)).all() & (mask != mask.narrow(axis, 0, 1)).any()):
            yield softmax, dim, True


def is_dropped(node):
    """Whether a node multiplies by a tensor without gradient, as dropout does on the CPU."""
    return kind_of(node) == "MulBackward" and None in parents(node)


def masked_along(graph):
    """Yield softmaxes of attention weights that are summed along the last axis but normalized along another one.

    Either their mask is constant along that one (third value: true), or the queries and keys are one masked set.
    """
    for product in graph.named("BmmBackward", "MmBackward"):
        softmax = parents(product)[0]
        while softmax is not None and (kind_of(softmax) in KEPT or is_dropped(softmax)):
            given = shape_of(before) if (before := parents(softmax)[0]) is not None else None
            softmax = before if given and given[-2:] == shape_of(softmax)[-2:] else None
        if softmax is None or kind_of(softmax) != "SoftmaxBackward" or not shape_of(softmax):
            continue
        shape, scores = shape_of(softmax), parents(softmax)[0]
        dim = wrapped(softmax._saved_dim, len(shape))
        mask = mask_of(scores)
        if mask is None or dim == len(shape) - 1 or shape[dim] == 1 or mask.dim() > len(shape):
            continue
        mask = mask.expand(shape)
        alike = bool((mask == mask.narrow(dim, 0, 1)).all())
        if alike and bool((mask != mask[..., :1]).any()):
            yield softmax, dim, True
        elif dim == len(shape) - 2 and shape[-2] == shape[-1] > 2 and not alike and bool(mask.any(-1).all()):
            yield softmax, dim, False


def over_samples(graph, softmaxes):
    """Yield softmaxes over the samples, dimension 0, whose result weights a sum along a different dimension."""
    chosen = [node for node in softmaxes if kind_of(node) == "SoftmaxBackward" and is_over_first(node)]
    if not chosen:
        return
    samples = {shape_of(parents(node)[0])[0] for node in graph.named(*PER_SAMPLE) if shape_of(parents(node)[0])}
    users = {}
    for node in graph.nodes:
        for parent in parents(node):
            users.setdefault(parent, []).append(node)
    for softmax in chosen:
        count = shape_of(softmax)[0]
        waiting = [softmax] if count in samples else []
        while waiting:
            for user in users.get(node := waiting.pop(), ()):
                kind, shape = kind_of(user), shape_of(user)
                if not shape or not prod(shape) or shape[0] % count:
                    continue
                if kind == "BmmBackward" and parents(user)[0] is node and shape_of(node)[2] > 1:
                    yield softmax
                elif kind == "SumBackward" and kind_of(node) == "MulBackward" and shape[0] == count:
                    dims = {wrapped(dim, len(shape_of(node))) for dim in saved(user, "_saved_dim") or (0,)}
                    if 0 not in dims and any(size > 1 for dim, size in enumerate(shape_of(softmax)) if dim in dims):
                        yield softmax
                elif kind in (*VIEWS, "ExpandBackward", "MulBackward", "NativeDropoutBackward"):
                    waiting.append(user)


def is_over_first(softmax):
    """Whether a softmax is over the first of several dimensions, and no other dimension has the same size."""
    shape = shape_of(softmax)
    return (
        len(shape) > 1 and wrapped(softmax._saved_dim, len(shape)) == 0 and shape[0] > 1 and shape[0] not in shape[1:]
    )


def picked(node):
    """Return the node from which one number per sample is picked, and the axis; (None, 0) if there is none."""
    kind, scores = kind_of(node), (parents(node) or [None])[0]
    size = len(shape_of(scores) or ()) if scores is not None else 0
    if kind in ("NllLossBackward", "CtcLossBackward") and size:
        return scores, size - 1
    if kind == "NllLoss2DBackward" and size:
        return scores, max(size - 3, 0)
    if kind == "GatherBackward" and size:
        axis, index = wrapped(node._saved_dim, size), saved(node, "_saved_index")
        # A constant index along an axis picks a time step or a whole row.
        constant = index is None or any(
            index.shape[other] > 1 and bool((index.narrow(other, 0, 1) == index).all()) for other in range(size)
        )
        return (scores, axis) if not constant and index.shape[axis] == 1 else (None, 0)
    if kind == "IndexBackward" and size == 2:
        rows, classes = (*(saved(node, "_saved_indices") or ()), None, None)[:2]
        if rows is not None and classes is not None and rows.shape == classes.shape == shape_of(scores)[:1]:
            return (scores, 1) if torch.equal(rows, torch.arange(len(rows), device=rows.device)) else (None, 0)
    if kind == "MulBackward":
        for scores, name in zip(parents(node), ("_saved_other", "_saved_self"), strict=False):
            table = saved(node, name) if scores is not None else None
            if isinstance(table, torch.Tensor) and table.dim() == 2 and table.shape == shape_of(scores):
                if bool(((table == 0) | (table == 1)).all()):
                    chosen = [axis for axis in (0, 1) if bool((table.sum(axis) == 1).all())]
                    if len(chosen) == 1 and bool((table.sum(1 - chosen[0]) > 0).all()):
                        return scores, chosen[0]
    return None, 0


def wrapped(dim, size):
    """Return a saved dimension, counted from the front; torch may save -1 as 2**64 - 1."""
    dim = dim - 2**64 if dim >= 2**63 else dim
    return dim + size if dim < 0 else dim


def origin(node, axis):
    """Return the softmax that `node` was computed from, its axis that became `axis`, and whether it yields logarithms.

    The softmax is None if the axis can't be followed to one.
    """
    is_log = False
    while node is not None:
        name, shape, before = kind_of(node), shape_of(node), parents(node)
        if shape is None or not 0 <= axis < len(shape):
            break
        if name in ("LogSoftmaxBackward", "SoftmaxBackward"):
            return node, axis, is_log or name == "LogSoftmaxBackward"
        is_log |= name == "LogBackward"
        given = shape_of(before[0]) if before and before[0] is not None else None
        if given is None:
            break
        if name in VIEWS:
            ahead, size = prod(shape[:axis]), shape[axis]
            fits = [at for at, extent in enumerate(given) if extent == size > 1 and prod(given[:at]) == ahead]
            if len(fits) != 1:
                break
            axis = fits[0]
        elif name == "TBackward" or name == "TransposeBackward":
            ends = (0, 1) if name == "TBackward" else (node._saved_dim0, node._saved_dim1)
            first, second = (wrapped(end, len(given)) for end in ends)
            axis = {first: second, second: first}.get(axis, axis)
        elif name == "PermuteBackward":
            axis = wrapped(node._saved_dims[axis], len(given))
        elif name in ROWS:
            behind = len(shape) - axis
            if axis == 0 or behind >= len(given) or shape[axis:] != given[-behind:]:
                break
            axis = len(given) - behind
        elif shape != given or not (name in SAME or name in ("AddBackward", "DivBackward") and follows(before)):
            break
        node = before[0]
    return None, axis, False


def follows(before):
    """Whether only the first operand has a gradient, or the second is its sum (`p / p.sum(-1, keepdim=True)`)."""
    other = before[1] if len(before) > 1 else None
    return other is None or name_of(other).startswith("SumBackward") and parents(other)[0] is before[0]
