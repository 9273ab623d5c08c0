"""The translations of the guide have no faults, and every kind of fault is found, with its file and line."""

from __future__ import annotations

import ast
import hashlib
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import data
from tests.conftest import ROOT
from tests.guide import CATALOG
from tests.samples import edit
from torch_errors.catalog import texts
from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.texts import load_texts
from torch_errors.cli import main
from torch_errors.errors import UserError
from torch_errors.explaining.answer import _columns, _wide_lines
from torch_errors.explaining.explain import explain
from torch_errors.explaining.guess import nearest
from torch_errors.explaining.note import note_for
from torch_errors.languages import from_locale
from torch_errors.markdown.parsing import parse_page, same_heading
from torch_errors.verifying import translations as verifying_translations
from torch_errors.verifying.heads import check_heads, with_head, write_heads
from torch_errors.verifying.translations import CURRENT, MISSING, STALE, check_texts, outdated, stamp, translations

# --- the translations of the guide ---


class OutdatedTranslationWarning(UserWarning):
    """A warning, not a failure: people who correct an English page need not know Chinese. Only a release fails."""


def warn_of_outdated(catalog: Catalog) -> None:
    for message in outdated(catalog):
        warnings.warn(message, OutdatedTranslationWarning, stacklevel=2)


def test_translations_have_the_structure_of_the_english_pages():
    pages = [page for page in translations(CATALOG) if page.state != MISSING]
    assert len(pages) > len(CATALOG)
    assert [(page.name, page.findings) for page in pages if page.findings] == []
    assert not check_texts(CATALOG).findings
    warn_of_outdated(CATALOG)


def _strings(tree: ast.AST) -> set[str]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_interface_texts_are_those_that_the_program_uses():
    """Every text passed to `word` is translated, and every translated text occurs in the code."""
    occurring, passed = set(), set()
    for folder in ("torch_errors", "website"):
        for path in (ROOT / folder).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            occurring |= _strings(tree)
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                    if name == "word":
                        passed.add(node.args[0].value)
    folders = {path.name.replace("-", " ").capitalize() for path in (ROOT / "debug-templates").iterdir()} | {"Snippets"}
    interface = load_texts("zh").interface
    assert passed - interface.keys() == set()
    assert interface.keys() - occurring - folders == set()


# --- a small guide to break ---

GUIDE = data("translated_guide.yaml")
PAGE = "common-errors/shapes/two-shapes/README.zh.md"
ENGLISH_PAGE = PAGE.replace(".zh", "")
OF_ENTRY = "common-errors/shapes/two-shapes/entry.yaml"
ENGLISH, CHINESE = GUIDE[ENGLISH_PAGE], GUIDE[PAGE]
PROMPT = "\n````text prompt\n请看 <<traceback: 报错>> 和 <<code: 你的代码>>。\n````\n"


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    mark = hashlib.sha256(ENGLISH.encode()).hexdigest()[:12]
    for name, text in (GUIDE | {PAGE: f"---\ntranslation_of: {mark}\n---\n\n{CHINESE}"}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def catalog(guide: Path) -> Catalog:
    return load_catalog(guide)


def findings(guide: Path) -> list[str]:
    return [f"{found.where}: {found.problem}" for page in translations(catalog(guide)) for found in page.findings]


def test_small_guide_has_no_faults(guide):
    assert {page.source.name: page.state for page in translations(catalog(guide))} == {
        "README.md": MISSING,
        "other.md": MISSING,
        ENGLISH_PAGE: CURRENT,
    }
    assert findings(guide) == []
    checked = check_texts(catalog(guide))
    assert checked.findings == [] and checked.missing == []


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("## 第二", "### 第二", 22, "heading 2 of the English page is `## Second`"),
        ("## 第二\n", "", None, "heading 2 of the English page is `## Second`"),
        ("## 第二", "## 第二\n\n## 第三", 24, "heading 3 of the English page is no heading"),
        ("print(x)", "print(y)", 9, "in more than comments"),
        ("```text printed\n1", "```text printed\n2", 14, "in more than comments"),
        ("python x.py ", "python y.py ", 18, "in more than comments"),
        ("```text printed", "```text", 14, 'has a fence `text printed` here, not `text`'),
        ("```mermaid\ngraph LR\n```\n", "", 25, "has a fence `mermaid` here, not `text prompt`"),
        (PROMPT, "", 26, "has 4 fences, the English page 5"),
        ("<<code:", "<<codes:", 28, "the blanks of the prompt differ from the English page's: code, codes"),
        ("(../../../README.md)", "(../../README.md)", 7, "links to ../../README.md, unlike the English page"),
        ("[链接](../../../README.md)、", "", 1, "lacks a link to ../../../README.md"),
        ("(#第二)", "(#second)", 7, "links to #second, unlike the English page"),
        ("(../../../other.md#the-heading)", "(../../../other.md)", 7, "links to ../../../other.md, unlike"),
        ("陈述，", "陈述，\n", 7, "the line ends within a paragraph"),
    ],
)  # fmt: skip
def test_difference_from_the_english_page_is_found(old, new, line, says, guide):
    edit(guide / PAGE, old, new)
    found = findings(guide)
    assert any(says in problem for problem in found), found
    if line:
        assert any(problem.startswith(f"{PAGE}:{line}:") for problem in found), found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# 原因", "# 另一个说法"),
        ("graph LR", "graph TB"),
        ("请看", "看看"),
        ("https://pytorch.org", "https://pytorch.org/zh"),
        ("# 标题\n", "# 标题\n\n[English](README.md)\n"),
    ],
)
def test_free_changes_of_a_translation_are_accepted(old, new, guide):
    edit(guide / PAGE, old, new)
    assert findings(guide) == []


