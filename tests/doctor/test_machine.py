"""Faults planted on a machine are found, and what is right is not accused. Folders stand in for a machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from torch_errors.doctor.answer import diagnosis_text, report_text
from torch_errors.doctor.diagnosis import Diagnosis, diagnose, diagnose_report
from torch_errors.doctor.facts import conclude
from torch_errors.doctor.interpreter import Interpreter, other_interpreter, this_interpreter
from torch_errors.doctor.machine import Machine, look
from torch_errors.doctor.rules import load_rules
from torch_errors.explaining.explain import explain
from torch_errors.prompting.redaction import redact

SMI = "580.82.07, 8.6, NVIDIA GeForce RTX 3090, GPU-aaaa-bbbb\n"
ARCHITECTURES = b"\0".join([b"x" * 50, b"sm_75 sm_80 sm_86 sm_90 sm_100 sm_120 ", b"x"])


@dataclass
class Planted:
    """A machine and an environment in a folder, healthy at first."""

    folder: Path
    interpreter: Interpreter = field(init=False)
    environment: dict[str, str] = field(default_factory=dict)
    smi: str = SMI

    def __post_init__(self) -> None:
        for name in (
            "env/site-packages",
            "work",
            "root/dev/shm",
            "root/proc/driver/nvidia",
            "root/sys/bus/pci/devices",
        ):
            (self.folder / name).mkdir(parents=True)
        self.interpreter = replace(
            this_interpreter(),
            executable=str(self.folder / "env/bin/python"),
            version="3.12.4",
            system="linux",
            machine="x86_64",
            libc="glibc",
            glibc="2.35",
            macos="",
            prefix=str(self.folder / "env"),
            base_prefix="/usr",
            paths=(str(self.site), str(self.folder / "user")),
            user_site=str(self.folder / "user"),
        )
        self.torch("2.9.1", "cu130", "13.0")
        self.package("torchvision", "0.24.1", ["torch (==2.9.1)"], "cu130")
        self.package("numpy", "2.3.1")
        self.file("env/site-packages/torch/lib/libtorch_python.so", ARCHITECTURES)
        self.file("root/dev/nvidia0")
        self.file("root/proc/driver/nvidia/version", b"NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.82.07  x\n")

    @property
    def site(self) -> Path:
        return self.folder / "env/site-packages"

    def file(self, name: str, content: bytes = b"") -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def torch(
        self, version: str, variant: str, cuda: str | None, where: str = "env/site-packages", **told: str
    ) -> None:
        assigned = {"cuda": cuda, "hip": None, "xpu": None, **told}
        lines = [f"__version__ = '{version}+{variant}'", *(f"{name} = {value!r}" for name, value in assigned.items())]
        self.file(f"{where}/torch/version.py", "\n".join(lines).encode())
        self.file(f"{where}/torch/__init__.py")
        for old in (self.folder / where).glob("torch-*.dist-info"):
            (old / "METADATA").unlink()
            (old / "INSTALLER").unlink()
            old.rmdir()
        self.package("torch", version, where=where)

    def package(
        self, name: str, version: str, requires: Sequence[str] = (), variant: str = "", where: str = "env/site-packages"
    ) -> None:
        lines = [
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}",
            *(f"Requires-Dist: {one}" for one in requires),
        ]
        self.file(f"{where}/{name}-{version}.dist-info/METADATA", "\n".join(lines).encode())
        self.file(f"{where}/{name}-{version}.dist-info/INSTALLER", b"pip\n")
        if variant:
            self.file(f"{where}/{name}/version.py", f"__version__ = '{version}+{variant}'\n".encode())

    def run(self, command: Any) -> str | None:
        return self.smi if command[0] == "nvidia-smi" else ""

    def diagnose(self) -> Diagnosis:
        machine = Machine(self.folder / "root", self.environment, self.folder / "work", self.run)
        rules = load_rules("en")
        facts, message = look(self.interpreter, machine)
        conclude(facts, rules["facts"], message)
        return diagnose(facts, rules, explain(message, ROOT))

    def found(self) -> list[str]:
        return [finding.id for finding in self.diagnose().findings if finding.id not in OF_THE_HOST]


# What the machine of these tests may have: its memory and CPUs are not stand-ins.
OF_THE_HOST = {"shm-small", "cgroup-cpu-limit"}


@pytest.fixture
def planted(tmp_path: Path) -> Planted:
    return Planted(tmp_path)


def test_healthy_machine_is_not_accused(planted: Planted) -> None:
    diagnosis = planted.diagnose()
    assert planted.found() == []
    text = diagnosis_text(diagnosis)
    for said in ("driver 580.82.07 runs CUDA 13.0", "has code for the GPU (sm_86)", "NumPy 2.3.1 works", "one copy"):
        assert said in text


def cpu_wheel(planted: Planted) -> None:
    planted.torch("2.9.1", "cpu", None)
    planted.package("torchvision", "0.24.1", variant="cpu")


def cpu_wheel_without_nvidia_smi(planted: Planted) -> None:
    cpu_wheel(planted)
    planted.smi = ""


def old_driver(planted: Planted) -> None:
    planted.smi = SMI.replace("580.82.07", "535.183.01")
    planted.file("root/proc/driver/nvidia/version", b"NVRM version: NVIDIA UNIX Kernel Module  535.183.01  x\n")


def old_gpu(planted: Planted) -> None:
    planted.smi = SMI.replace("8.6", "6.1").replace("RTX 3090", "GTX 1080")


def two_copies(planted: Planted) -> None:
    planted.package("torch", "2.6.0")


def copy_of_the_user(planted: Planted) -> None:
    planted.torch("1.13.1", "cu117", "11.7", "user")
    planted.interpreter = replace(planted.interpreter, paths=tuple(reversed(planted.interpreter.paths)), prefix="/usr")


def copy_on_pythonpath(planted: Planted) -> None:
    planted.torch("2.6.0", "cu124", "12.4", "lib")
    planted.interpreter = replace(
        planted.interpreter, paths=(str(planted.folder / "lib"), *planted.interpreter.paths), prefix="/usr"
    )


def numpy_2(planted: Planted) -> None:
    planted.torch("2.2.2", "cu121", "12.1")
    planted.package("torchvision", "0.17.2", ["torch (==2.2.2)"], "cu121")
    (planted.site / "torchvision-0.24.1.dist-info/METADATA").write_text("Name: torchvision\n")


def other_torchvision(planted: Planted) -> None:
    (planted.site / "torchvision-0.24.1.dist-info/METADATA").write_text("Requires-Dist: torch (==2.8.0)\n")


def other_family(planted: Planted) -> None:
    planted.package("torchvision", "0.24.1", variant="cpu")


def xformers(planted: Planted) -> None:
    planted.package("xformers", "0.0.27", ["torch (==2.3.1)"])


def local_torch(planted: Planted) -> None:
    planted.file("work/torch.py")


def local_folder(planted: Planted) -> None:
    planted.file("work/torch/__init__.py")


def variable(value: str) -> Callable[[Planted], None]:
    def plant(planted: Planted) -> None:
        planted.environment["CUDA_VISIBLE_DEVICES"] = value

    return plant


def other_cudnn(planted: Planted) -> None:
    planted.file("env/site-packages/nvidia/cudnn/lib/libcudnn.so.9", b"wheel")
    planted.file("opt/cudnn/libcudnn.so.9", b"another")
    planted.environment["LD_LIBRARY_PATH"] = str(planted.folder / "opt/cudnn")


def missing_package(planted: Planted) -> None:
    metadata = planted.site / "torch-2.9.1.dist-info/METADATA"
    metadata.write_text("Name: torch\nRequires-Dist: nvidia-cudnn-cu13 (==9.13.0.50)\n")


def without_torch(planted: Planted) -> None:
    planted.interpreter = replace(planted.interpreter, paths=(str(planted.folder / "empty"),))


def inactive_environment(planted: Planted) -> None:
    without_torch(planted)
    planted.torch("2.9.1", "cpu", None, "work/.venv/lib/python3.12/site-packages")


def musl(planted: Planted) -> None:
    without_torch(planted)
    planted.interpreter = replace(planted.interpreter, libc="musl", glibc="")


def of_32_bits(planted: Planted) -> None:
    without_torch(planted)
    planted.interpreter = replace(planted.interpreter, bits=32)


def old_python(planted: Planted) -> None:
    without_torch(planted)
    planted.interpreter = replace(planted.interpreter, version="3.8.10")


def old_glibc(planted: Planted) -> None:
    planted.file("env/site-packages/torch-2.9.1.dist-info/WHEEL", b"Tag: cp312-cp312-manylinux_2_28_x86_64\n")
    planted.interpreter = replace(planted.interpreter, glibc="2.17")


def container(planted: Planted) -> None:
    driver_missing(planted)
    planted.file("root/.dockerenv")


def driver_missing(planted: Planted) -> None:
    planted.smi = ""
    (planted.folder / "root/dev/nvidia0").unlink()
    (planted.folder / "root/proc/driver/nvidia/version").unlink()
    planted.file("root/sys/bus/pci/devices/0000:01:00.0/vendor", b"0x10de\n")
    planted.file("root/sys/bus/pci/devices/0000:01:00.0/class", b"0x030000\n")


def amd(planted: Planted) -> None:
    planted.smi = ""
    (planted.folder / "root/dev/nvidia0").unlink()
    planted.file("root/sys/class/kfd/kfd/topology/nodes/1/properties", b"simd_count 96\ngfx_target_version 110000\n")


def unsupported_amd(planted: Planted) -> None:
    amd(planted)
    planted.torch("2.9.1", "rocm6.4", None, hip="6.4.43484")
    planted.package("torchvision", "0.24.1", variant="rocm6.4")
    planted.file("env/site-packages/torch/lib/libtorch_python.so", b"x" * 90 + b"\0gfx900;gfx906;gfx1030\0")


def nvml(planted: Planted) -> None:
    planted.smi = "Failed to initialize NVML: Driver/library version mismatch\n"


def wsl_1(planted: Planted) -> None:
    planted.file("root/proc/sys/kernel/osrelease", b"4.4.0-19041-Microsoft\n")


def driver_in_wsl(planted: Planted) -> None:
    planted.file("root/proc/sys/kernel/osrelease", b"5.15.153.1-microsoft-standard-WSL2\n")
    planted.file("root/var/lib/dpkg/info/nvidia-utils-535.list")


PLANTS: list[tuple[Callable[[Planted], None], str]] = [
    (cpu_wheel, "cpu-only-wheel"),
    (cpu_wheel_without_nvidia_smi, "cpu-only-wheel"),
    (old_driver, "driver-too-old"),
    (old_gpu, "gpu-arch-not-in-wheel"),
    (two_copies, "several-torch-copies"),
    (copy_of_the_user, "user-site-copy"),
    (copy_on_pythonpath, "several-torch-copies"),
    (numpy_2, "numpy2-with-old-torch"),
    (other_torchvision, "torchvision-mismatch"),
    (other_family, "mixed-index-builds"),
    (xformers, "requirement-not-met"),
    (local_torch, "shadowed-by-local-torch"),
    (local_folder, "shadowed-by-local-torch"),
    (variable(""), "cuda-visible-devices"),
    (variable("-1"), "cuda-visible-devices"),
    (variable("1"), "cuda-visible-devices"),
    (variable("GPU-cccc"), "cuda-visible-devices"),
    (other_cudnn, "ld-library-path"),
    (missing_package, "nvidia-package-missing"),
    (inactive_environment, "other-python"),
    (musl, "musl"),
    (of_32_bits, "python-32bit"),
    (old_python, "python-without-wheels"),
    (old_glibc, "glibc-too-old"),
    (container, "container-without-gpu"),
    (driver_missing, "driver-missing"),
    (amd, "cuda-wheel-on-amd"),
    (unsupported_amd, "rocm-gpu-not-supported"),
    (nvml, "cuda-unknown-error"),
    (wsl_1, "wsl1"),
    (driver_in_wsl, "wsl-driver"),
]


@pytest.mark.parametrize(("plant", "finding"), PLANTS, ids=[f"{n}-{id}" for n, (_, id) in enumerate(PLANTS)])
def test_plant_is_found(planted: Planted, plant: Callable[[Planted], None], finding: str) -> None:
    plant(planted)
    diagnosis = planted.diagnose()
    assert finding in planted.found()
    [found] = [one for one in diagnosis.findings if one.id == finding]
    assert found.evidence, "a finding says where it was seen"
    told = diagnose_report(redact(report_text(diagnosis))[0])
    assert [one.id for one in told.findings] == [one.id for one in diagnosis.findings]


def no_gpu(planted: Planted) -> None:
    planted.smi = ""
    (planted.folder / "root/dev/nvidia0").unlink()
    (planted.folder / "root/proc/driver/nvidia/version").unlink()


def cpu_wheel_without_gpu(planted: Planted) -> None:
    cpu_wheel(planted)
    no_gpu(planted)


def copy_of_the_system(planted: Planted) -> None:
    """A virtual environment that sees the packages of the system."""
    planted.torch("2.6.0", "cu124", "12.4", "usr/dist-packages")
    planted.interpreter = replace(
        planted.interpreter, paths=(*planted.interpreter.paths, str(planted.folder / "usr/dist-packages"))
    )


def second_gpu(planted: Planted) -> None:
    planted.smi = SMI * 2
    planted.environment["CUDA_VISIBLE_DEVICES"] = "1"


def prefix_of_uuid(planted: Planted) -> None:
    planted.environment["CUDA_VISIBLE_DEVICES"] = "GPU-aaaa"


def newer_minor(planted: Planted) -> None:
    planted.smi = SMI.replace("8.6", "8.9").replace("RTX 3090", "RTX 4090")


def same_cudnn(planted: Planted) -> None:
    other_cudnn(planted)
    planted.file("opt/cudnn/libcudnn.so.9", b"wheel")


def older_cudnn(planted: Planted) -> None:
    """Another major version has another name, and is not loaded."""
    other_cudnn(planted)
    (planted.folder / "opt/cudnn/libcudnn.so.9").rename(planted.folder / "opt/cudnn/libcudnn.so.8")


def source_checkout_elsewhere(planted: Planted) -> None:
    planted.file("work/torch/version.py", b"__version__ = '2.10.0a0+git1234567'\n")
    planted.file("work/torch/__init__.py")


RIGHT = [no_gpu, cpu_wheel_without_gpu, copy_of_the_system, second_gpu, prefix_of_uuid, newer_minor, same_cudnn]
RIGHT += [older_cudnn, source_checkout_elsewhere]


@pytest.mark.parametrize("plant", RIGHT)
def test_what_is_right_is_not_accused(planted: Planted, plant: Callable[[Planted], None]) -> None:
    plant(planted)
    assert planted.found() == []


def test_small_shared_memory(planted: Planted, monkeypatch: pytest.MonkeyPatch) -> None:
    size = os.statvfs(planted.folder)

    def with_blocks(blocks: int) -> Any:
        return lambda path: os.statvfs_result((4096, 4096, blocks, *size[3:]))

    monkeypatch.setattr("torch_errors.doctor.machine.os.statvfs", with_blocks(2**14))
    assert "shm-small" in [finding.id for finding in planted.diagnose().findings]
    monkeypatch.setattr("torch_errors.doctor.machine.os.statvfs", with_blocks(2**21))
    assert "shm-small" not in [finding.id for finding in planted.diagnose().findings]


@pytest.mark.parametrize(
    ("name", "content", "groups"),
    [
        ("sys/fs/cgroup/job/cpu.max", "200000 100000\n", "0::/job\n"),
        ("sys/fs/cgroup/cpu.max", "200000 100000\n", "0::/\n"),
        ("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "200000\n", "1:cpu:/job\n0::/\n"),
    ],
)
def test_quota_of_cpus(planted: Planted, monkeypatch: pytest.MonkeyPatch, name: str, content: str, groups: str) -> None:
    monkeypatch.setattr("torch_errors.doctor.machine.os.cpu_count", lambda: 64)
    assert "cgroup-cpu-limit" not in [finding.id for finding in planted.diagnose().findings]
    planted.file("root/proc/self/cgroup", groups.encode())
    planted.file(f"root/{name}", content.encode())
    planted.file(f"root/{name}".replace("quota", "period"), b"100000\n" if "cfs" in name else content.encode())
    [finding] = [finding for finding in planted.diagnose().findings if finding.id == "cgroup-cpu-limit"]
    assert "2 of 64" in finding.says and "OMP_NUM_THREADS=2" in str(finding.fix)
    planted.environment["OMP_NUM_THREADS"] = "2"
    assert "cgroup-cpu-limit" not in [finding.id for finding in planted.diagnose().findings]


# --- the command ----------------------------------------------------------------------------------------------------


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    program = "from torch_errors.cli import entry_point; entry_point()"
    variables = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    return subprocess.run(
        [sys.executable, "-c", program, "doctor", *arguments], capture_output=True, text=True, env=variables
    )


def test_another_interpreter_is_looked_at(tmp_path: Path) -> None:
    """A virtual environment with metadata of a torch and a NumPy that do not fit."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    site = next((tmp_path / "env").glob("[Ll]ib/**/site-packages"))
    (site / "torch").mkdir()
    (site / "torch/version.py").write_text("__version__ = '2.2.2+cpu'\ncuda = None\n")
    (site / "numpy-2.1.0.dist-info").mkdir()
    python = str(tmp_path / ("env/Scripts/python.exe" if sys.platform == "win32" else "env/bin/python"))
    found = command("--python", python, "--json", "--lang", "en")
    assert found.returncode == 1, found.stderr
    ids = [finding["id"] for finding in json.loads(found.stdout)["findings"]]
    assert "numpy2-with-old-torch" in ids and json.loads(found.stdout)["facts"]["torch"] == "2.2.2+cpu"
    assert other_interpreter(python, os.environ).prefix == str(tmp_path / "env")
    library = "libcudnn.so.9: cannot open shared object file"
    (site / "torch/__init__.py").write_text(f"raise ImportError('{library}: No such file or directory')\n")
    imported = json.loads(command("--python", python, "--import", "--json").stdout)["findings"]
    assert "shared-library-not-found" in [finding["id"] for finding in imported if library in str(finding["evidence"])]


