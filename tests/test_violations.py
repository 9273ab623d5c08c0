"""Every promise of an entry, broken on purpose: verification must say so, and say nothing else.

Most violations are planted side by side in one catalog, each in a copy of an entry of `samples.py`, so that one
verification runs them all. What it finds is compared as a whole: a finding that was not expected is a false alarm.
"""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests import data
from tests.samples import BROADCAST, DIVERGE, GRAPH, ROWS, SHAPES, VIEWED, Sample, lines
from torch_errors.cli import main
from torch_errors.errors import UserError
from torch_errors.maintaining.verify import check_files, check_folders, judge, verify
from torch_errors.running.report import Job, Limits, Report
from torch_errors.running.runner import Runner

PROGRAMS = data("programs.yaml")["violations"]

Edit = tuple[str, str, str]  # file, old text, new text; an empty old text means the whole file
HEAD = "import torch\n"
PRODUCT = "product = left @ right  # error"
LAST_SHAPES = 'print(f"product={tuple(product.shape)}")\n'
LAST_GRAPH = '    print(f"step={step}")\n'
LAST_LOSS = 'print(f"final_loss={weight.square().item():.4g}")\n'
LOSS_FIXED = "loss = F.mse_loss(predictions.squeeze(1), targets)"
LOSS_BROKEN = "loss = F.mse_loss(predictions, targets)"
OTHER_MESSAGE = r"broken\.out: the message is another now; .*"
QUOTE = r"README\.md:\d+: is not what was recorded; .*"


@dataclass(frozen=True)
class Plant:
    """One violation: what is changed in a copy of `base`, and all that verification must say of it."""

    name: str
    base: str
    expected: list[str] = field(default_factory=list)  # regular expressions, one a finding
    edits: list[Edit] = field(default_factory=list)
    row: dict[str, Any] = field(default_factory=dict)
    remove: list[str] = field(default_factory=list)
    swap: bool = False
    static: bool = False  # to be found without running anything
    recode: list[str] = field(default_factory=list)  # files to be saved in another encoding than UTF-8

    def put(self, sample: Sample) -> None:
        folder = sample.folder(self.name)
        if self.swap:
            broken, fixed = folder / "broken.py", folder / "fixed.py"
            broken_source = broken.read_text(encoding="utf-8")
            broken.write_text(fixed.read_text(encoding="utf-8"), encoding="utf-8")
            fixed.write_text(broken_source, encoding="utf-8")
        for file, old, new in self.edits:
            if old:
                sample.edit(self.name, file, old, new)
            else:
                (folder / file).write_text(new, encoding="utf-8")
        for file in self.remove:
            (folder / file).unlink()
        for file in self.recode:
            text = (folder / file).read_text(encoding="utf-8")
            (folder / file).write_text(text + "# größer\n", encoding="latin-1")


def _after(file: str, old: str, *added: str) -> Edit:
    """Lines put behind `old`."""
    return (file, old, old + "".join(f"{line}\n" for line in added))


CONTROLS = [Plant(f"as-it-is-{base}", base) for base in (SHAPES, BROADCAST, DIVERGE, GRAPH)] + [
    Plant("temporary-folder", SHAPES, edits=[
        _after("fixed.py", HEAD, "import tempfile", "with tempfile.TemporaryDirectory() as folder:",
               "    torch.save(left := torch.ones(1), folder + '/left.pt')"),
    ]),
    Plant("setting-of-torch", SHAPES, edits=[_after("fixed.py", HEAD, "torch.backends.cudnn.benchmark = False")]),
    Plant("method-of-its-own-object", SHAPES, edits=[
        _after("fixed.py", HEAD, "class Batch:", "    pass", "batch = Batch()", "batch.size = 3",
               "setattr(batch, 'rows', 3)"),
    ]),
    Plant("process-that-is-waited-for", BROADCAST, edits=[
        _after("fixed.py", HEAD, "import subprocess, sys", "subprocess.run([sys.executable, '-S', '-c', 'pass'])"),
    ]),
    Plant("loopback", BROADCAST, edits=[
        _after("fixed.py", HEAD, "import socket", "server = socket.create_server(('127.0.0.1', 0))",
               "socket.create_connection(server.getsockname()).close()", "server.close()"),
    ]),
]  # fmt: skip

EXCEPTIONS = [
    Plant("swapped", SHAPES, [
        r"broken\.py: promised RuntimeError, ended with exit status 0 and no exception",
        r"broken\.py: one line must end in `# error`; 0 do",
        r"fixed\.py:5: is marked `# error`",
        r"fixed\.py: ended with RuntimeError: .*mat1 and mat2 .*",
        r"README\.md:\d+: the blocks stop at this one: RuntimeError: .*mat1 and mat2 .*",
    ], swap=True),
    Plant("another-type", SHAPES, [r"broken\.py: promised RuntimeError, raised IndexError: .*", OTHER_MESSAGE],
          [("broken.py", "left @ right", "left[7]")]),
    Plant("subclass-of-the-type", SHAPES,
          [r"broken\.py: promised RuntimeError, raised NotImplementedError: .*", OTHER_MESSAGE],
          [("broken.py", "left @ right", "left.to('meta').to('cpu')")]),
    Plant("another-message", SHAPES, [r"broken\.py: no pattern matches the message: shape '\[7\]' .*", OTHER_MESSAGE],
          [("broken.py", "left @ right", "left.view(7)")]),
    Plant("another-number-than-recorded", SHAPES, [OTHER_MESSAGE],
          [("broken.py", "torch.ones(2, 3)", "torch.ones(6, 3)")],
          {"patterns": [{"match": "mat1 and mat2 shapes cannot be multiplied"}]}),
    Plant("error-in-another-line", SHAPES, [r"broken\.py: the error comes from line 5, and `# error` marks line 4"],
          [("broken.py", PRODUCT, "product = left @ right"), ("broken.py", "(4, 5)\n", "(4, 5)  # error\n")]),
    Plant("no-mark", SHAPES, [r"broken\.py: the error comes from line 5, and `# error` marks line none",
                              r"broken\.py: one line must end in `# error`; 0 do"],
          [("broken.py", "  # error", "")]),
    Plant("mark-only-in-a-string", SHAPES, [r"broken\.py: the error comes from line 5, and `# error` marks line none",
                                            r"broken\.py: one line must end in `# error`; 0 do"],
          [("broken.py", "  # error", ""), ("broken.py", LAST_SHAPES, 'print("""\n# error\n""")\n')]),
    Plant("two-marks", SHAPES, [r"broken\.py: one line must end in `# error`; 2 do"],
          [("broken.py", "(4, 5)\n", "(4, 5)  # error\n")]),
    Plant("mark-in-fixed", SHAPES, [r"fixed\.py:5: is marked `# error`"],
          [("fixed.py", "left @ right", "left @ right  # error")]),
    Plant("not-python", SHAPES, [r"broken\.py:5: is not Python: .*", OTHER_MESSAGE,
                                 r"broken\.py: promised RuntimeError, raised SyntaxError: .*"],
          [("broken.py", "left @ right", "left @ @ right")]),
    Plant("fixed-still-fails", GRAPH, [r"fixed\.py: ended with RuntimeError: Trying to backward .*"],
          [("fixed.py", "    loss.backward()\n", "    loss.backward()\n    loss.backward()\n")]),
    Plant("fixed-exits-1", GRAPH, [r"fixed\.py: ended with exit status 1", r"fixed\.py:\d+: staged: sys\.exit\(\)"],
          [_after("fixed.py", LAST_GRAPH, "import sys", "sys.exit(1)")]),
    Plant("killed-by-a-signal", SHAPES,
          [r"broken\.py: promised RuntimeError, ended with exit status -11 and no exception"],
          [("broken.py", PRODUCT, "import ctypes\nproduct = ctypes.string_at(0)  # error")]),
]  # fmt: skip

