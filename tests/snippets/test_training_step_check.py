import collections
import copy
import functools
import random

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_

from tests.snippets import load
from tests.snippets.models import Stateful, mlp, poison
from tests.snippets.untouched import compiles, untouched

training_step_check = load("training_step_check").training_step_check


def batches(number: int = 3, size: int = 8):
    return [(torch.randn(size, 6), torch.arange(size) % 3) for _ in range(number)]


def loss_of(model, batch):
    return F.cross_entropy(model(batch[0]), batch[1])


def usual(model, optimizer, order="ZFBCS", scheduler=None):
    """A step with its calls in any order: zero_grad, forward, backward, clip, step, and the scheduler's step (L)."""
    clipped = list(model.parameters())

    def step(batch):
        for call in order:
            if call == "Z":
                optimizer.zero_grad()
            elif call == "F":
                loss = loss_of(model, batch)
            elif call == "B":
                loss.backward()
            elif call == "C":
                clip_grad_norm_(clipped, 1e-3)
            elif call == "S":
                optimizer.step()
            elif call == "L":
                scheduler.step()
        return loss.detach()

    return step


def sgd(model, lr=0.1):
    return torch.optim.SGD(model.parameters(), lr=lr)


def found(step, model, optimizer, data=None, **options):
    return training_step_check(step, model, optimizer, data, **options).problems


def in_order(order, model=None):
    model = model or mlp()
    optimizer = sgd(model)
    return found(usual(model, optimizer, order), model, optimizer, batches())


@pytest.mark.parametrize("order", ["ZFBCS", "ZFBS", "FZBS", "FBSZ", "FZBCSZ"])
def test_a_healthy_order_passes(capsys, order):
    assert in_order(order) == []
    assert capsys.readouterr().out.endswith("No problem found.\n")


@pytest.mark.parametrize(
    ("order", "problem"),
    [
        ("FBS", "zero_grad() is missing: step() gets gradients that contain earlier ones"),
        ("FBZS", "the gradients are cleared between backward() and step(): nothing is updated"),
        ("ZFB", "step() is never called in 32 calls"),
        ("ZFS", "backward() is never called"),
        ("ZF", "backward() is never called, and neither is step()"),
        ("ZFSB", "step() runs before backward(), when there are no gradients"),
        ("ZCFBS", "gradients are clipped before backward(), without effect: clip between backward() and step()"),
        ("ZFBSC", "gradients are clipped after step(), without effect: clip between backward() and step()"),
    ],
)
def test_a_wrong_order_is_named(capsys, order, problem):
    assert in_order(order) == [problem]
    assert f"Problems:\n  - {problem}\n" in capsys.readouterr().out


def test_a_step_between_forward_and_backward_is_named():
    problems = in_order("FSZB", nn.Linear(6, 3))  # a deeper model raises an error
    assert problems == ["step() runs between forward and backward(): the gradient belongs to weights that are gone"]


def test_the_calls_and_the_losses_are_printed(capsys):
    model = mlp()
    optimizer = sgd(model)
    result = training_step_check(usual(model, optimizer), model, optimizer, batches())
    assert result.calls == ["zero_grad -> forward -> backward -> clip -> step"] * 3
    first, losses, weights, _ = capsys.readouterr().out.splitlines()
    assert first == "calls 1 to 3: zero_grad -> forward -> backward -> clip -> step"
    assert len(losses.removeprefix("loss: ").split(", ")) == 3
    assert weights.startswith("3 updates; 4 of 4 trained tensors changed, which moved by ")


def accumulating(model, optimizer, every, zero_grad_each_time=False):
    calls = [0]

    def step(batch):
        calls[0] += 1
        if zero_grad_each_time:
            optimizer.zero_grad()
        (loss_of(model, batch) / every).backward()
        if calls[0] % every == 0:
            optimizer.step()
            optimizer.zero_grad()

    return step, calls


def test_gradient_accumulation_is_healthy_and_the_counter_is_restored():
    model = mlp()
    optimizer = sgd(model)
    step, calls = accumulating(model, optimizer, 4)
    assert found(step, model, optimizer, batches()) == []
    assert calls == [0]
    step, _ = accumulating(model, optimizer, 40)
    assert found(step, model, optimizer, batches()) == ["step() is never called in 32 calls"]
    assert found(step, model, optimizer, batches(), max_calls=200) == []


