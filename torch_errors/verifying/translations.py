"""Finds translations that are missing, older than the English page, or built differently.

A translation `X.zh.md` lies beside `X.md`; its front matter contains the hash of the English text it was made from. The
page of a snippet is its docstring, so the translation of `timer.py` is `timer.zh.md`. In `catalog.yaml` and
`entry.yaml`, the Chinese texts are beside the English ones.
"""

from __future__ import annotations

import ast
import hashlib
import io
import posixpath
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pydantic import BaseModel

from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.expressions import expressions, names_in
from torch_errors.catalog.fields import INDEX_FIELDS
from torch_errors.catalog.locate import CATALOG_FILE, ENTRY_FILE, INTERFACE_FILE, SNIPPETS
from torch_errors.catalog.texts import Text, Words, load_texts
from torch_errors.catalog.yaml_files import Keys, parse_yaml
from torch_errors.errors import UserError, Violation
from torch_errors.languages import CHINESE, english_path, split_front_matter, translation_path
from torch_errors.markdown.parsing import Fence, Page, heading_anchors, parse_page, with_fence_texts
from torch_errors.markdown.snippets import read_snippet
from torch_errors.prompting.template import BLANK
from torch_errors.reading import read_text
from torch_errors.verifying.pages import NOT_PAGES, PROMPT_FENCES, find_documents

CURRENT, STALE, MISSING = "current", "stale", "missing"
_WIDE = re.compile(r"[\u2e80-\uffef]")
_STAMP = re.compile(r'(?m)^translation_of: *"?([0-9a-f]{12})"?[ \t]*$')
_MALFORMED_STAMP = re.compile(r'(?m)^translation_of:(?! *"?[0-9a-f]{12}"?[ \t]*$).*\n')


@dataclass(frozen=True)
class Source:
    """An English page that is to be translated."""

    path: Path
    name: str  # path below the root, with `/`
    text: str  # the page as Markdown

    @property
    def hash(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]

    @property
    def translation(self) -> Path:
        return translation_path(self.path)


@dataclass(frozen=True)
class Translation:
    """The state of one page's translation, and the findings about it."""

    source: Source
    state: str
    findings: list[Violation] = field(default_factory=list)

    @property
    def name(self) -> str:
        return translation_path(Path(self.source.name)).as_posix()


@dataclass(frozen=True)
class CheckedTexts:
    """The result of checking the texts of the catalog."""

    missing: list[tuple[str, str]]  # id of the entry, category or symptom; English text
    findings: list[Violation]


# Pages -------------------------------------------------------------------------------------------------------------


def sources(catalog: Catalog) -> list[Source]:
    """All pages that are to be translated, sorted by path."""
    paths = [*find_documents(catalog), *(entry.page for entry in catalog if entry.page.is_file())]
    found = [source(catalog.root, path) for path in paths]
    found += [source(catalog.root, path) for path in sorted((catalog.root / SNIPPETS).glob("*.py"))]
    return sorted(found, key=lambda item: item.name)


def source(root: Path, path: Path) -> Source:
    """The English page at `path`: a Markdown file, or a snippet, whose docstring is its page."""
    name = path.relative_to(root).as_posix()
    if path.suffix == ".py":
        return Source(path, name, read_snippet(path).markdown)
    return Source(path, name, read_text(path, "it is a page of the guide"))


def state(source: Source) -> str:
    """Whether the translation of a page is current, stale or missing."""
    if not source.translation.is_file():
        return MISSING
    front, _ = split_front_matter(read_text(source.translation, "it is a translation"))
    found = _STAMP.search(front)
    return CURRENT if found and found[1] == source.hash else STALE


def translations(catalog: Catalog) -> list[Translation]:
    """The translation of every page, with its differences from the English page.

    A stale translation is not compared: what differs may be what has changed.
    """
    found = []
    for page in sources(catalog):
        where = translation_path(Path(page.name)).as_posix()
        now = state(page)
        findings: list[Violation] = []
        if now != MISSING:
            text = read_text(page.translation, "it is a translation")
            if not _STAMP.search(split_front_matter(text)[0]):
                problem = "must start with front matter that contains `translation_of: <hash>`; "
                findings.append(
                    Violation(f"{where}:1", problem + f"`torch-errors translations --stamp {where}` writes it")
                )
            if now == CURRENT:
                findings += compare(parse_page(page.path, page.text), parse_page(page.translation, text), where)
        found.append(Translation(page, now, findings))
    translated = {item.source.translation for item in found}
    for path in _translated_files(catalog.root):
        if path not in translated:
            name = path.relative_to(catalog.root).as_posix()
            orphaned = Violation(f"{name}:1", "translates a page that does not exist")
            found.append(Translation(Source(path, name, ""), CURRENT, [orphaned]))
    return found


