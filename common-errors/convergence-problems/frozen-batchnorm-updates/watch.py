"""Strong: the running statistics of a batch norm layer move far away although its parameters are frozen.

A layer whose scale and shift have `requires_grad=False`, and keep their values, runs in training mode in training
steps. The statistics that its batches lead to (extrapolated from the change so far with its momentum) differ from the
initial ones: the means by a third of a standard deviation on average over the channels, or the variances by half; and
part of the change has already happened. The detector does not report layers that are trained in between (the
discriminator of a GAN), layers that follow others (a teacher that is an average), untrained layers, whose scales are 1,
or statistics that stay about the same. It can't know whether they are meant to adapt.
"""

from __future__ import annotations

import weakref

from torch.nn.modules.batchnorm import _BatchNorm

from torch_errors.watching.detector import Detector

STEPS, GIVEN_UP = 16, 1024
MOST_LAYERS, CHANNELS = 16, 64  # maximum number of layers, and of channels per layer, to check
MEAN, VARIANCE = 0.33, 0.5  # minimum difference between the initial statistics and the batches' statistics
COME = 0.05  # minimum change so far: means in standard deviations, variances as a share


class Watch(Detector):
    needs = "course"
    inside = (_BatchNorm,)
    saw = {
        "en": "{layer} is frozen (requires_grad=False), but in training mode: {batches} batches moved its running means by {means:.1f} standard deviations and its running variances by {variances:.0%}; put it into evaluation mode after each `model.train()`",
        "zh": "{layer} 已冻结（requires_grad=False），却处于训练模式：{batches} 个批次之后，running_mean 移动了 {means:.1f} 个标准差，running_var 变化了 {variances:.0%}；每次 `model.train()` 之后都要让它回到评估模式",
    }

    def __init__(self, run):
        super().__init__(run)
        self.backwards = 0
        # layer -> when it was first seen frozen: backward passes, sum of its scales, number of batches, statistics
        self.frozen = weakref.WeakKeyDictionary()
        self.untrained = weakref.WeakSet()

    def on_forward(self, module, inputs, output, depth):
        if not isinstance(module, _BatchNorm) or not module.affine or module in self.untrained:
            return
        if module.weight.requires_grad or module.bias.requires_grad:
            self.frozen.pop(module, None)
        elif module.training and module.momentum and module.running_mean is not None:
            if module in self.frozen or len(self.frozen) == MOST_LAYERS:
                return
            if bool((module.weight == module.weight[0]).all()):
                self.untrained.add(module)
            else:
                self.frozen[module] = (self.backwards, float(module.weight.sum()), *self.statistics(module))

    def on_backward_done(self, loss):
        self.backwards += 1
        self.finished = self.backwards > GIVEN_UP
        if self.backwards < STEPS or not len(self.frozen):
            return
        for layer, (start, scales, batches, means, variances) in list(self.frozen.items()):
            steps = self.backwards - start
            if steps < STEPS or steps & (steps - 1):
                continue
            if layer.weight.requires_grad or float(layer.weight.sum()) != scales:
                del self.frozen[layer]
                continue
            now, mean, variance = self.statistics(layer)
            share = 1 - (1 - layer.momentum) ** max(1, now - batches)  # share of these batches in the new statistics
            pairs = list(zip(means, mean, variances, variance, strict=True))
            moved = sum(abs(b - a) / (v + layer.eps) ** 0.5 for a, b, v, _ in pairs) / len(pairs)
            grown = sum(abs(w - v) / (v + layer.eps) for _, _, v, w in pairs) / len(pairs)
            ends = [(v, max(0.0, v + (w - v) / share)) for _, _, v, w in pairs]
            led = sum(abs(w - v) / (max(v, w) + layer.eps) for v, w in ends) / len(pairs)
            if layer.training and ((moved > COME and moved / share > MEAN) or (grown > COME and led > VARIANCE)):
                self.find("strong", layer=type(layer).__name__, batches=now - batches, means=moved, variances=grown)
                self.finished = True
                return

    @staticmethod
    def statistics(layer):
        kept = (layer.running_mean, layer.running_var)
        return int(layer.num_batches_tracked), *(statistic[:CHANNELS].tolist() for statistic in kept)
