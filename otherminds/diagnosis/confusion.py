"""Which readers can be told apart on some items: this comes before anything is said of a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from otherminds.heuristics.rules import HEURISTICS
from otherminds.stats.significance import Floats

GUESS = "guess"
NONE = "none of these"
BY_PLACE = {name: each for name, each in HEURISTICS.items() if each.by_place}
BY_ITEM = {name: each for name, each in HEURISTICS.items() if "diagnosis" in each.uses and not each.by_place}
NAMES = (*BY_ITEM, *BY_PLACE)
"""The heuristics that a diagnosis tries, in the order of its arrays."""

LEAST = 8
"""Items on which two readers must differ to be told apart; and on which one must have an opinion at all."""

RARE = 0.2
"""The share of items on which a reader must have an opinion for its share to be told."""


@dataclass(frozen=True)
class Confusion:
    """How readers agree on the items asked."""

    items: int
    readers: tuple[str, ...]
    """Those with an opinion on enough items."""
    agree: Floats
    """By pair of readers, the share of items to which they give the same answer."""
    opinions: tuple[int, ...]
    """By reader, on how many items it has an opinion."""
    differ: Floats
    """By pair of readers, on how many items they differ; half an item where one of two options is left open."""
    merged: tuple[tuple[str, ...], ...]
    """The readers in sets that can be told apart; those within a set cannot."""
    opposites: tuple[tuple[str, str], ...]
    """Sets, by name, that together cannot be told from guessing: what one takes, the other leaves."""
    without: tuple[str, ...]
    """Readers that have no opinion on enough items."""

    @property
    def rare(self) -> tuple[str, ...]:
        """Readers with an opinion on so few of the items that to follow them is hardly more than to guess."""
        pairs = zip(self.readers, self.opinions, strict=True)
        return tuple(name for name, count in pairs if count < RARE * self.items)

    @property
    def names(self) -> tuple[str, ...]:
        """The sets by name."""
        return tuple(map(called, self.merged))


def called(readers: tuple[str, ...]) -> str:
    """A set of readers that cannot be told apart, by name."""
    return " or ".join(readers)


def confusion(predicted: Floats, guess: Floats, weights: Floats) -> Confusion:
    """From what every reader predicts, and guessing, for all that was asked."""
    apart = _apart(predicted, guess[:, None])
    kept = [number for number in range(len(NAMES)) if weights @ apart[:, number] >= LEAST / 2]
    own = predicted[:, kept]
    agree = np.einsum("iac,ibc,i->ab", own, own, weights) / weights.sum()
    differ = differences(own, weights)
    sets = sets_of(differ < LEAST)
    names = tuple(NAMES[number] for number in kept)
    merged = tuple(tuple(names[each] for each in one) for one in sets)
    parts = _means(own, sets)
    return Confusion(
        items=round(float(weights.sum())),
        readers=names,
        agree=agree,
        opinions=tuple(round(float(weights @ (apart[:, number] > 0))) for number in kept),
        differ=differ,
        merged=merged,
        opposites=_opposites(parts, guess, weights, merged),
        without=tuple(name for name in NAMES if name not in names),
    )


def differences(predicted: Floats, weights: Floats) -> Floats:
    """By pair of readers, on how many items they differ."""
    every = range(predicted.shape[1])
    return np.array([weights @ _apart(predicted, predicted[:, [each]]) for each in every]).reshape(
        len(every), len(every)
    )


def _apart(one: Floats, other: Floats) -> Floats:
    """How far two predictions lie apart: the share of answers that would have to change."""
    found: Floats = np.abs(one - other).sum(axis=-1) / 2
    return found


def sets_of(same: NDArray[np.bool_]) -> list[list[int]]:
    """Numbers that hang together."""
    left, found = list(range(len(same))), []
    while left:
        one = [left.pop(0)]
        for each in one:
            one += [other for other in left if same[each, other]]
            left = [other for other in left if other not in one]
        found.append(sorted(one))
    return found


def _opposites(
    parts: Floats, guess: Floats, weights: Floats, merged: tuple[tuple[str, ...], ...]
) -> tuple[tuple[str, str], ...]:
    found = []
    for one in range(len(merged)):
        for other in range(one + 1, len(merged)):
            # The middle of both against guessing, where either has an opinion.
            middle = (parts[:, one] + parts[:, other]) / 2
            either = np.maximum(_apart(parts[:, one], guess), _apart(parts[:, other], guess))
            if float(weights @ _apart(middle, guess)) < max(LEAST / 2, float(weights @ either) / 10):
                found.append((called(merged[one]), called(merged[other])))
    return tuple(found)


def together(predicted: Floats, found: Confusion) -> Floats:
    """What every set of readers predicts: the mean of those in it."""
    number = {name: place for place, name in enumerate(NAMES)}
    return _means(predicted, [[number[name] for name in one] for one in found.merged])


def _means(predicted: Floats, sets: list[list[int]]) -> Floats:
    means = [predicted[:, one].mean(axis=1) for one in sets]
    return np.stack(means, axis=1) if means else predicted[:, :0]
