"""Means and differences, each with how sure we are; numbers in, numbers out. The tests are in `significance`.

Items that tell the same story are not independent, so whatever is uncertain is drawn by group: a story, a set of
twins. `groups` names the group of each value; without it every value is a group of its own. The order of the
values never matters, and the same seed gives the same interval.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan, sqrt
from statistics import NormalDist

import numpy as np

from otherminds.errors import UsageError
from otherminds.stats.bounded import carries_both_bounds, carries_bounds
from otherminds.stats.kinds import few_kinds
from otherminds.stats.memory import remember
from otherminds.stats.shares import share_interval
from otherminds.stats.significance import Floats, Z, numbers, p_text, student

_KIN = 0.3  # how far answers of one group are taken to be alike (intra-class correlation) until they show it
_SHOWN = Z * Z  # how far apart they must be for that, in squares: as far as about four wrong among many right
_CELLS = 1_000_000  # numbers drawn at once: 8 MB, whatever the number of groups
_TELLING = 5  # fewer groups hardly tell how far apart they lie, so Student's t is asked as well
_EXACT = 20  # with so many groups, all patterns of signs are still quickly tried


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
        return f"{self.value:z.2f} [{self.low:z.2f}, {self.high:z.2f}], {self.rests_on}"

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
    value, low, high = (f"{part:+z.{digits}f}" for part in (one.value, one.low, one.high))
    if value == low == high == f"{0:+.{digits}f}":
        return "no difference"
    return f"{value} [{low}, {high}]" if isfinite(one.low) and isfinite(one.high) else f"{value} [–]"


def span(one: Estimate, digits: int = 2) -> str:
    """A number with its interval alone; a dash for one that says nothing."""
    value, low, high = (f"{part:z.{digits}f}" for part in (one.value, one.low, one.high))
    return f"{value} [{low}, {high}]" if isfinite(one.low) and isfinite(one.high) else f"{value} [–]"


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
    if limits == (0.0, 1.0) and clusters > 1 and _are_answers(data, limits):
        low, high = share_interval(sums, sizes)
        if clusters < _TELLING:
            reach = student(clusters - 1) * standard_error(sums - value * sizes) / len(data)
            low, high = max(0.0, min(low, value - reach)), min(1.0, max(high, value + reach))
        return Estimate(value, low, high, len(data), clusters, _modelled(clusters, groups is None))
    missed = _missed(data, sums, sizes, limits[1] - limits[0])
    if np.ptp(sums / sizes) < 1e-12:
        return Estimate(value, *wilson(value, missed, limits), len(data), clusters, _alike(clusters))
    error = standard_error(sums - value * sizes) / len(data)
    low, high = interval(value, _resampled(sums, sizes, draws, seed), error, clusters, limits)
    if _are_answers(data, limits):
        low, high = _wider((low, high), wilson(value, missed, limits))
    method = _drawn(clusters, draws, "bootstrap" if groups is None else "cluster bootstrap")
    return Estimate(value, low, high, len(data), clusters, method)


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
@carries_both_bounds
def difference(
    a: Sequence[float],
    b: Sequence[float],
    *,
    groups: Sequence[Hashable] | None = None,
    draws: int = 10_000,
    seed: int = 0,
) -> Difference:
    """How far a lies above b, item by item, with a sign-flip test over groups.

    The test flips the sign of whole groups and asks how often a mean as far from zero comes out. A group counts
    by its size, as in the value, so that p speaks of the number shown.
    """
    if len(a) != len(b):
        raise UsageError(f"{len(a)} and {len(b)} values cannot be paired; give both for the same items in one order")
    gaps = numbers(a) - numbers(b)
    estimate = mean(gaps.tolist(), groups=groups, draws=draws, seed=seed, bounds=(-1.0, 1.0))
    p, how = _sign_flip(_by_group(gaps, groups)[0], draws, seed)
    return Difference(
        estimate.value, estimate.low, estimate.high, estimate.n, estimate.clusters, f"{estimate.method}; {how}", p
    )


@remember
@carries_both_bounds
def contrast(
    a: Sequence[float],
    b: Sequence[float],
    *,
    groups: tuple[Sequence[Hashable], Sequence[Hashable]],
    draws: int = 10_000,
    seed: int = 0,
) -> Difference:
    """How far the mean of a lies above that of b, when they are different items of the same groups.

    Groups are drawn with all that they hold of either, so that what a group makes easy or hard drops out. The test
    lets every group that holds both say a of b and b of a, and asks how often the means lie as far apart.
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
    (a_low, a_high), (b_low, b_high) = (
        wilson(float(data.mean()), _missed(data, *some, limits[1]), ends)
        for data, some in zip(sides, (ours, theirs), strict=True)
    )
    low, high = a_low - b_high, a_high - b_low
    method = _alike(clusters)
    if clusters > 1 and np.ptp(means) >= 1e-12:
        error = float(np.linalg.norm(_parts(ours) - _parts(theirs)))
        drawn = interval(value, means, error, clusters, limits)
        low, high = _wider(drawn, (low, high)) if all(_are_answers(data, ends) for data in sides) else drawn
        method = _drawn(clusters, draws, "cluster bootstrap")
    p, how = _exchange(ours, theirs, draws, seed)
    return Difference(value, low, high, len(a) + len(b), clusters, f"{method}; {how}", p)


