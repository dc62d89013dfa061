"""Learn: a search that asks about complete stories and learns from the answers where a model goes wrong.

Candidates are random stories and mutations of the worst so far. Those are asked about next whose predicted accuracy,
less its uncertainty, is lowest. The worst is then told again in fresh words and with fresh names, as often as answers
about one telling turn out to depend on its words, so that what is found is a weakness and not a slip.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from statistics import fmean

import numpy as np

from otherminds.minds.questions import Question, matters
from otherminds.minds.setting import Setting
from otherminds.minds.story import Story
from otherminds.stories.features import WIDTH, rows
from otherminds.stories.fresh import renamed
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower
from otherminds.stories.mutate import mutants
from otherminds.stories.structure import asked
from otherminds.studies.explore.search.learner import Floats, Learner
from otherminds.studies.explore.search.search import (
    PUBLISHED,
    TRIES,
    Asks,
    Find,
    Fits,
    Reply,
    Search,
    Telling,
    Ways,
    anything,
    check,
    cost,
)

Wants = Callable[[Question], bool]
"""Whether a question is asked."""

BATCH = 5
"""Stories asked about at once."""
FRESH = 10
"""Random stories wanted for each batch."""
DRAWN = 150
"""Random stories begun for them, of which few may come to an end that meets the goal; before there is any, more."""
TRIED = 20
"""Mutations of each parent that are tried; some three or four of them are complete stories."""
PARENTS = 3
"""The worst stories so far, which are mutated."""
TOLD = 4
"""How often the worst story is told, if answers depend on how it is told."""
BOLD = 1.0
"""How many standard deviations below what is predicted a story is hoped to lie."""


@dataclass(slots=True)
class _Plot:
    """A story that was asked about, with the accuracies on its tellings."""

    story: Story
    mean: Floats
    costs: list[float] = field(default_factory=list)


def new_learner() -> Learner:
    """One that knows nothing yet."""
    return Learner(WIDTH)


def learn(
    setting: Setting,
    goal: Goal,
    *,
    ways: Ways = PUBLISHED,
    seed: int = 0,
    asks: Asks = matters,
    fits: Fits = anything,
    order: int = 1,
    wants: Wants = bool,
    learner: Learner | None = None,
    others: Iterator[Setting] | None = None,
) -> Search:
    """Search for the story that the model gets most wrong, with what was learned in earlier searches.

    `others` are settings of the same size with other names, in which a story can be told again; `wants` says which
    questions are asked.
    """
    check(setting, goal, seed=seed)
    sight = _Sight(order, wants, learner or new_learner(), ways)
    return (yield from _Learning(setting, goal, ways, seed, asks, fits, sight, others or iter(())).go())


class _Sight:
    """What the learner sees of stories and of answers about them."""

    def __init__(self, order: int, wants: Wants, learner: Learner, ways: Ways) -> None:
        self.order, self.wants, self.learner, self.ways = order, wants, learner, ways

    def sees(self, story: Story) -> bool:
        """Whether there is a question to be asked."""
        return any(map(self.wants, asked(story, self.order)))

    def mean(self, story: Story) -> Floats:
        """The mean features of the questions that are asked about a story."""
        kept = [place for place, each in enumerate(asked(story, self.order)) if self.wants(each)]
        found: Floats = rows(story, self.order)[kept].mean(axis=0)
        return found

    def learn(self, story: Story, reply: Reply) -> None:
        """From the answers to single questions; where only the accuracy is known, as if each were as right."""
        right = {
            place: reply.right.get(each.text, None if reply.right else reply.accuracy)
            for place, each in enumerate(asked(story, self.order))
            if self.wants(each)
        }
        known = [place for place, value in right.items() if value is not None]
        values = np.array([right[place] for place in known], dtype=np.float64)
        self.learner.learn(rows(story, self.order)[known], values)

    def costs(self, means: Floats) -> tuple[Floats, Floats]:
        """What is predicted of stories with such features, and how uncertain it is."""
        expected = self.learner.predict(means)
        return (1.0 - expected.mean if self.ways.easiest else expected.mean), expected.spread


class _Learning:
    """One search under way."""

    def __init__(
        self,
        setting: Setting,
        goal: Goal,
        ways: Ways,
        seed: int,
        asks: Asks,
        fits: Fits,
        sight: _Sight,
        others: Iterator[Setting],
    ) -> None:
        self.ways, self.asks, self.fits, self.sight, self.others = ways, asks, cache(fits), sight, others
        self.rng = random.Random(f"learn:{seed}")
        self.grower = Grower(setting, goal, self.rng)
        self.plots: dict[Story, _Plot] = {}
        self.pool: dict[Story, Floats] = {}

    def go(self) -> Search:
        """Ask until the budget is spent; then the story that is worst by all that is known of it."""
        spent = 0
        while spent < self.ways.budget:
            left = self.ways.budget - spent
            again = self._again(spent)[:left]
            new = self._next(min(BATCH, left) - len(again))
            if not again and not new:
                break
            tellings = [self._fresh(plot.story) for plot in again]
            replies = yield [*tellings, *(Telling(story) for story in new)]
            spent += len(replies)
            for plot, telling, reply in zip(again, tellings, replies, strict=False):
                self._hear_again(plot, telling, reply)
            for story, reply in zip(new, replies[len(again) :], strict=True):
                self._hear(story, reply)
            worst = min(self.plots.values(), key=self._estimate, default=None)
            if worst and len(worst.costs) >= TOLD and not any(worst.costs):
                break  # nothing can be harder
        best = next(filter(lambda plot: self.fits(plot.story), self._ranked()), None)
        if best is None or fmean(best.costs) >= 1.0:
            return None
        chosen = fmean(best.costs)
        return Find(best.story, 1.0 - chosen if self.ways.easiest else chosen, spent, spent)

    # ---- what to ask about ----------------------------------------------------------------------------------------

    def _next(self, number: int) -> list[Story]:
        """The most promising stories that nobody has asked about, no two of them alike in all that is known of them."""
        for story in (*self._random(), *self._mutants()):
            if story not in self.plots and story not in self.pool:
                self.pool[story] = self.sight.mean(story)
        stories = list(self.pool)
        if not stories:
            return []
        predicted, spread = self.sight.costs(np.array(list(self.pool.values())))
        hoped = predicted - BOLD * spread
        chosen: dict[bytes, Story] = {}
        for place in np.argsort(hoped, kind="stable"):
            if len(chosen) < number:
                chosen.setdefault(self.pool[stories[place]].tobytes(), stories[place])
        for story in chosen.values():
            del self.pool[story]
        return list(chosen.values())

    def _random(self) -> list[Story]:
        found: list[Story] = []
        self.grower.forget()
        for number in range(TRIES):
            if len(found) >= FRESH or (number >= DRAWN and (self.plots or len(found) >= BATCH)):
                break
            story = self.grower.complete()
            if story is not None and self._askable(story):
                found.append(story)
        return found

    def _askable(self, story: Story) -> bool:
        return bool(self.asks(story)) and self.sight.sees(story)

    def _mutants(self) -> Iterator[Story]:
        self.grower.forget()
        for plot in self._ranked()[:PARENTS]:
            yield from (story for story in mutants(plot.story, self.grower, TRIED) if self._askable(story))

    def _again(self, spent: int) -> list[_Plot]:
        """Stories to tell again: the worst so far, once half of the budget is spent."""
        if 2 * spent < self.ways.budget:
            return []
        return [plot for plot in self._ranked()[:2] if len(plot.costs) < TOLD]

    def _fresh(self, story: Story) -> Telling:
        other = next(self.others, None)
        told = story if other is None else renamed(story, self.grower.setting, other)
        return Telling(told, self.rng.getrandbits(32))

    # ---- what is learned from the answers ---------------------------------------------------------------------------

    def _hear(self, story: Story, reply: Reply) -> None:
        if reply.accuracy is None:
            return
        mean, own = self.sight.mean(story), cost(reply.accuracy, self.ways)
        self.sight.learner.between.append(float(self.sight.costs(mean[None])[0][0]) - own)
        self.sight.learn(story, reply)
        self.plots[story] = _Plot(story, mean, [own])

    def _hear_again(self, plot: _Plot, telling: Telling, reply: Reply) -> None:
        if reply.accuracy is None:
            return
        self.sight.learn(telling.story, reply)
        plot.costs.append(cost(reply.accuracy, self.ways))
        self.sight.learner.compare(plot.costs[-2:])

    # ---- the worst --------------------------------------------------------------------------------------------------

    def _estimate(self, plot: _Plot) -> float:
        """What another telling is to be expected to give: between what was answered and what is predicted."""
        predicted, doubt = float(self.sight.costs(plot.mean[None])[0][0]), self.sight.learner.doubt
        return (sum(plot.costs) + doubt * predicted) / (len(plot.costs) + doubt)

    def _ranked(self) -> list[_Plot]:
        return sorted(self.plots.values(), key=self._estimate)
