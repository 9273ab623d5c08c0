"""Workflows lead from a symptom to its cause: each fork has a measurement, and the diagram matches the text."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT
from torch_errors.errors import UserError
from torch_errors.markdown.parsing import parse_page
from website.decisions import TITLE, diagram, read_path, with_diagram

FOLDER = ROOT / "troubleshooting-workflows"
README = parse_page(FOLDER / "README.md")
PATHS = sorted(path for path in FOLDER.glob("*.md") if f"## {TITLE}" in path.read_text(encoding="utf-8"))


def test_every_workflow_has_a_decision_path_and_readme_lists_every_page():
    pages = {path.name for path in FOLDER.glob("*.md") if ".zh." not in path.name}
    without = {"README.md", "checklists.md", "is-this-normal.md", "techniques.md", "watch-a-run.md"}
    assert pages - {path.name for path in PATHS} == without
    assert pages - {"README.md"} <= {target for _, target in README.links}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_every_fork_is_decided_by_a_measurement_and_leads_somewhere(path):
    """Each question has a section with a block that runs, in order; the page links to entries and snippets."""
    page = parse_page(path)
    forks = read_path(page.section(TITLE)[page.section(TITLE).index("1. ") :], path.name)
    titles = [text for level, text in page.headings if level == 2 and re.match(r"\d+\. ", text)]
    assert [int(title.split(".")[0]) for title in titles] == [fork.number for fork in forks]
    for title in titles:
        section = parse_page(path, f"# x\n\n## {title}\n\n{page.section(title)}")
        runs = [f for f in section.fences if f.language in ("python", "sh") and "no-run" not in f.attributes]
        assert runs, f"nothing is measured in {title!r}"
        decides = "**" in section.text or any("printed" in fence.attributes for fence in section.fences)
        assert decides, f"{title!r} does not say which number decides"
    for fork in forks:
        for outcome in fork.outcomes:
            leads = outcome.next is not None or re.search(r"\]\([^)]+\)", outcome.text)
            assert leads, f"{fork.number}, {outcome.condition}: {outcome.text}"
    for folder in ("common-errors", "debug-templates/snippets"):
        assert any(target.startswith(f"../{folder}/") for _, target in page.links), f"no link to {folder}"


LIST = """\
1. **How long is it?** With a ruler.
    - **1 or more**: too long → [entry](../a/README.md)
    - **less**: go on with 2
2. **How wide is it, and this
   line is broken?**
    - **wide**: see there, go on with 1
    - **narrow**: → [section](#2-width)
"""
PAGE = f"# T\n\nS.\n\n## {TITLE}\n\nBefore.\n\n{LIST}\n## 1. Length\n\nx\n\n## 2. Width\n\ny\n"


def test_decision_path_is_read():
    first, second = read_path(LIST, "page")
    assert (first.number, first.question) == (1, "How long is it? With a ruler.")
    assert [(o.condition, o.text, o.next) for o in first.outcomes] == [
        ("1 or more", "too long → [entry](../a/README.md)", None),
        ("less", "go on with 2", 2),
    ]
    assert second.question == "How wide is it, and this line is broken?"
    assert [o.next for o in second.outcomes] == [1, None]


def test_diagram_matches_the_list():
    text = diagram(read_path(LIST, "page"), parse_page(FOLDER / "x.md", PAGE))
    assert "[How long is it? With a ruler.](#1-length)" in text
    assert "<b>1 or more</b> too long → [entry](../a/README.md)" in text
    assert 'class="outcome next" markdown="span"><b>less</b> [go on with 2](#fork-2)' in text
    assert text.count('class="fork down"') == 1 and text.count('class="fork"') == 1


def test_page_keeps_its_list_as_text():
    text = with_diagram(PAGE, parse_page(FOLDER / "x.md", PAGE), TITLE, "As text")
    assert text.index("Before.") < text.index('<div class="decision"') < text.index('??? note "As text"')
    assert "    1. **How long is it?** With a ruler.\n        - **1 or more**" in text
    assert text.endswith("## 1. Length\n\nx\n\n## 2. Width\n\ny\n")
    assert with_diagram("# T\n\nno path", parse_page(FOLDER / "x.md", "# T"), TITLE, "As text") == "# T\n\nno path"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("go on with 2", "go on with 7", "goes on with 7, which is not there"),
        ("2. **How", "3. **How", "must be numbered 1, 2, 3"),
        ("    - **less**: go on with 2\n", "", "needs two outcomes"),
        ("    - **less**", "    - less", "neither"),
    ],
)
def test_decision_path_that_cannot_be_drawn_is_refused(old, new, says):
    with pytest.raises(UserError, match=says):
        read_path(LIST.replace(old, new, 1), "page")


# Checklists and tables -----------------------------------------------------------------------------------------------


def test_symptom_table_answers_what_was_asked_for():
    """Each row has a symptom and what to do; the symptoms that were asked for are there."""
    rows = [line.strip("| ").split(" | ") for line in README.text.splitlines() if line.startswith("| ")]
    symptoms = " ".join(row[0].lower() for row in rows)
    for asked in ("nan", "fall", "memory", "slow", "accuracy"):
        assert asked in symptoms, asked
    assert all(len(row) >= 2 for row in rows)


def test_checklist_has_ten_points_every_theme_and_checks_that_run():
    page = parse_page(FOLDER / "checklists.md")
    (ten,) = [text for level, text in page.headings if level == 2 and "ten" in text.lower()]
    assert re.findall(r"(?m)^\| (\d+) \|", page.section(ten)) == [str(number) for number in range(1, 11)]
    themes = " ".join(text.lower() for _, text in page.headings)
    for theme in ("shapes", "devices", "gradients", "memory", "numerics"):
        assert theme in themes, theme
    runs = [fence for fence in page.fences if fence.language == "python" and "no-run" not in fence.attributes]
    assert sum(len(fence.text.splitlines()) for fence in runs) >= 8
