"""Strong: in batch after batch, the activation at the end of the model keeps it from fitting the targets.

Regression: an MSE, L1, Huber or squared difference is computed directly from the output of a ReLU, softplus, sigmoid or
tanh, and a large part of the targets' variance is outside of its range; or a binary cross entropy is computed from the
output of a ReLU, and many targets are below 0.5. Classification: the scores that a cross entropy picks are outputs of a
ReLU, and many are exactly 0, so they get no gradient.

The detector does not report if the activation also feeds a layer (hidden features), if targets are only slightly out of
range (label noise, noisy images), if both sides of the difference are trained, or if an operation other than a reshape
follows the activation.
"""

from __future__ import annotations

from math import inf

import torch

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import kind_of, parents, saved, shape_of, source

RANGES = {
    "ReluBackward": ("ReLU", 0, inf),
    "SoftplusBackward": ("softplus", 0, inf),
    "SigmoidBackward": ("sigmoid", 0, 1),
    "TanhBackward": ("tanh", -1, 1),
}
LOSSES = ("MseLossBackward", "SmoothL1LossBackward", "HuberLossBackward")
BINARY = ("BinaryCrossEntropyBackward", "BinaryCrossEntropyWithLogitsBackward")
PICKS = ("NllLossBackward", "NllLoss2DBackward", "GatherBackward")
TO_LOGITS = ("LogBackward", "ClampBackward", "ClampMinBackward", "DivBackward")
ROWS = ("SelectBackward", "IndexBackward", "GatherBackward", "SliceBackward")
JOINS = ("CatBackward", "StackBackward")
GRAPHS, MOST_GRAPHS, MOST_LOSSES = 8, 24, 256


