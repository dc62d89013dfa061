"""Name or pronoun: each mention of the two people as a name, a pronoun, or nothing at all.

Where the two have different pronouns, he and she can be read in one way, unless there are others. Where they share
one, a pronoun stands for the subject of the clause, as long as nobody else has been mentioned since, and for the
other one as the object of a clause with a named subject: in "Pablo trusts him" he cannot be Pablo. They is read as
more than one person wherever more than one is at hand, so that whoever is called they has a name there. A subject
that comes again after and or but is left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from otherminds.studies.dialogue.third_person import verbs
from otherminds.studies.dialogue.third_person.bystanders import BEING
from otherminds.studies.dialogue.third_person.clauses import MARK, SAYING, follows, opens, word_after, word_before
from otherminds.studies.dialogue.third_person.mentions_so_far import SoFar, begin
from otherminds.studies.dialogue.third_person.pronouns import CASES, PRONOUNS, TWO_OF_THEM
from otherminds.studies.dialogue.third_person.tokens import Role, Token
from otherminds.studies.dialogue.third_person.unsure import BOTH, CASE, LEFT, STRANGER, Unsure
from otherminds.studies.dialogue.third_person.who_is_meant import Mention, Who
from otherminds.talks.talk import Person

Found = Mapping[int, Mention]

_TELLING = verbs.forms("promise assure remind warn show ask convince") | verbs.words("tell tells told telling")
_HAVING = verbs.words("have has had do does did don't doesn't didn't haven't hasn't hadn't")
_COUNTS = verbs.words("two both one neither either each which")
_COUNTS_MORE = verbs.words("all three four five most many some none half lot rest")


def name_people(tokens: Sequence[Token], found: Found, speaker: Person, partner: Person) -> list[Token]:
    """The tokens with each mention of the two as a name or a pronoun, subjects with their roles."""
    so_far = begin(tokens, speaker, partner)
    told: list[Token] = []
    for at, token in enumerate(tokens):
        so_far.pass_by(tokens, at, found.get(at))
        if at in found:
            token = _told(tokens, at, found, so_far)
            so_far.note(tokens, at, found[at], token)
            if _aside(tokens, at) or _runs_on(tokens, at, found):
                raise Unsure(LEFT)
            beside = at - 1 in found and token.role and token.gap == " " and told[-1].person == "whom"
            if beside and token.text in (speaker.first, partner.first):
                told.append(Token(" ", "that"))  # two names side by side: "will tell Pablo that Omar"
        told.append(token)
    return told


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


def _runs_on(tokens: Sequence[Token], at: int, found: Found) -> bool:
    """Whether a subject stands right beside the end of another clause: "if I were him I would"."""
    beside = found.get(at - 1)
    if not beside or found[at].case != "subject" or tokens[at].gap != " " or beside.case == "possessive":
        return False
    return at < 2 or tokens[at - 2].word not in _TELLING


def _told(tokens: Sequence[Token], at: int, found: Found, so_far: SoFar) -> Token:
    """One mention as a name or a pronoun, or as nothing where it repeats its subject."""
    mention, token = found[at], tokens[at]
    if mention.who == "both":
        text, plural = _both(tokens, at, mention, so_far), True
    elif _repeats(tokens, at, found, so_far):
        text, plural = "", not so_far.called and so_far.person(mention.who).pronoun == "they"
    else:
        text, plural = _one(tokens, at, found, so_far)
    if at == 0 or re.search(r"[.!…]\s", token.gap):
        text = text[:1].upper() + text[1:]
    if mention.case == "subject":
        return replace(token, text=text, role=_role(tokens, at, found, plural=plural))
    return replace(token, text=text, person="whose" if text.endswith("'s") or mention.case == "possessive" else "whom")


def _repeats(tokens: Sequence[Token], at: int, found: Found, so_far: SoFar) -> bool:
    """Whether the subject of "… and will wait" goes without saying."""
    mention = found[at]
    if at < 2 or mention.case != "subject" or so_far.subject != mention.who:
        return False
    joined = tokens[at - 1].word in ("and", "but") and tokens[at - 1].gap == tokens[at].gap == " "
    return joined and follows(tokens, at) not in ("", "and", "or")


def _one(tokens: Sequence[Token], at: int, found: Found, so_far: SoFar) -> tuple[str, bool]:
    """How one person is called, and whether that is a they."""
    mention, word = found[at], tokens[at].word
    case, person = mention.case, so_far.person(mention.who)
    if mention.named:
        return tokens[at].text, False
    itself = case == "object" and not mention.unsure and _own_object(tokens, at, found)
    if mention.who == "partner" and word in PRONOUNS[person.pronoun]:
        _refuse_a_stranger(tokens, at, mention, so_far, itself=itself)
    _refuse_unless_plain(tokens, at, mention, so_far)
    if _owns_beside(at, found) or (not itself and _pronoun_fits(tokens, at, found, so_far)):
        text = PRONOUNS[person.pronoun][CASES.index(case)]
        return (tokens[at].text if word == "her" else text), person.pronoun == "they"
    if case == "self":
        raise Unsure(LEFT)
    return (f"{person.first}'s" if case in ("possessive", "own") else person.first), False


def _refuse_a_stranger(tokens: Sequence[Token], at: int, mention: Mention, so_far: SoFar, *, itself: bool) -> None:
    """Give up on a pronoun that need not be the partner; `itself`: it would be done to whoever does it."""
    if tokens[at].word in ("they", "them") and _many(tokens, at):
        raise Unsure(BOTH)
    if itself or so_far.may_be_another(mention.case):
        raise Unsure(STRANGER)


def _refuse_unless_plain(tokens: Sequence[Token], at: int, mention: Mention, so_far: SoFar) -> None:
    """Give up on a her or himself that can be read in two ways."""
    if mention.who in so_far.free and mention.who in so_far.seen:
        return
    if mention.unsure:
        raise Unsure(CASE)
    if mention.case == "self" and not _reflexive(tokens, at, mention.who, so_far):
        raise Unsure(LEFT)


def _owns_beside(at: int, found: Found) -> bool:
    """Whether somebody was named right before: "cost her her job"."""
    mention, beside = found[at], found.get(at - 1)
    return mention.case == "possessive" and beside is not None and (beside.who, beside.case) == (mention.who, "object")


def _pronoun_fits(tokens: Sequence[Token], at: int, found: Found, so_far: SoFar) -> bool:
    later = [other for place, other in found.items() if place > at and other.who == found[at].who]
    again = any(other.case in ("subject", "possessive") for other in later)
    return so_far.pronoun_fits(tokens, at, found[at], again=again)


def _own_object(tokens: Sequence[Token], at: int, found: Found) -> bool:
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


def _reflexive(tokens: Sequence[Token], at: int, who: Who, so_far: SoFar) -> bool:
    """Whether a himself can only be whoever does it, or stands beside the other as in "him or myself"."""
    acting = who in so_far.seen and follows(tokens, so_far.seen[who]).endswith("ing")
    does = acting or who in (so_far.lead, so_far.doer)
    if does and so_far.last in (who, None):
        return True
    beside = at - 1 if not verbs.is_function_word(tokens[at - 1].word) else at - 2
    near = {tokens[place].word for place in (at - 1, beside) if place >= 0}
    return so_far.lead == who and bool(near & {"and", "or", "nor", "but", "than", "not"})


def _both(tokens: Sequence[Token], at: int, mention: Mention, so_far: SoFar) -> str:
    """How the two are called together."""
    if mention.case == "self":
        return "themselves"
    of_us = mention.case == "object" and _is_counted(tokens, at)
    plain = "both" in so_far.free and (of_us or len(so_far.seen) == 2)
    if (of_us and not plain) or _may_be_more(tokens, at, so_far, of_us=of_us):
        raise Unsure(BOTH)
    if not plain:
        return _both_names(tokens, at, mention, so_far)
    counted = of_us or follows(tokens, at) in ("both", "each", "two")
    forms = PRONOUNS["they"] if counted and mention.case in ("subject", "object") else TWO_OF_THEM
    return forms[CASES.index(mention.case)]


def _is_counted(tokens: Sequence[Token], at: int) -> bool:
    """Whether an us is two people by what stands before: "the two of us", "neither of us"."""
    return at > 1 and tokens[at - 1].word == "of" and tokens[at - 2].word in _COUNTS


def _may_be_more(tokens: Sequence[Token], at: int, so_far: SoFar, *, of_us: bool) -> bool:
    """Whether a we may be more than the two, or nobody yet: "all of us", "let us"."""
    before = word_before(tokens, at)
    if before == "let" or follows(tokens, at) in ("all", "three", "four"):
        return True
    counts_more = before == "of" and not of_us and at > 1 and tokens[at - 2].word in _COUNTS_MORE
    return counts_more or bool(so_far.others.met) or so_far.others.people


def _both_names(tokens: Sequence[Token], at: int, mention: Mention, so_far: SoFar) -> str:
    """The two by their names."""
    before = word_before(tokens, at)
    if mention.case == "possessive" and at and not verbs.is_function_word(before) and before not in SAYING:
        raise Unsure(BOTH)  # "take Omar and Pablo's son"
    names = f"{so_far.speaker.first} and {so_far.partner.first}"
    return f"{names}'s" if mention.case in ("possessive", "own") else names


def _role(tokens: Sequence[Token], at: int, found: Found, *, plural: bool) -> Role:
    """What the verbs of a subject must do, which depends on what stood there before."""
    if _first_half(tokens, at, found):
        return ""
    if at > 1 and tokens[at - 1].word in ("and", "or") and _second_half(tokens, at, found):
        return "they"
    word = tokens[at].word
    if found[at].who == "both" or (plural and word != "i"):
        return "they"
    if word in ("he", "she") or found[at].named:
        return "he"
    return "plural" if plural else "singular"


def _first_half(tokens: Sequence[Token], at: int, found: Found) -> bool:
    """Whether the verb belongs to the second of two subjects: "he and I"."""
    second = found.get(at + 2)
    if not second or word_after(tokens, at) not in ("and", "or") or tokens[at + 1].gap != " ":
        return False
    return second.case == "subject" and second.who != found[at].who


def _second_half(tokens: Sequence[Token], at: int, found: Found) -> bool:
    """Whether a subject is the second of two: "he and I", but not "I trust him and I"."""
    if tokens[at - 1].gap != " " or follows(tokens, at) in ("am", "was", "wasn't"):
        return False
    first = found.get(at - 2)
    if first and first.case == "subject" and first.who != found[at].who:
        return True
    noun = _noun_before_and(tokens, at, first)
    if noun is not None and (opens(tokens, noun) or tokens[noun - 1].word in ("think", "hope")):
        raise Unsure(BOTH)
    return False


def _noun_before_and(tokens: Sequence[Token], at: int, first: Mention | None) -> int | None:
    """Where a name or a noun begins that may share the verb: "Pablo and I", "my sister and I"."""
    if first:
        return at - 2 if first.named else None
    owned = at > 2 and tokens[at - 3].word in ("my", "his", "her", "their", "the", "our")
    return at - 3 if owned else None