def test_an_accumulation_that_never_clears_is_named():
    model = mlp()
    optimizer = sgd(model)
    optimizer.zero_grad = lambda: None
    problems = found(accumulating(model, optimizer, 4)[0], model, optimizer, batches())
    assert problems == ["zero_grad() is missing: step() gets gradients that contain earlier ones"]


def test_an_accumulation_that_discards_gradients_is_named():
    model = mlp()
    optimizer = sgd(model)
    problems = found(accumulating(model, optimizer, 4, zero_grad_each_time=True)[0], model, optimizer, batches())
    assert problems == [
        "zero_grad() discards the gradients of 9 of 12 calls, in which step() is not called: "
        "to accumulate gradients, clear them only after step()"
    ]


def test_gradients_cleared_by_hand_or_by_the_model_are_cleared():
    for clear in (
        lambda model: model.zero_grad(),
        lambda model: [p.__setattr__("grad", None) for p in model.parameters()],
        lambda model: [p.grad.zero_() for p in model.parameters() if p.grad is not None],
    ):
        model = mlp()
        optimizer = sgd(model)

        def step(batch, model=model, optimizer=optimizer, clear=clear):
            clear(model)
            loss_of(model, batch).backward()
            optimizer.step()

        assert found(step, model, optimizer, batches()) == []


def test_only_a_part_is_cleared():
    model = mlp()
    optimizer = sgd(model)

    def step(batch):
        model[2].zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()

    problems = found(step, model, optimizer, batches())
    assert problems == ["zero_grad() is missing: step() gets gradients that contain earlier ones in 0.weight, 0.bias"]


def test_more_and_more_old_gradients_are_one_problem():
    """At the second step, only the zero-initialized matrix has an old gradient: the other's was zero."""
    model = nn.Sequential(nn.Linear(6, 8, bias=False), nn.Linear(8, 3, bias=False))
    nn.init.zeros_(model[1].weight)
    problems = in_order("FBS", model)
    assert problems == ["zero_grad() is missing: step() gets gradients that contain earlier ones"]


@pytest.mark.parametrize(
    ("order", "problem"),
    [
        ("ZFBZCS", "the gradients are cleared between backward() and step(): nothing is updated"),
        ("ZFCS", "backward() is never called"),
    ],
)
def test_clipping_is_not_blamed_for_gradients_that_are_missing(order, problem):
    assert in_order(order) == [problem]


def test_gradients_that_are_cleared_to_zero_are_cleared():
    model = mlp()
    optimizer = sgd(model)

    def step(batch):
        loss_of(model, batch).backward()
        optimizer.zero_grad(set_to_none=False)
        optimizer.step()

    problems = found(step, model, optimizer, batches())
    assert problems == ["the gradients are cleared between backward() and step(): nothing is updated"]


def test_clipping_after_the_update_does_not_hide_that_zero_grad_is_missing():
    assert sorted(in_order("FBSC")) == [
        "gradients are clipped after step(), without effect: clip between backward() and step()",
        "zero_grad() is missing: step() gets gradients that contain earlier ones",
    ]


def test_layers_that_the_step_freezes_are_trainable_again():
    model = mlp()
    optimizer = sgd(model)
    train = usual(model, optimizer)

    def step(batch):
        train(batch)
        model[0].requires_grad_(False)

    assert found(step, model, optimizer, batches()) == []
    assert all(parameter.requires_grad for parameter in model.parameters())


def test_misplaced_clipping_is_named_in_the_middle_of_a_training():
    """The first call finds gradients that no optimizer was seen to use."""
    model = mlp()
    optimizer = sgd(model)
    loss_of(model, batches()[0]).backward()
    problems = found(usual(model, optimizer, "CZFBS"), model, optimizer, batches())
    assert problems == ["gradients are clipped after step(), without effect: clip between backward() and step()"]


# ------------------------------------------------------------------------------------------------------------ modes


def with_dropout():
    return nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 3))


def test_a_model_in_eval_mode_is_named():
    model = with_dropout().eval()
    assert in_order("ZFBS", model) == [
        "the model is trained in eval mode, which changes BatchNorm1d, Dropout: call train() first"
    ]
    assert in_order("ZFBS", model.train()) == []


