"""Strong: the labels of the training batches come class by class, as in a sorted dataset without shuffling.

The detector checks the classes given to `cross_entropy`, `nll_loss` or a binary cross entropy before each backward
pass. Each class is one unbroken run of samples, and a batch holds at most a third of the classes; with fewer than four
classes, the same order must also have started again, with runs of the same lengths. The detector stops at the first
class out of order, as in the first batch of shuffled data. It does not report if each class has a pass of its own,
batches that are composed by class (samplers for metric learning, where a run ends with the batch), the alternating
batches of a GAN, or labels of pixels and words.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector, is_real

CLASSES = ("cross_entropy", "nll_loss")
BINARY = ("binary_cross_entropy", "binary_cross_entropy_with_logits")
BATCHES, MANY, SAMPLES = 8, 4, 4  # minimum batches; classes for which one pass suffices; mean samples per run


class Watch(Detector):
    saw = {
        "en": "the samples of {batches} training batches are sorted by class: {seen} classes in {runs} unbroken runs of samples, {each:.1f} classes per batch; pass `shuffle=True` to the loader",
        "zh": "{batches} 个训练批次的样本按类别排列：{seen} 个类别依次出现，共 {runs} 段，每个批次平均只有 {each:.1f} 个类别；给训练用的 DataLoader 加上 `shuffle=True`",
    }

    def __init__(self, run):
        super().__init__(run)
        self.pending = []  # (classes, lengths) of the runs in each loss, without repetitions
        self.lengths = []  # number of samples in each run
        self.order = []  # classes in order of appearance
        self.runs = self.batches = self.samples = self.kinds = 0
        self.crossed = 0  # batches that continue with the last class of the previous batch
        self.last = self.first_pass = None

    def on_loss(self, name, input, target, value):
        fits = name in CLASSES and not target.is_floating_point() or name in BINARY and target.numel() == len(target)
        if fits and target.dim() and input.requires_grad and is_real(target) and target.numel() == len(input) > 0:
            rows = target.detach().flatten().unique_consecutive(return_counts=True)
            rows = tuple(part.tolist() for part in rows)
            if rows not in self.pending[-1:]:
                self.pending.append(rows)

    def on_backward(self, loss, value):
        pending, self.pending = self.pending, []
        labels = [label for rows, _ in pending for label in rows]
        counts = [count for _, many in pending for count in many]
        if not labels:
            return
        self.first_pass = self.run.passes if self.first_pass is None else self.first_pass
        self.batches, self.samples, self.kinds = (
            self.batches + 1,
            self.samples + sum(counts),
            self.kinds + len(set(labels)),
        )
        self.crossed += labels[0] == self.last
        if labels[0] == self.last:
            self.lengths[-1] += counts[0]
        for label, count in list(zip(labels, counts, strict=True))[labels[0] == self.last :]:
            if label not in self.order and self.runs == len(self.order):
                self.order.append(label)
            elif label != self.order[self.runs % len(self.order)]:  # out of order: the data is shuffled
                self.finished = True
                return
            self.runs += 1
            self.lengths.append(count)
        self.last, seen = labels[-1], len(self.order)
        few = seen < MANY  # two classes always alternate, whatever the order
        unmixed = self.batches >= 4 * self.runs if few else 4 * self.crossed >= self.batches
        apart = self.kinds <= (1.25 if few else seen / 3) * self.batches
        long = self.batches >= BATCHES and self.samples >= SAMPLES * self.runs
        ended = self.lengths[:-1]
        repeated = len(ended) > seen and ended[seen:] == ended[:-seen]
        again = seen > 1 and (repeated if few else True)
        if again and unmixed and apart and long and self.run.passes - self.first_pass + 1 < self.runs:
            each = self.kinds / self.batches
            self.find("strong", batches=self.batches, seen=seen, runs=self.runs, each=each)
            self.finished = True
        self.finished = self.finished or (self.batches > 64 and self.runs > self.batches)
