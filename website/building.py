"""Builds the Chinese site along with the English one, and rebuilds what a change affects under `mkdocs serve`."""

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
from website.publishing import CHANGELOG, CONTRIBUTING, FOLDERS, HOME, MAINTAINING
from website.translated import FOLDER

CONFIG = "mkdocs.zh.yml"
# Prefixes of the names of our modules, which `mkdocs serve` reloads.
MODULES = ("website.", "torch_errors.")
_LOG = logging.getLogger("mkdocs.languages")  # below `mkdocs`, so that `--strict` counts its warnings


class ChineseBuild:
    """A build of the Chinese site in a separate process, which runs at the same time as the build of the English site.

    The constructor starts the build, and `finish` moves the result to the folder `target`.
    """

    def __init__(self, root: Path, target: Path, site_url: str, strict: bool) -> None:
        self.target = target
        self._within = tempfile.TemporaryDirectory(prefix="torch-errors-zh-")
        self._built = Path(self._within.name, FOLDER)
        # The program that builds the English site: MkDocs, or ProperDocs, which provides the same module.
        generator = MkDocsConfig.__module__.partition(".")[0]
        command = [sys.executable, "-m", generator, "build", "--config-file", str(root / CONFIG)]
        command += ["--site-dir", str(self._built), *(["--strict"] if strict else [])]
        environment = os.environ | {"SITE_URL": urljoin(site_url, f"{FOLDER}/") if site_url else ""}
        self._log = Path(self._within.name, "log")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, cwd=root, env=environment, stdout=log, stderr=log)

    def finish(self) -> None:
        """Wait for the build and replace the old site. Raises UserError, with the output, if the build failed.

        Warnings of a build without `--strict` are logged.
        """
        try:
            status = self._process.wait()
            # The build does not use `--quiet`, with which MkDocs neither prints nor counts warnings.
            lines = self._log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            problems = "\n".join(line for line in lines if not line.startswith("INFO "))
            if status:
                detail = problems or f"exit status {status}"
                raise UserError(f"the Chinese site ({CONFIG}) could not be built:\n{detail}")
            if problems:
                _LOG.warning(f"{CONFIG}: {problems}")
            shutil.rmtree(self.target, ignore_errors=True)
            shutil.move(self._built, self.target)
        finally:
            self.cancel()

    def cancel(self) -> None:
        """Stop the build if it is still running, and remove its output."""
        if self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        self._within.cleanup()


def start_chinese(english: MkDocsConfig) -> ChineseBuild:
    """Start the build of the Chinese site, which goes into a folder of the English site with this configuration."""
    root = Path(english.config_file_path).parent
    return ChineseBuild(root, Path(english.site_dir, FOLDER), english.site_url or "", english.strict)


def rebuilder(english: MkDocsConfig, both: Callable[[], None]) -> Callable[[], None]:
    """Return the function for `mkdocs serve` to call after a change. It builds only the sites that the change affects.

    `english` has been built. `both` builds both sites, with reloaded code; if only translations have changed, only the
    Chinese site is built.
    """
    root = Path(english.config_file_path).parent
    more = [Path(path) for path in english.watch]
    hashes = inputs(root, more)

    def rebuild() -> None:
        nonlocal hashes
        before, hashes = hashes, inputs(root, more)
        changed = {name for name in before.keys() | hashes.keys() if before.get(name) != hashes.get(name)}
        if not changed:  # Python has compiled a module, or a file was saved without changes
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
    """Reload our code for the next build, which also empties its caches. MkDocs itself loads a hook only once."""
    for module in [name for name in sys.modules if f"{name}.".startswith(MODULES)]:
        del sys.modules[module]
    hooks: Any = config.hooks  # a dictionary, contrary to its type in MkDocs
    for hook in hooks.values():
        hook.__spec__.loader.exec_module(hook)


def inputs(root: Path, more: Iterable[Path] = ()) -> dict[str, str]:
    """Return each file that the sites depend on, including the files below `more`, with a hash of its content."""
    hashes = {}
    for top in [*watched(root), root / "mkdocs.yml", *more]:
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                name = path.relative_to(root).as_posix() if path.is_relative_to(root) else str(path)
                hashes[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return hashes


def is_translation(name: str) -> bool:
    """Whether a file affects only the Chinese site."""
    return name.endswith((".zh.md", ".zh.yaml")) or name == CONFIG


def watched(root: Path) -> list[Path]:
    """Return what the sites depend on besides `mkdocs.yml`: pages, data, and the code that turns them into pages."""
    translated = [in_language(root / name, CHINESE).name for name in (HOME, CONTRIBUTING, MAINTAINING, CHANGELOG)]
    names = [HOME, CONTRIBUTING, MAINTAINING, CHANGELOG, *translated, CATALOG_FILE, CONFIG, ENTRIES_FOLDER, *FOLDERS]
    names = list(dict.fromkeys([*names, "LICENSE", "website", "torch_errors"]))
    return [root / name for name in names if (root / name).exists()]