def test_eval_mode_without_effect_and_frozen_statistics_are_notes():
    model = mlp().eval()
    optimizer = sgd(model)
    result = training_step_check(usual(model, optimizer), model, optimizer, batches())
    assert (result.problems, result.notes) == (
        [],
        ["the model is trained in eval mode; none of its layers depends on it"],
    )
    model = with_dropout()
    model[1].eval()
    optimizer = sgd(model)
    result = training_step_check(usual(model, optimizer), model, optimizer, batches())
    assert (result.problems, result.notes) == ([], ["in eval mode: 1"])


def test_a_frozen_backbone_in_eval_mode_is_healthy_and_a_trained_one_is_not():
    model = nn.Sequential(with_dropout(), nn.Linear(3, 3))
    model[0].eval()
    assert in_order("ZFBS", model) == [
        "0 is trained in eval mode, which changes BatchNorm1d, Dropout: call train() first"
    ]
    model[0].requires_grad_(False)
    optimizer = torch.optim.Adam(model.parameters())
    assert training_step_check(usual(model, optimizer), model, optimizer, batches())[:2] == ([], [])


def test_functional_dropout_in_eval_mode_is_named():
    class Model(nn.Module):
        def __init__(self, rate=0.1):
            super().__init__()
            self.body, self.rate = mlp(), rate

        def forward(self, x):
            return F.dropout(self.body(x), self.rate, self.training)

    assert in_order("ZFBS", Model().eval()) == [
        "the model is trained in eval mode, which changes F.dropout: call train() first"
    ]
    assert in_order("ZFBS", Model()) == []
    assert in_order("ZFBS", Model(rate=0.0).eval()) == []


def test_validation_inside_the_step_is_healthy():
    model = with_dropout()
    optimizer = sgd(model)

    def step(batch):
        model.train()
        optimizer.zero_grad()
        loss_of(model, batch).backward()
        optimizer.step()
        model.eval()
        with torch.no_grad():
            return loss_of(model, batch)

    data = batches()
    with untouched(model):
        assert found(step, model, optimizer, data) == []


# ------------------------------------------------------------------------------------------------------- parameters


def test_parameters_without_an_optimizer_are_named_and_frozen_ones_are_not():
    model = mlp()
    optimizer = sgd(model[2])
    assert found(usual(model, optimizer), model, optimizer, batches()) == [
        "no optimizer has 0.weight, 0.bias: add it, or freeze it with requires_grad_(False)"
    ]
    model[0].requires_grad_(False)
    assert found(usual(model, optimizer), model, optimizer, batches()) == []


def test_an_optimizer_that_was_created_too_early_is_named():
    model = mlp()
    optimizer = sgd(model)
    model[2] = nn.Linear(32, 3)
    assert found(usual(model, optimizer), model, optimizer, batches()) == [
        "no optimizer has 2.weight, 2.bias: add it, or freeze it with requires_grad_(False)",
        "the optimizer has tensors that no model uses, as if it was created before the layers: "
        "a tensor [3, 32], a tensor [3]",
    ]


class Cut(nn.Module):
    def __init__(self, forward):
        super().__init__()
        self.encoder, self.head, self.cut = nn.Linear(6, 8), nn.Linear(8, 3), forward

    def forward(self, x):
        return self.head(self.cut(self.encoder, x))


def without_gradients(encoder, x):
    with torch.no_grad():
        return encoder(x)


def test_layers_that_are_cut_off_are_named():
    assert in_order("ZFBS", Cut(lambda encoder, x: encoder(x).detach())) == [
        "no gradient reaches encoder.weight, encoder.bias"
    ]
    assert in_order("ZFBS", Cut(without_gradients)) == [
        "no gradient reaches encoder.weight, encoder.bias: forward runs under torch.no_grad() or inference_mode()"
    ]


def test_layers_that_forward_skips_are_a_note():
    model = nn.ModuleDict({"used": mlp(), "pooler": nn.Linear(3, 3)})
    model.forward = lambda x: model["used"](x)
    optimizer = sgd(model)
    result = training_step_check(usual(model, optimizer), model, optimizer, batches())
    assert (result.problems, result.notes) == ([], ["forward does not call the layers of pooler.weight, pooler.bias"])


def test_dead_units_are_named():
    model = mlp()
    nn.init.constant_(model[0].bias, -100.0)
    assert in_order("ZFBS", model) == ["the gradient is always zero in 0.weight, 0.bias, 2.weight"]


