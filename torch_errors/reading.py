"""Reading text files that people write."""

from __future__ import annotations

from pathlib import Path

from torch_errors.errors import UserError


def read_text(path: Path, remedy: str) -> str:
    """The text of a UTF-8 file, line ends as they are in Python.

    Raises UserError that names the file, what is wrong with it, and `remedy`.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"{path}: is missing; {remedy}") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); {remedy}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 (byte {error.start}); save the file as UTF-8") from None
