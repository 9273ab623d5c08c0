"""Check environment, data, model and a small run in five minutes, before you dig deeper.

Use it first, whatever the symptom. It works on a copy of the model.

The batch is `(inputs, targets)`, and `loss_fn(model(inputs), targets)` is the loss; inputs in a dict or a tuple are
passed as `model(**inputs)` or `model(*inputs)`. A batch that is one dict is passed as `model(**batch)`, with the loss
`loss_fn(output, batch)`. Detection models, whose targets are a list of dicts, are called as `model(inputs, targets)`.
For any other form, such as a GAN's, pass `compute_loss=`, called as `compute_loss(model, batch)`.

It prints four steps and then the problems it found:

1. environment (30 seconds): versions, accelerator, a matrix product on the model's device.
2. data (1 minute): shape, dtype, device and range of each tensor in the batch: NaN, identical samples, unscaled inputs.
3. model (1 minute): parameter counts, the loss, the total gradient norm. Problems are layers outside
   `model.parameters()`, gradients that are missing, zero, vanishing or exploding, units that are all initialized equal,
   a loss that broadcasts, and outputs that do not suit the loss, such as a ReLU before it.
4. small run (2 minutes): the loss on two samples must halve within 100 steps of Adam, without dropout, at one of four
   learning rates. A model with batch norm that fails is given eight samples.

If a step takes longer, it says so. Exceptions raised by the model or the loss are passed on. Your own training step is
not run: `training_step_check` finds a missing `zero_grad()` and the like.

**Healthy:** "No problem found." The first loss of a classifier is near ln(classes), 2.3 for ten. Limits, and the
extremes of 72 healthy small models and 17 untrained torchvision models, three seeds each: a layer's typical output is
at most 1000 times that of the batch (9 times, a sum over graph neighbors); the relative change of the loss is at most
10,000 times that of a weight (1,600 times, ResNet-50); in the first layer, the gradient's norm is at least 1.2e-7 of
the weight's, below which a float32 weight cannot take a step of SGD with lr=1 (4e-5, a ReLU network of ten layers), or
at least 1e-8 for each weight on average, the `eps` of Adam. A gradient that is small at first and grows beyond that
within five steps of Adam is no problem. A parameter without a gradient is named even if you know that it is unused,
such as the pooler of a BERT without its classifier.

Example, with unscaled pixels and a detached layer:

    >>> import torch
    >>> from torch import nn
    >>> from five_minute_check import five_minute_check
    >>> _ = torch.manual_seed(0)
    >>> class Net(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.encoder = nn.Linear(64, 32)
    ...         self.head = nn.Linear(32, 10)
    ...     def forward(self, pixels):
    ...         features = self.encoder(pixels).relu()
    ...         return self.head(features.detach())
    >>> batch = torch.randint(0, 256, (16, 64)).float(), torch.randint(0, 10, (16,))
    >>> problems, seconds = five_minute_check(Net(), batch, nn.CrossEntropyLoss())  # doctest: +ELLIPSIS
    1 environment
      Python ..., torch ..., ...
      a product of two matrices on cpu: right
    2 data
      inputs       [16, 64] float32 on cpu, 0 to 255, mean 126, std 71
      targets      [16] int64 on cpu, 0 to 9
    3 model
      2,410 parameters, 2,410 trained
      loss 53.7, ln(10) = 2.3 is chance
      total gradient norm 216
    4 small run
      two samples: loss 46.2 at step 0, 21.3 at step 17
    Problems:
      - inputs: values from 0 to 255 are not scaled; bring them near -1 to 1
      - no gradient reaches encoder.weight, encoder.bias
"""

from __future__ import annotations

import contextlib
import copy
import dataclasses
import math
import platform
import re
import time
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

HUGE = 1000  # typical size of a layer's output, in units of the batch's
STEEPEST = 1e4  # relative change of the loss for a relative change of a weight
VANISHED = 1.2e-7  # norm of gradient and weight: below float32's precision, a step of SGD with lr=1 is rounded away
RANGES = {"relu": (0.0, math.inf), "sigmoid": (0.0, 1.0), "softmax": (0.0, 1.0), "tanh": (-1.0, 1.0)}
ELEMENTWISE_LOSSES = {F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss}
BROADCASTING_LOSSES = ELEMENTWISE_LOSSES | {F.poisson_nll_loss, F.gaussian_nll_loss}
LOSSES = ELEMENTWISE_LOSSES | {F.cross_entropy, F.nll_loss, F.binary_cross_entropy, F.binary_cross_entropy_with_logits}
DROPOUTS = {F.dropout, F.dropout1d, F.dropout2d, F.dropout3d, F.alpha_dropout, F.feature_alpha_dropout, torch.dropout}
SHAPE_ONLY = (
    r"(View|UnsafeView|ReshapeAlias|Squeeze|Unsqueeze|Transpose|Permute|T|Select|Slice|Alias|ToCopy|Clone)Backward"
)


