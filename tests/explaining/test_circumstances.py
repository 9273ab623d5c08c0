"""The circumstances of a reader are read from texts and choose the advice; tests/site compares the twin of the site."""

from __future__ import annotations

import pytest

from tests.conftest import ROOT
from tests.guide import CATALOG
from torch_errors import explain
from torch_errors.catalog.circumstances import NAMES, OTHER_PLATFORMS, compile_circumstance
from torch_errors.explaining.answer import match_json, matches_text
from torch_errors.explaining.circumstances import FEATURES, READING, chosen, circumstances, lacking, read_text, running
from torch_errors.explaining.explain import Match
from torch_errors.explaining.note import note_for
from torch_errors.explaining.patterns import Variant
from torch_errors.paste.cleaning import clean

# What shows a circumstance, and what is similar but does not.
SHOWN = {
    "ComfyUI": (r'File "D:\AI\ComfyUI\nodes.py", line 3, in f', "I use ComfyUI, too."),
    "AUTOMATIC1111": (r'File "C:\stable-diffusion-webui\launch.py", line 3', "https://webui.example.org/launch"),
    "Kohya": (r'File "D:\kohya_ss\train_network.py", line 3', "LoRA by kohya"),
    "InvokeAI": ('File "/opt/venv/invokeai/app.py", line 3', "invokeai"),
    "text-generation-webui": ('File "/home/u/text-generation-webui/server.py", line 3', "a webui for text generation"),
    "Fooocus": (r'File "D:\Fooocus\modules\core.py", line 3', "Fooocus is nice"),
    "yolo command": ('File "/usr/local/bin/yolo", line 8, in <module>', 'File "/home/u/yolo/train.py", line 8'),
    "Colab": ('File "/content/train.py", line 3', "https://example.org/content/train.py"),
    "Kaggle": ("/kaggle/input/data.csv", "https://www.kaggle.com"),
    "RDNA 4": ("AMD Radeon RX 9070 XT", "9070 samples"),
    "Jetson": ("torch 2.0.0+nv23.05", "torch 2.0.0+cu118"),
    "NPU": ("x = x.to('npu:0')", "cuda, ipu, npu, hpu"),
    "DirectML": ("import torch_directml", "privateuseone, mps, meta"),
    "ROCm": ("torch 2.5.1+rocm6.2", "ROCM used to build PyTorch: N/A HIP runtime version: N/A MIOpen: N/A"),
    "XPU": ("Intel(R) Arc(TM) A770: Arc A770", "[CPU, CUDA, HIP, MPS, IPU, XPU, HPU, Meta]"),
    "MPS": ("device = 'mps'", "cpu, cuda, ipu, xpu, vulkan, mps, meta, hpu"),
    "CUDA": ("NVIDIA GeForce RTX 4090", "torch.cuda.is_available()"),
    "WSL": ("Linux 5.10.102.1-microsoft-standard-WSL2", "/mnt/data/train"),
    "Intel Mac": ("torch-2.2.2-cp311-none-macosx_10_9_x86_64.whl", "macosx_14_0_arm64.whl"),
    "Windows": (r'File "C:\Users\u\train.py", line 3', "loss:\\n wins: 3"),
    "macOS": ('File "/Users/u/train.py", line 3', "https://example.org/Users/u"),
    "Linux": ('File "/home/u/train.py", line 3', "https://example.org/home/u"),
    "multi-GPU": ("on cuda:0 and cuda:6", "cuda:0 and cpu"),
    "autocast": ("with torch.autocast('cuda'):", "broadcasting"),
}
VERSIONS = {
    "torch 1.11": "1.11",
    "PyTorch version: 2.3.1+cu121": "2.3.1",
    "Ultralytics 8.3.49 Python-3.12.7 torch-2.5.1+cu124 CUDA:0": "2.5.1",
    "PyTorch 2.1.0+cu121 (you have 2.0.1)": "2.0.1",
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument": None,
    "(from versions: 2.4.0+cu124, 2.5.1+cu124) ERROR: No matching distribution found for torch==2.9.0": None,
    "it worked with torch 2.0 and fails since torch 2.1": None,
    "I tried 1.13.0+cu117 and 2.0.1+cu118": None,
}
DEVICES = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, {} and {}!"
NO_GPU = "AssertionError: Torch not compiled with CUDA enabled"