class Watch(Detector):
    saw = {
        "en": "the model ends in a {activation}: {share:.0%} of {what}",
        "zh": "模型以 {activation} 结尾：{what_zh}占 {share:.0%}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.graphs = 0
        self.seen = {}  # (is classification, kind of activation) -> number of graphs, sums over the targets

    def on_graph(self, graph, loss):
        self.graphs += 1
        self.finished = self.graphs > MOST_GRAPHS
        batches: dict = {}
        children: dict = {}
        passed: set = set()
        looked = 0
        for node in graph.nodes:
            kind = kind_of(node)
            if looked >= MOST_LOSSES:
                break
            if kind in (*LOSSES, *BINARY, "AbsBackward", "PowBackward"):
                activation, targets = regression(node, kind)
                sums = None if activation is None or targets is None else outside(activation, targets)
            elif kind in PICKS:
                activation, sums = scores(node, kind)
            else:
                continue
            looked += 1
            if sums is None:
                continue
            if not children:
                for child in graph.nodes:
                    for parent in parents(child):
                        children.setdefault(parent, []).append(child)
            if is_last(activation, children, passed):
                batches.setdefault((kind in PICKS, kind_of(activation)), []).append(sums)
        for key, parts in batches.items():
            old = self.seen.get(key, (0, 0))
            self.seen[key] = graphs, sums = old[0] + 1, old[1] + torch.stack(parts).sum(0)
            if graphs >= GRAPHS:
                self.judge(key[0], key[1], sums.tolist())

    def judge(self, classes, kind, sums):
        activation, low, high = RANGES[kind]
        count, beyond, distance, squares, total, total_squares = sums
        share, width = beyond / max(count, 1), high - low
        if classes:
            if count >= 32 and share >= 0.1:
                zeros = "正确（或所选）类别的得分恰好是 0、没有梯度的"
                what = "the scores of the true or chosen class are exactly 0, and get no gradient"
                self.find("strong", activation=activation, share=share, what=what, what_zh=zeros)
            return
        mean = total / count
        spread = total_squares / count - mean**2
        energy = squares / count / spread if spread > 0 else 0
        if width == inf:
            misfit = share >= 0.25 and energy >= 0.2 and mean <= 0.25 * spread**0.5
        else:
            misfit = share >= 0.15 and energy >= 0.1 and distance >= 0.2 * width * beyond
        if count >= 32 and misfit:
            where = "below 0" if width == inf else f"outside [{low}, {high}]"
            what_zh = f"{'小于 0' if width == inf else f'在 [{low}, {high}] 之外'}、输出取不到的目标值"
            what = f"the targets are {where}, which its output cannot reach"
            self.find("strong", activation=activation, share=share, what=what, what_zh=what_zh)


def ending(node):
    """Return the activation whose output a node only reshapes or selects from, or None.

    Of outputs that are joined, such as those of the steps of a forecaster, it is the first, if all have the same kind.
    """
    node = source(node)
    while node is not None and kind_of(node) in (*ROWS, *JOINS):
        steps = [source(parent) for parent in parents(node)]
        if None in steps or len({kind_of(step) for step in steps if kind_of(step) not in (*ROWS, *JOINS)}) > 1:
            return None
        node = steps[0]
    return node if node is not None and kind_of(node) in RANGES else None


def regression(node, kind):
    """Return the activation that a loss compares and the targets; None for what can't be determined."""
    if kind in LOSSES:
        sides = parents(node)
        if None not in sides[:2]:
            return None, None
        side = 0 if sides[0] is not None else 1
        return ending(sides[side]), saved(node, "_saved_target" if side == 0 else "_saved_self")
    if kind in BINARY:
        scores = source(parents(node)[0])
        if kind == BINARY[0]:  # computed from the sigmoid of the scores
            scores = source(parents(scores)[0]) if scores is not None and kind_of(scores) == "SigmoidBackward" else None
        targets = saved(node, "_saved_target")
        is_relu = scores is not None and kind_of(scores) == "ReluBackward" and targets is not None
        return (scores, 2 * targets - 1) if is_relu else (None, None)  # a target below 0.5 needs a score below 0
    difference, minus = saved(node, "_saved_self"), source(parents(node)[0])
    exponent = saved(node, "_saved_exponent")
    squared = kind == "AbsBackward" or (isinstance(exponent, (int, float)) and exponent == 2)
    if not squared or difference is None or minus is None or kind_of(minus) not in ("SubBackward", "RsubBackward"):
        return None, None
    first, second = (*parents(minus), None)[:2]
    if (first is None) == (second is None) or saved(minus, "_saved_alpha") not in (1, None):
        return None, None
    activation = ending(first if first is not None else second)
    output = None if activation is None else values(first if first is not None else second)
    if output is None or output.numel() != difference.numel() or kind_of(minus) == "RsubBackward":
        return None, None
    output = output.reshape(difference.shape)
    return activation, output - difference if first is not None else output + difference


def values(node):
    """Recompute the value of a node between an activation and the loss, or return None if that isn't simple."""
    kind = kind_of(node)
    given = saved(node, "_saved_result") if kind in RANGES else values(parents(node)[0])
    if given is None or kind in ("IndexBackward", "GatherBackward", "PermuteBackward"):
        return None
    numbers = [saved(node, f"_saved_{name}") for name in ("dim0", "dim1", "dim", "index", "start", "end", "step")]
    dim0, dim1, dim, index, start, end, step = (n - 2**64 if isinstance(n, int) and n >= 2**63 else n for n in numbers)
    if kind == "SelectBackward":
        return given.select(dim, index)
    if kind == "SliceBackward":
        return given.movedim(dim, 0)[start:end:step].movedim(0, dim)
    if kind in ("TransposeBackward", "TBackward"):
        return given.transpose(dim0 or 0, -1 if dim1 is None else dim1)
    return given.expand(shape_of(node)) if kind == "ExpandBackward" else given.reshape(shape_of(node))


def outside(activation, targets):
    """Return sums over targets: count, count out of range, distance from the range, its square, value, its square."""
    _, low, high = RANGES[kind_of(activation)]
    targets = targets.detach().reshape(-1)[:4096].double()
    distance = (targets - targets.clamp(low, high)).abs()
    far = distance > 1e-4
    numbers = (far.sum(), distance.sum(), distance.square().sum(), targets.sum(), targets.square().sum())
    return torch.stack([number.double() for number in (torch.full_like(targets, 1).sum(), *numbers)]).cpu()


def scores(node, kind):
    """Return the ReLU behind a cross entropy or log-probability and, as in `outside`, counts of scores and zeros."""
    at, soft = source(parents(node)[0]), ("LogSoftmaxBackward", "SoftmaxBackward")
    logs = False
    while at is not None and kind_of(at) in TO_LOGITS:
        logs = logs or kind_of(at) == "LogBackward"
        at = source(parents(at)[0])
    if at is None or kind_of(at) not in soft or not (logs or kind_of(at) == soft[0]):
        return None, None  # probabilities that are used as weights, such as a router's
    at = source(parents(at)[0])
    result = saved(at, "_saved_result") if at is not None and kind_of(at) == "ReluBackward" else None
    picks = saved(node, "_saved_index" if kind.startswith("Gather") else "_saved_target")
    if result is None or picks is None or result.dim() == 0:
        return None, None
    if kind.startswith("NllLoss2D") and result.dim() > 2:
        result = result.movedim(1, -1)
    result, picks = result.detach().reshape(-1, result.shape[-1]), picks.reshape(-1)
    if len(result) != len(picks):
        return None, None
    picks = picks[(valid := (picks >= 0) & (picks < result.shape[1]))]
    zero = result[valid].gather(1, picks[:, None]) == 0
    count = torch.tensor(float(len(picks)), dtype=torch.double)
    return at, torch.stack([count, zero.sum().double().cpu(), *[torch.zeros((), dtype=torch.double)] * 4])


def is_last(activation, children, passed):
    """Whether no trained layer follows the activation. `passed` caches nodes that no trained layer follows."""
    waiting, seen = [activation], set()
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in passed and child not in seen:
                if any(hasattr(source(parent), "variable") for parent in parents(child)):
                    return False
                seen.add(child)
                waiting.append(child)
    passed |= seen
    return True
