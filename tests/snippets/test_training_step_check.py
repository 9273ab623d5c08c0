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
from tests.snippets.models import Stateful, Wired, mlp, poison
from tests.snippets.untouched import compiles, untouched

training_step_check = load("training_step_check").training_step_check


def batches(number: int = 3, size: int = 8):
    return [(torch.randn(size, 6), torch.arange(size) % 3) for _ in range(number)]


def loss_of(model, batch):
    return F.cross_entropy(model(batch[0]), batch[1])


def usual(model, optimizer, order="ZFBCS", scheduler=None, loss_of=loss_of):
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


@pytest.fixture
def model():
    return mlp()


@pytest.fixture
def optimizer(model):
    return sgd(model)


def result_of(order, model=None, lr=0.1, data=None, loss_of=loss_of):
    model = model or mlp()
    optimizer = sgd(model, lr)
    return training_step_check(usual(model, optimizer, order, loss_of=loss_of), model, optimizer, data or batches())


def in_order(order, model=None, **options):
    return result_of(order, model, **options).problems


MISSING = "zero_grad() is missing: step() gets gradients that contain earlier ones"
CLEARED = "the gradients are cleared between backward() and step(): nothing is updated"
CLIPPED_AFTER = "gradients are clipped after step(), without effect: clip between backward() and step()"


@pytest.mark.parametrize("order", ["ZFBCS", "ZFBS", "FZBS", "FBSZ", "FZBCSZ"])
def test_a_healthy_order_passes(capsys, order):
    assert in_order(order) == []
    assert capsys.readouterr().out.endswith("No problem found.\n")


@pytest.mark.parametrize(
    ("order", "problem", "model"),
    [
        ("FBS", MISSING, None),
        ("FBZS", CLEARED, None),
        ("ZFBZCS", CLEARED, None),
        ("ZFB", "step() is never called in 32 calls", None),
        ("ZFS", "backward() is never called", None),
        ("ZFCS", "backward() is never called", None),
        ("ZF", "backward() is never called, and neither is step()", None),
        ("ZFSB", "step() runs before backward(), when there are no gradients", None),
        ("ZCFBS", CLIPPED_AFTER.replace("after step()", "before backward()"), None),
        ("ZFBSC", CLIPPED_AFTER, None),
        # A deeper model raises an error.
        (
            "FSZB",
            "step() runs between forward and backward(): the gradient belongs to weights that are gone",
            nn.Linear(6, 3),
        ),
    ],
)
def test_a_wrong_order_is_named(capsys, order, problem, model):
    assert in_order(order, model) == [problem]
    assert f"Problems:\n  - {problem}\n" in capsys.readouterr().out


def test_the_calls_and_the_losses_are_printed(capsys):
    assert result_of("ZFBCS").calls == ["zero_grad -> forward -> backward -> clip -> step"] * 3
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


def test_gradient_accumulation_is_healthy_and_the_counter_is_restored(model, optimizer):
    step, calls = accumulating(model, optimizer, 4)
    assert found(step, model, optimizer, batches()) == []
    assert calls == [0]
    step, _ = accumulating(model, optimizer, 40)
    assert found(step, model, optimizer, batches()) == ["step() is never called in 32 calls"]
    assert found(step, model, optimizer, batches(), max_calls=200) == []


def test_an_accumulation_that_never_clears_or_discards_gradients_is_named(model, optimizer):
    problems = found(accumulating(model, optimizer, 4, zero_grad_each_time=True)[0], model, optimizer, batches())
    assert problems == [
        "zero_grad() discards the gradients of 9 of 12 calls, in which step() is not called: "
        "to accumulate gradients, clear them only after step()"
    ]
    optimizer.zero_grad = lambda: None
    assert found(accumulating(model, optimizer, 4)[0], model, optimizer, batches()) == [MISSING]


@pytest.mark.parametrize(
    ("clear", "problems"),
    [
        (lambda model: model.zero_grad(), []),
        (lambda model: [p.__setattr__("grad", None) for p in model.parameters()], []),
        (lambda model: [p.grad.zero_() for p in model.parameters() if p.grad is not None], []),
        (lambda model: model[2].zero_grad(), [f"{MISSING} in 0.weight, 0.bias"]),
    ],
    ids=["by the model", "set to None", "set to zero", "a part"],
)
def test_gradients_that_are_cleared_without_the_optimizer(clear, problems, model, optimizer):
    train = usual(model, optimizer, "FBS")

    def step(batch):
        clear(model)
        train(batch)

    assert found(step, model, optimizer, batches()) == problems