STAGED = [
    Plant(f"staged-{name}", SHAPES, [rf"broken\.py:2: staged: {what}"],
          [_after("broken.py", HEAD, *added)], static=True)
    for name, what, added in [
        ("import-warnings", "import warnings", ["import warnings"]),
        ("import-mock", r"from unittest import", ["from unittest import mock"]),
        ("setattr", r"setattr\(\) on torch", ["setattr(torch, 'answer', 42)"]),
        ("delattr", r"delattr\(\) on torch\.nn", ["False and delattr(torch.nn, 'Linear')"]),
        ("assignment", r"torch\.Tensor\.answer is replaced", ["torch.Tensor.answer = 42"]),
        ("annotated-assignment", r"torch\.answer is replaced", ["torch.answer: int = 42"]),
        ("unpacking-assignment", r"torch\.answer is replaced", ["torch.answer, other = 42, 43"]),
        ("augmented-assignment", r"torch\.pi is replaced", ["torch.pi += 0"]),
        ("assert", "assert", ["assert torch.pi > 3"]),
        ("exec", r"exec\(\)", ["exec('pass')"]),
    ]
] + [
    Plant("staged-raise", SHAPES, [r"broken\.py:5: staged: raise", OTHER_MESSAGE],
          [("broken.py", PRODUCT,
            'raise RuntimeError("mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)")  # error')]),
    Plant("staged-exit", SHAPES, [r"broken\.py:5: staged: sys\.exit\(\)",
                                  r"broken\.py: promised RuntimeError, ended with exit status 3 and no exception"],
          [("broken.py", HEAD, "import torch, sys\n"), ("broken.py", PRODUCT, "sys.exit(3)  # error")]),
    Plant("swallowed", GRAPH, [r"fixed\.py:\d+: staged: except catches what the entry is about"],
          [("fixed.py", "    loss.backward()\n",
            "    loss.backward()\n    try:\n        loss.backward()\n    except RuntimeError:\n        pass\n")]),
    Plant("suppressed", GRAPH,
          [r"fixed\.py:\d+: staged: import of suppress", r"fixed\.py:\d+: staged: contextlib\.suppress\(\)"],
          [_after("fixed.py", HEAD, "from contextlib import suppress"),
           ("fixed.py", "    loss.backward()\n",
            "    loss.backward()\n    with suppress(RuntimeError):\n        loss.backward()\n")]),
]  # fmt: skip


def _silenced(*lines: str, call: str = LOSS_BROKEN) -> list[Edit]:
    """A fix of the warning entry that leaves the mistake in and hides the warning."""
    return [("fixed.py", LOSS_FIXED, call), _after("fixed.py", HEAD, *lines)]


WARNINGS = [
    Plant("silenced-by-a-filter", BROADCAST, [r"fixed\.py:2: staged: import warnings"],
          _silenced("import warnings", "warnings.filterwarnings('ignore')")),
    Plant("silenced-by-simplefilter", BROADCAST,
          [r"fixed\.py:2: staged: from warnings import", r"fixed\.py:3: staged: warnings\.simplefilter\(\)"],
          _silenced("from warnings import simplefilter", "simplefilter('ignore')")),
    Plant("silenced-in-a-context", BROADCAST, [r"fixed\.py:2: staged: import warnings"],
          _silenced("import warnings", call=f"with warnings.catch_warnings(action='ignore'):\n    {LOSS_BROKEN}")),
    Plant("silenced-by-the-environment", BROADCAST,
          [r"fixed\.py:3: staged: PYTHONWARNINGS is set", r"fixed\.py: warned: UserWarning: Using a target size .*"],
          _silenced("import os", "os.environ['PYTHONWARNINGS'] = 'ignore'")),
    Plant("silenced-by-another-stream", BROADCAST,
          [r"fixed\.py:3: staged: sys\.stderr is replaced", r"fixed\.py: warned: UserWarning: Using a target size .*"],
          _silenced("import io, sys", "sys.stderr = io.StringIO()")),
    Plant("another-category", BROADCAST,
          [r"broken\.py: promised a DeprecationWarning that matches; warnings seen: UserWarning: Using a .*",
           r"broken\.out: the recording of broken\.py shows no DeprecationWarning",
           r"README\.md:\d+: the recording of broken\.py shows no DeprecationWarning"],
          row={"warning": "DeprecationWarning"}),
    Plant("another-warning", BROADCAST,
          [r"broken\.py: promised a UserWarning that matches; warnings seen: UserWarning: Using a .*",
           r"broken\.out: no pattern matches the recorded message: .*"],
          row={"patterns": [{"match": "lr_scheduler.step"}]}),
    Plant("warning-from-another-line", BROADCAST,
          [r"broken\.py: the warning comes from line 6, and `# error` marks line 5"],
          [("broken.py", "  # error", ""), ("broken.py", "torch.ones(4)\n", "torch.ones(4)  # error\n")]),
    Plant("no-warning", BROADCAST, [r"broken\.py: promised a UserWarning that matches; warnings seen: none"],
          [("broken.py", "(predictions, targets)", "(predictions.squeeze(1), targets)")]),
    Plant("warning-and-exception", BROADCAST, [r"broken\.py: ended with IndexError: .*"],
          [("broken.py", 'print(f"loss={loss.item():.1f}")', "print(targets[7])")]),
    Plant("fixed-still-warns", BROADCAST, [r"fixed\.py: warned: UserWarning: Using a target size .*"],
          [("fixed.py", "predictions.squeeze(1)", "predictions")]),
    Plant("fixed-warns-at-its-end", BROADCAST, [r"fixed\.py: warned: UserWarning: Using a target size .*"],
          [_after("fixed.py", HEAD, "import atexit",
                  "atexit.register(lambda: torch.nn.functional.mse_loss(torch.ones(4, 1), torch.ones(4)))")]),
    Plant("fixed-warns-from-cpp", BROADCAST, [r"fixed\.py: printed a warning of torch's C\+\+ side"],
          [_after("fixed.py", HEAD, "import os",
                  "os.write(2, b'[W1024 11:22:33.444 engine.cpp:55] Warning: grad of a leaf (function run)\\n')")]),
]  # fmt: skip

