"""Mentions so far: who has been mentioned up to a word, and whether a pronoun there still says who is meant."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from otherminds.studies.dialogue.third_person import verbs
from otherminds.studies.dialogue.third_person.bystanders import BEING, DETERMINERS, Others, several
from otherminds.studies.dialogue.third_person.clauses import (
    BARE_TAKERS,
    MARK,
    OTHER_SUBJECTS,
    SAYING,
    SUBORDINATORS,
    follows,
    opens,
    word_before,
)
from otherminds.studies.dialogue.third_person.pronouns import PRONOUNS, Case
from otherminds.studies.dialogue.third_person.tokens import Token
from otherminds.studies.dialogue.third_person.who_is_meant import Mention, Who
from otherminds.talks.talk import Person

_PLACES = verbs.words("beside behind around near over under above below before after")
"""After these a pronoun may be the subject of its own clause: "he looked behind him"."""
_BIDDING = verbs.forms(
    "want need ask expect allow force urge persuade help order invite encourage remind warn advise convince prefer "
    "like love hate trust push press permit enable require train beg"
) | verbs.words("tell tells told get gets got teach teaches taught wish bid forbid forbids forbade beg begged")
"""Whom these are done to is to do something: "wants him to wait", but not "uses him to climb"."""


@dataclass(slots=True)
class SoFar:
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
        """Which of the two it is."""
        return self.speaker if who == "speaker" else self.partner

    # ---- whether a pronoun will do --------------------------------------------------------------------------------

    def pronoun_fits(self, tokens: Sequence[Token], at: int, mention: Mention, *, again: bool) -> bool:
        """Whether the pronoun says who is meant; `again`: the person comes again, and not as an object."""
        who, case = mention.who, mention.case
        if who not in self.seen or case == "self":
            return who in self.seen
        if self._somebody_came_between(tokens, at, mention):
            return False
        if who in self.free:
            return True
        if case == "object" and word_before(tokens, at) in BEING:
            return False  # "let me be me"
        owner = self._is_owner(tokens, at, who)
        if who == "speaker" and self.taken:
            return owner and case == "possessive"
        if self.person(who).pronoun == "they":
            return self._they_fits(mention, owner=owner)
        return owner if case in ("possessive", "own") else self._he_fits(tokens, at, mention, again=again)

    def _somebody_came_between(self, tokens: Sequence[Token], at: int, mention: Mention) -> bool:
        """Whether the pronoun may mean somebody mentioned since: "his brother wants his car"."""
        who = mention.who
        back = max(self.seen[who], self.others.mark_at) if who == self.main else self.seen[who]
        if follows(tokens, at) == "own" or not self.others.since(back, self.person(who).pronoun):
            return False
        return mention.case != "object" or self.lead is not None

    def _is_owner(self, tokens: Sequence[Token], at: int, who: Who) -> bool:
        """Whether what is somebody's is theirs: "wants him to lower his price", not "to shine before his friends"."""
        if self.doer is None:
            return who == self.focus
        return who == self.doer and (follows(tokens, at) == "own" or at - self.doer_at < 4)

    def _they_fits(self, mention: Mention, *, owner: bool) -> bool:
        """Whether a they can only be one person."""
        if self.others.many:
            return False
        alone = _other(mention.who) not in self.seen and self.focus == mention.who
        return alone or (owner and mention.case in ("possessive", "own"))

    def _he_fits(self, tokens: Sequence[Token], at: int, mention: Mention, *, again: bool) -> bool:
        """Whether a he or him can only be one of two who are both called so."""
        who = mention.who
        if mention.case == "subject" or self.focus == who:
            return self.focus == who
        against = self.subject == _other(who) and self.called and word_before(tokens, at) not in _PLACES
        return self.last == who or (against and not again)

    def may_be_another(self, case: Case) -> bool:
        """Whether a pronoun that ought to mean the partner may mean somebody else."""
        if self.others.may_be(self.partner.pronoun, done_to=case == "object" and self.lead is None):
            return True
        goes_on = self.lead == "partner" and case in ("subject", "possessive")
        return self.partner.pronoun == "they" and (self.others.people or (self.others.many and not goes_on))

    # ---- what each word changes -----------------------------------------------------------------------------------

    def pass_by(self, tokens: Sequence[Token], at: int, mention: Mention | None) -> None:
        """Notice what a word does to the clause, before it is told."""
        stranger = mention is None and _is_another_subject(tokens, at)
        if stranger or _clause_begins(tokens, at, mention):
            self.subject = self.doer = self.last = None  # another clause, so another subject
            self.others.clause_at = at
        if _may_begin(tokens, at) and (stranger or _noun_begins(tokens, at, mention)):
            self.lead = None
        self._pass_joined_verb(tokens, at)
        self._pass_mark(tokens[at], at)
        met = mention is None and self.others.pass_by(tokens, at)
        if met or self._sentence_ends(tokens[at]) or (stranger and self.taken):
            self.focus = self.last = None

    def _pass_mark(self, token: Token, at: int) -> None:
        """Notice a comma or a stop."""
        if MARK.search(token.gap):
            self.others.mark_at = at
        if token.begins:
            self.main = None

    def _pass_joined_verb(self, tokens: Sequence[Token], at: int) -> None:
        """Notice a verb after and, but or or, which may go back to an earlier subject."""
        before = word_before(tokens, at)
        if before in ("and", "but") and verbs.is_past(tokens[at].word):
            self.doer = self.last = None
        if before in ("and", "but", "or") and self.focus not in (None, self.main) and self._leaves_off(tokens, at):
            self.focus = None

    def _leaves_off(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether a bare verb goes back behind the last subject: "wants to have what he has and be …"."""
        between = {token.word for token in tokens[self.seen[self.focus] : at]} if self.focus else set()
        return verbs.kind(tokens[at].word) == "verb" and not between & (verbs.MODALS | {"to", "do", "did", "not"})

    def _sentence_ends(self, token: Token) -> bool:
        """Whether a pronoun does not reach back before a word; with both people in play it reaches less far."""
        return bool(re.search(r"[.!…]\s" if len(self.seen) < 2 else r"[.!…:;–—]\s", token.gap))

    def note(self, tokens: Sequence[Token], at: int, mention: Mention, told: Token) -> None:
        """Remember who was mentioned last, and as what."""
        who = mention.who
        if who == "both":
            if self.partner.first in told.text:
                self.seen = {"speaker": at, "partner": at}
            self.focus = self.subject = self.doer = self.last = None
            return
        if mention.case == "subject":
            self._note_subject(tokens, at, who, told)
        elif self.focus != who:
            self.focus = None
        self.seen[who] = at
        self.last = who
        if self.doer not in (None, who):
            self.doer = None
        if mention.case == "object" and _is_bidden(tokens, at):
            self.doer, self.doer_at = who, at

    def _note_subject(self, tokens: Sequence[Token], at: int, who: Who, told: Token) -> None:
        if not self.seen and not self.others.met:
            self.main = who
        if told.role == "they" and tokens[at].word == "i":
            self.focus = self.subject = None  # one of two: "he and I"
            return
        self.focus, self.lead, self.subject = who, who, who if _goes_on_with_and(tokens, at) else None
        if told.text:
            self.called = told.text in (self.speaker.first, self.partner.first)


def begin(tokens: Sequence[Token], speaker: Person, partner: Person) -> SoFar:
    """Nobody mentioned yet, and whose pronoun is free in this thought."""
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
    return SoFar(speaker, partner, frozenset(free), taken)


def _other(who: Who) -> Who:
    return "partner" if who == "speaker" else "speaker"


def _is_another_subject(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word is a subject and none of the two; it is one where its verb follows."""
    word, after = tokens[at].word, follows(tokens, at)
    return word in OTHER_SUBJECTS and (word != "it" or verbs.is_past(after) or after.endswith("s"))


def _clause_begins(tokens: Sequence[Token], at: int, mention: Mention | None) -> bool:
    """Whether another clause begins, as far as two words tell."""
    token, before = tokens[at], word_before(tokens, at)
    if MARK.search(token.gap) or token.word in SUBORDINATORS:
        return True
    if before in SAYING and mention:
        return mention.case == "possessive"
    return before in SAYING | {"and", "but", "or"} and token.word in DETERMINERS


def _may_begin(tokens: Sequence[Token], at: int) -> bool:
    """Whether a clause may begin after the word or the mark that stands before."""
    return word_before(tokens, at) in SAYING | SUBORDINATORS | {"and", "but"} or bool(MARK.search(tokens[at].gap))


def _noun_begins(tokens: Sequence[Token], at: int, mention: Mention | None) -> bool:
    """Whether a word belongs to a noun, which then is the subject."""
    whose = mention is not None and mention.case == "possessive"
    return whose or tokens[at].word in DETERMINERS or several(tokens, at)


def _is_bidden(tokens: Sequence[Token], at: int) -> bool:
    """Whether an object is to do something: "made him wait", "wants him to wait"."""
    before, after = tokens[at - 1].word, follows(tokens, at)
    return (before in BARE_TAKERS and verbs.is_base(after)) or (before in _BIDDING and after == "to")


def _goes_on_with_and(tokens: Sequence[Token], at: int) -> bool:
    """Whether a subject begins a clause that can go on with and; one that belongs to a noun or to than cannot."""
    before = word_before(tokens, at)
    if before == "that" and tokens[at].gap == " " and at > 1:
        ahead = tokens[at - 2].word
        return ahead in SAYING or ahead in ("and", "but", "so") or verbs.is_base(ahead)
    return before not in ("than", "as") and (opens(tokens, at) or before in SAYING)
