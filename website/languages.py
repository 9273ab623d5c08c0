"""The site in two languages: text of a Chinese page, the way to the same page in the other language, the build.

Pages have the same addresses in both, the Chinese ones below `zh/`. A page that nobody has translated shows the English
text and says so; one that is older than its English page says that.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

from torch_errors.catalog.texts import load_texts
from torch_errors.errors import UserError
from torch_errors.languages import CHINESE, ENGLISH, LANGUAGES, Texts, english_path, in_language, split_front_matter
from torch_errors.maintaining.translations import MISSING, STALE, source, state
from torch_errors.markdown.pages import parse_page
from torch_errors.reading import read_text
from website import pages

CONFIG = "mkdocs.zh.yml"
FOLDER = "zh"  # of the Chinese site, below the English one
NAMES = {ENGLISH: "English", CHINESE: "中文"}
# The link between README.md and its translation: on the site the header has the switch.
_SWITCH = re.compile(r"(?m)^\[[^\]]+\]\([\w-]+(?:\.zh)?\.md\)\n\n?")
_HAN = re.compile(r"[\u4e00-\u9fff]+")


# Pages -------------------------------------------------------------------------------------------------------------


def without_switch(text: str) -> str:
    """The text without the paragraph, right below the title, that only links to the page's other language."""
    title, _, rest = text.lstrip("\n").partition("\n")
    return f"{title}\n{_SWITCH.sub('', rest, count=1)}" if _SWITCH.match(rest.lstrip("\n")) else text


def page_text(item: pages.Published, url: str, root: Path, texts: Texts) -> str:
    """Markdown of a page of the translated site, as its source would hold it, with a notice where it needs one.

    `url`: address of the page below the root of its site. Raises UserError where the page cannot be read.
    """
    return with_notice(source_text(item, root, texts), notice(item, url, root, texts))


def source_text(item: pages.Published, root: Path, texts: Texts) -> str:
    """What the source of a page says in a language; empty where the site makes the page.

    Raises UserError where the source cannot be read.
    """
    if isinstance(item.subject, pages.Snippet):
        text = item.subject.markdown
    elif not (root / item.source).is_file():
        return ""
    else:
        path = in_language(root / item.source, texts.language)
        text = split_front_matter(read_text(path, "it is a page of the site"))[1]
    text = without_switch(text)
    return text if texts.language == ENGLISH else _with_links_of_the_site(text, item.source, root, texts.language)


def state_said(item: pages.Published, root: Path, texts: Texts) -> str:
    """That a page is not translated, or older than the English one; empty where it is up to date."""
    path = item.subject.path if isinstance(item.subject, pages.Snippet) else root / item.source
    if texts.language == ENGLISH or not path.is_file():
        return ""
    return {
        MISSING: texts.word("This page is not translated yet. What follows is the English text."),
        STALE: texts.word("The English page has changed since this translation was made."),
    }.get(state(source(root, path)), "")


def notice(item: pages.Published, url: str, root: Path, texts: Texts) -> str:
    """HTML that says so, with a link to the English page; empty where the page is up to date."""
    said = state_said(item, root, texts)
    if not said:
        return ""
    link = f'<a href="{to_other(url, CHINESE)}" hreflang="en">{texts.word("Read it in English")}</a>'
    return f'<div class="translation-notice" data-search-exclude>{said} {link}</div>'


def with_notice(text: str, notice: str) -> str:
    """The text with a notice below its title."""
    title, _, rest = text.lstrip("\n").partition("\n")
    return f"{title}\n\n{notice}\n\n{rest.lstrip()}" if notice else text


def _with_links_of_the_site(text: str, name: str, root: Path, language: str) -> str:
    """Links to translations lead to the English files, which on the site have the translation's text.

    Where only the English page exists, a heading of it keeps its name.
    """
    for _, target in parse_page(root / name, text).links:
        file, mark, anchor = target.partition("#")
        path = root / posixpath.normpath(posixpath.join(posixpath.dirname(name), file))
        if "://" in file or not path.is_file():
            continue
        english = english_path(path, language)
        if english != path:
            text = text.replace(
                f"]({target})", f"]({posixpath.join(posixpath.dirname(file), english.name)}{mark}{anchor})"
            )
    return text


def to_other(url: str, language: str) -> str:
    """Relative address of the same page in the other language, from a page at `url` below the root of its site."""
    url = "" if url in (".", "./") else url
    up = "../" * url.count("/")
    return (f"{up}{FOLDER}/{url}" if language == ENGLISH else f"{up}../{url}") or "./"


