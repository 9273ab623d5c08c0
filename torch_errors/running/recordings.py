"""Recorded output of scripts (`recorded/broken.out` ...), as a reader would see it in a terminal.

    $ python broken.py
    Traceback (most recent call last):
      ...
    RuntimeError: ...
    # exit status 1 | torch 2.15.0+cu132 | Python 3.11.7 | Linux x86_64 | CPU

Only `torch-errors record` writes these files. Paths are shortened, so that they don't depend on the machine.
"""

from __future__ import annotations

import re
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.fields import ExceptionPromise, SilentPromise, Variant, WarningPromise
from torch_errors.errors import UserError
from torch_errors.reading import read_text
from torch_errors.running.report import CHILD_FAILED, TRACEBACK, Report

# Importing the runner requires psutil, which must not be needed to read a recording, as the site does.
if TYPE_CHECKING:
    from torch_errors.running.pool import Machine

_LAST_LINE = re.compile(
    r"# exit status (?P<status>-?\d+) \| torch (?P<torch>[^|]+) \| Python (?P<python>[^|]+) "
    r"\| (?P<system>[^|]+) \| (?P<device>.+)"
)
# Frames of the runner in a printed traceback. A frame is a `File ...` line and perhaps a line of source.
_RUNNER_FRAMES = re.compile(
    r"""(?m)(?:^\ *File\ "<frozen\ runpy>",\ line\ \d+,\ in\ .*\n)*
        (?:^\ *File\ "[^"\n]*/torch_errors/running/[^"\n]*",\ line\ \d+,\ in\ .*\n(?:^\ {4,}(?!File\ ).*\n)?)+""",
    re.VERBOSE,
)


def _minor(version: str) -> list[str]:
    """`3.13.0` -> 3 and 13, as used in Python's file names and messages."""
    return version.split(".")[:2]


@dataclass(frozen=True)
class Recording:
    """One `.out` file."""

    script: str  # file name
    body: str  # what the script printed, with a newline at the end unless it is empty
    status: int
    torch: str
    python: str
    system: str
    device: str

    @property
    def environment(self) -> str:
        """Description of the environment in which the script was recorded."""
        return f"torch {self.torch}, Python {self.python}, {self.system}, {self.device}"

    def is_from(self, machine: Machine) -> bool:
        """Whether `machine` has the same version of torch and minor version of Python, so that it prints the same."""
        return self.torch == machine.torch and _minor(self.python) == _minor(machine.python)

    def to_text(self) -> str:
        last = " | ".join(
            [
                f"# exit status {self.status}",
                f"torch {self.torch}",
                f"Python {self.python}",
                self.system,
                self.device,
            ]
        )
        return f"$ python {self.script}\n{self.body}{last}\n"

    @staticmethod
    def load(path: Path) -> Recording:
        """Read a `.out` file. Raises UserError if it is missing or not in the form that `record` writes."""
        command = f"torch-errors record {path.parent.parent.name}"  # the entry's folder is named after its id
        text = read_text(path, f"`{command}` writes it")
        first, _, rest = text.partition("\n")
        body, _, last = rest.rstrip("\n").rpartition("\n")
        match = _LAST_LINE.fullmatch(last)
        if not first.startswith("$ python ") or not match:
            raise UserError(f"{path}: not a recording; `{command}` writes it anew")
        fields = match.groupdict()
        return Recording(
            script=first.removeprefix("$ python "),
            body=body + "\n" if body else "",
            status=int(fields.pop("status")),
            **fields,
        )

    def message(self, promise: ExceptionPromise | WarningPromise | SilentPromise) -> str:
        """The part of the output that shows the promised failure, as Python printed it.

        This is the exception with its type, the warning with its category, or the line of the measure. Raises UserError
        if the output doesn't show it.
        """
        if isinstance(promise, ExceptionPromise):
            pattern = rf"^(?:[\w.]+\.)?{promise.exception}(?::|$)"
            starts = [match.start() for match in re.finditer(pattern, self.body, re.MULTILINE)]
            if starts:
                # The first match after the last traceback starts, since the message itself may end in a line that looks
                # like an exception (TorchScript).
                below = self.body.rfind(f"\n{TRACEBACK}")
                text = self.body[next((start for start in starts if start > below), starts[-1]) :]
                if f"subprocess.{CHILD_FAILED}: " in text:  # a program that the script ran raised the exception
                    text = text.partition(TRACEBACK)[0]
                return text.rstrip("\n")
            missing = promise.exception
        elif isinstance(promise, WarningPromise):
            warning = re.search(rf"\b{promise.warning}: .*(?:\n(?!  ).*)*", self.body)
            if warning:
                return warning[0].rstrip("\n")
            missing = promise.warning
        else:
            measure = re.search(rf"^{promise.measure.name}=.*$", self.body, re.MULTILINE)
            if measure:
                return measure[0]
            missing = f"{promise.measure.name}="
        raise UserError(f"the recording of {self.script} shows no {missing}")

    def series(self, name: str, x: str) -> list[tuple[float, float]]:
        """Points (value of `x`, value of `name`) from all lines that print both."""
        points = []
        for line in self.body.splitlines():
            pairs = dict(re.findall(r"(\w+)=(\S+)", line))
            if name in pairs and x in pairs:
                points.append((float(pairs[x]), float(pairs[name])))
        return points


