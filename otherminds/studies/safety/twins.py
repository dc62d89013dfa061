"""Scores that need more than one item: flips between twins, and belief given that the text was understood."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from otherminds import stats
from otherminds.asking.plans import groups
from otherminds.asking.runs import Record, Run
from otherminds.items.tags import TWIN


@dataclass(frozen=True, slots=True)
class GivenReading:
    """How often beliefs are right about scripts whose facts were all read right, and about the other scripts."""

    read: stats.Estimate | None
    misread: stats.Estimate | None


def flip_sensitivity(run: Run, **tags: str) -> stats.Estimate | None:
    """The mean of S(item) + S(twin) - 1 over groups whose right answer flips: 0 for always the same answer, 1 at best.

    A group of more than two counts with the mean S of its twins for each of its two answers.
    """
    by_group: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    first: dict[str, Record] = {}
    for record in run.where(None, **tags).records:
        share, twin = record.value("S"), record.item.tags.get(TWIN)
        if twin is not None and share is not None:
            by_group[str(twin)][record.item.answer].append(share)
            first.setdefault(str(twin), record)
    flips = {twin: sum(map(fmean, found.values())) - 1 for twin, found in by_group.items() if len(found) == 2}
    if not flips:
        return None
    by = groups([first[twin].item for twin in flips])
    return stats.mean(list(flips.values()), groups=by, bounds=(-1.0, 1.0))


def given_reading(run: Run) -> GivenReading:
    """FB/SA on the scripts that TB asks about too, by whether all of TB was right there."""
    facts: dict[str, list[float | None]] = defaultdict(list)
    for record in run.where(None, task="TB").records:
        facts[record.item.context].append(record.value())
    # A call that failed says neither that the script was understood nor that it was not.
    known = {context: values for context, values in facts.items() if None not in values}
    asked = [record for record in run.where(None, task="FB/SA").records if record.item.context in known]
    understood = [record for record in asked if all(value == 1 for value in known[record.item.context])]
    return GivenReading(_mean(understood), _mean([record for record in asked if record not in understood]))


def _mean(records: Sequence[Record]) -> stats.Estimate | None:
    scored = [(record.item, value) for record in records if (value := record.value()) is not None]
    if not scored:
        return None
    return stats.mean([value for _, value in scored], groups=groups([item for item, _ in scored]))
