"""Runs the site's modules as they are published, in V8 and without a browser."""

from __future__ import annotations

import json
import re
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from py_mini_racer import JSEvalException, MiniRacer, init_mini_racer

ASSETS = Path(__file__).resolve().parents[2] / "website/docs/assets"
JavaScriptError = JSEvalException


def require_main_thread() -> None:
    """Raise RuntimeError unless this is the main thread.

    On processors with memory protection keys (`ospke` in /proc/cpuinfo), V8 reserves a key when it starts. Each thread
    has its own access rights to a key and inherits them from the thread that creates it, so a thread that is older than
    V8, and every thread that such a thread creates, dies of a segmentation fault when it compiles JavaScript. The main
    thread starts V8 (below) and creates the threads of the engines, so that all of them have the right.
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError(
            "V8 must be started, and engines created, in the main thread: import tests.site.javascript and use Modules there"
        )


# When this module is imported, and not with the first engine, which runs in a thread of its own.
require_main_thread()
init_mini_racer(ignore_duplicate_init=True)

# How much of what is exchanged must be noticed: some of it makes no difference, whatever the text.
NOTICED = 0.85
# After how many seconds a call of a mutated module counts as an endless loop; unchanged, it takes a tenth of one.
ENDLESS = 3

_IMPORT = re.compile(r'(?ms)^import \{(?P<names>[^}]*)\} from "\./(?P<module>[\w-]+\.js)";\n')
_EXPORT = re.compile(r"(?m)^export (?:async )?(?:function|const) (?P<name>\w+)")
# What is exchanged in a source to see whether a comparison notices: pattern -> what is put in its place.
_EXCHANGES = {
    r" && ": " || ", r" \|\| ": " && ", r" \?\? ": " && ", r" === ": " !== ", r" !== ": " === ", r" < ": " >= ",
    r" <= ": " > ", r" > ": " <= ", r" >= ": " < ", r" \+ 1\b": "", r" - 1\b": "", r"(?<=[ (])!(?=[a-z(])": "",
    r"\.at\(-1\)": ".at(0)", r"\bfindLast\(": "find(", r"\bMath\.max\(": "Math.min(", r"\bMath\.min\(": "Math.max(",
    r"\bcontinue;": ";", r"\bbreak;": ";", r"\btrue\b": "false", r"\bfalse\b": "true", r"\.some\(": ".every(",
    r"\.every\(": ".some(", r"\.reverse\(\)": "",
}  # fmt: skip
# Also what loads data from a server: nothing here does.
_COMMENT = re.compile(r"^\s*(?:/?\*|//|(?:if \(!|const )response\b)|^import ")


def mutations(source: str) -> Iterator[tuple[str, str]]:
    """The sources that differ from this one in a single operator: where and how, and the whole source."""
    lines = source.split("\n")
    for at, line in enumerate(lines):
        if _COMMENT.match(line):
            continue
        code = re.sub(r"//.*|/\*.*?\*/", lambda comment: " " * len(comment[0]), line)
        for pattern, put in _EXCHANGES.items():
            for found in re.finditer(pattern, code):
                changed = line[: found.start()] + put + line[found.end() :]
                yield f"{line.strip()} -> {changed.strip()}", "\n".join([*lines[:at], changed, *lines[at + 1 :]])


def differ(answer: Callable[[list[Any]], list[Any]], arguments: list[Any], expected: list[Any]) -> bool:
    """Whether some answer is not the expected one: most faults show in the first part, and the rest isn't asked for."""
    parts = [slice(at, at + 20) for at in range(0, len(arguments), 20)]
    return any(answer(arguments[part]) != expected[part] for part in parts)


def must_be_noticed(mutated: Sequence[tuple[str, Any]], differs: Callable[[Any], bool]) -> None:
    """Most of the mutations make a difference, if only that a module throws or does not end."""
    missed = []
    for what, sources in mutated:
        with suppress(JavaScriptError):
            missed += [] if differs(sources) else [what]
    assert len(missed) <= max(2, (1 - NOTICED) * len(mutated)), "\n".join(missed)


def made(strategy: st.SearchStrategy[Any], count: int) -> list[Any]:
    """What hypothesis makes of a strategy: the same each time, and all of it for one call of JavaScript."""
    found: list[Any] = []

    @settings(max_examples=count, suppress_health_check=[HealthCheck.too_slow])
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found


class Modules:
    """The exports of modules, as globals of V8 named after their files: `explain.js` is `modules.explain`.

    `sources`: what to run in place of a published module, by its file name. `seconds`: how long a call may take. Only
    modules that use no page and no network. `replace` runs another source in place of one that is loaded.
    """

    def __init__(self, *names: str, sources: Mapping[str, str] | None = None, seconds: float = 240) -> None:
        require_main_thread()
        # In a thread of its own: where Playwright was started, an event loop runs in this one, and MiniRacer refuses.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="javascript")
        self._engine = self._thread.submit(MiniRacer).result()
        # An engine that is left to the end of the interpreter waits there, without end, for a thread that is gone.
        weakref.finalize(self, self._engine.close)
        self._seconds = seconds
        self._sources = dict(sources or {})
        self._loaded: set[str] = set()
        self._eval("const modules = {};")
        for name in names:
            self._load(name)

    def _eval(self, script: str, **options: Any) -> Any:
        return self._thread.submit(lambda: self._engine.eval(script, **options)).result()

    def _load(self, name: str) -> None:
        if name in self._loaded:
            return
        self._loaded.add(name)
        self.replace(name, self._sources.get(name) or (ASSETS / name).read_text(encoding="utf-8"))

    def replace(self, name: str, source: str) -> None:
        """Run a source as this module. What was taken from the former one stays as it is."""
        head = ""
        for found in _IMPORT.finditer(source):
            self._load(found["module"])
            head += f"const {{{found['names']}}} = modules[{found['module'].removesuffix('.js')!r}];\n"
        exported = ", ".join(found["name"] for found in _EXPORT.finditer(source))
        body = re.sub(r"(?m)^export ", "", _IMPORT.sub("", source))
        self._eval(f"modules[{name.removesuffix('.js')!r}] = (() => {{\n{head}{body}\nreturn {{ {exported} }};\n}})();")

    def run(self, script: str) -> None:
        """Run a script, for what it leaves behind."""
        self._eval(f"{script}; undefined;")

    def call(self, function: str, *arguments: Any) -> Any:
        """What a function makes of values that JSON can hold. Texts travel as ASCII: halves of characters arrive.

        Raises JavaScriptError where it throws.
        """
        passed = json.dumps(json.dumps(arguments))
        return json.loads(
            str(self._eval(f"JSON.stringify(({function})(...JSON.parse({passed})) ?? null)", timeout_sec=self._seconds))
        )
