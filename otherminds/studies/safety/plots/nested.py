"""FB/HO: what X thinks that Y thinks …, to order four, in pairs that no simpler reading solves.

A plot is drawn at random, then one thing about it is changed: who was there for the move, who overheard the talk, who
missed it. The pair is kept if that changes the right answer and nothing else: the world, every mind by itself and the
same chain without its first or its last mind say the same in both stories, so each of them is right in exactly one.
And they do not all say the same, so that no item can be solved by every reading.

The engine supposes that nobody saw what somebody missed. A reader need not: if X left Y in the room and later hears
that the thing was moved, X has reason to think that Y saw it; and whoever overhears what is said to a room cannot tell
who has come into it since. Plots in which the answer hangs on that are not used.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations, product
from random import Random

from otherminds.errors import InvalidEvent, UsageError
from otherminds.items import Item
from otherminds.minds.events import Enter, Event, Leave, Move, Tell
from otherminds.minds.sightings import Minds
from otherminds.minds.story import Story
from otherminds.minds.world import Fact
from otherminds.studies.safety.plots.names_and_scenes import Draw
from otherminds.studies.safety.plots.scripts import TwinDraft, about, items, opening

ORDERS = (2, 3, 4)
TRIES = 5_000
"""Plots drawn for one pair before giving up; it takes about ten."""

HERE, AWAY, WATCHING, DISTRACTED = "here", "away", "watching", "distracted"
INSIDE, OUTSIDE = (HERE, DISTRACTED), (AWAY, WATCHING)
"""What everybody else takes to have seen an event, and to have missed it."""
PRESENCE = (HERE, AWAY, WATCHING, DISTRACTED)
COMMON = (HERE, HERE, HERE, AWAY, AWAY, WATCHING, DISTRACTED)
"""Parts are drawn from these: a story full of secrets is tedious rather than deep."""


@dataclass(frozen=True, slots=True)
class NestedPlot:
    """A thing is moved, talked about, and perhaps moved back with nobody there; who of the chain takes part in what."""

    moving: tuple[str, ...]
    """For every mind, how they were there for the move."""
    talking: tuple[str, ...]
    """For every mind, how they were there when the mover said where it is; nobody there: nothing was said."""
    listener: int | None
    """Which mind was told in private, if it was; then only who overhears it matters."""
    back: bool

    @property
    def talks(self) -> bool:
        """Whether anything is said at all: in private, or to somebody who is there."""
        return self.listener is not None or bool(set(INSIDE) & set(self.talking))

    @property
    def settled(self) -> bool:
        """Whether the answer is the same whatever one supposes of those who may have seen what somebody missed."""
        pairs = combinations(range(len(self.moving)), 2)
        return not self._eavesdrops and not any(self._wonders(one) and self._might_know(one, two) for one, two in pairs)

    def _told(self, mind: int) -> bool:
        """Whether this mind is openly among those to whom it is said."""
        return mind == self.listener if self.listener is not None else self.talking[mind] in INSIDE

    def _wonders(self, mind: int) -> bool:
        """Whether this mind hears of a move that it missed: in truth, or as the minds before it in the chain think."""
        in_truth = self.moving[mind] in (AWAY, DISTRACTED)
        heard = mind == self.listener or (self.listener is None and self.talking[mind] == HERE)
        heard = heard or (self.talks and self.talking[mind] == WATCHING)
        return (in_truth and heard) or (self.moving[mind] in OUTSIDE and self._told(mind))

    def _might_know(self, mind: int, other: int) -> bool:
        """Whether the other, who is not told before this mind's eyes, was there at a time when it may have happened."""
        there = self.moving[mind] == DISTRACTED or self.moving[other] in INSIDE
        return there and not self._told(other)

    @property
    def _eavesdrops(self) -> bool:
        """Whether the first mind overhears what is said to a room into which somebody has come since."""
        if self.listener is not None or self.talking[0] != WATCHING:
            return False
        return any(was in OUTSIDE and part in INSIDE for was, part in zip(self.moving, self.talking, strict=True))


def thought(index: int, seed: int) -> list[Item]:
    """FB/HO: where X thinks that Y (thinks that Z …) will look."""
    order = ORDERS[index % len(ORDERS)]
    draw = Draw.of(f"{seed}:nested:{index}")
    minds, mover = draw.people[:order], draw.people[4]
    thing, (first, second) = draw.things[0], draw.containers[:2]
    scene = opening(draw.scene.room, draw.rng.sample((mover, *minds), order + 1), draw.rng.sample((first, second), 2))
    twins = _pair(Story.of(*scene, Move(mover, thing, first)), draw, minds)
    who = "".join(f" that {name} thinks" for name in minds[1:-1])
    drafts = []
    for name, story in twins.items():
        value, real, own = (
            f"the {view.get(thing, 'container')}" for view in (story.view(*minds), story.view(), story.view(minds[-1]))
        )
        names = {"x": minds[0], "who": who, "y": minds[-1], "o": thing, "value": value.removeprefix("the ")}
        names["other"] = second if value == f"the {first}" else first
        tags = {"order": order, "false_belief": value != real}
        meta = {**about(thing, *minds), "reality": real, "first_order": own, "first_place": f"the {first}"}
        drafts.append(TwinDraft.of("thought", name, story, names, tags=tags, meta=meta))
    return items("FB/HO", f"fb-ho-{index:04d}", drafts, draw, family=f"order {order}")