MEASURES = [
    Plant("healthy-measure", DIVERGE, [r"broken\.py: final_loss=\S+ is not in the broken range \(>= 100\)"],
          [("broken.py", "3.0 * weight", "0.5 * weight")]),
    Plant("measure-between-the-ranges", DIVERGE, [r"broken\.py: final_loss=1 is not in the broken range \(>= 100\)"],
          [("broken.py", LAST_LOSS, 'print(f"final_loss={weight.numel()}")\n')]),
    Plant("unhealthy-fix", DIVERGE, [r"fixed\.py: final_loss=\S+ is not in the healthy range \(<= 0\.1\)"],
          [("fixed.py", "0.5 * weight", "2.5 * weight")]),
    Plant("no-measure", DIVERGE,
          [r"broken\.py: must print `final_loss=value` alone on one line, printed it 0 times"],
          [("broken.py", LAST_LOSS, "")]),
    Plant("measure-not-alone-on-its-line", DIVERGE,
          [r"broken\.py: must print `final_loss=value` alone on one line, printed it 0 times"],
          [("broken.py", 'f"final_loss=', 'f"in the end final_loss=')]),
    Plant("measure-twice", DIVERGE,
          [r"fixed\.py: must print `final_loss=value` alone on one line, printed it 2 times"],
          [("fixed.py", LAST_LOSS, LAST_LOSS * 2)]),
    Plant("measure-is-not-a-number", DIVERGE,
          [r"broken\.py: final_loss=unknown is not .*",
           r"wrong_fix\.py: final_loss=\S+ is not in the broken range \(nan\)",
           r"(broken|wrong_fix)\.out: the recorded final_loss=\S+ is not in the broken range \(nan\)"],
          [("broken.py", LAST_LOSS, "print(f\"final_loss={'unknown' if weight else ''}\")\n")],
          {"measure": {"name": "final_loss", "healthy": {"max": 0.1}, "broken": {"nan": True}}}),
    *(
        Plant(f"constant-measure-{number}", DIVERGE, [r"broken\.py:8: staged: final_loss is printed as a constant"],
              [("broken.py", LAST_LOSS, line + "\n")])
        for number, line in enumerate([
            'print("final_loss=1e12")', 'print(f"final_loss={1e12}")', 'print("final_loss=", 1e12, sep="")',
            'print(f"final_loss={+1e12}")', 'print("final_loss=" + str(1e12))', 'print("final_loss=%g" % 1e12)',
            'print("final_loss={}".format(1e12))',
        ])
    ),
    Plant("silent-with-a-warning", DIVERGE, [r"broken\.py: warned: UserWarning: Using a target size .*"],
          [("broken.py", LAST_LOSS,
            LAST_LOSS + "torch.nn.functional.mse_loss(torch.ones(4, 1), torch.ones(4))\n")]),
    Plant("silent-with-an-exception", DIVERGE, [r"broken\.py: ended with IndexError: .*"],
          [("broken.py", LAST_LOSS, LAST_LOSS + "weight[7]\n")]),
    Plant("recorded-measure-in-no-promised-range", DIVERGE, [r"broken\.out: .*final_loss=0\.001.*"],
          [("broken.out", "\nfinal_loss=", "\nfinal_loss=0.001\nearlier_loss="),
           ("README.md", 'text recorded="broken.out" part="message"\nfinal_loss=',
            'text recorded="broken.out" match="^(final|earlier)_loss"\nfinal_loss=0.001\nearlier_loss=')]),
]  # fmt: skip

WRONG_FIXES = [
    Plant("wrong-fix-works", GRAPH,
          [r"wrong_fix\.py: promised RuntimeError, ended with exit status 0 and no exception"],
          [("wrong_fix.py", "    loss.backward(retain_graph=True)  # error\n",
            "    loss = weights.square().sum()\n    loss.backward()\n")]),
    Plant("wrong-fix-measures-well", DIVERGE,
          [r"wrong_fix\.py: final_loss=\S+ is not in the broken range \(>= 100\)"],
          [("wrong_fix.py", "2.5 * weight", "0.5 * weight")]),
    Plant("wrong-fix-fails-as-broken", GRAPH,
          [r"wrong_fix\.py: no pattern matches the message: Trying to backward .*",
           r"wrong_fix\.out: the message is another now; .*"],
          [("wrong_fix.py", "retain_graph=True", "")]),
    Plant("wrong-fix-without-row", GRAPH,
          [r"wrong_fix\.py: entry\.yaml does not say how it fails: .*",
           r"README\.md:\d+: .*no recording 'wrong_fix\.out' in this entry"],
          row={"wrong_fix": None}),
    Plant("wrong-fix-without-file", SHAPES,
          [r"wrong_fix\.py: is missing", r"wrong_fix\.out: is missing; .*"], row={"wrong_fix": "same"}),
]  # fmt: skip

