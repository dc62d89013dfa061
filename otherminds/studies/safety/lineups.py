"""Models beside each other: base against post-trained, and the versions of a series.

Both lists were fixed before anything was measured, so these are the confirmatory results: each p is adjusted for the
number of its family (Holm), which is pairs × tasks, and series × tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from otherminds import stats
from otherminds.asking.plans import groups
from otherminds.stats import Difference, Estimate
from otherminds.stats.trends import Trend, page
from otherminds.studies.safety.series import Lineup
from otherminds.studies.safety.sittings import NINE, Sitting, items, values

ALPHA = 0.05
STEEP = 0.02
"""The least slope per version that is called a trend."""
SAME = 1e-9
"""Means that differ by less differ by rounding only."""
NO_TREND = "no clear trend"


@dataclass(frozen=True, slots=True)
class Pairing:
    """One base model and what post-training made of it, on one task, over the items that both have."""

    base: str
    post: str
    task: str
    before: Estimate
    after: Estimate
    difference: Difference
    """After less before; p adjusted."""
    mcnemar: float
    """Of right and wrong answers, exact; as if items were independent."""


@dataclass(frozen=True, slots=True)
class SeriesTrend:
    """The versions of one series on one task, over the items that all have."""

    series: str
    task: str
    versions: tuple[str, ...]
    means: tuple[Estimate, ...]
    steps: tuple[Difference, ...]
    """Each version less the one before."""
    trend: Trend
    p: float
    """Page's, adjusted."""

    @property
    def word(self) -> str:
        """By rule: an adjusted p of at most 0.05, a slope of at least 0.02 a version, and no step against it."""
        slope = self.trend.slope.value
        count = self.trend.treatments
        rising = self.trend.statistic > self.trend.blocks * count * (count + 1) ** 2 / 4
        if self.p > ALPHA or abs(slope) < STEEP or rising != (slope > 0):
            return NO_TREND
        if any(step.value < -SAME if slope > 0 else step.value > SAME for step in self.steps):
            return "goes up and down"
        return "rises" if slope > 0 else "falls"


def pairings(sittings: Sequence[Sitting], lineup: Lineup, *, of: str = "S") -> tuple[Pairing, ...]:
    """Every pair of the line-up of which both were asked."""
    asked = {each.name: each for each in sittings}
    found = []
    for base, post in lineup.pairs:
        if base in asked and post in asked:
            both = asked[base], asked[post]
            found += [one for task in NINE if (one := _pairing(*both, task, of))]
    ps = stats.holm([each.difference.p for each in found])
    return tuple(replace(each, difference=replace(each.difference, p=p)) for each, p in zip(found, ps, strict=True))


def _pairing(base: Sitting, post: Sitting, task: str, of: str) -> Pairing | None:
    before, after = (values(each.main, of, task=task) for each in (base, post))
    shared = [id for id in before if id in after]
    if not shared:
        return None
    known = items(base.main)
    by = groups([known[id] for id in shared])
    old, new = [before[id] for id in shared], [after[id] for id in shared]
    right = [values(each.main, "value", task=task) for each in (base, post)]
    gained = sum((right[0].get(id), right[1].get(id)) == (0, 1) for id in shared)
    lost = sum((right[0].get(id), right[1].get(id)) == (1, 0) for id in shared)
    return Pairing(
        base=base.name,
        post=post.name,
        task=task,
        before=stats.mean(old, groups=by),
        after=stats.mean(new, groups=by),
        difference=stats.difference(new, old, groups=by),
        mcnemar=stats.mcnemar(gained, lost),
    )


def trends(sittings: Sequence[Sitting], lineup: Lineup) -> tuple[SeriesTrend, ...]:
    """Every series of which at least two versions were asked."""
    asked = {each.name: each for each in sittings}
    found = []
    for series, members in lineup.versions.items():
        present = [(asked[each.name], each.rank or 0) for each in members if each.name in asked]
        if len(present) > 1:
            found += [one for task in NINE if (one := _trend(series, present, task))]
    ps = stats.holm([each.trend.p for each in found])
    return tuple(replace(each, p=p) for each, p in zip(found, ps, strict=True))


def _trend(series: str, present: Sequence[tuple[Sitting, int]], task: str) -> SeriesTrend | None:
    scores = [values(each.main, task=task) for each, _ in present]
    # Versions are compared on the same items: one that answered fewer would otherwise be judged on others.
    shared = [id for id in scores[0] if all(id in some for some in scores)]
    if not shared:
        return None
    known = items(present[0][0].main)
    by = groups([known[id] for id in shared])
    columns = [[some[id] for id in shared] for some in scores]
    found = page(list(zip(*columns, strict=True)), groups=by, at=[rank for _, rank in present])
    return SeriesTrend(
        series=series,
        task=task,
        versions=tuple(each.name for each, _ in present),
        means=tuple(stats.mean(column, groups=by) for column in columns),
        steps=tuple(stats.difference(new, old, groups=by) for old, new in pairwise(columns)),
        trend=found,
        p=found.p,
    )
