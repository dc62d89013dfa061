"""From predictions and answers to the share of every reader, with its interval."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from otherminds.diagnosis import mixture
from otherminds.diagnosis.confusion import LEAST, called, differences, sets_of
from otherminds.diagnosis.evidence import Evidence
from otherminds.diagnosis.misfit import misfit, signal
from otherminds.diagnosis.predictions import GUESS, NONE, Floats, Ints
from otherminds.stats import Estimate
from otherminds.stats.significance import TAIL

DRAWS = 200
OFTEN = 0.5
"""A reader without an opinion on so many items guesses too often for the rest to be told from guessing."""


@dataclass(frozen=True)
class Fitted:
    """The share of every reader."""

    shares: dict[str, Estimate]
    """By name, those that are needed first, the largest before the smaller; guessing among them."""
    needed: tuple[str, ...]
    """Those without which the answers would be clearly less likely, guessing among them."""
    signal: float
    """How probable it would be that answers by guessing lie as near to any reader."""
    misfit: float
    """How probable it would be that answers of these readers hang together as much."""

    @property
    def first(self) -> str:
        """The one with the largest share."""
        return max(self.needed, key=lambda name: self.shares[name].value)


def fitted(given: Evidence, *, draws: int = DRAWS, seed: int = 0) -> Fitted:
    """The shares, with intervals over groups of stories; *none of these* is there only where readers do not fit."""
    rows = _Rows.of(given)
    guess = given.names.index(GUESS)
    needed = mixture.select(rows.likely, rows.total, [guess])
    shares = _of_some(rows.likely, rows.total[None], needed)[0]
    p, own = misfit(given, shares, seed)
    if own is not None:
        rows = _Rows.of(given, own.round(2))  # as fine as counts of a few answers can be
        needed = mixture.select(rows.likely, rows.total, [guess, guess + 1])
    return Fitted(*_told(given, rows, needed, draws, seed), signal(given), p)


def refitted(given: Evidence, needed: tuple[str, ...], *, draws: int = DRAWS, seed: int = 0) -> Fitted:
    """The shares of these alone, in a part of the evidence, where more of them may be alike than in the whole."""
    chosen = [number for number, name in enumerate(given.names) if name in needed and name != GUESS]
    own = given.predicted[:, chosen]
    sets = sets_of(differences(own, given.weights) < LEAST) if chosen else []
    names = [called(tuple(given.names[chosen[each]] for each in one)) for one in sets]
    parts = [own[:, one].mean(axis=1) for one in sets]
    part = replace(given, names=(*names, GUESS), predicted=np.stack([*parts, given.predicted[:, -1]], axis=1))
    return Fitted(*_told(part, _Rows.of(part), list(range(len(part.names))), draws, seed), signal(given), 1.0)


@dataclass(frozen=True)
class _Rows:
    """Answers that every reader finds equally likely are counted together: a fit takes a fraction of the time."""

    likely: Floats
    weights: Floats
    row: Ints
    """By answer, the row that counts it."""
    groups: Ints

    @staticmethod
    def of(given: Evidence, *more: Floats) -> _Rows:
        """Of all readers, and of more components."""
        columns = np.column_stack([given.likely.round(9), *more])
        likely, row = np.unique(columns, axis=0, return_inverse=True)
        return _Rows(likely, given.weights, row.ravel(), given.groups)

    @cached_property
    def total(self) -> Floats:
        return np.bincount(self.row, weights=self.weights, minlength=len(self.likely)).astype(np.float64)

    def resampled(self, draws: int, seed: int) -> Floats:
        """By draw of groups, what each row counts."""
        held = np.zeros((int(self.groups.max()) + 1, len(self.likely)))
        np.add.at(held, (self.groups, self.row), self.weights)
        count = len(held)
        times = np.random.default_rng(seed).multinomial(count, np.full(count, 1 / count), size=draws)
        found: Floats = times @ held
        return found


def _of_some(likely: Floats, weights: Floats, which: list[int]) -> Floats:
    """The shares of some components; the others have none."""
    shares = np.zeros((len(weights), likely.shape[1]))
    shares[:, which] = mixture.fit(likely[:, which], weights)
    return shares


def _told(
    given: Evidence, rows: _Rows, needed: list[int], draws: int, seed: int
) -> tuple[dict[str, Estimate], tuple[str, ...]]:
    """The share of every name, those that are needed first; and which these are."""
    names = (*given.names, NONE)[: rows.likely.shape[1]]
    shares = _of_some(rows.likely, rows.total[None], needed)[0]
    ends = _ends(given, rows, needed, shares, rows.resampled(draws, seed))
    clusters, how = int(rows.groups.max()) + 1, f"mixture of readers, {draws} draws of stories"
    order = sorted(range(len(names)), key=lambda number: (number not in needed, -shares[number]))
    found = {
        names[each]: Estimate(
            float(shares[each]), float(ends[each, 0]), float(ends[each, 1]), given.items, clusters, how
        )
        for each in order
    }
    return found, tuple(names[each] for each in order if each in needed)


def _ends(given: Evidence, rows: _Rows, needed: list[int], shares: Floats, weights: Floats) -> Floats:
    """By name, the ends of its interval."""
    drawn = _of_some(rows.likely, weights, needed)
    ends = mixture.intervals(shares, drawn, rows.likely[rows.row], rows.weights, rows.groups)
    for other in sorted(set(range(len(shares))) - set(needed)):
        # Of one that is not needed: how large it might be all the same, and how much smaller the others then are.
        low, high = np.quantile(_of_some(rows.likely, weights, [*needed, other]), [TAIL, 1 - TAIL], axis=0)
        ends[other] = 0.0, max(high[other], ends[other, 1])
        if given.opinions[given.names[other]] >= OFTEN:
            ends[needed, 0] = np.minimum(ends[needed, 0], low[needed])
    return ends