MESSAGE_FENCE = 'text recorded="broken.out" part="message"'
INLINE = "`mat1 and mat2 shapes cannot be multiplied`"

TEXTS = [
    Plant("quote-is-not-recorded", SHAPES, [QUOTE], [("README.md", "(2x3 and 4x5)", "(2x3 and 9x9)")]),
    Plant("fixed-recording-of-a-failure", SHAPES, [r"fixed\.out: exit status 1"],
          [("fixed.out", "# exit status 0", "# exit status 1")]),
    Plant("no-recording", SHAPES, [r"broken\.out: is missing; .*"], remove=["broken.out"]),
    Plant("fence-without-source", SHAPES, [r"README\.md:\d+: the fence must say where its text comes from: .*"],
          [("README.md", MESSAGE_FENCE, "text")]),
    Plant("fence-without-language", SHAPES, [r"README\.md:\d+: the fence must say where its text comes from: .*"],
          [("README.md", "Change one line.\n", "```\nRuntimeError: something else\n```\n")]),
    Plant("console-fence", SHAPES, [r"README\.md:\d+: the fence must say where its text comes from: .*"],
          [("README.md", "Change one line.\n", "```console\n$ python broken.py\nRuntimeError: other\n```\n")]),
    Plant("indented-block", SHAPES, [r"README\.md:\d+: .*"],
          [("README.md", "Change one line.\n", "Change one line:\n\n    RuntimeError: a message of no run\n")]),
    Plant("fence-of-an-unknown-recording", SHAPES, [r"README\.md:\d+: .*no recording 'wrong_fix\.out' in this entry"],
          [("README.md", 'recorded="fixed.out"', 'recorded="wrong_fix.out"')]),
    Plant("fence-of-no-line", SHAPES, [r"README\.md:\d+: .*no line of fixed\.out matches 'nothing'"],
          [("README.md", 'match="="', 'match="nothing"')]),
    Plant("fence-of-no-part", SHAPES, [r"README\.md:\d+: .*needs part=.*"], [("README.md", ' part="message"', "")]),
    Plant("seen-without-version", SHAPES, [r'README\.md:\d+: seen="…" must name the torch version'],
          [("README.md", 'seen="torch 1.13.1"', 'seen="long ago"')]),
    Plant("invented-message-in-the-text", SHAPES,
          [r"README\.md:\d+: quotes a message that no recording holds: 'the tensors do not fit together'"],
          [("README.md", INLINE, "`the tensors do not fit together`")]),
    Plant("another-title", SHAPES, [r"README\.md: the title must be the catalog's, 'Two shapes disagree'"],
          [("README.md", "# Two shapes disagree", "# Two shapes differ")]),
    Plant("two-titles", SHAPES, [r"README\.md: the title must be the catalog's, 'Two shapes disagree'"],
          [("README.md", "Change one line.", "# Change one line")]),
    Plant("another-statement", SHAPES, [r"README\.md: the first paragraph must be the catalog's summary, .*"],
          [("README.md", "The columns of one matrix", "Mostly the columns")]),
    Plant("section-missing", SHAPES, [r"README\.md: lacks the section Related"],
          [("README.md", "## Related", "### Related")]),
    Plant("sections-in-another-order", SHAPES, [r"README\.md: sections must be, in this order: .*"],
          [("README.md", "## How to confirm it", "## Related again"),
           ("README.md", "## Related\n", "## How to confirm it\n"),
           ("README.md", "## Related again", "## Related")]),
    Plant("section-of-its-own", SHAPES, [r"README\.md: sections must be, in this order: .*"],
          [("README.md", "## Related", "## Thanks\n\n## Related")]),
]  # fmt: skip

PAGES = [
    Plant("recording-was-forged", SHAPES, [OTHER_MESSAGE],
          [(file, "RuntimeError: ", "RuntimeError: Oh no, ") for file in ("README.md", "broken.out")]),
    Plant("recording-shows-another-error", SHAPES,
          [r"broken\.out: no pattern matches the recorded .*", OTHER_MESSAGE, QUOTE],
          [("broken.out", "cannot be multiplied", "are fine")]),
    Plant("printed-by-no-block", SHAPES, [r"README\.md:\d+: .*"], [("README.md", "\n(2, 5)\n", "\n(5, 2)\n")]),
    Plant("block-fails", SHAPES, [r"README\.md:\d+: the block should raise nothing, raised NameError: .*"],
          [("README.md", "print(tuple(product.shape))", "print(tuple(products.shape))")]),
    Plant("block-does-not-raise", SHAPES, [r"README\.md:\d+: the block should raise RuntimeError, raised nothing"],
          [("README.md", 'raises="RuntimeError"\nproduct @ left', 'raises="RuntimeError"\nproduct + 1')]),
    Plant("block-raises-another-type", SHAPES,
          [r"README\.md:\d+: the block should raise ValueError, raised RuntimeError: .*"],
          [("README.md", 'raises="RuntimeError"', 'raises="ValueError"')]),
    Plant("block-ends-the-run", SHAPES, [r"README\.md:\d+: the blocks stop at this one: .*"],
          [("README.md", "print(tuple(product.shape))", "exit()")]),
    Plant("block-is-not-python", SHAPES, [r"README\.md:\d+: the block should raise nothing, raised SyntaxError: .*"],
          [("README.md", "print(tuple(product.shape))", "print(tuple(product.shape)")]),
    Plant("no-page", SHAPES, [r"README\.md: is missing"], remove=["README.md"]),
    Plant("no-fixed", SHAPES, [r"fixed\.py: is missing"], remove=["fixed.py"]),
]  # fmt: skip

SLEEP = "[sys.executable, '-S', '-c', 'import time; time.sleep(300)']"
DOUBLE_FORK = PROGRAMS["double fork"]

