"""The data that the paste box of the site needs to give the same answers as `torch_errors.explaining`.

They consist of the parts of the command's compiled file (torch_errors/explaining/compiled.py), in one language and with
regular expressions rewritten for JavaScript, and of the constants of each Python module that has a JavaScript version
in `website/docs/assets/`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from torch_errors.catalog.circumstances import INTERFACE, NAMES, NOTEBOOKS, OTHERS, PLATFORMS, PROGRAMS, SYSTEMS
from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.expressions import compile_expression
from torch_errors.catalog.fields import ExceptionEntry
from torch_errors.doctor import reports
from torch_errors.errors import UserError
from torch_errors.explaining import circumstances, decode, explain, guess, patterns, relaxed, wordings, words
from torch_errors.explaining.compiled import Compiled, EntryRow, PatternRow, load_compiled
from torch_errors.languages import ENGLISH, LANGUAGES
from torch_errors.logs import rules, series
from torch_errors.paste import cleaning, facts, frames
from torch_errors.prompting import excerpt
from torch_errors.running.recordings import Recording
from website.javascript import expression

# The part of them that the search of the site reads: what is nearest to a query by words.
NEAREST_FILE = "assets/nearest.json"
EXAMPLES = 3
# Path of the data on the site, next to the module that reads them.
DATA_FILE = "assets/explain.json"
# Path of the texts of the patterns of a category, which are only read after one of these patterns has matched.
ANSWERS_FILE = "assets/answers/{category}.json"


def engine_files(catalog: Catalog, language: str = ENGLISH) -> dict[str, str]:
    """Return the data as files of compact JSON, by their paths on the site, with the texts in a language.

    Raises UserError if a pattern has no equivalent in JavaScript.
    """
    data = engine_data(catalog, language)
    answers: dict[str, dict[int, Any]] = {}
    for number, ((entry, *_), texts) in enumerate(zip(data["patterns"], data["texts"].pop("patterns"), strict=True)):
        _, category, *_ = data["entries"][entry]
        answers.setdefault(category, {})[number] = texts
    files = {DATA_FILE: _json(data)}
    return files | {ANSWERS_FILE.format(category=category): _json(texts) for category, texts in answers.items()}


def engine_data(catalog: Catalog, language: str = ENGLISH) -> dict[str, Any]:
    """Return all data as values that JSON can represent."""
    compiled = load_compiled(catalog.root)
    return {
        "entries": compiled.entries,
        "patterns": [_pattern(row, compiled.entries) for row in compiled.patterns],
        "words": compiled.words,
        "nearness": _nearness(compiled),
        "symptoms": compiled.symptoms,
        "recorded": compiled.recorded,
        "wordings": {
            "word": expression(wordings.WORD),
            "header": wordings.HEADER,
            "python": wordings.PYTHON,
            "share": wordings.SHARE,
            "weight": wordings.WEIGHT,
            "margin": wordings.MARGIN,
            "times": wordings.TIMES,
            "fewest": wordings.FEWEST,
            "longest": wordings.LONGEST,
        },
        "texts": {
            "entries": compiled.texts(language)["entries"],
            "symptoms": compiled.texts(language)["symptoms"],
            "patterns": [compiled.pattern_texts(language, number) for number in range(len(compiled.patterns))],
        },
        "search": {
            "before": patterns.BEFORE,
            "after": patterns.AFTER,
            "places": patterns.PLACES,
            "above": patterns.ABOVE,
            "otherCode": expression(patterns.OTHER_CODE),
            "quote": expression(relaxed.QUOTE, capture=True),
            "line": expression(explain.LINE),
            "torch": expression(explain.TORCH),
            "raising": expression(explain.RAISING),
            "around": explain.AROUND,
            "anyQuote": relaxed.ANY_QUOTE,
            "errors": explain.ERRORS,
            "shortest": explain.SHORTEST,
        },
        "digits": decode.DIGITS,
        "report": expression(reports.REPORT),
        "cleaning": _cleaning(),
        "framing": _framing(),
        "circumstances": _circumstances(),
        "excerpt": _excerpt(),
        "reading": _reading(),
        "guessing": _guessing(),
        "logs": _logs(language),
        "examples": examples(catalog),
    }


def nearest_json(catalog: Catalog, language: str = ENGLISH) -> str:
    """Return what the search needs to find the nearest page, as compact JSON, with the texts of symptoms."""
    compiled = load_compiled(catalog.root)
    data = {
        "pages": [f"{category}/{id}/" for id, category, *_ in compiled.entries],
        "words": compiled.words,
        "nearness": _nearness(compiled),
        "symptoms": compiled.symptoms,
        "guessing": _guessing(),
        "texts": {"symptoms": compiled.texts(language)["symptoms"]},
    }
    return _json(data)


def _json(data: object) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _nearness(compiled: Compiled) -> dict[str, Any]:
    return {"weights": compiled.weights, "synonyms": compiled.synonyms}


def examples(catalog: Catalog) -> list[str]:
    """Return recorded tracebacks for readers who have none at hand, one of each of a few categories."""
    found = []
    for category in catalog.categories:
        recorded = [entry.recording("broken") for entry in category.entries if isinstance(entry.fields, ExceptionEntry)]
        if path := next((path for path in recorded if path.is_file()), None):
            found.append(Recording.load(path).body.rstrip())
    return found[:EXAMPLES]


def _pattern(row: PatternRow, entries: Sequence[EntryRow]) -> list[Any]:
    """Return the row of a pattern with its regular expressions in the syntax of JavaScript."""

    def in_javascript(source: str) -> str:
        return expression(re.compile(source, patterns.FLAGS))

    entry, source, *others, code = row
    try:
        return [entry, in_javascript(source), *others, code and in_javascript(code)]
    except ValueError as error:
        raise UserError(f"the entry {entries[entry][0]}: {error}") from None


def _cleaning() -> dict[str, Any]:
    return {
        "expressions": {name: expression(pattern) for name, pattern in cleaning.EXPRESSIONS.items()},
        "prefixes": cleaning.PREFIXES,
        "shared": cleaning.SHARED,
        "boxSides": cleaning.BOX_SIDES,
        "broken": cleaning.BROKEN,
        "narrowest": cleaning.NARROWEST,
        "usual": cleaning.USUAL,
        "entities": cleaning.ENTITIES,
        "characters": {"named": cleaning.PUNCTUATION, "fullWidth": cleaning.FULL_WIDTH},
        "rule": {
            "begins": cleaning.RULE_BEGINS,
            "ends": cleaning.RULE_ENDS,
            "sides": cleaning.RULE_SIDES,
            "title": cleaning.RULE_TITLE,
        },
        "roles": {
            "code": cleaning.CODE,
            "warning": cleaning.WARNING,
            "loose": cleaning.LOOSE,
            "exception": cleaning.EXCEPTION,
            "raised": cleaning.RAISED,
        },
    }


def _framing() -> dict[str, Any]:
    return {
        "expressions": {name: expression(pattern) for name, pattern in frames.EXPRESSIONS.items()},
        "source": frames.SOURCE,
        "quoted": frames.QUOTED,
        "here": frames.HERE,
        "aliases": frames.ALIASES,
    }


def _circumstances() -> dict[str, Any]:
    def written(source: str) -> str:
        return expression(re.compile(source, re.ASCII))

    reading, versions = circumstances.READING.items(), circumstances.VERSIONS.items()
    return {
        "within": circumstances.WITHIN,
        "reading": {name: [[literal, written(source)] for literal, source in one.items()] for name, one in reading},
        "versions": {name: [[literal, written(source)] for literal, source in forms] for name, forms in versions},
        "features": circumstances.FEATURES,
        "statesVersions": expression(circumstances.STATES_VERSIONS),
        "names": NAMES,
        "programs": PROGRAMS,
        "interface": INTERFACE,
        "kinds": [NOTEBOOKS, PLATFORMS, SYSTEMS],
        "others": OTHERS,
    }


def _excerpt() -> dict[str, Any]:
    return {
        "expressions": {name: expression(pattern) for name, pattern in excerpt.EXPRESSIONS.items()},
        "heading": excerpt.HEADING,
        "innermost": excerpt.INNERMOST,
        "outerFrames": excerpt.OUTER_FRAMES,
        "chained": excerpt.CHAINED,
        "linesAfter": excerpt.LINES_AFTER,
        "linesWithout": excerpt.LINES_WITHOUT,
    }


def _reading() -> dict[str, Any]:
    return {
        "expressions": {name: expression(pattern) for name, pattern in facts.READING.items()},
        "within": facts.WITHIN,
        "message": facts.MESSAGE,
        "items": facts.ITEMS,
        "before": facts.BEFORE,
        "around": facts.AROUND,
    }


def _logs(language: str) -> dict[str, Any]:
    """Return the data of the reader of training logs, with the conditions of its rules compiled."""
    known = series.known()
    expressions = {**series.EXPRESSIONS, "ansi": cleaning.ANSI, "lineEnd": cleaning.LINE_END, "shown": rules.SHOWN}
    texts = [{"say": row[language], "when": compile_expression(row["when"])} for row in known["rules"]]
    left_out = (*LANGUAGES, "when")
    told = [
        {name: row[name] for name in row if name not in left_out} | text
        for row, text in zip(known["rules"], texts, strict=True)
    ]
    places = {name: forms[language] for name, forms in known["places"].items()}
    return {
        "expressions": {
            name: expression(pattern, capture=name in ("ordinal", "shown")) for name, pattern in expressions.items()
        },
        "styles": [(name, expression(pattern)) for name, pattern in series.STYLES.items()],
        "signs": series.SIGNS,
        "up": series.UP,
        "units": series.UNITS,
        "known": {**known, "rules": told, "places": places},
        "classes": rules.CLASSES,
        "most": rules.MOST,
    }


def _guessing() -> dict[str, Any]:
    expressions = {
        "token": words.TOKEN,
        "negation": words.NEGATION,
        "space": words.SPACE,
    }
    return {
        "words": {
            "expressions": {name: expression(pattern) for name, pattern in expressions.items()},
            "accented": words.ACCENTED,
            "plain": words.PLAIN,
            "path": words.PATH,
            "particles": words.PARTICLES,
            "doubled": words.DOUBLED,
            "stop": sorted(words.STOPS),
            "han": words.HAN,
            "most": words.MOST,
            "longest": words.LONGEST,
        },
        "levels": words.LEVELS,
        "wordsAtLeast": guess.WORDS_AT_LEAST,
        "few": guess.FEW,
        "clearly": guess.CLEARLY,
        "aboutAsNear": guess.ABOUT_AS_NEAR,
        "first": guess.FIRST,
        "early": guess.EARLY,
        "late": guess.LATE,
        "guesses": guess.GUESSES,
        "told": guess.SYMPTOMS,
        "checklist": guess.CHECKLIST,
    }
