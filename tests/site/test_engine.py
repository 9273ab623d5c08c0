"""The engine of the paste box gives the program's answers: the same entries, in the same order, field by field.

The engine runs as it is published, in V8. Once a week, the comparison is shown to fail: operators of the engine are
exchanged one after the other, and it must notice.
"""

from __future__ import annotations

import dataclasses
import gzip
import json
import random
import re
import time
from functools import cache
from itertools import cycle
from pathlib import Path
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest
import yaml

from tests import data, pastes
from tests.conftest import ROOT
from tests.explaining import test_circumstances as circumstances
from tests.guide import CATALOG
from tests.pastes import BACKWARD, HANDLING, MATMUL, ON_THE_WAY, RECORDED, STACKED, on_rank, raised, wrapped
from tests.site.javascript import ASSETS, ENDLESS, Modules, differ, must_be_noticed, mutations
from torch_errors.catalog.expressions import FUNCTIONS
from torch_errors.catalog.loading import load_catalog
from torch_errors.errors import UserError
from torch_errors.explaining.explain import ERRORS, Match, explain
from torch_errors.explaining.guess import Nearest, nearest
from torch_errors.explaining.patterns import BEFORE, KnownEntry, Pattern, load_patterns
from torch_errors.paste.facts import facts
from torch_errors.prompting.excerpt import is_unfilled, trim_traceback
from website import engine, javascript

MODULES = [
    "circumstances.js",
    "cleaning.js",
    "decode.js",
    "excerpt.js",
    "explain.js",
    "facts.js",
    "frames.js",
    "guess.js",
    "patterns.js",
]
MODULES += ["wordings.js", "words.js"]

Answers = list[dict[str, Any]]


# --- both sides, in one form ---


def in_python(texts: list[str], root: Path = ROOT) -> Answers:
    """What the program says to each text."""
    answers = []
    for text in texts:
        matches = [_match(match) for match in explain(text, root)]
        near = _nearest(nearest(text, root))
        trimmed = [trim_traceback(text), *(trim_traceback(text, match["line"]) for match in matches[:1])]
        told = {"explain": matches, "nearest": near, "facts": dataclasses.asdict(facts(text)), "trim": trimmed}
        answers.append(told | {"isUnfilled": is_unfilled(text)})
    return answers


def _match(match: Match) -> dict[str, Any]:
    told = {field.name: getattr(match, field.name) for field in dataclasses.fields(match)}
    del told["pattern"], told["case"]
    return told | {
        "entry": _entry(match.entry),
        "frame": match.frame and dataclasses.asdict(match.frame),
        "alternatives": [_match(other) for other in match.alternatives],
        "because": list(match.because),
    }


def _nearest(near: Nearest) -> dict[str, Any]:
    return {
        "entries": [{"entry": _entry(one.entry), "words": one.words, "score": one.score} for one in near.entries],
        "symptoms": [vars(one) | {"causes": [_entry(cause) for cause in one.causes]} for one in near.symptoms],
        "described": near.described,
        "entriesFirst": near.entries_first,
    }


def _entry(entry: KnownEntry) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(entry)))  # lists, as in JavaScript
    return fields | {"page": f"{entry.category}/{entry.id}/"}


@cache
def engine_data() -> dict[str, Any]:
    return engine.engine_data(CATALOG)


class Engine:
    """explain.js with what it imports."""

    def __init__(
        self, data: dict[str, Any] | None = None, seconds: float = 300, sources: dict[str, str] | None = None
    ) -> None:
        data = data or engine_data()
        self._modules = Modules("explain.js", sources=sources, seconds=seconds)
        self._modules.run(f"const guide = modules.explain.engine(JSON.parse({json.dumps(json.dumps(data))}))")

    def __call__(self, texts: list[str]) -> Answers:
        return self._modules.call(
            """(texts) => texts.map((text) => {
                const explain = guide.explain(text);
                const trim = [guide.trim(text), ...explain.slice(0, 1).map(({ line }) => guide.trim(text, line))];
                const told = { explain, nearest: guide.nearest(text), facts: guide.facts(text), trim };
                return { ...told, isUnfilled: guide.isUnfilled(text) };
            })""",
            texts,
        )


@pytest.fixture(scope="module")
def javascript_engine() -> Engine:
    return Engine()


# --- texts ---

