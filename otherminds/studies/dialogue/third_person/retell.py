"""Retell: a thought, told by somebody else.

"I think that he wants me to wait" becomes "Omar thinks that Pablo wants him to wait". Who is meant must be plain: a
pronoun stands only where it can be read in one way. What cannot be told surely is not told at all, and the reason is
given.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from otherminds.studies.dialogue.third_person.contractions import write_out
from otherminds.studies.dialogue.third_person.name_or_pronoun import name_people
from otherminds.studies.dialogue.third_person.pronouns import NOT_THIRD
from otherminds.studies.dialogue.third_person.tokens import Token, join, split
from otherminds.studies.dialogue.third_person.unsure import BOTH, EMPTY, LEFT, MARKS, Unsure
from otherminds.studies.dialogue.third_person.verb_agreement import agree
from otherminds.studies.dialogue.third_person.who_is_meant import mentions
from otherminds.talks.talk import Person


@dataclass(frozen=True, slots=True)
class Retold:
    """A thought in the third person, or why there is none."""

    text: str = ""
    why: str = ""


def retell(thought: str, speaker: Person, partner: Person) -> Retold:
    """A thought in the third person, with names where a pronoun could mean either of the two."""
    try:
        return Retold(text=_retold(thought.strip(" \t\n.,;:!…–—-"), speaker, partner))
    except Unsure as unsure:
        return Retold(why=str(unsure))


def _retold(thought: str, speaker: Person, partner: Person) -> str:
    if re.search(r"[\"“”„«»()\[\]{}?]", thought):
        raise Unsure(MARKS)
    tokens, tail = split(thought)
    if not tokens:
        raise Unsure(EMPTY)
    tokens = write_out(tokens, partner)
    if any(token.word.endswith("'s") and _stem(token) == "let" for token in tokens):
        raise Unsure(BOTH)
    told = agree(name_people(tokens, mentions(tokens, partner), speaker, partner))
    if any(_stem(token) in NOT_THIRD for token in told):
        raise Unsure(LEFT)
    return join(told, tail)


def _stem(token: Token) -> str:
    """A word without its contraction."""
    return token.word.partition("'")[0]
