"""What is read of training logs, and that each rule finds its fault and nothing else; healthy logs are silent."""

from __future__ import annotations

import math
import random
import time
from typing import Any

import pytest

from tests import data
from tests.guide import CATALOG
from tests.pastes import RECORDED
from torch_errors.catalog.expressions import compile_expression
from torch_errors.explaining.compiled import interface
from torch_errors.logs import Log, Series, read_log
from torch_errors.logs.answer import curve, log_json, log_text, told_log
from torch_errors.logs.series import known, read_series
from torch_errors.running.recordings import Recording

LOGS = data("logs.yaml")
RULES: list[dict[str, Any]] = known()["rules"]
# Forms of one row, with the number of the row and its loss; of a table, its head as well.
FORMS = {
    "name and colon": "epoch {i} loss: {v}",
    "name and equals sign": "[step={i}] loss={v}",
    "name alone": "step    {i}  loss {v}",
    "dict": "{{'loss': {v}, 'grad_norm': 1.5, 'epoch': {i}.0}}",
    "JSON with texts": '{{"epoch": {i}, "loss": "{v}", "wps": "43625"}}',
    "average": "Epoch: [{i}][ 10/120]\tTime  1.744 ( 2.739)\tLoss {v}e+00 (9.0)",
    "Keras": "Epoch {i}/9\n58/58 [==============================] - 0s 7ms/step - loss: {v} - val_loss: 9.1",
    "tqdm": "Epoch {i}: 100%|████| 352/352 [00:53<00:00,  6.56it/s, v_num=3, loss={v}]",
    "box": "| iterations/ | {i} |\n|    loss                 | {v}     |\n-----",
    "logger": "2021-05-02 11:27:21,427 - mmdet - INFO - Epoch [1][{i}50/1749]\tlr: 1e-03, eta: 1 day, 4:47, loss: {v}",
    "rank": "[rank0]: I1112 16:02:11.1354 140547 train.py:23] epoch {i} best loss: 0.1, loss: {v}",
    "tensor": "epoch {i} loss: tensor({v}, device='cuda:0', grad_fn=<NllLossBackward0>)",
    "curly quotes": "{{‘loss’: {v}, ‘epoch’: {i}}}",
    "Chinese": "第 {i} 轮：损失：{v}，学习率：0.001",
    "colors": "\x1b[32mepoch {i}\x1b[0m \x1b[1mloss\x1b[0m: {v}",
}
TABLES = {
    "white space": "epoch     train_loss  valid_loss  time\n{i}         0.9  {v}    00:12",
    "Markdown": "| Training Loss | Epoch | Validation Loss |\n|:---:|:---:|:---:|\n| No log | {i} | {v} |",
    "tabs": "Step\tTraining Loss\tValidation Loss\n{i}\t0.9\t{v}",
    "CSV": "epoch,train_loss,val_loss,lr\n{i},,{v},0.001",
    "line by line": "Epoch {i}\n Train Loss: 0.9\n Val Loss: {v}",
    "parts of a line": "epoch {i} | train - loss: 0.9 | val - loss: {v}",
    "heading": "Epoch {i}\nloss: 0.9\nValidation:\nloss: {v}\n",
    "words before": "Train: {i} [   0/13 (  0%)]  Loss: 0.9\nTest: [   6/6]  Loss:   {v} (9.0)",
}
VALUES = [0.5, 0.4, 0.3, 0.2]


def written(form: str) -> str:
    """Four rows of a form, below the head of a table if it has one."""
    head = "".join(line for line in form.splitlines(keepends=True)[:-1] if "{i}" not in form.partition("\n")[0])
    row = form.removeprefix(head)
    return head + "\n".join(row.format(i=i, v=value) for i, value in enumerate(VALUES, 1))


def only(series: list[Series], split: str = "") -> Series:
    [one] = [one for one in series if one.kind == "loss" and not one.average and (one.split == split or not split)]
    return one


def log(text: str) -> Log:
    read = read_log(text)
    assert read is not None
    return read


def shown(text: str) -> list[str]:
    return [finding.id for finding in log(text).findings]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_forms_of_a_loss(form: str) -> None:
    series = [one for one in read_series(written(form))[0] if one.split != "validation"]
    assert only(series).values == VALUES


@pytest.mark.parametrize("form", TABLES.values(), ids=TABLES)
def test_validation_is_told_from_training(form: str) -> None:
    series, _ = read_series(written(form))
    found = [one for one in series if one.split in ("validation", "test") and not one.average]
    assert [one.values for one in found if one.kind == "loss"] == [VALUES]


