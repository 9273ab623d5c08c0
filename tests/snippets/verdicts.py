"""What each snippet says of a training, as a list of alarms: the one place that knows what the snippets return.

python -m tests.snippets.verdicts five_minute_check            # on all healthy trainings, seed 0
python -m tests.snippets.verdicts --seeds 10 --only vit,gru    # all snippets, ten seeds, two trainings
"""

from __future__ import annotations

import argparse
import contextlib
import io
import itertools
import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from tests.snippets import SNIPPETS, load
from tests.snippets.further_healthy import FURTHER
from tests.snippets.healthy import RECIPES, Recipe, Training

# A suggestion by lr_range_test may be this many times smaller or larger than a rate that people train with.
TOO_HIGH, TOO_LOW = 20, 500


@dataclass(frozen=True)
class Verdict:
    """What a snippet says: no alarm means "nothing found"."""

    alarms: list[str]
    printed: str
    seconds: float


def verdict(snippet: str, recipe: Recipe, seed: int) -> Verdict:
    """Run one snippet, as a user would, on a fresh training."""
    printed = io.StringIO()
    start = time.process_time()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        training = recipe.start(seed)
        try:
            alarms = CHECKS[snippet](training)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            alarms = [f"raised {type(error).__name__}: {str(error)[:200]} ({place.name}, line {place.lineno})"]
    return Verdict(alarms, printed.getvalue(), time.process_time() - start)


def _first(training: Training) -> Any:
    return next(iter(training.batches))


def _losses(training: Training) -> dict[str, Any]:
    """The user's loss, under the name that the snippets have for its form."""
    return {"compute_loss" if training.recipe.takes_model else "loss_fn": training.loss_fn}


def _is_pair(training: Training) -> bool:
    """Whether the loss is `loss_fn(model(inputs), targets)`, and the batch these two tensors."""
    batch = _first(training)
    pair = isinstance(batch, list | tuple) and [type(part) for part in batch] == [torch.Tensor] * 2
    return pair and not training.recipe.takes_model


def _simple_losses(training: Training) -> dict[str, Any]:
    """`loss_fn` where the batch is two tensors, and a function of model and batch where it has another form."""
    return {"loss_fn": training.loss_fn} if _is_pair(training) else {"compute_loss": training.loss}


def _five_minute_check(training: Training) -> list[str]:
    check = load("five_minute_check").five_minute_check
    return check(training.part, _first(training), **_simple_losses(training))


def _overfit_one_batch(training: Training) -> list[str]:
    overfit = load("overfit_one_batch").overfit_one_batch
    result = overfit(training.part, _first(training), **_simple_losses(training))
    return [f"{result.losses[0]:.3g} to {result.losses[-1]:.3g}"] if result.verdict == "FAILED" else []


def _lr_range_test(training: Training) -> list[str]:
    """The user passes the optimizer's class, and compares the suggestion with the rate in use."""
    optimizer = training.optimizer[1] if isinstance(training.optimizer, tuple) else training.optimizer
    group = optimizer.param_groups[0]
    options = {key: group[key] for key in ("momentum", "betas") if key in group}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        result = load("lr_range_test").lr_range_test(
            training.part, training.batches, optimizer_class=type(optimizer), **_losses(training), **options
        )
    print(said := printed.getvalue().strip())
    rate = group.get("initial_lr", group["lr"])
    if result.suggestion is None:
        return [] if "inconclusive" in said else [said]
    if rate > TOO_HIGH * result.suggestion:
        return [f"the rate in use, {rate:.1e}, is {rate / result.suggestion:.0f} times the suggestion"]
    if rate < result.suggestion / TOO_LOW:
        return [f"the suggestion is {result.suggestion / rate:.0f} times the rate in use, {rate:.1e}"]
    return []


def _training_step_check(training: Training) -> list[str]:
    optimizer = training.optimizer[1] if isinstance(training.optimizer, tuple) else training.optimizer
    check = load("training_step_check").training_step_check
    return check(training.part, optimizer, _first(training), **_simple_losses(training))


def _model_summary(training: Training) -> list[str]:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        summary = load("model_summary").summarize(training.model)
    print(printed.getvalue())
    nothing = ["nothing is trained"] if "Nothing is trained" in printed.getvalue() else []
    return [*(f"not registered: {name}" for name in summary.unregistered), *nothing]


