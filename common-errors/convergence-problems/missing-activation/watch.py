"""Proof: in the graph of the loss, layers follow each other, and no activation comes before the last of them.

Between the input and the last layer are only linear layers, convolutions, reshapes, sums, dropout, batch normalization
and pooling. With max pooling, two pairs of layers with nothing nonlinear in between are required. The detector does not
report a model with an activation, attention, a recurrent, grouped or transposed layer or a product of outputs anywhere,
a layer that is narrower than its neighbors (factorizations, linear autoencoders) unless two others could be left out, a
convolution that only a linear head follows (it shares its weights between places), a layer whose output is also used elsewhere, layers along different axes, a layer that is applied repeatedly (linear
dynamics), or products of parameters.
"""

from __future__ import annotations

from torch import nn

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import MATRIX, RESHAPING, kind_of, name_of, parents, saved, shape_of, source

PASSED = {"MeanBackward", "AvgPool2DBackward", "AdaptiveAvgPool2DBackward", "NativeDropoutBackward"}
PASSED |= {"NativeBatchNormBackward", "CudnnBatchNormBackward", "MiopenBatchNormBackward"}
SUMS = {"AddBackward", "SubBackward", "CatBackward", "SumBackward"}
POOLS = {"MaxPool2DWithIndicesBackward", "MaxPool3DWithIndicesBackward"}
PRODUCTS = {"MulBackward", "DivBackward", "MmBackward", "BmmBackward"}
AT = {"AddmmBackward": (1, 2), "MmBackward": (0, 1), "LinearBackward": (0, 1), "ConvolutionBackward": (0, 1)}
GRAPHS = 6


class Watch(Detector):
    saw = {
        "en": "there is no nonlinearity between {first} and {second} (such pairs of layers: {count}), and {what}",
        "zh": "{first} 和 {second} 之间没有任何非线性运算（这样的相邻层共 {count} 对），{what_zh}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.graphs = 0

    def on_graph(self, graph, loss):
        self.graphs += 1
        self.finished = self.graphs > GRAPHS
        if any(None in parents(node) for node in graph.named("AddBackward")):
            return  # a summand has no gradient, such as the output of a frozen network
        layers = {node: details for node in graph.nodes if (details := layer(node))}
        weights = {id(weight) for weight, *_ in layers.values()}
        others = [p for p in graph.leaves if isinstance(p, nn.Parameter) and p.dim() > 1 and id(p) not in weights]
        if len(weights) < 2 or others or len(self.run.optimizers) > 1:  # several optimizers: a generator and its critic
            return
        before = ancestors(given for _, given, *_ in layers.values())
        pooled = any(kind_of(node) in POOLS for node in before)
        if not all(node in layers or passes(node) or is_sum(node) or kind_of(node) in POOLS for node in before):
            return
        if any(is_product(node) and node not in layers for node in graph.nodes):
            return
        users: dict = {}
        for node in graph.nodes:
            for parent in parents(node):
                users.setdefault(parent, []).append(node)
        chain = [(lower, node) for node in layers if (lower := behind(layers[node][1])) in layers]
        again = {id(layers[upper][0]) for lower, upper in chain if layers[lower][0] is layers[upper][0]}
        pairs = [pair for pair in chain if is_pair(*(layers[node] for node in pair), again)]
        pairs = [pair for pair in pairs if feeds_layers(pair[0], users, layers)]
        count = len({id(layers[lower][0]) for lower, _ in pairs})
        ends = [[layers[node][3] for node in layers.keys() - {upper for _, upper in chain}]]
        ends += [[layers[node][4] for node in layers.keys() - {lower for lower, _ in chain}]]
        narrow = not pooled and any(layers[lower][4] < min(map(max, ends)) for lower, _ in chain)
        if count > pooled and (not narrow or count > 1):
            first, second = (layers[node][2] for node in pairs[0])
            what = "only max pooling is nonlinear" if pooled else "the whole model is one linear map"
            what_zh = "除了最大池化没有别的非线性" if pooled else "整个模型只是一个线性映射"
            self.find("proof", count=count, first=first, second=second, what=what, what_zh=what_zh)
            self.finished = True


def layer(node):
    """Return weight, input node, name, input and output size of a linear layer or convolution, or None."""
    kind, shape, given = kind_of(node), shape_of(node), parents(node)
    values, weight = AT.get(kind, (0, 0))
    weight = owner(given[weight]) if weight else None
    if weight is None or weight.dim() < 2 or not shape or isinstance(owner(given[values]), nn.Parameter):
        return None
    if saved(node, "_saved_groups") not in (None, 1) or saved(node, "_saved_transposed"):
        return None
    out = shape[-1] if kind in MATRIX else weight.shape[0]
    size = weight.numel() // max(out, 1) if kind in MATRIX else weight.shape[1]
    return weight, given[values], f"{'Linear' if kind in MATRIX else 'Conv'}({size}, {out})", size, out


def owner(node):
    """Return the leaf tensor that a node reshapes, or None."""
    return getattr(source(node), "variable", None)


def ancestors(nodes):
    """Return the nodes and everything that they were computed from, except for leaves."""
    waiting, seen = list(nodes), set()
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen and not hasattr(node, "variable"):
            seen.add(node)
            waiting += parents(node)
    return seen


def is_product(node):
    """Whether computed values are multiplied with each other (a gate) or go through linear algebra (a determinant)."""
    computed = [parent for parent in parents(node) if parent is not None and owner(parent) is None]
    return "Linalg" in kind_of(node) or (kind_of(node) in PRODUCTS and len(computed) > 1)


def is_sum(node):
    """Whether all summands have gradients: others, as in `x + (x.sign() - x).detach()`, may be activations."""
    return kind_of(node) in SUMS and None not in parents(node)


def passes(node):
    """Whether a node is at most a linear map without learned weights, or a normalization."""
    return name_of(node) in RESHAPING or kind_of(node) in PASSED or is_dropout(node)


def is_dropout(node):
    """Whether a node multiplies by a plain number, or by a mask of zeros and one number that compensates for them."""
    if kind_of(node) not in ("MulBackward", "DivBackward") or sum(parent is not None for parent in parents(node)) != 1:
        return False
    factor = saved(node, "_saved_other")
    if factor is None or not hasattr(factor, "dim") or factor.dim() == 0:
        return True
    most, kept = factor.max().item(), (factor != 0).double().mean().item()
    two_values = bool(((factor == 0) | (factor == most)).all())
    return kind_of(node) == "MulBackward" and two_values and most > 1 and abs(kept * most - 1) < 0.2


def behind(node):
    """Return the nearest node, itself included, that does more than pass values on or add a bias; or None."""
    while node is not None:
        given = [parent for parent in parents(node) if not hasattr(parent, "variable")]
        if not (passes(node) or (kind_of(node) == "AddBackward" and len(given) == 1)):
            break
        node = given[0] if given else None
    return node


def is_pair(lower, upper, again):
    (first, _, name, size, between), (second, _, following, taken, out) = lower, upper
    if name.startswith("Conv") and following.startswith("Linear"):  # a head on features that share their weights
        return False
    if first is second or again & {id(first), id(second)} or taken % between:  # along a different axis
        return False
    return between >= min(size, out)


def feeds_layers(node, users, layers):
    """Whether only layers use the output of a layer."""
    return all(
        user in layers or (behind(user) not in (user, None) and feeds_layers(user, users, layers))
        for user in users.get(node, ())
    )
