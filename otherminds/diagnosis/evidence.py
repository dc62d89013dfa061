"""What there is to go by: what was answered, from runs, and what every heuristic predicts there, as one array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import inf

import numpy as np
from numpy.typing import NDArray

from otherminds.diagnosis.confusion import BY_ITEM, BY_PLACE, GUESS, Confusion, confusion, together
from otherminds.errors import UsageError
from otherminds.formats.plans import groups
from otherminds.formats.scores import scoring
from otherminds.formats.verdicts import TIE
from otherminds.items import Item
from otherminds.models import Weighing
from otherminds.runs.runs import Record, Run

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

Asked = tuple[int, tuple[str, ...]]
"""An item as it was put once: its number, and its options in the order shown; none where none were shown."""


@dataclass(frozen=True)
class ModelAnswers:
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
        return np.array([number for number, _ in self.asked], dtype=np.int64)

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
    which = [number for number, _ in asked]
    places = [_places(items[number].choices, shown, by_item.shape[2]) for number, shown in asked]
    return np.concatenate([by_item[which], np.array(places).reshape(len(asked), len(BY_PLACE), -1)], axis=1)


@lru_cache(maxsize=16)  # several models answer one suite
def _by_item(items: tuple[Item, ...]) -> Floats:
    most = max(len(item.choices) for item in items)
    return np.array([[[*spread, *[0.0] * (most - len(spread))] for spread in _of_item(item)] for item in items])


@lru_cache(maxsize=4096)  # a page that grows tells of the same items again
def _of_item(item: Item) -> list[list[float]]:
    return [_spread(item.choices, each.pick(item), 0) for each in BY_ITEM.values()]


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


# ---- where heuristics disagree -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Evidence:
    """Everything that was answered where readers disagree, and what each of them predicts there."""

    answers: ModelAnswers
    confusion: Confusion
    names: tuple[str, ...]
    """The sets of readers, then guessing."""
    predicted: Floats
    """By what was asked, name and option."""
    kept: Ints
    """Which of all that was asked this is."""

    @cached_property
    def chosen(self) -> Ints:
        """The options that were taken."""
        return self.answers.chosen[self.kept]

    @cached_property
    def which(self) -> Ints:
        """The numbers of the items."""
        return self.answers.which[self.kept]

    @cached_property
    def weights(self) -> Floats:
        """What each counts."""
        return self.answers.weights[self.kept]

    @cached_property
    def questions(self) -> Ints:
        """The number of the question, each time, in whatever form it was asked."""
        return numbered(self.answers.questions[self.kept].tolist())

    @cached_property
    def groups(self) -> Ints:
        """The number of the group, each time."""
        return numbered(self.answers.groups[self.kept].tolist())

    @cached_property
    def likely(self) -> Floats:
        """How probable each name makes what was answered."""
        found: Floats = np.take_along_axis(self.predicted, self.chosen[:, None, None], axis=2)[:, :, 0]
        return found

    @cached_property
    def opinions(self) -> dict[str, float]:
        """By name, on what share of the items it has an opinion."""
        apart = np.abs(self.predicted - self.predicted[:, -1:]).max(axis=2) > 1e-9
        return dict(zip(self.names, (self.weights @ apart / self.weights.sum()).tolist(), strict=True))

    @cached_property
    def items(self) -> int:
        """How many items there are."""
        return len(set(self.which.tolist()))

    def where(self, keep: NDArray[np.bool_]) -> Evidence:
        """A part of it."""
        return replace(self, predicted=self.predicted[keep], kept=self.kept[keep])


def evidence(answers: ModelAnswers) -> Evidence:
    """What there is to go by; what all readers answer alike tells nothing and is left out."""
    predicted, weights = predict(answers.items, answers.asked), answers.weights
    guess = guesses(answers.items, answers.which, predicted.shape[2])
    found = confusion(predicted, guess, weights)
    sets = together(predicted, found)
    apart = np.ptp(sets, axis=1).max(axis=1) > 1e-9 if sets.shape[1] else np.zeros(len(weights), dtype=bool)
    whole = np.concatenate([sets, guess[:, None]], axis=1)
    kept = np.flatnonzero(apart)
    return Evidence(answers, found, (*found.names, GUESS), whole[kept], kept)


# ---- from runs ----------------------------------------------------------------------------------------------------


def answers_of(runs: Sequence[Run]) -> ModelAnswers:
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
                asked += [(len(items), shown) for shown, _ in taken]
                chosen += [record.item.choices.index(choice) for _, choice in taken]
                items.append(record.item)
                right.append(None if record.score.value is None else record.score.value == 1)
    if not items:
        raise UsageError(f"there is nothing to diagnose: no item with options has an answer of {names.pop()}")
    return ModelAnswers(names.pop(), tuple(items), tuple(asked), np.array(chosen, dtype=np.int64), tuple(right), unread)


def _taken(run: Run, record: Record) -> list[tuple[tuple[str, ...], str]]:
    """For each order in which the options were shown, the one that was taken; none where no answer could be read."""
    item = record.item
    if run.score == "cloze":
        return [((), record.score.answer)] if record.score.answer in item.choices else []
    posed = scoring(run.score).pose(item, prompt=run.prompt, seed=run.manifest["seed"])
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
