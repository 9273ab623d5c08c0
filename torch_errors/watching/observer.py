"""Turns what a program does with torch into events: hooks, and wrapped functions that call the original.

It changes no number, no random state, no exception and no output. It observes the thread that started it, in this
process only: not forked workers, not other threads, not while `torch.compile` or `torch.jit` read the program.
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
from types import CodeType, FrameType, FunctionType
from typing import Any

import torch
import torch.distributed as dist
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

from torch_errors.watching.detector import EVENTS, Detector, Run, is_real
from torch_errors.watching.graph import Graph

# What every use of the GPU raises once a kernel has failed; older versions raise a plain RuntimeError.
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
# Of the backward calls, those whose graphs are read: the first ones, and then each power of two.
FIRST_GRAPHS = 8
# Name of the frames in which losses are called.
OF_OBSERVER = "_called_by_the_observer"
# News of other processes are asked for after steps that are powers of two, and after each of so many.
LISTENING = 256


# Where torch keeps hooks of all modules, and what it keeps of each.
HOOKS: tuple[dict[int, Any], ...] = (
    module_hooks._global_forward_pre_hooks,
    module_hooks._global_forward_hooks,
    module_hooks._global_forward_hooks_with_kwargs,
    module_hooks._global_forward_hooks_always_called,
)
Listener = tuple[Detector, Callable[..., None]]


class Observer:
    """Installs itself at `start`, calls the detectors, and leaves nothing behind at `stop`."""

    def __init__(
        self,
        detectors: Sequence[Detector],
        run: Run,
        found: Callable[[], None],
        listen: Callable[[], None] = lambda: None,
    ) -> None:
        """`found` is called when there is a new finding in `run`, `listen` now and then for news of other processes."""
        self.run = run
        self._listen = listen
        self.failures: dict[str, BaseException] = {}  # id of a detector that was switched off -> why
        self._found = found
        self._listeners: dict[str, list[Listener]] = {
            event: [(one, getattr(one, event)) for one in detectors if _overrides(one, event)] for event in EVENTS
        }
        # Class of a module -> who listens to its calls inside other modules.
        self._inside_of: dict[type, list[Listener]] = {}
        self._thread = get_ident()
        self._process = getpid()
        self._undo: list[Callable[[], Any]] = []
        self._hooks: list[tuple[dict[int, Any], int, Any]] = []  # the table of each, its number, what stands there
        self._depth = 0  # of module calls
        self._stepped: weakref.WeakSet[Any] = weakref.WeakSet()  # optimizers
        self._first = 0  # backward calls before the first step of the latest optimizer
        self._absent = False  # while something reads the program's source
        self._loaders: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()  # iterator -> its loader
        self._busy = False  # inside a detector, a loss or a backward pass, whose calls are not the program's

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
        self._wrap(torch.jit, "script", self._unobserved)
        self._wrap(torch.jit, "trace", self._unobserved)
        # Asked by compiled modules, which warn of hooks.
        self._wrap(module_hooks, "_has_any_global_hook", lambda original: self._unobserved(lambda: bool(original())))

    def _wrap_where_heard(self) -> None:
        """Wrap what only some detectors listen to."""
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
            classes = [one for one in vars(lr_scheduler).values() if isinstance(one, type)]
            for one in classes:
                if issubclass(one, lr_scheduler.LRScheduler) and "step" in vars(one):
                    self._wrap(one, "step", self._schedule)

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
        """Leave nothing behind."""
        while self._undo:
            self._undo.pop()()

    def end(self) -> None:
        """Tell the detectors that the program has ended."""
        self._emit("on_end")

    def tell_shared(self, kind: str, number: int, id: str, value: Any) -> None:
        """Tell the detector of this id what it has shared in another process."""
        self._emit("on_shared", kind, number, value, only=id)

    def _hook_modules(self) -> None:
        if not self._listeners["on_forward"]:
            return
        if not self._hooks:
            before = module_hooks.register_module_forward_pre_hook(self._before_forward)
            after = module_hooks.register_module_forward_hook(self._after_forward, with_kwargs=True, always_call=True)
            ids = (before.id, after.id)
            self._hooks = [(table, id, table[id]) for table in HOOKS for id in ids if id in table]
        # Under the numbers that they had: compiled code that saw others would be compiled anew, each time.
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
        """Replace `owner.name` by a function that calls `around(original, ...)`."""
        original = getattr(owner, name)
        setattr(owner, name, _around(original, around))
        self._undo.append(functools.partial(setattr, owner, name, original))

    # Emitting ------------------------------------------------------------------------------------------------------

    def _observing(self) -> bool:
        # First what `torch.compile` knows: it cannot read the others.
        return not is_compiling() and not self._busy and get_ident() == self._thread and getpid() == self._process

    def _emit(self, event: str, *values: Any, only: str | None = None) -> None:
        """Call the detectors that still listen. One that raises is switched off: the program goes on without it."""
        listeners = self._listeners[event]
        if not listeners:
            return
        if only is not None:
            listeners = [(one, method) for one, method in listeners if one.id == only]
        if self._call(listeners, values):
            self._listeners[event] = [(one, method) for one, method in self._listeners[event] if not one.finished]
            self._inside_of.clear()

    def _call(self, listeners: Sequence[Listener], values: Sequence[Any]) -> bool:
        """Call these; whether one of them has nothing more to see."""
        known, ended = len(self.run.findings), False
        graded = torch.is_grad_enabled()
        torch._C._set_grad_enabled(False)  # what `no_grad` does, without its objects: an event is often no longer
        self._busy = True
        try:
            for one, method in listeners:
                if not one.finished:
                    try:
                        method(*values)
                    except _GPU_LOST:  # by the program: no detector can read a tensor on it any more
                        one.finished = True
                    except Exception as error:
                        self.failures[one.id] = error
                        one.finished = True
                ended = ended or one.finished
        finally:
            self._busy = False
            torch._C._set_grad_enabled(graded)
        if len(self.run.findings) > known:
            self._found()
        return ended

    @contextmanager
    def _inside(self) -> Iterator[None]:
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    # What happens --------------------------------------------------------------------------------------------------

    def _before_forward(self, module: Any, inputs: Any) -> None:
        if self._observing():
            self._depth += 1

    def _after_forward(self, module: Any, inputs: Any, named: Any, output: Any) -> None:
        if self._observing():
            self._depth = depth = max(0, self._depth - 1)
            if depth == 0:
                self._emit("on_forward", module, (*inputs, named) if named else inputs, output, 0)
                return
            kind = type(module)
            listeners = self._inside_of.get(kind)
            if listeners is None:
                listeners = [one for one in self._listeners["on_forward"] if _asks_for(one[0], kind)]
                self._inside_of[kind] = listeners
            if listeners and self._call(listeners, (module, (*inputs, named) if named else inputs, output, depth)):
                everyone = self._listeners["on_forward"]
                self._listeners["on_forward"] = [(one, method) for one, method in everyone if not one.finished]
                self._inside_of.clear()

    def _loss(self, name: str, original: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        value = _called_from(sys._getframe(2), original, arguments, named)  # behind `_loss` and `wrapped`
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
        with self._inside():  # checkpointing runs modules again
            done = original(tensors, *arguments, **named)
        if loss is not None and loss.grad_fn is not None:
            self._emit("on_backward_done", loss)
        return done

    def _begin_training(self) -> None:
        """A second optimizer makes its first step: earlier losses may be another model's, and graphs look different."""
        run = self.run
        if run.losses:
            run.losses[:-1] = []
            run.first_loss = run.losses[0]
        self._first = run.backwards

    @staticmethod
    def _may_read(loss: torch.Tensor, number: int) -> bool:
        """Reading a number waits for the GPU: there, only every 16th."""
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
            return original(*arguments, **named)

    def _new_optimizer(self, original: Callable[..., Any], optimizer: Any, *arguments: Any, **named: Any) -> Any:
        made = original(optimizer, *arguments, **named)
        self.run.optimizers.add(optimizer)
        return made

    def _before_step(self, optimizer: Any, arguments: Any, named: Any) -> None:
        if self._observing():
            self.run.optimizers.add(optimizer)
            if optimizer not in self._stepped:
                if self.run.steps:
                    self._begin_training()
                self._stepped.add(optimizer)
            self._emit("on_step", optimizer)

    def _after_step(self, optimizer: Any, arguments: Any, named: Any) -> None:
        if self._observing():
            self._emit("on_stepped", optimizer)
            self.run.steps += 1
            if self.run.steps & (self.run.steps - 1) == 0 or self.run.steps % LISTENING == 0:
                self._listen()

    def _schedule(self, original: Callable[..., Any], scheduler: Any, *arguments: Any, **named: Any) -> Any:
        if not self._observing() or getattr(scheduler, "_is_initial", False):
            return original(scheduler, *arguments, **named)
        with self._inside():  # one scheduler calls others
            done = original(scheduler, *arguments, **named)
        self._emit("on_scheduled", scheduler)
        return done

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
        self._emit("on_mode", module, mode)
        with self._inside():  # its children
            return original(module, mode)

    def _state_dict(self, original: Callable[..., Any], owner: Any, *arguments: Any, **named: Any) -> Any:
        if not self._observing():
            return original(owner, *arguments, **named)
        with self._inside():  # its children
            state = original(owner, *arguments, **named)
        self._emit("on_saved", owner, state)
        return state

    def _save(self, original: Callable[..., Any], value: Any, *arguments: Any, **named: Any) -> Any:
        if self._observing():
            self._emit("on_written", value)
        return original(value, *arguments, **named)

    def _load_state_dict(self, original: Callable[..., Any], owner: Any, state: Any, *more: Any, **named: Any) -> Any:
        done = original(owner, state, *more, **named)
        if self._observing():
            self._emit("on_loaded", owner, state)
        return done

    def _iterate(self, original: Callable[..., Any], loader: Any) -> Any:
        if not self._observing():
            return original(loader)
        self.run.passes += 1
        self._listen()
        self._emit("on_pass", loader)
        if loader.num_workers and self._listeners["on_fetched"]:
            self.run.post.open()
        iterator = original(loader)
        # An iterator may outlive its loader, unless the loader has it.
        self._loaders[iterator] = weakref.ref(loader) if loader.persistent_workers else lambda: loader
        return iterator

    def _next(self, original: Callable[..., Any], iterator: Any) -> Any:
        batch = original(iterator)
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
        made = original(wrapper, *arguments, **named)
        if self._observing():
            self._emit("on_wrapped", wrapper)
        return made

    def _collective(self, name: str, original: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        if not self._observing():
            return original(*arguments, **named)
        self._emit("on_collective", name, arguments[0] if arguments else next(iter(named.values()), None))
        with self._inside():  # one calls others
            return original(*arguments, **named)

    def _unobserved(self, original: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Run what reads the program's source, or asks whether there are hooks, without ours."""
        if self._absent:  # one of these calls another
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
    """Call a function in a frame with the place of `caller`, which its warnings (`stacklevel=2`) name."""
    return FunctionType(_code_at(caller.f_code.co_filename, caller.f_lineno), caller.f_globals)(
        original, arguments, named
    )


@functools.lru_cache(maxsize=256)
def _code_at(file: str, line: int) -> CodeType:
    return _call.__code__.replace(co_filename=file, co_firstlineno=line - 1, co_name=OF_OBSERVER)


def hide_observer(error: BaseException) -> None:
    """Take the frames of this package out of the tracebacks of an exception and of those that it followed."""
    waiting: list[BaseException | None] = [error]
    seen: set[int] = set()
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        waiting += [one.__cause__, one.__context__]
        trace = one.__traceback__
        while trace is not None:
            following = trace.tb_next
            while following is not None and _is_ours(following.tb_frame.f_code):
                following = following.tb_next
            trace.tb_next = following
            trace = following


def _is_ours(code: CodeType) -> bool:
    return code.co_name == OF_OBSERVER or os.path.dirname(code.co_filename) == os.path.dirname(__file__)


def _arguments(names: Sequence[str], given: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    """The arguments of these names, in this order; None for one that was not given."""
    return [given[n] if n < len(given) else named.get(name) for n, name in enumerate(names)]
