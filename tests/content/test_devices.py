"""Fixes run on a GPU: what they create is created on the device of the tensors that it meets.

A tensor from a factory of torch is on the CPU unless `device=` says otherwise. That does no harm in a dataset, as an
index, or in a script that has no other device. It fails in a `forward`, and if the tensor is an operand or an argument.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
import yaml

from tests.guide import CATALOG
from torch_errors.catalog.entries import Entry
from torch_errors.markdown.parsing import parse_page

FACTORIES = {"arange", "empty", "eye", "full", "linspace", "ones", "rand", "randint", "randn", "tensor", "zeros"}
FACTORIES |= {"generate_square_subsequent_mask"}
# Where a tensor may be on the CPU, and why.
ON_THE_CPU = {
    "checkpoint-recompute-mismatch": "a number that an `if` asks for",
    "collate-stack-unequal-size": "collates samples",
    "detection-degenerate-box": "boxes of a dataset",
    "detection-target-format": "boxes of a dataset",
    "from-numpy-shares-memory": "samples of a dataset",
    "list-of-ndarrays": "converts arrays",
    "no-grad-fn": "quotes the fault",
    "detached-branch": "quotes the fault",
    "optimizer-params-not-iterable": "one learned number, which moves with the model",
    "softmax-wrong-dim": "an index may be on the CPU",
    "stack-non-tensors": "converts arrays",
    "view-not-contiguous": "the script's mask, which the fix does not touch",
}


def made_on_the_cpu(tree: ast.AST, everywhere: bool) -> Iterator[str]:
    """The calls of factories without a device, whose result is not moved.

    Unless `everywhere`, only those that are an operand or an argument.
    """
    moved = set()
    used = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in ("to", "cuda", "type_as"):
                moved |= {id(inner) for inner in ast.walk(node.func)}
            used |= {id(argument) for argument in [*node.args, *(word.value for word in node.keywords)]}
        elif isinstance(node, ast.BinOp):
            used |= {id(node.left), id(node.right)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in FACTORIES:
            stays = id(node) not in moved and not any(word.arg == "device" for word in node.keywords)
            of_torch = ast.unparse(node.func).startswith(("torch.", "nn."))
            if of_torch and stays and (everywhere or id(node) in used):
                yield ast.unparse(node)


def code_of_fixes(entry: Entry) -> Iterator[ast.AST]:
    """The expressions in code spans of the page and of the fixes in entry.yaml."""
    prose = re.sub(r"(?ms)^```.*?^```", "", entry.page.read_text(encoding="utf-8"))
    fixes = yaml.safe_dump(yaml.safe_load((entry.folder / "entry.yaml").read_text(encoding="utf-8")), width=10**6)
    for code in re.findall(r"`([^`\n]+)`", f"{prose}\n{fixes}"):
        yield from nodes_of(code)[:1]


def nodes_of(code: str) -> list[ast.AST]:
    """The syntax tree of a piece of code, its root first; nothing for a fragment that is not Python."""
    try:
        return list(ast.walk(ast.parse(code)))
    except SyntaxError:
        return []


@pytest.mark.parametrize(
    "entry", [entry for entry in CATALOG if entry.id not in ON_THE_CPU], ids=lambda entry: entry.id
)
def test_fixes_create_tensors_on_the_device_of_the_others(entry: Entry) -> None:
    programs = [entry.script("fixed").read_text(encoding="utf-8")]
    fences = [fence for fence in parse_page(entry.page).fences if fence.language == "python"]
    programs += [fence.text for fence in fences if not {"raises", "dated", "confirm"} & fence.attributes.keys()]
    found: list[str] = []
    for node in [node for program in programs for node in nodes_of(program)]:
        if isinstance(node, ast.FunctionDef) and node.name == "forward":
            found += made_on_the_cpu(node, everywhere=True)
    for code in code_of_fixes(entry):
        found += made_on_the_cpu(code, everywhere=False)
    assert found == []
