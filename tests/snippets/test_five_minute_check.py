import pytest
import torch
from torch import nn

from tests.snippets import load
from tests.snippets.models import Cut, Stateful, Wired, mlp, poison
from tests.snippets.untouched import untouched

module = load("five_minute_check")
five_minute_check = module.five_minute_check
cross_entropy = nn.CrossEntropyLoss()


def batch(classes: int = 3):
    return torch.randn(8, 6), torch.arange(8) % classes


def found(model, data, loss_fn=cross_entropy):
    return five_minute_check(model, data, loss_fn, lr=1e-2).problems


def test_a_healthy_model_passes_four_timed_steps(capsys):
    problems, seconds = five_minute_check(mlp(), batch(), cross_entropy, lr=1e-2)
    assert problems == []
    assert list(seconds) == ["environment", "data", "model", "small run"]
    assert sum(seconds.values()) < 30
    out = capsys.readouterr().out.splitlines()
    assert [line for line in out if line[0].isdigit()] == ["1 environment", "2 data", "3 model", "4 small run"]
    assert out[-1] == "No problem found."
    assert "took" not in " ".join(out)


@pytest.mark.parametrize(
    "targets",
    [torch.randn(8, 1), 2000 + torch.randn(8, 1), (3 * torch.randn(8, 1)).exp(), 1e-3 * torch.randn(8, 1)],
    ids=["normal", "near 2000", "lognormal", "small"],
)
@pytest.mark.parametrize("build", [lambda: mlp(6, 1), lambda: nn.Linear(6, 1)], ids=["network", "linear"])
def test_a_healthy_regression_passes(build, targets):
    assert five_minute_check(build(), (torch.randn(8, 6), targets), nn.MSELoss()).problems == []


@pytest.mark.parametrize("features", [2, 20])
def test_a_healthy_logistic_regression_passes(features):
    inputs = torch.randn(16, features)
    labels = (inputs[:, :1] > 0).float()
    assert five_minute_check(nn.Linear(features, 1), (inputs, labels), nn.BCEWithLogitsLoss()).problems == []


def words():
    ids = torch.randint(0, 11, (4, 5))
    return ids, (ids + 1) % 11


def pixels():
    """Gray values as targets: their entropy is left."""
    values = 0.2 + 0.6 * torch.rand(8, 6)
    return values, values


def label_map():
    labels = torch.randint(0, 3, (4, 5, 5))
    labels[0] = -100
    return torch.randn(4, 2, 5, 5), labels


@pytest.mark.parametrize(
    ("build", "data", "loss_fn"),
    [
        (lambda: nn.Linear(6, 6), pixels, nn.BCEWithLogitsLoss()),
        (
            lambda: nn.Linear(6, 1),
            lambda: (torch.randn(8, 6), torch.poisson(torch.full((8, 1), 3.0))),
            nn.PoissonNLLLoss(),
        ),
        (
            lambda: nn.EmbeddingBag(20, 3, sparse=True),
            lambda: (torch.randint(20, (8, 4)), batch()[1]),
            cross_entropy,
        ),
        (lambda: nn.Conv2d(2, 3, 3, padding=1), label_map, cross_entropy),
        (
            lambda: nn.Sequential(nn.Embedding(11, 16), nn.Linear(16, 11)),
            words,
            lambda output, labels: cross_entropy(output.flatten(0, 1), labels.flatten()),
        ),
    ],
    ids=["no loss of zero", "counts", "sparse gradients", "labels per pixel, some ignored", "scores per word"],
)
def test_healthy_losses_and_outputs_of_further_forms_pass(build, data, loss_fn):
    assert found(build(), data(), loss_fn) == []


