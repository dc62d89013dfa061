"""Scores that need more than one item: flips between twins, and belief given that the text was understood."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean

from otherminds import stats
from otherminds.items.tags import TWIN
from otherminds.results.answers import Answers


@dataclass(frozen=True, slots=True)
class GivenReading:
    """How often beliefs are right about scripts whose facts were all read right, and about the other scripts."""

    read: stats.Estimate | None
    misread: stats.Estimate | None


def flip_sensitivity(answers: Answers) -> stats.Estimate | None:
    """The mean of S(item) + S(twin) - 1 over groups whose right answer flips: 0 for always the same answer, 1 at best.

    A group of more than two counts with the mean S of its twins for each of its two answers.
    """
    flips, by = [], []
    for twin, some in answers.with_value("S").by(TWIN).items():
        shares: dict[str, list[float]] = defaultdict(list)
        for row in some:
            shares[row.item.answer].append(row.number("S") or 0.0)
        if twin is not None and len(shares) == 2:
            flips.append(sum(map(fmean, shares.values())) - 1)
            by.append(some[0].group)
    return stats.mean(flips, groups=by, bounds=(-1.0, 1.0)) if flips else None


def given_reading(answers: Answers) -> GivenReading:
    """FB/SA on the scripts that TB asks about too, by whether all of TB was right there."""
    facts: dict[str, list[float | None]] = defaultdict(list)
    for row in answers.where(task="TB"):
        facts[row.item.context].append(row.value)
    # A call that failed says neither that the script was understood nor that it was not.
    known = {context: all(value == 1 for value in values) for context, values in facts.items() if None not in values}
    asked = answers.where(task="FB/SA")
    read = asked.where(lambda row: known.get(row.item.context) is True)
    return GivenReading(read.mean(), asked.where(lambda row: known.get(row.item.context) is False).mean())
