"""The texts that `torch-errors new` writes, by kind of entry.

They fit the schema and run. Each place to be filled in says so after `TODO:`, which verification reports.
"""

from __future__ import annotations

from torch_errors.catalog.fields import EntryKind
from torch_errors.catalog.locate import DETECTOR_FILE, ENTRY_FILE

TODO = "TODO:"  # marks each place that is to be filled in
SUMMARY = "TODO: say in one sentence what is wrong."

_ROW = """\
      {id}:
        title: {title}
        summary: '{summary}'
        kind: {kind}
"""
_PROMISED = {
    "exception": "        exception: RuntimeError\n",
    "warning": "        warning: UserWarning\n",
    "silent": "",
}


def row(kind: EntryKind, id: str, title: str) -> str:
    """The row of `catalog.yaml`."""
    return _ROW.format(id=id, title=title, summary=SUMMARY, kind=kind) + _PROMISED[kind]


def files(kind: EntryKind, title: str, symptom: str | None) -> dict[str, str]:
    """The files of the entry's folder, by name. `symptom`: a symptom of the catalog, or None if it has none."""
    if kind == "silent":
        symptoms = f"{{{symptom}: 1}}" if symptom else "{}"
        return {
            ENTRY_FILE: _SILENT_DETAILS.format(symptoms=symptoms),
            "broken.py": _SILENT_SCRIPT.format(why=_WHY_BROKEN, mark="  # error"),
            "fixed.py": _SILENT_SCRIPT.format(why=_WHY_FIXED, mark=""),
            "cases.py": _SILENT_CASES,
            "README.md": _PAGE.format(title=title, summary=SUMMARY, **_SILENT_PAGE),
            DETECTOR_FILE: _DETECTOR,
        }
    return {
        ENTRY_FILE: _MESSAGE_DETAILS,
        "broken.py": _MESSAGE_SCRIPT.format(why=_WHY_BROKEN, mark="  # error"),
        "fixed.py": _MESSAGE_SCRIPT.format(why=_WHY_FIXED, mark=""),
        "cases.py": _MESSAGE_CASES,
        "README.md": _PAGE.format(title=title, summary=SUMMARY, **_MESSAGE_PAGE),
    }


_WHY_BROKEN = "TODO: the smallest realistic program that shows the error; mark the line that is to blame."
_WHY_FIXED = "TODO: the same program with the smallest fix, and a comment there that says why."

_PAGE = """\
# {title}

{summary}

## What you see

{seen}

## Fix

TODO: the most common fix as code; if there are several causes, first a table "If ... then ...".

## Why it happens

TODO: the mechanism, with the shapes and numbers of this example.

TODO: below, add Other causes, The popular fix that does not work, When this does not apply, if there are any.

## Other wordings

{wordings}

## How to confirm it

```python confirm
# TODO: print a line that starts with yes or no, with the number that decides.
{confirm}
```

```text verdicts
```

TODO: say what this check cannot detect.

## Related

- TODO: entries to tell it apart from, and the official documentation.
"""

# Exceptions and warnings ----------------------------------------------------------------------------------------------

_MESSAGE_DETAILS = """\
# yaml-language-server: $schema=../../../entry.schema.json
fix: 'TODO: say in one sentence what the smallest fix is.'
patterns:
  - match: 'TODO: the words of the message that never change, with groups for its numbers: expected (?P<expected>\\d+)'
    says: 'TODO: say what happened, with those numbers: the layer expects {expected} features.'
keywords: []  # TODO: symptoms and related messages, in the words of the people who search for them
"""
_MESSAGE_SCRIPT = """\
import torch
from torch import nn

# {why}
model = nn.Linear(4, 2)
batch = torch.zeros(8, 4)
output = model(batch){mark}
print(f"output={{tuple(output.shape)}}")
"""
_MESSAGE_CASES = """\
import torch
from torch import nn

# %% TODO: the same fault in a program with other layers
model = nn.Linear(8, 2)
batch = torch.zeros(8, 8)
output = model(batch)
# %% fixed
# TODO: the program above with the fix that `explain` prints for it; delete this cell if that fix has no code.
model = nn.Linear(8, 2)
batch = torch.zeros(8, 8)
output = model(batch)

# %% TODO: with other sizes
model = nn.Linear(16, 2)
batch = torch.zeros(8, 16)
output = model(batch)

# %% message: TODO: from a different operation
# The confirmation does not run after cells of this kind.
batch = torch.zeros(8, 4) @ torch.zeros(4, 2)

# %% message: TODO: with a different dtype
batch = torch.zeros(8, 4, dtype=torch.float64) @ torch.zeros(4, 2, dtype=torch.float64)

# %% message: TODO: inside a training loop
batch = torch.zeros(16, 4) @ torch.zeros(4, 2)

# %% right: TODO: a correct program that looks like the fault
model = nn.Linear(4, 4)
batch = torch.zeros(8, 4)
output = model(batch)
"""
_MESSAGE_PAGE = {
    "seen": '```text recorded="broken.out" part="message"\n```\n\nTODO: how to read the numbers of the message.',
    "wordings": "TODO: what other versions and operations print.",
    "confirm": 'print("yes," if batch.shape[-1] != model.in_features else "no,", batch.shape[-1], "features")',
}

