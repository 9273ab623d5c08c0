"""Describes the tensors and layers that the failing line of the reader's program names, while its frame still exists.

Only shapes, dtypes, devices and sizes of layers are shown, never values. No code of the reader runs: attributes are
looked up statically, and only the exact types of torch and NumPy are described. Nothing happens before the failure.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import linecache
import sys
from collections.abc import Iterable, Iterator
from types import FrameType, TracebackType
from typing import Any

# Maximum number of names described, of exceptions in a chain, and of elements of a list or tuple.
NAMES, CHAIN, ELEMENTS = 6, 20, 3
# The longest source that is parsed, in lines.
LONGEST_SOURCE = 50_000
# What identifies the size of a layer: the attributes that its class prints first.
_SIZES = {
    ("in_features", "out_features"): ("Linear", "Bilinear"),
    ("in_channels", "out_channels", "kernel_size"): ("Conv", "LazyConv"),
    ("num_embeddings", "embedding_dim"): ("Embedding",),
    ("num_features",): ("BatchNorm", "InstanceNorm", "SyncBatchNorm"),
    ("num_groups", "num_channels"): ("GroupNorm",),
    ("normalized_shape",): ("LayerNorm", "RMSNorm"),
    ("input_size", "hidden_size"): ("RNN", "LSTM", "GRU"),
    ("embed_dim", "num_heads"): ("MultiheadAttention",),
    ("kernel_size", "stride"): ("MaxPool", "AvgPool"),
    ("start_dim", "end_dim"): ("Flatten",),
}


def live_values(error: BaseException, file: str, line: int) -> list[str]:
    """Return descriptions such as `h: float32 (4, 8, 30, 30) on cpu` of what a line names when it failed.

    `file` and `line` (from 1) name a line in the traceback of `error` or of an exception that it follows from. Names
    whose objects are neither tensors, arrays, layers, nor lists or tuples of them are left out.
    """
    found = _innermost(error, file, line)
    if found is None:
        return []
    described: dict[str, str] = {}
    for name, value in _named(found):
        text = _description(value)
        if text:
            described.setdefault(name, text)
            if len(described) == NAMES:
                break
    return [f"{name}: {text}" for name, text in described.items()]


def _innermost(error: BaseException, file: str, line: int) -> TracebackType | None:
    """Return the innermost level of a traceback in a line, looking through the exceptions that led to this one."""
    current: BaseException | None = error
    for _ in range(CHAIN):
        if current is None:
            break
        found, trace = None, current.__traceback__
        while trace is not None:
            if trace.tb_lineno == line and trace.tb_frame.f_code.co_filename == file:
                found = trace
            trace = trace.tb_next
        if found is not None:
            return found
        current = current.__cause__ or current.__context__
    return None


def _named(trace: TracebackType) -> Iterator[tuple[str, Any]]:
    """Yield the names in the failing expression, then those in the rest of its statement, with their objects."""
    frame = trace.tb_frame
    statement = _statement(frame, trace.tb_lineno)
    if statement is None:
        return
    positions = next(itertools.islice(frame.f_code.co_positions(), trace.tb_lasti // 2, None), (None,) * 4)
    expressions = [
        node
        for part in statement
        for node in ast.walk(part)
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Load)
    ]
    seen: set[str] = set()
    for node in sorted(expressions, key=lambda node: (not _within(node, positions), node.lineno, node.col_offset)):
        name = ast.unparse(node)
        if name not in seen:
            seen.add(name)
            value = _looked_up(node, frame)
            if value is not _MISSING:
                yield name, value


def _statement(frame: FrameType, line: int) -> list[ast.AST] | None:
    """Return the expressions of the innermost statement at a line, without the statements that it contains."""
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    if not lines or len(lines) > LONGEST_SOURCE:
        return None
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError):  # such as a cell with a magic
        return None
    inner = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    if not inner:
        return None
    statement = max(inner, key=lambda node: (node.lineno, node.col_offset))
    return [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]


def _within(node: ast.expr, positions: Iterable[int | None]) -> bool:
    first, last, begin, end = positions
    if first is None or last is None or begin is None or end is None:
        return False
    start, stop = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    return (first, begin) <= start and stop <= (last, end)


_MISSING = object()


def _looked_up(node: ast.expr, frame: FrameType) -> Any:
    """Return the object of a name, of its attribute, or of its element, without running code of the reader."""
    if isinstance(node, ast.Name):
        for scope in (frame.f_locals, frame.f_globals):
            if node.id in scope:
                return scope[node.id]
        return _MISSING
    if isinstance(node, ast.Attribute):
        owner = _looked_up(node.value, frame)
        return _MISSING if owner is _MISSING else _attribute(owner, node.attr)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        owner, key = _looked_up(node.value, frame), node.slice.value
        if type(owner) in (list, tuple, dict) and type(key) is (str if type(owner) is dict else int):
            return owner[key] if (type(owner) is dict and key in owner) or _in_range(owner, key) else _MISSING
    return _MISSING


def _in_range(owner: Any, key: Any) -> bool:
    return type(owner) is not dict and -len(owner) <= key < len(owner)


def _attribute(owner: Any, name: str) -> Any:
    # A module keeps its layers, parameters and buffers in these dictionaries and finds them in `__getattr__`.
    for kept in ("_modules", "_parameters", "_buffers"):
        store = inspect.getattr_static(owner, kept, None)
        if type(store) is dict and name in store:
            return store[name]
    return inspect.getattr_static(owner, name, _MISSING)


def _description(value: Any) -> str | None:
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    kind = type(value)
    if torch is not None and kind in (torch.Tensor, torch.nn.Parameter):
        with torch._C.DisableTorchFunction():  # a mode of the reader would be called for `shape`
            return f"{str(value.dtype).removeprefix('torch.')} {_shape(value.shape)} on {value.device}"
    if numpy is not None and kind is numpy.ndarray:
        return f"ndarray {value.dtype.name} {_shape(value.shape)}"
    if torch is not None and issubclass(kind, torch.nn.Module):
        return _layer(value)
    if kind in (list, tuple):
        elements = [_description(element) for element in value[:ELEMENTS] if type(element) not in (list, tuple)]
        if elements and all(elements):
            more = "; ..." if len(value) > ELEMENTS else ""
            return f"{kind.__name__} of {len(value)} ({'; '.join(filter(None, elements))}{more})"
    return None


def _shape(sizes: Iterable[int]) -> str:
    """Return a shape as NumPy prints it; `()` for a scalar."""
    return str(tuple(int(size) for size in sizes))


def _layer(module: Any) -> str | None:
    """Return a layer of torch as `Linear(128, 10), float32 on cpu`, or None if it has neither a size nor a weight."""
    kind = type(module)
    name = type.__dict__["__name__"].__get__(kind)
    if type.__dict__["__module__"].__get__(kind).partition(".")[0] != "torch":
        return None
    sizes: tuple[Any, ...] = ()
    for attributes, names in _SIZES.items():
        if name.rstrip("123d") in names:
            sizes = tuple(inspect.getattr_static(module, attribute, None) for attribute in attributes)
    sized = sizes if all(_is_size(size) for size in sizes) else ()
    weight = _description(_attribute(module, "weight"))
    if not sized and not weight:
        return None
    text = f"{name}({', '.join(map(str, sized))})"
    return f"{text}, {weight.partition(' ')[0]} {weight.rpartition(') ')[2]}" if weight else text


def _is_size(value: Any) -> bool:
    return type(value) is int or (type(value) is tuple and all(type(size) is int for size in value))
