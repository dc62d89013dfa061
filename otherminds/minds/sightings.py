"""Sightings: what an event brings to light, whom it reaches, and what it does to a mind.

A sighting has `seen_by` (who really saw it: those present and the secret peekers, less the distracted) and `assumed`
(those present, whom everybody takes to have seen it). It reaches `minds` (Anne, Bob, …: what Anne thinks Bob thinks …)
when the first of them is in `seen_by` and all the others are in `assumed`. That one rule is the whole of nested belief.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise, product
from typing import TYPE_CHECKING

from otherminds.minds.world import OPEN, Fact, Glimpse, View

if TYPE_CHECKING:
    from otherminds.minds.story import Story

Minds = tuple[str, ...]
NOBODY: frozenset[str] = frozenset()


def chains_of(people: Iterable[str], order: int) -> list[Minds]:
    """All minds of exactly this order in which nobody follows themselves."""
    return [minds for minds in product(people, repeat=order) if all(a != b for a, b in pairwise(minds))]


class Sighting:
    """Something brought to light: who saw it, who is taken to have seen it, and what it does to a mind's view."""

    __slots__ = ("_after", "assumed", "seen_by")

    def __init__(self, seen_by: frozenset[str], assumed: frozenset[str]) -> None:
        self.seen_by = seen_by
        self.assumed = assumed
        self._after: dict[int, tuple[View, View]] | None = None  # made when somebody first asks

    def learn(self, view: View) -> View:
        """The view of one who takes it in."""
        raise NotImplementedError

    def teach(self, view: View, minds: Minds, past: Story) -> View:
        """The view of these minds after it; minds that shared a view before go on sharing one, or come to share it."""
        after = self._after
        if after is None:
            after = self._after = {}
        known = after.get(id(view))
        if known is None:
            learned = self.learn(view)
            for _, other in after.values():
                if other == learned:  # told apart once, they are of one mind again
                    learned = other
                    break
            # The old view is kept beside the new one, so that its id cannot be given to another.
            known = after[id(view)] = (view, learned)
        return known[1]


class Shown(Sighting):
    """Something that happens before one's eyes."""

    __slots__ = ("_facts",)

    def __init__(self, seen_by: frozenset[str], assumed: frozenset[str], facts: Callable[[View], View]) -> None:
        self.seen_by, self.assumed, self._after = seen_by, assumed, None
        self._facts = facts

    def learn(self, view: View) -> View:
        return self._facts(view)


class Saying(Sighting):
    """A fact put into words: what it does depends on whose mind it is, and on trust."""

    __slots__ = ("fact", "speaker")

    def __init__(self, seen_by: frozenset[str], assumed: frozenset[str], speaker: str, fact: Fact) -> None:
        super().__init__(seen_by, assumed)
        self.speaker = speaker
        self.fact = fact

    def learn(self, view: View) -> View:
        return view.told(self.fact)

    def teach(self, view: View, minds: Minds, past: Story) -> View:
        after = self._taken(view, minds, past)
        return view if after is not view and self.denies_eyes(view, after, minds, past) else after

    def _taken(self, view: View, minds: Minds, past: Story) -> View:
        """The view of these minds if nothing of it lies before their eyes."""
        hearer, speaker, fact = minds[-1], self.speaker, self.fact
        if hearer == speaker:
            if len(minds) == 1:
                return view  # saying something does not make one believe it
            sincere = (minds[-2], speaker) not in past.premises.distrust
            return super().teach(view, minds, past) if sincere else view.without(fact.of, fact.property)
        if fact.of == hearer and fact.property == "room" and past.seen_by(minds[:-1]).get(hearer, "room") != fact.value:
            return view  # everybody knows best where they are, and others know that
        if (hearer, speaker) in past.premises.distrust:
            return view
        if past.premises.fresh and past.last_seen(fact, minds) > past.last_shown(fact, (*minds, speaker)):
            return view
        return super().teach(view, minds, past)

    def denies_eyes(self, view: View, after: View, minds: Minds, past: Story) -> bool:
        """Whether it would change what these minds have had before their eyes ever since they saw it."""
        name = self.fact.of
        return any(
            view.value(name, property) not in (None, after.value(name, property))
            and past.before_the_eyes(name, property, minds)
            for property in {"room", "container", self.fact.property}
        )


class Looking(Sighting):
    """Somebody looks into a container: others know that they looked, and think that they saw what should be there."""

    __slots__ = ("container", "looker")

    def __init__(self, seen_by: frozenset[str], assumed: frozenset[str], looker: str, container: str) -> None:
        super().__init__(seen_by, assumed)
        self.looker = looker
        self.container = container

    def teach(self, view: View, minds: Minds, past: Story) -> View:
        if minds[-1] != self.looker:
            return view
        outside = past.seen_by(minds[:-1])
        return look_into(view, self.container, outside, past, certain=len(minds) == 1)


def look_into(view: View, container: str, outside: View, past: Story, *, certain: bool) -> View:
    """The view of one who looks into a container, when what is in it is taken from another view.

    `certain`: that other view is the world, so what it does not place in the container is not there. A mere mind may
    not know; then it cannot say either what the looker now thinks.
    """
    room = outside._room.get(container)
    for thing in past.things:
        place = outside._held.get(thing)
        if place == container and room is not None:
            view = view.placed(thing, room, container)
            continue
        elsewhere = place not in (None, container) or (room and outside._room.get(thing, room) != room)
        if not (certain or elsewhere) or view._held.get(thing) == container:
            view = view.gone(thing)
    return view


class Glance(Sighting):
    """Everybody in a room looks round it, in common."""

    __slots__ = ("_cast", "_clear", "_glimpse", "_room", "_world")

    def __init__(self, seen_by: frozenset[str], assumed: frozenset[str], room: str, story: Story) -> None:
        self.seen_by, self.assumed, self._after = seen_by, assumed, None
        # Not the story itself: the two would hold each other, and only the garbage collector could part them.
        self._room, self._world, self._cast, self._clear = room, story.world, story.cast, story.premises.clear
        self._glimpse: Glimpse | None = None

    def learn(self, view: View) -> View:
        if self._glimpse is None:
            self._glimpse = self._look()
        return view.glanced(self._glimpse)

    def _look(self) -> Glimpse:
        """What is in plain view in the room."""
        world, clear, cast = self._world, self._clear, self._cast
        here = {name: room for name, room in world._room.items() if room == self._room}
        held = {}
        for thing, place in world._held.items():
            if place != OPEN and place not in clear:
                here.pop(thing, None)
            elif thing in here:
                held[thing] = place
        if not cast.visible:
            return Glimpse(self._room, here, held, {}, NOBODY, clear, cast.things)
        visible = frozenset([property for property, can_be_seen in cast.visible.items() if can_be_seen])
        states = {key: value for key, value in world._state.items() if key[0] in held and key[1] in visible}
        return Glimpse(self._room, here, held, states, visible, clear, cast.things)
