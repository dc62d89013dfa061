"""Sightings: what an event brings to light, whom it reaches, and what it does to a mind.

A sighting has `seen_by` (who really saw it: those present and the secret peekers, less the distracted) and `assumed`
(those present, whom everybody takes to have seen it). It reaches `minds` (Anne, Bob, …: what Anne thinks Bob thinks …)
when the first of them is in `seen_by` and all the others are in `assumed`. That one rule is the whole of nested belief.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise, product
from typing import TYPE_CHECKING

from otherminds.minds.world import NOTHING, OPEN, Fact, View

if TYPE_CHECKING:
    from otherminds.minds.story import Story

Minds = tuple[str, ...]
NOBODY: frozenset[str] = frozenset()
PLACE = ("room", "container")
"""Properties of which a word about one may change the other, too."""


def chains_of(people: Iterable[str], order: int) -> list[Minds]:
    """All minds of exactly this order in which nobody follows themselves."""
    return [minds for minds in product(people, repeat=order) if all(a != b for a, b in pairwise(minds))]


class Sighting:
    """Something brought to light: who saw it, who is taken to have seen it, and what it does to a mind's view."""

    __slots__ = ("_after", "assumed", "seen_by")

    learn: Callable[[View], View]
    """The view of one who takes it in."""

    def __init__(self, seen_by: frozenset[str], assumed: frozenset[str]) -> None:
        self.seen_by = seen_by
        self.assumed = assumed
        self._after: dict[int, tuple[View, View]] | None = None  # made when somebody first asks

    def teach(self, view: View, minds: Minds, past: Story) -> View:
        """The view of these minds after it; minds that shared a view before go on sharing one."""
        after = self._after
        if after is None:
            after = self._after = {}
        known = after.get(id(view))
        if known is None:
            # The old view is kept beside the new one, so that its id cannot be given to another.
            known = after[id(view)] = view, self.learn(view)
        return known[1]

    def spread(self, views: dict[str, View], past: Story) -> None:
        """Teach it to everybody who saw it, given the view that each of them has."""
        learn = self.learn
        for person in self.seen_by:
            views[person] = learn(views.get(person, NOTHING))


class Personal(Sighting):
    """Something that depends on whose mind it reaches."""

    __slots__ = ()

    def spread(self, views: dict[str, View], past: Story) -> None:
        for person in self.seen_by:
            views[person] = self.teach(views.get(person, NOTHING), (person,), past)


class ShownPart(Sighting):
    """Something that happens before one's eyes."""

    __slots__ = ("learn",)

    def __init__(self, seen_by: frozenset[str], assumed: frozenset[str], learn: Callable[[View], View]) -> None:
        self.seen_by, self.assumed, self._after = seen_by, assumed, None
        self.learn = learn


class Saying(Personal):
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
            ignored = (minds[-2], speaker) in past.premises.distrust
            return view if ignored else super().teach(view, minds, past)
        if fact.of == hearer and fact.property == "room" and past.seen_by(minds[:-1]).get(hearer, "room") != fact.value:
            return view  # everybody knows best where they are, and others know that
        if (hearer, speaker) in past.premises.distrust:
            return view
        if past.premises.fresh and past.last_seen(fact, minds) > past.last_shown(fact, (*minds, speaker)):
            return view
        return super().teach(view, minds, past)

    def denies_eyes(self, view: View, after: View, minds: Minds, past: Story) -> bool:
        """Whether it would change what these minds have had before their eyes ever since they saw it."""
        name, told, _ = self.fact
        for property in PLACE if told in PLACE else (told,):
            known = view.value(name, property)
            changes = known is not None and known != after.value(name, property)
            if changes and past.before_the_eyes(name, property, minds):
                return True
        return False


class Looking(Personal):
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
    """Everybody in a room looks round it, in common, and sees all that is in plain view, and thereby what is not."""

    __slots__ = ("_cast", "_clear", "_here", "_in_view", "_room", "_states", "_visible", "_world")

    def __init__(self, seen_by: frozenset[str], assumed: frozenset[str], room: str, story: Story) -> None:
        self.seen_by, self.assumed, self._after = seen_by, assumed, None
        # Not the story itself: the two would hold each other, and only the garbage collector could part them.
        self._room, self._world = room, story.world
        self._cast, self._clear = story.cast, story.premises.clear
        self._here: dict[str, str] | None = None

    def learn(self, view: View) -> View:
        """The view of one who looks: what is in plain view is there; what was thought to be in plain view is not."""
        if (here := self._here) is None:
            here = self._look_round()
        room, in_view, before, held, state = self._room, self._in_view, view._room, view._held, view._state
        if in_view and not in_view.items() <= held.items():
            held = held | in_view
        rooms = before | here
        if rooms == before:
            rooms = before
        else:
            for thing, place in held.items():
                if place in here and before.get(place) != room:
                    rooms[thing] = room
        if self._visible:
            state = self._seen(state)
        if rooms is not before or held is not view._held or state is not view._state:
            view = View(rooms, held, state, view._heard)
        if list(rooms.values()).count(room) == len(here):
            return view  # nothing else is thought to be in this room
        # A thing that was only said to be in this room may be in some container here: not seeing it proves nothing.
        for name in [name for name, place in rooms.items() if place == room and name not in here]:
            held_by = held.get(name)
            if name not in self._cast.things or held_by == OPEN or held_by in self._clear:
                view = view.gone(name)
        return view

    def _look_round(self) -> dict[str, str]:
        """Find what is in plain view: whatever is in the room, where things lie, and their states that can be seen."""
        world, clear = self._world, self._clear
        held: dict[str, str] = {}
        self._here = here = {name: room for name, room in world._room.items() if room == self._room}
        for thing, place in world._held.items():
            if place != OPEN and place not in clear:
                here.pop(thing, None)
            elif thing in here:
                held[thing] = place
        visible = self._cast.visible
        self._in_view = held
        self._visible = frozenset(filter(visible.get, visible)) if visible else NOBODY
        return here

    def _seen(self, state: dict[tuple[str, str], str]) -> dict[tuple[str, str], str]:
        """The states of things, with those that are in plain view."""
        in_view, visible = self._in_view, self._visible
        shown = {key: value for key, value in self._world._state.items() if key[0] in in_view and key[1] in visible}
        seen = {key: value for key, value in state.items() if key[0] in in_view and key[1] in visible}
        if seen == shown:
            return state
        return {key: value for key, value in state.items() if key not in seen} | shown
