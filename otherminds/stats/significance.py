"""Tests: how probable a finding would be by chance alone; counts and numbers in, p out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb, erfc, exp, inf, isnan, lgamma, log, nan, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from otherminds.errors import UsageError

Floats = NDArray[np.float64]

TAIL = 0.025
"""What a 95 % interval leaves out on either side."""
Z = -NormalDist().inv_cdf(TAIL)


@dataclass(frozen=True, slots=True)
class Correlation:
    """How closely two numbers of the same items go together, and how probable that would be if they did not."""

    value: float
    p: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:+z.2f}, n = {self.n}, {p_text(self.p)}"


@dataclass(frozen=True, slots=True)
class Association(Correlation):
    """A correlation of two properties that items have or lack; p is chi-square's, which needs many items."""

    fisher: float
    """The exact p, for few items."""

    def __str__(self) -> str:
        return f"{self.value:+z.2f}, n = {self.n}, {p_text(self.p)}, exact {p_text(self.fisher)}"


def p_text(p: float) -> str:
    """As people write it; p that is no number says that there was nothing to test."""
    if isnan(p):
        return "no test"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def p_value(p: float) -> str:
    """The same where a heading says that it is p."""
    return p_text(p).removeprefix("p ").removeprefix("= ")


def correlation(x: Sequence[float], y: Sequence[float]) -> Correlation | None:
    """Pearson's r with Student's p, two-sided; none where one side never varies, or of fewer than three items.

    With a property that items have or lack on one side, this is the point-biserial correlation.
    """
    if len(x) != len(y):
        raise UsageError(f"{len(x)} and {len(y)} values cannot be paired; give both for the same items in one order")
    n = len(x)
    if n < 3:
        return None
    a, b = (data - data.mean() for data in (numbers(x), numbers(y)))
    if np.abs(a).max() < 1e-12 or np.abs(b).max() < 1e-12:
        return None
    r = float(np.clip((a @ b) / sqrt((a @ a) * (b @ b)), -1, 1))
    return Correlation(r, incomplete_beta(1 - r * r, n / 2 - 1, 0.5), n)


def phi(both: int, first: int, second: int, neither: int) -> Association | None:
    """Of items that have two properties, one of them or neither: how the two go together.

    None if one property is had by all or by none: then nothing can be said. p is from chi-square without correction.
    """
    exact = fisher(both, first, second, neither)
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if not margins:
        return None
    value, n = (both * neither - first * second) / sqrt(margins), both + first + second + neither
    return Association(value, erfc(sqrt(n * value * value / 2)), n, exact)


def fisher(a: int, b: int, c: int, d: int) -> float:
    """The exact two-sided p of a table with rows a, b and c, d: all tables that are no more probable, together."""
    if min(a, b, c, d) < 0:
        raise UsageError(f"{a}, {b}, {c}, {d} should all be counts of items, so zero or more")
    row, column, n = a + b, a + c, a + b + c + d
    # Whole numbers, so that tables as probable as this one are found to be so.
    ways = [comb(row, k) * comb(n - row, column - k) for k in range(max(0, row + column - n), min(row, column) + 1)]
    seen = comb(row, a) * comb(n - row, column - a)
    return sum(way for way in ways if way <= seen) / sum(ways)


def binomial(right: int, n: int, *, chance: float = 0.5) -> float:
    """The one-sided p of so many right, or more, if each of n were right by chance alone."""
    if not 0 <= right <= n or not 0 < chance < 1:
        raise UsageError(f"{right} of {n} by a chance of {chance} makes no sense; at most all are right")
    return incomplete_beta(chance, right, n - right + 1) if right else 1.0


def mcnemar(b: int, c: int) -> float:
    """The exact two-sided p that b items went one way and c the other."""
    if b < 0 or c < 0:
        raise UsageError(f"{b} and {c} should both be counts of items, so zero or more")
    n = b + c
    # Whole numbers to the end: the powers of two are beyond any float when items are many.
    term = total = 1
    for k in range(min(b, c)):
        term = term * (n - k) // (k + 1)
        total += term
    return min(1.0, 2 * total / (1 << n))


def holm(ps: Sequence[float]) -> list[float]:
    """The p-values adjusted for being several, in the order given (Holm's step-down); what is no number stays so."""
    tested = sorted((index for index, p in enumerate(ps) if not isnan(p)), key=ps.__getitem__)
    adjusted = [nan] * len(ps)
    worst = 0.0
    for rank, index in enumerate(tested):
        worst = max(worst, min(1.0, ps[index] * (len(tested) - rank)))
        adjusted[index] = worst
    return adjusted


@cache
def student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t, by halving the span in which it can lie; a single value tells nothing."""
    if not freedom:
        return inf
    low, high = Z, 13.0  # with a single degree of freedom it is 12.71
    for _ in range(50):
        middle = (low + high) / 2
        if incomplete_beta(freedom / (freedom + middle * middle), freedom / 2, 0.5) > 2 * TAIL:
            low = middle
        else:
            high = middle
    return high


def student_p(t: float, freedom: int) -> float:
    """The two-sided p of Student's t; a single value tells nothing."""
    return incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5) if freedom else 1.0


def numbers(values: Sequence[float]) -> Floats:
    """The values as an array; refused where there are none, or some are no numbers."""
    data = np.asarray(values, dtype=np.float64)
    if data.size == 0:
        raise UsageError("there are no values, so there is no mean; check what was filtered out")
    if not np.isfinite(data).all():
        raise UsageError("some values are not numbers; leave out what was not scored before averaging")
    return data


def incomplete_beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function, by Lentz's continued fraction."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # there the fraction converges slowly, and its mirror image quickly
        return 1 - incomplete_beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x)) / a
    tiny, c, d, value = 1e-300, 1.0, 0.0, 1.0
    for step in range(10_000):  # more for larger numbers, as their square root
        m = step // 2
        if step == 0:
            term = 1.0
        elif step % 2 == 0:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 / (1 + term * d or tiny)
        c = 1 + term / c or tiny
        value *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return front * (value - 1)


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