REPORTED = data("reported.yaml")
FRAME = '  File "train.py", line 3, in step\n'
CHAIN = raised(MATMUL) + pastes.CAUSE + raised("KeyError: 'state_dict'") + HANDLING + raised(BACKWARD)
MENTIONED = f"it said {MATMUL[14:]}"
FEWER = MATMUL.replace("32x", "8x")
# Several errors, and errors in odd places, of which only the order matters here.
ODD = [
    *(text for text, _ in pastes.SEVERAL.values()),
    CHAIN + raised(FEWER),
    f"{MENTIONED}\n{MENTIONED.replace('32x', '8x')}\n",
    on_rank(0, CHAIN) + on_rank(1, raised(MATMUL)) + on_rank(0, raised(BACKWARD)) + on_rank(1, raised(STACKED)),
    raised(MATMUL) + on_rank(0, raised(BACKWARD)) + on_rank(1, raised("KeyError: 'state_dict'")),
    on_rank(0, raised(MATMUL)) + on_rank(1, f'  File "a.py", line 3, in f\n    raise RuntimeError("{MATMUL[14:]}")\n'),
    pastes.WARNS + pastes.worker("KeyError: 'cat'"),
    wrapped(next(text for text in RECORDED if "copying from a non-meta" in text), 72, "in words"),
    "\n".join(MATMUL.replace("32x", f"{rows}x") for rows in range(ERRORS + 3)),
    pastes.NOTEBOOK,
    *(wrapped(pastes.LOG, width, breaks) for width in (60, 80) for breaks in ("in words", "at spaces")),
    HANDLING.join([raised("KeyError: 1"), *(raised(f"ValueError: {n}") for n in range(6)), raised(MATMUL)]),
    "Traceback (most recent call last):\n" + '  File "a.py", line 3, in f\n    f()\n' * 90 + MATMUL + "\nx" * 40,
    f"it said {BACKWARD[14:]}\n{FRAME}    print('{MATMUL[14:]}')\n",
    f"it said {BACKWARD[14:]}\nprint('{MATMUL[14:]}')\n",
    # Shared prefixes, one of them with the same digits throughout; messages of relaxed patterns or wordings only.
    pastes.lines_with("trainer-1  | ") + pastes.lines_with("trainer-0  | ", raised(BACKWARD)),
    pastes.lines_with("(a+b)*[c]{d}^e$f.g?h\\i/j|-k 12: "),
    MATMUL.lower(),
    MATMUL.upper().replace("S", "\u017f").replace("K", "\u212a"),
    "shape \"[32, 784]' is INVALID for input of size 25120",
    "RuntimeError: cannot be multiplied (32x512 and 256x10)",
    "Sizes of tensors must match except in",
    "'NoneType' object is not subscriptable",
    # What a wrapper passes on, and words of other programs, with and without a sign of PyTorch.
    *(text for *_, text in REPORTED["answered"]),
    *(text for one in REPORTED["foreign"].values() for text in (one, f"import torch\n{one}")),
    *REPORTED["source"],
    pastes.worker("PIL.UnidentifiedImageError: cannot identify image file <_io.BytesIO object at 0x7f8f14d777e0>`"),
]
# Titles and numbers around the lengths at which a text is cut.
CUTS = [
    *(
        f"mat1 and mat2 shapes cannot be multiplied\n{begin}{'x' * title}{end}\n(32x512 and 256x10)"
        for begin, end in (("---", "---"), ("╭─", "─╮"), ("-----", ""), ("------", ""), ("+++", "==="))
        for title in (0, 119, 120, 121)
    ),
    *(f"expected scalar type Long but found {'x' * size}" for size in range(1450, 1480, 5)),
]
# Breaks, each of which one rule decides.
BROKEN = [
    "mat1 and mat2 shapes cannot be multi\nplied (32x512 and 256x10)",  # too narrow
    f"{'x' * 80}\n{'x' * 30} mat1 and mat2 shapes cannot be multi\nplied (32x512 and 256x10)",  # the last of two parts
    "expected scalar type Float but found Double".rjust(60, "x") + "\nValueError: x",
    f"torch.AcceleratorError: CUDA error: device-\nside assert triggered {'x' * 60}",
    f"{BACKWARD}\n{FRAME}torch.{'x' * 60}.UnsupportedErr\nor: {MATMUL[14:]}",
    "shape '[32, 784]' is invalid&#32;for input of size&nbsp;1&#50;",
]
# Errors whose advice differs by what else the paste shows, and by the reader's line.
CIRCUMSTANCES = [
    f"{error}\n{shown}"
    for error in (
        "AssertionError: Torch not compiled with CUDA enabled",
        "Exporting the operator 'aten::grid_sampler' to ONNX opset version 11 is not supported.",
        "HIP error: invalid device function",
    )
    for shown in (*(text for pair in circumstances.SHOWN.values() for text in pair), *circumstances.VERSIONS)
]
CIRCUMSTANCES += [
    circumstances.line("main()") + line.partition("\n")[2] + message for line, message in circumstances.LINES
]
# What no pattern knows: messages alone, tracebacks, and both around the lengths at which they are cut.
UNREAD = [
    *pastes.UNKNOWN,
    *(row["text"] for row in pastes.READ.values()),
    *(f"ValueError: {'x' * count} expected size [3, {count}] {'y' * 700}" for count in (150, 158, 159, 160, 161, 169)),
    *(f"{'x' * count} RuntimeError: unit\n" for count in (1190, 1198, 1199, 1200)),
    *(f"RuntimeError: tensor\nof {'x' * count}\nsize [3, 4]\n" for count in (570, 583, 584, 585, 599)),
    f"RuntimeError: /size/of/tensor of size [3, 4]\n{'x' * 99_970}RuntimeError: beyond",
    "RuntimeError: expanded size must match existing size at /pytorch/aten/src/THC/generic/THCTensorCopy.c:20",
    f"RuntimeError: too early\n{'x ' * 50_000}",
    'File "a.py", line 3, in f\n' + "x" * 300 + "\nRuntimeError: tensor\n",
    "RuntimeError: the 😀 tensors have sizes " + ", ".join(f"[{n}, 2]" for n in range(9)),
]


