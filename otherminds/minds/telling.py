"""Stories in clear English: a sentence or two for every event, in one canonical form or in seeded paraphrases.

Whoever peeks at an event or misses it is told together with that event, so that a reader knows it belongs to it alone.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from otherminds.minds.events import Carry, Change, Enter, Event, Leave, Look, Move, Open, Place, Tell
from otherminds.minds.world import STATE, Fact

if TYPE_CHECKING:
    from otherminds.minds.story import Premises, Story

# The first form of each is the canonical one. {from} is a room that was left on the way, {before} the container.
FORMS: dict[str, tuple[str, ...]] = {
    "enter": (
        "{person} entered the {room}.",
        "{person} came into the {room}.",
        "{person} walked into the {room}.",
        "{person} stepped into the {room}.",
        "{person} went into the {room}.",
        "{person} arrived in the {room}.",
    ),
    "enter from": (
        "{person} left the {from} and entered the {room}.",
        "{person} walked out of the {from} and into the {room}.",
        "{person} went from the {from} to the {room}.",
        "From the {from}, {person} walked over to the {room}.",
        "{person} crossed from the {from} into the {room}.",
        "{person} stepped out of the {from} and went into the {room}.",
    ),
    "leave": (
        "{person} left the {room}.",
        "{person} walked out of the {room}.",
        "{person} went out of the {room}.",
        "{person} stepped out of the {room}.",
        "{person} went away from the {room}.",
        "Then {person} was off, out of the {room}.",
    ),
    "place person": (
        "{name} was in the {room}.",
        "{name} was to be found in the {room}.",
        "In the {room} was {name}.",
        "{name} spent this time in the {room}.",
        "The {room} is where {name} was.",
        "{name} was there, in the {room}.",
    ),
    "place thing": (
        "The {name} lay in plain view in the {room}.",
        "In the {room}, the {name} lay where anyone there could see it.",
        "The {name} was lying about in the {room}, for all there to see.",
        "In plain view in the {room} lay the {name}.",
        "Out in the open, in the {room}, was the {name}.",
        "The {name} was in the {room}, not put away in anything.",
    ),
    "place container": (
        "The {name} stood in the {room}.",
        "In the {room} stood the {name}.",
        "The {name} was in the {room}.",
        "There, in the {room}, was the {name}.",
        "The {name} had its place in the {room}.",
        "The {room} is where the {name} stood.",
    ),
    "move": (
        "{person} put the {thing} into the {container} in the {room}.",
        "{person} placed the {thing} in the {container} that stood in the {room}.",
        "In the {room}, {person} laid the {thing} in the {container}.",
        "In the {room}, {person} stowed the {thing} in the {container}.",
        "{person} tucked the {thing} away in the {container} in the {room}.",
        "The {thing} was put into the {container} in the {room} by {person}.",
    ),
    "move from": (
        "{person} moved the {thing} from the {before} to the {container} in the {room}.",
        "In the {room}, {person} took the {thing} out of the {before} and put it into the {container}.",
        "{person} shifted the {thing} from the {before} to the {container}, both in the {room}.",
        "In the {room}, the {thing} was moved by {person} from the {before} into the {container}.",
        "Out of the {before} and into the {container} in the {room} went the {thing}, moved by {person}.",
        "{person} transferred the {thing} from the {before} to the {container} in the {room}.",
    ),
    "carry": (
        "{person} carried the {thing} from the {from} to the {room}, where it lay in plain view.",
        "{person} took the {thing} from the {from} to the {room} and laid it down there in the open.",
        "From the {from}, {person} brought the {thing} into the {room} and left it in plain view there.",
        "{person} went from the {from} to the {room} with the {thing} and put it down in the open.",
        "{person} fetched the {thing} from the {from} over to the {room} and set it down for all there to see.",
        "With the {thing} in hand, {person} went from the {from} to the {room} and put it down in plain view.",
    ),
    "carry from": (
        "{person} took the {thing} out of the {before} and carried it from the {from} to the {room}, "
        "where it lay in plain view; the {before} stayed in the {from}.",
        "Leaving the {before} in the {from}, {person} brought the {thing} into the {room}, in plain view.",
        "{person} took the {thing} from the {before} in the {from} over to the {room}, without the {before}, "
        "and left it in plain view.",
        "In the {from}, {person} took the {thing} out of the {before}, which stayed there, and carried it to the "
        "{room}, putting it down in the open.",
        "{person} fetched the {thing} out of the {before} in the {from} and set it down in plain view in the {room}; "
        "the {before} was left behind.",
        "Without the {before}, which stayed in the {from}, the {thing} was carried by {person} to the {room} "
        "and laid down in the open.",
    ),
    "change": (
        "{person} did something to the {thing}: now it {value}.",
        "{person} saw to it that the {thing} {value}.",
        "Thanks to {person}, the {thing} now {value}.",
        "{person} worked on the {thing}, which from then on {value}.",
        "It was {person} who made sure that the {thing} {value}.",
        "{person} turned to the {thing}; as a result it {value}.",
    ),
    "look": (
        "{person} looked into the {container}, so that nobody else saw what was in it.",
        "{person} took a look into the {container}, letting nobody else see inside.",
        "Alone, {person} peered into the {container}; the others could see only that.",
        "{person} lifted the lid of the {container} a little and looked inside, alone.",
        "{person} checked for themselves what was in the {container}, showing it to nobody.",
        "Into the {container} {person} looked, though nobody else could see inside.",
    ),
    "open": (
        "{person} opened the {container} so that all in the {room} saw what was in it, and shut it again.",
        "{person} opened the {container}, let everybody in the {room} look inside, and shut it.",
        "In the {room}, {person} showed everybody there what was in the {container}, then shut it.",
        "Opening the {container} for a moment, {person} showed all in the {room} what was inside.",
        "All in the {room} saw what was in the {container}, which {person} opened and shut again.",
        "{person} held the {container} open, everybody in the {room} looked inside, and it was shut again.",
    ),
    "tell": (
        "{speaker} privately told {listener} {what}.",
        "In private, {speaker} told {listener} {what}.",
        "{speaker} took {listener} aside, so to speak, and told only {listener} {what}.",
        "{speaker} told {listener}, and nobody else, {what}.",
        "Between the two of them, {speaker} told {listener} {what}.",
        "{speaker} had a private word with {listener} and told {listener} {what}.",
    ),
    "tell aloud": (
        "{speaker} told everyone in the {room} {what}.",
        "Out loud, {speaker} told all in the {room} {what}.",
        "{speaker} spoke up in the {room} and told everyone there {what}.",
        "For all in the {room} to hear, {speaker} told them {what}.",
        "In the {room}, {speaker} told the whole company {what}.",
        "{speaker} told all those present in the {room} {what}.",
    ),
    "peek": (
        "{who} secretly saw this, and nothing else, without anyone noticing.",
        "Unnoticed by anyone, {who} secretly watched just this.",
        "Nobody noticed that {who} secretly saw this happen, though nothing more.",
        "{who} witnessed this one thing in secret; nobody noticed.",
        "In secret, and noticed by nobody, {who} saw this and only this.",
        "Without anyone noticing, {who} secretly caught sight of this, and of this alone.",
    ),
    "overhear": (
        "{who} secretly overheard this, and nothing else, without anyone noticing.",
        "Unnoticed by anyone, {who} secretly overheard just this.",
        "Nobody noticed that {who} secretly overheard this, though nothing more.",
        "{who} overheard this one thing in secret; nobody noticed.",
        "In secret, and noticed by nobody, {who} overheard this and only this.",
        "Without anyone noticing, {who} secretly overheard this, and this alone.",
    ),
    "miss": (
        "{who} {was} distracted just then and missed this, without anyone noticing.",
        "Nobody noticed that {who} {was} distracted for that moment and missed it.",
        "{who} missed this, being distracted for a moment, which nobody noticed.",
        "For just that moment {who} {was} distracted and missed it; nobody noticed.",
        "Without anyone noticing, {who} missed this because of a moment's distraction.",
        "This escaped {who}, distracted for just a moment; nobody noticed.",
    ),
}


def sentences(story: Story, *, seed: int | None = None) -> list[str]:
    """What is told of each event, in order; with a seed, in other words. Longer stories begin as shorter ones do."""
    # One draw for every event, so that the words of an event do not depend on what comes after it.
    rng = None if seed is None else random.Random(seed)
    parts = list(story.prefixes())
    return [
        _sentence(part.event, before, rng) for part, before in zip(parts, [None, *parts], strict=False) if part.event
    ]


def last_sentence(story: Story, *, seed: str) -> str:
    """What is told of a story's last event alone, so that stories that share an event can share its words."""
    return _sentence(story.event, story._past, random.Random(seed)) if story.event is not None else ""


