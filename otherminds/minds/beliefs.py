"""Beliefs over time: for every matter of a story, what each chain of minds takes to be so after each event.

A matter is the container of a thing, its room, one of its states, or a topic. Most chains say nothing new: what Anne
thinks that Sally thinks is, as a rule, what Sally thinks. So a chain is worth showing where it parts from the simpler
reading, the same chain without its first mind; every other can be read off that one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from otherminds.errors import UsageError
from otherminds.minds.questions import MOST_ORDERS
from otherminds.minds.sightings import Minds, Saying, chains_of
from otherminds.minds.story import Story
from otherminds.minds.world import OPEN, STATE, Fact, View

MOST_CHAINS = 2000
"""Beyond this nobody can look, and working it out would take long."""

CROWD = 8
"""More than so many chains are shown in groups."""

WORLD: Minds = ()
Values = tuple[str | None, ...]
"""One value for every event; None: not known, or not there yet."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One matter through a story, as every chain of minds has it."""

    heading: str
    """What is asked: "Where is the marble?"."""
    saying: str
    """How a value becomes a clause: "the marble is in the {}"."""
    values: Mapping[Minds, Values]
    unknown: str = "?"
    """What to show where a mind has no value."""

    def misjudged(self, minds: Minds, index: int) -> bool:
        """Whether the first mind is wrong, after this event, about the next one; with no next one, about the world."""
        value = self.values[minds][index]
        return bool(minds) and value is not None and value != self.values[minds[1:]][index]

    def telling(self, order: int) -> list[Minds]:
        """The chains of this order that part from the simpler reading at some point."""
        return [minds for minds in self.of_order(order) if self.values[minds] != self.values[minds[1:]]]

    def of_order(self, order: int) -> list[Minds]:
        """The chains of this order."""
        return [minds for minds in self.values if len(minds) == order]

    def alike(self, chains: list[Minds]) -> list[list[Minds]]:
        """The chains in groups that have the same values all along; a few stay apart, to be found by name."""
        if len(chains) <= CROWD:
            return [[minds] for minds in chains]
        groups: dict[Values, list[Minds]] = {}
        for minds in chains:
            groups.setdefault(self.values[minds], []).append(minds)
        return list(groups.values())

    def says(self, value: str) -> str:
        """A value as a clause: "the marble is in the basket"."""
        saying = self.saying.replace("in the {}", "{}") if value == OPEN else self.saying
        return saying.replace("{}", value)


def chain_name(minds: Minds) -> str:
    """How a chain is written: "Anne › Sally" is what Anne thinks that Sally thinks."""
    return " › ".join(minds) or "world"


def traces(story: Story, *, order: int) -> list[Trace]:
    """Every matter of a story through all its events, for the world and all chains of minds up to this order."""
    parts = list(story.prefixes())
    views = {minds: [view(part, minds) for part in parts] for minds in chains(story.people, order=order)}

    def trace(heading: str, saying: str, read: Callable[[View], str | None], unknown: str = "?") -> Trace:
        return Trace(heading, saying, {minds: tuple(map(read, row)) for minds, row in views.items()}, unknown)

    found = []
    for name in _located(story):
        the = story.the(name)
        place = trace(f"Where is {the}?", f"{the} is in the {{}}", _place(name))
        room = trace(f"In which room is {the}?", f"{the} is in the {{}}", _room(name))
        held = [place] if any(set(row) - {None, OPEN} for row in place.values.values()) else []
        found += held if held and _follows(room, place) else [*held, room]
    for thing, kind in dict.fromkeys(key for part in parts for key in part.world._state):
        found.append(trace(f"What is the {thing} like? ({kind})", f"the {thing} {{}}", _state(thing, kind)))
    for topic in sorted(story.world.topics):
        found.append(trace(f"Who has heard about {topic}?", f"about {topic}", _heard(topic), "no"))
    return found


def view(story: Story, minds: Minds) -> View:
    """The view of these minds; somebody who comes later knows nothing yet, and nobody thinks of them."""
    return story.view(*minds) if set(minds) <= set(story.people) else View()


def beliefs(story: Story, minds: Minds) -> list[tuple[Fact, bool]]:
    """Everything these minds take to be so at this point, each with whether it is so."""
    seen, world = view(story, minds), story.world
    found = [(fact, world.get(fact.of, fact.property) == fact.value) for fact in seen.facts()]
    for thing in sorted(story.things):
        if seen.in_the_open(thing):
            found.append((Fact(thing, "container", OPEN), world.in_the_open(thing) is True))
    return sorted(found)


