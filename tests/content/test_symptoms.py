"""The pages of symptoms list their causes, and the search finds these pages."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests import data
from tests.guide import CATALOG
from tests.site.browsing import Ask, pages_of
from torch_errors.catalog.entries import Catalog, Symptom
from torch_errors.catalog.fields import SilentEntry
from torch_errors.catalog.locate import DETECTOR_FILE
from torch_errors.markdown.parsing import parse_page
from torch_errors.running.recordings import Recording
from website import symptoms

LANGUAGES = [("", CATALOG), ("zh/", CATALOG.in_language("zh"))]
SHOWN = [(path, catalog, symptom) for path, catalog in LANGUAGES for symptom in symptoms.shown(catalog)]
DESCRIBED = [("zh/" if name == "zh" else "", *row) for name, rows in data("symptoms.yaml").items() for row in rows]
FIRST, AMONG_THREE = 0.75, 0.8  # required shares of the descriptions


@pytest.mark.parametrize(
    ("path", "catalog", "symptom"), SHOWN, ids=[f"{path}{symptom.id}" for path, _, symptom in SHOWN]
)
def test_page_leads_to_every_cause(path: str, catalog: Catalog, symptom: Symptom, site: Path) -> None:
    """The causes are in order, each with the fix, the confirmation and its verdict after broken.py."""
    page = site / path / symptoms.FOLDER / symptom.id / "index.html"
    causes = [entry for entry, _ in catalog.causes(symptom)]
    items = LexborHTMLParser(page.read_text(encoding="utf-8")).css("article > ol > li")
    assert len(items) == len(causes) > 0
    for entry, item in zip(causes, items, strict=True):
        links = [link.attributes["href"] or "" for link in item.css("a")]
        assert links[0] == f"../../{entry.category}/{entry.id}/"
        unseen = entry.texts.word("not seen by a watched run")
        assert (unseen in item.text()) != (entry.folder / DETECTOR_FILE).is_file()
        if parse_page(entry.page).confirmation:
            address, _, anchor = links[1].partition("#")
            target = (page.parent / address / "index.html").read_text(encoding="utf-8")
            assert LexborHTMLParser(target).css_first(f'[id="{anchor}"]')
            assert any(code.text().startswith("yes") for code in item.css("code"))
        assert (entry.fields.fix or "").replace("`", "") in item.text()


@pytest.mark.parametrize(("path", "base"), [("", "symptoms/"), ("symptoms/", "")])
def test_every_symptom_can_be_reached(path: str, base: str, site: Path) -> None:
    for language, catalog in LANGUAGES:
        text = (site / language / path / "index.html").read_text(encoding="utf-8")
        links = {link.attributes["href"] for link in LexborHTMLParser(text).css("article a")}
        assert {f"{base}{symptom.id}/" for symptom in symptoms.shown(catalog)} <= links


@pytest.mark.parametrize(("path", "catalog"), LANGUAGES, ids=["en", "zh"])
def test_curves_lead_to_their_symptom_and_from_there_to_the_entry(path: str, catalog: Catalog, site: Path) -> None:
    """Each is drawn from all that broken.py printed and is read aloud with its ends."""
    folder = site / path / symptoms.FOLDER
    tiles = LexborHTMLParser((folder / "index.html").read_text(encoding="utf-8")).css(".curve-grid a")
    expected = [(symptom, drawn) for symptom in catalog.symptoms for drawn in symptom.curves]
    assert len(expected) >= 10
    for (symptom, drawn), tile in zip(expected, tiles, strict=True):
        assert tile.attributes["href"] == f"../{symptoms.FOLDER}/{symptom.id}/"
        entry = catalog.entry(drawn.entry)
        assert isinstance(entry.fields, SilentEntry) and entry.fields.curve
        x, names = entry.fields.curve.x, drawn.y or entry.fields.curve.y
        series = [Recording.load(entry.recording("broken")).series(name, x) for name in names]
        for style, points in enumerate(series):
            finite = sum(math.isfinite(y) for _, y in points)
            lines = [line.attributes["points"] or "" for line in tile.css(f".broken.style-{style} polyline")]
            assert len(" ".join(lines).split()) == (2 * finite - 1 if drawn.stairs else finite)
        labels = [text.text() for text in tile.css("text")]
        assert ("NaN" in labels) == any(math.isnan(y) for points in series for _, y in points)
        described = tile.css("svg")[0].attributes["aria-label"] or ""
        for name, points in zip(names, series, strict=True):
            assert re.search(
                rf"broken\.py, {name}\W.*(?<![\d.]){re.escape(f'{points[0][1]:g}')}(?![\d.]*\d)", described
            )
        page = (folder / symptom.id / "index.html").read_text(encoding="utf-8")
        leads = [link.attributes["href"] for link in LexborHTMLParser(page).css(".curve-grid a")]
        assert f"../../{entry.category}/{entry.id}/" in leads


def test_descriptions_find_their_symptom(ask: Ask) -> None:
    """Most do. For the others, the search ranks a cause in the description or a different symptom first."""
    found = {query: (pages_of(ask(path, query)), f"symptoms/{id}/") for path, query, id in DESCRIBED}
    first = [query for query, (pages, page) in found.items() if pages[:1] != [page]]
    three = [query for query, (pages, page) in found.items() if page not in pages[:3]]
    assert len(first) <= (1 - FIRST) * len(found), first
    assert len(three) <= (1 - AMONG_THREE) * len(found), three


@pytest.mark.parametrize(
    ("path", "query", "page"),
    [
        ("", "gpu not detected", "symptoms/gpu-not-used/"),
        ("", "gpu not used", "symptoms/gpu-not-used/"),
        ("", "val acc stuck", "symptoms/validation-worse-than-training/"),
        ("", "training hangs", "symptoms/training-hangs/"),
        ("", "onnx different output", "symptoms/differs-on-another-backend/"),
        ("", "OOM", "memory-issues/cuda-out-of-memory/"),
        ("", "cuda out of memory", "memory-issues/cuda-out-of-memory/"),
        ("", "loss is nan", "symptoms/loss-becomes-nan/"),
        ("zh/", "显存不足", "memory-issues/cuda-out-of-memory/"),
        ("zh/", "OOM", "memory-issues/cuda-out-of-memory/"),
        ("zh/", "训练卡住", "symptoms/training-hangs/"),
        ("zh/", "没有使用GPU", "symptoms/gpu-not-used/"),
        ("zh/", "loss 不下降", "symptoms/loss-does-not-fall/"),
        ("zh/", "onnx 结果不一致", "symptoms/differs-on-another-backend/"),
    ],
)
def test_common_queries_find_their_page_first(path: str, query: str, page: str, ask: Ask) -> None:
    assert pages_of(ask(path, query))[:1] == [page]


@pytest.mark.parametrize(
    ("path", "query", "id"),
    [
        ("", "loss does not decrease", "loss-does-not-fall"),
        ("", "accuracy stuck", "loss-stuck-at-chance"),
        ("", "nan", "loss-becomes-nan"),
        ("", "oom after a few epochs", "memory-grows"),
        ("zh/", "损失不下降", "loss-does-not-fall"),
        ("zh/", "准确率一直不变", "loss-stuck-at-chance"),
    ],
)
def test_common_words_find_the_symptom_first(path: str, query: str, id: str, ask: Ask) -> None:
    assert pages_of(ask(path, query))[0] == f"symptoms/{id}/"
