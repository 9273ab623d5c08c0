"""Proof: the program keeps graphs of earlier steps, ever more of them.

At backward passes 4, 8, 16, 32 and 64, and then at each further power of four, it counts the nodes of all graphs that live tensors hold, without
those of the loss itself. A loop keeps few of them; nodes that grow with the steps, three times in a row, are a history of
tensors with their graphs, a sum of losses, or a state that is not detached. It is silent where they are let go, as after an
episode, where they are part of the present loss, and where gradients have graphs of their own (`create_graph=True`).
"""

from __future__ import annotations

import gc

import torch

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import parents

FIRST, OFTEN, GROWTH, FEWEST, MOST_NODES = 4, 64, 1.4, 16, 50_000


class Watch(Detector):
    saw = {
        "en": "the graphs of earlier steps are kept: after {steps} steps {nodes} nodes hang on live tensors, after {earlier} {before}",
        "zh": "前面各步的计算图一直没有释放：{steps} 步之后，现存张量上挂着 {nodes} 个节点，{earlier} 步时是 {before} 个",
    }

    def __init__(self, run):
        super().__init__(run)
        self.counts: list[tuple[int, int]] = []  # backward passes before, nodes

    def on_graph(self, graph, loss):
        if any(leaf.grad is not None and leaf.grad.requires_grad for leaf in graph.leaves):
            self.finished = True  # steps that are differentiated themselves
            return
        number = self.run.backwards
        if number < FIRST or number & (number - 1) or (number > OFTEN and number.bit_length() % 2 == 0):
            return
        self.counts.append((number, _nodes_alive(set(graph.nodes))))
        last = self.counts[-3:]
        rises = all(b > GROWTH * a and b - a >= FEWEST for (_, a), (_, b) in zip(last, last[1:], strict=False))
        if len(last) == 3 and rises:
            (earlier, before), (steps, nodes) = last[-2:]
            self.find("proof", nodes=nodes, before=before, steps=steps, earlier=earlier)


def _nodes_alive(without):
    """Nodes of the graphs of all tensors that Python knows, each once, but those in `without`."""
    seen = set(without)
    waiting = [thing.grad_fn for thing in gc.get_objects() if type(thing) is torch.Tensor]
    while waiting and len(seen) < MOST_NODES:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            waiting += parents(node)
    return len(seen) - len(without)