def test_more_and_more_old_gradients_are_one_problem():
    """At the second step, only the zero-initialized matrix has an old gradient: the other's was zero."""
    model = nn.Sequential(nn.Linear(6, 8, bias=False), nn.Linear(8, 3, bias=False))
    nn.init.zeros_(model[1].weight)
    assert in_order("FBS", model) == [MISSING]


def test_gradients_that_are_cleared_to_zero_are_cleared(model, optimizer):

    def step(batch):
        loss_of(model, batch).backward()
        optimizer.zero_grad(set_to_none=False)
        optimizer.step()

    assert found(step, model, optimizer, batches()) == [CLEARED]


def test_clipping_after_the_update_does_not_hide_that_zero_grad_is_missing():
    assert sorted(in_order("FBSC")) == [CLIPPED_AFTER, MISSING]


def test_layers_that_the_step_freezes_are_trainable_again(model, optimizer):
    train = usual(model, optimizer)

    def step(batch):
        train(batch)
        model[0].requires_grad_(False)

    assert found(step, model, optimizer, batches()) == []
    assert all(parameter.requires_grad for parameter in model.parameters())


def test_misplaced_clipping_is_named_in_the_middle_of_a_training(model, optimizer):
    """The first call finds gradients that no optimizer was seen to use."""
    loss_of(model, batches()[0]).backward()
    assert found(usual(model, optimizer, "CZFBS"), model, optimizer, batches()) == [CLIPPED_AFTER]


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
    assert result_of("ZFBCS", mlp().eval())[:2] == (
        [],
        ["the model is trained in eval mode; none of its layers depends on it"],
    )
    model = with_dropout()
    model[1].eval()
    assert result_of("ZFBCS", model)[:2] == ([], ["in eval mode: 1"])


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
    def dropping(rate):
        return Wired(lambda model, x: F.dropout(model.body(x), rate, model.training), body=mlp())

    assert in_order("ZFBS", dropping(0.1).eval()) == [
        "the model is trained in eval mode, which changes F.dropout: call train() first"
    ]
    assert in_order("ZFBS", dropping(0.1)) == []
    assert in_order("ZFBS", dropping(0.0).eval()) == []


def test_validation_inside_the_step_is_healthy():
    model = with_dropout()
    optimizer = sgd(model)
    train = usual(model, optimizer, "ZFBS")

    def step(batch):
        model.train()
        train(batch)
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


def test_an_optimizer_that_was_created_too_early_is_named(model, optimizer):
    model[2] = nn.Linear(32, 3)
    assert found(usual(model, optimizer), model, optimizer, batches()) == [
        "no optimizer has 2.weight, 2.bias: add it, or freeze it with requires_grad_(False)",
        "the optimizer has tensors that no model uses, as if it was created before the layers: "
        "a tensor [3, 32], a tensor [3]",
    ]


def without_gradients(encoder, x):
    with torch.no_grad():
        return encoder(x)


@pytest.mark.parametrize(
    ("forward", "reason"),
    [
        (lambda encoder, x: encoder(x).detach(), ""),
        (without_gradients, ": forward runs under torch.no_grad() or inference_mode()"),
    ],
)
def test_layers_that_are_cut_off_are_named(forward, reason):
    model = Wired(lambda model, x: model.head(forward(model.encoder, x)), encoder=nn.Linear(6, 8), head=nn.Linear(8, 3))
    assert in_order("ZFBS", model) == [f"no gradient reaches encoder.weight, encoder.bias{reason}"]


def test_layers_that_forward_skips_are_a_note():
    model = Wired(lambda model, x: model.used(x), used=mlp(), pooler=nn.Linear(3, 3))
    assert result_of("ZFBCS", model)[:2] == ([], ["forward does not call the layers of pooler.weight, pooler.bias"])


def test_dead_units_are_named():
    model = mlp()
    nn.init.constant_(model[0].bias, -100.0)
    assert in_order("ZFBS", model) == ["the gradient is always zero in 0.weight, 0.bias, 2.weight"]


