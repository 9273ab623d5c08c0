"""Strong: in three batches in a row, nearly all units of a ReLU layer are 0 for each sample, and the loss is stuck.

The detector reads the graphs of the first losses, then of every power of two. It checks layers with 32 units or more
whose output feeds a further layer with weights, in batches of 16 rows or more. In three graphs, of which the last comes
at least 16 backward passes after the first, the same 97% of the units are 0 for every row, and the loss has fallen by
less than 5%. It does not report a ReLU in a loss, such as a hinge, or sparse codes, in which different units are 0 in
each batch.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector, is_real
from torch_errors.watching.graph import kind_of, parents, saved

UNITS, ROWS, DEAD, LOOKS, APART, FLAT = 32, 16, 0.97, 3, 16, 0.95
MOST_LAYERS, LAST = 64, 5000
WEIGHTS = ("AddmmBackward", "MmBackward", "LinearBackward", "ConvolutionBackward", "BmmBackward")


class Watch(Detector):
    needs = "course"
    saw = {
        "en": "{dead} of {units} units of ReLU layer {layer} have been 0 for every sample for at least {since} backward passes: they get no gradient, and the loss stays at {loss:.3g}",
        "zh": "第 {layer} 个 ReLU 层的 {units} 个单元里有 {dead} 个对所有样本都输出 0，至少已有 {since} 次反向传播：它们没有梯度，loss 停在 {loss:.3g}",
    }

    def __init__(self, run):
        super().__init__(run)
        # (number of a layer counted from the loss, its units) -> per graph: backward passes, loss, units that are 0
        self.looks = {}

    def on_graph(self, graph, loss):
        self.finished = self.run.backwards > LAST
        if loss.numel() != 1 or not is_real(loss) or self.run.backwards < 2:
            return
        value, before, dead = float(loss), self.looks, {}
        for number, result in enumerate(hidden(graph)):
            if number == MOST_LAYERS:
                break
            if result is not None and (zero := zero_units(result)) is not None:
                dead[number, zero[1]] = zero[0]
        self.looks = {}
        for key, units in dead.items():
            looks = self.looks[key] = [*before.get(key, []), (self.run.backwards, value, units)]
            same = set.intersection(*(look[2] for look in looks[-LOOKS:]))
            first = looks[-LOOKS] if len(looks) >= LOOKS else None
            if (
                first
                and looks[-1][0] - first[0] >= APART
                and len(same) >= DEAD * key[1]
                and value >= FLAT * first[1] > 0
            ):
                since = looks[-1][0] - looks[0][0]
                layers = sum(1 for _ in hidden(graph))
                self.find("strong", dead=len(same), units=key[1], layer=layers - key[0], since=since, loss=value)
                self.finished = True
                return


def hidden(graph):
    """Yield the outputs of ReLUs that feed a layer with weights, starting at the loss; None for unreadable ones."""
    behind = set()  # nodes whose path to the loss contains a layer with weights
    for node in reversed(graph.operations):
        if node in behind and kind_of(node) == "ReluBackward":
            result = saved(node, "_saved_result")
            yield result if result is not None and is_real(result) else None
        if node in behind or kind_of(node) in WEIGHTS:
            behind.update(parent for parent in parents(node) if parent is not None)


def zero_units(result):
    """Return the units that are 0 in all rows and the number of units, or None if not nearly all units are 0."""
    dim = 1 if result.dim() == 4 else -1
    if result.dim() < 2 or result.shape[dim] < UNITS or result.numel() < ROWS * result.shape[dim]:
        return None
    zero = (result.detach().movedim(dim, -1).flatten(0, -2) == 0).all(0)
    units = zero.nonzero().flatten().tolist() if float(zero.float().mean()) >= DEAD else None
    return None if units is None else (set(units), len(zero))
