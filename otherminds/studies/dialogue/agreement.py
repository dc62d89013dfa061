"""Agreement: after a subject has been replaced, its verbs follow it into the third person.

The verb right after the subject is found by its place. A verb joined to it by and, but or or is harder: "I hear her
and worry" becomes worries, "I want to stop and think" stays, and "anger and worry" holds no verb at all. So every
clause remembers its subject and whether a form that takes a bare verb (to stop, will stop) is open; where that does
not settle it, the text is given up rather than guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from otherminds.studies.dialogue import verbs

Role = Literal["", "singular", "plural", "he", "they"]
"""What a subject asks of its verbs: third person, are for am, or nothing (it was he, or they, before)."""


class Unsure(Exception):
    """The rules cannot tell how a text goes on in the third person; the reason is one of a few."""


TENSE = "a verb whose tense cannot be told"
VERB = "a subject whose verb cannot be found"
JOINED = "a word after and, but or or that may be a verb"


@dataclass(frozen=True, slots=True)
class Token:
    """A word with what stands before it; a subject that was replaced has a role."""

    gap: str
    text: str
    role: Role = ""
    person: Literal["", "whom", "whose"] = ""
    """One of the two people, and not as a subject."""

    @property
    def word(self) -> str:
        """The word as dictionaries have it."""
        return self.text.casefold().replace("’", "'")

    @property
    def begins(self) -> bool:
        """Whether a sentence ends before it."""
        return re.search(r"[.!?…;:]\s", self.gap) is not None


@dataclass(frozen=True, slots=True)
class _Clause:
    role: str = ""
    verb: str = ""
    verb_at: int = -1
    takes_bare: bool = False
    """A modal or an infinitive is open: a verb that is joined to it stays bare."""
    either: bool = False
    """A verb that is joined may as well go with the subject: "I don't … but like", "I let him talk and think"."""
    outer_takes_bare: bool = False
    changed: bool = False
    """A subject of this sentence was put into the third person."""


COORDINATORS = {"and", "but", "or", "nor", "yet"}
SUBORDINATORS = verbs.words(
    "that because if when while since unless whether although though until before after as how why where what who "
    "whom which whose whatever whenever once than lest whereas"
)
OTHER_SUBJECTS = {"he": "he", "she": "he", "it": "he", "they": "they", "we": "they"}
OBJECTS = {"me", "him", "her", "them", "us", "it", "you", "myself", "himself", "herself", "themselves", "itself"}
_DETERMINERS = verbs.words("a an the this these those my your his her its our their each every some any no both")
_PARTICLES = verbs.words("up out back off down away over on in here there now again alone today tomorrow")
_BARE_TAKERS = verbs.words("let lets make makes made help helps see sees saw hear hears heard watch watches have has")
_OF_NOW = verbs.words("want need know doubt suspect owe resent dread")
"""After "to go and …" these hardly go on with the infinitive."""
_OF_MIND = verbs.words("hope fear wish feel think guess expect mean hate love regret believe suppose trust prefer")
_NO_VERBS = verbs.words("gotta wanna gonna kinda sorta dunno kind deep sure damn")
_LINKING = {"feel", "am", "are", "be", "seem", "become", "sound", "look", "remain", "stay", "was", "were", "felt"}
_BEFORE_ADJECTIVES = {"however", "very", "too"}
_PRESENT_AFTER = {"if", "when", "whenever", "unless", "until", "once", "time"}


def agree(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with every verb in the form that its new subject wants."""
    told, clause = list(tokens), _Clause()
    for at, token in enumerate(tokens):
        if token.begins or at == 0:
            clause = _Clause()
            if _bids(tokens, at):
                raise Unsure(VERB)
        if token.role:
            clause = _subject(tokens, at, clause, told)
            continue
        if token.word in COORDINATORS or "," in token.gap:
            _join(tokens, at, clause, told)
        clause = _pass(tokens, at, clause)
    return told


def _bids(tokens: Sequence[Token], at: int) -> bool:
    """Whether a sentence begins with its verb: "Tell him", "Hope he comes"."""
    kind = verbs.kind(tokens[at].word)
    after = tokens[at + 1] if at + 1 < len(tokens) else Token("", "")
    takes = after.gap == " " and (_object_begins(after) or bool(after.role) or after.word == "to")
    return not tokens[at].role and (kind == "verb" or (kind == "maybe" and takes))


