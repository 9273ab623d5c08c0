"""The contract between the observer and the detectors: events, the state of the run, and the base class.

A detector is a class `Watch(Detector)` in the `watch.py` of an entry. It overrides methods `on_...`, one for each event
that it needs. They run without gradient tracking. They must not change their arguments, draw random numbers or keep
tensors alive, and may copy only a few numbers. A detector that raises an exception is switched off.
"""

from __future__ import annotations

import linecache
import os
import re
import sys
import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal, get_args

import torch
import torch.distributed as dist
from torch.utils.data import get_worker_info

from torch_errors.paste.frames import package_of
from torch_errors.watching.post import Post

if TYPE_CHECKING:
    from torch_errors.watching.batch import Batch
    from torch_errors.watching.graph import Graph

Certainty = Literal["proof", "strong"]
IGNORED = re.compile(r"#\s*torch-errors:\s*ignore\s+([\w-]+(?:\s*,\s*[\w-]+)*)")
# Start of the names of the modules of a training loop -> framework.
LOOPS = {"transformers.trainer": "transformers", "lightning.pytorch.": "lightning", "pytorch_lightning.": "lightning"}
# What a detector needs besides training steps, and does not get in a run that is stopped early or without `--check`.
Need = Literal["validation", "epochs", "checkpoint", "course", "check"]
NEEDS: tuple[Need, ...] = get_args(Need)
Phase = Literal["data", "forward", "backward", "step", "evaluation"]
PHASES: tuple[Phase, ...] = get_args(Phase)
# Number of optimizer steps that count as the course of a training.
COURSE = 200
# Whether to look closely at the batch of the first training step, and whether the program ends after this step.
Checking = Literal["no", "and end", "and go on"]
_OURS = os.path.join(Path(__file__).resolve().parents[1], "")
# Start of the module names under which the entries' detectors are loaded.
DETECTOR_MODULE = "torch_errors_watch_"


@dataclass(frozen=True)
class Finding:
    """A mistake that the run showed."""

    id: str  # id of the entry
    certainty: Certainty
    file: str  # file of the program's line that was running, empty if none was
    line: int  # number of that line, 0 if none was running
    step: int  # number of optimizer steps before the finding
    texts: Mapping[str, str]  # language -> description of what was seen, with the program's numbers
    suppressed: bool = False  # whether the user has asked not to be told of it
    framework: str = ""  # framework whose training loop runs the program's model; empty for a loop of the program


@dataclass
class Run:
    """State of the run, which the observer updates and the detectors read."""

    steps: int = 0  # number of calls of Optimizer.step
    backwards: int = 0  # number of calls of backward
    passes: int = 0  # number of iterations over a DataLoader, including unfinished ones
    losses: list[float] = field(default_factory=list)  # losses of the last backward calls, at most LONGEST_HISTORY
    first_loss: float | None = None  # first loss of the run, or of the training that the latest optimizer started
    optimizers: weakref.WeakSet[Any] = field(default_factory=weakref.WeakSet)
    findings: list[Finding] = field(default_factory=list)  # with those that are suppressed
    ignored: Collection[str] = ()  # ids whose findings are suppressed
    checking: Checking = "no"
    checked: list[Mapping[str, str]] = field(default_factory=list)  # what was looked at there and found fine
    post: Post = field(default_factory=Post)  # connection to the other processes of the run
    framework: str = ""  # framework whose training loop was seen to run
    # Seconds of wall time in each phase of training so far, and in the forward passes of evaluations. A GPU computes
    # beside the program, so its time shows where the program waits for it.
    spent: dict[Phase, float] = field(default_factory=lambda: dict.fromkeys(PHASES, 0.0))
    stop_after: int | None = None  # number of optimizer steps after which the program is ended; None for no limit

    # A model has been evaluated, a second pass over a loader has begun, a state was loaded, a batch was checked.
    seen: set[Need] = field(default_factory=set)

    LONGEST_HISTORY = 256

    @property
    def lacks(self) -> list[Need]:
        """What the run has not shown so far."""
        return [need for need in NEEDS if need not in self.seen and not (need == "course" and self.steps >= COURSE)]

    @property
    def rank(self) -> int:
        """Rank of this process, from the process group or else from torchrun's variables; 0 without either."""
        return dist.get_rank() if has_group() else self.post.rank

    def optimized(self) -> set[int]:
        """`id()` of every parameter that is in an optimizer."""
        return {id(p) for optimizer in self.optimizers for group in optimizer.param_groups for p in group["params"]}

    def add(self, finding: Finding) -> None:
        """Add a finding unless its entry was found before. A suppressed one only hides those of the same line."""
        same = [other for other in self.findings if other.id == finding.id]
        if all(other.suppressed and (other.file, other.line) != (finding.file, finding.line) for other in same):
            self.findings.append(finding)

    def found(self, id: str) -> bool:
        """Whether this entry was found, even if that is suppressed: it still explains what the program does."""
        return any(finding.id == id for finding in self.findings)

    @property
    def proven(self) -> bool:
        """Whether a finding is proof. If so, the loss curve needs no other explanation."""
        return any(finding.certainty == "proof" for finding in self.findings)