def _gradient_report(training: Training) -> list[str]:
    """Called before each of the first two optimizer steps; after the step where the optimizer is never called."""
    report = load("gradient_report").gradient_report
    found: list[dict[str, str]] = []
    optimizers = training.optimizer if isinstance(training.optimizer, tuple) else (training.optimizer,)
    model = training.part if len(optimizers) > 1 else training.model
    hooks = [
        optimizer.register_step_pre_hook(lambda *_: found.append(dict(report(model).problems)))
        for optimizer in optimizers[-1:]
    ]
    for batch in itertools.islice(training.endless(), 4):
        training.step(batch)
        if len(found) == 2:
            break
    for hook in hooks:
        hook.remove()
    if not found:
        found.append(dict(report(model).problems))
    return [f"{name}: {problem}" for problems in found for name, problem in problems.items()]


def _activation_statistics(training: Training) -> list[str]:
    args, kwargs = training.arguments(_first(training))
    model = training.part
    model.train()
    statistics = load("activation_statistics").activation_statistics(model, *args, **kwargs)
    return [f"{name}: {layer.problem}" for name, layer in statistics.items() if layer.problem]


def _nan_guard(training: Training) -> list[str]:
    """Around two epochs of the user's own loop."""
    try:
        step = training.step
        with load("nan_guard").nan_guard(training.model):
            for _ in range(2):
                for batch in training.batches:
                    step(batch)
    except FloatingPointError as error:
        return [str(error)]
    return []


def _training_loop(training: Training) -> list[str]:
    """Two epochs of this loop in place of the user's, where a batch is two tensors."""
    module = load("training_loop")
    optimizer = training.optimizer[1] if isinstance(training.optimizer, tuple) else training.optimizer
    if not _is_pair(training):
        return []
    try:
        module.train(training.part, training.batches, training.loss_fn, optimizer, epochs=2)
    except module.BadBatch as error:
        return [str(error)]
    return []


def _graph_inspection(training: Training) -> list[str]:
    loss = training.loss(training.part, _first(training))
    return [f"unreached: {name}" for name in load("graph_inspection").unreached_parameters(loss, training.part)]


def _device_check(training: Training) -> list[str]:
    return load("device_check").check_devices(training.model, _first(training))


def _reproducibility(training: Training) -> list[str]:
    """A training run twice, with the user's own way to make the model, seeded or not; and a validation run twice."""
    same_twice = load("reproducibility").same_twice
    seed = torch.initial_seed()

    def train() -> list[torch.Tensor]:
        again = training.recipe.start(seed)
        return [again.step(batch) for batch in itertools.islice(again.endless(), 3)]

    found = [] if same_twice(train) else ["two trainings differ"]
    return found if not training.held_out or same_twice(training.evaluate) else [*found, "two validations differ"]


def _memory_report(training: Training) -> list[str]:
    batches = training.endless()
    step = training.step
    return list(load("memory_report").find_leak(lambda: step(next(batches))))


def _early_stopping(training: Training) -> list[str]:
    """Up to 60 epochs with a validation after each."""
    if not training.held_out:
        return []
    stopping = load("early_stopping").EarlyStopping(training.model, patience=10)
    for _ in range(60):
        for batch in training.batches:
            training.step(batch)
        if stopping.step(training.evaluate()):
            return ["the validation loss rises"]
    return []


def _dataloader_benchmark(training: Training) -> list[str]:
    share = load("dataloader_benchmark").waiting_share(training.batches, training.step)
    return [f"waits for data {share:.0%} of the time"] if share > 0.2 else []


def _gradient_accumulation(training: Training) -> list[str]:
    if not _is_pair(training):
        return []
    compare = load("gradient_accumulation").compare_with_full_batch
    difference = compare(training.part, _first(training), training.loss_fn)
    return [f"differs by {difference:.1%}"] if difference > 1e-4 else []


def _shape_tracer(training: Training) -> list[str]:
    """It raises no alarms, but must get through."""
    args, kwargs = training.arguments(_first(training))
    load("shape_tracer").trace_shapes(training.part, *args, **kwargs)
    return []


CHECKS: dict[str, Callable[[Training], list[str]]] = {
    "five_minute_check": _five_minute_check,
    "overfit_one_batch": _overfit_one_batch,
    "training_step_check": _training_step_check,
    "lr_range_test": _lr_range_test,
    "model_summary": _model_summary,
    "gradient_report": _gradient_report,
    "graph_inspection": _graph_inspection,
    "activation_statistics": _activation_statistics,
    "nan_guard": _nan_guard,
    "training_loop": _training_loop,
    "device_check": _device_check,
    "reproducibility": _reproducibility,
    "memory_report": _memory_report,
    "early_stopping": _early_stopping,
    "dataloader_benchmark": _dataloader_benchmark,
    "gradient_accumulation": _gradient_accumulation,
    "shape_tracer": _shape_tracer,
}

