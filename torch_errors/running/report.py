"""The data classes that describe one run of a script: the job, its limits, and the report."""

from __future__ import annotations

import importlib
import json
import re
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Protocol, cast

TRACEBACK = "Traceback (most recent call last):\n"
CHILD_FAILED = "CalledProcessError"
_AFTER_FRAMES = re.compile(r"\A(?: .*\n)*")
# Between the traceback of an exception and that of one raised from it.
_RAISED_FROM = "\nThe above exception was the direct cause of the following exception:\n"


@dataclass(frozen=True)
class StackFrame:
    """One level of a traceback."""

    file: str
    line: int
    function: str


@dataclass(frozen=True)
class Raised:
    """The exception that ended a script."""

    type: str  # class name, without its module
    message: str
    frames: list[StackFrame]  # outermost first


@dataclass(frozen=True)
class Warned:
    """A warning that a script emitted."""

    category: str
    message: str
    line: int | None  # deepest line of the script that was running, None if the script was not on the stack


@dataclass(frozen=True)
class Limits:
    """The resources that one script may use before it is ended."""

    seconds: float = 120.0
    memory_mib: int = 6 * 1024  # resident memory of the script and all its descendants together
    output_bytes: int = 1_000_000


class Observation(Protocol):
    """The observation of one script, in the script's process."""

    def finish(self) -> tuple[list[str], list[str]]:
        """Stop observing. Return the ids of the entries found, and the failures of the observer."""


class ObserverModule(Protocol):
    """A module that can observe scripts."""

    def prepare(self, root: Path) -> None:
        """Do the slow setup that all runs share."""

    def start(self, root: Path) -> Observation:
        """Start observing what this process does from now on."""


@dataclass(frozen=True)
class Observer:
    """An observer of a script that runs, by module name, since only the script's process imports the module."""

    module: str  # dotted name of an ObserverModule
    root: Path  # folder of the guide, passed to the module's functions

    def load(self) -> ObserverModule:
        return cast(ObserverModule, importlib.import_module(self.module))


@dataclass(frozen=True)
class Job:
    """One script to run."""

    script: Path
    seed_offset: int = 0  # added to the number in every `manual_seed(number)`
    limits: Limits = Limits()
    then: str | None = None  # source to run in the script's namespace after its end or failure, as in `python -i`
    observer: Observer | None = None

    def to_json(self) -> dict[str, object]:
        observer = {"module": self.observer.module, "root": str(self.observer.root)} if self.observer else None
        return asdict(self) | {"script": str(self.script), "observer": observer}

    @staticmethod
    def from_json(data: dict) -> Job:
        observer = data["observer"] and Observer(data["observer"]["module"], Path(data["observer"]["root"]))
        return Job(Path(data["script"]), data["seed_offset"], Limits(**data["limits"]), data["then"], observer)


@dataclass(frozen=True)
class Report:
    """The result of one run. Times are in seconds."""

    exit_status: int | None  # -N if signal N ended the script, None if a limit did
    output: str  # standard output and standard error in the order printed, without the output of `then`
    raised: Raised | None = None
    warned: list[Warned] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)  # attempts to leave the sandbox
    left_files: list[str] = field(default_factory=list)
    left_processes: list[str] = field(default_factory=list)
    limit: str | None = None  # description of the limit that ended the script
    seconds: float = 0.0
    cpu_seconds: float = 0.0  # CPU time of the script and the children that it waited for
    then_output: str = ""  # output of `then`, including its traceback
    found: list[str] = field(default_factory=list)  # ids of the entries that watching reported, empty if not watched
    watch_failures: list[str] = field(default_factory=list)  # detectors that raised, each with its exception

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> Report:
        data = json.loads(text)
        raised = data.pop("raised")
        if raised is not None:
            raised = Raised(**raised | {"frames": [StackFrame(**frame) for frame in raised["frames"]]})
        warned = [Warned(**warning) for warning in data.pop("warned")]
        return Report(raised=raised, warned=warned, **data)

    def failure(self, wanted: str | None = None) -> Raised | None:
        """The exception that made the script fail, with the script's frames.

        Usually the script's own exception. If that is the error of `subprocess.run(..., check=True)`, the exception
        that ended the other program, or one that it was raised from, if that has the type `wanted`: since Python 3.13,
        `getpass.getuser()` raises an OSError from the KeyError of older versions.
        """
        if self.raised is None or self.raised.type != CHILD_FAILED:
            return self.raised
        _, *tracebacks = self.output.split(TRACEBACK)
        if len(tracebacks) < 2:  # the other program printed no traceback
            return self.raised
        chain = [tracebacks[-2]]
        for before in reversed(tracebacks[:-2]):
            if not before.endswith(f"{_RAISED_FROM}\n"):
                break
            chain.append(before.removesuffix(f"{_RAISED_FROM}\n"))
        raised = []
        for part in chain:
            name, _, message = _AFTER_FRAMES.sub("", part).strip().partition(": ")
            raised.append(replace(self.raised, type=name.rpartition(".")[2], message=message))
        return next((one for one in raised if one.type == wanted), raised[0])

    def trespasses(self) -> list[str]:
        """Messages about what the script did, or tried to do, outside its sandbox and what it left behind."""
        problems = [f"tried to leave its sandbox: {attempt}" for attempt in self.refused]
        problems += [f"left a file behind: {path}" for path in self.left_files]
        return problems + [f"left a process behind: {name}" for name in self.left_processes]

    def script_line(self, script: Path) -> int | None:
        """Deepest line of `script` in the exception's traceback, or None if there is none."""
        if self.raised is None:
            return None
        lines = [frame.line for frame in self.raised.frames if Path(frame.file) == script]
        return lines[-1] if lines else None

    def values(self, name: str) -> list[str]:
        """The values, as text, of all lines of the output that consist of `name=value`."""
        return re.findall(rf"^{re.escape(name)}=(\S+)$", self.output, re.MULTILINE)


def last_line(output: str) -> str:
    """The last line of an output, at most 300 characters of it."""
    return (output.strip().splitlines() or ["no output"])[-1][:300]
