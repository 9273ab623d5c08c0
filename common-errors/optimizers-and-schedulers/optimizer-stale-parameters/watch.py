"""Proof: the loss depends on parameters that are in no optimizer, and an optimizer holds others in their place.

The graph of a backward pass shows which parameters receive gradients. The detector reports one that is in no optimizer,
if an optimizer holds a parameter of a similar shape that no backward pass has reached and that belongs to no module any
more, or if no backward pass has reached any that it holds. It reports nothing for parameters that are left out on
purpose while a head is not used yet.

With several optimizers, as in a GAN, the detector also compares which parameters the backward passes before each step
reach. It reports an optimizer of which eight steps, all so far, came after passes that reach none of its parameters but
those of another one, which steps after passes through both: the two were mixed up. Or two optimizers have the same
parameters and step in turn, and those that the passes before the steps of one of them reach besides, or instead, are in
no optimizer and keep their values. It does not report gradients that the program has set itself (master weights, MAML),
optimizers that call a closure, or an optimizer that steps beside the right one (a part is frozen for a while).
"""

from __future__ import annotations

import gc
import weakref

import torch

from torch_errors.watching.detector import Detector, is_real, program_line
from torch_errors.watching.graph import Graph

READ = 3  # the first step that is checked
FEWEST, MOST_PASSES = 8, 256  # steps of an optimizer that must agree, and backward passes that are read
REPLACED = (
    "{0} parameters that the loss depends on are in no optimizer, and {1} that the optimizer has never receive a gradient, "
    "such as one of shape {2}: the model's parameters were replaced after the optimizer was made"
)
REPLACED_ZH = "loss 依赖的参数中有 {0} 个不在任何优化器里，而优化器里有 {1} 个参数从未得到梯度，例如形状为 {2} 的那个：优化器创建之后，模型的参数被换掉了"
MIXED_UP = (
    "before each of its {0} steps, backward() reaches none of its {1} parameters, only those of a different optimizer: it "
    "was given the wrong network"
)
MIXED_UP_ZH = "它走了 {0} 步，每步之前的 backward() 都到不了它的 {1} 个参数，只到达另一个优化器的参数：创建时传错了网络"
TWICE = (
    "two optimizers have the same {1} parameters, and {0} others that the loss depends on are in none and have not changed: "
    "one of the two was given the wrong network"
)
TWICE_ZH = "两个优化器拿着同样的 {1} 个参数，loss 依赖的另外 {0} 个参数却不在任何优化器里，也没有变过：其中一个创建时传错了网络"


