"""Hunt: many searches side by side against one model, until enough stories are found or the budget is spent."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count, zip_longest
from types import UnionType
from typing import Any

from otherminds.errors import BadFile, UsageError
from otherminds.minds.stories import read_premises
from otherminds.minds.story import Story
from otherminds.studies.explore.contexts import Context, setting
from otherminds.studies.explore.examine import Examiner
from otherminds.studies.explore.goals import Goal
from otherminds.studies.explore.search import PUBLISHED, Find, Search, Ways, check, overgenerate, search
from otherminds.studies.explore.sets import Cell

METHODS: dict[str, Callable[..., Search]] = {"search": search, "overgenerate": overgenerate}

IDLE = 10
"""So many searches in a row that end without a question are enough."""

Progress = Callable[[int, int, int], None]
"""Called after every round with the stories found, the stories wanted and the stories evaluated."""


@dataclass(frozen=True, slots=True)
class Found:
    """A story that a model gets wrong, and how it was found."""

    id: str
    story: Story
    accuracy: float
    cell: str
    set: str
    people: int
    moves: int
    order: int
    context: str
    method: str
    seed: int
    evaluated: int

    def to_dict(self) -> dict[str, Any]:
        """As JSON; the story is kept as its events and premises."""
        premises = self.story.premises
        data = {name: getattr(self, name) for name in _PLAIN}
        return data | {
            "text": self.story.text,
            "events": self.story.to_dicts(),
            "premises": {"clear": sorted(premises.clear), "distrust": sorted(map(list, premises.distrust))},
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Found:
        """The same from JSON; the story is replayed, so an impossible one is refused."""
        for name, (kind, wanted) in _KINDS.items():
            if not isinstance(data[name], kind) or isinstance(data[name], bool) or not str(data[name]).strip():
                raise BadFile(f"{name} should be {wanted}, not {data[name]!r}")
        premises = read_premises(data.get("premises", {}), "premises")
        story = Story.from_dicts(data["events"], premises=premises)
        return cls(story=story, **{name: data[name] for name in _PLAIN})


_PLAIN = tuple(name for name in Found.__slots__ if name != "story")
_KINDS: dict[str, tuple[type | UnionType, str]] = {
    **dict.fromkeys(("id", "cell", "set", "context", "method"), (str, "text")),
    **dict.fromkeys(("people", "moves", "order", "seed", "evaluated"), (int, "a whole number")),
    "accuracy": (int | float, "a number"),
}


@dataclass(slots=True)
class _Hunter:
    """One search under way, and how many stories it may still put to the model."""

    cell: Cell
    context: Context
    seed: int
    search: Search
    budget: int
    asks: Sequence[Story] = ()

    def advance(self, answers: Iterator[float | None]) -> Find | None:
        """Send the answers to what it asked; what it found, once it has come to an end and asks no more."""
        try:
            self.asks = self.search.send([next(answers) for _ in self.asks]) if self.asks else next(self.search)
        except StopIteration as end:
            self.asks = ()
            find: Find | None = end.value
            return find
        return None


def hunt(
    cells: Sequence[Cell],
    contexts: Sequence[Context],
    examiner: Examiner,
    *,
    stories: int,
    ways: Ways = PUBLISHED,
    method: str = "search",
    goal: Callable[[Cell], Goal] = Goal.of,
    seed: int = 0,
    width: int = 8,
    progress: Progress | None = None,
) -> Iterator[Found]:
    """Stories as they are found; fewer than wanted when the budget, or that of the model's calls, is spent.

    Each story has the budget of one search, and what a search does not need, later ones may use: together they never
    put more than stories × budget stories to the model. `width` searches go on at once, and their
    questions are put to the model as one batch.
    """
    _check(cells, contexts, goal, stories=stories, width=width, seed=seed)
    starts = _starts(cells, contexts, seed)
    pool = stories * ways.budget
    under_way: list[_Hunter] = []
    found = spent = idle = 0
    while found < stories and idle < max(IDLE, len(cells)):
        while len(under_way) < min(width, stories - found):
            free = pool - spent - sum(hunter.budget for hunter in under_way)
            if free < 1:
                break
            own = replace(ways, budget=min(ways.budget, free))
            under_way.append(_begin(*next(starts), examiner, METHODS[method], goal, own, seed))
        if not under_way:
            return
        asked = [(story, hunter.cell.set.order) for hunter in under_way for story in hunter.asks]
        answers = iter(examiner.accuracies(asked) if asked else ())
        if examiner.stopped:
            return
        idle = 0 if asked else idle
        spent += len(asked)
        going_on: list[_Hunter] = []
        for hunter in under_way:
            hunter.budget -= len(hunter.asks)
            find = hunter.advance(answers)
            if hunter.asks:
                going_on.append(hunter)
                continue
            if method == "overgenerate":
                spent += hunter.budget  # on random stories that came to no end
            if find is not None:
                found += 1
                yield _found(hunter, find, method)
            else:
                idle += 1
        under_way = going_on
        if progress is not None:
            progress(found, stories, spent)
    if not spent:
        raise UsageError(f"{idle} searches in a row came upon nothing to ask; are there questions of the wanted kinds?")


def _check(
    cells: Sequence[Cell],
    contexts: Sequence[Context],
    goal: Callable[[Cell], Goal],
    *,
    stories: int,
    width: int,
    seed: int,
) -> None:
    """Refuse what cannot be done before anything is asked."""
    if not cells or not contexts:
        raise UsageError("there is nothing to search: give at least one action set and one context")
    if stories < 1 or width < 1:
        raise UsageError(f"{stories} stories and {width} searches at once are wanted; give numbers from 1 on")
    for cell in cells:
        try:
            check(setting(contexts[0], cell, seed=seed), goal(cell), seed=seed)
        except UsageError as error:
            raise UsageError(f"{cell.name}: {error}") from None


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


def _begin(
    number: int,
    cell: Cell,
    context: Context,
    examiner: Examiner,
    method: Callable[..., Search],
    goal: Callable[[Cell], Goal],
    ways: Ways,
    seed: int,
) -> _Hunter:
    own = seed * 1_000_003 + number
    asks = partial(examiner.asks, order=cell.set.order)
    under_way = method(setting(context, cell, seed=seed), goal(cell), ways=ways, seed=own, asks=asks)
    return _Hunter(cell, context, own, under_way, ways.budget)


def _found(hunter: _Hunter, find: Find, method: str) -> Found:
    cell = hunter.cell
    return Found(
        id=f"{cell.name}/{hunter.context.id}/{method}/{hunter.seed}",
        story=find.story,
        accuracy=find.accuracy,
        cell=cell.name,
        set=cell.set.name,
        people=cell.people,
        moves=cell.moves,
        order=cell.set.order,
        context=hunter.context.id,
        method=method,
        seed=hunter.seed,
        evaluated=find.evaluated,
    )