def must_answer_alike(texts: list[str], javascript_engine: Engine, root: Path = ROOT) -> Answers:
    """JavaScript counts letters beyond U+FFFF as two: `trim` and the message may be cut elsewhere."""
    answers = javascript_engine(texts)
    for text, *pair in zip(texts, answers, in_python(texts, root), strict=True):
        if max(text, default="") > "\uffff":
            pair = [{**answer, "trim": None, "facts": {**answer["facts"], "message": None}} for answer in pair]
        assert pair[0] == pair[1], text[:5000]
    return answers


def known_in(answers: Answers) -> set[str]:
    return {match["entry"]["id"] for answer in answers for match in answer["explain"]}


def test_every_recording(javascript_engine: Engine, exhaustive: bool) -> None:
    """All in `make test-all`, every third in `make test`."""
    texts = RECORDED if exhaustive else RECORDED[::3]
    # Every pattern that a recording shows was decoded here, not only missed alike.
    assert len(known_in(must_answer_alike(texts, javascript_engine))) >= len(texts) / 2


@pytest.mark.exhaustive  # thousands of texts; `test_hard_texts` has each form
def test_recordings_in_all_forms(javascript_engine: Engine) -> None:
    """Two forms of each recording; they change from one recording to the next."""
    forms = cycle(ON_THE_WAY.values())
    must_answer_alike([next(forms)(text) for text in RECORDED for _ in range(2)], javascript_engine)


def _sample(tree: Any, chance: random.Random, longest: bool = False) -> str:
    """A text that a parsed regular expression matches, unless a lookahead forbids it; or the longest such text."""
    parts = []
    for code, argument in tree:
        if code is _constants.LITERAL:
            parts.append(chr(argument))
        elif code is _constants.NOT_LITERAL or code is _constants.ANY:
            parts.append(chance.choice("x7 😀"))
        elif code is _constants.IN:
            parts.append(_sample_of_class(argument, chance))
        elif code is _constants.BRANCH:
            parts.append(_sample(chance.choice(argument[1]), chance, longest))
        elif code is _constants.SUBPATTERN:
            parts.append(_sample(argument[3], chance, longest))
        elif code in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            low, high, repeated = argument
            if longest:
                parts += [_sample(repeated, chance, longest)] * (high if high <= BEFORE else low + 3)
            else:
                parts += [_sample(repeated, chance) for _ in range(chance.randint(low, min(high, low + 3)))]
    return "".join(parts)


