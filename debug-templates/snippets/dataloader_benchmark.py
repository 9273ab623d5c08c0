"""Does training wait for data, and how many DataLoader workers are enough?

Start with `waiting_share(loader, step)`: it runs your step on the loader's batches and prints the share of time spent
waiting for the next batch. If that is large, `benchmark_loader(dataset)` reads the dataset with 0, 1, 2 and 4 workers
and prints the time per batch. For a custom loader, pass a function:
`benchmark_loader(lambda workers: DataLoader(dataset, 64, num_workers=workers))`.

For each number of workers it prints the time to the first batch, which includes starting the workers, and the
milliseconds per batch after that. `waiting_share` executes your step, so the model may be trained; `benchmark_loader`
restores random state.

**Healthy:** a waiting share below 5 %. Above 20 % the loader is a bottleneck: add workers while they help and the
machine has cores, then reduce the work per sample: decode once, resize in advance, augment on the GPU. If workers do
not help, either reading is cheap and 0 is right, or the storage (disk, network) is slow. A faster step waits longer, so
measure again after each change.

On macOS and Windows, where workers import the script, run it under `if __name__ == "__main__":`.

Example, a dataset that takes about 20 ms per sample:

    >>> import time
    >>> import torch
    >>> from torch.utils.data import DataLoader
    >>> from dataloader_benchmark import benchmark_loader, waiting_share
    >>> class Photographs(torch.utils.data.Dataset):
    ...     def __len__(self):
    ...         return 64
    ...     def __getitem__(self, index):
    ...         time.sleep(0.02)  # as decoding would
    ...         return torch.full((3,), float(index))
    >>> share = waiting_share(DataLoader(Photographs(), batch_size=4), lambda batch: batch.sum())  # doctest: +ELLIPSIS
    waiting for data ...% of the time: ... ms of ... ms a batch, over 15 batches
    >>> share > 0.8
    True
    >>> results = benchmark_loader(Photographs(), workers=(0, 2), batch_size=4)  # doctest: +ELLIPSIS
    workers  first batch     a batch   speed
          0 ... ms ... ms    1.0x
          2 ... ms ... ms    ...x
    2 workers are enough
    >>> results[2].seconds < results[0].seconds
    True
"""

from __future__ import annotations

import itertools
import time
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
from torch.utils.data import DataLoader, Dataset


class Loading(NamedTuple):
    """Seconds for the first batch, workers' start included, and for each of the `batches` after it."""

    first: float
    seconds: float
    batches: int


def benchmark_loader(
    data: Dataset[Any] | Callable[[int], Iterable[Any]],
    workers: Iterable[int] = (0, 1, 2, 4),
    batches: int = 50,
    limit: float = 10.0,
    **options: Any,
) -> dict[int, Loading]:
    """Read up to `batches` batches with each number of workers; print a table and return it by number of workers.

    Args:
        data: a data set, read through `DataLoader(data, num_workers=n, **options)`, or a function from the number of
            workers to a loader.
        limit: seconds after which each measurement ends.
        options: of the DataLoader, such as `batch_size=64, collate_fn=pad`.
    """
    if isinstance(data, DataLoader):
        raise TypeError("pass the data set and the loader's options: benchmark_loader(loader.dataset, batch_size=64)")
    if callable(data) and not hasattr(data, "__getitem__") and not hasattr(data, "__iter__"):
        if options:
            raise TypeError("a function makes the whole loader, so its options belong inside it")
        make = data
    elif hasattr(data, "__getitem__") or hasattr(data, "__iter__"):

        def make(number: int) -> Iterable[Any]:
            return DataLoader(data, num_workers=number, **options)

    else:
        raise TypeError(f"data must be a data set or a function from workers to loader, not a {type(data).__name__}")

    results: dict[int, Loading] = {}
    print("workers  first batch     a batch   speed")
    for number in workers:
        with _random_state_kept(), warnings.catch_warnings():
            # More workers than cores is what the table shows to be useless or not.
            warnings.filterwarnings("ignore", "This DataLoader will create", UserWarning)
            results[number] = result = _read(make(number), batches, limit)
        reference = next(iter(results.values())).seconds
        first, each = f"{1000 * result.first:.1f} ms", f"{1000 * result.seconds:.2f} ms"
        print(f"{number:>7} {first:>12} {each:>11} {reference / result.seconds:>6.1f}x")
    if not results:
        raise ValueError("workers must name at least one number of workers, such as (0, 2, 4)")
    fastest = min(result.seconds for result in results.values())
    enough = min(number for number, result in results.items() if result.seconds <= 1.1 * fastest)
    print(f"{enough} worker{' is' if enough == 1 else 's are'} enough")
    return results


def waiting_share(loader: Iterable[Any], step: Callable[[Any], Any], batches: int = 50) -> float:
    """Call `step(batch)` on up to `batches + 1` batches; print and return the share (0 to 1) of time spent waiting.

    The first batch does not count: it includes the start of the workers and the warm-up of the step.
    """
    if not callable(step):
        raise TypeError("waiting_share calls step(batch) for every batch; pass the function itself")
    waited = worked = 0.0
    count = -1
    iterator = iter(loader)
    while count < batches:
        start = time.perf_counter()
        try:
            batch = next(iterator)
        except StopIteration:
            break
        loaded = time.perf_counter()
        step(batch)
        if torch.accelerator.is_available():  # the step is over when the GPU has done it
            torch.accelerator.synchronize()
        end = time.perf_counter()
        count += 1
        if count:
            waited += loaded - start
            worked += end - loaded
    if count < 1:
        raise ValueError(f"the loader gave {count + 1} batches; waiting_share needs at least 2")
    total = waited + worked
    print(
        f"waiting for data {waited / total:.0%} of the time: "
        f"{1000 * waited / count:.3g} ms of {1000 * total / count:.3g} ms a batch, over {count} batches"
    )
    return waited / total


def _read(loader: Iterable[Any], batches: int, limit: float) -> Loading:
    start = time.perf_counter()
    iterator = iter(loader)
    if next(iterator, None) is None:
        raise ValueError("the loader gave no batch: empty data, or drop_last=True with less than one batch?")
    first = end = time.perf_counter()
    count = 0
    for _ in itertools.islice(iterator, batches):
        count += 1
        end = time.perf_counter()  # here, because the workers end before the loop does
        if end - start > limit:
            break
    del iterator  # ends the workers
    if count == 0:
        raise ValueError("the loader gave one batch only; use a smaller batch_size or more data to compare")
    return Loading(first - start, (end - first) / count, count)


def _random_state_kept() -> Any:
    """A context manager that restores the random state of the CPU and of the accelerators."""
    accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cuda")
    return torch.random.fork_rng(range(torch.accelerator.device_count()), device_type=accelerator.type)