@pytest.mark.parametrize(("dead", "left_out", "kind"), [(0, 1, "notes"), (1, 0, "problems"), (0, 3, "problems")])
def test_layers_that_the_loss_leaves_out_are_a_note_and_dead_ones_among_many_a_problem(dead, left_out, kind):
    """As in a detector, which counts only the hardest negatives: six heads on one trunk, the last of which may be."""
    model = Wired(
        lambda model, x: torch.cat([head(model.trunk(x)) for head in model.heads]),
        trunk=nn.Linear(6, 16),
        heads=nn.ModuleList(nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 3)) for _ in range(6)),
    )
    for head in model.heads[6 - dead :]:
        nn.init.constant_(head[0].bias, -100.0)

    def counted(model, batch):
        outputs = model(batch[0])
        return outputs[: (6 - left_out) * 8].square().mean() + 0.0 * outputs.sum()

    result = result_of("ZFBS", model, loss_of=counted)
    assert [text.partition(" in ")[0] for text in getattr(result, kind)] == ["the gradient is always zero"]
    assert len(result.problems) + len(result.notes) == 1


def test_it_waits_for_parameters_that_do_not_move_but_not_for_ever():
    model = mlp()
    nn.init.constant_(model[0].bias, -100.0)
    assert len(result_of("ZFBCS", model).calls) == 8
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
    layers = {"gate": nn.Linear(6, 6), "layer": nn.Linear(6, 6), "head": nn.Linear(6, 3)}
    for name in ("gate", "head"):
        nn.init.zeros_(layers[name].weight)
    assert in_order("ZFBS", Wired(lambda m, x: m.head(x + m.gate(m.layer(x).relu())), **layers)) == []


@pytest.mark.parametrize(
    ("lr", "problem"), [(0.0, "the learning rate is 0 in every step()"), (1e6, "step() overwrites the weights: ")]
)
def test_a_learning_rate_of_zero_and_one_that_overwrites_the_weights_are_named(lr, problem):
    assert any(text.startswith(problem) for text in in_order("ZFBS", lr=lr))


def test_a_warmup_from_zero_is_healthy_and_one_group_at_zero_is_a_note(model, optimizer):
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(step / 10, 1.0))
    assert found(usual(model, optimizer, "ZFBSL", scheduler), model, optimizer, batches()) == []
    optimizer = torch.optim.SGD([{"params": model[0].parameters(), "lr": 0.0}, {"params": model[2].parameters()}], lr=1)
    result = training_step_check(usual(model, optimizer), model, optimizer, batches())
    assert (result.problems, result.notes) == ([], ["the learning rate is 0 for 0.weight, 0.bias"])


def test_updates_below_the_precision_of_the_weights_are_named():
    data = [(x.bfloat16(), y) for x, y in batches()]
    assert in_order("ZFBCS", mlp().bfloat16(), lr=1e-9, data=data) == [
        "step() does not change 0.weight, 0.bias, 2.weight, 2.bias, although a gradient reaches it: "
        "an update below its precision?"
    ]


def test_layers_that_the_model_does_not_own_are_named():
    model = Wired(
        lambda model, x: model.head(model.hidden[0](x) * model.scale),
        hidden=[nn.Linear(6, 6)],
        head=nn.Linear(6, 3),
        scale=torch.ones(6, requires_grad=True),
    )
    (problem,) = in_order("ZFBS", model)
    assert problem.startswith("forward uses layers that the model does not own, so they are not trained: ")
    assert {"hidden[0].weight", "hidden[0].bias", "scale"} == set(problem.partition(": ")[2].split(", "))
    assert model.scale.grad is None and model.hidden[0].weight.grad is None
    (problem,) = in_order("ZFBS", Wired(lambda model, x: model.head(nn.Linear(6, 6)(x)), head=nn.Linear(6, 3)))
    assert "not trained: weight of a Linear" in problem or "not trained: bias of a Linear" in problem


def test_a_parameter_that_was_moved_in_the_constructor_is_named():
    moved = Wired(lambda model, x: model.body(x) * model.scale, body=mlp(), scale=nn.Parameter(torch.ones(3)).double())
    assert in_order("ZFBS", moved) == ["gets a gradient, but no model or optimizer has it: a tensor [3]"]