def _translated_files(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*.zh.md")):
        parts = path.relative_to(root).parts
        if not NOT_PAGES & set(parts) and not any(part.startswith(".") for part in parts):
            yield path


def outdated(catalog: Catalog) -> list[str]:
    """Messages about what must be translated before a release: stale pages, and texts without Chinese.

    Until then a stale page says that it is, and the English text is shown in place of a missing one.
    """
    stale = [page for page in sources(catalog) if state(page) == STALE]
    found = []
    for page in stale:
        name = translation_path(Path(page.name)).as_posix()
        remedy = f"bring it up to date, then: torch-errors translations --stamp {name}"
        found.append(f"{name}: {page.name} has changed since it was translated; {remedy}")
    return found + [f"{id}: has no Chinese beside: {text}" for id, text in check_texts(catalog).missing]


def compare(english: Page, chinese: Page, where: str) -> list[Violation]:
    """The differences of a translation from its English page in headings, fences and links, and broken sentences."""
    return [
        *_compare_headings(english, chinese, where),
        *_compare_fences(english, chinese, where),
        *_compare_links(english, chinese, where),
        *_broken_sentences(chinese, where),
    ]


def _compare_headings(english: Page, chinese: Page, where: str) -> Iterator[Violation]:
    ours, theirs = ([level for level, _ in page.headings] for page in (chinese, english))
    if ours != theirs:
        at = _first_difference(ours, theirs)
        line = chinese.heading_lines[at] if at < len(ours) else chinese.text.count("\n") + 1
        wanted = f"`{'#' * theirs[at]} {english.headings[at][1]}`" if at < len(theirs) else "no heading"
        yield Violation(f"{where}:{line}", f"heading {at + 1} of the English page is {wanted}")


def _compare_fences(english: Page, chinese: Page, where: str) -> Iterator[Violation]:
    for ours, theirs in zip(chinese.fences, english.fences, strict=False):
        place = f"{where}:{ours.first_line}"
        if (ours.language, ours.attributes) != (theirs.language, theirs.attributes):
            yield Violation(place, f"the English page has a fence `{_info(theirs)}` here, not `{_info(ours)}`")
            return  # the fences after it do not correspond
        if _free(theirs):
            blanks = [sorted({blank[1] for blank in BLANK.finditer(fence.text)}) for fence in (ours, theirs)]
            if blanks[0] != blanks[1]:
                lost = ", ".join(sorted(set(blanks[0]) ^ set(blanks[1])))
                yield Violation(place, f"the blanks of the prompt differ from the English page's: {lost}")
        elif _essence(ours) != _essence(theirs):
            yield Violation(place, "the block differs from the English page's in more than comments")
    if len(chinese.fences) != len(english.fences):
        last = chinese.fences[-1].last_line if chinese.fences else 1
        yield Violation(f"{where}:{last}", f"has {len(chinese.fences)} fences, the English page {len(english.fences)}")


def _compare_links(english: Page, chinese: Page, where: str) -> Iterator[Violation]:
    """Check that both pages link to the same pages, and the Chinese page to translations wherever they exist."""
    ours, theirs = _page_links(chinese), _page_links(english)
    lead, wanted = (Counter(target for _, target in links) for links in (ours, theirs))
    for target in (lead - wanted).elements():
        line = next(line for line, found in ours if found == target)
        yield Violation(f"{where}:{line}", f"links to {target}, unlike the English page")
    for target in (wanted - lead).elements():
        yield Violation(f"{where}:1", f"lacks a link to {target}, which the English page has")
    for line, link in chinese.links:
        path = chinese.path.parent / unquote(link).partition("#")[0]
        if path.suffix not in (".md", ".py") or "://" in link or _is_counterpart(chinese, link):
            continue
        translated = translation_path(path)
        if translated.is_file() and english_path(path) == path:
            yield Violation(
                f"{where}:{line}", f"links to the English {path.name}; link to its translation {translated.name}"
            )


def _broken_sentences(chinese: Page, where: str) -> Iterator[Violation]:
    """Find line breaks between Chinese characters, which browsers show as spaces."""
    fenced = {line for fence in chinese.fences for line in range(fence.first_line, fence.last_line + 1)}
    lines = chinese.text.split("\n")
    for number, (line, following) in enumerate(pairwise(lines), 1):
        if {number, number + 1} & fenced or re.match(r" *(?:[-*|#>]|\d+\. )", following):
            continue
        if _WIDE.match(line.rstrip()[-1:]) and _WIDE.match(following.lstrip()):
            yield Violation(
                f"{where}:{number}", "the line ends within a paragraph, which shows as a space; join the two"
            )


def _page_links(page: Page) -> list[tuple[int, str]]:
    """Line and target of the links within the guide, with English file names and numbers in place of headings."""
    found = []
    for line, link in page.links:
        if re.match(r"[a-z]+:", link) or _is_counterpart(page, link):
            continue
        name, mark, anchor = unquote(link).partition("#")
        path = page.path.parent / name if name else page.path
        target = posixpath.join(posixpath.dirname(name), english_path(path).name) if name else ""
        if mark and path.suffix == ".md" and path.is_file():
            anchors = heading_anchors(page if path == page.path else parse_page(path))
            anchor = f"heading {anchors.index(anchor) + 1}" if anchor in anchors else anchor
        found.append((line, f"{target}{mark}{anchor}"))
    return found


def _is_counterpart(page: Page, link: str) -> bool:
    """Whether a link leads to the same page in the other language."""
    other = page.path.name.replace(".zh.md", ".md")
    return link in {other, translation_path(Path(other)).name} - {page.path.name}


def _first_difference(ours: Sequence[object], theirs: Sequence[object]) -> int:
    return next(
        (at for at, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs))
    )