def told_premises(premises: Premises) -> list[str]:
    """What a reader must know beforehand."""
    clear = [
        f"The {name} can be seen through: anyone in the room sees what is in it." for name in sorted(premises.clear)
    ]
    distrust = [
        f"{hearer} never believes what {speaker} says, and everyone knows that."
        for hearer, speaker in sorted(premises.distrust)
    ]
    fresh = ["Nobody here is talked out of what they saw more lately than the speaker did."] if premises.fresh else []
    return clear + distrust + fresh


def _sentence(event: Event, before: Story | None, rng: random.Random | None) -> str:
    form, slots = _form(event, before)
    if isinstance(event, Change) and event.words:
        words = [event.words.format(person=event.person, thing=event.thing)]
        if rng is not None:
            rng.random()
    else:
        words = [_pick(FORMS[form], rng).format_map(slots)]
    if event.peekers:
        form = "overhear" if isinstance(event, Tell) else "peek"
        words.append(_pick(FORMS[form], rng).format(who=listing(sorted(event.peekers))))
    if event.distracted:
        many = len(event.distracted) > 1
        who = listing(sorted(event.distracted))
        words.append(_pick(FORMS["miss"], rng).format(who=who, was="were" if many else "was"))
    return " ".join(words)


def _pick(forms: Sequence[str], rng: random.Random | None) -> str:
    return forms[0] if rng is None else forms[int(rng.random() * len(forms))]


