"""Texts as people paste them: errors in many forms, texts with several errors, and texts that could cause a hang.

Long texts, as they were printed, are in `data/pastes.yaml` and `data/facts.yaml`.
"""

from __future__ import annotations

import html
import random
import re
import textwrap
from collections.abc import Callable, Iterator
from io import StringIO
from itertools import cycle, zip_longest
from pathlib import Path
from typing import Any

from tests import data
from tests.guide import CATALOG
from torch_errors.catalog.entries import Entry, Variant
from torch_errors.catalog.fields import SilentPromise
from torch_errors.explaining.patterns import load_patterns
from torch_errors.running.recordings import Recording

ROOT = Path(__file__).resolve().parent.parent
PASTES = data("pastes.yaml")
# Messages as PyTorch prints them, by name: `text`, and the facts in it.
READ: dict[str, dict[str, Any]] = data("facts.yaml")
UNHEARD_OF = "Remembered"  # replaces a word of a message, so that no entry answers it


def recorded_failures() -> Iterator[tuple[Entry, Variant, Recording]]:
    """Every recorded failure that prints a message: entry, variant and recording."""
    for entry in CATALOG:
        for variant in entry.variants:
            path = entry.recording(variant)
            if variant != "fixed" and not isinstance(entry.promise(variant), SilentPromise) and path.is_file():
                yield entry, variant, Recording.load(path)


RECORDED = [recording.body for _, _, recording in recorded_failures()]

PATTERNS = load_patterns(ROOT).all

# One error ------------------------------------------------------------------------------------------------------------

MATMUL = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x512 and 256x10)"
BACKWARD = "RuntimeError: Trying to backward through the graph a second time"
STACKED = "RuntimeError: stack expects each tensor to be equal size, but got [3, 4] at entry 0 and [3, 5] at entry 1"
KEY = "KeyError: 'state_dict'"
UNUSED = "RuntimeError: Parameter indices which did not receive grad for rank {rank}: 2 3"
ON_DEVICES = (
    "RuntimeError: Expected all tensors to be on the same device, but got weight is on cpu, "
    "different from other tensors on cuda:0"
)
TRACEBACK: str = PASTES["traceback"]
WARNS: str = PASTES["warning"]
LOG: str = PASTES["log"]
NOTEBOOK: str = PASTES["notebook"]  # as IPython 9 printed it
COPIED: str = PASTES["a pattern that begins in the code"]
SIZES_OF_TWO: str = PASTES["problems on lines of their own"]
OF_TOOLS: list[str] = PASTES["of tools"]
# Messages that no entry answers, as PyTorch prints them.
UNKNOWN = [
    "RuntimeError: addmm: Argument #3 (dense): Expected dim 0 size 2, got 3",
    "RuntimeError: Cannot set version_counter for inference tensor",
    "RuntimeError: set_sizes_contiguous is not allowed on a Tensor created from .data or .detach().",
    "RuntimeError: quantile() input tensor is too large",
]


def lines_with(before: str, text: str = TRACEBACK) -> str:
    return "".join(f"{before}{line}\n" for line in text.splitlines())


def boxed(width: int = 80) -> str:
    """An error as rich prints it, raised in this function."""
    import torch
    from rich.console import Console
    from rich.traceback import Traceback

    printed = StringIO()
    model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(2704, 10))
    console = Console(file=printed, width=width)
    try:
        model(torch.ones(32, 100))
    except RuntimeError:
        console.print(Traceback())
    return printed.getvalue()


# Lines that a terminal or a mail program broke ------------------------------------------------------------------------


def _at_columns(line: str, width: int) -> list[str]:
    return [line[at : at + width] for at in range(0, len(line), width)] or [""]


BREAKS: dict[str, Callable[[str, int], list[str]]] = {
    "in words": _at_columns,
    "in words, spaces at the edge lost": lambda line, width: [part.rstrip() for part in _at_columns(line, width)],
    "at spaces": lambda line, width: textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""],
    "at spaces and hyphens": lambda line, width: textwrap.wrap(line, width) or [""],
    "as Vim shows it": lambda line, width: "\n↪ ".join(_at_columns(line, width)).split("\n"),
    "as Emacs shows it": lambda line, width: "\\\n".join(_at_columns(line, width - 1)).split("\n"),
}
EDGES: dict[str, Callable[[str, int, bool], str]] = {
    "nothing": lambda part, width, first: part,
    "quote": lambda part, width, first: f"> {part}",
    "quote of the first part": lambda part, width, first: f"> {part}" if first else part,
    "rank": lambda part, width, first: f"[rank0]: {part}",
    "box": lambda part, width, first: f"│ {part:<{width}} │",
}


