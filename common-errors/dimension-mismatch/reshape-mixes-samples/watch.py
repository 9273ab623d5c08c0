"""Proof: `view` or `reshape` gives a tensor the sizes of its dimensions in a different order, as `permute` would.

In the graph of a loss, and in the inputs of layers, the detector compares the shape with the one before: (50, 15, 3)
that becomes (15, 50, 3), and (50, 4, 15, 8) that becomes (50, 15, 32), as if time and samples, or heads, were swapped.
The values stay in their old order. It does not report if the new sizes also cut the old dimensions evenly, such as 32
sequences of 64 steps that become 64 of 32, unless channels-last images become a convolution's channels, attention's
heads are merged, or a batch of a different size is reordered alike. It also ignores padded tensors, which are shifted
that way, reshapes in a dataset, and copies after the reshape, such as `.to(device)`. One continuous series that is cut
into windows shows the same shapes if the first two dimensions are swapped: then it reports only if a layer takes the
samples for the second dimension, if a batch of a different size is reordered alike, or if computed values of several
layers or steps become one row.

Two more are certain: (8, 12, 32) that attention reads as (8, 4, 12, 8), as if the heads had been cut and moved; and one
text that was viewed as (time, samples), so that each sample gets every n-th word. For the latter, a recurrent layer
takes time first, and pairs of neighbors vary clearly less across the samples than along time.
"""

from __future__ import annotations

import itertools
from math import prod

import torch

from torch_errors.watching.detector import Detector, is_real
from torch_errors.watching.graph import kind_of, parents, shape_of, source

VIEWS = {"ViewBackward", "UnsafeViewBackward", "ReshapeAliasBackward"}
WEIGHTS = {"SoftmaxBackward", "NativeDropoutBackward"}
LAST_STEP = 256
LONGEST_TEXT, CLEARLY = 16_384, 0.8  # words that are compared; share of the pairs


class Watch(Detector):
    inside = (
        torch.nn.RNNBase,
        torch.nn.MultiheadAttention,
        torch.nn.modules.conv._ConvNd,
        torch.nn.Linear,
        torch.nn.Embedding,
    )
    saw = {
        "en": "a tensor of shape {before} is viewed as {after}: its values keep their order, so samples, time steps or channels are mixed; `{moved}` swaps dimensions",
        "zh": "形状为 {before} 的张量被 view/reshape 成 {after}：数值的排列顺序没有变，样本、时间步或通道混在了一起；交换维度要用 `{moved}`",
    }

    def __init__(self, run):
        super().__init__(run)
        self.text = None  # shape (time, samples) of the ids of this outermost call, if they view one text
        self.seen = {}  # (order of the dimensions, number of new dimensions) -> shapes that were given this order

    def on_step(self, optimizer):
        self.finished = self.run.steps > LAST_STEP

    def on_forward(self, module, inputs, output, depth):
        given = inputs[0] if inputs else None
        if isinstance(module, torch.nn.Embedding):
            self.text = tuple(given.shape) if isinstance(given, torch.Tensor) and is_cut_text(given) else None
        elif isinstance(module, torch.nn.RNNBase) and self.text and not module.batch_first:
            if isinstance(given, torch.Tensor) and given.shape[:2] == self.text:
                after, text = tuple(self.text), f"view({self.text[1]}, -1).t"
                self.find("proof", before="(words,)", after=f"(-1, {after[1]})", moved=text + "()")
        if depth == 0:
            self.text = None
        base = given._base if isinstance(given, torch.Tensor) and is_real(given) else None
        if base is None or base.numel() != given.numel() or not (base.is_contiguous() and given.is_contiguous()):
            return
        before, after = tuple(base.shape), tuple(given.shape)
        if before != after and sorted(before) == sorted(after):
            image = isinstance(module, torch.nn.modules.conv._ConvNd) and before[-1] == after[1] == module.in_channels
            image = image and len(before) == module.weight.dim() and before[-1] not in before[1:-1]
            time_first = getattr(module, "batch_first", None) is False and len(after) == 3
            self.judge(before, after, image, series=not time_first)

    def on_graph(self, graph, loss):
        for node in graph.named(*VIEWS):
            [given, *_] = parents(node) or [None]
            before, after = shape_of(given) if given is not None else None, shape_of(node)
            if before and after and 1 < len(after) <= len(before) and before != after and not is_padded(given):
                self.judge(
                    before,
                    after,
                    len(before) == 4 and is_attention(source(given)),
                    is_moved(given),
                    series=len(before) == len(after),
                )

        for node in graph.nodes:
            if kind_of(node) == "BmmBackward" or kind_of(node).startswith("ScaledDotProduct"):
                for given in parents(node)[:2]:
                    self.judge_heads(given)

    def judge_heads(self, node):
        """Report heads that a view has cut from (samples, time, features) as (samples, heads, time, features)."""
        while node is not None and kind_of(node) in {"ExpandBackward", "TransposeBackward", "MulBackward", *VIEWS}:
            [given, *_] = parents(node) or [None]
            before, after = shape_of(given) if given is not None else None, shape_of(node)
            if kind_of(node) in VIEWS and before and len(before) == 3 and len(after) == 4 and after[0] == before[0]:
                samples, time, features = before
                heads = after[1]
                if after[2] == time != heads > 1 and time > 1 and heads * after[3] == features:
                    moved = f"view({samples}, {time}, {heads}, {after[3]}).transpose(1, 2)"
                    self.find("proof", before=before, after=after, moved=moved)
                    self.finished = True
                return
            node = given

    def judge(self, before, after, certain, moved=False, series=False):
        """Report a reshape to the shape of a permutation, possibly with merged dimensions.

        `series`: whether the first two dimensions may be one series before, and its windows after the reshape.
        """
        for order in orders(before, after):
            shapes = self.seen.setdefault((order, len(after)), set())
            resized = any(follows(before, other, order, after) for other in shapes)
            shapes.add(before)
            windows = series and order == (1, 0, *range(2, len(before)))
            if certain or (resized and not moved) or not (windows or is_nested(before, after)):
                self.find("proof", before=before, after=after, moved=f"permute{order}")
                self.finished = True


