import copy
import statistics

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import mlp, sgd, trained, weights

module = load("training_loop")
INPUTS = torch.randn(32, 6)
TARGETS = torch.arange(32) % 3
LOSS = nn.CrossEntropyLoss()


def batches(inputs: torch.Tensor = INPUTS) -> list[tuple[torch.Tensor, torch.Tensor]]:
    return list(zip(inputs.split(8), TARGETS.split(8), strict=True))


def test_it_trains_like_a_plain_loop():
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 3))
    plain = copy.deepcopy(model)
    history = module.train(model.eval(), batches(), LOSS, sgd(model), epochs=3)
    assert history == pytest.approx([statistics.mean(trained(plain, batches(), LOSS, sgd(plain))) for _ in range(3)])
    torch.testing.assert_close(model.state_dict(), plain.state_dict())


def test_validation_leaves_the_training_as_it_is(capsys):
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.0), nn.Linear(8, 3))
    other = copy.deepcopy(model)
    history = module.train(model, batches(), LOSS, sgd(model), epochs=2)
    capsys.readouterr()
    assert module.train(other, batches(), LOSS, sgd(other), epochs=2, validation=[(INPUTS, TARGETS)]) == history
    with torch.no_grad():
        loss = LOSS(other.eval()(INPUTS), TARGETS)
    assert capsys.readouterr().out.endswith(f"validation loss {loss:.3g}\n")


def test_scheduler_and_clipping():
    model = mlp()
    before = weights(model)
    optimizer = sgd(model, lr=1.0)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.1)
    module.train(model, batches()[:1], LOSS, optimizer, scheduler=scheduler, max_norm=0.01)
    assert (weights(model) - before).norm().item() == pytest.approx(0.01, rel=1e-3)
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.1)


def test_it_stops_before_a_bad_batch_changes_the_weights():
    model = mlp()
    plain = copy.deepcopy(model)
    trained(plain, batches()[:2], LOSS, sgd(plain))
    inputs = INPUTS.clone()
    inputs[17, 2] = float("nan")  # in batch 2
    message = r"epoch 0, batch 2: the loss is nan \(not finite: 1 of 48 inputs"
    with pytest.raises(module.BadBatch, match=message) as raised:
        module.train(model, batches(inputs), LOSS, sgd(model))
    assert (raised.value.epoch, raised.value.index) == (0, 2) and raised.value.batch[0].isnan().any()
    torch.testing.assert_close(weights(model), weights(plain))


def test_an_infinite_gradient_stops_it_too_and_other_errors_name_the_batch():
    model = nn.Linear(6, 3)
    nn.init.zeros_(model.weight)
    nn.init.zeros_(model.bias)
    with pytest.raises(module.BadBatch, match="the norm of the gradient is"):
        module.train(model, batches(), lambda output, targets: output.abs().sqrt().sum(), sgd(model))
    with pytest.raises(RuntimeError) as raised:
        module.train(mlp(), [*batches(), (torch.randn(8, 5), TARGETS[:8])], LOSS, sgd(mlp()))
    assert raised.value.__notes__ == ["in epoch 0, batch 4"]
