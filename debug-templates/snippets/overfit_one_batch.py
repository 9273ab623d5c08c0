"""Can the model memorize a single batch? If not, more data or longer training is unlikely to help.

Use it before a long training run, and first when a model does not learn. It trains a copy of the model on one batch
with Adam, without dropout, until the loss is below 5 % of chance level: the loss of the best constant prediction, which
is the entropy of the labels for cross-entropy and the variance of the targets for MSE. The learning rate grows by 5 %
per step; where the loss jumps, the best weights are restored and the rate is divided by 3. Your model is not changed.

The batch is `(inputs, targets)`, and `loss_fn(model(inputs), targets)` is the loss; inputs in a dict or a tuple are
passed as `model(**inputs)` or `model(*inputs)`, and detection batches, whose targets are a list of dicts, as
`model(images, targets)`. A batch that is one dict is passed as `model(**batch)`, with the loss
`loss_fn(output, batch)`. For a GAN, or a model that returns its loss, pass `compute_loss=lambda model, batch: ...`;
other modules that it calls are neither copied nor trained, and chance level is unknown: pass `chance=`, or the first
loss takes its place. Eight to thirty-two samples are enough. Negative losses are refused.

It prints the loss at a few steps and a verdict:

- PASSED: memorized. A few samples can be memorized with wrong labels, too, so this does not prove the labels right.
- FAILED: the loss is not finite, has no gradient, or stopped falling. Look for outputs that cannot reach the target
  (softmax before CrossEntropyLoss, a final ReLU), conflicting labels for equal inputs, or layers without gradients.
- STILL FALLING: pass more `steps`; if it is far above chance level, scale inputs and targets first.
- CANNOT TELL: all targets are the same, or the loss stops below a third of chance level, as where equal inputs have
  different targets (the first words of sequences), or the model is too small. A single layer can memorize about as
  many samples as it has inputs, and gets half of that if the batch is two tensors.

**Healthy:** PASSED, often within 100 steps.

Example, a softmax before CrossEntropyLoss, which keeps the loss above 1.46:

    >>> import torch
    >>> from torch import nn
    >>> from overfit_one_batch import overfit_one_batch
    >>> _ = torch.manual_seed(0)
    >>> batch = torch.randn(16, 20), torch.arange(16) % 10
    >>> model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 10))
    >>> overfit_one_batch(model, batch, nn.CrossEntropyLoss()).passed
    step   0  loss 2.23
    step   1  loss 2.2
    step  10  loss 1.93
    step  42  loss 0.11
    PASSED: the loss fell to 4.9% of chance level, 2.25
    True
    >>> _ = model.append(nn.Softmax(dim=1))
    >>> overfit_one_batch(model, batch, nn.CrossEntropyLoss()).passed
    step   0  loss 2.29
    step   1  loss 2.29
    step  10  loss 2.25
    step 100  loss 1.46
    step 300  loss 1.46
    FAILED: after 300 steps the loss is still at 64.9% of chance level, 2.25
    False
"""

from __future__ import annotations

import contextlib
import copy
import math
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

# Where the loss stops below this share of chance level, the model learns: a softmax before the cross-entropy keeps 45 %
# (two classes) to 79 % (a hundred) of it, a final ReLU on standardized targets half.
LEARNS = 1 / 3


class Overfit(NamedTuple):
    """Whether the batch was memorized, the loss of every step, and why it was not ("" where it passed)."""

    passed: bool
    losses: list[float]
    reason: str
    verdict: str  # PASSED, FAILED, STILL FALLING or CANNOT TELL
    chance: float | None  # the loss of the best constant prediction; None where the output is not a tensor
    floor: float  # the lowest loss of any predictions, such as the entropy of smoothed labels; else 0


