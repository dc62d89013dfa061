"""Plots: what happens in a training story, as beats; the words come later, and the answers from the belief engine.

Two plots. In *wander*, people come and go and move things from container to container. In *leaving*, all gather in one
room, move a thing or do nothing, leave one by one, and may then talk about it elsewhere; that for one or more rounds.

A thing that "is in the box" at the beginning is put there, as far as the engine is concerned, by somebody who is
present: all who are there see it, and nobody else does.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from otherminds.minds.events import Enter, Event, Leave, Move, Tell
from otherminds.minds.story import Premises, Story
from otherminds.minds.world import Fact
from otherminds.training import words


@dataclass(frozen=True, slots=True)
class Beat:
    """One line of a story: what is told, and the events that it stands for; a line of noise stands for none."""

    kind: str
    """enter, leave, lie (a thing is somewhere), move, idle, noise, tell (to one), claim (to all)."""
    who: tuple[str, ...] = ()
    what: str = ""
    where: str = ""
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Size:
    """How large stories are drawn: least and most."""

    people: tuple[int, int] = (2, 7)
    beats: tuple[int, int] = (2, 14)
    """After all is set up; in *leaving*, that follows from the people and the rounds."""
    rounds: tuple[int, int] = (1, 3)


@dataclass(frozen=True, slots=True)
class StoryPlot:
    """Beats, and what there is in them."""

    name: str
    beats: tuple[Beat, ...]
    people: tuple[str, ...]
    things: tuple[str, ...]
    containers: tuple[str, ...]
    rooms: tuple[str, ...]

    @property
    def events(self) -> tuple[Event, ...]:
        """What happens, without the noise."""
        return tuple(event for beat in self.beats for event in beat.events)

    @property
    def talks(self) -> bool:
        """Whether anybody tells anybody anything."""
        return any(beat.kind in ("tell", "claim") for beat in self.beats)

    def story(self, *, clear: bool, fresh: bool) -> Story:
        """The events with containers that are open or closed to the eye, and with trust in fresher eyes or in all."""
        held = frozenset(self.containers) if clear else frozenset()
        story = Story(premises=Premises(clear=held, fresh=fresh))
        for event in self.events:
            story = story.then(event)
        return story


class PlotStage:
    """Where everybody and everything is while a plot is drawn."""

    def __init__(self, rng: random.Random, *, people: int, rooms: int, compound: bool) -> None:
        self.rng = rng
        self.taken: set[str] = set()
        self.people = words.draw(rng, words.NAMES, people, self.taken)
        self.rooms = words.draw(rng, words.ROOMS, rooms, self.taken)
        self.compound = compound
        self.holders: dict[str, list[str]] = {}
        self.where: dict[str, str] = {}
        self.held: dict[str, str] = {}
        self.room_of: dict[str, str] = {}
        self.beats: list[Beat] = []

    def furnish(self, room: str, number: int) -> None:
        """Give a room its containers."""
        self.holders[room] = words.containers(self.rng, number, self.taken, compound=self.compound)

    def new_thing(self, room: str) -> str:
        """A thing that will be in this room."""
        (thing,) = words.draw(self.rng, words.THINGS, 1, self.taken)
        self.room_of[thing] = room
        return thing

    def present(self, room: str) -> list[str]:
        """Who is in a room."""
        return [person for person in self.people if self.where.get(person) == room]

    def enter(self, people: Sequence[str], room: str) -> None:
        """These come in, told in one sentence; whoever was elsewhere has left before."""
        for person in people:
            self.where[person] = room
        self.beats.append(Beat("enter", tuple(people), "", room, tuple(Enter(person, room) for person in people)))

    def leave(self, person: str) -> None:
        """Somebody goes."""
        room = self.where.pop(person)
        self.beats.append(Beat("leave", (person,), "", room, (Leave(person, room),)))

    def lie(self, thing: str, container: str) -> None:
        """A thing is somewhere, in sight of those who are there."""
        self.held[thing] = container
        seer = self.present(self.room_of[thing])[0]
        self.beats.append(Beat("lie", (), thing, container, (Move(seer, thing, container),)))

    def move(self, person: str, thing: str, container: str) -> None:
        """Somebody puts a thing elsewhere."""
        self.held[thing] = container
        self.beats.append(Beat("move", (person,), thing, container, (Move(person, thing, container),)))

    def idle(self, person: str) -> None:
        """Somebody does nothing."""
        self.beats.append(Beat("idle", (person,), "", self.where[person]))

    def noise(self) -> None:
        """Something that does not matter: what somebody likes or dislikes."""
        stock = self.rng.choice((words.THINGS, words.ROOMS))
        what = self.rng.choice([word for word in self.rng.sample(stock, 3) if word not in self.room_of])
        self.beats.append(Beat("noise", (self.rng.choice(self.people),), what))

    def plot(self, name: str) -> StoryPlot:
        """What has been drawn."""
        named = [container for room in self.holders for container in self.holders[room]]
        told = {beat.where for beat in self.beats}
        return StoryPlot(
            name,
            tuple(self.beats),
            tuple(self.people),
            tuple(self.room_of),
            tuple(container for container in named if container in told),
            tuple(self.rooms),
        )


def wander(rng: random.Random, size: Size) -> StoryPlot:
    """People come and go, and move things."""
    people = min(rng.randint(*size.people), rng.randint(*size.people))
    stage = PlotStage(rng, people=max(2, people), rooms=rng.choice((1, 2, 2, 3)), compound=rng.random() < 0.6)
    main = stage.rooms[0]
    for room in stage.rooms[: rng.choice((1, 1, 2))]:
        stage.furnish(room, rng.choice((2, 2, 3, 4)))
    noise = rng.choice((0.0, 0.0, 0.1, 0.25))
    active = stage.people[: max(2, len(stage.people) - (rng.random() < 0.3))]  # the last may never come in
    first = rng.sample(active, rng.randint(1, len(active)))
    _gather(stage, first, main, noise)
    stage.lie(stage.new_thing(main), rng.choice(stage.holders[main]))
    if rng.random() < 0.15:
        stage.lie(stage.new_thing(main), rng.choice(stage.holders[main]))
    for _ in range(rng.randint(*size.beats)):
        if rng.random() < noise:
            stage.noise()
        _happen(stage, active)
    if not any(beat.kind == "move" for beat in stage.beats):
        _move(stage, active)
    return stage.plot("wander")


def _gather(stage: PlotStage, people: Sequence[str], room: str, noise: float) -> None:
    """All come into a room, in one sentence, or in some, with noise between them."""
    left = list(people)
    together = stage.rng.random() < 0.35
    while left:
        count = len(left) if together else stage.rng.choice((1, 1, 1, 2))
        stage.enter(left[:count], room)
        del left[:count]
        if stage.rng.random() < noise:
            stage.noise()


def _happen(stage: PlotStage, active: Sequence[str]) -> None:
    """One thing that can happen now."""
    rng = stage.rng
    inside = [person for person in active if person in stage.where]
    outside = [person for person in active if person not in stage.where]
    draw = rng.random()
    if draw < 0.38:
        _move(stage, active)
    elif draw < 0.66 and inside:
        person = rng.choice(inside)
        stage.leave(person)
        if len(stage.rooms) > 1 and rng.random() < 0.2:
            stage.enter((person,), rng.choice(stage.rooms))
    elif draw < 0.95 and outside:
        # Mostly to where things are: there it tells what one has missed.
        room = stage.rooms[0] if rng.random() < 0.7 else rng.choice(stage.rooms)
        stage.enter((rng.choice(outside),), room)
    elif inside:
        stage.idle(rng.choice(inside))


def _move(stage: PlotStage, active: Sequence[str]) -> None:
    rng = stage.rng
    thing = rng.choice(list(stage.held))
    room = stage.room_of[thing]
    movers = stage.present(room)
    if not movers:
        person = rng.choice(active)
        if person in stage.where:
            stage.leave(person)
        stage.enter((person,), room)
        movers = [person]
    places = [place for place in stage.holders[room] if place != stage.held[thing]]
    stage.move(rng.choice(movers), thing, rng.choice(places))


def leaving(rng: random.Random, size: Size) -> StoryPlot:
    """All gather, move a thing or do nothing, leave one by one, and may talk about it; one round or more."""
    people = max(2, max(rng.randint(*size.people), rng.randint(*size.people)))
    stage = PlotStage(rng, people=people, rooms=1, compound=rng.random() < 0.7)
    waiting = rng.choice([room for room in words.WAITING if room not in stage.rooms])
    noise = rng.choice((0.0, 0.0, 0.15))
    talk = rng.choice((0, 0, 1, 1, 2, 3))
    for number in range(rng.randint(*size.rounds) if rng.random() < 0.6 else 1):
        _round(stage, number, waiting, noise)
        for _ in range(talk):
            _talk(stage)
    return replace(stage.plot("leaving"), rooms=(*stage.rooms, waiting))


def _round(stage: PlotStage, number: int, waiting: str, noise: float) -> None:
    rng = stage.rng
    if number and rng.random() < 0.6:
        stage.rooms += words.draw(rng, words.ROOMS, 1, stage.taken | {waiting})
    room = stage.rooms[-1]
    if room not in stage.holders:
        stage.furnish(room, rng.randint(3, 6))
    order = rng.sample(stage.people, len(stage.people))
    _gather(stage, [person for person in order if stage.where.get(person) != room], room, noise)
    known = [thing for thing, place in stage.room_of.items() if place == room]
    thing = rng.choice(known) if known and rng.random() < 0.4 else stage.new_thing(room)
    if thing not in stage.held:
        stage.lie(thing, rng.choice(stage.holders[room]))
    goers = rng.sample(order, len(order)) if rng.random() < 0.5 else order
    stay = rng.random() < 0.25
    idle, still = rng.choice((0.2, 0.4, 0.6)), rng.random() < 0.7
    for place, person in enumerate(goers):
        if rng.random() > idle:
            _shift(stage, person, thing)
            if rng.random() < 0.08:
                _shift(stage, person, thing)
        elif still:
            stage.idle(person)
        if rng.random() < noise:
            stage.noise()
        if stay and place == len(goers) - 1:
            break
        stage.leave(person)
    if rng.random() < 0.75:
        stage.enter([person for person in order if person not in stage.where], waiting)


def _shift(stage: PlotStage, person: str, thing: str) -> None:
    room = stage.room_of[thing]
    places = [place for place in stage.holders[room] if place != stage.held[thing]]
    stage.move(person, thing, stage.rng.choice(places))


def _talk(stage: PlotStage) -> None:
    """Somebody says where a thing is, to one or to all; true or not."""
    rng = stage.rng
    thing = list(stage.held)[-1]
    speaker = rng.choice(stage.people)
    place = rng.choice(stage.holders[stage.room_of[thing]])
    fact = Fact(thing, "container", place)
    others = [person for person in stage.people if person != speaker]
    if rng.random() < 0.5:
        listener = rng.choice(others)
        stage.beats.append(Beat("tell", (speaker, listener), thing, place, (Tell(speaker, listener, fact=fact),)))
    elif len(stage.present(stage.where.get(speaker, "?"))) > 1:
        stage.beats.append(Beat("claim", (speaker,), thing, place, (Tell(speaker, fact=fact),)))


PLOTS: dict[str, Callable[[random.Random, Size], StoryPlot]] = {"wander": wander, "leaving": leaving}
