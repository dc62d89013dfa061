"""Contractions: I'm, you'd and she's written out, so that a subject and its verb are two words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from otherminds.studies.dialogue.third_person import verbs
from otherminds.studies.dialogue.third_person.clauses import next_word
from otherminds.studies.dialogue.third_person.tokens import Token
from otherminds.studies.dialogue.third_person.unsure import CONTRACTION, Unsure
from otherminds.talks.talk import Person

_ENDINGS = {"m": "am", "re": "are", "ve": "have", "ll": "will"}


def write_out(tokens: Sequence[Token], partner: Person) -> list[Token]:
    """The tokens with the contractions of people's pronouns written out."""
    people = {"i", "you", "we", partner.pronoun}
    found: list[Token] = []
    for at, token in enumerate(tokens):
        head, _, ending = token.text.replace("’", "'").partition("'")
        if head.casefold() not in people or not ending:
            found.append(token)
            continue
        verb = _ENDINGS.get(ending) or _told_by_what_follows(tokens, at, ending)
        found += [replace(token, text=head), Token(" ", verb)]
    return found


def _told_by_what_follows(tokens: Sequence[Token], at: int, ending: str) -> str:
    """What 'd and 's stand for, which the next word tells."""
    place = next_word(tokens, at + 1)
    word = tokens[place].word if place is not None else ""
    skipped = {token.word for token in tokens[at + 1 : place]}
    verb = ""
    if ending == "d":
        verb = "would" if "rather" in skipped else _had_or_would(word)
    elif ending == "s":
        verb = _has_or_is(word)
    if not verb:
        raise Unsure(CONTRACTION)
    return verb


def _had_or_would(word: str) -> str:
    """What 'd stands for before a word, or nothing where that cannot be told."""
    if word == "better" or verbs.is_participle(word):
        return "had"
    return "would" if verbs.is_base(word) and word not in verbs.UNCHANGED | {"come", "become", "run"} else ""


def _has_or_is(word: str) -> str:
    """What 's stands for before a word, or nothing where that cannot be told."""
    if word in verbs.PERFECT:
        return "has"
    return "is" if word and not verbs.is_participle(word) else ""