def is_cut_text(ids):
    """Whether ids (time, samples) are rows of one long text that was viewed as (-1, samples)."""
    base = ids._base
    if base is None or not is_real(base) or ids.is_floating_point() or ids.dim() != 2 or min(ids.shape) < 2:
        return False
    if base.dim() != 1 or not base.is_contiguous() or ids.stride() != (ids.shape[1], 1) or len(base) < 4 * ids.numel():
        return False
    text = base[:LONGEST_TEXT]
    across, along = (len(torch.stack([text[:-step], text[step:]]).unique(dim=1).T) for step in (1, ids.shape[1]))
    return across < CLEARLY * along


def orders(before, after):
    """Return the orders of dimensions that give `after`, possibly merging neighbors; none if merging alone does."""
    if len(before) > 5 or prod(before) != prod(after) or is_merged(before, after):
        return []
    every = itertools.permutations(range(len(before)))
    return [order for order in every if is_merged([before[dim] for dim in order], after)]


def follows(before, other, order, after):
    """Whether two shapes differ in a single dimension, which `order` moves from or to the first place, unmerged."""
    [changed, *more] = [dim for dim, (size, was) in enumerate(zip(before, other, strict=True)) if size != was] or [None]
    place = order.index(changed) if changed is not None else None
    return (
        changed != place
        and 0 in (changed, place)
        and not more
        and place < len(after)
        and after[place] == before[changed]
    )


def is_padded(node):
    """Whether a tensor was padded and perhaps cut, as for relative attention, which views (10, 15) as (15, 10)."""
    while node is not None and kind_of(node) in {"CloneBackward", "SliceBackward", *VIEWS}:
        node = parents(node)[0]
    kind = kind_of(node) if node is not None else None
    return kind == "ConstantPadNdBackward" or (kind == "CatBackward" and None in parents(node))


def is_moved(node):
    """Whether a node has just swapped dimensions, as in `nn.MultiheadAttention`."""
    while node is not None and kind_of(node) in {"CloneBackward", *VIEWS}:
        node = parents(node)[0]
    return node is not None and kind_of(node) in {"TransposeBackward", "PermuteBackward", "TBackward"}


def is_attention(node):
    """Whether a node is attention with separate heads: torch's own, or a product with weights from a softmax."""
    if kind_of(node) == "BmmBackward":
        weights = source(parents(node)[0])
        return weights is not None and kind_of(weights) in WEIGHTS
    return kind_of(node).startswith("ScaledDotProduct")


def is_merged(sizes, after):
    """Whether consecutive sizes multiply to the sizes in `after`; sizes of 1 do not count."""
    left, product = [size for size in after if size > 1], 1
    for size in sizes:
        product *= size
        if left and product == left[0]:
            left, product = left[1:], 1
    return not left and product == 1


def is_nested(before, after):
    """Whether the new dimensions cut the old ones evenly: the numbers of values in their rows divide each other."""
    rows = sorted({prod(sizes[dim:]) for sizes in (before, after) for dim in range(len(sizes))})
    return all(more % fewer == 0 for fewer, more in itertools.pairwise(rows))
