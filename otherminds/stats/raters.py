"""How far people, or people and a judge, say the same: numbers only.

A table has a row for every unit and in it the labels that the unit was given; None is a label that is missing. Each
measure but the raw share is 1 - observed / expected disagreement: 1 is full agreement, 0 is what labels dealt out at
random would give. They differ in what "at random" means:

    alpha    Krippendorff's: all labels in one urn, drawn without replacement; any number of raters, gaps allowed
    fleiss   Fleiss' kappa: all labels in one urn, drawn with replacement; units may differ in how many labels they have
    cohen    Cohen's kappa: two raters, each with an urn of their own

None comes back where there is nothing to compare, or where only one label was ever used, so that agreement says
nothing. Intervals are drawn by unit, or by group where `groups` names one for each unit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

import numpy as np

from otherminds.errors import UsageError
from otherminds.stats.means import Estimate, mean, row_counts
from otherminds.stats.reach import interval
from otherminds.stats.significance import TAIL, Floats

Label = TypeVar("Label", bound=Hashable)
Labels = Sequence[Hashable | None]
Table = Sequence[Labels]
Groups = Sequence[Hashable] | None
Parts = Callable[[Floats], tuple[Floats, Floats]]
"""From what the units add up to, to observed and expected disagreement."""


def majority(labels: Sequence[Label | None]) -> Label | None:
    """The label that more than half of those who gave one gave; None if there is none such."""
    given = [label for label in labels if label is not None]
    if not given:
        return None
    ((top, times), *_) = Counter(given).most_common(1)
    return top if 2 * times > len(given) else None


def alpha(table: Table, *, groups: Groups = None, draws: int = 10_000, seed: int = 0) -> Estimate | None:
    """Krippendorff's alpha for labels without order; units with fewer than two labels are left out."""
    counts, kept = _counts(table, groups)
    sizes = counts.sum(axis=1, keepdims=True)
    agreed = (counts * (counts - 1)).sum(axis=1, keepdims=True) / (sizes - 1)
    return _corrected(np.hstack([agreed, counts]), _urn_without, kept, draws, seed)


def fleiss(table: Table, *, groups: Groups = None, draws: int = 10_000, seed: int = 0) -> Estimate | None:
    """Fleiss' kappa; where units have different numbers of labels, every unit counts alike."""
    counts, kept = _counts(table, groups)
    sizes = counts.sum(axis=1, keepdims=True)
    agreed = (counts * (counts - 1)).sum(axis=1, keepdims=True) / (sizes * (sizes - 1))
    return _corrected(np.hstack([agreed, counts / sizes]), _urn_with, kept, draws, seed)


def cohen(a: Labels, b: Labels, *, groups: Groups = None, draws: int = 10_000, seed: int = 0) -> Estimate | None:
    """Cohen's kappa of two raters over the units that both labelled."""
    pairs, kept = _pairs(a, b, groups)
    if not pairs:
        return None
    labels = list(dict.fromkeys(label for pair in pairs for label in pair))
    same = np.array([[float(one == other)] for one, other in pairs])
    ours, theirs = (np.array([[float(pair[side] == label) for label in labels] for pair in pairs]) for side in (0, 1))
    return _corrected(np.hstack([same, ours, theirs]), _two_urns, kept, draws, seed)


def shared(a: Labels, b: Labels, *, groups: Groups = None, draws: int = 10_000, seed: int = 0) -> Estimate | None:
    """The share of the units labelled by both that two raters gave the same label."""
    pairs, kept = _pairs(a, b, groups)
    if not pairs:
        return None
    return mean([float(one == other) for one, other in pairs], groups=kept, draws=draws, seed=seed)


def _counts(table: Table, groups: Groups) -> tuple[Floats, list[Hashable]]:
    """For every unit with two labels or more, how often it got each label; and the groups of these units."""
    rows = [[label for label in row if label is not None] for row in table]
    names = _groups(len(rows), groups)
    labels = list(dict.fromkeys(label for row in rows for label in row))
    kept = [number for number, row in enumerate(rows) if len(row) > 1]
    counts = np.array([[rows[number].count(label) for label in labels] for number in kept], dtype=np.float64)
    return counts.reshape(len(kept), len(labels)), [names[number] for number in kept]


