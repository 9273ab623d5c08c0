"""Strong: `requires_grad` was set on a module, where it has no effect, or a frozen layer still has its random weights.

Setting `module.requires_grad` changes no parameter; `requires_grad_()` does. In the second case, the weight of a linear
layer or convolution has `requires_grad=False` in every step, does not change, and is distributed as `reset_parameters`
draws it: evenly, up to one over the root of the fan-in, unlike trained weights. Gradients flow through the layer to
trained layers before it, the module that contains it trains other parameters, and fewer values are frozen than trained.
The detector does not report frozen first layers (perhaps a backbone), modules frozen as a whole (a perceptual loss, a
critic), large models with small adapters, weights that were trained or loaded, EMA copies, random targets that no
gradient flows through, or modules whose class sets `requires_grad` itself.

The same holds for parameters that get a gradient, are in no optimizer, and keep their values: layers between trained
ones, with random weights, beside others that are trained and fewer than these; or the smaller parameters of a layer,
such as its bias, of which the larger ones are trained; or a network that alone computes a term of the loss, such as a
critic whose value loss is added to that of the actor.
"""

from __future__ import annotations

import gc
import weakref

import torch
from torch import nn

from torch_errors.watching.detector import Detector, is_real, tensors
from torch_errors.watching.graph import MATRIX, MOST_NODES, RESHAPING, Graph, kind_of, name_of, parents, source

STEPS, FEWEST, NUMBERS = (12, 32, 128), 5, 64
LAYERS = (nn.Linear, nn.modules.conv._ConvNd)
# Operations between a loss and its terms, and most terms that are told apart.
SUMMING = {"AddBackward", "MeanBackward", "NegBackward", "SubBackward", "SumBackward"}
SCALING = {"DivBackward", "MulBackward"}  # by a number: a product of two results is one term
MOST_TERMS = 16

SET = "`requires_grad = {1}` was set on a {0}, where it does nothing: all {2} of its parameters have {3}; call `requires_grad_({1})`"
SET_ZH = "给 {0} 模块的 `requires_grad` 属性赋值 {1} 不起作用：它的 {2} 个参数都还是 {3}；应调用 `requires_grad_({1})`"
RANDOM = (
    "{0} has `requires_grad=False` in all of {1} steps, and its weights are still the random ones it was created with"
)
LEFT_OUT = "{0} gets a gradient but is in no optimizer: its values have not changed in {1} steps, while other parameters of the same loss are trained"
LEFT_OUT_ZH = "{0} 能得到梯度，却不在任何优化器里：{1} 步里它的值没有变过，而同一个 loss 的其他参数都在训练"
RANDOM_ZH = "{0} 的 `requires_grad` 在 {1} 步里一直是 False，权重还是创建时的随机值"


class Watch(Detector):
    needs = "course"
    inside = LAYERS
    saw = {"en": "{what}", "zh": "{what_zh}"}

    def __init__(self, run):
        super().__init__(run)
        # id of a weight -> [weak reference, first values, name, steps, whether gradients flow through the layer]
        self.frozen = {}
        self.beside = set()  # ids of frozen weights in a module that also has trained parameters
        self.loaded = set()  # ids of weights that were loaded
        self.excluded = set()  # ids of weights that were trained, loaded or changed
        self.looked = weakref.WeakKeyDictionary()  # outermost module -> step at which its submodules were last checked
        self.trained = 0  # number of values that the optimizer changes
        # id of a parameter that no optimizer has -> [weak reference, first values, name, steps with a gradient]
        self.left_out = {}
        # id of such a parameter -> weak references to the module that has it and to those that contain this module
        self.owners = None

    def on_loaded(self, owner, state):
        if isinstance(owner, nn.Module):
            self.loaded.update(map(id, owner.parameters()))
            self.excluded |= self.loaded

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

    def on_graph(self, graph, loss):
        """Look for parameters that no optimizer has, and that trained ones surround."""
        trained, used = (
            self.run.optimized(),
            {id(leaf): leaf for leaf in graph.leaves if isinstance(leaf, nn.Parameter)},
        )
        out = used.keys() - trained - self.loaded
        if not self.run.steps or not out or trained.isdisjoint(used):
            self.left_out = {}
            return
        if self.owners is None:
            self.owners = owners_of(out)
        named = {}
        matrices = [id_ in out for id_, leaf in used.items() if leaf.dim() > 1]
        for node in graph.named(*MATRIX, "ConvolutionBackward") if 2 * sum(matrices) < len(matrices) else ():
            leaves = [getattr(source(parent), "variable", None) for parent in parents(node)]
            weight = next((leaf for leaf in leaves if id(leaf) in out and leaf.dim() > 1), None)
            module, around = (self.owners or {}).get(id(weight), (None, ()))
            beside = {id(p) for ref in around if (outer := ref()) is not None for p in outer.parameters()}
            if not beside.isdisjoint(trained) and is_untrained(weight) and reaches(parents(node), trained):
                named[id(weight)] = describe(module())
        for weight in alone_in_a_term(graph, loss, trained, out) if len(used) > len(out) else ():
            named[id(weight)] = describe((self.owners or {}).get(id(weight), (lambda: None,))[0](), weight)
        for id_ in out & self.owners.keys():
            module = self.owners[id_][0]()
            own = {} if module is None else {name: p for name, p in module._parameters.items() if p is not None}
            if sum(p.numel() for p in own.values() if id(p) in trained) > used[id_].numel():
                named[id_] = f"{describe(module)}.{next(name for name, p in own.items() if id(p) == id_)}"
        for id_, name in named.items():
            seen = self.left_out.setdefault(id_, [weakref.ref(used[id_]), first_values(used[id_]), name, 0])
            seen[3] += 1
        self.left_out = {id_: seen for id_, seen in self.left_out.items() if id_ in named}

    def judge_left_out(self):
        trained = self.run.optimized()
        for id_, (ref, values, name, graphs) in self.left_out.items():
            weight = ref()
            if weight is None or id_ in trained or first_values(weight) != values or graphs < FEWEST:
                continue
            self.report(LEFT_OUT.format(name, self.run.steps), LEFT_OUT_ZH.format(name, self.run.steps))

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
        self.judge_left_out()
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


