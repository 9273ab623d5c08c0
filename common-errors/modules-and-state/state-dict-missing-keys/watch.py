"""Proof: `load_state_dict(strict=False)` skipped a checkpoint whose tensors fit once a prefix is removed or added.

It compares names and shapes: hardly a key of the checkpoint is one of the module's, although with the same prefix removed
from, or added to, all of them nine in ten of the checkpoint's tensors, or of the module's, have a place. It speaks at the
module's next forward pass, if its weights are still those before. So it is silent about a head that is left out, adapters,
the weights of another architecture, hooks that rename keys, weights that are equal, and programs that load again.
"""

from __future__ import annotations

import weakref
from collections import defaultdict

import torch

from torch_errors.watching.detector import Detector, is_real, program_line

MOST_MATCHES = 0.1  # keys that agree, for each that would with the prefix
FIT = 0.9
COMPARED = 8


class Watch(Detector):
    inside = ()
    unseen = {"broken": "load_state_dict raises"}
    saw = {
        "en": "`load_state_dict(strict=False)` skipped `{key}`, which the model calls `{name}`: with the prefix `{prefix}` {how} {fits} tensors fit, as it is {matched}",
        "zh": "`load_state_dict(strict=False)` 跳过了 `{key}`，模型中的名字是 `{name}`：{how_zh}前缀 `{prefix}` 后能对上 {fits} 个张量，现在只对上 {matched} 个",
    }

    def __init__(self, run):
        super().__init__(run)
        self.skipped = weakref.WeakKeyDictionary()  # module -> first numbers of its weights, and what to say

    def on_loaded(self, owner, state):
        if not isinstance(owner, torch.nn.Module):
            return
        self.skipped.pop(owner, None)
        own = {**dict(owner.named_parameters(remove_duplicate=False)), **dict(owner.named_buffers())}
        own = {name: tensor for name, tensor in own.items() if is_real(tensor)}
        given = {key: tensor for key, tensor in state.items() if isinstance(tensor, torch.Tensor) and is_real(tensor)}
        matched = len(own.keys() & given.keys())
        if not own or not given or matched > MOST_MATCHES * min(len(own), len(given)):
            return
        (how, prefix), fits = max(renamings(own, given).items(), key=lambda one: len(one[1]), default=((0, ""), {}))
        if len(fits) < FIT * min(len(own), len(given)) or matched > MOST_MATCHES * len(fits):
            return
        weights = [name for name in fits if own[name].dim() > 1 and own[name].is_floating_point()][:COMPARED]
        if 2 * sum(not torch.equal(own[name], given[fits[name]].to(own[name])) for name in weights) > len(weights):
            said = {
                "key": fits[weights[0]],
                "name": weights[0],
                "prefix": prefix,
                "fits": len(fits),
                "matched": matched,
            }
            said |= {"how": ("removed", "added")[how], "how_zh": ("去掉", "加上")[how]}
            self.skipped[owner] = {name: numbers(own[name]) for name in weights}, program_line(), said

    def on_forward(self, module, inputs, output, depth):
        for owner in list(self.skipped) if depth == 0 and self.skipped else ():
            if any(one is owner for one in module.modules()) or any(one is module for one in owner.modules()):
                before, line, said = self.skipped.pop(owner)
                own = dict(owner.named_parameters(remove_duplicate=False))
                if all(name in own and numbers(own[name]) == kept for name, kept in before.items()):
                    self.find("proof", at=line, **said)


def numbers(tensor):
    return tensor.detach().flatten()[:4].tolist()


def renamings(own, given):
    """(0, prefix to remove) or (1, prefix to add) -> the module's names, with the checkpoint's, that fit with it."""
    found = defaultdict(dict)
    for way, (longer, shorter) in enumerate(((given, own), (own, given))):
        for full, tensor in longer.items():
            for dot in (at for at, letter in enumerate(full) if letter == "."):
                short = full[dot + 1 :]
                if short in shorter and shorter[short].shape == tensor.shape:
                    name, key = (full, short) if way else (short, full)
                    found[way, full[: dot + 1]][name] = key
    return found
