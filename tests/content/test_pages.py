"""Parsing the Markdown of pages: fences and their attributes, and filling in the texts of fences."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torch_errors.markdown.parsing import (
    Fence,
    looks_like_message,
    parse_info,
    parse_page,
    plain_markdown,
    with_fence_texts,
)

PAGE = Path("README.md")
TEXT = """\
# The title

The *statement*
over two lines.

## What you see

```text recorded="broken.out" part="message"
RuntimeError: no
```

Read `code one`, [a link](../other/README.md) and ![a picture](curve.svg).

- nested:

    ```python no-run="half a line, with a comma"
    x = [
    ```

~~~~python
print("```")
~~~~

```python raises="ValueError"
int("x")
```
"""


def test_parse_page() -> None:
    page = parse_page(PAGE, TEXT)
    assert page.headings == [(1, "The title"), (2, "What you see")]
    assert page.statement == "The *statement* over two lines."
    assert page.code_spans == [(12, "code one")]
    assert page.links == [(12, "../other/README.md"), (12, "curve.svg")]
    assert page.fences == [
        Fence("text", {"recorded": "broken.out", "part": "message"}, "RuntimeError: no\n", 8, 10),
        Fence("python", {"no-run": "half a line, with a comma"}, "x = [\n", 16, 18),
        Fence("python", {}, 'print("```")\n', 20, 22),
        Fence("python", {"raises": "ValueError"}, 'int("x")\n', 24, 26),
    ]
    assert [block.first_line for block in page.blocks()] == [20, 24]


@pytest.mark.parametrize(
    ("info", "parsed"),
    [
        ("", ("", {})),
        ("python", ("python", {})),
        ("text printed", ("text", {"printed": ""})),
        ('text recorded="a.out" match="^step=[0-3] "', ("text", {"recorded": "a.out", "match": "^step=[0-3] "})),
        (r'text match="\d+"', ("text", {"match": r"\d+"})),
        ("python no-run='it\"s'", ("python", {"no-run": 'it"s'})),
        ('text seen="never closed', ("text", {"seen": '"never', "closed": ""})),
    ],
)
def test_parse_info(info: str, parsed: tuple[str, dict[str, str]]) -> None:
    assert parse_info(info) == parsed


def test_texts_are_filled_into_the_fences_at_their_lines() -> None:
    page = parse_page(
        PAGE, "a\n\n```text printed\nold\nolder\n```\n\n```text printed\n```\n\n```text seen='1.0'\nkept\n```\n"
    )
    assert with_fence_texts(page, {3: "new\n", 8: "one\n\ntwo"}) == (
        "a\n\n```text printed\nnew\n```\n\n```text printed\none\n\ntwo\n```\n\n```text seen='1.0'\nkept\n```\n"
    )
    assert with_fence_texts(page, {3: ""}) == page.text.replace("old\nolder\n", "")


def test_a_fence_in_a_list_stays_indented() -> None:
    text = "- item:\n\n    ```text printed\n    old\n    ```\n\n- next\n"
    assert with_fence_texts(parse_page(PAGE, text), {3: "new\nnewer"}) == text.replace("old", "new\n    newer")


MESSAGES = [
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x2304 and 3136x10)",
    "Expected input batch_size (32) to match target batch_size (64).",
    "CUDA out of memory. Tried to allocate 20.00 MiB",
    "index out of range in self",
]
CODE = [
    "nn.Linear(16 * 12 * 12, 10)",
    "for step in range(3): pass",
    "torch-errors verify my new entry",
    "$ make test and see what happens",
    "x = one and two and three and four",
]


def test_messages_are_distinguished_from_code() -> None:
    assert [code for code in [*MESSAGES, *CODE] if looks_like_message(code)] == MESSAGES


def test_plain_markdown_keeps_only_the_language() -> None:
    assert plain_markdown(TEXT) == (
        TEXT.replace(' recorded="broken.out" part="message"', "")
        .replace(' no-run="half a line, with a comma"', "")
        .replace(' raises="ValueError"', "")
    )


fragments = st.sampled_from(
    ["```", "~~~", "````", "text", " printed", ' a="', "'", "`", "# ", "- ", "> ", "    ", "\n", "\n\n", "\t", "[a](b)"]
)  # fmt: skip
markdown = st.lists(fragments | st.text(max_size=6), max_size=30).map("".join)


@given(markdown)
def test_any_text_can_be_parsed(text: str) -> None:
    page = parse_page(PAGE, text)
    for fence in page.fences:
        assert 1 <= fence.first_line <= fence.last_line


lines = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\n\0`~", exclude_categories=["Cc", "Cs"]), max_size=20
)
blocks = st.lists(lines, max_size=4).map(lambda rows: "\n".join(rows).rstrip("\n"))


@given(before=lines, old=st.lists(blocks, min_size=1, max_size=4), data=st.data())
def test_texts_that_are_filled_in_are_read_back(before: str, old: list[str], data: st.DataObject) -> None:
    """Filling in the same texts again changes nothing."""
    fences = [f"```text printed\n{text}\n```\n" if text.strip() else "```text printed\n```\n" for text in old]
    page = parse_page(PAGE, f"x{before}\n\n" + "\n".join(fences))
    assert with_fence_texts(page, {fence.first_line: fence.text for fence in page.fences}) == page.text
    new = [data.draw(blocks.filter(lambda text: text.strip() == text)) for _ in old]
    filled = with_fence_texts(page, {fence.first_line: text for fence, text in zip(page.fences, new, strict=True)})
    assert [fence.text.rstrip("\n") for fence in parse_page(PAGE, filled).fences] == new
