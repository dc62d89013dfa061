"""Hunt: many searches side by side against one model, until enough stories are found or the budget is spent.

What a search chose it chose by the answers that it got, and the lowest of many accuracies is low by luck as well. So
every story that is found is told again, with fresh names and in fresh words, and the answers to that are its accuracy.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import count, islice, zip_longest
from statistics import fmean
from types import UnionType
from typing import Any

from otherminds.errors import BadFile, UsageError
from otherminds.minds.setting import Setting
from otherminds.minds.stories import read_premises
from otherminds.minds.story import Story
from otherminds.search.examine import Examiner
from otherminds.search.learn import Learner, learn
from otherminds.search.search import (
    PUBLISHED,
    Find,
    Reply,
    Search,
    Telling,
    Ways,
    can_meet,
    check,
    draw,
    search,
)
from otherminds.search.weakness import Heard
from otherminds.stories.contexts import Context, setting
from otherminds.stories.fresh import other_settings, renamed
from otherminds.stories.goals import Goal
from otherminds.stories.sets import Cell
from otherminds.stories.structure import read_structure
from otherminds.stories.twins import Twin, find_twin

METHODS: dict[str, Callable[..., Search]] = {
    "learn": learn,
    "search": search,
    "random": draw,
    "overgenerate": partial(draw, overgenerate=True),
}
SEARCHES = ("learn", "search")
DRAWS = ("random", "overgenerate")
"""Methods that go by the answers, and methods that draw at random."""

IDLE = 10
"""So many searches in a row that end without a question are enough."""

GoalOf = Callable[[Cell], Goal]
"""The goal of a cell, for those who want another than `Goal.of`."""

DEFAULTS = ("false-belief,pair", "ignorance,pair", "none")
"""What is asked of the minds in a story, unless somebody says otherwise: the first that its setting can have."""


@dataclass(frozen=True, slots=True)
class Found:
    """A story that a model gets wrong, and how it was found."""

    id: str
    story: Story
    accuracy: float
    """By the answers that selected it, so it is too low by luck."""
    cell: str
    set: str
    people: int
    moves: int
    order: int
    context: str
    method: str
    seed: int
    evaluated: int
    goal: str = "none"
    """What it holds of minds, in the words of the command line."""
    confirmed: float | None = None
    """The accuracy on the same events with fresh names and in fresh words."""
    tellings: int = 0
    """How many of these there were."""
    twin: Twin | None = None

    def to_dict(self) -> dict[str, Any]:
        """As JSON; the story is kept as its events and premises."""
        premises = self.story.premises
        data = {name: getattr(self, name) for name in _PLAIN}
        return data | {
            "text": self.story.text,
            "events": self.story.to_dicts(),
            "premises": {"clear": sorted(premises.clear), "distrust": sorted(map(list, premises.distrust))},
            "twin": None if self.twin is None else self.twin.to_dict(),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Found:
        """The same from JSON; the story is replayed, so an impossible one is refused."""
        data = {"goal": "none", "confirmed": None, "tellings": 0} | data  # as files of earlier versions lack them
        for name, (kind, wanted) in _KINDS.items():
            if not isinstance(data[name], kind) or isinstance(data[name], bool) or not str(data[name]).strip():
                raise BadFile(f"{name} should be {wanted}, not {data[name]!r}")
        premises = read_premises(data.get("premises", {}), "premises")
        story = Story.from_dicts(data["events"], premises=premises)
        twin = Twin.from_dict(data["twin"], of=story) if data.get("twin") else None
        return cls(story=story, twin=twin, **{name: data[name] for name in _PLAIN})


_PLAIN = tuple(name for name in Found.__slots__ if name not in ("story", "twin"))
_KINDS: dict[str, tuple[type | UnionType, str]] = {
    **dict.fromkeys(("id", "cell", "set", "context", "method", "goal"), (str, "text")),
    **dict.fromkeys(("people", "moves", "order", "seed", "evaluated", "tellings"), (int, "a whole number")),
    "accuracy": (int | float, "a number"),
    "confirmed": (int | float | None, "a number"),
}


@dataclass(slots=True)
class _Hunter:
    """One search under way, then the confirmation of what it found; how many stories it may still put to the model."""

    cell: Cell
    context: Context
    goal: Goal
    setting: Setting
    others: Iterator[Setting]
    seed: int
    search: Search
    budget: int
    asks: Sequence[Telling] = ()
    find: Find | None = None
    again: tuple[Reply, ...] = ()
    """The answers about the story found, told again."""

    def hear(self, replies: Sequence[Reply]) -> Iterator[Heard]:
        """What was answered about stories that nobody had chosen yet."""
        for telling, reply in zip(self.asks, replies, strict=True):
            if self.find is None and telling.words is None and reply.right:
                yield Heard(telling.story, self.cell.set.order, reply.right, self.seed)

    def advance(self, replies: Sequence[Reply], confirm: int) -> None:
        """Send the replies to what it asked; when it has come to an end, it asks no more."""
        if self.find is not None:
            self.again, self.asks = tuple(replies), ()
            return
        self.budget -= len(replies)
        try:
            self.asks = self.search.send(replies) if self.asks else next(self.search)
        except StopIteration as end:
            self.find = end.value
            self.asks = () if self.find is None else self._tell_again(self.find.story, confirm)

    def _tell_again(self, story: Story, number: int) -> list[Telling]:
        """The story with fresh names and in fresh words."""
        settings = islice(self.others, number)
        return [Telling(renamed(story, self.setting, other), self.seed + n) for n, other in enumerate(settings)]

    def found(self, method: str) -> Found | None:
        """What came of it."""
        if self.find is None:
            return None
        cell, context, story = self.cell, self.context.id, self.find.story
        accuracies = [each.accuracy for each in self.again if each.accuracy is not None]
        return Found(
            id=f"{cell.name}/{context}/{method}/{self.seed}",
            story=story,
            accuracy=self.find.accuracy,
            cell=cell.name,
            set=cell.set.name,
            people=cell.people,
            moves=cell.moves,
            order=cell.set.order,
            context=context,
            method=method,
            seed=self.seed,
            evaluated=self.find.evaluated,
            goal=self.goal.structure.name,
            confirmed=fmean(accuracies) if accuracies else None,
            tellings=len(self.again),
            twin=_twin(story, self.setting, cell) if self.goal.structure.pair else None,
        )


def hunt(
    cells: Sequence[Cell],
    contexts: Sequence[Context],
    examiner: Examiner,
    *,
    stories: int,
    ways: Ways = PUBLISHED,
    method: str = "learn",
    goal: GoalOf | str = "",
    most: int | None = None,
    seed: int = 0,
    width: int = 8,
    progress: Callable[[int, int, int], object] = lambda found, wanted, asked: None,
    listen: Callable[[Heard], object] = bool,
) -> Iterator[Found]:
    """Stories as they are found; fewer than wanted when the budget, or that of the model's calls, is spent.

    Each story has the budget of one search, and what a search does not need, later ones may use: together they never
    put more than stories × budget stories to the model (or `most`), beside those that confirm what was found. `width`
    searches go on at once, and their questions are put to the model as one batch. `goal` says in words what a story
    must hold of minds; without it, a false belief and a twin, where the setting has stories with such. `progress` is
    called after every round with the stories found, the stories wanted and the stories evaluated.
    """
    if not cells or not contexts:
        raise UsageError("there is nothing to search: give at least one action set and one context")
    if stories < 1 or width < 1:
        raise UsageError(f"{stories} stories and {width} searches at once are wanted; give numbers from 1 on")
    for cell in cells:
        try:
            check(setting(contexts[0], cell, seed=seed), _goal(cell, goal or "none"), seed=seed)
        except UsageError as error:
            raise UsageError(f"{cell.name}: {error}") from None
    camp = _Camp(contexts, examiner, method, goal, ways, seed)
    starts = _starts(cells, contexts, seed)
    pool = stories * ways.budget if most is None else most
    under_way: list[_Hunter] = []
    found = spent = idle = 0
    while found < stories and idle < max(IDLE, len(cells)):
        while len(under_way) < min(width, stories - found):
            free = pool - spent - sum(hunter.budget for hunter in under_way)
            if free < 1:
                break
            under_way.append(camp.begin(*next(starts), min(ways.budget, free)))
        if not under_way:
            return
        asked = [(telling, hunter.cell.set.order) for hunter in under_way for telling in hunter.asks]
        replies = examiner.replies(asked) if asked else []
        if examiner.stopped:
            return
        idle = 0 if asked else idle
        spent += sum(len(hunter.asks) for hunter in under_way if hunter.find is None)
        going_on: list[_Hunter] = []
        for hunter in under_way:
            own, replies = replies[: len(hunter.asks)], replies[len(hunter.asks) :]
            for heard in hunter.hear(own):
                listen(heard)
            hunter.advance(own, ways.confirm)
            if hunter.asks:
                going_on.append(hunter)
                continue
            if method == "overgenerate":
                spent += hunter.budget  # on random stories that came to no end
            if (story := hunter.found(method)) is not None:
                found += 1
                yield story
            else:
                idle += 1
        under_way = going_on
        progress(found, stories, spent)
    if not spent:
        raise UsageError(f"{idle} searches in a row came upon nothing to ask; are there questions of the wanted kinds?")


def _goal(cell: Cell, goal: GoalOf | str) -> Goal:
    if callable(goal):
        return goal(cell)
    return replace(Goal.of(cell), structure=read_structure(goal, order=max(cell.set.order, 1)))


def _starts(cells: Sequence[Cell], contexts: Sequence[Context], seed: int) -> Iterator[tuple[int, Cell, Context]]:
    """Searches without end, each in another context; sets take turns, with people and moves in a random order."""
    rng = random.Random(f"hunt:{seed}")
    by_set: dict[str, list[Cell]] = {cell.set.name: [] for cell in cells}
    for cell in rng.sample(list(cells), len(cells)):
        by_set[cell.set.name].append(cell)
    in_turn = [cell for turn in zip_longest(*by_set.values()) for cell in turn if cell is not None]
    places = rng.sample(list(contexts), len(contexts))
    for number in count():
        yield number, in_turn[number % len(in_turn)], places[number % len(places)]


@dataclass(slots=True)
class _Camp:
    """What all searches of a hunt share: above all, what is learned of the model."""

    contexts: Sequence[Context]
    examiner: Examiner
    method: str
    goal: GoalOf | str
    ways: Ways
    seed: int
    learner: Learner = field(default_factory=Learner, init=False)
    relaxed: dict[Cell, Goal] = field(default_factory=dict, init=False)
    """By cell, what is asked of its stories by default."""

    def begin(self, number: int, cell: Cell, context: Context, budget: int) -> _Hunter:
        """One more search."""
        own, order = self.seed * 1_000_003 + number, cell.set.order
        stage = setting(context, cell, seed=self.seed)
        goal = _goal(cell, self.goal) if self.goal else self._relaxed(cell, stage)
        others = other_settings(self.contexts, cell, besides=context, seed=own)
        options: dict[str, Any] = {"asks": partial(self.examiner.asks, order=order)}
        if goal.structure.pair:
            options["fits"] = lambda story: _twin(story, stage, cell) is not None
        if self.method == "learn":
            options |= {"order": order, "wants": self.examiner.wants, "learner": self.learner, "others": others}
        search = METHODS[self.method](stage, goal, ways=replace(self.ways, budget=budget), seed=own, **options)
        return _Hunter(cell, context, goal, stage, others, own, search, budget)

    def _relaxed(self, cell: Cell, stage: Setting) -> Goal:
        """The first of the usual goals that some story of this setting meets."""
        if cell not in self.relaxed:
            for words in DEFAULTS:
                goal = self.relaxed[cell] = _goal(cell, words)
                if can_meet(stage, goal, seed=self.seed):
                    break
        return self.relaxed[cell]


@lru_cache(maxsize=1024)
def _twin(story: Story, stage: Setting, cell: Cell) -> Twin | None:
    return find_twin(story, stage, order=max(cell.set.order, 1))