class Detector:
    """Base class with one method per event. `self.run` is the state of the run; `self.find(...)` reports a finding."""

    id: str  # id of the entry; set when the detector is loaded
    # Language -> description of what was seen; `find` fills in the `{names}`.
    saw: Mapping[str, str]
    # Variant of the entry, such as `wrong_fix`, whose run does not show the mistake -> the reason.
    unseen: Mapping[str, str] = {}
    # What the run must contain besides some training steps; None if these are enough.
    needs: Need | None = None
    # Classes of nested modules whose forward passes are reported by `on_forward`, or None for all classes.
    inside: tuple[type[torch.nn.Module], ...] | None = None
    after_others = False  # called last, so that more specific detectors report first
    finished = False  # set by a detector that has seen enough; it then gets no more events

    def __init__(self, run: Run) -> None:
        self.run = run

    def find(self, certainty: Certainty, /, at: tuple[str, int] | None = None, **values: object) -> None:
        """Report the mistake, at most once per run.

        `values` fill in `saw`; `at` is the file and line to report if not those of the program's running line. If the
        user ignores the entry there, the finding is suppressed, and the same mistake on a different line is reported.
        """
        if any(finding.id == self.id and not finding.suppressed for finding in self.run.findings):
            return
        file, line = at or program_line()
        suppressed = self.id in self.run.ignored or self.id in ignored_at(file, line)
        self.run.framework = self.run.framework or framework_of_loop()
        texts = {language: template.format(**values) for language, template in self.saw.items()}
        self.run.add(Finding(self.id, certainty, file, line, self.run.steps, texts, suppressed, self.run.framework))

    def share(self, value: Any) -> None:
        """Send a JSON-serializable value to this detector in the other ranks of the machine.

        In a worker of a DataLoader (`on_fetched`), the value goes to the process that iterates over the loader. The
        receiving detector gets it by `on_shared`, some time before `on_end`.
        """
        worker = get_worker_info()
        self.run.post.send(share=[self.id, value], **({"worker": worker.id} if worker else {}))

    # Events --------------------------------------------------------------------------------------------------------

    def on_forward(self, module: torch.nn.Module, inputs: tuple[Any, ...], output: Any, depth: int) -> None:
        """A module has returned. `depth` is 0 for a module that the program called itself, more for nested modules.

        Called for every outermost module, and for nested modules that are instances of the classes in `inside`.
        `inputs` are the positional arguments, followed by one dict of keyword arguments if there are any.
        """

    def on_loss(self, name: str, input: Any, target: Any, value: Any) -> None:
        """A loss of `torch.nn.functional`, such as `mse_loss`, has returned, also if a loss module called it."""

    def on_dropout(self, input: Any, p: float, training: bool) -> None:
        """Before `F.dropout`, also if a layer calls it, and before attention with a `dropout_p` above 0."""

    def on_attention(self, query: Any, key: Any, mask: Any, is_causal: bool) -> None:
        """Before `F.scaled_dot_product_attention`, also if a layer calls it. `mask` is its `attn_mask`, or None."""

    def on_check(self, batch: Batch) -> None:
        """Before the first backward pass, only with `--check`. The calls that led to it can be repeated."""

    def on_graph(self, graph: Graph, loss: torch.Tensor) -> None:
        """Before backward, with the graph of the loss. Only for the first calls, and then less and less often."""

    def on_backward(self, loss: torch.Tensor, value: float | None) -> None:
        """Before backward. `value` is the loss as a number, or None if it is not a scalar or was not read."""

    def on_leaf_backward(self, loss: torch.Tensor) -> None:
        """Before backward of a tensor that nothing has computed. The other events of backward don't follow."""

    def on_not_finite(self, loss: torch.Tensor, value: float) -> None:
        """Before `on_backward`, if the loss is a scalar that is NaN or infinite."""

    def on_backward_done(self, loss: torch.Tensor) -> None:
        """After a backward pass that raised no exception."""

    def on_std(self, input: Any, result: Any) -> None:
        """`torch.std` or `tensor.std` has returned."""

    def on_detached(self, tensor: torch.Tensor) -> None:
        """Before `tensor.detach()` or `tensor.detach_()`, but not for `tensor.data`."""

    def on_gradients(self) -> None:
        """Before `torch.autograd.grad`."""

    def on_differentiated(
        self,
        outputs: Sequence[torch.Tensor],
        inputs: Sequence[torch.Tensor],
        gradients: Sequence[torch.Tensor | None],
    ) -> None:
        """`torch.autograd.grad` has returned `gradients`, those of `outputs` with respect to `inputs`."""

    def on_zero_grad(self, owner: torch.optim.Optimizer | torch.nn.Module) -> None:
        """Before `zero_grad` of an optimizer or a module."""

    def on_clip(self, parameters: list[torch.Tensor], limit: Any) -> None:
        """Before gradients are clipped to the norm or value `limit`."""

    def on_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Before an optimizer's step."""

    def on_stepped(self, optimizer: torch.optim.Optimizer) -> None:
        """After an optimizer's step."""

    def on_scheduled(self, scheduler: Any) -> None:
        """After a step of a learning rate scheduler, except the step that its constructor makes."""

    def on_mode(self, module: torch.nn.Module, training: bool) -> None:
        """Before the program calls `train` or `eval` of a module. Calls for its submodules are not reported."""

    def on_pass(self, loader: Any) -> None:
        """An iteration over a DataLoader starts."""

    def on_batch(self, loader: Any, batch: Any) -> None:
        """A DataLoader returns a batch to the program, in the process that iterates over it."""

    def on_fetched(self, dataset: Any, worker: int, batch: Any) -> None:
        """A worker of a DataLoader has made a batch. Called only inside the worker, which gets no other events.

        The worker's detector is a copy, made when the iteration started. What it stores is lost, but `find` and `share`
        reach the process that iterates. Called in forked workers, not with other start methods.
        """

    def on_shared(self, kind: Literal["rank", "worker"], number: int, value: Any) -> None:
        """Called when a value arrives that this detector shared in a different process, the rank or worker `number`."""

    def on_epoch_set(self, sampler: torch.utils.data.DistributedSampler[Any], epoch: int) -> None:
        """Before `set_epoch` of a DistributedSampler."""

    def on_wrapped(self, wrapper: torch.nn.parallel.DistributedDataParallel) -> None:
        """A module (`wrapper.module`) was wrapped in DistributedDataParallel.

        A forward pass calls `on_forward` for the module and then, with a `depth` lower by one, for the wrapper. If the
        output requires a gradient and `wrapper.require_backward_grad_sync` is true (it is false under `no_sync()`), the
        next backward pass averages the gradients over the ranks.
        """

    def on_collective(self, name: str, value: Any) -> None:
        """Before a function of `torch.distributed` such as `all_reduce`; `value` is its first argument.

        Reported for calls by the program or by a package. DistributedDataParallel averages gradients without such
        calls.
        """

    def on_saved(self, owner: torch.optim.Optimizer | torch.nn.Module, state: dict[str, Any]) -> None:
        """`state_dict` of a module or an optimizer has returned."""

    def on_loaded(self, owner: torch.optim.Optimizer | torch.nn.Module, state: Mapping[str, Any]) -> None:
        """`load_state_dict` of a module or an optimizer has returned."""

    def on_written(self, value: Any) -> None:
        """Before `torch.save`."""

    def on_end(self) -> None:
        """The program has ended, normally or by an exception."""