def _sample_text(pattern: Pattern, chance: random.Random, longest: bool = False) -> str:
    """A text that the pattern matches, unless it looks ahead: the code above the message, and the message."""
    return "".join(_sample(_parser.parse(one), chance, longest) for one in (pattern.code, pattern.source) if one)


def _sample_of_class(items: Any, chance: random.Random) -> str:
    (negated, wanted) = (True, items[1:]) if items[0][0] is _constants.NEGATE else (False, items)
    chars = [*map(chr, range(32, 127)), "‘", "’", "😀"]
    chars += [chr(argument) for code, argument in wanted if code is _constants.LITERAL]  # also a line break alone
    return chance.choice([char for char in chars if any(_fits(char, *item) for item in wanted) is not negated])


def _fits(char: str, code: Any, argument: Any) -> bool:
    if code is _constants.LITERAL:
        return ord(char) == argument
    if code is _constants.RANGE:
        return argument[0] <= ord(char) <= argument[1]
    category = {
        _constants.CATEGORY_DIGIT: r"\d", _constants.CATEGORY_WORD: r"\w", _constants.CATEGORY_SPACE: r"\s",
        _constants.CATEGORY_NOT_DIGIT: r"\D", _constants.CATEGORY_NOT_WORD: r"\W",
        _constants.CATEGORY_NOT_SPACE: r"\S",
    }  # fmt: skip
    return bool(re.match(category[argument], char, re.ASCII))


@pytest.mark.exhaustive  # thousands of texts; recordings show most patterns
def test_every_pattern(javascript_engine: Engine) -> None:
    """Also those whose wording no recording shows."""
    chance, patterns = random.Random(0), load_patterns(ROOT).all
    texts = [_sample_text(pattern, chance) for pattern in patterns for _ in range(2)]
    answers = must_answer_alike(texts, javascript_engine)
    assert known_in(answers) == {pattern.entry for pattern in patterns}
    assert sum(not answer["explain"] for answer in answers) < len(texts) / 20, "what fits no pattern tests nothing"


# What two matrices, 40 names or a compiler print may be longer than what is read; other patterns of these need less.
LONGER_THAN_READ = {"triton-not-working", "gradcheck-failure", "ddp-unfinished-reduction", "cpp-extension-build-error"}


def test_a_pattern_reaches_as_far_as_its_repetitions_allow() -> None:
    """It is tried near its fixed words only: what it allows before them must be within that."""
    patterns = load_patterns(ROOT).all
    texts = [_sample_text(pattern, random.Random(0), longest=True) for pattern in patterns]
    pairs = [
        (pattern, text)
        for pattern, text in zip(patterns, texts, strict=True)
        if all(re.search(source, text, re.ASCII) for source in (pattern.code, pattern.source) if source)
    ]
    assert len(pairs) > 0.95 * len(texts)
    assert {p.entry for p, text in pairs if not p.find(text)} == LONGER_THAN_READ


def test_hard_texts(javascript_engine: Engine, exhaustive: bool) -> None:
    """All in `make test-all`, every sixth in `make test`."""
    texts = [*(pastes.boxed(width) for width in (70, 80, 120)), *pastes.FORMS.values()]
    texts += [*ODD, *CUTS, *BROKEN, *pastes.WORDS, *UNREAD, *pastes.OF_TOOLS]
    texts += [text for part in data("sentences.yaml").values() for rows in part.values() for text, *_ in rows]
    texts += [
        "loss isn\u2019t falling, ca n't \u212a",
        "显卡 a\r\n/x 显\u3000存爆了",
        "stopped stops stopping ss ing eed " * 200,
    ]
    texts += ["Der Verlust FÄLLT NICHT, la pérdida no baja", "学習が進まない、損失が下がらない", "OOM"]
    texts += [text[:20_000] for text in pastes.HOSTILE] + CIRCUMSTANCES + ["", "\n", "\ud800", "\udc00\ud800", "\0"]
    must_answer_alike(texts if exhaustive else texts[::6], javascript_engine)


@pytest.mark.parametrize("text", [*pastes.HOSTILE, "".join(RECORDED)], ids=len)
def test_no_text_takes_long(text: str, javascript_engine: Engine, exhaustive: bool) -> None:
    read = text if exhaustive else text[:300_000]

    def seconds() -> float:
        started = time.process_time()
        javascript_engine([read])
        return time.process_time() - started

    assert any(seconds() < 10 for _ in range(3))  # the other tests disturb one, not all


