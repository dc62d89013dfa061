"""Numbers from runs, with intervals: what a command prints and what a report shows.

Items that share a story, a twin or a stage are not independent, so every interval is drawn by such groups. Items
without a value (tied, refused, cut off, unreadable) are left out of means and counted beside them: not measured is not
zero.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean, median

from otherminds import stats
from otherminds.asking.plans import groups
from otherminds.asking.runs import Record, Run
from otherminds.errors import UsageError
from otherminds.items import Item, Tag
from otherminds.items.tags import FALSE_BELIEF, KIND, ORDER, SCORED, STORY, TWIN

MOST_VALUES = 8
"""A tag with more values than that names items rather than kinds of items."""
FEWEST = 6
"""Groups; with fewer, not even all of them on one side give a p below 0.05."""
_FIRST_TAGS = (FALSE_BELIEF, KIND, ORDER)


@dataclass(frozen=True, slots=True)
class Split:
    """Some of a suite's items, by a tag; all of them, by none."""

    label: str
    tags: Mapping[str, Tag] = field(default_factory=dict)


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
    """p adjusted for all lines that rest on enough groups; 1 for the others."""
    tags: Mapping[str, Tag] = field(default_factory=dict)
    """Which items these are."""

    @property
    def too_few(self) -> bool:
        """Whether it rests on so few groups that no difference could be told."""
        return self.difference.clusters < FEWEST


@dataclass(frozen=True, slots=True)
class Comparison:
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


EVERYTHING = Split("all items")


def splits(items: Sequence[Item]) -> list[Split]:
    """The ways in which these items are worth telling apart: all, then every value of every tag that differs."""
    values: dict[str, set[Tag]] = {}
    for item in items:
        for name, value in item.tags.items():
            if name not in (STORY, TWIN):
                values.setdefault(name, set()).add(value)
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


def items_of(runs: Iterable[Run]) -> list[Item]:
    """The items of some runs of one suite, each once."""
    return list({record.item.id: record.item for run in runs for record in run.records}.values())


def beliefs(items: Sequence[Item]) -> list[Split]:
    """False and true belief, where both are there."""
    return [split for split in splits(items) if "false_belief" in split.tags]


def missing(run: Run) -> int:
    """How many items lack a value though they have a right answer."""
    return sum(record.value() is None and record.verdict != "unscored" for record in run.records)


def mean_of(run: Run, of: str = "value", /, **tags: Tag) -> stats.Estimate | None:
    """The mean of a run's values with its interval, or nothing where nothing was measured."""
    return _mean(run.where(None, **tags).records, of)


def _mean(records: Sequence[Record], of: str) -> stats.Estimate | None:
    scored = [record for record in records if record.value(of) is not None]
    if not scored:
        return None
    return stats.mean([record.value(of) or 0.0 for record in scored], groups=groups([record.item for record in scored]))


def mean_over(items: Sequence[Item], values: Mapping[str, float], /, **tags: Tag) -> stats.Estimate | None:
    """The same of values by item id, over those of these items that have one and these tags."""
    some = [item for item in items if item.id in values and all(item.tags.get(n) == v for n, v in tags.items())]
    return stats.mean([values[item.id] for item in some], groups=groups(some)) if some else None


def twins_right(run: Run) -> stats.Estimate | None:
    """The share of sets of twins that are right to the last one: what a bias to one answer never reaches."""
    sets: dict[Tag, list[Record]] = {}
    for record in run.records:
        if TWIN in record.item.tags:
            sets.setdefault(record.item.tags[TWIN], []).append(record)
    whole = [twins for twins in sets.values() if len(twins) > 1 and all(r.value() is not None for r in twins)]
    if not whole:
        return None
    return stats.mean(
        [float(all(record.value() == 1 for record in twins)) for twins in whole],
        groups=groups([twins[0].item for twins in whole]),
    )


def chance(items: Sequence[Item]) -> float | None:
    """What guessing among the choices would give; nothing for a suite with free answers."""
    if not all(item.choices for item in items):
        return None
    return fmean(1 / len(item.choices) for item in items)


def leaning(run: Run) -> Leaning | None:
    """How the letters or endings were weighed; nothing for a run that asked for words."""
    details = [record.score.detail for record in run.records if "mass" in record.score.detail]
    if not details:
        return None
    biases = [detail["b"] for detail in details if detail.get("b") is not None]
    steady = [detail["consistent"] for detail in details if "consistent" in detail]
    return Leaning(
        mass=median(detail["mass"] for detail in details),
        bias=fmean(biases) if biases else None,
        consistent=fmean(steady) if steady else None,
    )


def same_model(run: Run) -> str:
    """The same for runs of one model: all that is known of it but its seed, and the suite that a baseline is made for.

    A name will not do, since one may stand for two servers or two temperatures.
    """
    known = {name: value for name, value in run.manifest["identity"].items() if name not in ("seed", "suite")}
    return json.dumps([run.model, known], sort_keys=True)


def paired(first: Run, second: Run, of: str = "value") -> stats.Difference | None:
    """How far the first run lies above the second, item by item; None if they share no item with a value."""
    a, b = first.values(of), second.values(of)
    shared = [record.item for record in first.records if record.item.id in a and record.item.id in b]
    return _difference(shared, a, b) if shared else None


def compare(first: Run, second: Run, *, by: str = "") -> Comparison:
    """The paired difference between two runs, clustered by story: overall, and by one tag or by all."""
    items = {record.item.id: record.item for record in first.records}
    others = {record.item.id: record.item for record in second.records}
    for id in items.keys() & others.keys():
        if items[id] != others[id]:
            raise UsageError(
                f"item {id!r} is not the same in runs {first.id} and {second.id}, so they cannot be paired;"
                " compare runs of one suite"
            )
    a, b = first.values(), second.values()
    shared = [item for id, item in items.items() if id in a and id in b]
    if not shared:
        raise UsageError(f"runs {first.id} and {second.id} have no scored item in common, so they cannot be compared")
    rows = []
    for split in _by_tag(shared, by) if by else splits(shared):
        chosen = [item for item in shared if split.tags.items() <= item.tags.items()]
        rows.append(Row(split.label, _difference(chosen, a, b), 1.0, split.tags))
    gained = tuple(item.id for item in shared if (a[item.id], b[item.id]) == (1, 0))
    lost = tuple(item.id for item in shared if (a[item.id], b[item.id]) == (0, 1))
    whole = [item for item in (items | others).values() if item.tags.get(SCORED) is not False]
    return Comparison(
        rows=adjusted(rows),
        gained=gained,
        lost=lost,
        mcnemar=stats.mcnemar(len(gained), len(lost)),
        unpaired=len(whole) - len(shared),
    )


def adjusted(rows: Sequence[Row]) -> tuple[Row, ...]:
    """The rows with p adjusted for being so many (Holm); those that could never be significant do not count."""
    ps = iter(stats.holm([row.difference.p for row in rows if not row.too_few]))
    return tuple(replace(row, holm=1.0 if row.too_few else next(ps)) for row in rows)


def _by_tag(items: Sequence[Item], name: str) -> list[Split]:
    """All items, then those of each value of a tag, in the order in which they come."""
    values = dict.fromkeys(item.tags[name] for item in items if name in item.tags)
    parts = [Split(_label(name, value), {name: value}) for value in values]
    return [EVERYTHING, *parts] if len(parts) > 1 else [EVERYTHING]


def _difference(items: Sequence[Item], a: Mapping[str, float], b: Mapping[str, float]) -> stats.Difference:
    return stats.difference([a[item.id] for item in items], [b[item.id] for item in items], groups=groups(items))