def _pairs(a: Labels, b: Labels, groups: Groups) -> tuple[list[tuple[Hashable, Hashable]], list[Hashable]]:
    if len(a) != len(b):
        raise UsageError(f"{len(a)} and {len(b)} labels cannot be paired; give both for the same units in one order")
    names = _groups(len(a), groups)
    both = [(one, other, name) for one, other, name in zip(a, b, names, strict=True)]
    kept = [(one, other, name) for one, other, name in both if one is not None and other is not None]
    return [(one, other) for one, other, _ in kept], [name for *_, name in kept]


def _groups(units: int, groups: Groups) -> Sequence[Hashable]:
    if groups is not None and len(groups) != units:
        raise UsageError(f"{units} units have {len(groups)} groups; name one group for each unit")
    return range(units) if groups is None else groups


def _urn_without(sums: Floats) -> tuple[Floats, Floats]:
    counts = sums[:, 1:-1]
    total = counts.sum(axis=1)
    return 1 - sums[:, 0] / total, 1 - (counts * (counts - 1)).sum(axis=1) / (total * (total - 1))


def _urn_with(sums: Floats) -> tuple[Floats, Floats]:
    units = sums[:, -1]
    return 1 - sums[:, 0] / units, 1 - ((sums[:, 1:-1] / units[:, None]) ** 2).sum(axis=1)


def _two_urns(sums: Floats) -> tuple[Floats, Floats]:
    units = sums[:, -1]
    ours, theirs = np.split(sums[:, 1:-1] / units[:, None], 2, axis=1)
    return 1 - sums[:, 0] / units, 1 - (ours * theirs).sum(axis=1)


def _corrected(units: Floats, parts: Parts, groups: Sequence[Hashable], draws: int, seed: int) -> Estimate | None:
    """1 - observed / expected disagreement, with the interval of resampled groups of units."""
    if not len(units):
        return None
    number: dict[Hashable, int] = {}
    codes = [number.setdefault(group, len(number)) for group in groups]
    sums = np.zeros((len(number), units.shape[1] + 1))
    np.add.at(sums, codes, np.hstack([units, np.ones((len(units), 1))]))
    (seen,), (chance,) = parts(sums.sum(axis=0, keepdims=True))
    if chance < 1e-12:
        return None
    drawn, clusters = _drawn(sums, parts, draws, seed), len(sums)
    if clusters == 1 or not len(drawn) or np.ptp(drawn) < 1e-12:
        # Groups that are all alike: allow for as many of another kind as could have been missed by chance.
        missed = 1 - TAIL ** (1 / clusters)
        low, high = 1 - (seen + missed * (1 - seen)) / chance, 1 - seen * (1 - missed) / chance
        method = f"Clopper-Pearson on {clusters} group{'s' * (clusters > 1)}, all alike"
    else:
        low, high = interval(float(1 - seen / chance), drawn, _jackknife(sums, parts), clusters, (-1.0, 1.0))
        method = (
            f"percentile bootstrap of {clusters} groups, {draws:,} draws, and Student's t: the wider on either side"
        )
    # None of the three can be less than -1: two raters who never say the same thing.
    low, high = np.clip([low, high], -1.0, 1.0)
    return Estimate(float(1 - seen / chance), float(low), float(high), len(units), clusters, method)


def _jackknife(sums: Floats, parts: Parts) -> float:
    """The standard error, from the measure without each of the groups, where it exists."""
    seen, chance = parts(sums.sum(axis=0) - sums)
    left = 1 - seen[chance > 1e-12] / chance[chance > 1e-12]
    return float(left.std() * np.sqrt(max(0, len(left) - 1))) if len(left) else 0.0


def _drawn(sums: Floats, parts: Parts, draws: int, seed: int) -> Floats:
    """The measure for each of many sets of groups, drawn with replacement, where it exists."""
    random = np.random.default_rng(seed)
    # As everywhere, an order that does not depend on the order of the units.
    sums = sums[np.lexsort(sums.T)]
    found = []
    for rows in row_counts(draws, sums.size):
        chosen = sums[random.integers(len(sums), size=(rows, len(sums)))].sum(axis=1)
        seen, chance = parts(chosen)
        # A draw that holds only one label has no measure.
        found.append(1 - seen[chance > 1e-12] / chance[chance > 1e-12])
    return np.concatenate(found)
