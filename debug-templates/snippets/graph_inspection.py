"""Print the autograd graph of a tensor, and name the parameters that a loss does not depend on.

Use it when `.grad` is None, when backward() complains that a tensor does not require grad, or to see where a branch was
detached. Neither function runs backward() or changes a gradient.

`inspect_graph(loss, model)` prints the operations from the loss back to the parameters, with inputs indented below each
operation. "no gradient" marks where the graph ends: data, a constant or a detached tensor. It returns the leaf tensors
that backward() would fill. `unreached_parameters(loss, model)` prints nothing and returns names.

**Healthy:** `unreached_parameters(loss, model)` is `[]`, and every branch of the graph ends in a parameter or in data.

Example:

    >>> import torch
    >>> from torch import nn
    >>> from graph_inspection import inspect_graph, unreached_parameters
    >>> model = nn.ModuleDict({"encoder": nn.Linear(4, 8), "head": nn.Linear(8, 2)})
    >>> features = model["encoder"](torch.randn(16, 4)).detach()
    >>> loss = model["head"](features).square().mean()
    >>> leaves = inspect_graph(loss, model)
    MeanBackward0
      PowBackward0
        AddmmBackward0
          head.bias [2]
          no gradient: data, a constant or a detached tensor
          TBackward0
            head.weight [2, 8]
    >>> unreached_parameters(loss, model)
    ['encoder.weight', 'encoder.bias']
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import nn


def inspect_graph(tensor: torch.Tensor, model: nn.Module | None = None, max_lines: int = 200) -> list[torch.Tensor]:
    """Print the graph above `tensor`, at most `max_lines` of it, and return the leaves that it depends on.

    With `model`, leaves that are its parameters are printed with their names.
    """
    if not isinstance(tensor, torch.Tensor):
        raise TypeError(f"inspect_graph takes a tensor such as the loss, not a {type(tensor).__name__}")
    names = {id(parameter): name for name, parameter in model.named_parameters()} if model is not None else {}
    if tensor.grad_fn is None:
        if tensor.requires_grad:
            print(f"A leaf: {names.get(id(tensor), 'tensor')} {list(tensor.shape)}; backward() fills its .grad")
            return [tensor]
        print("No graph: nothing it was computed from requires a gradient, or it was detached or made under no_grad")
        return []

    lines = 0
    seen = set()
    waiting = [(tensor.grad_fn, 0)]
    while waiting and lines < max_lines:  # a loop, because deep graphs exceed Python's recursion limit
        node, depth = waiting.pop()
        lines += 1
        if node is None:
            text = "no gradient: data, a constant or a detached tensor"
        elif hasattr(node, "variable"):
            leaf = node.variable
            text = f"{names.get(id(leaf), 'leaf')} {list(leaf.shape)}"
        else:
            text = node.name() + (" (see above)" if node in seen and node.next_functions else "")
        print(f"{'  ' * depth}{text}")
        if node is not None and node not in seen:
            seen.add(node)
            waiting += [(next_node, depth + 1) for next_node, _ in reversed(node.next_functions)]
    if waiting:
        print(f"... cut after {max_lines} lines; inspect_graph(..., max_lines=...) shows more")
    return list(_leaves(tensor))


def unreached_parameters(loss: torch.Tensor, model: nn.Module) -> list[str]:
    """Names of the parameters with `requires_grad=True` that `loss` does not depend on, before or after backward().

    Raises ValueError for a graph that hides its parameters: the reentrant kind of activation checkpointing.
    """
    if not isinstance(loss, torch.Tensor):
        raise TypeError(f"unreached_parameters takes the loss and then the model, not a {type(loss).__name__} first")
    reached = {id(leaf) for leaf in _leaves(loss)}
    if any(node.name() == "CheckpointFunctionBackward" for node in _nodes(loss)):
        raise ValueError("checkpoint(..., use_reentrant=True) hides parameters from the graph; use use_reentrant=False")
    return [name for name, p in model.named_parameters() if p.requires_grad and id(p) not in reached]


def _nodes(tensor: torch.Tensor) -> Iterator[torch.autograd.graph.Node]:
    """Every operation that a tensor was computed with, once."""
    waiting, seen = [tensor.grad_fn], set()
    while waiting:
        node = waiting.pop()
        if node is not None and node not in seen:
            seen.add(node)
            yield node
            waiting += [next_node for next_node, _ in node.next_functions]


def _leaves(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """The tensors whose .grad backward() would fill."""
    if tensor.grad_fn is None and tensor.requires_grad:
        yield tensor
    for node in _nodes(tensor):
        if hasattr(node, "variable"):  # AccumulateGrad, the node that writes .grad
            yield node.variable
