"""Strong: words that occur twice in a sequence reach the first attention with the same vector at both positions.

The detector reports this if the loss has also fallen by less than a third after 64 steps, or an embedding of `arange`
that is computed but does not reach the loss; each three times in a row. Masks that differ between queries, such as
causal ones, provide an order: with them, it reports only an unused embedding of positions. It reports nothing for
models with a recurrent or convolution layer, attention with different queries (pooling), sets in which no word occurs
twice, and once a fault is proven. It can't tell whether the task needs an order, and can't see vectors behind dropout,
or attention that is written without `scaled_dot_product_attention` or `nn.MultiheadAttention`.

A module that keeps a table of sines and cosines, and returns what it was given, three times in training, has not added
them; dropout may have removed values and scaled the others.
"""

from __future__ import annotations

import weakref

import torch
from torch import nn

from torch_errors.watching.detector import Detector, is_real

COMPARED = 1024  # number of values of a module's input and output that are compared
FIRST_STEP, IN_A_ROW, PAIRS, ROWS, GIVEN_UP = 64, 3, 4, 8, 256
RECENT, FALLEN = 32, 0.67  # number of recent losses; training is stuck if their mean is above this share of the first
ORDERED = (nn.RNNBase, nn.RNNCellBase, nn.modules.conv._ConvNd)


class Watch(Detector):
    needs = "course"
    inside = None
    saw = {
        "en": "the vectors of {tokens} reach attention without positions: a word has the same vector at every position",
        "zh": "{tokens} 的向量没有加上位置信息就进入了注意力：同一个词无论在哪里，向量都一样",
    }

    def __init__(self, run):
        super().__init__(run)
        self.tokens = self.ids = None  # the embedding and the ids of the words in this outermost call
        self.places = weakref.WeakSet()  # embeddings called with `arange` since the last backward pass
        self.blind = None  # whether this outermost call's first attention reads vectors without positions
        self.in_a_row = self.unused = 0
        self.tables = weakref.WeakKeyDictionary()  # module -> how often it has returned its input, None without a table

    def on_forward(self, module, inputs, output, depth):
        if module._buffers and module.training and self.run.steps <= IN_A_ROW + 1:
            self.compare_with_input(module, inputs, output)
        if isinstance(module, nn.Embedding) and module.training and is_real(inputs[0]):
            ids = inputs[0]
            steps = torch.arange(ids.shape[-1], device=ids.device) if ids.dim() else ids
            if ids.dim() and ids.shape[-1] > 2 and bool((ids == steps).all()):
                self.places.add(module)
            elif ids.dim() == 2 and self.ids is None:
                self.tokens, self.ids = module, ids
        elif isinstance(module, ORDERED):
            self.blind = False
        elif isinstance(module, nn.MultiheadAttention) and module.training and self.blind is None:
            kwargs = inputs[-1] if isinstance(inputs[-1], dict) else {}
            if len(inputs) - bool(kwargs) < 3 or kwargs.get("is_causal"):
                self.blind = False
            else:
                self.compare_repeated(inputs[0], inputs[1], kwargs.get("attn_mask"))
        if depth == 0 and module.training:
            fault = self.blind is True and self.run.steps >= FIRST_STEP and self.stuck()
            self.in_a_row = self.in_a_row + 1 if fault else 0 if self.ids is not None else self.in_a_row
            if self.in_a_row >= IN_A_ROW:
                self.find("strong", tokens=self.tokens)
            self.finished = self.finished or self.run.steps > GIVEN_UP
            self.ids = self.blind = None

    def compare_with_input(self, module, inputs, output):
        """Report a module with a table of sines and cosines that has returned its input, or its input after dropout."""
        if module not in self.tables:
            self.tables[module] = 0 if any(map(is_sinusoidal, module._buffers.values())) else None
        given = inputs[0] if inputs else None
        if self.tables[module] is None or module._parameters:
            return
        if not all(isinstance(tensor, torch.Tensor) and is_real(tensor) for tensor in (given, output)):
            return
        if given.shape != output.shape or given.dim() != 3:
            return
        before, after = given.detach().flatten()[:COMPARED], output.detach().flatten()[:COMPARED]
        kept = (after != 0) & (before != 0)
        ratio = after[kept] / before[kept]
        same = len(ratio) > COMPARED // 8 and torch.allclose(ratio, ratio.new_ones(()) * ratio.median(), rtol=1e-4)
        self.tables[module] = self.tables[module] + 1 if same and bool(((after != 0) <= (before != 0)).all()) else 0
        if self.tables[module] == IN_A_ROW:
            self.find("strong", tokens=type(module).__name__)

    def stuck(self):
        """Whether the loss has hardly fallen, and no fault that explains it is proven."""
        losses, first = self.run.losses[-RECENT:], self.run.first_loss
        return not self.run.proven and len(losses) == RECENT and sum(losses) / RECENT > FALLEN * abs(first)

    def on_attention(self, query, key, mask, is_causal):
        if self.blind is None and is_real(query) and query.requires_grad:
            if is_causal or query.dim() != 4:
                self.blind = False
            else:
                self.compare_repeated(query.movedim(1, 2).flatten(2), key.movedim(1, 2).flatten(2), mask)

    def compare_repeated(self, query, key, mask):
        """Set `blind` if repeated words have equal vectors. `query` and `key`: (batch, length, width), or swapped."""
        ids, self.blind = self.ids, False
        if self.run.steps < FIRST_STEP or not self.stuck():
            return
        if ids is None or (mask is not None and not bool((mask == mask[..., :1, :]).all())):
            return
        if query.shape[:2] == ids.T.shape != ids.shape:
            query, key = query.transpose(0, 1), key.transpose(0, 1)
        if query.shape[:2] != ids.shape or key.shape[:2] != ids.shape:
            return
        ids, query, key = ids[:ROWS], query[:ROWS].float(), key[:ROWS].float()
        words = (ids != ids[:, -1:].mode(0).values) & (ids != ids[:, :1].mode(0).values)  # no padding, no start marks
        same = (ids[:, :, None] == ids[:, None, :]) & words[:, :, None]
        rows, first, second = same.triu(1).nonzero(as_tuple=True)
        self.blind = rows.unique().numel() > 1 and len(rows) >= PAIRS
        for vectors in (query, key):
            left, right = vectors[rows, first], vectors[rows, second]
            self.blind = self.blind and torch.allclose(left, right, rtol=1e-4, atol=1e-5 * float(vectors.abs().max()))

    def on_graph(self, graph, loss):
        reached = {id(leaf) for leaf in graph.leaves}
        used = self.tokens is not None and id(self.tokens.weight) in reached
        width = self.tokens.embedding_dim if used else None
        weights = [module.weight for module in self.places if module.embedding_dim == width]
        unused = used and any(weight.requires_grad and id(weight) not in reached for weight in weights)
        self.unused = self.unused + 1 if unused else 0
        self.places.clear()
        if self.unused >= IN_A_ROW:
            self.find("strong", tokens=self.tokens)


def is_sinusoidal(table):
    """Whether the last axis of a table has sines and cosines of each position: pairs whose squares add up to 1."""
    if table is None or not is_real(table) or not table.is_floating_point() or table.dim() < 2 or table.shape[-1] % 2:
        return False
    rows = table.reshape(-1, table.shape[-1])[:8].double()
    return len(rows) > 2 and any(
        bool(((sine.square() + cosine.square() - 1).abs() < 1e-3).all()) and bool((rows != rows[:1]).any())
        for sine, cosine in ((rows[:, 0::2], rows[:, 1::2]), rows.chunk(2, 1))
    )
