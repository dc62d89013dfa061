"""A second opinion on belief: possible worlds, written from docs/semantics.md and from nothing else.

The engine replays, for each chain of minds by itself, the sightings that reach that chain. Nothing of the kind is here:
a story is a pointed model (see `possible_worlds`), and every event multiplies it with event models: of what happened,
of each sighting, and of looking round each room. There are no chains and no replay, only worlds and arrows, so the two
programs can hardly share a mistake. That adjacent repeats collapse is not programmed either: it follows, since every
arrow of a person ends in a world where that person's arrow is a loop. Nothing is imported from the package.

Where the definition can be read in two ways, a comment that starts with "Reading:" says which was chosen.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.possible_worlds import OPEN, EventModel, Facts, Point, World, answer
from tests.still_possible import Happened, may_know_too, narrowed, unheeded

Event = Mapping[str, Any]
Premises = Mapping[str, Any]


@dataclass
class Opinion:
    """A pointed model after some events, with what the events have mentioned so far."""

    premises: Premises
    here: World = field(default_factory=lambda: World(Facts()))
    roles: dict[str, str] = field(default_factory=dict)  # "person", "thing", "container"
    visible: dict[str, bool] = field(default_factory=dict)  # of each property that was ever changed
    now: int = 0
    past: list[Happened] = field(default_factory=list)

    @classmethod
    def of(cls, events: Sequence[Event], premises: Premises) -> Opinion:
        opinion = cls(premises)
        for event in events:
            opinion.happen(event)
        return opinion

    def beliefs(self, minds: Sequence[str]) -> dict[str, Any]:
        facts = self.here.through(minds).facts
        return {"room": facts.rooms, "place": facts.places, "state": facts.states, "topics": set(facts.topics)}

    def present(self, room: str | None) -> set[str]:
        """The people in a room of the real world."""
        if room is None:
            return set()
        rooms = self.here.facts.rooms
        return {name for name, where in rooms.items() if where == room and self.roles.get(name) == "person"}

    def trusts(self, hearer: str | None, speaker: str) -> bool:
        return [hearer, speaker] not in self.premises["distrust"]

    def happen(self, event: Event) -> None:
        """Multiply with the event models of what happened, of each sighting, and of looking round every room."""
        self.now += 1
        self.roles = {**self.roles, **dict(roles(event))}
        if event["do"] == "change_state":
            self.visible[event["property"]] = event["visible"]
        real = EventModel(lambda facts, does, world: self.change_world(facts, event), happens="happened")
        before = self.here
        for model in [real, *self.sightings(event)]:
            self.here = model.times(self.here)
        for room in sorted(set(self.here.facts.rooms.values())):
            self.here = self.looking_round(room, event).times(self.here)
        self.past.append(Happened(event, before, self.here))

    # ------------------------------------------------------------------------------------ what happens in the world

    def change_world(self, facts: Facts, event: Event) -> None:
        match event:
            case {"do": "enter_room", "person": person, "room": room}:
                facts.put_in_room(person, room)
            case {"do": "leave_room", "person": person}:
                facts.gone(person)
            case {"do": "location_declaration", "entity": name, "room": room}:
                facts.put_in_room(name, room)
                if self.roles[name] == "thing":
                    facts.places[name] = OPEN
            case {"do": "move_to_container", "person": person, "object": thing, "container": container}:
                facts.put_in_container(thing, container, facts.rooms[person])
            case {"do": "move_to_room", "person": person, "object": thing, "room": room}:
                facts.put_in_room(person, room)
                facts.put_in_room(thing, room)
                facts.places[thing] = OPEN
            case {"do": "change_state", "person": person, "object": thing, "property": key, "value": value}:
                facts.states[thing, key] = value
                if thing not in facts.rooms:
                    facts.rooms[thing], facts.places[thing] = facts.rooms[person], OPEN
            case {"topic": str(topic)}:
                facts.topics |= {topic}

    # ------------------------------------------------------------------------------------------------- who sees what

    def sightings(self, event: Event) -> Iterator[EventModel]:
        """The event models of an event, drawn up from the world before it."""
        match event:
            case {"do": "enter_room", "person": person, "room": room}:
                return self.arriving(event, room, [person], {person})
            case {"do": "location_declaration", "entity": name, "room": room}:
                return self.arriving(event, room, [name], {name} if self.roles[name] == "person" else set())
            case {"do": "move_to_room", "person": person, "object": thing, "room": room}:
                return self.arriving(event, room, [person, thing], {person})
            case {"do": "leave_room", "person": person, "room": room}:
                return iter([self.departure(event, person, self.present(room))])
            case {"do": "move_to_container" | "change_state" | "open"}:
                return iter([self.handling(event)])
            case {"do": "look_inside"}:
                return iter([self.looking(event)])
            case _:
                return iter([self.saying(event)])

    # Worlds of a product get their facts when somebody follows an arrow to them, perhaps some events later. So what
    # follows keeps what it needs of the real world in local names: no postcondition looks at `self.here`.

    def arriving(self, event: Event, room: str, names: list[str], seeing: set[str]) -> Iterator[EventModel]:
        """Departures of all of `names` from where they were, then their arrival; `seeing` of them see it themselves."""
        now, rooms = self.now, self.here.facts.rooms
        things = {name for name in names if self.roles[name] == "thing"}
        for name in names:
            if name in rooms:
                yield self.departure(event, name, self.present(rooms[names[0]]))

        def post(facts: Facts, does: Hashable, world: World) -> None:
            for name in names:
                facts.put_in_room(name, room)
                facts.note(now, name, "room")
            for thing in things:  # Reading: whoever sees a thing placed sees that it lies in the open
                facts.places[thing] = OPEN
                facts.note(now, thing, "container")

        yield EventModel(post, **_witnesses(event, self.present(room) | seeing))

    def departure(self, event: Event, name: str, present: set[str]) -> EventModel:
        def post(facts: Facts, does: Hashable, world: World) -> None:
            facts.gone(name)

        return EventModel(post, **_witnesses(event, present))

    def handling(self, event: Event) -> EventModel:
        """Moving, changing and opening: those present see what is done."""
        now, world_facts = self.now, self.here.facts
        room = world_facts.rooms[event["person"]]
        things = [name for name, role in self.roles.items() if role == "thing"]
        contents = _contents(world_facts, event["container"], things, real=True) if event["do"] == "open" else ()

        def post(facts: Facts, does: Hashable, world: World) -> None:
            match event:
                case {"do": "move_to_container", "object": thing, "container": container}:
                    facts.put_in_container(thing, container, room)
                    facts.note(now, thing, "room", "container")
                    facts.note(now, container, "room")
                case {"do": "change_state", "object": thing, "property": key, "value": value}:
                    facts.in_room(thing, room)
                    facts.states[thing, key] = value
                    facts.note(now, thing, "room", f"state:{key}")
                case {"container": container}:
                    _look(facts, container, contents, now)

        return EventModel(post, **_witnesses(event, self.present(room)))

    def looking(self, event: Event) -> EventModel:
        """One looks; the others see that, and think that what was seen is what they believe to be in there.

        So there is a point for everything that could be in the container, possible in the worlds where just that is in
        it; from there the looker's arrow leads to the point of having seen it.
        """
        now, looker, container = self.now, event["person"], event["container"]
        things = [name for name, role in self.roles.items() if role == "thing"]

        def does(outer: Point, person: str) -> Hashable:
            return outer.given if person == looker else None

        def post(facts: Facts, contents: Any, world: World) -> None:
            _look(facts, container, contents, now)

        return EventModel(
            post,
            **_witnesses(event, self.present(self.here.facts.rooms[looker])),
            does=does,
            find=lambda facts: _contents(facts, container, things, real=False),
            find_really=lambda facts: _contents(facts, container, things, real=True),
        )

    def saying(self, event: Event) -> EventModel:
        """A topic is heard by all; a fact has a point for each way of taking it."""
        now, speaker, told = self.now, event["speaker"], event.get("fact")

        def post_topic(facts: Facts, does: Hashable, world: World) -> None:
            facts.topics |= {event["topic"]}

        if told is None:
            return EventModel(post_topic, **_witnesses(event, self.hearers(event)))
        key = (told["entity"], told["property"])

        def watched(facts: Facts) -> frozenset[str]:
            """The properties at stake that this mind, taken by itself, has had before its eyes since it saw them."""
            return frozenset(each for each in ("room", "container", key[1]) if facts.before_the_eyes(now, key[0], each))

        def find(facts: Facts) -> Hashable:
            return told["property"] == "room" and facts.has(told), watched(facts)

        def does(outer: Point, person: str) -> Hashable:
            """How it is taken, by whom, and what all minds on the way to this one have before their eyes."""
            there, theirs = outer.given
            eyes = frozenset(("room", "container", key[1])) if outer.holder is None else theirs & outer.does[2]
            if person == speaker:
                if outer.holder is None:
                    return "said", person, eyes
                return ("sincere" if self.trusts(outer.holder, speaker) else "heard"), person, eyes
            if key == (person, "room") and not there:
                return "heard", person, eyes  # nobody is talked out of where they are
            return ("believed" if self.trusts(person, speaker) else "heard"), person, eyes

        def post(facts: Facts, does: Any, world: World) -> None:
            how, person, eyes = does
            own, theirs = facts.seen.get(key, 0), world.arrow(speaker).facts.learnt.get(key, 0)
            stale = how == "believed" and self.premises["fresh"] and own > theirs
            if how in ("sincere", "believed") and not stale:
                after = facts.copy()
                after.believe(told)
                lost = [
                    each for each in eyes & watched(facts) if facts.value(key[0], each) != after.value(key[0], each)
                ]
                if not lost:  # words change what one remembers, not what one has before one's eyes
                    facts.believe(told)
            if person != speaker:  # to hear something is to be told of it, believed or not; to say it is not
                facts.learnt[key] = now

        return EventModel(post, **_witnesses(event, self.hearers(event)), does=does, find=find)

    def hearers(self, event: Event) -> set[str]:
        """The openly present at a telling, the speaker among them."""
        if event["do"] == "tell_privately":
            return {event["speaker"], event["listener"]}
        return self.present(self.here.facts.rooms.get(event["speaker"]))

    def looking_round(self, room: str, event: Event) -> EventModel:
        now, real, known = self.now, self.here.facts, self.roles
        looked_at = [name for name in real.rooms if real.rooms[name] == room and self.in_plain_view(name, real, known)]
        visible = [key for key, shown in self.visible.items() if shown]

        def post(facts: Facts, does: Hashable, world: World) -> None:
            for name, where in real.rooms.items():
                if where == room:
                    facts.stay_near(now, name)
            for name in looked_at:
                facts.put_in_room(name, room)
                facts.note(now, name, "room")
                if known[name] == "thing":
                    facts.places[name] = real.places[name]
                    facts.note(now, name, "container")
                    for key in visible:
                        facts.states.pop((name, key), None)
                        if (name, key) in real.states:
                            facts.states[name, key] = real.states[name, key]
                            facts.note(now, name, f"state:{key}")
            # Reading: what the view has in plain view by now, after 1 and 2.
            missed = [
                name
                for name, where in facts.rooms.items()
                if where == room and name not in looked_at and self.in_plain_view(name, facts, known)
            ]
            for name in missed:  # all of them at once: that a container is missed does not save what was seen in it
                facts.gone(name)

        people = self.present(room)
        return EventModel(post, assumed=people, seen_by=people - _named(event, "distracted"))

    def in_plain_view(self, name: str, facts: Facts, known: Mapping[str, str]) -> bool:
        """Whether one who stands in the room where these facts have it would see it."""
        place = facts.places.get(name)
        return known.get(name) != "thing" or place == OPEN or place in self.premises["clear"]

    # ----------------------------------------------------------------------------------------------- what can be asked

    def answer(self, minds: Sequence[str], name: str, key: str, value: str | None = None) -> str | bool | None:
        """What these minds answer (see `possible_worlds.answer`), or "not asked"."""
        found = answer(self.here, minds, name, key, value)
        if not self.past:
            return found
        if found is None and value is None:
            left_open = key in narrowed(self.past, minds, name, self.roles, self.premises["clear"])
        else:
            left_open = unheeded(self.past, minds, name, key, self.premises["distrust"])
        if left_open or may_know_too(self.past, minds, name, key):
            return "not asked"
        if minds[0] in _named(self.past[-1].event, "distracted"):
            room = self.here.facts.rooms.get(minds[0])
            looked = self.here if room is None else self.looking_round(room, {}).times(self.here)
            return found if answer(looked, minds, name, key, value) == found else "not asked"
        return found

    # ------------------------------------------------------------------------------------------- what may happen next

    def possible(self, event: Event) -> bool:
        """Whether the definition lets this event happen now."""
        facts, rooms = self.here.facts, self.here.facts.rooms
        actor = event.get("person", event.get("speaker", event.get("entity")))
        here = rooms.get(actor)
        match event:
            case {"do": "enter_room", "room": room}:
                allowed, openly = here != room, self.present(room)
            case {"do": "leave_room", "room": room}:
                allowed, openly = here == room, self.present(room)
            case {"do": "location_declaration", "entity": name, "room": room}:
                fixed = dict(roles(event))[name] == "container" and name in rooms
                allowed, openly = here != room and not fixed, self.present(room)
            case {"do": "move_to_room", "object": thing, "room": room}:
                allowed, openly = here is not None and rooms.get(thing) == here != room, self.present(room)
            case {"do": "move_to_container", "object": thing, "container": container}:
                near = here is not None and {rooms.get(thing, here), rooms.get(container, here)} == {here}
                allowed, openly = near and facts.places.get(thing) != container, self.present(here)
            case {"do": "change_state", "object": thing, "property": key, "value": value, "visible": visible}:
                near = here is not None and rooms.get(thing, here) == here
                new = facts.states.get((thing, key)) != value and self.visible.get(key, visible) == visible
                allowed, openly = near and new, self.present(here)
            case {"do": "look_inside" | "open", "container": container}:
                allowed, openly = here is not None and rooms.get(container) == here, self.present(here)
            case _:
                allowed, openly = self.sayable(event), self.hearers(event)
        # Reading: a name stands for a person, a thing or a container, and for the same throughout a story.
        known = dict(self.roles)
        if not all(known.setdefault(name, role) == role for name, role in roles(event)):
            return False
        peekers, distracted = _named(event, "peekers"), _named(event, "distracted")
        return allowed and not peekers & openly and distracted <= openly and actor not in peekers | distracted

    def sayable(self, event: Event) -> bool:
        """Whether there is somebody to say it to, and whether what it is about has occurred."""
        told = event.get("fact")
        if len(self.hearers(event)) < 2:
            return False  # Reading: nobody tells themselves anything, in private either
        return told is None or told["entity"] in self.roles


def beliefs(events: Sequence[Event], premises: Premises, minds: Sequence[str]) -> dict[str, Any]:
    """All that is known in a view: rooms, places, states and topics."""
    return Opinion.of(events, premises).beliefs(minds)


def possible(events: Sequence[Event], premises: Premises, event: Event) -> bool:
    """Whether `event` can follow `events`."""
    return Opinion.of(events, premises).possible(event)


def roles(event: Event) -> Iterator[tuple[str, str]]:
    """What the names in an event stand for."""
    yield from ((name, "person") for name in [*event.get("peekers", ()), *event.get("distracted", ())])
    yield from ((event[key], "person") for key in ("person", "speaker", "listener") if key in event)
    yield from ((event[key], role) for key, role in (("object", "thing"), ("container", "container")) if key in event)
    if "entity" in event:
        role = "person" if event.get("is_person") else "container" if event.get("is_container") else "thing"
        yield event["entity"], role
    told = event.get("fact")
    if told is not None and told["property"] != "room":
        yield told["entity"], "thing"
        if told["property"] == "container":
            yield told["value"], "container"


def _named(event: Event, key: str) -> set[str]:
    return set(event.get(key, ()))


def _witnesses(event: Event, openly: set[str]) -> dict[str, Any]:
    seen_by = (openly | _named(event, "peekers")) - _named(event, "distracted")
    return {"assumed": openly, "seen_by": seen_by}


Contents = tuple[str | None, tuple[tuple[str, str], ...]]


def _contents(facts: Facts, container: str, things: Sequence[str], *, real: bool) -> Contents:
    """What these facts say that one would see in a container: its room, and for each thing "in", "out" or "unknown"."""
    room = facts.rooms.get(container)

    def where(thing: str) -> str:
        place, thing_room = facts.places.get(thing), facts.rooms.get(thing)
        if place == container and room is not None:
            return "in"
        elsewhere = place not in (container, None) or (None not in (room, thing_room) and room != thing_room)
        return "out" if real or elsewhere else "unknown"

    return room, tuple((thing, where(thing)) for thing in things)


def _look(facts: Facts, container: str, contents: Any, now: int) -> None:
    """What seeing such contents does to the facts."""
    room, things = contents
    for thing, where in things:
        if where == "in":
            facts.put_in_container(thing, container, room)
            facts.note(now, container, "room")
            facts.note(now, thing, "room", "container")
        elif where == "unknown" or facts.places.get(thing) == container:
            facts.gone(thing)
