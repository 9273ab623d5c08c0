"""Tells words from padding in a batch of token ids."""

from __future__ import annotations

import torch

from torch_errors.watching.detector import is_real


def words_of(ids: torch.Tensor, padding_idx: int | None) -> torch.Tensor | None:
    """Return a mask of shape (batch, length) that is true for words, or None if the batch shows no padding.

    `ids` has shape (batch, length) or (length, batch); `padding_idx` is the one of the embedding. Padding fills one end
    of the rows and occurs nowhere else; every row has words, and their number differs between rows. If `padding_idx` is
    None, any id that looks like this is taken as padding, if the rows have at least three different lengths.
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