EVENTS = [name for name in vars(Detector) if name.startswith("on_")]


def has_group() -> bool:
    """Whether the program has initialized a process group."""
    return dist.is_available() and dist.is_initialized()


def is_real(tensor: torch.Tensor) -> bool:
    """Whether a tensor holds values: a plain tensor or parameter, not on `meta` and not of a subclass."""
    return type(tensor) in (torch.Tensor, torch.nn.Parameter) and not tensor.is_meta


def tensors(value: Any) -> Iterable[torch.Tensor]:
    """The real tensors in a module's inputs or output, in order, also from tuples, lists and dicts up to three deep."""
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
    """File and line of the program that is running: the innermost frame outside of Python and installed packages.

    Returns an empty name and 0 if there is none, which happens after the program has ended.
    """
    for frame in _callers():
        if package_of(frame.f_code.co_filename) is None:
            return frame.f_code.co_filename, frame.f_lineno
    return "", 0


def ignored_at(file: str, line: int) -> list[str]:
    """The ids in the comment `# torch-errors: ignore ID, ID` at the end of a line of the program."""
    comment = IGNORED.search(linecache.getline(file, line)) if file else None
    return re.split(r"\s*,\s*", comment[1]) if comment else []


def framework_of_loop() -> str:
    """The framework whose training loop is running, as `torch_errors.catalog.circumstances` calls it, or ""."""
    names = (frame.f_globals.get("__name__", "") for frame in _callers())
    return next((framework for name in names for loop, framework in LOOPS.items() if name.startswith(loop)), "")


def called_by_program() -> bool:
    """Whether the program itself made the call to torch that caused this event, not a package that it uses."""
    packages = (package_of(frame.f_code.co_filename) for frame in _callers())
    return next((package is None for package in packages if package != "torch"), False)


def _callers() -> Iterator[FrameType]:
    """The frames outside of this package and the detectors, innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        ours = frame.f_code.co_filename.startswith(_OURS)
        if not ours and not frame.f_globals.get("__name__", "").startswith(DETECTOR_MODULE):
            yield frame
        frame = frame.f_back
