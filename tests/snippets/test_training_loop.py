import copy
from collections import namedtuple

import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Recurrent, Wired, mlp, poison
from tests.snippets.untouched import untouched

BadBatch = load("training_loop").BadBatch
train = load("training_loop").train

mse = nn.functional.mse_loss


def batches(number=6, size=8):
    inputs = torch.randn(number * size, 6)
    return list(zip(inputs.split(size), (inputs @ torch.ones(6, 3)).split(size), strict=True))


def sgd(model, lr=0.05):
    return torch.optim.SGD([parameter for parameter in model.parameters() if parameter.requires_grad], lr=lr)


def test_a_healthy_model_learns_and_one_line_an_epoch_is_printed(capsys):
    model = mlp()
    history = train(model, batches(), mse, sgd(model), epochs=3)
    assert len(history) == 3 and history[2] < history[0]
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and lines[0].startswith(f"epoch 0  loss {history[0]:.3g}  largest gradient norm ")


def test_it_computes_what_a_plain_loop_computes():
    model = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 3))
    twin, data = copy.deepcopy(model), batches()
    optimizer = sgd(twin)
    state = torch.get_rng_state()
    for inputs, targets in data:
        optimizer.zero_grad()
        mse(twin(inputs), targets).backward()
        nn.utils.clip_grad_norm_(twin.parameters(), 1.0)
        optimizer.step()
    torch.set_rng_state(state)
    train(model, data, mse, sgd(model), max_norm=1.0)
    for (name, one), other in zip(model.state_dict().items(), twin.state_dict().values(), strict=True):
        assert torch.equal(one, other), name


@pytest.mark.parametrize("which", ["inputs", "targets"])
def test_a_nan_in_the_data_is_named_with_batch_and_index_before_it_spoils_anything(which):
    model, data = nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 3)), batches()
    good = copy.deepcopy(model)
    train(good, data[:3], mse, sgd(good))
    data[3][which == "targets"][5, 2] = float("nan")
    message = rf"epoch 0, batch 3: {which}: 1 of \d+ values are NaN, the first at \[5, 2\]"
    with pytest.raises(BadBatch, match=message) as caught:
        train(model, data, mse, sgd(model))
    assert (caught.value.epoch, caught.value.index) == (0, 3)
    assert torch.equal(caught.value.batch[0], data[3][0]) or which == "inputs"
    for (name, one), other in zip(model.state_dict().items(), good.state_dict().values(), strict=True):
        assert torch.equal(one, other), f"{name}: not as after the last good batch"


def test_a_nan_weight_is_told_from_bad_data():
    model = mlp()
    poison(model[2].weight, 1, 3)
    with pytest.raises(BadBatch, match=r"batch 0: the loss is nan; the weights 2\.weight were bad before it"):
        train(model, batches(), mse, sgd(model))


def test_infinite_values_in_the_data_are_named_when_they_reach_the_loss():
    model, data = mlp(), batches()
    data[2][0][0, 0] = float("inf")
    with pytest.raises(BadBatch, match=r"batch 2: the loss is (nan|inf); inputs has infinite values"):
        train(model, data, mse, sgd(model))


def test_a_mask_of_infinite_values_is_no_fault():
    model = Wired(lambda model, x, mask: (model.fc(x) + mask).softmax(1), fc=nn.Linear(6, 3))
    mask = torch.tensor([0.0, 0.0, float("-inf")])
    data = [({"x": inputs, "mask": mask}, targets.softmax(1)) for inputs, targets in batches()]
    assert len(train(model, data, mse, sgd(model))) == 1


def test_an_unstable_operation_is_told_from_bad_data():
    model = nn.Linear(6, 3)
    with pytest.raises(BadBatch, match="its data are finite, so the model or the loss makes it"):
        train(model, batches(), lambda output, target: (output - output).log().mean(), sgd(model))


def test_a_gradient_that_is_not_finite_is_named_although_the_loss_is():
    model = mlp()
    good = copy.deepcopy(model.state_dict())
    with pytest.raises(BadBatch, match=r"the loss is 0, but the gradient of 0\.weight is not finite"):
        train(model, batches(), lambda output, target: (output * 0).square().sum().sqrt(), sgd(model))
    assert all(torch.equal(good[name], tensor) for name, tensor in model.state_dict().items())


