"""Who is meant: which words of a thought mean one of the two people, and in which case.

In a thought the partner's pronoun means the partner; a third party is a noun.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from otherminds.studies.dialogue.third_person.pronouns import CASES, FIRST, PRONOUNS, SECOND, WE, Case, Forms
from otherminds.studies.dialogue.third_person.tokens import Token
from otherminds.studies.dialogue.third_person.unsure import STRANGER, Unsure
from otherminds.studies.dialogue.third_person.whose_or_whom import her_case, name_case, you_case
from otherminds.talks.talk import Person

Who = Literal["speaker", "partner", "both"]

_SPOKEN_TO = {"you", "your", "yours", "yourselves"}


@dataclass(frozen=True, slots=True)
class Mention:
    """Who is meant, and what the word does in its clause."""

    who: Who
    case: Case
    named: bool = False
    """It is a name already, and stays one."""
    unsure: bool = False
    """A "her" that may be whose something is as well as whom something is done to."""


def mentions(tokens: Sequence[Token], partner: Person) -> dict[int, Mention]:
    """Who of the two each word means, by its place."""
    if _has_he_and_you(tokens, partner):
        raise Unsure(STRANGER)
    found = {at: _mention(tokens, at, partner) for at in range(len(tokens))}
    return {at: mention for at, mention in found.items() if mention}


def _has_he_and_you(tokens: Sequence[Token], partner: Person) -> bool:
    """Whether one sentence has a he and a you, who are hardly the same: "I think that he wants you to wait"."""
    met: set[str] = set()
    for token in tokens:
        met = {token.word} if token.begins else met | {token.word}
        if met & set(PRONOUNS[partner.pronoun]) and met & _SPOKEN_TO:
            return True
    return False


def _mention(tokens: Sequence[Token], at: int, partner: Person) -> Mention | None:
    """Who of the two a word means, if it means one of them."""
    token = tokens[at]
    word = "themselves" if token.word == "themself" else token.word
    if token.text.replace("’", "'") in (partner.first, f"{partner.first}'s"):
        return Mention("partner", "possessive" if "'" in token.word else name_case(tokens, at), named=True)
    if word == "you":
        return Mention("partner", you_case(tokens, at))
    if word == "her" and partner.pronoun == "she":
        case = her_case(tokens, at)
        return Mention("partner", case or "object", unsure=case is None)
    people: list[tuple[Who, Forms]] = [("speaker", FIRST), ("both", WE), ("partner", SECOND)]
    for who, forms in (*people, ("partner", PRONOUNS[partner.pronoun])):
        if word in forms:
            return Mention(who, CASES[forms.index(word)])
    return None