def next_word(tokens: Sequence[Token], at: int) -> int | None:
    """Where the next word is that is no adverb, if it is in the same sentence."""
    while at < len(tokens) and not tokens[at].begins:
        if not verbs.is_adverb(tokens[at].word) and not tokens[at].word.endswith(("self", "selves")):
            return at
        at += 1
    return None


def _subject(tokens: Sequence[Token], at: int, clause: _Clause, told: list[Token]) -> _Clause:
    """The clause that a subject begins, its verb put right."""
    role = tokens[at].role
    # "… and I hope" stands beside what came before, not inside it.
    beside = at > 0 and tokens[at - 1].word in COORDINATORS
    outer = not beside and (clause.takes_bare or clause.outer_takes_bare)
    new = _Clause(role, outer_takes_bare=outer, changed=clause.changed or role == "singular")
    if role in ("he", "they"):
        return new
    if _inverted(tokens, at):
        told[at - 1] = replace(tokens[at - 1], text=_form(tokens, at, at - 1))
        return replace(new, takes_bare=True)
    verb = next_word(tokens, at + 1)
    if verb is None or (at > 0 and tokens[at - 1].word == "than" and tokens[verb].gap != " "):
        return new  # "… more than I."
    if verb == at + 1 and tokens[verb].gap != " ":
        raise Unsure(VERB)  # "I, as a nurse, want"
    told[verb] = replace(tokens[verb], text=_form(tokens, at, verb))
    word = tokens[verb].word
    following = next_word(tokens, verb + 1)
    helps = word in ("do", "did") and following is not None and verbs.is_base(tokens[following].word)
    bare = word in verbs.MODALS or word in ("don't", "didn't") or helps
    return replace(new, verb=word, verb_at=verb, takes_bare=bare, either=word == "don't")


def _pass(tokens: Sequence[Token], at: int, clause: _Clause) -> _Clause:
    """The clause after a word that is no replaced subject."""
    word = tokens[at].word
    follows = tokens[at + 1].word if at + 1 < len(tokens) else ""
    subject = word in OTHER_SUBJECTS and (word != "it" or verbs.is_past(follows) or follows.endswith("s"))
    if subject or word in SUBORDINATORS or (word == "so" and "," in tokens[at].gap):
        outer = clause.takes_bare or clause.outer_takes_bare
        return _Clause(OTHER_SUBJECTS.get(word, "other"), outer_takes_bare=outer, changed=clause.changed)
    to = word == "to" and not verbs.is_function_word(follows)
    if to or word in verbs.MODALS:
        return replace(clause, takes_bare=True, either=False)
    whom = tokens[at - 1].person == "whom" or tokens[at - 1].word in OBJECTS
    if whom and verbs.is_base(word) and clause.verb in _BARE_TAKERS and not clause.takes_bare:
        return replace(clause, takes_bare=True, either=True)
    if clause.role == "other" and not clause.takes_bare and verbs.kind(word) == "verb":
        return replace(clause, role="they")  # a noun with such a verb is more than one: "her words come"
    return clause


def _inverted(tokens: Sequence[Token], at: int) -> bool:
    """Whether the verb stands before its subject: "nor do I", "should I"."""
    if at == 0 or tokens[at].gap != " ":
        return False
    if tokens[at - 1].word not in verbs.MODALS | {"am", "do", "have", "was", "had", "did", "don't", "are", "were"}:
        return False
    before = tokens[at - 2] if at > 1 else None
    return before is None or not (before.role or before.word in OTHER_SUBJECTS or before.word in verbs.MODALS)


def _form(tokens: Sequence[Token], subject: int, verb: int) -> str:
    """What the verb becomes after its new subject."""
    word = tokens[verb].word
    if word in verbs.FIRST_PERSON:
        return verbs.FIRST_PERSON[word]
    if tokens[subject].role == "plural":
        return verbs.PLURAL.get(word, tokens[verb].text)
    before = tokens[subject - 1].word if subject else ""
    follows = tokens[verb + 1].word if verb + 1 < len(tokens) else ""
    supposed = word == "were" and before in ("if", "though", "wish", "unless")
    if verbs.is_past(word) or supposed or (word in ("need", "dare") and follows == "not"):
        return tokens[verb].text
    if word in verbs.UNCHANGED and before not in _PRESENT_AFTER:
        raise Unsure(TENSE)
    known = word in verbs.SINGULAR or verbs.is_base(word)
    strange = not word.isalpha() or word.endswith("ing") or (word.endswith("s") and not word.endswith("ss"))
    helps = verbs.is_base(follows) and tokens[verb + 1].gap == " " and (not known or verbs.is_adjective(word))
    spoken = word in _NO_VERBS or (word == "sort" and follows == "of") or helps  # "I sure hope", "I better go"
    if spoken or (not known and (strange or verbs.is_function_word(word))):
        raise Unsure(VERB)
    return verbs.third(word)


