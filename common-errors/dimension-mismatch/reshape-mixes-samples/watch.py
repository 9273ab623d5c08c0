"""Proof: `view` or `reshape` gives a tensor the sizes of its dimensions in another order, as `permute` does.

Of the graph of a loss, and of what layers are given, it compares the shape with the one before: (50, 15, 3) that becomes
(15, 50, 3), and (50, 4, 15, 8) that becomes (50, 15, 32), as if time and samples, or heads, were exchanged. The values stay
in their old order. It is silent where the new sizes also cut the old dimensions evenly, such as 32 sequences of 64 steps
that become 64 of 32, unless channels-last images become a convolution's channels, attention's heads are merged, or a batch
of another size is reordered alike; about padded tensors, which are shifted that way; about what happens in a dataset, and
about copies, such as `.to(device)` after it. One continuous series that is cut into windows shows the same shapes where the first
two dimensions are exchanged: there it speaks only if a layer takes the samples for the second dimension, or a batch of another size
is reordered alike, or computed values of several layers or steps become one row.
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


class Watch(Detector):
    inside = (torch.nn.RNNBase, torch.nn.MultiheadAttention, torch.nn.modules.conv._ConvNd, torch.nn.Linear)
    saw = {
        "en": "a tensor of shape {before} is viewed as {after}: its values stay in their order, so that samples, time steps or channels are mixed; `{moved}` exchanges dimensions",
        "zh": "形状为 {before} 的张量被 view/reshape 成 {after}：数值的排列顺序没有变，样本、时间步或通道混在了一起；交换维度要用 `{moved}`",
    }

    def __init__(self, run):
        super().__init__(run)
        self.seen = {}  # order of the dimensions -> shapes that were given it, whose dimensions might be cut evenly

    def on_step(self, optimizer):
        self.finished = self.run.steps > LAST_STEP

    def on_forward(self, module, inputs, output, depth):
        given = inputs[0] if inputs else None
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

    def judge(self, before, after, certain, moved=False, series=False):
        """Report shapes that are those of a permutation, some of its dimensions perhaps merged.

        `series`: the first two dimensions may be those of one series, and then of its windows.
        """
        for order in orders(before, after):
            known = self.seen.setdefault((order, len(after)), set())
            resized = any(follows(before, other, order, after) for other in known)
            known.add(before)
            windows = series and order == (1, 0, *range(2, len(before)))
            if certain or (resized and not moved) or not (windows or is_nested(before, after)):
                self.find("proof", before=before, after=after, moved=f"permute{order}")
                self.finished = True


def orders(before, after):
    """The orders of the dimensions that give `after`, neighbours perhaps merged; none where merging alone does."""
    if len(before) > 5 or prod(before) != prod(after) or is_merged(before, after):
        return []
    every = itertools.permutations(range(len(before)))
    return [order for order in every if is_merged([before[dim] for dim in order], after)]


def follows(before, other, order, after):
    """Whether two shapes differ in one dimension, which `order` moves from or to the first place, unmerged."""
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
    """Whether a tensor was padded, perhaps cut since, as for the relative shift of attention, which views (10, 15) as (15, 10)."""
    while node is not None and kind_of(node) in {"CloneBackward", "SliceBackward", *VIEWS}:
        node = parents(node)[0]
    kind = kind_of(node) if node is not None else None
    return kind == "ConstantPadNdBackward" or (kind == "CatBackward" and None in parents(node))


def is_moved(node):
    """Whether a node has just exchanged dimensions, as those of `nn.MultiheadAttention` do."""
    while node is not None and kind_of(node) in {"CloneBackward", *VIEWS}:
        node = parents(node)[0]
    return node is not None and kind_of(node) in {"TransposeBackward", "PermuteBackward", "TBackward"}


def is_attention(node):
    """Whether a node is attention, its heads apart: of torch, or a product with weights from a softmax."""
    if kind_of(node) == "BmmBackward":
        weights = source(parents(node)[0])
        return weights is not None and kind_of(weights) in WEIGHTS
    return kind_of(node).startswith("ScaledDotProduct")


def is_merged(sizes, after):
    """Whether neighbouring sizes multiply to `after`, one after the other; sizes of 1 do not count."""
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