# --- the language of decoded texts ---

# What the named groups a and b capture.
VALUES = [
    ("-7", "3"), ("7", "-3"), ("1", "1"), ("1280", "0"), ("144000000000000", "1024"), ("[32, 784]", "-1"), ("[]", "1"),
    ("torch.Size([2, -3, 4])", "2"), ("8 x 0 x 3", "5"), ("٣", "2"), ("x", "x"), ("%d", "7"), ("张", "a'b"),
    ("900719925474099", "7"), ("[2, 3, 5, -1]", "torch.Size([7, 5, 1])"),
]  # fmt: skip
OPERATORS = ["+", "-", "*", "//", "%", "==", "!=", "<", "<=", ">", ">=", "and", "or"]
# Each function, each operator, and constants.
EXPRESSIONS = [
    *(f"{name}({', '.join('abc'[:count])})" for name, count in FUNCTIONS.items()),
    *(f"a {operator} b" for operator in OPERATORS),
    *("-a", "not a", "count(a) == 2", "bytes(1792)", "plural(a, 'x', 'y')", "plural(b, 'x', 'y')"),
    *("item(a, -2)", "marked(a, -2)", "marked(a, a)", "a == 3 or c == 'x'", "'x'", "3"),
]


def _planted(root: Path, expressions: list[str]) -> None:
    """A catalog in which each entry says one expression."""
    entries = {}
    for number, expression in enumerate(expressions):
        advice = [{"say": "timm {a}"}, {"fix": f"timm {{{expression}}} {{c}}"}, {"say": "timm {c}", "fix": "timm {b}"}]
        row = {
            "match": rf"planted-{number} a=(?P<a>[^;]{{0,40}}); b=(?P<b>[^;]{{0,40}});(?: c=(?P<c>\w+);)?",
            "fix": f"{{{{fix}}}} {{{expression}}}",
            "picture": f"[{{{expression}}}] @ [{{a}}]",
            "says": [  # where c took no part, the first case holds and cannot be said
                {"when": expression, "say": f"{{{expression}}} {{c}}", "fix": f"case {{{expression}}}"},
                {"say": "{a} and {{b}}: {b}"},
            ],
            "circumstances": {
                "timm": advice[number % 3],
                "peft": {"fix": "peft"},
                "timm + torch < 2.5": {"say": "old"},
            },
        }
        index_row = {"title": f"Planted {number}", "summary": "Planted.", "kind": "exception"}
        entries[f"planted-{number}"] = index_row | {"exception": "RuntimeError"}
        folder = root / "common-errors" / "planted" / f"planted-{number}"
        folder.mkdir(parents=True)
        (folder / "entry.yaml").write_text(yaml.safe_dump({"patterns": [row]}, allow_unicode=True), encoding="utf-8")
    document = {"categories": {"planted": {"title": "Planted", "summary": "Planted.", "entries": entries}}}
    (root / "catalog.yaml").write_text(yaml.safe_dump(document, allow_unicode=True), encoding="utf-8")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A catalog of all functions and operators, and texts for it, each with as many errors as are told of one."""
    root = tmp_path_factory.mktemp("planted")
    _planted(root, EXPRESSIONS)
    texts = []
    for place, (a, b) in enumerate(VALUES):
        c = ["", " c=3;", " c=x;"][place % 3]
        file = ["/env/site-packages/timm/a.py", "/site-packages/torch/a.py", ""][place % 3]
        version = ["torch 1.11\n", ""][place % 2]
        head = f'{version}File "{file}", line 1, in f\nRuntimeError: these\n' if file else ""
        lines = [f"planted-{number} a={a}; b={b};{c}" for number in range(len(EXPRESSIONS))]
        texts += [head + "\n".join(lines[at : at + ERRORS]) for at in range(0, len(lines), ERRORS)]
    return root, texts


def test_decoded_texts(planted: tuple[Path, list[str]]) -> None:
    root, texts = planted
    expected = must_answer_alike(texts, Engine(engine.engine_data(load_catalog(root))), root)
    said = [match["fix"] for answer in expected for match in answer["explain"]]
    assert None in said and len(set(said)) > 80


def test_an_expression_that_cannot_be_said_is_refused(tmp_path: Path) -> None:
    _planted(tmp_path, ["a"])
    details = tmp_path / "common-errors" / "planted" / "planted-0" / "entry.yaml"
    details.write_text(details.read_text().replace("(?P<a>", "(?>x)(?P<a>"))
    with pytest.raises(UserError, match=r"planted-0: ATOMIC_GROUP .* has no counterpart"):
        engine.engine_data(load_catalog(tmp_path))


# --- regular expressions ---


LINES, ANY_CASE = re.MULTILINE, re.IGNORECASE


@pytest.fixture(scope="module")
def no_modules() -> Modules:
    return Modules()


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        *(
            (source, 0)
            for source in (
                r"a|b", r"x(?:a|b)y", r"(?:ab|ac)?z", r"(?P<n>\d+)x(?P<m>\d+)?", r"[^\s:]{1,3}", r"[\s\S]", r"\S+",
                r"[\d.]+", r"\bword\b", r"\Bord", r"^a.c", r"c$", r".{2,4}?", r"a{3}b{2,}", r"[-+*/\\\]^]+", r"[^-a]",
                r"\$\{\}\(\)\|/", r"(?=a)\w+", r"a(?!b)", r"'\"`~!@#%&", r"\t\n", r"\x1b\[", r"[│┃]", r"张\w?",
                r"😀{2}", r"[😀-😂]", r"[^\n]+", r"(?:a{0,2}b){0,3}c", r"(?:)", r"[\w\s]+", r"\W\D", r"(?:(?:a))+",
                r"a*",
                r"(?<=a)b", r"(?<!a)b\w?", r"(?<![\w😀])a", r"(?<=a|b)c", r"(?<=^)a", r"(?P<x>a+)b?(?P=x)",
                r"(?P<x>a?)b(?P=x)", r"(?P<x>a)(?:(?P=x)|b)", r"(a)(?:b)(?P<c>c)",
            )
        ),
        (r"^a?", LINES), (r"b$", LINES), (r"^\w$", LINES), (r"(?m)^\w", 0), (r"[^x]$", LINES), (r"\n^.", LINES),
        (r"word", ANY_CASE), (r"[a-c]+", ANY_CASE), (r"[^a-c]", ANY_CASE), (r"[^K]", ANY_CASE), (r"[Z-b]+", ANY_CASE),
        (r"[ksſ]", ANY_CASE), (r"\bs\w+", ANY_CASE), (r"é", ANY_CASE), (r"(?<=a)B", ANY_CASE), (r"^A|C$",
        ANY_CASE | LINES), (r"(?i:wor)d", 0), (r"(?i:[a-b]|K)c?", 0), (r"(?i:(?<=a)b)[a-c]", 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("capture", [False, True])
def test_regular_expression_means_the_same(source: str, flags: int, capture: bool, no_modules: Modules) -> None:
    pattern = re.compile(source, re.ASCII | flags)
    pieces = ["a", "b", "c", "ab", "abc", "aaabb", "x", "z", "12x34", "7x", ":", "word", "sword", "-+*/\\]^", "${}()|/"]
    pieces += ["'\"`~!@#%&", "\x1b[", "│", "张", "张a", "😀", "😀😀", "😁", "é", *" \t\n\r\u2028\x85\xa0"]
    pieces += ["A", "B", "Word", "K", "k", "\u212a", "ſ", "s", "É", "`", "\n"]
    chance = random.Random(0)
    texts = [*pieces, *("".join(chance.choices(pieces, k=chance.randrange(2, 9))) for _ in range(400))]
    theirs = no_modules.call(
        """(source, texts) => texts.map((text) => {
            const match = new RegExp(source, "u").exec(text);
            if (!match) return null;
            const groups = [...match].map((group) => group ?? null);
            return [groups, [...text.slice(0, match.index)].length, { ...match.groups }];
        })""",
        javascript.expression(pattern, capture=capture),
        texts,
    )
    for text, found in zip(texts, theirs, strict=True):
        match = pattern.search(text)
        groups = match and {name: value for name, value in match.groupdict().items() if value is not None}
        numbered = match and [match[0], *(match.groups() if capture else match.groupdict().values())]
        assert found == (match and [numbered, match.start(), groups]), text


@pytest.mark.parametrize(
    ("source", "flags"),
    [
        (r"a", re.IGNORECASE), (r"a.b", re.DOTALL), (r"(?i)a", 0),
        (r"\d", 0), (r"\w", 0), (r"\s", 0), (r"a\b", 0),
        (r"(?<=(?P<x>a))b", re.ASCII), (r"(a)\1", re.ASCII), (r"(?P<x>a)(?P=x)", re.ASCII | re.IGNORECASE),
        (r"(?P<x>a)?b(?P=x)", re.ASCII), (r"(?:(?P<x>a)|b)(?P=x)", re.ASCII), (r"(?P<x>a)|b(?P=x)", re.ASCII),
        (r"(?!(?P<x>a))b(?P=x)", re.ASCII),
        (r"(?>a)", re.ASCII), (r"a++", re.ASCII), (r"\Aa", re.ASCII), (r"a\Z", re.ASCII), (r"(?i:a)", 0),
        (r"(?s:a.)", re.ASCII),
        (r"(?:(?P<x>a)|(?P<y>b))+", re.ASCII), (r"(?P<x>a)?(?(x)b|c)", re.ASCII),
    ],
)  # fmt: skip
@pytest.mark.parametrize("capture", [False, True])
def test_regular_expression_of_one_language_only_is_refused(source: str, flags: int, capture: bool) -> None:
    with pytest.raises(ValueError):
        javascript.expression(re.compile(source, flags), capture=capture)


def test_a_group_that_captures_is_not_repeated() -> None:
    assert javascript.expression(re.compile(r"(?:(a)|b)+", re.ASCII)) == "(?:(?:a)|b)+"
    with pytest.raises(ValueError, match="forgets"):
        javascript.expression(re.compile(r"(?:(a)|b)+", re.ASCII), capture=True)


# --- the comparison notices ---


@dataclasses.dataclass
class Corpus:
    """Texts for which each mutation makes a difference, and what the program answers."""

    data: dict[str, Any]
    texts: list[str]
    answers: Answers


@pytest.fixture(scope="module")
def corpora(planted: tuple[Path, list[str]]) -> list[Corpus]:
    root, mine = planted
    quoting = next(text for text in RECORDED if 'Missing key(s) in state_dict: "' in text)  # HTML names the quotes
    forms = [change(text) for change in ON_THE_WAY.values() for text in (MATMUL, quoting)]
    texts = [*ODD, *CUTS[::2], *BROKEN, *pastes.WORDS, *UNREAD[::4], *forms[::2], *pastes.OF_TOOLS]
    of_planted = engine.engine_data(load_catalog(root))
    return [Corpus(engine_data(), texts, in_python(texts)), Corpus(of_planted, mine, in_python(mine, root))]


@pytest.mark.weekly
def test_comparison_notices(corpora: list[Corpus]) -> None:
    sources = {name: (ASSETS / name).read_text(encoding="utf-8") for name in MODULES}
    tried = [(f"{name}: {what}", {name: new}) for name, old in sources.items() for what, new in mutations(old)]

    def differs(changed: dict[str, str]) -> bool:
        return any(differ(Engine(one.data, ENDLESS, changed), one.texts, one.answers) for one in corpora)

    assert not differs({})
    must_be_noticed(tried[::8], differs)


def test_data_are_small() -> None:
    """As servers send them, compressed."""
    sizes = {path: len(gzip.compress(data.encode())) for path, data in engine.engine_files(CATALOG).items()}
    rules = 10_000  # bytes, of cleaning and reading, however many entries there are
    assert sizes.pop(engine.DATA_FILE) < rules + 540 * len(CATALOG)
    assert max(sizes.values()) < 30_000, sizes  # what is loaded for an answer


def test_texts_of_patterns_are_in_the_files_of_their_categories() -> None:
    files = {path: json.loads(data) for path, data in engine.engine_files(CATALOG).items()}
    data = files.pop(engine.DATA_FILE)
    found = {int(number): texts for file in files.values() for number, texts in file.items()}
    assert [found[number] for number in sorted(found)] == json.loads(json.dumps(engine_data()["texts"]["patterns"]))
    for number, (entry, *_) in enumerate(data["patterns"]):
        assert str(number) in files[engine.ANSWERS_FILE.format(category=data["entries"][entry][1])]
