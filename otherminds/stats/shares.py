"""The interval of a share: answers that are right or wrong, in groups whose answers are alike.

A small hierarchical model, worked out on a grid. Every group has its own chance of a right answer, drawn around the
share (beta-binomial); how far groups lie apart (intra-class correlation) is not known, so every value of it counts by
how well it explains the answers. With every answer right nothing tells how far groups lie apart, and what is usual
decides: so the interval neither jumps nor shrinks to nothing there. Of independent answers it is Jeffreys' interval.
"""

from __future__ import annotations

from math import log, pi

import numpy as np

from otherminds.stats.kinds import few_kinds
from otherminds.stats.significance import TAIL, Floats

# What is usual of the correlation within a group, Beta(0.7, 1.4) by its quantiles: mostly small, sometimes near 1.
_CORRELATIONS = np.array([0.007, 0.032, 0.066, 0.109, 0.157, 0.213, 0.274, 0.343, 0.42, 0.506, 0.605, 0.72, 0.869])
_WIDEST = 16.0  # log-odds on either side: shares from one in ten million on
_STEPS = 81
_NOTHING = 1e-5  # of the whole; what has less is left out when the grid is made finer


def share_interval(right: Floats, sizes: Floats) -> tuple[float, float]:
    """The 95 % interval of a share, from how many answers of each group are right, and how many there are.

    Groups count by their size, as they do in the share itself.
    """
    total, n = float(right.sum()), float(sizes.sum())
    (right, sizes), often = few_kinds(right, sizes) or ((right, sizes), np.ones_like(sizes))
    odds = np.linspace(-_WIDEST, _WIDEST, _STEPS)
    for _ in range(2):  # where the share may lie at all, then finely there
        below = _below(odds, right, sizes, often)
        inside = np.flatnonzero((below > _NOTHING) & (below < 1 - _NOTHING))
        ends = max(inside[0] - 2, 0), min(inside[-1] + 2, _STEPS - 1)
        odds = np.linspace(odds[ends[0]], odds[ends[1]], _STEPS)
    low, high = (1 / (1 + np.exp(-np.interp([TAIL, 1 - TAIL], _below(odds, right, sizes, often), odds)))).tolist()
    # Nothing that was seen speaks against all, or none.
    return (0.0 if total == 0 else min(low, total / n)), (1.0 if total == n else max(high, total / n))


def _below(odds: Floats, right: Floats, sizes: Floats, often: Floats) -> Floats:
    """How probable it is that the share lies below each of these log-odds; so often there is each of the groups."""
    share = 1 / (1 + np.exp(-odds))[:, None]
    other = 1 / (1 + np.exp(odds))[:, None]
    jeffreys = 0.5 * np.log(share * other)  # Beta(½, ½), on the scale of log-odds
    n, alike = float(often @ sizes), _CORRELATIONS[None, :]
    # A large group says less than its size, and counts by it all the same: the weights make up for that.
    effects = 1 + alike * (sizes[:, None] - 1)
    weights = effects / (1 + alike * (float((often * sizes) @ sizes) / n - 1))
    each = _likelihood(share, other, right, sizes, np.ones_like(weights) * often[:, None]) + jeffreys
    correlation = np.exp(each - each.max()).sum(axis=0)
    fitted = _likelihood(share, other, right, sizes, weights * often[:, None]) + jeffreys
    fitted = np.exp(fitted - fitted.max(axis=0))
    mass = (fitted / fitted.sum(axis=0)) @ correlation
    whole: Floats = (np.cumsum(mass) - mass / 2) / mass.sum()
    return whole


def _likelihood(share: Floats, other: Floats, right: Floats, sizes: Floats, weights: Floats) -> Floats:
    """The log-likelihood of all groups by share and correlation, each with its weight."""
    spread = ((1 - _CORRELATIONS) / _CORRELATIONS)[None, :]
    found: Floats = (
        _risen(share * spread, right, weights)
        + _risen(other * spread, sizes - right, weights)
        - _risen(spread, sizes, weights)
    )
    return found


def _risen(start: Floats, counts: Floats, weights: Floats) -> Floats:
    """The sum over groups of the log of start · (start + 1) · … with as many factors as the group has counts."""
    total = np.zeros_like(start)
    values, which = np.unique(counts, return_inverse=True)
    for number, count in enumerate(values):
        if count:
            total += weights[which == number].sum(axis=0) * (_log_gamma(start + count) - _log_gamma(start))
    return total


def _log_gamma(x: Floats) -> Floats:
    """Stirling's series, seven steps up from where it would be inexact."""
    up = x + 7
    series = 1 / (12 * up) - 1 / (360 * up**3) + 1 / (1260 * up**5)
    steps = x * (x + 1) * (x + 2) * (x + 3) * (x + 4) * (x + 5) * (x + 6)
    found: Floats = (up - 0.5) * np.log(up) - up + 0.5 * log(2 * pi) + series - np.log(steps)
    return found
