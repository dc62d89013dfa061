"""Scripted models whose tables are known beforehand: what a number of this study is worth shows beside theirs.

gold         every answer right, every chain proper
reality      answers and believes what is so, from the first sentence on
decoy        answers and believes what misleads, from the first sentence on
random       draws its answers and its states
premature    every answer right, no chain proper: it knows the end from the first sentence on
placebo      as premature where states are asked for, and wrong everywhere else: only the asking helps
"""

from __future__ import annotations

import random as chance
from collections.abc import Callable

from otherminds.formats.json_prompts import SHAPES
from otherminds.heuristics.readers import gold_chain, reader
from otherminds.items import Item, Suite
from otherminds.models import Prompt, Response
from otherminds.models.scripted import Scripted


def gold(suite: Suite) -> Scripted:
    """Every answer right, every chain proper."""
    return reader("gold", suite, lambda item: [item.answer], states=gold_chain)


def reality(suite: Suite) -> Scripted:
    """What is so, whoever is asked about."""
    return reader("always reality", suite, lambda item: [item.meta["reality"]])


def decoy(suite: Suite) -> Scripted:
    """What the label says, or where the thing was left."""
    return reader("always decoy", suite, lambda item: [item.meta["decoy"]])


def random(suite: Suite, *, seed: int = 0) -> Scripted:
    """One draw an item, and one a state."""

    def states(item: Item) -> list[str]:
        dice = chance.Random(f"states:{seed}:{item.id}")
        return [dice.choice(item.choices) for _ in item.meta["sentences"]]

    return reader("random chain", suite, lambda item: (), seed, states=states)


def premature(suite: Suite) -> Scripted:
    """Every answer right, no chain proper."""
    return reader("premature", suite, lambda item: [item.answer], states=_premature_chain)


def placebo(suite: Suite) -> Scripted:
    """Right when asked for states, for no reason that they show; wrong without."""
    wrong = reader("placebo", suite, lambda item: [choice for choice in item.choices if choice != item.answer][:1])
    right = premature(suite)

    def answer(prompt: Prompt) -> Response:
        reasons = SHAPES["states"] in prompt.messages[-1].content
        (response,) = (right if reasons else wrong).ask([prompt])
        return response

    model = Scripted(answer, name="placebo")
    model.identity = wrong.identity
    return model


AGENTS: dict[str, Callable[[Suite], Scripted]] = {
    "gold": gold,
    "reality": reality,
    "decoy": decoy,
    "random": random,
    "premature": premature,
    "placebo": placebo,
}


def _premature_chain(item: Item) -> list[str]:
    """The end from the beginning; where that would be right, the story begins with a wrong state instead."""
    (end,), sets = item.meta["final"], item.meta["gold"]
    first = end if end not in sets[0] else next(choice for choice in item.choices if choice not in sets[0])
    return [first, *[end] * (len(sets) - 1)]