def test_changed_english_page_makes_the_translation_stale(guide):
    edit(guide / ENGLISH_PAGE, "Statement", "A new statement")
    (page,) = [page for page in translations(catalog(guide)) if page.state == STALE]
    assert page.name == PAGE
    assert main_in(guide, "translations") == 1


@pytest.mark.parametrize("front", ["", "---\nauthor: none\n---\n\n", "---\ntranslation_of: soon\n---\n\n"])
def test_front_matter_without_the_hash_is_found(front, guide):
    path = guide / PAGE
    path.write_text(front + CHINESE, encoding="utf-8")
    (found,) = findings(guide)
    assert found.startswith(f"{PAGE}:1: ") and "translation_of" in found and "--stamp" in found


def test_translation_of_a_missing_page_is_found(guide):
    (guide / "gone.zh.md").write_text("# 没有\n", encoding="utf-8")
    assert findings(guide) == ["gone.zh.md:1: translates a page that does not exist"]


def test_stamp_writes_the_hash_and_copies_blocks_that_a_program_fills_in(guide):
    path = guide / PAGE
    path.write_text(CHINESE.replace("```text printed\n1\n", "```text printed\n"), encoding="utf-8")
    assert stamp(catalog(guide), [ENGLISH_PAGE]) == [path]
    assert findings(guide) == []
    assert path.read_text(encoding="utf-8").endswith(CHINESE)
    assert stamp(catalog(guide), [PAGE]) == []


def test_stamp_refuses_other_files(guide):
    with pytest.raises(UserError, match="no page of the guide"):
        stamp(catalog(guide), ["nothing.md"])
    with pytest.raises(UserError, match="translate the page first"):
        stamp(catalog(guide), ["other.md"])