def _join(tokens: Sequence[Token], at: int, clause: _Clause, told: list[Token]) -> None:
    """Put a verb right that is joined to the subject of its clause, or one further out."""
    joined = tokens[at].word in COORDINATORS
    beyond = [token.word for token in tokens[at + 1 : at + 3]]
    if joined and beyond in (["long", "for"], ["long", "to"]):
        raise Unsure(JOINED)
    verb = next_word(tokens, at + 1 if joined else at)
    if verb is None or tokens[verb].role or tokens[verb].person:
        return
    if tokens[verb].text[0].isupper() or (verb > at + 1 and "," in tokens[verb].gap):
        return  # a name is no verb
    word, before = tokens[verb].word, tokens[verb - 1].word
    if before in _BEFORE_ADJECTIVES or (before in ("so", "neither", "nor") and word in verbs.SINGULAR):
        return  # "however dull", "so do my friends"
    if clause.role == "plural":
        told[verb] = replace(tokens[verb], text=verbs.PLURAL.get(word, tokens[verb].text))
    elif clause.changed and clause.role != "they" and _takes_ending(tokens, at, verb, clause, joined=joined):
        if clause.role != "singular" or clause.outer_takes_bare:
            raise Unsure(JOINED)
        told[verb] = replace(tokens[verb], text=verbs.third(word))


def _takes_ending(tokens: Sequence[Token], at: int, verb: int, clause: _Clause, *, joined: bool) -> bool:
    """Whether a word is a verb that shares the subject, and must follow it."""
    word = tokens[verb].word
    follows = tokens[verb + 1].word if verb + 1 < len(tokens) else ""
    if word in ("am", "are", "don't", "haven't", "aren't") or (word in ("do", "have") and follows == "not"):
        return True
    if word == "like" and joined:
        raise Unsure(JOINED)
    kind = verbs.kind(word)
    bare = clause.takes_bare or (clause.role != "singular" and clause.outer_takes_bare)
    if bare and joined and _has_own_time(tokens, verb):
        raise Unsure(JOINED)  # "I have to go and have told him"
    if joined and word in verbs.UNCHANGED and not bare:
        raise Unsure(TENSE)
    if kind == "no" or (bare and not clause.either) or (bare and tokens[at].word in ("or", "nor")):
        return False
    if bare and tokens[at].word == "and":
        raise Unsure(JOINED)
    if kind == "verb" or (joined and at - 1 == clause.verb_at):
        return True
    plainly = _stands_as_verb(tokens, at, verb)
    if kind == "maybe" and plainly:
        return True
    if clause.verb in _LINKING and verbs.is_adjective(word) and not plainly:
        return False
    # A list of things goes on with commas, and a noun after he is a noun; after I it could be a verb as well.
    if not joined or (kind == "maybe" and clause.role != "singular"):
        return False
    if kind == "maybe" or plainly:
        raise Unsure(JOINED)
    return False


def _has_own_time(tokens: Sequence[Token], verb: int) -> bool:
    """Whether a bare verb rather tells what is so now than what is to be done."""
    word, after = tokens[verb].word, tokens[verb + 1] if verb + 1 < len(tokens) else Token("", "")
    if word == "have":
        return after.word == "to" or verbs.is_participle(after.word)
    if word == "do":
        return verbs.kind(after.word) == "verb" or (verbs.is_base(after.word) and not verbs.is_adjective(after.word))
    clause = bool(after.role) or after.word in ("that", "to", "he", "she", "they", "we")
    return word in _OF_NOW or (word in _OF_MIND and clause)


def _stands_as_verb(tokens: Sequence[Token], at: int, verb: int) -> bool:
    """Whether its neighbours rule out that a word is a noun or an adjective."""
    follows = tokens[verb + 1].word if verb + 1 < len(tokens) and not tokens[verb + 1].begins else ""
    before = tokens[at - 1].word
    takes_object = bool(follows) and tokens[verb + 1].gap == " " and _object_begins(tokens[verb + 1])
    whom = tokens[at - 1].person == "whom" or before in OBJECTS | _PARTICLES
    return takes_object or whom or verbs.is_past(before) or before.endswith("ly")


def _object_begins(token: Token) -> bool:
    return bool(token.person) or token.word in _DETERMINERS or token.word in OBJECTS
