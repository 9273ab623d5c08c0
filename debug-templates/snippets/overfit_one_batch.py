"""Can the model memorize a single batch? If not, more data or longer training is unlikely to help.

Use it before a long training run, and first when a model does not learn. It trains a copy of the model on one batch
with Adam, without dropout, at one of three learning rates, until the loss is a tenth of the first one. Your model stays
as it is. Eight to thirty-two samples are enough.

The batch is `(inputs, targets)` on the model's device, and `loss_fn(model(inputs), targets)` the loss. For batches of
another form, pass `compute_loss=` in place of `loss_fn`; it is called as `compute_loss(model, batch)`.

It prints the loss at a few steps of the best run and a verdict:

- PASSED: memorized. A few samples can be memorized with wrong labels, too, so this does not prove the labels right.
- FAILED: the loss has not even halved, or is not finite. Look for outputs that cannot reach the target (softmax before
  CrossEntropyLoss, a final ReLU), conflicting labels for equal inputs, layers without gradients, unscaled targets.
- CANNOT TELL: in between. The minimum of the loss may be above zero, as with label smoothing, or the model too small.

**Healthy:** PASSED, often within 100 steps. The verdict says nothing about a loss that can be negative, or that is near
its minimum at the start. Your own loop and optimizer are not run: `python -m torch_errors --watch train.py` watches
them for silent faults.

Example, a softmax before CrossEntropyLoss, which keeps the loss above 1.46:

    >>> import torch
    >>> from torch import nn
    >>> from overfit_one_batch import overfit_one_batch
    >>> _ = torch.manual_seed(0)
    >>> batch = torch.randn(16, 20), torch.arange(16) % 10
    >>> model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))
    >>> overfit_one_batch(model, batch, nn.CrossEntropyLoss()).passed
    step   0  loss 2.23
    step  10  loss 2
    step 100  loss 0.348
    step 117  loss 0.221
    PASSED: after 117 steps 10% of the first loss are left
    True
    >>> _ = model.append(nn.Softmax(dim=1))
    >>> overfit_one_batch(model, batch, nn.CrossEntropyLoss()).passed
    step   0  loss 2.29
    step  10  loss 1.46
    step 100  loss 1.46
    step 300  loss 1.46
    FAILED: after 300 steps 64% of the first loss are left
    False
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn


class Overfit(NamedTuple):
    """The verdict, which is PASSED, FAILED or CANNOT TELL, and the losses of the best run."""

    verdict: str
    losses: list[float]

    @property
    def passed(self) -> bool:
        """Whether the batch was memorized."""
        return self.verdict == "PASSED"


def overfit_one_batch(
    model: nn.Module,
    batch: Any,
    loss_fn: Callable[[Any, Any], torch.Tensor] | None = None,
    *,
    compute_loss: Callable[[nn.Module, Any], torch.Tensor] | None = None,
    steps: int = 300,
    lr: float = 1e-3,
) -> Overfit:
    """Train copies of `model` on `batch` with the rates `lr`, 10 `lr` and 100 `lr`, each for up to `steps` steps."""
    if compute_loss is None:
        compute_loss = lambda model, batch: loss_fn(model(batch[0]), batch[1])  # type: ignore[misc] # noqa: E731
    best: list[float] = []
    for rate in (lr, 10 * lr, 100 * lr):
        with torch.random.fork_rng():
            losses = _train(copy.deepcopy(model), batch, compute_loss, steps, rate)
        if not best or losses[-1] < best[-1]:
            best = losses
        if best[-1] <= 0.1 * best[0]:
            break
    last = len(best) - 1
    for step in sorted({step for step in (0, 10, 100, last) if step <= last}):
        print(f"step {step:3}  loss {best[step]:.3g}")
    share = best[-1] / best[0]
    verdict = "PASSED" if share <= 0.1 else "CANNOT TELL" if share <= 0.5 else "FAILED"
    print(f"{verdict}: after {last} steps {share:.0%} of the first loss are left")
    return Overfit(verdict, best)


def _train(
    model: nn.Module, batch: Any, compute_loss: Callable[[nn.Module, Any], torch.Tensor], steps: int, lr: float
) -> list[float]:
    model.train()
    for module in model.modules():
        if isinstance(module, nn.modules.dropout._DropoutNd):
            module.p = 0.0
        if isinstance(getattr(module, "dropout", None), float):  # of an LSTM or of attention
            module.dropout = 0.0
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    losses: list[float] = []
    while len(losses) <= steps and (not losses or losses[-1] > 0.1 * losses[0]):
        torch.manual_seed(0)  # the same noise in every step, where the loss draws some
        loss = compute_loss(model, batch)
        losses.append(loss.item())
        if not math.isfinite(losses[-1]):
            break
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses
