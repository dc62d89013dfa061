"""Traits: can it be told from a conversation who is higher in a factor of personality?

One person of a casting is given all 32 patterns of high and low; talks that differ in one factor make a pair, and a
judge says in which of the two that person is higher in it.

    suite = judge_suite(pairs(play(patterns(casting), …).talks))
    run(suite, judge)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from otherminds.errors import UsageError
from otherminds.files import read_words
from otherminds.items import Item, Suite
from otherminds.talks.talk import TRAITS, Talk

MORE: dict[str, str] = read_words("dialogue/wording")["more"]
CHOICES = ("Conversation 1", "Conversation 2")
PUBLISHED: dict[str, list[float]] = read_words("dialogue/published")["traits"]
"""On ToMATO's own conversations: GPT-4o mini over 80 pairs a factor, and people over 15."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two talks of the same scene in which one person differs in one factor."""

    factor: str
    who: int
    high: Talk
    low: Talk

    @property
    def id(self) -> str:
        """The factor and the talk in which the person is high in it."""
        return f"{self.factor}/{self.high.id}"


def pairs(talks: Sequence[Talk], *, who: int = 0) -> list[Pair]:
    """Every two talks that differ in one factor of that person and in nothing else that was given."""
    alike: dict[tuple[object, ...], dict[str, Talk]] = defaultdict(dict)
    for talk in talks:
        person, partner = talk.casting.people[who], talk.casting.people[1 - who]
        given = (talk.casting.scene, person.name, person.age, person.occupation, partner, talk.state, talk.first)
        alike[given][person.traits] = talk
    return [
        Pair(factor, who, talk, by_traits[lower])
        for place, factor in enumerate(TRAITS)
        for by_traits in alike.values()
        for traits, talk in by_traits.items()
        if traits[place] == "H" and (lower := traits[:place] + "L" + traits[place + 1 :]) in by_traits
    ]


def judge_suite(pairs: Sequence[Pair], *, name: str = "traits") -> Suite:
    """A question a pair and order: in which conversation is the person higher in the factor?"""
    if not pairs:
        raise UsageError("no two of these talks differ in one trait only; `otherminds play --patterns` plays such")
    return Suite(name, tuple(_item(pair, first) for pair in pairs for first in (True, False)))


def _item(pair: Pair, high_first: bool) -> Item:
    shown = (pair.high, pair.low) if high_first else (pair.low, pair.high)
    # Every line says whose it is, since the two conversations can share lines.
    context = "\n\n".join(
        "\n".join([label, *(f"[{label[-1]}] {line}" for line in talk.transcript.split("\n"))])
        for label, talk in zip(CHOICES, shown, strict=True)
    )
    person = pair.high.casting.people[pair.who]
    return Item(
        id=f"{pair.id}/{'high' if high_first else 'low'}-first",
        context=context,
        question=f"In which of the two conversations does {person.name} seem {MORE[pair.factor]}?",
        answer=CHOICES[0 if high_first else 1],
        choices=CHOICES,
        tags={
            "factor": pair.factor,
            "state": pair.high.state,
            "high_first": high_first,
            "twin": pair.id,
            "story": pair.id,
        },
        meta={"high": pair.high.id, "low": pair.low.id, "who": person.id},
    )
