"""Can the model overfit a single batch? If not, more data or longer training is unlikely to help.

Use it before a long training run, and first when a model does not learn. It trains a copy of the model on one batch
with Adam, without dropout, until the loss is below 5 % of its first value. Your model is not changed.

The batch is `(inputs, targets)`, and `loss_fn(model(inputs), targets)` is the loss; inputs in a dict or a tuple are
passed as `model(**inputs)` or `model(*inputs)`. A batch that is one dict is passed as `model(**batch)`, with the loss
`loss_fn(output, batch)`. Eight to thirty-two samples are enough. The loss must have 0 as its minimum.

It prints the loss at a few steps and a verdict.

**Healthy:** PASSED within 300 steps, often within 100. Cross-entropy starts near ln(classes): 2.3 for ten. If the loss
stops at a floor, look for outputs that cannot reach the target (softmax before CrossEntropyLoss, a final ReLU),
conflicting labels for equal inputs, or layers without gradients. If it jumps, lower `lr`.

Example, a softmax before CrossEntropyLoss, which keeps the loss above 1.46:

    >>> import torch
    >>> from torch import nn
    >>> from overfit_one_batch import overfit_one_batch
    >>> _ = torch.manual_seed(0)
    >>> batch = torch.randn(16, 20), torch.arange(16) % 10
    >>> model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))
    >>> overfit_one_batch(model, batch, nn.CrossEntropyLoss(), lr=1e-2).passed
    step   0  loss 2.23
    step   1  loss 2
    step  10  loss 0.489
    step  16  loss 0.09
    PASSED: the loss fell below 5% of its first value
    True
    >>> _ = model.append(nn.Softmax(dim=1))
    >>> overfit_one_batch(model, batch, nn.CrossEntropyLoss(), lr=1e-2).passed
    step   0  loss 2.29
    step   1  loss 2.26
    step  10  loss 1.82
    step 100  loss 1.46
    step 300  loss 1.46
    FAILED: after 300 steps the loss is still at 63.7% of its first value
    False
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import torch
from torch import nn


class Overfit(NamedTuple):
    """Whether the batch was learnt, the loss of every step, and why it failed ("" where it passed)."""

    passed: bool
    losses: list[float]
    reason: str


def overfit_one_batch(
    model: nn.Module,
    batch: Any,
    loss_fn: Callable[[Any, Any], torch.Tensor],
    *,
    steps: int = 300,
    lr: float = 1e-3,
    target: float = 0.05,
) -> Overfit:
    """Train a copy of `model` on `batch` for at most `steps` steps and tell whether the loss falls below `target`.

    Args:
        batch: `(inputs, targets)` or one dict, on the model's device.
        target: the share of the first loss below which the batch counts as learnt.
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"overfit_one_batch takes the model first, not a {type(model).__name__}")
    if not isinstance(batch, Mapping) and not (isinstance(batch, list | tuple) and len(batch) == 2):
        raise TypeError("batch must be (inputs, targets) or one dict; take one with next(iter(loader))")
    if isinstance(model, nn.DataParallel | nn.parallel.DistributedDataParallel):
        model = model.module
    model = copy.deepcopy(getattr(model, "_orig_mod", model))  # without what torch.compile has wrapped around it
    model.train()
    for module in model.modules():
        if isinstance(module, nn.modules.dropout._DropoutNd):
            module.eval()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not trained:
        raise ValueError("the model has nothing to train: no parameter has requires_grad=True")
    inputs, targets = (batch, batch) if isinstance(batch, Mapping) else batch

    losses: list[float] = []
    reason = ""
    with _random_state_kept(), torch.enable_grad():
        for step in range(steps + 1):  # the last step only measures
            if isinstance(inputs, Mapping):
                output = model(**inputs)
            else:
                output = model(*inputs) if isinstance(inputs, list | tuple) else model(inputs)
            loss = loss_fn(output, targets)
            losses.append(loss.item())
            if losses[-1] < 0:
                raise ValueError(f"the loss is {losses[-1]:.3g}; this test needs a loss whose minimum is 0")
            if not math.isfinite(losses[-1]):
                reason = f"the loss is {losses[-1]} at step {step}"
                break
            if losses[-1] <= target * losses[0]:
                break
            if step == 0:  # not before the first forward pass, which gives lazy layers their shape
                optimizer = torch.optim.Adam(trained, lr=lr)
            optimizer.zero_grad()
            loss.backward()
            if step == 0 and all(p.grad is None or not p.grad.any() for p in trained):
                reason = "no parameter gets a gradient other than zero"
                break
            optimizer.step()
        else:
            reason = f"after {steps} steps the loss is still at {losses[-1] / losses[0]:.1%} of its first value"

    for step in sorted({0, 1, 10, 100, len(losses) - 1}):
        if step < len(losses):
            print(f"step {step:>3}  loss {losses[step]:.3g}")
    print(f"FAILED: {reason}" if reason else f"PASSED: the loss fell below {target:.0%} of its first value")
    return Overfit(not reason, losses, reason)


def _random_state_kept() -> Any:
    """A context manager that restores the random state of the CPU and of the accelerators."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cuda")
    return torch.random.fork_rng(range(torch.accelerator.device_count()), device_type=accelerator.type)