def test_places_of_rows() -> None:
    [place, *_] = only(read_series("Epoch: [3][ 10/120] Loss 0.5\nEpoch: [3][ 20/120] Loss 0.4")[0]).places
    assert (place.epoch, place.step) == ("3", "10")
    assert only(read_series("step 0010 loss 0.5\n")[0]).places[0].step == "0010"


@pytest.mark.parametrize(
    "text",
    [
        "number of nan iterations:   0 | loss: 0.5",
        "Model is improving ppl: inf --> 5.4 loss: 0.5",
        "12:30:15 2024-05-01 v1.2.3 train.py:23 loss: 0.5",
        "best val_loss: 0.1, loss: 0.5",
        "/a/b/acc.py:22: loss: 0.5",
    ],
)
def test_what_is_no_observation(text: str) -> None:
    assert [one.values for one in read_series(text)[0]] == [[0.5]]


def test_repeated_rows_count_once() -> None:
    bar = "1:  50%|██ | {n}/9 [00:53<00:00, 6.56it/s, loss=0.{n}, val_acc=0.125]"
    series, _ = read_series("\r".join(bar.format(n=n) for n in (1, 1, 2, 3)))
    assert {one.kind: one.values for one in series} == {"loss": [0.1, 0.2, 0.3], "accuracy": [0.125]}
    ranks = "\n".join(f"[rank{rank}]: step {step} loss 0.{step}" for step in (1, 2, 3) for rank in (0, 1))
    assert only(read_series(ranks)[0]).values == [0.1, 0.2, 0.3]


def test_recorded_errors_are_no_faulty_logs() -> None:
    """Unless the message is that of a training whose numbers show it."""
    read = [read_log(text) for text in RECORDED]
    assert sum(log is not None for log in read) < 10
    assert {finding.id for log in read if log for finding in log.findings} <= {"loss-not-finite-told"}


def test_prose_and_code_are_no_logs() -> None:
    assert read_log("My loss is 0.5 at epoch 3, the accuracy is 0.9. Is loss = 0.3 good?") is None
    assert read_log("loss = criterion(out, y)\nfor epoch in range(10):\n    lr = 0.1") is None


# --- rules ---


@pytest.mark.parametrize("row", LOGS["rules"], ids=[row["shows"] for row in LOGS["rules"]])
def test_a_rule_finds_its_fault_and_not_its_twin(row: dict[str, str]) -> None:
    assert shown(row["text"])[0] == row["shows"]
    assert shown(row["twin"]) == []


def test_every_rule_has_a_log() -> None:
    assert {row["shows"] for row in LOGS["rules"]} == {rule["id"] for rule in RULES}


@pytest.mark.parametrize("name", LOGS["healthy"])
def test_healthy_logs_are_not_accused(name: str) -> None:
    assert shown(LOGS["healthy"][name]) == []


@pytest.mark.parametrize("name", LOGS["faulty"])
def test_faulty_logs(name: str) -> None:
    assert shown(LOGS["faulty"][name]["text"])[0] == LOGS["faulty"][name]["shows"]


# Broken scripts whose first finding is another symptom than the entry's: the loss is near ln 2, or flat at a floor.
OTHERS = {"learning-rate-too-low", "from-numpy-shares-memory"}


def test_recordings_of_silent_entries() -> None:
    """What the repaired script of an entry prints is healthy; of the broken one, its symptom is told or nothing."""
    told = 0
    for entry in CATALOG:
        for script in ("fixed", "broken"):
            path = entry.recording(script)
            read = read_log(Recording.load(path).body) if path.is_file() else None
            symptoms = [finding.symptom for finding in read.findings] if read else []
            if script == "fixed":
                assert symptoms == [], entry.id
            elif symptoms and entry.id not in OTHERS:
                told += 1
                assert symptoms[0] in entry.fields.symptoms, entry.id
    assert told > 20


def test_rules_lead_to_symptoms_and_entries_of_the_catalog() -> None:
    assert {rule["symptom"] for rule in RULES} <= {symptom.id for symptom in CATALOG.symptoms}
    assert {rule["entry"] for rule in RULES if "entry" in rule} <= CATALOG.by_id.keys()
    for rule in RULES:
        compile_expression(rule["when"])


