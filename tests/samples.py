"""A small catalog to plant violations in: one entry of each kind, with scripts that take hundredths of a second."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml

from torch_errors.catalog.entries import Catalog, Entry
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.locate import ENTRY_FILE
from torch_errors.maintaining.verify import Finding, verify
from torch_errors.running.runner import Runner

CATEGORY = "samples"
INDEX_FIELDS = {"title", "summary", "kind", "exception", "warning", "requires"}
SHAPES, BROADCAST, DIVERGE, GRAPH = "shapes-disagree", "loss-broadcasts", "weights-diverge", "graph-reused"
# The one with a confirmation that runs, and with cases; of the others, plants change what the scripts do.
VIEWED = "viewed-with-gaps"

ROWS: dict[str, dict[str, Any]] = {
    SHAPES: {
        "title": "Two shapes disagree",
        "summary": "The columns of one matrix are not the rows of the other.",
        "kind": "exception",
        "exception": "RuntimeError",
        "patterns": [{"match": r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 4x5\)"}],
    },
    BROADCAST: {
        "title": "The loss broadcasts",
        "summary": "Predictions and targets differ by a dimension of size one.",
        "kind": "warning",
        "warning": "UserWarning",
        "patterns": [{"match": "Using a target size .* different to the input size"}],
    },
    DIVERGE: {
        "title": "The weights diverge",
        "summary": "Every step is longer than the way to the minimum.",
        "kind": "silent",
        "measure": {"name": "final_loss", "healthy": {"max": 0.1}, "broken": {"min": 100}},
        "curve": {"x": "step", "y": ["loss"], "log": True},
        "wrong_fix": "same",
    },
    GRAPH: {
        "title": "A graph is used again",
        "summary": "The graph was freed by the first backward pass.",
        "kind": "exception",
        "exception": "RuntimeError",
        "patterns": [{"match": "Trying to backward through the graph a second time"}],
        "wrong_fix": {
            "kind": "exception",
            "exception": "RuntimeError",
            "patterns": [{"match": "modified by an inplace operation"}],
        },
    },
    VIEWED: {
        "title": "A view of another size",
        "summary": "The sizes of the view do not multiply to the number of elements.",
        "kind": "exception",
        "exception": "RuntimeError",
        "patterns": [
            {
                "match": r"shape '\[(?P<shape>[-\d, ]{1,80})\]' is invalid for input of size (?P<size>\d+)",
                "says": [
                    {"when": "size < 10", "say": "There are {size} elements."},
                    {"say": "There are many elements, {size}.", "fix": "Call `view({size})`."},
                ],
            }
        ],
        "fix": "Take sizes whose product is the number of elements.",
    },
}

_SHAPES = """\
import torch

left = torch.ones(2, 3)
right = torch.ones({rows}, 5)
product = left @ right{mark}
print(f"product={{tuple(product.shape)}}")
"""
_BROADCAST = """\
import torch
from torch.nn import functional as F

predictions = torch.ones(4, 1)
targets = torch.ones(4)
loss = F.mse_loss(predictions{change}, targets){mark}
print(f"loss={{loss.item():.1f}}")
"""
_DIVERGE = """\
import torch

torch.manual_seed(0)
weight = 1 + torch.rand(1)
for step in range(20):
    weight = weight - {rate} * weight{mark}
    print(f"step={{step}} loss={{weight.square().item():.4g}}")
print(f"final_loss={{weight.square().item():.4g}}")
"""
_GRAPH = """\
import torch

torch.manual_seed(0)
weights = torch.rand(3, requires_grad=True)
loss = weights.square().sum()
for step in range(2):
    loss.backward({option})  # error
    with torch.no_grad():
        weights -= 0.1 * weights.grad
    print(f"step={{step}}")
"""
_GRAPH_FIXED = """\
import torch

torch.manual_seed(0)
weights = torch.rand(3, requires_grad=True)
for step in range(2):
    loss = weights.square().sum()
    loss.backward()
    with torch.no_grad():
        weights -= 0.1 * weights.grad
    print(f"step={step}")
"""
_VIEWED = """\
import torch

batch = torch.arange({count})
rows = batch.view(2, 3){mark}
print(f"rows={{len(rows)}}")
"""
_CASES = """\
# fewer: a sample
import torch

# %% right: nothing is wrong
values = torch.zeros(2)
"""
_CASES_OF_VIEWED = """\
import torch

# %% seven
batch = torch.arange(7)
batch.view(2, 3)

# %% eight
batch = torch.arange(8)
batch.view(2, 3)

# %% twelve
batch = torch.arange(12)
batch.view(2, 3)
# %% fixed
batch = torch.arange(12)
batch.view(12)
batch = batch[:6]

# %% message: twenty
torch.arange(20).view(3)
# %% fixed
torch.arange(20).view(20)

# %% message: thirty
torch.arange(30).view(3)
# %% fixed
torch.arange(30).view(30)

# %% right: six
batch = torch.arange(6)
"""
SCRIPTS: dict[str, dict[str, str]] = {
    SHAPES: {
        "broken.py": _SHAPES.format(rows=4, mark="  # error"),
        "fixed.py": _SHAPES.format(rows=3, mark=""),
    },
    BROADCAST: {
        "broken.py": _BROADCAST.format(change="", mark="  # error"),
        "fixed.py": _BROADCAST.format(change=".squeeze(1)", mark=""),
    },
    DIVERGE: {
        "broken.py": _DIVERGE.format(rate="3.0", mark="  # error"),
        "fixed.py": _DIVERGE.format(rate="0.5", mark=""),
        "wrong_fix.py": _DIVERGE.format(rate="2.5", mark="  # error"),
    },
    GRAPH: {
        "broken.py": _GRAPH.format(option=""),
        "fixed.py": _GRAPH_FIXED,
        "wrong_fix.py": _GRAPH.format(option="retain_graph=True"),
    },
    VIEWED: {
        "broken.py": _VIEWED.format(count=4, mark="  # error"),
        "fixed.py": _VIEWED.format(count=6, mark=""),
        "cases.py": _CASES_OF_VIEWED,
    },
}

# The empty fences are filled in by `record`.
_PAGE = """\
# {title}

