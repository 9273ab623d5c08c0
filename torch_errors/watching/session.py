"""One watched run, from start to end: collects the findings of all its processes and prints them."""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal, Protocol, TextIO

import torch

from torch_errors.explaining.circumstances import chosen, circumstances, running
from torch_errors.explaining.compiled import interface
from torch_errors.explaining.patterns import load_patterns
from torch_errors.languages import ENGLISH, Texts
from torch_errors.watching.course import Course
from torch_errors.watching.detector import COURSE, Finding, Need, Run
from torch_errors.watching.loading import load_detectors
from torch_errors.watching.observer import Observer
from torch_errors.watching.post import WORKER, Message, Post
from torch_errors.watching.report import Told, report

_MARK = "torch-errors: "
_LOGGER = logging.getLogger("torch_errors")
# Where findings go: to standard error or a given stream, to Python's warnings, or to the logger `torch_errors`.
Report = Literal["print", "warnings", "logging"]


class WatchWarning(UserWarning):
    """A mistake that a watched run showed, at the line of the program that made it."""


class Children(Protocol):
    """Watches the processes that this process spawns; see `torch_errors.watching.children`."""

    posts: list[Post]  # one for each call that spawned processes

    def watch(self) -> Callable[[], None]:
        """Watch processes spawned from now on; return a function that stops this."""


@dataclass(frozen=True)
class Settings:
    """What a run is watched for. Spawned processes get the same settings."""

    language: str  # language of what is printed
    root: Path  # folder of the guide whose detectors watch
    debug: bool = False  # whether to print the tracebacks of detectors that were switched off
    stop_after: int | None = None  # number of optimizer steps after which the program ends; None for no limit
    ignore: frozenset[str] = frozenset()  # ids whose findings are suppressed
    report: Report = "print"
    record: bool = False  # whether to record the course of the run


