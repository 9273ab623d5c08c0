"""The autograd graph of a loss, read before its backward pass frees it: what was computed from what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from math import prod
from typing import Any

import torch

# Nodes that give the same values another shape, dtype or place.
RESHAPING = {
    "AliasBackward0", "CloneBackward0", "ExpandBackward0", "PermuteBackward0", "ReshapeAliasBackward0",
    "SqueezeBackward0", "SqueezeBackward1", "SqueezeBackward2", "TBackward0",
    "ToCopyBackward0", "TransposeBackward0", "UnsafeViewBackward0", "UnsqueezeBackward0", "ViewBackward0",
}  # fmt: skip
CLAMPING = ("ClampBackward", "ClampMaxBackward", "ClampMinBackward")
# Layers applied to each position of a sequence on its own: their results have one row for each.
MATRIX = {"AddmmBackward", "LinearBackward", "MmBackward"}
ELEMENTWISE = {"AddBackward", "DivBackward", "MulBackward", "SubBackward"}
# Operations that leave the positions of a sequence apart, the last five unless they cut along its axis (see `apart`).
APART = MATRIX | ELEMENTWISE | {
    "EluBackward", "FusedRmsNormBackward", "GeluBackward", "LeakyReluBackward", "LogSoftmaxBackward",
    "NativeDropoutBackward", "NativeLayerNormBackward", "ReluBackward", "SigmoidBackward", "SiluBackward",
    "TanhBackward", "CatBackward", "SelectBackward", "SliceBackward", "SplitBackward", "SplitWithSizesBackward",
    "UnbindBackward", "UnsafeSplitBackward",
}  # fmt: skip
# A graph of more nodes is read to here: reading must not take longer than the backward pass.
MOST_NODES = 20_000


class Graph:
    """The nodes below a loss. A node is what `tensor.grad_fn` returns."""

    def __init__(self, loss: torch.Tensor) -> None:
        self.root = loss.grad_fn

    @cached_property
    def nodes(self) -> list[Any]:
        """Each node once, the loss first, the others in no order."""
        found: list[Any] = []
        seen = {self.root}
        waiting = [self.root] if self.root is not None else []
        while waiting and len(found) < MOST_NODES:
            node = waiting.pop()
            found.append(node)
            for parent, _ in node.next_functions:
                if parent is not None and parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
        return found

    @cached_property
    def leaves(self) -> list[torch.Tensor]:
        """The parameters (and other leaf tensors) that the backward pass reaches."""
        return [node.variable for node in self.nodes if hasattr(node, "variable")]

    @cached_property
    def operations(self) -> list[Any]:
        """The nodes without the leaves, in the order in which the program ran them."""
        return sorted(
            (node for node in self.nodes if not hasattr(node, "variable")), key=lambda node: node._sequence_nr()
        )

    def named(self, *names: str) -> Iterator[Any]:
        """Nodes of these names, without the number at their end, such as `LogSoftmaxBackward`."""
        return (node for node in self.nodes if kind_of(node) in names)


def name_of(node: Any) -> str:
    """Such as `AddmmBackward0`."""
    return _name(node.name())


def kind_of(node: Any) -> str:
    """The name without the number at its end, which differs between overloads: such as `AddmmBackward`."""
    return _kind(node.name())


@cache
def _name(name: str) -> str:
    return name.rpartition("::")[2]


@cache
def _kind(name: str) -> str:
    return _name(name).rstrip("0123456789")


def saved(node: Any, name: str) -> Any:
    """What a node keeps for its backward pass; None where it keeps nothing of this name, or it was changed since."""
    try:
        return getattr(node, name, None)
    except RuntimeError:
        return None


def parents(node: Any) -> list[Any]:
    """What a node was computed from, one for each of its inputs; None for an input without gradient."""
    return [parent for parent, _ in node.next_functions]


def source(node: Any) -> Any:
    """The node behind those that only reshape."""
    while node is not None and name_of(node) in RESHAPING:
        node = parents(node)[0]
    return node


def unclamped(node: Any) -> Any:
    """The node behind those that only reshape or clamp."""
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
    """The nodes that a result is computed from, position by position, as logits from the embedding of their token.

    It walks down from `node` through operations that leave positions apart: layers applied to each of them, residual
    connections, reshaping. It ends at attention, recurrent layers, convolutions and pooling, at what cuts or moves a
    sequence, and does not go on to what is the same for all positions.

    Args:
        tokens: Shape of the token ids. A size in it is taken for an axis of positions.
        positions: How many positions a result may have, for instance with and without the last of each sequence.
        stops: Whether the walk ends in front of a node.
        jumps: Where to go on below nodes that the walk would end at, such as those of recurrent layers.
    """
    found: set[Any] = set()
    waiting = [node]
    while waiting:
        node = waiting.pop()
        shape = None if node is None or node in found else shape_of(node)
        if not shape or not prod(shape) or not any(prod(shape) % count == 0 for count in positions):
            continue
        kind = kind_of(node)
        if (kind in MATRIX and prod(shape[:-1]) not in positions) or stops(node):
            continue
        found.add(node)
        if jumps and node in jumps:
            waiting.append(jumps[node])
        elif (kind in APART or name_of(node) in RESHAPING) and not _cuts(node, tokens):
            waiting += [parent for parent in parents(node) if not _is_spread(parent, node, tokens)]
    return found


def _cuts(node: Any, tokens: Sequence[int]) -> bool:
    """Whether a node takes some positions out of a sequence, or puts sequences together. One that ends early may."""
    kind, given = kind_of(node), shape_of(parents(node)[0]) if parents(node) else None
    dim = saved(node, "_saved_dim")
    if not isinstance(dim, int) or kind not in APART or not given:
        return False
    dim = (dim - 2**64 if dim >= 2**63 else dim) % len(given)  # -1 may come as 2**64 - 1
    last = dim == len(given) - 1
    if kind == "CatBackward":
        return not last
    if kind == "SliceBackward":
        return not last and bool(saved(node, "_saved_start"))
    if kind in ("SelectBackward", "UnbindBackward"):
        return given[dim] in tokens
    return "Split" in kind and not last and given[dim] in tokens


def _is_spread(parent: Any, node: Any, tokens: Sequence[int]) -> bool:
    """Whether a node repeats what a parent has computed along an axis of positions."""
    shape, given = shape_of(node), shape_of(parent) if parent is not None else None
    if given is None or shape is None or kind_of(node) not in ELEMENTWISE | {"ExpandBackward"}:
        return False
    aligned = (1,) * (len(shape) - len(given)) + given
    return any(size in tokens and size > before == 1 for size, before in zip(shape, aligned, strict=True))


def shape_of(node: Any) -> tuple[int, ...] | None:
    """Shape of what a node computed, None where torch does not say."""
    metadata = getattr(node, "_input_metadata", None)
    return tuple(metadata[0].shape) if metadata else None


def dtype_of(node: Any) -> torch.dtype | None:
    """Dtype of what a node computed, None where torch does not say."""
    metadata = getattr(node, "_input_metadata", None)
    return metadata[0].dtype if metadata else None


# What a node keeps of its inputs -> which input that is.
INPUTS = {"_saved_self": 0, "_saved_input": 0, "_saved_other": 1, "_saved_target": 1, "_saved_mat2": 1}


def is_given_nan(graph: Graph) -> bool:
    """Whether nan was given to a loss: in a tensor that was not computed from parameters, such as a target."""
    for node in graph.operations:
        before = parents(node)
        for name, number in INPUTS.items():
            if number < len(before) and before[number] is None:
                given = saved(node, name)
                if isinstance(given, torch.Tensor) and given.layout == torch.strided and given.isnan().any():
                    return True
    return False


def is_finite(tensor: torch.Tensor) -> bool:
    """Whether all numbers of a tensor are finite. True for sparse tensors, which are not looked into."""
    return tensor.layout != torch.strided or bool(tensor.isfinite().all())


def saved_tensors(node: Any) -> Iterator[torch.Tensor]:
    """What a node keeps for its backward pass. Nothing where that was freed, changed in place or packed by a hook."""
    for name in dir(node):
        if name.startswith("_saved_"):
            value = saved(node, name)
            if isinstance(value, torch.Tensor) and value.is_floating_point():
                yield value
