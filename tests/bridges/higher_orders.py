"""Stories in the shape of Hi-ToM, in our own words: five people leave one by one, and some say things that are not so.

`rule` is the rule of the earliest leaver written a second time: it reads the numbered lines alone.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

PEOPLE = ("Ada", "Ben", "Cleo", "Dov", "Ewa")
ROOMS = ("loft", "cellar", "porch")
THINGS = ("pear", "fig", "plum")
PLACES = ("tin_box", "oak_chest", "red_jar", "big_pot", "blue_bag", "old_crate", "tall_vase")


def story(rng: random.Random, chapters: int, talk: bool) -> tuple[list[str], list[str]]:
    """The lines, and the things of its chapters."""
    lines, things = [], list(THINGS[:chapters])
    for room, thing in zip(ROOMS, things, strict=False):
        people = rng.sample(PEOPLE, len(PEOPLE))
        lines += [f"{', '.join(people[:-1])} and {people[-1]} entered the {room}."]
        lines += [f"The {thing} is in the {rng.choice(PLACES)}."]
        for name in people:
            moves = rng.random() < 0.6
            lines += [f"{name} moved the {thing} to the {rng.choice(PLACES)}."] if moves else []
            lines += [f"{name} made no movements and stayed in the {room} for 1 minute."] if not moves else []
            lines += [f"{name} exited the {room}."]
        lines += [f"{', '.join(people[:-1])} and {people[-1]} entered the waiting_room."]
        if talk:
            lines += [f"{people[0]} publicly claimed that the {thing} is in the {rng.choice(PLACES)} now."]
            lines += [f"{people[1]} privately told {people[2]} that the {thing} is in the {rng.choice(PLACES)} now."]
        lines += [f"{', '.join(people[:-1])} and {people[-1]} exited the waiting_room."]
    return lines, things


def rule(lines: list[str], minds: list[str], thing: str) -> str:
    """Where the thing is when the first of these goes out of its room, or at the end."""
    place, inside = "", set[str]()
    for line in lines:
        here = re.match(rf"The {thing} is in the (\w+)\.$|\w+ moved the {thing} to the (\w+)\.$", line)
        if came := re.match(r"(.+) entered the (\w+)\.$", line):
            inside = set(re.split(r", | and ", came[1])) if came[2] != "waiting_room" else set()
        elif here:
            place = here[1] or here[2]
        elif (went := re.match(r"(\w+) exited the (\w+)\.$", line)) and place and went[1] in inside.intersection(minds):
            return place
    return place


def rows(stories: int, seed: int = 0) -> list[dict[str, Any]]:
    """Questions of every order about so many stories; the key follows the rule in nine of ten."""
    rng, made = random.Random(seed), []
    for number in range(stories):
        talk, chapters = bool(number % 2), 1 + number % 3
        lines, things = story(rng, chapters, talk)
        for order in range(5):
            minds, thing = rng.sample(PEOPLE, order), rng.choice(things)
            said = "".join(f" {name} thinks" if at else f" does {name} think" for at, name in enumerate(minds))
            key = rule(lines, minds, thing) if rng.random() < 0.9 else rng.choice(PLACES)
            made.append(
                {
                    "prompting_type": "CoTP",
                    "deception": talk,
                    "story_length": chapters,
                    "question_order": order,
                    "sample_id": number,
                    "story": "\n".join(f"{at} {line}" for at, line in enumerate(lines, start=1)),
                    "question": f"Where{said} the {thing} is?" if minds else f"Where is the {thing} really?",
                    "choices": ", ".join(f"{letter}. {place}" for letter, place in zip("ABCDEFG", PLACES, strict=True)),
                    "answer": key,
                }
            )
            made[-1] |= {"minds": minds, "thing": thing, "lines": lines}
    return made


def write(folder: Path, made: list[dict[str, Any]]) -> Path:
    """The file, as the benchmark has it."""
    path = folder / "Hi-ToM_made_up.json"
    path.write_text(json.dumps({"data": made}), encoding="utf-8")
    return path