_NO_CLOSURE = "it calls optimizer.step() without the closure that L-BFGS needs"
_NO_COPY = "it cannot be copied: copy.deepcopy refuses tensors with a graph"
_NO_MEAN = "a true difference: the loss is no mean over samples"
_BATCH_NORM = "a true difference: batch normalization averages over each part"
# What a snippet is not for, and why; the bench leaves these out.
NOT_FOR: dict[tuple[str, str], str] = {
    ("lr_range_test", "lbfgs"): _NO_CLOSURE,
    ("training_loop", "lbfgs"): _NO_CLOSURE,
    ("gradient_report", "lbfgs"): "the gradients are made inside of optimizer.step()",
    ("memory_report", "lbfgs"): "a true growth: L-BFGS keeps its last hundred updates",
    ("five_minute_check", "weight_norm"): _NO_COPY,
    ("five_minute_check", "caching_model"): _NO_COPY,
    ("five_minute_check", "sparse_bag"): "its Adam takes no sparse gradients",
    ("five_minute_check", "poisson"): "half of the first loss is below the minimum of this loss",
    ("five_minute_check", "targets_near_2000"): "a true finding: Adam needs more than 100 steps to such targets",
    ("training_step_check", "lbfgs"): _NO_CLOSURE,
    ("training_step_check", "weight_norm"): _NO_COPY,
    ("training_step_check", "caching_model"): _NO_COPY,
    ("overfit_one_batch", "targets_near_2000"): "a true finding: Adam needs more than 300 steps to such targets",
    ("overfit_one_batch", "weight_norm"): _NO_COPY,
    ("overfit_one_batch", "caching_model"): _NO_COPY,
    ("gradient_accumulation", "weight_norm"): _NO_COPY,
    ("gradient_accumulation", "caching_model"): _NO_COPY,
    ("gradient_accumulation", "functional_dropout"): "a true difference: it switches off dropout layers only",
    ("gradient_accumulation", "vae"): "a true difference: the noise of each part",
    ("gradient_accumulation", "spectral_norm"): "a true difference: each forward pass changes the norm's estimate",
    ("gradient_accumulation", "bfloat16_weights"): "a true difference: rounding errors of bfloat16",
    ("gradient_accumulation", "resnet"): _BATCH_NORM,
    ("gradient_accumulation", "batch_norm_cnn"): _BATCH_NORM,
    ("gradient_accumulation", "padding"): "a true difference: the loss is a mean over words",
    ("gradient_accumulation", "unet_dice"): _NO_MEAN,
    ("gradient_accumulation", "class_weights"): _NO_MEAN,
    ("gradient_accumulation", "summed_loss"): _NO_MEAN,
    ("overfit_one_batch", "sparse_bag"): "its Adam takes no sparse gradients",
    ("lr_range_test", "physics"): "it measures the loss without gradients, which this loss contains",
}


def available() -> list[str]:
    """The snippets that are there."""
    return [name for name in CHECKS if (SNIPPETS / f"{name}.py").is_file()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snippets", nargs="*", help="which snippets (default: all)")
    parser.add_argument("--seeds", type=int, default=1, help="how many seeds, from 0 on")
    parser.add_argument("--only", default="", help="names of trainings, with commas between them")
    parser.add_argument("--further", action="store_true", help="run on the further healthy trainings, too")
    parser.add_argument("--printed", action="store_true", help="show what the snippets print where they raise an alarm")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    chosen: list[Recipe] = RECIPES + FURTHER if arguments.further or arguments.only else RECIPES
    names = {name for name in arguments.only.split(",") if name}
    for snippet in arguments.snippets or available():
        seconds, alarms, runs = 0.0, 0, 0
        slowest: dict[str, float] = {}
        for recipe in chosen:
            if names and recipe.name not in names:
                continue
            if (snippet, recipe.name) in NOT_FOR:
                continue
            for seed in range(arguments.seeds):
                said = verdict(snippet, recipe, seed)
                seconds += said.seconds
                slowest[recipe.name] = slowest.get(recipe.name, 0.0) + said.seconds
                runs += 1
                alarms += bool(said.alarms)
                if said.alarms:
                    print(f"{snippet}  {recipe.name}  seed {seed}: {' | '.join(said.alarms)[:300] or '-'}", flush=True)
                    if arguments.printed:
                        print("    " + said.printed.replace("\n", "\n    "))
        top = sorted(slowest.items(), key=lambda pair: -pair[1])[:8]
        print(
            f"== {snippet}: {alarms} alarms in {runs} runs, {seconds:.1f} s of CPU; "
            + ", ".join(f"{name} {value:.1f}" for name, value in top),
            flush=True,
        )


if __name__ == "__main__":
    main()
