"""What heuristics score on a suite or a benchmark: how far it can be solved without anybody's beliefs.

Where a heuristic finds several options equally good, or none, it guesses among them, and what it gets is what that
guess gives on average. A suite is no better than the best of them, and that one is picked with hindsight: a fair test
would have to name it beforehand. `heuristics.rules` says what each does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from statistics import fmean

from otherminds import stats
from otherminds.bridges.benchmarks.asked import published_value
from otherminds.formats.plans import groups
from otherminds.heuristics.cues import picked, share
from otherminds.heuristics.rules import rules_for
from otherminds.items import Item
from otherminds.items.tags import BENCHMARK, TWIN


@dataclass(frozen=True, slots=True)
class Scored:
    """What one heuristic gets."""

    name: str
    right: stats.Estimate
    opinions: int
    """Items on which it prefers some choice; on the others it guesses."""


def gains(items: Sequence[Item], *, published: bool = False) -> dict[str, dict[str, float]]:
    """By heuristic and item what it gets, by the answer of the items or by the benchmark's own script."""
    gets = _published if published else share
    found = {}
    for name, best in picked(rules_for("audit", items), items).items():
        worth = {item.id: gets(item, best.get(item.id, ())) for item in items}
        found[name] = {id: value for id, value in worth.items() if value is not None}
    return found


def _published(item: Item, picked: Sequence[str]) -> float | None:
    if BENCHMARK not in item.meta:
        return share(item, picked)
    worth = [value for choice in picked or item.choices if (value := published_value(item, choice)) is not None]
    return fmean(worth) if worth else None


def audit(items: Sequence[Item], *, published: bool = False) -> list[Scored]:
    """What every heuristic gets over all items, the best first."""
    by_id = dict(zip((item.id for item in items), groups(items), strict=True))
    opinions = picked(rules_for("audit", items), items)
    rows = [
        Scored(name, stats.mean(list(worth.values()), groups=[by_id[id] for id in worth]), len(opinions[name]))
        for name, worth in gains(items, published=published).items()
        if worth
    ]
    return sorted(rows, key=lambda row: -row.right.value)


def best(worth: Mapping[str, Mapping[str, float]], ids: Sequence[str]) -> tuple[str, float] | None:
    """The heuristic that gets most on these items, and what it gets."""
    wanted = set(ids)
    means = {
        name: fmean(values[id] for id in values if id in wanted)
        for name, values in worth.items()
        if any(id in wanted for id in values)
    }
    name = max(means, key=means.__getitem__, default=None)
    return None if name is None else (name, means[name])


def pairs_right(items: Sequence[Item]) -> dict[str, stats.Estimate]:
    """By heuristic the share of twins that it has all right, which no rule that gives one answer to both reaches."""
    found = {}
    for name, worth in gains(items).items():
        sets: dict[str, list[float]] = {}
        for item in items:
            if TWIN in item.tags and item.id in worth:
                sets.setdefault(str(item.tags[TWIN]), []).append(worth[item.id])
        if sets:
            found[name] = stats.mean([prod(several) for several in sets.values()])
    return dict(sorted(found.items(), key=lambda pair: -pair[1].value))