def test_torch_is_not_imported() -> None:
    program = (
        "import sys, io, contextlib\nfrom torch_errors.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()): main(['doctor'])\nprint('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == "False\n"


def test_statuses(tmp_path: Path) -> None:
    report = tmp_path / "report.txt"
    report.write_text("PyTorch version: 2.6.0\nIs CUDA available: True\n")
    assert command(str(report)).returncode == 0
    report.write_text("PyTorch version: 2.6.0+cpu\nIs CUDA available: False\nGPU 0: NVIDIA A40 (UUID: GPU-1)\n")
    found = command(str(report), "--lang", "zh")
    assert found.returncode == 1 and "原因" in found.stdout and "torch-errors show torch-cpu-only-build" in found.stdout
    assert command(str(tmp_path / "missing")).returncode == 2
    assert command("--python", str(tmp_path / "missing")).returncode == 2
    assert command(str(report), "--import").returncode == 2


def test_report_has_no_names(tmp_path: Path) -> None:
    """And `explain` answers it like doctor."""
    (tmp_path / "torch.py").write_text("")
    program = "import os, sys; os.chdir(sys.argv.pop(1)); from torch_errors.cli import entry_point; entry_point()"
    arguments = [sys.executable, "-c", program, str(tmp_path), "doctor", "--report"]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "LD_LIBRARY_PATH": "/home/maria/lib"}
    report = subprocess.run(arguments, capture_output=True, text=True, env=variables).stdout
    assert report.startswith("torch-errors doctor report\n") and "shadow: torch.py" in report and "maria" not in report
    program = "from torch_errors.cli import entry_point; entry_point()"
    again = subprocess.run(
        [sys.executable, "-c", program, "explain", "-", "--lang", "en"],
        capture_output=True, text=True, input=report, env=variables,
    )  # fmt: skip
    assert "torch.py is found before the installed PyTorch" in again.stdout.replace("\n  ", " ")
