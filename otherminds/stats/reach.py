"""How far an interval reaches: resampled values, Student's t, Wilson's; and the t at which it would just reach 0."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, sqrt
from statistics import NormalDist

import numpy as np

from otherminds.stats.significance import Floats, student

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
