"""From picks of factors to the tables of terms and hypotheses that models share."""

import numpy as np

from ingest.arrays import IntArray
from pipeline.models.normal_form import Term
from pipeline.models.several.factors import Factors, term_keys


def hypothesis_tables(
    factors: Factors, picks: IntArray
) -> tuple[tuple[Term, ...], IntArray, IntArray, IntArray]:
    """Number the terms and hypotheses that occur.

    Args:
        factors: the table that picks point into.
        picks: int64[K, N, M, D], all zero for no term.

    Returns:
        The n terms; the hypotheses, int64[H, M] of indices into them (-1 for none); int64[K, N], which of
        these each one is; and int64[K, N, M], its terms.
    """
    code = term_keys(picks)
    codes, first, place = np.unique(code, return_index=True, return_inverse=True)
    terms = [factors.term(p) for p in picks.reshape(-1, picks.shape[3])[first]]
    number = np.where(codes > 0, np.cumsum(codes > 0) - 1, -1)
    rows: IntArray = number[place].reshape(code.shape)
    key = (rows + 1) @ (len(codes) + 1) ** np.arange(rows.shape[2])
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    hypotheses = rows.reshape(-1, rows.shape[2])[first]
    used = tuple(t for t, c in zip(terms, codes.tolist(), strict=True) if c > 0)
    return used, hypotheses, which.reshape(key.shape), rows
