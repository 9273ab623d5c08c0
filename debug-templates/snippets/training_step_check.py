"""Does the training step do what it should? Run your own step a few times and see what each call did.

Use it when the loss does not fall although data and model look right, and before a long run. `step` is your own
function, unchanged: it takes a batch, or nothing, and does all of forward, backward and update.

    training_step_check(step, model, optimizer, batches)                        # calls step(batch)
    training_step_check(lambda: step(next(endless)), model, optimizer)          # calls step()
    training_step_check(step, [generator, critic], [g_optimizer, c_optimizer], loader)

It calls the step three times, or more often until every optimizer has made three updates (gradient accumulation) and
every parameter has moved, at most `max_calls` times. Then it restores what the step has changed, also after an
exception: parameters, gradients, buffers, modes, hooks, optimizers, random state, and whatever `step` refers to that
has a `state_dict()`, such as a scheduler, a GradScaler or an average of the weights. It cannot rewind an iterator or a
file, and needs memory for a second copy of model and optimizer. Compiled models run eagerly meanwhile.

It prints the order of the calls, the losses, how far the weights have moved, notes, and the problems: `zero_grad()`,
`backward()`, `step()`, clipping or `unscale_()` missing or in the wrong place; a model left in eval mode; parameters
that get no gradient, that no optimizer has or that never change; layers that forward uses but the model does not own;
a loss that broadcasts; updates that overwrite the weights.

**Healthy:** "No problem found.", and an order such as `zero_grad -> forward -> backward -> clip -> step`. One update
often moves the weights by 1e-4 to 1e-2 of their norm. Notes describe what is right if intended, such as a frozen
BatchNorm.

With the Trainer of Hugging Face or with Lightning, write the step yourself from `model(**batch).loss` or
`module.training_step(batch, 0)`: then model, loss and parameters are checked, but not the order of the Trainer's calls.

Example, without `zero_grad()` and with a target of another shape than the output:

    >>> import torch
    >>> from torch import nn
    >>> from training_step_check import training_step_check
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    >>> def step(batch):
    ...     inputs, targets = batch
    ...     loss = (model(inputs) - targets).square().mean()
    ...     loss.backward()
    ...     nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    ...     optimizer.step()
    ...     return loss
    >>> batches = [(torch.randn(32, 8), torch.randn(32)) for _ in range(4)]
    >>> problems = training_step_check(step, model, optimizer, batches).problems
    calls 1 to 3: forward -> backward -> clip -> step
    loss: 0.8981, 1.047, 1.013
    3 updates; 4 of 4 trained tensors changed, which moved by 3.6e-03 of their norm per update
    Problems:
      - the loss broadcasts: the difference of [32, 1] and [32] gives [32, 32]; give both the same shape
      - zero_grad() is missing: step() gets gradients that contain earlier ones
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import gc
import itertools
import math
import random
import sys
import time
import types
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from unittest import mock

import torch
from torch import nn
from torch.nn import functional
from torch.nn.modules import module as module_hooks
from torch.optim import optimizer as optimizer_hooks
from torch.overrides import TorchFunctionMode

UPDATES = 3  # of each optimizer: a stale gradient shows at the second, layers after a zero-initialized one move later
PATIENCE = 8  # updates to wait for a parameter that has not moved
NEVER_CHANGED = "step() does not change {}, although a gradient reaches it: an update below its precision?"
ALWAYS_ZERO = "the gradient is always zero in {}"
REASONS = {  # why an optimizer finds no gradients
    "early": "{}step() runs before backward(), when there are no gradients",
    "cleared": "the gradients are cleared between backward() and {}step(): nothing is updated",
}
LOSSES = {functional.mse_loss, functional.l1_loss, functional.smooth_l1_loss, functional.huber_loss}


class StepCheck(NamedTuple):
    """What is wrong, what is right if intended, and the order of the calls, one text for each call of the step."""

    problems: list[str]
    notes: list[str]
    calls: list[str]


def training_step_check(
    step: Callable[..., Any],
    model: nn.Module | Iterable[nn.Module],
    optimizer: torch.optim.Optimizer | Iterable[torch.optim.Optimizer],
    batches: Iterable[Any] | None = None,
    *,
    max_calls: int = 32,
    seconds: float = 60.0,
) -> StepCheck:
    """Call the user's own `step`, print what it does and what is wrong with it, and restore what it has changed.

    Args:
        step: does one training step, as `step(batch)` for each of `batches`, or as `step()` without them.
        model: all models that the step trains.
        optimizer: all optimizers that it uses.
        batches: a DataLoader or a list; begins anew when it is used up.
        max_calls: calls to wait for an update; more than the number of batches that you accumulate.
        seconds: no further call after this time, once there have been three.
    """
    models = _listed(model, nn.Module, "model")
    optimizers = _listed(optimizer, torch.optim.Optimizer, "optimizer")
    if not callable(step) or isinstance(step, nn.Module):
        raise TypeError(f"training_step_check takes your step function first, not a {type(step).__name__}")
    if any(isinstance(part, torch.jit.ScriptModule) for whole in models for part in whole.modules()):
        raise TypeError("training_step_check takes an eager nn.Module, not a ScriptModule")
    watch = _Watch(models, optimizers, step)
    compiled = "torch._dynamo" in sys.modules  # compiled code calls no hooks that come later
    start = time.perf_counter()
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(_random_state_kept())
            stack.enter_context(torch.enable_grad())
            stack.enter_context(torch.compiler.set_stance("force_eager") if compiled else contextlib.nullcontext())
            stack.enter_context(warnings.catch_warnings())
            warnings.filterwarnings("ignore", "Using `torch.compile")  # of models, while there are global hooks
            stack.enter_context(watch.installed())
            arguments = itertools.repeat(()) if batches is None else ((batch,) for batch in _endless(batches))
            for number, batch in enumerate(itertools.islice(arguments, max_calls)):
                watch.call(step, *batch)
                watch.compare(*batch)
                out_of_time = time.perf_counter() - start > seconds
                if number + 1 >= UPDATES and (out_of_time or watch.seen_enough()):
                    break
        problems, notes = watch.verdict()
        lines = watch.summary()
        if watch.repeated and getattr(batches, "__len__", lambda: 0)() > 1:
            problems.append("every batch has the same values: look at the data set and its indices")
    except Exception:
        if watch.found:
            print("\n  - ".join(["Problems found before the exception:", *watch.found.values()]))
        raise
    finally:
        watch.snapshot.restore()
    for line in lines:
        print(line)
    for note in notes:
        print(f"Note: {note}")
    print("\n  - ".join(["Problems:", *problems]) if problems else "No problem found.")
    return StepCheck(problems, notes, watch.calls)


@dataclasses.dataclass(eq=False)
class _Leaf:
    """A tensor that gradients are accumulated in, and what has happened to it."""

    tensor: torch.Tensor
    name: str = ""
    owner: nn.Module | None = None
    before: torch.Tensor | None = None
    hooked: bool = False
    gradients: int = 0  # accumulated so far
    nonzero: bool = False  # an optimizer has read a gradient other than zero
    used: tuple[int, int] | None = None  # identity and version of the gradient that an optimizer has read
    mixed: bool = False  # the gradient contains one that an optimizer has read before
    unread: int = 0  # the number of the call whose gradient no optimizer has read yet
    clipped: bool = False  # since the last backward()
    updated: int = 0  # time of the last update

    @property
    def token(self) -> tuple[int, int] | None:
        return None if self.tensor.grad is None else (id(self.tensor.grad), self.tensor.grad._version)

    @property
    def empty(self) -> bool:
        return self.tensor.grad is None or not _values(self.tensor.grad).any()

    @property
    def changed(self) -> bool:
        same_shape = self.before is not None and self.before.shape == self.tensor.shape
        return not same_shape or not torch.equal(self.before, self.tensor.detach())


@dataclasses.dataclass(eq=False)
class _Updates:
    """What one optimizer has done."""

    optimizer: torch.optim.Optimizer
    name: str
    given: bool  # by the user, and not just seen
    count: int = 0
    reads: int = 0  # of the gradients; LBFGS reads them more than once in an update
    empty: int = 0  # reads of no gradient at all, or of zeros
    why_empty: str = ""
    mixed: dict[str, None] = dataclasses.field(default_factory=dict)  # names of tensors whose old gradients remain
    all_mixed: bool = False  # at least once, every gradient contained an earlier one
    skipped: int = 0  # by a GradScaler
    rates: set[float] = dataclasses.field(default_factory=set)

    @property
    def parameters(self) -> list[torch.Tensor]:
        return [tensor for group in self.optimizer.param_groups for tensor in group["params"]]


class _Watch(TorchFunctionMode):
    """Sees forward, backward, updates, clipping and losses while it is installed."""

    def __init__(self, models: list[nn.Module], optimizers: list[torch.optim.Optimizer], step: Any) -> None:
        super().__init__()
        self.models = models
        self.snapshot = _Snapshot()
        self.functions = _functions(step)
        self.variables = self.snapshot.add_variables(step, self.functions)
        self.paths: dict[nn.Module, str] = {}
        self.leaves: dict[torch.Tensor, _Leaf] = {}
        self.updates: dict[torch.optim.Optimizer, _Updates] = {}
        self.several = len(optimizers) > 1
        self.time = self.number = self.backwards = self.in_backward = 0
        self.discarded: set[int] = set()  # calls whose gradients were cleared before an optimizer read them
        self.events: list[tuple[str, Any]] = []  # of this call: what, and which optimizer
        self.calls: list[str] = []
        self.losses: list[float] = []
        self.backward_loss: float | None = None
        self.last_batch: tuple[Any, ...] = ()
        self.repeated = True  # every batch had the values of the one before
        self.found: dict[str, str] = {}  # problems seen on the way, each once
        self.active: list[nn.Module] = []  # the modules whose forward is running
        self.called: dict[nn.Module, int] = {}  # the time of the last forward with gradients
        self.modes: dict[nn.Module, set[bool]] = {}
        self.blind: set[nn.Module] = set()  # modules that ran without gradients
        self.fed: dict[nn.Module, bool] = {}  # whether a module has had an input other than zero
        self.unregistered: dict[torch.Tensor, str] = {}  # parameters that forward uses and no model owns
        self.beside: dict[torch.Tensor, nn.Module] = {}  # parameters of modules that are called outside of the models
        self.clips: list[str] = []  # "", or what is wrong with that clipping
        self.early_schedules: list[bool] = []
        self.scaled = self.uses_scaler = self.in_scaler = self.dropout_is_off = False
        for value in [*models, *optimizers]:
            self.snapshot.add(value)
        for model in models:
            prefix = self._name(model) if len(models) > 1 else ""
            for path, part in model.named_modules():
                parts = [prefix, *path.split(".")]
                self.paths[part] = ".".join(name for name in parts if name and name != "_orig_mod")
                for key, tensor in part.named_parameters(recurse=False):
                    leaf = self._leaf(tensor)
                    if leaf.owner is None:
                        leaf.owner, leaf.name = part, f"{self.paths[part]}.{key}".lstrip(".")
        for optimizer in optimizers:
            self._updates_of(optimizer, given=True)

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """With hooks, and replacements for functions that have none."""
        scaler = torch.amp.GradScaler
        clip_functions = [nn.utils.clip_grad_norm_, nn.utils.clip_grad_value_]
        with contextlib.ExitStack() as self.stack:
            for handle in (
                module_hooks.register_module_forward_pre_hook(self._before_forward),
                module_hooks.register_module_forward_hook(self._after_forward, always_call=True),
                optimizer_hooks.register_optimizer_step_pre_hook(self._before_update),
                optimizer_hooks.register_optimizer_step_post_hook(self._after_update),
            ):
                self.stack.callback(handle.remove)
            for place, name, watched in (
                (torch.autograd, "backward", self._backward),
                (torch.optim.Optimizer, "zero_grad", self._zero_grad),
                (nn.Module, "zero_grad", self._zero_grad),
                (scaler, "scale", self._scale),
                (scaler, "unscale_", self._unscale),
                (scaler, "step", self._scaler_step),
            ):
                self.stack.enter_context(mock.patch.object(place, name, _around(getattr(place, name), watched)))
            spaces = [vars(part) for part in list(sys.modules.values()) if isinstance(part, types.ModuleType)]
            for space in [*spaces, *(function.__globals__ for function in self.functions)]:
                for name, value in list(space.items()):  # many import clip_grad_norm_ by its name
                    if any(value is function for function in clip_functions):
                        space[name] = _around(value, self._clip)
                        self.stack.callback(space.__setitem__, name, value)
            for value in self.snapshot.objects():
                if isinstance(value, torch.optim.lr_scheduler.LRScheduler):
                    vars(value)["step"] = _around(value.step, functools.partial(self._schedule, value))
            self.stack.enter_context(self)
            yield

    def call(self, step: Callable[..., Any], *args: Any) -> None:
        """One call of the user's step."""
        self.events, self.backward_loss = [], None
        self.number += 1
        result = step(*args)
        if isinstance(result, Mapping):
            result = result.get("loss")
        if isinstance(result, torch.Tensor) and result.numel() == 1:
            result = result.item()
        loss = float(result) if isinstance(result, float) else self.backward_loss
        if loss is not None:
            self.losses.append(loss)
            if not math.isfinite(loss) and not self.uses_scaler:
                self._say(f"the loss is {loss}")
        kinds = [kind for kind, _ in self.events]
        self.early_schedules += [
            "step" in kinds[place:] and "step" not in kinds[:place]
            for place, kind in enumerate(kinds)
            if kind == "scheduler.step"
        ]
        texts = [f"{self._name(part)}.{kind}" if part is not None else kind for kind, part in self.events]
        self.calls.append(_folded(texts))

    def compare(self, *batch: Any) -> None:
        """Whether the batches are all the same, in other tensors."""
        tensors = [dict(_parts(part, "")) for part in (*self.last_batch, *batch)]
        if len(tensors) == 2 and self.repeated:
            one, other = tensors
            self.repeated = bool(one) and one.keys() == other.keys()
            self.repeated &= all(
                value is not other[key] and value.layout == torch.strided and torch.equal(value, other[key])
                for key, value in one.items()
                if self.repeated
            )
        self.last_batch = batch

    def seen_enough(self) -> bool:
        """Every optimizer has made its updates, and every parameter has moved or had the time to."""
        counts = [updates.count for updates in self.updates.values() if updates.given]
        trained = [self._leaf(tensor) for part in self.updates.values() for tensor in part.parameters]
        return min(counts) >= UPDATES and (
            min(counts) >= PATIENCE or all(leaf.changed for leaf in trained if leaf.tensor.requires_grad)
        )

    # ------------------------------------------------------------------------------------------- what is watched

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = getattr(func, "__name__", "")
        if func in LOSSES:
            given = dict(zip(("input", "target"), args, strict=False)) | kwargs
            self._compare(name, given["input"], given["target"])
        elif name in ("sub", "__sub__", "rsub", "__rsub__") and len(args) == 2 and not self._in_model():
            shapes = [tuple(value.shape) for value in args if isinstance(value, torch.Tensor)]
            column = len(shapes) == 2 and sorted(map(len, shapes)) == [1, 2] and (*min(shapes, key=len), 1) in shapes
            if column and args[0].requires_grad != args[1].requires_grad:  # two of the same kind: all pairs are meant
                self._compare("the difference", *args)
        elif func is functional.dropout:
            given = {"p": 0.5, "training": True} | dict(zip(("input", "p", "training"), args, strict=False)) | kwargs
            self.dropout_is_off |= given["p"] > 0 and not given["training"]
        return func(*args, **kwargs)

    def _compare(self, name: str, output: Any, target: Any) -> None:
        if isinstance(output, torch.Tensor) and isinstance(target, torch.Tensor) and output.shape != target.shape:
            try:
                shape = torch.broadcast_shapes(output.shape, target.shape)
            except RuntimeError:
                return  # the loss raises an error
            if shape.numel() > max(output.numel(), target.numel()):
                self._say(
                    f"the loss broadcasts: {name} of {_shape(output)} and {_shape(target)} gives {list(shape)}; "
                    "give both the same shape"
                )

    def _in_model(self) -> bool:
        return any(module in self.paths for module in self.active)

    def _before_forward(self, module: nn.Module, args: Any) -> None:
        outermost = not self._in_model()
        self.active.append(module)
        if module not in self.paths:
            self.snapshot.add(module)
            for key, tensor in module.named_parameters(recurse=False):
                if outermost:
                    self.beside[tensor] = module
                else:
                    self.unregistered[tensor] = f"{key} of a {type(module).__name__}"
            return
        if outermost and not self.in_backward:  # activation checkpointing runs layers again in backward()
            self._event("forward", module if len(self.models) > 1 else None)
        if torch.is_grad_enabled():
            self.called[module] = self.time
            self.modes.setdefault(module, set()).add(module.training)
            if args and type(args[0]) is torch.Tensor and args[0].layout == torch.strided and args[0].numel():
                self.fed[module] = self.fed.get(module, False) or bool(args[0].any())
        else:
            self.blind.add(module)

    def _after_forward(self, module: nn.Module, args: Any, output: Any) -> None:
        while self.active and self.active.pop() is not module:
            pass

    def _backward(self, original: Any, tensors: Any, *args: Any, **kwargs: Any) -> Any:
        roots = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        if not any(root.requires_grad for root in roots):
            blind = "forward runs under torch.no_grad() or inference_mode()" if self.blind else "it is detached"
            self._say(f"the loss has no graph: {blind}")
        for tensor in _leaves(roots):
            leaf = self._leaf(tensor)
            if not leaf.hooked:
                leaf.hooked = True
                self.stack.callback(tensor.register_hook(functools.partial(self._accumulate, leaf)).remove)
        if not self.in_backward:
            self._event("backward")
            self.backwards += 1
            if len(roots) == 1 and roots[0].numel() == 1 and not self.scaled:
                self.backward_loss = roots[0].item()
        self.in_backward += 1
        try:
            return original(tensors, *args, **kwargs)
        finally:
            self.in_backward -= 1

    def _accumulate(self, leaf: _Leaf, gradient: torch.Tensor) -> None:
        """Runs before the gradient is added to `.grad`."""
        leaf.gradients += 1
        if leaf.empty and 0 < leaf.unread < self.number:
            self.discarded.add(leaf.unread)
        leaf.unread = self.number
        leaf.mixed = not leaf.empty and (leaf.mixed or leaf.used == leaf.token)
        leaf.used, leaf.clipped = None, False
        if leaf.owner is not None and self.called.get(leaf.owner, leaf.updated) < leaf.updated:
            self._say("step() runs between forward and backward(): the gradient belongs to weights that are gone")

    def _zero_grad(self, original: Any, owner: Any, *args: Any, **kwargs: Any) -> Any:
        self._event("zero_grad", owner if self.several else None)
        return original(owner, *args, **kwargs)

    def _clip(self, original: Any, parameters: Any, *args: Any, **kwargs: Any) -> Any:
        self._event("clip")
        parameters = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        leaves = [self._leaf(tensor) for tensor in parameters]
        full = [leaf for leaf in leaves if not leaf.empty]
        fresh = [leaf for leaf in full if leaf.used != leaf.token]
        if not full and ("backward", None) in self.events:
            self.clips.append("")  # the gradients have been cleared, or are zero, which is said elsewhere
        elif not full or any(leaf.gradients for leaf in full):  # else they are older than the first call
            self.clips.append("" if fresh else "after step()" if full else "before backward()")
        result = original(parameters, *args, **kwargs)
        for leaf in full:
            if leaf in fresh:
                leaf.clipped = True
            else:
                leaf.used = leaf.token
        return result

    def _scale(self, original: Any, scaler: Any, *args: Any, **kwargs: Any) -> Any:
        self.scaled = self.uses_scaler = scaler.is_enabled()
        return original(scaler, *args, **kwargs)

    def _unscale(self, original: Any, scaler: Any, optimizer: Any) -> Any:
        self.scaled = False
        if scaler.is_enabled():
            if not self.in_scaler:
                self._event("unscale")
            if any(self._leaf(tensor).clipped for tensor in self._updates_of(optimizer).parameters):
                self._say("gradients are clipped before scaler.unscale_(optimizer): the threshold is off by the scale")
        return original(scaler, optimizer)

    def _scaler_step(self, original: Any, scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        updates = self._updates_of(optimizer)
        count = updates.count
        self.scaled, self.in_scaler = False, True
        try:
            result = original(scaler, optimizer, *args, **kwargs)
        finally:
            self.in_scaler = False
        if updates.count == count:
            updates.skipped += 1
            for tensor in updates.parameters:
                self._leaf(tensor).unread = 0
            self._event("step (skipped by the GradScaler)", optimizer if self.several else None)
        return result

    def _schedule(self, scheduler: Any, original: Any, *args: Any, **kwargs: Any) -> Any:
        self._event("scheduler.step")
        return original(*args, **kwargs)

    def _before_update(self, optimizer: Any, args: Any, kwargs: Any) -> Any:
        updates = self._updates_of(optimizer)
        closure = kwargs.get("closure", args[1] if len(args) > 1 else None)
        self._event("step" if closure is None else "step with closure", optimizer if self.several else None)
        updates.rates |= {float(group["lr"]) for group in optimizer.param_groups if group.get("lr") is not None}
        if self.scaled:
            self._say("optimizer.step() gets gradients that are multiplied by the scale: call scaler.step(optimizer)")
        if closure is None:
            self._read(updates)
            return None

        def watched() -> Any:
            result = closure()
            self._read(updates)
            return result

        return (args[0], watched, *args[2:]), {key: value for key, value in kwargs.items() if key != "closure"}

    def _read(self, updates: _Updates) -> None:
        """The optimizer is about to use the gradients."""
        leaves = [self._leaf(tensor) for tensor in updates.parameters]
        full = [leaf for leaf in leaves if not leaf.empty]
        updates.reads += 1
        for leaf in leaves:
            leaf.unread = 0
        if not full:
            updates.empty += 1
            kinds = [kind for kind, _ in self.events]
            since = kinds[::-1].index("backward") if "backward" in kinds else 0  # events after the last backward()
            cleared = all(leaf.tensor.grad is None for leaf in leaves) or "zero_grad" in kinds[len(kinds) - since :]
            updates.why_empty = "early" if "backward" not in kinds else "cleared" if cleared else "zero"
        if mixed := [leaf.name for leaf in full if leaf.mixed]:
            updates.mixed |= dict.fromkeys(mixed)
            updates.all_mixed |= len(mixed) == len(full)
            which = "" if updates.all_mixed else f" in {_some(updates.mixed)}"
            text = f"zero_grad() is missing: {self._label(updates)}step() gets gradients that contain earlier ones"
            self._say(text + which, instead_of=text)
        for leaf in full:
            leaf.nonzero, leaf.clipped, leaf.used = True, False, leaf.token
            if not self.uses_scaler and not _values(leaf.tensor.grad).isfinite().all():
                self._say("the gradient is NaN or infinite when step() uses it")

    def _after_update(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        updates = self._updates_of(optimizer)
        updates.count += 1
        for leaf in map(self._leaf, updates.parameters):
            if not leaf.empty:
                leaf.updated, leaf.used = self.time, leaf.token

    def _say(self, problem: str, instead_of: str = "") -> None:
        self.found[instead_of or problem] = problem

    def _event(self, kind: str, part: Any = None) -> None:
        self.time += 1
        self.events.append((kind, part))

    def _leaf(self, tensor: torch.Tensor) -> _Leaf:
        if tensor not in self.leaves:
            self.leaves[tensor] = _Leaf(tensor, before=self.snapshot.add(tensor))
        return self.leaves[tensor]

    def _updates_of(self, optimizer: torch.optim.Optimizer, given: bool = False) -> _Updates:
        if optimizer not in self.updates:
            self.snapshot.add(optimizer)
            self.updates[optimizer] = _Updates(optimizer, self._name(optimizer), given)
        return self.updates[optimizer]

    def _reached(self, updates: _Updates) -> bool:
        return any(self._leaf(tensor).gradients for tensor in updates.parameters)

    def _label(self, updates: _Updates) -> str:
        return f"{updates.name}." if self.several else ""

    def _name(self, part: Any) -> str:
        """What the user calls a model or an optimizer."""
        names = (name for name, value in self.variables.items() if value is part)
        return next(names, self.paths.get(part) or type(part).__name__)

    # ----------------------------------------------------------------------------------------------- what is said

    def summary(self) -> list[str]:
        """The order of the calls, the losses, and how far the weights have moved."""
        lines, number = [], 1
        for text, group in itertools.groupby(self.calls):
            last = number + len(list(group)) - 1
            lines.append(f"{f'call {number}' if last == number else f'calls {number} to {last}'}: {text or 'nothing'}")
            number = last + 1
        if losses := [f"{loss:.4g}" for loss in self.losses]:
            lines.append("loss: " + ", ".join([*losses[:6], "..."] if len(losses) > 6 else losses))
        for updates in self.updates.values():
            leaves = [leaf for leaf in map(self._leaf, updates.parameters) if leaf.tensor.requires_grad]
            prefix = f"{updates.name}: " if len(self.updates) > 1 else ""
            changed = sum(leaf.changed for leaf in leaves)
            moved = f", which moved by {self._moved(updates):.1e} of their norm per update" if changed else ""
            skipped = f", {updates.skipped} skipped" if updates.skipped else ""
            lines.append(
                f"{prefix}{updates.count} updates{skipped}; {changed} of {len(leaves)} trained tensors changed{moved}"
            )
        return lines

    def _moved(self, updates: _Updates) -> float:
        """The norm of the change of all weights, divided by their norm and the number of updates."""
        change = weights = 0.0
        for leaf in map(self._leaf, updates.parameters):
            if leaf.before is not None and leaf.before.shape == leaf.tensor.shape:
                change += _values(leaf.tensor.detach() - leaf.before).square().sum().item()
                weights += _values(leaf.before).square().sum().item()
        return math.sqrt(change / weights) / max(updates.count, 1) if weights else math.inf

    def verdict(self) -> tuple[list[str], list[str]]:
        """Problems and notes."""
        problems, notes = list(self.found.values()), []
        for updates in self.updates.values():
            problems += self._of_updates(updates, notes)
        for found, said in (self._of_parameters(), self._of_modes()):
            problems += found
            notes += said
        if self.backwards and self.clips and all(self.clips):
            places = " and ".join(sorted(set(self.clips)))
            problems.append(f"gradients are clipped {places}, without effect: clip between backward() and step()")
        if self.early_schedules and all(self.early_schedules):
            problems.append("scheduler.step() comes before step(): the first learning rate of the schedule is skipped")
        return problems, notes

    def _of_updates(self, updates: _Updates, notes: list[str]) -> list[str]:
        label = self._label(updates)
        leaves = [self._leaf(tensor) for tensor in updates.parameters if tensor.requires_grad]
        reached = self._reached(updates)
        changed = any(leaf.changed for leaf in leaves)
        problems = []
        if not self.backwards and not changed:
            problems.append("backward() is never called" + ("" if updates.reads else f", and neither is {label}step()"))
        elif not updates.reads and updates.skipped:
            problems.append(f"the GradScaler skips every {label}step(): the gradients are infinite or NaN")
        elif not updates.reads and reached and not changed:
            problems.append(f"{label}step() is never called in {len(self.calls)} calls")
        elif updates.empty == updates.reads and reached and not changed:
            problems += [REASONS[updates.why_empty].format(label)] if updates.why_empty in REASONS else []
        if 0 < updates.count < self.number - 1 and len(self.discarded) > 1 and len(self.updates) == 1:
            problems.append(
                f"zero_grad() discards the gradients of {len(self.discarded)} of {self.number} calls, in which step() "
                "is not called: to accumulate gradients, clear them only after step()"
            )
        if updates.rates == {0.0}:
            problems.append(f"the learning rate is 0 in every {label}step()")
        moved = self._moved(updates)
        rises = len(self.losses) > 1 and self.losses[-1] > 10 * abs(self.losses[0])
        if changed and moved < 1e-7:
            notes.append(
                f"{label}step() moves the weights by only {moved:.1e} of their norm: learning rate too low, or done"
            )
        if rises and moved > 0.3:
            problems.append(
                f"{label}step() overwrites the weights: an update moves them by {moved:.2g} of their norm, and the "
                f"loss rises from {self.losses[0]:.3g} to {self.losses[-1]:.3g}; lower the learning rate"
            )
        return problems

    def _of_parameters(self) -> tuple[list[str], list[str]]:
        """Parameters that should have changed and have not."""
        problems: dict[str, list[str]] = {}
        notes: dict[str, list[str]] = {}
        elsewhere: set[torch.Tensor] = set()  # what any optimizer of the program has
        matrices: set[str] = set()  # texts that concern more than biases and scales
        zero: list[_Leaf] = []  # those that get a gradient of zero
        rates = {
            tensor: group.get("lr")
            for updates in self.updates.values()
            if updates.reads and not (updates.why_empty in REASONS and self._reached(updates))
            for group in updates.optimizer.param_groups
            for tensor in group["params"]
        }
        held = _held(value for value in self.snapshot.objects() if isinstance(value, torch.optim.Optimizer))
        hidden = {tensor: name for module, path in self.paths.items() for name, tensor in _hidden(module, path)}
        for tensor, leaf in self.leaves.items():
            if not self.backwards or not tensor.requires_grad or leaf.changed or tensor in held.difference(rates):
                continue
            name = leaf.name or hidden.get(tensor) or self.unregistered.get(tensor) or f"a tensor {_shape(tensor)}"
            target, text = problems, ""
            if tensor in held:
                if leaf.nonzero and not rates[tensor]:
                    target, text = notes, "the learning rate is 0 for {}"
                elif leaf.nonzero:
                    text = NEVER_CHANGED
                elif leaf.gradients:
                    text = ALWAYS_ZERO
                    zero.append(leaf)
                elif not leaf.name:
                    text = "the optimizer has tensors that no model uses, as if it was created before the layers: {}"
                elif leaf.owner in self.called:
                    text = "no gradient reaches {}"
                elif leaf.owner in self.blind:
                    text = "no gradient reaches {}: forward runs under torch.no_grad() or inference_mode()"
                else:
                    target, text = notes, "forward does not call the layers of {}"
            elif leaf.gradients:
                beside = self.beside.get(tensor)
                if leaf.name:
                    text = "no optimizer has {}: add it, or freeze it with requires_grad_(False)"
                elif tensor in hidden or tensor in self.unregistered:
                    text = "forward uses layers that the model does not own, so they are not trained: {}"
                elif isinstance(tensor, nn.Parameter):
                    if beside is not None:
                        elsewhere = elsewhere or _held(part for part in gc.get_objects() if _is_optimizer(part))
                        name = f"{type(beside).__name__} {_shape(tensor)}"
                        target = problems if beside.training and tensor not in elsewhere else notes
                    text = "gets a gradient, but no model or optimizer has it: {}"
                else:
                    continue
            else:
                continue
            target.setdefault(text, []).append(name)
            matrices |= {text} if tensor.dim() > 1 else set()
        for text in (NEVER_CHANGED, ALWAYS_ZERO):
            # The bias before a difference of outputs, and a loss of 0, rightly give no gradient.
            if text in problems and (text not in matrices or not any(self.losses or [1.0])):
                notes[text] = problems.pop(text)
        # A loss that selects what it counts, such as a detector's, rightly leaves out a few layers at first: not those
        # that get nothing but zeros, behind dead units.
        dead = any(not self.fed.get(leaf.owner, True) for leaf in zero)
        if ALWAYS_ZERO in problems and not dead and len(zero) < len(rates) / 4:
            notes[ALWAYS_ZERO] = problems.pop(ALWAYS_ZERO)
        return tuple([text.format(_some(names)) for text, names in part.items()] for part in (problems, notes))

    def _of_modes(self) -> tuple[list[str], list[str]]:
        """Trained modules that ran in eval mode only."""
        problems, notes, norms = [], [], []
        trained = {leaf.owner for leaf in self.leaves.values() if leaf.gradients}
        said: set[nn.Module] = set()
        for module, path in self.paths.items():
            inside = set(module.modules())
            if module in said or self.modes.get(module) != {False} or not trained & inside:
                continue
            said |= inside
            kinds = sorted({type(part).__name__ for part in inside if _depends_on_mode(part)})
            kinds += ["F.dropout"] if self.dropout_is_off and module in self.models and not kinds else []
            name = path or "the model"
            if len(inside) == 1 and module not in self.models:
                norms += [name] if kinds else []
            elif kinds:
                problems.append(f"{name} is trained in eval mode, which changes {_some(kinds)}: call train() first")
            else:
                notes.append(f"{name} is trained in eval mode; none of its layers depends on it")
        if norms:
            notes.append(f"in eval mode: {_some(norms)}")
        return problems, notes


class _Snapshot:
    """Remembers what objects contain, and puts it back into the same objects."""

    def __init__(self) -> None:
        self.kept: dict[int, Any] = {}  # by identity; holds the objects, so that identities stay unique
        self.actions: list[Callable[[], Any]] = []
        self.own_code: set[str] = set()

    def add_variables(self, step: Any, functions: list[types.FunctionType]) -> dict[str, Any]:
        """Bindings and stateful objects that the user's functions refer to, by name."""
        self.own_code = {function.__module__ for function in functions}
        while isinstance(step, functools.partial):
            for part in [*step.args, *step.keywords.values()]:
                self._add_if_stateful(part)
            step = step.func
        found: dict[str, Any] = {}
        for function in functions:
            cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
            for name, cell in cells.items():
                with contextlib.suppress(ValueError):  # an empty cell
                    found.setdefault(name, cell.cell_contents)
                    self.actions.append(functools.partial(setattr, cell, "cell_contents", cell.cell_contents))
            space = function.__globals__
            for name in _code_names(function.__code__) & space.keys():
                found.setdefault(name, space[name])
                self.actions.append(functools.partial(space.__setitem__, name, space[name]))
        owner = getattr(step, "__self__", None if isinstance(step, types.FunctionType) else step)
        if hasattr(owner, "__dict__"):
            self.add(vars(owner), deep=False)
            found |= vars(owner)
        for value in found.values():
            self._add_if_stateful(value)
        return found

    def add(self, value: Any, deep: bool = True) -> Any:
        """Remember the content; return the copy, of a tensor."""
        if id(value) in self.kept:
            return self.kept[id(value)][1]
        self.kept[id(value)] = value, None
        if isinstance(value, torch.Tensor):
            copy = self._add_tensor(value)
            self.kept[id(value)] = value, copy
            return copy
        if isinstance(value, dict | list | set | deque | tuple):
            if not isinstance(value, tuple):
                content = value.copy()
                refill = value.extend if isinstance(value, list | deque) else value.update
                self.actions.append(lambda: (value.clear(), refill(content)))
            for part in () if isinstance(value, set) else list(value.values() if isinstance(value, dict) else value):
                (self.add if deep else self._add_if_stateful)(part)
        elif isinstance(value, torch.Generator):
            self.actions.append(functools.partial(value.set_state, value.get_state()))
        elif self._is_stateful(value):
            kind = type(value)
            if isinstance(value, nn.Module):  # lazy layers change their class
                self.actions.append(lambda: type(value) is kind or setattr(value, "__class__", kind))
            self.add(vars(value))
        return None

    def _add_if_stateful(self, value: Any) -> None:
        if isinstance(value, dict | list | tuple | deque):
            self.add(value, deep=False)
        elif getattr(value, "requires_grad", False) or isinstance(value, torch.Generator) or self._is_stateful(value):
            self.add(value)

    def _is_stateful(self, value: Any) -> bool:
        if isinstance(value, type | types.ModuleType | types.FunctionType) or not hasattr(value, "__dict__"):
            return False
        own = type(value).__module__ in self.own_code and not hasattr(value, "__getitem__")  # no data set
        return own or callable(getattr(value, "state_dict", None))

    def _add_tensor(self, tensor: torch.Tensor) -> torch.Tensor | None:
        lazy = nn.parameter.is_lazy(tensor)
        if not lazy and (not tensor.is_leaf or tensor.is_inference()):
            return None  # the result of an operation: nobody trains it
        kind, data, gradient, trained = type(tensor), tensor.data, tensor.grad, tensor.requires_grad
        copy = None if lazy else data.clone()
        old = None if gradient is None else gradient.clone()

        def restore() -> None:
            if copy is None:
                tensor.data, tensor.__class__ = data, kind
            else:
                data.copy_(copy)
                if tensor.data_ptr() != data.data_ptr() or tensor.shape != data.shape:
                    tensor.set_(data)
            if gradient is not None:
                gradient.detach().copy_(old)
            tensor.grad = gradient
            if tensor.requires_grad != trained:
                tensor.requires_grad_(trained)

        self.actions.append(restore)
        return copy

    def objects(self) -> list[Any]:
        """All that is remembered: what the step can reach, and what it has used."""
        return [value for value, _ in self.kept.values()]

    def restore(self) -> None:
        """Undo what has happened since."""
        with torch.no_grad(), contextlib.ExitStack() as stack:  # which goes on after an exception
            for action in self.actions:
                stack.callback(action)


def _listed(value: Any, kind: type, name: str) -> list[Any]:
    parts = [value] if isinstance(value, kind) else value
    parts = list(parts.values() if isinstance(parts, Mapping) else parts) if isinstance(parts, Iterable) else [value]
    if not parts or not all(isinstance(part, kind) for part in parts):
        raise TypeError(f"{name} must be one {kind.__name__} or a list of them, not a {type(value).__name__}")
    return parts


def _functions(step: Any) -> list[types.FunctionType]:
    """The Python function behind `step`, and those of the same module that it calls."""
    found: list[types.FunctionType] = []
    todo = [step]
    while todo:
        part = todo.pop()
        while isinstance(part, functools.partial):
            part = part.func
        part = getattr(part, "__func__", part)
        if not isinstance(part, types.FunctionType) and not isinstance(part, type):
            part = type(part).__call__ if part is step else part
        if not isinstance(part, types.FunctionType) or part in found:
            continue
        if found and part.__module__ != found[0].__module__:
            continue
        found.append(part)
        for cell in part.__closure__ or ():
            with contextlib.suppress(ValueError):
                todo.append(cell.cell_contents)
        todo += [part.__globals__[name] for name in _code_names(part.__code__) if name in part.__globals__]
    return found


def _code_names(code: types.CodeType) -> set[str]:
    """The global names that a function uses, those of its inner functions included."""
    inner = (part for part in code.co_consts if isinstance(part, types.CodeType))
    return set(code.co_names).union(*map(_code_names, inner))


def _around(original: Callable[..., Any], watched: Callable[..., Any]) -> Callable[..., Any]:
    """A replacement that calls `watched(original, ...)`."""

    @functools.wraps(original)
    def replacement(*args: Any, **kwargs: Any) -> Any:
        return watched(original, *args, **kwargs)

    return replacement


def _leaves(roots: list[torch.Tensor]) -> Iterator[torch.Tensor]:
    """The tensors that backward() from these roots reaches."""
    todo = [tensor.grad_fn for tensor in roots if tensor.grad_fn is not None]
    seen = set(todo)
    while todo:
        node = todo.pop()
        if type(node).__name__ == "AccumulateGrad":
            yield node.variable
        following = [part for part, _ in node.next_functions if part is not None and part not in seen]
        seen.update(following)
        todo += following


def _hidden(module: nn.Module, path: str) -> Iterator[tuple[str, torch.Tensor]]:
    """Tensors that a module keeps where it does not register them, such as a list of layers."""
    for key, value in vars(module).items():
        if not key.startswith("_"):
            for name, part in _parts(value, f"{path}.{key}".lstrip(".")):
                tensors = part.named_parameters() if isinstance(part, nn.Module) else [("", part)]
                yield from ((f"{name}.{inner}".rstrip("."), tensor) for inner, tensor in tensors)


def _parts(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, nn.Module | torch.Tensor):
        yield path, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _parts(part, f"{path}[{key!r}]")
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            yield from _parts(part, f"{path}[{number}]")


def _depends_on_mode(module: nn.Module) -> bool:
    """Whether train() and eval() make a difference: dropout, stochastic depth, running statistics."""
    rates = (getattr(module, name, None) for name in ("p", "dropout", "drop_prob"))
    return getattr(module, "running_mean", None) is not None or any(
        isinstance(rate, float) and 0 < rate <= 1 for rate in rates
    )


def _is_optimizer(part: Any) -> bool:
    return issubclass(type(part), torch.optim.Optimizer) and hasattr(part, "param_groups")


def _held(optimizers: Iterable[torch.optim.Optimizer]) -> set[torch.Tensor]:
    """The tensors that these optimizers have."""
    return {tensor for optimizer in optimizers for group in optimizer.param_groups for tensor in group["params"]}


def _values(tensor: torch.Tensor) -> torch.Tensor:
    """The values of a dense or sparse tensor, in at least float32."""
    tensor = tensor.detach()
    if tensor.layout == torch.sparse_coo:
        tensor = tensor.coalesce().values()
    return tensor.to(torch.promote_types(tensor.dtype, torch.float32))


def _some(names: Iterable[str]) -> str:
    names = list(dict.fromkeys(names))
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _folded(texts: list[str]) -> str:
    """The texts with arrows between them; a sequence that repeats is written once."""
    parts, place = [], 0
    while place < len(texts):
        size, count = 1, 1
        for length in range(1, 7):
            unit, times = texts[place : place + length], 1
            while texts[place + times * length : place + (times + 1) * length] == unit:
                times += 1
            if times > 1 and times * length > size * count:
                size, count = length, times
        unit = " -> ".join(texts[place : place + size])
        parts.append(unit if count == 1 else f"{unit} x{count}" if size == 1 else f"({unit}) x{count}")
        place += size * count
    return " -> ".join(parts)


def _shape(tensor: torch.Tensor) -> str:
    return str(list(tensor.shape))


def _endless(batches: Iterable[Any]) -> Iterator[Any]:
    while True:
        empty = True
        for batch in batches:
            empty = False
            yield batch
        if empty:
            raise ValueError("batches is empty, or an iterator that is used up: pass a DataLoader or a list")


@contextlib.contextmanager
def _random_state_kept() -> Iterator[None]:
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cuda")
    python_state = random.getstate()
    numpy_state = sys.modules["numpy"].random.get_state() if "numpy" in sys.modules else None
    try:
        with torch.random.fork_rng(range(torch.accelerator.device_count()), device_type=accelerator.type):
            yield
    finally:
        random.setstate(python_state)
        if numpy_state is not None:
            sys.modules["numpy"].random.set_state(numpy_state)