@pytest.mark.parametrize("seed", range(10))
def test_weights_that_have_exploded_are_not_called_good(seed):
    torch.manual_seed(seed)
    model = mlp()
    with pytest.raises(BadBatch, match="but the weights are not good: the loss was last normal in epoch 0") as caught:
        train(model, batches(50), mse, sgd(model, lr=1e4))
    assert not caught.value.weights_good and caught.value.last_good == (0, 0)
    assert caught.value.index <= 2


def test_divergence_is_named_long_before_the_loss_is_infinite():
    model = nn.Linear(6, 3)
    with pytest.raises(BadBatch, match="training has diverged: the loss went from") as caught:
        train(model, batches(50), mse, sgd(model, lr=5.0))
    assert caught.value.index < 20


def test_weights_are_good_after_a_bad_batch_in_a_healthy_training():
    model, data = mlp(), batches()
    data[4][0][0, 0] = float("nan")
    with pytest.raises(BadBatch, match=r"has not stepped on it\.$") as caught:
        train(model, data, mse, sgd(model))
    assert caught.value.weights_good and caught.value.last_good == (0, 3)
    poison(model[2].weight, 1, 3)
    with pytest.raises(BadBatch, match="the weights are not good") as caught:
        train(model, batches(), mse, sgd(model))
    assert not caught.value.weights_good and caught.value.last_good is None


@pytest.mark.parametrize("seed", range(10))
def test_large_and_uneven_targets_are_no_divergence(seed):
    torch.manual_seed(seed)
    inputs = torch.randn(256, 6)
    for targets, rate in ((1e4 + inputs[:, :1], 100.0), ((4 * inputs[:, :1]).exp(), 0.1)):
        for model in (nn.Linear(6, 1), mlp(6, 1)):
            optimizer = torch.optim.Adam(model.parameters(), lr=rate if isinstance(model, nn.Linear) else 0.01)
            assert train(model, list(zip(inputs.split(8), targets.split(8), strict=True)), mse, optimizer, epochs=5)


def test_gradients_that_change_no_weight_are_remarked(capsys):
    def saturated(output, targets):
        return (1e-20 * output).sum()

    model = mlp()
    train(model, batches(), saturated, sgd(model))
    assert capsys.readouterr().out.endswith("gradients too small to change a weight\n")
    train(model, batches(), mse, sgd(model), epochs=50)
    assert "too small" not in capsys.readouterr().out


def test_lbfgs_detection_and_losses_of_model_and_batch_work():
    model = nn.Linear(6, 3)
    history = train(model, batches(), mse, torch.optim.LBFGS(model.parameters()), epochs=2)
    assert history[1] < 1e-3

    def forward(model, images, targets):
        boxes = [model.body(image[None]).mean((2, 3)) for image in images]
        return {"boxes": mse(torch.cat(boxes), torch.cat([target["boxes"] for target in targets]))}

    def detector():
        return Wired(forward, body=nn.Conv2d(3, 4, 3))

    def total(losses, targets=None):
        return sum(losses.values())

    images = [torch.randn(3, 8, width) for width in (8, 9)]
    targets = [{"boxes": torch.ones(1, 4), "label": torch.tensor(1)} for _ in images]
    for form in (list, tuple):
        model = detector()
        history = train(model, [(form(images), form(targets))], total, sgd(model), epochs=3)
        assert history[2] < history[0]
    model = detector()
    again = train(
        model,
        [(images, targets)],
        optimizer=sgd(model),
        epochs=3,
        compute_loss=lambda model, batch: total(model(*batch)),
    )
    assert again[2] < again[0]
    with pytest.raises(TypeError, match="train takes either loss_fn or compute_loss"):
        train(model, [], optimizer=sgd(model))
    with pytest.raises(TypeError, match="train needs an optimizer"):
        train(model, [], total)


def test_any_other_error_passes_through_with_the_batch_in_a_note():
    model, data = mlp(), batches()
    data[4] = torch.randn(8, 7), data[4][1]
    with pytest.raises(RuntimeError, match="mat1 and mat2") as caught:
        train(model, data, mse, sgd(model))
    assert caught.value.__notes__ == ["in epoch 0, batch 4: batch[0] [8, 7] float32, batch[1] [8, 3] float32"]