def test_a_loss_network_is_healthy_and_a_forgotten_head_is_not():
    network = nn.Linear(3, 3).eval()

    def judged(model, batch):
        return F.cross_entropy(network(model(batch[0])), batch[1])

    assert in_order("ZFBS", loss_of=judged) == []
    assert network.weight.grad is None
    network.train()
    assert in_order("ZFBS", loss_of=judged) == [
        "gets a gradient, but no model or optimizer has it: Linear [3, 3], Linear [3]"
    ]


def test_inputs_that_require_gradients_are_healthy():
    def penalized(model, batch):
        inputs = batch[0].clone().requires_grad_()
        loss = loss_of(model, (inputs, batch[1]))
        (slope,) = torch.autograd.grad(loss, inputs, create_graph=True)
        return loss + slope.square().sum()

    assert in_order("ZFBS", loss_of=penalized) == []


def test_gradients_that_are_set_by_hand_are_healthy(model, optimizer):

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
    def problems_with(targets):
        data = [(x, targets) for x, _ in batches()]
        return in_order("ZFBS", mlp(6, 1), lr=0.01, data=data, loss_of=lambda model, b: loss_fn(model(b[0]), b[1]))

    (problem,) = problems_with(torch.randn(8))
    assert problem.startswith("the loss broadcasts: ") and problem.endswith(" gives [8, 8]; give both the same shape")
    assert problems_with(torch.randn(8, 1)) == []
    assert problems_with(torch.ones(1)) == []  # one target for all


def test_all_pairs_of_the_outputs_are_healthy():
    def ranking(model, batch):
        score = model(batch[0]).squeeze(1)
        return F.softplus(score.unsqueeze(1) - score).mean()

    assert in_order("ZFBS", mlp(6, 1), loss_of=ranking) == []


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
        MISSING.replace("step()", "of_d.step()")
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

    state, data = copy.deepcopy(optimizer.state_dict()), batches(1)
    with untouched(model):
        assert found(step, model, optimizer, data) == ([] if clear else [MISSING])
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


def test_the_order_of_a_scheduler(model, optimizer):
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
def test_a_loss_without_a_graph_is_named_before_the_exception(capsys, context, reason, model, optimizer):

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
        assert in_order("FBCS", model) == [MISSING]
    assert compiles()


def test_activation_checkpointing_and_sparse_gradients_work():
    model = Wired(
        lambda model, ids: torch.utils.checkpoint.checkpoint(model.body, model.embed(ids), use_reentrant=False),
        embed=nn.Embedding(9, 6, sparse=True),
        body=mlp(),
    )
    data = [(torch.randint(9, (8,)), torch.arange(8) % 3)] * 3
    with untouched(model):
        result = result_of("ZFBS", model, data=data)
    assert result.problems == [] and result.calls[0] == "zero_grad -> forward -> backward -> step"


def test_batches_that_are_all_the_same_are_named(model, optimizer):
    (batch,) = batches(1)
    for same in ([batch], [batch] * 3):  # on purpose
        assert found(usual(model, optimizer), model, optimizer, same) == []
    step, data = usual(model, optimizer), batches()
    assert found(lambda number: step(data[number]), model, optimizer, [0, 1, 2]) == []  # no tensors to compare
    problems = found(usual(model, optimizer), model, optimizer, [tuple(part.clone() for part in batch) for _ in "abc"])
    assert problems == ["every batch has the same values: look at the data set and its indices"]


def test_a_step_without_a_batch_and_a_dict_of_losses(model, optimizer):
    stream, train = iter(batches(40)), usual(model, optimizer)
    assert found(lambda: {"loss": train(next(stream))}, model, optimizer) == []


def test_other_forms_get_a_clear_error(model, optimizer):
    step = usual(model, optimizer)
    for arguments, message in (
        ((model, model, optimizer), "takes your step function first, not a Sequential"),
        ((step, optimizer, model), "model must be one Module or a list of them, not a SGD"),
        ((step, torch.jit.script(model), optimizer), "not a ScriptModule"),
    ):
        with pytest.raises(TypeError, match=message):
            training_step_check(*arguments)
    with pytest.raises(ValueError, match="batches is empty"):
        training_step_check(step, model, optimizer, [])
