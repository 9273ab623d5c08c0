import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Recurrent, Stateful, Wired, mlp, poison
from tests.snippets.untouched import untouched

overfit_one_batch = load("overfit_one_batch").overfit_one_batch
cross_entropy = nn.CrossEntropyLoss()


def batch(classes: int = 3):
    return torch.randn(8, 6), torch.arange(8) % classes


def test_a_healthy_classifier_and_a_healthy_regression_pass(capsys):
    result = overfit_one_batch(mlp(), batch(), cross_entropy, lr=1e-2)
    assert result.passed and result.reason == ""
    assert result.losses[-1] < 0.05 * result.losses[0]
    out = capsys.readouterr().out
    assert f"step {len(result.losses) - 1:>3}" in out and "PASSED" in out
    assert overfit_one_batch(mlp(6, 1), (torch.randn(8, 6), torch.randn(8, 1)), nn.MSELoss(), lr=1e-2).passed


@pytest.mark.parametrize(
    "spoil",
    [
        lambda model: nn.Sequential(model, nn.Softmax(dim=1)),
        lambda model: nn.Sequential(model, nn.Hardtanh(-0.1, 0.1)),
        lambda model: nn.Sequential(model, nn.ReLU(), nn.Hardtanh(0, 0.5)),
    ],
    ids=["softmax", "bounded outputs", "bounded and not negative"],
)
def test_a_model_that_cannot_reach_the_labels_fails(capsys, spoil):
    result = overfit_one_batch(spoil(mlp()), batch(), cross_entropy, lr=1e-2)
    assert not result.passed
    assert "after 300 steps the loss is still at" in result.reason
    assert "FAILED" in capsys.readouterr().out


def test_labels_that_are_shuffled_against_their_inputs_fail():
    generator = torch.Generator().manual_seed(0)

    def shuffling(output, labels):
        return cross_entropy(output, labels[torch.randperm(len(labels), generator=generator)])

    assert not overfit_one_batch(mlp(), batch(), shuffling, lr=1e-2).passed


def test_equal_inputs_with_different_labels_fail():
    inputs, labels = batch()
    assert not overfit_one_batch(mlp(), (torch.ones_like(inputs), labels), cross_entropy, lr=1e-2).passed


def test_a_loss_without_gradient_is_told_from_a_slow_one():
    model = mlp()
    nn.init.constant_(model[0].bias, -100.0)
    model[2].requires_grad_(False)
    result = overfit_one_batch(model, batch(), cross_entropy)
    assert result.reason == "no parameter gets a gradient other than zero"
    assert len(result.losses) == 1


def test_a_nan_weight_fails_at_once():
    model = mlp()
    poison(model[2].weight, 1, 3)
    assert overfit_one_batch(model, batch(), cross_entropy).reason == "the loss is nan at step 0"


def test_a_frozen_model_gets_a_clear_error():
    with pytest.raises(ValueError, match="nothing to train"):
        overfit_one_batch(mlp().requires_grad_(False), batch(), cross_entropy)


def test_a_negative_loss_gets_a_clear_error():
    with pytest.raises(ValueError, match="needs a loss whose minimum is 0"):
        overfit_one_batch(mlp(), batch(), lambda output, labels: output.mean() - 10)


def test_inputs_in_dicts_and_tuples_and_a_batch_that_is_one_dict():
    def forward(model, left, right, labels=None):
        logits = model.body(torch.cat([left, right], 1))
        return logits if labels is None else {"loss": cross_entropy(logits, labels)}

    model = Wired(forward, body=mlp(12))
    left, labels = batch()
    right = torch.randn(8, 6)
    assert overfit_one_batch(model, ((left, right), labels), cross_entropy, lr=1e-2).passed
    assert overfit_one_batch(model, ({"left": left, "right": right}, labels), cross_entropy, lr=1e-2).passed
    whole = {"labels": labels, "left": left, "right": right}
    assert overfit_one_batch(model, whole, lambda output, _: output["loss"], lr=1e-2).passed


def test_the_copy_trains_in_training_mode():
    modes = []

    model = nn.Linear(6, 3).eval()
    model.register_forward_hook(lambda model, args, output: modes.append(model.training))
    overfit_one_batch(model, batch(), cross_entropy, steps=1)
    assert modes == [True] * 3  # one call for the shape of the output


def test_everything_stays_as_it_was():
    model, data = Stateful().eval(), batch(6)
    with untouched(model), torch.no_grad():
        overfit_one_batch(model, data, cross_entropy, steps=3)


def test_everything_stays_as_it_was_after_a_failure():
    model, data = Stateful(), (torch.randn(8, 6), torch.full((8,), 9))
    with untouched(model), pytest.raises(IndexError):
        overfit_one_batch(model, data, cross_entropy)


