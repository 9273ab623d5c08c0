"""The callbacks for frameworks, and findings as warnings and log records."""

from __future__ import annotations

import logging
import subprocess
import sys
import warnings
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.data import DataLoader

import torch_errors.callbacks
from tests.conftest import ROOT
from torch_errors.watching.detector import Finding
from torch_errors.watching.session import Session, Settings, WatchWarning
from torch_errors.watching.watch import start

FOUND = "gradient-explosion"
ROWS, LABELS = torch.linspace(-1, 1, 64).reshape(16, 4), torch.arange(16) % 4
SEEN = "the loss computes a log-softmax from probabilities"


class Classifier(nn.Module):
    """Has a softmax before the cross entropy."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4), nn.Softmax(1))

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        logits = self.layers(inputs)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


def fail(self, inputs, labels):
    raise KeyError("logits")


def step():
    Classifier()(ROWS, LABELS)["loss"].backward()


def test_findings_as_warnings_at_the_line_of_the_program(capsys):
    with pytest.warns(WatchWarning, match=SEEN) as caught, torch_errors.watch(report="warnings"):
        step()
    [warning] = caught
    assert warning.filename == __file__ and warning.lineno == step.__code__.co_firstlineno + 1
    assert "smallest fix: Remove the softmax" in str(warning.message) and capsys.readouterr().err == ""
    with warnings.catch_warnings(), pytest.raises(WatchWarning), torch_errors.watch(report="warnings"):
        warnings.simplefilter("error", WatchWarning)
        step()
    assert not nn.modules.module._has_any_global_hook()


def test_findings_as_log_records(caplog, capsys):
    with caplog.at_level(logging.INFO, "torch_errors"), torch_errors.watch(report="logging"):
        step()
    finding, *summary = caplog.records
    assert finding.levelname == "WARNING" and SEEN in finding.getMessage()
    assert vars(finding)["finding"]["id"] == "softmax-before-cross-entropy"
    assert [record.levelname for record in summary] == ["INFO"] * 2 and capsys.readouterr().err == ""
    assert "watched 0 optimizer steps and 1 backward pass" in summary[0].getMessage()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("framework", "argument"),
    [("", "clip_grad_norm_("), ("transformers", "TrainingArguments("), ("lightning", "gradient_clip_val")],
)
def test_the_fix_is_an_argument_of_the_framework(catalog, framework, argument, language):
    session = Session(Settings(language, catalog.root))
    fix = session.fix_of(Finding(FOUND, "strong", "", 0, 0, {}, framework=framework))
    assert fix and argument in fix


def test_importing_the_callbacks_imports_no_framework():
    code = "import sys, torch_errors.callbacks; print({'torch', 'transformers', 'lightning'} & {*sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "set()\n"
    with pytest.raises(AttributeError, match="KerasCallback"):
        _ = torch_errors.callbacks.KerasCallback


def test_transformers(tmp_path, capsys):
    transformers = pytest.importorskip("transformers")
    from torch_errors.callbacks import TransformersCallback

    def train(callback, **options):
        arguments = transformers.TrainingArguments(
            tmp_path, max_steps=4, use_cpu=True, report_to=[], save_strategy="no", disable_tqdm=True, **options
        )
        data = [{"inputs": row, "labels": label} for row, label in zip(ROWS, LABELS, strict=True)]
        transformers.Trainer(Classifier(), arguments, train_dataset=data, callbacks=[callback]).train()

    check_callback(TransformersCallback, train, "transformers", capsys)


def test_lightning(capsys):
    lightning: Any = pytest.importorskip("lightning")
    from torch_errors.callbacks import LightningCallback

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = Classifier()

        def training_step(self, batch, n):
            return self.model(*batch)["loss"]

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    def train(callback):
        quiet = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
        trainer = lightning.Trainer(max_steps=4, accelerator="cpu", callbacks=[callback], **quiet)
        trainer.fit(Module(), DataLoader([*zip(ROWS, LABELS, strict=True)], 4))

    check_callback(LightningCallback, train, "lightning", capsys)


def check_callback(callback_class, train, framework, capsys):
    """A callback watches a training once, also after one that failed, and only if nothing else watches."""
    callback = callback_class()
    train(callback)
    [finding] = callback.findings
    assert (finding.id, finding.framework) == ("softmax-before-cross-entropy", framework)
    printed = capsys.readouterr().err
    assert printed.count(SEEN) == 1 and "watched 4 optimizer steps and 4 backward passes" in printed
    assert not nn.modules.module._has_any_global_hook()
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyError):
        patch.setattr(Classifier, "forward", fail)
        train(callback)
    train(callback)
    assert len(callback.findings) == 1 and not nn.modules.module._has_any_global_hook()
    capsys.readouterr()
    watching = start(ignore=["softmax-before-cross-entropy"])
    train(callback_class())
    watching.finish()
    assert SEEN not in capsys.readouterr().err and len(watching.suppressed) == 1