def test_page_of_a_snippet_is_its_docstring(guide):
    folder = guide / "debug-templates/snippets"
    folder.mkdir(parents=True)
    code = '"""Say one.\n\nMore.\n\nExample:\n\n    >>> 1\n    1\n"""\n\nx = 1\n'
    (folder / "say_one.py").write_text(code, encoding="utf-8")
    page = folder / "say_one.zh.md"
    page.write_text("# 说一\n\n说一。\n\n更多。\n\n示例：\n\n```pycon\n```\n", encoding="utf-8")
    stamp(catalog(guide), ["debug-templates/snippets/say_one.py"])
    assert ">>> 1\n1\n```" in page.read_text(encoding="utf-8")
    assert findings(guide) == []
    edit(folder / "say_one.py", "x = 1", "x = 2")
    assert not [found for found in translations(catalog(guide)) if found.state == STALE], "only the docstring counts"
    edit(folder / "say_one.py", "More.", "Even more.")
    assert [found.name for found in translations(catalog(guide)) if found.state == STALE] == [
        "debug-templates/snippets/say_one.zh.md"
    ]


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "says"),
    [
        (OF_ENTRY, "{a - b} 行", "{b - a} 行", 6, "in braces differ from the English text's: {a - b}, {b - a}"),
        (OF_ENTRY, "{a - b} 行", " 行", 6, "in braces differ from the English text's: {a - b}"),
        (OF_ENTRY, "{a - b} 行", "{a - b 行", 6, "brace"),
        (OF_ENTRY, "使它们相等", "使它们 相等", 1, "a space, perhaps a line break, between Chinese characters: 们 相"),
        ("catalog.yaml", "两个形状", "'{a}个形状'", 7, "in braces differ from the English text's: {a}"),
        ("catalog.yaml", "它们不一致", "它们\n        不一致", 4, "a line break, between Chinese characters: 们 不"),
    ],
)
def test_faulty_translation_is_found(file, old, new, line, says, guide):
    edit(guide / file, old, new)
    found = [f"{item.where}: {item.problem}" for item in check_texts(catalog(guide)).findings]
    assert any(says in problem for problem in found), found
    assert any(problem.startswith(f"{file}:{line}:") for problem in found), found
    assert main_in(guide, "translations") == 1


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("（条目 {id}：`torch-errors show {id}`）", "条目", "interface.zh.yaml:2: the names in braces differ"),
        ("（条目 {id}：`torch-errors show {id}`）", "", "interface.zh.yaml:2: the names in braces differ"),
    ],
)
def test_faulty_interface_text_is_found(old, new, says, guide, interface):
    edit(interface, old, new)
    assert any(f"{item.where}: {item.problem}".startswith(says) for item in check_texts(catalog(guide)).findings)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"(Entry', "- (Entry", ":2:.*not valid YAML"),
        ('"（条目 {id}：`torch-errors show {id}`）"', "[3]", r":2: field \(Entry.*string"),
        ("# Texts", '"one": "一"\n"one": "二" #', ":2:.*given twice"),
    ],
)
def test_invalid_interface_texts_are_refused(old, new, says, interface):
    edit(interface, old, new)
    with pytest.raises(UserError, match=rf"{re.escape(str(interface))}{says}"):
        load_texts("zh")