def overfit_one_batch(
    model: nn.Module,
    batch: Any,
    loss_fn: Callable[[Any, Any], torch.Tensor] | None = None,
    *,
    compute_loss: Callable[[nn.Module, Any], torch.Tensor] | None = None,
    steps: int = 300,
    lr: float = 1e-3,
    target: float = 0.05,
    chance: float | None = None,
) -> Overfit:
    """Train a copy of `model` on `batch` for at most `steps` steps and tell whether the loss falls below `target`.

    Args:
        batch: `(inputs, targets)` or one dict, on the model's device; with `compute_loss`, anything.
        compute_loss: instead of `loss_fn`, called as `compute_loss(model, batch)`.
        lr: the learning rate of the first step.
        target: the share of chance level below which the batch counts as memorized.
        chance: chance level, where it cannot be computed; without it the first loss takes its place.
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"overfit_one_batch takes the model first, not a {type(model).__name__}")
    if (loss_fn is None) == (compute_loss is None):
        raise TypeError("pass either loss_fn, called with (output, targets), or compute_loss=, with (model, batch)")
    if loss_fn and not isinstance(batch, Mapping) and not (isinstance(batch, list | tuple) and len(batch) == 2):
        raise TypeError("batch must be (inputs, targets) or one dict, from next(iter(loader)); or pass compute_loss")
    if isinstance(model, nn.DataParallel | nn.parallel.DistributedDataParallel):
        model = model.module
    with _CopyOfAnyTensor():
        model = copy.deepcopy(getattr(model, "_orig_mod", model))  # without what torch.compile has wrapped around it
    model.train()
    trained = [parameter for parameter in model.parameters() if parameter.requires_grad]
    if not trained:
        raise ValueError("the model has nothing to train: no parameter has requires_grad=True")

    with _quiet(), torch.enable_grad():
        small, trivial, floor = "", False, 0.0
        if loss_fn:
            with torch.no_grad():  # also gives lazy layers their shape
                output, targets = _forward(model, batch)
            if isinstance(output, torch.Tensor) and isinstance(targets, torch.Tensor) and targets.dim():
                size, limit = len(targets), _memorizable(model, output, targets)
                if limit < size:
                    small = f"; the model can memorize about {limit} samples, not {size}: pass fewer"
                    if limit > 1 and isinstance(batch[0], torch.Tensor) and len(batch[0]) == len(output) == size:
                        batch, output, targets = (batch[0][:limit], targets[:limit]), output[:limit], targets[:limit]
                        print(f"on {limit} of the {size} samples, as many as so small a model can memorize")
                trivial = bool((targets == targets[:1]).all())
            if chance is None and not trivial and isinstance(output, torch.Tensor) and output.dim():
                chance = _lowest_loss(output[:1], output.shape, targets, loss_fn)
                if chance and output.numel() <= 100_000:
                    floor = _lowest_loss(output, output.shape, targets, loss_fn) or 0.0
                    if floor > chance / 2:  # a loss that draws random numbers or broadcasts
                        floor = 0.0

        def loss_of(model: nn.Module) -> torch.Tensor:
            return compute_loss(model, batch) if compute_loss else loss_fn(*_forward(model, batch))

        losses, reason = _train(model, trained, loss_of, steps, lr, target, chance, floor)

    start = losses[0] if chance is None else chance
    reached = losses[-1] <= floor + target * (start - floor)
    final = losses[-1] if reached or reason else statistics.median(losses[-max(1, len(losses) // 10) :])
    left = f"{max(0.0, final - floor) / (start - floor) if start > floor else 0.0:.1%} of "
    left += "its first value" if chance is None else f"chance level, {chance:.3g}"
    if floor > 0.01 * start:
        left += f", above {floor:.3g}, the lowest possible"
    verdict = "FAILED"
    if reached and trivial:
        verdict, reason = "CANNOT TELL", "all samples have the same target, which any constant fits: take others"
    elif reached:
        verdict, reason = "PASSED", ""
    elif not reason:
        reason = f"after {steps} steps the loss is still at {left}"
        if _falling(losses):
            verdict = "STILL FALLING"
            reason += "; scale inputs and targets, or pass more steps" if final > start else "; pass more steps"
        elif small:
            verdict, reason = "CANNOT TELL", reason + small
        elif final - floor < LEARNS * (start - floor):
            verdict = "CANNOT TELL"
            reason += "; the model learns, but cannot reach all targets: equal inputs with different ones, or too small"

    for step in sorted({0, 1, 10, 100, len(losses) - 1}):
        if step < len(losses):
            print(f"step {step:>3}  loss {losses[step]:.3g}")
    if verdict == "PASSED" and losses[0] > 10 * start:
        left += f", but began at {losses[0]:.3g}: scale inputs and targets"
    print(f"{verdict}: {reason}" if reason else f"PASSED: the loss fell to {left}")
    return Overfit(verdict == "PASSED", losses, reason, verdict, chance, floor)


def _train(
    model: nn.Module,
    trained: list[nn.Parameter],
    loss_of: Callable[[nn.Module], torch.Tensor],
    steps: int,
    lr: float,
    target: float,
    chance: float | None,
    floor: float,
) -> tuple[list[float], str]:
    """The loss of every step, and why it ended early, "" if it did not."""
    losses: list[float] = []
    best = math.inf
    optimizer = torch.optim.Adam(trained, lr=lr)
    for step in range(steps + 1):  # the last step only measures
        torch.manual_seed(0)  # sampled anchors, masks and noise are those of the first step and can be memorized, too
        loss = loss_of(model)
        losses.append(loss.item())
        if losses[-1] < 0:
            raise ValueError(f"the loss is {losses[-1]:.3g}; this test needs a loss whose minimum is 0")
        if losses[-1] <= floor + target * ((losses[0] if chance is None else chance) - floor) or step == steps:
            break
        if losses[-1] <= 1.5 * best:
            if losses[-1] < best:
                best, kept = losses[-1], [parameter.detach().clone() for parameter in trained]
            lr *= 1.05
        elif step == 0:  # NaN or infinite
            return losses, f"the loss is {losses[0]} at step 0"
        else:
            with torch.no_grad():
                for parameter, value in zip(trained, kept, strict=True):
                    parameter.copy_(value)
            lr /= 3
            optimizer = torch.optim.Adam(trained, lr=lr)
            torch.manual_seed(0)
            loss = loss_of(model)
        if not loss.requires_grad:
            return losses, "the loss does not depend on the parameters: no gradient can be computed"
        # Not backward(): the gradients of other modules that compute_loss calls stay as they are.
        gradients = [
            gradient if gradient is None else gradient.to_dense()  # Adam takes no sparse ones, as of an Embedding
            for gradient in torch.autograd.grad(loss, trained, allow_unused=True)
        ]
        if step == 0 and all(gradient is None or not gradient.any() for gradient in gradients):
            return losses, "no parameter gets a gradient other than zero"
        for parameter, gradient in zip(trained, gradients, strict=True):
            parameter.grad = gradient
        for group in optimizer.param_groups:
            group["lr"] = lr
        optimizer.step()
    return losses, ""


def _falling(losses: list[float]) -> bool:
    """Whether the last tenth of the steps is more than 5 % below the tenth that ended a fifth of the steps earlier."""
    tenth = max(1, len(losses) // 10)
    return statistics.median(losses[-tenth:]) < 0.95 * statistics.median(losses[-4 * tenth : -3 * tenth] or losses[:1])


def _memorizable(model: nn.Module, output: torch.Tensor, targets: torch.Tensor) -> int:
    """How many samples so many weights can fit, whatever their targets: a sound estimate for one layer only.

    A hyperplane in d dimensions separates any labels of d + 1 points in general position (Cover 1965,
    doi:10.1109/PGEC.1965.264137), but needs many steps for the last of them, so that half is taken.
    """
    layers = [m for m in model.modules() if any(p.requires_grad for p in m.parameters(recurse=False))]
    weight = getattr(layers[0], "weight", None) if len(layers) == 1 else None
    if isinstance(weight, torch.Tensor) and weight.dim() > 1:
        rows = max(1, output[0].numel() // len(weight))  # the layer is applied to each position of a sequence
        return (weight[0].numel() + 1) // 2 // rows
    return sum(p.numel() for p in model.parameters() if p.requires_grad) * len(targets) // targets.numel()


def _lowest_loss(like: torch.Tensor, shape: torch.Size, targets: Any, loss_fn: Any) -> float | None:
    """The lowest loss of predictions with the shape of `like`, expanded to `shape`; None if the loss takes none.

    One sample gives the best prediction that is the same for all samples. It is computed on the CPU: on a GPU, an
    output outside of the range of BCELoss would end the process.
    """
    loss_fn, targets = copy.deepcopy(loss_fn), _to_cpu(targets)
    if isinstance(loss_fn, nn.Module):
        loss_fn.cpu()

    def lowest(activation: Callable[[torch.Tensor], torch.Tensor]) -> float:
        scores = torch.zeros(like.shape, dtype=torch.promote_types(like.dtype, torch.float32))
        optimizer = torch.optim.LBFGS([scores.requires_grad_()], max_iter=100, line_search_fn="strong_wolfe")

        def loss() -> torch.Tensor:
            optimizer.zero_grad()
            value = loss_fn(activation(scores).expand(shape), targets)
            value.backward()
            return value

        optimizer.step(loss)
        return loss().item()

    losses = []
    # As it is; as the log-probabilities that NLLLoss takes; as the probabilities that BCELoss takes.
    for activation in (lambda x: x, lambda x: x.log_softmax(min(1, x.dim() - 1)), torch.sigmoid):
        with contextlib.suppress(Exception):  # the user's loss raises what it likes for outputs that it does not take
            losses.append(lowest(activation))
    return min((loss for loss in losses if 0 <= loss < math.inf), default=None)


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


def _to_cpu(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().cpu()
    if isinstance(value, Mapping):
        return {key: _to_cpu(part) for key, part in value.items()}
    return [_to_cpu(part) for part in value] if isinstance(value, list | tuple) else value


class _CopyOfAnyTensor(TorchFunctionMode):
    """Lets `copy.deepcopy` copy tensors with a graph: cached activations, the weight of the old weight_norm."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is not torch.Tensor.__deepcopy__ or args[0].is_leaf:
            return func(*args, **(kwargs or {}))
        tensor, memo = args
        memo[id(tensor)] = tensor.detach().clone()
        return memo[id(tensor)]