SANDBOX = [
    Plant("writes-beside-itself", BROADCAST,
          [r"fixed\.py: tried to leave its sandbox: open outside its own folder: .*/notes\.txt",
           r"fixed\.py: ended with PermissionError: .*"],
          [_after("fixed.py", HEAD, "from pathlib import Path",
                  "Path(__file__).with_name('notes.txt').write_text('x')")]),
    Plant("saves-beside-itself", BROADCAST,
          [r"common-errors/samples/saves-beside-itself/weights\.pt: was written while .*"],
          [_after("fixed.py", HEAD, "from pathlib import Path",
                  "torch.save(torch.ones(1), Path(__file__).parent / 'weights.pt')")]),
    Plant("makes-a-folder-beside-itself", BROADCAST,
          [r"fixed\.py: tried to leave its sandbox: os\.mkdir outside its own folder: .*/runs",
           r"fixed\.py: ended with PermissionError: .*"],
          [_after("fixed.py", HEAD, "from pathlib import Path", "Path(__file__).with_name('runs').mkdir()")]),
    Plant("removes-what-is-not-its-own", BROADCAST,
          [r"fixed\.py: tried to leave its sandbox: os\.remove outside its own folder: .*/broken\.py",
           r"fixed\.py: ended with PermissionError: .*"],
          [_after("fixed.py", HEAD, "from pathlib import Path", "Path(__file__).with_name('broken.py').unlink()")]),
    Plant("leaves-a-file", BROADCAST, [r"fixed\.py: left a file behind: work/notes\.txt"],
          [_after("fixed.py", HEAD, "open('notes.txt', 'w').close()")]),
    Plant("leaves-a-saved-file", BROADCAST, [r"fixed\.py: left a file behind: work/weights\.pt"],
          [_after("fixed.py", HEAD, "torch.save(torch.ones(1), 'weights.pt')")]),
    Plant("leaves-a-temporary-file", BROADCAST, [r"fixed\.py: left a file behind: tmp/\w+"],
          [_after("fixed.py", HEAD, "import tempfile", "tempfile.mkstemp()")]),
    Plant("connects", BROADCAST, [r"fixed\.py: tried to leave its sandbox: socket\.connect to 192\.0\.2\.1",
                              r"fixed\.py: ended with PermissionError: .*"],
          [_after("fixed.py", HEAD, "import socket", "socket.socket().connect(('192.0.2.1', 80))")]),
    Plant("sends", BROADCAST, [r"fixed\.py: tried to leave its sandbox: socket\.sendto to 192\.0\.2\.1",
                           r"fixed\.py: ended with PermissionError: .*"],
          [_after("fixed.py", HEAD, "import socket",
                  "socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 80))")]),
    Plant("downloads", BROADCAST, [r"fixed\.py: tried to leave its sandbox: socket\.getaddrinfo of '192\.0\.2\.1'",
                               r"fixed\.py: ended with URLError: .*"],
          [_after("fixed.py", HEAD, "import urllib.request", "urllib.request.urlopen('http://192.0.2.1/')")]),
    Plant("never-ends", BROADCAST, [r"fixed\.py: (--watch: )?ran longer than 2 s"],
          [_after("fixed.py", HEAD, "while True:", "    pass")], {"timeout": 2}),
    Plant("prints-without-end", BROADCAST, [r"fixed\.py: (--watch: )?printed more than 1000000 bytes"],
          [_after("fixed.py", HEAD, "while True:", "    print('x' * 1000)")]),
    Plant("leaves-a-process", BROADCAST, [r"fixed\.py: left a process behind: \S+ \(pid \d+\)"],
          [_after("fixed.py", HEAD, "import subprocess, sys", f"subprocess.Popen({SLEEP})")]),
    Plant("leaves-a-daemon", BROADCAST,
          [r"fixed\.py: left a process behind: .*\(pid \d+\)", r"fixed\.py:\d+: staged: os\._exit\(\)"],
          [_after("fixed.py", HEAD, "import os, time", *DOUBLE_FORK.splitlines())]),
]  # fmt: skip

# What could end a whole verification instead of being found in one entry is verified by itself.
ALONE = [
    Plant("recording-without-last-line", SHAPES,
          [r"broken\.out: .*: not a recording; .*", r"README\.md:\d+: .*: not a recording; .*"],
          [("broken.out", "# exit status 1", "exit status 1")]),
    Plant("fence-with-a-bad-pattern", SHAPES, [r"README\.md:\d+: .*regular expression.*"],
          [("README.md", 'match="="', 'match="("')]),
    Plant("script-not-utf8", SHAPES,
          [r"fixed\.py: .*UTF-8.*", r"fixed\.py: ended with SyntaxError: .*", r"README\.md:\d+: the blocks stop .*"],
          recode=["fixed.py"]),
    Plant("page-not-utf8", SHAPES, [r"README\.md.*: .*UTF-8.*"], recode=["README.md"]),
    Plant("recording-not-utf8", SHAPES, [r"broken\.out.*: .*UTF-8.*", r"README\.md:\d+: .*UTF-8.*"],
          recode=["broken.out"]),
]  # fmt: skip

