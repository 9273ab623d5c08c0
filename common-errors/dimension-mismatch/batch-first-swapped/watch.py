"""Strong: a layer that reads (time, batch, features) is given batches of samples, and takes the samples for time steps.

Of RNNs and attention layers without `batch_first=True` it compares the first size of their input with the batch: with that
of the targets where the program goes on with `outputs[:, -1]`, and with that of a DataLoader that shuffles, where the
program pools or flattens the outputs per sample, or a smaller last batch has come by. It takes three batches. It is silent
where both sizes are equal, where several positions are selected, and where the first size does not follow the batch.

Of language models, with or without `batch_first=True`, it compares the ids that were embedded with the targets of the
loss: where these are the ids one row later, the rows are time steps, and where they are the ids one column later, the
columns are. It speaks where each layer that reads such ids goes along the other axis, in five losses.
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
        "en": "{layer} takes the {batch} samples of a batch for time steps and its {length} time steps for samples, so it mixes the samples: it needs `batch_first={wanted}`",
        "zh": "{layer} 把一个批次的 {batch} 个样本当成时间步，把 {length} 个时间步当成样本，样本之间互相混在一起：应设 `batch_first={wanted}`",
    }

    def __init__(self, run):
        super().__init__(run)
        self.sizes = None  # of the batches of the DataLoader that is being read: full ones, and the last
        self.shuffled = False
        self.outputs = {}  # sequence number of the node of an output -> layer and sizes; since the last backward pass
        self.targets = set()  # numbers of targets, since then
        self.states = weakref.WeakKeyDictionary()  # layer -> what was seen of it
        self.ids = {}  # shape -> ids that were embedded, since the last backward pass
        self.readers = {}  # shape -> the layers that read them
        self.shifted = 0  # losses whose targets are such ids, one step along the axis that no layer reads

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
            pass  # a last batch of as many samples as time steps
        elif first == self.sizes[0]:
            state.full += 1
        elif state.full >= BATCHES and state.follows_loader:
            self.report(module, first, second)

    def note_ids(self, ids):
        """Keep ids of (samples, time), or (time, samples), until their loss."""
        if isinstance(ids, torch.Tensor) and is_real(ids) and ids.dim() == 2 and 2 < min(ids.shape) < max(ids.shape):
            if (ids == ids[:1]).all() or (ids == ids[:, :1]).all():
                return  # of positions, or of a kind
            if len(self.ids) >= MOST_SHAPES:
                self.ids.clear()
            self.ids[tuple(ids.shape)] = ids

    def on_loss(self, name, input, target, value):
        if self.readers and isinstance(target, torch.Tensor) and is_real(target) and not target.is_floating_point():
            self.compare(target)
        if self.outputs and isinstance(target, torch.Tensor) and target.dim() and target.dim() <= 2:
            self.targets.add(tuple(target.shape))

    def compare(self, target):
        """Along which axis targets are the ids one step later, and whether the layers that read them go along it."""
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
            is_batch = follows or any(one[0] == first and second not in one for one in self.targets)
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
    """What was seen of a layer."""

    def __init__(self):
        self.follows_loader = True  # each first size of an input was that of a batch
        self.full = 0  # full batches of the DataLoader
        self.selected, self.pooled = 0, 0  # graphs in which one position is selected, or all are pooled
        self.positions = set()  # that are selected


def first_of(values):
    """The first tensor of what a layer takes by position, or by name, or returns."""
    values = values if isinstance(values, tuple) else (values,)
    for value in values[:1]:
        if isinstance(value, dict):
            value = value.get("input", value.get("query"))
        yield from tensors(value)


def ends(node, uses, first, second):
    """Positions at which the second dimension of an output is selected, and the nodes that pool or flatten it."""
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
    """Whether each vector has one 1 and zeros, as ids have where they are not embedded."""
    ones = given == 1
    return bool((ones.sum(2) == 1).all()) and bool((ones | (given == 0)).all())


def shifted_along(ids, target):
    """The axis along which targets are the ids one step later: 0, 1, or None where it is neither or both.

    Targets may be as many as the ids, or without the last step; flattened, or with both axes swapped.
    """
    found = set()
    for axis in (0, 1):
        later = ids.narrow(axis, 1, ids.shape[axis] - 1)
        for shape in (tuple(ids.shape), tuple(later.shape)):
            if target.numel() != shape[0] * shape[1] or not (later != ids.narrow(axis, 0, later.shape[axis])).any():
                continue
            readings = [target.reshape(shape)] if target.dim() == 1 or tuple(target.shape) == shape else []
            if target.dim() == 1 or tuple(target.shape) == shape[::-1]:
                readings.append(target.reshape(shape[::-1]).T)
            if any(bool((one.narrow(axis, 0, later.shape[axis]) == later).all()) for one in readings):
                found.add(axis)
    return found.pop() if len(found) == 1 else None


def position(node):
    """A saved index: -1 may come as 2**64 - 1."""
    index = saved(node, "_saved_index")
    return index - 2**64 if index >= 2**63 else index
