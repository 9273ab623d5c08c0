"""Proof: attention ignores exactly the words of a batch and looks at exactly its padding.

The ids given to an embedding show which positions are padding: `padding_idx`, or a single id that fills up the rows at
their end or their start, to different lengths. The detector compares them with the masks of `nn.MultiheadAttention`
(and of the layers that use it), of `F.scaled_dot_product_attention`, and of `masked_fill` and `where` before a softmax
in the graph. Every position of the batch must be inverted. It does not report padding without ids, such as padded
audio.
"""

from __future__ import annotations

import torch
from torch import nn

from torch_errors.watching.detector import Detector, is_real
from torch_errors.watching.graph import kind_of, parents, saved, source
from torch_errors.watching.padding import words_of

# Maximum number of batches with padding, and of all batches: later ones show nothing new.
MOST_BATCHES, MOST_LOOKED_AT = 12, 128


class Watch(Detector):
    inside = (nn.Embedding, nn.MultiheadAttention)
    saw = {
        "en": "attention ignores the {words} words of a batch {shape} and looks at its {padding} positions of padding",
        "zh": "注意力屏蔽了批次 {shape} 里的 {words} 个词，只看 {padding} 个填充位置",
    }

    def __init__(self, run):
        super().__init__(run)
        self.batches = self.looked = 0
        self.words = []  # masks of the last embeddings, True for words

    def on_forward(self, module, inputs, output, depth):
        if isinstance(module, nn.Embedding) and inputs and isinstance(inputs[0], torch.Tensor):
            words = words_of(inputs[0], module.padding_idx)
            self.words = [*self.words, words][-4:] if words is not None else self.words
            self.batches += words is not None
            self.looked += 1
            self.finished = self.batches > MOST_BATCHES or self.looked > MOST_LOOKED_AT
        elif isinstance(module, nn.MultiheadAttention) and self.words:
            named = inputs[-1] if isinstance(inputs[-1], dict) else {}
            mask = named.get(
                "key_padding_mask", inputs[3] if len(inputs) > 3 and not isinstance(inputs[3], dict) else None
            )
            if isinstance(mask, torch.Tensor):
                self.compare(mask if mask.dtype == torch.bool else mask < -1e4)

    def on_attention(self, query, key, mask, is_causal):
        if isinstance(mask, torch.Tensor) and self.words and is_real(mask):
            self.compare(~mask if mask.dtype == torch.bool else mask < -1e4)

    def on_graph(self, graph, loss):
        for softmax in graph.named("SoftmaxBackward") if self.words else ():
            node = source(parents(softmax)[0])
            if node is not None and kind_of(node) == "MaskedFillBackward":
                self.compare(saved(node, "_saved_mask"))
            elif node is not None and kind_of(node) == "WhereBackward":
                kept, condition = parents(node)[0] is not None, saved(node, "_saved_condition")
                self.compare(~condition if kept and condition is not None else condition)

    def compare(self, ignored):
        """Compare with `ignored`, True for skipped positions: (batch, length), with heads and queries in between."""
        if not isinstance(ignored, torch.Tensor) or not is_real(ignored) or ignored.ndim not in (2, 3, 4):
            return
        while ignored.ndim > 2:
            ignored = ignored[:, -1]
        for words in self.words:
            if ignored.shape == words.shape and ignored.device == words.device and torch.equal(ignored, words):
                count = int(words.sum())
                self.find("proof", words=count, padding=words.numel() - count, shape=tuple(words.shape))
                return
