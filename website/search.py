"""The index of the site's search, made by Pagefind (https://pagefind.app), which loads only what a query needs.

Pagefind gets a short document for each page in place of the page: its title, the messages it quotes, the words people
search for it by, its headings, and each other word once. So the index stays small, and a long page gains nothing from
repeating a word. `website/docs/assets/search.js` answers queries from it; both must split text alike (`words`).
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path

from torch_errors.errors import UserError

FOLDER = "pagefind"  # of the index, below the root of the site in one language
# Chinese is searched by pairs of characters, as in Lucene's CJK analyzer. Cut into words it is not found: Pagefind's
# dictionary has 显存 and 叶子, the one of browsers cuts 显 from 存, and pairs need no dictionary.
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
# Characters of grammar: a pair with one of them says nothing of the page.
_PARTICLES = re.compile("[的了是在和与就也都被把这那而及其个]")
_RUN = re.compile(rf"(?P<han>[{_HAN}]+)|[^\W{_HAN}]+")
# Weights as Pagefind takes them, 0 to 10; it squares them. `message` is the recorded one, whose words people type;
# `messages` are the page's others, of other versions and causes.
_WEIGHTS = {"message": 10.0, "title": 8.0, "messages": 7.0, "keywords": 6.0, "headings": 3.0, "words": 1.0}
# How often each word is written. Pagefind loads its index in parts of so many positions, a size that cannot be set; in
# bytes they are 40 % smaller where each word has several.
_REPEATED = 8
# What a result shows. A filter, since Pagefind keeps its value with the page and does not index it as words.
_SHOWN = "shown"
_LONGEST_SUMMARY = 200  # characters
# What Pagefind writes and this site does not use: its own interface, its own worker, words without their stems.
_UNUSED = ("*.css", "pagefind-*ui.js", "pagefind-highlight.js", "pagefind-worker.js", "wasm.unknown.pagefind", "filter")
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_SKIPPED = {"script", "style", "svg", "button", "noscript"}
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}


@dataclass
class Document:
    """What the search knows of a page."""

    url: str  # below the root of the site, as `indexing/index-out-of-bounds/`
    title: str
    summary: str = ""
    messages: list[str] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    described: list[str] = field(default_factory=list)  # how people describe what the page is about
    headings: list[tuple[str, str]] = field(default_factory=list)  # id, text
    text: str = ""


def document(url: str, title: str, html: str, meta: Mapping[str, object]) -> Document | None:
    """What to index of a page; None where its front matter excludes it (`search: {exclude: true}`).

    `html` is its content: elements with `data-search-exclude` are left out, and so is what follows a heading with it,
    up to the next heading. Front matter: `description`, as HTML; `messages`, `keywords` and `described` of `search`.
    """
    search = meta.get("search")
    given = search if isinstance(search, dict) else {}
    if given.get("exclude"):
        return None
    read = _Content(html)
    return Document(
        url,
        read.title or title,
        _shortened(unescape(str(meta.get("description") or "")) or read.statement),
        [str(text) for text in given.get("messages", ())],
        [str(text) for text in given.get("keywords", ())],
        [str(text) for text in given.get("described", ())],
        read.headings,
        " ".join(read.text),
    )


def words(text: str) -> Iterator[str]:
    """The words of a text as the index holds them: `torch.nn` is two, 显存不足 is 显存, 存不 and 不足."""
    for run in _RUN.finditer(text):
        if run["han"] is None or len(run[0]) == 1:
            yield run[0]
        else:
            pairs = (run[0][at : at + 2] for at in range(len(run[0]) - 1))
            yield from (pair for pair in pairs if not _PARTICLES.search(pair))


def write_index(documents: Iterable[Document], site: Path) -> None:
    """Write the index of a site into its folder. Raises UserError where Pagefind is not installed, or fails."""
    program = _program()
    with tempfile.TemporaryDirectory(prefix="torch-errors-search-") as folder:
        for one in documents:
            path = Path(folder, one.url, "index.html")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_as_html(one), encoding="utf-8")
        target = site / FOLDER
        shutil.rmtree(target, ignore_errors=True)
        # English also for the Chinese site: its Chinese is cut into pairs already, and its English words have stems.
        command = [str(program), "--site", folder, "--output-path", str(target), "--force-language", "en", "--silent"]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace")
    if done.returncode or not (target / "pagefind.js").is_file():
        said = (done.stderr.strip() or done.stdout.strip() or f"exit status {done.returncode}").splitlines()[-1]
        raise UserError(f"the index of the search could not be made: Pagefind says {said}")
    for pattern in _UNUSED:
        for path in target.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _program() -> Path:
    try:
        from pagefind.service import get_executable
    except ImportError:
        found = None
    else:
        found = get_executable()
    if found is None:
        raise UserError("the search of the site needs Pagefind: pip install -c constraints.txt -e '.[site]'")
    return found


def _as_html(one: Document) -> str:
    """The document as HTML for Pagefind; each word stands only where its weight is highest."""
    parts = {
        "message": " ".join([*one.messages[:1], *one.described]),
        "title": one.title,
        "messages": " ".join(one.messages[1:]),
        "keywords": " ".join(one.keywords),
        "headings": " ".join(text for _, text in one.headings),
        # The page of a symptom says the words of many entries, and must not stand above them.
        "words": one.summary if one.described else f"{one.summary} {one.text}",
    }
    known: set[str] = set()
    lines = []
    for name, text in parts.items():
        new = {word.lower(): word for word in words(text) if word.lower() not in known}
        known |= new.keys()
        lines.append(f'<p data-pagefind-weight="{_WEIGHTS[name]}">{" ".join([*new.values()] * _REPEATED)}</p>')
    shown: dict[str, object] = {"title": one.title, "text": one.summary, "sections": one.headings}
    if one.messages:
        shown["message"] = _shortened(one.messages[0])
    data = escape(json.dumps(shown, ensure_ascii=False, separators=(",", ":")))
    head = f'<meta data-pagefind-filter="{_SHOWN}[content]" content="{data}">'
    return f"<!doctype html><html><head>{head}</head><body>{''.join(lines)}</body></html>"


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SUMMARY else f"{text[: _LONGEST_SUMMARY - 2].rstrip()} …"


class _Content(HTMLParser):
    """Title, first paragraph, headings and text of a page's content, without what is excluded."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.title = ""
        self.statement = ""
        self.headings: list[tuple[str, str]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self._skip = 0  # how many elements were open where an excluded one began; 0: none is excluded
        self._excluded = False  # below an excluded heading
        self._heading: tuple[str, str] | None = None  # tag, id
        self._said: list[str] = []  # of the heading or the paragraph
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        self._open.append(tag)
        if self._skip:
            return
        given = dict(attrs)
        excluded = "data-search-exclude" in given
        if tag in _HEADINGS and "id" in given:
            self._excluded = excluded
            self._heading = None if excluded else (tag, given["id"] or "")
            self._said = []
        elif tag == "p" and not self.statement and self.title:
            self._said = []
        if excluded or tag in _SKIPPED or given.get("class") == "headerlink":
            self._skip = len(self._open)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if tag not in self._open:
            return
        while self._open and self._open.pop() != tag:
            pass
        if self._skip:
            if len(self._open) < self._skip:
                self._skip = 0
            return
        said = " ".join("".join(self._said).split())
        if self._heading and self._heading[0] == tag:
            if tag == "h1" and not self.title:
                self.title = said
            elif not self._excluded:
                self.headings.append((self._heading[1], said))
            self._heading = None
        elif tag == "p" and self.title and not self.statement and not self._excluded:
            self.statement = said

    def handle_data(self, data: str) -> None:
        if self._skip or self._excluded:
            return
        self._said.append(data)
        if not self._heading:
            self.text.append(data)
