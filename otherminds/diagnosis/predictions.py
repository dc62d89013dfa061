"""What every reader predicts for everything that was asked, as one array; and what was answered, from runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from otherminds.errors import UsageError
from otherminds.formats.plans import groups
from otherminds.formats.scores import way
from otherminds.formats.verdicts import TIE
from otherminds.heuristics.rules import HEURISTICS
from otherminds.items import Item
from otherminds.models import Weighing
from otherminds.runs.runs import Record, Run

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GUESS = "guess"
NONE = "none of these"
BY_PLACE = {name: each for name, each in HEURISTICS.items() if each.by_place}
BY_ITEM = {name: each for name, each in HEURISTICS.items() if "diagnosis" in each.uses and not each.by_place}
NAMES = (*BY_ITEM, *BY_PLACE)
"""The heuristics that a diagnosis tries, in the order of its arrays."""


@dataclass(frozen=True, slots=True)
class Asked:
    """An item as it was put once: with its options in some order, or with none shown."""

    item: int
    """Its number among the items."""
    shown: tuple[str, ...]


@dataclass(frozen=True)
class Answered:
    """What one model answered: by item, once for every order of the options."""

    model: str
    items: tuple[Item, ...]
    asked: tuple[Asked, ...]
    chosen: Ints
    """The number of the option that was taken, each time."""
    right: tuple[bool | None, ...]
    """By item, as the runs have it; None where the orders together are tied."""
    unread: int = 0
    """Items without an answer: tied, refused, cut off, unreadable, failed."""

    @cached_property
    def which(self) -> Ints:
        """The number of the item, each time."""
        return np.array([one.item for one in self.asked], dtype=np.int64)

    @cached_property
    def weights(self) -> Floats:
        """What each counts, so that every item counts 1."""
        times: Floats = 1 / np.bincount(self.which, minlength=len(self.items))[self.which]
        return times

    @cached_property
    def questions(self) -> Ints:
        """The number of the question, each time: the same for an item that was asked in several forms."""
        return numbered([(one.id, one.context, one.question, one.choices) for one in self.items])[self.which]

    @cached_property
    def groups(self) -> Ints:
        """The number of the group of stories, each time: what is drawn whole."""
        return numbered(groups(self.items))[self.which]


def predict(items: Sequence[Item], asked: Sequence[Asked]) -> Floats:
    """By what was asked, reader and option, how probable it is that the reader takes it; 0 beyond the last option."""
    by_item = _by_item(tuple(items))
    which = [one.item for one in asked]
    places = [_places(items[one.item].choices, one.shown, by_item.shape[2]) for one in asked]
    return np.concatenate([by_item[which], np.array(places).reshape(len(asked), len(BY_PLACE), -1)], axis=1)


@lru_cache(maxsize=16)  # several models answer one suite
def _by_item(items: tuple[Item, ...]) -> Floats:
    most = max(len(item.choices) for item in items)
    rules = [each.rule(items) for each in BY_ITEM.values()]
    return np.array([[_spread(item.choices, rule(item), most) for rule in rules] for item in items])


def _places(choices: Sequence[str], shown: Sequence[str], most: int) -> list[list[float]]:
    return [_spread(choices, each.pick(shown), most) for each in BY_PLACE.values()]


def _spread(choices: Sequence[str], good: Sequence[str], most: int) -> list[float]:
    """Shared out over the good options, or over all where there is no opinion."""
    kept = [choice for choice in choices if choice in good] or choices
    return [(choice in kept) / len(kept) for choice in choices] + [0.0] * (most - len(choices))


def guesses(items: Sequence[Item], which: Ints, most: int) -> Floats:
    """By what was asked and option, what guessing predicts."""
    table = np.array([_spread(item.choices, (), most) for item in items])
    return table[which]


def numbered(names: Sequence[object]) -> Ints:
    """A number for every name, the same for the same."""
    known: dict[object, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


# ---- from runs ----------------------------------------------------------------------------------------------------


def answers_of(runs: Sequence[Run]) -> Answered:
    """What one model answered in some runs; an item that several runs hold counts once a run."""
    names = {run.model for run in runs}
    if len(names) != 1:
        raise UsageError(f"a diagnosis is of one model, and these runs are of {', '.join(sorted(names)) or 'none'}")
    items: list[Item] = []
    asked: list[Asked] = []
    chosen: list[int] = []
    right: list[bool | None] = []
    unread = 0
    for run in runs:
        for record in run.records:
            if not record.scored or len(record.item.choices) < 2:
                continue
            taken = _taken(run, record)
            unread += not taken
            if taken:
                asked += [Asked(len(items), shown) for shown, _ in taken]
                chosen += [record.item.choices.index(choice) for _, choice in taken]
                items.append(record.item)
                right.append(None if record.score.value is None else record.score.value == 1)
    if not items:
        raise UsageError(f"there is nothing to diagnose: no item with options has an answer of {names.pop()}")
    return Answered(names.pop(), tuple(items), tuple(asked), np.array(chosen, dtype=np.int64), tuple(right), unread)


def _taken(run: Run, record: Record) -> list[tuple[tuple[str, ...], str]]:
    """For each order in which the options were shown, the one that was taken; none where no answer could be read."""
    item = record.item
    if run.score == "cloze":
        return [((), record.score.answer)] if record.score.answer in item.choices else []
    posed = way(run.score).pose(item, prompt=run.prompt, seed=run.manifest["seed"])
    results = record.results
    if len(posed) == len(results) and all(isinstance(each, Weighing) for each in results):
        picked = [_first(result) for result in results if isinstance(result, Weighing)]
        labels = [asked.prompt.choices for asked in posed]
        return [
            (asked.choices, asked.choices[own.index(letter)])
            for asked, own, letter in zip(posed, labels, picked, strict=True)
            if letter in own
        ]
    return [(posed[0].choices, record.score.answer)] if record.score.answer in item.choices else []


def _first(result: Weighing) -> str:
    """The letter that weighs most; none if two do, or if one might by what a server did not report."""
    if result.error or not result.logprobs:
        return ""
    most = {**result.logprobs, **{letter: high for letter, (_, high) in result.bounds.items()}}
    best = max(result.logprobs, key=result.logprobs.__getitem__)
    nearest = max((high for letter, high in most.items() if letter != best), default=-inf)
    return best if result.logprobs[best] - nearest > TIE else ""
