"""The pages of symptoms: what people see of failures that print no message, and the entries that cause it.

`catalog.yaml` defines the symptoms, and the `entry.yaml` of an entry lists the symptoms that it causes.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from torch_errors.catalog.entries import Catalog, Entry, Symptom
from torch_errors.catalog.fields import SilentEntry
from torch_errors.catalog.locate import DETECTOR_FILE, ENTRIES_FOLDER, WORKFLOWS
from torch_errors.curves import miniature
from torch_errors.languages import IN_ENGLISH, Texts, in_language
from torch_errors.markdown.parsing import Fence, Page, heading_anchors, parse_page
from website import entry_facts
from website.dialects import SITE, Dialect
from website.markup import code_span, inline_html

# Folder of these pages among the files of the repository. There is no such folder.
FOLDER = "symptoms"
INDEX = f"{FOLDER}/README.md"
TITLE = "No error message?"
WATCH = f"{WORKFLOWS}/watch-a-run.md"
CURVES = "Which curve looks like yours?"
COMMAND = "```sh\npython -m torch_errors --watch train.py\n```"


@dataclass(frozen=True)
class AllSymptoms:
    """Subject of the page that lists the symptoms."""

    catalog: Catalog


@dataclass(frozen=True)
class OneSymptom:
    """Subject of the page of a symptom."""

    catalog: Catalog
    symptom: Symptom


@dataclass(frozen=True)
class Continued:
    """Subject of a workflow that continues where the pages of these symptoms end."""

    symptoms: tuple[Symptom, ...]


def source(symptom: Symptom) -> str:
    """Return the name of a symptom's page among the files of the repository. There is no such file."""
    return f"{FOLDER}/{symptom.id}.md"


def shown(catalog: Catalog) -> list[Symptom]:
    """Return the symptoms that have at least one cause in the catalog."""
    return [symptom for symptom in catalog.symptoms if catalog.causes(symptom)]


def statement(texts: Texts) -> str:
    """Return the first paragraph of the page that lists the symptoms."""
    return texts.word("Failures that print no message, by what you see of them.")


def index_page(catalog: Catalog, texts: Texts = IN_ENGLISH, dialect: Dialect = SITE) -> str:
    """Return the Markdown of the page that lists the symptoms; its copy as a file has no pictures."""
    watch = texts.word(
        "Let the guide watch a run first. It reports the faults that it can prove ({page}):", page=_watch(texts)
    )
    head = f"# {texts.word(TITLE)}\n\n{statement(texts)}\n\n{watch}\n\n{COMMAND}"
    grid = dialect.on_site(curve_grid(catalog, texts, "../"))
    if grid:
        head += f"\n\n## {texts.word(CURVES)}\n\n{grid}\n\n## {texts.word('All symptoms')}"
    colon = texts.word(": ")
    rows = [f"- **[{symptom.title}]({symptom.id}.md)**{colon}{symptom.summary}" for symptom in shown(catalog)]
    return f"{head}\n\n" + "\n".join(rows) + "\n"


def curve_grid(catalog: Catalog, texts: Texts, up: str, only: Symptom | None = None) -> str:
    """Return small recorded curves as links to the pages of their symptoms, or empty if there are none.

    `up`: relative address of the root of the site, from the page that gets them. `only`: shows the curves of one
    symptom, which lead to the entries whose runs are drawn.
    """
    tiles = []
    for symptom in [only] if only else shown(catalog):
        for drawn in symptom.curves:
            entry = catalog.entry(drawn.entry)
            assert isinstance(entry.fields, SilentEntry) and entry.fields.curve  # the catalog has been validated
            curve = entry.fields.curve
            names = drawn.y or curve.y
            series = entry_facts.recorded_series(entry, curve.x, names)
            if not series:
                continue
            picture = miniature(
                [one for one in series if one.kind == "broken"],
                # Of several curves, those of fixed.py would hide the ones to recognize.
                [one for one in series if one.kind == "fixed" and len(names) == 1],
                curve.x,
                log=curve.log if drawn.log is None else drawn.log,
                level=(math.log(drawn.classes), f"ln {drawn.classes}") if drawn.classes else None,
                stairs=drawn.stairs,
                texts=texts,
            )
            target = f"{up}{entry.category}/{entry.id}/" if only else f"{up}{FOLDER}/{symptom.id}/"
            tiles.append(f'<a href="{target}"><span>{inline_html(drawn.title)}</span>{picture}</a>')
    if not tiles:
        return ""
    key = texts.word("Thick: recorded from a broken program. Thin: the same program, fixed.")
    joined = "\n".join(tiles)
    return f'<div class="curve-grid" data-search-exclude>\n{joined}\n<p>{key}</p>\n</div>'