class _WithoutDropout(TorchFunctionMode):
    """Every dropout has the probability 0, in layers, attention, recurrent networks and `F.dropout`."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, arguments, kwargs = getattr(func, "__name__", ""), list(args), dict(kwargs or {})
        if name == "bernoulli_" and len(arguments) > 1 and isinstance(arguments[1], float):  # stochastic depth
            return arguments[0].fill_(arguments[1])
        places = {"scaled_dot_product_attention": 4, "multi_head_attention_forward": 10}
        if name in ("lstm", "gru", "rnn_tanh", "rnn_relu"):
            places[name] = 5 if isinstance(arguments[3], bool) else 6  # packed sequences have one argument more
        place = 1 if "dropout" in name else places.get(name)
        if place is not None and len(arguments) > place:
            arguments[place] = 0.0
        elif place is not None:
            kwargs["p" if "dropout" in name else "dropout_p"] = 0.0
        return func(*arguments, **kwargs)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Dropout is off, what torch.compile has compiled runs eagerly, and the random state is restored afterwards."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cuda")
    compiled = "torch._dynamo" in sys.modules
    with (
        torch.random.fork_rng(range(torch.accelerator.device_count()), device_type=accelerator.type),
        torch.compiler.set_stance("force_eager") if compiled else contextlib.nullcontext(),
        _WithoutDropout(),
    ):
        yield
