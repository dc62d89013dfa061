"""Naming: each mention of the two people as a name, a pronoun, or nothing at all.

Where the two have different pronouns, he and she can be read in one way. Where they share one, a pronoun stands for
the subject of the clause, as long as nobody else has been mentioned since, and for the other one as the object of a
clause with a named subject: in "Pablo trusts him" he cannot be Pablo. They is read as more than one person wherever
more than one is at hand, so that whoever is called they has a name there. A subject that comes again after and or but
is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from otherminds.studies.dialogue import verbs
from otherminds.studies.dialogue.agreement import OTHER_SUBJECTS, SUBORDINATORS, Role, Token, Unsure
from otherminds.studies.dialogue.mentions import (
    BARE_TAKERS,
    CASES,
    PRONOUNS,
    SAYING,
    Case,
    Forms,
    Mention,
    Who,
    follows,
    mentions,
    opens,
    whose,
)
from otherminds.studies.dialogue.talks import Person

BOTH = "a we or they that cannot be put into names"
LEFT = "a first or second person that no rule covers"

_TWO_OF_THEM = Forms("the two of them", "the two of them", "their", "theirs", "themselves")
_PLACES = verbs.words("beside behind around near over under above below before after")
"""After these a pronoun may be the subject of its own clause: "he looked behind him"."""
_THIRD_PARTIES = verbs.words(
    "brother sister mother father son daughter husband wife friend man woman boy girl child doctor boss owner "
    "manager uncle aunt cousin colleague teacher grandmother grandfather"
)
"""Whoever a pronoun after these might be."""
_DETERMINERS = verbs.words("a an the this that these those my your his her its our their no some any every each")
_PLURALS = verbs.words("people children men women others both everybody everyone")


@dataclass(slots=True)
class _Cast:
    """The two people of a thought, and who has been mentioned so far."""

    speaker: Person
    partner: Person
    free: frozenset[Who]
    """Whose pronoun can mean nobody else; for both: whether "the two of them" is plain."""
    taken: bool
    """The speaker's pronoun is somebody else in this thought."""
    seen: set[Who] = field(default_factory=set)
    focus: Who | None = None
    """Who was a subject last, while nobody else has been mentioned."""
    subject: Who | None = None
    """The subject of the clause, if it is one of the two."""
    called: bool = False
    """That subject was a name."""
    doer: Who | None = None
    """Who is to do something in the clause: "wants him to wait"."""
    last: Who | None = None
    """Who was mentioned last in the clause."""
    many: bool = False
    """There are several of something, which a they could be."""

    def person(self, who: Who) -> Person:
        return self.speaker if who == "speaker" else self.partner

    def pronoun_fits(self, who: Who, case: Case, before: str, *, again: bool) -> bool:
        """Whether the pronoun says who is meant; `again`: the person comes again, and not as an object."""
        if who not in self.seen or case == "self":
            return who in self.seen
        if who in self.free:
            return True
        other: Who = "partner" if who == "speaker" else "speaker"
        owner = who == (self.doer or self.focus)
        if who == "speaker" and self.taken:
            return owner and case == "possessive"
        if self.person(who).pronoun == "they":
            alone = other not in self.seen and self.focus == who
            return not self.many and (alone or (owner and case in ("possessive", "own")))
        if case in ("possessive", "own"):
            return owner
        if case == "subject" or self.focus == who:
            return self.focus == who
        against = self.subject == other and self.called and before not in _PLACES
        return self.last == who or (against and not again)

    def pass_by(self, tokens: Sequence[Token], at: int, mention: Mention | None) -> None:
        """Notice what a word does to the clause, before it is told."""
        token, before = tokens[at], tokens[at - 1].word if at else ""
        clause = before in SAYING and not mention and token.word in _DETERMINERS
        joined = before in ("and", "but", "or") and token.word in _DETERMINERS
        owned = mention is not None and mention.case == "possessive" and before in SAYING
        stranger = mention is None and token.word in OTHER_SUBJECTS
        if _breaks(token) or clause or joined or owned or stranger:
            self.subject = self.doer = self.last = None  # another clause, so another subject
        if re.search(r"[.!…]\s", token.gap) or token.word in _THIRD_PARTIES or (stranger and self.taken):
            self.focus = self.last = None
        self.many = self.many or (mention is None and _several(tokens, at))

    def note(self, tokens: Sequence[Token], at: int, mention: Mention, told: Token) -> None:
        """Remember who was mentioned last, and as what."""
        who = mention.who
        if who == "both":
            if self.partner.first in told.text:
                self.seen |= {"speaker", "partner"}
            self.focus = self.subject = self.doer = self.last = None
            return
        self.seen.add(who)
        if mention.case == "subject" and told.role == "they" and tokens[at].word == "i":
            self.focus = self.subject = self.last = None  # one of two: "he and I"
        elif mention.case == "subject":
            self.focus, self.subject = who, who if _main(tokens, at) else None
            self.called = self.called if not told.text else told.text in (self.speaker.first, self.partner.first)
        elif self.focus != who:
            self.focus = None
        self.last = who
        if self.doer not in (None, who):
            self.doer = None
        bare = tokens[at - 1].word in BARE_TAKERS and verbs.is_base(follows(tokens, at))
        if mention.case == "object" and (bare or follows(tokens, at) == "to"):
            self.doer = who


