"""Proof: gradients of a backward pass are cleared before the step that should use them, so the step has none.

The detector reports if this happens in three steps of an optimizer in a row: a backward pass has filled gradients of
its parameters, and at `step()` none is left. It is stricter if a program may clear gradients on purpose. If gradients
are also cleared at the right place, or by hand, the optimizer must never have stepped with a gradient (spikes may be
skipped), and no other optimizer may have done so since (a part may be frozen). If a different optimizer has used that
backward pass (GANs), its first 24 steps must be empty. It does not report if a later backward pass has left zeros, if
the step computes gradients itself (a closure), or if the program has updated the parameters itself.

It also reports if gradients are accumulated and cleared before each pass: in three steps in a row, two or more passes
from the same line, whose losses are divided by their number, have each found the gradients of the pass before cleared,
and the step uses only those of the last one. It does not report if the parameters change between the passes (SAM), if
the program has replaced the gradients (several tasks), or if the losses are not divided.
"""

from __future__ import annotations

import weakref

import torch

from torch_errors.watching.detector import Detector, is_real, program_line
from torch_errors.watching.graph import kind_of, parents, saved, source

IN_A_ROW, IN_A_ROW_AFTER_OTHERS, LAST_STEP = 3, 24, 64
LOOKED_AT = 8  # number of parameters to check, the smallest ones
CAUSE = "optimizer-stale-parameters"  # the optimizer has the parameters of a different network
SAMPLE = 16  # number of gradient elements to compare
NO_STEP = "{} steps in a row had no gradient to apply"
NO_STEP_ZH = "连续 {} 步更新时已经没有梯度"
DROPPED = "of the {0} backward passes of each step, whose losses are divided by {0}, only the last one counts"
DROPPED_ZH = "每次更新要累积 {0} 次反向传播（loss 已除以 {0}），实际只有最后一次起作用"


class History:
    """What the detector has observed of an optimizer. Times are counted in backward passes of the run."""

    steps = 0
    stepped_at = 0  # time of the last step
    filled_at = 0  # time of the last backward pass that filled gradients of its parameters
    weights = ()  # what some parameters looked like at that time
    cleared_at = 0  # time of the last `zero_grad` that cleared such gradients
    in_a_row = 0  # steps in a row without any gradient although a backward pass had filled one
    cleared_elsewhere = False  # whether gradients were also cleared after a step, or without `zero_grad`
    began_at = 0  # time of the first step without gradients in a row
    learned_at = -1  # time of the last step with a gradient
    # Passes since the last step: (line, weights, scales of the loss), if each has found its gradients cleared.
    passes = ()
    empty = False  # whether there was no gradient before the pass
    gradient = None  # place and first elements of a gradient after the last pass
    dropped = 0  # steps in a row that used only the last of several passes


