"""Proof: the graph of the loss extends through earlier losses that had their backward pass, further back each time.

Graph nodes are numbered in the order of their creation, so the numbers of the losses divide a graph into steps. The
detector counts the earlier steps in which the present graph uses the same parameter. At least 16 of them, and more than
at the previous check, mean a state that is not detached. It reports nothing for several losses on one graph, one
backward pass for a whole sequence, a state whose graph no backward pass reaches (see retained-graph-leak), a state that
extends through fewer losses (a network that refines its answer), backward passes with `create_graph=True`, and several
threads, whose numbers have no common order.
"""

from __future__ import annotations

import bisect
from collections import defaultdict

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import MOST_NODES, parents

FEWEST = 16  # minimum number of earlier losses
LONGEST = 4096  # maximum number of backward passes that are watched


class Watch(Detector):
    saw = {
        "en": "the graph of this loss reaches through {losses} earlier losses, whose backward passes are over ({nodes} nodes): the state that is carried on is not detached",
        "zh": "这个 loss 的计算图一直延伸到前面 {losses} 个已经反向传播过的 loss（{nodes} 个节点）：传给下一步的状态没有 detach",
    }

    def __init__(self, run):
        super().__init__(run)
        self.loss_numbers = []  # number of each loss's last node, in the order of the backward passes
        self.reached = 0  # number of earlier losses that the graph reached at the previous check

    def on_graph(self, graph, loss):
        if any(leaf.grad is not None and leaf.grad.requires_grad for leaf in graph.leaves):
            return  # create_graph=True: the program differentiates its steps on purpose
        users = defaultdict(set)  # id of a parameter -> the steps in which it was used
        for node in graph.nodes:
            step = bisect.bisect_left(self.loss_numbers, node._sequence_nr())
            for parent in parents(node):
                if parent is not None and hasattr(parent, "variable"):
                    users[id(parent.variable)].add(step)
                elif parent is not None and parent._sequence_nr() > node._sequence_nr():  # made by a different thread
                    self.finished = True
                    return
        reached = max((len(steps - {len(self.loss_numbers)}) for steps in users.values()), default=0)
        if reached >= FEWEST and (reached > self.reached or len(graph.nodes) == MOST_NODES):
            self.find("proof", losses=reached, nodes=len(graph.nodes))
            self.finished = True
        self.reached = reached

    def on_backward(self, loss, value):
        if loss.grad_fn is not None and not hasattr(loss.grad_fn, "variable"):
            number = loss.grad_fn._sequence_nr()
            if not self.loss_numbers or number > self.loss_numbers[-1]:
                self.loss_numbers.append(number)
        self.finished = self.finished or len(self.loss_numbers) > LONGEST
