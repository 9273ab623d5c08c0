"""No snippet raises an alarm on a healthy training."""

from __future__ import annotations

import itertools

import pytest

from tests.snippets.further_healthy import FURTHER
from tests.snippets.healthy import RECIPES, Recipe
from tests.snippets.verdicts import CHECKS, NOT_FOR, verdict

BY_NAME = {recipe.name: recipe for recipe in RECIPES + FURTHER}
# One takes as long as all others together, and what it counts does not depend on the seed; the other measures time, and
# the tiny trainings here are faster than any loader.
SLOW = "memory_report"
OTHERS = [name for name in CHECKS if name not in (SLOW, "dataloader_benchmark")]


def alarms(snippet: str, recipes: list[Recipe], seeds: range) -> list[str]:
    """The alarms of one snippet."""
    return [
        f"{recipe.name}, seed {seed}: {' | '.join(said.alarms)}"
        for recipe in recipes
        if (snippet, recipe.name) not in NOT_FOR
        for seed in seeds
        if (said := verdict(snippet, recipe, seed)).alarms
    ]


def test_the_bench_has_what_people_train():
    assert len(BY_NAME) == len(RECIPES) + len(FURTHER) == 69
    assert all(snippet in CHECKS and name in BY_NAME for snippet, name in NOT_FOR)


@pytest.mark.exhaustive
# The generator and the discriminator of a GAN raise each other's loss; a healthy one keeps it.
@pytest.mark.parametrize("name", [name for name in BY_NAME if name != "gan"])
def test_it_trains(name):
    """The mean loss of an epoch falls clearly."""
    training = BY_NAME[name].start(0)
    epoch = len(list(training.batches))
    losses = [training.step(batch).item() for batch in itertools.islice(training.endless(), max(100, 2 * epoch))]
    first, last = sum(losses[:epoch]) / epoch, sum(losses[-epoch:]) / epoch
    assert first - last > 0.04 * abs(first)


@pytest.mark.parametrize("snippet", OTHERS)
def test_no_alarm(snippet):
    assert alarms(snippet, RECIPES, range(1)) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("snippet", OTHERS)
def test_no_alarm_with_another_seed(snippet):
    """`python -m tests.snippets.verdicts NAME --seeds 10` tries more."""
    assert alarms(snippet, RECIPES, range(1, 2)) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("snippet", OTHERS)
def test_no_alarm_on_further_trainings(snippet):
    assert alarms(snippet, FURTHER, range(1)) == []


@pytest.mark.exhaustive
def test_no_leak_is_reported():
    assert alarms(SLOW, RECIPES, range(1)) == []