def named(tokens: Sequence[Token], speaker: Person, partner: Person) -> list[Token]:
    """The tokens with each mention of the two as a name or a pronoun, subjects with their roles."""
    words = {token.word.partition("'")[0] for token in tokens}
    differ = speaker.pronoun != partner.pronoun
    taken = differ and bool(words & set(PRONOUNS[speaker.pronoun]))
    free: set[Who] = set()
    if differ and not taken and speaker.pronoun != "they":
        free.add("speaker")
    if differ and partner.pronoun != "they":
        free.add("partner")
    if "they" not in (speaker.pronoun, partner.pronoun) and not words & set(PRONOUNS["they"]):
        free.add("both")
    cast = _Cast(speaker, partner, frozenset(free), taken)
    found = mentions(tokens, partner)
    told: list[Token] = []
    for at, token in enumerate(tokens):
        cast.pass_by(tokens, at, found.get(at))
        if at in found:
            token = _told(tokens, at, found, cast)
            cast.note(tokens, at, found[at], token)
        told.append(token)
    return told


def _breaks(token: Token) -> bool:
    """Whether another clause begins, as far as one word tells."""
    return bool(re.search(r"[,;:.!…–—]", token.gap)) or token.word in SUBORDINATORS


def _main(tokens: Sequence[Token], at: int) -> bool:
    """Whether a subject begins a clause that can go on with and; one that belongs to a noun or to than cannot."""
    before = tokens[at - 1].word if at else ""
    if before == "that" and tokens[at].gap == " " and at > 1:
        ahead = tokens[at - 2].word
        return ahead in SAYING or ahead in ("and", "but", "so") or verbs.is_base(ahead)
    return before not in ("than", "as") and (opens(tokens, at) or before in SAYING)