{summary}

## What you see

```text recorded="broken.out" part="message"
```
{seen}
## Fix

Change one line.
{fix}
## Why it happens

The two numbers must agree.
{wrong}
## Other wordings

No other wording is known.

## How to confirm it

{confirm}
```text recorded="fixed.out" match="="
```

## Related

- [PyTorch](https://pytorch.org)
"""
_SEEN = """
In short: `mat1 and mat2 shapes cannot be multiplied`. Elsewhere:

```text seen="torch 1.13.1"
RuntimeError: size mismatch, as an old version said it
```
"""
_FIX = """
```python
print(tuple(product.shape))
```

```text printed
```

```python raises="RuntimeError"
product @ left
```

```python no-run="half a line"
product @
```
"""
_CONFIRM = """\
```sh confirm no-run="nothing to be confirmed"
true
```
"""
_CONFIRM_VIEWED = """\
```python confirm
count = len(batch)  # your number
print("no," if count == 6 else "yes,", count, "elements")
```

```text verdicts
```
"""
_WRONG = """
## The popular fix that does not work

```text recorded="wrong_fix.out" part="message"
```
"""


class Sample:
    """A catalog of its own folder, to read, change and verify."""

    def __init__(self, root: Path):
        self.root = root

    @staticmethod
    def build(root: Path) -> Sample:
        """The five entries, without recordings."""
        sample = Sample(root)
        for id, row in ROWS.items():
            folder = sample.folder(id)
            folder.mkdir(parents=True)
            for name, source in SCRIPTS[id].items():
                (folder / name).write_text(source, encoding="utf-8")
            if "cases.py" not in SCRIPTS[id]:
                (folder / "cases.py").write_text(_CASES, encoding="utf-8")
            page = _PAGE.format(
                title=row["title"],
                summary=row["summary"],
                seen=_SEEN if id == SHAPES else "",
                fix=_FIX if id == SHAPES else "",
                wrong=_WRONG if "wrong_fix" in row else "",
                confirm=_CONFIRM_VIEWED if id == VIEWED else _CONFIRM,
            )
            (folder / "README.md").write_text(page, encoding="utf-8")
        sample.write_rows(ROWS)
        (sample.folder(SHAPES).parent / "README.md").write_text(
            "# Samples\n\nEntries of the tests.\n", encoding="utf-8"
        )
        return sample

    def copy(self, root: Path) -> Sample:
        shutil.copytree(self.root, root)
        return Sample(root)

    @property
    def index(self) -> Path:
        return self.root / "catalog.yaml"

    def folder(self, id: str) -> Path:
        return self.root / "common-errors" / CATEGORY / id

    def rows(self) -> dict[str, dict[str, Any]]:
        """Each entry with what both of its files say."""
        listed = yaml.safe_load(self.index.read_text(encoding="utf-8"))["categories"][CATEGORY]["entries"]
        files = {id: self.folder(id) / ENTRY_FILE for id in listed}
        details = {id: yaml.safe_load(path.read_text(encoding="utf-8")) or {} for id, path in files.items()}
        return {id: row | details[id] for id, row in listed.items()}

    def write_rows(self, rows: dict[str, dict[str, Any]]) -> None:
        """Replace the index and the entry files; what is no field of an index row goes into the entry's file."""
        listed = {id: {name: row[name] for name in row if name in INDEX_FIELDS} for id, row in rows.items()}
        category = {"title": "Samples", "summary": "Entries of the tests.", "entries": listed}
        self.index.write_text(_yaml({"categories": {CATEGORY: category}}), encoding="utf-8")
        for id, row in rows.items():
            self.folder(id).mkdir(parents=True, exist_ok=True)
            details = {name: row[name] for name in row if name not in INDEX_FIELDS}
            (self.folder(id) / ENTRY_FILE).write_text(_yaml(details), encoding="utf-8")

    def change_row(self, id: str, **fields: Any) -> None:
        """Set fields of an entry's row; None removes one."""
        rows = self.rows()
        rows[id] = {name: value for name, value in (rows[id] | fields).items() if value is not None}
        self.write_rows(rows)

    def edit(self, id: str, file: str, old: str, new: str) -> None:
        """Replace `old`, which must be there, everywhere in a file of an entry."""
        path = self.folder(id) / file
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{file} of {id} holds no {old!r}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def catalog(self) -> Catalog:
        return load_catalog(self.root)

    def entry(self, id: str) -> Entry:
        return self.catalog().entry(id)

    def verify(
        self, runner: Runner, *ids: str, seeds: int = 1, choose: Callable[[Entry], bool] = lambda entry: True
    ) -> dict[str, list[str]]:
        """What verification finds, as lines, an entry."""
        entries = [entry for entry in self.catalog() if choose(entry) and (not ids or entry.id in ids)]
        results = verify(entries, runner, seeds)
        return {result.entry.id: lines(result.findings) for result in results}


def _yaml(document: Any) -> str:
    return yaml.safe_dump(document, sort_keys=False, width=1000)


def lines(findings: Sequence[Finding]) -> list[str]:
    return [f"{finding.where}: {finding.problem}" for finding in findings]
