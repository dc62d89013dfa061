"""Pronouns: their forms, one a case."""

from __future__ import annotations

from typing import Literal, NamedTuple

from otherminds.talks.talk import Pronoun

Case = Literal["subject", "object", "possessive", "own", "self"]
CASES: tuple[Case, ...] = ("subject", "object", "possessive", "own", "self")


class Forms(NamedTuple):
    """The forms of a pronoun, one a case."""

    subject: str
    object: str
    possessive: str
    own: str
    self: str


PRONOUNS: dict[Pronoun, Forms] = {
    "he": Forms("he", "him", "his", "his", "himself"),
    "she": Forms("she", "her", "her", "hers", "herself"),
    "they": Forms("they", "them", "their", "theirs", "themselves"),
}
FIRST = Forms("i", "me", "my", "mine", "myself")
SECOND = Forms("you", "you", "your", "yours", "yourself")
WE = Forms("we", "us", "our", "ours", "ourselves")
TWO_OF_THEM = Forms("the two of them", "the two of them", "their", "theirs", "themselves")
NOT_THIRD = {*FIRST, *SECOND, *WE, "yourselves", "lemme", "gimme"}
