"""Search: best first through beginnings of stories, towards stories that a model answers wrongly.

A node is the beginning of a story; an edge adds k events. g is the model's accuracy on the node's questions, h the
share of random endings that miss the goal, and the node with the least f = g + alpha·h goes on. That is the published
search (g is the node's own and does not add up along the way, so it promises good stories, not the best one), but it
does not stop at the first complete story: it spends its budget, from the start again if need be, and keeps the worst.

A search knows no model: it is a generator that asks about some stories and is sent how they were answered. So many
searches can go on side by side and share one batch of questions; and, since it is decided by its seed and those
answers alone, a search that was broken off is taken up by running it again on stored answers.

The baseline, `draw`, draws complete stories at random and keeps the worst: it asks about as many as its budget has, or
counts as published, where a story that comes to no end costs as much as one that is asked about.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import NamedTuple

from otherminds.errors import UsageError
from otherminds.minds.questions import matters
from otherminds.minds.setting import Setting
from otherminds.minds.story import Story
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower, Node, Prospect

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
    confirm: int = 4
    """How often a story that was found is told again, with fresh names and in fresh words."""
    first: bool = False
    """Stop as soon as a complete story comes first in the queue, as published, and leave the rest of the budget."""

    def __post_init__(self) -> None:
        for name, least in (("budget", 1), ("step", 1), ("endings", 0), ("alpha", 0), ("draws", 1), ("confirm", 0)):
            if not getattr(self, name) >= least:
                raise UsageError(f"{name} should be at least {least}, not {getattr(self, name)}")


PUBLISHED = Ways()


class Telling(NamedTuple):
    """A story to ask about, in its canonical words or in those of a seed."""

    story: Story
    words: int | None = None


class Reply(NamedTuple):
    """How the questions about a telling were answered."""

    accuracy: float | None
    """The share of right answers; None: no usable one."""
    right: Mapping[str, float] = {}
    """By the words of the questions, as far as they could be scored."""


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


Search = Generator[Sequence[Telling], Sequence[Reply], Find | None]
"""Yields what to ask about and is sent how each was answered; returns what it found."""

Fits = Callable[[Story], object]
"""Whether a complete story may be found; asked only of those that would be, for it may take long."""

Asks = Callable[[Story], object]
"""Whether there is anything to ask about a story."""


def anything(_: Story) -> bool:
    """Every complete story may be found."""
    return True


def search(
    setting: Setting,
    goal: Goal,
    *,
    ways: Ways = PUBLISHED,
    seed: int = 0,
    asks: Asks = matters,
    fits: Fits = anything,
) -> Search:
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
        asked = [Telling(child.node.story) for child, unasked in children if unasked is None]
        evaluated += len(asked)
        nodes += len(children)
        answers = iter((yield asked) if asked else ())
        for child, unasked in children:
            g = cost(next(answers).accuracy, ways) if unasked is None else unasked
            heapq.heappush(queue, _entry(g, next(number), child, ways))
            if child.done and g < best[0] and fits(child.node.story):
                best = (g, child.node.story)
    g, story = best
    return Find(story, 1.0 - g if ways.easiest else g, evaluated, nodes) if story is not None else None


def _entry(g: float, number: int, prospect: Prospect, ways: Ways) -> Entry:
    miss, length = prospect.outlook
    return Entry(g + ways.alpha * miss, g, length, number, prospect)


def cost(accuracy: float | None, ways: Ways) -> float:
    """What is to be as low as possible: the accuracy, or its reverse where the easiest stories are wanted."""
    if accuracy is None:
        return NOTHING
    return 1.0 - accuracy if ways.easiest else accuracy


def draw(
    setting: Setting,
    goal: Goal,
    *,
    ways: Ways = PUBLISHED,
    seed: int = 0,
    asks: Asks = matters,
    fits: Fits = anything,
    overgenerate: bool = False,
) -> Search:
    """Draw complete stories at random until the budget is spent on them, and keep the worst.

    To `overgenerate` is the published baseline: each costs one of the budget whether or not it comes to an end.
    """
    check(setting, goal, seed=seed)
    grower = Grower(setting, goal, random.Random(seed))
    if overgenerate:
        begun = (grower.complete() for _ in range(ways.budget))
        stories = list(dict.fromkeys(story for story in begun if story is not None and asks(story)))
    else:
        stories = list(islice(drawn(grower, asks), ways.budget))
    if not stories:
        return None
    replies = yield [Telling(story) for story in stories]
    costs = [cost(reply.accuracy, ways) for reply in replies]
    for place in sorted(range(len(stories)), key=costs.__getitem__):
        if costs[place] >= 1.0:
            break
        if fits(stories[place]):
            accuracy = 1.0 - costs[place] if ways.easiest else costs[place]
            return Find(stories[place], accuracy, len(stories), ways.budget if overgenerate else len(stories))
    return None


def drawn(grower: Grower, asks: Asks) -> Iterator[Story]:
    """Complete stories at random, no two alike, until none comes up any more."""
    known: set[Story] = set()
    idle = 0
    while idle < TRIES:
        story = grower.complete()
        idle += 1
        if story is not None and story not in known and asks(story):
            known.add(story)
            idle = 0
            yield story


def check(setting: Setting, goal: Goal, *, seed: int = 0) -> None:
    """Refuse a goal that no story can meet, and say which condition stands in the way."""
    reason = goal.impossible(setting)
    if reason is not None:
        raise UsageError(f"no story can meet these conditions: {reason}")
    lacking = _lacking(setting, goal, seed)
    if lacking:
        ((worst, times),) = lacking.most_common(1)
        raise UsageError(
            f"none of {TRIES} random stories met these conditions within {goal.sentences} sentences; "
            f"most often lacking ({times} times): {worst}"
        )


def can_meet(setting: Setting, goal: Goal, *, seed: int = 0) -> bool:
    """Whether a goal is within reach."""
    return goal.impossible(setting) is None and not _lacking(setting, goal, seed)


def _lacking(setting: Setting, goal: Goal, seed: int) -> Counter[str]:
    """What random stories lack, if none of them meets the goal."""
    grower = Grower(setting, goal, random.Random(f"check:{seed}"))
    lacking: Counter[str] = Counter()
    for _ in range(TRIES):
        node = grower.ending(grower.start)
        missing = list(goal.missing(node.story, node.tally))
        if not missing:
            return Counter()
        lacking.update(lack.split(":")[0] for lack in missing)
        grower.forget()
    return lacking


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
