"""The build of the Chinese site beside the English one, and what `mkdocs serve` builds after a change."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort

from torch_errors.catalog.locate import CATALOG_FILE, ENTRIES_FOLDER
from torch_errors.errors import UserError
from torch_errors.languages import CHINESE, in_language
from website.publishing import CONTRIBUTING, FOLDERS, HOME, MAINTAINING
from website.translated import FOLDER

CONFIG = "mkdocs.zh.yml"
# What the modules of the code that makes the sites are called.
MODULES = ("website.", "torch_errors.")
_LOG = logging.getLogger("mkdocs.languages")  # below `mkdocs`: `--strict` counts its warnings


class ChineseBuild:
    """The build of the Chinese site in a process of its own, beside that of the English one.

    It has begun once this is made. `target` is the folder of the Chinese site; it is written there by `finish`.
    """

    def __init__(self, root: Path, target: Path, site_url: str, strict: bool) -> None:
        self.target = target
        self._within = tempfile.TemporaryDirectory(prefix="torch-errors-zh-")
        self._built = Path(self._within.name, FOLDER)
        # The generator that builds the English one: MkDocs, or ProperDocs, under which it is imported by the same name.
        generator = MkDocsConfig.__module__.partition(".")[0]
        command = [sys.executable, "-m", generator, "build", "--config-file", str(root / CONFIG)]
        command += ["--site-dir", str(self._built), *(["--strict"] if strict else [])]
        environment = os.environ | {"SITE_URL": urljoin(site_url, f"{FOLDER}/") if site_url else ""}
        self._log = Path(self._within.name, "log")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, cwd=root, env=environment, stdout=log, stderr=log)

    def finish(self) -> None:
        """Wait for the site and put it into place of the old one. Raises UserError, with what it said, where it failed.

        What a build without `--strict` warned of is logged.
        """
        try:
            status = self._process.wait()
            # Not `--quiet`: with it MkDocs neither says nor counts warnings.
            lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            said = "\n".join(line for line in lines if not line.startswith("INFO "))
            if status:
                raise UserError(f"the Chinese site ({CONFIG}) could not be built:\n{said or f'exit status {status}'}")
            if said:
                _LOG.warning(f"{CONFIG}: {said}")
            shutil.rmtree(self.target, ignore_errors=True)
            shutil.move(self._built, self.target)
        finally:
            self.cancel()

    def cancel(self) -> None:
        """End the build where it still runs, and remove what it has written."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        self._within.cleanup()


def start_chinese(english: MkDocsConfig) -> ChineseBuild:
    """Begin to build the Chinese site below the English one, whose configuration this is."""
    root = Path(english.config_file_path).parent
    return ChineseBuild(root, Path(english.site_dir, FOLDER), english.site_url or "", english.strict)


def rebuilder(english: MkDocsConfig, both: Callable[[], None]) -> Callable[[], None]:
    """What `mkdocs serve` calls after a change: only the Chinese site where only translations have changed.

    `english` has been built; `both` builds both sites, with code that is loaded anew.
    """
    root = Path(english.config_file_path).parent
    more = [Path(path) for path in english.watch]
    known = inputs(root, more)

    def rebuild() -> None:
        nonlocal known
        before, known = known, inputs(root, more)
        changed = {name for name in before.keys() | known.keys() if before.get(name) != known.get(name)}
        if not changed:  # Python has compiled a module, or a file was saved as it was
            return
        if all(map(is_translation, changed)):
            try:
                start_chinese(english).finish()
            except UserError as error:
                raise Abort(str(error)) from None
        else:
            _load_code_anew(english)
            both()

    return rebuild


def _load_code_anew(config: MkDocsConfig) -> None:
    """Reload the code for the next build, with empty caches. MkDocs itself loads a hook only once."""
    for module in [name for name in sys.modules if f"{name}.".startswith(MODULES)]:
        del sys.modules[module]
    hooks: Any = config.hooks  # a dictionary, whatever MkDocs declares
    for hook in hooks.values():
        hook.__spec__.loader.exec_module(hook)


def inputs(root: Path, more: Iterable[Path] = ()) -> dict[str, str]:
    """Every file that the sites are made of, and those of `more`, with a hash of what it holds."""
    found = {}
    for top in [*watched(root), root / "mkdocs.yml", *more]:
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def is_translation(name: str) -> bool:
    """Whether the English site is the same without this file."""
    return name.endswith((".zh.md", ".zh.yaml")) or name == CONFIG


def watched(root: Path) -> list[Path]:
    """What the sites are made of beside `mkdocs.yml`: pages, data, and the code that makes pages of them."""
    translated = [in_language(root / name, CHINESE).name for name in (HOME, CONTRIBUTING, MAINTAINING)]
    names = [HOME, CONTRIBUTING, MAINTAINING, *translated, CATALOG_FILE, CONFIG, ENTRIES_FOLDER, *FOLDERS]
    names = list(dict.fromkeys([*names, "LICENSE", "website", "torch_errors"]))
    return [root / name for name in names if (root / name).exists()]
