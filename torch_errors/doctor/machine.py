"""Facts from a machine and the environment of an interpreter. torch is not imported: it may be what is broken."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import PathDistribution
from math import ceil
from pathlib import Path

from torch_errors.doctor import libraries
from torch_errors.doctor.facts import Facts
from torch_errors.doctor.interpreter import Interpreter

SECONDS = 5  # timeout of each program
SMALL = 2**30  # size of /dev/shm in bytes from which on nothing is said
QUERY = ["--query-gpu=driver_version,compute_cap,name,uuid", "--format=csv,noheader"]
# Packages whose requirements are checked, and the requirements of them that count.
CHECKED = ("torch", "torchvision", "torchaudio", "torchcodec", "xformers", "vllm", "torch_npu", "torch_directml")
REQUIRED = {"torch", "torchvision", "torchaudio", "triton", "numpy"}
# Packages whose versions a report lists.
LISTED = ("numpy", "torch_npu", "torchvision", "torchaudio", "triton", "transformers", "accelerate", "lightning")
NVIDIA = re.compile(r"nvidia-|cuda-toolkit", re.ASCII)
DLLS = ("vcruntime140.dll", "msvcp140.dll", "vcruntime140_1.dll")


def run_program(command: Sequence[str]) -> str | None:
    """Return what a program prints, or None if it is missing or does not end in time."""
    program = shutil.which(command[0])
    if not program:
        return None
    try:
        done = subprocess.run(
            [program, *command[1:]], capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout + done.stderr


@dataclass(frozen=True)
class Machine:
    """What the probes look at; tests put a folder in place of the root, and another environment."""

    root: Path = Path("/")
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    folder: Path = field(default_factory=Path.cwd)  # the folder that the user's script is in
    run: Callable[[Sequence[str]], str | None] = run_program

    def read(self, path: str) -> str:
        """Return the text of a file below the root, or an empty text."""
        with suppress(OSError):
            return (self.root / path).read_text(encoding="utf-8", errors="replace")
        return ""

    def exists(self, *paths: str) -> str | None:
        """Return the first of these paths that exists."""
        return next((path for path in paths if any(self.root.glob(path))), None)


@dataclass(frozen=True)
class Package:
    """A package that is installed, by the name and version of its metadata."""

    version: str
    metadata: Path

    @property
    def installer(self) -> str:
        return (PathDistribution(self.metadata).read_text("INSTALLER") or "").strip()

    @property
    def requirements(self) -> list[str]:
        return PathDistribution(self.metadata).requires or []


def look(interpreter: Interpreter, machine: Machine) -> tuple[Facts, str]:
    """Return the facts, and the messages of programs that failed."""
    facts = Facts()
    _system(facts, interpreter, machine)
    packages = installed(interpreter.paths)
    torch = _torch(facts, interpreter, machine, packages)
    message = _gpus(facts, machine)
    _variables(facts, machine, message[1])
    _limits(facts, interpreter, machine)
    if torch:
        _requirements(facts, interpreter, packages)
        libraries.architectures(facts, torch)
        if interpreter.system == "linux":
            folders = [Path(part) for part in machine.environment.get("LD_LIBRARY_PATH", "").split(":") if part]
            libraries.library_path(facts, folders, torch.parent)
            if facts.values.get("kernel_driver"):
                libraries.driver_libraries(facts, folders, machine.run(["ldconfig", "-p"]) or "")
    return facts, message[0]


def _system(facts: Facts, interpreter: Interpreter, machine: Machine) -> None:
    executable = interpreter.executable
    for name in ("system", "machine", "libc", "glibc", "macos"):
        facts.put(name, getattr(interpreter, name), executable)
    if distribution := re.search(r'^PRETTY_NAME="?([^"\n]{1,60})', machine.read("etc/os-release"), re.MULTILINE):
        facts.put("distribution", distribution[1], "/etc/os-release")
    facts.put("python", interpreter.version, executable)
    facts.put("python_bits", str(interpreter.bits), executable)
    facts.put("wants_mps", "yes" if interpreter.system == "macos" else "no", None)
    if interpreter.system == "windows":
        facts.put("windows_arm", "yes" if interpreter.machine == "ARM64" else "no", executable)
        folder = Path(machine.environment.get("SYSTEMROOT", r"C:\Windows"), "System32")
        missing = [name for name in DLLS if not (folder / name).is_file()]
        facts.put("dll_missing", ", ".join(missing[: 2 if interpreter.machine == "ARM64" else 3]), str(folder))
    kernel = machine.read("proc/sys/kernel/osrelease").strip()
    if "microsoft" in kernel.lower():
        facts.put("wsl", "1" if kernel.startswith("4.4.0") else "2", f"/proc/sys/kernel/osrelease: {kernel}")
        package = machine.exists("var/lib/dpkg/info/libnvidia-compute-*.list", "var/lib/dpkg/info/nvidia-utils-*.list")
        facts.put("wsl_package", package or "", package)
    tegra = machine.exists("etc/nv_tegra_release") or ("-tegra" in kernel and kernel)
    if tegra:
        facts.put("jetson", "yes", tegra)
    mark = machine.exists(".dockerenv", "run/.containerenv")
    facts.put("container", "yes" if mark else "no", mark)


def installed(paths: Sequence[str]) -> dict[str, list[Package]]:
    """Return the packages on a search path by their normalized names, in the order in which they are found."""
    found: dict[str, list[Package]] = {}
    for path in dict.fromkeys(paths):
        with suppress(OSError):
            for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
                name, dash, version = entry.name.removesuffix(".dist-info").partition("-")
                if dash and entry.name.endswith(".dist-info"):
                    package = Package(version, Path(entry.path))
                    found.setdefault(re.sub(r"[-_.]+", "_", name).lower(), []).append(package)
    return found


def _torch(
    facts: Facts, interpreter: Interpreter, machine: Machine, packages: Mapping[str, list[Package]]
) -> Path | None:
    """Add what is known of the copy of torch that would be imported, and of others. Returns its folder."""
    for path in (machine.folder / "torch.py", machine.folder / "torch" / "__init__.py"):
        if path.is_file() and not path.with_name("version.py").is_file():
            facts.put("shadow", str(path.relative_to(machine.folder)), str(path))
    files = [Path(entry, "torch", "version.py") for entry in dict.fromkeys(interpreter.paths)]
    copies = [path for path in files if path.is_file()]
    if not copies:
        facts.put("torch_missing", "yes", interpreter.executable)
        facts.put("torch_not_found", "yes", None)
        _other_environment(facts, interpreter, machine)
        return None
    torch = copies[0].parent
    told = literals(copies[0])
    version = told.get("__version__") or ""
    facts.put("torch", version, str(copies[0]))
    facts.put("listed_torch", version, str(copies[0]))
    kinds = {"cuda": "cuda", "rocm": "rocm", "hip": "rocm", "xpu": "xpu"}
    built = next((kind for name, kind in kinds.items() if told.get(name)), "cpu")
    facts.put("built", built if interpreter.system != "macos" else "mps", str(copies[0]))
    facts.put("cuda", told.get("cuda") or "", str(copies[0]))
    facts.put("rocm", told.get("rocm") or told.get("hip") or "", str(copies[0]))
    _copies(facts, interpreter, copies, packages)
    for name in ("torchvision", "torchaudio"):
        file = torch.parent / name / "version.py"
        facts.put(f"listed_{name}", literals(file).get("__version__") or "", str(file))
    for name in LISTED:
        for package in packages.get(name, [])[:1]:
            facts.put(f"listed_{name}", package.version, str(package.metadata))
    for package in packages.get("torch", [])[:1]:
        wheel = PathDistribution(package.metadata).read_text("WHEEL") or ""
        if (tag := re.search(r"manylinux_2_(\d{1,2})_", wheel)) and interpreter.libc == "glibc":
            facts.put("glibc_needed", f"2.{tag[1]}", str(package.metadata / "WHEEL"))
            facts.put("glibc_checked", "yes", None)
        facts.put("manager", package.installer, None)
    return torch


def _copies(
    facts: Facts, interpreter: Interpreter, copies: Sequence[Path], packages: Mapping[str, list[Package]]
) -> None:
    """Add copies of torch that can hide each other, or whose files mix."""
    facts.put("copies_searched", "yes", None)
    folder = copies[0].parents[1]
    # A virtual environment that sees the packages of the system hides their copy on purpose.
    venv = interpreter.prefix != interpreter.base_prefix and folder.is_relative_to(interpreter.prefix)
    others = [path for path in copies[1:] if not (venv and not path.is_relative_to(interpreter.prefix))]
    shown = [f"{path.parents[1]} ({literals(path).get('__version__')})" for path in (copies[0], *others)]
    if others and interpreter.user_site and folder == Path(interpreter.user_site):
        facts.put("user_site_copy", shown[1], " and ".join(shown))
    elif others:
        facts.put("copies_apart", shown[1], " and ".join(shown))
    here = [package for package in packages.get("torch", []) if package.metadata.parent == folder]
    conda = sorted(Path(interpreter.prefix, "conda-meta").glob("pytorch-[0-9]*.json"))
    version = (literals(copies[0]).get("__version__") or "").partition("+")[0]
    if len(here) > 1 or (conda and here and here[0].installer in ("pip", "uv")):
        facts.put("copies", "yes", " and ".join(str(path) for path in (*(one.metadata for one in here), *conda)))
    elif here and here[0].version.partition("+")[0] != version:
        facts.put("copies", "yes", f"{here[0].metadata} and {copies[0]} ({version})")


def _other_environment(facts: Facts, interpreter: Interpreter, machine: Machine) -> None:
    """Add an environment with torch that is active, or lies in the folder, while another interpreter runs."""
    active = [machine.environment.get(name) or interpreter.prefix for name in ("VIRTUAL_ENV", "CONDA_PREFIX")]
    for folder in (*map(Path, active), machine.folder / ".venv", machine.folder / "venv"):
        if folder.resolve() == Path(interpreter.prefix).resolve():
            continue
        if any(folder.glob("[Ll]ib/**/site-packages/torch/version.py")):
            facts.put("environment_other", str(folder), f"{folder} has torch; {interpreter.executable} has not")


def literals(path: Path) -> dict[str, str | None]:
    """Return the texts that a file such as `torch/version.py` assigns to names, without running it."""
    found: dict[str, str | None] = {}
    with suppress(OSError, SyntaxError, ValueError):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            value = getattr(node, "value", None)
            if isinstance(value, ast.Constant) and isinstance(targets[0], ast.Name):
                found[targets[0].id] = value.value if isinstance(value.value, str) else None
    return found


def _requirements(facts: Facts, interpreter: Interpreter, packages: Mapping[str, list[Package]]) -> None:
    """Add requirements that installed packages state and that are not met."""
    from packaging.markers import default_environment
    from packaging.requirements import InvalidRequirement, Requirement

    minor = ".".join(interpreter.version.split(".")[:2])
    environment = {name: str(value) for name, value in default_environment().items()}
    environment |= {"extra": "", "python_version": minor, "python_full_version": interpreter.version}
    missing: list[str] = []
    for name in CHECKED:
        for package in packages.get(name, [])[:1]:
            for text in package.requirements:
                try:
                    requirement = Requirement(text)
                    applies = not requirement.marker or requirement.marker.evaluate(environment)
                except (InvalidRequirement, ValueError):
                    continue
                required = re.sub(r"[-_.]+", "_", requirement.name).lower()
                there = packages.get(required)
                place = str(package.metadata / "METADATA")
                if not applies:
                    continue
                if not there and name == "torch" and NVIDIA.match(requirement.name) and package.installer != "conda":
                    missing.append(requirement.name)
                elif there and required in REQUIRED and not requirement.specifier.contains(there[0].version, True):
                    kind = "torchvision_requires" if name == "torchvision" else "broken_requirement"
                    facts.put(kind, text.partition(";")[0], place)
                    facts.put("broken_package", f"{name} {package.version}", place)
                    facts.put("broken_present", f"{requirement.name} {there[0].version}", str(there[0].metadata))
    facts.put("libraries_missing", ", ".join(missing[:6]), "Requires-Dist of torch")
    facts.put("libraries_ok", "" if missing else "yes", None)


def _gpus(facts: Facts, machine: Machine) -> tuple[str, list[str]]:
    """Add GPUs and driver. Returns the message of an nvidia-smi that failed, and the UUIDs of the GPUs."""
    version = re.search(r"Kernel Module +(?:for \S+ +)?(\d{3}\.[\d.]+)", machine.read("proc/driver/nvidia/version"))
    if version:
        facts.put("kernel_driver", version[1], "/proc/driver/nvidia/version")
    printed = machine.run(["nvidia-smi", *QUERY]) or ""
    rows = [row for line in printed.splitlines() if len(row := [cell.strip() for cell in line.split(",")]) == 4]
    rows = [row for row in rows if re.match(r"\d{3}\.\d", row[0])]
    if rows:
        facts.put("driver", rows[0][0], "nvidia-smi")
        facts.put("gpu", rows[0][2], "nvidia-smi")
        facts.put("gpu_count", str(len(rows)), "nvidia-smi")
        facts.put("capability", " ".join(dict.fromkeys(row[1].replace(".", "") for row in rows)), "nvidia-smi")
    facts.put("driver", version[1] if version else "", "/proc/driver/nvidia/version")
    for path in machine.root.glob("proc/driver/nvidia/gpus/*/information"):
        model = re.search(r"Model:[ \t]+(.+)", machine.read(str(path.relative_to(machine.root))))
        facts.put("gpu", model[1] if model else "", str(path))
    bus = next((path for path in _pci(machine, "0x10de")), None)
    device = machine.exists("dev/nvidia[0-9]*", "dev/nvidiactl") or (machine.exists("usr/lib/wsl/lib/libcuda.so.1"))
    found = "nvidia-smi" if rows else f"/{device}" if device else bus
    facts.put("nvidia_device", "yes" if found else "no", found)
    if bus and not device and not rows:
        facts.put("container_gpu" if facts.values["container"] == "yes" else "gpu_driver", "none", bus)
    for path in machine.root.glob("sys/class/kfd/kfd/topology/nodes/*/properties"):
        target = re.search(r"gfx_target_version (\d+)", machine.read(str(path.relative_to(machine.root))))
        if target and int(target[1]):
            number = int(target[1])
            facts.put("gfx", f"gfx{number // 10000}{number // 100 % 100:x}{number % 100:x}", str(path))
    if facts.values.get("built") == "xpu" and not machine.exists("dev/dri/renderD*", "dev/dxg"):
        facts.put("xpu_devices", "none", "/dev/dri")
    facts.put("gpu", facts.values.get("gfx", ""), None)
    return ("" if rows else printed), [row[3] for row in rows]


def _pci(machine: Machine, vendor: str) -> Iterator[str]:
    """Return display controllers of a vendor on the PCI bus."""
    for path in machine.root.glob("sys/bus/pci/devices/*"):
        name = str(path.relative_to(machine.root))
        if machine.read(f"{name}/vendor").strip() == vendor and machine.read(f"{name}/class").startswith("0x03"):
            yield f"/{name}"


def _variables(facts: Facts, machine: Machine, uuids: Sequence[str]) -> None:
    """Add what environment variables hide or set."""
    name = "CUDA_VISIBLE_DEVICES"
    value = machine.environment.get(name)
    count = int(facts.values.get("gpu_count", 0))
    if value is not None:
        first = value.split(",")[0].strip()
        known = not first.isdecimal() or not count or int(first) < count
        if first.startswith("GPU-") and uuids:
            known = any(uuid.startswith(first) for uuid in uuids)
        if not first or first.startswith("-") or not known:
            facts.put("visible_hides", f"{name}={value}", f"{name}={value!r}")
    facts.put("visible_ok", "" if "visible_hides" in facts.values else "yes", None)
    if machine.environment.get("OMP_NUM_THREADS"):
        facts.put("threads_set", "yes", "OMP_NUM_THREADS")


def _limits(facts: Facts, interpreter: Interpreter, machine: Machine) -> None:
    """Add the size of shared memory and the quota of CPUs."""
    if interpreter.system != "linux":
        return
    with suppress(OSError):
        status = os.statvfs(machine.root / "dev/shm")
        size = status.f_frsize * status.f_blocks
        shown = f"{size / 2**30:.1f} GiB" if size >= SMALL else f"{size // 2**20} MiB"
        facts.put("shm", "small" if size < SMALL else "large", f"/dev/shm: {shown}")
        facts.put("shm_free", shown, "/dev/shm")
    facts.put("cpus", str(os.cpu_count() or 1), "/proc/cpuinfo")
    quota = _quota(machine)
    if quota:
        facts.put("cpu_quota", str(ceil(quota)), "cpu.max of the cgroup")
    facts.put("cpu_ok", "yes" if not quota or quota * 2 > int(facts.values["cpus"]) else "", None)


def _quota(machine: Machine) -> float | None:
    """Return how many CPUs the cgroup of this process may use, of version 2 or 1, or None if there is no limit."""
    groups = dict(
        line.split(":", 2)[1:] for line in machine.read("proc/self/cgroup").splitlines() if line.count(":") > 1
    )
    for folder in ("sys/fs/cgroup" + groups.get("", ""), "sys/fs/cgroup"):
        quota, _, period = machine.read(f"{folder}/cpu.max").strip().partition(" ")
        if quota.isdecimal() and period.isdecimal():
            return int(quota) / int(period)
    for folder in ("sys/fs/cgroup/cpu" + groups.get("cpu", ""), "sys/fs/cgroup/cpu"):
        quota, period = (machine.read(f"{folder}/cpu.cfs_{name}_us").strip() for name in ("quota", "period"))
        if quota.isdecimal() and period.isdecimal():
            return int(quota) / int(period)
    return None
