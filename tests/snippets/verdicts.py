"""Runs each snippet on a training run and turns its result into a list of alarms.

python -m tests.snippets.verdicts five_minute_check --seeds 10  # without a name: all snippets
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import traceback
import warnings
from collections.abc import Callable
from typing import Any

import torch

from tests.snippets import SNIPPETS, load
from tests.snippets.further_healthy import FURTHER
from tests.snippets.healthy import RECIPES, Recipe, Training

# Largest factor between a suggestion of lr_range_test and the learning rate of the recipe.
TOO_HIGH, TOO_LOW = 20, 500


def verdict(snippet: str, recipe: Recipe, seed: int) -> list[str]:
    """Run one snippet, as a user would, on a new training run. Returns its alarms."""
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return CHECKS[snippet](recipe.start(seed))
        except Exception:
            return [traceback.format_exc(limit=-1)]


def _first(training: Training) -> Any:
    return next(iter(training.batches))


def _optimizer(training: Training) -> Any:
    """The optimizer of the part that `loss_fn` trains."""
    return training.optimizer[1] if isinstance(training.optimizer, tuple) else training.optimizer


def _is_pair(training: Training) -> bool:
    """Whether the loss is `loss_fn(model(inputs), targets)` and a batch consists of these two tensors."""
    batch = _first(training)
    pair = isinstance(batch, list | tuple) and [type(part) for part in batch] == [torch.Tensor] * 2
    return pair and not training.recipe.takes_model


def _loss(training: Training) -> dict[str, Any]:
    """`loss_fn` if a batch is a pair of tensors, otherwise a function of model and batch."""
    return {"loss_fn": training.recipe.loss_fn} if _is_pair(training) else {"compute_loss": training.loss}


def _five_minute_check(training: Training) -> list[str]:
    return load("five_minute_check").five_minute_check(training.part, _first(training), **_loss(training))


def _overfit_one_batch(training: Training) -> list[str]:
    result = load("overfit_one_batch").overfit_one_batch(training.part, _first(training), **_loss(training))
    return [f"{result.losses[0]:.3g} to {result.losses[-1]:.3g}"] if result.verdict == "FAILED" else []


def _training_step_check(training: Training) -> list[str]:
    arguments = training.part, _optimizer(training), _first(training)
    return load("training_step_check").training_step_check(*arguments, **_loss(training))


def _lr_range_test(training: Training) -> list[str]:
    """The user passes the optimizer's class, and compares the suggestion with the rate in use."""
    optimizer = _optimizer(training)
    group = optimizer.param_groups[0]
    options = {key: group[key] for key in ("momentum", "betas") if key in group}
    options |= _loss(training)
    test = load("lr_range_test").lr_range_test
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        result = test(training.part, training.batches, optimizer_class=type(optimizer), **options)
    print(said := printed.getvalue().strip())
    rate = group.get("initial_lr", group["lr"])
    if result.suggestion is None:
        return [] if "inconclusive" in said else [said]
    fits = result.suggestion / TOO_LOW <= rate <= TOO_HIGH * result.suggestion
    return [] if fits else [f"the suggestion is {result.suggestion:.1e}, the rate in use {rate:.1e}"]


def _model_summary(training: Training) -> list[str]:
    return [f"not registered: {name}" for name in load("model_summary").summarize(training.model).unregistered]


def _gradient_report(training: Training) -> list[str]:
    """Called before each of the first two optimizer steps."""
    report, found = load("gradient_report").gradient_report, []
    model = training.part if isinstance(training.optimizer, tuple) else training.model
    hook = _optimizer(training).register_step_pre_hook(lambda *_: found.append(dict(report(model).problems)))
    for batch in itertools.islice(training.endless(), 8):
        training.step(batch)
        if len(found) == 2:
            break
    hook.remove()
    assert len(found) == 2
    return [f"{name}: {problem}" for problems in found for name, problem in problems.items()]


def _activation_statistics(training: Training) -> list[str]:
    args, kwargs = training.arguments(_first(training))
    statistics = load("activation_statistics").activation_statistics(training.part.train(), *args, **kwargs)
    return [f"{name}: {layer.problem}" for name, layer in statistics.items() if layer.problem]


def _nan_guard(training: Training) -> list[str]:
    """Guards two epochs of the user's own loop."""
    try:
        with load("nan_guard").nan_guard(training.model):
            for batch in itertools.chain(training.batches, training.batches):
                training.step(batch)
    except FloatingPointError as error:
        return [str(error)]
    return []


