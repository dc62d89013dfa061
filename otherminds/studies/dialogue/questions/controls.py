"""Control questions of conversations: who says what, read off the conversation itself."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from otherminds.items import Item, Suite
from otherminds.items.controls import WAS, WHO, control, in_pairs
from otherminds.items.tags import TWIN

SHOWN = 4
"""Choices of a question about what was said, as many as the questions about thoughts have."""
_TURN = re.compile(r'^([^:"\n]{1,60}): "(.+)"$')


class Utterance(NamedTuple):
    """Who said what."""

    who: str
    said: str


def turns(context: str) -> list[Utterance]:
    """The turns of a conversation."""
    found = [_TURN.match(line) for line in context.split("\n")]
    return [Utterance(each[1], each[2]) for each in found if each]


def controls(suite: Suite) -> list[Item]:
    """Of every conversation: who says a turn of either, and which of some turns one of the two says."""
    talks = {item.context: item for item in suite}
    found = [each for item in talks.values() for each in _who(item)]
    others = [turn for context in talks for turn in turns(context)]
    return in_pairs([*found, *(each for item in talks.values() for each in _what(item, others))])


def _who(item: Item) -> Iterator[Item]:
    said = turns(item.context)
    people = tuple(dict.fromkeys(turn.who for turn in said))
    if len(people) != 2:
        return
    for person in people:
        # Greetings are the same in every conversation, so the longest turn is the one that tells.
        turn = max((each for each in said if each.who == person), key=lambda each: len(each.said))
        asked = f'Who says "{turn.said}"?'
        made = control(item, WHO, asked, person, people, f'The one who says "{turn.said}" is')
        yield _named(made, person)


def _what(item: Item, others: list[Utterance]) -> Iterator[Item]:
    said = turns(item.context)
    own = {turn.said for turn in said}
    dice = random.Random(f"controls:{item.context}")
    strange = sorted({turn.said for turn in others} - own)
    if len(strange) < SHOWN - 1 or len(said) < SHOWN:
        return
    turn = dice.choice(said[2:])
    choices = dice.sample([turn.said, *dice.sample(strange, SHOWN - 1)], SHOWN)
    yield control(item, WAS, f"Which of these does {turn.who} say?", turn.said, choices)


def _named(item: Item, person: str) -> Item:
    name = f"{item.id}/{person.replace(' ', '-').lower()}"
    return replace(item, id=name, tags={**item.tags, TWIN: name})