def test_an_error_of_the_loader_passes_through():
    def loader():
        yield batches()[0]
        raise OSError("disk")

    model = mlp()
    with pytest.raises(OSError, match="disk"):
        train(model, loader(), mse, sgd(model))


def test_frozen_layers_are_left_alone_on_purpose():
    model = mlp()
    model[0].requires_grad_(False)
    before = model[0].weight.clone()
    train(model, batches(), mse, sgd(model))
    assert torch.equal(model[0].weight, before) and model[0].weight.grad is None


def test_whole_dicts_named_tuples_and_sparse_gradients_work():
    model = Recurrent()
    data = [{"ids": torch.randint(20, (4, 3)), "labels": torch.randint(5, (4,))} for _ in range(3)]

    named = Wired(lambda named, ids, labels: named.inner(ids).logits, inner=model)
    assert train(named, data, lambda output, batch: nn.functional.cross_entropy(output, batch["labels"]), sgd(named))
    Batch = namedtuple("Batch", "inputs targets")
    plain = mlp()
    assert train(plain, [Batch(*batch) for batch in batches()], mse, sgd(plain))


def test_sparse_inputs_are_looked_at():
    model, data = Wired(lambda model, x: model.fc(x.to_dense()), fc=nn.Linear(6, 3)), batches()
    data = [(inputs.to_sparse(), targets) for inputs, targets in data]
    assert train(model, data, mse, sgd(model))
    data[1] = torch.tensor([[0.0, 1, 0, 0, float("nan"), 0]]).to_sparse(), torch.zeros(1, 3)
    with pytest.raises(BadBatch, match=r"batch 1: inputs: 1 of 6 values are NaN, the first at \[0, 4\]"):
        train(model, data, mse, sgd(model))


def test_an_infinite_sparse_gradient_is_named():
    model = nn.Embedding(5, 2, sparse=True)
    data = [(torch.tensor([1, 1]), torch.zeros(2, 2))]
    with pytest.raises(BadBatch, match="the gradient of weight is not finite"):
        train(model, data, lambda output, target: (output * 0).square().sum().sqrt(), sgd(model))


def test_max_norm_limits_the_step():
    model = nn.Linear(6, 3, bias=False)
    before = model.weight.detach().clone()
    train(model, [(1000 * torch.ones(8, 6), torch.zeros(8, 3))], mse, sgd(model, lr=1.0), max_norm=0.5)
    assert (model.weight - before).norm().item() == pytest.approx(0.5, rel=1e-3)


def test_the_schedule_moves_once_an_epoch_and_after_epoch_may_end_it():
    model, seen = mlp(), []
    optimizer = sgd(model, lr=1.0e-3)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.1)

    def after_epoch(epoch, loss):
        seen.append(epoch)
        return epoch == 1

    assert len(train(model, batches(), mse, optimizer, epochs=5, scheduler=scheduler, after_epoch=after_epoch)) == 2
    assert seen == [0, 1] and optimizer.param_groups[0]["lr"] == pytest.approx(1e-5)


def test_a_model_that_was_evaluated_after_an_epoch_trains_again():
    model, modes = nn.Sequential(nn.Dropout(0.5), nn.Linear(6, 3)), []
    model.register_forward_hook(lambda module, args, output: modes.append(module.training))
    train(model, batches(1), mse, sgd(model), epochs=2, after_epoch=lambda epoch, loss: model.eval() and None)
    assert modes == [True, True]


def test_a_bad_batch_leaves_model_and_random_state_alone():
    model, data = mlp(), batches()
    data[0][0][0, 0] = float("nan")
    model.train()
    with untouched(model), pytest.raises(BadBatch):
        train(model, data, mse, sgd(model))


def test_an_empty_or_used_up_loader_gets_a_clear_error():
    model = mlp()
    with pytest.raises(ValueError, match="the loader gave no batch in epoch 0"):
        train(model, [], mse, sgd(model))
    with pytest.raises(ValueError, match="nothing to train"):
        train(mlp().requires_grad_(False), batches(), mse, sgd(model))
    with pytest.raises(ValueError, match="in epoch 1; a generator is empty after its first epoch"):
        train(model, iter(batches()), mse, sgd(model), epochs=2)
