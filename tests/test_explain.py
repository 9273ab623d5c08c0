"""From pasted text to the entry that answers it."""

import json
import os
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from itertools import zip_longest

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from torch_errors.catalog.fields import SilentPromise
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.recordings import Recording
from torch_errors.cli import main
from torch_errors.explaining.explain import ERRORS, explain
from torch_errors.explaining.guessing import GUESSES, guess
from torch_errors.explaining.literals import literals
from torch_errors.explaining.patterns import AFTER, BEFORE, load_patterns
from torch_errors.traceback.cleaning import clean, readings

CATALOG = load_catalog()
PATTERNS = load_patterns(CATALOG.root)
# Entries that answer with the same words: who else may appear in the answer to whose recording, and why.
DECLARED: dict[tuple[str, str], list[str]] = {
    # `None + None`: the traceback alone does not say where the None comes from.
    ("grad-unused-tensor", "wrong_fix"): [],
    # A wrong fix may lead to another entry's error: the page says so.
    ("backward-twice", "wrong_fix"): ["inplace-modified"],
    ("reshape-invalid-size", "wrong_fix"): ["loss-batch-size-mismatch"],
    ("cat-size-mismatch", "wrong_fix"): ["conv-channel-mismatch"],
    ("expected-nd-input", "wrong_fix"): ["matmul-shape-mismatch"],
    ("leaf-inplace", "wrong_fix"): ["grad-is-none"],
    ("distribution-invalid-params", "wrong_fix"): ["multinomial-invalid-probs"],
    # Without workers the error in the data stands alone, and it is none of PyTorch's.
    ("dataloader-worker-exception", "wrong_fix"): [],
    # The division after a loop over no batches is none of PyTorch's, either.
    ("sampler-empty-dataset", "wrong_fix"): [],
    # Without the conversion, the next transform fails.
    ("transform-expects-pil-image", "wrong_fix"): ["transform-expects-tensor"],
    # The message is the general one with a weight in it.
    ("input-weight-device-mismatch", "broken"): ["input-weight-device-mismatch", "device-mismatch"],
    # The message is the general one; what was left on the CPU is often an attribute.
    ("buffer-not-registered", "broken"): ["device-mismatch", "buffer-not-registered"],
}
# PyTorch warns before the exception, and the warning has an entry of its own.
WARNED_BEFORE: dict[tuple[str, str], list[str]] = {("leaf-inplace", "wrong_fix"): ["non-leaf-grad-warning"]}


def _failures():
    """Every recorded failure that prints a message: entry, variant, text."""
    for entry in CATALOG:
        for variant in entry.variants:
            promise = entry.promise(variant)
            path = entry.recording(variant)
            if variant != "fixed" and not isinstance(promise, SilentPromise) and path.is_file():
                yield pytest.param(entry, variant, Recording.load(path), id=f"{entry.id}-{variant}")


FAILURES = list(_failures())
RECORDED = [case.values[2].body for case in FAILURES]


def ids(text: str) -> list[str]:
    """The entries that answer a text, alternatives behind the one that they are alternatives to."""
    return [one.id for match in explain(text) for one in (match, *match.alternatives)]


@pytest.mark.parametrize("entry, variant, recording", FAILURES)
def test_every_recorded_failure_is_answered_by_its_own_entry_alone(entry, variant, recording):
    expected = DECLARED.get((entry.id, variant), [entry.id])
    assert ids(recording.body) == expected + WARNED_BEFORE.get((entry.id, variant), [])
    # The message alone, as people search for it, gives the same.
    assert ids(recording.message(entry.promise(variant))) == expected


@pytest.mark.parametrize("entry, variant, recording", FAILURES)
def test_what_is_captured_is_decoded(entry, variant, recording):
    matches = explain(recording.body)
    if not matches:
        assert DECLARED[entry.id, variant] == []
        return
    best = matches[0]
    assert best.fix, "every entry names its smallest fix"
    if best.captures:
        assert best.says, f"{sorted(best.captures)} are captured and not said"
        assert not re.search(r"[{}]", best.says)