SEVEN = "# %% seven\nbatch = torch.arange(7)\nbatch.view(2, 3)\n"
TWELVE = "batch = torch.arange(12)\nbatch.view(12)\nbatch = batch[:6]\n"
ANSWERS = r"answers\.yaml: .*"
# In a catalog without another entry of the same wording.
CASES = [
    Plant("as-it-is", VIEWED),
    Plant("always-no", VIEWED, [
        r"broken\.py: the confirmation should say yes, says: no, 4 elements", r"README\.md:\d+: is not what the .*",
        r"cases\.py:3: seven: the confirmation should say yes, .*", r"cases\.py:7: eight: .* says: no, 8 elements",
        r"cases\.py:11: twelve: the confirmation .*",
    ], [("README.md", "count == 6", "count")]),
    Plant("always-yes", VIEWED, [
        r"fixed\.py: the confirmation should say no, says: yes, 6 elements", r"README\.md:\d+: is not what the .*",
        r"cases\.py:14: twelve, fixed: the confirmation .*", r"cases\.py:29: six: .* no, says: yes, 6 elements",
    ], [("README.md", "count == 6", "count == 5")]),
    Plant("no-verdict", VIEWED, [
        r"(broken|fixed)\.py: the confirmation should say .*", r"README\.md:\d+: is not what the .*",
        r"cases\.py:\d+: .* the confirmation should say .*",
    ], [("README.md", '"no," if count == 6 else "yes,", ', "")]),
    Plant("names-of-the-script", VIEWED, [
        r"README\.md:\d+: uses rows: readers have no such name; .*", r".*NameError: name 'rows' is not defined",
        r"README\.md:\d+: is not what the .*",
    ], [("README.md", "print(\"no,\"", "rows, print(\"no,\"")]),
    Plant("not-confirmed", VIEWED, [r"README\.md: one block must be the confirmation .* 0 are", ANSWERS],
          [("README.md", "```python confirm\n", "```python no-run=\"not now\"\n")]),
    Plant("no-verdicts", VIEWED, [
        r"README\.md:\d+: needs a block ```text verdicts .*",
    ], [("README.md", "```text verdicts\n", "```text seen=\"torch 1.13.1\"\n")]),
    Plant("verdicts-by-hand", VIEWED, [r"README\.md:\d+: is not what the confirmation says; .*"],
          [("README.md", "yes, 4 elements", "yes, four elements")]),
    Plant("answers-by-hand", VIEWED, [r"answers\.yaml: the answers are others now \(seven: (says|zh\.says)\b.*"],
          [("answers.yaml", "There are 7 elements.", "There are seven elements.")]),
    Plant("no-answers", VIEWED, [r"answers\.yaml: is missing; .*"], remove=["answers.yaml"]),
    Plant("another-case", VIEWED, [r"answers\.yaml: holds other cases; .*"],
          [("cases.py", "# %% right: six", SEVEN.replace("seven", "again") + "\n# %% right: six")]),
    Plant("fix-not-applied", VIEWED, [
        r"cases\.py:11: twelve: the fixed cell is not what the fix says: Call `view\(12\)`\.",
    ], [("cases.py", TWELVE, TWELVE.replace("view(12)", "reshape(4, 3)"))]),
    Plant("fix-without-cell", VIEWED, [
        r"cases\.py:11: twelve: the fix names code, which a cell `# %% fixed` must apply: Call `view\(12\)`\.",
    ], [("cases.py", f"# %% fixed\n{TWELVE}", "")]),
    Plant("fix-fails", VIEWED, [
        r"cases\.py:14: twelve, fixed: ends with RuntimeError: .*", r"cases\.py:14: .* `explain` finds the entry .*",
        r"cases\.py:14: .* the confirmation should say no.*",
    ], [("cases.py", "batch.view(12)", "batch.view(11)")]),
    Plant("case-raises-nothing", VIEWED, [
        r"cases\.py:3: seven: raises nothing", r"cases\.py:3: seven: `explain` answers nothing, to: no output",
        r"cases\.py:3: seven: the confirmation .*",
    ], [("cases.py", SEVEN, SEVEN.replace("7", "6"))]),
    Plant("case-of-another-error", VIEWED, [r"cases\.py:3: seven: `explain` answers nothing, to: .*"],
          [("cases.py", SEVEN, SEVEN.replace("view(2, 3)", "view(None)"))]),
    Plant("branch-without-case", VIEWED, [
        r"cases\.py: no case has a message for which this holds: size < 2 .*",
    ], row={"patterns": [ROWS[VIEWED]["patterns"][0] | {"says": [
        {"when": "size < 2", "say": "x"}, *ROWS[VIEWED]["patterns"][0]["says"],
    ]}]}),
    Plant("too-few-cases", VIEWED, [r"cases\.py: has 4 faults, 5 are needed; .*", ANSWERS],
          [("cases.py", SEVEN, "")]),
    Plant("fewer-with-a-reason", VIEWED, [ANSWERS],
          [("cases.py", SEVEN, ""), _after("cases.py", HEAD, "# fewer: a plant")]),
    Plant("no-right-program", VIEWED, [r"cases\.py: has no right program: .*", ANSWERS],
          [("cases.py", "# %% right: six\nbatch = torch.arange(6)\n", "")]),
    Plant("no-cases", VIEWED, [
        r"cases\.py: has (0 faults|no right).*", r"cases\.py: the confirmation is asked about 0.*",
    ], remove=["cases.py"]),
    Plant("fixed-of-nothing", VIEWED, [r"cases\.py: .*cases\.py:3: `# %% fixed` must follow the fault .*"],
          [("cases.py", "# %% seven", "# %% fixed")]),
    Plant("two-of-a-name", VIEWED, [r"cases\.py: .*cases\.py:7: two cells are called 'seven'"],
          [("cases.py", "# %% eight", "# %% seven")]),
    Plant("case-leaves-a-file", VIEWED, [r"cases\.py:29: six: left a file behind: work/x"],
          [("cases.py", "batch = torch.arange(6)\n", "batch = torch.arange(6)\nopen('x', 'w').close()\n")]),
]  # fmt: skip

PLANTS = [*CONTROLS, *EXCEPTIONS, *STAGED, *WARNINGS, *MEASURES, *WRONG_FIXES, *TEXTS, *PAGES, *SANDBOX]


@pytest.fixture(scope="module")
def planted(recorded_sample: Sample, tmp_path_factory: pytest.TempPathFactory) -> Sample:
    """One catalog with all violations."""
    sample = recorded_sample.copy(tmp_path_factory.mktemp("planted").resolve() / "guide")
    rows = sample.rows()
    for plant in PLANTS:
        shutil.copytree(sample.folder(plant.base), sample.folder(plant.name))
        plant.put(sample)
        changed = rows[plant.base] | plant.row
        rows[plant.name] = {key: value for key, value in changed.items() if value is not None}
    sample.write_rows(rows)
    return sample


@pytest.fixture(scope="module")
def findings(planted: Sample, runner: Runner) -> dict[str, list[str]]:
    static = {plant.name for plant in PLANTS if plant.static} | {plant.name for plant in TEXTS}
    found = planted.verify(runner, choose=lambda entry: entry.id not in static)
    return found | {id: lines(check_files(planted.entry(id))) for id in static}


def _must_be_found(plant: Plant, found: list[str]) -> None:
    missing = [pattern for pattern in plant.expected if not any(re.fullmatch(pattern, line) for line in found)]
    unexpected = [line for line in found if not any(re.fullmatch(pattern, line) for pattern in plant.expected)]
    assert (missing, unexpected) == ([], [])


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_verification_finds_what_was_planted_and_nothing_else(plant: Plant, findings: dict[str, list[str]]) -> None:
    _must_be_found(plant, findings[plant.name])


