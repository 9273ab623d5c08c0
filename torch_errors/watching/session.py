"""One watched run, from start to end: collects the findings of all its processes and prints them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Protocol, TextIO

from torch_errors.catalog.locate import find_root
from torch_errors.explaining.compiled import interface
from torch_errors.explaining.patterns import load_patterns
from torch_errors.languages import ENGLISH, Texts, from_locale
from torch_errors.watching.detector import Finding, Run
from torch_errors.watching.loading import load_detectors
from torch_errors.watching.observer import Observer
from torch_errors.watching.post import WORKER, Message, Post

_MARK = "torch-errors: "


class Children(Protocol):
    """Watches the processes that this process spawns; see `torch_errors.watching.children`."""

    posts: list[Post]  # one for each call that spawned processes

    def watch(self) -> Callable[[], None]:
        """Watch processes spawned from now on; return a function that stops this."""


class Session:
    """One watched run, from `start` to `finish`. With several ranks per machine, the first prints all findings."""

    def __init__(
        self,
        language: str | None = None,
        debug: bool = False,
        out: TextIO | None = None,
        root: Path | None = None,
        post: Post | None = None,
        held: bool = False,
        label: Callable[[str], str] = os.path.basename,
        children: Children | None = None,
    ) -> None:
        """Prepare to watch this process with the detectors of the guide at `root`; None for the one `find_root` finds.

        `out`: where findings are printed; None for the `sys.stderr` of the time of printing. `post`: connection to the
        other processes of the run; None to use torchrun's variables. `held`: print findings only when `tell` is called.
        `label`: returns the printed form of a file name. `children`: watches spawned processes, if given.
        """
        self._root = root = root or find_root()
        self.run = Run(post=post or Post.of_this_rank(os.environ))
        self.language = language or from_locale()
        self.of_ranks: dict[int, list[Finding]] = {}  # rank or spawned process -> its findings
        self._texts: Texts = interface(root, self.language)
        self._debug = debug
        self._out = out
        self._held = held
        self._label = label
        self._printed = 0
        self._children = children
        self._unwatch_children: Callable[[], None] = lambda: None
        self._observer = Observer(load_detectors(root, self.run), self.run, self._report, self._listen)

    @property
    def findings(self) -> list[Finding]:
        return self.run.findings

    @property
    def failures(self) -> Mapping[str, BaseException]:
        """Id of each detector that was switched off -> the exception that it raised."""
        return self._observer.failures

    @property
    def found(self) -> bool:
        """Whether this process has printed a finding, its own or one of a different process."""
        return self._printed > 0 or (self.run.post.reports and any(self.of_ranks.values()))

    def start(self) -> Session:
        if len(self.run.post.ranks) > 1:
            self.run.post.open()
        elif self._children:
            self._unwatch_children = self._children.watch()
        self._observer.start()
        return self

    def finish(self) -> None:
        """Stop observing. Print how much was watched and a summary of all findings."""
        self._observer.stop()
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
        if self._debug:
            for id, error in self.failures.items():
                self._print(f"{_MARK}the detector of {id} was switched off: {type(error).__name__}: {error}")

    def tell(self) -> None:
        """Print the findings that have not been printed yet."""
        if self.run.post.reports:
            for finding in self.findings[self._printed :]:
                self._printed += 1
                self._print_finding(finding)

    def write_json(self, path: Path) -> None:
        """Write counts and findings in a form for programs. Findings of other ranks have the field `rank`."""
        run = self.run
        rows = [asdict(finding) for finding in run.findings]
        rows += [asdict(finding) | {"rank": rank} for rank, findings in self.of_ranks.items() for finding in findings]
        document = {"steps": run.steps, "backwards": run.backwards, "passes": run.passes, "findings": rows}
        path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    # Other processes -----------------------------------------------------------------------------------------------

    def _report(self) -> None:
        """Print or send the new findings of this process, which may be a worker of a DataLoader."""
        post = self.run.post
        if post.is_worker or len(post.ranks) > 1 or not post.owned:
            post.send(findings=[asdict(finding) for finding in self.findings])
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
                self.findings.extend(finding for finding in findings if not self.run.found(finding.id))
                self._report()
            elif findings:
                self.of_ranks[number] = findings

    def _others(self) -> list[Finding]:
        """Findings of other ranks whose entries this rank has not found, each entry once."""
        own = {finding.id for finding in self.findings}
        by_id = {finding.id: finding for findings in self.of_ranks.values() for finding in findings}
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
        certainty = word("certain") if finding.certainty == "proof" else word("strong evidence")
        text = finding.texts.get(self.language, finding.texts[ENGLISH])
        where = "" if rank is None else word("{label}: ", label=word("rank {rank}", rank=rank))
        self._print(f"{_MARK}{where}{self._place(finding)}{text} ({certainty})")
        if fix := self._fix(finding.id):
            self._print("  " + word("{label}: ", label=word("smallest fix")) + fix.replace("`", ""))
        self._print(f"  torch-errors show {finding.id}")

    def _fix(self, id: str) -> str | None:
        entry = load_patterns(self._root, self.language).entries.get(id)
        return entry.fix if entry else None

    def _sum_up(self) -> None:
        """Print how much was watched and all findings, with the ranks that have each if there are several ranks."""
        word, run, post = self._texts.word, self.run, self.run.post
        if self._children and self._children.posts and not (run.steps or run.backwards or self.findings):
            return  # this process only spawned others, which have printed their own summary
        others = self._others() if len(post.ranks) > 1 else []
        for finding in others:
            self._print_finding(finding, self._ranks_with(finding)[0])
        watched = word(
            "watched {steps} optimizer steps and {backwards} backward passes",
            steps=f"{run.steps:,}",
            backwards=f"{run.backwards:,}",
        )
        if not (self.findings or others):
            self._print(f"{_MARK}{watched}: {word('nothing found that a run can show')}")
        else:
            self._print(f"{_MARK}{watched}:")
            for finding in [*self.findings, *others]:
                self._print(f"  {self._place(finding)}{finding.id}{self._which_ranks(finding)}")
        if post.unended:
            self._print(f"{_MARK}{word('no final report from ranks {ranks}', ranks=_listed(post.unended))}")

    def _ranks_with(self, finding: Finding) -> list[int]:
        by_rank = {self.run.post.rank: self.findings, **self.of_ranks}
        return sorted(rank for rank, findings in by_rank.items() if any(other.id == finding.id for other in findings))

    def _which_ranks(self, finding: Finding) -> str:
        count = len(self.run.post.ranks)
        if count == 1:
            return ""
        return self._texts.word(" (ranks {ranks} of {count})", ranks=_listed(self._ranks_with(finding)), count=count)

    def _place(self, finding: Finding) -> str:
        """Place of a finding, such as `train.py:42, step 7: `."""
        step = self._texts.word("step {step}", step=finding.step)
        return f"{self._label(finding.file)}:{finding.line}, {step}: " if finding.file else f"{step}: "

    def _print(self, line: str) -> None:
        with suppress(OSError, ValueError):  # the program may have closed the stream
            print(line, file=self._out or sys.stderr, flush=True)


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))
