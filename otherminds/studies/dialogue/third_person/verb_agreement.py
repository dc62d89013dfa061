"""Verb agreement: after a subject has been replaced, its verbs follow it into the third person.

The verb right after the subject is found by its place. A verb joined to it by and, but or or is harder: "I hear her
and worry" becomes worries, "I want to stop and think" stays, and "anger and worry" holds no verb at all. So every
clause remembers its subject and whether a form that takes a bare verb (to stop, will stop) is open; where that does
not settle it, the text is given up rather than guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from otherminds.studies.dialogue.third_person import verbs
from otherminds.studies.dialogue.third_person.clauses import (
    COORDINATORS,
    OTHER_SUBJECTS,
    SUBORDINATORS,
    next_word,
    word_after,
    word_before,
)
from otherminds.studies.dialogue.third_person.tokens import Token
from otherminds.studies.dialogue.third_person.unsure import JOINED, TENSE, VERB, Unsure


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


_OBJECTS = {"me", "him", "her", "them", "us", "it", "you", "myself", "himself", "herself", "themselves", "itself"}
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


# ---- the verb right after its subject -----------------------------------------------------------------------------


def _subject(tokens: Sequence[Token], at: int, clause: _Clause, told: list[Token]) -> _Clause:
    """The clause that a subject begins, its verb put right."""
    role = tokens[at].role
    # "… and I hope" stands beside what came before, not inside it.
    beside = word_before(tokens, at) in COORDINATORS
    outer = not beside and (clause.takes_bare or clause.outer_takes_bare)
    new = _Clause(role, outer_takes_bare=outer, changed=clause.changed or role == "singular")
    if role in ("he", "they"):
        return new
    if _inverted(tokens, at):
        told[at - 1] = replace(tokens[at - 1], text=_form(tokens, at, at - 1))
        return replace(new, takes_bare=True)
    verb = _verb_of(tokens, at)
    if verb is None:
        return new
    told[verb] = replace(tokens[verb], text=_form(tokens, at, verb))
    word = tokens[verb].word
    return replace(new, verb=word, verb_at=verb, takes_bare=_opens_bare(tokens, verb), either=word == "don't")


def _verb_of(tokens: Sequence[Token], at: int) -> int | None:
    """Where the verb of a subject is, if it has one: "… more than I." has none."""
    verb = next_word(tokens, at + 1)
    if verb is None or (word_before(tokens, at) == "than" and tokens[verb].gap != " "):
        return None
    if verb == at + 1 and tokens[verb].gap != " ":
        raise Unsure(VERB)  # "I, as a nurse, want"
    return verb


def _opens_bare(tokens: Sequence[Token], verb: int) -> bool:
    """Whether a bare verb comes after this one: "will stop", "don't stop", "do care"."""
    word, following = tokens[verb].word, next_word(tokens, verb + 1)
    helps = word in ("do", "did") and following is not None and verbs.is_base(tokens[following].word)
    return word in verbs.MODALS or word in ("don't", "didn't") or helps


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
    before, after = word_before(tokens, subject), word_after(tokens, verb)
    if _keeps_its_form(word, before, after):
        return tokens[verb].text
    if word in verbs.UNCHANGED and before not in _PRESENT_AFTER:
        raise Unsure(TENSE)
    if _is_no_verb(tokens, verb):
        raise Unsure(VERB)
    return verbs.third(word)


def _keeps_its_form(word: str, before: str, after: str) -> bool:
    """Whether a verb is the same for every person: "I went", "if I were", "I need not"."""
    supposed = word == "were" and before in ("if", "though", "wish", "unless")
    return verbs.is_past(word) or supposed or (word in ("need", "dare") and after == "not")


def _is_no_verb(tokens: Sequence[Token], verb: int) -> bool:
    """Whether what stands in the place of a verb is hardly one: "I sure hope", "I better go"."""
    word, after = tokens[verb].word, word_after(tokens, verb)
    known = word in verbs.SINGULAR or verbs.is_base(word)
    if word in _NO_VERBS or (word == "sort" and after == "of"):
        return True
    if verbs.is_base(after) and tokens[verb + 1].gap == " " and (not known or verbs.is_adjective(word)):
        return True
    return not known and (_looks_strange(word) or verbs.is_function_word(word))


def _looks_strange(word: str) -> bool:
    """Whether no base form of a verb is written so."""
    return not word.isalpha() or word.endswith("ing") or (word.endswith("s") and not word.endswith("ss"))


# ---- what the other words do to the clause ------------------------------------------------------------------------


def _pass(tokens: Sequence[Token], at: int, clause: _Clause) -> _Clause:
    """The clause after a word that is no replaced subject."""
    word = tokens[at].word
    if _begins_another(tokens, at):
        outer = clause.takes_bare or clause.outer_takes_bare
        return _Clause(OTHER_SUBJECTS.get(word, "other"), outer_takes_bare=outer, changed=clause.changed)
    if word in verbs.MODALS or (word == "to" and not verbs.is_function_word(word_after(tokens, at))):
        return replace(clause, takes_bare=True, either=False)
    if clause.takes_bare:
        return clause
    if clause.verb in _BARE_TAKERS and verbs.is_base(word) and _is_whom(tokens[at - 1]):
        return replace(clause, takes_bare=True, either=True)
    if clause.role == "other" and verbs.kind(word) == "verb":
        return replace(clause, role="they")  # a noun with such a verb is more than one: "her words come"
    return clause


def _begins_another(tokens: Sequence[Token], at: int) -> bool:
    """Whether a word begins a clause with another subject."""
    word, after = tokens[at].word, word_after(tokens, at)
    if word in SUBORDINATORS or (word == "so" and "," in tokens[at].gap):
        return True
    return word in OTHER_SUBJECTS and (word != "it" or verbs.is_past(after) or after.endswith("s"))


# ---- verbs that are joined to the subject -------------------------------------------------------------------------


def _join(tokens: Sequence[Token], at: int, clause: _Clause, told: list[Token]) -> None:
    """Put a verb right that is joined to the subject of its clause, or one further out."""
    joined = tokens[at].word in COORDINATORS
    if joined and [token.word for token in tokens[at + 1 : at + 3]] in (["long", "for"], ["long", "to"]):
        raise Unsure(JOINED)
    verb = _joined_word(tokens, at, joined=joined)
    if verb is None:
        return
    word = tokens[verb].word
    if clause.role == "plural":
        told[verb] = replace(tokens[verb], text=verbs.PLURAL.get(word, tokens[verb].text))
    elif clause.changed and clause.role != "they" and _takes_ending(tokens, at, verb, clause, joined=joined):
        if clause.role != "singular" or clause.outer_takes_bare:
            raise Unsure(JOINED)
        told[verb] = replace(tokens[verb], text=verbs.third(word))


def _joined_word(tokens: Sequence[Token], at: int, *, joined: bool) -> int | None:
    """Where the word is that may be a verb after and, but, or or a comma."""
    verb = next_word(tokens, at + 1 if joined else at)
    if verb is None or tokens[verb].role or tokens[verb].person:
        return None
    if tokens[verb].text[0].isupper() or (verb > at + 1 and "," in tokens[verb].gap):
        return None  # a name is no verb
    word, before = tokens[verb].word, tokens[verb - 1].word
    if before in _BEFORE_ADJECTIVES or (before in ("so", "neither", "nor") and word in verbs.SINGULAR):
        return None  # "however dull", "so do my friends"
    return verb


def _takes_ending(tokens: Sequence[Token], at: int, verb: int, clause: _Clause, *, joined: bool) -> bool:
    """Whether a word is a verb that shares the subject, and must follow it."""
    word = tokens[verb].word
    if word in ("am", "are", "don't", "haven't", "aren't"):
        return True
    if word in ("do", "have") and word_after(tokens, verb) == "not":
        return True
    bare = clause.takes_bare or (clause.role != "singular" and clause.outer_takes_bare)
    if joined:
        _refuse_two_readings(tokens, verb, bare=bare)
    if verbs.kind(word) == "no" or (bare and _stays_bare(tokens[at].word, clause)):
        return False
    return _shares_subject(tokens, at, verb, clause, joined=joined)


def _refuse_two_readings(tokens: Sequence[Token], verb: int, *, bare: bool) -> None:
    """Give up on a joined word that may go with the subject as well as with something else."""
    word = tokens[verb].word
    if word == "like" or (bare and _has_own_time(tokens, verb)):
        raise Unsure(JOINED)  # "I have to go and have told him"
    if word in verbs.UNCHANGED and not bare:
        raise Unsure(TENSE)


def _stays_bare(coordinator: str, clause: _Clause) -> bool:
    """Whether a joined verb goes with the bare one before it: "I will wait and see"."""
    if not clause.either or coordinator in ("or", "nor"):
        return True
    if coordinator == "and":
        raise Unsure(JOINED)
    return False


def _shares_subject(tokens: Sequence[Token], at: int, verb: int, clause: _Clause, *, joined: bool) -> bool:
    """Whether a word that nothing bare takes is a verb of the subject, and no noun or adjective."""
    word = tokens[verb].word
    kind = verbs.kind(word)
    if kind == "verb" or (joined and at - 1 == clause.verb_at):
        return True
    if _stands_as_verb(tokens, at, verb):
        if kind == "maybe":
            return True
        unsure = joined
    else:
        # A list of things goes on with commas, and a noun after he is a noun; after I it could be a verb as well.
        state = clause.verb in _LINKING and verbs.is_adjective(word)
        unsure = joined and kind == "maybe" and clause.role == "singular" and not state
    if unsure:
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
    after = tokens[verb + 1] if verb + 1 < len(tokens) else Token("", "")
    if after.gap == " " and _object_begins(after):
        return True
    before = tokens[at - 1].word
    return _is_whom(tokens[at - 1]) or before in _PARTICLES or verbs.is_past(before) or before.endswith("ly")


def _is_whom(token: Token) -> bool:
    return token.person == "whom" or token.word in _OBJECTS


def _object_begins(token: Token) -> bool:
    return bool(token.person) or token.word in _DETERMINERS or token.word in _OBJECTS
