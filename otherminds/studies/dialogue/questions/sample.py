"""A sample: some of the written conversations, and a few questions about them, for a first look at a model."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

from otherminds.items import Item, Suite, Tag
from otherminds.items.tags import FALSE_BELIEF, ORDER
from otherminds.studies.dialogue.questions.build import build
from otherminds.talks import bank
from otherminds.talks.talk import STATES, Talk

FIRST, SECOND, FALSE, TRUE, ALL = "first order", "second order", "false belief", "read rightly", "all"
KINDS: dict[str, dict[str, Tag]] = {
    FIRST: {ORDER: 1},
    SECOND: {ORDER: 2},
    FALSE: {FALSE_BELIEF: True},
    TRUE: {ORDER: 2, FALSE_BELIEF: False},
    ALL: {},
}
"""Kinds of question, by their tags; a false belief is a second-order thought that misreads the partner."""
EACH = 4
"""Talks of every mental state; two questions about each, since more about fewer talks would tell less."""


def drawn(seed: int, *, each: int = EACH) -> list[Talk]:
    """Some written talks of every mental state, spread over categories."""
    dice = random.Random(f"dialogue:{seed}")
    known = {(talk.state, talk.casting.scene.category): talk for talk in bank.authored()}
    categories = sorted({category for _, category in known})
    dice.shuffle(categories)
    states = [state for state in STATES for _ in range(each)]
    pairs = [(state, categories[place % len(categories)]) for place, state in enumerate(states)]
    return [known[pair] for pair in pairs if pair in known]


def suite(talks: Sequence[Talk]) -> Suite:
    """All questions about these talks, with what is so where an option says it."""
    made = build(talks, labels=bank.labels())
    return replace(made, items=tuple(map(_with_reality, made)))


def part(whole: Suite, seed: int) -> Suite:
    """Two questions about every talk, one of each order; by turns the second is a false belief and a right reading."""
    dice = random.Random(f"dialogue questions:{seed}")
    chosen: set[str] = set()
    for place, story in enumerate(dict.fromkeys(item.tags["story"] for item in whole)):
        items = [item for item in whole if item.tags["story"] == story]
        for kind in (FIRST, FALSE if place % 2 else TRUE):
            some = [item.id for item in items if KINDS[kind].items() <= item.tags.items()]
            chosen.update(dice.sample(some, min(1, len(some))))
    return whole.where(lambda item: item.id in chosen)


def example() -> list[Talk]:
    """A few talks: one of every mental state."""
    return drawn(0, each=1)


def _with_reality(item: Item) -> Item:
    # Where nobody is mistaken, what somebody thinks is so; where one misreads the other, no option says what is so.
    if item.tags["order"] == 2 and item.tags.get("false_belief") is not False:
        return item
    return replace(item, meta={**item.meta, "reality": item.answer})
