"""The decision path of a workflow as a diagram, drawn from the list that the page contains as text.

The diagram consists of HTML boxes, so that it wraps on a phone, can be printed and read aloud, and its links work.
It is written as Markdown for `md_in_html`, because MkDocs resolves links only in Markdown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from torch_errors.errors import UserError
from torch_errors.markdown.parsing import Page, heading_anchors

TITLE = "Decision path"
# How the pages refer to the next question, in the languages of the guide.
_GO_ON = re.compile(r"(?:go on with|继续第) ?(\d+)(?: ?步)?")
_QUESTION = re.compile(r"^(\d+)\. \*\*(.+?)\*\*(.*)$")
_OUTCOME = re.compile(r"^ {4}- \*\*(.+?)\*\*[:：] ?(.*)$")


@dataclass(frozen=True)
class Outcome:
    """A possible result of a fork's measurement, and what to do then."""

    condition: str
    text: str
    next: int | None  # number of the question that follows, or None if the path ends here


@dataclass(frozen=True)
class Fork:
    """A question of the decision path, answered by a measurement."""

    number: int
    question: str
    outcomes: list[Outcome]


def read_path(text: str, where: str) -> list[Fork]:
    """Return the forks of a list: numbered bold questions, each with outcomes `- **condition**: text` below it.

    Raises UserError, whose message starts with `where`, for any other line or a number without a question.
    """
    forks: list[Fork] = []
    for line in _joined(text):
        question, outcome_match = _QUESTION.match(line), _OUTCOME.match(line)
        if question:
            forks.append(Fork(int(question[1]), question[2] + question[3], []))
        elif outcome_match and forks:
            condition, answer = outcome_match.groups()
            reference = _GO_ON.search(answer)
            forks[-1].outcomes.append(Outcome(condition, answer, int(reference[1]) if reference else None))
        elif line.strip():
            raise UserError(
                f"{where}: neither `N. **question**` nor `    - **condition**: …` in the decision path: {line}"
            )
    numbers = [fork.number for fork in forks]
    if numbers != list(range(1, len(forks) + 1)) or not forks:
        raise UserError(f"{where}: the questions of the decision path must be numbered 1, 2, 3; they are {numbers}")
    for fork in forks:
        if len(fork.outcomes) < 2:
            raise UserError(f"{where}: question {fork.number} of the decision path needs two outcomes or more")
        for outcome in fork.outcomes:
            if outcome.next is not None and outcome.next not in numbers:
                raise UserError(f"{where}: question {fork.number} goes on with {outcome.next}, which is not there")
    return forks


def _joined(text: str) -> list[str]:
    """Return the lines of a list, with each item joined into one line."""
    lines: list[str] = []
    for line in text.split("\n"):
        if lines and line.strip() and not re.match(r" *(?:\d+\.|-) ", line):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return lines


def diagram(forks: list[Fork], page: Page) -> str:
    """Return the Markdown of the diagram. Each question links to the section of the page that measures it."""
    sections = {}
    for (_, title), anchor in zip(page.headings, heading_anchors(page), strict=True):
        number = re.match(r"(\d+)\. ", title)
        if number:
            sections[int(number[1])] = anchor
    parts = ['<div class="decision" markdown="block">']
    for fork in forks:
        question = f"[{fork.question}](#{sections[fork.number]})" if fork.number in sections else fork.question
        # The style sheet draws an arrow below a fork that has an outcome leading to the next question.
        kind = "fork down" if any(outcome.next == fork.number + 1 for outcome in fork.outcomes) else "fork"
        parts += [
            f'<div class="{kind}" id="fork-{fork.number}" markdown="block">',
            f'<div class="question" markdown="span"><b>{fork.number}</b> {question}</div>',
            '<div class="outcomes" markdown="block">',
        ]
        for outcome in fork.outcomes:
            kind = "outcome" if outcome.next is None else "outcome next"
            text = outcome.text
            if outcome.next is not None:
                text = _GO_ON.sub(rf"[\g<0>](#fork-{outcome.next})", text)
            parts.append(f'<div class="{kind}" markdown="span"><b>{outcome.condition}</b> {text}</div>')
        parts += ["</div>", "</div>"]
    return "\n".join([*parts, "</div>"])


def with_diagram(text: str, page: Page, title: str, as_text: str) -> str:
    """Return the Markdown of a workflow with the diagram above its list, and the list in a fold titled `as_text`.

    `title`: heading of the section that contains the list. Text without that section is returned unchanged.
    """
    marked = re.search(rf"(?m)^## {re.escape(title)}[ \t]*\n", text)
    if not marked:
        return text
    end = re.search(r"(?m)^## ", text[marked.end() :])
    until = marked.end() + (end.start() if end else len(text))
    section = text[marked.end() : until]
    first = re.search(r"(?m)^1\. ", section)
    if not first:
        raise UserError(f"{page.path}: the section {title!r} contains no numbered list")
    intro, listed = section[: first.start()], section[first.start() :].rstrip()
    shown = diagram(read_path(listed, str(page.path)), page)
    folded = f'??? note "{as_text}"\n\n' + "\n".join(f"    {line}" if line else "" for line in listed.split("\n"))
    return text[: marked.end()] + intro + f"\n{shown}\n\n{folded}\n\n" + text[until:]
