"""Proof: in the graph of the loss, layers follow each other with nothing nonlinear between them: they equal one layer.

Linear layers and convolutions, with only reshapes, dropout, batch normalization or average pooling between. It speaks where
nothing nonlinear lies between the input and the last layer, or where two such pairs are in the model, one of them of linear
layers. It is silent where the layer between is narrower than both sides (LoRA, factorizations, linear autoencoders), where the
values between are used otherwise, too, about projections that feed attention or gates, grouped, strided and transposed
convolutions, and about a single pair in a model that is nonlinear elsewhere.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import MATRIX, RESHAPING, kind_of, name_of, parents, saved, shape_of, source

PASSED = ("MeanBackward", "AvgPool2DBackward", "AdaptiveAvgPool2DBackward", "NativeDropoutBackward")
NORMS = ("NativeBatchNormBackward", "CudnnBatchNormBackward", "MiopenBatchNormBackward")
LINEAR = {"AddBackward", "SubBackward", "NegBackward", "CatBackward", "SliceBackward", "SelectBackward", "SumBackward"}
FOR_ATTENTION = ("Attention", "BmmBackward", "BaddbmmBackward", "Split", "Unbind", "Chunk")
GRAPHS = 6


class Watch(Detector):
    saw = {
        "en": "nothing nonlinear lies between {first} and {second} (such pairs of layers: {count}): {what}",
        "zh": "{first} 和 {second} 之间没有任何非线性运算（这样的相邻层共 {count} 对）：{what_zh}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.graphs = 0

    def on_graph(self, graph, loss):
        self.graphs += 1
        self.finished = self.graphs > GRAPHS
        layers = {node: found for node in graph.nodes if (found := layer(node))}
        children: dict = {}
        for child in graph.nodes if len(layers) > 1 else ():
            for parent in parents(child):
                children.setdefault(parent, []).append(child)
        pairs = {}  # id of the lower weight -> lower, upper
        for node in layers if children else ():
            lower = behind(layers[node][1])
            if lower in layers and is_pair(lower, node, layers) and feeds_layers(lower, children, layers):
                pairs.setdefault(id(layers[lower][0]), (lower, node))
        whole = [pair for pair in pairs.values() if is_linear(pair[1], layers) and is_last(pair[1], children)]
        plain = [
            (lower, upper)
            for lower, upper in pairs.values()
            if not (strides(lower) or strides(upper) or attends(behind(layers[lower][1])))
            and not feeds_attention(upper, children)
        ]
        if whole or (len(plain) > 1 and any(kind_of(a) in MATRIX and kind_of(b) in MATRIX for a, b in plain)):
            first, second = (layers[node][2] for node in (whole or plain)[0])
            what = "the whole model is one linear map" if whole else "each pair can express no more than one layer"
            what_zh = "整个模型只是一个线性映射" if whole else "每一对的表达能力都不超过一层"
            self.find("proof", count=len(pairs), first=first, second=second, what=what, what_zh=what_zh)
            self.finished = True


def layer(node):
    """Weight, what it is applied to, and sizes in words, of a linear layer or convolution whose weight is a leaf."""
    kind, shape, given = kind_of(node), shape_of(node), parents(node)
    at = {"AddmmBackward": (1, 2), "MmBackward": (0, 1), "LinearBackward": (0, 1), "ConvolutionBackward": (0, 1)}.get(
        kind
    )
    weight = source(given[at[1]]) if at and len(given) > at[1] else None
    weight = getattr(weight, "variable", None)
    if weight is None or weight.dim() < 2 or not shape or saved(node, "_saved_groups") not in (None, 1):
        return None
    matrix, transposed = kind in MATRIX, saved(node, "_saved_transposed")
    out = shape[-1] if matrix else weight.shape[1 if transposed else 0]
    size = weight.numel() // max(out, 1) if matrix else weight.shape[0 if transposed else 1]
    return weight, given[at[0]], f"{'Linear' if matrix else 'Conv'}({size}, {out})", size, out


def passes(node):
    """Whether a node changes values at most by a linear map without learned weights, beside normalization."""
    kind = kind_of(node)
    return name_of(node) in RESHAPING or kind in PASSED or kind in NORMS or is_dropout(node)


def is_dropout(node):
    """A product with zeros and one other number, which is above 1; or with a plain number."""
    if kind_of(node) not in ("MulBackward", "DivBackward") or sum(one is not None for one in parents(node)) != 1:
        return False
    factor = saved(node, "_saved_other")
    if factor is None or not hasattr(factor, "dim") or factor.dim() == 0:
        return True
    kept = factor[factor != 0]
    two_values = 0 < kept.numel() < factor.numel() and bool(kept.min() == kept.max())
    return kind_of(node) == "MulBackward" and two_values and bool(kept.max() > 1)


def behind(node):
    """The node before those that only pass values on, or add a bias."""
    while node is not None:
        given = parents(node)
        biased = kind_of(node) == "AddBackward" and [one is not None and hasattr(one, "variable") for one in given]
        if biased and sum(biased) == 1:
            node = given[biased.index(False)]
        elif passes(node):
            node = given[0]
        else:
            break
    return node


def is_pair(lower, upper, layers):
    (first, _, _, size, between), (second, _, _, _, out) = layers[lower], layers[upper]
    return first is not second and between >= min(size, out)


def feeds_layers(lower, children, layers):
    """Whether nothing but layers uses what a layer has computed."""
    waiting = [lower]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in layers and not passes(child) and behind(child) in (child, None):
                return False
            waiting += [] if child in layers else [child]
    return True


def strides(node):
    return saved(node, "_saved_transposed") or any(step != 1 for step in saved(node, "_saved_stride") or ())


def attends(node):
    return node is not None and any(name in kind_of(node) for name in FOR_ATTENTION)


def feeds_attention(node, children):
    waiting = [node]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if attends(child):
                return True
            waiting += [child] if name_of(child) in RESHAPING else []
    return False


def is_linear(upper, layers):
    """Whether all that a layer is computed from is linear."""
    waiting, seen = [upper], set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen or hasattr(node, "variable"):
            continue
        seen.add(node)
        if not (node in layers or passes(node) or kind_of(node) in LINEAR):
            return False
        waiting += parents(node)
    return True


def is_last(node, children):
    """Whether no layer comes after it."""
    waiting, seen = [node], {node}
    while waiting:
        for child in children.get(waiting.pop(), ()):
            beside = (getattr(source(parent), "variable", None) for parent in parents(child) if parent not in seen)
            if any(leaf is not None and leaf.dim() > 1 for leaf in beside):
                return False
            if child not in seen:
                seen.add(child)
                waiting.append(child)
    return True
