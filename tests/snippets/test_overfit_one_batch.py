import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import mlp, poison
from tests.snippets.untouched import untouched

overfit = load("overfit_one_batch").overfit_one_batch
BATCH = torch.randn(16, 6), torch.arange(16) % 3
CROSS_ENTROPY = nn.CrossEntropyLoss()


def test_a_healthy_model_memorizes_and_stays_as_it_is():
    layers = nn.Dropout(0.9), nn.Linear(6, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 3)
    model = nn.Sequential(*layers).eval()
    with untouched(model):
        assert overfit(model, BATCH, CROSS_ENTROPY).passed


def test_a_minimum_above_zero_is_no_failure_and_nan_fails_at_once():
    model, smoothed = mlp(), nn.CrossEntropyLoss(label_smoothing=0.1)
    assert overfit(model, BATCH, smoothed).verdict == "CANNOT TELL"
    poison(model[0].weight, 0, 0)
    result = overfit(model, BATCH, CROSS_ENTROPY)
    assert result.verdict == "FAILED" and len(result.losses) == 1
