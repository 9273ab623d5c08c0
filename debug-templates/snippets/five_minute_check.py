"""Check environment, data, model and a small run in five minutes, before you dig deeper.

Use it first, whatever the symptom. It works on a copy of the model.

The batch is `(inputs, targets)`, and `loss_fn(model(inputs), targets)` is the loss; inputs in a dict or a tuple are
passed as `model(**inputs)` or `model(*inputs)`. A batch that is one dict is passed as `model(**batch)`, with the loss
`loss_fn(output, batch)`.

It prints four steps and then the problems it found:

1. environment (30 seconds): versions, accelerator, a matrix product on the model's device.
2. data (1 minute): shape, dtype, device and range of each tensor in the batch, compared with the model's.
3. model (1 minute): parameter counts, the loss, whether each trainable parameter gets a gradient, the total norm.
4. small run (2 minutes): the loss on two samples must halve within 100 steps of Adam, without dropout.

If a step takes longer, it says so. Exceptions raised by the model or the loss are passed on.

**Healthy:** "No problem found." Inputs have a mean near 0 and a standard deviation near 1; the first loss of a
classifier is near ln(classes), 2.3 for ten; the total gradient norm is often between 0.1 and 100.

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
      two samples: loss 46.2 at step 0, 22.9 at step 15
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
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import nn


class CheckResult(NamedTuple):
    """What was found, in words, and the seconds that each step took."""

    problems: list[str]
    seconds: dict[str, float]


def five_minute_check(
    model: nn.Module, batch: Any, loss_fn: Callable[[Any, Any], torch.Tensor], *, lr: float = 1e-3
) -> CheckResult:
    """Print the four steps for `model` and one `batch`, and return the problems. The model stays as it is.

    Args:
        batch: `(inputs, targets)` or one dict, as it comes from the DataLoader and is moved to the model's device.
        lr: learning rate of Adam in the small run.
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"five_minute_check takes the model first, not a {type(model).__name__}")
    if not isinstance(batch, Mapping) and not (isinstance(batch, list | tuple) and len(batch) == 2):
        raise TypeError("batch must be (inputs, targets) or one dict; take one with next(iter(loader))")
    if isinstance(model, nn.DataParallel | nn.parallel.DistributedDataParallel):
        model = model.module
    model = copy.deepcopy(getattr(model, "_orig_mod", model))  # without what torch.compile has wrapped around it
    model.train()
    inputs, targets = (batch, batch) if isinstance(batch, Mapping) else batch
    weight = next(model.parameters(), torch.empty(0))
    problems: list[str] = []
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
                problems += _check_environment(weight.device)
            with step("data", 60):
                problems += _check_data(inputs, targets, weight)
            with step("model", 60):
                found, can_train = _check_model(model, inputs, targets, loss_fn)
                problems += found
            if can_train:
                with step("small run", 120):
                    problems += _check_small_run(model, inputs, targets, loss_fn, lr)
            else:
                print("4 small run\n  left out: the model cannot be trained yet")
        except Exception:
            if problems:
                print("\n  - ".join(["Problems found before the exception:", *problems]))
            raise
    print("\n  - ".join(["Problems:", *problems]) if problems else "No problem found.")
    return CheckResult(problems, seconds)


def _check_environment(device: torch.device) -> list[str]:
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
    print(f"  Python {platform.python_version()}, torch {torch.__version__}, {accelerator or 'no accelerator'}")
    if device.type == "meta":
        return ["the model is on the meta device and has no values: to_empty() and initialise, or load its state"]
    square = torch.ones(64, 64, device=device)
    works = bool(((square @ square) == 64).all())
    print(f"  a product of two matrices on {device}: {'right' if works else 'wrong'}")
    return [] if works else [f"{device} computes a wrong product: driver, hardware or installation"]


def _check_data(inputs: Any, targets: Any, weight: torch.Tensor) -> list[str]:
    problems = []
    given = list(_tensors(inputs, "inputs"))
    wanted = [] if targets is inputs else list(_tensors(targets, "targets"))
    sizes = {name: len(tensor) for name, tensor in given[:1] + wanted[:1] if tensor.dim()}
    for name, tensor in given + wanted:
        numbers = tensor.detach()
        text = f"  {name:<12} {list(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')} on {tensor.device}"
        if tensor.device != weight.device:
            problems.append(f"{name} is on {tensor.device}, the model on {weight.device}")
        if tensor.is_meta or not tensor.numel():
            problems.append(f"{name} has no values")
        elif tensor.is_floating_point():
            numbers = numbers.to(torch.promote_types(tensor.dtype, torch.float32))
            bad = int((~torch.isfinite(numbers)).sum())
            low, high = numbers.min().item(), numbers.max().item()
            text += f", {low:.3g} to {high:.3g}, mean {numbers.mean():.3g}, std {numbers.std(correction=0):.3g}"
            if bad:
                problems.append(f"{name}: {bad} of {tensor.numel()} values are NaN or infinite")
            elif low == high and tensor.numel() > 1 and name.startswith("inputs"):
                problems.append(f"{name}: all values are {low:.3g}")
            elif max(abs(low), abs(high)) > 100 and name.startswith("inputs"):
                problems.append(f"{name}: values from {low:.3g} to {high:.3g} are not scaled; bring them near -1 to 1")
            mixed = weight.is_floating_point() and tensor.dtype != weight.dtype and not torch.is_autocast_enabled()
            if mixed and name.startswith("inputs"):
                kinds = f"{name} is {tensor.dtype}, the model's weights are {weight.dtype}"
                problems.append(kinds.replace("torch.", ""))
        elif not tensor.is_complex():
            text += f", {int(numbers.min())} to {int(numbers.max())}"
        print(text)
    if len(set(sizes.values())) > 1:
        problems.append(f"different numbers of samples: {', '.join(f'{name} {n}' for name, n in sizes.items())}")
    return problems


