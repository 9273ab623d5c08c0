"""Proof: `load_state_dict(strict=False)` skipped a checkpoint whose tensors fit once a prefix is removed or added.

The detector compares names and shapes: hardly any key of the checkpoint is in the module, but with one prefix removed
from or added to all keys, nine in ten of the checkpoint's or the module's tensors match. It reports this at the
module's next forward pass if the weights are still unchanged. So it reports nothing for a head that is left out,
adapters, weights of a different architecture, hooks that rename keys, weights that are equal, and programs that load
again.
"""

from __future__ import annotations

import weakref
from collections import defaultdict

import torch

from torch_errors.watching.detector import Detector, is_real, program_line

MOST_MATCHES = 0.1  # maximum number of keys that match, per key that matches with the prefix
FIT = 0.9  # minimum share of tensors that match with the prefix
COMPARED = 8  # number of weights that are compared


class Watch(Detector):
    needs = "checkpoint"
    inside = ()
    unseen = {"broken": "load_state_dict raises"}
    saw = {
        "en": "`load_state_dict(strict=False)` skipped `{key}`, which the model calls `{name}`: with the prefix `{prefix}` {how} {fits} tensors match, currently {matched}",
        "zh": "`load_state_dict(strict=False)` 跳过了 `{key}`，模型中的名字是 `{name}`：{how_zh}前缀 `{prefix}` 后能对上 {fits} 个张量，现在只对上 {matched} 个",
    }

    def __init__(self, run):
        super().__init__(run)
        self.skipped = weakref.WeakKeyDictionary()  # module -> first numbers of its weights, line, values to report

    def on_loaded(self, owner, state):
        if not isinstance(owner, torch.nn.Module):
            return
        self.skipped.pop(owner, None)
        own = {**dict(owner.named_parameters(remove_duplicate=False)), **dict(owner.named_buffers())}
        own = {name: tensor for name, tensor in own.items() if is_real(tensor)}
        saved = {key: tensor for key, tensor in state.items() if isinstance(tensor, torch.Tensor) and is_real(tensor)}
        matched = len(own.keys() & saved.keys())
        if not own or not saved or matched > MOST_MATCHES * min(len(own), len(saved)):
            return
        (how, prefix), fits = max(renamings(own, saved).items(), key=lambda pair: len(pair[1]), default=((0, ""), {}))
        if len(fits) < FIT * min(len(own), len(saved)) or matched > MOST_MATCHES * len(fits):
            return
        weights = [name for name in fits if own[name].dim() > 1 and own[name].is_floating_point()][:COMPARED]
        if 2 * sum(not torch.equal(own[name], saved[fits[name]].to(own[name])) for name in weights) > len(weights):
            values = {
                "key": fits[weights[0]],
                "name": weights[0],
                "prefix": prefix,
                "fits": len(fits),
                "matched": matched,
            }
            values |= {"how": ("removed", "added")[how], "how_zh": ("去掉", "加上")[how]}
            self.skipped[owner] = {name: first_numbers(own[name]) for name in weights}, program_line(), values

    def on_forward(self, module, inputs, output, depth):
        for owner in list(self.skipped) if depth == 0 and self.skipped else ():
            if any(part is owner for part in module.modules()) or any(part is module for part in owner.modules()):
                before, line, values = self.skipped.pop(owner)
                own = dict(owner.named_parameters(remove_duplicate=False))
                if all(name in own and first_numbers(own[name]) == kept for name, kept in before.items()):
                    self.find("proof", at=line, **values)


def first_numbers(tensor):
    return tensor.detach().flatten()[:4].tolist()


def renamings(own, saved):
    """Map (0, prefix to remove) or (1, prefix to add) to {name in the module: key in the checkpoint} of all matches."""
    matches = defaultdict(dict)
    for how, (longer, shorter) in enumerate(((saved, own), (own, saved))):
        for full, tensor in longer.items():
            for dot in (at for at, letter in enumerate(full) if letter == "."):
                short = full[dot + 1 :]
                if short in shorter and shorter[short].shape == tensor.shape:
                    name, key = (full, short) if how else (short, full)
                    matches[how, full[: dot + 1]][name] = key
    return matches
