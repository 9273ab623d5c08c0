"""Strong: a variable of the program names a GPU, and after five steps of an optimizer nothing was ever put on one.

As long as CUDA is not initialized, no tensor can be on a GPU. The detector looks for the variable, a `torch.device`, a
string such as "cuda:0" or an argparse option, in the functions that run while the optimizer steps. It is silent where PyTorch
sees no GPU, where the program names none (many small programs run on the CPU on purpose), and for anything but CUDA.
"""

from __future__ import annotations

import argparse
import re
import sys

import torch

from torch_errors.paste.frames import package_of
from torch_errors.watching.detector import Detector

STEPS = 5
GPU = re.compile(r"cuda(:\d+)?")


class Watch(Detector):
    saw = {
        "en": "`{name}` is {device}, but after {steps} optimizer steps nothing has been moved to a GPU: the model is on the CPU",
        "zh": "`{name}` 是 {device}，但优化器更新 {steps} 步之后，GPU 上还没有任何张量：模型仍在 CPU 上",
    }

    unseen = {"broken": "it has no optimizer; tests/watching/test_watching.py has trainings on the CPU"}

    def on_stepped(self, optimizer):
        if torch.cuda.is_initialized() or not torch.cuda.is_available():
            self.finished = True
        elif self.run.steps + 1 >= STEPS:
            self.finished = True
            named = gpu_of_program()
            if named and all(p.device.type == "cpu" for group in optimizer.param_groups for p in group["params"]):
                self.find("strong", name=named[0], device=named[1], steps=STEPS)


def gpu_of_program():
    """Name and value of a variable of the program that is a GPU, in the functions that are running; None without."""
    frame = sys._getframe(1)
    while frame is not None:
        if package_of(frame.f_code.co_filename) is None:
            for name, value in [*frame.f_locals.items(), *frame.f_globals.items()]:
                options = vars(value) if isinstance(value, argparse.Namespace) else {}
                for label, one in [(name, value), *((f"{name}.{key}", option) for key, option in options.items())]:
                    if isinstance(one, (str, torch.device)) and GPU.fullmatch(str(one)):
                        return label, str(one)
        frame = frame.f_back
    return None
