"""Mentions: which words of a thought mean one of the two people, and in which case.

In a thought the partner's pronoun means the partner; a third party is a noun.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from otherminds.studies.dialogue import verbs
from otherminds.studies.dialogue.agreement import COORDINATORS, SUBORDINATORS, Token, Unsure, next_word
from otherminds.studies.dialogue.talks import Person, Pronoun

Who = Literal["speaker", "partner", "both"]
Case = Literal["subject", "object", "possessive", "own", "self"]

CASE = "a you or her whose part in the sentence cannot be told"


class Forms(NamedTuple):
    """The forms of a pronoun, one a case."""

    subject: str
    object: str
    possessive: str
    own: str
    self: str


CASES: tuple[Case, ...] = ("subject", "object", "possessive", "own", "self")
PRONOUNS: dict[Pronoun, Forms] = {
    "he": Forms("he", "him", "his", "his", "himself"),
    "she": Forms("she", "her", "her", "hers", "herself"),
    "they": Forms("they", "them", "their", "theirs", "themselves"),
}
_FIRST = Forms("i", "me", "my", "mine", "myself")
_SECOND = Forms("you", "you", "your", "yours", "yourself")
_WE = Forms("we", "us", "our", "ours", "ourselves")
NOT_THIRD = {*_FIRST, *_SECOND, *_WE, "yourselves"}


@dataclass(frozen=True, slots=True)
class Mention:
    """Who is meant, and what the word does in its clause."""

    who: Who
    case: Case
    named: bool = False
    """It is a name already, and stays one."""


_TAKE_TWO = verbs.words(
    "give gives gave giving tell tells told telling show shows showed showing ask asks asked asking offer offers "
    "offered offering send sends sent lend lends lent owe owes owed pay pays paid cost costs teach teaches taught "
    "bring brings brought buy buys bought make makes made making keep keeps kept keeping leave leaves left "
    "leaving find finds found call calls called calling get gets got getting let lets letting help helps helped "
    "helping see sees saw seeing hear hears heard hearing watch watches watched watching have has had having "
    "promise promises promised grant save saves saved spare wish cause deny forgive"
)
"""After these, "her" may be a person to whom something is given as well as whose it is."""
BARE_TAKERS = verbs.words("let lets letting make makes made making help helps see saw hear heard watch have had")
SAYING = verbs.words("think believe hope feel guess wish say suppose know see understand fear doubt")
SAYING |= set(map(verbs.third, SAYING))
_PREPOSITIONS = verbs.words("with to for of about from at on by between behind against around near without toward")
_AFTER_POSSESSIVE = verbs.words("own other others first next last best only two three four very old new long further")
_EITHER_WAY = verbs.words("more most less still well once then far much late even")
"""After "her" these may belong to it as well as to the verb."""


def mentions(tokens: Sequence[Token], partner: Person) -> dict[int, Mention]:
    """Who of the two each word means, by its place."""
    found: dict[int, Mention] = {}
    forms = PRONOUNS[partner.pronoun]
    for at, token in enumerate(tokens):
        word = "themselves" if token.word == "themself" else token.word
        if token.text.replace("’", "'") in (partner.first, f"{partner.first}'s"):
            found[at] = Mention("partner", "possessive" if "'" in token.word else _name_case(tokens, at), named=True)
        elif word in _FIRST:
            found[at] = Mention("speaker", CASES[_FIRST.index(word)])
        elif word in _WE:
            found[at] = Mention("both", CASES[_WE.index(word)])
        elif word == "you":
            found[at] = Mention("partner", _you_case(tokens, at))
        elif word in _SECOND:
            found[at] = Mention("partner", CASES[_SECOND.index(word)])
        elif word == "her" and partner.pronoun == "she":
            found[at] = Mention("partner", "object")
        elif word in forms:
            found[at] = Mention("partner", CASES[forms.index(word)])
    return found


def follows(tokens: Sequence[Token], at: int) -> str:
    """The next word, if no mark stands before it."""
    return tokens[at + 1].word if at + 1 < len(tokens) and tokens[at + 1].gap == " " else ""


def opens(tokens: Sequence[Token], at: int) -> bool:
    """Whether a clause may begin at this place."""
    if at == 0 or tokens[at].gap != " ":
        return True
    return tokens[at - 1].word in COORDINATORS | SUBORDINATORS


def whose(tokens: Sequence[Token], at: int) -> Case:
    """Whether "her" is whose something is, or whom something is done to."""
    word = follows(tokens, at)
    if word in _AFTER_POSSESSIVE:
        return "possessive"
    if word in _EITHER_WAY or word.endswith("ing") or (word.endswith("ly") and verbs.is_adverb(word)):
        raise Unsure(CASE)
    before = tokens[at - 1].word if at else ""
    given = before in BARE_TAKERS and verbs.kind(word) == "verb"
    if not word or verbs.is_function_word(word) or verbs.is_adverb(word) or given:
        return "object"
    if before in _TAKE_TWO:
        raise Unsure(CASE)
    return "possessive"


def _name_case(tokens: Sequence[Token], at: int) -> Case:
    word = follows(tokens, at)
    verbal = word and not verbs.is_function_word(word) and not verbs.is_adverb(word)
    return "subject" if verbal or word in verbs.MODALS else "object"


def _you_case(tokens: Sequence[Token], at: int) -> Case:
    before = tokens[at - 1].word if at else ""
    place = next_word(tokens, at + 1)
    word = tokens[place].word if place is not None and not re.search(r"[,–—]", tokens[at + 1].gap) else ""
    if not word or before in _PREPOSITIONS or (verbs.is_function_word(word) and word not in verbs.MODALS):
        return "object"
    if word in verbs.MODALS or word in verbs.SINGULAR or word in verbs.PAST:
        return "subject"
    if verbs.is_base(word) and before in BARE_TAKERS:
        return "object"
    if verbs.is_base(word) and (opens(tokens, at) or before in SAYING):
        return "subject"
    raise Unsure(CASE)
