"""Story: events in order, and what each mind makes of them.

A story never changes: `story.then(event)` is a longer one that shares this one's past. Views are worked out only when
somebody asks for them, and kept; chains of minds that were never told apart share one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from otherminds.errors import InvalidEvent, UsageError
from otherminds.minds.cast import NOBODY_YET
from otherminds.minds.events import Event
from otherminds.minds.notation import read_events, write_event
from otherminds.minds.sightings import NOBODY, Glance, Minds, Saying, Sighting
from otherminds.minds.telling import sentences, told_premises
from otherminds.minds.world import NOTHING, Fact, View, without
from otherminds.showing.brief import Brief, cut, plain
from otherminds.showing.notebook import Shown


@dataclass(frozen=True, slots=True, repr=False)
class Premises(Brief):
    """What holds throughout a story and is known to all."""

    clear: frozenset[str] = NOBODY
    """Containers that can be seen through."""
    distrust: frozenset[tuple[str, str]] = frozenset()
    """(hearer, speaker): the hearer does not believe what this speaker says."""
    fresh: bool = False
    """Nobody is talked out of what they saw more lately than the speaker can have."""


CREDULOUS = Premises()
"""Every container is opaque and everybody believes what they are told."""


class Story(Shown):
    """Events in order; empty to begin with."""

    __slots__ = (
        "_hash",
        "_minds",
        "_past",
        "_quiet",
        "_sightings",
        "_there",
        "_views",
        "cast",
        "event",
        "heard_by",
        "length",
        "missed",
        "premises",
        "world",
    )

    def __init__(self, *, premises: Premises = CREDULOUS) -> None:
        self._past: Story | None = None
        self.event: Event | None = None
        self.premises = premises
        self.cast = NOBODY_YET
        self.world = NOTHING
        self.length = 0
        self._there: dict[str, frozenset[str]] = {}
        self._quiet: dict[str, frozenset[str]] = {}
        self.heard_by: Mapping[str, frozenset[str]] = {}
        """For every topic, who was told of it or overheard it."""
        self.missed = False
        """Whether anybody was ever distracted."""
        self._sightings: tuple[Sighting, ...] = ()  # newest first
        self._minds: dict[str, View] | None = {}  # None: not worked out yet
        self._views: dict[Minds, View] | None = None  # of longer chains, as far as somebody asked
        self._hash = hash(premises)

    @classmethod
    def of(cls, *events: Event, premises: Premises = CREDULOUS) -> Story:
        """The story of these events; the first that cannot happen is refused by its number."""
        story = cls(premises=premises)
        for number, event in enumerate(events, start=1):
            try:
                story = story.then(event)
            except InvalidEvent as error:
                raise InvalidEvent(f"event {number} cannot happen: {error}") from None
        return story

    def __reduce__(self) -> Any:
        # Not by the past, in which a long story would go deeper than Python does.
        return _story_of, (self.premises, self.events)

    @classmethod
    def from_dicts(cls, events: Sequence[Any], *, premises: Premises = CREDULOUS) -> Story:
        """The story of events given as JSON; see `notation.py`."""
        return cls.of(*read_events(events), premises=premises)

    def to_dicts(self) -> list[dict[str, Any]]:
        """The events as JSON."""
        return [write_event(event) for event in self.events]

    # ---- going on ---------------------------------------------------------------------------------------------

    def refusal(self, event: Event) -> str | None:
        """Why this event cannot happen next; None if it can."""
        return self.cast.refusal(event) or event.refusal(self) or event.secrecy_refusal(self)

    def can(self, event: Event) -> bool:
        """Whether this event can happen next."""
        return self.refusal(event) is None

    def then(self, event: Event) -> Story:
        """This story with one more event, or InvalidEvent with the reason."""
        reason = self.refusal(event)
        if reason is not None:
            raise InvalidEvent(reason)
        return self.after(event)

    def after(self, event: Event) -> Story:
        """This story with an event that is known to be possible, as those of `Setting.next` are."""
        new = object.__new__(Story)
        new._past = self
        new.event = event
        new.premises = premises = self.premises
        new.cast = cast = self.cast.after(event)
        new.length = self.length + 1
        new._hash = 0
        new._minds = new._views = None
        new.world, sightings, rooms = event.happen(self)
        new._gather(self, event)
        new.heard_by = heard_by = self.heard_by
        if topic := event.raises():
            new.heard_by = {**heard_by, topic: sightings[0].seen_by | heard_by.get(topic, NOBODY)}
        distracted = event.distracted
        new.missed = self.missed or bool(distracted)
        if premises.clear or premises.fresh or cast.visible is not self.cast.visible:
            # More is in plain view than events can tell apart, it matters when it was last seen, or a property shows
            # from now on, of which somebody may have been told: look everywhere.
            rooms = new._rooms_of(cast.people)
        elif self.missed and self.event is not None and self.event.distracted:
            # Whoever was distracted a moment ago attends again now, wherever the story has gone on.
            rooms = tuple(dict.fromkeys(rooms + new._rooms_of(sorted(self.event.distracted))))
        for room in rooms:
            if present := new._there.get(room):
                sightings += (Glance(present - distracted if distracted else present, present, room, new),)
        new._sightings = sightings[::-1] if len(sightings) > 1 else sightings
        return new

    def _rooms_of(self, people: Iterable[str]) -> tuple[str, ...]:
        """The rooms that these people are in, once each."""
        where = self.world._room
        return tuple(dict.fromkeys([where[person] for person in people if person in where]))

    # ---- asking -----------------------------------------------------------------------------------------------

    def view(self, *minds: str) -> View:
        """What the first of these minds thinks that the second thinks …; with none, the world as it is."""
        if not minds:
            return self.world
        for name in minds:
            if self.cast.roles.get(name) != "person":
                known = f"there are {', '.join(self.people)}" if self.people else "there is nobody yet"
                raise UsageError(f"there is nobody called {name} in this story; {known}")
        # What Anne thinks that Anne thinks is what Anne thinks.
        chain = tuple(name for name, before in zip(minds, (None, *minds), strict=False) if name != before)
        return self.seen_by(chain)

    def seen_by(self, minds: Minds) -> View:
        """The view of a chain without adjacent repeats; of people who are not in the story yet, an empty one."""
        if len(minds) == 1:
            return self._caught_up().get(minds[0], NOTHING)
        if not minds:
            return self.world
        views = self._views
        if views is None:
            views = self._views = {}
        elif minds in views:
            return views[minds]
        view, news = self._news(minds)
        for sighting, past in reversed(news):
            view = sighting.teach(view, minds, past)
        if news and view == (own := self._caught_up().get(minds[0], NOTHING)):
            view = own  # who takes others to think as they do has one view for both
        views[minds] = view
        return view

    @property
    def minds(self) -> Mapping[str, View]:
        """What everybody takes to be so who has seen anything."""
        return self._caught_up()

    def _caught_up(self) -> Mapping[str, View]:
        if self._minds is not None:
            return self._minds
        behind: list[tuple[Story, Story]] = []
        story = self
        while story._minds is None and story._past is not None:
            behind.append((story._past, story))
            story = story._past
        minds = story._minds or {}
        for past, story in reversed(behind):  # not by recursion: stories may be long
            if story._sightings:
                minds = minds.copy()
            for sighting in reversed(story._sightings):
                sighting.spread(minds, past)
            story._minds = minds
        return minds

    def _news(self, minds: Minds, *, all: bool = False) -> tuple[View, list[tuple[Sighting, Story]]]:
        """The last view of these minds that was worked out, and what has reached them since, newest first.

        This is the belief rule: the first of the minds really saw it, and the others are taken to have seen it.
        """
        first, others = minds[0], minds[1:]
        news: list[tuple[Sighting, Story]] = []
        story = self
        while (past := story._past) is not None:
            if not all and story._views is not None and (view := story._views.get(minds)) is not None:
                return view, news
            for sighting in story._sightings:
                if first in sighting.seen_by and sighting.assumed.issuperset(others):
                    news.append((sighting, past))
            story = past
        return NOTHING, news

    def reached(self, minds: Minds) -> list[tuple[Sighting, Story]]:
        """All that has reached these minds, each with the story before it, newest first."""
        return self._news(minds, all=True)[1]

    def last_shown(self, fact: Fact, minds: Minds, *, seen: bool = False) -> int:
        """The number of the last event that told these minds about this property; `seen`: that showed it to them."""
        for sighting, past in self.reached(minds):
            if isinstance(sighting, Saying):
                shown = NOTHING if seen or sighting.speaker == minds[-1] else sighting.learn(NOTHING)
            else:
                shown = sighting.teach(NOTHING, minds, past)
            if shown.knows(fact.of, fact.property):
                return past.length + 1
        return 0

    def last_seen(self, fact: Fact, minds: Minds) -> int:
        """The number of the last event in which these minds saw this property with their own eyes."""
        return self.last_shown(fact, minds, seen=True)

    def before_the_eyes(self, name: str, property: str, minds: Minds) -> bool:
        """Whether these minds saw this property and have all been in the room with it, attending, ever since."""
        if not self.seen_by(minds).knows(name, property):
            return False
        if len(minds) > 1 and not self.before_the_eyes(name, property, minds[:-1]):
            return False
        first, others = minds[0], minds[1:]
        story = self
        while (past := story._past) is not None:
            where = story.world._room
            room = where.get(name)
            if room is None or {*map(where.get, minds)} != {room} or story._misses(first):
                return False
            for sighting in story._sightings:
                if first in sighting.seen_by and sighting.assumed.issuperset(others):
                    shown = NOTHING if isinstance(sighting, Saying) else sighting.teach(NOTHING, minds, past)
                    if shown.knows(name, property):
                        return True
            story = past
        return False

    def _misses(self, person: str) -> bool:
        return self.event is not None and person in self.event.distracted

    def present(self, room: str) -> frozenset[str]:
        """The people who are in a room."""
        return self._there.get(room, NOBODY)

    def quiet(self, person: str, room: str | None = None) -> bool:
        """Whether nobody did anything but come and go in a room (by default where they are) since this person last came
        there or left."""
        return person in self._quiet.get(room or self.world._room.get(person, ""), NOBODY)

    def _gather(self, past: Story, event: Event) -> None:
        """Who is in which room now, and who has seen nothing done there; what is not changed is shared."""
        there, quiet, actor = past._there, past._quiet, event.actor()
        before, after = past.world._room.get(actor), self.world._room.get(actor)
        if before != after and self.cast.roles.get(actor) == "person":
            there, alone = there.copy(), {actor}
            if before is not None:
                there[before] -= alone
            if after is not None:
                there[after] = there.get(after, NOBODY) | alone
        if event.only_goes:
            quiet, alone = quiet.copy(), {actor}
            if before is not None:
                quiet[before] = quiet.get(before, NOBODY) | alone
            if after is not None:
                quiet[after] = quiet.get(after, NOBODY) | alone
        else:
            if before in quiet:
                quiet = without(quiet, before)
            if after in quiet:
                quiet = without(quiet, after)
        self._there = there
        self._quiet = quiet

    @property
    def people(self) -> tuple[str, ...]:
        """Everybody who is part of the story, in order of appearance."""
        return self.cast.people

    @property
    def things(self) -> frozenset[str]:
        """Everything that can be moved."""
        return self.cast.things

    @property
    def events(self) -> tuple[Event, ...]:
        """What happened, in order."""
        return tuple(story.event for story in self.prefixes() if story.event is not None)

    @property
    def text(self) -> str:
        """The story in its canonical words."""
        return self.tell()

    def tell(self, *, seed: int | None = None) -> str:
        """The story in its canonical words; with a seed, reworded."""
        return " ".join([*told_premises(self), *sentences(self, seed=seed)])

    def prefixes(self) -> Iterator[Story]:
        """The story after its first event, after its second, …, whole."""
        line: list[Story] = []
        story: Story | None = self
        while story is not None and story.event is not None:
            line.append(story)
            story = story._past
        return reversed(line)

    def the(self, name: str) -> str:
        """A name with its article, if it takes one."""
        return name if self.cast.roles.get(name) == "person" else f"the {name}"

    def __len__(self) -> int:
        return self.length

    def __repr__(self) -> str:
        return plain(f"<Story of {self.length} events: {cut(self.text, 300)}>")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Story):
            return NotImplemented
        if self.length != other.length or self.premises != other.premises:
            return False
        one: Story | None = self
        two: Story | None = other
        while one is not two and one is not None and two is not None:  # branches soon meet in a past they share
            if one.event != two.event:
                return False
            one, two = one._past, two._past
        return True

    def __hash__(self) -> int:
        line: list[Story] = []
        story: Story | None = self
        while story is not None and not story._hash:
            line.append(story)
            story = story._past
        for story in reversed(line):  # not by recursion: stories may be long
            story._hash = hash((hash(story._past), story.event))
        return self._hash


def _story_of(premises: Premises, events: Sequence[Event]) -> Story:
    return Story.of(*events, premises=premises)
