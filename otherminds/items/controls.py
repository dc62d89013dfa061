"""Control questions: what a story says outright, without any mind. Whoever cannot answer them in some form of asking
shows nothing about minds in that form.

Each comes twice where it can, the second time with the two words exchanged throughout the story, so that whoever goes
by words and not by the story gets half of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from otherminds.items.item import Item, Suite
from otherminds.items.swaps import swapped
from otherminds.items.tags import CONTROL, ORDER, STAGE, STORY, TOLD, TWIN

IS, WAS, WHO = "is", "was", "who"
KINDS = {IS: "what is so", WAS: "what was so", WHO: "who says or is where"}
SUFFIX = "-controls"
CANNOT_END = frozenset({"unknown", "nowhere", "yes", "no"})
"""Choices that no sentence of ours ends with."""


def control(item: Item, kind: str, question: str, answer: str, choices: Sequence[str], cloze: str = "") -> Item:
    """A control question about the story of an item."""
    kept = {name: item.tags[name] for name in (STORY, STAGE) if name in item.tags}
    named = f"{item.id}/{kind}"
    return Item(
        id=named,
        question=question,
        answer=answer,
        context=item.context,
        choices=tuple(choices),
        cloze=cloze,
        tags={**kept, TWIN: named, CONTROL: kind, ORDER: 0},
        meta={TOLD: item.context},
    )


def in_pairs(controls: Iterable[Item]) -> list[Item]:
    """Each control, and the same with two words exchanged, where the story names both; each question once."""
    found: dict[tuple[str, str], Item] = {}
    for item in controls:
        other = swapped(item)
        pair = [item, *([replace(other, id=f"{item.id}/exchanged")] if other else [])]
        for each in pair:
            found.setdefault((each.context, each.question), each)
    return list(found.values())


def as_suite(name: str, controls: Sequence[Item]) -> Suite | None:
    """The controls of a suite as one; none where there are none."""
    return Suite(f"{name}{SUFFIX}", tuple(controls)) if controls else None


def verb(thing: str) -> str:
    """Is or are."""
    many = thing.endswith("s") and not thing.endswith("ss")
    return "are" if many or thing in ("dice", "shears", "scissors") else "is"


_SO = (
    # A question about what somebody thinks, the same about what is so, and a sentence that ends with the answer.
    (r"Where will .+ look for the (?P<thing>.+?)(?: first)?\?", "Where {be} the {thing}?", "The {thing} {be} in the"),
    (r"What does \S+ think is in the (?P<thing>.+?)\?", "What is in the {thing}?", "The {thing} is full of"),
)


def what_is_so(question: str) -> tuple[str, str] | None:
    """The question and the sentence about the world that a question about a mind stands on."""
    for pattern, asked, sentence in _SO:
        if found := re.fullmatch(pattern, question):
            words = {"thing": found["thing"], "be": verb(found["thing"])}
            return asked.format(**words), sentence.format(**words)
    return None