def changed(values, index, value):
    values = values.clone()
    values[index] = value
    return values


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda x, y: (changed(x, (2, 3), float("nan")), y), "inputs: 1 of 48 values are NaN or infinite"),
        (lambda x, y: (x * 0 + 1, y), "inputs: all values are 1"),
        (lambda x, y: (x.abs() * 200, y), "are not scaled; bring them near -1 to 1"),
        (lambda x, y: (x, changed(y, 0, 3)), "labels from 0 to 3, but the output has 3 classes"),
        (lambda x, y: (x, changed(y, 0, -1)), "labels from -1 to 2, but the output has 3 classes"),
    ],
    ids=["nan", "constant", "not scaled", "label too large", "label negative"],
)
def test_faults_of_the_data_are_named(capsys, spoil, problem):
    problems = found(mlp(), spoil(*batch()))
    assert any(problem in text for text in problems), problems
    assert f"  - {problems[0]}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("spoil", "error", "report"),
    [
        (lambda x, y: (x.double(), y), RuntimeError, "inputs is float64, the model's weights are float32"),
        (lambda x, y: (x.to("meta"), y), RuntimeError, "inputs is on meta, the model on cpu"),
        (lambda x, y: (x, y[:5]), ValueError, "different numbers of samples: inputs 8, targets 5"),
    ],
    ids=["dtype", "left on meta", "numbers of samples"],
)
def test_what_the_model_refuses_is_raised_after_the_report_of_the_data(capsys, spoil, error, report):
    with pytest.raises(error):
        found(mlp(), spoil(*batch()))
    out = capsys.readouterr().out
    assert f"  - {report}" in out[out.index("Problems found before the exception:") :]


def test_a_detached_branch_is_named():
    assert "no gradient reaches encoder.weight, encoder.bias" in found(Cut(), batch())


def test_a_layer_frozen_on_purpose_is_no_problem_and_a_frozen_model_is_one():
    model = mlp()
    model[0].requires_grad_(False)
    assert found(model, batch()) == []
    assert found(model.requires_grad_(False), batch()) == ["no parameter has requires_grad=True: nothing is trained"]


def test_dead_units_are_named():
    model = mlp()
    nn.init.constant_(model[0].bias, -100.0)
    assert "the gradient is zero in 0.weight, 0.bias, 2.weight" in found(model, batch())


def test_a_head_that_begins_at_zero_is_no_problem_and_one_that_stays_zero_is_one():
    model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3))
    nn.init.zeros_(model[4].weight)
    nn.init.zeros_(model[4].bias)
    assert found(model, batch()) == []
    model[4].requires_grad_(False)
    assert "the gradient is zero in 0.weight, 0.bias, 2.weight, 2.bias" in found(model, batch())


def test_a_long_list_of_names_is_cut():
    model = nn.Sequential(*(nn.Linear(6, 6) for _ in range(9)), mlp())
    model[8].register_forward_hook(lambda module, args, output: output.detach())
    assert found(model, batch()) == ["no gradient reaches 18 of 22 parameters: 0.weight, 0.bias, 1.weight, …"]


def deep(factor, activation=nn.ReLU, outputs=3):
    blocks = []
    for _ in range(20):
        blocks += [Wired(lambda model, x: factor * model.fc(x), fc=nn.Linear(64, 64)), activation()]
    return nn.Sequential(nn.Linear(6, 64), *blocks, nn.Linear(64, outputs))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 10))])
def test_exploding_and_vanishing_networks_are_named(seed):
    torch.manual_seed(seed)
    assert "activations explode" in " ".join(found(deep(6.0), batch()))
    regression = torch.randn(8, 6), torch.randn(8, 1)
    assert "activations explode" in " ".join(found(deep(6.0, outputs=1), regression, nn.MSELoss()))
    assert "gradients explode" in " ".join(found(deep(10.0, nn.Tanh), batch()))
    for model in (deep(1.0), deep(0.5), deep(1.0, nn.Sigmoid)):
        assert any("the gradient vanishes in" in problem for problem in found(model, batch()))
    kept = deep(6**0.5)  # keeps the scale from layer to layer, as initialization by He would
    assert found(kept, batch()) == []


