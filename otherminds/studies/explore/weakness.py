"""Weakness: where a model goes wrong, in words, learned from some stories and measured on others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from otherminds import stats
from otherminds.minds.story import Story
from otherminds.stats import Estimate
from otherminds.studies.explore.features import FLAGS, Floats, rows
from otherminds.studies.explore.structure import asked

FEWEST = 20
"""Questions that there must be on either side before anything is said of them."""
BETTER = 1.1
"""How much more two conditions together must explain than one alone."""


class Heard(NamedTuple):
    """Answers about one story, and the number of the search that asked about it."""

    story: Story
    order: int
    right: Mapping[str, float]
    """By the words of the questions."""
    search: int


@dataclass(frozen=True, slots=True)
class Weakness:
    """Under what conditions answers are wrong; both numbers are from stories that it was not learned from."""

    conditions: tuple[str, ...]
    """In words that follow "where"."""
    wrong: Estimate
    """The share of wrong answers there."""
    elsewhere: Estimate
    """The share of right answers elsewhere."""
    stories: int
    """Stories that were held out."""

    def __str__(self) -> str:
        return (
            f"wrong in {_percent(self.wrong)} where {' and '.join(self.conditions)};"
            f" right in {_percent(self.elsewhere)} elsewhere"
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"words": str(self)} | asdict(self)


def find_weakness(heard: Sequence[Heard], others: Sequence[Heard] = ()) -> Weakness | None:
    """The one or two conditions that tell wrong answers best; None if there are too few answers to tell.

    The numbers are about the others. Without any, conditions are learned from every second search, and the numbers are
    about the rest.
    """
    if not others:
        others = [each for each in heard if each.search % 2]
        heard = [each for each in heard if not each.search % 2]
    held, right, groups = _table(others)
    named = _conditions(*_table(heard)[:2])
    if not named or not len(held):
        return None
    there = held[:, named].all(axis=1)
    sides = [(1 - right[there], groups[there]), (right[~there], groups[~there])]
    if min(len(values) for values, _ in sides) < 1:
        return None
    wrong, elsewhere = (stats.mean(values.tolist(), groups=by.tolist()) for values, by in sides)
    words = list(FLAGS.values())
    return Weakness(tuple(words[place] for place in named), wrong, elsewhere, len(others))


def _table(heard: Iterable[Heard]) -> tuple[Floats, Floats, Floats]:
    """For every answer which flags are so, how right it was, and which story it is about."""
    flags: list[Floats] = []
    right: list[float] = []
    stories: list[int] = []
    for number, each in enumerate(heard):
        for question, row in zip(asked(each.story, each.order), rows(each.story, each.order), strict=True):
            if question.text in each.right:
                flags.append(row[1 : 1 + len(FLAGS)] > 0)
                right.append(each.right[question.text])
                stories.append(number)
    return np.array(flags).reshape(-1, len(FLAGS)), np.array(right), np.array(stories)


def _conditions(flags: Floats, right: Floats) -> list[int]:
    """The one or two flags that part wrong answers from right ones best, where wrong ones are more frequent."""
    so, wrong, n = flags.astype(np.float64), 1.0 - right, len(right)
    inside, bad = so.T @ so, so.T @ (so * wrong[:, None])
    outside = n - inside
    enough = (inside >= FEWEST) & (outside >= FEWEST)
    gap = bad / np.maximum(inside, 1) - (wrong.sum() - bad) / np.maximum(outside, 1)
    gain = np.where(enough & (gap > 0), inside * outside * gap**2, 0.0)
    single = int(np.argmax(np.diag(gain)))
    one, other = np.unravel_index(int(np.argmax(gain)), gain.shape)
    if gain[one, other] <= 0:
        return []
    if gain[one, other] <= BETTER * gain[single, single]:
        return [single]
    return sorted({int(one), int(other)})


def _percent(one: Estimate) -> str:
    return f"{100 * one.value:.0f} % [{100 * one.low:.0f}, {100 * one.high:.0f}] of {one.n} answers"
