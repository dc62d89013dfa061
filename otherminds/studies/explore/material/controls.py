"""Control questions of made-up stories: what is so and what was so, as the stories themselves are asked about."""

from __future__ import annotations

import random
from dataclasses import replace

from otherminds.items import Item, Suite
from otherminds.items.controls import CANNOT_END, IS, WAS, in_pairs
from otherminds.items.swaps import swapped
from otherminds.items.tags import CONTROL, KIND, ORDER, TOLD, TWIN
from otherminds.minds.questions import quiz
from otherminds.stories.contexts import bank, setting
from otherminds.stories.goals import Goal
from otherminds.stories.grow import Grower
from otherminds.stories.sets import choose, grid

STORIES = 96
"""Drawn at random before anything is searched: enough that every kind of belief is there, to take some of."""
SETS = "tomi,tomi+asymmetric"
MEMORY = "memory"
_AT_FIRST = "beginning"


def stories(seed: int, *, number: int = STORIES) -> Suite:
    """The questions about some random stories, about things and about minds."""
    dice = random.Random(f"explore controls:{seed}")
    cells = grid(choose(SETS), people=(2, 3), moves=(2, 3))
    items: dict[str, Item] = {}
    for place in range(number):
        cell = cells[place % len(cells)]
        grower = Grower(setting(dice.choice(bank()), cell), Goal.of(cell), dice)
        for item in quiz(grower.ending(grower.start).story, order=2):
            if item.tags[KIND] != "topic":
                items.setdefault(item.id, item)
    return Suite("explore", tuple(items.values()), prompt="direct", score="text")


def controls(suite: Suite) -> list[Item]:
    """Of every story that names two places, the questions without a mind whose answer it says outright."""
    plain = [item for item in suite if item.tags.get(ORDER) == 0 and item.answer not in CANNOT_END and _asked(item)]
    return in_pairs(_tagged(item) for item in plain if swapped(item))


def _asked(item: Item) -> bool:
    return item.tags.get(KIND) != MEMORY or item.tags.get("when") == _AT_FIRST


def _tagged(item: Item) -> Item:
    kind = WAS if item.tags.get(KIND) == MEMORY else IS
    cloze = item.cloze or _sentence(item.question)
    kept = {name: item.tags[name] for name in ("story", ORDER) if name in item.tags}
    named = f"{item.id}/{kind}"
    tags = {**kept, TWIN: named, CONTROL: kind}
    return replace(item, id=named, cloze=cloze, tags=tags, meta={TOLD: item.context})


def _sentence(question: str) -> str:
    """Where a thing was put first, as the beginning of a sentence."""
    head, tail = "In which container was ", " put first?"
    if question.startswith(head) and question.endswith(tail):
        return f"At first {question.removeprefix(head).removesuffix(tail)} was put into the"
    return ""