class Watch(Detector):
    saw = {
        "en": "gradients are cleared between `backward()` and `step()`: {what}",
        "zh": "梯度在 `backward()` 与 `step()` 之间被清掉：{what_zh}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.history = weakref.WeakKeyDictionary()  # optimizer -> its History
        self.over = weakref.WeakSet()  # optimizers that are no longer checked
        self.empty_at = None  # time of the current step if it has no gradient
        self.scales = set()  # numbers by which the loss of the current pass was multiplied

    def history_of(self, optimizer):
        return self.history.setdefault(optimizer, History())

    def note_gradients(self, optimizer):
        history = self.history_of(optimizer)
        if history.steps < LAST_STEP and any(map(holds_gradient, parameters(optimizer)[:LOOKED_AT])):
            if history.filled_at < self.run.backwards:
                history.weights = look_of_weights(optimizer)
            history.filled_at = self.run.backwards

    def on_backward(self, loss, value):
        checked = [optimizer for optimizer in list(self.run.optimizers) if optimizer not in self.over]
        for optimizer in checked:
            self.history_of(optimizer).empty = not any(map(holds_gradient, parameters(optimizer)[:LOOKED_AT]))
        self.scales = scales_of(loss) if checked else set()

    def on_backward_done(self, loss):
        if len(self.over) < len(self.run.optimizers):
            for optimizer in list(self.run.optimizers):
                self.note_gradients(optimizer)
                self.note_pass(optimizer)

    def note_pass(self, optimizer):
        history = self.history_of(optimizer)
        if optimizer in self.over or history.filled_at < self.run.backwards:
            return
        if not history.empty:
            history.passes = None  # gradients are added up, or belong to a different pass
        elif history.passes is not None:
            history.passes = (*history.passes, (program_line(), history.weights, self.scales))
            history.gradient = sample_of_gradient(optimizer) if len(history.passes) > 1 else None

    def judge_passes(self, optimizer, history):
        """Report steps that use only the last of several passes."""
        passes, history.passes = history.passes, ()
        count = len(passes or ())
        divided = count > 1 and all(1 / count in scales for _, _, scales in passes)
        same = len({(line, weights) for line, weights, _ in passes or ()}) == 1
        kept = divided and same and is_same_direction(history.gradient, sample_of_gradient(optimizer))
        history.dropped = history.dropped + 1 if kept else 0
        if history.dropped >= IN_A_ROW:
            self.find("proof", at=passes[0][0], what=DROPPED.format(count), what_zh=DROPPED_ZH.format(count))

    def on_zero_grad(self, owner):
        if owner in self.over or len(self.over) == len(self.run.optimizers):
            return
        if isinstance(owner, torch.nn.Module):
            own = {id(p) for p in owner.parameters()}
            optimizers = [each for each in self.run.optimizers if own.intersection(map(id, parameters(each)))]
        else:
            optimizers = [owner]
        for optimizer in optimizers:
            history = self.history_of(optimizer)
            if history.stepped_at < self.run.backwards:
                self.note_gradients(optimizer)
            if history.filled_at > history.stepped_at:
                history.cleared_at = self.run.backwards
            elif history.steps:
                history.cleared_elsewhere = True

    def on_step(self, optimizer):
        history, self.empty_at = self.history_of(optimizer), None
        if optimizer not in self.over:
            self.judge_passes(optimizer, history)
        if history.filled_at > history.stepped_at:
            gradients = [p.grad for p in parameters(optimizer) if p.grad is not None]
            # Zeros count as cleared gradients only if no later backward pass may have computed them.
            if not gradients or history.filled_at == self.run.backwards and not any(map(is_nonzero, gradients)):
                unused = history.weights == look_of_weights(optimizer)  # the program made no update itself
                self.empty_at = self.run.backwards if unused else None

    def on_gradients(self):
        self.empty_at = None  # a closure computes them

    def on_stepped(self, optimizer):
        history = self.history_of(optimizer)
        if history.steps >= LAST_STEP:
            return
        if self.empty_at is not None and self.empty_at == self.run.backwards:
            history.in_a_row += 1
            history.began_at = history.began_at if history.in_a_row > 1 else self.run.backwards
            history.cleared_elsewhere |= history.cleared_at < history.filled_at
            others = max((other.learned_at for other in self.history.values() if other is not history), default=-1)
            used = others >= history.filled_at
            on_purpose = (used or history.cleared_elsewhere) and history.learned_at >= 0
            on_purpose |= history.cleared_elsewhere and others >= history.began_at
            on_purpose |= self.run.found(CAUSE)
            if history.in_a_row >= (IN_A_ROW_AFTER_OTHERS if used else IN_A_ROW) and not on_purpose:
                self.find("proof", what=NO_STEP.format(history.in_a_row), what_zh=NO_STEP_ZH.format(history.in_a_row))
        else:
            history.in_a_row = 0
            if history.steps < LAST_STEP and any(p.grad is not None for p in parameters(optimizer)):
                history.learned_at = self.run.backwards
        history.steps += 1
        if history.steps == LAST_STEP:
            self.over.add(optimizer)
        history.stepped_at = self.run.backwards
        self.finished = self.run.found(self.id)


def parameters(optimizer):
    """Return the trained parameters, the smallest first."""
    tensors = [p for group in optimizer.param_groups for p in group["params"] if isinstance(p, torch.Tensor)]
    return sorted((p for p in tensors if p.requires_grad and not p.is_meta), key=torch.Tensor.numel)


def look_of_weights(optimizer):
    """Numbers that change with the weights. Their sum alone does not where gradients add up to 0 over the classes."""
    looked_at = [p for p in parameters(optimizer)[:LOOKED_AT] if p.numel()]
    return tuple((float(p.sum()), float(p.flatten()[0]) if is_real(p) else 0.0) for p in looked_at)


def holds_gradient(parameter):
    return parameter.grad is not None and is_nonzero(parameter.grad)


def is_nonzero(gradient):
    return bool(gradient.abs().sum() > 0)  # sparse tensors have no `any`


def scales_of(loss):
    """The single numbers by which a loss was multiplied or divided at last, a division by 4 as 0.25."""
    scales, node = set(), source(loss.grad_fn)
    while node is not None and kind_of(node) in ("MulBackward", "DivBackward"):
        before = parents(node)
        place, name = (1, "_saved_self") if before[0] is None else (0, "_saved_other")
        factor = saved(node, name)
        if factor is None or getattr(factor, "numel", lambda: 1)() != 1 or (place and kind_of(node) == "DivBackward"):
            break
        # Reading a number on a GPU, such as that of a GradScaler, would wait for it.
        if not isinstance(factor, complex) and (not isinstance(factor, torch.Tensor) or factor.device.type == "cpu"):
            inverse = float(factor) if kind_of(node) == "DivBackward" else 1 / (float(factor) or 1.0)
            scales.add(1 / round(inverse) if inverse > 0.5 and abs(inverse - round(inverse)) < 1e-4 else 1.0)
        node = source(before[place]) if place < len(before) else None
    return scales


def sample_of_gradient(optimizer):
    """Place and first elements of the gradient of the largest dense parameter that has one, or None."""
    for parameter in reversed(parameters(optimizer)):
        gradient = parameter.grad
        if gradient is not None and gradient.layout == torch.strided and gradient.numel() > 1:
            return gradient.data_ptr(), gradient.flatten()[:SAMPLE].double()
    return None


def is_same_direction(first, second):
    """Whether a gradient is the one from before, perhaps scaled or clipped in place."""
    if first is None or second is None or first[0] != second[0]:
        return False
    sizes = first[1].norm() * second[1].norm()
    return bool(sizes > 0) and bool(first[1] @ second[1] > 0.9999 * sizes)