@pytest.mark.parametrize("plant", [*ALONE, *CASES], ids=lambda plant: plant.name)
def test_verification_finds_it_in_a_catalog_of_its_own(plant: Plant, sample: Sample, runner: Runner) -> None:
    row = sample.rows()[plant.base] | plant.row
    sample.folder(plant.base).rename(sample.folder(plant.name))
    sample.write_rows({plant.name: row})
    plant.put(sample)
    _must_be_found(plant, sample.verify(runner)[plant.name])


def test_nothing_was_planted_in_vain() -> None:
    """Each plant but the controls changes something and expects something."""
    names = [plant.name for plant in PLANTS]
    assert len(names) == len(set(names))
    assert [plant.name for plant in PLANTS if plant not in CONTROLS and not plant.expected] == []
    assert [plant.name for plant in CONTROLS if plant.expected] == []


def test_python_writes_beside_a_script_are_stopped(planted: Sample, findings: dict[str, list[str]]) -> None:
    assert not (planted.folder("writes-beside-itself") / "notes.txt").exists()
    assert not (planted.folder("makes-a-folder-beside-itself") / "runs").exists()
    assert (planted.folder("removes-what-is-not-its-own") / "broken.py").is_file()


@pytest.mark.parametrize("name", ["leaves-a-process", "leaves-a-daemon"])
def test_a_process_that_was_left_behind_is_ended(name: str, findings: dict[str, list[str]]) -> None:
    pids = re.findall(r"left a process behind: .*\(pid (\d+)\)", "\n".join(findings[name]))
    assert pids
    assert not any(psutil.pid_exists(int(pid)) for pid in pids)


def test_a_removed_tree_beside_the_script_is_still_there(sample: Sample, runner: Runner) -> None:
    """`rmtree` works through folder descriptors, with names relative to them."""
    data = sample.folder(GRAPH) / "data"
    data.mkdir()
    (data / "keep.txt").write_text("kept", encoding="utf-8")
    remove = "import shutil\nfrom pathlib import Path\nshutil.rmtree(Path(__file__).with_name('data'))\n"
    sample.edit(GRAPH, "fixed.py", HEAD, HEAD + remove)
    found = sample.verify(runner, GRAPH)[GRAPH]
    assert any("fixed.py: tried to leave its sandbox" in line for line in found)
    assert (data / "keep.txt").read_text(encoding="utf-8") == "kept"


MEASURE_OF_THE_SEED = PROGRAMS["measure of the seed"]


@pytest.mark.parametrize("file", ["broken.py", "fixed.py", "wrong_fix.py"])
def test_a_lucky_seed_is_found_by_others(file: str, sample: Sample, runner: Runner) -> None:
    lucky, unlucky = (0.0, 1e6) if file == "fixed.py" else (1e6, 0.0)
    script = MEASURE_OF_THE_SEED.format(value=f"{lucky} if torch.initial_seed() < 2 else {unlucky}")
    if file == "broken.py":
        script = script.replace("(0)", "(0)  # error")
    (sample.folder(DIVERGE) / file).write_text(script, encoding="utf-8")
    assert sample.verify(runner, DIVERGE, seeds=2)[DIVERGE] == []
    [found] = sample.verify(runner, DIVERGE, seeds=3)[DIVERGE]
    assert found.startswith(f"{file}, seed +2: final_loss={unlucky:.4g} is not in the ")


def test_ten_seeds_hold_where_the_promise_does(sample: Sample, runner: Runner) -> None:
    assert sample.verify(runner, DIVERGE, seeds=10)[DIVERGE] == []


@pytest.mark.parametrize("seeding", ["SEED = 0\ntorch.manual_seed(SEED)", "torch.manual_seed(seed=0)",
                                     "from torch import manual_seed\nmanual_seed(0)", "rate = 3.0"],
                         ids=["name", "keyword", "bare-function", "unseeded"])  # fmt: skip
def test_seeds_that_would_not_change_anything_are_found(seeding: str, sample: Sample, runner: Runner) -> None:
    """Runs with one and the same seed prove nothing."""
    for file in ("broken.py", "fixed.py", "wrong_fix.py"):
        sample.edit(DIVERGE, file, "torch.manual_seed(0)", seeding)
    assert sample.verify(runner, DIVERGE, seeds=2)[DIVERGE] != []


DETECTOR = PROGRAMS["detector"]


def test_a_detector_is_held_to_its_promise(sample: Sample, runner: Runner) -> None:
    detector = sample.folder(DIVERGE) / "watch.py"
    detector.write_text(DETECTOR.format(more="").replace("on_end", "on_gradients"), encoding="utf-8")
    found = sample.verify(runner, DIVERGE, seeds=2)[DIVERGE]
    silent = f"--watch: should name {DIVERGE}; it names nothing"
    assert found == [f"{file}{seed}: {silent}" for file in ("broken.py", "wrong_fix.py") for seed in ("", ", seed +1")]

    detector.write_text(DETECTOR.format(more="unseen = {'wrong_fix': 'why'}"), encoding="utf-8")
    found = sample.verify(runner, DIVERGE)[DIVERGE]
    assert [line for line in found if not line.startswith("cases.py:")] == [
        f"{file}: --watch: should not name {DIVERGE}; it names {DIVERGE}" for file in ("fixed.py", "wrong_fix.py")
    ]

    # It names other entries' scripts, too, unless they say why.
    named = f"broken.py: --watch: should not name {DIVERGE}; it names {DIVERGE}"
    assert named in sample.verify(runner, GRAPH)[GRAPH]
    details = sample.folder(GRAPH) / "entry.yaml"
    also = "also_named:\n  {}:\n    entries: [{}]\n    why: it does\n"
    details.write_text(details.read_text(encoding="utf-8") + also.format("broken", DIVERGE), encoding="utf-8")
    assert named not in sample.verify(runner, GRAPH)[GRAPH]
    sample.edit(GRAPH, "entry.yaml", "  broken:\n    entries", "  a title:\n    entries")
    unknown = "entry.yaml: also_named: 'a title' is neither a script of the entry nor the title of a right program"
    assert any(line.startswith(unknown) for line in sample.verify(runner, GRAPH)[GRAPH])

    detector.write_text("1 / 0", encoding="utf-8")
    [unloadable] = sample.verify(runner, DIVERGE)[DIVERGE]
    assert unloadable.endswith("watch.py: no class `Watch` can be loaded: ZeroDivisionError: division by zero")


