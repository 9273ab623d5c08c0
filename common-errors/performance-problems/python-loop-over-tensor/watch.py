"""Strong: a Python loop computes the same small operations for 64 or more rows of a tensor, in three backward passes.

Before a backward pass, the detector looks for tensors whose rows were taken one by one (`x[i]`, `for row in x`,
`unbind`), and for what was computed from each row: at least two operations, the same ones, that involve no other row.
It reports nothing if a row is combined with the result of the rows before it (recurrent cells, discounted returns), if
each row has its own weights, if rows are large enough to fill a call, for loops that only pick or stack rows, and for
values without a gradient.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from math import prod

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import RESHAPING, kind_of, name_of, saved, shape_of, source

ROWS, MOST_ROWS, LARGEST, GRAPHS, TENSORS = 64, 10_000, 16384, 3, 4
TAKING = {"SelectBackward", "SliceBackward", "UnbindBackward"}
PICKING = TAKING | {"IndexBackward", "SplitBackward", "UnsafeSplitBackward", "CopySlices"}
ADDING, COLLECTING = {"AddBackward", "SubBackward"}, {"CatBackward", "StackBackward"}
SEVERAL = "several"


class Watch(Detector):
    saw = {
        "en": "a Python loop computes {work} for each of {rows} rows of a tensor of shape {shape}, {nodes:,} operations in all, in each of {graphs} steps: compute them for all rows at once",
        "zh": "Python 循环逐行处理形状为 {shape} 的张量：{rows} 行各自计算 {work}，每步共 {nodes:,} 个算子，已有 {graphs} 步如此；应当对所有行一次算完",
    }

    def __init__(self, run):
        super().__init__(run)
        self.graphs = 0

    def on_graph(self, graph, loss):
        if len(graph.nodes) < 2 * ROWS:
            return
        seen = find_loop(graph)
        if seen:
            self.graphs += 1
            if self.graphs == GRAPHS:
                work, rows, shape = seen
                self.find("strong", work=work, rows=rows, shape=shape, nodes=len(graph.nodes), graphs=GRAPHS)
                self.finished = True


def find_loop(graph):
    """What is computed for each row, the number of rows, and the tensor's shape; None if there is no such loop."""
    taken = {node: row for node in graph.nodes if kind_of(node) in TAKING and (row := row_of(node))}
    rows = defaultdict(set)  # (tensor, axis) -> rows that were taken
    for node, (tensor, dim, size, at) in taken.items():
        rows[tensor, dim] |= set(range(size)) if at is None and size < MOST_ROWS else {at}
    tensors = sorted((tensor for tensor in rows if len(rows[tensor]) >= ROWS), key=lambda tensor: -len(rows[tensor]))
    apart = rows_apart(set(tensors), taken, graph.operations)
    loops = (work_on(tensor, taken, apart, graph.operations) for tensor in tensors[:TENSORS])
    return next(filter(None, loops), None)


def rows_apart(tensors, taken, operations):
    """Map each node to the row of these tensors that it was computed from, or to SEVERAL if there are more."""
    labels = {}
    for node in operations:
        row = taken.get(node)
        if row and row[:2] in tensors:
            if row[3] is not None:
                labels[node] = row[3]
            continue
        inputs = {
            output if taken.get(parent, ())[:2] in tensors and taken[parent][3] is None else labels.get(parent)
            for parent, output in node.next_functions
        } - {None}
        if inputs:
            labels[node] = inputs.pop() if len(inputs) == 1 else SEVERAL
    return labels


def work_on(tensor, taken, apart, operations):
    """What is computed for each row of a tensor, the number of rows, and its shape; None if rows are combined."""
    labels = {}  # node -> the row that it was computed from, or SEVERAL
    sums = set()  # nodes that only add up or collect results of rows
    work, weights, collected, combined = defaultdict(list), set(), 0, 0
    for node in operations:
        row = taken.get(node)
        if row and row[:2] == tensor:
            if row[3] is not None:
                labels[node] = row[3]
            continue
        kind = kind_of(node)
        before = [
            (output if taken.get(parent, ())[:2] == tensor and taken[parent][3] is None else labels.get(parent), parent)
            for parent, output in node.next_functions
        ]
        rows = {label for label, _ in before if label is not None}
        if len(rows) == 1 and SEVERAL not in rows:
            labels[node] = at = rows.pop()
            if kind not in PICKING and name_of(node) not in RESHAPING:
                work[at].append(kind.removesuffix("Backward"))
                for label, parent in before:  # the same row of a different tensor isn't a weight
                    if label is None and parent is not None and apart.get(parent, SEVERAL) == SEVERAL:
                        weights.add(source(parent))
        elif rows:
            labels[node] = SEVERAL
            several = [parent for label, parent in before if label == SEVERAL]
            if kind in COLLECTING or (kind in ADDING and sums.issuperset(several)):
                sums.add(node)
                collected += sum(label not in (None, SEVERAL) for label, _ in before)
            if rows != {SEVERAL} and (node not in sums or (kind in ADDING and not several)):
                combined += 1  # neighbors are combined, or a row with the results of others
    common, count = Counter(map(tuple, work.values())).most_common(1)[0] if work else ((), 0)
    if count < ROWS or len(common) < 2 or len(weights) > ROWS / 2 or 4 * combined > collected:
        return None
    shape = shape_of(tensor[0])
    return (", ".join(common[:6]), count, shape) if prod(shape) // shape[tensor[1]] <= LARGEST else None


def row_of(node):
    """For a node that takes rows: the tensor, the axis, its length, and the row that is taken (None: each in turn)."""
    tensor = node.next_functions[0][0]
    dim, shape = saved(node, "_saved_dim"), shape_of(tensor) if tensor is not None else None
    if not isinstance(dim, int) or not shape:
        return None
    dim = (dim - 2**64 if dim >= 2**63 else dim) % len(shape)
    if kind_of(node) == "UnbindBackward":
        return tensor, dim, shape[dim], None
    if kind_of(node) == "SliceBackward":
        single = shape_of(node)[dim] == 1 < shape[dim]
        return (tensor, dim, shape[dim], saved(node, "_saved_start")) if single else None
    return tensor, dim, shape[dim], saved(node, "_saved_index")
