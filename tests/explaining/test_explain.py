"""From pasted text to the entry that answers it."""

import json
import re
import time
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests import pastes
from tests.pastes import BACKWARD, MATMUL, RECORDED, SEVERAL, STACKED, TRACEBACK, on_rank, raised, worker, wrapped
from torch_errors.cli import main
from torch_errors.explaining.explain import ERRORS, explain
from torch_errors.explaining.guess import GUESSES, nearest
from torch_errors.explaining.literals import literals
from torch_errors.explaining.patterns import ABOVE, AFTER, BEFORE, Pattern
from torch_errors.paste.cleaning import clean, readings
from torch_errors.paste.facts import facts

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
    ("detection-target-format", "wrong_fix"): ["detection-degenerate-box"],
    ("distribution-invalid-params", "wrong_fix"): ["multinomial-invalid-probs"],
    # Without workers the error in the data stands alone, and it is none of PyTorch's.
    ("dataloader-worker-exception", "wrong_fix"): [],
    # The division after a loop over no batches is none of PyTorch's, either.
    ("sampler-empty-dataset", "wrong_fix"): [],
    # Without the conversion, the next transform fails.
    ("transform-expects-pil-image", "wrong_fix"): ["transform-expects-tensor"],
    # The message is the general one, and some of its lines are: parts of a weight that are not empty.
    ("sharded-weights-empty", "broken"): ["sharded-weights-empty", "state-dict-size-mismatch"],
    ("sharded-weights-empty", "wrong_fix"): ["sharded-weights-empty", "state-dict-size-mismatch"],
    # The message is the general one with a weight in it.
    ("input-weight-device-mismatch", "broken"): ["input-weight-device-mismatch", "device-mismatch"],
    # The message is the general one; what was left on the CPU is often an attribute.
    ("buffer-not-registered", "broken"): ["device-mismatch", "buffer-not-registered"],
    # Around the exception of a DataLoader's worker is that of the main process.
    ("cuda-forked-subprocess", "broken"): ["cuda-forked-subprocess", "dataloader-worker-exception"],
    ("dataloader-shm-bus-error", "broken"): ["dataloader-shm-bus-error", "dataloader-worker-exception"],
}
# PyTorch prints something before the exception that has an answer of its own: a warning, or a log.
SAID_BEFORE: dict[tuple[str, str], list[str]] = {
    ("leaf-inplace", "wrong_fix"): ["non-leaf-grad-warning"],
    ("attention-mask-shape", "broken"): ["nested-tensor-not-used"],
    ("dynamo-recompile-limit", "broken"): ["dynamo-recompile-limit"],  # its log names the value
}
# What is printed before the exception names the cause: the check that failed, or what the package's library lacks.
CHECK_FAILED: dict[tuple[str, str], list[str]] = {
    ("cuda-device-side-assert", "broken"): ["target-out-of-range"],
    ("device-backend-not-loaded", "broken"): ["undefined-symbol"],
    ("cublas-failure", "broken"): ["embedding-index-out-of-range", "cuda-device-side-assert"],
    ("cudnn-failure", "broken"): ["embedding-index-out-of-range", "cuda-device-side-assert"],
}
# Python prints the message for whatever is unpacked: only the line above it shows the entry.
LINE_DECIDES = {("batch-fields-unpacked", "broken"), ("module-recursion", "broken")}


FAILURES = [pytest.param(*found, id=f"{found[0].id}-{found[1]}") for found in pastes.recorded_failures()]


def ids(text: str) -> list[str]:
    """The entries that answer a text, alternatives behind the one that they are alternatives to."""
    return [one.id for match in explain(text) for one in (match, *match.alternatives)]


@pytest.mark.parametrize("entry, variant, recording", FAILURES)
def test_every_recorded_failure_is_answered_by_its_own_entry_alone(entry, variant, recording):
    """And what is captured is decoded."""
    expected = DECLARED.get((entry.id, variant), [entry.id])
    before, after = CHECK_FAILED.get((entry.id, variant), []), SAID_BEFORE.get((entry.id, variant), [])
    assert ids(recording.body) == before + expected + after
    # The message alone, as people search for it, gives the same.
    alone = [] if (entry.id, variant) in LINE_DECIDES else expected
    assert ids(recording.message(entry.promise(variant))) == alone
    for best in explain(recording.body)[:1]:
        assert best.fix, "every entry names its smallest fix"
        if best.captures:
            assert best.says, f"{sorted(best.captures)} are captured and not said"
            assert not re.search(r"[{}]", best.says)


@pytest.mark.parametrize("form", [form for form in pastes.FORMS if form != "cut short"])
def test_form_of_a_paste(form):
    [match] = explain(pastes.FORMS[form])
    assert (match.id, match.captures["features"], match.captures["in_features"]) == (
        "matmul-shape-mismatch",
        "512",
        "256",
    )
    assert "512" in (match.says or "") and "in_features=512" in (match.fix or "")


# Lines that a terminal or a mail program broke ----------------------------------------------------------------------

# Where a break may be in a word or at a space: between the numbers of `(2 x 2)` or `rank 0: 4 5`, before a lone `>`,
# after a colon, at a hyphen.
UNCLEAR = {
    "collate-unsupported-type", "dataloader-pickle-error", "ddp-unfinished-reduction", "export-constraint-violation",
    "interpolate-zero-size", "kernel-larger-than-input", "save-lambda-pickle",
}  # fmt: skip


def first_answer(text: str) -> list[tuple[str, dict[str, str]]]:
    return [(match.id, match.captures) for match in explain(text)[:1]]


def test_a_broken_recording_is_answered_as_the_whole_one(exhaustive):
    """Each recording in so many of the ways to break it; together they are in all."""
    every = 11 if exhaustive else 67
    ways = list(product((60, 72, 80, 100, 120), pastes.BREAKS, pastes.EDGES))
    differs = set()
    for at, text in enumerate(RECORDED[:: 1 if exhaustive else 3]):
        whole = first_answer(text)
        for width, breaks, edge in ways[at % every :: every]:
            if first_answer(wrapped(text, width, breaks, edge)) != whole:
                differs.add(whole[0][0])
    assert differs <= UNCLEAR


SIZES = "RuntimeError: The size of tensor a (128) must match the size of tensor b (64) at non-singleton dimension 13"


@pytest.mark.parametrize(
    "text",
    [
        # A break in the last number, and lines that follow a number and do not continue it.
        f"{SIZES[:-1]}\n{SIZES[-1]}",
        f"{SIZES}\n100%|████| 3/3 [00:01<00:00]",
        f"{SIZES}\n1 failed in 2.41s",
        f"{SIZES}\n\n7",
        f"{SIZES}\n    7",
    ],
)
def test_a_number_at_the_end_of_a_line(text):
    assert explain(text)[0].captures == {"a": "128", "b": "64", "dim": "13"}


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


# Several errors in one text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SEVERAL)
def test_errors_of_one_text_are_told_in_their_order(name):
    text, expected = SEVERAL[name]
    lines, matches = text.splitlines(), explain(text)
    assert [match.id for match in matches] == [id for id, _ in expected]
    assert [line for _, line in expected if line] == [
        lines[match.line - 1] for match, (_, line) in zip(matches, expected, strict=True) if line
    ]


def test_line_of_an_error():
    """That of the paste, where it begins, and where it stands last."""
    assert explain(TRACEBACK)[0].line == TRACEBACK[: TRACEBACK.index(MATMUL)].count("\n") + 1
    assert [match.line for match in explain(raised(MATMUL) * 3)] == [3 * raised(MATMUL).count("\n")]
    text = wrapped(TRACEBACK, 60, "in words")
    assert text.splitlines()[explain(text)[0].line - 1] == MATMUL[:60]


def test_what_an_error_says_is_of_its_own_frames_and_numbers():
    collate = (
        '  File "/env/torch/utils/data/_utils/collate.py", line 162, in f\n    return torch.stack(batch, 0, out=out)\n'
    )
    unwrapped = (
        f"RuntimeError: Caught RuntimeError in DataLoader worker process 0.\nOriginal {raised(STACKED, collate)}"
    )
    says = "Sample 0 of the batch has the shape [3, 4], and sample 1 has [3, 5]."
    assert explain(unwrapped)[0].says == says
    text = raised(MATMUL) + raised(pastes.OTHER_NUMBERS)
    assert ["128 features" in (match.says or "") for match in explain(text)] == [True, False]


@pytest.mark.parametrize(
    ("code", "name", "entry", "says"),
    [
        (2, "out of memory", "cuda-unknown-error", "could not reserve the memory"),
        (3, "initialization error", "cuda-unknown-error", "does not survive a fork"),
        (100, "no CUDA-capable device is detected", "no-nvidia-driver", "sees no GPU"),
        (101, "invalid device ordinal", "cuda-unknown-error", "a GPU that this process does not have"),
        (304, "OS call failed or operation not supported on this OS", "cuda-unknown-error", "(error 304)"),
        (500, "named symbol not found", "cuda-unknown-error", "WSL"),
        (802, "system not yet initialized", "cuda-unknown-error", "NVSwitch"),
        (804, "forward compatibility was attempted on non supported HW", "cuda-unknown-error", "`libcuda.so.1`"),
        (999, "unknown error", "cuda-unknown-error", "error 999: unknown error."),
    ],
)
def test_what_is_said_of_one_number_is_not_hidden_by_the_general_wording(code, name, entry, says):
    best = explain(
        "RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling "
        f"NumCudaDevices() that might have already set an error? Error {code}: {name}"
    )[0]
    assert (best.id, says in (best.says or "")) == (entry, True)