def _free(fence: Fence) -> bool:
    """Whether the text of a fence is translated freely."""
    return fence.language == "mermaid" or any(name in fence.attributes for name in PROMPT_FENCES)


def _info(fence: Fence) -> str:
    return " ".join([fence.language, *(f'{k}="{v}"' if v else k for k, v in fence.attributes.items())])


def _essence(fence: Fence) -> Any:
    """The part of a block that must be equal in both languages: all of it except comments in code."""
    if fence.language == "python":
        skipped = {tokenize.COMMENT, tokenize.NL}
        try:
            tokens = tokenize.generate_tokens(io.StringIO(fence.text).readline)
            return [(token.type, token.string) for token in tokens if token.type not in skipped]
        except (tokenize.TokenError, SyntaxError):
            pass  # a fragment, compared line by line
    if fence.language in ("python", "sh"):
        lines = [re.sub(r"(?:^|\s)#(?:\s.*)?$", "", line).rstrip() for line in fence.text.split("\n")]
        return [line for line in lines if line]
    return fence.text.rstrip("\n")


def stamp(catalog: Catalog, names: Sequence[str]) -> list[Path]:
    """Mark translations as made from the current English text. Returns the changed files.

    Blocks that a program fills in on the English page (recordings, printed texts, examples of a docstring) are copied.
    Raises UserError if a path is not that of a page of the guide.
    """
    written = []
    pages = {path.resolve(): item for item in sources(catalog) for path in (item.path, item.translation)}
    for name in names:
        page = _named(pages, catalog.root, name)
        text = read_text(page.translation, "translate the page first")
        front, body = split_front_matter(text)
        front = _MALFORMED_STAMP.sub("", front)
        line = f"translation_of: {page.hash}\n"
        if _STAMP.search(front):
            front = _STAMP.sub(line.rstrip("\n"), front)
        else:
            front = front.replace("---\n", f"---\n{line}", 1) if front else f"---\n{line}---\n\n"
        new = _with_filled_blocks(page, front + body)
        if new != text:
            page.translation.write_text(new, encoding="utf-8")
            written.append(page.translation)
    return written


def _named(pages: Mapping[Path, Source], root: Path, name: str) -> Source:
    for path in (root / name, Path(name)):
        if path.resolve() in pages:
            return pages[path.resolve()]
    raise UserError(f"{name}: no page of the guide and no translation has this path")