class Levels(nn.Module):
    """Six heads on one trunk."""

    def __init__(self):
        super().__init__()
        self.trunk = nn.Linear(6, 16)
        self.heads = nn.ModuleList(nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 3)) for _ in range(6))

    def forward(self, x):
        return torch.cat([head(self.trunk(x)) for head in self.heads])


def test_layers_that_the_loss_leaves_out_are_a_note_and_dead_ones_among_many_a_problem():
    """As in a detector, which counts only the hardest negatives: here none of the last head."""
    for dead, left_out, kind in ((False, 1, "notes"), (True, 0, "problems"), (False, 3, "problems")):
        model = Levels()
        if dead:
            nn.init.constant_(model.heads[-1][0].bias, -100.0)
        optimizer = sgd(model)

        def step(batch, model=model, optimizer=optimizer, left_out=left_out):
            optimizer.zero_grad()
            outputs = model(batch[0])
            counted = outputs[: (6 - left_out) * 8]
            (counted.square().mean() + 0.0 * outputs.sum()).backward()
            optimizer.step()

        result = training_step_check(step, model, optimizer, batches())
        assert [text.partition(" in ")[0] for text in getattr(result, kind)] == ["the gradient is always zero"]
        assert len(result.problems) + len(result.notes) == 1


def test_it_waits_for_parameters_that_do_not_move_but_not_for_ever():
    model = mlp()
    nn.init.constant_(model[0].bias, -100.0)
    optimizer = sgd(model)
    assert len(training_step_check(usual(model, optimizer), model, optimizer, batches()).calls) == 8
    model = mlp()
    optimizer = torch.optim.SGD(
        [{"params": model[0].parameters(), "lr": 0.0}, {"params": model[2].parameters()}], lr=0.1
    )
    groups, train = optimizer.param_groups, usual(model, optimizer)

    def warm_up(batch):
        train(batch)
        groups[0]["lr"] = groups[0]["lr"] + 0.01 if len(seen) > 3 else 0.0
        seen.append(1)

    seen = []
    result = training_step_check(warm_up, model, optimizer, batches())
    assert (len(result.calls), result.problems, result.notes) == (6, [], [])


def test_zero_initialized_layers_that_wake_up_later_are_healthy():
    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate, self.layer, self.head = nn.Linear(6, 6), nn.Linear(6, 6), nn.Linear(6, 3)
            for layer in (self.gate, self.head):
                nn.init.zeros_(layer.weight)

        def forward(self, x):
            return self.head(x + self.gate(self.layer(x).relu()))

    assert in_order("ZFBS", Residual()) == []


def test_a_learning_rate_of_zero_and_one_that_overwrites_the_weights_are_named():
    model = mlp()
    for lr, problem in ((0.0, "the learning rate is 0 in every step()"), (1e6, "step() overwrites the weights: ")):
        optimizer = sgd(model, lr)
        assert any(
            text.startswith(problem) for text in found(usual(model, optimizer, "ZFBS"), model, optimizer, batches())
        )


def test_a_warmup_from_zero_is_healthy_and_one_group_at_zero_is_a_note():
    model = mlp()
    optimizer = sgd(model)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(step / 10, 1.0))
    assert found(usual(model, optimizer, "ZFBSL", scheduler), model, optimizer, batches()) == []
    optimizer = torch.optim.SGD([{"params": model[0].parameters(), "lr": 0.0}, {"params": model[2].parameters()}], lr=1)
    result = training_step_check(usual(model, optimizer), model, optimizer, batches())
    assert (result.problems, result.notes) == ([], ["the learning rate is 0 for 0.weight, 0.bias"])


def test_updates_below_the_precision_of_the_weights_are_named():
    model = mlp().bfloat16()
    optimizer = sgd(model, 1e-9)
    data = [(x.bfloat16(), y) for x, y in batches()]
    problems = found(usual(model, optimizer), model, optimizer, data)
    assert problems == [
        "step() does not change 0.weight, 0.bias, 2.weight, 2.bias, although a gradient reaches it: "
        "an update below its precision?"
    ]