MATMUL = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x512 and 256x10)"
TRACEBACK = f"""Traceback (most recent call last):
  File "train.py", line 40, in <module>
    scores = model(images)
  File "/env/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 114, in forward
    return F.linear(input, self.weight, self.bias)
{MATMUL}
"""
FORMS = {
    "traceback": TRACEBACK,
    "message": MATMUL,
    "without type": MATMUL.removeprefix("RuntimeError: "),
    "lower level prefix": MATMUL.replace(": mat1", ": addmm: mat1"),
    "windows line ends": TRACEBACK.replace("\n", "\r\n"),
    "rank prefix": "".join(f"[rank0]: {line}\n" for line in TRACEBACK.splitlines()),
    "torchrun prefix": "".join(f"[default3]:{line}\n" for line in TRACEBACK.splitlines()),
    "log prefix": "".join(f"2026-01-02 03:04:05,678 - ERROR - {line}\n" for line in TRACEBACK.splitlines()),
    "ray prefix": "".join(f"(RayTrainWorker pid=123, ip=10.0.0.1) {line}\n" for line in TRACEBACK.splitlines()),
    "pytest": "".join(f"E       {line}\n" for line in TRACEBACK.splitlines()),
    "quote": "".join(f"> {line}\n" for line in TRACEBACK.splitlines()),
    "fence": f"```pytb\n{TRACEBACK}```\nWhat is wrong?",
    "colours": TRACEBACK.replace("RuntimeError", "\x1b[1;31mRuntimeError\x1b[0m").replace("(32x", "\x1b[35m(32x"),
    "wrapped": TRACEBACK.replace("multiplied (", "multiplied\n("),
    "rich box": "".join(f"│ {line:<90} │\n" for line in TRACEBACK.splitlines()),
    "cut short": TRACEBACK[: -len(" and 256x10)\n")],
    "text around": f"Hello,\nI get this since yesterday: {MATMUL}\nThanks for any help",
}


@pytest.mark.parametrize("form", [form for form in FORMS if form != "cut short"])
def test_form_of_a_paste(form):
    [match] = explain(FORMS[form])
    assert (match.id, match.captures["features"], match.captures["in_features"]) == (
        "matmul-shape-mismatch",
        "512",
        "256",
    )
    assert "512" in (match.says or "") and "in_features=512" in (match.fix or "")


# Lines that a terminal or a mail program broke ----------------------------------------------------------------------


def _at_columns(line: str, width: int) -> list[str]:
    return [line[at : at + width] for at in range(0, len(line), width)] or [""]


def _at_spaces(line: str, width: int) -> list[str]:
    return textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""]


