"""One watched run, from its start to its end, and what is printed of the findings."""

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
from torch_errors.languages import ENGLISH, Texts, from_locale
from torch_errors.watching.detector import Finding, Run
from torch_errors.watching.loading import load_detectors
from torch_errors.watching.observer import Observer
from torch_errors.watching.post import WORKER, Message, Post

_MARK = "torch-errors: "


class Children(Protocol):
    """Watches the processes that this one spawns; see `torch_errors.watching.children`."""

    posts: list[Post]  # to the processes of each call that spawned some

    def watch(self) -> Callable[[], None]:
        """Watch what is spawned from now on; return the function that ends that."""


class Session:
    """One watched run, from `start` to `finish`; of several ranks on a machine, the first prints what all find."""

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
        """`out`: where findings are printed, standard error as it is then, where None; `root`: of the guide.

        `post`: to the other processes of the run, by the environment where None; `held`: findings are printed by `tell`
        instead of at once; `label`: what is printed for the name of a file; `children`: watches spawned processes.
        """
        root = root or find_root()
        self.run = Run(post=post or Post.of_this_rank(os.environ))
        self.language = language or from_locale()
        self.of_ranks: dict[int, list[Finding]] = {}  # what other ranks and spawned processes have found
        self._texts: Texts = interface(root, self.language)
        self._debug = debug
        self._out = out
        self._held = held
        self._label = label
        self._printed = 0
        self._children = children
        self._unwatch_children: Callable[[], None] = lambda: None
        self._observer = Observer(load_detectors(root, self.run), self.run, self._found, self._listen)

    @property
    def findings(self) -> list[Finding]:
        return self.run.findings

    @property
    def failures(self) -> Mapping[str, BaseException]:
        """Detectors that raised, and what; they were switched off."""
        return self._observer.failures

    @property
    def found(self) -> bool:
        """Whether this process has printed a finding, its own or another's."""
        return self._printed > 0 or (self.run.post.reports and any(self.of_ranks.values()))

    def start(self) -> Session:
        if len(self.run.post.ranks) > 1:
            self.run.post.open()
        elif self._children:
            self._unwatch_children = self._children.watch()
        self._observer.start()
        return self

    def finish(self) -> None:
        """Stop observing, and print the findings once more with what was watched."""
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
            self._tell_what_is_untold()
        self._listen()
        post.close()
        if self._debug:
            for id, error in self.failures.items():
                self._print(f"{_MARK}the detector of {id} was switched off: {type(error).__name__}: {error}")

    def tell(self) -> None:
        """Print findings that were not printed yet."""
        if self.run.post.reports:
            for finding in self.findings[self._printed :]:
                self._printed += 1
                self._tell(finding)

    def write_json(self, path: Path) -> None:
        """Counts and findings, for programs. Those of other ranks have the field `rank`."""
        run = self.run
        findings = [asdict(finding) for finding in run.findings]
        findings += [asdict(one) | {"rank": rank} for rank, found in self.of_ranks.items() for one in found]
        told = {"steps": run.steps, "backwards": run.backwards, "passes": run.passes, "findings": findings}
        path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    # Other processes -----------------------------------------------------------------------------------------------

    def _found(self) -> None:
        """There are new findings: of this process, or in a fork of it, of a worker."""
        post = self.run.post
        if post.is_worker or len(post.ranks) > 1 or not post.owned:
            post.send(findings=[asdict(finding) for finding in self.findings])
        if not (self._held or post.is_worker):
            self.tell()

    def _listen(self, messages: Iterable[Message] | None = None) -> None:
        """Take up what other processes have told, which is what there is now where `messages` is None."""
        for kind, number, message in self.run.post.receive() if messages is None else messages:
            if "share" in message:
                id, value = message["share"]
                self._observer.tell_shared(kind, message.get("worker", number), id, value)
            found = [Finding(**finding) for finding in message.get("findings", ())]
            if found and kind == WORKER:
                self.findings.extend(one for one in found if not self.run.found(one.id))
                self._found()
            elif found:
                self.of_ranks[number] = found

    def _others(self) -> list[Finding]:
        """What other ranks have found and this one has not, each entry once."""
        known = {finding.id for finding in self.findings}
        found = {one.id: one for findings in self.of_ranks.values() for one in findings if one.id not in known}
        return list(found.values())

    def _tell_what_is_untold(self) -> None:
        """What the rank that reports cannot tell: it has reported before, or has died."""
        post = self.run.post
        self._listen()
        first = post.ranks[0]
        if first in post.ended or first not in post.waiting_for() or post.folder is None:
            for finding in self.findings:
                if finding.id not in post.ended.get(first, ()):
                    self._printed += 1
                    self._tell(finding, post.rank)

    # Printing ------------------------------------------------------------------------------------------------------

    def _tell(self, finding: Finding, rank: int | None = None) -> None:
        word = self._texts.word
        certainty = word("proof") if finding.certainty == "proof" else word("strong evidence")
        said = finding.texts.get(self.language, finding.texts[ENGLISH])
        where = "" if rank is None else word("{label}: ", label=word("rank {rank}", rank=rank))
        self._print(f"{_MARK}{where}{self._place(finding)}{said} ({certainty})")
        self._print(f"  torch-errors show {finding.id}")

    def _sum_up(self) -> None:
        """What was watched, and all findings, of several ranks with those that have them."""
        word, run, post = self._texts.word, self.run, self.run.post
        if self._children and self._children.posts and not (run.steps or run.backwards or self.findings):
            return  # they have reported
        others = self._others() if len(post.ranks) > 1 else []
        for finding in others:
            self._tell(finding, self._ranks_with(finding)[0])
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
        found = {self.run.post.rank: self.findings, **self.of_ranks}
        return sorted(rank for rank in found if any(one.id == finding.id for one in found[rank]))

    def _which_ranks(self, finding: Finding) -> str:
        count = len(self.run.post.ranks)
        if count == 1:
            return ""
        return self._texts.word(" (ranks {ranks} of {count})", ranks=_listed(self._ranks_with(finding)), count=count)

    def _place(self, finding: Finding) -> str:
        """Such as `train.py:42, step 7: `."""
        step = self._texts.word("step {step}", step=finding.step)
        return f"{self._label(finding.file)}:{finding.line}, {step}: " if finding.file else f"{step}: "

    def _print(self, line: str) -> None:
        with suppress(OSError, ValueError):  # closed by the program
            print(line, file=self._out or sys.stderr, flush=True)


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))
