"""Reads text files that people write."""

from __future__ import annotations

from pathlib import Path

from torch_errors.errors import UserError


def read_text(path: Path, remedy: str) -> str:
    r"""Return the text of a UTF-8 file, with all line ends converted to `\n`.

    Raises UserError with the file, the problem and `remedy`.
    """
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UserError(f"{path}: is missing; {remedy}") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); {remedy}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 (byte {error.start}); save the file as UTF-8") from None
