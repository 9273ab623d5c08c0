"""Strong: a container that a module's hook writes to holds more layer outputs after each step and never releases any.

The detector finds the lists, deques and dicts that the hooks of a module can reach: through closures, defaults,
`functools.partial`, the object of a bound method, and global names in their code. It counts the tensors in them that
are at least as large as the layer's output. It reports a count that has risen at 24 backward passes in a row if these
tensors have a graph. If they have none (after `detach()`), it takes 256 passes and reports at the end of the program.
It reports nothing for numbers and small statistics, containers that are bounded, overwritten or were once cleared,
removed hooks, and passes without training.
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
        self.ran = {}  # id of a hook that ran since the last backward pass -> hook, layer, size of its output
        self.counts = {}  # id of a hook -> number of outputs it keeps, how many times in a row that has grown
        self.cleared = set()  # ids of hooks whose container has released outputs
        self.latest = None  # line and values to report when the program ends

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
            kept = [tensor for store in containers(hook) for tensor in tensors_in(store) if tensor.numel() >= size]
            rises = rises + 1 if len(kept) > count else 0
            if len(kept) < count:
                self.cleared.add(id_)
            self.counts[id_] = len(kept), rises
            graph = any(tensor.grad_fn is not None for tensor in kept)
            if rises >= (OFTEN if graph else OFTEN_DETACHED) and self.latest is None and id_ not in self.cleared:
                mib = sum(tensor.nbytes for tensor in kept) / 2**20
                self.latest = program_line(), {"count": len(kept), "layer": layer, "mib": mib, "steps": rises}
                if graph:
                    self.on_end()
                    return

    def on_end(self):
        if self.latest is not None:
            line, values = self.latest
            self.find("strong", at=line, **values)
            self.finished = True


def containers(hook):
    """The containers that a hook can reach."""
    waiting = [hook]
    for item in waiting:
        if isinstance(item, CONTAINERS):
            if getattr(item, "maxlen", None) is None:
                yield item
        elif isinstance(item, functools.partial):
            waiting += [item.func, *item.args, *item.keywords.values()]
        elif hasattr(item, "__func__"):  # a bound method
            waiting += [
                item.__func__,
                *(value for value in vars(item.__self__).values() if isinstance(value, CONTAINERS)),
            ]
        elif hasattr(item, "__code__"):
            reachable = [item.__globals__.get(name) for name in item.__code__.co_names]
            reachable += [*enclosed(item), *(item.__defaults__ or ())]
            waiting += [value for value in reachable if isinstance(value, CONTAINERS)]
            owners = [
                value
                for value in enclosed(item)
                if hasattr(value, "__dict__") and type(value).__module__ == item.__module__
            ]
            waiting += [value for owner in owners for value in vars(owner).values() if isinstance(value, CONTAINERS)]
        elif item is hook:  # an object with `__call__`
            waiting += [value for value in getattr(item, "__dict__", {}).values() if isinstance(value, CONTAINERS)]


def enclosed(function):
    """The values in a function's closure."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not assigned yet
            continue


def tensors_in(store):
    """The tensors in a container and in nested lists and dicts; none if it has more than MOST items."""
    values = store.values() if isinstance(store, dict) else store
    return tensors(list(values)) if len(store) <= MOST else ()
