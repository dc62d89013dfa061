"""Naming: each mention of the two people as a name, a pronoun, or nothing at all.

Where the two have different pronouns, he and she can be read in one way, unless there are others. Where they share
one, a pronoun stands for the subject of the clause, as long as nobody else has been mentioned since, and for the
other one as the object of a clause with a named subject: in "Pablo trusts him" he cannot be Pablo. They is read as
more than one person wherever more than one is at hand, so that whoever is called they has a name there. A subject
that comes again after and or but is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from otherminds.studies.dialogue import verbs
from otherminds.studies.dialogue.agreement import OTHER_SUBJECTS, SUBORDINATORS, Role, Token, Unsure
from otherminds.studies.dialogue.mentions import (
    BARE_TAKERS,
    CASE,
    CASES,
    PRONOUNS,
    SAYING,
    SECOND,
    Case,
    Forms,
    Mention,
    Who,
    follows,
    mentions,
    opens,
)
from otherminds.studies.dialogue.others import BEING, DETERMINERS, MARK, Others, several
from otherminds.studies.dialogue.talks import Person

BOTH = "a we or they that cannot be put into names"
STRANGER = "a he, she, they or you that may be somebody else"
LEFT = "a first or second person that no rule covers"

_TWO_OF_THEM = Forms("the two of them", "the two of them", "their", "theirs", "themselves")
_PLACES = verbs.words("beside behind around near over under above below before after")
"""After these a pronoun may be the subject of its own clause: "he looked behind him"."""
_BIDDING = verbs.forms(
    "want need ask expect allow force urge persuade help order invite encourage remind warn advise convince prefer "
    "like love hate trust push press permit enable require train beg"
) | verbs.words("tell tells told get gets got teach teaches taught wish bid forbid forbids forbade beg begged")
"""Whom these are done to is to do something: "wants him to wait", but not "uses him to climb"."""
_TELLING = verbs.forms("promise assure remind warn show ask convince") | verbs.words("tell tells told telling")
_HAVING = verbs.words("have has had do does did don't doesn't didn't haven't hasn't hadn't")
_COUNTS = verbs.words("two both one neither either each which")


@dataclass(slots=True)
class _Cast:
    """The two people of a thought, and who has been mentioned so far."""

    speaker: Person
    partner: Person
    free: frozenset[Who]
    """Whose pronoun can mean nobody else; for both: whether "the two of them" is plain."""
    taken: bool
    """The speaker's pronoun is somebody else in this thought."""
    focus: Who | None = None
    """Who was a subject last, while nobody else has been mentioned."""
    subject: Who | None = None
    """The subject of the clause, if it is one of the two."""
    called: bool = False
    """That subject was a name."""
    doer: Who | None = None
    """Who is to do something in the clause: "wants him to wait"."""
    doer_at: int = -1
    """Where that was said."""
    last: Who | None = None
    """Who was mentioned last in the clause."""
    lead: Who | None = None
    """The subject of the latest clause that has one, if it is one of the two."""
    main: Who | None = None
    """The subject that begins the sentence, which a pronoun after a comma goes back to."""
    seen: dict[Who, int] = field(default_factory=dict)
    """Where each was mentioned last."""
    others: Others = field(default_factory=Others)

    def person(self, who: Who) -> Person:
        return self.speaker if who == "speaker" else self.partner

    def pronoun_fits(self, tokens: Sequence[Token], at: int, mention: Mention, *, again: bool) -> bool:
        """Whether the pronoun says who is meant; `again`: the person comes again, and not as an object."""
        who, case = mention.who, mention.case
        before, own = tokens[at - 1].word if at else "", follows(tokens, at) == "own"
        if who not in self.seen or case == "self":
            return who in self.seen
        back = max(self.seen[who], self.others.mark_at) if who == self.main else self.seen[who]
        crossed = self.others.since(back, self.person(who).pronoun) and not own
        if crossed and (case != "object" or self.lead is not None):
            return False  # "his brother wants his car"
        if who in self.free:
            return True
        if before in BEING and case == "object":
            return False  # "let me be me"
        other: Who = "partner" if who == "speaker" else "speaker"
        near = own or at - self.doer_at < 4  # "wants him to lower his price", but not "to shine before his friends"
        owner = who == self.focus if self.doer is None else who == self.doer and near
        if who == "speaker" and self.taken:
            return owner and case == "possessive"
        if self.person(who).pronoun == "they":
            alone = other not in self.seen and self.focus == who
            return not self.others.many and (alone or (owner and case in ("possessive", "own")))
        if case in ("possessive", "own"):
            return owner
        if case == "subject" or self.focus == who:
            return self.focus == who
        against = self.subject == other and self.called and before not in _PLACES
        return self.last == who or (against and not again)

    def pass_by(self, tokens: Sequence[Token], at: int, mention: Mention | None) -> None:
        """Notice what a word does to the clause, before it is told."""
        token, before = tokens[at], tokens[at - 1].word if at else ""
        clause = before in SAYING and not mention and token.word in DETERMINERS
        joined = before in ("and", "but", "or") and token.word in DETERMINERS
        owned = mention is not None and mention.case == "possessive" and before in SAYING
        after = follows(tokens, at)
        stranger = mention is None and token.word in OTHER_SUBJECTS
        stranger = stranger and (token.word != "it" or verbs.is_past(after) or after.endswith("s"))
        if _breaks(token) or clause or joined or owned or stranger:
            self.subject = self.doer = self.last = None  # another clause, so another subject
            self.others.clause_at = at
        begins = before in SAYING | SUBORDINATORS | {"and", "but"} or bool(MARK.search(token.gap))
        whose = mention is not None and mention.case == "possessive"
        if begins and (whose or stranger or token.word in DETERMINERS or several(tokens, at)):
            self.lead = None
        if before in ("and", "but") and verbs.is_past(token.word):
            self.doer = self.last = None
        if before in ("and", "but", "or") and self.focus not in (None, self.main) and self._leaves_off(tokens, at):
            self.focus = None
        if MARK.search(token.gap):
            self.others.mark_at = at
        if token.begins:
            self.main = None
        ends = re.search(r"[.!…]\s" if len(self.seen) < 2 else r"[.!…:;–—]\s", token.gap)
        met = mention is None and self.others.pass_by(tokens, at)
        if met or ends or (stranger and self.taken):
            self.focus = self.last = None

    def _leaves_off(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether a bare verb goes back behind the last subject: "wants to have what he has and be …"."""
        between = {token.word for token in tokens[self.seen[self.focus] : at]} if self.focus else set()
        return verbs.kind(tokens[at].word) == "verb" and not between & (verbs.MODALS | {"to", "do", "did", "not"})

    def may_be_another(self, case: Case) -> bool:
        """Whether a pronoun that ought to mean the partner may mean somebody else."""
        if self.others.may_be(self.partner.pronoun, done_to=case == "object" and self.lead is None):
            return True
        goes_on = self.lead == "partner" and case in ("subject", "possessive")
        return self.partner.pronoun == "they" and (self.others.people or (self.others.many and not goes_on))

    def note(self, tokens: Sequence[Token], at: int, mention: Mention, told: Token) -> None:
        """Remember who was mentioned last, and as what."""
        who = mention.who
        if who == "both":
            if self.partner.first in told.text:
                self.seen = {"speaker": at, "partner": at}
            self.focus = self.subject = self.doer = self.last = None
            return
        if mention.case == "subject" and not self.seen and not self.others.met:
            self.main = who
        self.seen[who] = at
        if mention.case == "subject" and told.role == "they" and tokens[at].word == "i":
            self.focus = self.subject = self.last = None  # one of two: "he and I"
        elif mention.case == "subject":
            self.focus, self.lead, self.subject = who, who, who if _main(tokens, at) else None
            self.called = self.called if not told.text else told.text in (self.speaker.first, self.partner.first)
        elif self.focus != who:
            self.focus = None
        self.last = who
        if self.doer not in (None, who):
            self.doer = None
        before, after = tokens[at - 1].word, follows(tokens, at)
        bidden = (before in BARE_TAKERS and verbs.is_base(after)) or (before in _BIDDING and after == "to")
        if mention.case == "object" and bidden:
            self.doer, self.doer_at = who, at


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
    if _two_persons(tokens, partner):
        raise Unsure(STRANGER)
    found = mentions(tokens, partner)
    told: list[Token] = []
    for at, token in enumerate(tokens):
        cast.pass_by(tokens, at, found.get(at))
        if at in found:
            token = _told(tokens, at, found, cast)
            cast.note(tokens, at, found[at], token)
            if _aside(tokens, at) or _runs_on(tokens, at, found):
                raise Unsure(LEFT)
            beside = at - 1 in found and token.role and token.gap == " " and told[-1].person == "whom"
            if beside and token.text in (speaker.first, partner.first):
                told.append(Token(" ", "that"))  # two names side by side: "will tell Pablo that Omar"
        told.append(token)
    return told


def _two_persons(tokens: Sequence[Token], partner: Person) -> bool:
    """Whether one sentence has a he and a you, who are hardly the same: "I think that he wants you to wait"."""
    met: set[str] = set()
    for token in tokens:
        met = {token.word} if token.begins else met | {token.word}
        if met & set(PRONOUNS[partner.pronoun]) and met & SECOND - {"yourself"}:
            return True
    return False


def _aside(tokens: Sequence[Token], at: int) -> bool:
    """Whether somebody is only spoken to, as in "you know" or "believe me" between two marks."""
    word, after = tokens[at].word, follows(tokens, at)
    begin, end = at, at + 1
    if (word, after) in {("you", "know"), ("you", "see"), ("i", "mean"), ("i", "say")}:
        end = at + 2
    elif at and tokens[at - 1].word in verbs.words("believe trust mind excuse thank forgive bless pardon"):
        begin = at - 1
    elif word != "me" or end == len(tokens) or tokens[end].word != "i":
        return False
    opened = begin == 0 or bool(MARK.search(tokens[begin].gap))
    return opened and (end == len(tokens) or bool(MARK.search(tokens[end].gap)))


def _runs_on(tokens: Sequence[Token], at: int, found: dict[int, Mention]) -> bool:
    """Whether a subject stands right beside the end of another clause: "if I were him I would"."""
    beside = found.get(at - 1)
    if not beside or found[at].case != "subject" or tokens[at].gap != " " or beside.case == "possessive":
        return False
    return at < 2 or tokens[at - 2].word not in _TELLING


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
    who, case, person = mention.who, mention.case, cast.person(mention.who)
    if mention.named:
        return tokens[at].text, False
    itself = case == "object" and not mention.unsure and _own_object(tokens, at, found)
    if who == "partner" and word in PRONOUNS[person.pronoun]:
        if word in ("they", "them") and _many(tokens, at):
            raise Unsure(BOTH)
        if itself or cast.may_be_another(case):
            raise Unsure(STRANGER)
    plain = who in cast.free and who in cast.seen
    if mention.unsure and not plain:
        raise Unsure(CASE)
    if case == "self" and not plain and not _reflexive(tokens, at, who, cast):
        raise Unsure(LEFT)
    later = [other for place, other in found.items() if place > at and other.who == who]
    again = any(other.case in ("subject", "possessive") for other in later)
    beside = found.get(at - 1)
    owns = case == "possessive" and beside is not None and (beside.who, beside.case) == (who, "object")
    if owns or (not itself and cast.pronoun_fits(tokens, at, mention, again=again)):
        text = PRONOUNS[person.pronoun][CASES.index(case)]
        return (tokens[at].text if word == "her" else text), person.pronoun == "they"
    if case == "self":
        raise Unsure(LEFT)
    return (f"{person.first}'s" if case in ("possessive", "own") else person.first), False


def _own_object(tokens: Sequence[Token], at: int, found: dict[int, Mention]) -> bool:
    """Whether the subject right before the verb is the same: "he told him", "I would choose me"."""
    if at < 2 or verbs.is_function_word(tokens[at - 1].word):
        return False
    subject, skipped = at - 2, verbs.MODALS | BEING | _HAVING
    while subject > 0 and (verbs.is_adverb(tokens[subject].word) or tokens[subject].word in skipped):
        subject -= 1
    first = found.get(subject)
    return first is not None and (first.who, first.case) == (found[at].who, "subject")


def _many(tokens: Sequence[Token], at: int) -> bool:
    """Whether a they is plainly more than one person."""
    crowd = {"everyone", "everybody", "people", "others", "someone", "somebody", "anyone", "anybody"}
    near = {follows(tokens, at), tokens[at - 2].word if at > 1 and tokens[at - 1].word == "of" else ""}
    return bool(near & {"both", "all", "each", "two"}) or bool(crowd & {token.word for token in tokens[:at]})


def _reflexive(tokens: Sequence[Token], at: int, who: Who, cast: _Cast) -> bool:
    """Whether a himself can only be whoever does it, or stands beside the other as in "him or myself"."""
    does = who in (cast.lead, cast.doer) or (who in cast.seen and follows(tokens, cast.seen[who]).endswith("ing"))
    if does and cast.last in (who, None):
        return True
    beside = at - 1 if not verbs.is_function_word(tokens[at - 1].word) else at - 2
    near = {tokens[place].word for place in (at - 1, beside) if place >= 0}
    return cast.lead == who and bool(near & {"and", "or", "nor", "but", "than", "not"})


def _both(tokens: Sequence[Token], at: int, mention: Mention, cast: _Cast) -> str:
    """How the two are called together."""
    if mention.case == "self":
        return "themselves"
    before = tokens[at - 1].word if at else ""
    of_us = before == "of" and mention.case == "object" and at > 1 and tokens[at - 2].word in _COUNTS
    plain = "both" in cast.free and (of_us or len(cast.seen) == 2)
    counted = of_us or follows(tokens, at) in ("both", "each", "two")
    more = follows(tokens, at) in ("all", "three", "four") or (
        before == "of" and not of_us and _counts_more(tokens, at)
    )
    if before == "let" or (of_us and not plain) or more or cast.others.met or cast.others.people:
        raise Unsure(BOTH)
    if plain and counted and mention.case in ("subject", "object"):
        return PRONOUNS["they"][CASES.index(mention.case)]
    if plain:
        return _TWO_OF_THEM[CASES.index(mention.case)]
    if mention.case == "possessive" and at and not verbs.is_function_word(before) and before not in SAYING:
        raise Unsure(BOTH)  # "take Omar and Pablo's son"
    names = f"{cast.speaker.first} and {cast.partner.first}"
    return f"{names}'s" if mention.case in ("possessive", "own") else names


def _counts_more(tokens: Sequence[Token], at: int) -> bool:
    return at > 1 and tokens[at - 2].word in verbs.words("all three four five most many some none half lot rest")


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