def test_a_branch_with_a_small_scale_does_not_vanish():
    """As in ConvNeXt, whose blocks begin at 1e-6."""

    branch = Wired(
        lambda model, x: x + model.scale * model.body(x), body=mlp(6, 6), scale=nn.Parameter(torch.full((6,), 1e-9))
    )
    assert found(nn.Sequential(nn.Linear(6, 6), branch, nn.Linear(6, 3)), batch()) == []


@pytest.mark.parametrize("container", [list, tuple, lambda layers: dict(enumerate(layers))])
def test_layers_that_are_not_registered_are_named(container):
    def forward(model, x):
        for layer in model.hidden.values() if isinstance(model.hidden, dict) else model.hidden:
            x = layer(x).relu()
        return model.head(x)

    model = Wired(forward, hidden=container([nn.Linear(6, 32), nn.Linear(32, 32)]), head=nn.Linear(32, 3))
    assert any(problem.startswith("forward uses hidden[0], hidden[1], not in") for problem in found(model, batch()))


def test_layers_that_are_listed_twice_or_belong_to_the_loss_are_no_problem():
    model, judge = mlp(), mlp(3, 1)
    model.order = [model[0], model[2]]
    model.teacher = [mlp()]  # forward does not use it
    assert found(model, batch(), lambda output, labels: judge(output).square().mean()) == []


@pytest.mark.parametrize("value", [0.01, 0.1, 1.0])
def test_constant_initialization_is_named(value):
    model = nn.Sequential(nn.Linear(6, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 3))
    for parameter in model.parameters():
        nn.init.constant_(parameter, value)
    assert any("all units begin equal and get the same gradient in 0.weight" in text for text in found(model, batch()))


def test_a_constant_scale_per_channel_is_no_constant_initialization():
    scaled = Wired(lambda model, x: model.scale * x, scale=nn.Parameter(torch.full((8, 1, 1), 0.1)))
    blur = nn.Conv2d(8, 8, 3, groups=8)
    nn.init.constant_(blur.weight, 1 / 9)
    model = nn.Sequential(nn.Conv2d(3, 8, 3), scaled, blur, nn.Flatten(), nn.Linear(128, 3))
    assert found(model, (torch.randn(8, 3, 8, 8), batch()[1])) == []


@pytest.mark.parametrize(
    "loss_fn",
    [
        nn.MSELoss(),
        nn.functional.l1_loss,
        lambda output, targets: (output - targets).square().mean(),
        nn.PoissonNLLLoss(),
        lambda output, target: nn.functional.gaussian_nll_loss(output, target, torch.ones_like(output)),
        lambda output, target: ((output - target.long()) ** 2).mean(),
    ],
    ids=["module", "function", "own", "poisson", "gaussian", "whole numbers"],
)
@pytest.mark.filterwarnings("ignore:Using a target size")
def test_a_loss_that_broadcasts_is_named(loss_fn):
    message = "the loss broadcasts [8, 1] and [8] to [8, 8]; give both the same shape"
    data = torch.randn(8, 6), torch.arange(8) / 8
    assert message in found(mlp(6, 1), data, loss_fn)
    assert message not in found(mlp(6, 1), data, lambda output, target: loss_fn(output.squeeze(1), target))


def test_differences_of_all_pairs_are_no_accident():
    def ranking(output, targets):
        output = output.squeeze(1)
        return torch.relu(1 - (output[:, None] - output) * (targets[:, None] - targets).sign()).mean()

    assert found(mlp(6, 1), (torch.randn(8, 6), torch.randn(8)), ranking) == []


