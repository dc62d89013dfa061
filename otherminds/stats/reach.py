"""How far an interval reaches: resampled values, Student's t, Wilson's, and that of a share of right answers.

The interval of a share is that of a small hierarchical model, worked out on a grid. Every group has its own chance of
a right answer, drawn around the share (beta-binomial); how far groups lie apart (intra-class correlation) is not known,
so every value of it counts by how well it explains the answers. With every answer right nothing tells how far groups
lie apart, and what is usual decides: so the interval neither jumps nor shrinks to nothing there. Of independent answers
it is Jeffreys' interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf, isfinite, log, pi, sqrt
from statistics import NormalDist

import numpy as np

from otherminds.stats.significance import TAIL, Floats, student

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


Ends = tuple[float, float]


def interval(value: float, drawn: Floats, error: float, clusters: int, limits: Ends) -> Ends:
    """The interval of resampled values and the one by Student's t together, within the limits of what there can be.

    Resampled values never leave the range of their groups, however few these are; Student's t knows nothing of a skew.
    """
    # Percentiles, too, are widened as Student's t is against the normal.
    tail = NormalDist().cdf(-student(clusters - 1) * sqrt(clusters / (clusters - 1)))
    low, high = map(float, np.quantile(drawn, [tail, 1 - tail]))
    reach = student(clusters - 1) * error
    return max(limits[0], min(low, value - reach)), min(limits[1], max(high, value + reach))


def until_zero(value: float, drawn: Floats, error: float, clusters: int) -> float:
    """The t with which `interval` would just reach 0: the least by resampled values or by their error."""
    ordered = np.sort(drawn if value > 0 else -drawn)
    beyond = int(np.searchsorted(ordered, 0.0, side="right"))
    if beyond == len(ordered):
        return 0.0
    by_draws = inf
    if beyond:  # as quantiles go: by straight lines from one value to the next
        below, above = ordered[beyond - 1 : beyond + 1]
        tail = (beyond - 1 - below / (above - below)) / (len(ordered) - 1)
        by_draws = -NormalDist().inv_cdf(tail) * sqrt((clusters - 1) / clusters) if tail else inf
    return max(0.0, min(by_draws, abs(value) / error if error else inf))


def until_held(ends: Callable[[float], Ends]) -> float:
    """The t at which an interval that widens with it just reaches 0, by halving."""
    low, high = 1e-9, 1e9
    for _ in range(80):
        middle = sqrt(low * high)
        one, other = ends(middle)
        low, high = (low, middle) if one <= 0 <= other else (middle, high)
    return low


def standard_error(parts: Floats) -> float:
    """The standard error of a sum over groups, from what each of them adds beyond what is expected of it."""
    return sqrt(len(parts) / (len(parts) - 1) * float(parts @ parts))


def missed(telling: float, t: float) -> float:
    """The share of answers of another kind that may be there though none was seen: Wilson's, which is t² / (t² + n)."""
    return 1 / (1 + telling / (t * t))


def wilson(value: float, share: float, limits: Ends) -> Ends:
    """The interval that allows for such a share at the far end of the limits."""
    return value - share * (value - limits[0]), value + share * (limits[1] - value)


def beyond(value: float, ends: Ends) -> Ends:
    """The part of an interval that lies farther from 0 than the value."""
    return (min(ends[0], value), value) if value < 0 else (value, max(ends[1], value))


def are_answers(data: Floats, limits: Ends) -> bool:
    """Whether most values are right, wrong or no difference; what is measured on a scale shows its own spread."""
    return isfinite(limits[0]) and float(np.mean(data % 1 == 0)) > 0.5


def wider(one: Ends, other: Ends) -> Ends:
    """As far as either reaches, on both sides."""
    return min(one[0], other[0]), max(one[1], other[1])


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
    alone = np.ones_like(weights)
    each, fitted = _likelihoods(share, other, right, sizes, [alone * often[:, None], weights * often[:, None]])
    correlation = np.exp(each + jeffreys - (each + jeffreys).max()).sum(axis=0)
    fitted = np.exp(fitted + jeffreys - (fitted + jeffreys).max(axis=0))
    mass = (fitted / fitted.sum(axis=0)) @ correlation
    whole: Floats = (np.cumsum(mass) - mass / 2) / mass.sum()
    return whole


def _likelihoods(
    share: Floats, other: Floats, right: Floats, sizes: Floats, weights: Sequence[Floats]
) -> Iterator[Floats]:
    """The log-likelihood of all groups by share and correlation, for each way to weigh them."""
    spread = ((1 - _CORRELATIONS) / _CORRELATIONS)[None, :]
    starts = (share * spread, right), (other * spread, sizes - right), (spread, sizes)
    for here, there, whole in zip(*(_risen(start, counts, weights) for start, counts in starts), strict=True):
        yield here + there - whole


def _risen(start: Floats, counts: Floats, weights: Sequence[Floats]) -> list[Floats]:
    """The sum over groups of the log of start · (start + 1) · … with as many factors as the group has counts."""
    totals, least = [np.zeros_like(start) for _ in weights], _log_gamma(start)
    values, which = np.unique(counts, return_inverse=True)
    for number, count in enumerate(values):
        if count:
            rise = _log_gamma(start + count) - least
            for total, each in zip(totals, weights, strict=True):
                total += each[which == number].sum(axis=0) * rise
    return totals


def _log_gamma(x: Floats) -> Floats:
    """Stirling's series, seven steps up from where it would be inexact."""
    up = x + 7
    series = 1 / (12 * up) - 1 / (360 * up**3) + 1 / (1260 * up**5)
    steps = x * (x + 1) * (x + 2) * (x + 3) * (x + 4) * (x + 5) * (x + 6)
    found: Floats = (up - 0.5) * np.log(up) - up + 0.5 * log(2 * pi) + series - np.log(steps)
    return found