def _check_model(model: nn.Module, inputs: Any, targets: Any, loss_fn: Any) -> tuple[list[str], bool]:
    """The problems, and whether the small run makes sense."""
    output = _call(model, inputs)
    parameters = dict(model.named_parameters())
    trained = {name: p for name, p in parameters.items() if p.requires_grad}
    total, learning = (sum(p.numel() for p in group.values()) for group in (parameters, trained))
    print(f"  {total:,} parameters, {learning:,} trained")
    if not trained:
        return ["no parameter has requires_grad=True: nothing is trained"], False

    problems = []
    classes = _classes(output, targets)
    if classes:
        used = targets[targets != getattr(loss_fn, "ignore_index", -100)]
        if used.numel() and not 0 <= int(used.min()) <= int(used.max()) < classes:
            # On a GPU the loss would end the process here.
            problem = f"labels from {int(used.min())} to {int(used.max())}, but the output has {classes} classes"
            return [problem], False
    cross_entropy = isinstance(loss_fn, nn.CrossEntropyLoss) or loss_fn is nn.functional.cross_entropy
    if classes and cross_entropy and bool((output >= 0).all()):
        sums = output.detach().sum(1).float()
        if torch.allclose(sums, torch.ones_like(sums), atol=1e-2):
            problems.append("the outputs are probabilities already: softmax stands before the cross-entropy")

    loss = loss_fn(output, targets)
    if loss.numel() != 1:
        return [*problems, f"the loss has shape {list(loss.shape)}; backward() needs one number"], False
    chance = f", ln({classes}) = {math.log(classes):.3g} is chance" if classes and cross_entropy else ""
    print(f"  loss {loss.item():.3g}{chance}")
    if not math.isfinite(loss.item()):
        return [*problems, f"the loss is {loss.item()}"], False
    if not loss.requires_grad:
        return [*problems, "the loss is not connected to the parameters"], False
    model.zero_grad()
    loss.backward()
    norms = {name: _norm(p.grad) for name, p in trained.items() if p.grad is not None}
    print(f"  total gradient norm {math.hypot(*norms.values()):.3g}")
    faults = {
        "no gradient reaches": [name for name in trained if name not in norms],
        "the gradient is zero in": [name for name, norm in norms.items() if norm == 0],
        "the gradient is NaN or infinite in": [name for name, norm in norms.items() if not math.isfinite(norm)],
    }
    problems += [f"{fault} {', '.join(names)}" for fault, names in faults.items() if names]
    return problems, True


def _check_small_run(model: nn.Module, inputs: Any, targets: Any, loss_fn: Any, lr: float) -> list[str]:
    for module in model.modules():
        if isinstance(module, nn.modules.dropout._DropoutNd):
            module.eval()
    size = next((len(tensor) for _, tensor in _tensors(inputs, "") if tensor.dim()), 0)
    same = targets is inputs
    inputs = _first_two(inputs, size)
    targets = inputs if same else _first_two(targets, size)
    optimizer = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=lr)
    losses: list[float] = []
    end = time.perf_counter() + 120
    while len(losses) <= 100 and time.perf_counter() < end:
        loss = loss_fn(_call(model, inputs), targets)
        losses.append(loss.item())
        if not math.isfinite(losses[-1]) or losses[-1] <= losses[0] / 2:
            break
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    last = len(losses) - 1
    print(f"  two samples: loss {losses[0]:.3g} at step 0, {losses[-1]:.3g} at step {last}")
    return [] if losses[-1] <= losses[0] / 2 else [f"the loss on two samples does not fall by half in {last} steps"]


def _call(model: nn.Module, inputs: Any) -> Any:
    if isinstance(inputs, Mapping):
        return model(**inputs)
    return model(*inputs) if isinstance(inputs, list | tuple) else model(inputs)


def _classes(output: Any, targets: Any) -> int:
    """The number of classes, where the output has one score per class in dimension 1 and targets are labels; else 0."""
    if not (isinstance(output, torch.Tensor) and isinstance(targets, torch.Tensor) and output.dim() > 1):
        return 0
    labels = targets.dtype == torch.int64 and output.is_floating_point()
    return output.shape[1] if labels and output.shape[:1] + output.shape[2:] == targets.shape else 0


def _norm(gradient: torch.Tensor) -> float:
    if gradient.layout == torch.sparse_coo:
        gradient = gradient.coalesce().values()
    return torch.linalg.vector_norm(gradient.to(torch.promote_types(gradient.dtype, torch.float32))).item()


def _first_two(value: Any, size: int) -> Any:
    """The first two samples of every tensor that holds `size` samples."""
    if isinstance(value, torch.Tensor):
        return value[:2] if value.dim() and len(value) == size else value
    if isinstance(value, Mapping):
        return {key: _first_two(part, size) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_first_two(part, size) for part in value]
    return value


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
