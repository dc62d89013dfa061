"""What there is to go by: the answers to items where readers disagree, and what each of them predicts there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from otherminds.diagnosis.confusion import Confusion, confusion, together
from otherminds.diagnosis.predictions import GUESS, Answered, Floats, Ints, guesses, numbered, predict


@dataclass(frozen=True)
class Evidence:
    """Everything that was answered where readers disagree, and what each of them predicts there."""

    answers: Answered
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


def evidence(answers: Answered) -> Evidence:
    """What there is to go by; what all readers answer alike tells nothing and is left out."""
    predicted, weights = predict(answers.items, answers.asked), answers.weights
    guess = guesses(answers.items, answers.which, predicted.shape[2])
    found = confusion(predicted, guess, weights)
    sets = together(predicted, found)
    apart = np.ptp(sets, axis=1).max(axis=1) > 1e-9 if sets.shape[1] else np.zeros(len(weights), dtype=bool)
    whole = np.concatenate([sets, guess[:, None]], axis=1)
    kept = np.flatnonzero(apart)
    return Evidence(answers, found, (*found.names, GUESS), whole[kept], kept)
