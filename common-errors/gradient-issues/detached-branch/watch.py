"""Proof: parameters of an optimizer never get a gradient because the program detaches, or samples, what they compute.

At each `detach()`, the graph shows which parameters are behind the cut; a module in training mode whose parameters are
trained and whose output has no gradient ran under `torch.no_grad()`. In each step, the detector records which
parameters of the optimizer have a gradient. It reports at the end of the run if some have had one, and the parameters
behind a cut have had none and kept their values. It does not report if they get a gradient in any other way or later (a
GAN, a straight-through estimator, a part that is frozen at first), if the program changes them itself (a teacher that
follows), if they were loaded before the first step, in evaluation mode, with `requires_grad=False`, without a cut (an
unused head), if `torch.autograd.grad` is called, or if gradients are cleared before the step. It can't detect `.data`.

The gradient of a sample of `torch.normal` is zero. The detector reports if only layers read the sample, while the same
loss also uses its mean or standard deviation, as in a VAE. So it does not report if a probability of the sample is
computed, which compares it with the mean (policy gradients), a critic of sampled actions, a mean with a target of its
own (rollouts of a forecaster), or noise.

It also reports optimizers that never find a gradient: in four steps because `backward()` is called on a new tensor that
was computed from nothing, as in `torch.tensor(loss.item(), requires_grad=True)`; in 16 because it is never called, or
because the graphs of losses contain no parameter, of an optimizer or not, as after `output.detach().requires_grad_()`.
"""

from __future__ import annotations

import torch

from torch_errors.watching.detector import Detector, program_line, tensors
from torch_errors.watching.graph import MATRIX, MOST_NODES, RESHAPING, Graph, kind_of, name_of, parents, source

# Minimum steps of an optimizer; steps between two checks of a parameter's values.
FEWEST, APART = 4, 16
# Maximum number of graphs to read per line, since reading a graph takes time.
MOST_CUTS = 4
CLEARED = "zero-grad-before-step"
SAMPLES = ("NormalBackward1", "NormalBackward2", "NormalBackward3")  # NormalBackward0 is `normal_`
LAYERS = MATRIX | {"ConvolutionBackward"}
# Operations that make a standard deviation positive, and operations between a sample and a layer.
SCALING = {
    "AddBackward", "ClampBackward", "ClampMinBackward", "DivBackward", "ExpBackward", "MulBackward",
    "SoftplusBackward", "SqrtBackward",
}  # fmt: skip
ON_THE_WAY = {"CatBackward", "NativeDropoutBackward", "ReluBackward", "TanhBackward"}
GRAPHS = 3
WITHOUT_BACKWARD = 16  # number of steps


