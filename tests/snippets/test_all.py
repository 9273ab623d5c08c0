"""Rules for every snippet: it needs no other file, says what is healthy, and its example prints what it shows."""

from __future__ import annotations

import doctest
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader

from tests.snippets import SNIPPETS, load

FILES = sorted(SNIPPETS.glob("*.py"))
EVERY_FILE = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def docstring_of(path: Path) -> str:
    return load(path.stem).__doc__ or ""


@EVERY_FILE
def test_the_example_prints_what_it_shows(path, tmp_path, monkeypatch, capsys):
    """Run in an empty folder with nothing else imported, as by a reader who saved the snippet."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(SNIPPETS))
    docstring = docstring_of(path)
    assert f"from {path.stem} import" in docstring
    examples = doctest.DocTestParser().get_examples(docstring)
    assert any(example.want or example.exc_msg for example in examples), "the example prints nothing"
    doctest.run_docstring_examples(docstring, {"__name__": "__main__"}, name=path.stem)
    assert capsys.readouterr().out == ""


@EVERY_FILE
def test_the_docstring_is_a_page_that_says_what_is_healthy(path):
    title, blank, *lines = docstring_of(path).splitlines()
    assert title.endswith((".", "?")) and not blank and "**Healthy:**" in docstring_of(path)
    # Indented by four spaces, the example is a code block; with fewer it would become a quotation.
    assert not [line for line in lines if re.match(r" {0,3}>>>", line)]


@EVERY_FILE
def test_it_imports_torch_and_the_standard_library_only(path):
    source = path.read_text(encoding="utf-8")
    everything = set(re.findall(r"(?m)^ *(?:from|import) (\w+)", source))
    assert everything <= {"torch", "matplotlib"} | set(sys.stdlib_module_names)
    # matplotlib for drawing; the rest of the file works without it.
    assert "matplotlib" not in re.findall(r"(?m)^(?:from|import) (\w+)", source)


def test_the_index_lists_every_file_and_no_other():
    index = (SNIPPETS / "README.md").read_text(encoding="utf-8")
    rows = [line for line in index.splitlines() if line.startswith("|")]
    linked = re.findall(r"\]\(([^)]+\.py)\)", "\n".join(rows))
    assert sorted(linked) == [path.name for path in FILES] != []


X, LAYER, META = torch.ones(2), nn.Linear(2, 2), nn.Linear(2, 2, device="meta")
# The snippet, a wrong call, and the message of the error.
WRONG: list[tuple[str, Callable[[Any], Any], str]] = [
    ("activation_checkpointing", lambda m: m.checkpointed(LAYER).__enter__(), "pass the layers, .*, not a Linear"),
    ("activation_checkpointing", lambda m: m.checkpointed([]).__enter__(), "no layers to checkpoint"),
    ("activation_checkpointing", lambda m: m.checkpointed(["fc"]).__enter__(), "a str: pass modules, not their names"),
    ("activation_checkpointing", lambda m: m.checkpointed([torch.compile(LAYER)]).__enter__(), "a compiled layer"),
    ("activation_statistics", lambda m: m.activation_statistics(X, LAYER), "takes an eager nn.Module .*, not a Tensor"),
    ("activation_statistics", lambda m: m.activation_statistics(META, X.to("meta")), "on the meta device"),
    ("checkpoint", lambda m: m.save_checkpoint("missing/a.pt", LAYER, epoch=0), "create it with mkdir"),
    ("checkpoint", lambda m: m.save_checkpoint("a.pt", LAYER, epoch=0, rng=1), "the name 'rng' is the checkpoint's"),
    ("dataloader_benchmark", lambda m: m.benchmark_loader(DataLoader([1])), "the data set and the loader"),
    ("dataloader_benchmark", lambda m: m.benchmark_loader(5), "a data set or a function"),
    ("dataloader_benchmark", lambda m: m.benchmark_loader(lambda n: [], batch_size=2), "options belong inside"),
    ("dataloader_benchmark", lambda m: m.benchmark_loader(lambda n: []), "gave no batch"),
    ("dataloader_benchmark", lambda m: m.benchmark_loader([1, 2], (0,), batch_size=2), "one batch only"),
    ("dataloader_benchmark", lambda m: m.benchmark_loader([1, 2], ()), "at least one number of workers"),
    ("dataloader_benchmark", lambda m: m.waiting_share([X], print), "gave 1 batches; waiting_share needs at least 2"),
    ("dataloader_benchmark", lambda m: m.waiting_share([X], X), r"calls step\(batch\)"),
    ("device_check", lambda m: m.check_devices(X, LAYER), "takes the model first and then a batch"),
    ("early_stopping", lambda m: m.EarlyStopping(5), "write patience=5"),
    ("early_stopping", lambda m: m.EarlyStopping(mode="accuracy"), 'must be "min"'),
    ("early_stopping", lambda m: m.EarlyStopping(patience=0), "patience must be at least 1"),
    ("early_stopping", lambda m: m.EarlyStopping(min_delta=-1.0), "min_delta at least 0"),
    ("early_stopping", lambda m: m.EarlyStopping().restore_best(), "no state was kept"),
    ("early_stopping", lambda m: m.EarlyStopping(LAYER).restore_best(), "no state was kept"),
    ("gradient_report", lambda m: m.gradient_report(X), r"takes the model, after loss\.backward\(\), not a Tensor"),
    ("graph_inspection", lambda m: m.inspect_graph(1.5), "takes a tensor such as the loss, not a float"),
    ("graph_inspection", lambda m: m.unreached_parameters(LAYER, X), "takes the loss and then the model, not a Linear"),
    ("lr_range_test", lambda m: m.lr_range_test(LAYER, iter([]), nn.MSELoss()), "a generator can be read only once"),
    ("mixed_precision", lambda m: m.mixed_precision_step(nn.ReLU(), X, None, None), "nothing to train"),
    ("mixed_precision", lambda m: m.mixed_precision_step(nn.Linear(2, 2).half(), X, None, None), "keep them float32"),
    ("mixed_precision", lambda m: m.mixed_precision_step(LAYER, X, None, None, dtype=X.dtype), "dtype must be"),
    ("mixed_precision", lambda m: m.mixed_precision_step(LAYER, X, None, None, dtype=torch.half), "needs a scaler"),
    ("model_summary", lambda m: m.summarize([LAYER]), "takes an nn.Module, not a list"),
    ("nan_guard", lambda m: m.nan_guard(X).__enter__(), "takes an eager nn.Module, not a Tensor"),
    ("profiler_recipe", lambda m: m.profile_step(X), "profile_step calls a function"),
    ("profiler_recipe", lambda m: m.profile_step(lambda: 1 / 0, steps=0), "at least 1"),
    ("profiler_recipe", lambda m: m.profile_step(lambda: 1 / 0, trace="missing/step.json"), "create it first"),
    ("reproducibility", lambda m: m.seed_everything(-1), "must be a whole number from 0"),
    ("reproducibility", lambda m: m.seed_everything(2**32), "must be a whole number from 0"),
    ("reproducibility", lambda m: m.seed_everything(1.5), "must be a whole number from 0"),
    ("reproducibility", lambda m: m.same_twice(lambda: None), r"run\(\) returned None"),
    ("reproducibility", lambda m: m.same_twice([1]), "without arguments, not a list"),
    ("reproducibility", lambda m: m.seed_worker(0), "pass it as worker_init_fn"),
    ("shape_tracer", lambda m: m.trace_shapes(X, LAYER), "takes an eager nn.Module and then its inputs, not a Tensor"),
    ("timer", lambda m: m.time_step(X), r"time_step\(lambda: model\(images\)\), not a Tensor"),
    ("timer", lambda m: m.time_step(print, repeats=0), "at least 1"),
]


@pytest.mark.parametrize(("snippet", "call", "says"), WRONG)
def test_wrong_arguments_get_a_clear_error(snippet, call, says):
    with pytest.raises((FileNotFoundError, RuntimeError, TypeError, ValueError), match=says):
        call(load(snippet))