@pytest.mark.parametrize(
    ("last", "targets", "loss_fn", "problem"),
    [
        (nn.ReLU(), torch.randn(8, 1), nn.MSELoss(), "the last operation is relu (at least 0)"),
        (nn.Sigmoid(), 5 + torch.rand(8, 1), nn.MSELoss(), "the last operation is sigmoid (0 to 1): 100%"),
        (nn.Tanh(), 5 + torch.rand(8, 1), nn.MSELoss(), "the last operation is tanh (-1 to 1): 100%"),
        (nn.ReLU(), torch.ones(8, 1), nn.BCEWithLogitsLoss(), "a ReLU makes the logits"),
        (nn.Sigmoid(), torch.ones(8, 1), nn.BCEWithLogitsLoss(), "the logits are probabilities already"),
    ],
)
def test_an_output_that_does_not_suit_the_loss_is_named(last, targets, loss_fn, problem):
    model = nn.Sequential(mlp(6, 1), last)
    assert any(problem in text for text in found(model, (torch.randn(8, 6), targets), loss_fn))


def test_a_relu_before_cross_entropy_is_named_also_in_a_loss_of_ones_own():
    model = nn.Sequential(mlp(), nn.ReLU())
    for loss_fn in (cross_entropy, lambda output, labels: 2 * cross_entropy(output.view(8, 3), labels)):
        assert any("a ReLU makes the logits" in text for text in found(model, batch(), loss_fn))


@pytest.mark.parametrize(
    ("last", "targets"),
    [(nn.ReLU(), torch.rand(8, 1)), (nn.Sigmoid(), torch.rand(8, 1)), (nn.Tanh(), 2 * torch.rand(8, 1) - 1)],
)
def test_an_output_that_can_reach_the_targets_is_no_problem(last, targets):
    model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1), last)
    nn.init.constant_(model[2].bias, 0.5)
    assert found(model, (torch.randn(8, 6), targets), nn.MSELoss()) == []


def test_unscaled_inputs_that_the_model_normalizes_are_no_problem():
    pixels = torch.randint(0, 256, (8, 6)).float()
    assert any("not scaled" in text for text in found(mlp(), (pixels, batch()[1])))
    assert found(nn.Sequential(nn.BatchNorm1d(6), mlp()), (pixels, batch()[1])) == []
    outlier = torch.randn(8, 60)
    outlier[0, 0] = 110.0  # one value, not a scale
    assert not any("not scaled" in text for text in found(mlp(60), (outlier, batch()[1])))


def test_samples_that_are_all_the_same_are_named():
    inputs, labels = batch()
    assert "inputs: all 8 samples are the same" in found(mlp(), (inputs[:1].repeat(8, 1), labels))


def test_a_model_that_ignores_its_inputs_is_named():
    model = Wired(lambda model, x: model.body(torch.ones_like(x)), body=mlp())
    assert "the output is the same for all 8 samples" in found(model, batch())


@pytest.mark.filterwarnings("ignore:.*weight_norm:FutureWarning")
def test_models_that_keep_a_tensor_with_a_graph_work():
    def forward(model, x):
        model.cache["outputs"].append(model.body(x))
        return model.cache["outputs"][-1]

    body = mlp()
    model = Wired(forward, body=body, cache={"outputs": [body(torch.randn(2, 6))]})
    kept = model.cache["outputs"][0]
    assert found(model, batch()) == []
    assert model.cache["outputs"] == [kept] and kept.grad_fn is not None
    assert found(nn.Sequential(nn.utils.weight_norm(nn.Linear(6, 32)), nn.Linear(32, 3)), batch()) == []


def test_detection_batches_and_losses_of_model_and_batch_work():
    def forward(model, images, targets):
        boxes = [model.body(image[None]).mean((2, 3)) for image in images]
        wanted = [target["boxes"].mean(0, keepdim=True) for target in targets]
        return {"boxes": nn.functional.mse_loss(torch.cat(boxes), torch.cat(wanted))}

    detector = Wired(forward, body=nn.Conv2d(3, 4, 3, padding=1))
    images = [torch.randn(3, 8, width) for width in (8, 9, 10)]  # as many as channels
    targets = [{"boxes": torch.randn(number, 4), "labels": torch.zeros(number)} for number in (1, 2, 3)]
    for data in ((images, targets), (tuple(images), tuple(targets))):
        assert found(detector, data, lambda losses, targets: sum(losses.values())) == []
        assert five_minute_check(detector, data, compute_loss=lambda model, b: model(*b)["boxes"]).problems == []
    first = module._first_samples((images, targets), 2)
    assert [image.shape[2] for image in first[0]] == [8, 9] and len(first[1]) == 2