# Silent failures ------------------------------------------------------------------------------------------------------

_SILENT_DETAILS = """\
# yaml-language-server: $schema=../../../entry.schema.json
fix: 'TODO: say in one sentence what the smallest fix is.'
# TODO: the number that shows the failure, and its ranges, which lie a factor of two apart or more.
measure: {{name: final_loss, healthy: {{max: 0.1}}, broken: {{min: 1}}}}
curve: {{x: step, y: [loss]}}
keywords: []  # TODO: symptoms in the words of the people who search for them
symptoms: {symptoms}  # TODO: which symptoms of catalog.yaml it causes: 1 rarely, 2 sometimes, 3 often
"""
_SILENT_SCRIPT = """\
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
# {why}
batch = torch.randn(64, 4)
targets = batch.sum(dim=1, keepdim=True)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(30):
    loss = F.mse_loss(model(batch), targets)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step(){mark}
    print(f"step={{step}} loss={{loss.item():.4g}}")
print(f"final_loss={{loss.item():.4g}}")
"""
_SILENT_CASES = """\
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(0)
batch = torch.randn(64, 4)
targets = batch.sum(dim=1, keepdim=True)

# %% TODO: the same fault in a program with a different model
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
loss = F.mse_loss(model(batch), targets)

# %% TODO: with a different optimizer or different data
model = nn.Linear(4, 1)
loss = F.l1_loss(model(batch), targets)

# %% right: TODO: a correct program that looks like the fault
model = nn.Linear(4, 1)
loss = F.mse_loss(model(batch), model(batch).detach())
"""
_SILENT_PAGE = {
    "seen": """\
No error. TODO: say what the series shows.

```text recorded="broken.out" match="^step=([0-2]|29) "
```

```text recorded="broken.out" part="message"
```

With the fix:

```text recorded="fixed.out" part="message"
```""",
    "wordings": "TODO: how people describe it.",
    "confirm": 'print("yes," if loss.item() > 1000 else "no,", f"the loss is {loss.item():.3g}")',
}
_DETECTOR = '''\
"""Strong: TODO: say what the run must show before the entry is reported, and why nothing else explains it.

TODO: say when the detector stays silent although the fault may be there, and when something correct looks like it.
Start with `Proof:` instead if a single observation settles it, such as the graph of `backward()` or the order of calls.
`torch_errors/watching/detector.py` lists the events, a method each, and what the run knows: `self.run`.
If no run can show this failure, delete this file: a detector is optional, and silence is better than a false alarm.
"""

from __future__ import annotations

from torch_errors.watching.detector import Detector


class Watch(Detector):
    saw = {
        "en": "TODO: what was seen, with the program's numbers: the loss is {loss:.3g} after {steps} steps",
        "zh": "TODO: 看到了什么，写上程序里的数字：{steps} 步之后 loss 是 {loss:.3g}",
    }

    def on_step(self, optimizer):
        # TODO: a condition that holds for this fault and for nothing else. It must hold for broken.py.
        if self.run.steps > 10 and self.run.losses[-1] > 1e30:
            self.find("strong", loss=self.run.losses[-1], steps=self.run.steps)
'''
