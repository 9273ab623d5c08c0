"""The data with which the paste box of the site answers like `torch_errors.explaining`.

The browser gets no Python: expressions are rewritten for JavaScript, and the small language of decoded texts arrives as
trees, so that `website/docs/assets/explain.js` neither parses nor evaluates source. What the data mean is said there.
"""

from __future__ import annotations

import ast
import json
from typing import Any

from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.expressions import OPERATORS, parse, pieces
from torch_errors.catalog.fields import ExceptionEntry
from torch_errors.errors import UserError
from torch_errors.explaining import explain, guess, patterns, words
from torch_errors.explaining.patterns import KnownEntry, Pattern
from torch_errors.languages import ENGLISH
from torch_errors.paste import cleaning, facts, frames
from torch_errors.prompting import excerpt
from torch_errors.running.recordings import Recording
from website.javascript import expression

# Where the data lie on the site, beside the module that reads them.
DATA_FILE = "assets/explain.json"
# Above this a number of JSON is not exact in JavaScript.
_EXACT = 2**53


def engine_json(catalog: Catalog, language: str = ENGLISH) -> str:
    """The data as compact JSON, with what they say in a language.

    Raises UserError where a pattern cannot be said in JavaScript.
    """
    return json.dumps(engine_data(catalog, language), ensure_ascii=False, separators=(",", ":"))


def engine_data(catalog: Catalog, language: str = ENGLISH) -> dict[str, Any]:
    """The data as values that JSON can represent."""
    known = patterns.load_patterns(catalog.root, language)
    index = {id: number for number, id in enumerate(known.entries)}
    return {
        "entries": [_entry(entry) for entry in known.entries.values()],
        "patterns": [_pattern(pattern, index) for pattern in known.all],
        "search": {
            "before": patterns.BEFORE,
            "after": patterns.AFTER,
            "places": patterns.PLACES,
            "errors": explain.ERRORS,
            "shortest": explain.SHORTEST,
        },
        "cleaning": _cleaning(),
        "framing": _framing(),
        "excerpt": _excerpt(),
        "reading": _reading(),
        "guessing": _guessing(known),
        "example": example(catalog),
    }


def example(catalog: Catalog) -> str:
    """A traceback as a run printed it, for readers who have none at hand; empty where none is recorded."""
    for entry in catalog:
        path = entry.recording("broken")
        if isinstance(entry.fields, ExceptionEntry) and path.is_file():
            return Recording.load(path).body.rstrip()
    return ""


def _entry(entry: KnownEntry) -> dict[str, Any]:
    return {
        "id": entry.id,
        "category": entry.category,
        "title": entry.title,
        "summary": entry.summary,
        "kind": entry.kind,
        "fix": entry.fix,
        "wrapper": entry.wrapper,
        "page": f"{entry.category}/{entry.id}/",  # below the root of the site
    }


def _pattern(pattern: Pattern, index: dict[str, int]) -> dict[str, Any]:
    try:
        written = {
            "entry": index[pattern.entry],
            "source": expression(pattern.regex),
            "literal": pattern.literal,
            "weight": pattern.weight,
            "assertion": pattern.assertion,
            "says": [
                {"say": _text(case.say)}
                | ({"when": _tree(parse(case.when))} if case.when is not None else {})
                | ({"fix": _text(case.fix)} if case.fix else {})
                for case in pattern.says
            ],
            "fix": _text(pattern.fix) if pattern.fix else None,
            "frameworks": {
                name: {key: _text(text) for key, text in (("say", advice.say), ("fix", advice.fix)) if text}
                for name, advice in pattern.frameworks.items()
            },
        }
    except ValueError as error:
        raise UserError(f"the entry {pattern.entry}: {error}") from None
    return {name: value for name, value in written.items() if value or name == "entry"}


def _text(text: str) -> list[Any]:
    """Parts of a decoded text: strings as they are, expressions as trees."""
    return [piece if isinstance(piece, str) else _tree(piece) for piece in pieces(text)]


def _tree(node: ast.expr) -> list[Any]:
    """An expression as `[operation, operand, …]`."""
    match node:
        case ast.Constant(value=bool() | str() as value):
            return ["constant", value]
        case ast.Constant(value=int() as value) if abs(value) < _EXACT:
            return ["number", value]
        case ast.Name(id=name):
            return ["name", name]
        case ast.BinOp(left=left, op=operation, right=right):
            return [OPERATORS[type(operation)][0], _tree(left), _tree(right)]
        case ast.Compare(left=left, ops=[comparison], comparators=[right]):
            return [OPERATORS[type(comparison)][0], _tree(left), _tree(right)]
        case ast.BoolOp(op=joint, values=values):
            return ["and" if isinstance(joint, ast.And) else "or", *map(_tree, values)]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return ["not", _tree(operand)]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return ["negative", _tree(operand)]
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return ["call", name, *map(_tree, arguments)]
    raise ValueError(f"{ast.unparse(node)!r} is not of the language of decoded texts")


def _cleaning() -> dict[str, Any]:
    return {
        "expressions": {name: expression(pattern) for name, pattern in cleaning.EXPRESSIONS.items()},
        "prefixes": cleaning.PREFIXES,
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
        "aliases": frames.ALIASES,
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


def _guessing(known: patterns.Patterns) -> dict[str, Any]:
    return {
        "word": expression(words.WORD),
        "path": words.PATH,
        "stop": sorted(words.STOP),
        "atLeast": guess.AT_LEAST,
        "wordsAtLeast": guess.WORDS_AT_LEAST,
        "most": guess.GUESSES,
        "weights": known.compiled.weights,
        # Shorter than as JSON: `tensor,0,3 shape,1`.
        "using": " ".join(",".join(map(str, [word, *users])) for word, users in known.compiled.words.items()),
    }
