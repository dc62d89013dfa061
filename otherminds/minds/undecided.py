"""Undecided: which questions the words of a story leave open, so that no answer is given.

Minds that lost a thing do not know where it is, unless what they saw leaves one place; minds that find it moved do not
know who saw it move; and nobody says whether those who pay no attention to a speaker notice what others hear. The
definition is in docs/semantics.md, under "What is still possible".
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from otherminds.minds.events.looking import Inspection, Look
from otherminds.minds.events.speech import Tell
from otherminds.minds.sightings import PLACE, Minds
from otherminds.minds.story import Story
from otherminds.minds.world import NOTHING, OPEN, View

if TYPE_CHECKING:
    from otherminds.minds.questions import Matter

Spot = tuple[str | None, str]
"""Where a thing can be: a room, and a container or OPEN."""


class Undecided:
    """What a story leaves open."""

    __slots__ = ("_histories", "_narrowings", "_parts", "_spots", "_story")

    def __init__(self, story: Story) -> None:
        self._story = story
        self._parts = (Story(premises=story.premises), *story.prefixes())
        self._histories: dict[Minds, dict[int, View]] = {}
        self._narrowings: dict[tuple[str, Minds], set[str]] = {}
        roles, rooms = story.cast.roles, story.world._room
        self._spots: set[Spot] = {(name, OPEN) for name, role in roles.items() if role == "room"}
        self._spots |= {(rooms.get(name), name) for name, role in roles.items() if role == "container"}

    def open(self, matter: Matter, values: Mapping[Minds, str | None]) -> set[Minds]:
        """The chains of minds for which more than one answer is possible, or the only possible one is not theirs."""
        kind, found = matter.kind, set[Minds]()
        place, distrust = kind in PLACE, self._story.premises.distrust
        if kind == "topic" and not distrust:
            return found
        guessing: set[Minds] = set()  # chains with a mind that cannot know what the next may know
        for minds, value in values.items():  # shorter ones first
            if value is None and place:
                if kind in self._narrowed(matter.about, minds):
                    found.add(minds)
            elif distrust and self._is_ignored(matter, minds):
                found.add(minds)
            if len(minds) < 2 or kind == "topic":
                continue
            some = minds[:-1]
            if some not in guessing:
                # Of a place, "unknown" is what one cannot tell; who has no view of a state is not asked for theirs.
                if value == values[some] or (value is None if place else values[minds[:1]] is None):
                    continue
                if not self._found_out(matter, some):
                    continue
            guessing.add(minds)
        return found | guessing

    def _views(self, minds: Minds) -> dict[int, View]:
        """What these minds had after each event that told them anything, by the number of the event."""
        views = self._histories.get(minds)
        if views is None:
            views, view = self._histories.setdefault(minds, {}), NOTHING
            for sighting, past in reversed(self._story.reached(minds)):
                view = views[past.length] = sighting.teach(view, minds, past)
        return views

    def _turn(self, matter: Matter, minds: Minds) -> tuple[Story, Story] | None:
        """The story before and after the last event that gave these minds another value, or took theirs."""
        number, value = None, None
        for each, view in self._views(minds).items():
            if (now := matter.value(view)) != value:
                number, value = each, now
        return None if number is None else (self._parts[number], self._parts[number + 1])

    def _is_ignored(self, matter: Matter, minds: Minds) -> bool:
        """Whether these minds have it from words to which one of them pays no attention."""
        turn = self._turn(matter, minds)
        event = turn[1].event if turn is not None else None
        distrust = self._story.premises.distrust
        return isinstance(event, Tell) and any((name, event.speaker) in distrust for name in minds)

    def _found_out(self, matter: Matter, minds: Minds) -> bool:
        """Whether these minds learnt of a change that they did not see: so who was there?"""
        turn = self._turn(matter, minds)
        if turn is None or matter.value(turn[0].world) != matter.value(turn[1].world):
            return False
        # That words about a place prove no move, the first sentences of the story say.
        return matter.kind == "state" or not isinstance(turn[1].event, Tell)

    def _narrowed(self, thing: str, minds: Minds) -> set[str]:
        """Of PLACE, what was narrowed down to one for these minds since they last had it, if they ever had."""
        if (thing, minds) in self._narrowings:
            return self._narrowings[thing, minds]
        found: set[str] = set()
        spots: set[Spot] = set()
        agree, views = self._spots, self._views(minds)
        has: tuple[str | None, str | None] = (None, None)
        for number, (past, part) in enumerate(pairwise(self._parts)):
            had, view = has, views.get(number)
            if view is not None:
                has = view._room.get(thing), view._held.get(thing)
            if None not in has:
                spots, found = set(), set()
                continue
            if has != had:
                agree = {spot for spot in self._spots if all(a in (None, b) for a, b in zip(has, spot, strict=True))}
                spots = spots & agree or agree
                found = {kind for kind, value in zip(PLACE, has, strict=True) if kind in found and value is None}
            left = past.world._room.get(thing)
            if left is not None and left != part.world._room.get(thing) and _reaches(past.present(left), minds, part):
                spots = {(room, place) for room, place in self._spots if place == OPEN and room != left}
            if spots:
                seen = _looked_at(minds, past, part)
                spots = spots - seen or agree - seen
                remaining = zip(PLACE, has, zip(*spots, strict=True), strict=False)
                found |= {kind for kind, value, each in remaining if value is None and len({*each}) == 1}
        self._narrowings[thing, minds] = found
        return found


def _reaches(scene: frozenset[str], minds: Minds, story: Story) -> bool:
    """Whether what those in the scene of the last event openly saw reaches these minds."""
    event = story.event
    seen_by = (scene | event.peekers) - event.distracted if event is not None else scene
    return minds[0] in seen_by and scene.issuperset(minds[1:])


def _looked_at(minds: Minds, past: Story, story: Story) -> set[Spot]:
    """The spots at which these minds looked during the last event and after it."""
    event, rooms, seen = story.event, story.world._room, set[Spot]()
    where = {rooms.get(name) for name in minds}
    if len(where) == 1 and None not in where and not story._misses(minds[0]):
        seen = {(room, place) for room in where for place in (OPEN, *story.premises.clear)}
    if not isinstance(event, Inspection) or not _reaches(event.scene(past), minds, story):
        return seen
    inside = {(rooms.get(event.container), event.container)}
    return seen | inside if minds[-1] == event.person or not isinstance(event, Look) else seen