def _form(event: Event, before: Story | None) -> tuple[str, dict[str, str]]:
    """Which words fit an event, and what goes into them."""
    slots = {name: value for name in _SLOTS if isinstance(value := getattr(event, name, None), str)}
    room = _known(before, event.actor(), "room")
    slots.setdefault("room", room or "")
    match event:
        case Enter():
            return ("enter from", slots | {"from": room}) if room else ("enter", slots)
        case Place():
            return f"place {event.role}", slots
        case Leave():
            return "leave", slots
        case Move():
            container = _known(before, event.thing, "container")
            return ("move from", slots | {"before": container}) if container else ("move", slots)
        case Carry():
            container = _known(before, event.thing, "container")
            slots["from"] = room or ""
            return ("carry from", slots | {"before": container}) if container else ("carry", slots)
        case Open():
            return "open", slots
        case Look():
            return "look", slots
        case Tell():
            roles: Mapping[str, str] = before.cast.roles if before is not None else {}
            slots["what"] = f"about {event.topic}" if event.fact is None else "that " + clause(event.fact, roles, "was")
            return ("tell aloud" if event.listener is None else "tell"), slots
    return "change", slots


_SLOTS = ("person", "room", "name", "thing", "container", "value", "speaker", "listener")


def _known(story: Story | None, name: str, property: str) -> str | None:
    return story.world.get(name, property) if story is not None else None


def clause(fact: Fact, roles: Mapping[str, str], verb: str = "is") -> str:
    """A fact as a clause: "the apple is in the box"."""
    name = fact.of if roles.get(fact.of) == "person" else f"the {fact.of}"
    if fact.property.startswith(STATE):
        return f"{name} {fact.value}"
    return f"{name} {verb} in the {fact.value}"


def listing(names: Iterable[str]) -> str:
    """Names as one reads them out: "Anne, Bob and Carl"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