def test_a_compute_loss_takes_a_batch_of_any_form():
    real, noise = torch.randn(8, 6), torch.randn(8, 4)
    generator = nn.Linear(4, 6)

    def discriminate(model, batch):
        real, noise = batch
        scores = torch.cat([model(real), model(generator(noise).detach())])
        return nn.functional.binary_cross_entropy_with_logits(
            scores, (torch.arange(len(scores)) < len(real)).float()[:, None]
        )

    assert five_minute_check(mlp(6, 1), (real, noise), compute_loss=discriminate).problems == []
    labels = changed(batch()[1], 0, 3)
    problems = five_minute_check(mlp(), real, compute_loss=lambda model, x: cross_entropy(model(x), labels)).problems
    assert problems == ["labels from 0 to 3, but the output has 3 classes"]


def test_dropout_of_every_kind_is_off_in_the_small_run():
    def forward(model, x):
        x = nn.functional.dropout(model.embed(x[:, None].expand(-1, 3, -1)), 0.5, model.training)
        return model.head(model.gru(model.layer(x))[0][:, -1])

    def noisy():
        return Wired(
            forward,
            embed=nn.Linear(6, 8),
            layer=nn.TransformerEncoderLayer(8, 2, 16, dropout=0.5, batch_first=True),
            gru=nn.GRU(8, 8, 2, dropout=0.5, batch_first=True),
            head=nn.Linear(8, 3),
        )

    model, (inputs, _) = noisy(), batch()
    module._switch_dropout_off(model)
    with module._WithoutDropout():
        assert torch.equal(model(inputs), model(inputs))
    assert found(noisy(), batch()) == []


def test_a_nan_weight_is_named():
    model = mlp()
    poison(model[2].weight, 1, 3)
    assert found(model, batch()) == ["the loss is nan"]


def test_softmax_before_cross_entropy_is_named():
    model = nn.Sequential(mlp(), nn.Softmax(dim=1))
    assert any("softmax stands before the cross-entropy" in text for text in found(model, batch()))


def test_labels_that_are_shuffled_do_not_fall():
    def wrong(output, labels):
        return cross_entropy(output, torch.randint(0, 3, labels.shape))

    assert any("does not fall by half" in text for text in found(mlp(), batch(), wrong))


def test_a_loss_that_is_no_number_or_has_no_graph_is_named():
    each = nn.CrossEntropyLoss(reduction="none")
    assert found(mlp(), batch(), each) == ["the loss has shape [8]; backward() needs one number"]
    detached = found(mlp(), batch(), lambda output, labels: cross_entropy(output.detach(), labels))
    assert detached == ["the loss is not connected to the parameters"]


def test_a_model_on_meta_is_named(capsys):
    with pytest.raises(RuntimeError):
        found(nn.Linear(6, 3, device="meta"), batch())
    assert "the model is on the meta device" in capsys.readouterr().out


def test_a_step_that_takes_too_long_says_so(capsys, monkeypatch):
    ticks = iter(range(0, 10**9, 40))
    monkeypatch.setattr(module.time, "perf_counter", lambda: next(ticks))
    found(mlp(), batch())
    assert "took 40 s, more than 30 s" in capsys.readouterr().out


def test_inputs_in_dicts_and_tuples_and_a_batch_that_is_one_dict():
    def forward(model, left, right, labels=None):
        logits = model.body(torch.cat([left, right], 1))
        return logits if labels is None else {"loss": cross_entropy(logits, labels)}

    model = Wired(forward, body=mlp(12))
    left, labels = batch()
    right = torch.randn(8, 6)
    assert found(model, ((left, right), labels)) == []
    assert found(model, ({"left": left, "right": right}, labels)) == []
    assert found(model, {"labels": labels, "left": left, "right": right}, lambda output, _: output["loss"]) == []


