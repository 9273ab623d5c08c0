"""Redaction removes everything private from a prompt, and nothing else."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.corpora import HOSTILE, ORDINARY, planted
from tests.guide import CATALOG
from torch_errors.markdown.parsing import parse_page
from torch_errors.prompting.redaction import HOST, LONGEST, USER, Rule, local_names, redact, rules

PLANTED = list(planted())
CLASSES = dict.fromkeys(name for name, _, _ in PLANTED)


# --- the two lists ---


@pytest.mark.parametrize("name", CLASSES)
def test_no_planted_secret_slips_through(name: str) -> None:
    """Neither alone nor between other lines."""
    for text, private in [(text, private) for of, text, private in PLANTED if of == name]:
        assert private and all(part in text for part in private), "planted"
        for before, after in (("", ""), ("step=1 loss=0.5\n", "\nTraceback (most recent call last):\n  x")):
            cleaned, counts = redact(f"{before}{text}{after}")
            assert not [part for part in private if part in cleaned], text
            assert cleaned.startswith(before)
            # If the last line of a key was cut off, its end is unknown.
            assert cleaned.endswith(after) or ("-----BEGIN" in text and "-----END" not in text)
            assert counts.total() >= 1


def test_the_lists_are_long_and_the_rules_few() -> None:
    assert len(CLASSES) >= 20 and len(PLANTED) >= 200
    assert len(set(ORDINARY)) >= 100 and len(RULES) <= 60


def test_ordinary_lines_are_kept() -> None:
    assert {line: redact(line)[0] for line in ORDINARY if redact(line) != (line, {})} == {}
    text = "\n".join(ORDINARY)
    assert redact(text) == (text, {})


def test_texts_of_the_guide_are_kept(exhaustive: bool) -> None:
    """The guide contains nothing private, so redaction must change nothing of its scripts, recordings and blocks."""
    changed = []
    for entry in list(CATALOG)[:: 1 if exhaustive else 6]:
        paths = [*map(entry.script, entry.variants), *map(entry.recording, entry.variants)]
        read = [path.read_text(encoding="utf-8") for path in paths if path.is_file()]
        recorded_lines = {line for text in read for line in text.splitlines()}
        shown = [line for fence in parse_page(entry.page).fences for line in fence.text.splitlines()]
        for text in (*read, "\n".join(line for line in shown if line not in recorded_lines)):
            if redact(text) != (text, {}):
                changed += [(entry.id, text)]
    assert changed == []


# --- the rules ---


RULES = rules()
RULE = pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.what}: {rule.catches[:30]}")


@RULE
def test_a_rule_catches_its_sample_and_leaves_the_other(rule: Rule) -> None:
    assert rule.find.search(rule.catches), "by itself"
    assert redact(rule.catches)[0] != rule.catches
    assert redact(rule.leaves) == (rule.leaves, {})


def test_a_token_is_recognized_by_its_format() -> None:
    token = "hf_" + "AbCdEfGhIjKlMnOpQrStUvWxYz01234567"
    for text in ("x {} y", "密钥是{}，请保密", "'a\\n{}'", "\x1b[31m{}\x1b[0m", "a%3D{}&b", "({})", "{}"):
        assert token not in redact(text.format(token))[0], text


@pytest.mark.parametrize(
    ("text", "names", "cleaned", "counts"),
    [
        (
            "annabel at gpu-node7: annabella gpu-node70 annabel.",
            {"annabel": USER, "gpu-node7": HOST},
            f"{USER} at {HOST}: annabella gpu-node70 {USER}.",
            {"user name": 2, "host name": 1},
        ),
        (
            "root al ubuntu torch 22.04",
            {"root": USER, "al": USER, "ubuntu": USER, "torch": HOST},
            "root al ubuntu torch 22.04",
            {},
        ),
        ("在 /home/annabel，然后失败", {}, "在 ~，然后失败", {"home folder": 1}),
        ("/home/annabel/x.py，用户是annabel。", {}, f"~/x.py，用户是{USER}。", {"home folder": 1, "user name": 1}),
        ("/home/张三丰/x.py saved by 张三丰.", {}, f"~/x.py saved by {USER}.", {"home folder": 1, "user name": 1}),
    ],
    ids=["given names, as words", "short and common names", "behind a home folder", "in Chinese", "of other letters"],
)
def test_names_and_home_folders(text: str, names: dict[str, str], cleaned: str, counts: dict[str, int]) -> None:
    assert redact(text, names) == (cleaned, counts)


def test_names_of_this_machine_are_known() -> None:
    assert set(local_names().values()) <= {USER, HOST} and local_names()


def test_redacting_twice_changes_nothing_more() -> None:
    once, _ = redact("\n".join(text for name, text, _ in PLANTED if name == "one of each kind"))
    assert redact(once)[0] == once


def _worst(rule: Rule) -> list[str]:
    """Texts that start like a match of the rule but do not end like one, to be repeated."""
    return [rule.catches[: len(rule.catches) * part // 8] + between for part in (3, 6, 7) for between in ("", " ")]


@RULE
def test_a_rule_takes_little_time_for_the_longest_text(rule: Rule) -> None:
    for unit in [*_worst(rule), *HOSTILE]:
        text = (unit[:LONGEST] * (LONGEST // len(unit) + 1))[:LONGEST]
        started = time.process_time()
        rule.find.sub("", text)
        assert time.process_time() - started < 2, unit[:30]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_no_text_causes_a_hang(text: str) -> None:
    started = time.process_time()
    redact(text[:LONGEST])
    assert time.process_time() - started < 5


@given(st.text(alphabet=st.sampled_from("ab1@:/.\\=- \n'\"_~$[]hometokenUsersC"), max_size=300))
def test_any_text_can_be_redacted(text: str) -> None:
    cleaned, counts = redact(text)
    assert (cleaned == text) == (counts.total() == 0) or counts.total() > 0