@pytest.fixture
def interface(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file of Chinese interface texts with a single text."""
    path = tmp_path / "interface.zh.yaml"
    path.write_text(
        '# Texts\n"(Entry {id}: `torch-errors show {id}`)": "（条目 {id}：`torch-errors show {id}`）"\n',
        encoding="utf-8",
    )
    for module in (texts, verifying_translations):
        monkeypatch.setattr(module, "INTERFACE_FILE", path)
    load_texts.cache_clear()
    yield path
    load_texts.cache_clear()


# --- outdated translations, which fail only a release ---


def test_stale_page_and_missing_texts_are_warnings(guide):
    assert outdated(catalog(guide)) == []
    edit(guide / ENGLISH_PAGE, "Statement", "A new statement")
    edit(guide / OF_ENTRY, "fix: {en: Make them equal., zh: 使它们相等。}", "fix: Make them equal.")
    edit(guide / OF_ENTRY, "keywords: {zh: [形状不符]}", "keywords: [shapes]")
    assert findings(guide) == check_texts(catalog(guide)).findings == []
    with pytest.warns(OutdatedTranslationWarning) as warned:
        warn_of_outdated(catalog(guide))
    messages = [str(warning.message) for warning in warned]
    assert len(messages) == 3
    assert messages[0].startswith(f"{PAGE}: ") and messages[0].endswith(f"translations --stamp {PAGE}")
    assert messages[1:] == [
        "two-shapes: has no Chinese beside: Make them equal.",
        "two-shapes: has no Chinese beside: keywords",
    ]


def main_in(guide: Path, *arguments: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(guide)
        return main(arguments)


def test_missing_translations_are_listed_and_fail_nothing(guide, capsys):
    assert main_in(guide, "translations") == 0
    out = capsys.readouterr().out
    assert "missing  README.md\n" in out
    assert out.endswith("3 pages: 1 current, 0 stale, 2 missing; 0 texts missing; 0 findings\n")


def test_translations_as_json(guide, capsys):
    edit(guide / PAGE, "print(x)", "print(y)")
    assert main_in(guide, "translations", "--json") == 1
    printed = json.loads(capsys.readouterr().out)
    assert not printed["held"] and printed["texts"] == {"missing": [], "findings": []}
    (row,) = [row for row in printed["pages"] if row["findings"]]
    assert (row["translation"], row["findings"][0]["where"]) == (PAGE, f"{PAGE}:9")


# --- the language of the commands ---


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_TW", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
    ],
)
def test_language_of_the_locale(variables, language):
    assert from_locale(variables) == language


MESSAGE = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x2304 and 3136x10)"


@pytest.fixture
def pasted(tmp_path: Path) -> str:
    (tmp_path / "error.txt").write_text(MESSAGE, encoding="utf-8")
    return str(tmp_path / "error.txt")


@pytest.mark.parametrize(("locale", "option"), [("C", ["--lang", "zh"]), ("zh_CN.UTF-8", [])])
def test_explain_in_chinese(locale, option, pasted, capsys, monkeypatch):
    monkeypatch.setenv("LC_ALL", locale)
    assert main(["explain", pasted, *option]) == 0
    out = capsys.readouterr().out
    assert out.startswith("mat1 and mat2 shapes cannot be multiplied：矩阵形状不匹配  (matmul-shape-mismatch)\n")
    assert "最小改动：如果是层定义错了，改成 in_features=2304" in out
    assert "mat1 and mat2 shapes cannot be multiplied (32x2304 and 3136x10)" in out
    assert "what happened" not in out and "read on" not in out


def test_explain_in_english_where_it_is_asked_for(pasted, capsys, monkeypatch):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert main(["explain", pasted, "--lang", "en"]) == 0
    assert not re.search(r"[\u4e00-\u9fff]", capsys.readouterr().out)


def test_missing_text_stays_english(guide):
    edit(guide / "catalog.yaml", "{en: They are not equal., zh: 它们不相等。}", "They are not equal.")
    entry = catalog(guide).in_language("zh").entry("two-shapes")
    assert (entry.title, entry.summary) == ("两个形状", "They are not equal.")
    (match,) = explain("RuntimeError: sizes 5 and 3 do not fit", guide, "zh")
    assert (match.says, match.fix) == ("第一个有 5 行，比另一个多 2 行。", "使它们相等。")


def test_nearest_entries_are_the_same_in_both_languages():
    text = "RuntimeError: The expanded size of the tensor (64) must match the existing size (73)"
    english, chinese = nearest(text, ROOT).entries, nearest(text, ROOT, "zh").entries
    assert [near.entry.id for near in english] == [near.entry.id for near in chinese] != []
    assert chinese[0].entry.title != english[0].entry.title


def test_texts_of_entries_are_chinese():
    for entry in CATALOG.in_language("zh"):
        for text in (entry.summary, entry.fields.fix or entry.summary, *entry.fields.keywords[:1]):
            assert re.search(r"[\u4e00-\u9fff]", text) or text not in CATALOG.entry(entry.id).title.translations, text


def test_note_follows_the_locale(monkeypatch):
    error = RuntimeError(MESSAGE.removeprefix("RuntimeError: "))
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    assert (note_for(error) or "").startswith(
        "torch-errors: mat1 and mat2 shapes cannot be multiplied：矩阵形状不匹配。输入最后一维有 2304 个特征"
    )


def test_show_and_list_in_chinese(capsys):
    assert main(["show", "nan-loss", "--lang", "zh"]) == 0
    out = capsys.readouterr().out
    assert "loss 变成 NaN" in out and "translation_of" not in out and "English" not in out
    assert main(["list", "--category", "memory-issues", "--lang", "zh"]) == 0
    assert "显存不足" in capsys.readouterr().out


def test_show_of_a_page_without_translation_is_english(guide, capsys):
    (guide / PAGE).unlink()
    assert main_in(guide, "show", "two-shapes", "--lang", "zh") == 0
    assert "Statement with a" in capsys.readouterr().out


def test_same_heading_is_found_by_its_place():
    english = parse_page(Path("a.md"), "# A\n\n## B\n\n## C\n")
    chinese = parse_page(Path("a.zh.md"), "---\nx: y\n---\n\n# 甲\n\n## 乙\n\n## 丙\n")
    assert chinese.headings == [(1, "甲"), (2, "乙"), (2, "丙")] and chinese.heading_lines == [5, 7, 9]
    assert same_heading(english, chinese, "C") == "丙"
    assert same_heading(english, parse_page(Path("a.zh.md"), "# 甲\n"), "C") is None
    assert same_heading(english, chinese, "D") is None


@pytest.mark.parametrize("width", [20, 40, 100])
def test_wide_text_is_wrapped_by_columns(width):
    text = "发生了什么：输入的最后一维有 2304 个特征，而该层按 3136 个特征构建（见 nn.Linear）。" * 3
    lines = _wide_lines(text, width)
    assert all(_columns(line) <= width for line in lines)
    assert not any(re.match("[，。）]", line) for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_explain_imports_nothing_slow(pasted, python):
    code = (
        f"import sys; from torch_errors.cli import main; main(['explain', {pasted!r}, '--lang', 'zh']); "
        "print([name for name in ('torch', 'numpy', 'pydantic', 'markdown_it', 'rich') if name in sys.modules])"
    )
    assert python("-c", code).stdout.endswith("\n[]\n")


# --- title and statement, from catalog.yaml ---


def test_title_and_statement_are_filled_in_from_the_catalog(guide):
    """In both languages. A translation that was up to date stays so, and the rest of the pages is unchanged."""
    entry = catalog(guide).entry("two-shapes")
    found = [f"{item.where}: {item.problem}" for item in check_heads(entry)]
    assert [line.partition(" must be ")[0] for line in found] == [
        f"{page}: the {part}" for page in ("README.md", "README.zh.md") for part in ("title", "first paragraph")
    ]
    assert all("; `torch-errors record two-shapes` writes" in line for line in found)
    assert write_heads(catalog(guide), entry) == [guide / ENGLISH_PAGE, guide / PAGE]
    assert list(check_heads(entry)) == []
    english, chinese = ((guide / page).read_text(encoding="utf-8") for page in (ENGLISH_PAGE, PAGE))
    rest = [text.partition("\n\n```python")[2] for text in (ENGLISH, CHINESE)]
    assert english == f"# Two shapes\n\nThey are not equal.\n\n```python{rest[0]}"
    assert chinese.endswith(f"---\n\n# 两个形状\n\n它们不相等。\n\n```python{rest[1]}")
    assert [page.state for page in translations(catalog(guide)) if page.name == PAGE] == [CURRENT]
    assert write_heads(catalog(guide), entry) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Old\n\n[中文](README.zh.md)\n\nOld.\n\n## A\n", "# New\n\n[中文](README.zh.md)\n\nSaid.\n\n## A\n"),
        ("# New\n\nSaid.\n", "# New\n\nSaid.\n"),
        ("# New\n\nSaid\nof\nit.\n", "# New\n\nSaid.\n"),
        ("# Old\n\n## A\n", "# New\n\nSaid.\n\n## A\n"),
        ("no heading\n", "no heading\n"),
    ],
)
def test_head_of_a_page(text, expected):
    assert with_head(text, "New", "Said.") == expected


def test_untranslated_title_leaves_the_chinese_page_alone(guide):
    edit(guide / "catalog.yaml", "{en: Two shapes, zh: 两个形状}", "Two shapes")
    assert write_heads(catalog(guide), catalog(guide).entry("two-shapes")) == [guide / ENGLISH_PAGE, guide / PAGE]
    assert "# 标题" in (guide / PAGE).read_text(encoding="utf-8"), "only its stamp is new"
