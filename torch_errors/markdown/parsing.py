"""The Markdown of the guide: fenced blocks with the attributes on their fences, headings, and links.

The attributes of a fence state where its text comes from (MAINTAINING.md lists them). Readers don't see them: GitHub
ignores what follows the language, and the site converts the attributes (website/fences.py).
"""

from __future__ import annotations

import dataclasses
import re
import shlex
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from torch_errors.languages import split_front_matter
from torch_errors.reading import read_text

_SWITCH = re.compile(r"(?m)^\[[^\]]+\]\([\w-]+(?:\.zh)?\.md\)\n\n?")
_MARKDOWN = MarkdownIt("commonmark").enable("table")


@dataclass(frozen=True)
class Fence:
    """A fenced block. Lines count from 1 and include the fences themselves."""

    language: str
    attributes: dict[str, str]
    text: str
    first_line: int
    last_line: int


@dataclass(frozen=True)
class Page:
    """A Markdown file."""

    path: Path
    text: str
    fences: list[Fence] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)  # level and text of each heading
    heading_lines: list[int] = field(default_factory=list)  # first line of each heading
    heading_ends: list[int] = field(default_factory=list)  # last line of each heading
    code_spans: list[tuple[int, str]] = field(default_factory=list)  # line of the paragraph, and the code
    links: list[tuple[int, str]] = field(default_factory=list)  # line of the paragraph, and the target
    indented: list[int] = field(default_factory=list)  # first lines of code blocks that are not fenced
    statement: str = ""  # first paragraph, not counting the link to the other language
    runs_shell: bool = False  # whether blocks of shell commands are also run

    def section(self, title: str) -> str:
        """Return the text below the second-level heading `title`, up to the next one; empty if there is none."""
        starts = [
            (first - 1, end, text)
            for (level, text), first, end in zip(self.headings, self.heading_lines, self.heading_ends, strict=True)
            if level <= 2
        ]
        lines = self.text.split("\n")
        for (_, after, heading), (end, _, _) in zip(starts, [*starts[1:], (len(lines), 0, "")], strict=True):
            if heading == title:
                return "\n".join(lines[after:end]).strip("\n")
        return ""

    def runs(self, fence: Fence) -> bool:
        """Whether a block is run when the page is verified."""
        runs = fence.language == "python" or (self.runs_shell and fence.language == "sh")
        return runs and not fence.attributes.keys() & {"no-run", "confirm"}

    @property
    def confirmation(self) -> Fence | None:
        """The block that readers run in their own program, or None if there is none or it can't be run."""
        marked = (fence for fence in self.fences if "confirm" in fence.attributes)
        return next(
            (fence for fence in marked if fence.language == "python" and "no-run" not in fence.attributes), None
        )

    def blocks(self) -> list[Fence]:
        """The blocks that are run when the page is verified, in order."""
        return [fence for fence in self.fences if self.runs(fence)]


def parse_page(path: Path, text: str | None = None) -> Page:
    """Parse a Markdown file, or `text` as its content. Raises UserError if the file can't be read."""
    return _parsed(path, read_text(path, "it is a page of the guide") if text is None else text)


@lru_cache(maxsize=4096)
def _parsed(path: Path, text: str) -> Page:
    """Parse a page. The result is cached, since a build of the site requests the same page many times."""
    page = Page(path, text)
    statement = ""
    tokens = _MARKDOWN.parse(_without_front_matter(text))
    for i, token in enumerate(tokens):
        line = token.map[0] + 1 if token.map else 1
        if token.type == "fence" and token.map:
            language, attributes = parse_info(token.info)
            page.fences.append(Fence(language, attributes, token.content, line, token.map[1]))
        elif token.type == "code_block":
            page.indented.append(line)
        elif token.type == "heading_open":
            page.headings.append((int(token.tag[1]), tokens[i + 1].content))
            page.heading_lines.append(line)
            page.heading_ends.append(token.map[1] if token.map else line)
        elif token.type == "paragraph_open" and not statement and page.headings and not _is_switch(tokens[i + 1]):
            statement = " ".join(tokens[i + 1].content.split())
        elif token.type == "inline":
            for child in token.children or []:
                if child.type == "code_inline":
                    page.code_spans.append((line, child.content))
                elif child.type == "link_open":
                    page.links.append((line, str(child.attrs["href"])))
                elif child.type == "image":
                    page.links.append((line, str(child.attrs["src"])))
    return dataclasses.replace(page, statement=statement)