@pytest.mark.parametrize("training", [True, False])
def test_everything_stays_as_it_was(training):
    model, data = Stateful().train(training), batch(6)
    with untouched(model), torch.no_grad():
        problems, _ = five_minute_check(model, data, cross_entropy)
    assert "the loss is not connected to the parameters" not in problems


def test_everything_stays_as_it_was_after_a_failure():
    model, data = nn.Sequential(Stateful(), nn.Linear(7, 3)), batch()
    with untouched(model), pytest.raises(RuntimeError):
        five_minute_check(model, data, cross_entropy)


def test_compiled_data_parallel_and_lazy_models_work():
    for model in (torch.compile(mlp(), backend="eager"), nn.DataParallel(mlp()), nn.Sequential(nn.LazyLinear(3))):
        assert found(model, batch()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((torch.ones(2), batch(), cross_entropy), "takes the model first, not a Tensor"),
        ((mlp(), batch()), "takes either loss_fn or compute_loss"),
        ((mlp(), torch.ones(8, 6), cross_entropy), r"batch must be \(inputs, targets\) or one dict"),
    ],
)
def test_other_forms_get_a_clear_error(arguments, message):
    with pytest.raises(TypeError, match=message):
        five_minute_check(*arguments)


def test_a_loss_with_noise_of_its_own_passes():
    """As of a diffusion model: each step predicts another noise, at another time."""

    def denoiser():
        return Wired(
            lambda model, images, time: model.last(
                nn.functional.silu(model.first(images) + model.time(time)[:, :, None, None])
            ),
            first=nn.Conv2d(1, 16, 3, padding=1),
            last=nn.Conv2d(16, 1, 3, padding=1),
            time=nn.Embedding(100, 16),
        )

    def compute_loss(model, images):
        time = torch.randint(0, 100, (len(images),))
        noise, share = torch.randn_like(images), ((time + 1) / 101)[:, None, None, None]
        return nn.functional.mse_loss(model((1 - share).sqrt() * images + share.sqrt() * noise, time), noise)

    for seed in range(3):
        torch.manual_seed(seed)
        assert five_minute_check(denoiser(), torch.randn(8, 1, 8, 8), compute_loss=compute_loss).problems == []


def test_batch_norm_gets_more_than_two_samples():
    """Of two samples it leaves 1 and -1, so that the distances of both pairs are equal."""

    def contrastive(distance, same):
        return (same * distance**2 + (1 - same) * (2 - distance).clamp(min=0) ** 2).mean()

    features = nn.Sequential(nn.Linear(32, 64), nn.BatchNorm1d(64), nn.ReLU(), nn.Linear(64, 16))
    model = Wired(
        lambda model, first, second: nn.functional.pairwise_distance(model.features(first), model.features(second)),
        features=features,
    )
    data = (torch.randn(16, 32), torch.randn(16, 32)), torch.randint(0, 2, (16,)).float()
    assert five_minute_check(model, data, contrastive).problems == []


def test_a_lambda_that_holds_the_original_model_is_named_and_the_original_gets_no_gradient():
    first, data = nn.Linear(6, 8), batch()
    model = Wired(
        lambda model, x: model.head(model.features(x)),
        first=first,
        features=lambda x: first(x).relu(),
        head=nn.Linear(8, 3),
    )
    with untouched(model), pytest.raises(ValueError, match=r"uses first\.weight of the original"):
        found(model, data)


def test_a_layer_that_forward_creates_is_named_and_one_that_the_loss_owns_is_not():
    fresh = Wired(lambda model, x: nn.Linear(8, 3)(model.first(x).relu()), first=nn.Linear(6, 8))
    assert any("forward uses a parameter of shape" in problem for problem in found(fresh, batch()))
    centers = nn.Parameter(torch.randn(3, 4))
    assert found(mlp(6, 4), batch(), lambda output, labels: (output - centers[labels]).square().mean()) == []
