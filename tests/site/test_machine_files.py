"""The files of the site for programs and language models, as they are in the built site."""

from __future__ import annotations

import json
import re
from functools import cache
from os.path import normpath
from pathlib import Path
from urllib.parse import unquote

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from tests.guide import CATALOG
from tests.site.browsing import ROOT
from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.fields import SilentEntry
from torch_errors.markdown.parsing import heading_anchors, parse_page
from torch_errors.markdown.snippets import read_snippet
from torch_errors.running.recordings import Recording
from website import machine_files, publishing
from website.moved import FORMER_PAGES

CHINESE = CATALOG.in_language("zh")
LANGUAGES = pytest.mark.parametrize(("folder", "catalog"), [("", CATALOG), ("zh/", CHINESE)], ids=["en", "zh"])
MATMUL = CATALOG.entry("matmul-shape-mismatch")
_MARKDOWN = MarkdownIt("commonmark").enable("table")


@cache
def tokens(path: Path) -> list[tuple[str, str, str, str]]:
    """The tokens of a Markdown file: type, content, info string, and target of a link."""

    def flat(found: list[Token]) -> list[Token]:
        return [inner for token in found for inner in [token, *flat(token.children or [])]]

    parsed = flat(_MARKDOWN.parse(path.read_text(encoding="utf-8")))
    return [(token.type, token.content, token.info, unquote(str(token.attrs.get("href", "")))) for token in parsed]


def links(path: Path) -> list[str]:
    return [link for kind, _, _, link in tokens(path) if kind == "link_open"]


@cache
def anchors(path: Path) -> list[str]:
    return heading_anchors(parse_page(path))


def dead_links(path: Path, site: Path) -> list[str]:
    """Links of a Markdown file whose target, a file of the site or a heading, does not exist."""
    dead = []
    for link in links(path):
        name, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = Path(normpath(path.parent / name)) if name else path
        if not target.is_relative_to(site) or not target.is_file() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    return dead


def copies(site: Path, folder: str) -> list[Path]:
    """The Markdown copies of the pages in one language."""
    return [path for path in site.rglob("*.md") if (path.relative_to(site).parts[0] == "zh") == bool(folder)]


# The same code makes the copies of both languages.
MOSTLY_ENGLISH = pytest.mark.parametrize(
    "folder", [pytest.param("", id="en"), pytest.param("zh/", id="zh", marks=pytest.mark.exhaustive)]
)


# --- catalog.json ---


@LANGUAGES
def test_catalog_json_is_the_catalog(folder: str, catalog: Catalog, site: Path) -> None:
    data = json.loads((site / folder / "catalog.json").read_text(encoding="utf-8"))
    assert data["format_version"] == machine_files.FORMAT_VERSION
    assert data["language"] == (folder.strip("/") or "en")
    listed = [(row["id"], row["title"], row["summary"]) for row in data["categories"]]
    assert listed == [(category.id, category.title, category.summary) for category in catalog.categories]
    assert [row["id"] for row in data["entries"]] == [entry.id for entry in catalog]
    badge = f'<a class="badge" href="index.md">{catalog.categories[0].texts.word("as Markdown")}</a>'
    for row, entry in zip(data["entries"], catalog, strict=True):
        assert badge in (site / folder / row["page"] / "index.html").read_text(encoding="utf-8")
        fields = entry.fields
        values = [row[name] for name in ("category", "kind", "requires", "title", "summary", "fix", "keywords")]
        assert values == [
            entry.category, entry.kind, entry.requires, entry.title, entry.summary, fields.fix, fields.keywords
        ]  # fmt: skip
        assert row["formerly"] == entry.former_addresses
        assert row["exception"] == getattr(fields, "exception", None)
        assert row["warning"] == getattr(fields, "warning", None)
        assert row["patterns"] == [pattern.match for pattern in getattr(fields, "patterns", [])]
        assert (row["measure"] is None) != isinstance(fields, SilentEntry)
        if entry.recording("broken").exists():
            recording = Recording.load(entry.recording("broken"))
            assert row["message"] == recording.message(entry.promise("broken"))
            assert row["message"] in recording.body
            assert recording.torch.startswith(row["verified_with_torch"])
        else:
            assert row["message"] is row["verified_with_torch"] is None
        assert row["scripts"].keys() == set(entry.variants)
        for variant in entry.variants:
            script = site / folder / row["scripts"][variant]
            assert script.read_bytes() == entry.script(variant).read_bytes()
            if entry.recording(variant).exists():  # beside the script, unlike in the repository
                assert script.with_suffix(".out").read_bytes() == entry.recording(variant).read_bytes()
    for row in data["entries"] + data["categories"]:
        assert (site / folder / row["page"] / "index.html").is_file()
        assert (site / folder / row["markdown"]).read_text(encoding="utf-8").startswith(f"# {row['title']}\n")