class Watch(Detector):
    saw = {
        "en": "the optimizer does not have the parameters that it should train: {what}",
        "zh": "优化器里不是它该训练的参数：{what_zh}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.reached: set[int] = set()  # ids of parameters
        # id -> shape of the parameters in the last graph, until a step checks them
        self.graph: dict[int, tuple[int, ...]] = {}
        self.steps = 0
        self.passes = 0  # number of backward passes that were read while there were several optimizers
        self.group = {}  # id -> weak reference to a parameter that the passes since the last steps reach
        self.steppers = weakref.WeakSet()  # optimizers that have made a step since these passes
        # optimizer -> for each of its groups: whether no optimizer that stepped has any of its parameters, and their ids
        self.turns = weakref.WeakKeyDictionary()
        self.left = weakref.WeakKeyDictionary()  # optimizer -> places of gradients after the last pass
        self.lines = weakref.WeakKeyDictionary()  # optimizer -> line of its last step
        self.values = {}  # id of a parameter that no optimizer has -> its first values
        self.stepping = False

    def on_backward(self, loss, value):
        if self.stepping:  # a closure
            self.passes = MOST_PASSES
        if len(self.run.optimizers) < 2 or self.passes >= MOST_PASSES:
            self.group = {}
            return
        self.passes += 1
        if self.steppers:
            self.close_group()
        leaves = [leaf for leaf in Graph(loss).leaves if isinstance(leaf, torch.nn.Parameter) and is_real(leaf)]
        self.group |= {id(leaf): weakref.ref(leaf) for leaf in leaves}

    def on_backward_done(self, loss):
        for optimizer in list(self.run.optimizers) if self.group else ():
            self.left[optimizer] = places_of_gradients(optimizer)

    def close_group(self):
        """Judge the optimizers that have stepped after a group of passes."""
        steppers, self.steppers = list(self.steppers), weakref.WeakSet()
        reached, self.group = {id_: p for id_, ref in self.group.items() if (p := ref()) is not None}, {}
        astray = set().union(*map(ids_of, steppers)).isdisjoint(reached)
        optimized = self.run.optimized()
        for id_ in reached.keys() - optimized:
            self.values.setdefault(id_, first_values(reached[id_]))
        for optimizer in steppers:
            self.turns.setdefault(optimizer, []).append((astray, frozenset(reached)))
            self.judge(optimizer, reached, optimized)

    def judge(self, optimizer, reached, optimized):
        turns, own = self.turns[optimizer], ids_of(optimizer)
        others = [other for other in self.turns if other is not optimizer and len(self.turns[other]) >= FEWEST // 2]
        for other in others if own and len(turns) >= FEWEST else ():
            theirs, of_others = ids_of(other), [ids for _, ids in self.turns[other]]
            if theirs == own:
                outside = reached.keys() - optimized
                always = bool(outside) and all(ids.issuperset(outside) for _, ids in turns)
                besides = not any(astray for astray, _ in turns) and all(ids.isdisjoint(outside) for ids in of_others)
                instead = all(astray for astray, _ in turns) and len(outside) == len(reached)
                unchanged = all(first_values(reached[id_]) == self.values[id_] for id_ in outside)
                if always and (besides or instead) and unchanged:
                    self.report(TWICE, TWICE_ZH, len(outside), len(own), at=self.lines[optimizer])
            elif own.isdisjoint(theirs) and all(astray and ids <= theirs for astray, ids in turns):
                if not any(ids.isdisjoint(own) or ids.isdisjoint(theirs) for ids in of_others):
                    self.report(MIXED_UP, MIXED_UP_ZH, len(turns), len(own), at=self.lines[optimizer])

    def report(self, what, what_zh, *values, at=None):
        self.find("proof", at=at, what=what.format(*values), what_zh=what_zh.format(*values))

    def on_graph(self, graph, loss):
        self.graph = {id(leaf): tuple(leaf.shape) for leaf in graph.leaves if isinstance(leaf, torch.nn.Parameter)}
        self.reached |= self.graph.keys()

    def on_stepped(self, optimizer):
        self.stepping = False

    def on_step(self, optimizer):
        self.steps += 1
        self.stepping = True
        if self.group:
            self.steppers.add(optimizer)
            self.lines[optimizer] = program_line()
            if places_of_gradients(optimizer) - self.left.get(optimizer, set()):  # the program has set them itself
                self.passes = MOST_PASSES
        if self.steps < READ or self.steps > 64 or not self.graph:
            return
        orphans = [shape for number, shape in self.graph.items() if number not in self.run.optimized()]
        self.graph = {}
        for trainable in (True, False):  # not trainable: a head that was frozen, then replaced
            held = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad == trainable]
            stale = [p for p in held if id(p) not in self.reached and p.grad is None]
            replaced = [p for p in stale if any(_similar(tuple(p.shape), shape) for shape in orphans)]
            if replaced and ((trainable and len(stale) == len(held)) or not _belong_to_modules(replaced)):
                self.report(REPLACED, REPLACED_ZH, len(orphans), len(stale), tuple(replaced[0].shape))


def _similar(old, new):
    """Whether two shapes have the same rank and a size in common: a new head has other classes but the same inputs."""
    return len(old) == len(new) > 1 and any(a == b for a, b in zip(old, new, strict=True))


def _belong_to_modules(parameters):
    ids = {id(p) for p in parameters}
    modules = (thing for thing in gc.get_objects() if issubclass(type(thing), torch.nn.Module))
    return any(id(p) in ids for module in modules for p in module._parameters.values())


def ids_of(optimizer):
    return {id(p) for group in optimizer.param_groups for p in group["params"]}


def first_values(tensor):
    return tensor.detach().flatten()[:8].tolist()


def places_of_gradients(optimizer):
    """Where some of the gradients of an optimizer that are not zero lie in memory. Clipping leaves them there."""
    trained = [p for group in optimizer.param_groups for p in group["params"] if is_real(p) and p.grad is not None]
    gradients = [p.grad for p in (*trained[:2], *trained[-2:]) if p.grad.layout == torch.strided]
    return {gradient.data_ptr() for gradient in gradients if gradient.any()}