def test_layers_that_the_model_does_not_own_are_named():
    class InList(nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden, self.head = [nn.Linear(6, 6)], nn.Linear(6, 3)
            self.scale = torch.ones(6, requires_grad=True)

        def forward(self, x):
            return self.head(self.hidden[0](x) * self.scale)

    class InForward(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(6, 3)

        def forward(self, x):
            return self.head(nn.Linear(6, 6)(x))

    model = InList()
    (problem,) = in_order("ZFBS", model)
    assert problem.startswith("forward uses layers that the model does not own, so they are not trained: ")
    assert {"hidden[0].weight", "hidden[0].bias", "scale"} == set(problem.partition(": ")[2].split(", "))
    assert model.scale.grad is None and model.hidden[0].weight.grad is None
    (problem,) = in_order("ZFBS", InForward())
    assert "not trained: weight of a Linear" in problem or "not trained: bias of a Linear" in problem


def test_a_parameter_that_was_moved_in_the_constructor_is_named():
    class Moved(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.scale = mlp(), nn.Parameter(torch.ones(3)).double()

        def forward(self, x):
            return self.body(x) * self.scale

    assert in_order("ZFBS", Moved()) == ["gets a gradient, but no model or optimizer has it: a tensor [3]"]


def test_a_loss_network_is_healthy_and_a_forgotten_head_is_not():
    model, network = mlp(), nn.Linear(3, 3).eval()
    optimizer = sgd(model)

    def step(batch):
        optimizer.zero_grad()
        F.cross_entropy(network(model(batch[0])), batch[1]).backward()
        optimizer.step()

    assert found(step, model, optimizer, batches()) == []
    assert network.weight.grad is None
    network.train()
    assert found(step, model, optimizer, batches()) == [
        "gets a gradient, but no model or optimizer has it: Linear [3, 3], Linear [3]"
    ]


def test_inputs_that_require_gradients_are_healthy():
    model = mlp()
    optimizer = sgd(model)

    def step(batch):
        inputs = batch[0].clone().requires_grad_()
        optimizer.zero_grad()
        loss = loss_of(model, (inputs, batch[1]))
        (slope,) = torch.autograd.grad(loss, inputs, create_graph=True)
        (loss + slope.square().sum()).backward()
        optimizer.step()

    assert found(step, model, optimizer, batches()) == []


def test_gradients_that_are_set_by_hand_are_healthy():
    model = mlp()
    optimizer = sgd(model)

    def step(batch):
        gradients = torch.autograd.grad(loss_of(model, batch), list(model.parameters()))
        for parameter, gradient in zip(model.parameters(), gradients, strict=True):
            parameter.grad = gradient
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    assert found(step, model, optimizer, batches()) == []


# ------------------------------------------------------------------------------------------------------------- loss


@pytest.mark.parametrize(
    "loss_fn",
    [
        lambda output, target: (output - target).square().mean(),
        lambda output, target: torch.mean((target - output) ** 2),
        nn.MSELoss(),
        nn.L1Loss(),
        nn.SmoothL1Loss(),
        lambda output, target: F.huber_loss(input=output, target=target),
    ],
)
@pytest.mark.filterwarnings("ignore:Using a target size")
def test_a_loss_that_broadcasts_is_named(loss_fn):
    model = mlp(6, 1)
    optimizer = sgd(model, 0.01)

    def step(batch):
        optimizer.zero_grad()
        loss = loss_fn(model(batch[0]), batch[1])
        loss.backward()
        optimizer.step()
        return loss

    data = [(x, torch.randn(8)) for x, _ in batches()]
    (problem,) = found(step, model, optimizer, data)
    assert problem.startswith("the loss broadcasts: ") and problem.endswith(" gives [8, 8]; give both the same shape")
    assert found(step, model, optimizer, [(x, y.unsqueeze(1)) for x, y in data]) == []
    assert found(step, model, optimizer, [(x, torch.ones(1)) for x, _ in data]) == []  # one target for all


def test_all_pairs_of_the_outputs_are_healthy():
    model = mlp(6, 1)
    optimizer = sgd(model)

    def step(batch):
        optimizer.zero_grad()
        score = model(batch[0]).squeeze(1)
        F.softplus(score.unsqueeze(1) - score).mean().backward()
        optimizer.step()

    assert found(step, model, optimizer, batches()) == []


def test_a_loss_of_nan_is_named():
    model = mlp()
    poison(model[2].weight, 1, 3)
    assert in_order("ZFBS", model) == ["the gradient is NaN or infinite when step() uses it", "the loss is nan"]


# --------------------------------------------------------------------------------------- optimizers and their relatives


def gan(of_g, of_d, g, d, clear_d=True, detach=False):
    def step(batch):
        real = batch[0][:, :2]
        fake = g(batch[0]).detach() if detach else g(batch[0])
        if clear_d:
            of_d.zero_grad()
        (F.softplus(-d(real)).mean() + F.softplus(d(fake.detach())).mean()).backward()
        of_d.step()
        of_g.zero_grad()
        F.softplus(-d(fake)).mean().backward()
        of_g.step()

    return step


def test_two_optimizers_of_a_gan():
    g, d = mlp(6, 2), mlp(2, 1)
    of_g, of_d = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
    for order in ([g, d], {"g": g, "d": d}):
        assert found(gan(of_g, of_d, g, d), order, [of_g, of_d], batches()) == []
    assert found(gan(of_g, of_d, g, d), d, of_d, batches()) == []
    assert found(gan(of_g, of_d, g, d, clear_d=False), [g, d], [of_g, of_d], batches()) == [
        "zero_grad() is missing: of_d.step() gets gradients that contain earlier ones"
    ]
    assert found(gan(of_g, of_d, g, d, detach=True), [g, d], [of_g, of_d], batches()) == [
        "no gradient reaches g.0.weight, g.0.bias, g.2.weight, g.2.bias"
    ]


def test_a_critic_that_is_trained_more_often_than_the_generator():
    g, d = mlp(6, 2), mlp(2, 1)
    of_g, of_d = torch.optim.Adam(g.parameters()), torch.optim.RMSprop(d.parameters())
    count = 0

    def step(batch):
        nonlocal count
        count += 1
        of_d.zero_grad()
        (d(g(batch[0])).mean() - d(batch[0][:, :2]).mean()).backward()  # the generator gets a gradient, too
        of_d.step()
        if count % 5 == 0:
            of_g.zero_grad()
            (-d(g(batch[0])).mean()).backward()
            of_g.step()

    assert found(step, [g, d], [of_g, of_d], batches()) == []
    assert count == 0


@pytest.mark.parametrize("clear", [True, False])
def test_a_closure(clear):
    model = mlp()
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=4)

    def step(batch):
        def closure():
            if clear:
                optimizer.zero_grad()
            loss = loss_of(model, batch)
            loss.backward()
            return loss

        return optimizer.step(closure)

    missing = "zero_grad() is missing: step() gets gradients that contain earlier ones"
    state, data = copy.deepcopy(optimizer.state_dict()), batches(1)
    with untouched(model):
        assert found(step, model, optimizer, data) == ([] if clear else [missing])
    assert optimizer.state_dict() == state


def scaled(model, optimizer, scaler, order, factor=1.0):
    def step(batch):
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16):
            loss = loss_of(model, batch)
        scaler.scale(factor * loss).backward()
        for call in order:
            if call == "U":
                scaler.unscale_(optimizer)
            elif call == "C":
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            elif call == "S":
                scaler.step(optimizer)
                scaler.update()
            elif call == "O":
                optimizer.step()
        return loss

    return step


@pytest.mark.parametrize(
    ("order", "problems"),
    [
        ("S", []),
        ("UCS", []),
        ("CS", ["gradients are clipped before scaler.unscale_(optimizer): the threshold is off by the scale"]),
        ("O", ["optimizer.step() gets gradients that are multiplied by the scale: call scaler.step(optimizer)"]),
    ],
)
def test_a_gradient_scaler(order, problems):
    model = mlp()
    optimizer, scaler = sgd(model, 1e-3), torch.amp.GradScaler("cpu", init_scale=1024.0)
    state = copy.deepcopy(scaler.state_dict())
    assert found(scaled(model, optimizer, scaler, order), model, optimizer, batches()) == problems
    assert scaler.state_dict() == state and scaler._scale is None


def test_updates_that_the_scaler_skips_at_first_are_healthy():
    model = mlp()
    optimizer, scaler = sgd(model, 1e-3), torch.amp.GradScaler("cpu", init_scale=1e38, backoff_factor=1e-3)
    assert found(scaled(model, optimizer, scaler, "S", factor=100.0), model, optimizer, batches()) == []
    scaler = torch.amp.GradScaler("cpu", init_scale=1e38, backoff_factor=0.999)
    assert found(scaled(model, optimizer, scaler, "S", factor=100.0), model, optimizer, batches()) == [
        "the GradScaler skips every step(): the gradients are infinite or NaN"
    ]


def test_the_order_of_a_scheduler():
    model = mlp()
    optimizer = sgd(model)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    optimizer.step()  # as in a training that has begun, where PyTorch does not warn
    state = copy.deepcopy(scheduler.state_dict())
    assert found(usual(model, optimizer, "ZFBSL", scheduler), model, optimizer, batches()) == []
    assert found(usual(model, optimizer, "LZFBS", scheduler), model, optimizer, batches()) == [
        "scheduler.step() comes before step(): the first learning rate of the schedule is skipped"
    ]
    assert scheduler.state_dict() == state and optimizer.param_groups[0]["lr"] == 0.1
    assert "step" not in vars(scheduler)


@pytest.mark.parametrize("options", [{"foreach": True}, {"fused": True}, {"amsgrad": True}, {"weight_decay": 0.1}])
def test_optimizer_state_is_restored_wherever_the_training_is(options):
    model = mlp()
    optimizer = torch.optim.Adam(model.parameters(), **options)
    step, data = usual(model, optimizer, "FBSZ"), batches()
    for _ in range(2):
        state, identities = copy.deepcopy(optimizer.state_dict()), [id(p) for p in optimizer.state]
        tensors = [id(value) for state in optimizer.state.values() for value in state.values()]
        with untouched(model):
            assert found(step, model, optimizer, data) == []
        torch.testing.assert_close(optimizer.state_dict(), state, rtol=0, atol=0)
        assert [id(p) for p in optimizer.state] == identities
        assert [id(value) for state in optimizer.state.values() for value in state.values()] == tensors
        step(data[0])


# ---------------------------------------------------------------------------------------------------------- untouched


@pytest.mark.parametrize("order", ["ZFBCS", "FBCS"])  # without zero_grad, gradients are changed in place
@pytest.mark.parametrize("training", [True, False])
def test_everything_stays_as_it_was(training, order):
    model = nn.Sequential(Stateful(), nn.Linear(6, 3)).train(training)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(torch.randn(8, 6)).sum().backward()
    numbers = random.getstate()
    functions = nn.utils.clip_grad_norm_, clip_grad_norm_, torch.autograd.backward, torch.optim.Optimizer.zero_grad
    data = batches()
    with untouched(model), torch.no_grad():
        found(usual(model, optimizer, order), model, optimizer, data)
    assert random.getstate() == numbers
    assert functions == (
        nn.utils.clip_grad_norm_,
        clip_grad_norm_,
        torch.autograd.backward,
        torch.optim.Optimizer.zero_grad,
    )
    assert not torch.nn.modules.module._global_forward_hooks and not torch.nn.modules.module._global_forward_pre_hooks
    assert not optimizer.state and not torch.overrides._get_current_function_mode_stack()


def test_everything_stays_as_it_was_after_an_exception(capsys):
    model = nn.Sequential(Stateful(), nn.Linear(6, 3))
    optimizer = torch.optim.Adam(model.parameters())
    step, data = usual(model, optimizer, "FBS"), batches()
    with untouched(model), pytest.raises(RuntimeError, match="cannot be multiplied"):
        found(step, model, optimizer, [*data[:2], (torch.ones(8, 7), data[0][1])])
    assert not optimizer.state
    assert "Problems found before the exception:\n  - zero_grad() is missing" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("context", "reason"),
    [
        (torch.no_grad, "forward runs under torch.no_grad() or inference_mode()"),
        (torch.inference_mode, "forward runs under torch.no_grad() or inference_mode()"),
        (None, "it is detached"),
    ],
)
def test_a_loss_without_a_graph_is_named_before_the_exception(capsys, context, reason):
    model = mlp()
    optimizer = sgd(model)

    def step(batch):
        if context is None:
            loss = loss_of(model, batch).detach()
        else:
            with context():
                loss = loss_of(model, batch)
        loss.backward()

    data = batches(1)
    with untouched(model), pytest.raises(RuntimeError, match="does not require grad"):
        found(step, model, optimizer, data)
    assert f"Problems found before the exception:\n  - the loss has no graph: {reason}\n" in capsys.readouterr().out