def test_compiled_data_parallel_lazy_and_sparse_models_work():
    for model in (torch.compile(mlp(), backend="eager"), nn.DataParallel(mlp()), nn.Sequential(nn.LazyLinear(3))):
        assert len(overfit_one_batch(model, batch(), cross_entropy, steps=2).losses) == 3
    recurrent, ids = Recurrent(), torch.zeros(8, 2, dtype=torch.long)
    recurrent.embed.sparse = False  # Adam takes no sparse gradients
    result = overfit_one_batch(recurrent, (ids, batch()[1]), lambda o, labels: cross_entropy(o.logits, labels), steps=2)
    assert not result.passed


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((mlp(), torch.ones(8, 6), cross_entropy), {}, r"batch must be \(inputs, targets\) or one dict"),
        ((mlp(), (torch.ones(8, 6),), cross_entropy), {}, r"batch must be \(inputs, targets\) or one dict"),
        ((mlp(), None, cross_entropy), {}, r"batch must be \(inputs, targets\) or one dict"),
        ((torch.ones(2), batch(), cross_entropy), {}, "takes the model first, not a Tensor"),
        ((mlp(), batch()), {}, "pass either loss_fn"),
        ((mlp(), batch(), cross_entropy), {"compute_loss": lambda model, batch: 0}, "pass either loss_fn"),
    ],
    ids=["tensor", "one part", "nothing", "no model", "no loss", "two losses"],
)
def test_other_forms_get_a_clear_error(arguments, options, message):
    with pytest.raises(TypeError, match=message):
        overfit_one_batch(*arguments, **options)


def linear_targets(samples, noise):
    inputs = torch.randn(samples, 20)
    return inputs, inputs @ torch.randn(20, 1) / 20**0.5 + noise * torch.randn(samples, 1)


def binary_targets(samples):
    inputs, scores = linear_targets(samples, 0.5)
    return inputs, (scores > 0).float()


HEALTHY = {
    "linear regression": lambda: (nn.Linear(20, 1), linear_targets(64, 0.5), nn.MSELoss()),
    "logistic regression": lambda: (nn.Linear(20, 1), binary_targets(64), nn.BCEWithLogitsLoss()),
    "small BCE network": lambda: (
        nn.Sequential(nn.Linear(20, 8), nn.ReLU(), nn.Linear(8, 1), nn.Sigmoid()),
        binary_targets(16),
        nn.BCELoss(),
    ),
    "batch normalization": lambda: (
        nn.Sequential(
            *(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU()),
            *(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4)),
        ),
        (torch.randn(8, 1, 8, 8), torch.arange(8) % 4),
        nn.CrossEntropyLoss(),
    ),
    "targets near 2000": lambda: (mlp(20, 1), (torch.randn(16, 20), 2000 + 10 * torch.randn(16, 1)), nn.MSELoss()),
    "label smoothing": lambda: (mlp(6, 3), batch(), nn.CrossEntropyLoss(label_smoothing=0.1)),
    "log-probabilities": lambda: (nn.Sequential(mlp(6, 3), nn.LogSoftmax(1)), batch(), nn.NLLLoss()),
}


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.exhaustive] if seed > 1 else []) for seed in range(10)]
)
@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_models_do_not_fail_at_the_defaults(name, seed):
    torch.manual_seed(seed)
    result = overfit_one_batch(*HEALTHY[name]())
    assert result.verdict in ("PASSED", "STILL FALLING") if name == "targets near 2000" else result.passed, result[2:]


def test_unscaled_inputs_do_not_pass_above_chance_level(capsys):
    """5 % of the first loss, 2,000, is far above chance level."""
    inputs, labels = torch.randint(0, 256, (32, 64)).float() * 100, torch.arange(32) % 6
    result = overfit_one_batch(mlp(64, 6), (inputs, labels), cross_entropy, steps=8)
    assert result.losses[0] > 100 and result.chance == pytest.approx(1.79, abs=0.01)
    assert result.verdict == "STILL FALLING" and "scale inputs and targets" in result.reason
    passed = overfit_one_batch(mlp(64, 6), (inputs, labels), cross_entropy, steps=1000)
    assert passed.passed and passed.losses[-1] < 0.05 * passed.chance
    assert capsys.readouterr().out.endswith(f", but began at {passed.losses[0]:.3g}: scale inputs and targets\n")