class Session:
    """One watched run, from `start` to `finish`. With several ranks per machine, the first prints all findings."""

    def __init__(
        self,
        settings: Settings,
        out: TextIO | None = None,
        post: Post | None = None,
        held: bool = False,
        label: Callable[[str], str] = os.path.basename,
        children: Children | None = None,
    ) -> None:
        """Prepare to watch this process.

        `out`: where findings are printed; None for the `sys.stderr` of the time of printing. `post`: connection to the
        other processes of the run; None to use torchrun's variables. `held`: print findings only when `tell` is called.
        `label`: returns the printed form of a file name. `children`: watches spawned processes, if given.
        """
        self._settings = settings
        self._root, self.language, self._debug = settings.root, settings.language, settings.debug
        self.run = Run(post=post or Post.of_this_rank(os.environ), stop_after=settings.stop_after)
        self.run.ignored = settings.ignore
        self.of_ranks: dict[int, list[Finding]] = {}  # rank or spawned process -> its findings
        self._texts: Texts = interface(self._root, self.language)
        self._out = out
        self._held = held
        self._label = label
        self._seen = 0  # number of findings of this process that have been printed, or are suppressed
        self._printed = 0
        self._children = children
        self._detectors = load_detectors(self._root, self.run)
        self.course = Course(self.run) if settings.record else None
        listening = [*self._detectors, *((self.course,) if self.course else ())]
        self._stop_reading: Callable[[], None] = lambda: None
        self._unwatch_children: Callable[[], None] = lambda: None
        self._observer = Observer(listening, self.run, self._report, self._listen)

    @property
    def findings(self) -> list[Finding]:
        """Findings of this process without those that are suppressed."""
        return _shown(self.run.findings)

    @property
    def suppressed(self) -> list[Finding]:
        """Suppressed findings of this process, and of other ranks those that are not the same."""
        every = [*self.run.findings, *(finding for findings in self.of_ranks.values() for finding in findings)]
        return list({(one.id, one.file, one.line): one for one in reversed(every) if one.suppressed}.values())[::-1]

    @property
    def failures(self) -> Mapping[str, BaseException]:
        """Id of each detector that was switched off -> the exception that it raised."""
        return self._observer.failures

    @property
    def found(self) -> bool:
        """Whether this process has printed a finding, its own or one of a different process."""
        return self._printed > 0 or (self.run.post.reports and any(map(_shown, self.of_ranks.values())))

    def start(self) -> Session:
        if len(self.run.post.ranks) > 1:
            self.run.post.open()
        elif self._children:
            self._unwatch_children = self._children.watch()
        self._observer.start()
        if self.course:
            self._stop_reading = self.course.printed.start()
        return self

    def check(self, loss: torch.Tensor) -> None:
        """Look closely at the calls that led to a loss, as before its backward pass."""
        self._observer.check(loss, alone=True)

    def finish(self) -> None:
        """Stop observing. Print how much was watched and a summary of all findings."""
        self._observer.stop()
        self._stop_reading()
        self._unwatch_children()
        post = self.run.post
        for children in self._children.posts if self._children else ():
            self._listen(children.receive())
            children.close()
        self._listen(post.receive_all() if post.reports else None)
        self._observer.end()
        self.tell()
        if post.reports:
            self._sum_up()
            post.send(ended=sorted({finding.id for finding in self.findings + self._others()}))
        else:
            post.send(ended=[])
            self._print_unreported()
        self._listen()
        post.close()
        for id, error in self.failures.items():
            text = self._texts.word("the detector of {id} failed and was switched off", id=id)
            self._print(f"{_MARK}{text}: {type(error).__name__}: {error}")
            if self._debug:
                self._print("".join(traceback.format_exception(error)).rstrip())

    def tell(self) -> None:
        """Print the findings that have not been printed yet."""
        if self.run.post.reports:
            new, self._seen = self.run.findings[self._seen :], len(self.run.findings)
            for finding in _shown(new):
                self._printed += 1
                self._print_finding(finding)

    def write_json(self, path: Path) -> None:
        """Write counts and findings in a form for programs. Findings of other ranks have the field `rank`."""
        run = self.run
        rows = [asdict(finding) for finding in run.findings]
        rows += [asdict(finding) | {"rank": rank} for rank, findings in self.of_ranks.items() for finding in findings]
        suppressed = [row for row in rows if row["suppressed"]]
        rows = [row for row in rows if not row["suppressed"]]
        document = {"steps": run.steps, "backwards": run.backwards, "passes": run.passes, "findings": rows}
        document |= {"suppressed": suppressed, "not_seen": run.lacks}
        document["switched_off"] = {id: f"{type(error).__name__}: {error}" for id, error in self.failures.items()}
        if self.course:
            document["course"] = self.course.to_json()
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def write_html(self, path: Path, program: str = "") -> None:
        """Write the report of a recorded run, and print where it is. `program`: name of what was watched."""
        if self.course is None:
            return
        titles = {id: entry.title for id, entry in load_patterns(self._root, self.language).entries.items()}
        known = self._need_names()
        found = [
            Told(one.id, titles[one.id], self._place(one), *self._saying(one), self.fix_of(one) or "", one.step)
            for one in [*self.findings, *self._others()]
        ]
        hidden = {one.id for one in found} | {one.id for one in self.suppressed} | self.failures.keys()
        looked = {one.id: one.needs for one in self._detectors if one.id not in hidden}
        fine = [titles[id] for id, needs in looked.items() if needs not in self.run.lacks]
        unseen = {known[need]: [titles[id] for id in looked if looked[id] == need] for need in self.run.lacks}
        suppressed = [f"{finding.id} ({self._line(finding)})" for finding in self.suppressed]
        text = report(self.course, found, fine, unseen, suppressed, program, self._texts)
        path.write_text(text, encoding="utf-8")
        self._print(_MARK + self._texts.word("the report of this run is in {path}", path=path.resolve()))

    # Other processes -----------------------------------------------------------------------------------------------

    def _report(self) -> None:
        """Print or send the new findings of this process, which may be a worker of a DataLoader."""
        post = self.run.post
        if post.is_worker or len(post.ranks) > 1 or not post.owned:
            post.send(findings=[asdict(finding) for finding in self.run.findings])
        if not (self._held or post.is_worker):
            self.tell()

    def _listen(self, messages: Iterable[Message] | None = None) -> None:
        """Process messages from other processes; None stands for those that have arrived by now."""
        for kind, number, message in self.run.post.receive() if messages is None else messages:
            if "share" in message:
                id, value = message["share"]
                self._observer.tell_shared(kind, message.get("worker", number), id, value)
            findings = [Finding(**fields) for fields in message.get("findings", ())]
            if findings and kind == WORKER:
                for finding in findings:
                    self.run.add(finding)
                self._report()
            elif findings:
                self.of_ranks[number] = findings

    def _others(self) -> list[Finding]:
        """Findings of other ranks whose entries this rank has not found, each entry once."""
        own = {finding.id for finding in self.findings}
        by_id = {finding.id: finding for findings in self.of_ranks.values() for finding in _shown(findings)}
        return [finding for id, finding in by_id.items() if id not in own]

    def _print_unreported(self) -> None:
        """Print the findings that the reporting rank missed, because it ended earlier or died."""
        post = self.run.post
        self._listen()
        first = post.ranks[0]
        if first in post.ended or first not in post.waiting_for() or post.folder is None:
            for finding in self.findings:
                if finding.id not in post.ended.get(first, ()):
                    self._printed += 1
                    self._print_finding(finding, post.rank)

    # Printing ------------------------------------------------------------------------------------------------------

    def _print_finding(self, finding: Finding, rank: int | None = None) -> None:
        word = self._texts.word
        text, certainty = self._saying(finding)
        where = "" if rank is None else word("{label}: ", label=word("rank {rank}", rank=rank))
        lines = [f"{_MARK}{where}{self._place(finding)}{text} ({certainty})"]
        if fix := self.fix_of(finding):
            lines.append("  " + word("{label}: ", label=word("smallest fix")) + fix.replace("`", ""))
        lines.append(f"  torch-errors show {finding.id}")
        if self._settings.report == "warnings":
            place = (finding.file, finding.line) if finding.file else (_LOGGER.name, 0)
            warnings.warn_explicit("\n".join(lines).removeprefix(_MARK), WatchWarning, *place)
        elif self._settings.report == "logging":
            _LOGGER.warning("%s", "\n".join(lines).removeprefix(_MARK), extra={"finding": asdict(finding)})
        else:
            for line in lines:
                self._print(line)

    def _saying(self, finding: Finding) -> tuple[str, str]:
        """What was seen, and how certain it is."""
        certainty = "proof" if finding.certainty == "proof" else "strong evidence"
        return finding.texts.get(self.language, finding.texts[ENGLISH]), self._texts.word(certainty)

    def fix_of(self, finding: Finding) -> str | None:
        """The smallest fix, for the framework whose training loop runs the program where there is a fix for it."""
        entry = load_patterns(self._root, self.language).entries.get(finding.id)
        if entry is None:
            return None
        variant = chosen(entry.variants, circumstances({}, [finding.framework], running()))
        of_framework = variant.fix if variant else None
        return of_framework if isinstance(of_framework, str) else entry.fix

    def _sum_up(self) -> None:
        """Print how much was watched and all findings, with the ranks that have each if there are several ranks."""
        word, run, post = self._texts.word, self.run, self.run.post
        if self._children and self._children.posts and not (run.steps or run.backwards or self.findings):
            return  # this process only spawned others, which have printed their own summary
        for note in run.checked:
            self._print(f"{_MARK}{word('checked')}: {note.get(self.language, note[ENGLISH])}")
        others = self._others() if len(post.ranks) > 1 else []
        for finding in others:
            self._print_finding(finding, self._ranks_with(finding)[0])
        watched = word(
            "watched {steps} optimizer steps and {backwards} backward passes",
            steps=f"{run.steps:,}",
            backwards=f"{run.backwards:,}",
        )
        if not (self.findings or others):
            other = word("nothing else found that a run can show") if self.suppressed else ""
            self._print(f"{_MARK}{watched}: {other or word('nothing found that a run can show')}")
        else:
            self._print(f"{_MARK}{watched}:")
            for finding in [*self.findings, *others]:
                self._print(f"  {self._place(finding)}{finding.id}{self._which_ranks(finding)}")
        if suppressed := self.suppressed:
            places = word(", ").join(f"{finding.id} ({self._line(finding)})" for finding in suppressed)
            self._print("  " + word("suppressed ({count}): {places}", count=len(suppressed), places=places))
        if run.stop_after is not None:
            self._print_unseen()
        if post.unended:
            self._print(f"{_MARK}{word('no final report from ranks {ranks}', ranks=_listed(post.unended))}")

    def _need_names(self) -> dict[Need, str]:
        word = self._texts.word
        return {
            "validation": word("a validation"),
            "epochs": word("a second pass over the data"),
            "checkpoint": word("a checkpoint that is loaded"),
            "course": word("{count} optimizer steps", count=COURSE),
            "check": word("the option --check"),
        }

    def _print_unseen(self) -> None:
        """Print what a run that was stopped early has not shown, and how many detectors need it."""
        word, names = self._texts.word, self._need_names()
        counts = Counter(detector.needs for detector in self._detectors)
        unseen = [f"{names[need]} ({counts[need]})" for need in self.run.lacks if counts[need]]
        self._print(_MARK + word("stopped after {steps} optimizer steps", steps=f"{self.run.steps:,}"))
        if unseen:
            waiting = sum(counts[need] for need in self.run.lacks)
            listed = word("; ").join(unseen)
            text = "not seen in this run, but needed by {waiting} of {count} detectors: {unseen}"
            self._print("  " + word(text, waiting=waiting, count=len(self._detectors), unseen=listed))

    def _ranks_with(self, finding: Finding) -> list[int]:
        by_rank = {self.run.post.rank: self.run.findings, **self.of_ranks}
        return sorted(
            rank for rank, findings in by_rank.items() if any(other.id == finding.id for other in _shown(findings))
        )

    def _which_ranks(self, finding: Finding) -> str:
        count = len(self.run.post.ranks)
        if count == 1:
            return ""
        return self._texts.word(" (ranks {ranks} of {count})", ranks=_listed(self._ranks_with(finding)), count=count)

    def _place(self, finding: Finding) -> str:
        """Place of a finding, such as `train.py:42, step 7: `."""
        step = self._texts.word("step {step}", step=finding.step)
        return f"{self._line(finding)}, {step}: " if finding.file else f"{step}: "

    def _line(self, finding: Finding) -> str:
        return f"{self._label(finding.file)}:{finding.line}"

    def _print(self, line: str) -> None:
        """Print a line, or log it. Warnings are about findings only."""
        if self._settings.report == "logging":
            _LOGGER.info("%s", line.removeprefix(_MARK))
        if self._settings.report != "print":
            return
        with suppress(OSError, ValueError):  # the program may have closed the stream
            print(line, file=self._out or sys.stderr, flush=True)


def _shown(findings: Iterable[Finding]) -> list[Finding]:
    return [finding for finding in findings if not finding.suppressed]


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))
