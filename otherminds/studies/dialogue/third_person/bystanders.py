"""Bystanders: who else is in a thought, so that a pronoun may mean them as well as one of the two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from otherminds.studies.dialogue.third_person import verbs
from otherminds.studies.dialogue.third_person.clauses import OTHER_SUBJECTS, word_before
from otherminds.studies.dialogue.third_person.tokens import Token
from otherminds.studies.dialogue.third_person.whose_or_whom import TIMES
from otherminds.talks.talk import Pronoun

BEING = verbs.words("be being been am are is was were become became")
DETERMINERS = verbs.words("a an the this that these those my your his her its our their no some any every each")

_MEN = verbs.words("brother father son husband man boy uncle grandfather nephew dad boyfriend")
_WOMEN = verbs.words("sister mother daughter wife woman girl aunt grandmother niece mum mom girlfriend")
_ANYBODY = verbs.words(
    "friend child doctor boss owner manager cousin colleague teacher neighbour neighbor landlord lawyer nurse "
    "client kid"
)
_PEOPLE = {verbs.third(word) for word in _MEN | _WOMEN | _ANYBODY} | verbs.words(
    "people men women children parents everybody everyone others family team group company crew club choir class"
)
_ANY_PRONOUN: frozenset[Pronoun] = frozenset(("he", "she", "they"))


class Other(NamedTuple):
    """Somebody who is neither of the two, and what they may be called."""

    at: int
    called: frozenset[Pronoun]
    new: bool
    """It is "a friend", who is not thought of any longer after a comma."""


@dataclass(slots=True)
class Others:
    """Whom else a thought has mentioned so far."""

    met: list[Other] = field(default_factory=list)
    clause_at: int = 0
    """Where the clause began."""
    mark_at: int = 0
    """Where the last comma or stop was."""
    people: bool = False
    """There are several people, whom a we or they could mean."""
    many: bool = False
    """There are several of something, which a they could be."""

    def pass_by(self, tokens: Sequence[Token], at: int) -> bool:
        """Notice a word that means none of the two; whether it is somebody in particular."""
        called = _called(tokens, at)
        new = any(token.word in ("a", "an") for token in tokens[max(0, at - 2) : at])
        if called:
            self.met.append(Other(at, called, new))
        self.many = self.many or several(tokens, at)
        self.people = self.people or tokens[at].word in _PEOPLE
        return bool(called) and not new

    def since(self, at: int, pronoun: Pronoun) -> bool:
        """Whether somebody who may be so called was mentioned after a place."""
        return any(other.at > at and pronoun in other.called for other in self.met)

    def may_be(self, pronoun: Pronoun, *, done_to: bool) -> bool:
        """Whether a pronoun may mean one of them; `done_to`: it is the object of a noun's verb."""
        meant = [one for one in self.met if pronoun in one.called and not (one.new and one.at < self.mark_at)]
        here = [one for one in meant if one.at >= self.clause_at]
        return len(meant) > (1 if done_to and len(here) == 1 else 0)  # "my brother told him"


def several(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word may be a noun for more than one."""
    word, before = tokens[at].word, word_before(tokens, at)
    if word in _PEOPLE or word == "both":
        return True
    if not _ends_like_a_plural(word):
        return False
    subject = before in OTHER_SUBJECTS or before in ("who", "which", "that", "what", "nobody", "somebody", "everybody")
    return not verbs.is_base(word[:-1]) or (verbs.is_function_word(before) and not subject)


def _ends_like_a_plural(word: str) -> bool:
    """Whether the s of a word may be that of a noun."""
    if not word.endswith("s") or word.endswith(("ss", "us", "is", "'s", "selves")) or verbs.is_function_word(word):
        return False
    return not (verbs.is_adverb(word) or word in verbs.SINGULAR.values() or word in ("always", "perhaps", "as", "yes"))


def _called(tokens: Sequence[Token], at: int) -> frozenset[Pronoun]:
    """What somebody who is neither of the two may be called, if a word means one."""
    word = tokens[at].word.removesuffix("'s")
    if _is_a_name(tokens, at):
        return frozenset() if word in TIMES or word_before(tokens, at) in ("in", "on", "at") else _ANY_PRONOUN
    if word not in _MEN | _WOMEN | _ANYBODY or _is_nobody_else(tokens, at):
        return frozenset()
    return frozenset(("he",)) if word in _MEN else frozenset(("she",)) if word in _WOMEN else _ANY_PRONOUN


def _is_a_name(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word has a capital that no sentence gives it."""
    token = tokens[at]
    return (
        at > 0
        and token.text[:1].isupper()
        and not token.begins
        and not verbs.is_function_word(token.word.removesuffix("'s"))
    )


def _is_nobody_else(tokens: Sequence[Token], at: int) -> bool:
    """Whether a noun for a person means nobody, or one of the two: "no friend", "I am the owner"."""
    article = max((place for place in range(max(0, at - 3), at) if tokens[place].word in DETERMINERS), default=0)
    if tokens[article].word == "no":
        return True
    return article > 0 and tokens[article - 1].word in BEING | {"as", "like"}
