"""The confirmation on a page ("How to confirm it"): a block that readers run in their own program, and its verdict.

    ```python confirm
    layer, features = model.fc, batch  # your layer and what reaches it
    print("yes" if features.shape[-1] != layer.in_features else "no")
    ```

It runs after the script has ended or failed, as in `python -i train.py` or the next cell of a notebook. Output lines
that start with `yes`, `no` or `cannot tell` give the verdict: `yes` if any line does, else `cannot tell` if any does.
A line with a comment `# your ...` assigns what readers replace with names of their own; it is skipped in cases that
define these names.
"""

from __future__ import annotations

import ast
import builtins
import re

from torch_errors.errors import Violation
from torch_errors.markdown.parsing import Fence, Page
from torch_errors.verifying.blocks import same_text

# Names that every training script has, or that readers will understand.
COMMON_NAMES = {"model", "batch", "loss", "optimizer", "loader"}
_VERDICT = re.compile(r"(?m)^(yes|no|cannot tell)\b.*$")
_REPLACED = re.compile(r"#\s*your\b")
# Width of the column of scripts in a `verdicts` fence.
_NAME_WIDTH = 14


def verdict_of(output: str) -> str | None:
    """The verdict in an output: the first line with `yes`, else the first with `cannot tell`, else with `no`."""
    lines = {found[1]: found[0] for found in reversed(list(_VERDICT.finditer(output)))}
    return lines.get("yes") or lines.get("cannot tell") or lines.get("no")


def confirmation_source(fence: Fence, of_case: bool = False) -> str:
    """The block as Python source. `of_case`: `# your` lines run only if the case does not define their names."""
    lines = fence.text.split("\n")
    if of_case:
        for at, line in enumerate(lines):
            if _REPLACED.search(line):
                names = sorted(_targets(line))
                lines[at] = f"if not {set(names)!r} <= globals().keys(): {line}"
    return "\n" * fence.first_line + "\n".join(lines)


def check_confirmation(page: Page) -> list[Violation]:
    """Check that readers can paste it: it is Python, and uses only common names or says what to replace."""
    marked = [fence for fence in page.fences if "confirm" in fence.attributes]
    if len(marked) != 1:
        problem = f"exactly one block must be the confirmation (```python confirm), not {len(marked)}"
        return [Violation(page.path.name, problem)]
    [fence] = marked
    where = f"{page.path.name}:{fence.first_line}"
    if "no-run" in fence.attributes:
        return []
    if fence.language != "python":
        return [Violation(where, 'must be Python, or say why it cannot be run: no-run="..."')]
    try:
        unknown = _free_names(fence) - COMMON_NAMES
        confirmation_source(fence, of_case=True)
    except SyntaxError as error:
        # In the block, or in a `# your` line, which is parsed alone: it must be one unindented statement.
        return [Violation(f"{page.path.name}:{fence.first_line + (error.lineno or 0)}", f"is not Python: {error.msg}")]
    if unknown:
        problem = (
            f"uses {', '.join(sorted(unknown))}: readers may not have this name; import it, assign it in a line "
            "that ends in `# your ...`, or use one of " + ", ".join(sorted(COMMON_NAMES))
        )
        return [Violation(where, problem)]
    if "verdicts" not in [name for other in page.fences for name in other.attributes]:
        return [Violation(where, "needs a block ```text verdicts below it; `torch-errors record` fills it in")]
    return []


def verdicts_text(verdicts: dict[str, str | None]) -> str:
    """The text of a `verdicts` fence: a line for each script with its verdict."""
    return "\n".join(f"{f'{variant}.py':{_NAME_WIDTH}}{said or ''}".rstrip() for variant, said in verdicts.items())


def check_verdicts(page: Page, verdicts: dict[str, str | None], name: str) -> list[Violation]:
    """Compare the `verdicts` fence of a page with what the confirmation says after each script."""
    text = verdicts_text(verdicts)
    problem = f"is not what the confirmation says; `torch-errors record {name}` fills it in"
    return [
        Violation(f"{page.path.name}:{fence.first_line}", problem)
        for fence in page.fences
        if "verdicts" in fence.attributes and not same_text(fence.text, text)
    ]


def replaced_names(fence: Fence) -> set[str]:
    """The names that the `# your` lines of a confirmation assign."""
    return {name for line in fence.text.split("\n") if _REPLACED.search(line) for name in _targets(line)}


def used_names(fence: Fence) -> set[str]:
    """All names in a confirmation, without those that only the `# your` lines use."""
    replaced = {number for number, line in enumerate(fence.text.split("\n"), 1) if _REPLACED.search(line)}
    names = [node for node in ast.walk(ast.parse(fence.text)) if isinstance(node, ast.Name)]
    return {node.id for node in names if node.lineno not in replaced}


def _targets(line: str) -> set[str]:
    """The names that a line assigns, without those inside a comprehension."""
    return {
        node.id
        for statement in ast.parse(line).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name)
    }


def _free_names(fence: Fence) -> set[str]:
    """Names that the block uses but does not define; uses in `# your` lines do not count."""
    lines = fence.text.split("\n")
    replaced = {number for number, line in enumerate(lines, 1) if _REPLACED.search(line)}
    used: set[str] = set()
    bound = set(dir(builtins))
    for node in ast.walk(ast.parse(fence.text)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.Name) and node.lineno not in replaced:
            used.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).split(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return used - bound
