"""Proof: the graph of the loss goes on behind earlier losses that had their backward pass, ever further back.

Nodes are numbered in the order in which they were made. It counts the backward passes whose loss was already computed when nodes of the
present graph were made, and that used the same parameters. At least sixteen, more than at the look before, mean a state that is not
detached. It is silent about several losses on one graph, about one backward pass for a whole sequence, about a state whose graph a
backward pass never meets (retained-graph-leak sees that), about a state that goes on through fewer losses, as where a network refines
its answer, about backward passes with `create_graph=True`, and about several threads, whose numbers tell no order.
"""

from __future__ import annotations

import bisect
from collections import defaultdict

from torch_errors.watching.detector import Detector
from torch_errors.watching.graph import MOST_NODES, parents

FEWEST = 16  # earlier losses
LONGEST = 4096  # backward passes that are looked at


class Watch(Detector):
    saw = {
        "en": "the graph of this loss reaches through {losses} earlier losses, whose backward passes are over ({nodes} nodes): the state that is carried on is not detached",
        "zh": "这个 loss 的计算图一直延伸到前面 {losses} 个已经反向传播过的 loss（{nodes} 个节点）：传给下一步的状态没有 detach",
    }

    def __init__(self, run):
        super().__init__(run)
        self.made = []  # number of the last node of each loss, in the order of their backward passes
        self.reached = 0  # earlier losses, when the graph was last looked at

    def on_graph(self, graph, loss):
        if any(leaf.grad is not None and leaf.grad.requires_grad for leaf in graph.leaves):
            return  # create_graph=True: the steps are differentiated on purpose
        users = defaultdict(set)  # parameter -> between which losses it was used
        for node in graph.nodes:
            part = bisect.bisect_left(self.made, node._sequence_nr())
            for parent in parents(node):
                if parent is not None and hasattr(parent, "variable"):
                    users[id(parent.variable)].add(part)
                elif parent is not None and parent._sequence_nr() > node._sequence_nr():  # of another thread
                    self.finished = True
                    return
        reached = max((len(parts - {len(self.made)}) for parts in users.values()), default=0)
        if reached >= FEWEST and (reached > self.reached or len(graph.nodes) == MOST_NODES):
            self.find("proof", losses=reached, nodes=len(graph.nodes))
            self.finished = True
        self.reached = reached

    def on_backward(self, loss, value):
        if loss.grad_fn is not None and not hasattr(loss.grad_fn, "variable"):
            number = loss.grad_fn._sequence_nr()
            if not self.made or number > self.made[-1]:
                self.made.append(number)
        self.finished = self.finished or len(self.made) > LONGEST
