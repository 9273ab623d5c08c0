"""The pages of symptoms: what people see of failures that print no message, and the entries that cause it.

`catalog.yaml` has the symptoms, and the `entry.yaml` of an entry names those that it causes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from torch_errors.catalog.entries import Catalog, Entry, Symptom
from torch_errors.catalog.locate import DETECTOR_FILE, ENTRIES_FOLDER, WORKFLOWS
from torch_errors.languages import IN_ENGLISH, Texts, in_language
from torch_errors.markdown.parsing import Fence, Page, heading_anchors, parse_page
from website.markup import code_span

# Among the files of the repository. There is no such folder.
FOLDER = "symptoms"
INDEX = f"{FOLDER}/README.md"
TITLE = "No error message?"
WATCH = f"{WORKFLOWS}/watch-a-run.md"
COMMAND = "```sh\npython -m torch_errors --watch train.py\n```"


@dataclass(frozen=True)
class AllSymptoms:
    """What the page that lists the symptoms is about."""

    catalog: Catalog


@dataclass(frozen=True)
class OneSymptom:
    """What the page of a symptom is about."""

    catalog: Catalog
    symptom: Symptom


@dataclass(frozen=True)
class Continued:
    """What a page is about that goes on where these symptoms' pages end."""

    symptoms: tuple[Symptom, ...]


def source(symptom: Symptom) -> str:
    """A name for its page among the files of the repository. There is no such file."""
    return f"{FOLDER}/{symptom.id}.md"


def shown(catalog: Catalog) -> list[Symptom]:
    """The symptoms that some entry causes."""
    return [symptom for symptom in catalog.symptoms if catalog.causes(symptom)]


def statement(texts: Texts) -> str:
    """What the page that lists the symptoms says first."""
    return texts.word("Failures that print no message, by what you see of them.")


def index_page(catalog: Catalog, texts: Texts = IN_ENGLISH) -> str:
    """Markdown of the page that lists the symptoms."""
    watch = texts.word(
        "Let the guide watch a run first. It names the faults that it can show ({page}):", page=_watch(texts)
    )
    head = f"# {texts.word(TITLE)}\n\n{statement(texts)}\n\n{watch}\n\n{COMMAND}"
    rows = [f"- **[{one.title}]({one.id}.md)**{texts.word(': ')}{one.summary}" for one in shown(catalog)]
    return f"{head}\n\n" + "\n".join(rows) + "\n"


def page(subject: OneSymptom, texts: Texts = IN_ENGLISH) -> str:
    """Markdown of the page of a symptom; its links are those of the repository."""
    symptom, word = subject.symptom, texts.word
    causes = [entry for entry, _ in subject.catalog.causes(symptom)]
    parts = [f"# {symptom.title}", symptom.summary]
    watched = sum(_is_watched(entry) for entry in causes)
    if watched:
        said = word(
            "A watched run names {watched} of the {count} causes below where it sees them ({page}):",
            count=len(causes), watched=watched, page=_watch(texts),
        )  # fmt: skip
        parts += [said, COMMAND]
    parts += [f"## {word('Causes, in the order in which to look')}"]
    parts += [_cause(entry, number, texts) for number, entry in enumerate(causes, 1)]
    if symptom.workflow:
        path = f"{WORKFLOWS}/{symptom.workflow}.md"
        title = parse_page(in_language(subject.catalog.root / path, texts.language)).headings[0][1]
        link = f"[{title}](../{path})"
        parts += [f"## {word('None of these?')}", word("{workflow} goes on with measurements.", workflow=link)]
    return "\n\n".join(parts) + "\n"


def with_way_there(text: str, continued: Continued, texts: Texts) -> str:
    """The text of a workflow, with the way to its symptoms above its first section."""
    links = " · ".join(f"[{one.title}](../{source(one)})" for one in continued.symptoms)
    head, section, rest = text.partition("\n## ")
    return f"{head}\n{texts.word('All causes by symptom:')} {links}\n{section}{rest}"


def _watch(texts: Texts) -> str:
    return f"[{texts.word('Watch a run')}](../{WATCH})"


def _is_watched(entry: Entry) -> bool:
    return (entry.folder / DETECTOR_FILE).is_file()


def _cause(entry: Entry, number: int, texts: Texts) -> str:
    """An item of the list: the cause, how its page confirms it, what that says of the fault, and the fix."""
    below = f"../{ENTRIES_FOLDER}/{entry.category}/{entry.id}/README.md"
    unseen = "" if _is_watched(entry) else f" · {texts.word('not seen by a watched run')}"
    lines = [f"{number}. **[{entry.title}]({below})**{unseen}", entry.summary]
    page = parse_page(in_language(entry.page, texts.language))
    if page.confirmation:
        anchor, asked = _confirming(page, page.confirmation)
        said = next((fence.text for fence in page.fences if "verdicts" in fence.attributes), "")
        verdict = said.partition("\n")[0].partition(" ")[2].strip()
        check = f"[{texts.word('Check')}]({below}#{anchor}){texts.word(': ')}{asked}"
        answer = texts.word("With the fault it answers {verdict}.", verdict=code_span(verdict)) if verdict else ""
        lines.append(f"{check} {answer}".rstrip())
    if entry.fields.fix:
        lines.append(f"{texts.word('Fix')}{texts.word(': ')}{entry.fields.fix}")
    return "\n\n    ".join(lines)


def _confirming(page: Page, confirmation: Fence) -> tuple[str, str]:
    """Of the section that holds the confirmation: its anchor, and the paragraph above the block, without links."""
    at = confirmation.first_line
    anchor = next(
        anchor
        for anchor, line in reversed(list(zip(heading_anchors(page), page.heading_lines, strict=True)))
        if line < at
    )
    above = "\n".join(page.text.split("\n")[: at - 1]).rstrip().rpartition("\n\n")[2]
    asked = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(above.split()))
    return anchor, "" if asked.startswith("#") else re.sub("：$", "。", re.sub(":$", ".", asked))