def simpler(minds: Minds) -> list[Minds]:
    """The readings that must not solve an item: the world, single minds, and the chain without one of its ends."""
    return list(dict.fromkeys([(), *((mind,) for mind in minds), minds[1:], minds[:-1]]))


def _pair(start: Story, draw: Draw, minds: Minds) -> dict[str, Story]:
    """Two stories that differ in one mind's part in one event, each under the name of that part."""
    thing, places = draw.things[0], set(draw.containers[:2])
    moved: dict[tuple[str, ...], Story] = {}

    def make(plot: NestedPlot) -> Story | None:
        if plot.moving not in moved:
            event = Move(draw.people[4], thing, draw.containers[1])
            moved[plot.moving] = _part(start, draw.scene.room, minds, plot.moving, event)
        return _story(moved[plot.moving], plot, draw, minds)

    def values(story: Story, chains: list[Minds]) -> list[str | None]:
        return [story.view(*chain).get(thing, "container") for chain in chains]

    for _ in range(TRIES):
        plot = _plot(draw.rng, len(minds))
        story = make(plot) if plot.settled else None
        if story is None or set(readings := values(story, simpler(minds))) != places:
            continue
        (right,) = values(story, [minds])
        for name, other_name, changed in _changes(plot, draw.rng):
            other = make(changed)
            if other is None or {right, *values(other, [minds])} != places:
                continue
            if values(other, simpler(minds)) == readings:
                return {name: story, other_name: other}
    raise UsageError(f"no pair of stories of order {len(minds)} was found in {TRIES} tries; use another seed")


def _plot(rng: Random, order: int) -> NestedPlot:
    moving, talking = (tuple(rng.choice(COMMON) for _ in range(order)) for _ in range(2))
    return NestedPlot(moving, talking, rng.randrange(order) if rng.random() < 0.6 else None, rng.random() < 0.5)


def _changes(plot: NestedPlot, rng: Random) -> list[tuple[str, str, NestedPlot]]:
    """Every plot with one part changed, in random order, with what that part was and is."""
    found = []
    for name, short in (("moving", "move"), ("talking", "talk")):
        parts: tuple[str, ...] = getattr(plot, name)
        for where, part in product(range(len(parts)), PRESENCE):
            if part != parts[where]:
                new = (*parts[:where], part, *parts[where + 1 :])
                changed = replace(plot, moving=new) if name == "moving" else replace(plot, talking=new)
                found.append((f"{short}-{parts[where]}", f"{short}-{part}", changed))
    rng.shuffle(found)
    if plot.listener is not None:
        # Tried first, since it seldom is the only thing that changes the answer, and word of mouth is what it is about.
        found.insert(0, ("talk-private", "talk-open", replace(plot, listener=None)))
    return [change for change in found if change[2].talks == plot.talks and change[2].settled]


def _story(story: Story, plot: NestedPlot, draw: Draw, minds: Minds) -> Story | None:
    """How a plot goes on after the move, or None where that cannot happen or tells nobody anything."""
    room, mover, thing = draw.scene.room, draw.people[4], draw.things[0]
    first, second = draw.containers[:2]
    fact = Fact(thing, "container", second)
    try:
        if plot.listener is not None:
            listener = minds[plot.listener]
            over = {mind for mind, part in zip(minds, plot.talking, strict=True) if part == WATCHING} - {listener}
            story = story.then(Tell(mover, listener, fact=fact, peekers=frozenset(over)))
        elif plot.talks:
            story = _part(story, room, minds, plot.talking, Tell(mover, fact=fact))
        if plot.back:
            story = _part(story, room, minds, (AWAY,) * len(minds), Move(mover, thing, first))
    except InvalidEvent:
        return None
    return story


def _part(story: Story, room: str, minds: Minds, parts: tuple[str, ...], event: Event) -> Story:
    """The story with this event and everybody's part in it, after all who must have come or gone."""
    for mind, part in zip(minds, parts, strict=True):
        if part in (AWAY, WATCHING) and mind in story.present(room):
            story = story.then(Leave(mind, room))
    for mind, part in zip(minds, parts, strict=True):
        if part in (HERE, DISTRACTED) and mind not in story.present(room):
            story = story.then(Enter(mind, room))
    by_part = {
        part: frozenset(mind for mind, own in zip(minds, parts, strict=True) if own == part) for part in PRESENCE
    }
    return story.then(replace(event, peekers=by_part[WATCHING], distracted=by_part[DISTRACTED]))