def test_what_the_step_refers_to_is_restored():
    class Average:
        def __init__(self, model):
            self.shadow = {name: p.detach().clone() for name, p in model.named_parameters()}

        def update(self, model):
            for name, p in model.named_parameters():
                self.shadow[name].lerp_(p.detach(), 0.1)

    class Training:
        def __init__(self):
            self.model = mlp()
            self.optimizer = sgd(self.model)
            self.average = torch.optim.swa_utils.AveragedModel(self.model)
            self.shadow = Average(self.model)
            self.losses, self.calls = [], 0
            self.recent: collections.deque[float] = collections.deque(maxlen=2)

        def step(self, batch):
            self.optimizer.zero_grad()
            loss = loss_of(self.model, batch)
            loss.backward()
            self.optimizer.step()
            self.average.update_parameters(self.model)
            self.shadow.update(self.model)
            self.losses.append(loss.item())
            self.recent.append(loss.item())
            self.calls += 1

    training = Training()
    before = copy.deepcopy([training.average.state_dict(), training.shadow.shadow])
    for step in (training.step, functools.partial(training.step)):
        assert found(step, training.model, training.optimizer, batches()) == []
        after = [training.average.state_dict(), training.shadow.shadow]
        torch.testing.assert_close(after, before, rtol=0, atol=0)
        assert (training.losses, training.calls, list(training.recent)) == ([], 0, [])