def wrapped(text: str, width: int, breaks: str, edge: str = "nothing") -> str:
    """The text with its lines broken at a width."""
    lines = [enumerate(BREAKS[breaks](line, width)) for line in text.splitlines()]
    return "".join(f"{EDGES[edge](part, width, not at)}\n" for parts in lines for at, part in parts)


# Changes between a terminal and the paste box -------------------------------------------------------------------------


def _lines(text: str, change: Callable[[str], str]) -> str:
    return "".join(f"{change(line)}\n" for line in text.splitlines())


ON_THE_WAY: dict[str, Callable[[str], str]] = {
    "as printed": lambda text: text,
    "windows line ends": lambda text: text.replace("\n", "\r\n"),
    "other line ends": lambda text: "".join(map("".join, zip(text.splitlines(), cycle("\r\u2028\u2029\x85\x0c\x0b")))),
    "colours": lambda text: re.sub(r"(\w+Error|\d+)", "\x1b[1;31m\\1\x1b[0m", text),
    "link of a terminal": lambda text: _lines(text, lambda line: f"\x1b]8;;file:///x\x1b\\{line}\x1b]8;;\x07"),
    "rank": lambda text: lines_with("[rank0]: ", text),
    "log": lambda text: lines_with("2026-01-02 03:04:05,678 - ERROR - ", text),
    "ray": lambda text: lines_with("(RayTrainWorker pid=123, ip=10.0.0.1) ", text),
    "pytest": lambda text: lines_with("E       ", text),
    "quoted twice": lambda text: lines_with("> > ", text),
    "box": lambda text: "╭──── Traceback ────╮\n" + _lines(text, lambda line: f"│ {line:<80} │") + "╰────────╯\n",
    "rules": lambda text: "-" * 40 + "\n" + text + "=" * 3 + " title " + "=" * 3 + "\n",
    "no-break spaces": lambda text: text.replace(" ", "\xa0", 40).replace("  ", "\u3000 "),
    "byte order mark": lambda text: f"\ufeff{text}",
    "emoji": lambda text: _lines(text, lambda line: f"🔥 {line} 👩‍🔬"),
    "half an emoji": lambda text: text.replace(" ", " \ud83d", 5),
    "80 columns": lambda text: wrapped(text, 80, "in words", "quote"),
    "at spaces and hyphens": lambda text: wrapped(text, 72, "at spaces and hyphens", "quote of the first part"),
    "vim": lambda text: wrapped(text, 64, "as Vim shows it"),
    "emacs": lambda text: wrapped(text, 50, "as Emacs shows it", "box"),
    "web page": lambda text: html.escape(text).replace(" ", "&nbsp;", 5).replace("\n", "<br/>\n", 3),
    "web page of a web page": lambda text: html.escape(html.escape(text)),
    "notebook": lambda text: re.sub(r"(\w+Error)", '<span class="ansi-red-fg">\\1</span>', text),
    "numbered characters": lambda text: re.sub(
        r"['\"😀-😂]", lambda sign: f"&#{ord(sign[0])};&#x{ord(sign[0]):X};", text
    ),
    "chat": lambda text: text.replace("'", "’").replace('"', "“").replace(": ", "：").replace(", ", "，"),
    "full width": lambda text: text.translate({code: code + 0xFEE0 for code in range(0x21, 0x7F)}),
    "soft hyphens": lambda text: re.sub(r"(\w{4})", "\\1\xad\u200b", text),
    "arabic digits": lambda text: text.translate({ord(str(i)): chr(0x660 + i) for i in range(10)}),
    "very large numbers": lambda text: re.sub(r"\d{2,}", lambda digits: digits[0] * 150, text),
    "zeros": lambda text: re.sub(r"\d+", "0", text),
    "ones": lambda text: re.sub(r"\d+", "1", text),
    "negative numbers": lambda text: re.sub(r"\b\d+", lambda digits: f"-{digits[0]}", text),
    "other numbers": lambda text: re.sub(r"\d+", lambda digits: str((int(digits[0]) * 7919 + 13) % 97), text),
    "cut at the end": lambda text: text[: len(text) * 2 // 3],
    "cut at the start": lambda text: text[len(text) // 2 :],
    "shouted": lambda text: text.upper(),
}


FORMS = {
    **{
        name: ON_THE_WAY[name](TRACEBACK)
        for name in ("windows line ends", "colours", "rank", "log", "ray", "pytest", "box")
    },
    "traceback": TRACEBACK,
    "message": MATMUL,
    "without type": MATMUL.removeprefix("RuntimeError: "),
    "lower level prefix": MATMUL.replace(": mat1", ": addmm: mat1"),
    "torchrun prefix": lines_with("[default3]:"),
    "quote": lines_with("> "),
    "fence": f"```pytb\n{TRACEBACK}```\nWhat is wrong?",
    "wrapped": TRACEBACK.replace("multiplied (", "multiplied\n("),
    "cut short": TRACEBACK[: -len(" and 256x10)\n")],
    "text around": f"Hello,\nI get this since yesterday: {MATMUL}\nThanks for any help",
}


# Several errors in one text -------------------------------------------------------------------------------------------

CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
HANDLING = "\nDuring handling of the above exception, another exception occurred:\n\n"
FETCH = '  File "/env/torch/utils/data/_utils/fetch.py", line 55, in fetch\n    return self.collate_fn(data)\n'


def raised(message: str, frames: str = '  File "train.py", line 40, in <module>\n    scores = model(images)\n') -> str:
    return f"Traceback (most recent call last):\n{frames}{message}\n"


def worker(message: str, number: int = 0) -> str:
    """The error that a DataLoader raises for an error in its worker."""
    kind = message.partition(":")[0]
    outer = f"RuntimeError: Caught {kind} in DataLoader worker process {number}.\nOriginal {raised(message, FETCH)}"
    return raised(outer.rstrip())


def on_rank(number: int, text: str) -> str:
    return lines_with(f"[rank{number}]: ", text)


def interleaved(*texts: str) -> str:
    """One line of each text in turn."""
    return "".join(f"{line}\n" for lines in zip_longest(*map(str.splitlines, texts)) for line in lines if line)


OTHER_NUMBERS = MATMUL.replace("32x512", "32x128")
_QUOTED = f"  File \"train.py\", line 40, in <module>\n    raise RuntimeError('{MATMUL[14:]}')\n"
_STARTED = PASTES["a process that starts workers"]
_NOT_STARTED = PASTES["a worker that could not be started"]
LOST = "AttributeError: Can't pickle local object 'train.<locals>.<lambda>'"
_WARNING = WARNS.partition(": ")[2]
_RANKS = [on_rank(rank, raised(UNUSED.format(rank=rank))) for rank in range(20)]
_LAUNCHER = raised("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n====\ntrain.py FAILED")
# The frame in which the launcher raises. Its error follows from an error that a process printed, with or without rank.
_LAUNCH_AGENT = (
    '  File "/venv/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 270, in launch_agent\n'
    "    raise ChildFailedError(\n"
)
_CHILD_FAILED = raised("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ", _LAUNCH_AGENT)
_CAUSE_OF_A_RANK = on_rank(1, raised(MATMUL) + CAUSE + raised(KEY))
_JOB = interleaved(_CAUSE_OF_A_RANK, on_rank(0, raised(BACKWARD, FETCH * 4)))
_CELL = """\
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[{number}], line 3
      1 steps = 3
----> 3 scores = model(images)

{message}
"""
_MATMUL, _BACKWARD = ("matmul-shape-mismatch", MATMUL), ("backward-twice", BACKWARD)
_OTHER = ("matmul-shape-mismatch", OTHER_NUMBERS)
_KEY = ("checkpoint-key-error", KEY)
_STACKED = ("collate-stack-unequal-size", STACKED)
_WARNED = ("loss-target-broadcast-warning", WARNS.splitlines()[0])
_UNUSED = ("ddp-unfinished-reduction", None)  # None: any line
# Texts and the errors that `explain` must report, in this order: entry and line.
SEVERAL: dict[str, tuple[str, list[tuple[str, str | None]]]] = {
    "the last of two": (raised(MATMUL) + "\n" + raised(BACKWARD), [_BACKWARD, _MATMUL]),
    # The root cause of a chain is to be fixed first. If there are several chains, the last one ended the program.
    "chain": (raised(MATMUL) + CAUSE + raised(KEY) + HANDLING + raised(BACKWARD), [_MATMUL, _KEY, _BACKWARD]),
    "two chains": (raised(BACKWARD) + CAUSE + raised(KEY) + raised(MATMUL), [_MATMUL, _BACKWARD, _KEY]),
    "raised again in other words": (raised(MATMUL) + CAUSE + raised(f"ValueError: step 3: {MATMUL}"), [_MATMUL]),
    "chain to one that is not known": (TRACEBACK + CAUSE + "ValueError: step 3\n", [_MATMUL]),
    "other numbers": (
        raised(MATMUL) + "restarting\n" + raised(OTHER_NUMBERS) + raised(BACKWARD),
        [_BACKWARD, _OTHER, _MATMUL],
    ),
    "the same three times": (raised(MATMUL) * 3, [_MATMUL]),
    "the same with less": (
        f"CUDA out of memory.\n{raised('torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.')}",
        [("cuda-out-of-memory", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.")],
    ),
    # The same error on several ranks counts once. If the errors differ, the first one is the cause.
    "ranks": ("".join(_RANKS), [_UNUSED]),
    "ranks, interleaved": (interleaved(*_RANKS), [_UNUSED]),
    "ranks and their launcher": ("".join(_RANKS) + _LAUNCHER, [_UNUSED]),
    "a process and its launcher": (raised(BACKWARD) + raised(MATMUL) + _CHILD_FAILED, [_MATMUL, _BACKWARD]),
    "a process that is not known, and its launcher": (
        raised(MATMUL) + raised("KeyError: 'cat'") + _CHILD_FAILED,
        [("elastic-child-failed", None), _MATMUL],
    ),
    "no rank": (raised(UNUSED.format(rank=0)), [_UNUSED]),
    "cause on a rank": (_JOB, [(id, f"[rank{rank}]: {line}") for (id, line), rank in
                               ((_MATMUL, 1), (_BACKWARD, 0), (_KEY, 1))]),
    "worker": (worker(STACKED), [_STACKED]),
    "two workers": (worker(STACKED) + worker(STACKED, 1), [_STACKED]),
    # If the inner error is unknown, the wrapper is reported like any other error.
    "worker, not known": (
        raised(MATMUL) + worker("KeyError: 'cat'"),
        [("dataloader-worker-exception", "RuntimeError: Caught KeyError in DataLoader worker process 0."), _MATMUL],
    ),
    "data that cannot be sent": (
        raised(LOST, _STARTED) + raised("EOFError: Ran out of input", _NOT_STARTED),
        [("dataloader-pickle-error", LOST)],
    ),
    "sent by another process": (
        PASTES["what another process sent"] + HANDLING + raised(BACKWARD),
        [_MATMUL, _BACKWARD],
    ),
    "warning before": (WARNS + raised(MATMUL), [_MATMUL, _WARNED]),
    "warning after": (raised(MATMUL) + WARNS, [_MATMUL, _WARNED]),
    # Text after the source line of a warning is not part of the warning.
    "behind a warning": (f"{WARNS}{MATMUL[14:]}\n", [("matmul-shape-mismatch", MATMUL[14:]), _WARNED]),
    "warning without its place": (
        raised(MATMUL) + _WARNING,
        [_MATMUL, ("loss-target-broadcast-warning", _WARNING.splitlines()[0])],
    ),
    # An exception, as with `python -W error`.
    "warning that was raised": (
        raised(MATMUL) + raised(_WARNING.splitlines()[0]),
        [("loss-target-broadcast-warning", _WARNING.splitlines()[0]), _MATMUL],
    ),
    "cells of a notebook": (
        _CELL.format(number=1, message=MATMUL) + _CELL.format(number=2, message=BACKWARD),
        [_BACKWARD, _MATMUL],
    ),
    "problems on lines of their own": (  # of the two sizes, the first
        raised(SIZES_OF_TWO),
        [
            ("state-dict-size-mismatch", SIZES_OF_TWO.splitlines()[2]),
            ("state-dict-missing-keys", SIZES_OF_TWO.splitlines()[1]),
        ],
    ),
    "two entries for one line": (ON_DEVICES, [("input-weight-device-mismatch", ON_DEVICES)]),
    "the second entry once more": (
        raised(ON_DEVICES[:66]) + raised(ON_DEVICES),
        [("input-weight-device-mismatch", ON_DEVICES)],
    ),
    "quoted in the code": (raised(BACKWARD, _QUOTED), [_BACKWARD]),
    "only in the code": (raised("RuntimeError: step 3", _QUOTED), [("matmul-shape-mismatch", None)]),
    "begins in the code": (COPIED, [("state-dict-not-a-dict", COPIED.splitlines()[-1])]),
    "assertion of CUDA": (
        "../aten/src/ATen/native/cuda/Indexing.cu:1093: indexSelectSmallIndex: block: [0,0,0], thread: [1,0,0] "
        f"Assertion `srcIndex < srcSelectDimSize` failed.\n{raised(BACKWARD)}",
        [("embedding-index-out-of-range", None), _BACKWARD],
    ),
    "nothing": ("", []),
    "not known": ("ZeroDivisionError: division by zero", []),
}  # fmt: skip

# Texts that could cause a hang ----------------------------------------------------------------------------------------

HOSTILE = [
    "\x00" * 1000,
    "<script>alert(1)</script>",
    "Traceback (most recent call last):\n" * 5000,
    "During handling of the above exception, another exception occurred:\n" * 5000,
    "mat1 and mat2 shapes cannot be multiplied (" * 3000,
    "mat1 and mat2 shapes cannot be multiplied (" + "1" * 200_000,
    "shape '[" + "9, " * 50_000 + "]' is invalid for input of size 1",
    "shape '[" + "9" * 200 + "]' is invalid for input of size 0",
    "shape '[0, 0]' is invalid for input of size 5",
    "[" * 100_000,
    "\x1b[" * 50_000,
    "\x1b]" + "a" * 100_000,
    "> " * 50_000,
    "RuntimeError: " * 20_000,
    "a." * 50_000 + "Error: x",
    "│" * 50_000,
    "-" * 20_000 + "x",
    "x" + " " * 50_000 + "y",
    "&amp;" * 50_000,
    "&#" + "9" * 100_000,
    "<span " * 50_000,
    "<span " + "a" * 100_000,
    ("x" * 60 + "\n") * 5000,
    ("x" * 80 + "\n" + "x" * 60 + "\n") * 3000,
    "\n".join("x" * width for width in range(2000, 39, -1)),
    "".join(f"mat1 and mat2 shapes cannot be multiplied ({rows}x2 and 3x4)\n" for rows in range(8_000)),
    "".join(f"[rank{n}]: RuntimeError: CUDA out of memory. Tried to allocate {n} GiB\n" for n in range(8_000)),
    on_rank(0, "".join(f"Traceback (most recent call last):\nKeyError: 'model{n}_state_dict'\n" for n in range(5_000))),
    "\u2028\u0661\u0662 mat1 and mat2 shapes cannot be multiplied (\u0661x\u0662 and 3x4)",
]


def _noise(length: int) -> str:
    """Text with errors in between much that is not an error."""
    chance = random.Random(0)
    words = [*"()[]{}│>-=\n\n\u2028", "  ", "Traceback (most recent call last):", "Error", "😀", "shape", "12"]
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        parts += chance.choices(words, k=2000)
        parts.append(chance.choice(RECORDED))
    return "".join(parts)


HOSTILE += [
    _noise(100_000),
    "a = " * 100_000,
    "😀" * 100_000 + "mat1 and mat2 shapes cannot be multiplied (1x2 and 3x4)" + "😀" * 100_000,
    "".join(f"{pattern.literal} " for pattern in PATTERNS),
    "".join(on_rank(rank, raised(MATMUL)) for rank in range(8)) * 200,
]
WORDS = [
    "the learning rate seems wrong, my training overshoots",
    "my loss is nan after some steps",
    "CUDA out of memory on the second epoch",
    "İstanbul LEARNING RATE \u212aernel",
    "learning rate " + "x " * 15_000,
    "zzz qqq",
    "constructor __proto__ toString hasOwnProperty",
]
