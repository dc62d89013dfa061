"""Means and differences, each with how sure we are; numbers in, numbers out.

Items that tell the same story are not independent, so whatever is uncertain is drawn by group: a story, a set of
twins. `groups` names the group of each value; without it every value is a group of its own. The order of the
values never matters, and the same seed gives the same interval.

The p of a difference is that of its interval: 1 less the level at which the interval would just reach 0. So p is below
0.05 exactly where the 95 % interval excludes 0, and they cannot contradict each other.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite, nan, sqrt

import numpy as np

from otherminds.errors import UsageError
from otherminds.stats.bounded import carries_bounds, remember
from otherminds.stats.reach import (
    Ends,
    are_answers,
    beyond,
    few_kinds,
    interval,
    missed,
    share_interval,
    standard_error,
    until_held,
    until_zero,
    wider,
    wilson,
)
from otherminds.stats.significance import TAIL, Floats, Z, numbers, p_text, student, student_p

_KIN = 0.3  # how far answers of one group are taken to be alike (intra-class correlation) until they show it
_SHOWN = Z * Z  # how far apart they must be for that, in squares: as far as about four wrong among many right
_CELLS = 1_000_000  # numbers drawn at once: 8 MB, whatever the number of groups
_TELLING = 5  # fewer groups hardly tell how far apart they lie, so Student's t is asked as well

Held = tuple[Floats, Floats]
"""For every group, the sum and the number of its values."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval, what it rests on, and how the interval was made."""

    value: float
    low: float
    high: float
    n: int
    clusters: int
    method: str

    def __str__(self) -> str:
        return f"{span(self)}, {self.rests_on}"

    @property
    def rests_on(self) -> str:
        """How many items, and in how many groups, where these are fewer."""
        if self.clusters >= self.n:
            return f"n = {self.n}"
        return f"n = {self.n} in {self.clusters} group{'s' * (self.clusters > 1)}"


@dataclass(frozen=True, slots=True)
class Difference(Estimate):
    """A difference, and how probable one as large would be if there were none."""

    p: float
    """Not a number (nan) where nothing could be tested."""

    def __str__(self) -> str:
        return f"{signed(self)}, {self.rests_on}, {p_text(self.p)}"


def signed(one: Estimate, digits: int = 2) -> str:
    """What may lie on both sides of 0, with its interval: a dash for one that says nothing, words where all is 0."""
    if all(round(part, digits) == 0 for part in (one.value, one.low, one.high)):
        return "no difference"
    return _bracketed(one, f"+z.{digits}f")


def span(one: Estimate, digits: int = 2) -> str:
    """A number with its interval alone; a dash for one that says nothing."""
    return _bracketed(one, f"z.{digits}f")


def percent(one: Estimate) -> str:
    """A share with its interval: 83 % [78, 88]."""
    return f"{one.value:.0%} [{100 * one.low:.0f}, {100 * one.high:.0f}]".replace("%", " %")


def _bracketed(one: Estimate, form: str) -> str:
    ends = f"{one.low:{form}}, {one.high:{form}}".replace("inf", "∞")
    return f"{one.value:{form}} [{ends if isfinite(one.low) or isfinite(one.high) else '–'}]"


def with_p(one: Difference, digits: int = 2) -> str:
    """A difference with its interval and its p."""
    return f"{signed(one, digits)}, {p_text(one.p)}"


def interval_note(estimates: Iterable[Estimate]) -> str:
    """How the intervals of some numbers were made, for the note of a table."""
    ways = dict.fromkeys(re.split(r"[,;]? (?:over|of|on) \d", one.method)[0] for one in estimates)
    return f"Intervals are 95 %: {'; '.join(ways)}." if ways else ""


def in_words(difference: Difference) -> str:
    """Whether a difference is clear, with its p."""
    if difference.value == 0:
        return "no difference"
    p = p_text(difference.p)
    return f"a clear difference ({p})" if difference.p < 0.05 else f"a difference that can be chance ({p})"