def answer(text: str) -> Match:
    return explain(text)[0]


@pytest.mark.parametrize("name", SHOWN)
def test_a_circumstance_is_read_with_what_shows_it(name: str) -> None:
    text, similar = SHOWN[name]
    found = read_text(clean(text).text)
    assert found[name] == name or found[name] in text
    assert name not in read_text(clean(similar).text)


def test_every_name_can_be_read_or_is_a_package() -> None:
    assert READING.keys() == SHOWN.keys()
    assert set(READING) <= set(NAMES)


@pytest.mark.parametrize("text", VERSIONS)
def test_only_a_version_that_is_the_reader_s_own_counts(text: str) -> None:
    assert read_text(text).get("torch") == VERSIONS[text]


def test_there_is_one_platform_and_one_system() -> None:
    found = read_text(r"gfx1100, NVIDIA GeForce RTX 4090, C:\Users\u, /home/u")
    assert {"ROCm", "Windows"} <= found.keys() and not {"CUDA", "Linux"} & found.keys()


def variants(*conditions: str) -> list[Variant]:
    return [Variant(compile_circumstance(condition), None, condition) for condition in conditions]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"Windows": "C:\\"}, "Windows"),
        ({"Windows": "C:\\", "ROCm": "gfx1100"}, "ROCm + Windows"),
        ({"transformers": "transformers", "lightning": "lightning"}, "transformers"),
        ({"lightning": "lightning", "transformers": "transformers"}, "lightning"),
        ({"torch": "2.4.1"}, "torch < 2.5"),
        ({"torch": "2.5.0"}, None),
        ({"torch": "2.10.0"}, None),
        ({}, None),
    ],
)
def test_the_most_special_variant_is_chosen(found: dict[str, str], expected: str | None) -> None:
    given = variants("Windows", "ROCm + Windows", "lightning", "transformers", "torch < 2.5")
    variant = chosen(given, found)
    assert (variant and variant.fix) == expected


def test_the_running_program_outweighs_the_paste() -> None:
    found = circumstances(
        {"Windows": "C:\\", "ROCm": "gfx1100", "torch": "1.11"}, [], {"Linux": "linux", "torch": "2.9"}
    )
    assert "Windows" not in found and found["ROCm"] and found["torch"] == "2.9"


@pytest.mark.parametrize(
    ("text", "words", "reason"),
    [
        (NO_GPU, "Uninstall torch", ()),
        (f"{NO_GPU}\nGPU: AMD Radeon RX 7900 XTX", "ROCm", ("ROCm (Radeon RX)",)),
        (f"{NO_GPU}\nimport torch_npu", "torch_npu", ("NPU (torch_npu)",)),
        (f'  File "/Users/u/train.py", line 3, in f\n    x.cuda()\n{NO_GPU}', "mps", ("macOS (/Users/u)",)),
        (f'  File "D:\\ComfyUI\\nodes.py", line 3, in f\n    x.cuda()\n{NO_GPU}', "README", ("ComfyUI",)),
        (DEVICES.format("cuda:0", "cuda:6"), "model.device", ()),
        (DEVICES.format("cuda:0", "cpu"), "images.to(device)", ()),
        ("CUDA out of memory. Tried to allocate 2.00 MiB\n[sd-scripts/]\nD:\\kohya_ss\\a.py", "Cache text", ("Kohya",)),
    ],
)
def test_the_advice_fits_and_says_why(text: str, words: str, reason: tuple[str, ...]) -> None:
    match = answer(text)
    assert words in (match.fix or "") and match.because == reason
    shown = f"because your paste shows {reason[0]}" if reason else "because your paste"
    assert (shown in matches_text([match])) == bool(reason)
    assert match_json(match)["because"] == list(reason)


def line(code: str, function: str = "step") -> str:
    return f'Traceback (most recent call last):\n  File "/a/train.py", line 3, in {function}\n    {code}\n'