def alternates(url: str, language: str, canonical: str | None) -> list[dict[str, Any]]:
    """What the switch in the header and the alternates in the head of a page need, for each language."""
    found = []
    for other in LANGUAGES:
        link = to_other(url, language) if other != language else "./" if url.endswith(("/", ".")) or not url else url
        # Search engines want whole addresses; they are known only where SITE_URL is.
        address = urljoin(canonical, link) if canonical else link
        found.append(
            {"lang": other, "name": NAMES[other], "link": link, "address": address, "current": other == language}
        )
    return found


def search_tags(tags: Iterable[str], language: str) -> list[str]:
    """Tags as the search shall read them: each also cut into words, as Material's plugin does with titles and texts.

    The whole one stays, so that a query for it finds this page before those that only share its words.
    """
    if language != CHINESE:
        return list(tags)
    cut = _words()
    pairs = [(tag, _HAN.sub(lambda run: "\u200b".join(["", *cut(run[0]), ""]), tag).strip("\u200b")) for tag in tags]
    return list(dict.fromkeys(tag for pair in pairs for tag in pair))


@cache
def _words() -> Callable[[str], Iterable[str]]:
    """Function that splits Chinese text into words; it knows the terms of the field."""
    import jieba  # type: ignore[import-untyped]

    jieba.setLogLevel("WARNING")
    for term in (Path(__file__).parent / "terms.zh.txt").read_text(encoding="utf-8").split():
        jieba.add_word(term)
    return lambda text: jieba.cut(text)


# The build ---------------------------------------------------------------------------------------------------------


def prepare_search() -> None:
    """Teach the search plugin the terms of the field before it sees the first page, of either site."""
    try:
        _words()
    except ImportError:
        raise UserError(
            "the search of the Chinese site needs jieba: pip install -c constraints.txt -e '.[site]'"
        ) from None


def build_chinese(english: MkDocsConfig) -> None:
    """Build the Chinese site below the English one, whose configuration this is."""
    root = Path(english.config_file_path).parent
    config = load_config(
        str(root / CONFIG),
        site_dir=str(Path(english.site_dir, FOLDER)),
        site_url=urljoin(english.site_url, f"{FOLDER}/") if english.site_url else "",
        strict=english.strict,
    )
    config.plugins.on_startup(command="build", dirty=False)
    try:
        build(config)
    finally:
        config.plugins.on_shutdown()


@dataclass
class Kept:
    """The Chinese site as it was last built while serving."""

    within: tempfile.TemporaryDirectory[str]  # removed when the program ends
    inputs: dict[str, str]  # file -> hash of what it held

    @property
    def folder(self) -> Path:
        return Path(self.within.name, FOLDER)


# MkDocs loads the hook anew for each build of `mkdocs serve`; this module stays. None: nothing is served.
_kept: Kept | None = None


def build_below(english: MkDocsConfig) -> None:
    """The Chinese site into its folder of the English one, which has just been built and is empty of it.

    While serving, it is built only where one of its inputs has changed, else copied.
    """
    if _kept is None:
        build_chinese(english)
        return
    target, now = Path(english.site_dir, FOLDER), inputs(Path(english.config_file_path).parent)
    if now == _kept.inputs:
        shutil.copytree(_kept.folder, target, dirs_exist_ok=True)
        return
    build_chinese(english)
    shutil.rmtree(_kept.folder, ignore_errors=True)
    shutil.copytree(target, _kept.folder)
    _kept.inputs = now


def rebuilder(english: MkDocsConfig, both: Callable[[], None]) -> Callable[[], None]:
    """What `mkdocs serve` calls after a change: only the Chinese site where only translations have changed.

    `english` has been built; `both` builds both sites.
    """
    global _kept
    root = Path(english.config_file_path).parent
    _kept = Kept(tempfile.TemporaryDirectory(prefix="torch-errors-zh-"), inputs(root))
    shutil.copytree(Path(english.site_dir, FOLDER), _kept.folder)

    def rebuild() -> None:
        assert _kept
        now = inputs(root)
        changed = {name for name in _kept.inputs.keys() | now.keys() if _kept.inputs.get(name) != now.get(name)}
        if changed and all(map(is_translation, changed)):
            load_texts.cache_clear()
            build_below(english)
        else:
            both()

    return rebuild


def inputs(root: Path) -> dict[str, str]:
    """Every file that the sites are made of, with a hash of what it holds."""
    found = {}
    for top in [*pages.watched(root), root / "mkdocs.yml", root / "website"]:
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                found[path.relative_to(root).as_posix()] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def is_translation(name: str) -> bool:
    """Whether the English site is the same without this file."""
    return name.endswith((".zh.md", ".zh.yaml")) or name == CONFIG
