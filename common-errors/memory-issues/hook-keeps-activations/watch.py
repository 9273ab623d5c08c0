"""Strong: a container that a module's hook writes to holds more layer outputs after each step, and lets none go.

From the hooks of a module it finds the lists, deques and dicts that they can reach: closures, defaults, `functools.partial`, the object of
a bound method, and global names in their code. It counts the tensors in them that are as large as the layer's output. It speaks where
that count has risen at 24 backward passes in a row and these tensors have a graph; without one, as after `detach()`, at the end of the
program and after 256. It is silent about numbers and small statistics, stores that are bounded, overwritten or were once cleared, hooks that are
removed, and passes without training.
"""

from __future__ import annotations

import collections
import functools

from torch_errors.watching.detector import Detector, program_line, tensors

OFTEN, OFTEN_DETACHED, MOST = 24, 256, 10_000
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks")
CONTAINERS = (list, collections.deque, dict)


class Watch(Detector):
    saw = {
        "en": "{count} outputs of {layer}, {mib:.1f} MiB, are kept by a hook, more of them after each of the last {steps} steps: nothing has cleared them",
        "zh": "{layer} 上的 hook 已经保存了 {count} 个输出，共 {mib:.1f} MiB，最近 {steps} 步每一步都在增加，从未清空",
    }

    def __init__(self, run):
        super().__init__(run)
        self.ran = {}  # id of a hook that ran since the last backward pass -> hook, layer, elements of its output
        self.counts = {}  # id of a hook -> outputs that it keeps, how often in a row that has grown
        self.cleared = set()  # id of hooks whose store has let go of some
        self.latest = None  # what to say where the program ends

    def on_forward(self, module, inputs, output, depth):
        if not (module._forward_hooks or module._forward_pre_hooks or module._backward_hooks):
            return
        hooks = [hook for name in HOOKS for hook in getattr(module, name).values()]
        if hooks and (sizes := [result.numel() for result in tensors(output)]):
            for hook in hooks:
                self.ran[id(hook)] = hook, type(module).__name__, max(2, *sizes)

    def on_backward_done(self, loss):
        ran, self.ran, self.latest = self.ran, {}, None
        before, self.counts = self.counts, {}
        for id_, (hook, layer, size) in ran.items():
            count, rises = before.get(id_, (0, 0))
            kept = [one for store in stores(hook) for one in within(store) if one.numel() >= size]
            rises = rises + 1 if len(kept) > count else 0
            if len(kept) < count:
                self.cleared.add(id_)
            self.counts[id_] = len(kept), rises
            graph = any(one.grad_fn is not None for one in kept)
            if rises >= (OFTEN if graph else OFTEN_DETACHED) and self.latest is None and id_ not in self.cleared:
                mib = sum(one.nbytes for one in kept) / 2**20
                self.latest = program_line(), {"count": len(kept), "layer": layer, "mib": mib, "steps": rises}
                if graph:
                    self.on_end()
                    return

    def on_end(self):
        if self.latest is not None:
            place, said = self.latest
            self.find("strong", at=place, **said)
            self.finished = True


def stores(hook):
    """The containers that a hook can reach."""
    waiting = [hook]
    for thing in waiting:
        if isinstance(thing, CONTAINERS):
            if getattr(thing, "maxlen", None) is None:
                yield thing
        elif isinstance(thing, functools.partial):
            waiting += [thing.func, *thing.args, *thing.keywords.values()]
        elif hasattr(thing, "__func__"):  # a bound method
            waiting += [thing.__func__, *(one for one in vars(thing.__self__).values() if isinstance(one, CONTAINERS))]
        elif hasattr(thing, "__code__"):
            known = [thing.__globals__.get(name) for name in thing.__code__.co_names]
            known += [*enclosed(thing), *(thing.__defaults__ or ())]
            waiting += [one for one in known if isinstance(one, CONTAINERS)]
            owners = [
                one for one in enclosed(thing) if hasattr(one, "__dict__") and type(one).__module__ == thing.__module__
            ]
            waiting += [one for owner in owners for one in vars(owner).values() if isinstance(one, CONTAINERS)]
        elif thing is hook:  # an object with `__call__`
            waiting += [one for one in getattr(thing, "__dict__", {}).values() if isinstance(one, CONTAINERS)]


def enclosed(function):
    """What a function has in its closure."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            continue


def within(store):
    """The tensors in a container and, three deep, in the lists and dicts in it."""
    values = store.values() if isinstance(store, dict) else store
    return tensors(list(values)) if len(store) <= MOST else ()
