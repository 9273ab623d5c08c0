"""Proof, with `--check`: in evaluation mode, the output of a sample changes with the values of a different sample.

The first calls that led to the loss are repeated in evaluation mode, once with other values in the first sample. The
detector reports if the outputs of the others change by more than rounding. The first dimension counts as samples if all
inputs and outputs have it and the loss picks or compares as many targets. It does not report batch normalization
without running statistics, layers that take time first, matrices between all samples (similarities, attention that is
returned), graphs and other models with a matrix for all samples among their inputs or buffers, or a model that returns
other numbers each time.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.modules.batchnorm import _NormBase

from torch_errors.watching.batch import is_repeatable, same
from torch_errors.watching.detector import Detector, tensors

CALLS, FEWEST, ROUNDING = 3, 3, 1e-3
TIME_FIRST = (nn.RNNBase, nn.MultiheadAttention)


class Watch(Detector):
    needs = "check"
    saw = {
        "en": "the samples of a batch influence each other in {module}: with different values in one sample, the outputs of {count} of the {others} others change, by {change:.1%} of their spread",
        "zh": "{module} 里同一批次的样本互相影响：改动一个样本的输入，其余 {others} 个样本中有 {count} 个的输出变了，幅度为输出标准差的 {change:.1%}",
    }

    def __init__(self, run):
        super().__init__(run)
        self.targets = set()  # numbers of targets of the losses before the first backward pass

    def on_loss(self, name, input, target, value):
        self.finished = self.run.backwards > 0
        if isinstance(target, torch.Tensor) and target.dim():
            self.targets.add(len(target))

    def on_check(self, batch):
        apart = 0
        for call in batch.calls[:CALLS]:
            inputs = [tensor for _, tensor in call.inputs()]
            outputs = list(tensors(call.output))
            count = len(inputs[0]) if inputs and inputs[0].dim() else 0
            if count < FEWEST or count not in self.targets or not is_repeatable(call.module):
                continue
            if not all(t.dim() and len(t) == count and count not in t.shape[1:] for t in (*inputs, *outputs)):
                continue
            if any(tensor.layout != torch.strided for tensor in (*inputs, *outputs)):
                continue
            if any(map(takes_time_first, call.module.modules())) or holds_a_matrix(call.module, count):
                continue
            first = batch.rerun(call, evaluating=True)
            if not same(first, batch.rerun(call, evaluating=True)):
                continue
            instead = {}
            for tensor in inputs:
                if (other := moved_far(tensor) if tensor.is_floating_point() else rolled(tensor)) is not None:
                    instead[id(tensor)] = torch.cat([other, tensor.detach()[1:]])
            second = batch.rerun(call, instead, evaluating=True) if instead else None
            if same(first, second) is not False:
                continue
            moved = [difference(a, b) for a, b in zip(first, second, strict=True) if a.is_floating_point()]
            changed = torch.stack(moved).amax(0) if moved else torch.zeros(1)
            if bool(changed[1:].max() > ROUNDING):
                values = {"count": int((changed[1:] > ROUNDING).sum()), "others": count - 1}
                self.find("proof", module=type(call.module).__name__, change=changed[1:].max().item(), **values)
            else:
                apart = count
        if apart and not self.run.found(self.id):
            batch.notes.append(
                {"en": f"the {apart} samples do not influence each other", "zh": f"{apart} 个样本互不影响"}
            )


def takes_time_first(module):
    return isinstance(module, TIME_FIRST) and not module.batch_first or needs_the_batch(module)


def needs_the_batch(module):
    return isinstance(module, _NormBase) and module.running_mean is None and "Instance" not in type(module).__name__


def holds_a_matrix(module, count):
    """Whether a module keeps a tensor that relates all samples, such as the edges of a graph."""
    kept = [value for part in module.modules() for value in (*part._buffers.values(), *vars(part).values())]
    return any(isinstance(t, torch.Tensor) and (t.is_sparse or list(t.shape).count(count) > 1) for t in kept)


def moved_far(tensor):
    """The first sample with numbers three standard deviations away, or None if there are none."""
    size = tensor.detach().float().std()
    return tensor[:1].detach() + (3 * size).to(tensor.dtype) if bool(size > 0) and bool(size.isfinite()) else None


def rolled(tensor):
    """The ids of the last sample in place of those of the first, or None if they are the same."""
    return None if torch.equal(tensor[:1], tensor[-1:]) else tensor[-1:].detach()


def difference(first, second):
    """The largest change of each sample's outputs, in standard deviations of the outputs."""
    change = (second.double() - first.double()).abs().reshape(len(first), -1).amax(1)
    return (change / first.double().std().clamp(min=1e-12)).nan_to_num().cpu()
