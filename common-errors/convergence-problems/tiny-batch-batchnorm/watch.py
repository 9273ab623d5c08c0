"""Strong: batch norm computes its statistics from at most four values per channel in 16 training steps in a row.

The number of values per channel is the batch size times the number of positions in an image. Most batch norm layers
that a model runs in training mode must have so few, and the batches must differ. The detector does not report layers in
evaluation mode (frozen), layers that also get more values in the same pass, a momentum of None (`update_bn`), `SyncBatchNorm` (its batch is on several GPUs), a short last
batch, training on one tiny batch to see whether it can be learned, or one pooled branch among layers with feature maps.
"""

from __future__ import annotations

from torch.nn.modules.batchnorm import SyncBatchNorm, _BatchNorm

from torch_errors.watching.detector import Detector, tensors

FEW, IN_A_ROW, DIFFERENT = 4, 16, 8
# Maximum number of outermost calls to check between two backward passes: more calls are an evaluation.
MOST_CALLS = 4


class Watch(Detector):
    inside = (_BatchNorm,)
    saw = {
        "en": "{layer} computes mean and variance from {values} values per channel, in {steps} steps in a row; use larger batches, or group or layer normalization",
        "zh": "{layer} 每个通道只用 {values} 个数值计算均值和方差，已连续 {steps} 步；请增大批次，或改用 GroupNorm、LayerNorm",
    }

    def __init__(self, run):
        super().__init__(run)
        self.few, self.others = (
            set(),
            set(),
        )  # ids of layers that got few values, and more, since the last outermost call
        self.layer, self.values = "", 0
        # since the last backward pass: (whether most layers had few values, signature of the batch)
        self.calls = []
        self.in_a_row, self.seen = 0, set()

    def on_forward(self, module, inputs, output, depth):
        if not module.training:
            return
        if isinstance(module, _BatchNorm) and not isinstance(module, SyncBatchNorm) and module.momentum is not None:
            given = next(iter(tensors(inputs)), None)
            if (
                given is not None
                and given.dim() > 1
                and (given.requires_grad or any(p.requires_grad for p in module.parameters()))
            ):
                values = given.numel() // max(1, given.shape[1])
                (self.few if values <= FEW else self.others).add(id(module))
                if values <= FEW:
                    self.layer, self.values = type(module).__name__, values
        if depth == 0 and self.few | self.others:
            batch = next(iter(tensors(inputs)), None)
            if batch is not None and len(self.calls) < MOST_CALLS:
                signature = tuple(batch.shape), float(batch.detach().flatten()[:64].float().sum())
                self.calls.append((len(self.few - self.others) > len(self.others), signature))
            self.few, self.others = set(), set()

    def on_backward(self, loss, value):
        calls, self.calls = self.calls, []
        if not calls:
            return
        if not all(few for few, _ in calls):
            self.in_a_row = 0
            self.finished = self.run.backwards > 256
            return
        self.in_a_row += 1
        self.seen.update(signature for _, signature in calls)
        if self.in_a_row >= IN_A_ROW and len(self.seen) >= DIFFERENT:
            self.find("strong", layer=self.layer, values=self.values, steps=self.in_a_row)
            self.finished = True
