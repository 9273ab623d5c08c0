"""Limits for the length of pages and titles, and phrases to avoid in both languages."""

from __future__ import annotations

import os
import re
import statistics
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from tests.conftest import ROOT
from tests.guide import CATALOG
from torch_errors.catalog.entries import Entry
from torch_errors.verifying.pages import NOT_PAGES

ENTRIES = list(CATALOG)
LONGEST_TITLE = 70
# Without the code of the confirmation, which is pasted and not read.
MEDIAN_LINES, MEDIAN_WORDS = 90, 560
MOST_LINES, MOST_IN_DEPTH = 150, 45
# Entry -> the reason why its page needs more than MOST_LINES lines.
LONGER: dict[str, str] = {}

_IN_DEPTH = re.compile(r"(?ms)^<details markdown>\n.*?^</details>\n?")
# The verdicts of the confirmation, which a program fills in as evidence.
_VERDICTS = re.compile(r"(?ms)^```text verdicts\n.*?^```\n\n?")
# Code that readers paste into their own program.
_CONFIRMATION = re.compile(r"(?ms)^```python confirm\n.*?^```\n\n?")


def read_at_first(entry: Entry) -> str:
    """The text of a page without collapsed sections and the verdicts of the confirmation."""
    return _VERDICTS.sub("", _IN_DEPTH.sub("", entry.page.read_text(encoding="utf-8")))


def test_pages_are_within_their_budget() -> None:
    """Also that a title fits into a list of results, and that a page quotes its message in full only once."""
    assert [entry.title for entry in ENTRIES if len(entry.title) > LONGEST_TITLE] == []
    # A page in LONGER must be long: an outdated reason would excuse it later.
    at_first = {entry.id: read_at_first(entry) for entry in ENTRIES}
    long = {id for id, text in at_first.items() if len(text.splitlines()) > MOST_LINES}
    assert long == set(LONGER), "cut, collapse an experiment in `<details markdown>`, or give the reason in LONGER"
    for entry in ENTRIES:
        text = entry.page.read_text(encoding="utf-8")
        in_depth = _IN_DEPTH.findall(text)
        assert len(in_depth) <= 1, f"{entry.id}: more than one collapsed section"
        assert all(len(part.splitlines()) <= MOST_IN_DEPTH for part in in_depth), (
            f"{entry.id}: cut `<details markdown>`"
        )
        assert len(re.findall(r'(?m)^ *```text recorded="broken\.out" part="message"', text)) <= 1, entry.id
    read = [_CONFIRMATION.sub("", text) for text in at_first.values()]
    assert statistics.median(len(text.splitlines()) for text in read) <= MEDIAN_LINES
    assert statistics.median(len(text.split()) for text in read) <= MEDIAN_WORDS


# Phrases that are translated word by word, or used instead of the common term (see CONTRIBUTING.md, Chinese).
AVOIDED_IN_CHINESE = """
    因所述原因 数的是同一批 从一步留到 的执行落后于 实际到达的大小 过长的梯度 最长的一步 不是有限数
    错误的外壳 遇到的是它吗 录制 构建该层 为该层构建 目录中没有 目录中的
    登记 支路 写入时的信任 再也放不下 总回答第一个类别 询问驱动
    报错的其他版本 除了两次
"""
AVOIDED_IN_ENGLISH = """
    Was this yours; Also seen as; does not suffice; holds all of it true; comes all the same; kept from step to step;
    steps are too long; steps that are too long; What goes in; those it takes for; as below; It sees; It does not see
"""
# Phrases that are right in some sense, as regular expressions. Code and quoted messages are not searched.
RARELY_RIGHT = {
    "en": {
        r", too\b(?! )": "`also` before the verb",
        r"\b(?:is|are|be|being) that of\b|\bto that of\b|\blike that of\b": "the noun again, or a possessive",
        r"\banother (?:\w+ ){1,2}than\b": "a different … from",
        r"\breplace `[^`]*` by\b|\breplaced by\b(?= `)": "replace … with",
        r"\d %(?! \d)": "the percent sign without a space",
        r"(?<!standard\s)\bdeviations?\b": "standard deviation",
    },
    "zh": {
        r"(?<!梯度)(?<!激活)检查点(?!积|乘)": "checkpoint",
        r"批大小": "batch size",
        r"隐状态": "隐藏状态",
        r"(?<!worker )工作进程": "worker 进程",
        r"(?<![动态链])加载器": "DataLoader，动态链接器",
    },
}


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """All pages and Chinese texts by path. The Chinese lines of `x.yaml` have the path `x.zh.yaml`."""
    found = {}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in NOT_PAGES and not name.startswith(".")]
        for path in (Path(folder, name) for name in files if name.endswith((".md", ".zh.yaml"))):
            found[path.relative_to(ROOT).as_posix()] = path.read_text(encoding="utf-8")
    for path in (ROOT / "catalog.yaml", *ROOT.glob("common-errors/*/*/entry.yaml")):
        chinese = [line for line in path.read_text(encoding="utf-8").splitlines() if re.search("[\u4e00-\u9fff]", line)]
        found[path.with_suffix(".zh.yaml").relative_to(ROOT).as_posix()] = "\n".join(chinese)
    return found


