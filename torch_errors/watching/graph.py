"""Reads the autograd graph of a loss, which shows what it was computed from, before the backward pass frees it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from math import prod
from typing import Any

import torch

# Nodes that change only shape, dtype or device of the values.
RESHAPING = {
    "AliasBackward0", "CloneBackward0", "ExpandBackward0", "PermuteBackward0", "ReshapeAliasBackward0",
    "SqueezeBackward0", "SqueezeBackward1", "SqueezeBackward2", "TBackward0",
    "ToCopyBackward0", "TransposeBackward0", "UnsafeViewBackward0", "UnsqueezeBackward0", "ViewBackward0",
}  # fmt: skip
CLAMPING = ("ClampBackward", "ClampMaxBackward", "ClampMinBackward")
# Linear layers, which handle each position of a sequence separately. Their result has one row per position.
MATRIX = {"AddmmBackward", "LinearBackward", "MmBackward"}
ELEMENTWISE = {"AddBackward", "DivBackward", "MulBackward", "SubBackward"}
# Operations that don't mix the positions of a sequence. From CatBackward on, this depends on their axis (see `_cuts`).
APART = MATRIX | ELEMENTWISE | {
    "EluBackward", "FusedRmsNormBackward", "GeluBackward", "LeakyReluBackward", "LogSoftmaxBackward",
    "NativeDropoutBackward", "NativeLayerNormBackward", "ReluBackward", "SigmoidBackward", "SiluBackward",
    "TanhBackward", "CatBackward", "SelectBackward", "SliceBackward", "SplitBackward", "SplitWithSizesBackward",
    "UnbindBackward", "UnsafeSplitBackward",
}  # fmt: skip
# At most so many nodes of a graph are read, since reading must not take longer than the backward pass.
MOST_NODES = 20_000


class Graph:
    """The nodes that a loss was computed from. A node is an object like `tensor.grad_fn`."""

    def __init__(self, loss: torch.Tensor) -> None:
        self.root = loss.grad_fn

    @cached_property
    def nodes(self) -> list[Any]:
        """Each node once: the loss first, the others in no particular order."""
        nodes: list[Any] = []
        seen = {self.root}
        waiting = [self.root] if self.root is not None else []
        while waiting and len(nodes) < MOST_NODES:
            node = waiting.pop()
            nodes.append(node)
            for parent, _ in node.next_functions:
                if parent is not None and parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        return nodes

    @cached_property
    def leaves(self) -> list[torch.Tensor]:
        """The parameters (and other leaf tensors) that the backward pass reaches."""
        return [node.variable for node in self.nodes if hasattr(node, "variable")]

    @cached_property
    def operations(self) -> list[Any]:
        """All nodes except the leaves, in the order in which the program executed them."""
        return sorted(
            (node for node in self.nodes if not hasattr(node, "variable")), key=lambda node: node._sequence_nr()
        )

    def named(self, *names: str) -> Iterator[Any]:
        """Nodes with one of these names, given without the number at the end, such as `LogSoftmaxBackward`."""
        return (node for node in self.nodes if kind_of(node) in names)


def name_of(node: Any) -> str:
    """Name of a node, such as `AddmmBackward0`."""
    return _name(node.name())


def kind_of(node: Any) -> str:
    """Name of a node without the number at its end, which differs between overloads, such as `AddmmBackward`."""
    return _kind(node.name())


@cache
def _name(name: str) -> str:
    return name.rpartition("::")[2]


@cache
def _kind(name: str) -> str:
    return _name(name).rstrip("0123456789")


def saved(node: Any, name: str) -> Any:
    """A value that a node saved for its backward pass. None if there is none of this name, or it was changed since."""
    try:
        return getattr(node, name, None)
    except RuntimeError:
        return None


def parents(node: Any) -> list[Any]:
    """The nodes that computed the inputs of a node, one per input, None for an input without gradient."""
    return [parent for parent, _ in node.next_functions]


def source(node: Any) -> Any:
    """Follow a node's inputs past nodes that only change shape, dtype or device, to the first other node."""
    while node is not None and name_of(node) in RESHAPING:
        node = parents(node)[0]
    return node


def unclamped(node: Any) -> Any:
    """Follow a node's inputs past nodes that only clamp or change shape, dtype or device, to the first other node."""
    node = source(node)
    while node is not None and kind_of(node) in CLAMPING:
        node = source(parents(node)[0])
    return node


