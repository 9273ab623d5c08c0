"""Make runs reproducible, and find out why two runs differ.

Use it before you compare two runs: a difference within seed-to-seed noise is not a result. Call `seed_everything(0)` at
the start of the program, before you create the model and the data. `same_twice(run)` checks whether a function, such as
ten training steps that return the losses, gives the same result twice, bit by bit.

`same_twice` prints the first difference, then seeds and tries again to find the reason. It restores random state, but
not what `run` itself changes, such as a model it trains.

**Healthy:** "the same twice, bit by bit". On a GPU this may need `deterministic=True`, since some operations otherwise
sum in a varying order: results differ by rounding, and the difference can grow during training. PyTorch does not
promise bitwise equality across versions, devices or thread counts. Deterministic operations are often slower.

PyTorch seeds DataLoader workers: `random`, `torch` and `numpy.random` differ from worker to worker and from epoch to
epoch. A generator that your dataset keeps is not reseeded: each worker gets a copy, and all draw the same numbers in
every epoch. `worker_init_fn=seed_worker` reseeds those. The order of a shuffling loader follows
`generator=seed_everything(0)`, or the global state without it.

Example:

    >>> import torch
    >>> from reproducibility import same_twice, seed_everything
    >>> def run():
    ...     model = torch.nn.Linear(4, 1)
    ...     return {"loss": model(torch.ones(8, 4)).square().mean()}
    >>> same_twice(run)  # doctest: +ELLIPSIS
    result['loss'] differs: ... and ...
    seeded, it is the same twice: call seed_everything(0) at the start of the run
    False
    >>> def seeded_run():
    ...     seed_everything(0)
    ...     return run()
    >>> same_twice(seeded_run)
    the same twice, bit by bit
    True
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch


def seed_everything(seed: int, deterministic: bool = False) -> torch.Generator:
    """Seed `random`, NumPy (if it is loaded) and PyTorch on every device; return a generator for a DataLoader.

    Args:
        seed: 0 to 2**32 - 1, which is what NumPy takes.
        deterministic: let operations raise that have no deterministic form, for the rest of the program. On CUDA call
            it before the first operation: cuBLAS reads its setting once.
    """
    if not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise ValueError(f"seed must be a whole number from 0 to 2**32 - 1, not {seed!r}")
    random.seed(seed)
    torch.manual_seed(seed)  # all devices
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(seed)
    if deterministic:
        if "CUBLAS_WORKSPACE_CONFIG" not in os.environ and torch.cuda.is_initialized():
            warnings.warn("CUDA is already in use: call seed_everything(..., deterministic=True) first", stacklevel=2)
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(True)
        torch.backends.cudnn.benchmark = False  # its choice of kernel depends on timing
    return torch.Generator().manual_seed(seed)


def seed_worker(worker_id: int) -> None:
    """For `DataLoader(..., worker_init_fn=seed_worker)`: reseed the generators that the data set keeps as attributes.

    Each gets a seed of its own in every worker and every epoch, which follows from the program's seed.
    """
    information = torch.utils.data.get_worker_info()
    if information is None:
        raise RuntimeError("seed_worker runs inside a worker: pass it as worker_init_fn, with num_workers above 0")
    number = 0
    datasets = [information.dataset]
    for dataset in datasets:
        attributes = getattr(dataset, "__dict__", {})
        if "dataset" in attributes:  # Subset
            datasets.append(attributes["dataset"])
        datasets += attributes.get("datasets", [])  # ConcatDataset
        for name, value in attributes.items():
            seed = (information.seed + 1_000_003 * number) % 2**32
            number += 1
            if isinstance(value, torch.Generator):
                value.manual_seed(seed)
            elif isinstance(value, random.Random):
                value.seed(seed)
            elif "numpy" in sys.modules and isinstance(value, sys.modules["numpy"].random.Generator):
                setattr(dataset, name, sys.modules["numpy"].random.default_rng(seed))


def same_twice(run: Callable[[], Any], seed: int = 0) -> bool:
    """Call `run()` twice and compare what it returns, bit by bit; where it differs, twice more, seeded with `seed`.

    `run` returns tensors and numbers, in dicts, lists, tuples or data classes as you like: losses, weights, a batch.
    """
    if not callable(run):
        raise TypeError(f"same_twice calls a function without arguments, not a {type(run).__name__}")
    with _random_state_kept():
        first, second = _copied(run()), _copied(run())
        if first is None:
            raise ValueError("run() returned None: return what is to be compared, such as the losses")
        difference = _difference(first, second, "result")
        if difference is None:
            print("the same twice, bit by bit")
            return True
        print(difference)
        seeded = []
        for _ in range(2):
            seed_everything(seed)
            seeded.append(_copied(run()))
        if _difference(*seeded, "result") is None:
            print(f"seeded, it is the same twice: call seed_everything({seed}) at the start of the run")
        else:
            print(
                "seeded, it still differs: something is kept from run to run (a model, a generator, a cache), "
                "or an operation is not deterministic (try deterministic=True)"
            )
    return False


def _difference(first: Any, second: Any, path: str) -> str | None:
    """Where two results differ for the first time, in words."""
    if type(first) is not type(second):
        return f"{path} differs in type: {type(first).__name__} and {type(second).__name__}"
    if isinstance(first, torch.Tensor):
        if first.shape != second.shape or first.dtype != second.dtype:
            kinds = [f"{list(tensor.shape)} {tensor.dtype}" for tensor in (first, second)]
            return f"{path} differs: {kinds[0]} and {kinds[1]}"
        if first.dim() == 0:
            same = torch.equal(first, second) or (first != first and second != second)
            return None if same else f"{path} differs: {first.item():.9g} and {second.item():.9g}"
        unequal = (first != second) & ~((first != first) & (second != second))  # NaN is the same as NaN here
        if not unequal.any():
            return None
        index = unequal.nonzero()[0].tolist()
        values = " and ".join(f"{tensor[tuple(index)].item():.9g}" for tensor in (first, second))
        return f"{path} differs in {int(unequal.sum())} of {first.numel()} values, the first at {index}: {values}"
    if isinstance(first, Mapping):
        if first.keys() != second.keys():
            return f"{path} differs in its keys: {list(first)} and {list(second)}"
        pairs = [(f"{path}[{key!r}]", first[key], second[key]) for key in first]
    elif isinstance(first, list | tuple):
        if len(first) != len(second):
            return f"{path} differs in length: {len(first)} and {len(second)}"
        pairs = [(f"{path}[{number}]", *both) for number, both in enumerate(zip(first, second, strict=True))]
    else:
        return None if first == second or first != first else f"{path} differs: {first!r} and {second!r}"
    return next((found for name, one, other in pairs if (found := _difference(one, other, name))), None)


def _copied(value: Any) -> Any:
    """A copy on the CPU: the second run must not change what the first one returned."""
    if isinstance(value, torch.Tensor):
        dense = value.detach().to_dense() if value.layout is not torch.strided else value.detach()
        return dense.to("cpu", copy=True)
    if isinstance(value, Mapping):
        return {key: _copied(part) for key, part in value.items()}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _copied(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, list | tuple):
        return [_copied(part) for part in value]
    if hasattr(value, "__array__"):
        return torch.as_tensor(value).clone()
    return value


@contextlib.contextmanager
def _random_state_kept() -> Iterator[None]:
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cuda")
    python_state = random.getstate()
    numpy_state = sys.modules["numpy"].random.get_state() if "numpy" in sys.modules else None
    try:
        with torch.random.fork_rng(range(torch.accelerator.device_count()), device_type=accelerator.type):
            yield
    finally:
        random.setstate(python_state)
        if numpy_state is not None:
            sys.modules["numpy"].random.set_state(numpy_state)
