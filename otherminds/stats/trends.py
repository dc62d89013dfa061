"""Tests for an order that was named beforehand: versions of a model, steps of a ladder.

`page` asks whether numbers of the same items go up from treatment to treatment; `ladder` asks the same of different
items on each step. Both also say how steep it is, since with many items the slightest slope is significant.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import permutations
from math import comb, erfc, inf, log2, sqrt
from typing import Any

import numpy as np

from otherminds.errors import UsageError
from otherminds.stats.bounded import Bounded, high_of, low_of, reaching, remember, weighted
from otherminds.stats.means import Difference, difference, row_counts, tested
from otherminds.stats.reach import are_answers, beyond, interval, standard_error, until_zero, wilson
from otherminds.stats.significance import TAIL, Floats, numbers, student_p

MOST_TREATMENTS, MOST_BLOCKS = 6, 150
"""Up to here all orders within all blocks are counted; beyond, the normal distribution is as good."""


@dataclass(frozen=True, slots=True)
class Trend:
    """Page's test: L, its two-sided p, and how far the numbers rise from one treatment to the next."""

    statistic: float
    p: float
    slope: Difference
    """The mean slope within blocks, with an interval and a p of its own, which mind the size of the differences."""
    blocks: int
    treatments: int
    method: str


def page(
    values: Sequence[Sequence[float]],
    *,
    groups: Sequence[Hashable] | None = None,
    at: Sequence[float] | None = None,
    draws: int = 10_000,
    seed: int = 0,
) -> Trend:
    """Page's test on rows of numbers: a row an item, a column a treatment, in the order expected to rise.

    Rows of one group are averaged into one block. `at` says where the treatments lie for the slope; without it they
    are one apart. Ties share their ranks, and are reckoned with in p.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] < 1 or table.shape[1] < 2:
        raise UsageError("a trend needs rows of two or more numbers, all of one length; give every treatment its value")
    numbers(table.ravel().tolist())
    slopes = _slopes(values, table, at)
    slope = difference(slopes, [0.0] * len(slopes), groups=groups, draws=draws, seed=seed)
    blocks = _blocks(table, groups)
    ranks = np.array([_ranks(row) for row in blocks])
    weights = np.arange(1, table.shape[1] + 1)
    statistic = float((ranks * weights).sum())
    p, how = _page_p(ranks, statistic)
    return Trend(statistic, p, slope, len(blocks), table.shape[1], f"Page's test, {how}")


@remember
def ladder(
    values: Sequence[float],
    steps: Sequence[float],
    *,
    groups: Sequence[Hashable],
    draws: int = 10_000,
    seed: int = 0,
) -> Difference:
    """How much different items gain from step to step: the slope, with the p of its interval.

    The interval is over whole groups, so that twins are not taken for evidence twice, and as wide as the step with the
    fewest of them asks for.
    """
    data, levels = numbers(values), numbers(steps)
    if any(isinstance(value, Bounded) for value in values):
        return _bounded_ladder(values, steps, levels, groups=groups, draws=draws, seed=seed)
    if not len(data) == len(levels) == len(groups):
        raise UsageError(f"{len(data)} values, {len(levels)} steps and {len(groups)} groups should be of one number")
    if np.ptp(levels) == 0:
        raise UsageError("a ladder needs items on two steps or more")
    value = float(_slope(len(data), levels.sum(), (levels**2).sum(), data.sum(), (levels * data).sum()))
    if len(set(groups)) < 2:
        raise UsageError("a ladder needs two groups or more; with one there is no telling how sure the slope is")
    low, high, clusters, p = _ladder_interval(data, levels, groups, value, draws, seed)
    method = f"percentile cluster bootstrap of {draws:,} draws and Student's t, {clusters} groups"
    # So many ways there are, at the least, to deal out what each group has on a step.
    ways = comb(len(set(zip(groups, levels.tolist(), strict=True))), clusters)
    return tested(value, (low, high), p, log2(ways), len(data), clusters, method)


def _bounded_ladder(values: Sequence[float], steps: Sequence[float], levels: Floats, **options: Any) -> Difference:
    """A ladder of numbers within bounds: the flattest that it can be, and the steepest."""
    up = (levels > levels.mean()).tolist()
    flat = [low_of(value) if high else high_of(value) for value, high in zip(values, up, strict=True)]
    steep = [high_of(value) if high else low_of(value) for value, high in zip(values, up, strict=True)]
    middle, least, most = (ladder([float(value) for value in some], steps, **options) for some in (values, flat, steep))
    found = reaching(middle, least, most)
    return replace(found, method=f"{middle.method}; bounds carried")


# ---- Page ---------------------------------------------------------------------------------------------------------


def _slopes(values: Sequence[Sequence[float]], table: Floats, at: Sequence[float] | None) -> list[float]:
    """The least-squares slope of every row, within bounds where its numbers are."""
    places = np.arange(table.shape[1]) if at is None else numbers(at)
    if len(places) != table.shape[1] or np.ptp(places) == 0:
        raise UsageError(f"{table.shape[1]} treatments need as many places, not all the same")
    centred = places - places.mean()
    weights = (centred / (centred**2).sum()).tolist()
    if not any(isinstance(value, Bounded) for row in values for value in row):
        slopes: list[float] = ((table * centred).sum(axis=1) / (centred**2).sum()).tolist()
        return slopes
    return [weighted(row, weights) for row in values]


def _blocks(table: Floats, groups: Sequence[Hashable] | None) -> Floats:
    if groups is None:
        return table
    if len(groups) != len(table):
        raise UsageError(f"{len(table)} rows have {len(groups)} groups; name one group for each row")
    members: dict[Hashable, list[int]] = {}
    for number, group in enumerate(groups):
        members.setdefault(group, []).append(number)
    return np.array([table[rows].mean(axis=0) for rows in members.values()])


def _ranks(row: Floats) -> Floats:
    """From 1 on; equal numbers share the mean of their ranks."""
    close = 1e-12  # averaging a block leaves the dust of rounding
    below = (row[None, :] < row[:, None] - close).sum(axis=1)
    same = (np.abs(row[None, :] - row[:, None]) <= close).sum(axis=1)
    ranks: Floats = below + (same + 1) / 2
    return ranks


def _page_p(ranks: Floats, statistic: float) -> tuple[float, str]:
    blocks, count = ranks.shape
    expected = blocks * count * (count + 1) ** 2 / 4
    gap = abs(statistic - expected)
    if count <= MOST_TREATMENTS and blocks <= MOST_BLOCKS:
        chances, least = np.ones(1), 0
        for row in ranks:
            # Twice the rank is whole even where ranks are shared.
            own, lowest = _orders(tuple(sorted(int(2 * rank) for rank in row)))
            chances, least = np.convolve(chances, own), least + lowest
        totals = (np.arange(len(chances)) + least) / 2
        return min(1.0, float(chances[np.abs(totals - expected) >= gap - 1e-9].sum())), "exact"
    weights = np.arange(1, count + 1)
    spread = float(((weights - weights.mean()) ** 2).sum())
    variance = sum(spread * float(((row - row.mean()) ** 2).sum()) / (count - 1) for row in ranks)
    return (erfc(gap / sqrt(2 * variance)) if variance else 1.0), "normal approximation"


@lru_cache(maxsize=256)
def _orders(doubled: tuple[int, ...]) -> tuple[Floats, int]:
    """The chances of the sum of place times doubled rank, over all orders of one block, and the least sum."""
    weights = np.arange(1, len(doubled) + 1)
    sums = np.array(list(permutations(doubled))) @ weights
    counts = np.bincount(sums - sums.min())
    return counts / counts.sum(), int(sums.min())


# ---- ladder -------------------------------------------------------------------------------------------------------


def _slope(n: Floats | float, x: Floats, xx: Floats, y: Floats, xy: Floats) -> Floats:
    """Least squares from sums: of items, steps, their squares, values, and products."""
    found: Floats = (xy - x * y / n) / (xx - x * x / n)
    return found


def _ladder_interval(
    data: Floats, levels: Floats, groups: Sequence[Hashable], value: float, draws: int, seed: int
) -> tuple[float, float, int, float]:
    """The interval, the number of groups on the step that has the fewest, and p."""
    fewest = min(Counter(step for _, step in set(zip(groups, levels.tolist(), strict=True))).values())
    # No two items can be further apart than a step.
    most = 1 / float(np.diff(np.unique(levels)).min()) if data.min() >= 0 and data.max() <= 1 else inf
    number: dict[Hashable, int] = {}
    codes = [number.setdefault(group, len(number)) for group in groups]
    centred = levels - levels.mean()
    off = centred * (data - data.mean() - value * centred) / (centred @ centred)
    parts = (np.ones_like(data), levels, levels**2, data, levels * data, off)
    table = np.stack([np.bincount(codes, weights=part) for part in parts])
    *rows, off = table[:, np.lexsort(table[:-1])]  # whatever the order of the items was
    drawn = _resampled_slopes(np.stack(rows), draws, seed)
    if fewest == 1 or np.ptp(drawn) < 1e-12:
        ends = wilson(value, 1 - TAIL ** (1 / fewest), (-most, most))
        if fewest > 1 and abs(value) > 1e-12 and not are_answers(data, (0.0, 1.0)):
            return *beyond(value, ends), fewest, 0.0
        return *ends, fewest, min(1.0, 2 * (most / (abs(value) + most)) ** fewest)
    error = standard_error(off)
    p = student_p(until_zero(value, drawn, error, fewest), fewest - 1)
    return *interval(value, drawn, error, fewest, (-most, most)), fewest, p


def _resampled_slopes(sums: Floats, draws: int, seed: int) -> Floats:
    random = np.random.default_rng(seed)
    found = []
    for rows in row_counts(draws, sums.shape[1]):
        n, x, xx, y, xy = sums[:, random.integers(sums.shape[1], size=(rows, sums.shape[1]))].sum(axis=2)
        several = xx * n - x * x > 1e-9  # a draw that holds one step only has no slope
        found.append(_slope(n[several], x[several], xx[several], y[several], xy[several]))
    return np.concatenate(found)
