"""Strong: a model whose dropout or batch norm was active in earlier training steps is trained in evaluation mode.

The detector also reports a model of which nearly all parameters are trained, and which has been in evaluation mode from
its first step on, 16 times, without a call of `eval()` for training: a package returned it like this, or an evaluation
came first. A step counts if every forward pass with gradients since the step before was in evaluation mode. It does not
report models that are themselves in training mode (frozen layers), batch norm that comes with its statistics, models
next to a different one that is trained in training mode, passes that no step follows (attacks, saliency, teachers), or
programs that call `eval()` themselves right before training.
"""

from __future__ import annotations

import weakref

from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.dropout import _DropoutNd

from torch_errors.watching.detector import Detector, called_by_program, tensors

IN_A_ROW, FROM_THE_START, MOSTLY, GIVEN_UP = 2, 16, 0.9, 64


class Model:
    """What the detector has observed of a model."""

    def __init__(self):
        self.worked = False  # whether a layer was active, as in training, before some backward pass
        self.usual = 0  # number of passes of the last step in training mode
        self.steps = 0
        self.stuck = 0  # steps in a row in evaluation mode
        self.switched = False  # whether the program called `eval()` and no pass without gradients followed
        self.on_purpose = False
        self.start_step()

    def start_step(self):
        self.passes = 0  # number of forward passes with gradients since the last step
        self.training = False  # whether the model was in training mode in at least one of these passes
        self.works = False  # whether a dropout or batch norm layer was active in at least one of these passes
        self.off = ""  # class of a layer that was not active
        self.off_new = False  # whether such a layer is not a batch norm layer with initial statistics


class Watch(Detector):
    needs = "validation"
    inside = (_BatchNorm, _DropoutNd, nn.RNNBase, nn.MultiheadAttention)
    saw = {
        "en": "{model} has been training in evaluation mode since step {step}: {layer} does not work as in training; call `model.train()` before each training epoch",
        "zh": "{model} 从第 {step} 步起一直在评估模式下训练：{layer} 没有按训练时的方式工作；每个训练 epoch 开始前要调用 `model.train()`",
    }

    def __init__(self, run):
        super().__init__(run)
        self.models = weakref.WeakKeyDictionary()
        self.roots = weakref.WeakKeyDictionary()  # module -> weak reference to the outermost module whose mode was set
        self.shares = weakref.WeakKeyDictionary()  # optimizer -> model -> share of its parameters that it trains
        self.new = weakref.WeakKeyDictionary()  # batch norm layer -> whether it had seen no batch at first
        self.works, self.off, self.off_new, self.any = False, "", False, False

    def on_mode(self, module, training):
        if module not in self.roots or any(part is not module and self.root(part) is part for part in module.modules()):
            self.roots.update({part: weakref.ref(module) for part in module.modules()})
            states = [self.models[part] for part in module.modules() if part in self.models]
            self.models.setdefault(module, Model()).worked |= any(model.worked for model in states)
        model = self.models.get(self.root(module))
        if model is not None and self.root(module) is module:
            model.switched = not training and called_by_program()

    def root(self, module):
        return self.roots[module]() if module in self.roots else None

    def on_dropout(self, input, p, training):
        if p > 0:
            self.note_layer("F.dropout", training, True)

    def on_forward(self, module, inputs, output, depth):
        if isinstance(module, _BatchNorm):
            if module.running_mean is not None:
                count = module.num_batches_tracked
                new = self.new[module] if module in self.new else module.training or int(count or 0) == 0
                self.new[module] = new
                self.note_layer(type(module).__name__, module.training, new)
        elif (isinstance(module, _DropoutNd) and module.p > 0) or (
            isinstance(module, nn.RNNBase | nn.MultiheadAttention) and module.dropout > 0
        ):
            self.note_layer(type(module).__name__, module.training, True)
        if depth:
            return
        works, off, off_new, self.works, self.off, self.off_new = self.works, self.off, self.off_new, False, "", False
        outermost = self.root(module) or module
        model = self.models.setdefault(outermost, Model())
        if any(result.requires_grad for result in tensors(output)):
            model.passes += 1
            model.training |= outermost.training
            model.works, model.off, model.off_new = model.works or works, off or model.off, model.off_new or off_new
        else:
            model.switched = False

    def note_layer(self, name, works, new):
        self.any = True
        self.works |= works
        self.off, self.off_new = (self.off, self.off_new) if works else (name, self.off_new or new)

    def on_backward(self, loss, value):
        for model in self.models.values():
            model.worked |= model.works

    def on_step(self, optimizer):
        self.finished = not self.any and self.run.steps > GIVEN_UP
        for module, model in list(self.models.items()):
            if not model.passes or not self.trained_share(optimizer, module):
                continue
            stuck = not (model.training or model.works) and bool(model.off)
            if stuck and not model.stuck and model.switched:
                model.on_purpose |= not model.worked or model.passes <= max(model.usual, 1)
            model.usual = model.usual if stuck else model.passes
            model.steps, model.stuck = model.steps + 1, model.stuck + 1 if stuck else 0
            if stuck and not model.on_purpose and self.is_certain(optimizer, module, model):
                step = self.run.steps + 1 - model.stuck
                self.find("strong", model=type(module).__name__, layer=model.off, step=step)
                self.finished = True
            model.start_step()

    def is_certain(self, optimizer, module, model):
        if model.worked:
            return model.stuck >= IN_A_ROW
        if (
            model.stuck < max(FROM_THE_START, model.steps)
            or not model.off_new
            or self.trained_share(optimizer, module) < MOSTLY
        ):
            return False
        return not any(other.steps and not other.stuck for other in self.models.values())

    def trained_share(self, optimizer, module):
        shares = self.shares.setdefault(optimizer, weakref.WeakKeyDictionary())
        if module not in shares:
            trained = {id(p) for group in optimizer.param_groups for p in group["params"] if p.requires_grad}
            own = list(module.parameters())
            shares[module] = sum(id(p) in trained for p in own) / max(1, len(own))
        return shares[module]