_LOCAL = "AttributeError: Can't pickle local object 'main.<locals>.f'"
# A line of the reader, a message, and words of the fix.
BY_LINE = [
    ("scaler.step(opt)", "TypeError: LBFGS.step() missing 1 required positional argument: 'closure'", "GradScaler"),
    ("opt.step()", "TypeError: LBFGS.step() missing 1 required positional argument: 'closure'", "zero_grad"),
    ("t[0] = 5", "IndexError: invalid index of a 0-dim tensor.", "fill_"),
    ("y = t[0]", "IndexError: invalid index of a 0-dim tensor.", "item()"),
    ("torch.multiprocessing.spawn(f)", _LOCAL, "the process runs"),
    ("for x in DataLoader(data, num_workers=2):", _LOCAL, "num_workers=0"),
]
LINES = [(line(code), message) for code, message, _ in BY_LINE]


@pytest.mark.parametrize(("code", "message", "words"), BY_LINE)
def test_the_reader_s_line_decides(code: str, message: str, words: str) -> None:
    assert words in (answer(line(code) + message).fix or "")


@pytest.mark.parametrize(("function", "expected"), [("validate", True), ("train_one_epoch", False)])
def test_the_functions_of_the_reader_decide(function: str, expected: bool) -> None:
    frames = line("validate(model)", function) + '  File "/a/model.py", line 7, in forward\n    x = self.fc(x)\n'
    message = (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 15.89"
    )
    fix = answer(f"{frames}{message} GiB of which 1.00 GiB is free.").fix or ""
    assert ("no_grad" in fix) == expected


@pytest.mark.parametrize(
    ("fix", "torch", "needed"),
    [
        ("Pass `dynamo=True`.", "1.11.0", "2.5"),
        ("Pass `dynamo=True`.", "2.10.0", None),
        ("Pass `dynamo=True` (torch 2.5 or newer).", "1.11.0", None),
        ("Pass the labels.", "1.11.0", None),
    ],
)
def test_a_fix_that_the_version_lacks_is_noticed(fix: str, torch: str, needed: str | None) -> None:
    assert lacking(fix, {"torch": torch}) == needed
    assert lacking(fix, {}) is None


def test_no_answer_advises_what_the_version_of_the_paste_lacks() -> None:
    """Each fix of the catalog that names a newer feature gives way to one without it, or says what it needs."""
    message = "Exporting the operator 'aten::grid_sampler' to ONNX opset version 11 is not supported."
    old, new = answer(f"{message}\ntorch 1.11"), answer(f"{message}\ntorch 2.9.0")
    assert "dynamo=True" in (new.fix or "") and new.needs is None
    assert "dynamo=True" not in (old.fix or "") or old.needs == "2.5"
    assert {"dynamo=True", "torch.inference_mode"} <= FEATURES.keys()


def test_the_note_knows_the_running_program() -> None:
    found = running()
    assert found["Python"] and {"Linux", "Windows", "macOS"} & found.keys()
    note = note_for(RuntimeError(NO_GPU.partition(": ")[2]))
    assert note and "because this program" not in note  # Linux alone changes nothing here


def test_every_variant_beyond_the_first_ones_has_a_source() -> None:
    rows = [fields for entry in CATALOG for fields in (entry.fields, *getattr(entry.fields, "patterns", []))]
    given = {id(one): one for fields in rows for one in fields.circumstances.values()}
    assert sum(one.source is not None for one in given.values()) >= 50


@pytest.mark.parametrize(
    ("text", "platform"),
    [
        ("RuntimeError: No HIP GPUs are available", "ROCm"),  # named by the message
        ("AssertionError: Torch not compiled with CUDA enabled\n[W] torch_npu", "NPU"),  # named by the advice
        ("C:\\Users\\PC\\a.py\nRuntimeError: No XPU devices are available.", "XPU"),  # advice for Windows
        ("AssertionError: Torch not compiled with CUDA enabled", None),
        ("x = x.to('mps')\nRuntimeError: mat1 and mat2 shapes cannot be multiplied (8x4 and 5x2)", None),  # beside it
    ],
)
def test_answer_about_another_platform_leads_to_its_page(text: str, platform: str | None) -> None:
    match, *_ = explain(text)
    assert match.platform == platform
    assert (OTHER_PLATFORMS in matches_text([match])) == bool(platform)
    assert (ROOT / "troubleshooting-workflows" / f"{OTHER_PLATFORMS}.md").is_file()
