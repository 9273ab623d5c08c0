"""Proof: the program keeps the graphs of earlier steps alive, more of them each time.

If nodes of earlier steps are alive at backward pass 4, 8, 16, 32 or 64, or at a later power of four, the detector
counts the nodes of all graphs that live tensors hold, without those of the loss itself. A training loop keeps few of
them. Three counts in a row that grow with the steps mean a history of tensors with their graphs, a sum of losses, or a
state that is not detached. It reports nothing if the graphs are released (after an episode), if they are part of the
present loss, or if gradients have their own graphs (`create_graph=True`).
"""

from __future__ import annotations

import gc
import operator
import weakref
from itertools import compress, repeat

import torch

from torch_errors.watching.detector import Detector, tensors
from torch_errors.watching.graph import parents

FIRST, OFTEN, GROWTH, FEWEST, MOST_NODES, MOST_MARKS = 4, 64, 1.4, 16, 50_000, 1024
MARK = "torch-errors"


class Mark:
    """A marker in the metadata of a node, alive as long as the node."""


class Watch(Detector):
    inside = ()
    saw = {
        "en": "the graphs of earlier steps are kept: live tensors hold {nodes} nodes after {steps} steps, {before} after {earlier}",
        "zh": "前面各步的计算图一直没有释放：{steps} 步之后，现存张量上挂着 {nodes} 个节点，{earlier} 步时是 {before} 个",
    }

    def __init__(self, run):
        super().__init__(run)
        self.counts: list[tuple[int, int]] = []  # (number of backward passes before, number of nodes)
        self.marks = {}  # number of backward passes before -> weak references to marks of nodes, for three steps

    def on_forward(self, module, inputs, output, depth):
        number = self.run.backwards
        if depth == 0 and (number < 2 * FIRST or number & (number - 1) == 0):
            self.mark([tensor.grad_fn for tensor in tensors(output) if tensor.grad_fn is not None])

    def mark(self, nodes):
        number = self.run.backwards
        marks = self.marks.setdefault(number, [])
        if len(marks) < MOST_MARKS:
            marks += [mark_of(node) for node in nodes]
        for step in list(self.marks)[:-3]:
            del self.marks[step]

    def on_graph(self, graph, loss):
        if any(leaf.grad is not None and leaf.grad.requires_grad for leaf in graph.leaves):
            self.finished = True  # create_graph=True: the program differentiates its steps on purpose
            return
        number = self.run.backwards
        kept = any(mark() is not None for step, marks in self.marks.items() if step < number - 1 for mark in marks)
        self.mark(first_nodes(graph))
        if number < FIRST or number & (number - 1) or (number > OFTEN and number.bit_length() % 2 == 0):
            return
        self.counts.append((number, _nodes_alive(set(graph.nodes)) if kept else 0))
        last = self.counts[-3:]
        rises = all(b > GROWTH * a and b - a >= FEWEST for (_, a), (_, b) in zip(last, last[1:], strict=False))
        if len(last) == 3 and rises:
            (earlier, before), (steps, nodes) = last[-2:]
            self.find("proof", nodes=nodes, before=before, steps=steps, earlier=earlier)


def first_nodes(graph):
    """The nodes computed from parameters alone: any result of the graph that is kept alive keeps one of them."""
    leaves = {node for node in graph.nodes if hasattr(node, "variable")}
    return [node for node in graph.nodes if node not in leaves and leaves.issuperset(filter(None, parents(node)))]


def mark_of(node):
    return weakref.ref(node.metadata.setdefault(MARK, Mark()))


def _nodes_alive(excluded):
    """The number of nodes in the graphs of all live tensors, each counted once, except the nodes in `excluded`."""
    seen = set(excluded)
    objects = gc.get_objects()
    waiting = [
        tensor.grad_fn for tensor in compress(objects, map(operator.is_, map(type, objects), repeat(torch.Tensor)))
    ]
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += parents(node)
    return len(seen) - len(excluded)