@pytest.mark.parametrize("row", LOGS["rules"], ids=[row["shows"] for row in LOGS["rules"]])
def test_both_languages_quote_the_same_numbers(row: dict[str, str]) -> None:
    english, chinese = log(row["text"]), read_log(row["text"], "zh")
    assert chinese and len(chinese.findings) == len(english.findings)
    for one, other in zip(english.findings, chinese.findings, strict=True):
        assert one.series.name in one.evidence or row["shows"].endswith(("told", "collapsed", "never-changes"))
        assert "{" not in one.evidence + other.evidence and one.evidence != other.evidence


def test_memory_and_time_are_told_beside_the_loss() -> None:
    rows = [f"epoch {i} loss: {2 * i} gpu_mem={1000 + 300 * i}MB time per epoch: {9 + 3 * i}s" for i in range(1, 12)]
    assert shown("\n".join(rows)) == ["loss-diverges", "memory-grows", "slower-and-slower"]


# --- answers ---


def test_answers_name_the_causes() -> None:
    [row] = [row for row in LOGS["rules"] if row["shows"] == "validation-rises"]
    told = log_text(log(row["text"]), CATALOG.root, interface(CATALOG.root, "en"))
    assert "\n  overfitting: " in told and "▁" in told and "--watch" in told
    causes = log_json(log(row["text"]), CATALOG.root, "en")["findings"][0]["causes"]
    [symptom] = [one for one in CATALOG.symptoms if one.id == "validation-worse-than-training"]
    assert causes == [entry.id for entry, _ in CATALOG.causes(symptom)]


def test_a_cause_that_a_rule_knows_comes_first() -> None:
    [row] = [row for row in LOGS["rules"] if row["shows"] == "loss-scale-collapsed"]
    assert log_json(log(row["text"]), CATALOG.root, "en")["findings"][0]["causes"][0] == "fp16-overflow"


def test_assistants_are_told_of_logs_without_an_error() -> None:
    [row] = [row for row in LOGS["rules"] if row["shows"] == "validation-rises"]
    told = told_log(row["text"], CATALOG.root, "en")
    assert told and told["errors"] == [] and told["log"]["findings"][0]["id"] == row["shows"]
    healthy = LOGS["healthy"]["lora"]
    assert told_log(healthy, CATALOG.root, "en") and not told_log(f"{healthy}\nValueError: x", CATALOG.root, "en")


def test_healthy_answers() -> None:
    healthy = log(LOGS["healthy"]["lora"])
    told = log_text(healthy, CATALOG.root, interface(CATALOG.root, "zh"))
    assert told == f"训练日志：读到 {healthy.count} 个数值，没有异常。"


def test_curves() -> None:
    assert curve([1, 2, 3, 4, 5, 6, 7, 8]) == "▁▂▃▄▅▆▇█"
    assert curve([2, math.nan, 1]) == "█×▁"
    assert curve([1, 1]) == "▄▄" and curve([math.inf]) == "×"
    assert curve([1, 10, 100, 1000]) == "▁▃▆█"  # logarithmic
    assert len(set(curve([2.3026, 2.3027, 2.3025]))) == 1  # noise of less than 5% is drawn flat
    assert curve([1, 2, 1.05]) == "▁█▁"
    spike = [1.0] * 500 + [9.0] + [1.0] * 500
    assert len(curve(spike)) == 60 and curve(spike).count("█") == 1


# --- limits ---

HOSTILE = {
    "digits": "1" * 1_000_000,
    "names": "\n".join(f"loss_{n}: 0.5" for n in range(30_000)),
    "lines": "loss: 0.5\n" * 100_000,
    "long lines": ("loss: 0.5, " * 360 + "\n") * 200,
    "table": "loss acc\n" + "0.1 0.2\n" * 60_000,
    "bars": "|" * 1_000_000,
    "spaces": "loss:" + " " * 1_000_000,
    "percent": "9%" * 500_000,
    "brackets": "(" * 1_000_000,
    "tabs": "a\t" * 300_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_long(name: str) -> None:
    started = time.process_time()
    read = read_log(HOSTILE[name])
    assert time.process_time() - started < 10
    assert read is None or read.count <= known()["limits"]["values"]


def test_any_text_is_read() -> None:
    chance = random.Random(0)
    texts = [row["text"] for row in LOGS["rules"]]
    for _ in range(300):
        text = chance.choice(texts)
        at = chance.randrange(len(text))
        read_log(
            text[:at] + chance.choice(["nan", "inf", "|", "\t", "=", "[", "1e999", "-", "9" * 50, "{x}"]) + text[at:]
        )