def apart(
    node: Any,
    tokens: Sequence[int],
    positions: set[int],
    *,
    stops: Callable[[Any], bool] = lambda node: False,
    jumps: Mapping[Any, Any] | None = None,
) -> set[Any]:
    """The nodes that a result was computed from without mixing the positions of the sequence.

    For example, the nodes between logits and the embedding of the same token. The search starts at `node` and follows
    inputs through operations that handle each position separately: linear layers, residual connections, reshaping. It
    stops at attention, recurrent layers, convolutions and pooling, at operations that cut or shift a sequence, and at
    values that are the same for all positions.

    Args:
        tokens: Shape of the token ids. An axis with one of these sizes counts as an axis of positions.
        positions: How many positions a result may have, for instance with and without the last of each sequence.
        stops: Returns True for a node that the search must not enter.
        jumps: For nodes that would stop the search, such as recurrent layers: the node where it continues.
    """
    nodes: set[Any] = set()
    waiting = [node]
    while waiting:
        node = waiting.pop()
        shape = None if node is None or node in nodes else shape_of(node)
        if not shape or not prod(shape) or not any(prod(shape) % count == 0 for count in positions):
            continue
        kind = kind_of(node)
        if (kind in MATRIX and prod(shape[:-1]) not in positions) or stops(node):
            continue
        nodes.add(node)
        if jumps and node in jumps:
            waiting.append(jumps[node])
        elif (kind in APART or name_of(node) in RESHAPING) and not _cuts(node, tokens):
            waiting += [parent for parent in parents(node) if not _is_spread(parent, node, tokens)]
    return nodes


def _cuts(node: Any, tokens: Sequence[int]) -> bool:
    """Whether a node takes positions out of a sequence or joins sequences. A slice that only ends early is allowed."""
    kind, before = kind_of(node), shape_of(parents(node)[0]) if parents(node) else None
    dim = saved(node, "_saved_dim")
    if not isinstance(dim, int) or kind not in APART or not before:
        return False
    dim = (dim - 2**64 if dim >= 2**63 else dim) % len(before)  # -1 may be stored as 2**64 - 1
    last = dim == len(before) - 1
    if kind == "CatBackward":
        return not last
    if kind == "SliceBackward":
        return not last and bool(saved(node, "_saved_start"))
    if kind in ("SelectBackward", "UnbindBackward"):
        return before[dim] in tokens
    return "Split" in kind and not last and before[dim] in tokens


def _is_spread(parent: Any, node: Any, tokens: Sequence[int]) -> bool:
    """Whether a node repeats the result of its parent along an axis of positions."""
    shape, before = shape_of(node), shape_of(parent) if parent is not None else None
    if before is None or shape is None or kind_of(node) not in ELEMENTWISE | {"ExpandBackward"}:
        return False
    aligned = (1,) * (len(shape) - len(before)) + before
    return any(size in tokens and size > size_before == 1 for size, size_before in zip(shape, aligned, strict=True))


def shape_of(node: Any) -> tuple[int, ...] | None:
    """Shape of a node's result, or None if torch does not record it."""
    metadata = getattr(node, "_input_metadata", None)
    return tuple(metadata[0].shape) if metadata else None


def dtype_of(node: Any) -> torch.dtype | None:
    """Dtype of a node's result, or None if torch does not record it."""
    metadata = getattr(node, "_input_metadata", None)
    return metadata[0].dtype if metadata else None


# Attribute in which a node saves one of its inputs -> position of the input.
INPUTS = {"_saved_self": 0, "_saved_input": 0, "_saved_other": 1, "_saved_target": 1, "_saved_mat2": 1}


def is_given_nan(graph: Graph) -> bool:
    """Whether NaN came into a loss from a tensor that was not computed from parameters, such as the target."""
    for node in graph.operations:
        before = parents(node)
        for name, number in INPUTS.items():
            if number < len(before) and before[number] is None:
                tensor = saved(node, name)
                if isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided and tensor.isnan().any():
                    return True
    return False


def is_finite(tensor: torch.Tensor) -> bool:
    """Whether all values of a tensor are finite. Sparse tensors are not checked and count as finite."""
    return tensor.layout != torch.strided or bool(tensor.isfinite().all())


def saved_tensors(node: Any) -> Iterator[torch.Tensor]:
    """The floating-point tensors that a node saved, except those freed, changed in place or packed by a hook."""
    for name in dir(node):
        if name.startswith("_saved_"):
            value = saved(node, name)
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                yield value
