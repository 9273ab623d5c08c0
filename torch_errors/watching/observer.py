"""Turns what a program does with torch into events, by hooks on modules and by wrapping functions of torch.

The observer changes no numbers, random state, exceptions or output of the program. It only observes the thread that
started it, not other threads or forked workers, and pauses while `torch.compile` or `torch.jit` read the program.
"""

from __future__ import annotations

import functools
import math
import os
import sys
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import getpid
from threading import get_ident
from time import perf_counter
from types import CodeType, FrameType, FunctionType
from typing import Any

import torch
import torch.distributed as dist
from torch._C import _functorch
from torch.compiler import is_compiling
from torch.nn.modules import module as module_hooks
from torch.nn.utils import clip_grad
from torch.optim import lr_scheduler
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.utils.data import DataLoader, DistributedSampler, get_worker_info
from torch.utils.data._utils import fetch
from torch.utils.data.dataloader import _BaseDataLoaderIter

from torch_errors.paste.frames import package_of
from torch_errors.watching.batch import MOST_CALLS, Batch, Call, FunctionCall
from torch_errors.watching.detector import EVENTS, Detector, Phase, Run, framework_of_loop, is_real, tensors
from torch_errors.watching.graph import Graph

# Exception that every use of the GPU raises after a kernel has failed. Older versions raise a plain RuntimeError.
_GPU_LOST: type[Exception] | tuple[()] = getattr(torch, "AcceleratorError", ())

LOSSES = (
    "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy", "gaussian_nll_loss", "huber_loss",
    "kl_div", "l1_loss", "mse_loss", "nll_loss", "poisson_nll_loss", "smooth_l1_loss",
)  # fmt: skip
COLLECTIVES = (
    "all_gather", "all_gather_into_tensor", "all_gather_object", "all_reduce", "broadcast", "broadcast_object_list",
    "gather", "gather_object", "reduce", "reduce_scatter", "reduce_scatter_tensor",
)  # fmt: skip
CLIPPING = ("clip_grad_norm_", "clip_grad_value_")
# Number of backward calls at the start whose graphs are all read. After them, only those of each power of two are.
FIRST_GRAPHS = 8
# Function name of the frames from which losses are called; see `_called_from`.
OF_OBSERVER = "_called_by_the_observer"
# Messages of other processes are read after each power of two of steps and after each multiple of this number.
LISTENING = 256


# Tables in which torch keeps the hooks of all modules and their options.
HOOKS: tuple[dict[int, Any], ...] = (
    module_hooks._global_forward_pre_hooks,
    module_hooks._global_forward_hooks,
    module_hooks._global_forward_hooks_with_kwargs,
    module_hooks._global_forward_hooks_always_called,
)
# Stands for the output of a forward pass that raised an exception.
_RAISED = object()
Listener = tuple[Detector, Callable[..., None]]


class Stopped(SystemExit):
    """Raised in the program after its last step. Like `sys.exit()`, it ends with status 0, and cleanup code runs."""


