"""What heuristics get on a suite: how far it can be solved without anybody being understood.

A *cue* is a heuristic that `lint` prints with how often it is right where it has an opinion. `tried` runs all of them
by class, task and order, and says which leave the bounds that a study states.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.formats.plans import groups
from otherminds.heuristics.rules import HEURISTICS, Rule, rules_for
from otherminds.items import Item
from otherminds.items.tags import CLASS, ORDER, TASK, has_right_answer

CLEAR, SURE = 0.1, 1.645
"""A cue is looked at from so far above chance on, if that is so many standard errors: chance gives 1 in 20 of these."""
BOUNDS = (0.35, 0.65)
"""Between these should every heuristic be right on questions with two options, where a study states no others."""
PLACES = (CLASS, TASK, ORDER)
"""The tags by which heuristics are tried."""


@dataclass(frozen=True, slots=True)
class Cue:
    """How often a thoughtless rule is right, beside how often chance is."""

    name: str
    right: float
    chance: float
    n: int

    @property
    def gives_away(self) -> bool:
        """Whether it, or its reverse, is right clearly more often than chance, and not by chance alone."""
        if self.chance == 1:
            return False
        luck = SURE * sqrt(self.chance * (1 - self.chance) / self.n)
        # Whoever knows which choice is seldom right guesses among the others.
        spared = (1 - self.right) * self.chance / (1 - self.chance)
        above, below = self.right - self.chance, self.chance - self.right
        return (above >= CLEAR and above > luck) or (spared - self.chance >= CLEAR and below > luck)


@dataclass(frozen=True, slots=True)
class HeuristicScore:
    """What a heuristic gets on some items of a suite."""

    heuristic: str
    where: str
    """The tag and its value, such as task=FB/SA; empty for all items."""
    right: stats.Estimate
    """Where it has an opinion."""
    items: int
    """All that there are, with an opinion or without."""
    bounds: tuple[float, float]

    @property
    def outside(self) -> bool:
        """Whether the whole interval lies outside the bounds; so a few items are no fault."""
        return self.right.low > self.bounds[1] or self.right.high < self.bounds[0]


def picked(rules: Mapping[str, Rule], items: Sequence[Item]) -> dict[str, dict[str, Sequence[str]]]:
    """By rule and item id, what it picks; without items, and rules, where there is no opinion."""
    found = {name: {item.id: best for item in items if (best := rule(item))} for name, rule in rules.items()}
    return {name: best for name, best in found.items() if best}


def cues(items: Iterable[Item]) -> list[Cue]:
    """Every cue over the items that have choices, as far as it has an opinion. Ties are shared out."""
    asked = [item for item in items if item.choices]
    found = []
    for name, best in picked(rules_for("lint", asked), asked).items():
        some = [item for item in asked if item.id in best]
        right = fmean(share(item, best[item.id]) for item in some)
        found.append(Cue(name, right, fmean(1 / len(item.choices) for item in some), len(some)))
    return found


def share(item: Item, picked: Sequence[str]) -> float:
    """What is right of an answer that is any of these options; without one, of a guess."""
    return (item.answer in picked) / len(picked) if picked else 1 / len(item.choices)


def askable(items: Iterable[Item]) -> list[Item]:
    """The items that have options and a right one among them."""
    found = [item for item in items if item.choices and has_right_answer(item.tags)]
    if not found:
        raise UsageError("no item has choices and a right answer, so mindless baselines have nothing to pick from")
    return found


def tried(items: Sequence[Item], bounds: tuple[float, float] = BOUNDS) -> list[HeuristicScore]:
    """What every heuristic with an opinion gets on all items, and by class, task and order."""
    asked = askable(items)
    rules = {name: each.rule(asked) for name, each in HEURISTICS.items() if not each.knows and not each.by_place}
    picks = picked(rules, asked)
    return [one for where, part in _places(asked).items() for one in _tried(where, part, picks, bounds)]


def _places(items: Sequence[Item]) -> Mapping[str, list[Item]]:
    found: dict[str, list[Item]] = {"": list(items)}
    for tag in PLACES:
        for value in sorted({item.tags[tag] for item in items if tag in item.tags}, key=str):
            found[f"{tag}={value}"] = [item for item in items if item.tags.get(tag) == value]
    return found


def _tried(
    where: str, items: Sequence[Item], picks: Mapping[str, Mapping[str, Sequence[str]]], bounds: tuple[float, float]
) -> Iterator[HeuristicScore]:
    about_minds = any(item.tags.get(ORDER) != 0 for item in items)
    for name, best in picks.items():
        some = [item for item in items if item.id in best]
        # That the world answers questions about the world is no fault.
        if some and (about_minds or not HEURISTICS[name].needs):
            right = stats.mean([share(item, best[item.id]) for item in some], groups=groups(some))
            limits = stretched(bounds, fmean(1 / len(item.choices) for item in some))
            yield HeuristicScore(name, where, right, len(items), limits)


def stretched(bounds: tuple[float, float], chance: float) -> tuple[float, float]:
    """Bounds for two options, as far from another chance in proportion.

    The lower one is where it pays as much to take any option but the one that the heuristic takes.
    """
    below, above = 1 - 2 * bounds[0], 2 * bounds[1] - 1
    if chance == 1:
        return 0.0, 1.0
    reverse = chance + (1 - chance) * below
    return max(0.0, 1 - reverse * (1 - chance) / chance), chance + (1 - chance) * above
