"""A share of draws: what a few answers tell of how often a model gives one of them."""

from __future__ import annotations

from otherminds.errors import UsageError
from otherminds.stats.significance import TAIL, incomplete_beta


def share_of_draws(chosen: int, n: int) -> tuple[float, float]:
    """The 95 % interval of the share that one option has in all draws that could be made.

    It is Dirichlet's, for every opinion that weighs no more than one draw: the lower end is that of somebody who
    expected the other options, the upper end that of somebody who expected this one (the imprecise Dirichlet model).
    So a few draws are never taken for more than they are, whatever the model is like.
    """
    if not 0 <= chosen <= n:
        raise UsageError(f"{chosen} of {n} draws make no share")
    low = _quantile(TAIL, chosen, n - chosen + 1) if chosen else 0.0
    high = _quantile(1 - TAIL, chosen + 1, n - chosen) if chosen < n else 1.0
    return low, high


def _quantile(p: float, a: float, b: float) -> float:
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if incomplete_beta(middle, a, b) < p else (low, middle)
    return (low + high) / 2
