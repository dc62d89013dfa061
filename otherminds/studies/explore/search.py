"""Search: best first through beginnings of stories, towards stories that a model answers wrongly.

A node is the beginning of a story; an edge adds k events. g is the model's accuracy on the node's questions, h the
share of random endings that miss the goal, and the node with the least f = g + alpha·h goes on. That is the published
search (g is the node's own and does not add up along the way, so it promises good stories, not the best one).

A search knows no model: it is a generator that asks for the accuracy of some stories and is sent the answer. So many
searches can go on side by side and share one batch of questions; and, since it is decided by its seed and those
answers alone, a search that was broken off is taken up by running it again on stored answers.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import NamedTuple

from otherminds.errors import UsageError
from otherminds.questions import matters
from otherminds.setting import Setting
from otherminds.story import Story
from otherminds.studies.explore.goals import Goal, Tally

TRIES = 2000
"""Random stories that are tried before a goal is called out of reach."""


TOO_SHORT = 3
"""Stories of so many sentences or fewer are taken to be answered right, without asking."""


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

    def __post_init__(self) -> None:
        for name, least in (("budget", 1), ("step", 1), ("endings", 0), ("draws", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} should be at least {least}, not {getattr(self, name)}")


PUBLISHED = Ways()


class Prospect(NamedTuple):
    """What random endings say of a node: the share that miss the goal, and their mean length."""

    miss: float
    length: float


class Find(NamedTuple):
    """A story that meets the goal, the model's accuracy on it, and how many stories were evaluated on the way."""

    story: Story
    accuracy: float
    evaluated: int


Search = Generator[Sequence[Story], Sequence[float | None], Find | None]
"""Yields stories and is sent the model's accuracy on each (None: no usable answer); returns what it found."""


def search(setting: Setting, goal: Goal, *, ways: Ways = PUBLISHED, seed: int = 0) -> Search:
    """Search for one story that meets the goal and that the model does not get wholly right."""
    check(setting, goal, seed=seed)
    rng = random.Random(seed)
    number = count()
    evaluated = 0
    # (f, g, length of the endings, number): ties go to shorter ways, then to the older node.
    queue: list[tuple[float, float, float, int, Node]] = []
    heapq.heappush(queue, (0.0, 0.0, 0.0, next(number), Node(Story(premises=setting.premises), Tally())))
    while queue:
        _, g, _, age, node = heapq.heappop(queue)
        if goal.met(node.story, node.tally):
            if age and g < 1.0:
                return Find(node.story, 1.0 - g if ways.easiest else g, evaluated)
            continue
        width = min(_width(g), ways.budget - evaluated)
        if width < 1 or node.tally.sentences >= goal.sentences:
            continue
        children = _children(setting, goal, node, ways, rng, width)
        asked = [child.story for child, _ in children if child.tally.sentences > TOO_SHORT]
        evaluated += len(asked)
        answers = iter((yield asked) if asked else ())
        for child, prospect in children:
            accuracy = next(answers) if child.tally.sentences > TOO_SHORT else float(not ways.easiest)
            if accuracy is not None:
                cost = 1.0 - accuracy if ways.easiest else accuracy
                entry = (cost + ways.alpha * prospect.miss, cost, prospect.length, next(number), child)
                heapq.heappush(queue, entry)
    return None


def overgenerate(setting: Setting, goal: Goal, *, ways: Ways = PUBLISHED, seed: int = 0) -> Search:
    """The baseline: draw complete stories at random, put as many to the model as the budget allows, keep the worst."""
    check(setting, goal, seed=seed)
    rng = random.Random(seed)
    drawn: dict[Story, None] = {}
    for _ in range(ways.budget):
        node = ending(setting, goal, Node(Story(premises=setting.premises), Tally()), rng)
        if goal.met(node.story, node.tally) and matters(node.story):
            drawn[node.story] = None
    if not drawn:
        return None
    stories = list(drawn)
    accuracies = yield stories
    sign = -1.0 if ways.easiest else 1.0
    ranked = sorted((sign * accuracy, position) for position, accuracy in enumerate(accuracies) if accuracy is not None)
    for cost, position in ranked[:1]:
        return Find(stories[position], sign * cost, len(stories))
    return None


def check(setting: Setting, goal: Goal, *, seed: int = 0) -> None:
    """Refuse a goal that no story can meet, and say which condition stands in the way."""
    reason = goal.impossible(setting)
    if reason is not None:
        raise UsageError(f"no story can meet these conditions: {reason}")
    rng = random.Random(f"check:{seed}")
    lacking: dict[str, int] = {}
    start = Node(Story(premises=setting.premises), Tally())
    for _ in range(TRIES):
        node = ending(setting, goal, start, rng)
        missing = list(goal.missing(node.story, node.tally))
        if not missing:
            return
        for lack in missing:
            name = lack.split(":")[0]
            lacking[name] = lacking.get(name, 0) + 1
    worst = max(lacking, key=lambda name: lacking[name])
    raise UsageError(
        f"none of {TRIES} random stories met these conditions within {goal.sentences} sentences; "
        f"most often lacking ({lacking[worst]} times): {worst}"
    )


def _width(g: float) -> int:
    """How many continuations are tried: the more, the worse the model does here."""
    return 5 if g <= 0.5 else 3 if g <= 0.75 else 1


def _children(
    setting: Setting, goal: Goal, node: Node, ways: Ways, rng: random.Random, width: int
) -> list[tuple[Node, Prospect]]:
    """Continuations worth a try: the nearer to the goal, the likelier; none from which no ending reaches it."""
    drawn: dict[Story, Node] = {}
    for _ in range(ways.draws * width):
        child = node
        for _ in range(ways.step):
            child = _step(setting, goal, child, rng) or child
        if child is not node and not goal.hopeless(child.tally):
            drawn.setdefault(child.story, child)
    candidates = list(drawn.values())
    weights = [_progress(goal, node, child) for child in candidates]
    if not any(weights):
        weights = [1.0] * len(candidates)
    # Drawn without replacement in proportion to the weights (Efraimidis and Spirakis); what leads nowhere is left out.
    keyed = [(rng.random() ** (1.0 / weight), number) for number, weight in enumerate(weights) if weight]
    chosen: list[tuple[Node, Prospect]] = []
    for _, number in sorted(keyed, reverse=True)[: 2 * width]:
        child = candidates[number]
        if len(chosen) < width and matters(child.story):
            prospect = _prospect(setting, goal, child, ways, rng)
            if prospect.miss < 1.0:
                chosen.append((child, prospect))
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


def _prospect(setting: Setting, goal: Goal, node: Node, ways: Ways, rng: random.Random) -> Prospect:
    if goal.met(node.story, node.tally) or not ways.endings:
        return Prospect(0.0, float(node.story.length))
    ends = [ending(setting, goal, node, rng) for _ in range(ways.endings)]
    missed = sum(not goal.met(end.story, end.tally) for end in ends)
    return Prospect(missed / len(ends), sum(end.story.length for end in ends) / len(ends))


def ending(setting: Setting, goal: Goal, node: Node, rng: random.Random) -> Node:
    """One random way to the end: until the goal is met, or out of reach."""
    while not goal.met(node.story, node.tally):
        after = _step(setting, goal, node, rng)
        if after is None or goal.hopeless(after.tally):
            return node
        node = after
    return node


def _step(setting: Setting, goal: Goal, node: Node, rng: random.Random) -> Node | None:
    event = setting.step(node.story, rng)
    if event is None:
        return None
    return Node(node.story.after(event), goal.count(node.tally, event, node.story))
