"""No snippet raises an alarm on a healthy training run."""

from __future__ import annotations

import pytest

from tests.snippets.further_healthy import FURTHER
from tests.snippets.healthy import RECIPES
from tests.snippets.verdicts import CHECKS, NOT_FOR, verdict

BY_NAME = {recipe.name: recipe for recipe in RECIPES + FURTHER}
# Recipes with a form of data, model, loss or step of their own, or close to a threshold; CI runs all recipes.
FORMS = [
    "multilabel", "dataloader", "gan", "dict_inputs", "frozen_backbone", "lazy_layers", "two_heads",
    "label_smoothing", "tied_weights",
]  # fmt: skip


def test_the_recipes_cover_what_people_train():
    assert len(BY_NAME) == len(RECIPES) + len(FURTHER)
    assert all(snippet in CHECKS and name in BY_NAME for snippet, name in NOT_FOR)


OTHERS = [name for name in BY_NAME if name not in FORMS]
# `make test` leaves out what takes longest.
SLOW = "overfit_one_batch"


@pytest.mark.parametrize(
    ("snippet", "names"),
    [
        pytest.param(snippet, names, id=f"{snippet}-{id}", marks=pytest.mark.exhaustive if exhaustive else ())
        for snippet in CHECKS
        for id, names, exhaustive in (("forms", FORMS, snippet == SLOW), ("others", OTHERS, True))
    ],
)
def test_no_alarm(snippet, names):
    """`python -m tests.snippets.verdicts NAME --seeds 10` tries more."""
    alarms_of = {name: verdict(snippet, BY_NAME[name], 0) for name in names if (snippet, name) not in NOT_FOR}
    assert {name: alarms for name, alarms in alarms_of.items() if alarms} == {}