class Watch(Detector):
    saw = {
        "en": "gradients are cut off: {why}",
        "zh": "梯度被切断：{why_zh}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.cuts = {}  # id of a parameter -> line of the cut
        self.lines = {}  # line -> how often it was checked
        self.alive = set()  # ids of parameters that were loaded, had a gradient, or changed
        self.learns = False  # whether any parameter had a gradient
        self.sampled = 0  # number of graphs with a sample that only layers read
        self.leaf = None  # line of the latest backward pass of a tensor that was computed from nothing
        self.unreached = 0  # number of graphs in a row without any parameter
        self.line = None  # line of the latest backward pass of such a graph
        self.idle = 0  # number of steps in which no parameter of the optimizer had a gradient
        self.optimizers = {}  # id -> (steps, number of parameters, first values of parameters without gradient)

    def on_loaded(self, owner, state):
        if isinstance(owner, torch.nn.Module) and not self.run.steps:
            self.alive.update(map(id, owner.parameters()))

    def on_detached(self, tensor):
        line = program_line()
        if self.may_read(line):
            for leaf in Graph(tensor).leaves:
                self.cuts.setdefault(id(leaf), line)

    def on_forward(self, module, inputs, output, depth):
        if not (module.training and module._parameters):  # `parameters()` would take longer than the layer
            return
        own = [p for p in module._parameters.values() if p is not None and p.requires_grad]
        if own and not any(t.requires_grad for t in tensors(output)) and self.may_read(line := program_line()):
            for parameter in own:
                self.cuts.setdefault(id(parameter), line)

    def on_graph(self, graph, loss):
        if not self.learns and self.run.optimizers:
            whole = len(graph.nodes) < MOST_NODES and bool(graph.leaves)
            parameters = self.run.optimized()
            alone = not any(isinstance(leaf, torch.nn.Parameter) or id(leaf) in parameters for leaf in graph.leaves)
            self.unreached = self.unreached + 1 if whole and alone else 0
            self.line = program_line()
        samples = [node for node in graph.nodes if name_of(node) in SAMPLES]
        if not samples or self.sampled == GRAPHS:
            return
        uses = {}
        for node in graph.nodes:
            for parent in parents(node):
                uses.setdefault(parent, []).append(node)
        self.sampled += any(only_layers_read(sample, uses) and is_used_beside(sample, uses) for sample in samples)
        if self.sampled == GRAPHS:
            why = "layers read a sample of `torch.normal`, whose gradient is zero: its mean and std learn nothing through it"
            why_zh = "后面的层读取 `torch.normal` 的采样结果，而采样的梯度恒为零：均值和标准差无法通过它学习"
            self.find("proof", why=why, why_zh=why_zh)

    def on_leaf_backward(self, loss):
        if loss.numel() == 1 and not isinstance(loss, torch.nn.Parameter):
            self.leaf = program_line()

    def judge_leaf(self, parameters):
        """Report a run in which no optimizer has ever found a gradient."""
        self.idle = 0 if self.learns or any(p.grad is not None for p in parameters) else self.idle + 1
        if self.leaf and self.idle >= FEWEST:
            why = f"backward() starts from a new tensor, which no parameter has computed: in {self.idle} steps no parameter has got a gradient"
            why_zh = f"backward() 从一个新建的张量开始，它与任何参数都没有计算关系：{self.idle} 步里没有参数得到梯度"
            self.find("proof", at=self.leaf, why=why, why_zh=why_zh)
        elif self.unreached >= FEWEST and self.idle >= WITHOUT_BACKWARD:
            why = f"backward() reaches none of the optimizer's parameters: in {self.idle} steps none has got a gradient; the loss was computed from a detached output"
            why_zh = f"backward() 到达不了优化器的任何参数：{self.idle} 步里没有参数得到梯度；loss 是用已经 detach 的输出计算的"
            self.find("proof", at=self.line, why=why, why_zh=why_zh)
        elif not self.run.backwards and self.idle >= WITHOUT_BACKWARD:
            why = f"the optimizer has made {self.idle} steps, and backward() was never called: none of its parameters has a gradient"
            why_zh = f"优化器已经走了 {self.idle} 步，却从未调用 backward()：它的参数都没有梯度"
            self.find("proof", why=why, why_zh=why_zh)

    def on_gradients(self):
        self.finished = True  # `torch.autograd.grad` does not fill `.grad`

    def on_step(self, optimizer):
        parameters = [p for group in optimizer.param_groups for p in group["params"] if p.requires_grad]
        steps, _, lost = self.optimizers.get(id(optimizer), (0, 0, {}))
        self.optimizers[id(optimizer)] = (steps + 1, len(parameters), lost)
        if parameters and not self.learns:
            self.judge_leaf(parameters)
        for p in parameters:
            if p.grad is not None:
                self.alive.add(id(p))
                self.learns = True
            elif id(p) in self.cuts and id(p) not in self.alive and (steps < APART or steps % APART == 0):
                numbers = p.detach().flatten()[:4].tolist()
                if lost.setdefault(id(p), numbers) != numbers:
                    self.alive.add(id(p))
        if self.run.steps > 8 * APART and all(self.alive.issuperset(lost) for _, _, lost in self.optimizers.values()):
            self.finished = True

    def on_end(self):
        if self.run.found(CLEARED):  # the gradients existed and were cleared before the step
            return
        for steps, all, lost in self.optimizers.values():
            lost = [number for number in lost if number not in self.alive]
            if lost and steps >= FEWEST and self.learns and not self.finished:
                n = len(lost)
                why = f"{n} of the {all} parameters of the optimizer had no gradient in {steps} steps: the graph is cut here"
                why_zh = f"优化器的 {all} 个参数中有 {n} 个在 {steps} 步里没有梯度：计算图在这里被切断"
                self.find("proof", at=self.cuts[lost[-1]], why=why, why_zh=why_zh)

    def may_read(self, line):
        self.lines[line] = self.lines.get(line, 0) + 1
        return self.lines[line] <= MOST_CUTS


def only_layers_read(sample, uses):
    """Whether everything computed from a sample is computed by layers with trained weights."""
    waiting, seen = [sample], set()
    while waiting:
        for user in uses.get(node := waiting.pop(), ()):
            weights = [source(parent) for parent in parents(user) if parent is not None and parent is not node]
            if kind_of(user) in LAYERS and any(hasattr(weight, "variable") for weight in weights):
                continue
            if name_of(user) not in RESHAPING and kind_of(user) not in ON_THE_WAY:
                return False
            if user not in seen:
                seen.add(user)
                waiting.append(user)
    return True


def is_used_beside(sample, uses):
    """Whether the loss also uses a mean or standard deviation directly, and does not compare it with a target."""
    waiting, beside = [parent for parent in parents(sample) if parent is not None], []
    passed = {sample}
    while waiting:
        node = waiting.pop()
        beside += [user for user in uses[node] if user not in passed]
        passed.add(node)
        if name_of(node) in RESHAPING or kind_of(node) in SCALING:
            waiting += [parent for parent in parents(node) if parent is not None and not hasattr(parent, "variable")]
    for user in beside:
        if name_of(user) in RESHAPING:
            beside += uses[user]
        elif None in parents(user) and (kind_of(user) == "SubBackward" or "Loss" in name_of(user)):
            return False
    return bool(beside)