def _by_group(data: Floats, groups: Sequence[Hashable] | None) -> tuple[Floats, Floats]:
    """The sum and the size of every group, in an order that does not depend on the order of the values."""
    if groups is None:
        sums, sizes = data, np.ones_like(data)
    elif len(groups) != len(data):
        raise UsageError(f"{len(data)} values have {len(groups)} groups; name one group for each value")
    else:
        number: dict[Hashable, int] = {}
        codes = [number.setdefault(group, len(number)) for group in groups]
        sums = np.bincount(codes, weights=data).astype(np.float64)
        sizes = np.bincount(codes).astype(np.float64)
    order = np.lexsort((sizes, sums))
    return sums[order], sizes[order]


def row_counts(draws: int, width: int) -> Iterator[int]:
    """Draws cut into parts that fit into little memory."""
    if draws < 1:
        raise UsageError(f"draws is {draws}, and an interval needs at least one; 10,000 is usual")
    step = max(1, _CELLS // width)
    return (min(step, draws - start) for start in range(0, draws, step))


def _resampled(sums: Floats, sizes: Floats, draws: int, seed: int) -> Floats:
    """The mean of each of many sets of groups, drawn with replacement."""
    random = np.random.default_rng(seed)
    parts = []
    if kinds := few_kinds(sums, sizes):
        (sums, sizes), shares = kinds
        for rows in row_counts(draws, len(sums)):
            often = random.multinomial(round(shares.sum()), shares / shares.sum(), size=rows)
            parts.append((often @ sums) / (often @ sizes))
        return np.concatenate(parts)
    for rows in row_counts(draws, len(sums)):
        chosen = random.integers(len(sums), size=(rows, len(sums)))
        parts.append(sums[chosen].sum(axis=1) / sizes[chosen].sum(axis=1))
    return np.concatenate(parts)


def interval(
    value: float, drawn: Floats, error: float, clusters: int, limits: tuple[float, float]
) -> tuple[float, float]:
    """The interval of resampled values and the one by Student's t together, within the limits of what there can be.

    Resampled values never leave the range of their groups, however few these are; Student's t knows nothing of a skew.
    """
    low, high = _percentiles(drawn, clusters)
    reach = student(clusters - 1) * error
    return max(limits[0], min(low, value - reach)), min(limits[1], max(high, value + reach))


def _percentiles(means: Floats, clusters: int) -> tuple[float, float]:
    """The interval of resampled means, widened as Student's t is against the normal."""
    tail = NormalDist().cdf(-student(clusters - 1) * sqrt(clusters / (clusters - 1)))
    low, high = np.quantile(means, [tail, 1 - tail])
    return float(low), float(high)


def standard_error(parts: Floats) -> float:
    """The standard error of a sum over groups, from what each of them adds beyond what is expected of it."""
    return sqrt(len(parts) / (len(parts) - 1) * float(parts @ parts))


def _missed(data: Floats, sums: Floats, sizes: Floats, span: float) -> float:
    """The share of answers of another kind that may be there though none was seen: Wilson's, which is t² / (t² + n).

    Answers of one group are not independent, so n is divided by the design effect: how much further groups lie apart
    than they would if they were. With every answer right nothing tells how far that is, and with one wrong next to
    nothing; so a usual one counts as if it had been seen, and what is seen takes over as answers differ.
    """
    groups = int(np.count_nonzero(sizes))
    value, usual = data.mean(), 1 + _KIN * (float(sizes @ sizes) / len(data) - 1)
    between = groups / max(1, groups - 1) * float(np.square(sums - value * sizes).sum()) / span**2
    within = float(np.square(data - value).sum()) / span**2
    effect = max(1.0, (between + _SHOWN * usual) / (within + _SHOWN))
    return 1 / (1 + len(data) / (student(groups - 1) ** 2 * effect))


def wilson(value: float, missed: float, limits: tuple[float, float]) -> tuple[float, float]:
    """The interval that allows for such a share at the far end of the limits."""
    return value - missed * (value - limits[0]), value + missed * (limits[1] - value)


def _are_answers(data: Floats, limits: tuple[float, float]) -> bool:
    """Whether most values are right, wrong or no difference; what is measured on a scale shows its own spread."""
    return isfinite(limits[0]) and float(np.mean(data % 1 == 0)) > 0.5


def _wider(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    return min(one[0], other[0]), max(one[1], other[1])


def _alike(clusters: int) -> str:
    return f"Wilson's, over {clusters} group{'s' * (clusters > 1)} that are all alike"


def _modelled(clusters: int, single: bool) -> str:
    also = " or Student's t, the wider on either side" if clusters < _TELLING else ""
    return (f"Jeffreys', {clusters} answers" if single else f"beta-binomial over {clusters} groups") + also


def _drawn(clusters: int, draws: int, kind: str) -> str:
    return f"percentile {kind} of {clusters} groups, {draws:,} draws, Student's t, Wilson's: the widest on either side"


def _sign_flip(sums: Floats, draws: int, seed: int) -> tuple[float, str]:
    """The two-sided p of the total when each group's sign is a coin toss, and how it was found."""
    sums = sums[np.abs(sums) > 1e-9]  # a group without difference, but for rounding, is the same either way up
    if len(sums) == 0:
        return 1.0, "no group differs"
    # What differs only by rounding counts as equal, or p would depend on the order of addition.
    least = abs(sums.sum()) - 1e-9 * np.abs(sums).sum()
    if len(sums) <= _EXACT:
        totals = sums[:1]  # the other sign of the first group only mirrors everything
        for part in sums[1:]:
            totals = np.concatenate([totals + part, totals - part])
        return float(np.mean(np.abs(totals) >= least)), "exact sign-flip test"
    random = np.random.default_rng(seed)
    hits = 1  # the pattern that was seen is one of those that can be drawn
    if kinds := few_kinds(np.abs(sums)):
        (sums,), often = kinds
        for rows in row_counts(draws, len(sums)):
            flipped = 2 * random.binomial(often.astype(np.int64), 0.5, size=(rows, len(sums))) - often
            hits += int(np.count_nonzero(np.abs(flipped @ sums) >= least))
        return hits / (draws + 1), f"sign-flip test, {draws:,} draws"
    for rows in row_counts(draws, len(sums)):
        signs = random.integers(2, size=(rows, len(sums)), dtype=np.int8) * 2 - 1
        hits += int(np.count_nonzero(np.abs(signs @ sums) >= least))
    return hits / (draws + 1), f"sign-flip test, {draws:,} draws"


# ---- groups that hold two sorts of item ---------------------------------------------------------------------------

Held = tuple[Floats, Floats]
"""For every group, the sum and the number of its values."""


def _held(data: Floats, groups: Sequence[Hashable], names: Sequence[Hashable]) -> Held:
    if len(groups) != len(data):
        raise UsageError(f"{len(data)} values have {len(groups)} groups; name one group for each value")
    number = {name: index for index, name in enumerate(names)}
    codes = [number[group] for group in groups]
    sums = np.bincount(codes, weights=data, minlength=len(names)).astype(np.float64)
    return sums, np.bincount(codes, minlength=len(names)).astype(np.float64)


def _parts(held: Held) -> Floats:
    """What every group adds to the error of the mean, for one sort of item."""
    sums, sizes = held
    groups = np.count_nonzero(sizes)
    found: Floats = (sums - sums.sum() / sizes.sum() * sizes) / sizes.sum() * sqrt(groups / (groups - 1))
    return found


def _resampled_gaps(a: Held, b: Held, draws: int, seed: int) -> Floats:
    """The gap of many sets of groups, drawn with replacement; sets that hold only one sort have none."""
    random = np.random.default_rng(seed)
    parts, kinds = [], few_kinds(*a, *b)
    columns, often = kinds or ([*a, *b], np.ones(len(a[0])))
    for rows in row_counts(draws, len(often)):
        if kinds:
            drawn = random.multinomial(round(often.sum()), often / often.sum(), size=rows)
            sum_a, size_a, sum_b, size_b = (drawn @ part for part in columns)
        else:
            chosen = random.integers(len(often), size=(rows, len(often)))
            sum_a, size_a, sum_b, size_b = (part[chosen].sum(axis=1) for part in columns)
        whole = (size_a > 0) & (size_b > 0)
        parts.append(sum_a[whole] / size_a[whole] - sum_b[whole] / size_b[whole])
    return np.concatenate(parts)


def _exchange(a: Held, b: Held, draws: int, seed: int) -> tuple[float, str]:
    """The two-sided p of the gap when in each group that holds both, a coin says which sort is which."""
    shared = (a[1] > 0) & (b[1] > 0)
    if not shared.any():
        return nan, "no test, since no group holds both"
    both = shared & ((a[0] != b[0]) | (a[1] != b[1]))
    count = int(np.count_nonzero(both))
    exact = 2**count <= draws
    gains = [(theirs - ours)[both] for ours, theirs in zip(a, b, strict=True)]
    if exact:
        patterns = (np.arange(2**count)[:, None] >> np.arange(count)) & 1
    else:
        random = np.random.default_rng(seed)
        if kinds := few_kinds(*gains):
            gains, often = kinds
            patterns = random.binomial(often.astype(np.int64), 0.5, size=(draws, len(often)))
        else:
            patterns = random.integers(2, size=(draws, count))
        patterns[0] = 0  # the pattern that was seen is one of those that can be drawn
    # What a loses by an exchange, b gains.
    moved = [patterns @ gain for gain in gains]
    gaps = (a[0].sum() + moved[0]) / (a[1].sum() + moved[1]) - (b[0].sum() - moved[0]) / (b[1].sum() - moved[1])
    p = float(np.mean(np.abs(gaps) >= abs(gaps[0]) - 1e-9))
    return p, f"{'exact ' * exact}exchange test over {count} groups"
