"""Where a batch of token ids has words and where padding."""

from __future__ import annotations

import torch

from torch_errors.watching.detector import is_real


def words_of(ids: torch.Tensor, padding_idx: int | None) -> torch.Tensor | None:
    """True where an id is a word, (batch, length), as seen in ids of shape (batch, length) or (length, batch).

    `padding_idx` is the embedding's. Without it, padding is an id that fills up the rows at their end, or at their
    beginning. None where no padding is seen: each row has words, and the rows have different numbers of them.
    """
    if not is_real(ids) or ids.ndim != 2 or min(ids.shape) < 2 or ids.is_floating_point():
        return None
    for rows in (ids, ids.T):
        for edge in (rows[:, -1], rows[:, 0]):
            padding = rows == (edge.mode().values if padding_idx is None else padding_idx)
            changes = (padding[:, 1:] != padding[:, :-1]).sum(1)
            counts = padding.sum(1)
            if counts.unique().numel() > 1 and int(changes.max()) <= 1 and int(counts.max()) < rows.shape[1]:
                return ~padding
    return None