def outcomes(found: list[Trace]) -> list[str]:
    """Who is wrong in the end, about what is so or about what somebody thinks; lower orders first."""
    wrong = [
        (len(minds), f"{minds[0]} wrongly thinks that {_thought(trace, minds[1:], value)}.")
        for trace in found
        for minds, values in trace.values.items()
        if (value := values[-1]) is not None and trace.misjudged(minds, -1)
    ]
    return [sentence for _, sentence in sorted(wrong, key=lambda pair: pair[0])]


def summary(found: list[Trace], *, order: int, limit: int) -> list[str]:
    """Who is wrong in the end up to this order, in so many sentences and one that counts the rest."""
    wrong = outcomes(found)
    if not wrong and order == 1:
        return ["Nobody is wrong about what is so; what they think of each other is of order 2, and is not shown."]
    if not wrong:
        return [f"Nobody is wrong up to order {order}, neither about what is so nor about what anybody thinks."]
    return wrong[:limit] + ([f"And {len(wrong) - limit} more such beliefs are wrong."] if len(wrong) > limit else [])


def agreement(trace: Trace) -> str:
    """How many chains of each order from the second say what the simpler reading says, so need no showing."""
    counts = []
    for order in range(2, max(map(len, trace.values)) + 1):
        total, apart = len(trace.of_order(order)), len(trace.telling(order))
        if total > apart:
            counts.append(f"{total - apart} of {total} chains of order {order}")
    return f"Left out, being the same without the first mind: {', '.join(counts)}." if counts else ""


def through(minds: Minds) -> str:
    """A chain in words: "Anne thinks that Sally thinks"."""
    return " that ".join(f"{name} thinks" for name in minds)


def _thought(trace: Trace, others: Minds, value: str) -> str:
    if trace.saying.startswith("about "):
        # Order 1 never gets here: nobody has heard of what was never said.
        return " that ".join([*(f"{name} thinks" for name in others[:-1]), f"{others[-1]} has heard {trace.saying}"])
    return " that ".join([*(f"{name} thinks" for name in others), trace.says(value)])


def chains(people: tuple[str, ...], *, order: int) -> list[Minds]:
    """The world, and all chains of minds up to this order in which nobody follows themselves."""
    if not 1 <= order <= MOST_ORDERS:
        raise UsageError(f"beliefs can be shown from order 1 to order {MOST_ORDERS}, so there is no order {order}")
    count = sum(len(people) * (len(people) - 1) ** (depth - 1) for depth in range(1, order + 1))
    if count > MOST_CHAINS:
        raise UsageError(
            f"{len(people)} people make {count:,} chains of minds up to order {order}, and at most {MOST_CHAINS:,} can"
            " be shown; ask for a lower order"
        )
    found = [WORLD]
    for depth in range(1, order + 1):
        found += chains_of(people, depth)
    return found


def _located(story: Story) -> list[str]:
    """Whatever can be somewhere else than thought: things, and everybody and everything whose room was talked about."""
    sightings = (each for part in story.prefixes() for each in part._sightings)
    told = {each.fact.of for each in sightings if isinstance(each, Saying)}
    return [name for name, role in story.cast.roles.items() if role == "thing" or (name in told and role != "room")]


def _follows(room: Trace, place: Trace) -> bool:
    """Whether every room can be told from the container, or there is but one, so that rooms need not be shown."""
    pairs = {
        (held, where)
        for minds in room.values
        for held, where in zip(place.values[minds], room.values[minds], strict=True)
        if where is not None
    }
    held_in = {held for held, _ in pairs}
    return len({where for _, where in pairs}) < 2 or (None not in held_in and len(held_in) == len(pairs))


def _place(name: str) -> Callable[[View], str | None]:
    def read(view: View) -> str | None:
        return OPEN if view.in_the_open(name) else view.get(name, "container")

    return read


def _room(name: str) -> Callable[[View], str | None]:
    return lambda view: view.get(name, "room")


def _state(thing: str, kind: str) -> Callable[[View], str | None]:
    return lambda view: view.get(thing, STATE + kind)


def _heard(topic: str) -> Callable[[View], str | None]:
    return lambda view: "heard" if view.heard(topic) else None
