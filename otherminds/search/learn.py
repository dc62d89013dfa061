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
from otherminds.search.search import (
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
from otherminds.stories.features import WIDTH, Floats, rows
from otherminds.stories.fresh import renamed
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower
from otherminds.stories.structure import asked
from otherminds.stories.twins import mutants

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
RIDGE = 4.0
"""How many questions' worth of doubt there is about every weight."""
NOISE = 0.02
"""The variance between two tellings of one story that is supposed until some have been told twice, and for how many."""
SUPPOSED = 2.0


@dataclass(slots=True)
class Learner:
    """Which questions a model gets wrong, by ridge regression: sums over all answers so far.

    It learns from every answer about a complete story, across searches, and predicts the accuracy on stories that
    nobody has asked about yet. Since it is linear, a story's prediction is that of the mean of its questions. The first
    column is always 1, and is not shrunk.
    """

    products: Floats = field(default_factory=lambda: np.zeros((WIDTH, WIDTH)))
    totals: Floats = field(default_factory=lambda: np.zeros(WIDTH))
    squares: float = field(default=0.0, init=False)
    rows: int = field(default=0, init=False)
    within: list[tuple[float, int]] = field(default_factory=list, init=False)
    """For plots told more than once: the sum of squares about their mean, and its degrees of freedom."""
    between: list[float] = field(default_factory=list, init=False)
    """How far the first accuracy on each story lay from what had been predicted."""
    _solved: tuple[Floats, Floats, float] | None = field(default=None, init=False)

    def learn(self, rows: Floats, right: Floats) -> None:
        """The features of some questions, and how right the answers were."""
        self.products += rows.T @ rows
        self.totals += rows.T @ right
        self.squares += float(right @ right)
        self.rows += len(rows)
        self._solved = None

    def predict(self, means: Floats) -> tuple[Floats, Floats]:
        """The accuracies that are to be expected of stories with these mean features, and how uncertain each is."""
        weights, inverse, variance = self._solve()
        spread = np.sqrt(np.maximum(variance * np.einsum("ij,jk,ik->i", means, inverse, means), 0.0))
        return np.clip(means @ weights, 0.0, 1.0), spread

    def _solve(self) -> tuple[Floats, Floats, float]:
        if self._solved is None:
            count = max(self.rows, 1)
            scale = np.sqrt(np.maximum(np.diag(self.products) / count, 1e-4))
            penalty = RIDGE * scale**2
            penalty[0] = 1e-3
            inverse: Floats = np.linalg.inv(self.products + np.diag(penalty)).astype(np.float64)
            # With nothing learnt yet, a coin is the best guess.
            weights: Floats = inverse @ (self.totals + penalty * np.eye(WIDTH)[0] * 0.5)
            rest = self.squares - 2 * weights @ self.totals + weights @ self.products @ weights
            variance = (float(rest) + 0.25 * SUPPOSED) / (count + SUPPOSED)
            self._solved = weights, inverse, max(variance, 1e-4)
        return self._solved

    def compare(self, tellings: list[float]) -> None:
        """Accuracies on several tellings of the same events."""
        middle = fmean(tellings)
        self.within.append((sum((each - middle) ** 2 for each in tellings), len(tellings) - 1))

    @property
    def doubt(self) -> float:
        """How many tellings a prediction is worth: the variance between tellings over that between stories alike."""
        squares, freedom = (sum(part) for part in zip(*self.within, strict=True)) if self.within else (0.0, 0)
        within = (squares + NOISE * SUPPOSED) / (freedom + SUPPOSED)
        gaps = sum(gap * gap for gap in self.between)
        between = (gaps + 2 * NOISE * SUPPOSED) / (len(self.between) + SUPPOSED) - within
        return within / max(between, 0.1 * within, 1e-6)


@dataclass(slots=True)
class _Plot:
    """A story that was asked about, with the accuracies on its tellings."""

    story: Story
    mean: Floats
    costs: list[float] = field(default_factory=list)


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
    grower = Grower(setting, goal, random.Random(f"learn:{seed}"))
    knows, names = learner or Learner(), others or iter(())
    return (yield from _Learning(grower, ways, asks, cache(fits), order, wants, knows, names).go())


@dataclass(slots=True)
class _Learning:
    """One search under way."""

    grower: Grower
    ways: Ways
    asks: Asks
    fits: Fits
    order: int
    wants: Wants
    learner: Learner
    others: Iterator[Setting]
    plots: dict[Story, _Plot] = field(default_factory=dict)
    pool: dict[Story, Floats] = field(default_factory=dict)

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
                self.pool[story] = self._mean(story)
        stories = list(self.pool)
        if not stories:
            return []
        predicted, spread = self._costs(np.array(list(self.pool.values())))
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
        return bool(self.asks(story)) and any(map(self.wants, asked(story, self.order)))

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
        return Telling(told, self.grower.rng.getrandbits(32))

    # ---- what is learned from the answers ---------------------------------------------------------------------------

    def _hear(self, story: Story, reply: Reply) -> None:
        if reply.accuracy is None:
            return
        mean, own = self._mean(story), cost(reply.accuracy, self.ways)
        self.learner.between.append(float(self._costs(mean[None])[0][0]) - own)
        self._learn(story, reply)
        self.plots[story] = _Plot(story, mean, [own])

    def _hear_again(self, plot: _Plot, telling: Telling, reply: Reply) -> None:
        if reply.accuracy is None:
            return
        self._learn(telling.story, reply)
        plot.costs.append(cost(reply.accuracy, self.ways))
        self.learner.compare(plot.costs[-2:])

    # ---- the worst --------------------------------------------------------------------------------------------------

    def _estimate(self, plot: _Plot) -> float:
        """What another telling is to be expected to give: between what was answered and what is predicted."""
        predicted, doubt = float(self._costs(plot.mean[None])[0][0]), self.learner.doubt
        return (sum(plot.costs) + doubt * predicted) / (len(plot.costs) + doubt)

    def _ranked(self) -> list[_Plot]:
        return sorted(self.plots.values(), key=self._estimate)

    # ---- features of questions --------------------------------------------------------------------------------------

    def _mean(self, story: Story) -> Floats:
        """The mean features of the questions that are asked about a story."""
        kept = [place for place, each in enumerate(asked(story, self.order)) if self.wants(each)]
        found: Floats = rows(story, self.order)[kept].mean(axis=0)
        return found

    def _learn(self, story: Story, reply: Reply) -> None:
        """From the answers to single questions; where only the accuracy is known, as if each were as right."""
        right = {
            place: reply.right.get(each.text, None if reply.right else reply.accuracy)
            for place, each in enumerate(asked(story, self.order))
            if self.wants(each)
        }
        known = [place for place, value in right.items() if value is not None]
        values = np.array([right[place] for place in known], dtype=np.float64)
        self.learner.learn(rows(story, self.order)[known], values)

    def _costs(self, means: Floats) -> tuple[Floats, Floats]:
        """What is predicted of stories with such features, and how uncertain it is."""
        expected, spread = self.learner.predict(means)
        return (1.0 - expected if self.ways.easiest else expected), spread
