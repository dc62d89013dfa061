"""From predictions and answers to the share of every heuristic, with its interval.

What each component of the mixture predicts is known, so only the shares are fitted; their likelihood has one peak, and
EM reaches it from wherever it begins. Many sets of weights are fitted at once: a bootstrap is one call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from otherminds.diagnosis.confusion import GUESS, LEAST, NONE, called, differences, sets_of
from otherminds.diagnosis.evidence import Evidence, Floats, Ints
from otherminds.diagnosis.misfit import misfit, signal
from otherminds.stats import Estimate
from otherminds.stats.reach import share_interval
from otherminds.stats.significance import TAIL

DRAWS = 200
NO_SIGNAL = 0.01
"""With a larger p than that, nothing is told of any heuristic."""
MOSTLY = 0.5
STEPS = 200
CLOSE = 1e-4
GAIN = 4.0
"""What a component must add to the log-likelihood to be there at all: e⁴ ≈ 55 times as likely with it."""
_TINY = 1e-12
OFTEN = 0.5
"""A reader without an opinion on so many items guesses too often for the rest to be told from guessing."""


@dataclass(frozen=True, repr=False)
class Fitted:
    """The share of every heuristic on some items, such as those of one order."""

    disagree: int
    """Items where heuristics disagree; all shares are of these."""
    shares: dict[str, Estimate]
    """By name, those that are needed first, the largest before the smaller; guessing among them."""
    needed: tuple[str, ...]
    """Those without which the answers would be clearly less likely, guessing among them."""
    signal: float
    """How probable it would be that answers by guessing lie as near to any reader."""
    misfit: float
    """How probable it would be that answers of these readers hang together as much."""

    @property
    def dominant(self) -> str:
        """The largest share; empty where no heuristic says anything about these items."""
        return max(self.needed, key=lambda name: self.shares[name].value) if self.disagree else ""

    @property
    def first(self) -> str:
        """The heuristic that is clearly most of it; empty where none is."""
        name = self.dominant
        told = name == GUESS or (name != NONE and self.signal <= NO_SIGNAL)
        return name if told and self.shares[name].low > MOSTLY else ""


def fitted(given: Evidence, *, draws: int = DRAWS, seed: int = 0) -> Fitted:
    """The shares, with intervals over groups of stories; *none of these* is there only where readers do not fit."""
    rows = _Rows.of(given)
    guess = given.names.index(GUESS)
    needed = select(rows.likely, rows.total, [guess])
    shares = _of_some(rows.likely, rows.total[None], needed)[0]
    p, own = misfit(given, shares, seed)
    if own is not None:
        rows = _Rows.of(given, own.round(2))  # as fine as counts of a few answers can be
        needed = select(rows.likely, rows.total, [guess, guess + 1])
    return Fitted(given.items, *_told(given, rows, needed, draws, seed), signal(given), p)


def refitted(given: Evidence, needed: tuple[str, ...], *, draws: int = DRAWS, seed: int = 0) -> Fitted:
    """The shares of these alone, in a part of the evidence, where more of them may be alike than in the whole."""
    chosen = [number for number, name in enumerate(given.names) if name in needed and name != GUESS]
    own = given.predicted[:, chosen]
    sets = sets_of(differences(own, given.weights) < LEAST) if chosen else []
    names = [called(tuple(given.names[chosen[each]] for each in one)) for one in sets]
    parts = [own[:, one].mean(axis=1) for one in sets]
    part = replace(given, names=(*names, GUESS), predicted=np.stack([*parts, given.predicted[:, -1]], axis=1))
    told = _told(part, _Rows.of(part), list(range(len(part.names))), draws, seed)
    return Fitted(given.items, *told, signal(given), 1.0)


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
    shares[:, which] = fit(likely[:, which], weights)
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
    ends = intervals(shares, drawn, rows.likely[rows.row], rows.weights, rows.groups)
    for other in sorted(set(range(len(shares))) - set(needed)):
        # Of one that is not needed: how large it might be all the same, and how much smaller the others then are.
        low, high = np.quantile(_of_some(rows.likely, weights, [*needed, other]), [TAIL, 1 - TAIL], axis=0)
        ends[other] = 0.0, max(high[other], ends[other, 1])
        if given.opinions[given.names[other]] >= OFTEN:
            ends[needed, 0] = np.minimum(ends[needed, 0], low[needed])
    return ends


# ---- the mixture: numbers in, numbers out -------------------------------------------------------------------------


def fit(likely: Floats, weights: Floats) -> Floats:
    """By set of weights and component, its share.

    `likely` has how probable each component makes each answer, `weights` how often each answer counts in each set.
    """
    shares: Floats = np.full((len(weights), likely.shape[1]), 1 / likely.shape[1])
    total = weights.sum(axis=1, keepdims=True)
    for _ in range(STEPS):
        new: Floats = shares * ((weights / np.maximum(shares @ likely.T, _TINY)) @ likely) / total
        if np.abs(new - shares).max() < CLOSE:
            return new
        shares = new
    return shares


def log_likelihood(likely: Floats, weights: Floats, shares: Floats) -> Floats:
    """Of every set of weights."""
    found: Floats = (weights * np.log(np.maximum(shares @ likely.T, _TINY))).sum(axis=1)
    return found


def select(likely: Floats, weights: Floats, always: list[int]) -> list[int]:
    """The components that are needed: one after another as long as one more makes the answers clearly more likely."""
    chosen = list(always)
    while len(chosen) < likely.shape[1]:
        others = [each for each in range(likely.shape[1]) if each not in chosen]
        before = _explains(likely, weights, [chosen])[0]
        after = _explains(likely, weights, [[*chosen, other] for other in others])
        if after.max() - before < GAIN:
            break
        chosen.append(others[int(after.argmax())])
    for each in [one for one in chosen if one not in always]:
        # What came first may no longer be needed beside what came later.
        rest = [one for one in chosen if one != each]
        both = _explains(likely, weights, [chosen, rest])
        chosen = rest if both[0] - both[1] < GAIN else chosen
    return chosen


def _explains(likely: Floats, weights: Floats, sets: list[list[int]]) -> Floats:
    """The log-likelihood with each of some sets of components."""
    parts = [likely[:, each] for each in sets]
    return np.array([log_likelihood(part, weights[None], fit(part, weights[None]))[0] for part in parts])


def intervals(shares: Floats, drawn: Floats, likely: Floats, weights: Floats, groups: Ints) -> Floats:
    """By component, the 95 % interval of its share: of resampled groups, and with room for what was not seen.

    The second is the interval of a share of answers, each of which counts for a component as far as it is likely to be
    that one's: resampling alone would shrink to nothing at 0 and 1.
    """
    low, high = np.quantile(drawn, [TAIL, 1 - TAIL], axis=0)
    belongs = shares * likely / np.maximum(likely @ shares, _TINY)[:, None]
    sizes = np.bincount(groups, weights=weights).astype(np.float64)
    held = sizes > 0
    found = []
    for number in range(likely.shape[1]):
        part = np.minimum(np.bincount(groups, weights=weights * belongs[:, number]).round(), sizes)
        ends = share_interval(part[held], sizes[held])
        found.append((min(low[number], ends[0], shares[number]), max(high[number], ends[1], shares[number])))
    return np.array(found)