def _is_switch(paragraph: Token) -> bool:
    """Whether a paragraph consists only of the link to the page's other language."""
    return re.fullmatch(r"\[(?:English|中文)\]\([^)]*\)", paragraph.content) is not None


def _without_front_matter(text: str) -> str:
    """Return the text with its front matter replaced with blank lines, so that line numbers stay the same."""
    front, body = split_front_matter(text)
    return "\n" * front.count("\n") + body


def parse_info(info: str) -> tuple[str, dict[str, str]]:
    """Return language and attributes of a fence's info string, such as `python no-run="why"` or `text printed`."""
    try:
        words = shlex.split(info)
    except ValueError:  # a quote is not closed
        words = info.split()
    attributes = {}
    for word in words[1:]:
        name, _, value = word.partition("=")
        attributes[name] = value
    return (words[0] if words else ""), attributes


def broken_links(page: Page, root: Path) -> list[tuple[int, str]]:
    """Return line and target of every broken link: there is no such file below `root`, or no such heading in it."""
    broken = []
    for line, target in page.links:
        if re.match(r"[a-z]+:", target):  # an external address
            continue
        name, _, anchor = target.partition("#")
        path = (page.path.parent / name).resolve() if name else page.path
        leads = path.is_relative_to(root) and path.exists()
        if leads and anchor:
            other = page if path == page.path else parse_page(path) if path.suffix == ".md" else None
            leads = other is not None and anchor in heading_anchors(other)
        if not leads:
            broken.append((line, target))
    return broken


def page_links(page: Page) -> list[tuple[int, str]]:
    """Return line and target of every link of an English page, except links to translations."""
    return [(line, target) for line, target in page.links if not target.partition("#")[0].endswith(".zh.md")]


def heading_anchors(page: Page) -> list[str]:
    """Return the anchor of each heading (the part of a link after `#`), as GitHub and the site generate it."""
    anchors: list[str] = []
    for _, text in page.headings:
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)  # keep only the text of a link
        anchor = re.sub(r"[^\w\- ]", "", words.lower()).strip().replace(" ", "-")
        anchors.append(f"{anchor}-{anchors.count(anchor)}" if anchor in anchors else anchor)
    return anchors


def same_heading(page: Page, other: Page, title: str) -> str | None:
    """Return the heading in `other` that corresponds to `title` in `page`, or None if their heading levels differ."""
    if [level for level, _ in page.headings] != [level for level, _ in other.headings]:
        return None
    pairs = zip(page.headings, other.headings, strict=True)
    return next((other_heading for (_, heading), (_, other_heading) in pairs if heading == title), None)


def with_fence_texts(page: Page, texts: dict[int, str]) -> str:
    """Return the page's text with new contents in the fences that start on the given lines."""
    lines = page.text.split("\n")
    for fence in sorted(page.fences, key=lambda fence: -fence.first_line):
        if fence.first_line in texts:
            text = texts[fence.first_line].rstrip("\n")
            opening = lines[fence.first_line - 1]
            indent = opening[: len(opening) - len(opening.lstrip())]
            inside = [(indent + line).rstrip() if not line else indent + line for line in text.split("\n")]
            lines[fence.first_line : fence.last_line - 1] = inside if text.strip() else []
    return "\n".join(lines)


def looks_like_message(code: str) -> bool:
    """Whether an inline code span reads like a message of torch rather than code: four or more words of prose."""
    words = re.findall(r"(?<![\w.(\[=])[A-Za-z']{2,}(?![\w(=.\[])", code)
    return (
        len(words) >= 4
        and code.count(" ") >= 3
        and not re.search(
            r"[=;{}]|<<|\s--?[a-z]|\bimport\b|\bfor\b.*\bin\b.*:|^\$|^(python|pip|torch-errors|make) ", code
        )
    )


def without_switch(text: str) -> str:
    """Return the text without the paragraph below the title that only links to the page's other language."""
    title, _, rest = text.lstrip("\n").partition("\n")
    return f"{title}\n{_SWITCH.sub('', rest, count=1)}" if _SWITCH.match(rest.lstrip("\n")) else text


def plain_markdown(text: str) -> str:
    """Return the Markdown without front matter, the link to the other language, and the attributes on fences."""
    text = without_switch(split_front_matter(text)[1].lstrip("\n"))
    lines = text.split("\n")
    for fence in parse_page(Path(), text).fences:
        opening = lines[fence.first_line - 1]
        marks = re.match(r"\s*(`{3,}|~{3,})", opening)
        if marks:
            lines[fence.first_line - 1] = marks[0] + fence.language
    return "\n".join(lines)
