"""Strong: a layer that reads (time, batch, features) is given batches of samples and takes the samples for time steps.

For RNNs and attention layers without `batch_first=True`, the detector compares the first size of the input with the
batch size: with the size of the targets if the program continues with `outputs[:, -1]`, or with the batch size of a
shuffling DataLoader if the program pools or flattens the outputs per sample, or if a smaller last batch has occurred.
It needs three batches. It does not report if both sizes are equal, if several positions are selected, or if the first
size does not follow the batch size.

For language models, with or without `batch_first=True`, it compares the ids that were embedded with the targets of the
loss: if the targets are the ids one row later, the rows are time steps; if they are the ids one column later, the
columns are. It reports if each layer that reads such ids runs along the other axis, in five losses.
"""

from __future__ import annotations

import weakref
from collections import defaultdict

import torch
from torch.utils.data import RandomSampler, SubsetRandomSampler, WeightedRandomSampler

from torch_errors.watching.detector import Detector, is_real, tensors
from torch_errors.watching.graph import kind_of, parents, saved, shape_of

BATCHES = 3
SHIFTED, LAST_COMPARED, MOST_SHAPES = 5, 64, 4
LAST_PASS, LAST_STEP = 4, 1024
MOST_OUTPUTS = 256
POOLING = {"MeanBackward", "SumBackward", "AmaxBackward", "MaxBackward"}
SHUFFLING = RandomSampler, SubsetRandomSampler, WeightedRandomSampler


class Watch(Detector):
    inside = (torch.nn.Embedding, torch.nn.RNNBase, torch.nn.MultiheadAttention)
    saw = {
        "en": "{layer} treats the {batch} samples of a batch as time steps and its {length} time steps as samples, so it mixes the samples: it needs `batch_first={wanted}`",
        "zh": "{layer} 把一个批次的 {batch} 个样本当成时间步，把 {length} 个时间步当成样本，样本之间互相混在一起：应设 `batch_first={wanted}`",
    }

    def __init__(self, run):
        super().__init__(run)
        self.sizes = None  # sizes of full batches and of the last batch of the current DataLoader
        self.shuffled = False
        # since the last backward pass: sequence number of an output's node -> (layer, first size, second size)
        self.outputs = {}
        self.targets = set()  # shapes of targets since the last backward pass
        self.states = weakref.WeakKeyDictionary()  # layer -> its State
        self.ids = {}  # shape -> ids that were embedded since the last backward pass
        self.readers = {}  # shape -> layers that read the ids of this shape
        self.shifted = 0  # losses in a row whose targets are the ids one step along the axis that no layer reads

    def on_pass(self, loader):
        size, sampler = getattr(loader, "batch_size", None), getattr(loader, "sampler", None)
        self.shuffled = isinstance(sampler, SHUFFLING) and size is not None and size > 1
        self.sizes = (size, len(sampler) % size) if self.shuffled else None
        self.finished = self.run.passes > LAST_PASS and self.run.steps > LAST_STEP

    def on_forward(self, module, inputs, output, depth):
        if isinstance(module, torch.nn.Embedding):
            if module.training and self.run.backwards < LAST_COMPARED:
                self.note_ids(inputs[0])
            return
        if not isinstance(module, torch.nn.RNNBase | torch.nn.MultiheadAttention):
            return
        given, made = next(first_of(inputs), None), next(first_of(output), None)
        if given is None or made is None or given.dim() != 3 or made.dim() != 3 or made.grad_fn is None:
            return
        first, second = given.shape[:2]
        if self.run.backwards < LAST_COMPARED and not given.requires_grad and is_one_hot(given):
            self.note_ids(given.argmax(2))
        if (first, second) in self.ids:
            self.readers.setdefault((first, second), weakref.WeakSet()).add(module)
        if module.batch_first:
            return
        state = self.states.setdefault(module, State())
        if len(self.outputs) > MOST_OUTPUTS:
            self.outputs.clear()
        self.outputs[made.grad_fn._sequence_nr()] = module, first, second
        if self.sizes is None or first not in self.sizes or first == second == self.sizes[0]:
            state.follows_loader = False
        elif first == second:
            pass  # a last batch with as many samples as time steps
        elif first == self.sizes[0]:
            state.full += 1
        elif state.full >= BATCHES and state.follows_loader:
            self.report(module, first, second)

    def note_ids(self, ids):
        """Keep ids of shape (samples, time) or (time, samples) until their loss."""
        if isinstance(ids, torch.Tensor) and is_real(ids) and ids.dim() == 2 and 2 < min(ids.shape) < max(ids.shape):
            if (ids == ids[:1]).all() or (ids == ids[:, :1]).all():
                return  # ids of positions or of segment types
            if len(self.ids) >= MOST_SHAPES:
                self.ids.clear()
            self.ids[tuple(ids.shape)] = ids

    def on_loss(self, name, input, target, value):
        if self.readers and isinstance(target, torch.Tensor) and is_real(target) and not target.is_floating_point():
            self.compare(target)
        if self.outputs and isinstance(target, torch.Tensor) and target.dim() and target.dim() <= 2:
            self.targets.add(tuple(target.shape))

    def compare(self, target):
        """Count losses whose targets are the ids one step later, along the axis that the layers do not run along."""
        for shape, layers in self.readers.items():
            axis = shifted_along(self.ids[shape], target) if shape in self.ids else None
            if axis is not None:
                right = any(module.batch_first == (axis == 1) for module in layers)
                self.shifted = 0 if right else self.shifted + 1
                if self.shifted >= SHIFTED:
                    self.report(next(iter(layers)), shape[1 - axis], shape[axis])
                return

    def on_graph(self, graph, loss):
        nodes = [node for node in graph.nodes if node._sequence_nr() in self.outputs] if self.outputs else []
        uses = defaultdict(list)
        for node in graph.nodes if nodes else ():
            for parent in parents(node):
                uses[parent].append(node)
        for node in nodes:
            module, first, second = self.outputs[node._sequence_nr()]
            if first == second or second == 1 or (shape_of(node) or ())[:2] != (first, second):
                continue
            state, (selected, pooled) = self.states[module], ends(node, uses, first, second)
            follows = state.follows_loader and state.full > 0
            is_batch = follows or any(shape[0] == first and second not in shape for shape in self.targets)
            state.selected += len(selected) == 1 and not pooled and is_batch
            state.pooled += bool(pooled) and not selected and follows
            state.positions |= selected
            if max(state.selected, state.pooled) >= BATCHES and len(state.positions) < 2:
                self.report(module, first, second)

    def on_backward_done(self, loss):
        if self.outputs or self.ids:
            self.outputs.clear()
            self.targets.clear()
            self.ids.clear()
            self.readers.clear()

    def report(self, module, batch, length):
        wanted = not module.batch_first
        self.find("strong", layer=type(module).__name__, batch=batch, length=length, wanted=wanted)
        self.finished = True


