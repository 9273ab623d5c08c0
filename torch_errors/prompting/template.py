"""The prompts of `debug-templates/prompts/`: one Markdown page each, the prompt itself in a fence marked `prompt`.

A blank is written `<<name: what to put there>>`. The program fills some blanks and leaves the others to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from torch_errors.errors import UserError
from torch_errors.languages import ENGLISH, in_language
from torch_errors.markdown.parsing import Page, parse_page

FOLDER = "debug-templates/prompts"
# Blanks that the program fills.
TRACEBACK, CODE, ENVIRONMENT, EXPLANATION = "traceback", "code", "environment", "explanation"
BLANK = re.compile(r"<<([a-z][a-z0-9_]*): ([^<>]*(?:[<>](?![<>])[^<>]*)*)>>")
_FENCED = re.compile(
    r"(?m)^(?P<marks>`{3,})(?P<language>[^\n`]*)\n(?P<blank><<(?P<name>[a-z][a-z0-9_]*): [^\n]*>>)\n(?P=marks)$"
)
_SECTION = re.compile(r"(?m)^(?=## )")
# The expressions by name, for website/prompting.py.
EXPRESSIONS = {"blank": BLANK, "fenced": _FENCED, "section": _SECTION}


@dataclass(frozen=True)
class Prompt:
    """A prompt, with blanks to be filled."""

    name: str  # file name without .md
    title: str
    summary: str  # one sentence on when to use the prompt
    text: str  # the prompt itself, including its blanks

    @property
    def blanks(self) -> dict[str, str]:
        """Name of each blank -> what to put there, in the order of the text."""
        return {match[1]: match[2] for match in BLANK.finditer(self.text)}

    def fill(self, values: Mapping[str, str]) -> str:
        """Return the prompt with `values` in its blanks.

        A blank without a value stays as it is. If there is no explanation, its whole section is left out: a prompt
        that refers to a missing explanation invites the model to invent one.
        """
        text = self.text if values.get(EXPLANATION) else without_section(self.text, EXPLANATION)

        def widen(match: re.Match[str]) -> str:
            """Lengthen the fence around a value that contains a fence itself."""
            longest = max((len(run) for run in re.findall("`{3,}", values.get(match["name"]) or "")), default=0)
            marks = "`" * max(len(match["marks"]), longest + 1)
            return f"{marks}{match['language']}\n{match['blank']}\n{marks}"

        text = _FENCED.sub(widen, text)

        def put(match: re.Match[str]) -> str:
            value = values.get(match[1])
            return match[0] if value is None else _indented(value.strip("\n"), match)

        return BLANK.sub(put, text)


def _indented(value: str, match: re.Match[str]) -> str:
    """Return a value with all its lines indented like its blank."""
    before = match.string[: match.start()].rpartition("\n")[2]
    indent = before if not before.strip() else ""
    return value.replace("\n", "\n" + indent)


def without_section(text: str, blank: str) -> str:
    """Return `text` without the section (from `## ` to the next) that contains this blank."""
    sections = _SECTION.split(text)
    return "".join(section for section in sections if f"<<{blank}:" not in section)


def load_prompt(name: str, root: Path, language: str = ENGLISH) -> Prompt:
    """Return the prompt with this name. Raises UserError, with the most similar names, if there is none."""
    prompts = load_prompts(root, language)
    if name not in prompts:
        near = get_close_matches(name, prompts, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(prompts)}"
        raise UserError(f"no prompt {name!r}; {hint}")
    return prompts[name]


def load_prompts(root: Path, language: str = ENGLISH) -> dict[str, Prompt]:
    """All prompts by name, in the order of the table in their README; in English if they are not translated."""
    folder = root / FOLDER
    pages = {
        path.stem: path for path in sorted(folder.glob("*.md")) if path.stem != "README" and ".zh" not in path.name
    }
    if not pages:
        raise UserError(f"{folder}: contains no prompts; run torch-errors inside a checkout of the guide")
    listed = [Path(target).stem for _, target in parse_page(folder / "README.md").links if "/" not in target]
    order = {name: at for at, name in reversed(list(enumerate(listed)))}
    names = sorted(pages, key=lambda name: (order.get(name, len(order)), name))
    return {name: read_prompt(parse_page(in_language(pages[name], language))) for name in names}


def read_prompt(page: Page) -> Prompt:
    """Return the prompt of a page. Raises UserError unless the page contains exactly one."""
    fences = [fence for fence in page.fences if "prompt" in fence.attributes]
    if len(fences) != 1:
        raise UserError(f"{page.path}: must hold one fence `text prompt`, but has {len(fences)}")
    titles = [text for level, text in page.headings if level == 1]
    if not titles or not page.statement:
        raise UserError(f"{page.path}: needs a title, and below it a sentence that says when to use the prompt")
    return Prompt(page.path.name.partition(".")[0], titles[0], page.statement, fences[0].text.strip("\n") + "\n")
