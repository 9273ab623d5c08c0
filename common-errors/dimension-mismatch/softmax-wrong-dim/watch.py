"""Proof: a loss picks one number along the class axis of a (log-)softmax that was computed along another axis.

The graph says along which axis `nll_loss`, `ctc_loss` or a `gather` picks, and along which the softmax was normalized; views,
transposes and masks between them are followed. It is silent about square matrices and matrices normalized along both axes
(contrastive losses), and where it cannot follow the axis. A softmax whose result is summed (attention, pooling, routing)
is not looked at: there, normalizing along either axis has uses.
"""

from __future__ import annotations

from math import prod

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import kind_of, name_of, parents, shape_of

GRAPHS = 32  # the program has computed its loss in all the ways it has
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
ROWS = ("IndexBackward", "IndexSelectBackward", "SliceBackward")


class Watch(Detector):
    saw = {
        "en": "a softmax over dimension {dim} of {shape}, although the loss picks its class along dimension {axis}: the class probabilities of a sample do not sum to 1",
        "zh": "softmax 沿 {shape} 的第 {dim} 维归一化，而损失沿第 {axis} 维取类别：每个样本的各类概率之和不为 1",
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
        for node in graph.named("NllLossBackward", "NllLoss2DBackward", "CtcLossBackward", "GatherBackward"):
            scores = parents(node)[0]
            size = len(shape_of(scores) or ()) if scores is not None else 0
            kind = name_of(node)
            if kind.startswith("Gather"):
                axis = wrapped(node._saved_dim, size) if size else 0
                if not size or (shape_of(node) or ())[axis : axis + 1] != (1,):
                    continue
            else:
                axis = size - 1 if kind.startswith("Ctc") else max(size - 3, 0) if "2D" in kind else size - 1
            softmax, axis = origin(scores, axis)
            if softmax is None:
                continue
            shape = shape_of(softmax)
            dim = wrapped(softmax._saved_dim, len(shape))
            both = sum(parents(other)[0] is parents(softmax)[0] for other in softmaxes) > 1
            if dim != axis and shape[dim] != shape[axis] and shape[axis] > 1 and not both:
                self.find("proof", dim=dim, axis=axis, shape=shape)


def wrapped(dim, size):
    """A dimension as torch saves it: -1 may come as 2**64 - 1."""
    dim = dim - 2**64 if dim >= 2**63 else dim
    return dim + size if dim < 0 else dim


def origin(node, axis):
    """The softmax that `node` was computed from, and which of its axes `axis` is; None where that cannot be followed."""
    while node is not None:
        name, shape, before = kind_of(node), shape_of(node), parents(node)
        if shape is None or not 0 <= axis < len(shape):
            break
        if name in ("LogSoftmaxBackward", "SoftmaxBackward"):
            return node, axis
        given = shape_of(before[0]) if before and before[0] is not None else None
        if given is None:
            break
        if name in VIEWS:
            ahead, size = prod(shape[:axis]), shape[axis]
            fits = [at for at, one in enumerate(given) if one == size > 1 and prod(given[:at]) == ahead]
            if len(fits) != 1:
                break
            axis = fits[0]
        elif name == "TBackward" or name == "TransposeBackward":
            ends = (0, 1) if name == "TBackward" else (node._saved_dim0, node._saved_dim1)
            first, second = (wrapped(one, len(given)) for one in ends)
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
    return None, axis


def follows(before):
    """Whether only the first operand is tracked, or the other is its sum (`probs / probs.sum(-1, keepdim=True)`)."""
    other = before[1] if len(before) > 1 else None
    return other is None or name_of(other).startswith("SumBackward") and parents(other)[0] is before[0]
