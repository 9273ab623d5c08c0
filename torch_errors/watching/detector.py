"""The contract between the observer and the detectors: events, the state of the run, and the base class.

A detector is a class `Watch(Detector)` in the `watch.py` of an entry. It overrides methods `on_...`; each is one event.
Methods run without gradient tracking, must not change what they are given, draw no random numbers, keep no tensor alive
and copy only a few numbers. An exception in one switches the detector off.
"""

from __future__ import annotations

import os
import sys
import weakref
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal

import torch
import torch.distributed as dist
from torch.utils.data import get_worker_info

from torch_errors.paste.frames import package_of
from torch_errors.watching.post import Post

if TYPE_CHECKING:
    from torch_errors.watching.graph import Graph

Certainty = Literal["proof", "strong"]
_OURS = os.path.join(Path(__file__).resolve().parents[1], "")
# The beginning of the names under which the detectors of entries are loaded.
DETECTOR_MODULE = "torch_errors_watch_"


@dataclass(frozen=True)
class Finding:
    """A fault that the run showed."""

    id: str  # of the entry
    certainty: Certainty
    file: str  # the program's line at which it was seen; empty where no line of the program was running
    line: int
    step: int  # optimizer steps before it
    texts: Mapping[str, str]  # language -> what was seen, with the program's numbers


@dataclass
class Run:
    """What the observer knows of the run so far. Detectors read it."""

    steps: int = 0  # calls of Optimizer.step
    backwards: int = 0  # calls of backward
    passes: int = 0  # iterations over a DataLoader that were begun
    losses: list[float] = field(default_factory=list)  # of the last backward calls, at most LONGEST_HISTORY
    first_loss: float | None = None  # of the first backward call, or of the one at which the latest optimizer began
    optimizers: weakref.WeakSet[Any] = field(default_factory=weakref.WeakSet)
    findings: list[Finding] = field(default_factory=list)
    post: Post = field(default_factory=Post)  # to the other processes of the run

    LONGEST_HISTORY = 256

    @property
    def rank(self) -> int:
        """Of this process: in the process group if there is one, otherwise as torchrun says, otherwise 0."""
        return dist.get_rank() if has_group() else self.post.rank

    @property
    def world_size(self) -> int:
        """How many ranks there are, 1 where the run is not distributed."""
        return dist.get_world_size() if has_group() else self.post.size

    def optimized(self) -> set[int]:
        """`id` of every parameter that an optimizer has."""
        return {id(p) for optimizer in self.optimizers for group in optimizer.param_groups for p in group["params"]}

    def found(self, id: str) -> bool:
        return any(finding.id == id for finding in self.findings)

    @property
    def proven(self) -> bool:
        """Whether there is a finding that is proof: then the course of the loss says nothing new."""
        return any(finding.certainty == "proof" for finding in self.findings)