def test_sparse_gradients_can_be_memorized():
    model = nn.Sequential(nn.EmbeddingBag(50, 16, sparse=True), nn.Linear(16, 3))
    tokens = torch.arange(40).view(8, 5)
    assert overfit_one_batch(model, (tokens, torch.arange(8) % 3), cross_entropy, lr=1e-2).passed
    assert all(parameter.grad is None for parameter in model.parameters())


@pytest.mark.parametrize(
    ("loss_fn", "targets", "chance"),
    [
        (nn.CrossEntropyLoss(), torch.tensor([0, 0, 0, 1]), 0.5623),
        (nn.MSELoss(), torch.tensor([[3001.0], [3003.0], [3001.0], [3003.0]]), 1.0),
        (nn.BCEWithLogitsLoss(), torch.tensor([[0.0], [0.0], [0.0], [1.0]]), 0.5623),
        (nn.L1Loss(), torch.tensor([[1.0], [2.0], [4.0], [5.0]]), 1.5),
    ],
    ids=["cross entropy", "MSE", "BCE", "L1"],
)
def test_chance_level_is_the_best_constant_prediction(loss_fn, targets, chance):
    result = overfit_one_batch(mlp(6, 2 if targets.dim() == 1 else 1), (torch.randn(4, 6), targets), loss_fn, steps=1)
    assert result.chance == pytest.approx(chance, rel=1e-2)


def test_a_loss_that_broadcasts_is_no_better_than_chance():
    with pytest.warns(UserWarning, match="target size"):
        result = overfit_one_batch(mlp(6, 1), (torch.randn(8, 6), torch.randn(8)), nn.MSELoss())
    assert result.verdict == "FAILED"


def test_a_loss_that_falls_at_the_end_is_no_failure(capsys):
    result = overfit_one_batch(mlp(), batch(), cross_entropy, steps=20)
    assert not result.passed and result.verdict == "STILL FALLING"
    assert "STILL FALLING: after 20 steps the loss is still at" in capsys.readouterr().out


def test_what_fits_any_model_or_none_is_not_judged():
    same = torch.randn(8, 6), torch.ones(8, 1)
    assert overfit_one_batch(mlp(6, 1), same, nn.MSELoss()).verdict == "CANNOT TELL"
    inputs = torch.randn(64, 2)
    noisy = {"inputs": inputs, "targets": torch.randint(2, (64,))}, torch.randint(2, (64,))

    model = Wired(lambda model, inputs, targets: model.fc(inputs), fc=nn.Linear(2, 2))
    result = overfit_one_batch(model, noisy, cross_entropy)
    assert result.verdict == "CANNOT TELL" and "the model can memorize about 1 samples" in result.reason


def test_dropout_is_off_also_where_no_layer_shows_it():
    def forward(model, x):
        x = model.gru(x + model.attention(x, x, x)[0])[0]
        return model.head(model.drop(nn.functional.dropout(x, 0.9)).mean(1))

    model = Wired(
        forward,
        attention=nn.MultiheadAttention(8, 2, dropout=0.9, batch_first=True),
        gru=nn.GRU(8, 8, 2, dropout=0.9, batch_first=True),
        drop=nn.Dropout(0.9),
        head=nn.Linear(8, 3),
    )
    assert overfit_one_batch(model, (torch.randn(8, 5, 8), torch.arange(8) % 3), cross_entropy).passed


@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_old_weight_norm_and_cached_activations_can_be_copied():
    def forward(model, x):
        model.cache = [model.fc(x).relu()]
        return model.head(model.cache[0])

    model, data = Wired(forward, fc=nn.utils.weight_norm(nn.Linear(6, 32)), head=nn.Linear(32, 3), cache=[]), batch()
    model(data[0])
    cached, weight = model.cache[0], model.fc.weight
    with untouched(model):
        assert overfit_one_batch(model, data, cross_entropy).passed
    assert model.cache[0] is cached and model.fc.weight is weight


def test_a_gan_step_leaves_the_other_network_alone():
    generator, discriminator = mlp(4, 6), mlp(6, 1)
    discriminator(torch.randn(2, 6)).sum().backward()

    def fooled(generator, noise):
        scores = discriminator(generator(noise))
        return nn.functional.binary_cross_entropy_with_logits(scores, torch.ones_like(scores))

    noise = torch.randn(8, 4)
    with untouched(discriminator), untouched(generator):
        result = overfit_one_batch(generator, noise, compute_loss=fooled)
    assert result.passed and result.chance is None


def test_noise_that_the_model_draws_is_the_same_in_every_step():
    def denoise(model, batch):
        noise = torch.randn_like(batch)
        return nn.functional.mse_loss(model(batch + noise), noise)

    assert overfit_one_batch(mlp(6, 6), torch.randn(8, 6), compute_loss=denoise).passed