def test_lazy_layers_stay_lazy():
    model = nn.Sequential(nn.LazyLinear(16), nn.ReLU(), nn.LazyLinear(3))
    optimizer = sgd(model)
    assert found(usual(model, optimizer, "ZFBS"), model, optimizer, batches()) == []
    assert isinstance(model[0], nn.LazyLinear) and nn.parameter.is_lazy(model[0].weight)
    step = usual(model, optimizer, "ZFBS")
    step(batches()[0])
    assert type(model[0]) is nn.Linear and model[0].weight.shape == (16, 6)


def test_compiled_parallel_tied_and_normalized_models_work():
    tied = nn.Sequential(nn.Linear(6, 6), nn.Tanh(), nn.Linear(6, 6))
    tied[2].weight = tied[0].weight
    normalized = nn.Sequential(nn.utils.parametrizations.spectral_norm(nn.Linear(6, 8)), nn.Linear(8, 3))
    for model in (torch.compile(mlp(), backend="eager"), nn.DataParallel(mlp()), tied, normalized):
        assert in_order("ZFBCS", model) == []
        assert in_order("FBCS", model) == ["zero_grad() is missing: step() gets gradients that contain earlier ones"]
    assert compiles()


def test_activation_checkpointing_and_sparse_gradients_work():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.body = nn.Embedding(9, 6, sparse=True), mlp()

        def forward(self, ids):
            return torch.utils.checkpoint.checkpoint(self.body, self.embed(ids), use_reentrant=False)

    model = Model()
    optimizer = sgd(model)
    data = [(torch.randint(9, (8,)), torch.arange(8) % 3)] * 3
    with untouched(model):
        result = training_step_check(usual(model, optimizer, "ZFBS"), model, optimizer, data)
    assert result.problems == [] and result.calls[0] == "zero_grad -> forward -> backward -> step"


