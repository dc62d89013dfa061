"""Weakness: where a model goes wrong, in words, learned from some stories and tested on others.

Whoever guesses is wrong more often where there are more choices. So answers are compared by their skill: 0 for what
guessing gives with as many choices, 1 for what is always right.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from otherminds import stats
from otherminds.minds.story import Story
from otherminds.stats import Difference, Estimate
from otherminds.stats.significance import p_text
from otherminds.stats.trends import ladder
from otherminds.stories.features import FLAGS, Floats, rows
from otherminds.stories.structure import asked

FEWEST = 20
"""Questions that there must be on either side before anything is said of them."""
BETTER = 1.1
"""How much more two conditions together must explain than one alone."""
ALPHA = 0.05
NO_WEAKNESS = "No weakness of {} could be distinguished from chance."


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
    skill: Difference
    """How far skill there lies below that elsewhere."""
    p: float
    """That of the difference, times the number of conditions that were looked at."""

    def __str__(self) -> str:
        return (
            f"wrong in {_percent(self.wrong)} where {' and '.join(self.conditions)};"
            f" right in {_percent(self.elsewhere)} elsewhere"
            f" (skill {stats.signed(self.skill)}, {p_text(self.p)} for all conditions together)"
        )

    def to_dict(self) -> dict[str, Any]:
        """As JSON."""
        return {"words": str(self)} | asdict(self)


def find_weakness(heard: Sequence[Heard], others: Sequence[Heard] = ()) -> Weakness | None:
    """The one or two conditions that tell wrong answers best; None if they cannot be distinguished from chance.

    Conditions are chosen by what was heard; the numbers are about the others, so far as they are not the same stories.
    Without any others, conditions are learned from every second search, and tested on the rest.
    """
    if not others:
        others = [each for each in heard if each.search % 2]
        heard = [each for each in heard if not each.search % 2]
    used = {each.story for each in heard}
    others = [each for each in others if each.story not in used]
    flags, right, chance, groups = _table(others)
    learned = _table(heard)
    named, looked_at = _conditions(learned[0], _skill(*learned[1:3]))
    there = flags[:, named].all(axis=1)
    if not named or min(len(set(groups[side])) for side in (there, ~there)) < 2:
        return None
    # Between 0 and 1 as all scores are, then from -1 to 1 again.
    skill = ladder(((_skill(right, chance) + 1) / 2).tolist(), there.astype(float).tolist(), groups=groups.tolist())
    skill = replace(skill, value=2 * skill.value, low=2 * skill.low, high=2 * skill.high)
    p = min(1.0, skill.p * looked_at)
    if p > ALPHA or skill.value >= 0:
        return None
    sides = [(1 - right[there], groups[there]), (right[~there], groups[~there])]
    wrong, elsewhere = (stats.mean(values.tolist(), groups=by.tolist()) for values, by in sides)
    words = list(FLAGS.values())
    return Weakness(tuple(words[place] for place in named), wrong, elsewhere, len(others), skill, p)


def _skill(right: Floats, chance: Floats) -> Floats:
    return (right - chance) / (1 - chance)


def _table(heard: Iterable[Heard]) -> tuple[Floats, Floats, Floats, Floats]:
    """For every answer which flags are so, how right it was, how right a guess is, and which story it is about."""
    flags: list[Floats] = []
    numbers: list[tuple[float, float, int]] = []
    for number, each in enumerate(heard):
        for question, row in zip(asked(each.story, each.order), rows(each.story, each.order), strict=True):
            if question.text in each.right and len(question.choices) > 1:
                flags.append(row[1 : 1 + len(FLAGS)] > 0)
                numbers.append((each.right[question.text], 1 / len(question.choices), number))
    return np.array(flags).reshape(-1, len(FLAGS)).astype(bool), *np.array(numbers).reshape(-1, 3).T


def _conditions(flags: Floats, skill: Floats) -> tuple[list[int], int]:
    """The one or two flags where skill is lowest against elsewhere, and how many flags were looked at."""
    so, n = flags.astype(np.float64), len(skill)
    inside, good = so.T @ so, so.T @ (so * skill[:, None])
    outside = n - inside
    enough = (inside >= FEWEST) & (outside >= FEWEST)
    gap = (skill.sum() - good) / np.maximum(outside, 1) - good / np.maximum(inside, 1)
    gain = np.where(enough & (gap > 0), inside * outside * gap**2, 0.0)
    single, looked_at = int(np.argmax(np.diag(gain))), int(np.diag(enough).sum())
    one, other = np.unravel_index(int(np.argmax(gain)), gain.shape)
    if gain[one, other] <= 0:
        return [], looked_at
    if gain[one, other] <= BETTER * gain[single, single]:
        return [single], looked_at
    return sorted({int(one), int(other)}), looked_at


def _percent(one: Estimate) -> str:
    return f"{100 * one.value:.0f} % [{100 * one.low:.0f}, {100 * one.high:.0f}] of {one.n} answers"
