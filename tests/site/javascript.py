"""Runs the published modules of the site in V8, without a browser."""

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
            "V8 must be started, and engines created, in the main thread: import tests.site.javascript there, "
            "and use Modules"
        )


# Started on import of this module, not with the first engine, which runs in a thread of its own.
require_main_thread()
init_mini_racer(ignore_duplicate_init=True)

# Share of the mutations that a comparison must notice: some make no difference for any text.
NOTICED = 0.85
# Seconds after which a call of a mutated module counts as an endless loop; the unchanged module takes 0.1 s.
ENDLESS = 3

_IMPORT = re.compile(r'(?ms)^import \{(?P<names>[^}]*)\} from "\./(?P<module>[\w-]+\.js)";\n')
_EXPORT = re.compile(r"(?m)^export (?:async )?(?:function|const) (?P<name>\w+)")
# Mutations of a source: pattern -> replacement.
_EXCHANGES = {
    r" && ": " || ", r" \|\| ": " && ", r" \?\? ": " && ", r" === ": " !== ", r" !== ": " === ", r" < ": " >= ",
    r" <= ": " > ", r" > ": " <= ", r" >= ": " < ", r" \+ 1\b": "", r" - 1\b": "", r"(?<=[ (])!(?=[a-z(])": "",
    r"\.at\(-1\)": ".at(0)", r"\bfindLast\(": "find(", r"\bMath\.max\(": "Math.min(", r"\bMath\.min\(": "Math.max(",
    r"\bcontinue;": ";", r"\bbreak;": ";", r"\btrue\b": "false", r"\bfalse\b": "true", r"\.some\(": ".every(",
    r"\.every\(": ".some(", r"\.reverse\(\)": "",
}  # fmt: skip
# Lines that are not mutated: comments, imports, and code that loads data from a server, which does not run here.
_COMMENT = re.compile(r"^\s*(?:/?\*|//|(?:if \(!|const )response\b)|^import ")


def mutations(source: str) -> Iterator[tuple[str, str]]:
    """Description and source of each variant that differs from the source in a single operator."""
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
    """Whether any answer differs. Answers are computed in parts, as most faults show in the first part."""
    parts = [slice(at, at + 20) for at in range(0, len(arguments), 20)]
    return any(answer(arguments[part]) != expected[part] for part in parts)


def must_be_noticed(mutated: Sequence[tuple[str, Any]], differs: Callable[[Any], bool]) -> None:
    """Assert that most mutations make a difference, even if only by an exception or an endless loop."""
    missed = []
    for what, sources in mutated:
        with suppress(JavaScriptError):
            missed += [] if differs(sources) else [what]
    assert len(missed) <= max(2, (1 - NOTICED) * len(mutated)), "\n".join(missed)


def made(strategy: st.SearchStrategy[Any], count: int) -> list[Any]:
    """Examples that hypothesis generates, the same in each run, as a list for a single call of JavaScript."""
    found: list[Any] = []

    @settings(max_examples=count, suppress_health_check=[HealthCheck.too_slow])
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found


class Modules:
    """Loaded modules, whose exports are in V8 by the name of the file: those of `explain.js` in `modules.explain`.

    `sources`: by file name, sources to run in place of published modules. `seconds`: time limit of a call. The modules
    must not use the page or the network.
    """

    def __init__(self, *names: str, sources: Mapping[str, str] | None = None, seconds: float = 240) -> None:
        require_main_thread()
        # In a thread of its own: if Playwright was started, this one runs an event loop, which MiniRacer refuses.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="javascript")
        self._engine = self._thread.submit(MiniRacer).result()
        # At the end of the interpreter, an open engine would wait forever for its thread.
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
        """Run a source in place of this module. Modules that imported the earlier one keep it."""
        head = ""
        for found in _IMPORT.finditer(source):
            self._load(found["module"])
            head += f"const {{{found['names']}}} = modules[{found['module'].removesuffix('.js')!r}];\n"
        exported = ", ".join(found["name"] for found in _EXPORT.finditer(source))
        body = re.sub(r"(?m)^export ", "", _IMPORT.sub("", source))
        self._eval(f"modules[{name.removesuffix('.js')!r}] = (() => {{\n{head}{body}\nreturn {{ {exported} }};\n}})();")

    def run(self, script: str) -> None:
        """Run a script for its side effects."""
        self._eval(f"{script}; undefined;")

    def call(self, function: str, *arguments: Any) -> Any:
        """Call a function with JSON values. They are passed as ASCII, so that unpaired surrogates arrive as they are.

        Raises JavaScriptError if it throws.
        """
        passed = json.dumps(json.dumps(arguments))
        return json.loads(
            str(self._eval(f"JSON.stringify(({function})(...JSON.parse({passed})) ?? null)", timeout_sec=self._seconds))
        )
