"""Voice: a thought, told by somebody else.

"I think that he wants me to wait" becomes "Omar thinks that Pablo wants him to wait". Who is meant must be plain: a
pronoun stands only where it can be read in one way (see naming). What cannot be told surely is not told at all, and
the reason is given.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from otherminds.studies.dialogue import verbs
from otherminds.studies.dialogue.agreement import Token, Unsure, agree, next_word
from otherminds.studies.dialogue.mentions import NOT_THIRD
from otherminds.studies.dialogue.naming import BOTH, LEFT, named
from otherminds.studies.dialogue.talks import Person

MARKS = "quotation marks, brackets or a direct question"
CONTRACTION = "a contraction that can be read in two ways"
EMPTY = "no words"


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
    tokens, tail = _split(thought)
    if not tokens:
        raise Unsure(EMPTY)
    tokens = _expanded(tokens, partner)
    if any(token.word.partition("'")[0] == "let" and token.word.endswith("'s") for token in tokens):
        raise Unsure(BOTH)
    told = agree(named(tokens, speaker, partner))
    if any(token.word.partition("'")[0] in NOT_THIRD for token in told):
        raise Unsure(LEFT)
    text = "".join(token.gap + token.text for token in told if token.text) + tail
    return text[:1].upper() + text[1:] + "."


def _split(text: str) -> tuple[list[Token], str]:
    """Words with what stands before each, and what stands after the last."""
    tokens, end = [], 0
    for hit in re.finditer(r"\w+(?:['’-]\w+)*", text):
        tokens.append(Token(text[end : hit.start()], hit.group()))
        end = hit.end()
    return tokens, text[end:]


# ---- contractions -------------------------------------------------------------------------------------------------

_ENDINGS = {"m": "am", "re": "are", "ve": "have", "ll": "will"}


def _expanded(tokens: Sequence[Token], partner: Person) -> list[Token]:
    """The tokens with the contractions of people's pronouns written out."""
    people = {"i", "you", "we", partner.pronoun}
    found: list[Token] = []
    for at, token in enumerate(tokens):
        head, _, ending = token.text.replace("’", "'").partition("'")
        if head.casefold() not in people or not ending:
            found.append(token)
            continue
        found += [replace(token, text=head), Token(" ", _ENDINGS.get(ending) or _told_by(tokens, at, ending))]
    return found


def _told_by(tokens: Sequence[Token], at: int, ending: str) -> str:
    """What 'd and 's stand for, which the next word tells."""
    place = next_word(tokens, at + 1)
    word = tokens[place].word if place is not None else ""
    skipped = {token.word for token in tokens[at + 1 : place]}
    if ending == "d":
        if skipped & {"rather"}:
            return "would"
        if word == "better" or verbs.is_participle(word):
            return "had"
        if verbs.is_base(word) and word not in verbs.UNCHANGED | {"come", "become", "run"}:
            return "would"
    if ending == "s":
        if word in verbs.PERFECT:
            return "has"
        if word and not verbs.is_participle(word):
            return "is"
    raise Unsure(CONTRACTION)
