"""Where a batch of token ids has words and where padding."""

from __future__ import annotations

import torch

from torch_errors.watching.detector import is_real


def words_of(ids: torch.Tensor, padding_idx: int | None) -> torch.Tensor | None:
    """True where an id is a word, (batch, length), as seen in ids of shape (batch, length) or (length, batch).

    `padding_idx` is the embedding's. Without it, padding is one id that fills up the rows at their end, or at their
    beginning, to at least three different lengths, and stands nowhere else. None where no padding is seen: each row has
    words, and the rows have different numbers of them.
    """
    if not is_real(ids) or ids.ndim != 2 or min(ids.shape) < 2 or ids.is_floating_point():
        return None
    for rows in (ids, ids.T):
        for edge in (-1, 0):
            padding = rows == (rows[:, edge].mode().values if padding_idx is None else padding_idx)
            counts = padding.sum(1)
            one_run = (padding[:, 1:] != padding[:, :-1]).sum(1) <= 1
            at_the_edge = padding[:, edge] == (counts > 0)
            lengths = counts.unique().numel()
            enough = lengths > 1 if padding_idx is not None else lengths > 2 and int(counts.max()) > 2
            if enough and bool((one_run & at_the_edge & (counts < rows.shape[1])).all()):
                return ~padding
    return None
