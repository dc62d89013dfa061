"""Hunt: many searches side by side against one model, until enough stories are found or the budget is spent."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from otherminds.errors import UsageError
from otherminds.story import Premises, Story
from otherminds.studies.explore.contexts import Context, setting
from otherminds.studies.explore.examine import Examiner
from otherminds.studies.explore.goals import Goal
from otherminds.studies.explore.search import PUBLISHED, Search, Ways, overgenerate, search
from otherminds.studies.explore.sets import Cell

METHODS: dict[str, Callable[..., Search]] = {"search": search, "overgenerate": overgenerate}

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
        given = data.get("premises", {})
        premises = Premises(frozenset(given.get("clear", ())), frozenset((a, b) for a, b in given.get("distrust", ())))
        story = Story.from_dicts(data["events"], premises=premises)
        return cls(story=story, **{name: data[name] for name in _PLAIN})


_PLAIN = tuple(name for name in Found.__slots__ if name != "story")


@dataclass(slots=True)
class _Hunter:
    """One search under way."""

    cell: Cell
    context: Context
    seed: int
    search: Search
    asks: Sequence[Story] = ()


def hunt(
    cells: Sequence[Cell],
    contexts: Sequence[Context],
    examiner: Examiner,
    *,
    stories: int,
    ways: Ways = PUBLISHED,
    method: str = "search",
    seed: int = 0,
    width: int = 8,
    progress: Progress | None = None,
) -> Iterator[Found]:
    """Stories as they are found, cell by cell in turn; fewer than wanted when the whole budget is spent.

    Each story has the budget of one search; what a search does not need, later ones may use. `width` searches go on
    at once, and their questions are put to the model as one batch.
    """
    if not cells or not contexts:
        raise UsageError("there is nothing to search: give at least one action set and one context")
    if stories < 1:
        raise UsageError(f"{stories} stories are wanted; give a number from 1 on")
    starts = _starts(cells, contexts, METHODS[method], ways, seed)
    pool = stories * ways.budget
    under_way: list[_Hunter] = []
    found = spent = 0
    while found < stories:
        wanted = min(width, stories - found)
        while len(under_way) < wanted and spent + sum(ways.budget for _ in under_way) < pool + ways.budget:
            if spent >= pool:
                break
            under_way.append(next(starts))
        if not under_way:
            return
        asked = [(story, hunter.cell.set.order) for hunter in under_way for story in hunter.asks]
        answers = iter(examiner.accuracies(asked) if asked else ())
        spent += len(asked)
        going_on: list[_Hunter] = []
        for hunter in under_way:
            try:
                hunter.asks = hunter.search.send([next(answers) for _ in hunter.asks] if hunter.asks else None)  # type: ignore[arg-type]
                going_on.append(hunter)
            except StopIteration as end:
                if end.value is not None and found < stories:
                    found += 1
                    yield _found(hunter, end.value, method)
        under_way = going_on
        if progress is not None:
            progress(found, stories, spent)


def _starts(
    cells: Sequence[Cell], contexts: Sequence[Context], method: Callable[..., Search], ways: Ways, seed: int
) -> Iterator[_Hunter]:
    """Searches without end: every cell in turn, each time in another context."""
    rng = random.Random(f"hunt:{seed}")
    places = rng.sample(list(contexts), len(contexts))
    for number in count():
        cell, context = cells[number % len(cells)], places[number % len(places)]
        own = seed * 1_000_003 + number
        stage = setting(context, cell, seed=seed)
        yield _Hunter(cell, context, own, method(stage, Goal.of(cell), ways=ways, seed=own))


def _found(hunter: _Hunter, find: Any, method: str) -> Found:
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