BREAKS: dict[str, Callable[[str, int], list[str]]] = {
    "in words": _at_columns,
    "in words, spaces at the edge lost": lambda line, width: [part.rstrip() for part in _at_columns(line, width)],
    "at spaces": _at_spaces,
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
    """A text whose lines were broken at a width."""
    lines = [enumerate(BREAKS[breaks](line, width)) for line in text.splitlines()]
    return "".join(f"{EDGES[edge](part, width, not at)}\n" for parts in lines for at, part in parts)


# Where a break may be in a word or at a space: between the numbers of `(2 x 2)` or `rank 0: 4 5`, before a lone `>`,
# at a hyphen.
UNCLEAR = {
    "collate-unsupported-type", "dataloader-pickle-error", "ddp-unfinished-reduction", "export-constraint-violation",
    "kernel-larger-than-input", "save-lambda-pickle",
}  # fmt: skip


@pytest.mark.parametrize("width", [60, 72, 80, 100, 120])
@pytest.mark.parametrize("breaks", BREAKS)
def test_a_broken_recording_is_answered_as_the_whole_one(breaks, width):
    differs = []
    for text in RECORDED:
        for edge in EDGES if width == 80 else ["nothing"]:
            whole, broken = explain(text), explain(wrapped(text, width, breaks, edge))
            if [(match.id, match.captures) for match in whole[:1]] != [
                (match.id, match.captures) for match in broken[:1]
            ]:
                differs.append((edge, whole[0].id))
    assert {id for _, id in differs} <= UNCLEAR
    assert len({id for _, id in differs}) <= 0.03 * len(RECORDED)


SIZES = "RuntimeError: The size of tensor a (128) must match the size of tensor b (64) at non-singleton dimension 13"


@pytest.mark.parametrize(
    "text, captures",
    [
        # A break in the last number.
        (f"{SIZES[:-1]}\n{SIZES[-1]}", {"a": "128", "b": "64", "dim": "13"}),
        # Lines that follow a number and do not continue it.
        (f"{SIZES}\n100%|████| 3/3 [00:01<00:00]", {"a": "128", "b": "64", "dim": "13"}),
        (f"{SIZES}\n1 failed in 2.41s", {"a": "128", "b": "64", "dim": "13"}),
        (f"{SIZES}\n\n7", {"a": "128", "b": "64", "dim": "13"}),
        (f"{SIZES}\n    7", {"a": "128", "b": "64", "dim": "13"}),
    ],
)
def test_a_number_at_the_end_of_a_line(text, captures):
    assert explain(text)[0].captures == captures


def test_a_broken_message_begins_on_its_first_line():
    text = wrapped(TRACEBACK, 60, "in words")
    at = explain(text)[0].line
    assert text.splitlines()[at - 1] == MATMUL[:60]


def test_text_that_no_one_broke_is_read_once():
    assert len(list(readings(MATMUL))) == 1
    assert len(list(readings(wrapped(MATMUL, 60, "in words")))) == 2


# What web pages, notebooks and chats make of a text ----------------------------------------------------------------

APOSTROPHES = "RuntimeError: shape '[32, 784]' is invalid for input of size 25120"
ESCAPED = APOSTROPHES.replace("'", "&#39;").replace(" ", "&nbsp;", 1)


@pytest.mark.parametrize(
    "text",
    [
        ESCAPED,
        ESCAPED.replace("&", "&amp;"),
        APOSTROPHES.replace("'", "&apos;"),
        APOSTROPHES.replace("'", "&#x27;"),
        APOSTROPHES.replace("'", "’"),
        APOSTROPHES.replace("'[", "‘[").replace("]'", "]’"),
        APOSTROPHES.replace(": ", "："),
        APOSTROPHES.replace(", ", "，").replace("[", "［").replace("]", "］"),
        APOSTROPHES.replace("invalid", "in\u200bvalid").replace("shape", "sh\xadape"),
        f'<span class="ansi-red-fg">RuntimeError</span>: {ESCAPED[14:]}<br>',
        f"<pre><code>{ESCAPED}</code></pre>",
    ],
)
def test_a_text_from_a_web_page_or_a_chat(text):
    [match] = explain(text)
    assert (match.id, match.captures) == ("reshape-invalid-size", explain(APOSTROPHES)[0].captures)


def test_what_is_no_html_stays():
    cleaned = clean('  File "a.py", line 3, in <module>\nx = a<b>c &foo; &#0; &#xd800; &lt;\nitem<T>()')
    assert cleaned.text == 'File "a.py", line 3, in <module> x = a<b>c &foo; &#xd800; < item<T>() '


def test_line_of_the_message_is_that_of_the_paste():
    assert explain(TRACEBACK)[0].line == TRACEBACK[: TRACEBACK.index(MATMUL)].count("\n") + 1


BACKWARD = "RuntimeError: Trying to backward through the graph a second time"


def test_the_last_exception_decides():
    both = f"Traceback (most recent call last):\n{MATMUL}\n\nTraceback (most recent call last):\n{BACKWARD}\n"
    assert [match.id for match in explain(both)] == ["backward-twice", "matmul-shape-mismatch"]
    other_way = f"Traceback (most recent call last):\n{BACKWARD}\n\nTraceback (most recent call last):\n{MATMUL}\n"
    assert [match.id for match in explain(other_way)] == ["matmul-shape-mismatch", "backward-twice"]


def test_an_exception_that_is_not_known_leaves_the_one_before_it():
    chained = (
        f"{TRACEBACK}\nThe above exception was the direct cause of the following exception:\n\nValueError: step 3\n"
    )
    assert [match.id for match in explain(chained)] == ["matmul-shape-mismatch"]


def test_an_assertion_of_cuda_beats_the_exception_after_it():
    text = (
        "../aten/src/ATen/native/cuda/Indexing.cu:1093: indexSelectSmallIndex: block: [0,0,0], thread: [1,0,0] "
        f"Assertion `srcIndex < srcSelectDimSize` failed.\nTraceback (most recent call last):\n{BACKWARD}\n"
    )
    assert explain(text)[0].id == "embedding-index-out-of-range"


def test_a_worker_is_unwrapped():
    text = (
        "RuntimeError: Caught RuntimeError in DataLoader worker process 0.\n"
        "Original Traceback (most recent call last):\n"
        '  File "/env/torch/utils/data/_utils/collate.py", line 162, in collate_tensor_fn\n'
        "    return torch.stack(batch, 0, out=out)\n"
        "RuntimeError: stack expects each tensor to be equal size, but got [3, 4] at entry 0 and [3, 5] at entry 1\n"
    )
    best = explain(text)[0]
    assert best.id == "collate-stack-unequal-size"
    assert best.says == "Sample 0 of the batch has the shape [3, 4], and sample 1 has [3, 5]."


# Several errors in one text ----------------------------------------------------------------------------------------

CAUSE = "\nThe above exception was the direct cause of the following exception:\n\n"
HANDLING = "\nDuring handling of the above exception, another exception occurred:\n\n"
WARNS = (
    "/env/torch/nn/modules/loss.py:610: UserWarning: Using a target size (torch.Size([8])) that is different to the "
    "input size (torch.Size([8, 1])). This will likely lead to incorrect results due to broadcasting.\n"
    "  return F.mse_loss(input, target, reduction=self.reduction)\n"
)
STACKED = "RuntimeError: stack expects each tensor to be equal size, but got [3, 4] at entry 0 and [3, 5] at entry 1"
FETCH = '  File "/env/torch/utils/data/_utils/fetch.py", line 55, in fetch\n    return self.collate_fn(data)\n'


def raised(message: str, frames: str = '  File "train.py", line 40, in <module>\n    scores = model(images)\n') -> str:
    return f"Traceback (most recent call last):\n{frames}{message}\n"


def worker(message: str, number: int = 0) -> str:
    """As the process of a DataLoader raises what its worker raised."""
    kind = message.partition(":")[0]
    outer = f"RuntimeError: Caught {kind} in DataLoader worker process {number}.\nOriginal {raised(message, FETCH)}"
    return raised(outer.rstrip())


def on_rank(number: int, text: str) -> str:
    return "".join(f"[rank{number}]: {line}\n" for line in text.splitlines())


def interleaved(*texts: str) -> str:
    """A line of each in turn."""
    return "".join(f"{line}\n" for lines in zip_longest(*map(str.splitlines, texts)) for line in lines if line)


def found(text: str) -> list[tuple[str, str]]:
    """The errors of a text, each with its line."""
    lines = text.splitlines()
    return [(match.id, lines[match.line - 1]) for match in explain(text)]


# As Windows prints it: the process that starts workers, and a worker that could not be started.
LOST = "AttributeError: Can't pickle local object 'train.<locals>.<lambda>'"
DUMP = '  File "reduction.py", line 60, in dump\n    ForkingPickler(file, protocol).dump(obj)\n'
LOAD = (
    '  File "C:\\Python311\\Lib\\multiprocessing\\spawn.py", line 122, in spawn_main\n'
    "    exitcode = _main(fd, parent_sentinel)\n"
    '  File "C:\\Python311\\Lib\\multiprocessing\\spawn.py", line 132, in _main\n'
    "    self = reduction.pickle.load(from_parent)\n"
)
SENT = raised(
    "torch.multiprocessing.spawn.ProcessRaisedException: \n\n-- Process 0 terminated with the following error:\n"
    + raised(MATMUL)
)
SIZES_OF_TWO = """RuntimeError: Error(s) in loading state_dict for Net:
\tMissing key(s) in state_dict: "stem.weight".
\tsize mismatch for head.weight: copying a param with shape torch.Size([10, 64]) from checkpoint, \
the shape in current model is torch.Size([2, 64]).
\tsize mismatch for head.bias: copying a param with shape torch.Size([10]) from checkpoint, \
the shape in current model is torch.Size([2])."""


@pytest.mark.parametrize("marker", [CAUSE, HANDLING])
def test_the_root_cause_of_a_chain_is_to_be_fixed_first(marker):
    matmul, backward = ("matmul-shape-mismatch", MATMUL), ("backward-twice", BACKWARD)
    key = ("checkpoint-key-error", "KeyError: 'state_dict'")
    chain = raised(MATMUL) + marker + raised(key[1]) + marker + raised(BACKWARD)
    assert found(chain) == [matmul, key, backward]
    # Of several chains the last one, which ended the program.
    assert found(raised(BACKWARD) + marker + raised(key[1]) + raised(MATMUL)) == [matmul, backward, key]
    # What is raised again in other words is the same error.
    assert found(raised(MATMUL) + marker + raised(f"ValueError: step 3: {MATMUL}")) == [matmul]


def test_an_error_with_other_numbers_is_another_one():
    other = MATMUL.replace("32x512", "32x128")
    text = raised(MATMUL) + "restarting\n" + raised(other) + raised(BACKWARD)
    assert found(text) == [
        ("backward-twice", BACKWARD),
        ("matmul-shape-mismatch", other),
        ("matmul-shape-mismatch", MATMUL),
    ]
    assert ["128 features" in (match.says or "") for match in explain(text)] == [False, True, False]


def test_the_same_error_is_told_once():
    text = raised(MATMUL) * 3
    assert [match.line for match in explain(text)] == [text.count("\n")]
    memory = "torch.OutOfMemoryError: CUDA out of memory."
    [match] = explain(f"{memory[22:]}\n{raised(f'{memory} Tried to allocate 2.00 GiB.')}")
    assert match.line == 5


def test_ranks_that_print_the_same_error_are_one():
    unused = "RuntimeError: Parameter indices which did not receive grad for rank {rank}: 2 3"
    ranks = [on_rank(rank, raised(unused.format(rank=rank))) for rank in range(20)]
    launcher = raised("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n====\ntrain.py FAILED")
    for text in ("".join(ranks), interleaved(*ranks), "".join(ranks) + launcher):
        [match] = explain(text)
        assert (match.id, match.ranks, match.captures["rank"]) == ("ddp-unfinished-reduction", 20, "0")
    assert [match.ranks for match in explain(raised(unused.format(rank=0)))] == [0]


def test_of_the_ranks_of_a_job_the_first_that_raises_is_the_cause():
    cause = raised(MATMUL) + CAUSE + raised("KeyError: 'state_dict'")
    text = interleaved(on_rank(1, cause), on_rank(0, raised(BACKWARD, FETCH * 4)))
    assert [(match.id, match.ranks) for match in explain(text)] == [
        ("matmul-shape-mismatch", 1),
        ("backward-twice", 1),
        ("checkpoint-key-error", 1),
    ]
    # A rank that raises again does so in the next run.
    again = text + on_rank(1, raised(STACKED))
    assert explain(again)[0].id == "collate-stack-unequal-size"


def test_a_worker_and_what_it_raised_are_one_error():
    [match] = explain(worker(STACKED))
    assert (match.id, [other.id for other in match.alternatives]) == (
        "collate-stack-unequal-size",
        ["dataloader-worker-exception"],
    )
    assert [match.id for match in explain(worker(STACKED, 0) + worker(STACKED, 1))] == ["collate-stack-unequal-size"]
    # What nobody knows leaves the wrapper, which is then an error like others.
    assert [match.id for match in explain(raised(MATMUL) + worker("KeyError: 'cat'"))] == [
        "dataloader-worker-exception",
        "matmul-shape-mismatch",
    ]


def test_a_process_that_was_not_sent_its_data_is_a_consequence():
    [match] = explain(raised(LOST, DUMP) + raised("EOFError: Ran out of input", LOAD))
    assert (match.line, match.captures) == (4, {"name": "train.<locals>.<lambda>"})


def test_what_another_process_sent_belongs_to_the_error_here():
    assert found(SENT + HANDLING + raised(BACKWARD)) == [
        ("matmul-shape-mismatch", MATMUL),
        ("backward-twice", BACKWARD),
    ]


def test_warnings_come_after_errors():
    warned = ("loss-target-broadcast-warning", WARNS.splitlines()[0])
    for text in (WARNS + raised(MATMUL), raised(MATMUL) + WARNS, WARNS + raised(MATMUL) + WARNS):
        assert found(text) == [("matmul-shape-mismatch", MATMUL), warned]
    # What follows the source of the line that warned is no part of the warning.
    assert found(f"{WARNS}{MATMUL[14:]}\n")[0] == ("matmul-shape-mismatch", MATMUL[14:])
    # Without its place it is still one; raised, as with `python -W error`, it is an exception.
    warning = WARNS.partition(": ")[2]
    assert [match.id for match in explain(raised(MATMUL) + warning)] == ["matmul-shape-mismatch", warned[0]]
    assert explain(raised(MATMUL) + raised(warning.splitlines()[0]))[0].id == warned[0]


def test_cells_of_a_notebook():
    cell = (
        "---------------------------------------------------------------------------\n"
        "RuntimeError                              Traceback (most recent call last)\n"
        "Cell In[{number}], line 3\n      1 steps = 3\n----> 3 scores = model(images)\n\n{message}\n"
    )
    text = cell.format(number=1, message=MATMUL) + cell.format(number=2, message=BACKWARD)
    assert found(text) == [("backward-twice", BACKWARD), ("matmul-shape-mismatch", MATMUL)]


def test_problems_of_one_exception_on_lines_of_their_own():
    [_, missing, weight, _] = SIZES_OF_TWO.splitlines()
    assert sorted(found(raised(SIZES_OF_TWO))) == [
        ("state-dict-missing-keys", missing),
        ("state-dict-size-mismatch", weight),  # the first of two
    ]


ON_DEVICES = (
    "RuntimeError: Expected all tensors to be on the same device, but got weight is on cpu, "
    "different from other tensors on cuda:0"
)


def test_entries_that_answer_the_same_line_are_alternatives():
    for text in (ON_DEVICES, raised(ON_DEVICES[:66]) + raised(ON_DEVICES)):  # the second entry once more, alone
        [match] = explain(text)
        assert (match.id, [other.id for other in match.alternatives]) == (
            "input-weight-device-mismatch",
            ["device-mismatch"],
        )


def test_source_code_is_no_error_of_its_own():
    quoted = f"  File \"train.py\", line 40, in <module>\n    raise RuntimeError('{MATMUL[14:]}')\n"
    assert found(raised(BACKWARD, quoted)) == [("backward-twice", BACKWARD)]
    assert ids(raised("RuntimeError: step 3", quoted)) == ["matmul-shape-mismatch"]


def test_a_text_with_very_many_errors_has_an_end():
    lines = [MATMUL.replace("32x", f"{rows}x") for rows in range(50)]
    words = [f"RuntimeError: {pattern.literal}" for pattern in PATTERNS.all]
    assert len(explain("\n".join([*lines, *words]))) == ERRORS


COPIED = """Traceback (most recent call last):
  File "train.py", line 12, in <module>
    model.load_state_dict(torch.load("model.pt"))
  File "/env/torch/nn/modules/module.py", line 845, in load_state_dict
    state_dict = state_dict.copy()
AttributeError: 'Tensor' object has no attribute 'copy'
"""


def test_a_pattern_that_begins_in_the_code_ends_in_the_message():
    """It is the most specific one, wherever it begins; line and message are those of the exception."""
    [match] = explain(COPIED)
    assert (match.id, match.line, match.message) == ("state-dict-not-a-dict", 6, COPIED.splitlines()[-1])
    assert [other.id for other in match.alternatives] == ["tensor-no-attribute"]
    assert match.captures == {"type": "Tensor"}


def test_the_command_tells_one_error_in_full(tmp_path, capsys):
    path = tmp_path / "log.txt"
    path.write_text(WARNS + raised(BACKWARD) + worker(STACKED))
    assert main(["explain", str(path), "--lang", "en"]) == 0
    shown = capsys.readouterr().out
    matches = explain(path.read_text())
    assert shown.startswith(
        f"{matches[0].entry.title}  (collate-stack-unequal-size)\n\nyour error (line 14): stack expects"
    )
    assert shown.endswith(
        f"""
see also: Caught … in DataLoader worker process 0 -> dataloader-worker-exception

other errors in this text (in full with --all):
  line 6: {matches[1].message} -> backward-twice
  line 1: {matches[2].message[:77]}... -> loss-target-broadcast-warning
"""
    )
    assert main(["explain", str(path), "--lang", "en", "--all"]) == 0
    whole = capsys.readouterr().out
    assert "other errors" not in whole
    for match in explain(path.read_text()):
        assert f"(line {match.line}): {match.message[:20]}" in whole
        assert f"torch-errors show {match.id}" in whole
    assert main(["explain", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["matches"]
    assert [(row["id"], row["line"], [other["id"] for other in row["alternatives"]]) for row in told] == [
        ("collate-stack-unequal-size", 14, ["dataloader-worker-exception"]),
        ("backward-twice", 6, []),
        ("loss-target-broadcast-warning", 1, []),
    ]


def test_the_command_tells_on_how_many_ranks(tmp_path, capsys):
    path = tmp_path / "log.txt"
    path.write_text(on_rank(0, raised(MATMUL)) + on_rank(1, raised(MATMUL)))
    main(["explain", str(path), "--lang", "en"])
    assert "your error (line 4, on 2 ranks): mat1" in capsys.readouterr().out
    main(["explain", str(path), "--lang", "zh"])
    assert "你的报错（第 4 行，共 2 个 rank）：mat1" in capsys.readouterr().out


def test_nothing_known_is_said_to_be_nothing():
    assert explain("ZeroDivisionError: division by zero") == []
    assert explain("") == []


# Messages that no entry answers, as PyTorch prints them, and the entry whose advice brings their reader forward.
UNKNOWN = {
    "RuntimeError: CUDA error: an illegal memory access was encountered": "cuda-device-side-assert",
    "RuntimeError: Caught RuntimeError in replica 0 on device 0.": "dataloader-worker-exception",
    "RuntimeError: Legacy autograd function with non-static forward method is deprecated.": None,
    "RuntimeError: Connection reset by peer": None,
    "ValueError: Unsupported ONNX opset version: 17": "onnx-unsupported-operator",
}


@pytest.mark.parametrize("text", UNKNOWN)
def test_a_guess_rests_on_the_message_alone(text):
    """Not on the frames, in whose words `module-init-not-called` was near to every error."""
    assert explain(text) == []
    near = guess(text)
    assert (near[0].entry.id if near else None) == UNKNOWN[text]
    frames = '  File "/env/site-packages/torch/nn/modules/module.py", line 1, in __init__\n    super().__init__()\n'
    assert guess(f"Traceback (most recent call last):\n{frames}{text}\n") == near


def test_guesses_name_the_words_that_they_rest_on():
    near = guess("the learning rate seems wrong, my training overshoots")
    assert near[0].entry.id == "learning-rate-too-high"
    assert set(near[0].words) >= {"learning", "rate"}
    # The rarest first, and of equally rare ones in the order of the alphabet: the same on every run.
    assert near[0].words.index("overshoots") < near[0].words.index("rate") < near[0].words.index("learning")


def test_there_is_no_guess_below_the_threshold():
    assert guess("zzz qqq") == guess("") == []
    assert guess("RuntimeError: learning rate") == []  # two words
    known = "RuntimeError: expanded size must match existing size"
    assert guess(known)
    # Words that no entry knows count: most of this message is about something else.
    assert guess(f"{known} zebra yak xerus wombat vole urial tapir skunk raccoon quokka puma otter newt moose") == []


# Hostile and broken text -------------------------------------------------------------------------------------------

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
    "".join(f"mat1 and mat2 shapes cannot be multiplied ({rows}x2 and 3x4)\n" for rows in range(20_000)),
    "".join(
        f"[rank{rank}]: RuntimeError: CUDA out of memory. Tried to allocate {rank} GiB\n" for rank in range(20_000)
    ),
    "".join(
        f"[rank0]: Traceback (most recent call last):\n[rank0]: KeyError: 'model{n}_state_dict'\n" for n in range(9000)
    ),
    "\u2028\u0661\u0662 mat1 and mat2 shapes cannot be multiplied (\u0661x\u0662 and 3x4)",
]


@settings(max_examples=300, deadline=None)
@given(st.text())
@example("\ud800")
def test_any_text_is_answered(text):
    for match in explain(text):
        assert match.line >= 1
    assert len(guess(text)) <= GUESSES


@settings(max_examples=200, deadline=None)
@given(st.binary())
def test_any_bytes_are_answered(data):
    explain(data.decode("utf-8", "replace"))
    explain(data.decode("latin-1"))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from([*RECORDED, TRACEBACK, "\n", "> ", "\x1b[31m", "[rank1]: ", "Traceback", "(", "│ "])))