class CheckResult(NamedTuple):
    """What was found, in words, and the seconds that each step took."""

    problems: list[str]
    seconds: dict[str, float]


def five_minute_check(
    model: nn.Module,
    batch: Any,
    loss_fn: Callable[[Any, Any], torch.Tensor] | None = None,
    *,
    compute_loss: Callable[[nn.Module, Any], torch.Tensor] | None = None,
    lr: float = 1e-3,
) -> CheckResult:
    """Print the four steps for `model` and one `batch`, and return the problems. The model stays as it is.

    Args:
        batch: as it comes from the DataLoader and is moved to the model's device.
        loss_fn: `loss_fn(output, targets)`.
        compute_loss: in its place, `compute_loss(model, batch)`, for a batch of any form.
        lr: learning rate of Adam in the small run; it also tries 10, 100 and 1000 times as much.

    Raises:
        ValueError: a lambda or hook in the model, or `compute_loss`, uses the original model in place of the copy.
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"five_minute_check takes the model first, not a {type(model).__name__}")
    if (loss_fn is None) == (compute_loss is None):
        raise TypeError("five_minute_check takes either loss_fn or compute_loss")
    if (
        not compute_loss
        and not isinstance(batch, Mapping)
        and not (isinstance(batch, list | tuple) and len(batch) == 2)
    ):
        raise TypeError("batch must be (inputs, targets) or one dict; take one with next(iter(loader))")
    if isinstance(model, nn.DataParallel | nn.parallel.DistributedDataParallel):
        model = model.module
    with _CopyOfAnyTensor():
        original = getattr(model, "_orig_mod", model)  # without what torch.compile has wrapped around it
        model = copy.deepcopy(original)
    model.train()
    case = _Case(model, batch, loss_fn, compute_loss, original)
    problems: list[str] = []
    excuses: list[str] = []  # explain an exception; where there is none, the model copes with them
    seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def step(name: str, budget: int) -> Iterator[None]:
        print(f"{len(seconds) + 1} {name}")
        start = time.perf_counter()
        yield
        seconds[name] = time.perf_counter() - start
        if seconds[name] > budget:
            print(f"  took {seconds[name]:.0f} s, more than {budget} s")

    with _random_state_kept(), torch.enable_grad():
        try:
            with step("environment", 30):
                problems += _check_environment(case.weight.device)
            with step("data", 60):
                _check_data(case, problems, excuses)
            with step("model", 60):
                can_train = _check_model(case, problems)
            if can_train:
                with step("small run", 120):
                    problems += _check_small_run(case, lr)
            else:
                print("4 small run\n  left out: the model cannot be trained yet")
        except Exception:
            if problems + excuses:
                print("\n  - ".join(["Problems found before the exception:", *problems, *excuses]))
            raise
    print("\n  - ".join(["Problems:", *problems]) if problems else "No problem found.")
    return CheckResult(problems, seconds)


@dataclasses.dataclass
class _Case:
    """A copy of the model, a batch, the loss, and the model itself."""

    model: nn.Module
    batch: Any
    loss_fn: Any
    compute_loss: Any
    original: nn.Module

    @property
    def weight(self) -> torch.Tensor:
        return next(self.model.parameters(), torch.empty(0))

    def loss(self, batch: Any) -> tuple[Any, Any, torch.Tensor]:
        """The output and the targets (None with compute_loss) and the loss."""
        if self.compute_loss:
            return None, None, self.compute_loss(self.model, batch)
        output, targets = _forward(self.model, batch)
        return output, targets, self.loss_fn(output, targets)

    def parts(self) -> tuple[list[tuple[str, torch.Tensor]], list[tuple[str, torch.Tensor]]]:
        """The tensors of the inputs and of the targets, with their names."""
        if self.compute_loss or isinstance(self.batch, Mapping):
            return list(_tensors(self.batch, "inputs" if isinstance(self.batch, Mapping) else "batch")), []
        return list(_tensors(self.batch[0], "inputs")), list(_tensors(self.batch[1], "targets"))


def _check_environment(device: torch.device) -> list[str]:
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    print(f"  Python {platform.python_version()}, torch {torch.__version__}, {accelerator or 'no accelerator'}")
    if device.type == "meta":
        return ["the model is on the meta device and has no values: to_empty() and initialise, or load its state"]
    square = torch.ones(64, 64, device=device)
    works = bool(((square @ square) == 64).all())
    print(f"  a product of two matrices on {device}: {'right' if works else 'wrong'}")
    return [] if works else [f"{device} computes a wrong product: driver, hardware or installation"]


def _check_data(case: _Case, problems: list[str], excuses: list[str]) -> None:
    given, wanted = case.parts()
    weight = case.weight
    constant = []
    for number, (name, tensor) in enumerate(given + wanted):
        text = f"  {name:<12} {list(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')} on {tensor.device}"
        is_input = number < len(given)
        if tensor.device != weight.device:
            excuses.append(f"{name} is on {tensor.device}, the model on {weight.device}")
        if tensor.is_meta or not tensor.numel():
            problems += [f"{name} has no values"] if is_input else []
        elif tensor.is_floating_point():
            numbers = _numbers(tensor)
            bad = int((~torch.isfinite(numbers)).sum())
            low, high = numbers.min().item(), numbers.max().item()
            text += f", {low:.3g} to {high:.3g}, mean {numbers.mean():.3g}, std {numbers.std(correction=0):.3g}"
            if bad and "mask" not in name:
                problems.append(f"{name}: {bad} of {tensor.numel()} values are NaN or infinite")
            elif low == high and tensor.numel() > 1 and is_input:
                constant.append(f"{name}: all values are {low:.3g}")
            if tensor.dtype != weight.dtype and weight.is_floating_point() and is_input:
                kinds = f"{name} is {tensor.dtype}, the model's weights are {weight.dtype}"
                excuses.append(kinds.replace("torch.", ""))
        elif not tensor.is_complex():
            text += f", {int(tensor.min())} to {int(tensor.max())}"
        if number < 8:
            print(text)
    if len(given + wanted) > 8:
        print(f"  and {len(given + wanted) - 8} tensors more")
    if len(constant) == len(given):  # one of several may be a mask
        problems += constant
    rows = [(name, t) for name, t in given if t.dim() and not t.is_meta and t.layout == torch.strided and t.numel() > 8]
    if rows and all(len(tensor) > 1 and bool((tensor == tensor[:1]).all()) for _, tensor in rows) and not constant:
        problems.append(f"{rows[0][0]}: all {len(rows[0][1])} samples are the same")
    if not case.compute_loss and not isinstance(case.batch, Mapping):
        lengths = []
        for value, tensors in zip(case.batch, (given, wanted), strict=True):
            samples = isinstance(value, list | tuple) and len(tensors) != len(value)
            lengths.append(len(value) if samples else next((len(t) for _, t in tensors if t.dim()), 0))
        if all(lengths) and lengths[0] != lengths[1]:
            excuses.append(f"different numbers of samples: inputs {lengths[0]}, targets {lengths[1]}")


def _check_model(case: _Case, problems: list[str]) -> bool:
    """Add to the problems, and tell whether the small run makes sense."""
    model = case.model
    with _Watch(model) as watch:
        try:
            output, targets, loss = case.loss(case.batch)
        except _LabelsOutOfRange as error:
            problems.append(str(error))
            return False
    parameters = dict(model.named_parameters())
    trained = {name: p for name, p in parameters.items() if p.requires_grad}
    total, learning = (sum(p.numel() for p in group.values()) for group in (parameters, trained))
    print(f"  {total:,} parameters, {learning:,} trained")
    if not trained:
        problems.append("no parameter has requires_grad=True: nothing is trained")
        return False
    if loss.numel() != 1:
        problems.append(f"the loss has shape {list(loss.shape)}; backward() needs one number")
        return False
    classes = next(
        (score.shape[min(1, score.dim() - 1)] for kind, score, _ in watch.losses if kind == "cross_entropy"), 0
    )
    chance = f", ln({classes}) = {math.log(classes):.3g} is chance" if classes else ""
    print(f"  loss {loss.item():.3g}{chance}")

    problems += _check_scales(case, watch)
    problems += dict.fromkeys(watch.broadcasts)
    watched = watch.losses or [("", output, targets)]
    problems += dict.fromkeys(text for kind, score, target in watched for text in _check_output(kind, score, target))
    if not math.isfinite(loss.item()):
        problems.append(f"the loss is {loss.item()}")
        return False
    if not loss.requires_grad:
        problems.append("the loss is not connected to the parameters")
        return False
    used = _leaves(loss)  # a lambda is not copied: what it holds is the original
    if strays := [name for name, parameter in case.original.named_parameters() if id(parameter) in used]:
        raise ValueError(
            f"the check runs on a copy of the model, but the loss uses {strays[0]} of the original: turn a lambda or "
            "hook that holds the model into a method, and let compute_loss use the model it is given"
        )
    if left_out := _not_registered(model, loss, output):
        names = _several(left_out, len(left_out))
        problems.append(
            f"forward uses {names}, not in model.parameters(): use nn.ModuleList, nn.ModuleDict, nn.Parameter"
        )

    model.zero_grad()
    loss.backward()
    norms = {name: _norm(p.grad) for name, p in trained.items() if p.grad is not None}
    print(f"  total gradient norm {math.hypot(*norms.values()):.3g}")
    steep = {name: norm * _norm(trained[name]) / abs(loss.item()) for name, norm in norms.items() if loss.item()}
    if steep and not any("activations explode" in problem for problem in problems):
        name = max(steep, key=lambda key: steep[key])
        if STEEPEST < steep[name] < math.inf:
            problems.append(
                f"gradients explode: the norm is {norms[name]:.2g} in {name}; "
                f"changing it by 0.01 % would change the loss by more than {steep[name] / 1e4:.0%}"
            )
    missing = [name for name in trained if name not in norms]
    if missing:
        problems.append(f"no gradient reaches {_several(missing, len(trained))}")
    broken = [name for name, norm in norms.items() if not math.isfinite(norm)]
    if broken:
        problems.append(f"the gradient is NaN or infinite in {_several(broken, len(trained))}")
        return True
    problems += _check_symmetry(trained)
    zero, vanished = _small_gradients(trained, watch.order)
    same = _same_output(output, case.batch)
    if zero or vanished or same:  # a head that begins at zero lets no gradient through before its first update
        before = copy.deepcopy(model.state_dict())
        optimizer = torch.optim.Adam(trained.values(), lr=1e-3)
        for _ in range(5):
            _step(optimizer)
            output, _, loss = case.loss(case.batch)
            loss.backward()
            still_zero, still_vanished = _small_gradients(trained, watch.order)
            zero = [name for name in zero if name in still_zero]
            vanished = [name for name in vanished if name in still_vanished]
            same = same and _same_output(output, case.batch)
            if not (zero or vanished or same):
                break
        model.load_state_dict(before)
    if zero:
        problems.append(f"the gradient is zero in {_several(zero, len(trained))}")
    if vanished:
        last = next(name for name in reversed(watch.order) if name in norms)
        sizes = f"its norm is {norms[vanished[0]]:.2g} in {vanished[0]}, {norms[last]:.2g} in {last}"
        problems.append(f"the gradient vanishes in {_several(vanished, len(trained))}: {sizes}")
    if same and not zero and not vanished:
        problems.append(f"the output is the same for all {len(output)} samples")
    return True


def _check_scales(case: _Case, watch: _Watch) -> list[str]:
    """Inputs that are not scaled, and activations that explode."""
    given, wanted = case.parts()
    problems = []
    scales = {name: _rms(tensor) for name, tensor in given + wanted if tensor.is_floating_point()}
    for name, tensor in given:
        # A layer that normalizes in the model makes this harmless, and so do numbers that no weight multiplies.
        if tensor.is_floating_point() and tensor.numel() and scales[name] > 10 and watch.largest_input > 10:
            low, high = tensor.min().item(), tensor.max().item()
            if max(abs(low), abs(high)) > 100:
                problems.append(f"{name}: values from {low:.3g} to {high:.3g} are not scaled; bring them near -1 to 1")
    usual = max([1.0, *(scale for scale in scales.values() if math.isfinite(scale))])
    large = [(name, scale) for name, scale in watch.outputs.items() if scale > HUGE * usual]
    if large:
        (first, scale), (worst, largest) = large[0], max(large, key=lambda item: item[1])
        more = f" and {largest:.2g} after {worst}" if largest > scale else ""
        problems.append(
            f"activations explode: a typical value is {scale:.2g} after {first}{more}, at most {usual:.2g} in the batch"
        )
    return problems


def _check_output(kind: str, score: Any, target: Any) -> list[str]:
    """Whether the last operation of the model suits the loss `kind`."""
    if not isinstance(score, torch.Tensor) or not score.is_floating_point() or not score.numel():
        return []
    last = _last_operation(score)
    if kind == "cross_entropy" and score.dim() > 1:
        sums = score.detach().sum(1).float()
        if bool((score >= 0).all()) and torch.allclose(sums, torch.ones_like(sums), atol=1e-2):
            return ["the outputs are probabilities already: softmax stands before the cross-entropy"]
    if last == "relu" and kind in ("cross_entropy", "binary_cross_entropy_with_logits"):
        return [
            f"a ReLU makes the logits: none is negative, {(score == 0).float().mean():.0%} are 0 and get no gradient"
        ]
    if last == "sigmoid" and kind == "binary_cross_entropy_with_logits":
        return ["the logits are probabilities already: sigmoid stands before the loss, which applies it again"]
    if last in RANGES and kind != "cross_entropy" and isinstance(target, torch.Tensor) and target.is_floating_point():
        low, high = RANGES[last]
        outside = ((target < low - 1e-3) | (target > high + 1e-3)).float().mean().item()
        if outside:
            values = f"{low:g} to {high:g}" if high < math.inf else f"at least {low:g}"
            return [f"the last operation is {last} ({values}): {outside:.0%} of the targets are out of its range"]
    return []


def _check_symmetry(trained: dict[str, torch.Tensor]) -> list[str]:
    """Layers whose units begin equal and get the same gradient, or none but rounding errors, so they stay equal."""
    names = []
    for name, parameter in trained.items():
        weight, gradient = parameter.detach(), parameter.grad
        if gradient is None or weight.dim() < 2 or not _equal_rows(weight):
            continue
        if _norm(gradient) < 1e-6 * _norm(weight) or _equal_directions(gradient):
            names.append(name)
    if not names:
        return []
    return [f"all units begin equal and get the same gradient in {_several(names, len(trained))}: initialize at random"]


def _small_gradients(trained: dict[str, nn.Parameter], order: list[str]) -> tuple[list[str], list[str]]:
    """Names of parameters whose gradient is zero, and of weights whose gradient vanishes."""
    norms = {name: _norm(p.grad) for name, p in trained.items() if p.grad is not None}
    # A bias before a normalization, or of attention's keys, has a gradient of zero by design.
    alive = {name.rpartition(".")[0] for name, norm in norms.items() if norm}
    zero = [n for n, norm in norms.items() if not norm and (trained[n].dim() > 1 or n.rpartition(".")[0] not in alive)]
    weights = [name for name in order if norms.get(name) and trained[name].dim() > 1]
    relative = {name: norms[name] / max(_norm(trained[name]), 1e-30) for name in weights}
    vanished = [n for n in weights if relative[n] < VANISHED and norms[n] / trained[n].numel() ** 0.5 < 1e-8]
    # A vanishing gradient reaches the first layer last. Where all are small, training has come to its end.
    if vanished[:1] != weights[:1] or not vanished or max(relative.values()) < 1e4 * relative[vanished[0]]:
        vanished = []
    return zero, vanished


def _same_output(output: Any, batch: Any) -> bool:
    """Whether all samples get the same output, although they differ."""
    if not isinstance(output, torch.Tensor) or not output.is_floating_point() or output.dim() < 2 or len(output) < 2:
        return False
    if (output - output[:1]).abs().max() > 1e-6 * output.abs().max():
        return False
    rows = [tensor for _, tensor in _tensors(batch, "") if tensor.dim() and len(tensor) == len(output)]
    return bool(rows) and not bool((rows[0] == rows[0][:1]).all())


def _check_small_run(case: _Case, lr: float, number: int = 2) -> list[str]:
    batch = _first_samples(case.batch, number)
    start = copy.deepcopy(case.model.state_dict())
    end = time.perf_counter() + 120
    _switch_dropout_off(case.model)
    with _WithoutDropout():
        try:
            case.loss(batch)
        except Exception:  # its samples are not where they usually are
            batch = case.batch
        what = "the batch" if batch is case.batch else "two samples" if number == 2 else f"{number} samples"
        for rate in (lr, 10 * lr, 100 * lr, 1000 * lr):
            case.model.load_state_dict(start)
            losses, norms = _descent(case, batch, rate, end)
            if losses[0] <= 0:
                print(f"  {what}: the loss starts at {losses[0]:.3g}, so that half of it is no goal")
                return []
            last = len(losses) - 1
            if _halved(losses):
                how = f" with lr {rate:g}" if rate != lr else ""
                print(f"  {what}: loss {losses[0]:.3g} at step 0, {losses[-1]:.3g} at step {last}{how}")
                return []
            if rate == lr:
                first = losses
            if how := _slow(losses, norms):
                print(f"  {what}: loss {losses[0]:.3g} at step 0, {losses[-1]:.3g} at step {last}; it {how}")
                return []
            if time.perf_counter() > end:
                break
    if number == 2 and any(isinstance(module, nn.modules.batchnorm._BatchNorm) for module in case.model.modules()):
        case.model.load_state_dict(start)  # batch norm turns two samples into 1 and -1, which may be too little
        return _check_small_run(case, lr, 8)
    last = len(first) - 1
    print(f"  {what}: loss {first[0]:.3g} at step 0, {first[-1]:.3g} at step {last}")
    return [f"the loss on {what} does not fall by half in {last} steps"]


def _halved(losses: list[float]) -> bool:
    """For three steps in a row: a single one may be luck."""
    return all(loss <= losses[0] / 2 for loss in losses[-3:])


def _slow(losses: list[float], norms: list[float]) -> str:
    """Why a loss that has not halved is no problem: it falls steadily, or it has reached its minimum."""
    if len(losses) <= 100:
        return ""
    steadily = all(later < sooner for sooner, later in pairwise(losses[-50:]))
    if steadily and losses[-1] < 0.95 * losses[0] and losses[-20] - losses[-1] > 0.1 * (losses[0] - losses[-1]):
        return "still falls"
    moved = abs(sum(losses[-10:]) - sum(losses[-20:-10])) / 10
    settled = moved < 0.01 * abs(losses[-1]) and losses[-1] < losses[0]
    return "settles there" if settled and norms[-1] < 0.02 * norms[0] else ""


def _step(optimizer: torch.optim.Optimizer) -> None:
    """Step and clear the gradients. Adam takes no sparse ones."""
    for parameter in optimizer.param_groups[0]["params"]:
        if parameter.grad is not None and parameter.grad.layout != torch.strided:
            parameter.grad = parameter.grad.to_dense()
    optimizer.step()
    optimizer.zero_grad()


def _descent(case: _Case, batch: Any, lr: float, end: float) -> tuple[list[float], list[float]]:
    """The losses and the norms of the gradient in up to 100 steps of Adam, until the loss has halved."""
    trained = [parameter for parameter in case.model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.Adam(trained, lr=lr)
    optimizer.zero_grad()
    losses: list[float] = []
    norms: list[float] = []
    while len(losses) <= 100 and (time.perf_counter() < end or not losses):
        if case.compute_loss:  # it may draw the noise that a diffusion model predicts: let it be the same in every step
            torch.manual_seed(0)
        loss = case.loss(batch)[2]
        losses.append(loss.item())
        if not math.isfinite(losses[-1]) or _halved(losses):
            break
        loss.backward()
        norms.append(math.hypot(*(_norm(parameter.grad) for parameter in trained if parameter.grad is not None)))
        _step(optimizer)
    return losses, norms


# -------------------------------------------------------------------------------------------- watching one forward pass


class _LabelsOutOfRange(Exception):
    """Labels that are no class: on a GPU the loss would end the process."""


class _Watch(TorchFunctionMode):
    """Notes what happens in a forward pass and in the loss.

    Attributes:
        losses: name, first argument and second argument of each loss function of `torch.nn.functional`.
        broadcasts: what an accidental broadcast in the loss says.
        order: names of parameters, in the order in which their layers run.
        outputs: typical size (root mean square) of each layer's output.
        largest_input: the largest typical size of a tensor that a layer with weights multiplies.
    """

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.losses: list[tuple[str, torch.Tensor, torch.Tensor]] = []
        self.broadcasts: list[str] = []
        self.order: list[str] = []
        self.outputs: dict[str, float] = {}
        self.largest_input = 0.0
        self._hooks = contextlib.ExitStack()
        for name, module in model.named_modules():
            if any(True for _ in module.parameters(recurse=False)):
                label = f"{name} ({type(module).__name__})"
                self._hooks.callback(module.register_forward_hook(self._look(name, label)).remove)

    def __exit__(self, *error: Any) -> None:
        self._hooks.close()
        super().__exit__(*error)

    def _look(self, name: str, label: str) -> Callable[..., None]:
        def look(module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
            parameters = dict(module.named_parameters(name, recurse=False))
            self.order += [key for key in parameters if key not in self.order]
            scales = [_rms(tensor) for _, tensor in _tensors(output, "") if tensor.is_floating_point()]
            self.outputs[label] = max([self.outputs.get(label, 0.0), *scales])
            if any(parameter.dim() > 1 for parameter in parameters.values()):
                given = [_rms(tensor) for _, tensor in _tensors(args, "") if tensor.is_floating_point()]
                self.largest_input = max([self.largest_input, *given])

        return look

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        if len(args) > 1 and isinstance(args[0], torch.Tensor) and isinstance(args[1], torch.Tensor):
            if func in LOSSES:
                self.losses.append((name, args[0], args[1]))
                self._check_labels(name, args[0], args[1], (kwargs or {}).get("ignore_index", -100))
            if func in BROADCASTING_LOSSES or name in ("sub", "__sub__", "__rsub__", "rsub"):
                self._check_shapes(func in BROADCASTING_LOSSES, args[0], args[1])
        return func(*args, **(kwargs or {}))

    def _check_labels(self, name: str, score: torch.Tensor, target: torch.Tensor, ignored: int) -> None:
        if name in ("cross_entropy", "nll_loss") and score.dim() and not target.is_floating_point():
            classes = score.shape[min(1, score.dim() - 1)]
            used = target[target != ignored]
            if used.numel() and not 0 <= int(used.min()) <= int(used.max()) < classes:
                labels = f"labels from {int(used.min())} to {int(used.max())}"
                raise _LabelsOutOfRange(f"{labels}, but the output has {classes} classes")

    def _check_shapes(self, is_loss: bool, one: torch.Tensor, other: torch.Tensor) -> None:
        """[8, 1] with [8] gives [8, 8]: in a loss, and in the difference of an output and a constant."""
        difference = (
            one.requires_grad != other.requires_grad and one.numel() == other.numel() and one.dim() != other.dim()
        )
        if one.shape != other.shape and (is_loss or difference):
            with contextlib.suppress(RuntimeError):  # of shapes that cannot be broadcast: the operation will tell
                shape = torch.broadcast_shapes(one.shape, other.shape)
                if is_loss or shape.numel() > one.numel():
                    sizes = f"{list(one.shape)} and {list(other.shape)}"
                    self.broadcasts.append(f"the loss broadcasts {sizes} to {list(shape)}; give both the same shape")


def _last_operation(tensor: torch.Tensor) -> str:
    """The operation that made a tensor, apart from changes of its shape: "relu" for `x.relu().squeeze(1)`."""
    node = tensor.grad_fn
    while node is not None and re.match(SHAPE_ONLY, node.name()):
        node = next((parent for parent, _ in node.next_functions if parent is not None), None)
    name = re.sub(r"Backward\d*$", "", node.name()).lower() if node is not None else ""
    return {"clampmin": "relu", "threshold": "relu"}.get(name, name)


def _leaves(*results: torch.Tensor) -> dict[int, torch.Tensor]:
    """The tensors whose gradients backward() would fill, by their ids."""
    leaves, seen, waiting = {}, set(), [result.grad_fn for result in results]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if hasattr(node, "variable"):
                leaves[id(node.variable)] = node.variable
            waiting += [parent for parent, _ in node.next_functions]
    return leaves


def _not_registered(model: nn.Module, loss: torch.Tensor, output: Any) -> list[str]:
    """Names of layers and tensors that the loss depends on and that `model.parameters()` does not include.

    The loss may have parameters of its own, so one that no attribute holds counts only where the output uses it.
    """
    registered_ids = {id(parameter) for parameter in model.parameters()}
    used = _leaves(loss).keys() - registered_ids
    found: dict[str, None] = {}

    def search(value: Any, path: str) -> None:
        if isinstance(value, nn.Module):
            if any(id(parameter) in used for parameter in value.parameters()):
                found[path] = None
        elif isinstance(value, torch.Tensor):
            if id(value) in used:
                found[path] = None
        elif isinstance(value, Mapping):
            for key, part in value.items():
                search(part, f"{path}[{key!r}]")
        elif isinstance(value, list | tuple):
            for number, part in enumerate(value):
                search(part, f"{path}[{number}]")

    registered = vars(nn.Module())  # _parameters, _modules, hooks
    for name, module in model.named_modules() if used else ():
        for attribute, value in vars(module).items():
            if attribute not in registered:
                search(value, f"{name}.{attribute}".lstrip("."))
    if not found:
        leaves = _leaves(*(tensor for _, tensor in _tensors(output, "")))
        strays = [leaf for key, leaf in leaves.items() if key in used and isinstance(leaf, nn.Parameter)]
        return [f"a parameter of shape {list(leaf.shape)}" for leaf in strays]  # of a layer that forward() creates
    return list(found)


# ---------------------------------------------------------------------------------------------- the model and the batch


def _forward(model: nn.Module, batch: Any) -> tuple[Any, Any]:
    """The model's output for a batch, and the targets that the loss compares it with."""
    if isinstance(batch, Mapping):
        return model(**batch), batch
    inputs, targets = batch
    if isinstance(inputs, Mapping):
        return model(**inputs), targets
    if isinstance(targets, list | tuple) and targets and isinstance(targets[0], Mapping):  # detection
        return model(inputs, targets), targets
    return (model(*inputs) if isinstance(inputs, list | tuple) else model(inputs)), targets