def _several(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word may be a noun for more than one."""
    word, before = tokens[at].word, tokens[at - 1].word if at else ""
    if word in _PLURALS:
        return True
    if not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")) or verbs.is_function_word(word):
        return False
    if verbs.is_adverb(word) or word in verbs.SINGULAR.values() or word in ("always", "perhaps", "as"):
        return False
    return not verbs.is_base(word[:-1]) or (verbs.is_function_word(before) and before not in OTHER_SUBJECTS)


def _told(tokens: Sequence[Token], at: int, found: dict[int, Mention], cast: _Cast) -> Token:
    """One mention as a name or a pronoun, or as nothing where it repeats its subject."""
    mention, token = found[at], tokens[at]
    if mention.who == "both":
        text, plural = _both(tokens, at, mention, cast), True
    elif _repeats(tokens, at, found, cast):
        text, plural = "", not cast.called and cast.person(mention.who).pronoun == "they"
    else:
        text, plural = _one(tokens, at, found, cast)
    if at == 0 or re.search(r"[.!…]\s", token.gap):
        text = text[:1].upper() + text[1:]
    if mention.case == "subject":
        return replace(token, text=text, role=_role(tokens, at, found, plural=plural))
    return replace(token, text=text, person="whose" if text.endswith("'s") or mention.case == "possessive" else "whom")


def _repeats(tokens: Sequence[Token], at: int, found: dict[int, Mention], cast: _Cast) -> bool:
    """Whether the subject of "… and will wait" goes without saying."""
    mention = found[at]
    if at < 2 or mention.case != "subject" or cast.subject != mention.who:
        return False
    joined = tokens[at - 1].word in ("and", "but") and tokens[at - 1].gap == tokens[at].gap == " "
    return joined and follows(tokens, at) not in ("", "and", "or")


def _one(tokens: Sequence[Token], at: int, found: dict[int, Mention], cast: _Cast) -> tuple[str, bool]:
    """How one person is called, and whether that is a they."""
    mention, word = found[at], tokens[at].word
    person = cast.person(mention.who)
    if mention.named:
        return tokens[at].text, False
    if mention.who == "partner" and word in ("they", "them") and _many(tokens, at):
        raise Unsure(BOTH)
    plain = mention.who in cast.free and mention.who in cast.seen
    case = mention.case if plain or word != "her" else whose(tokens, at)
    later = [other for place, other in found.items() if place > at and other.who == mention.who]
    again = any(other.case in ("subject", "possessive") for other in later)
    beside = found.get(at - 1)
    owns = case == "possessive" and beside is not None and (beside.who, beside.case) == (mention.who, "object")
    if owns or cast.pronoun_fits(mention.who, case, tokens[at - 1].word if at else "", again=again):
        text = PRONOUNS[person.pronoun][CASES.index(case)]
        return (tokens[at].text if word == "her" else text), person.pronoun == "they"
    if case == "self":
        raise Unsure(LEFT)
    return (f"{person.first}'s" if case in ("possessive", "own") else person.first), False


def _many(tokens: Sequence[Token], at: int) -> bool:
    """Whether a they is plainly more than one person."""
    crowd = {"everyone", "everybody", "people", "others", "someone", "somebody", "anyone", "anybody"}
    near = {follows(tokens, at), tokens[at - 2].word if at > 1 and tokens[at - 1].word == "of" else ""}
    return bool(near & {"both", "all", "each", "two"}) or bool(crowd & {token.word for token in tokens[:at]})


def _both(tokens: Sequence[Token], at: int, mention: Mention, cast: _Cast) -> str:
    """How the two are called together."""
    if mention.case == "self":
        return "themselves"
    before = tokens[at - 1].word if at else ""
    of_us = before == "of" and mention.case == "object"
    plain = "both" in cast.free and (of_us or {"speaker", "partner"} <= cast.seen)
    counted = of_us or follows(tokens, at) in ("both", "all", "each", "two")
    if before == "let" or (of_us and not plain):
        raise Unsure(BOTH)
    if plain and counted and mention.case in ("subject", "object"):
        return PRONOUNS["they"][CASES.index(mention.case)]
    if plain:
        return _TWO_OF_THEM[CASES.index(mention.case)]
    names = f"{cast.speaker.first} and {cast.partner.first}"
    return f"{names}'s" if mention.case in ("possessive", "own") else names


def _role(tokens: Sequence[Token], at: int, found: dict[int, Mention], *, plural: bool) -> Role:
    """What the verbs of a subject must do, which depends on what stood there before."""
    joins = tokens[at + 1].word in ("and", "or") if at + 1 < len(tokens) else False
    other = found.get(at + 2)
    if joins and other and other.case == "subject" and tokens[at + 1].gap == " " and other.who != found[at].who:
        return ""  # "he and I": the verb belongs to the second of the two
    if at > 1 and tokens[at - 1].word in ("and", "or") and _compound(tokens, at, found):
        return "they"
    word = tokens[at].word
    if found[at].who == "both" or (plural and word != "i"):
        return "they"
    if word in ("he", "she") or found[at].named:
        return "he"
    return "plural" if plural else "singular"


def _compound(tokens: Sequence[Token], at: int, found: dict[int, Mention]) -> bool:
    """Whether a subject is the second half of one: "he and I", but not "I trust him and I"."""
    if tokens[at - 1].gap != " " or follows(tokens, at) in ("am", "was", "wasn't"):
        return False
    first = found.get(at - 2)
    if first and first.case == "subject" and first.who != found[at].who:
        return True
    begins = at - 2 if first and first.named else at - 3
    noun = first is None and begins >= 0 and tokens[begins].word in ("my", "his", "her", "their", "the", "our")
    if (noun or (first and first.named)) and (opens(tokens, begins) or tokens[begins - 1].word in ("think", "hope")):
        raise Unsure(BOTH)
    return False
