"""The texts of the site's scripts: the same in both languages, and consistent with the program."""

from __future__ import annotations

from typing import Any

import pytest

from tests.site.javascript import Modules
from torch_errors.catalog.texts import load_texts
from torch_errors.prompting.redaction import NAMED, rules
from website import entry_facts

FLAT = """(language) => {
    const flat = (texts, above) => Object.entries(texts).flatMap(([key, value]) =>
        value && typeof value === "object" && !Array.isArray(value)
            ? flat(value, `${above}${key}.`) : [[`${above}${key}`, [typeof value, String(value)]]]);
    return flat(Object.values(modules)[0].textsFor(language), "");
}"""


def texts_of(script: str, language: str) -> dict[str, Any]:
    """Type and text of each text of a script by name; for a function, its source."""
    return dict(Modules(f"{script}-texts.js").call(FLAT, language))


@pytest.mark.parametrize(
    ("script", "same"),
    [("all-errors", set()), ("paste-box", {"placeholder"})],
)
def test_both_languages_have_the_same_texts(script: str, same: set[str]) -> None:
    english, chinese = texts_of(script, "en"), texts_of(script, "zh-Hans")
    assert [(key, kind) for key, (kind, _) in english.items()] == [(key, kind) for key, (kind, _) in chinese.items()]
    assert {key for key in english if english[key] == chinese[key]} == same


@pytest.mark.parametrize("language", ["en", "zh"])
def test_filters_use_the_words_of_the_table(language: str) -> None:
    """For kinds and hardware."""
    texts, word = texts_of("all-errors", language), load_texts(language).word
    for names, words in (("kinds", entry_facts.KINDS), ("needs", entry_facts.NEEDS | {"anywhere": "runs anywhere"})):
        shown = {key.partition(".")[2]: text for key, (_, text) in texts.items() if key.startswith(f"{names}.")}
        assert shown == {name: word(text) for name, text in words.items()}


def test_every_kind_of_secret_has_words() -> None:
    above = "prompt.kinds."
    kinds = {key.removeprefix(above) for key in texts_of("paste-box", "en") if key.startswith(above)}
    assert kinds == {rule.what for rule in rules()} | set(NAMED.values())