class Detector:
    """Base class: a method an event. `self.run` is the state of the run, `self.find(...)` says what was found."""

    id: str  # of the entry; set when the detector is loaded
    # What was seen, in each language, its `{names}` filled in by `find`.
    saw: Mapping[str, str]
    # Variants of the entry whose run does not show the fault, such as `wrong_fix`, and why.
    unseen: Mapping[str, str] = {}
    # The modules of which it needs `on_forward` inside other modules; None: all of them.
    inside: tuple[type[torch.nn.Module], ...] | None = None
    after_others = False  # asked after all others, whose more precise findings it leaves the word
    finished = False  # set where there is nothing more to see: no event follows

    def __init__(self, run: Run) -> None:
        self.run = run

    def find(self, certainty: Certainty, /, at: tuple[str, int] | None = None, **values: object) -> None:
        """Report the fault, once a run. `values` fill in `saw`; `at`: a line other than the present one."""
        if self.run.found(self.id):
            return
        file, line = at or program_line()
        texts = {language: said.format(**values) for language, said in self.saw.items()}
        self.run.findings.append(Finding(self.id, certainty, file, line, self.run.steps, texts))

    def share(self, value: Any) -> None:
        """Tell a value, of which JSON can be made, to this detector in the other ranks of the machine.

        In a worker of a DataLoader (`on_fetched`), to this detector in the process that iterates over the loader.
        There, `on_shared` follows: not at once, but before `on_end`.
        """
        worker = get_worker_info()
        self.run.post.send(share=[self.id, value], **({"worker": worker.id} if worker else {}))

    # Events --------------------------------------------------------------------------------------------------------

    def on_forward(self, module: torch.nn.Module, inputs: tuple[Any, ...], output: Any, depth: int) -> None:
        """A module has returned. `depth` is 0 for the outermost, the one that the program called itself.

        Told of every outermost module, and of those inside them that are instances of the classes in `inside`.
        `inputs` are the arguments by position; those by name follow as one dict, if there are any.
        """

    def on_loss(self, name: str, input: Any, target: Any, value: Any) -> None:
        """A loss of `torch.nn.functional` has returned, called by name, as `mse_loss`, or by a loss module."""

    def on_dropout(self, input: Any, p: float, training: bool) -> None:
        """`F.dropout` was called, also by a dropout layer, or attention with a `dropout_p` above 0."""

    def on_attention(self, query: Any, key: Any, mask: Any, is_causal: bool) -> None:
        """`F.scaled_dot_product_attention` was called, also by a layer. `mask`: its `attn_mask`, or None."""

    def on_graph(self, graph: Graph, loss: torch.Tensor) -> None:
        """Before backward: the graph of the loss. Only in the first calls, and then ever more rarely."""

    def on_backward(self, loss: torch.Tensor, value: float | None) -> None:
        """Before backward. `value` is the loss as a number, None where it is no scalar."""

    def on_not_finite(self, loss: torch.Tensor, value: float) -> None:
        """Before `on_backward`, where the loss is a scalar that is NaN or infinite."""

    def on_backward_done(self, loss: torch.Tensor) -> None:
        """After a backward pass that has not raised."""

    def on_std(self, input: Any, result: Any) -> None:
        """`torch.std` or `tensor.std` has returned."""

    def on_detached(self, tensor: torch.Tensor) -> None:
        """Before `tensor.detach()` or `tensor.detach_()`. Not of `tensor.data`."""

    def on_gradients(self) -> None:
        """Gradients were asked for by `torch.autograd.grad`."""

    def on_zero_grad(self, owner: torch.optim.Optimizer | torch.nn.Module) -> None:
        """Before `zero_grad` of an optimizer or a module."""

    def on_clip(self, parameters: list[torch.Tensor], limit: Any) -> None:
        """Before gradients are clipped to a norm or value of `limit`, a number."""

    def on_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Before an optimizer's step."""

    def on_stepped(self, optimizer: torch.optim.Optimizer) -> None:
        """After an optimizer's step."""

    def on_scheduled(self, scheduler: Any) -> None:
        """After a step of a learning rate scheduler; not the one that its constructor makes."""

    def on_mode(self, module: torch.nn.Module, training: bool) -> None:
        """Before `train` or `eval` of a module that the program called itself."""

    def on_pass(self, loader: Any) -> None:
        """An iteration over a DataLoader begins."""

    def on_batch(self, loader: Any, batch: Any) -> None:
        """A DataLoader hands a batch to the program, in the process that iterates over it."""

    def on_fetched(self, dataset: Any, worker: int, batch: Any) -> None:
        """A worker of a DataLoader has made a batch. Told in that worker, where no other event is.

        There the detector is a copy from the time at which the iteration began: what it notes is lost, `find` and
        `share` reach the process that iterates. Only forked workers tell it: not where the start method is another.
        """

    def on_shared(self, kind: Literal["rank", "worker"], number: int, value: Any) -> None:
        """What this detector told by `share` in the rank or worker of this number."""

    def on_epoch_set(self, sampler: torch.utils.data.DistributedSampler[Any], epoch: int) -> None:
        """Before `set_epoch` of a DistributedSampler."""

    def on_wrapped(self, wrapper: torch.nn.parallel.DistributedDataParallel) -> None:
        """A module was wrapped in DistributedDataParallel, `wrapper.module`.

        A forward pass of the wrapper is an `on_forward` of it, that of the module inside comes before, with one more
        `depth`. It prepares the next backward pass, which then averages gradients over the ranks, if its output has a
        gradient and `wrapper.require_backward_grad_sync` is true: under `no_sync()` it is not.
        """

    def on_collective(self, name: str, value: Any) -> None:
        """Before a function of `torch.distributed` such as `all_reduce`; `value`: its first argument.

        Called by the program or by a package; DistributedDataParallel averages gradients without it.
        """

    def on_saved(self, owner: torch.optim.Optimizer | torch.nn.Module, state: dict[str, Any]) -> None:
        """`state_dict` of a module or an optimizer has returned."""

    def on_loaded(self, owner: torch.optim.Optimizer | torch.nn.Module, state: Mapping[str, Any]) -> None:
        """`load_state_dict` of a module or an optimizer has returned."""

    def on_written(self, value: Any) -> None:
        """Before `torch.save`."""

    def on_end(self) -> None:
        """The program has ended, by an exception, too."""


EVENTS = [name for name in vars(Detector) if name.startswith("on_")]


def has_group() -> bool:
    """Whether the program has begun a process group."""
    return dist.is_available() and dist.is_initialized()


def is_real(tensor: torch.Tensor) -> bool:
    """Whether a tensor has numbers: neither on `meta`, nor fake, nor of a class that stands for several."""
    return type(tensor) in (torch.Tensor, torch.nn.Parameter) and not tensor.is_meta


def tensors(value: Any) -> Iterable[torch.Tensor]:
    """The real tensors in what a module takes or returns, in order, also in tuples, lists and dicts, three deep."""
    stack = [(value, 0)]
    while stack:
        item, deep = stack.pop()
        if isinstance(item, torch.Tensor):
            if is_real(item):
                yield item
        elif deep < 3 and isinstance(item, (tuple, list)):
            stack += [(part, deep + 1) for part in reversed(item)]
        elif deep < 3 and isinstance(item, Mapping):
            stack += [(part, deep + 1) for part in reversed(list(item.values()))]


def program_line() -> tuple[str, int]:
    """File and line of the innermost frame that is neither an installed package's, nor Python's, nor ours.

    Where there is none (the program has ended), an empty name and 0.
    """
    for frame in _callers():
        if package_of(frame.f_code.co_filename) is None:
            return frame.f_code.co_filename, frame.f_lineno
    return "", 0


def called_by_program() -> bool:
    """Whether the program itself called torch in what is told now, and no other package that it uses."""
    packages = (package_of(frame.f_code.co_filename) for frame in _callers())
    return next((package is None for package in packages if package != "torch"), False)


def _callers() -> Iterator[FrameType]:
    """The frames that are not ours, the innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        ours = frame.f_code.co_filename.startswith(_OURS)
        if not ours and not frame.f_globals.get("__name__", "").startswith(DETECTOR_MODULE):
            yield frame
        frame = frame.f_back
