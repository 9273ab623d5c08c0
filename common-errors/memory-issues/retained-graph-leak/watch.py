"""Proof: the program keeps graphs of earlier steps, ever more of them.

At backward passes 4, 8, 16 and each further power of two it counts the nodes of all graphs that live tensors hold, without
those of the loss itself. A loop keeps few of them; nodes that double with the steps, three times in a row, are a history of
tensors with their graphs, a sum of losses, or a state that is not detached. It is silent where they are let go, as after an
episode, and where they are part of the present loss.
"""

from __future__ import annotations

import gc

import torch

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import parents

FIRST, GROWTH, FEWEST, MOST_NODES = 4, 1.4, 16, 50_000


class Watch(Detector):
    saw = {
        "en": "the graphs of earlier steps are kept: {nodes} nodes hang on live tensors, after half as many steps {before}",
        "zh": "前面各步的计算图一直没有释放：现存张量上挂着 {nodes} 个节点，而步数只有一半时是 {before} 个",
    }

    def __init__(self, run):
        super().__init__(run)
        self.counts: list[int] = []

    def on_graph(self, graph, loss):
        number = self.run.backwards
        if number < FIRST or number & (number - 1):
            return
        self.counts.append(_nodes_alive(set(graph.nodes)))
        last = self.counts[-3:]
        rises = all(b > GROWTH * a and b - a >= FEWEST for a, b in zip(last, last[1:], strict=False))
        if len(last) == 3 and rises:
            self.find("proof", nodes=last[-1], before=last[-2])


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
