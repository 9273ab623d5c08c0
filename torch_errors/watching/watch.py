"""Start and end of watching, and what is printed of the findings."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from types import ModuleType
from typing import TextIO

from torch_errors.catalog.locate import ENTRIES_FOLDER, find_root
from torch_errors.errors import UserError
from torch_errors.explaining.compiled import interface
from torch_errors.languages import ENGLISH, Texts, from_locale
from torch_errors.watching.detector import DETECTOR_MODULE, Detector, Finding, Run
from torch_errors.watching.observer import Observer

DETECTOR_FILE = "watch.py"
FOUND = 3  # exit status of --watch-strict
_MARK = "torch-errors: "


def load_detector(path: Path) -> type[Detector]:
    """The class in the `watch.py` of an entry. Raises UserError where there is none."""
    # Not imported: that would leave bytecode in the entry's folder.
    module = ModuleType(DETECTOR_MODULE + path.parent.name)
    try:
        exec(compile(path.read_bytes(), path, "exec", dont_inherit=True), module.__dict__)
        detector: type[Detector] = module.Watch
    except Exception as error:
        raise UserError(f"{path}: no class `Watch` can be loaded: {type(error).__name__}: {error}") from error
    detector.id = path.parent.name
    return detector


def load_detectors(root: Path, run: Run) -> list[Detector]:
    """The detectors of all entries, in the order of their ids, those at the end that leave the word to others."""
    paths = sorted((root / ENTRIES_FOLDER).glob(f"*/*/{DETECTOR_FILE}"), key=lambda path: path.parent.name)
    return sorted((load_detector(path)(run) for path in paths), key=lambda detector: detector.after_others)


class Watching:
    """One watched run, from `start` to `finish`."""

    def __init__(
        self, language: str | None = None, debug: bool = False, out: TextIO | None = None, root: Path | None = None
    ) -> None:
        """`out`: where findings are printed, standard error as it is then, where None; `root`: of the guide."""
        root = root or find_root()
        self.run = Run()
        self.language = language or from_locale()
        self._texts: Texts = interface(root, self.language)
        self._debug = debug
        self._out = out
        self._printed = 0
        self._observer = Observer(load_detectors(root, self.run), self.run, self._tell_new)

    @property
    def findings(self) -> list[Finding]:
        return self.run.findings

    @property
    def failures(self) -> Mapping[str, BaseException]:
        """Detectors that raised, and what; they were switched off."""
        return self._observer.failures

    def start(self) -> Watching:
        self._observer.start()
        return self

    def finish(self) -> None:
        """Stop observing, and print the findings once more with what was watched."""
        self._observer.stop()
        self._tell_new()
        word, run = self._texts.word, self.run
        watched = word(
            "watched {steps} optimizer steps and {backwards} backward passes",
            steps=f"{run.steps:,}",
            backwards=f"{run.backwards:,}",
        )
        if not run.findings:
            self._print(f"{_MARK}{watched}: {word('nothing found that a run can show')}")
        else:
            self._print(f"{_MARK}{watched}:")
            for finding in run.findings:
                self._print(f"  {self._place(finding)}{finding.id}")
        if self._debug:
            for id, error in self.failures.items():
                self._print(f"{_MARK}the detector of {id} was switched off: {type(error).__name__}: {error}")

    def write_json(self, path: Path) -> None:
        """Counts and findings, for programs."""
        run = self.run
        findings = [asdict(finding) for finding in run.findings]
        told = {"steps": run.steps, "backwards": run.backwards, "passes": run.passes, "findings": findings}
        path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def _tell_new(self) -> None:
        """Print findings that were not printed yet."""
        for finding in self.run.findings[self._printed :]:
            self._printed += 1
            word = self._texts.word
            certainty = word("proof") if finding.certainty == "proof" else word("strong evidence")
            said = finding.texts.get(self.language, finding.texts[ENGLISH])
            self._print(f"{_MARK}{self._place(finding)}{said} ({certainty})")
            self._print(f"  torch-errors show {finding.id}")

    def _place(self, finding: Finding) -> str:
        """Such as `train.py:42, step 7: `."""
        step = self._texts.word("step {step}", step=finding.step)
        return f"{os.path.basename(finding.file)}:{finding.line}, {step}: " if finding.file else f"{step}: "

    def _print(self, line: str) -> None:
        with suppress(OSError, ValueError):  # closed by the program
            print(line, file=self._out or sys.stderr, flush=True)


def run_watched(argv: list[str], *, strict: bool = False, json_file: Path | None = None, debug: bool = False) -> int:
    """`python SCRIPT ARGUMENTS`, watched; its exit status, or 3 where `strict` and something was found.

    Raises UserError where the script cannot be read or the file cannot be written.
    """
    if json_file and not json_file.resolve().parent.is_dir():
        raise UserError(f"{json_file}: its folder does not exist; --watch-json FILE writes the findings there")
    from torch_errors.explaining.note import run_script

    watching = Watching(debug=debug).start()

    def finish() -> None:
        watching.finish()
        if json_file:
            watching.write_json(json_file)

    try:
        status = run_script(argv, at_end=finish)
    except SystemExit as error:
        if error.code or not (strict and watching.findings):
            raise
        return FOUND
    return status or (FOUND if strict and watching.findings else 0)


@contextmanager
def watch(language: str | None = None) -> Iterator[Watching]:
    """Watch what the block does with torch, in this thread. Findings are printed on standard error; see `.findings`."""
    watching = Watching(language).start()
    try:
        yield watching
    finally:
        watching.finish()