class _CopyOfAnyTensor(TorchFunctionMode):
    """Lets `copy.deepcopy` copy tensors with a graph: cached activations, the weight of the old weight_norm."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.Tensor.__deepcopy__ and not args[0].is_leaf:
            tensor, memo = args
            memo[id(tensor)] = tensor.detach().clone()
            return memo[id(tensor)]
        return func(*args, **(kwargs or {}))


def _switch_dropout_off(model: nn.Module) -> None:
    """That of layers; `_WithoutDropout` does the same for functions."""
    for module in model.modules():
        if isinstance(module, nn.modules.dropout._DropoutNd):
            module.eval()
        elif isinstance(module, nn.RNNBase | nn.MultiheadAttention):
            module.dropout = 0.0


class _WithoutDropout(TorchFunctionMode):
    """The functions for dropout do nothing."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if func in DROPOUTS:
            return args[0] if args else kwargs["input"]
        if func is F.scaled_dot_product_attention:
            args = (*args[:4], 0.0, *args[5:]) if len(args) > 4 else args
            kwargs |= {"dropout_p": 0.0} if "dropout_p" in kwargs else {}
        return func(*args, **kwargs)


def _first_samples(batch: Any, number: int) -> Any:
    """The first samples of a batch: rows of its tensors, or elements of its lists, as in detection."""
    listed = {len(value) for value in _lists(batch) if value and isinstance(value[0], Mapping)}
    sizes = [len(tensor) for _, tensor in _tensors(batch, "") if tensor.dim()]
    size = max(listed) if listed else next(iter(sizes), 0)

    def cut(value: Any) -> Any:
        if isinstance(value, torch.Tensor):
            return value[:number] if value.dim() and len(value) == size else value
        if isinstance(value, Mapping):
            return {key: cut(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            if len(value) == size and (listed or not any(True for _ in _tensors(value, ""))):
                return value[:number]
            parts = [cut(part) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        return value

    pair = isinstance(batch, list | tuple) and len(batch) == 2
    return tuple(cut(part) for part in batch) if pair else cut(batch)


def _lists(value: Any) -> Iterator[Any]:
    """Every list and tuple inside a value."""
    if isinstance(value, list | tuple):
        yield value
    for part in value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ():
        yield from _lists(part)


def _several(names: list[str], of: int) -> str:
    """A few names, or how many of `of` parameters there are and the first names."""
    if len(names) <= 4:
        return ", ".join(names)
    return f"{len(names)} of {of} parameters: {', '.join(names[:3])}, …"


def _equal_rows(weight: torch.Tensor) -> bool:
    """Whether all rows are the same and not zero."""
    return len(weight) > 1 and weight[0].numel() > 1 and bool(weight.any()) and bool((weight == weight[:1]).all())


def _equal_directions(gradient: Any) -> bool:
    """Whether most rows, apart from those without a gradient, point where the row before points."""
    rows = _numbers(gradient.to_dense()).flatten(1)
    rows = rows[rows.any(1)]
    alike = F.cosine_similarity(rows[1:], rows[:-1]) > 0.99
    return len(rows) > 1 and bool(alike.float().mean() >= 0.5)


def _numbers(tensor: torch.Tensor) -> torch.Tensor:
    """The values of a tensor in at least float32: the square of a float16 soon overflows."""
    if tensor.layout == torch.sparse_coo:
        tensor = tensor.coalesce().values()
    return tensor.detach().to(torch.promote_types(tensor.dtype, torch.float32))


def _norm(tensor: torch.Tensor) -> float:
    return torch.linalg.vector_norm(_numbers(tensor)).item()


def _rms(tensor: torch.Tensor) -> float:
    """The typical size of the finite values: the root of their mean square."""
    if tensor.is_meta or tensor.is_nested or not tensor.numel():
        return 0.0
    values = _numbers(tensor)
    values = values[values.isfinite()]
    return values.double().square().mean().sqrt().item() if values.numel() else 0.0


def _tensors(value: Any, path: str) -> Iterator[tuple[str, torch.Tensor]]:
    """Every tensor inside a value, with the expression that reaches it."""
    if isinstance(value, torch.Tensor):
        yield path, value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from _tensors(part, f"{path}[{key!r}]")
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _tensors(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, list | tuple):
        for number, part in enumerate(value):
            yield from _tensors(part, f"{path}[{number}]")


def _random_state_kept() -> Any:
    """A context manager that restores the random state of the CPU and of the accelerators."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cuda")
    return torch.random.fork_rng(range(torch.accelerator.device_count()), device_type=accelerator.type)