def _training_loop(training: Training) -> list[str]:
    """Runs two epochs of this loop in place of the user's, if a batch is a pair of tensors."""
    module = load("training_loop")
    try:
        if _is_pair(training):
            module.train(training.part, training.batches, training.recipe.loss_fn, _optimizer(training), epochs=2)
    except module.BadBatch as error:
        return [str(error)]
    return []


def _graph_inspection(training: Training) -> list[str]:
    loss = training.loss(training.part, _first(training))
    return [f"unreached: {name}" for name in load("graph_inspection").unreached_parameters(loss, training.part)]


def _device_check(training: Training) -> list[str]:
    return load("device_check").check_devices(training.model, _first(training))


def _reproducibility(training: Training) -> list[str]:
    """Compares two runs, with the user's own way to make the model, seeded or not."""
    same_twice = load("reproducibility").same_twice
    seed = torch.initial_seed()

    def train() -> list[torch.Tensor]:
        again = training.recipe.start(seed)
        return [again.step(batch) for batch in itertools.islice(again.endless(), 3)]

    return [] if same_twice(train) else ["two trainings differ"]


def _memory_report(training: Training) -> list[str]:
    batches = training.endless()
    return list(load("memory_report").find_leak(lambda: training.step(next(batches))))


def _gradient_accumulation(training: Training) -> list[str]:
    if not _is_pair(training):
        return []
    compare = load("gradient_accumulation").compare_with_full_batch
    difference = compare(training.part, _first(training), training.recipe.loss_fn)
    return [f"differs by {difference:.1%}"] if difference > 1e-4 else []


def _shape_tracer(training: Training) -> list[str]:
    """It has no alarms, but must not fail."""
    args, kwargs = training.arguments(_first(training))
    load("shape_tracer").trace_shapes(training.part, *args, **kwargs)
    return []


# By snippet: the function above with its name.
CHECKS: dict[str, Callable[[Training], list[str]]] = {
    path.stem: globals()[f"_{path.stem}"] for path in sorted(SNIPPETS.glob("*.py")) if f"_{path.stem}" in globals()
}

_NO_COPY = "it cannot be copied: copy.deepcopy refuses tensors with a graph"
_NO_MEAN = "a true difference: the loss is no mean over samples"
_BATCH_NORM = "a true difference: batch normalization averages over each part"
_COPYING = (
    *("five_minute_check", "training_step_check", "overfit_one_batch", "gradient_accumulation", "lr_range_test"),
)
# Recipes that a snippet is not meant for, and why.
NOT_FOR: dict[tuple[str, str], str] = {
    **{(snippet, name): _NO_COPY for snippet in _COPYING for name in ("weight_norm", "caching_model")},
    ("five_minute_check", "sparse_bag"): "its Adam takes no sparse gradients",
    ("five_minute_check", "poisson"): "half of the first loss is below the minimum of this loss",
    ("five_minute_check", "targets_near_2000"): "a true finding: Adam needs more than 100 steps to such targets",
    ("overfit_one_batch", "targets_near_2000"): "a true finding: Adam needs more than 300 steps to such targets",
    ("overfit_one_batch", "sparse_bag"): "its Adam takes no sparse gradients",
    ("gradient_accumulation", "functional_dropout"): "a true difference: it switches off dropout layers only",
    ("gradient_accumulation", "vae"): "a true difference: the noise of each part",
    ("gradient_accumulation", "spectral_norm"): "a true difference: each forward pass changes the norm's estimate",
    ("gradient_accumulation", "bfloat16_weights"): "a true difference: rounding errors of bfloat16",
    ("gradient_accumulation", "padding"): "a true difference: the loss is a mean over words",
    **{("gradient_accumulation", name): _BATCH_NORM for name in ("resnet", "batch_norm_cnn")},
    **{("gradient_accumulation", name): _NO_MEAN for name in ("unet_dice", "class_weights", "summed_loss")},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snippets", nargs="*", default=list(CHECKS))
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds, from 0 on")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    for snippet, recipe, seed in itertools.product(arguments.snippets, RECIPES + FURTHER, range(arguments.seeds)):
        if (snippet, recipe.name) not in NOT_FOR and (alarms := verdict(snippet, recipe, seed)):
            print(f"{snippet}  {recipe.name}  seed {seed}: {' | '.join(alarms)}", flush=True)


if __name__ == "__main__":
    main()