def page(subject: OneSymptom, texts: Texts = IN_ENGLISH, dialect: Dialect = SITE) -> str:
    """Return the Markdown of the page of a symptom, with links to files of the repository."""
    symptom, word = subject.symptom, texts.word
    causes = [entry for entry, _ in subject.catalog.causes(symptom)]
    grid = dialect.on_site(curve_grid(subject.catalog, texts, "../../", symptom))
    parts = [f"# {symptom.title}", symptom.summary, *([grid] if grid else [])]
    watched = sum(_is_watched(entry) for entry in causes)
    if watched:
        introduction = word(
            "A watched run reports {watched} of the {count} causes below when they occur ({page}):",
            count=len(causes), watched=watched, page=_watch(texts),
        )  # fmt: skip
        parts += [introduction, COMMAND]
    parts += [f"## {word('Causes, in the order in which to look')}"]
    parts += [_cause(entry, number, texts) for number, entry in enumerate(causes, 1)]
    if symptom.workflow:
        path = f"{WORKFLOWS}/{symptom.workflow}.md"
        title = parse_page(in_language(subject.catalog.root / path, texts.language)).headings[0][1]
        link = f"[{title}](../{path})"
        parts += [f"## {word('None of these?')}", word("{workflow} goes on with measurements.", workflow=link)]
    return "\n\n".join(parts) + "\n"


def with_way_there(text: str, continued: Continued, texts: Texts) -> str:
    """Return the text of a workflow, with links to the pages of its symptoms above its first section."""
    links = " · ".join(f"[{symptom.title}](../{source(symptom)})" for symptom in continued.symptoms)
    head, section, rest = text.partition("\n## ")
    return f"{head}\n{texts.word('All causes by symptom:')} {links}\n{section}{rest}"


def _watch(texts: Texts) -> str:
    return f"[{texts.word('Watch a run')}](../{WATCH})"


def _is_watched(entry: Entry) -> bool:
    return (entry.folder / DETECTOR_FILE).is_file()


def _cause(entry: Entry, number: int, texts: Texts) -> str:
    """Return an item of the list: the cause, how to confirm it, what the check prints for the fault, and the fix."""
    below = f"../{ENTRIES_FOLDER}/{entry.category}/{entry.id}/README.md"
    unseen = "" if _is_watched(entry) else f" · {texts.word('not seen by a watched run')}"
    lines = [f"{number}. **[{entry.title}]({below})**{unseen}", entry.summary]
    page = parse_page(in_language(entry.page, texts.language))
    if page.confirmation:
        anchor, question = _confirming(page, page.confirmation)
        verdicts = next((fence.text for fence in page.fences if "verdicts" in fence.attributes), "")
        verdict = verdicts.partition("\n")[0].partition(" ")[2].strip()
        check = f"[{texts.word('Check')}]({below}#{anchor}){texts.word(': ')}{question}"
        answer = texts.word("With the fault it answers {verdict}.", verdict=code_span(verdict)) if verdict else ""
        lines.append(f"{check} {answer}".rstrip())
    if entry.fields.fix:
        lines.append(f"{texts.word('Fix')}{texts.word(': ')}{entry.fields.fix}")
    return "\n\n    ".join(lines)


def _confirming(page: Page, confirmation: Fence) -> tuple[str, str]:
    """Return the anchor of the section with the confirmation, and the paragraph above the block, without links."""
    at = confirmation.first_line
    anchor = next(
        anchor
        for anchor, line in reversed(list(zip(heading_anchors(page), page.heading_lines, strict=True)))
        if line < at
    )
    above = "\n".join(page.text.split("\n")[: at - 1]).rstrip().rpartition("\n\n")[2]
    question = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(above.split()))
    return anchor, "" if question.startswith("#") else re.sub("：$", "。", re.sub(":$", ".", question))