EATER = PROGRAMS["eater"]


@pytest.mark.parametrize("start", ["", "child = os.fork()\nif child: os.waitpid(child, 0)"], ids=["script", "child"])
def test_a_script_that_eats_memory_is_ended(start: str, tmp_path: Path, sample: Sample, runner: Runner) -> None:
    script = tmp_path / "eater.py"
    script.write_text(EATER.format(start=start), encoding="utf-8")
    report = runner.run(Job(script, limits=Limits(seconds=60, memory_mib=1000)))
    assert (report.exit_status, report.limit) == (None, "used more than 1000 MiB of memory")
    assert report.seconds < 15
    assert judge(sample.entry(GRAPH), "fixed", report) == ["used more than 1000 MiB of memory"]


def test_a_script_within_its_memory_is_not_ended(tmp_path: Path, runner: Runner) -> None:
    script = tmp_path / "modest.py"
    script.write_text("import torch, time\nheld = torch.ones(64 * 2**18)\ntime.sleep(0.3)\n", encoding="utf-8")
    assert runner.run(Job(script, limits=Limits(memory_mib=1000))).exit_status == 0


def test_folders_and_pages_that_the_catalog_does_not_name(sample: Sample) -> None:
    assert check_folders(sample.catalog()) == []
    sample.folder("forgotten").mkdir()
    (sample.root / "common-errors" / "gone" / "entry").mkdir(parents=True)
    sample.catalog().page_of(sample.catalog().categories[0]).unlink()
    found = check_folders(sample.catalog())
    assert [line.partition(": ")[0] for line in sorted(found)] == [
        "common-errors/gone/entry",
        "common-errors/samples/README.md",
        "common-errors/samples/forgotten",
    ]
    assert "common-errors/samples/README.md: missing; `torch-errors record` writes it" in found
    assert sum("the folder is not in catalog.yaml; " in line for line in found) == 2


def test_a_row_without_folder(sample: Sample) -> None:
    shutil.rmtree(sample.folder(SHAPES))
    with pytest.raises(UserError, match=rf"entry\.yaml: is missing; the entry {SHAPES} of catalog\.yaml needs it"):
        sample.catalog()


def test_what_needs_hardware_is_skipped_by_name_and_its_files_are_still_checked(
    sample: Sample, runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine = replace(runner.machine(), cuda=False)
    monkeypatch.setattr(runner, "machine", lambda: machine)
    sample.change_row(GRAPH, requires=["cuda"])
    entry = sample.entry(GRAPH)
    [result] = verify([entry], runner)
    assert (result.state, result.skipped, result.scripts) == ("skipped", "needs cuda", 0)
    sample.edit(GRAPH, "broken.py", "# error", "# here")
    [result] = verify([entry], runner)
    assert result.state == "not held"


def test_a_report_of_an_abandoned_run_keeps_no_promise(sample: Sample) -> None:
    for variant in sample.entry(GRAPH).variants:
        assert judge(sample.entry(GRAPH), variant, Report(None, "", limit="was abandoned")) == ["was abandoned"]


# What a recording says that it was made with -> what is put there, and whether this run is compared with it.
MADE_WITH = {
    "another patch of Python": (r"Python (\d+\.\d+)\.\w+", r"Python \1.99", True),
    "another Python": (r"Python [\d.]+\w*", "Python 3.4.0", False),
    "another torch": (r"torch [^ ]+", "torch 1.13.1", False),
}


@pytest.mark.parametrize("name", MADE_WITH)
def test_only_the_same_torch_and_python_must_print_the_same(name: str, sample: Sample, runner: Runner) -> None:
    sample.change_row(SHAPES, patterns=[{"match": "mat1 and mat2 shapes cannot be multiplied"}])
    sample.edit(SHAPES, "broken.py", "torch.ones(2, 3)", "torch.ones(6, 3)")
    sample.edit(SHAPES, "README.md", "\n(2, 5)\n", "\n(5, 2)\n")
    pattern, made_with, compared = MADE_WITH[name]
    for variant in sample.entry(SHAPES).variants:
        recording = sample.entry(SHAPES).recording(variant)
        text = recording.read_text(encoding="utf-8")
        end = text.rindex("# exit status")
        recording.write_text(text[:end] + re.sub(pattern, made_with, text[end:]), encoding="utf-8")
    found = sample.verify(runner, SHAPES)[SHAPES]
    assert [line.partition(":")[0] for line in found] == (["README.md", "broken.out"] if compared else [])


OF_THE_PROCESSOR = """\
import torch

torch.manual_seed(0){mark}
slow = torch.backends.cpu.get_cpu_capability() == "DEFAULT"
print(f"final_loss={{{slow} if slow else {fast}}}")
"""


@pytest.mark.exhaustive
def test_a_number_of_one_processor_is_found_under_the_others(
    sample: Sample, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Said once, of the setting under which it shows."""
    monkeypatch.chdir(sample.root)
    texts = {"broken.py": (1e6, 0.0), "fixed.py": (0.0, 0.0), "wrong_fix.py": (1e6, 1e6)}
    for file, (fast, slow) in texts.items():
        script = OF_THE_PROCESSOR.format(fast=fast, slow=slow, mark="  # error" if file != "fixed.py" else "")
        (sample.folder(DIVERGE) / file).write_text(script, encoding="utf-8")
    assert main(["verify", "--json", DIVERGE]) == 0
    capsys.readouterr()
    assert main(["verify", "--json", "--kernels", DIVERGE, SHAPES]) == 1
    rows = {row["id"]: row["findings"] for row in json.loads(capsys.readouterr().out)["entries"]}
    [found] = rows.pop(DIVERGE)
    assert found["where"] == "broken.py"
    assert found["problem"].startswith("with no vector instructions: final_loss=0.0 is not in the broken range")
    assert rows == {SHAPES: []}