def test_addresses_are_absolute_if_the_site_has_an_address() -> None:
    base = "https://example.org/guide/"
    data = json.loads(machine_files.catalog_json(CATALOG, base))
    row = next(row for row in data["entries"] if row["id"] == MATMUL.id)
    below = f"{base}{MATMUL.category}/{MATMUL.id}/"
    assert (row["page"], row["markdown"]) == (below, f"{below}index.md")
    assert row["scripts"] == {"broken": f"{below}broken.py", "fixed": f"{below}fixed.py"}
    text = machine_files.llms_txt(CATALOG, publishing.published(CATALOG), "Guide", "About.", base)
    assert all(link.startswith(base) for link in re.findall(r"\]\((.+?)\)", text))


# --- llms.txt ---


@LANGUAGES
def test_llms_txt_has_the_form_and_its_links_lead_to_markdown(folder: str, catalog: Catalog, site: Path) -> None:
    """One heading, a quote, text, then sections that are lists `- [name](address): notes`."""
    path = site / folder / "llms.txt"
    text = path.read_text(encoding="utf-8")
    head, *sections = re.split(r"(?m)^## .+\n", text)
    assert re.match(r"# .+\n\n> .+\n\n(?!#|>)", head) and head.count("\n#") == 0
    for section in sections:
        lines = section.strip().split("\n")
        assert lines and all(re.fullmatch(r"- \[.+\]\(\S*index\.md\): \S.*", line) for line in lines), lines
    titles = re.findall(r"(?m)^## (.+)$", text)
    assert len(sections) == len(titles) == len(set(titles))
    assert [title for title in titles if title in {c.title for c in catalog.categories}] == [
        category.title for category in catalog.categories
    ]
    assert dead_links(path, site) == []


def test_llms_txt_lists_every_page_once(site: Path) -> None:
    found = [link for link in links(site / "llms.txt") if link.endswith(".md")]
    assert len(found) == len(set(found))
    for entry in CATALOG:
        assert f"{entry.category}/{entry.id}/index.md" in found
    for below in ("troubleshooting-workflows", "debug-templates/prompts", "debug-templates/snippets"):
        there = {path.parent.relative_to(site).as_posix() for path in (site / below).glob("*/index.md")}
        assert len(there) > 5
        assert there - FORMER_PAGES.keys() <= {link.removesuffix("/index.md") for link in found}


# --- the copies ---


def test_every_page_has_a_copy_and_links_to_it(site: Path) -> None:
    """The links are relative, so that they work at any address."""
    found = list(site.rglob("index.html"))
    assert len(found) > 2 * len(CATALOG)
    for page in found:
        html = page.read_text(encoding="utf-8")
        (name,) = re.findall(r'<link rel=" ?alternate" type="text/markdown" href="([^"]+)">', html)
        copy = page.parent / name
        assert copy.is_file(), page
        assert copy.read_text(encoding="utf-8").startswith("# "), copy


@MOSTLY_ENGLISH
def test_copies_are_plain_markdown(folder: str, site: Path) -> None:
    """They contain no HTML, no attributes and no syntax that only Python-Markdown has."""
    for path in copies(site, folder):
        text = path.read_text(encoding="utf-8")
        assert not text.startswith("---"), path
        for kind, content, info, _ in tokens(path):
            assert kind not in ("html_block", "html_inline"), f"{path}: {content}"
            if kind == "fence":
                assert re.fullmatch(r"\w*", info), f"{path}: {info}"
            elif kind == "text":
                assert "{:" not in content and not content.startswith(("???", "!!!", "===")), path
                assert "```" not in content and "&#" not in content, path


