"""Search: best first through beginnings of stories, towards stories that a model answers wrongly.

A node is the beginning of a story; an edge adds k events. g is the model's accuracy on the node's questions, h the
share of random endings that miss the goal, and the node with the least f = g + alpha·h goes on. That is the published
search (g is the node's own and does not add up along the way, so it promises good stories, not the best one), but it
does not stop at the first complete story: it spends its budget, from the start again if need be, and keeps the worst.

A search knows no model: it is a generator that asks for the accuracy of some stories and is sent the answer. So many
searches can go on side by side and share one batch of questions; and, since it is decided by its seed and those
answers alone, a search that was broken off is taken up by running it again on stored answers.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from otherminds.errors import UsageError
from otherminds.minds.questions import matters
from otherminds.minds.setting import Setting
from otherminds.minds.story import Story
from otherminds.studies.explore.goals import Goal
from otherminds.studies.explore.grow import Grower, Node, Prospect

TRIES = 2000
"""Random stories that are tried before a goal is called out of reach."""

TOO_SHORT = 3
"""Stories of so many sentences or fewer are taken to be answered right, without asking."""

NOTHING = 2.0
"""The g of a story about which there is nothing to ask yet, or no usable answer: anything else goes on first."""


@dataclass(frozen=True, slots=True)
class Ways:
    """How to search."""

    budget: int = 50
    """Stories whose questions may be put to the model."""
    step: int = 3
    """Events that one edge adds: k."""
    endings: int = 50
    """Random endings by which the way to the goal is judged: P."""
    alpha: float = 0.1
    draws: int = 50
    """Random continuations drawn for each one that is tried."""
    easiest: bool = False
    """Look for stories that the model gets right instead."""
    first: bool = False
    """Stop as soon as a complete story comes first in the queue, as published, and leave the rest of the budget."""

    def __post_init__(self) -> None:
        for name, least in (("budget", 1), ("step", 1), ("endings", 0), ("alpha", 0), ("draws", 1)):
            if not getattr(self, name) >= least:
                raise UsageError(f"{name} should be at least {least}, not {getattr(self, name)}")


PUBLISHED = Ways()


class Find(NamedTuple):
    """A story that meets the goal, the model's accuracy on it, and what it took to find."""

    story: Story
    accuracy: float
    evaluated: int
    """Stories that were put to the model."""
    nodes: int
    """The same with those that were weighed without asking, as published figures count."""


class Entry(NamedTuple):
    """A node in the queue. The least f goes on first; ties go to the lower g, to shorter endings, to the older node."""

    f: float
    g: float
    length: float
    number: int
    prospect: Prospect


Search = Generator[Sequence[Story], Sequence[float | None], Find | None]
"""Yields stories and is sent the model's accuracy on each (None: no usable answer); returns what it found."""

Asks = Callable[[Story], object]
"""Whether there is anything to ask about a story."""


def search(setting: Setting, goal: Goal, *, ways: Ways = PUBLISHED, seed: int = 0, asks: Asks = matters) -> Search:
    """Search, within the budget, for the story that meets the goal and that the model gets most wrong."""
    check(setting, goal, seed=seed)
    grower = Grower(setting, goal, random.Random(seed))
    number = count()
    queue: list[Entry] = []
    best: tuple[float, Story | None] = (1.0, None)  # what is answered right is not worth finding
    evaluated = nodes = 0
    before = -1
    while evaluated < ways.budget and best[0] > 0.0:
        if not queue:
            if evaluated == before:
                break  # all the way from the start there was nothing new to ask
            before = evaluated
            queue.append(Entry(0.0, 0.0, 0.0, next(number), Prospect(grower, grower.start, 0)))
        entry = heapq.heappop(queue)
        prospect = entry.prospect
        if prospect.open:
            # Endings cost most of the time, and a node that never comes first needs none of them.
            prospect.judge()
            heapq.heappush(queue, _entry(entry.g, entry.number, prospect, ways))
            continue
        if prospect.done:
            if ways.first and best[1] is not None:
                break
            continue
        children = _children(grower, prospect.node, ways, min(_width(entry.g), ways.budget - evaluated), asks)
        asked = [child.node.story for child, unasked in children if unasked is None]
        evaluated += len(asked)
        nodes += len(children)
        answers = iter((yield asked) if asked else ())
        for child, unasked in children:
            g = _cost(next(answers), ways) if unasked is None else unasked
            heapq.heappush(queue, _entry(g, next(number), child, ways))
            if child.done and g < best[0]:
                best = (g, child.node.story)
    g, story = best
    return Find(story, 1.0 - g if ways.easiest else g, evaluated, nodes) if story is not None else None


