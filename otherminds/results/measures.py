"""Numbers from answers, with intervals: what a command prints and what a report shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median

import numpy as np

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.items import Item, Tag
from otherminds.items.tags import FALSE_BELIEF, KIND, ORDER, STORY, TWIN
from otherminds.results.answers import Answer, Answers, Wanted, shared
from otherminds.runs.runs import Run
from otherminds.showing.notebook import Shown

MOST_VALUES = 8
"""A tag with more values than that names items rather than kinds of items."""
FEWEST = 6
"""Groups; with fewer, not even all of them on one side give a p below 0.05."""
_FIRST_TAGS = (FALSE_BELIEF, KIND, ORDER)


@dataclass(frozen=True, slots=True)
class Split:
    """Some of a suite's items, by a tag; all of them, by none."""

    label: str
    tags: Mapping[str, Wanted] = field(default_factory=dict)
    keep: Callable[[Answer], bool] | None = None
    """What tags cannot say."""

    def of(self, answers: Answers) -> Answers:
        """These answers, among others."""
        return answers.where(self.keep, **self.tags)


@dataclass(frozen=True, slots=True)
class Leaning:
    """How far answers hang on the letters and not on what they stand for."""

    mass: float
    """The median probability of all choices together; when small, S compares two tiny numbers."""
    bias: float | None
    """The mean of what the first letter gets more than the others, in log-probability."""
    consistent: float | None
    """The share of items where all orders prefer the same choice."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table of differences."""

    items: str
    difference: stats.Difference
    holm: float
    """p adjusted for all lines of a table that rest on enough groups; 1 for the others."""
    tags: Mapping[str, Wanted] = field(default_factory=dict)
    """Which items these are."""
    behind: Answers = field(default_factory=Answers, compare=False)
    """The answers of both."""

    @property
    def too_few(self) -> bool:
        """Whether it rests on so few groups that no difference could be told."""
        return self.difference.clusters < FEWEST


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(Shown):
    """Two runs on the items that both have a value for: how far the first lies above the second."""

    rows: tuple[Row, ...]
    """For all items, then for each split."""
    gained: tuple[str, ...]
    """Items that only the first run has right, and the second wrong."""
    lost: tuple[str, ...]
    """Items that only the second run has right."""
    mcnemar: float
    unpaired: int
    """Items that lack a value in one of the runs, or are not in both."""
    both: tuple[Answers, Answers] = field(default=(Answers(), Answers()), compare=False)
    """What each of the runs answered to the items that are compared."""

    def __repr__(self) -> str:
        sides = f"{len(self.gained)} only the first right, {len(self.lost)} only the second"
        return f"<Comparison on {len(self.both[0])} items: {self.rows[0].difference if self.rows else '–'}; {sides}>"


EVERYTHING = Split("all items")


def splits(answers: Answers) -> list[Split]:
    """The ways in which these items are worth telling apart: all, then every value of every tag that differs."""
    values = {name: found for name, found in answers.tag_values.items() if name not in (STORY, TWIN)}
    names = sorted(
        (name for name, found in values.items() if 1 < len(found) <= MOST_VALUES),
        key=lambda name: (_FIRST_TAGS.index(name) if name in _FIRST_TAGS else len(_FIRST_TAGS), name),
    )
    # True before False, so that what is hard stands first; other values in their own order.
    return [EVERYTHING] + [
        Split(_label(name, value), {name: value})
        for name in names
        for value in sorted(values[name], key=lambda value: (str(type(value)), value), reverse=values[name] <= {0, 1})
    ]


def _label(name: str, value: Tag) -> str:
    words = name.replace("_", " ")
    if name == FALSE_BELIEF and isinstance(value, bool):
        return "false belief" if value else "true belief"
    if isinstance(value, bool):
        return words if value else f"not {words}"
    return f"{words}: {value}" if isinstance(value, str) else f"{words} {value}"


def by_suite(runs: Iterable[Run]) -> list[list[Run]]:
    """Runs of the same items together: what guessing gives, and what a story is, differs from suite to suite."""
    suites: dict[str, list[Run]] = {}
    for run in runs:
        suites.setdefault(run.digest, []).append(run)
    return list(suites.values())


def beliefs(answers: Answers) -> list[Split]:
    """False and true belief, where both are there."""
    return [split for split in splits(answers) if FALSE_BELIEF in split.tags]