def describe(module, weight=None):
    if module is None:
        return f"a parameter of shape {tuple(weight.shape)}"
    weight = module._parameters.get("weight")
    size = "" if weight is None else f"({', '.join(map(str, reversed(weight.shape[:2])))})"
    return f"{type(module).__name__}{size}"


def alone_in_a_term(graph, loss, trained, out):
    """Yield the weights of layers that compute a term of the loss to which no trained parameter contributes.

    A penalty on weights has no layers, and a term that compares a frozen network with a trained one has trained ones.
    """
    waiting, terms = [graph.root], []
    while waiting:
        node = waiting.pop()
        before = [parent for parent in parents(node) if parent is not None]
        scaled = kind_of(node) in SCALING and len(before) == 1
        if scaled or kind_of(node) in SUMMING or name_of(node) in RESHAPING:
            waiting += before
        else:
            terms.append(node)
    for term in terms if 1 < len(terms) <= MOST_TERMS else ():
        part = Graph(loss)
        part.root = term
        if len(part.nodes) == MOST_NODES or not trained.isdisjoint(map(id, part.leaves)):
            continue
        for node in part.named(*MATRIX, "ConvolutionBackward"):
            leaves = [getattr(source(parent), "variable", None) for parent in parents(node)]
            yield from (leaf for leaf in leaves if id(leaf) in out and leaf.dim() > 1)


def owners_of(ids):
    """Return, by id of a parameter, references to the module that has it and to those that contain this module."""
    modules = [thing for thing in gc.get_objects() if issubclass(type(thing), nn.Module)]
    owners = {
        id(p): (weakref.ref(module), []) for module in modules for p in module._parameters.values() if id(p) in ids
    }
    having = {id(module()): around for module, around in owners.values()}
    for module in modules:
        for child in module._modules.values():
            if id(child) in having:
                having[id(child)].append(weakref.ref(module))
    return {id_: (ref, having[id(ref())]) for id_, (ref, _) in owners.items()}


def reaches(nodes, trained):
    """Whether any of these nodes was computed from a parameter of an optimizer."""
    waiting, seen = [node for node in nodes if node is not None], set()
    while waiting:
        node = waiting.pop()
        if id(getattr(node, "variable", None)) in trained:
            return True
        if node not in seen:
            seen.add(node)
            waiting += [parent for parent in parents(node) if parent is not None]
    return False


def is_untrained(weight):
    """Whether the values are spread evenly from minus to plus their largest, as torch initializes layers."""
    numbers = weight.detach().flatten().double()
    if len(numbers) < NUMBERS:
        return False
    bound = numbers.abs().max().item()
    even = torch.linspace(-bound, bound, len(numbers), dtype=torch.double, device=weight.device)
    apart = (numbers.sort().values - even).abs().max().item()
    return 0 < bound and apart < 2 * bound * 1.6 / len(numbers) ** 0.5