def test_any_mixture_of_errors_is_answered(parts):
    text = "".join(parts)
    known = {match.id for part in parts for match in explain(part)}
    assert bool(explain(text)) >= bool(known and "\n" in parts)


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_does_not_hang(text):
    started = time.process_time()
    explain(text)
    assert time.process_time() - started < 2


@pytest.mark.parametrize("end", ["", "x", " x", "\n", ":", "│"])
def test_no_line_takes_long_to_clean(end):
    """Lines of what the expressions repeat, followed by what makes them try again."""
    for atom in [
        *" >│-=+*─^~E.:\\\"'([0a_",
        "a.",
        "a =",
        "- ",
        "> ",
        "E  ",
        "~^",
        "(pid=",
        "[1] ",
        "0:",
        ".py(0",
        "aError",
    ]:
        line = atom * (50_000 // len(atom)) + end
        started = time.process_time()
        clean(line)
        assert time.process_time() - started < 0.5, (atom, end)


def test_time_is_linear_in_the_text():
    def seconds(copies):
        text = "".join(RECORDED) * copies
        started = time.process_time()
        explain(text)
        return (time.process_time() - started) / len(text)

    seconds(1)
    copies = 1_000_000 // len("".join(RECORDED)) + 1
    small = min(seconds(copies) for _ in range(2))
    assert seconds(10 * copies) < 3 * small  # ten megabytes cost no more a character than one


@pytest.mark.parametrize("pattern", PATTERNS.all, ids=lambda pattern: f"{pattern.entry}: {pattern.source[:30]}")
def test_pattern_cannot_hang(pattern):
    """Texts made to make this pattern backtrack: its fixed words in any order, and long runs of what it repeats."""
    words = literals(pattern.source)
    window = BEFORE + AFTER
    runs = ["9" * window, "9, " * window, "a" * window, "a." * window, "[" * window, " " * window, "a1_:" * window]
    texts = ["".join(words) * 50, *words, *("".join(words[: i + 1]) + run for i in range(len(words)) for run in runs)]
    started = time.process_time()
    for text in texts:
        pattern.find(text[: 20 * window])
    assert time.process_time() - started < 0.02 * len(texts)


def test_a_pattern_that_backtracks_is_caught():
    """The check above can fail: a nested quantifier takes longer than it allows."""
    from torch_errors.explaining.patterns import Pattern

    bad = Pattern("planted", r"mat1 and (?:9+)+x", "mat1 and ", 9)
    started = time.process_time()
    bad.find("mat1 and " + "9" * 24)
    assert time.process_time() - started > 0.02


@pytest.mark.parametrize("pattern", PATTERNS.all, ids=lambda pattern: f"{pattern.entry}: {pattern.source[:30]}")
def test_pattern_is_of_the_common_subset(pattern):
    """What Python and JavaScript read alike, and enough fixed text to be found by."""
    assert not re.search(r"\(\?(?!:|P<|=|!)", pattern.source), "only groups, named groups and lookahead"
    assert not re.search(r"\\[AZbBhN]|\(\?P=|\(\?#|\{,", pattern.source.replace(r"\b", "")), (
        "reads differently in JavaScript"
    )
    assert not re.search(r"\.[*+]", pattern.source), "repeats anything without a bound"
    assert len(pattern.literal) >= 5, f"only {pattern.literal!r} is fixed"


# Speed -------------------------------------------------------------------------------------------------------------

LONG_TRACEBACK = TRACEBACK.replace(
    MATMUL,
    '  File "/env/lib/python3.11/site-packages/torch/nn/modules/module.py", line 1, in f\n    x = f(x)\n' * 27 + MATMUL,
)


def _seconds(*command):
    """Processor time of a command; on Windows, which does not tell it of children, how long it took."""
    before = os.times()
    subprocess.run([sys.executable, *command], input=LONG_TRACEBACK, capture_output=True, text=True, check=True)
    after = os.times()
    used = after.children_user - before.children_user + after.children_system - before.children_system
    return used or after.elapsed - before.elapsed


def test_cold_explain_is_quick():
    assert LONG_TRACEBACK.count("\n") >= 59
    base = min(_seconds("-c", "import yaml") for _ in range(3))
    cold = min(_seconds("-m", "torch_errors", "explain", "-") for _ in range(3))
    assert cold < max(0.25, 5 * base)


def test_warm_explain_is_quick():
    explain(LONG_TRACEBACK)
    started = time.process_time()
    for _ in range(20):
        explain(LONG_TRACEBACK)
    assert (time.process_time() - started) / 20 < 0.005


def test_explain_imports_neither_torch_nor_what_is_slow():
    code = (
        "import sys; from torch_errors import explain; explain(sys.stdin.read()); "
        "print({'torch', 'numpy', 'pydantic', 'rich'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=TRACEBACK, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
