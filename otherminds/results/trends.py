"""Trends: how a score goes along models in an order that was fixed beforehand, on the items that all answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import log10

from otherminds import stats
from otherminds.formats.question_formats import QuestionFormat
from otherminds.items.tags import ORDER
from otherminds.results.answers import Answers, shared
from otherminds.results.lineups import Member
from otherminds.results.measures import EVERYTHING, FEWEST, Split, beliefs, splits
from otherminds.runs.runs import Run
from otherminds.stats import Difference, Estimate
from otherminds.stats.trends import Trend, page

ALPHA = 0.05
STEEP = 0.02
"""The least slope per version that is called a trend."""
LITTLE = 0.1
"""A score that certainly rises and falls by less from the first version to the last does not move."""
SAME = 1e-9
"""Means that differ by less differ by rounding only."""
NO_TREND = "no clear trend"
MOVES, FALLS, STAYS, NOT_TOLD, TOO_FEW = "moves", "falls", "does not move", "cannot be told", "too few groups"


@dataclass(frozen=True, slots=True)
class SeriesTrend:
    """The versions of one series on some items, over those that all have a score for."""

    series: str
    what: str
    versions: tuple[str, ...]
    means: tuple[Estimate, ...]
    steps: tuple[Difference, ...]
    """Each version less the one before."""
    trend: Trend
    p: float
    """That of the slope, adjusted."""
    by_size: Difference | None = None
    """How far the score rises with every tenfold number of parameters; none where sizes are not known or do not
    differ."""
    reach: float = 1.0
    """How many versions lie between the first and the last, by their ranks."""
    of: str = "value"
    """Of which number: right answers, or S."""
    asked: str = ""
    """The suite and the way of asking."""
    behind: tuple[Answers, ...] = field(default=(), compare=False)
    """Of every version, the answers that it speaks of."""

    @property
    def path(self) -> str:
        """The means, oldest version first."""
        return " → ".join(f"{mean.value:.3f}" for mean in self.means)

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

    @property
    def moves(self) -> str:
        """Whether the score goes with the series as a whole, whatever single steps do."""
        slope = self.trend.slope
        if self.trend.blocks < FEWEST:
            return TOO_FEW
        if self.p <= ALPHA and not slope.low <= 0 <= slope.high:
            return MOVES if slope.value > 0 else FALLS
        return STAYS if max(-slope.low, slope.high) * self.reach < LITTLE else NOT_TOLD


def trend(
    series: str, what: str, versions: Mapping[Member, Answers], *, of: str, asked: str = ""
) -> SeriesTrend | None:
    """How a number goes along these versions, which lie at their ranks; None where they share no item with one."""
    at, sizes = [each.rank or 0 for each in versions], [each.parameters for each in versions if each.parameters]
    # On the same items: a version that answered fewer would otherwise be judged on others.
    rows = shared(*versions.values(), of=of)
    if not rows[0]:
        return None
    by, columns = rows[0].groups, [some.numbers(of) for some in rows]
    lines = list(zip(*columns, strict=True))
    found = page(lines, groups=by, at=at)
    known = len(sizes) == len(columns) and len(set(sizes)) > 1
    return SeriesTrend(
        series=series,
        what=what,
        versions=tuple(each.name for each in versions),
        means=tuple(stats.mean(column, groups=by) for column in columns),
        steps=tuple(stats.difference(new, old, groups=by) for old, new in pairwise(columns)),
        trend=found,
        p=found.slope.p,
        by_size=page(lines, groups=by, at=[log10(size) for size in sizes]).slope if known else None,
        reach=max(at) - min(at),
        of=of,
        asked=asked,
        behind=tuple(rows),
    )


def adjusted(found: Sequence[SeriesTrend]) -> tuple[SeriesTrend, ...]:
    """The same with p adjusted (Holm) for being so many."""
    ps = stats.holm([each.trend.slope.p for each in found])
    return tuple(replace(each, p=p) for each, p in zip(found, ps, strict=True))


def of_tasks(
    asked: Mapping[str, Answers], series: Mapping[str, Sequence[Member]], tasks: Sequence[str]
) -> tuple[SeriesTrend, ...]:
    """How S goes along every series of which at least two versions were asked, task by task."""
    versions = {name: {each: asked[each.name] for each in some if each.name in asked} for name, some in series.items()}
    wanted = [(name, task, some) for name, some in versions.items() if len(some) > 1 for task in tasks]
    found = (
        trend(name, task, {each: table.where(task=task) for each, table in some.items()}, of="S")
        for name, task, some in wanted
    )
    return adjusted([one for one in found if one])


# ---- whatever suites were asked -------------------------------------------------------------------------------------


def trends(series: Mapping[str, Sequence[Member]], runs: Mapping[str, Sequence[Run]]) -> tuple[SeriesTrend, ...]:
    """For every series, suite and way of asking: all items, false and true beliefs, and every order of minds."""
    found = [one for name, members in series.items() for one in _of_series(name, members, runs)]
    return adjusted(found)


def _of_series(name: str, members: Sequence[Member], runs: Mapping[str, Sequence[Run]]) -> Iterator[SeriesTrend]:
    asked: dict[tuple[str, str, str], dict[Member, Run]] = {}
    for member in members:
        for run in runs.get(member.name, ()):
            asked.setdefault((run.digest, run.score, run.prompt), {})[member] = run
    for answered in asked.values():
        if len(answered) > 1:
            tables = {each: Answers.of([run]) for each, run in answered.items()}
            one = next(iter(answered.values()))
            way = f"{one.suite}, {QuestionFormat(one.score, one.prompt)}"
            for split, of in _lines(next(iter(tables.values()))):
                what = split.label if of == "value" else f"{of} of {split.label}"
                some = {each: table.where(None, **split.tags) for each, table in tables.items()}
                if line := trend(name, what, some, of=of, asked=way):
                    yield line


def _lines(answers: Answers) -> Iterator[tuple[Split, str]]:
    """What is told of a suite: how often right, and S where choices were weighed."""
    yield EVERYTHING, "value"
    if answers.numbers("S"):
        yield EVERYTHING, "S"
    for split in (*beliefs(answers), *(one for one in splits(answers) if set(one.tags) == {ORDER})):
        yield split, "value"
