"""What a suite can tell: which readers it cannot separate, what each of them gets, and the items that separate most.

A suite that a mindless baseline solves says nothing about minds: this is a shortcut audit of any suite.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from otherminds import stats
from otherminds.diagnosis.confusion import NAMES, Confusion, confusion
from otherminds.diagnosis.evidence import Asked, guesses, predict
from otherminds.errors import UsageError
from otherminds.formats.plans import groups
from otherminds.items import Item, Suite, Tag
from otherminds.items.tags import SCORED, TWIN


@dataclass(frozen=True)
class Audit:
    """What readers get on a suite, and how far it tells them apart."""

    suite: str
    confusion: Confusion
    right: dict[str, stats.Estimate]
    """By reader, its accuracy; where it finds several options equally good, what guessing among them gives."""
    chance: float

    @property
    def inseparable(self) -> tuple[tuple[str, ...], ...]:
        """Sets of readers that the suite cannot tell apart."""
        return tuple(one for one in self.confusion.merged if len(one) > 1)


def audit(suite: Suite) -> Audit:
    """Try every reader on a suite; no model is asked."""
    items = _usable(suite)
    asked = _once(items)
    predicted, which = predict(items, asked), np.arange(len(items))
    guess = guesses(items, which, predicted.shape[2])
    found = confusion(predicted, guess, np.ones(len(items)))
    answer = np.array([item.choices.index(item.answer) for item in items])
    gets = predicted[which, :, answer]
    by = groups(items)
    return Audit(
        suite.name,
        found,
        {name: stats.mean(gets[:, NAMES.index(name)].tolist(), groups=by) for name in found.readers},
        float(guess[which, answer].mean()),
    )


def separate(suite: Suite, n: int) -> Suite:
    """At most n items of a suite that tell readers apart best, in their own order; twins stay together.

    One after another, the twins that part most of those pairs of readers that were parted least so far.
    """
    items = _usable(suite)
    predicted = predict(items, _once(items))
    first, second = np.triu_indices(len(NAMES), k=1)
    parts = np.abs(predicted[:, first] - predicted[:, second]).sum(axis=2) / 2
    twins: dict[Tag, list[int]] = {}
    for number, item in enumerate(items):
        twins.setdefault(item.tags.get(TWIN, f"item {item.id}"), []).append(number)
    left = {name: parts[numbers].sum(axis=0) for name, numbers in twins.items()}
    seen, chosen = np.zeros(parts.shape[1]), list[int]()
    while fit := [name for name in left if len(chosen) + len(twins[name]) <= n]:
        worth = 1 / (1 + seen) ** 2
        best = max(fit, key=lambda name: float(left[name] @ worth) / len(twins[name]))
        seen += left.pop(best)
        chosen += twins[best]
    if not chosen:
        raise UsageError(f"not even one set of twins has room in {n} items; give a larger number")
    return replace(suite, items=tuple(items[number] for number in sorted(chosen)))


def _usable(suite: Suite) -> tuple[Item, ...]:
    found = tuple(item for item in suite if len(item.choices) > 1 and item.tags.get(SCORED) is not False)
    if not found:
        raise UsageError(f"suite {suite.name!r} has no items with options, and readers choose among options")
    return found


def _once(items: tuple[Item, ...]) -> tuple[Asked, ...]:
    """Every item with its options in its own order."""
    return tuple((number, item.choices) for number, item in enumerate(items))