def sure(one: Estimate, digits: int = 2) -> str:
    """How sure a number is that stands by itself, on a card."""
    return f"95 % {one.low:.{digits}f} to {one.high:.{digits}f}, n = {one.n}"


@remember
@carries_bounds
def mean(
    values: Sequence[float],
    *,
    groups: Sequence[Hashable] | None = None,
    draws: int = 10_000,
    seed: int = 0,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Estimate:
    """The mean, with an interval over groups.

    A share of answers (right or wrong, not measured on a scale) has the interval of `shares`. Anything else has that of
    resampled groups or Student's t, whichever reaches further; both shrink to nothing where values hardly differ, so
    that of differences between answers allows for as many of another kind, anywhere within `bounds`, as could have
    been missed by chance.
    """
    data = numbers(values)
    sums, sizes = _by_group(data, groups)
    value = float(data.mean())
    clusters = len(sums)
    limits = bounds if bounds[0] <= data.min() and data.max() <= bounds[1] else (-inf, inf)
    if limits == (0.0, 1.0) and clusters > 1 and are_answers(data, limits):
        low, high = share_interval(sums, sizes)
        if clusters < _TELLING:
            reach = student(clusters - 1) * standard_error(sums - value * sizes) / len(data)
            low, high = max(0.0, min(low, value - reach)), min(1.0, max(high, value + reach))
        method = f"Jeffreys', {clusters} answers" if groups is None else f"beta-binomial over {clusters} groups"
        method += " or Student's t, the wider on either side" if clusters < _TELLING else ""
        return Estimate(value, low, high, len(data), clusters, method)
    ends, _, method = _over_groups(data, sums, sizes, limits, draws, seed)
    return Estimate(value, *ends, len(data), clusters, method)


def _over_groups(
    data: Floats, sums: Floats, sizes: Floats, limits: Ends, draws: int, seed: int
) -> tuple[Ends, float, str]:
    """The interval, the t at which it would just reach 0, and how it was made."""
    value, clusters = float(data.mean()), len(sums)
    telling = _telling(data, sums, sizes, limits[1] - limits[0])
    allowed = wilson(value, missed(telling, student(clusters - 1)), limits)
    bound = abs(limits[0] if value > 0 else limits[1])
    reaches = sqrt(telling * abs(value) / bound) if bound else inf
    if np.ptp(sums / sizes) < 1e-12:
        return allowed, reaches, _alike(clusters)
    error = standard_error(sums - value * sizes) / len(data)
    drawn = _resampled(sums, sizes, draws, seed)
    ends, until = interval(value, drawn, error, clusters, limits), until_zero(value, drawn, error, clusters)
    if are_answers(data, limits):
        ends, until = wider(ends, allowed), min(until, reaches)
    return ends, until, _drawn(clusters, draws, "bootstrap" if len(data) == clusters else "cluster bootstrap")


def proportion(right: int, n: int) -> Estimate:
    """The share of n independent answers that are right, with Wilson's interval."""
    if not 0 <= right <= n or n == 0:
        raise UsageError(f"{right} of {n} is not a share; there should be at least one answer, and at most all right")
    share, spread = right / n, Z * Z / n
    middle = (share + spread / 2) / (1 + spread)
    half = Z / (1 + spread) * sqrt(share * (1 - share) / n + spread / (4 * n))
    low = 0.0 if right == 0 else middle - half
    high = 1.0 if right == n else middle + half
    return Estimate(share, low, high, n, n, "Wilson")


@remember
@carries_bounds
def difference(
    a: Sequence[float],
    b: Sequence[float],
    *,
    groups: Sequence[Hashable] | None = None,
    draws: int = 10_000,
    seed: int = 0,
) -> Difference:
    """How far a lies above b, item by item, with the p of its interval.

    All groups may lean one way by chance, so both allow for as many that lean the other way as could have been missed.
    Where all groups differ alike, on a scale, nothing else tells how far the difference lies from 0.
    """
    if len(a) != len(b):
        raise UsageError(f"{len(a)} and {len(b)} values cannot be paired; give both for the same items in one order")
    gaps = numbers(a) - numbers(b)
    sums, sizes = _by_group(gaps, groups)
    limits = (-1.0, 1.0) if np.abs(gaps).max() <= 1 else (-inf, inf)
    ends, until, method = _over_groups(gaps, sums, sizes, limits, draws, seed)
    value, lean = float(gaps.mean()), int(np.count_nonzero(np.abs(sums) > 1e-9))  # but for rounding
    if np.ptp(sums / sizes) < 1e-12 < abs(value) and not are_answers(gaps, limits):
        ends, until = beyond(value, ends), inf
    return tested(value, ends, student_p(until, len(sums) - 1), lean, len(gaps), len(sums), method)


def tested(value: float, ends: Ends, p: float, signs: float, n: int, clusters: int, method: str) -> Difference:
    """A difference with the p of its interval; both allow for the signs of the groups, which may all be one by chance.

    So p is at least that of so many coins, and the share of other signs that may have been missed the binomial one.
    """
    if value:
        near = value * (2 * TAIL ** (1 / signs) - 1) if signs else 0.0
        ends, p = wider(ends, (near, near)), max(p, min(1.0, 2 ** (1 - signs)))
    return Difference(value, *ends, n, clusters, method, p)


@remember
@carries_bounds
def contrast(
    a: Sequence[float],
    b: Sequence[float],
    *,
    groups: tuple[Sequence[Hashable], Sequence[Hashable]],
    draws: int = 10_000,
    seed: int = 0,
) -> Difference:
    """How far the mean of a lies above that of b, when they are different items of the same groups.

    Groups are drawn with all that they hold of either, so that what a group makes easy or hard drops out. The p is that
    of the interval; there is none where no group holds both.
    """
    names = list(dict.fromkeys([*groups[0], *groups[1]]))
    sides = [numbers(values) for values in (a, b)]
    held = [_held(data, by, names) for data, by in zip(sides, groups, strict=True)]
    # As in `_by_group`, an order that does not depend on the order of the values.
    order = np.lexsort([part for parts in held for part in parts])
    ours, theirs = ((sums[order], sizes[order]) for sums, sizes in held)
    value = float(sides[0].mean() - sides[1].mean())
    clusters = int(min(np.count_nonzero(ours[1]), np.count_nonzero(theirs[1])))
    ends = (0.0, 1.0) if all(data.min() >= 0 and data.max() <= 1 for data in sides) else (-inf, inf)
    limits = ends[0] - ends[1], ends[1] - ends[0]
    means = _resampled_gaps(ours, theirs, draws, seed)
    freedom = clusters - 1
    telling = [
        # Each side has its own number of groups, and so its own Student's t.
        _telling(data, *some, limits[1]) * (student(freedom) / student(np.count_nonzero(some[1]) - 1)) ** 2
        if freedom
        else 1.0
        for data, some in zip(sides, (ours, theirs), strict=True)
    ]

    def allowed(t: float) -> Ends:
        (a_low, a_high), (b_low, b_high) = (
            wilson(float(data.mean()), missed(number, t), ends) for data, number in zip(sides, telling, strict=True)
        )
        return a_low - b_high, a_high - b_low

    both = all(are_answers(data, ends) for data in sides)
    reach, until, method = allowed(student(freedom)), until_held(allowed), _alike(clusters)
    if not both and abs(value) > 1e-12:
        reach, until = beyond(value, reach), inf
    if clusters > 1 and np.ptp(means) >= 1e-12:
        error = float(np.linalg.norm(_parts(ours) - _parts(theirs)))
        drawn = interval(value, means, error, clusters, limits)
        to_zero = until_zero(value, means, error, clusters)
        reach, until = (wider(drawn, reach), min(until, to_zero)) if both else (drawn, to_zero)
        method = _drawn(clusters, draws, "cluster bootstrap")
    found = tested(value, reach, student_p(until, freedom), len(names), len(a) + len(b), clusters, method)
    if ((ours[1] > 0) & (theirs[1] > 0)).any():
        return found
    return replace(found, p=nan, method=f"{method}; no test, since no group holds both")


def _by_group(data: Floats, groups: Sequence[Hashable] | None) -> Held:
    """The sum and the size of every group, in an order that does not depend on the order of the values."""
    sums, sizes = (data, np.ones_like(data)) if groups is None else _held(data, groups, list(dict.fromkeys(groups)))
    order = np.lexsort((sizes, sums))
    return sums[order], sizes[order]


def _held(data: Floats, groups: Sequence[Hashable], names: Sequence[Hashable]) -> Held:
    if len(groups) != len(data):
        raise UsageError(f"{len(data)} values have {len(groups)} groups; name one group for each value")
    number = {name: index for index, name in enumerate(names)}
    codes = [number[group] for group in groups]
    sums = np.bincount(codes, weights=data, minlength=len(names)).astype(np.float64)
    return sums, np.bincount(codes, minlength=len(names)).astype(np.float64)


def row_counts(draws: int, width: int) -> Iterator[int]:
    """Draws cut into parts that fit into little memory."""
    if draws < 1:
        raise UsageError(f"draws is {draws}, and an interval needs at least one; 10,000 is usual")
    step = max(1, _CELLS // width)
    return (min(step, draws - start) for start in range(0, draws, step))


def _drawn_totals(columns: Sequence[Floats], draws: int, seed: int) -> Iterator[Sequence[Floats]]:
    """The totals of some columns in each of many sets of groups, drawn with replacement, part by part."""
    random = np.random.default_rng(seed)
    kinds = few_kinds(*columns)
    columns, often = kinds or (columns, np.ones(len(columns[0])))
    for rows in row_counts(draws, len(often)):
        if kinds:
            drawn = random.multinomial(round(often.sum()), often / often.sum(), size=rows)
            yield [drawn @ column for column in columns]
        else:
            chosen = random.integers(len(often), size=(rows, len(often)))
            yield [column[chosen].sum(axis=1) for column in columns]


def _resampled(sums: Floats, sizes: Floats, draws: int, seed: int) -> Floats:
    """The mean of each of many sets of groups."""
    return np.concatenate([total / n for total, n in _drawn_totals((sums, sizes), draws, seed)])


def _telling(data: Floats, sums: Floats, sizes: Floats, span: float) -> float:
    """How many independent answers these say as much as.

    Answers of one group are not independent, so n is divided by the design effect: how much further groups lie apart
    than they would if they were. With every answer right nothing tells how far that is, and with one wrong next to
    nothing; so a usual one counts as if it had been seen, and what is seen takes over as answers differ.
    """
    groups = int(np.count_nonzero(sizes))
    value, usual = data.mean(), 1 + _KIN * (float(sizes @ sizes) / len(data) - 1)
    between = groups / max(1, groups - 1) * float(np.square(sums - value * sizes).sum()) / span**2
    within = float(np.square(data - value).sum()) / span**2
    effect = max(1.0, (between + _SHOWN * usual) / (within + _SHOWN))
    return len(data) / effect


def _alike(clusters: int) -> str:
    return f"Wilson's, over {clusters} group{'s' * (clusters > 1)} that are all alike"


def _drawn(clusters: int, draws: int, kind: str) -> str:
    return f"percentile {kind} of {clusters} groups, {draws:,} draws, Student's t, Wilson's: the widest on either side"


# ---- groups that hold two sorts of item ---------------------------------------------------------------------------


def _parts(held: Held) -> Floats:
    """What every group adds to the error of the mean, for one sort of item."""
    sums, sizes = held
    groups = np.count_nonzero(sizes)
    found: Floats = (sums - sums.sum() / sizes.sum() * sizes) / sizes.sum() * sqrt(groups / (groups - 1))
    return found


def _resampled_gaps(a: Held, b: Held, draws: int, seed: int) -> Floats:
    """The gap of many sets of groups, drawn with replacement; sets that hold only one sort have none."""
    parts = []
    for sum_a, size_a, sum_b, size_b in _drawn_totals((*a, *b), draws, seed):
        whole = (size_a > 0) & (size_b > 0)
        parts.append(sum_a[whole] / size_a[whole] - sum_b[whole] / size_b[whole])
    return np.concatenate(parts)