def table(given: Run | Answers) -> Answers:
    """The answers of a run, if they are no table yet."""
    return Answers.of([given]) if isinstance(given, Run) else given


def missing(given: Run | Answers) -> int:
    """How many items lack a value though they have a right answer."""
    return table(given).missing


def mean_of(given: Run | Answers, of: str = "value", /, **tags: Wanted) -> stats.Estimate | None:
    """The mean of a run's values with its interval, or nothing where nothing was measured."""
    return table(given).where(None, **tags).mean(of)


def twins_right(given: Run | Answers) -> stats.Estimate | None:
    """The share of sets of twins that are right to the last one: what a bias to one answer never reaches."""
    answers = table(given)
    sets: dict[Tag, list[int]] = {}
    for place, twin in enumerate(answers.get(TWIN)):
        if twin is not None:
            sets.setdefault(twin, []).append(place)
    value, groups = answers.values, answers.groups
    whole = [some for some in sets.values() if len(some) > 1 and not np.isnan(value[some]).any()]
    if not whole:
        return None
    right = [float((value[some] == 1).all()) for some in whole]
    return stats.mean(right, groups=[groups[some[0]] for some in whole])


def chance(given: Sequence[Item] | Answers) -> float | None:
    """What guessing among the choices would give; nothing for a suite with free answers."""
    choices = given.once.choices if isinstance(given, Answers) else [len(item.choices) for item in given]
    return fmean(1 / number for number in choices) if choices and all(choices) else None


def leaning(given: Run | Answers) -> Leaning | None:
    """How the letters or endings were weighed; nothing for a run that asked for words."""
    answers = table(given)
    masses, biases, steady = (answers.numbers(of) for of in ("mass", "b", "consistent"))
    if not masses:
        return None
    return Leaning(median(masses), fmean(biases) if biases else None, fmean(steady) if steady else None)


def same_model(run: Run) -> str:
    """The same for runs of one model: all that is known of it but its seed, and the suite that a baseline is made for.

    A name will not do, since one may stand for two servers or two temperatures.
    """
    known = {name: value for name, value in run.manifest["identity"].items() if name not in ("seed", "suite")}
    return json.dumps([run.model, known], sort_keys=True)


def compare(first: Run, second: Run, *, by: str = "") -> Comparison:
    """The paired difference between two runs, clustered by story: overall, and by one tag or by all."""
    one, two = table(first), table(second)
    # The digest speaks for the items of runs whose records are not in memory.
    if first.digest != second.digest or first.columns.positions is None or second.columns.positions is None:
        for a, b in zip(*shared(one, two), strict=True):
            if a.item != b.item:
                raise UsageError(
                    f"item {a.item.id!r} is not the same in runs {first.id} and {second.id}, so they cannot be paired;"
                    " compare runs of one suite"
                )
    both = shared(one, two, of="value")
    if not both[0]:
        raise UsageError(f"runs {first.id} and {second.id} have no scored item in common, so they cannot be compared")
    rows = []
    for split in _by_tag(both[0], by) if by else splits(both[0]):
        mine, theirs = (some.where(None, **split.tags) for some in both)
        if difference := mine.less(theirs):
            rows.append(Row(split.label, difference, 1.0, split.tags, mine | theirs))
    ids, right = both[0].item_ids, [some.values for some in both]
    gained, lost = (
        tuple(ids[place] for place in np.flatnonzero((a == 1) & (b == 0)).tolist()) for a, b in (right, right[::-1])
    )
    whole = len((one | two).once.scored)
    changed = stats.mcnemar(len(gained), len(lost))
    return Comparison(adjusted(rows), gained, lost, changed, whole - len(ids), (both[0], both[1]))


def adjusted(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows with p adjusted for being so many (Holm); those that could never be significant do not count."""
    ps = iter(stats.holm([row.difference.p for row in rows if not row.too_few]))
    return tuple(replace(row, holm=1.0 if row.too_few else next(ps)) for row in rows)


def _by_tag(answers: Answers, name: str) -> list[Split]:
    """All items, then those of each value of a tag, in the order in which they come."""
    values = dict.fromkeys(answers.get(name) if name in answers.tag_values else ())
    values.pop(None, None)
    parts = [Split(_label(name, value), {name: value}) for value in values]
    return [EVERYTHING, *parts] if len(parts) > 1 else [EVERYTHING]