def test_batches_that_are_all_the_same_are_named():
    model = mlp()
    optimizer = sgd(model)
    (batch,) = batches(1)
    for same in ([batch], [batch] * 3):  # on purpose
        assert found(usual(model, optimizer), model, optimizer, same) == []
    step, data = usual(model, optimizer), batches()
    assert found(lambda number: step(data[number]), model, optimizer, [0, 1, 2]) == []  # no tensors to compare
    problems = found(usual(model, optimizer), model, optimizer, [tuple(part.clone() for part in batch) for _ in "abc"])
    assert problems == ["every batch has the same values: look at the data set and its indices"]


def test_a_step_without_a_batch_and_a_dict_of_losses():
    model = mlp()
    optimizer = sgd(model)
    stream = iter(batches(40))

    def step():
        optimizer.zero_grad()
        loss = loss_of(model, next(stream))
        loss.backward()
        optimizer.step()
        return {"loss": loss}

    assert found(step, model, optimizer) == []


def test_other_forms_get_a_clear_error():
    model = mlp()
    optimizer = sgd(model)
    with pytest.raises(TypeError, match="takes your step function first, not a Sequential"):
        training_step_check(model, model, optimizer)
    with pytest.raises(TypeError, match="model must be one Module or a list of them, not a SGD"):
        training_step_check(usual(model, optimizer), optimizer, model)
    with pytest.raises(TypeError, match="not a ScriptModule"):
        training_step_check(usual(model, optimizer), torch.jit.script(model), optimizer)
    with pytest.raises(ValueError, match="batches is empty"):
        training_step_check(usual(model, optimizer), model, optimizer, [])
