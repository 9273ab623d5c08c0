"""Strong: a module's attribute `requires_grad` says one thing and all of its parameters the other; or a layer stays random.

Setting `module.requires_grad` reaches no parameter; `requires_grad_()` does. The second is a linear layer or convolution whose
weight has `requires_grad=False` in every step, does not change, and is spread as `reset_parameters` spreads it: evenly, up to
one over the root of the fan-in, as trained weights are not. Gradients flow through it to trained layers before it, the module that
contains it trains other parameters, and less is frozen than trained. It is silent about frozen first layers, which may be a
backbone, modules frozen as a whole (a perceptual loss, a critic), large models with small adapters, weights that were trained or
loaded, EMA copies, random targets that no gradient flows through, and modules whose class sets `requires_grad` for itself.
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
        self.frozen = {}  # id of a weight -> [weak reference, its first numbers, name, steps, gradients flow through it]
        self.beside = set()  # ids of frozen weights in a module that has trained ones, too
        self.excluded = set()  # ids of weights that were trained, loaded or changed
        self.looked = weakref.WeakKeyDictionary()  # outermost module -> steps before its parts were looked at
        self.trained = 0  # numbers that the optimizer changes

    def on_loaded(self, owner, state):
        if isinstance(owner, nn.Module):
            self.excluded.update(map(id, owner.parameters()))

    def on_forward(self, module, inputs, output, depth):
        if depth == 0 and (self.run.steps & (self.run.steps - 1) == 0 or self.run.steps + 1 in STEPS):
            if self.looked.get(module) != self.run.steps:
                self.looked[module] = self.run.steps
                self.look(module)
        weight = module._parameters.get("weight") if isinstance(module, LAYERS) and module.training else None
        if weight is None or id(weight) in self.excluded or not is_real(weight):
            return
        if weight.requires_grad:
            self.excluded.add(id(weight))
            self.frozen.pop(id(weight), None)
            return
        name = f"{type(module).__name__}({', '.join(map(str, reversed(weight.shape[:2])))})"
        seen = self.frozen.setdefault(id(weight), [weakref.ref(weight), some(weight), name, 0, False])
        seen[4] = seen[4] or any(one.requires_grad for one in tensors(output))

    def look(self, outermost):
        for module in outermost.modules():
            flag = vars(module).get("requires_grad")
            makes = getattr(
                getattr(type(module).__init__, "__code__", None), "co_names", ()
            )  # a flag of the class itself
            if isinstance(flag, bool) and self.run.steps and (own := [p.requires_grad for p in module.parameters()]):
                if flag not in own and "requires_grad" not in makes:
                    values = type(module).__name__, flag, len(own), not flag
                    self.tell(SET.format(*values), SET_ZH.format(*values))
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
            if weight is None or weight.requires_grad or some(weight) != numbers:
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
            self.tell(RANDOM.format(name, steps), RANDOM_ZH.format(name, steps))

    def tell(self, what, what_zh):
        self.find("strong", what=what, what_zh=what_zh)
        self.finished = True


def some(weight):
    return weight.detach().flatten()[:8].tolist()


def is_untrained(weight):
    """Whether the numbers fill the range evenly that `reset_parameters` of linear layers and convolutions draws from."""
    numbers = weight.detach().flatten().double()
    if len(numbers) < NUMBERS:
        return False
    bound = weight[0].numel() ** -0.5
    even = torch.linspace(-bound, bound, len(numbers), dtype=torch.double, device=weight.device)
    apart = (numbers.sort().values - even).abs().max().item()
    return apart < 2 * bound * 1.6 / len(numbers) ** 0.5 and numbers.abs().max().item() <= bound * (1 + 1e-6)
