"""The decision path of a workflow as a diagram, drawn from the list that the page holds as text.

The diagram is made of boxes of HTML, so that it wraps on a phone, prints, is read aloud, and its links work. What comes
out is Markdown for `md_in_html`: MkDocs turns links into addresses of the site only there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from torch_errors.errors import UserError
from torch_errors.markdown.parsing import Page, heading_anchors

TITLE = "Decision path"
# As the pages write it, in the languages of the guide.
_GO_ON = re.compile(r"(?:go on with|继续第) ?(\d+)(?: ?步)?")
_QUESTION = re.compile(r"^(\d+)\. \*\*(.+?)\*\*(.*)$")
_OUTCOME = re.compile(r"^ {4}- \*\*(.+?)\*\*[:：] ?(.*)$")


@dataclass(frozen=True)
class Outcome:
    """One way out of a fork."""

    condition: str
    text: str
    next: int | None  # number of the question that follows, None where the path ends


@dataclass(frozen=True)
class Fork:
    """One question, answered by one measurement."""

    number: int
    question: str
    outcomes: list[Outcome]


def read_path(text: str, where: str) -> list[Fork]:
    """The forks of a list: numbered bold questions, each with outcomes `- **condition**: text` below it.

    Raises UserError, which begins with `where`, for a line that is neither or a number that leads nowhere.
    """
    forks: list[Fork] = []
    for line in _joined(text):
        question, found = _QUESTION.match(line), _OUTCOME.match(line)
        if question:
            forks.append(Fork(int(question[1]), question[2] + question[3], []))
        elif found and forks:
            going = _GO_ON.search(found[2])
            forks[-1].outcomes.append(Outcome(found[1], found[2], int(going[1]) if going else None))
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
    """The lines of a list, each item on one."""
    lines: list[str] = []
    for line in text.split("\n"):
        if lines and line.strip() and not re.match(r" *(?:\d+\.|-) ", line):
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return lines


def diagram(forks: list[Fork], page: Page) -> str:
    """Markdown of the diagram. Each question leads to the section of the page that measures it."""
    sections = {}
    for (_, title), anchor in zip(page.headings, heading_anchors(page), strict=True):
        number = re.match(r"(\d+)\. ", title)
        if number:
            sections[int(number[1])] = anchor
    parts = ['<div class="decision" markdown="block">']
    for fork in forks:
        question = f"[{fork.question}](#{sections[fork.number]})" if fork.number in sections else fork.question
        # The arrow down is drawn where a path goes on with the next question.
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
    """The Markdown of a workflow with the diagram above its list, and the list folded below `as_text`.

    `title`: the heading of the section that holds the list. Text without that section stays as it is.
    """
    marked = re.search(rf"(?m)^## {re.escape(title)}[ \t]*\n", text)
    if not marked:
        return text
    end = re.search(r"(?m)^## ", text[marked.end() :])
    until = marked.end() + (end.start() if end else len(text))
    section = text[marked.end() : until]
    first = re.search(r"(?m)^1\. ", section)
    if not first:
        raise UserError(f"{page.path}: the section {title!r} holds no numbered list")
    intro, listed = section[: first.start()], section[first.start() :].rstrip()
    shown = diagram(read_path(listed, str(page.path)), page)
    folded = f'??? note "{as_text}"\n\n' + "\n".join(f"    {line}" if line else "" for line in listed.split("\n"))
    return text[: marked.end()] + intro + f"\n{shown}\n\n{folded}\n\n" + text[until:]