def test_chinese_confirmations_say_in_chinese_what_to_replace(texts: dict[str, str]) -> None:
    chinese = [text for path, text in texts.items() if path.endswith(".zh.md")]
    marks = [line.partition("  # your ")[2] for text in chinese for line in text.splitlines() if "  # your " in line]
    assert len(marks) > 300 and [words for words in marks if not re.search("[\u4e00-\u9fff]", words)] == []


def test_phrases_to_avoid(texts: dict[str, str]) -> None:
    chinese = re.split(r"\s+", AVOIDED_IN_CHINESE.strip())
    english = re.split(r";\s+", AVOIDED_IN_ENGLISH.strip())
    joined = {name: " ".join(text.split()) for name, text in texts.items()}
    avoided = {name: chinese if ".zh." in name else english for name in texts}
    assert [(name, phrase) for name in texts for phrase in avoided[name] if phrase in joined[name]] == []


def prose(text: str) -> str:
    """The page without its code, quoted messages and addresses of links."""
    return re.sub(r"(?ms)^ *```.*?^ *```$|`[^`\n]*`|\]\([^)\s]*\)", lambda code: "\n" * code[0].count("\n"), text)


@pytest.mark.parametrize("language", RARELY_RIGHT)
def test_phrases_that_are_rarely_right(texts: dict[str, str], language: str) -> None:
    """Write what the table says instead, or, if the phrase is right there, make its expression more precise."""
    chinese = language == "zh"
    searched = {name: prose(text) for name, text in texts.items() if (".zh." in name) == chinese and name[0].islower()}
    if chinese:  # people search with these words
        searched = {
            name: "\n".join(line for line in text.splitlines() if not re.match(r"\s*(?:zh: \[|- |.*[\]]$)", line))
            if name.endswith(".yaml")
            else text
            for name, text in searched.items()
        }
    found = [
        f"{name}: {match[0]!r}: write {instead}"
        for name, text in searched.items()
        for phrase, instead in RARELY_RIGHT[language].items()
        for match in re.finditer(phrase, text)
    ]
    assert len(searched) > 300 and found == []


def test_bold_is_bold_on_github(texts: dict[str, str]) -> None:
    """CommonMark does not close bold text at a `**` between punctuation and a letter: `。**` needs a space after it."""
    parser = MarkdownIt("commonmark").enable("table")
    found = []
    for name, text in texts.items():
        if name.endswith(".md"):
            # Only the paragraphs with bold text are parsed, which takes a tenth of the time.
            parts = re.sub(r"(?ms)^( *)(`{3,})[^`\n]*\n.*?^\1\2 *$", "", text).split("\n\n")
            bold = (re.sub(r"(?m)^ +", "", part) for part in parts if "**" in part)  # indented, it would be code
            tokens = [token for part in bold for token in parser.parse(part)]
            shown = [part.content for token in tokens for part in token.children or [] if part.type == "text"]
            found += [(name, content) for content in shown if "**" in content]
    assert found == []