@pytest.mark.parametrize(
    ("conflict", "says"),
    [
        ("torchvision 0.16.0 depends on torch==2.1.0\n    xformers 0.0.26 depends on torch==2.3.0", "xformers 0.0.26"),
        ("torchvision 0.18.0 depends on torch==2.3.0", "torchvision 0.18.0"),
        ("torchvision 0.16.0 depends on torch==2.1.0\n    other 1.0 depends on torch>=2.4", "lines below"),
    ],
)
def test_the_package_that_contradicts_what_was_asked_for_is_named(conflict, says):
    best = explain(f"The conflict is caused by:\n    The user requested torch==2.1.0+cu121\n    {conflict}\n")[0]
    assert (best.id, says in (best.says or "")) == ("pip-version-conflict", True)


OUT_OF_MEMORY = raised("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.")
TIMED_OUT = raised(
    "torch.distributed.DistBackendError: [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=12, "
    "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600012 milliseconds before timing out."
)


@pytest.mark.parametrize(
    "text",
    [
        on_rank(1, OUT_OF_MEMORY) + on_rank(0, TIMED_OUT),
        on_rank(0, TIMED_OUT) + on_rank(1, OUT_OF_MEMORY),
        OUT_OF_MEMORY + TIMED_OUT,
        TIMED_OUT + OUT_OF_MEMORY,
    ],
)
def test_what_follows_on_other_ranks_never_leads(text):
    assert explain(text)[0].id == "cuda-out-of-memory"
    assert explain(TIMED_OUT)[0].id == "collective-timeout"


@pytest.mark.parametrize(
    "prefix",
    [
        "trainer-1  | ",
        "0: ",
        "[1,0]<stderr>:",
        "[pod/train-0/main] ",
        "Mar 01 10:15:02 node1 python[1234]: ",
        "2026-03-01 10:15:02.113 | ERROR    | __main__:main:21 - ",
        "wandb: ",
        "[2026-03-01, 10:15:02 UTC] {taskinstance.py:1345} INFO - ",
        "I0301 10:15:02.113456 12345 train.py:12] ",
        "2026-03-01T10:15:02.113456789Z ",
    ],
)
def test_lines_behind_a_prefix_that_they_share(prefix):
    """The reader's line is found, also if the header is cut off."""
    for text in (TRACEBACK, TRACEBACK.split("\n", 1)[1]):
        [plain], [match] = explain(text), explain(pastes.lines_with(prefix, text))
        assert (match.id, match.frame, match.captures) == (plain.id, plain.frame, plain.captures)
        assert match.frame


def test_torchscript_marks_the_line():
    text = next(text for text in RECORDED if "operation failed in the TorchScript interpreter" in text)
    frame = explain(text)[0].frame
    assert frame and frame.code == 'mask = inputs["attention_mask"].unsqueeze(-1)'


@pytest.mark.parametrize(
    ("name", "ranks"),
    [("ranks", [20]), ("ranks, interleaved", [20]), ("ranks and their launcher", [20]), ("no rank", [0]),
     ("cause on a rank", [1, 1, 1])],
)  # fmt: skip
def test_on_how_many_ranks(name, ranks):
    matches = explain(SEVERAL[name][0])
    assert [match.ranks for match in matches] == ranks
    assert matches[0].captures.get("rank", "0") == "0"


def test_a_rank_that_raises_again_does_so_in_the_next_run():
    again = SEVERAL["cause on a rank"][0] + on_rank(1, raised(STACKED))
    assert explain(again)[0].id == "collate-stack-unequal-size"


@pytest.mark.parametrize(
    ("text", "others"),
    [
        (worker(STACKED), ["dataloader-worker-exception"]),
        (pastes.ON_DEVICES, ["device-mismatch"]),
        (raised(pastes.ON_DEVICES[:66]) + raised(pastes.ON_DEVICES), ["device-mismatch"]),
        (pastes.COPIED, ["tensor-no-attribute"]),
    ],
)
def test_wrappers_and_entries_that_answer_the_same_line_are_alternatives(text, others):
    [match] = explain(text)
    assert [other.id for other in match.alternatives] == others


def test_a_pattern_that_begins_in_the_code_ends_in_the_message():
    """It is the most specific one, wherever it begins; line and message are those of the exception."""
    [match] = explain(pastes.COPIED)
    assert (match.message, match.captures) == (pastes.COPIED.splitlines()[-1], {"type": "Tensor"})


