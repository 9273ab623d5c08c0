"""How to confirm it: the block of a page that readers run in their own program, and what it answers.

    ```python confirm
    layer, features = model.fc, batch  # your layer and what reaches it
    print("yes" if features.shape[-1] != layer.in_features else "no")
    ```

It runs where a script has ended or failed, as in `python -i train.py` or the next cell of a notebook. Lines that begin
with `yes` or `no` are its verdict: `yes` if one of them does. A line whose comment begins with `your` says what readers
replace by something of theirs; cases that define these names themselves are run without it.
"""

from __future__ import annotations

import ast
import builtins
import re

from torch_errors.errors import Violation
from torch_errors.markdown.parsing import Fence, Page
from torch_errors.verifying.blocks import same_text

# What every training script has under this name, or as readers will understand it.
COMMON_NAMES = {"model", "batch", "loss", "optimizer", "loader", "torch", "nn"}
_VERDICT = re.compile(r"(?m)^(yes|no)\b.*$")
_REPLACED = re.compile(r"#\s*your\b")
# In the fence below the confirmation: what it says after each script.
_NAME_WIDTH = 14


def verdict_of(output: str) -> str | None:
    """The line that decides: the first that begins with `yes`, else the first that begins with `no`."""
    lines = {found[1]: found[0] for found in reversed(list(_VERDICT.finditer(output)))}
    return lines.get("yes") or lines.get("no")


def confirmation_source(fence: Fence, of_case: bool = False) -> str:
    """The block as Python source. `of_case`: names that a case defines are not replaced."""
    lines = fence.text.split("\n")
    if of_case:
        for at, line in enumerate(lines):
            if _REPLACED.search(line):
                names = sorted(_targets(line))
                lines[at] = f"if not {set(names)!r} <= globals().keys(): {line}"
    return "\n" * fence.first_line + "\n".join(lines)


def check_confirmation(page: Page) -> list[Violation]:
    """That readers can paste it: it is Python, and uses common names only, or says what to replace."""
    marked = [fence for fence in page.fences if "confirm" in fence.attributes]
    if len(marked) != 1:
        return [Violation(page.path.name, f"one block must be the confirmation (```python confirm); {len(marked)} are")]
    [fence] = marked
    where = f"{page.path.name}:{fence.first_line}"
    if "no-run" in fence.attributes:
        return []
    if fence.language != "python":
        return [Violation(where, 'a confirmation is Python, or says why it cannot be run: no-run="..."')]
    try:
        unknown = _free_names(fence) - COMMON_NAMES
        confirmation_source(fence, of_case=True)
    except SyntaxError as error:
        # Of the whole block, or of a `# your` line, which is one statement at the left margin.
        return [Violation(f"{page.path.name}:{fence.first_line + (error.lineno or 0)}", f"is not Python: {error.msg}")]
    if unknown:
        problem = (
            f"uses {', '.join(sorted(unknown))}: readers have no such name; assign it in a line that ends in "
            "`# your ...`, or use one of " + ", ".join(sorted(COMMON_NAMES))
        )
        return [Violation(where, problem)]
    if "verdicts" not in [name for other in page.fences for name in other.attributes]:
        return [Violation(where, "needs a block ```text verdicts below it; `torch-errors record` fills it in")]
    return []


def verdicts_text(verdicts: dict[str, str | None]) -> str:
    """Script -> its verdict, as the fence `text verdicts` shows them."""
    return "\n".join(f"{f'{variant}.py':{_NAME_WIDTH}}{said or ''}".rstrip() for variant, said in verdicts.items())


def check_verdicts(page: Page, verdicts: dict[str, str | None], name: str) -> list[Violation]:
    """Whether the block `text verdicts` holds what the confirmation says after each script."""
    text = verdicts_text(verdicts)
    problem = f"is not what the confirmation says; `torch-errors record {name}` fills it in"
    return [
        Violation(f"{page.path.name}:{fence.first_line}", problem)
        for fence in page.fences
        if "verdicts" in fence.attributes and not same_text(fence.text, text)
    ]


def _targets(line: str) -> set[str]:
    """The names that a line assigns to; those of a comprehension in it are not the reader's."""
    return {
        node.id
        for statement in ast.parse(line).body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name)
    }


def _is_store(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _free_names(fence: Fence) -> set[str]:
    """Names that the block uses and does not define, those aside that stand in a line to be replaced."""
    lines = fence.text.split("\n")
    replaced = {number for number, line in enumerate(lines, 1) if _REPLACED.search(line)}
    used: set[str] = set()
    bound = set(dir(builtins))
    for node in ast.walk(ast.parse(fence.text)):
        if isinstance(node, ast.Name) and _is_store(node):
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
