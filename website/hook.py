"""Publishes the folders of the repository as pages of the site.

MkDocs calls the `on_…` functions. They hold no decisions: those are in the other modules.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from jinja2 import Environment
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

from torch_errors.catalog.entries import Entry
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.texts import load_texts
from torch_errors.errors import UserError
from torch_errors.languages import ENGLISH, Texts
from torch_errors.markdown.parsing import without_switch
from website import (
    accessibility,
    building,
    doctor,
    engine,
    machine_files,
    navigation,
    notebooks,
    pages,
    policy,
    prompting,
    publishing,
    search,
    translated,
)
from website.markup import with_breaks_in_tables
from website.moved import Moved
from website.publishing import Published


class PublishedFile(File):
    """A file of the repository, with its subject and its document for the search."""

    published: Published
    document: search.Document | None = None


# The process that builds the Chinese site while this one builds the English site.
_chinese: building.ChineseBuild | None = None


def on_startup(command: str, dirty: bool) -> None:
    if command == "serve":
        os.environ[policy.SERVED] = "1"  # for the process that builds the Chinese site, too


@event_priority(100)  # before plugins that look at all files
def on_files(files: Files, config: MkDocsConfig) -> Files:
    with _one_line():
        texts = _texts(config)
        catalog = load_catalog(_root(config)).in_language(texts.language)
        publishing.require_files(catalog)
        published = publishing.published(catalog, texts)
        data = engine.engine_files(catalog, texts.language)
        data[engine.NEAREST_FILE] = engine.nearest_json(catalog, texts.language)
        data[doctor.DATA_FILE] = doctor.doctor_json(catalog, texts.language)
        if prompting.exists(catalog.root):
            data[prompting.DATA_FILE] = prompting.prompts_json(catalog, texts.language)
        data |= notebooks.notebooks(catalog)
        config.nav = navigation.navigation(catalog, texts)
    if texts.language == ENGLISH:
        global _chinese
        _chinese = building.start_chinese(config)
    for item in published:
        file = PublishedFile(
            item.source, str(catalog.root), config.site_dir, config.use_directory_urls, dest_uri=item.destination
        )
        file.published = item
        if isinstance(item.subject, Moved):
            file.inclusion = InclusionLevel.NOT_IN_NAV
        if isinstance(item.subject, Entry):
            file.name = item.subject.id  # "index" would make each README.md the front page of its section
        if file.is_documentation_page() and (item.made or texts.language != ENGLISH):
            with _one_line():
                file.content_string = translated.page_text(item, file.url, catalog.root, texts)
        files.append(file)
    for uri, content in data.items():
        files.append(File.generated(config, uri, content=content))
    with _one_line():
        made = machine_files.machine_files(
            catalog, published, config.site_name, config.site_description or "", config.site_url or "", texts
        )
    for place, content in made.items():
        # Not under its own name: a source that ends in .md would become a page.
        handed_out = File(f"{place}.made", None, config.site_dir, config.use_directory_urls, dest_uri=place)
        handed_out.content_string = content
        files.append(handed_out)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    if not isinstance(page.file, PublishedFile):
        return markdown
    with _one_line():
        texts = _texts(config)
        page.meta.update(pages.metadata(page.file.published))
        text = without_switch(markdown)
        there = str(config.extra.get("notebooks", ""))
        return pages.page_markdown(
            page.file.published, text, _root(config), files.src_uris, texts, notebooks_on_github=there
        )


@event_priority(100)  # before the search plugin of the theme, which is there for its dialog only
def on_page_context(context: dict[str, Any], page: Page, config: MkDocsConfig, nav: Navigation) -> dict[str, Any]:
    page.previous_page = _beside(page, page.previous_page)
    page.next_page = _beside(page, page.next_page)
    if isinstance(page.file, PublishedFile):
        context["markdown_copy"] = posixpath.basename(machine_files.copy_place(page.file.published))
    page.meta["search"] = {"exclude": True}
    context["alternates"] = translated.alternates(page.url, _language(config), page.canonical_url)
    if "moved_to" in page.meta and page.canonical_url:
        page.canonical_url = urljoin(page.canonical_url, page.meta["moved_to"])
    return context


def on_template_context(context: dict[str, Any], template_name: str, config: MkDocsConfig) -> dict[str, Any]:
    context["pages"] = [file for file in context["pages"] if "moved_to" not in file.page.meta]  # for sitemap.xml
    return context


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    with _one_line():
        policy.check_content(html, page.file.src_uri)
    if isinstance(page.file, PublishedFile):
        page.file.document = search.document(page.url, str(page.title), html, page.meta)
    return html


def on_env(env: Environment, config: MkDocsConfig, files: Files) -> Environment:
    documents = [file.document for file in files if isinstance(file, PublishedFile) and file.document]
    with _one_line():
        search.write_index(documents, Path(config.site_dir))
    return env


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    return _finished(output, page.file.src_uri, config)


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    return _finished(output_content, template_name, config) if template_name.endswith(".html") else output_content


def on_post_build(config: MkDocsConfig) -> None:
    if _chinese:
        with _one_line():
            _chinese.finish()


def on_build_error(error: Exception) -> None:
    global _chinese
    if _chinese:
        _chinese.cancel()
        _chinese = None


def on_serve(server: LiveReloadServer, config: MkDocsConfig, builder: Callable[..., Any]) -> LiveReloadServer:
    for path in building.watched(_root(config)):
        server.watch(str(path))
    if _language(config) == ENGLISH:
        server.builder = building.rebuilder(config, builder)
    return server


def _finished(html: str, source: str, config: MkDocsConfig) -> str:
    with _one_line():
        word = _texts(config).word
        html = with_breaks_in_tables(accessibility.with_names(html, word("Search"), word("Navigation")))
        return html if policy.SERVED in os.environ else policy.with_policy(html, source)


def _beside(page: Page, other: Page | None) -> Page | None:
    """`other`, the previous or next page, if the footer of `page` is to link to it; else None."""
    if other is None or not isinstance(page.file, PublishedFile) or not isinstance(other.file, PublishedFile):
        return other
    return other if navigation.follows(page.file.published, other.file.published) else None


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).parent


def _language(config: MkDocsConfig) -> str:
    return str(config.theme["language"])


def _texts(config: MkDocsConfig) -> Texts:
    return load_texts(_language(config))


@contextmanager
def _one_line() -> Iterator[None]:
    """Bad input ends the build with its message, not with a traceback."""
    try:
        yield
    except UserError as error:
        raise PluginError(str(error)) from None