def test_a_text_with_very_many_errors_has_an_end():
    lines = [MATMUL.replace("32x", f"{rows}x") for rows in range(50)]
    words = [f"RuntimeError: {pattern.literal}" for pattern in pastes.PATTERNS]
    assert len(explain("\n".join([*lines, *words]))) == ERRORS


def test_the_command_tells_one_error_in_full(tmp_path, capsys):
    path = tmp_path / "log.txt"
    path.write_text(pastes.WARNS + raised(BACKWARD) + worker(STACKED))
    assert main(["explain", str(path), "--lang", "en"]) == 0
    shown = capsys.readouterr().out.replace(" ->\n  ", " -> ")
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


# Hostile and broken text -------------------------------------------------------------------------------------------


MIXED = [*RECORDED, TRACEBACK, "\n", "> ", "\x1b[31m", "[rank1]: ", "Traceback", "(", "│ "]


@settings(max_examples=100, deadline=None)
@given(st.text() | st.lists(st.sampled_from(MIXED)).map("".join))
@example("\ud800")
def test_any_text_is_answered(text):
    for match in explain(text):
        assert match.line >= 1
    assert len(nearest(text).entries) <= GUESSES


@pytest.mark.parametrize("text", pastes.HOSTILE, ids=range(len(pastes.HOSTILE)))
@pytest.mark.parametrize("read", [explain, facts, nearest], ids=["explain", "facts", "nearest"])
def test_hostile_text_does_not_hang(read, text, exhaustive):
    """Two megabytes take seconds on a slow machine; time that grows with the square of the length takes hours."""
    started = time.process_time()
    read(text if exhaustive else text[:300_000])
    assert time.process_time() - started < 20


@pytest.mark.parametrize("end", ["", "x", " x", "\n", ":", "│"])
def test_no_line_takes_long_to_clean(end):
    """Lines of what the expressions repeat, followed by what makes them try again."""
    atoms = [*" >│-=+*─^~E.:\\\"'([0a_", "a.", "a =", "- ", "> ", "E  ", "~^", "(pid=", "[1] ", "0:", ".py(0", "aError"]
    for atom in atoms:
        line = atom * (50_000 // len(atom)) + end

        def seconds(line=line):
            started = time.process_time()
            clean(line)
            return time.process_time() - started

        assert any(seconds() < 0.5 for _ in range(3)), (atom, end)


@pytest.mark.exhaustive  # hostile texts show most of what is not linear
def test_time_is_linear_in_the_text():
    def seconds(copies):
        text = "".join(RECORDED) * copies
        started = time.process_time()
        explain(text)
        return (time.process_time() - started) / len(text)

    seconds(1)
    # A megabyte and a half costs hardly more a character than a quarter of one.
    assert seconds(5) < 2.5 * min(seconds(1) for _ in range(2))


def test_no_pattern_can_hang():
    """Texts made to make it backtrack: its fixed words in any order, and long runs of what it repeats."""
    window = BEFORE + AFTER
    runs = ["9" * window, "9, " * window, "a" * window, "a." * window, "[" * window, " " * window, "a1_:" * window]
    for pattern in pastes.PATTERNS:
        words = literals(pattern.source)
        begun = ["".join(words[: i + 1]) for i in range(len(words))]
        texts = ["".join(words) * 50, *words, *(begin + run for begin in begun for run in runs)]
        above = "".join(literals(pattern.code or ""))
        texts += [(above + run)[-ABOVE:] + "".join(words) for run in runs if pattern.code]

        def seconds(pattern=pattern, texts=texts):
            started = time.process_time()
            for text in texts:
                pattern.find(text[: 20 * window])
            return time.process_time() - started

        # The garbage collector may disturb one, not all.
        assert any(seconds() < 0.02 * len(texts) for _ in range(3)), (pattern.entry, pattern.source)


def test_a_pattern_that_backtracks_is_caught():
    """The check above can fail: a nested quantifier takes longer than it allows."""
    bad = Pattern("planted", r"mat1 and (?:9+)+x", "mat1 and ", 9)
    started = time.process_time()
    bad.find("mat1 and " + "9" * 22)
    assert time.process_time() - started > 0.02


def test_patterns_are_bounded_and_have_enough_fixed_text_to_be_found_by():
    """In bytes: two Chinese characters say as much as five Latin letters."""
    # Without a bound, or with groups that `literals` does not read, such as `(?i:…)`, whose text may have another case.
    unbounded = re.compile(r"\.[*+]|\(\?(?!:|P<|=|!)")
    assert [one for one in pastes.PATTERNS if unbounded.search(one.source + (one.code or ""))] == []
    assert [pattern for pattern in pastes.PATTERNS if len(pattern.literal.encode()) < 5] == []