def _with_filled_blocks(source: Source, text: str) -> str:
    english, chinese = parse_page(source.path, source.text), parse_page(source.translation, text)
    kinds = [[(fence.language, fence.attributes) for fence in page.fences] for page in (english, chinese)]
    if kinds[0] != kinds[1]:
        return text
    filled = {
        ours.first_line: theirs.text
        for ours, theirs in zip(chinese.fences, english.fences, strict=True)
        if {"recorded", "printed", "verdicts", "version"} & set(theirs.attributes) or theirs.language == "pycon"
        if ours.text != theirs.text
    }
    return with_fence_texts(chinese, filled)


# Texts of the catalog ----------------------------------------------------------------------------------------------


def check_texts(catalog: Catalog) -> CheckedTexts:
    """Find the texts of the catalog that are not translated, and the faulty translations."""
    missing: list[tuple[str, str]] = []
    findings = []
    read = cache(partial(parse_yaml, remedy=f"{CATALOG_FILE} lists it"))
    for id, path, keys, text in _texts_of_catalog(catalog):
        chinese = text.translations.get(CHINESE)
        if not chinese:
            missing.append((id, text if isinstance(text, Text) else "keywords"))
        elif isinstance(text, Text) and isinstance(chinese, str):
            for problem in _check_translation(text, chinese):
                where = f"{path.relative_to(catalog.root).as_posix()}:{read(path).line((*keys, CHINESE))}"
                findings.append(Violation(where, f"{id}: {problem}"))
    for english, chinese in load_texts(CHINESE).interface.items():
        names = [set(re.findall(r"\{(\w+)[^{}]*\}", text)) for text in (english, chinese)]
        if names[0] != names[1] or not chinese:
            where = f"{INTERFACE_FILE.name}:{read(INTERFACE_FILE).line((english,))}"
            findings.append(Violation(where, f"the names in braces differ from the English text's: {english}"))
    # A text that an alias of YAML repeats is reported once.
    return CheckedTexts(list(dict.fromkeys(missing)), list(dict.fromkeys(findings)))


def _texts_of_catalog(catalog: Catalog) -> Iterator[tuple[str, Path, Keys, Text | Words]]:
    """Every text to be translated: id of the entry, category or symptom; file; path in the file; and the text."""
    index = catalog.root / CATALOG_FILE
    for part, items in (("symptoms", catalog.symptoms), ("categories", catalog.categories)):
        for item in items:
            for keys, text in _texts({name: getattr(item, name, None) for name in ("title", "summary", "keywords")}):
                yield item.id, index, (part, item.id, *keys), text
    for entry in catalog:
        above = ("categories", entry.category, "entries", entry.id)
        for keys, text in _texts({name: value for name, value in entry.fields if name != "wrong_fix"}):
            if keys[0] in INDEX_FIELDS:
                yield entry.id, index, (*above, *keys), text
            else:
                yield entry.id, entry.folder / ENTRY_FILE, keys, text


def _texts(value: Any, above: Keys = ()) -> Iterator[tuple[Keys, Text | Words]]:
    """The texts in a value, with the path to each."""
    if isinstance(value, Text | Words):
        yield above, value
    elif isinstance(value, BaseModel | Mapping | list):
        pairs = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else value
        for key, item in pairs:
            yield from _texts(item, (*above, key))


def _check_translation(english: str, chinese: str) -> Iterator[str]:
    """Check that a translation has the same expressions; `{n}` may replace `{plural(n, …)}`."""
    if broken := re.search(rf"{_WIDE.pattern} {_WIDE.pattern}", re.sub(r"`[^`]*`", "``", chinese)):
        yield f"a space, perhaps a line break, between Chinese characters: {broken[0]}"
    try:
        names_in(chinese)
        ours, theirs = ({_without_plural(piece) for piece in expressions(text)} for text in (chinese, english))
    except ValueError as error:
        yield str(error)
        return
    if ours != theirs:
        wrong = ", ".join(f"{{{piece}}}" for piece in sorted(ours ^ theirs))
        yield f"the expressions in braces differ from the English text's: {wrong}"


def _without_plural(expression: str) -> str:
    tree = ast.parse(expression.strip(), mode="eval").body
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == "plural":
        tree = tree.args[0]
    return ast.unparse(tree)
