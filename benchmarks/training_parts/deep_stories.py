"""Five people leave a room one by one, and may tell each other where a thing is: questions to the fourth order.

    python benchmarks/training_parts/deep_stories.py deep.jsonl [--rooms 2] [--told] [--plain] [--stories 30] [--seed 0]

A held-out suite that owes nothing to lessons or to the belief engine: words and answers are this file's own. Whoever
is in a room sees everything until they leave; whoever left later is believed by those who left before. Where that
convention leaves open what one thinks of another's trust, nothing is asked.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from otherminds.items import Item, Suite

PEOPLE = "Amelia Chloe Liam Owen Benjamin Lily Isla Emma Noah Jack Mila Hunter Avery Logan Carter Gracie Ella Jackson"
ROOMS = "TV_room kitchen attic bedroom hallway garage lounge cellar bathroom pantry"
THINGS = "celery pumpkin cucumber onion corn lettuce spinach turnip melon persimmon lemon peach tangerine asparagus"
CONTAINERS = "envelope bucket drawer bathtub treasure_chest suitcase bottle cupboard crate box basket"
NOISE = ("{who} lost a watch.", "{who} likes the {place}.", "{who} dislikes the {thing}.", "{who} saw a mouse.")
NOTE = (
    "Note: everybody sees all that happens in a place until they leave it. People may lie. Somebody who left a place "
    "later knows better what happened there, and is believed by those who left before. What is said in private is "
    "heard by the listener alone; what is claimed in public, by all who are there."
)


@dataclass(frozen=True)
class Room:
    """What happened to one thing in one room, and what was said of it afterwards."""

    thing: str
    places: Sequence[str]
    leaving: Sequence[str]
    """Who was there, the first to leave first."""
    left_at: Sequence[str]
    """Where the thing was when each of them left."""
    lines: Sequence[str]
    teller: int = -1
    said: str = ""
    listener: int = -1
    """Whom it was told in private; otherwise all heard it."""

    def answer(self, minds: Sequence[str]) -> str | None:
        """Where the first thinks that the next thinks … the thing is; None where the convention leaves that open."""
        places = [self.leaving.index(who) for who in minds]
        if not places:
            return self.left_at[-1]
        seen = self.left_at[min(places)]  # what all of them saw together
        if self.teller < 0:
            return seen
        if self.listener >= 0:
            if places == [self.listener]:
                return self.said if self.listener < self.teller else seen
            return None if {self.listener, self.teller} <= set(places) else seen
        if all(place < self.teller for place in places):
            return self.said
        return seen if len(places) == 1 or all(place >= self.teller for place in places) else None


def room(
    rng: random.Random, people: Sequence[str], name: str, thing: str, places: Sequence[str], *, told: bool
) -> Room:
    """One room from coming in to what is said in the waiting room."""
    leaving, at, left_at = rng.sample(people, len(people)), places[0], []
    everybody = f"{', '.join(people[:-1])} and {people[-1]}"
    lines = [f"{everybody} entered the {name}.", f"The {thing} is in the {at}."]
    for who in leaving:
        if rng.random() < 0.66:
            at = rng.choice([place for place in places if place != at])
            lines.append(f"{who} moved the {thing} to the {at}.")
        else:
            lines.append(f"{who} made no movements and stayed in the {name} for 1 minute.")
        if rng.random() < 0.25:
            lines.append(rng.choice(NOISE).format(who=rng.choice(people), place=rng.choice(places), thing=thing))
        left_at.append(at)
        lines.append(f"{who} exited the {name}.")
    lines.append(f"{everybody} entered the waiting_room.")
    found = Room(thing, places, leaving, left_at, lines)
    return _told(rng, found) if told else found


def _told(rng: random.Random, found: Room) -> Room:
    teller, said = rng.randint(1, len(found.leaving) - 1), rng.choice(found.places)
    who, listener = found.leaving[teller], -1
    words = f"publicly claimed that {found.thing} is in the {said} now."
    if rng.random() < 1 / 3:
        listener = rng.choice([place for place in range(len(found.leaving)) if place != teller])
        words = f"privately told {found.leaving[listener]} that the {found.thing} is in the {said} now."
    return replace(found, lines=[*found.lines, f"{who} {words}"], teller=teller, said=said, listener=listener)


def ask(minds: Sequence[str], thing: str) -> str:
    """The question in words."""
    if not minds:
        return f"Where is the {thing} really?"
    if len(minds) == 1:
        return f"Where does {minds[0]} really think the {thing} is?"
    return f"Where does {minds[0]} think {' thinks '.join(minds[1:])} thinks the {thing} is?"


def items(stories: int, seed: int, *, rooms: int, told: bool, plain: bool) -> list[Item]:
    """A question of every order about each story, as far as there is one with a sure answer."""
    rng, found = random.Random(seed), []
    for story in range(stories):
        people = rng.sample(PEOPLE.split(), 5)
        names, things = rng.sample(ROOMS.split(), rooms), rng.sample(THINGS.split(), rooms)
        kinds = [f"{colour}_{kind}" for colour in ("red", "blue", "green") for kind in CONTAINERS.split()]
        places = rng.sample(kinds, 8 * rooms)
        all_rooms = [
            room(rng, people, name, thing, places[8 * number : 8 * number + rng.randint(5, 8)], told=told)
            for number, (name, thing) in enumerate(zip(names, things, strict=True))
        ]
        lines = [line for each in all_rooms for line in each.lines]
        text = "\n".join(lines if plain else (f"{number} {line}" for number, line in enumerate(lines, 1)))
        about = rng.choice(all_rooms)
        for order in range(5):
            chains = [rng.sample(about.leaving, order) for _ in range(20)]
            sure = [(minds, place) for minds in chains if (place := about.answer(minds))]
            if not sure:
                continue
            minds, answer = sure[0]
            tags = {"story": f"s{story}", "order": order}
            tags |= {"false_belief": answer != about.left_at[-1]} if order else {}
            found.append(
                Item(
                    id=f"s{story}-{order}",
                    context=f"{text}\n{NOTE}" if told else text,
                    question=ask(minds, about.thing),
                    answer=answer,
                    choices=tuple(rng.sample(about.places, len(about.places))),
                    tags=tags,
                    meta={"reality": about.left_at[-1]},
                )
            )
    return found


def main() -> None:
    """Write the suite."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--rooms", type=int, default=1, choices=(1, 2, 3))
    parser.add_argument("--told", action="store_true", help="Somebody says where the thing is, truly or not.")
    parser.add_argument("--plain", action="store_true", help="Lines without numbers.")
    parser.add_argument("--stories", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    made = items(given.stories, given.seed, rooms=given.rooms, told=given.told, plain=given.plain)
    Suite(given.out.stem, tuple(made), prompt="raw", score="open").save(given.out)


if __name__ == "__main__":
    main()