class State:
    """What the detector has observed of a layer."""

    def __init__(self):
        self.follows_loader = True  # whether the first size of each input was a batch size
        self.full = 0  # number of full batches of the DataLoader
        self.selected, self.pooled = 0, 0  # numbers of graphs in which one position is selected, or all are pooled
        self.positions = set()  # positions that are selected


def first_of(values):
    """Yield the tensors in a layer's first argument (positional or by name), or in its first output."""
    values = values if isinstance(values, tuple) else (values,)
    for value in values[:1]:
        if isinstance(value, dict):
            value = value.get("input", value.get("query"))
        yield from tensors(value)


def ends(node, uses, first, second):
    """Return the positions selected in the second dimension of an output, and the nodes that pool or flatten it."""
    selected, pooled, seen, waiting = set(), [], {node}, list(uses[node])
    while waiting:
        user = waiting.pop()
        if user in seen:
            continue
        seen.add(user)
        kind, shape = kind_of(user), shape_of(user) or ()
        if (shape[:2] == (first, second) and len(shape) == 3) or (len(shape) == 2 and shape[0] == first * second):
            waiting += uses[user]
        elif kind == "SelectBackward" and len(shape) == 2 and shape[0] == first and saved(user, "_saved_dim") == 1:
            selected.add(position(user))
        elif (
            shape[:1] == (first,)
            and len(shape) == 2
            and shape[1] != second
            and (kind in POOLING or kind.endswith("ViewBackward"))
        ):
            pooled.append(user)
    return selected, pooled


def is_one_hot(given):
    """Whether each vector has a single 1 and zeros, like ids that are not embedded."""
    ones = given == 1
    return bool((ones.sum(2) == 1).all()) and bool((ones | (given == 0)).all())


def shifted_along(ids, target):
    """Return the axis (0 or 1) along which targets are the ids one step later, or None if it is neither or both.

    Targets may be as many as the ids or lack the last step, and may be flattened or have both axes swapped.
    """
    axes = set()
    for axis in (0, 1):
        later = ids.narrow(axis, 1, ids.shape[axis] - 1)
        for shape in (tuple(ids.shape), tuple(later.shape)):
            if target.numel() != shape[0] * shape[1] or not (later != ids.narrow(axis, 0, later.shape[axis])).any():
                continue
            readings = [target.reshape(shape)] if target.dim() == 1 or tuple(target.shape) == shape else []
            if target.dim() == 1 or tuple(target.shape) == shape[::-1]:
                readings.append(target.reshape(shape[::-1]).T)
            if any(bool((each.narrow(axis, 0, later.shape[axis]) == later).all()) for each in readings):
                axes.add(axis)
    return axes.pop() if len(axes) == 1 else None


def position(node):
    """Return a saved index; torch may save -1 as 2**64 - 1."""
    index = saved(node, "_saved_index")
    return index - 2**64 if index >= 2**63 else index