class Observer:
    """Installs itself at `start`, calls the detectors, and leaves nothing behind at `stop`."""

    def __init__(
        self,
        detectors: Sequence[Detector],
        run: Run,
        report: Callable[[], None],
        listen: Callable[[], None] = lambda: None,
    ) -> None:
        """`report` is called after new findings in `run`, `listen` now and then to read messages of other processes."""
        self.run = run
        self._listen = listen
        self.failures: dict[str, BaseException] = {}  # id of a detector that was switched off -> what it raised
        self._report = report
        self._listeners: dict[str, list[Listener]] = {
            event: [(detector, getattr(detector, event)) for detector in detectors if _overrides(detector, event)]
            for event in EVENTS
        }
        # Class of a module -> listeners of its forward passes inside other modules.
        self._inside_of: dict[type, list[Listener]] = {}
        self._thread = get_ident()
        self._process = getpid()
        self._undo: list[Callable[[], Any]] = []
        self._hooks: list[tuple[dict[int, Any], int, Any]] = []  # for each hook: its table, id and value
        self._depth = 0  # number of module calls that are running, each inside the one before
        self._stepped: weakref.WeakSet[Any] = weakref.WeakSet()  # optimizers that have made a step
        self._since = 0.0  # when the outermost module or the optimizer's step that is running has begun
        self._first = 0  # number of backward calls before the first step of the latest optimizer
        self._absent = False  # whether hooks and wrappers are removed for a while; see `_unobserved`
        self._loaders: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # iterator -> its loader
        self._passed: weakref.WeakSet[Any] = weakref.WeakSet()  # loaders that the program has iterated over
        self._calls: list[Call] | None = None  # with --check: forward passes before the first backward pass
        self._functions: list[FunctionCall] = []  # and calls of custom autograd functions
        self._busy = False  # true while a detector or wrapped function runs: its own calls are not reported

    # Installing ----------------------------------------------------------------------------------------------------

    def start(self) -> None:
        self._hook_modules()
        self._wrap_functions()
        self._undo += [
            self._unhook_modules,
            lambda: self._unwrap_functions(),
            register_optimizer_step_pre_hook(self._before_step).remove,
            register_optimizer_step_post_hook(self._after_step).remove,
        ]
        self._wrap(torch.autograd, "backward", self._backward)
        self._wrap(torch.autograd, "grad", self._grad)
        self._wrap(Optimizer, "__init__", self._new_optimizer)
        self._wrap(DataLoader, "__iter__", self._iterate)
        self._wrap_where_heard()
        if self.run.checking != "no":
            self._calls = []
            self._wrap_function_calls()
        self._wrap(torch.jit, "script", self._unobserved)
        self._wrap(torch.jit, "trace", self._unobserved)
        # Compiled modules call this, and would warn about our hooks.
        self._wrap(module_hooks, "_has_any_global_hook", lambda original: self._unobserved(lambda: bool(original())))

    def _wrap_where_heard(self) -> None:
        """Wrap the functions whose events at least one detector listens to."""
        for owner in (Optimizer, torch.nn.Module):
            if self._listeners["on_zero_grad"]:
                self._wrap(owner, "zero_grad", self._zero_grad)
            if self._listeners["on_saved"]:
                self._wrap(owner, "state_dict", self._state_dict)
            if self._listeners["on_loaded"]:
                self._wrap(owner, "load_state_dict", self._load_state_dict)
        if self._listeners["on_mode"]:
            self._wrap(torch.nn.Module, "train", self._train)
        if self._listeners["on_written"]:
            self._wrap(torch, "save", self._save)
        if self._listeners["on_std"]:
            for owner in (torch, torch.Tensor):
                self._wrap(owner, "std", self._std)
        if self._listeners["on_detached"]:
            self._wrap(torch.Tensor, "detach", self._detach)
            self._wrap(torch.Tensor, "detach_", self._detach)
        if self._listeners["on_clip"]:
            for owner, name in ((owner, name) for owner in (torch.nn.utils, clip_grad) for name in CLIPPING):
                self._wrap(owner, name, self._clip)
        if self._listeners["on_scheduled"]:
            classes = [value for value in vars(lr_scheduler).values() if isinstance(value, type)]
            for scheduler in classes:
                if issubclass(scheduler, lr_scheduler.LRScheduler) and "step" in vars(scheduler):
                    self._wrap(scheduler, "step", self._schedule)

        if self._listeners["on_batch"]:
            self._wrap(_BaseDataLoaderIter, "__next__", self._next)
        if self._listeners["on_fetched"]:
            for fetcher in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
                self._wrap(fetcher, "fetch", self._fetch)
        if self._listeners["on_epoch_set"]:
            self._wrap(DistributedSampler, "set_epoch", self._set_epoch)
        if dist.is_available():
            self._wrap_distributed()

    def _wrap_distributed(self) -> None:
        if self._listeners["on_wrapped"]:
            self._wrap(torch.nn.parallel.DistributedDataParallel, "__init__", self._new_wrapper)
        if self._listeners["on_collective"]:
            for owner, name in ((owner, name) for owner in (dist, dist.distributed_c10d) for name in COLLECTIVES):
                self._wrap(owner, name, functools.partial(self._collective, name))

    def stop(self) -> None:
        """Remove all hooks and wrappers."""
        while self._undo:
            self._undo.pop()()

    def end(self) -> None:
        """Call `on_end` of the detectors: the program has ended."""
        self._emit("on_end")

    def tell_shared(self, kind: str, number: int, id: str, value: Any) -> None:
        """Pass a value on to the detector of this id, which shared it in a different process."""
        self._emit("on_shared", kind, number, value, only=id)

    def _hook_modules(self) -> None:
        if not self._listeners["on_forward"]:
            return
        if not self._hooks:
            before = module_hooks.register_module_forward_pre_hook(self._before_forward)
            after = module_hooks.register_module_forward_hook(self._after_forward, with_kwargs=True, always_call=True)
            ids = (before.id, after.id)
            self._hooks = [(table, id, table[id]) for table in HOOKS for id in ids if id in table]
        # Re-register under the original ids; otherwise compiled code would recompile every time.
        for table, id, value in self._hooks:
            table[id] = value

    def _unhook_modules(self) -> None:
        for table, id, _ in self._hooks:
            table.pop(id, None)

    def _wrap_functions(self) -> None:
        around: dict[str, Callable[..., Any]] = {name: functools.partial(self._loss, name) for name in LOSSES}
        if self._listeners["on_dropout"]:
            around["dropout"] = self._dropout
        if self._listeners["on_attention"]:
            around["scaled_dot_product_attention"] = self._attention
        originals = {name: getattr(torch.nn.functional, name) for name in around}
        for name, original in originals.items():
            setattr(torch.nn.functional, name, _around(original, around[name]))

        def unwrap() -> None:
            for name, original in originals.items():
                setattr(torch.nn.functional, name, original)

        self._unwrap_functions = unwrap

    def _wrap(self, owner: Any, name: str, around: Callable[..., Any]) -> None:
        """Replace `owner.name` with a function that calls `around(original, ...)`."""
        original = getattr(owner, name)
        setattr(owner, name, _around(original, around))
        self._undo.append(functools.partial(setattr, owner, name, original))

    # Emitting ------------------------------------------------------------------------------------------------------

    def _observing(self) -> bool:
        # `is_compiling()` must come first, since `torch.compile` can't trace the other calls.
        return not is_compiling() and not self._busy and get_ident() == self._thread and getpid() == self._process

    def _emit(self, event: str, *values: Any, only: str | None = None) -> None:
        """Call the detectors that still listen to an event, or only the one with the id `only`."""
        listeners = self._listeners[event]
        if not listeners:
            return
        if only is not None:
            listeners = [listener for listener in listeners if listener[0].id == only]
        if self._call(listeners, values):
            self._remove_finished(event)

    def _remove_finished(self, event: str) -> None:
        self._listeners[event] = [listener for listener in self._listeners[event] if not listener[0].finished]
        self._inside_of.clear()

    def _call(self, listeners: Sequence[Listener], values: Sequence[Any]) -> bool:
        """Call the listeners and return whether any of them is finished. A detector that raises is switched off."""
        if _is_in_vmap():
            return False
        count, any_finished = len(self.run.findings), False
        grad_enabled = torch.is_grad_enabled()
        torch._C._set_grad_enabled(False)  # `torch.no_grad()` would take as long as many of the events
        self._busy = True
        try:
            for detector, method in listeners:
                if not detector.finished:
                    try:
                        method(*values)
                    except _GPU_LOST:  # a kernel of the program failed, so no tensor on the GPU can be read any more
                        detector.finished = True
                    except Exception as error:
                        self.failures[detector.id] = error
                        detector.finished = True
                any_finished = any_finished or detector.finished
        finally:
            self._busy = False
            torch._C._set_grad_enabled(grad_enabled)
        if len(self.run.findings) > count:
            self._report()
        return any_finished

    @contextmanager
    def _inside(self) -> Iterator[None]:
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    # Hooks and wrappers --------------------------------------------------------------------------------------------

    def _before_forward(self, module: Any, inputs: Any) -> None:
        if self._observing():
            self._depth += 1
            if self._depth == 1:
                self._since = perf_counter()

    def _after_forward(self, module: Any, inputs: Any, named: Any, output: Any = _RAISED) -> None:
        """After a forward pass. If it raised, torch passes no keyword arguments, but None as the third argument."""
        if self._observing():
            self._depth = depth = max(0, self._depth - 1)
            if depth == 0:
                phase: Phase = "forward" if torch.is_grad_enabled() else "evaluation"
                self.run.spent[phase] += perf_counter() - self._since
            if output is _RAISED:
                return
            if depth == 0:
                if not torch.is_grad_enabled():
                    self.run.seen.add("validation")
                elif self._calls is not None and len(self._calls) < MOST_CALLS:
                    self._calls.append(Call(module, inputs, named, output))
                self._emit("on_forward", module, (*inputs, named) if named else inputs, output, 0)
                return
            kind = type(module)
            listeners = self._inside_of.get(kind)
            if listeners is None:
                listeners = [listener for listener in self._listeners["on_forward"] if _asks_for(listener[0], kind)]
                self._inside_of[kind] = listeners
            if listeners and self._call(listeners, (module, (*inputs, named) if named else inputs, output, depth)):
                self._remove_finished("on_forward")

    def _loss(self, name: str, original: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        value = _called_from(sys._getframe(2), original, arguments, named)  # the caller of `wrapped`, which called this
        if self._observing():
            input, target = _arguments(("input", "target"), arguments, named)
            self._emit("on_loss", name, input, target, value)
        return value

    def _dropout(self, original: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        if self._observing():
            input, p, training = _arguments(("input", "p", "training"), arguments, named)
            self._emit("on_dropout", input, 0.5 if p is None else p, training is not False)
        return original(*arguments, **named)

    def _attention(self, original: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        if self._observing():
            names = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
            query, key, _, mask, dropout_p, is_causal = _arguments(names, arguments, named)
            self._emit("on_attention", query, key, mask, bool(is_causal))
            if dropout_p:
                self._emit("on_dropout", query, dropout_p, True)
        return original(*arguments, **named)

    def _backward(self, original: Callable[..., Any], tensors: Any, *arguments: Any, **named: Any) -> Any:
        if not self._observing():
            return original(tensors, *arguments, **named)
        loss = tensors if isinstance(tensors, torch.Tensor) else tensors[0] if len(tensors) == 1 else None
        if loss is not None and loss.grad_fn is None and loss.requires_grad:
            self._emit("on_leaf_backward", loss)
        if loss is not None and loss.grad_fn is not None and self._calls is not None:
            self.check(loss)
        if loss is not None and loss.grad_fn is not None:
            number = self.run.backwards
            value = float(loss.item()) if loss.numel() == 1 and self._may_read(loss, number) else None
            if value is not None:
                self._remember(value)
            if number - self._first < FIRST_GRAPHS or number & (number - 1) == 0:
                self._emit("on_graph", Graph(loss), loss)
            if value is not None and not math.isfinite(value):
                self._emit("on_not_finite", loss, value)
            self._emit("on_backward", loss, value)
        self.run.backwards += 1
        since = perf_counter()
        with self._inside():  # activation checkpointing calls modules again
            result = original(tensors, *arguments, **named)
        self.run.spent["backward"] += perf_counter() - since
        if loss is not None and loss.grad_fn is not None:
            self._emit("on_backward_done", loss)
        return result

    def check(self, loss: torch.Tensor, alone: bool = False) -> None:
        """Let the detectors look closely at the batch of a loss. `alone`: no backward pass will follow."""
        calls = [call for call in self._calls or () if any(tensor.requires_grad for tensor in tensors(call.output))]
        calls = [call for call in calls if next(call.module.parameters(), None) is not None]  # not losses
        batch = Batch(loss, Graph(loss), calls, self._functions)
        self._calls, self._functions = None, []
        self.run.seen.add("check")
        self._emit("on_check", batch)
        if alone:
            self._emit("on_graph", batch.graph, loss)
        self.run.checked += batch.notes

    def _wrap_function_calls(self) -> None:
        """Record the first calls of the autograd functions that the program itself defines."""
        original = vars(torch.autograd.Function)["apply"]

        def apply(function: Any, *arguments: Any, **named: Any) -> Any:
            if self._calls is not None and len(self._functions) < MOST_CALLS and self._observing():
                code = getattr(function.forward, "__code__", None)
                if code is not None and package_of(code.co_filename) is None:
                    copies = (a.detach().clone() if isinstance(a, torch.Tensor) else a for a in arguments)
                    self._functions.append(FunctionCall(function, tuple(copies)))
            return original.__get__(None, function)(*arguments, **named)

        torch.autograd.Function.apply = classmethod(apply)
        self._undo.append(functools.partial(setattr, torch.autograd.Function, "apply", original))

    def _start_training(self) -> None:
        """Start again with losses and graphs when a further optimizer steps first: it may train a different model."""
        run = self.run
        if run.losses:
            run.losses[:-1] = []
            run.first_loss = run.losses[0]
        self._first = run.backwards

    @staticmethod
    def _may_read(loss: torch.Tensor, number: int) -> bool:
        """Whether to read this loss. Reading waits for the GPU, so only the first few there and every 16th are read."""
        if not is_real(loss):
            return False
        return loss.device.type == "cpu" or number < FIRST_GRAPHS or number % 16 == 0

    def _remember(self, value: float) -> None:
        run = self.run
        if run.first_loss is None:
            run.first_loss = value
        run.losses.append(value)
        if len(run.losses) > run.LONGEST_HISTORY:
            del run.losses[0]

    def _grad(self, original: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        if not self._observing():
            return original(*arguments, **named)
        self._emit("on_gradients")
        with self._inside():
            gradients = original(*arguments, **named)
        given = _arguments(("outputs", "inputs"), arguments, named)
        outputs, inputs = ((value,) if isinstance(value, torch.Tensor) else tuple(value) for value in given)
        # A generator of inputs is used up, and edges of a graph are no tensors.
        if len(inputs) == len(gradients) and all(isinstance(value, torch.Tensor) for value in outputs + inputs):
            self._emit("on_differentiated", outputs, inputs, gradients)
        return gradients

    def _new_optimizer(self, original: Callable[..., Any], optimizer: Any, *arguments: Any, **named: Any) -> Any:
        result = original(optimizer, *arguments, **named)
        self.run.optimizers.add(optimizer)
        return result

    def _before_step(self, optimizer: Any, arguments: Any, named: Any) -> None:
        if self._observing():
            self.run.optimizers.add(optimizer)
            if optimizer not in self._stepped:
                if self.run.steps:
                    self._start_training()
                self._stepped.add(optimizer)
                self.run.framework = self.run.framework or framework_of_loop()
            self._emit("on_step", optimizer)
            self._since = perf_counter()

    def _after_step(self, optimizer: Any, arguments: Any, named: Any) -> None:
        if self._observing():
            self.run.spent["step"] += perf_counter() - self._since
            self._emit("on_stepped", optimizer)
            self.run.steps += 1
            if self.run.checking == "and end" and self._calls is None:
                raise Stopped
            if self.run.steps & (self.run.steps - 1) == 0 or self.run.steps % LISTENING == 0:
                self._listen()
            if self.run.stop_after is not None and self.run.steps >= self.run.stop_after:
                raise Stopped

    def _schedule(self, original: Callable[..., Any], scheduler: Any, *arguments: Any, **named: Any) -> Any:
        if not self._observing() or getattr(scheduler, "_is_initial", False):
            return original(scheduler, *arguments, **named)
        with self._inside():  # a scheduler may call other schedulers
            result = original(scheduler, *arguments, **named)
        self._emit("on_scheduled", scheduler)
        return result

    def _zero_grad(self, original: Callable[..., Any], owner: Any, *arguments: Any, **named: Any) -> Any:
        if self._observing():
            self._emit("on_zero_grad", owner)
        return original(owner, *arguments, **named)

    def _std(self, original: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        result = original(*arguments, **named)
        if self._observing():
            self._emit("on_std", arguments[0] if arguments else named.get("input"), result)
        return result

    def _detach(self, original: Callable[..., Any], tensor: Any) -> Any:
        if tensor.grad_fn is not None and self._observing():
            self._emit("on_detached", tensor)
        return original(tensor)

    def _clip(self, original: Callable[..., Any], parameters: Any, *arguments: Any, **named: Any) -> Any:
        if not self._observing():
            return original(parameters, *arguments, **named)
        parameters = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
        limit = arguments[0] if arguments else named.get("max_norm", named.get("clip_value"))
        self._emit("on_clip", parameters, limit)
        return original(parameters, *arguments, **named)

    def _train(self, original: Callable[..., Any], module: Any, mode: bool = True) -> Any:
        if not self._observing():
            return original(module, mode)
        if not mode:
            self.run.seen.add("validation")
        self._emit("on_mode", module, mode)
        with self._inside():  # it calls `train` of its children
            return original(module, mode)

    def _state_dict(self, original: Callable[..., Any], owner: Any, *arguments: Any, **named: Any) -> Any:
        if not self._observing():
            return original(owner, *arguments, **named)
        with self._inside():  # it calls `state_dict` of its children
            state = original(owner, *arguments, **named)
        self._emit("on_saved", owner, state)
        return state

    def _save(self, original: Callable[..., Any], value: Any, *arguments: Any, **named: Any) -> Any:
        if self._observing():
            self._emit("on_written", value)
        return original(value, *arguments, **named)

    def _load_state_dict(self, original: Callable[..., Any], owner: Any, state: Any, *more: Any, **named: Any) -> Any:
        result = original(owner, state, *more, **named)
        if self._observing():
            self.run.seen.add("checkpoint")
            self._emit("on_loaded", owner, state)
        return result

    def _iterate(self, original: Callable[..., Any], loader: Any) -> Any:
        if not self._observing():
            return original(loader)
        self.run.passes += 1
        if loader in self._passed:
            self.run.seen.add("epochs")
        self._passed.add(loader)
        self._listen()
        self._emit("on_pass", loader)
        if loader.num_workers and self._listeners["on_fetched"]:
            self.run.post.open()
        iterator = original(loader)
        # The iterator keeps its loader alive, unless the loader itself holds the iterator: that would be a cycle.
        self._loaders[iterator] = weakref.ref(loader) if loader.persistent_workers else lambda: loader
        return iterator

    def _next(self, original: Callable[..., Any], iterator: Any) -> Any:
        since = perf_counter()
        batch = original(iterator)
        self.run.spent["data"] += perf_counter() - since
        loader = self._loaders[iterator]() if iterator in self._loaders else None
        if loader is not None and self._observing():
            self._emit("on_batch", loader, batch)
        return batch

    def _fetch(self, original: Callable[..., Any], fetcher: Any, *arguments: Any) -> Any:
        batch = original(fetcher, *arguments)
        worker = get_worker_info()
        if worker is not None and self.run.post.is_worker:
            self._emit("on_fetched", worker.dataset, worker.id, batch)
        return batch

    def _set_epoch(self, original: Callable[..., Any], sampler: Any, epoch: int) -> Any:
        if self._observing():
            self._emit("on_epoch_set", sampler, epoch)
        return original(sampler, epoch)

    def _new_wrapper(self, original: Callable[..., Any], wrapper: Any, *arguments: Any, **named: Any) -> Any:
        result = original(wrapper, *arguments, **named)
        if self._observing():
            self._emit("on_wrapped", wrapper)
        return result

    def _collective(self, name: str, original: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        if not self._observing():
            return original(*arguments, **named)
        self._emit("on_collective", name, arguments[0] if arguments else next(iter(named.values()), None))
        with self._inside():  # collectives call each other
            return original(*arguments, **named)

    def _unobserved(self, original: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Call a function without our hooks and wrappers, since it reads the program's source or looks for hooks."""
        if self._absent:  # called from inside a call that has already removed them
            return original(*arguments, **named)
        self._absent = True
        self._unhook_modules()
        self._unwrap_functions()
        try:
            return original(*arguments, **named)
        finally:
            self._hook_modules()
            self._wrap_functions()
            self._absent = False


def _is_in_vmap() -> bool:
    """Whether the program is inside of `torch.vmap`, which doesn't let anybody read the values of its tensors."""
    levels = _functorch.get_interpreter_stack()
    return levels is not None and any(level.key() == _functorch.TransformType.Vmap for level in levels)


def _overrides(detector: Detector, event: str) -> bool:
    return getattr(type(detector), event) is not getattr(Detector, event)


def _asks_for(detector: Detector, kind: type) -> bool:
    return not detector.finished and (detector.inside is None or issubclass(kind, detector.inside))


def _around(original: Callable[..., Any], around: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls `around(original, ...)` and looks like `original`."""

    @functools.wraps(original)
    def wrapped(*arguments: Any, **named: Any) -> Any:
        return around(original, *arguments, **named)

    return wrapped


def _call(original: Callable[..., Any], arguments: Sequence[Any], named: Mapping[str, Any]) -> Any:
    return original(*arguments, **named)


def _called_from(caller: FrameType, original: Callable[..., Any], arguments: Any, named: Any) -> Any:
    """Call a function from a frame with file and line of `caller`, so that its warnings point to the caller's line."""
    return FunctionType(_code_at(caller.f_code.co_filename, caller.f_lineno), caller.f_globals)(
        original, arguments, named
    )


@functools.lru_cache(maxsize=256)
def _code_at(file: str, line: int) -> CodeType:
    return _call.__code__.replace(co_filename=file, co_firstlineno=line - 1, co_name=OF_OBSERVER)


def is_observed() -> bool:
    """Whether an observer is installed in this process."""
    return _is_ours(torch.autograd.backward.__code__)


def hide_observer(error: BaseException) -> None:
    """Remove the observer's frames from the tracebacks of an exception and of the exceptions chained to it."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        exception = waiting.pop()
        if exception is None or id(exception) in seen:
            continue
        seen.add(id(exception))
        waiting += [exception.__cause__, exception.__context__]
        trace = exception.__traceback__
        while trace is not None:
            following = trace.tb_next
            while following is not None and _is_ours(following.tb_frame.f_code):
                following = following.tb_next
            trace.tb_next = following
            trace = following


def _is_ours(code: CodeType) -> bool:
    return code.co_name == OF_OBSERVER or os.path.dirname(code.co_filename) == os.path.dirname(__file__)


def _arguments(names: Sequence[str], given: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """The arguments with these names, in this order, with None for those that are missing."""
    return [given[n] if n < len(given) else named.get(name) for n, name in enumerate(names)]
