"""Translations: the guide's own hold, and every way in which one can be wrong is found, with its file and line."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from pathlib import Path

import pytest

from tests import data
from tests.guide import CATALOG
from torch_errors.catalog.entries import Catalog
from torch_errors.catalog.loading import load_catalog
from torch_errors.catalog.locate import TEXTS_FILE
from torch_errors.catalog.texts import load_texts
from torch_errors.cli import main
from torch_errors.errors import UserError
from torch_errors.explaining.answer import _columns, _wide_lines
from torch_errors.explaining.explain import explain
from torch_errors.explaining.guess import guess
from torch_errors.explaining.note import note_for
from torch_errors.languages import from_locale
from torch_errors.markdown.parsing import parse_page, same_heading
from torch_errors.verifying.translations import CURRENT, MISSING, STALE, check_texts, entry_texts, stamp, translations

ROOT = Path(__file__).resolve().parents[1]


# --- the guide's own ---


def test_translations_are_up_to_date_and_built_as_the_english_pages():
    pages = [page for page in translations(CATALOG) if page.state != MISSING]
    assert len(pages) > len(CATALOG)
    stale = [page.name for page in pages if page.state != CURRENT]
    assert stale == [], "bring them up to date, then: torch-errors translations --stamp PAGE"
    assert [(page.name, page.findings) for page in pages if page.findings] == []


def test_texts_of_the_catalog_are_as_the_english_ones():
    assert not check_texts(CATALOG).findings


def _strings(tree: ast.AST) -> set[str]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def test_interface_texts_are_those_that_the_program_says():
    """Both ways: what the code passes to `word` is translated, and what is translated is said somewhere."""
    said, passed = set(), set()
    for folder in ("torch_errors", "website"):
        for path in (ROOT / folder).rglob("*.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            said |= _strings(tree)
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                    if name == "word":
                        passed.add(node.args[0].value)
    folders = {path.name.replace("-", " ").capitalize() for path in (ROOT / "debug-templates").iterdir()} | {"Snippets"}
    interface = load_texts(ROOT, "zh").interface
    assert passed - interface.keys() == set()
    assert interface.keys() - said - folders == set()


# --- a small guide to break ---

GUIDE = data("translated_guide.yaml")
PAGE = "common-errors/shapes/two-shapes/README.zh.md"
ENGLISH_PAGE = PAGE.replace(".zh", "")
OF_ENTRY = "common-errors/shapes/two-shapes/entry.zh.yaml"
ENGLISH, CHINESE = GUIDE[ENGLISH_PAGE], GUIDE[PAGE]
PROMPT = "\n````text prompt\n请看 <<traceback: 报错>> 和 <<code: 你的代码>>。\n````\n"


@pytest.fixture
def guide(tmp_path: Path) -> Path:
    mark = hashlib.sha256(ENGLISH.encode()).hexdigest()[:12]
    for name, text in (GUIDE | {PAGE: f"---\ntranslation_of: {mark}\n---\n\n{CHINESE}"}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    load_texts.cache_clear()
    return tmp_path


def catalog(guide: Path) -> Catalog:
    return load_catalog(guide)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def findings(guide: Path) -> list[str]:
    return [f"{found.where}: {found.problem}" for page in translations(catalog(guide)) for found in page.findings]


def test_small_guide_holds(guide):
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
        ("```text printed", "```text", 14, 'has here a fence `text printed`, this is `text`'),
        ("```mermaid\ngraph LR\n```\n", "", 25, "has here a fence `mermaid`, this is `text prompt`"),
        (PROMPT, "", 26, "has 4 fences, the English page 5"),
        ("<<code:", "<<codes:", 28, "the blanks of the prompt differ from the English page's: code, codes"),
        ("(../../../README.md)", "(../../README.md)", 7, "leads to ../../README.md, the English page does not"),
        ("[链接](../../../README.md)、", "", 1, "lacks a link to ../../../README.md"),
        ("(#第二)", "(#second)", 7, "leads to #second, the English page does not"),
        ("(../../../other.md#the-heading)", "(../../../other.md)", 7, "leads to ../../../other.md, the English page"),
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
def test_what_a_translator_may_change(old, new, guide):
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


def test_translation_of_nothing_is_found(guide):
    (guide / "gone.zh.md").write_text("# 没有\n", encoding="utf-8")
    assert findings(guide) == ["gone.zh.md:1: translates a page that is not there"]


def test_stamp_writes_the_hash_and_fills_what_a_program_fills(guide):
    path = guide / PAGE
    path.write_text(CHINESE.replace("```text printed\n1\n", "```text printed\n"), encoding="utf-8")
    assert stamp(catalog(guide), [ENGLISH_PAGE]) == [path]
    assert findings(guide) == []
    assert path.read_text(encoding="utf-8").endswith(CHINESE)
    assert stamp(catalog(guide), [PAGE]) == []


def test_stamp_of_what_is_no_page(guide):
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
        (OF_ENTRY, '"Two shapes": "两个形状"', '"Three shapes": "三个形状"', 2, "does not say this: Three shapes"),
        (OF_ENTRY, "{a - b} 行", "{b - a} 行", 5, "in braces differ from the English text's: {a - b}, {b - a}"),
        (OF_ENTRY, "{a - b} 行", "{a - b 行", 5, "brace"),
        (OF_ENTRY, '"两个形状"', '""', 2, "the translation is empty"),
        (OF_ENTRY, "[形状不符]", "形状不符", 7, "keywords must be a list"),
        (OF_ENTRY, "keywords:", "words:", 7, "words: is not a known field"),
        (OF_ENTRY, '"Make them equal.": "使它们相等。"', '"Two shapes": "又一次"', 4, "a second time: Two shapes"),
        (OF_ENTRY, "texts:", "texts: [", 3, "not valid YAML"),
        (TEXTS_FILE, "  shapes:", "  sizes:", 4, "categories sizes: catalog.yaml has no such id"),
        (TEXTS_FILE, "（条目 {id}：`torch-errors show {id}`）", "条目", 2, "interface: the names in braces differ"),
        (TEXTS_FILE, "interface:", "interface: [", 3, "not valid YAML"),
        (TEXTS_FILE, "interface:", "program:", 1, "program: is not a known field"),
    ],
)
def test_wrong_text_of_the_catalog_is_found(file, old, new, line, says, guide):
    edit(guide / file, old, new)
    found = [f"{item.where}: {item.problem}" for item in check_texts(catalog(guide)).findings]
    assert any(says in problem for problem in found), found
    assert any(problem.startswith(f"{file}:{line}:") for problem in found), found
    assert main_in(guide, "translations") == 1


def test_texts_of_an_entry_that_is_not_listed_are_found(guide):
    other = (guide / OF_ENTRY).parent.with_name("renamed")
    other.mkdir()
    (guide / OF_ENTRY).rename(other / "entry.zh.yaml")
    checked = check_texts(catalog(guide))
    assert len(checked.missing) == 4
    [found] = checked.findings
    assert found.where == "common-errors/shapes/renamed/entry.zh.yaml:1"


@pytest.mark.parametrize(
    ("file", "old", "new", "says"),
    [
        (OF_ENTRY, "keywords: [形状不符]", "keywords: 形状不符", "field keywords: must be a list of texts"),
        (OF_ENTRY, '"Two shapes": "两个形状"', "- Two shapes", "not valid YAML|field texts"),
        (TEXTS_FILE, "interface:", "program:", "field program: is not a known field"),
        (TEXTS_FILE, "categories:", "categories: 3 #", "not valid YAML|field categories: must be a mapping"),
    ],
)
def test_texts_that_cannot_be_used_are_refused(file, old, new, says, guide):
    edit(guide / file, old, new)
    with pytest.raises(UserError, match=rf"{re.escape(str(guide / file))}.*(?:{says})"):
        load_texts(guide, "zh")


def test_changed_english_text_is_missing_in_chinese(guide):
    edit(guide / "catalog.yaml", "They are not equal.", "They differ.")
    assert check_texts(catalog(guide)).missing == [("two-shapes", "They differ.")]


def main_in(guide: Path, *arguments: str) -> int:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(guide)
        return main(arguments)


def test_missing_ones_are_listed_and_fail_nothing(guide, capsys):
    assert main_in(guide, "translations") == 0
    out = capsys.readouterr().out
    assert "missing  README.md\n" in out
    assert out.endswith("3 pages: 1 current, 0 stale, 2 missing; 0 texts missing; 0 findings\n")


def test_as_json(guide, capsys):
    edit(guide / PAGE, "print(x)", "print(y)")
    assert main_in(guide, "translations", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert not told["held"] and told["texts"] == {"missing": [], "findings": []}
    (row,) = [row for row in told["pages"] if row["findings"]]
    assert (row["translation"], row["findings"][0]["where"]) == (PAGE, f"{PAGE}:9")


# --- what readers get ---


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
    edit(guide / OF_ENTRY, '  "They are not equal.": "它们不相等。"\n', "")
    entry = catalog(guide).in_language("zh").entry("two-shapes")
    assert (entry.title, entry.summary) == ("两个形状", "They are not equal.")
    (match,) = explain("RuntimeError: sizes 5 and 3 do not fit", guide, "zh")
    assert (match.says, match.fix) == ("第一个有 5 行，比另一个多 2 行。", "使它们相等。")


def test_guesses_are_the_same_in_both_languages():
    text = "RuntimeError: The expanded size of the tensor (64) must match the existing size (73)"
    english, chinese = guess(text, ROOT), guess(text, ROOT, language="zh")
    assert [near.entry.id for near in english] == [near.entry.id for near in chinese] != []
    assert chinese[0].entry.title != english[0].entry.title


def test_texts_are_told_in_chinese():
    """Those that are translated. Missing ones show as a skipped test: an entry may be added in English alone."""
    texts = load_texts(ROOT, "zh")
    told = {entry.id: texts.entries.get(entry.id, {}).keys() & entry_texts(entry) for entry in CATALOG}
    said = [texts.entries[id][text] for id in told for text in told[id]]
    assert [text for text in said if not re.search(r"[\u4e00-\u9fff]", text)] == []
    missing = [e.id for e in CATALOG if told[e.id] != set(entry_texts(e)) or not texts.keywords(e.id)]
    if missing:
        pytest.skip(f"not all in Chinese yet: {', '.join(missing)}; `make translations` says what is missing")


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
