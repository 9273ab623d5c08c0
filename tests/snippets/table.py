"""Which snippet finds which silent fault: computes the table of `debug-templates/snippets/which-finds-what.md`.

    python -m tests.snippets.table            # compare the page with what the snippets say now
    python -m tests.snippets.table --write    # write the first table of the page and of its translation

A snippet finds a fault if it raises an alarm, and none on the healthy training that the fault was planted in. It names
the fault if the alarm also holds the words of `Row.named`; otherwise it only shows that something is wrong.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import torch

from tests.snippets import SNIPPETS
from tests.snippets.faults import (
    BATCH,
    DATA,
    FAULTS,
    GENERALIZATION,
    LOADING,
    LOSS,
    MEMORY,
    MODEL,
    OPTIMIZER,
    RATE,
    SEED,
    STEP,
    VALIDATION,
    Fault,
)
from tests.snippets.verdicts import INCONCLUSIVE, available, verdict

PAGE = SNIPPETS / "which-finds-what.md"
ROOT = SNIPPETS.parents[1]
SEEDS = (0, 1, 2)

# What each snippet is given. It cannot find what is elsewhere.
GIVEN = {
    "five_minute_check": {BATCH, MODEL, LOSS},
    "overfit_one_batch": {BATCH, MODEL, LOSS},
    "training_step_check": {BATCH, DATA, MODEL, LOSS, STEP, OPTIMIZER, RATE},
    "lr_range_test": {BATCH, DATA, MODEL, LOSS, RATE},
    "model_summary": {MODEL},
    "gradient_report": {BATCH, MODEL, LOSS, STEP},
    "graph_inspection": {MODEL, LOSS},
    "activation_statistics": {BATCH, MODEL},
    "nan_guard": {BATCH, DATA, MODEL, LOSS, STEP, RATE},
    "training_loop": {BATCH, DATA, MODEL, LOSS, RATE},
    "memory_report": {MEMORY},
    "early_stopping": {DATA, GENERALIZATION},
    "dataloader_benchmark": {LOADING},
    "reproducibility": {SEED, VALIDATION},
}
# These have a column of their own: they are for faults of any kind.
GENERAL = ("five_minute_check", "overfit_one_batch", "training_step_check")


@dataclass(frozen=True)
class Row:
    """A fault in words, English and Chinese, and what an alarm says that names it."""

    english: str
    chinese: str
    named: str


ROWS = {
    "nan_in_data": Row("NaN in one batch", "某个批次里有 NaN", r"input.*NaN"),
    "outlier_in_data": Row("one reading of 65535 in one batch", "某个批次里有一个读数是 65535", r"65535|6\.55e\+04"),
    "unscaled_inputs": Row("inputs in raw units", "输入没有归一化", r"not scaled"),
    "shuffled_labels": Row("labels shuffled against the inputs", "标签和输入的对应关系被打乱", r"label"),
    "labels_out_of_range": Row(
        "labels from 1 instead of 0 (IndexError in the loss)",
        "标签从 1 而不是从 0 开始（loss 报 IndexError）",
        r"labels from",
    ),
    "identical_inputs": Row(
        "the same input in every row of a batch", "一个批次里每一行输入都相同", r"same|equal|identical"
    ),
    "one_repeated_batch": Row("the loader repeats one batch", "数据加载器总是返回同一个批次", r"same|repeat|identical"),
    "slow_data": Row("training waits for data", "训练在等数据", r"waits for data"),
    "layers_in_list": Row("layers in a Python list", "层放在 Python 列表里", r"hidden"),
    "detached_layer": Row("a detached layer", "某一层被 detach", r"encoder"),
    "dead_relus": Row("all ReLUs of a layer are dead", "某一层的 ReLU 全部失活", r"ZERO|zero"),
    "nan_weight": Row("NaN in a weight", "权重里有 NaN", r"2\.weight|weights|^2: "),
    "constant_initialization": Row(
        "all weights start at the same value", "所有权重初始化为同一个值", r"same|equal|identical|constant"
    ),
    "vanishing_gradients": Row(
        "vanishing gradients: 20 layers", "梯度消失：20 层", r"vanish|EQUAL|same value|times smaller|0\.weight"
    ),
    "exploding_activations": Row("exploding activations: 20 layers", "激活值爆炸：20 层", r"explod|HUGE|gradient norm"),
    "softmax_before_cross_entropy": Row(
        "softmax before cross-entropy", "交叉熵之前又做了 softmax", r"softmax|probabilities"
    ),
    "relu_on_the_output": Row("ReLU on the output of a regression", "回归的输出层后面多了 ReLU", r"relu|ReLU|ZERO"),
    "broadcast_loss": Row(
        "a loss that broadcasts (n, 1) against (n,)", "损失函数把 (n, 1) 和 (n,) 广播了", r"broadcast"
    ),
    "float16_overflow": Row("overflow in float16", "float16 溢出", r"infinite|NaN|nan|inf"),
    "missing_zero_grad": Row("no zero_grad()", "没有调用 zero_grad()", r"zero_grad"),
    "zero_grad_after_backward": Row(
        "zero_grad() between backward() and step()", "zero_grad() 放在 backward() 和 step() 之间", r"zero_grad|cleared"
    ),
    "missing_backward": Row("no backward()", "没有调用 backward()", r"backward|no gradient"),
    "missing_step": Row("no optimizer.step()", "没有调用 optimizer.step()", r"step"),
    "step_before_backward": Row(
        "optimizer.step() before backward()", "optimizer.step() 在 backward() 之前", r"before|backward"
    ),
    "clipping_after_step": Row(
        "gradients clipped after optimizer.step()", "在 optimizer.step() 之后才裁剪梯度", r"clip"
    ),
    "clipping_before_backward": Row("gradients clipped before backward()", "在 backward() 之前裁剪梯度", r"clip"),
    "stuck_in_eval_mode": Row("training in eval mode", "训练时停留在 eval 模式", r"eval"),
    "optimizer_without_some_parameters": Row(
        "an optimizer without some of the parameters", "优化器漏了部分参数", r"optimizer"
    ),
    "optimizer_made_too_early": Row(
        "a layer replaced after the optimizer was created", "创建优化器之后又替换了一层", r"optimizer"
    ),
    "learning_rate_too_high": Row("learning rate 100 times too high", "学习率大了 100 倍", r"rate"),
    "learning_rate_too_low": Row("learning rate 10,000 times too low", "学习率小了 1 万倍", r"rate"),
    "graph_kept_every_step": Row("losses kept with their graphs", "保存了带计算图的 loss", r"graph"),
    "validation_without_no_grad": Row("validation without no_grad()", "验证时没有用 no_grad()", r"no_grad"),
    "validation_in_training_mode": Row("validation in training mode", "验证时没有切到 eval 模式", r"eval"),
    "overfitting": Row("overfitting", "过拟合", r"validation"),
    "no_seed": Row("no seed", "没有设随机种子", r"differ"),
}

NAMES, SHOWS, MISSES = "names", "shows", "misses"


@cache
def _alarms(snippet: str, name: str, healthy: bool, seed: int) -> tuple[str, ...]:
    fault = next(fault for fault in FAULTS if fault.name == name)
    said = verdict(snippet, fault.healthy if healthy else fault.recipe, seed)
    if said.crashed:
        return ()
    return (*said.alarms, *([INCONCLUSIVE] if said.inconclusive else []))


def result(snippet: str, fault: Fault, seed: int) -> str:
    """Whether the snippet names the fault, shows that something is wrong, or misses it."""
    alarms = _alarms(snippet, fault.name, False, seed)
    if not alarms or set(_alarms(snippet, fault.name, True, seed)) - {INCONCLUSIVE}:
        return MISSES
    if alarms == (INCONCLUSIVE,):
        return INCONCLUSIVE
    return NAMES if any(re.search(ROWS[fault.name].named, alarm) for alarm in alarms) else SHOWS


def computed(seeds: Iterable[int] = SEEDS, leave_out: Iterable[str] = ()) -> dict[tuple[str, str], list[str]]:
    """The results by fault and snippet, one for each seed, of the snippets that are given what is faulty."""
    return {
        (fault.name, snippet): [result(snippet, fault, seed) for seed in seeds]
        for fault in FAULTS
        for snippet in available()
        if snippet not in leave_out and fault.place in GIVEN.get(snippet, ())
    }


def mark(results: Sequence[str]) -> str:
    """A cell: ✓ names it, (✓) shows that something is wrong, ? cannot tell, – misses it, and in how many seeds."""
    found = [result for result in results if result in (NAMES, SHOWS)]
    if not found and INCONCLUSIVE in results:
        return "?"
    if not found:
        return "–"
    sign = "✓" if all(result == NAMES for result in found) else "(✓)"
    return sign if len(found) == len(results) else f"{sign} {len(found)}/{len(results)}"


def table(results: Mapping[tuple[str, str], Sequence[str]], chinese: bool = False) -> list[str]:
    """The lines of the table."""
    end = ".zh.md" if chinese else ".py"
    others = [snippet for snippet in available() if snippet in GIVEN and snippet not in GENERAL]
    general = [snippet for snippet in GENERAL if snippet in available()]
    head = ["故障" if chinese else "fault", *(f"[{name}]({name}{end})" for name in general)]
    lines = [[*head, "其他片段" if chinese else "others"], ["---", *["---"] * len(general), "---"]]
    for fault in FAULTS:
        row = ROWS[fault.name]
        cells = [mark(results[fault.name, name]) if (fault.name, name) in results else "" for name in general]
        also = []
        for name in others:
            sign = mark(results.get((fault.name, name), [MISSES]))
            if sign != "–":
                also.append(f"{name} {sign}")
        link = f"[{row.chinese if chinese else row.english}](../../{_page(fault, chinese)})"
        lines.append([link, *cells, ("，" if chinese else ", ").join(also)])
    return [f"| {' | '.join(cells)} |" for cells in lines]


def _page(fault: Fault, chinese: bool) -> str:
    end = ".zh.md" if chinese else ".md"
    workflow = ROOT / "troubleshooting-workflows" / f"{fault.page}.md"
    if workflow.is_file():
        return f"troubleshooting-workflows/{fault.page}{end}"
    entry = next((ROOT / "common-errors").glob(f"*/{fault.page}/README.md"))
    return f"{entry.parent.relative_to(ROOT).as_posix()}/README{end}"


def first_table(text: str) -> tuple[int, int]:
    """Number of the first line of the first table of a page, and of the line after its last."""
    lines = text.split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith("|"))
    end = next(number for number in range(start, len(lines)) if not lines[number].startswith("|"))
    return start, end


def written(path: Path) -> list[str]:
    """The lines of the first table of a page."""
    text = path.read_text(encoding="utf-8")
    start, end = first_table(text)
    return text.split("\n")[start:end]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    results = computed()
    differs = False
    for path in (PAGE, PAGE.with_suffix(".zh.md")):
        new = table(results, chinese=path != PAGE)
        if not path.is_file():
            print("\n".join(new))
        elif written(path) != new:
            differs = True
            if arguments.write:
                text = path.read_text(encoding="utf-8")
                lines = text.split("\n")
                start, end = first_table(text)
                path.write_text("\n".join([*lines[:start], *new, *lines[end:]]), encoding="utf-8")
            else:
                print(f"{path.name}:", *(line for line in new if line not in written(path)), sep="\n")
    sys.exit(int(differs and not arguments.write))


if __name__ == "__main__":
    main()
