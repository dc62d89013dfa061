"""A great many groups, of which many are alike: each kind once, and how many are of it."""

from __future__ import annotations

import numpy as np

from otherminds.stats.significance import Floats

MANY = 2_000
"""Groups from which on those that are alike are drawn together."""


def few_kinds(*columns: Floats) -> tuple[list[Floats], Floats] | None:
    """Of a great many groups each kind once, and how many are of it; None where there are too few or too many kinds.

    To draw how often each kind comes is to draw groups, only sooner: with answers right or wrong, kinds are few.
    """
    if len(columns[0]) <= MANY:
        return None
    kinds, often = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)
    return (list(kinds.T), often.astype(np.float64)) if len(kinds) <= MANY / 10 else None
