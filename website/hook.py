"""Publishes the folders of the repository as pages of the site.

MkDocs calls the `on_…` functions. They hold no decisions: those are in `pages.py`, which knows nothing of MkDocs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from torch_errors.catalog import load_catalog
from torch_errors.errors import UserError
from website import engine, pages


class PublishedFile(File):
    """A file of the repository that remembers what it is about."""

    published: pages.Published


@event_priority(100)  # before plugins that look at all files
def on_files(files: Files, config: MkDocsConfig) -> Files:
    with _one_line():
        catalog = load_catalog(_root(config))
        pages.check_files(catalog)
        published = pages.published(catalog)
        data = engine.engine_json(catalog)
        config.nav = pages.navigation(catalog)
    for item in published:
        file = PublishedFile(
            item.source, str(catalog.root), config.site_dir, config.use_directory_urls, dest_uri=item.destination
        )
        file.published = item
        if not (catalog.root / item.source).exists():
            file.content_string = ""  # a page that is made of something else
        if isinstance(item.subject, pages.Entry):
            file.name = item.subject.id  # "index" would make each README.md the front page of its section
        files.append(file)
    files.append(File.generated(config, engine.DATA_FILE, content=data))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    if not isinstance(page.file, PublishedFile):
        return markdown
    with _one_line():
        page.meta.update(pages.metadata(page.file.published))
        language = config.theme["language"]
        return pages.page_markdown(page.file.published, markdown, _root(config), files.src_uris, language)


def on_serve(server: LiveReloadServer, config: MkDocsConfig, builder: Callable[..., Any]) -> LiveReloadServer:
    for path in pages.watched(_root(config)):
        server.watch(str(path))
    return server


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).parent


@contextmanager
def _one_line() -> Iterator[None]:
    """Bad input ends the build with its message, not with a traceback."""
    try:
        yield
    except UserError as error:
        raise PluginError(str(error)) from None