def from_report(entry: Entry, variant: Variant, report: Report, machine: Machine) -> Recording:
    """Make a recording of a run. Raises UserError if a limit ended the script."""
    if report.exit_status is None:
        raise UserError(f"{entry.script(variant)}: {report.limit}; nothing was recorded")
    body = shorten_paths(report.output, entry.folder)
    if body and not body.endswith("\n"):
        body += "\n"
    return Recording(
        f"{variant}.py", body, report.exit_status, machine.torch, machine.python, machine.system, machine.device
    )


def shorten_paths(text: str, folder: Path) -> str:
    """Remove what depends on where `text` was printed: folders of the script and of installed files, and colors.

    Also removes the runner's frames from stacks, since a script that is run by hand has none.
    """
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    text = _RUNNER_FRAMES.sub("", text)
    text = text.replace(f"{folder}/", "")
    for name in ("purelib", "platlib"):
        text = text.replace(f"{sysconfig.get_path(name)}/", "")
    text = text.replace(f"{sysconfig.get_path('stdlib')}/", "")
    text = text.replace(f"{Path(sysconfig.get_path('include')).parent}/", "include/")
    text = text.replace(sys.executable, "python")
    # torch.distributed prints the rank before each line of a traceback.
    text = re.sub(r"(?m)^\[rank\d+\]: ?", "", text)
    # Log lines of torch._dynamo and torch.export start with the time and the process id.
    text = re.sub(r"(?m)^([VIWEC])\d{4} [\d:.]+ \d+ ", r"\1 ", text)
    # torch.export prints the path of the script with its start cut off.
    text = re.sub(r"(?m)^(Caused by: (?:\(|.*?# ))[^()]*/((?:broken|fixed|wrong_fix)\.py:\d+ in )", r"\1\2", text)
    # torch's log prints paths relative to the folders in which Python searches for modules.
    text = re.sub(r"(?<![^\s\"'(])[\w.-]*/\S*/site-packages/", "", text)
    text = re.sub(r"/\S*/site-packages/", "", text)
    # C++ stack traces contain the paths of system libraries.
    text = re.sub(r" in /(?:usr/)?lib\S*/(lib[\w.+-]+)\)", r" in \1)", text)
    return re.sub(r"/\S*/torch-errors-\w+/", "/tmp/", text)


# Parts of the output that differ between runs: memory addresses, times, process ids and ports, temporary folders,
# shared memory, and the size and use of the GPU.
_VARYING = re.compile(
    r"capacity of [\d.]+ GiB of which [\d.]+ [KMG]iB is free\.(?: [^.]+ has [\d.]+ [KMG]iB memory in use\.)*"
    r"|0x[0-9a-f]+|\d{4}-\d\d-\d\d_\d\d:\d\d:\d\d|\b(?:pid(?:\(s\))?|PID|port|Process)\W+\d+"
    r"|/tmp[a-z0-9_]{8}/|/torch_\d+_\d+_\d+|returned from server\. Expected: \d+"
)


def without_addresses(text: str) -> str:
    """Replace the parts of `text` that differ between runs, such as memory addresses, with `_`."""
    return _VARYING.sub("_", text)