def _entry(g: float, number: int, prospect: Prospect, ways: Ways) -> Entry:
    miss, length = prospect.outlook
    return Entry(g + ways.alpha * miss, g, length, number, prospect)


def _cost(accuracy: float | None, ways: Ways) -> float:
    if accuracy is None:
        return NOTHING
    return 1.0 - accuracy if ways.easiest else accuracy


def overgenerate(
    setting: Setting, goal: Goal, *, ways: Ways = PUBLISHED, seed: int = 0, asks: Asks = matters
) -> Search:
    """The baseline: draw as many random stories as the budget has, ask about the complete ones, keep the worst."""
    check(setting, goal, seed=seed)
    grower = Grower(setting, goal, random.Random(seed))
    drawn: dict[Story, None] = {}
    # As published: a random story costs one of the budget whether or not it comes to an end.
    for _ in range(ways.budget):
        story = grower.complete()
        if story is not None and asks(story):
            drawn[story] = None
    if not drawn:
        return None
    stories = list(drawn)
    answers = yield stories
    costs = [_cost(answer, ways) for answer in answers]
    best = costs.index(min(costs))
    if costs[best] >= 1.0:
        return None
    accuracy = 1.0 - costs[best] if ways.easiest else costs[best]
    return Find(stories[best], accuracy, len(stories), ways.budget)


def check(setting: Setting, goal: Goal, *, seed: int = 0) -> None:
    """Refuse a goal that no story can meet, and say which condition stands in the way."""
    reason = goal.impossible(setting)
    if reason is not None:
        raise UsageError(f"no story can meet these conditions: {reason}")
    grower = Grower(setting, goal, random.Random(f"check:{seed}"))
    lacking: Counter[str] = Counter()
    for _ in range(TRIES):
        node = grower.ending(grower.start)
        missing = list(goal.missing(node.story, node.tally))
        if not missing:
            return
        lacking.update(lack.split(":")[0] for lack in missing)
    ((worst, times),) = lacking.most_common(1)
    raise UsageError(
        f"none of {TRIES} random stories met these conditions within {goal.sentences} sentences; "
        f"most often lacking ({times} times): {worst}"
    )


def _width(g: float) -> int:
    """How many continuations are tried: the more, the worse the model does here."""
    return 5 if g <= 0.5 else 3 if g <= 0.75 else 1


def _children(grower: Grower, node: Node, ways: Ways, width: int, asks: Asks) -> list[tuple[Prospect, float | None]]:
    """Continuations worth a try, with the g of those that are not asked about: the nearer to the goal, the likelier.

    Those that are cut short, for one event more would lose the goal, serve only where there are no others.
    """
    goal, rng = grower.goal, grower.rng
    grower.forget()
    drawn: dict[int, Node] = {}
    cut: dict[int, Node] = {}
    for _ in range(ways.draws * width):
        child = grower.steps(node, ways.step)
        if child is not node:
            (drawn if child.story.length == node.story.length + ways.step else cut)[id(child)] = child
    candidates = list((drawn or cut).values())
    weights = [_progress(goal, node, child) for child in candidates]
    if not any(weights):
        weights = [1.0] * len(candidates)
    # Drawn without replacement in proportion to the weights (Efraimidis and Spirakis); what leads nowhere is left out.
    keyed = [(rng.random() ** (1.0 / weight), number) for number, weight in enumerate(weights) if weight]
    chosen: list[tuple[Prospect, float | None]] = []
    for _, number in sorted(keyed, reverse=True)[: 2 * width]:
        child = candidates[number]
        prospect = Prospect(grower, child, ways.endings)
        if width and prospect.reachable():
            short = child.tally.sentences <= TOO_SHORT
            unasked = NOTHING if not asks(child.story) else 1.0 if short else None
            chosen.append((prospect, unasked))
            width -= unasked != NOTHING
    return chosen


def _progress(goal: Goal, node: Node, child: Node) -> float:
    """How much nearer a continuation is to the goal; what the story is about weighs most where it is rare."""
    before, after = node.tally, child.tally
    weight = 0.0
    if goal.differentiating and not before.differentiating:
        rare = 5.0 if goal.rooms > 1 else 1.0
        weight += rare * (after.differentiating - before.differentiating)
    if before.moves < goal.moves:
        weight += after.moves - before.moves
    if before.secrets < goal.secrets[0]:
        weight += after.secrets - before.secrets
    if len(node.story.people) < goal.people:
        weight += len(child.story.people) - len(node.story.people)
    if (rooms := _rooms(node)) < goal.rooms:
        weight += _rooms(child) - rooms
    return weight


def _rooms(node: Node) -> int:
    return sum(role == "room" for role in node.story.cast.roles.values())
