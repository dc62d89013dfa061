"""A made-up series whose trend is known: every version gives the right option a little more, or a little at random."""

from __future__ import annotations

import random
from math import exp

from otherminds.heuristics.readers import finder
from otherminds.items import Item, Suite
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted

STEP = 0.2
"""What a version adds to the log-odds of the right option."""


def drifting(suite: Suite, version: int, *, versions: int = 4, shuffled: bool = False, step: float = STEP) -> Scripted:
    """Version 1, 2, … of a series that gets better; with `shuffled`, every item has them in an order of its own.

    Items differ in how hard they are, and each version has its luck with each of them.
    """
    name = f"drift-{'shuffled-' * shuffled}{version}"
    find = finder(name, suite)

    def weigh(prompt: Prompt) -> dict[str, float]:
        about = find(prompt)
        right = 1 / (1 + exp(-_odds(about.item, _place(about.item), step)))
        return {
            label: right if choice == about.item.answer else 1 - right
            for label, choice in zip(prompt.choices, about.choices, strict=True)
        }

    def _place(item: Item) -> int:
        if not shuffled:
            return version
        return random.Random(f"order:{item.id}").sample(range(1, versions + 1), versions)[version - 1]

    return Scripted(lambda prompt: "A", name=name, weigh=weigh)


def _odds(item: Item, version: int, step: float) -> float:
    hard = random.Random(f"hard:{item.id}").gauss(0, 1)
    luck = random.Random(f"luck:{item.id}:{version}").gauss(0, 0.2)
    return hard + luck + step * version
