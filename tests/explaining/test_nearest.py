"""What is nearest by words where no pattern matches: for sentences in both languages, and for messages."""

from __future__ import annotations

import pytest

from tests import data, pastes
from torch_errors.explaining.answer import unknown_text
from torch_errors.explaining.explain import explain
from torch_errors.explaining.guess import CAUSES, CHECKLIST, Nearest, nearest
from torch_errors.explaining.words import load_synonyms, stem, terms
from torch_errors.paste.facts import facts

SENTENCES = data("sentences.yaml")
AT_LEAST = 0.8  # share of the sentences


def ids(near: Nearest) -> list[str]:
    return [*(one.id for one in near.symptoms), *(one.entry.id for one in near.entries)]


@pytest.mark.parametrize("language", ["en", "zh", "other"])
@pytest.mark.parametrize("part", SENTENCES)
def test_sentences_find_what_answers_them(part: str, language: str) -> None:
    """The first symptom, or one of the first three entries."""
    rows = SENTENCES[part][language]
    missed = [(text, ids(nearest(text))) for text, *right in rows if not set(ids(nearest(text))) & set(right)]
    assert len(missed) <= (1 - AT_LEAST) * len(rows), missed


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("gpu not detected", "gpu-not-used"),
        ("没有使用GPU", "gpu-not-used"),
        ("loss is nan", "loss-becomes-nan"),
        ("my loss is not decreasing", "loss-does-not-fall"),
        ("loss 不下降", "loss-does-not-fall"),
        ("训练卡住", "training-hangs"),
        ("the results of onnx differ from pytorch", "differs-on-another-backend"),
        ("overfitting after 3 epochs", "validation-worse-than-training"),
        ("几个 epoch 就过拟合了", "validation-worse-than-training"),
        ("cannot overfit a single batch", "loss-stalls-high"),
        ("different results every run", "differs-between-runs"),
        ("每次结果都不一样", "differs-between-runs"),
        ("different result each time I run eval on the same image", "predictions-change-between-calls"),
    ],
)
def test_common_sentences_find_their_symptom(text: str, first: str) -> None:
    near = nearest(text)
    assert near.described and [one.id for one in near.symptoms] == [first]


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("my loss is negative", "loss-sign-flipped"),
        ("loss 是负数", "loss-sign-flipped"),
        ("weights not updating", "zero-grad-before-step"),
        ("gpu utilization 0%", "dataloader-bottleneck"),
        ("my loss is not decreasing", "vanishing-gradient"),
    ],
)
def test_the_causes_that_the_words_fit_come_first(text: str, cause: str) -> None:
    """The most frequent cause of a loss that jumps is no answer to one that is negative."""
    assert nearest(text).symptoms[0].causes[0].id == cause


def test_a_program_that_is_not_of_python_is_not_answered() -> None:
    assert explain("Bus error (core dumped) ./game") == explain("zsh: segmentation fault  ./game") == []
    assert explain("Bus error (core dumped) python train.py") and explain("zsh: segmentation fault  ./train.py")


def test_a_killed_worker_is_that_of_the_dataloader() -> None:
    assert [match.id for match in explain("DataLoader worker killed")] == ["dataloader-worker-killed"]


@pytest.mark.parametrize("text", ["OOM", "显存不足", "cuda out of memory", "爆显存"])
def test_out_of_memory_is_found_in_all_words(text: str) -> None:
    assert nearest(text).entries[0].entry.id == "cuda-out-of-memory"


@pytest.mark.parametrize(("text", "entries_first"), [("OOM", True), ("显存不足", True), ("loss is nan", False)])
def test_an_entry_that_answers_better_than_the_symptom_comes_first(text: str, entries_first: bool) -> None:
    assert nearest(text).entries_first is entries_first
    told = unknown_text(facts(text), nearest(text))
    assert (told.index("nearest entries") < told.index("symptom:")) is entries_first


def test_an_entry_is_not_told_again_below_a_symptom_that_it_causes() -> None:
    near = nearest("my loss is not decreasing")
    causes = {cause.id for cause in near.symptoms[0].causes[:CAUSES]}
    again = causes & {guess.entry.id for guess in near.entries}
    told = unknown_text(facts("my loss is not decreasing"), near)
    assert again and [told.count(f"-> {id}") for id in again] == [1] * len(again)


@pytest.mark.parametrize(
    ("error", "symptoms"),
    [
        ("AssertionError: Loss is nan, stopping training", ["loss-becomes-nan"]),
        ("AssertionError: model did not learn, accuracy is at chance", ["loss-stuck-at-chance"]),
        ("TypeError: 'DataLoader' object is not an iterator", []),
        ("ModuleNotFoundError: No module named 'tensorboard'", []),
    ],
)
def test_an_error_gets_a_symptom_that_is_about_as_near_as_the_entries(error: str, symptoms: list[str]) -> None:
    near = nearest(error)
    assert near.entries and not near.described
    assert [symptom.id for symptom in near.symptoms] == symptoms


@pytest.mark.parametrize("text", pastes.UNKNOWN)
def test_of_an_error_the_message_counts_alone(text: str) -> None:
    """Not the frames, in whose words `module-init-not-called` was near to every error."""
    assert explain(text) == []
    near = nearest(text)
    assert near.entries and not near.described
    frames = '  File "/env/site-packages/torch/nn/modules/module.py", line 1, in __init__\n    super().__init__()\n'
    assert nearest(f"Traceback (most recent call last):\n{frames}{text}\n") == near


def test_an_error_of_no_concern_is_not_the_build_of_an_extension() -> None:
    assert "cpp-extension-build-error" not in ids(nearest("IndexError: list index out of range"))


def test_shared_words_are_told_as_written_rarest_first() -> None:
    near = nearest("The learning rate seems wrong, my training overshoots")
    assert near.entries[0].entry.id == "learning-rate-too-high"
    assert near.entries[0].words[:2] == ["overshoots", "learning rate"]


def test_one_shared_word_of_many_is_not_near() -> None:
    assert ids(nearest("zzz qqq")) == ids(nearest("")) == []
    assert ids(nearest("overfitting")) != []
    assert ids(nearest("overfitting puma otter newt moose")) == []


def test_the_beginning_of_a_text_counts_most() -> None:
    others = " ".join(f"zz{number}" for number in range(100, 150))
    first, second = "my loss is nan", "training is slow, the gpu is idle"
    assert nearest(f"{first} {others} {second}").symptoms[0].id == "loss-becomes-nan"
    assert nearest(f"{second} {others} {first}").symptoms[0].id == "slow"


def test_every_symptom_has_causes_and_a_workflow() -> None:
    for symptom in nearest("loss nan accuracy gpu memory slow export hang validation", symptoms=99).symptoms:
        assert symptom.causes and (symptom.workflow or CHECKLIST), symptom.id


def test_terms_of_a_text() -> None:
    """English stems without grammar, pairs of Chinese characters, synonyms, and no paths."""
    found = terms("The losses aren't going down in /tmp/loss.py: 显存的占用过程 0.6931", load_synonyms())
    assert {term: written for term, (_, written) in found.items()} == {
        "loss": "losses", "stuck": "not going down", "memory": "显存",
        "占用": "占用", "用过": "用过", "过程": "过程", "0.69": "0.69",
    }  # fmt: skip
    assert [place for place, _ in found.values()] == list(range(7))
    assert {stem(word) for word in ("stop", "stops", "stopped", "stopping")} == {"stop"}
    assert len({stem(word) for word in ("decrease", "decreases", "decreased", "decreasing")}) == 1
