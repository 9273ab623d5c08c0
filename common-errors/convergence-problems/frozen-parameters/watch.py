"""Strong: `requires_grad` was set on a module, where it has no effect, or a frozen layer still has its random weights.

Setting `module.requires_grad` changes no parameter; `requires_grad_()` does. In the second case, the weight of a linear
layer or convolution has `requires_grad=False` in every step, does not change, and is distributed as `reset_parameters`
draws it: evenly, up to one over the root of the fan-in, unlike trained weights. Gradients flow through the layer to
trained layers before it, the module that contains it trains other parameters, and fewer values are frozen than trained.
The detector does not report frozen first layers (perhaps a backbone), modules frozen as a whole (a perceptual loss, a
critic), large models with small adapters, weights that were trained or loaded, EMA copies, random targets that no
gradient flows through, or modules whose class sets `requires_grad` itself.
"""

from __future__ import annotations

import weakref

import torch
from torch import nn

from torch_errors.watching.detector import Detector, is_real, tensors

STEPS, FEWEST, NUMBERS = (12, 32, 128), 5, 64
LAYERS = (nn.Linear, nn.modules.conv._ConvNd)

SET = "`requires_grad = {1}` was set on a {0}, where it does nothing: all {2} of its parameters have {3}; call `requires_grad_({1})`"
SET_ZH = "给 {0} 模块的 `requires_grad` 属性赋值 {1} 不起作用：它的 {2} 个参数都还是 {3}；应调用 `requires_grad_({1})`"
RANDOM = (
    "{0} has `requires_grad=False` in all of {1} steps, and its weights are still the random ones it was created with"
)
RANDOM_ZH = "{0} 的 `requires_grad` 在 {1} 步里一直是 False，权重还是创建时的随机值"


class Watch(Detector):
    inside = LAYERS
    saw = {"en": "{what}", "zh": "{what_zh}"}

    def __init__(self, run):
        super().__init__(run)
        # id of a weight -> [weak reference, first values, name, steps, whether gradients flow through the layer]
        self.frozen = {}
        self.beside = set()  # ids of frozen weights in a module that also has trained parameters
        self.excluded = set()  # ids of weights that were trained, loaded or changed
        self.looked = weakref.WeakKeyDictionary()  # outermost module -> step at which its submodules were last checked
        self.trained = 0  # number of values that the optimizer changes

    def on_loaded(self, owner, state):
        if isinstance(owner, nn.Module):
            self.excluded.update(map(id, owner.parameters()))

    def on_forward(self, module, inputs, output, depth):
        if depth == 0 and (self.run.steps & (self.run.steps - 1) == 0 or self.run.steps + 1 in STEPS):
            if self.looked.get(module) != self.run.steps:
                self.looked[module] = self.run.steps
                self.check_submodules(module)
        weight = module._parameters.get("weight") if isinstance(module, LAYERS) and module.training else None
        if weight is None or id(weight) in self.excluded or not is_real(weight):
            return
        if weight.requires_grad:
            self.excluded.add(id(weight))
            self.frozen.pop(id(weight), None)
            return
        name = f"{type(module).__name__}({', '.join(map(str, reversed(weight.shape[:2])))})"
        seen = self.frozen.setdefault(id(weight), [weakref.ref(weight), first_values(weight), name, 0, False])
        seen[4] = seen[4] or any(tensor.requires_grad for tensor in tensors(output))

    def check_submodules(self, outermost):
        for module in outermost.modules():
            flag = vars(module).get("requires_grad")
            # The constructor of a class may use the attribute for its own purpose.
            used_names = getattr(getattr(type(module).__init__, "__code__", None), "co_names", ())
            if isinstance(flag, bool) and self.run.steps and (own := [p.requires_grad for p in module.parameters()]):
                if flag not in own and "requires_grad" not in used_names:
                    values = type(module).__name__, flag, len(own), not flag
                    self.report(SET.format(*values), SET_ZH.format(*values))
            parts = {id(part._parameters.get("weight")) for part in module.children() if isinstance(part, LAYERS)}
            frozen = parts & self.frozen.keys() - self.beside
            if frozen and any(p.requires_grad for p in module.parameters()):
                self.beside |= frozen

    def on_step(self, optimizer):
        if self.run.steps & (self.run.steps - 1) == 0:
            parameters = [p for group in optimizer.param_groups for p in group["params"]]
            self.trained = max(self.trained, sum(p.numel() for p in parameters if p.requires_grad))
        for key, (reference, numbers, _, steps, flows) in list(self.frozen.items()):
            weight = reference()
            if weight is None or weight.requires_grad or first_values(weight) != numbers:
                self.excluded.add(key)
                del self.frozen[key]
            elif flows:
                self.frozen[key][3] = steps + 1
        if self.run.steps in STEPS:
            self.judge()

    def on_end(self):
        self.judge()

    def judge(self):
        alive = [(seen[0](), seen) for seen in self.frozen.values() if seen[0]() is not None]
        alone = [(weight, seen) for weight, seen in alive if id(weight) in self.beside and seen[3] >= FEWEST]
        random = [seen for weight, seen in alone if is_untrained(weight)]
        if random and sum(weight.numel() for weight, _ in alive) < self.trained:
            _, _, name, steps, _ = random[0]
            self.report(RANDOM.format(name, steps), RANDOM_ZH.format(name, steps))

    def report(self, what, what_zh):
        self.find("strong", what=what, what_zh=what_zh)
        self.finished = True


def first_values(weight):
    return weight.detach().flatten()[:8].tolist()


def is_untrained(weight):
    """Whether the values are spread evenly over the range that linear layers and convolutions are initialized from."""
    numbers = weight.detach().flatten().double()
    if len(numbers) < NUMBERS:
        return False
    bound = weight[0].numel() ** -0.5
    even = torch.linspace(-bound, bound, len(numbers), dtype=torch.double, device=weight.device)
    apart = (numbers.sort().values - even).abs().max().item()
    return apart < 2 * bound * 1.6 / len(numbers) ** 0.5 and numbers.abs().max().item() <= bound * (1 + 1e-6)
