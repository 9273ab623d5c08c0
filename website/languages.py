"""The site in two languages: text of a Chinese page, the way to the same page in the other language, the build.

Pages have the same addresses in both, the Chinese ones below `zh/`. A page that nobody has translated shows the English
text and says so; one that is older than its English page says that.
"""

from __future__ import annotations

import hashlib
import logging
import os
import posixpath
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort

from torch_errors.errors import UserError
from torch_errors.languages import CHINESE, ENGLISH, LANGUAGES, Texts, english_path, in_language, split_front_matter
from torch_errors.maintaining.translations import MISSING, STALE, source, state
from torch_errors.markdown.parsing import parse_page, without_switch
from torch_errors.reading import read_text
from website import pages

CONFIG = "mkdocs.zh.yml"
FOLDER = "zh"  # of the Chinese site, below the English one
# What the modules of the code that makes the sites are called.
MODULES = ("website.", "torch_errors.")
NAMES = {ENGLISH: "English", CHINESE: "中文"}
_LOG = logging.getLogger("mkdocs.languages")  # below `mkdocs`: `--strict` counts its warnings
# The link between README.md and its translation: on the site the header has the switch.


# Pages -------------------------------------------------------------------------------------------------------------


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
        MISSING: texts.word("This page has not been translated yet. This is the English text."),
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
        english = english_path(path, language)
        if "://" not in file and english != path and english.is_file():
            link = f"{posixpath.join(posixpath.dirname(file), english.name)}{mark}{unquote(anchor)}"
            for written in (target, unquote(target)):  # the parser encodes what is not ASCII
                text = text.replace(f"]({written})", f"]({link})")
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


# The build ---------------------------------------------------------------------------------------------------------


class ChineseBuild:
    """The build of the Chinese site in a process of its own, beside that of the English one.

    It has begun once this is made. `target` is the folder of the Chinese site; it is written there by `finish`.
    """

    def __init__(self, root: Path, target: Path, site_url: str, strict: bool) -> None:
        self.target = target
        self._within = tempfile.TemporaryDirectory(prefix="torch-errors-zh-")
        self._built = Path(self._within.name, FOLDER)
        command = [sys.executable, "-m", "mkdocs", "build", "--config-file", str(root / CONFIG)]
        command += ["--site-dir", str(self._built), *(["--strict"] if strict else [])]
        environment = os.environ | {"SITE_URL": urljoin(site_url, f"{FOLDER}/") if site_url else ""}
        self._log = Path(self._within.name, "log")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, cwd=root, env=environment, stdout=log, stderr=log)

    def finish(self) -> None:
        """Wait for the site and put it into place of the old one. Raises UserError, with what it said, where it failed.

        What a build without `--strict` warned of is logged.
        """
        try:
            status = self._process.wait()
            # Not `--quiet`: with it MkDocs neither says nor counts warnings.
            lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            said = "\n".join(line for line in lines if not line.startswith("INFO "))
            if status:
                raise UserError(f"the Chinese site ({CONFIG}) could not be built:\n{said or f'exit status {status}'}")
            if said:
                _LOG.warning(f"{CONFIG}: {said}")
            shutil.rmtree(self.target, ignore_errors=True)
            shutil.move(self._built, self.target)
        finally:
            self.cancel()

    def cancel(self) -> None:
        """End the build where it still runs, and remove what it has written."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        self._within.cleanup()


def start_chinese(english: MkDocsConfig) -> ChineseBuild:
    """Begin to build the Chinese site below the English one, whose configuration this is."""
    root = Path(english.config_file_path).parent
    return ChineseBuild(root, Path(english.site_dir, FOLDER), english.site_url or "", english.strict)


def rebuilder(english: MkDocsConfig, both: Callable[[], None]) -> Callable[[], None]:
    """What `mkdocs serve` calls after a change: only the Chinese site where only translations have changed.

    `english` has been built; `both` builds both sites, with code that is loaded anew.
    """
    root = Path(english.config_file_path).parent
    more = [Path(path) for path in english.watch]
    known = inputs(root, more)

    def rebuild() -> None:
        nonlocal known
        before, known = known, inputs(root, more)
        changed = {name for name in before.keys() | known.keys() if before.get(name) != known.get(name)}
        if not changed:  # Python has compiled a module, or a file was saved as it was
            return
        if all(map(is_translation, changed)):
            try:
                start_chinese(english).finish()
            except UserError as error:
                raise Abort(str(error)) from None
        else:
            _load_code_anew(english)
            both()

    return rebuild


def _load_code_anew(config: MkDocsConfig) -> None:
    """Make the next build run the code as it now is, which has read nothing yet. MkDocs itself loads a hook once."""
    for module in [name for name in sys.modules if f"{name}.".startswith(MODULES)]:
        del sys.modules[module]
    hooks: Any = config.hooks  # a dictionary, whatever MkDocs declares
    for hook in hooks.values():
        hook.__spec__.loader.exec_module(hook)


def inputs(root: Path, more: Iterable[Path] = ()) -> dict[str, str]:
    """Every file that the sites are made of, and those of `more`, with a hash of what it holds."""
    found = {}
    for top in [*pages.watched(root), root / "mkdocs.yml", *more]:
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def is_translation(name: str) -> bool:
    """Whether the English site is the same without this file."""
    return name.endswith((".zh.md", ".zh.yaml")) or name == CONFIG
