"""Clauses: which words begin one, and which words stand beside each other in it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from otherminds.studies.dialogue.third_person import verbs
from otherminds.studies.dialogue.third_person.tokens import Token

MARK = re.compile(r"[,;:.!…–—]")
COORDINATORS = {"and", "but", "or", "nor", "yet"}
SUBORDINATORS = verbs.words(
    "that because if when while since unless whether although though until before after as how why where what who "
    "whom which whose whatever whenever once than lest whereas"
)
OTHER_SUBJECTS = {"he": "he", "she": "he", "it": "he", "they": "they", "we": "they"}
SAYING = verbs.words("think believe hope feel guess wish say suppose know see understand fear doubt")
SAYING |= set(map(verbs.third, SAYING))
BARE_TAKERS = verbs.words("let lets letting make makes made making help helps see saw hear heard watch have had")


def word_before(tokens: Sequence[Token], at: int) -> str:
    """The word before a place, whatever mark stands between."""
    return tokens[at - 1].word if at else ""


def word_after(tokens: Sequence[Token], at: int) -> str:
    """The word after a place, whatever mark stands between."""
    return tokens[at + 1].word if at + 1 < len(tokens) else ""


def follows(tokens: Sequence[Token], at: int) -> str:
    """The next word, if no mark stands before it."""
    return tokens[at + 1].word if at + 1 < len(tokens) and tokens[at + 1].gap == " " else ""


def opens(tokens: Sequence[Token], at: int) -> bool:
    """Whether a clause may begin at this place."""
    if at == 0 or tokens[at].gap != " ":
        return True
    return tokens[at - 1].word in COORDINATORS | SUBORDINATORS


def next_word(tokens: Sequence[Token], at: int) -> int | None:
    """Where the next word is that is no adverb, if it is in the same sentence."""
    while at < len(tokens) and not tokens[at].begins:
        if not verbs.is_adverb(tokens[at].word) and not tokens[at].word.endswith(("self", "selves")):
            return at
        at += 1
    return None