@MOSTLY_ENGLISH
def test_links_of_copies_lead_to_copies(folder: str, site: Path) -> None:
    dead = {path.relative_to(site).as_posix(): dead_links(path, site) for path in copies(site, folder)}
    assert {path: found for path, found in dead.items() if found} == {}
    found = [link for path in copies(site, folder) for link in links(path)]
    assert len(found) > 1000
    assert not [link for link in found if "README" in link.partition("#")[0] and "://" not in link]


@LANGUAGES
def test_copy_of_an_entry_holds_its_scripts_and_outputs(folder: str, catalog: Catalog, site: Path) -> None:
    for entry in catalog:
        path = site / folder / entry.category / entry.id / "index.md"
        blocks = {content for kind, content, _, _ in tokens(path) if kind == "fence"}
        for variant in entry.variants:
            assert entry.script(variant).read_text(encoding="utf-8").rstrip() + "\n" in blocks, entry.id
            if entry.recording(variant).exists():
                body = Recording.load(entry.recording(variant)).body
                assert f"$ python {variant}.py\n{body}".rstrip() + "\n" in blocks, entry.id
        assert entry.diff().rstrip() + "\n" in blocks


def test_copy_says_where_its_blocks_come_from(site: Path) -> None:
    def text(path: str) -> str:
        return (site / path / "index.md").read_text(encoding="utf-8")

    entry = f"{MATMUL.category}/{MATMUL.id}"
    message = Recording.load(MATMUL.recording("broken")).message(MATMUL.promise("broken"))
    version = Recording.load(MATMUL.recording("broken")).torch.partition("+")[0]
    assert f"*recorded with torch {version}*\n\n```text\n{message}\n```" in text(entry)
    assert f"*torch {version} 实测*\n\n```text\n{message}\n```" in text(f"zh/{entry}")
    assert f"exception · [{MATMUL.category_title}](../index.md) · verified with torch 2." in text(entry)
    assert "异常 · [维度不匹配](../index.md)" in text(f"zh/{entry}") and "## 脚本" in text(f"zh/{entry}")


def test_copies_of_other_pages_hold_what_the_pages_show(site: Path) -> None:
    snippet = read_snippet(ROOT / "debug-templates/snippets/shape_tracer.py")
    text = (site / "debug-templates/snippets/shape_tracer/index.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {snippet.title}\n\n{snippet.statement}\n")
    assert f"```python\n{snippet.source.rstrip()}\n```" in text

    path = "troubleshooting-workflows/loss-is-nan"
    source = parse_page(ROOT / f"{path}.md")
    copied = parse_page(site / path / "index.md")
    assert copied.headings == source.headings
    steps = re.findall(r"(?m)^\d+\. \*\*", source.section("Decision path"))
    assert len(re.findall(r"(?m)^\d+\. \*\*", copied.section("Decision path"))) == len(steps) > 1

    home = (site / "index.md").read_text(encoding="utf-8")
    assert "## [All errors](errors/index.md)" in home and "paste-box" not in home and "中文" not in home
    assert sum(kind == "tr_open" for kind, *_ in tokens(site / "errors/index.md")) == len(CATALOG) + 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('Text:\n```text seen="torch 2.4.1"\nx\n```', "Text:\n\n*seen with torch 2.4.1*\n\n```text\nx\n```"),
        ("- item\n\n    ```text printed\n    x\n    ```", "- item\n\n    *prints*\n\n    ```text\n    x\n    ```"),
        ("````text prompt\n```\n[a](b.md)\n````", "````text\n```\n[a](b.md)\n````"),
        ("[a](b.md#there) [c](c.py) [d](d.md)", "[a](../b/index.md#there) [c](../c.py) [d](d.md)"),
        ("[out](https://example.org/b.md) [here](#b.md)", "[out](https://example.org/b.md) [here](#b.md)"),
    ],
)
def test_fences_and_links_become_plain(text: str, expected: str, tmp_path: Path) -> None:
    places = {"b.md": "b/index.md", "c.py": "c.py"}
    item = publishing.Published("a.md", "a/index.html")
    assert machine_files.as_copy(f"# A\n\n{text}\n", item, tmp_path, places) == f"# A\n\n{expected}\n"
