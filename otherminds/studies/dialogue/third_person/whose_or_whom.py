"""Whose or whom: what "her", "you" and a name do in a clause, where that is plain."""

from __future__ import annotations

import re
from collections.abc import Sequence

from otherminds.studies.dialogue.third_person import verbs
from otherminds.studies.dialogue.third_person.clauses import (
    BARE_TAKERS,
    SAYING,
    follows,
    next_word,
    opens,
    word_before,
)
from otherminds.studies.dialogue.third_person.pronouns import Case
from otherminds.studies.dialogue.third_person.tokens import Token
from otherminds.studies.dialogue.third_person.unsure import CASE, Unsure

_TAKE_TWO = verbs.forms(
    "offer promise grant spare cause deny forgive hand pass allow charge refuse earn cook bake play serve pour "
    "order owe save ask show wish assign award guarantee mail email text name appoint elect call help watch leave "
    "have make"
) | verbs.words(
    "give gives gave giving tell tells told telling send sends sent lend lends lent pay pays paid cost costs teach "
    "teaches taught bring brings brought buy buys bought made keep keeps kept keeping left find finds found get "
    "gets got getting let lets letting see sees saw seeing hear hears heard hearing has had write writes wrote "
    "writing read reads sell sells sold build builds built sing sings sang throw throws threw win wins won choose "
    "chooses chose feed feeds fed deal deals dealt fetch fetches do does did seen given shown written chosen thrown "
    "sung done"
)
"""After these, "her" may be a person to whom something is given as well as whose it is."""
_TAKE_STATES = verbs.forms(
    "want need like love prefer believe consider prove turn pull push declare judge imagine expect suppose render "
    "paint scare remember dress pronounce treat"
) | verbs.words("think thinks thought drive drives drove hold holds held set sets strike strikes struck cut cuts feel")
"""After these, "her" may be somebody in some state: "I want her happy"."""
_PREPOSITIONS = verbs.words("with to for of about from at on by between behind against around near without toward")
_BEFORE_THINGS = _PREPOSITIONS - {"with", "without"} | {"outside", "inside", "beside", "under", "over", "into", "in"}

_ONLY_CLAUSES = verbs.words("because if when while unless whether although though why what who which whose that how")
"""After these a clause begins, in which "her" can only be whose something is."""
_FINITE = verbs.words("is are was were has had does did would could should must isn't wasn't won't can't")
_EITHER_WAY = verbs.words(
    "more most less still well once then far much late even very past half one every inside outside"
)
"""After "her" these may belong to it as well as to the verb."""
_RANKS = verbs.words("first next last best only later long further two three four five six seven eight nine ten")
"""After "her" these belong to it where a thing follows: "her last hope", but "saw her last week"."""
TIMES = verbs.words(
    "easter christmas second seconds minute minutes hour hours day days night nights week weeks weekend month "
    "months year years morning evening afternoon spring summer autumn winter time times thing door monday tuesday "
    "wednesday thursday friday saturday sunday january february march april may june july august september october "
    "november december"
)
_CLOSING = verbs.words("again yesterday today tomorrow tonight here there away alone soon anyway instead together")
_ELSEWHERE = verbs.words(
    "home back everywhere somewhere anywhere nowhere elsewhere upstairs downstairs abroad overseas indoors outdoors "
    "overnight halfway straight sideways backwards forwards apiece sooner better worse harder faster longer hard "
    "fast straightaway nonetheless regardless otherwise double second gone alive asleep awake afraid aware ashamed "
    "glad unable ill unwell alright okay involved prisoner hostage captive responsible accountable someday nowadays "
    "tooth hands noon come"
)
"""After "her" these say where, when or how, or in which state she is."""
_STATE_ENDINGS = ("ful", "ous", "able", "ible", "less", "ish")
_THINGS = verbs.words(
    "job story idea name house flat car money brother sister mother father son daughter husband wife friend child "
    "boss voice face heart soul hand eye word body life opinion advice secret dog cat room bed key book letter "
    "number office desk shop business company team family recipe ticket seat garden bike boat side part permission "
    "blessing approval consent talent skill art song music poem style taste attention patience courage judgement "
    "law tone manner gift luck pain"
)
_THING_ENDINGS = ("ness", "tion", "sion", "ment", "ity", "ship", "ance", "ence", "hood", "ism", "ure", "age", "dom")


def her_case(tokens: Sequence[Token], at: int) -> Case | None:
    """Whether "her" is whose something is, or whom something is done to, if that is plain."""
    word, before = follows(tokens, at), word_before(tokens, at)
    if not word:
        return "object"
    after = follows(tokens, at + 1)
    if word in ("own", "other") or _begins_a_clause(tokens, at):
        return "possessive"
    if _goes_either_way(word):
        return None
    if word in _RANKS:
        hers = _thing(after)
    elif _is_small(word):
        return _case_before_small(word, after)
    elif before in BARE_TAKERS and verbs.kind(word) == "verb":
        return "object"
    else:
        hers = _thing_begins(word, after, before)
    return "possessive" if hers and before not in _TAKE_TWO else None


def _begins_a_clause(tokens: Sequence[Token], at: int) -> bool:
    """Whether nothing can be done to "her" yet, since its clause begins there."""
    return at == 0 or tokens[at].gap != " " or tokens[at - 1].word in _ONLY_CLAUSES


def _goes_either_way(word: str) -> bool:
    """Whether a word after "her" may belong to it as well as to the verb."""
    return word in _EITHER_WAY or word.endswith("ing") or (word.endswith("ly") and verbs.is_adverb(word))


def _is_small(word: str) -> bool:
    """Whether a word is neither a thing nor what is said of one."""
    return word in _FINITE or verbs.is_function_word(word) or verbs.is_adverb(word)


def _case_before_small(word: str, after: str) -> Case | None:
    """What "her" is before a small word, if that is plain."""
    if word in _FINITE:
        return "object"  # "what is good for her is"
    if verbs.is_function_word(word):
        return None if word in ("no", "all") and not after else "object"
    return "object" if word in _CLOSING or _closes(after) else None


def _thing_begins(word: str, after: str, before: str) -> bool:
    """Whether what follows "her" is hers, and nothing that is said of her."""
    if before in SAYING and _is_finite(after):
        return True  # "I think her plan is"
    if before in _BEFORE_THINGS and (word in ("home", "back", "time") or word in _THINGS):
        return True
    if _is_said_of_her(word, after):
        return False
    if _state(word):
        return _thing(after) or (word in _THINGS and before not in _TAKE_STATES)
    return before not in _TAKE_STATES or _thing(word, surely=True)


def _is_finite(word: str) -> bool:
    return word in verbs.MODALS or word in verbs.SINGULAR.values() or word in ("was", "had", "did")


def _is_said_of_her(word: str, after: str) -> bool:
    """Whether a word after "her" tells what she does, or where, when or how."""
    acts = word in verbs.PAST or word in verbs.MODALS or verbs.kind(word.removesuffix("s")) == "verb"
    return acts or word in _ELSEWHERE or word in TIMES or (word == "face" and after == "to")


def _state(word: str) -> bool:
    """Whether a word may say how somebody is."""
    ends = word.endswith(_STATE_ENDINGS)
    return verbs.is_adjective(word) or verbs.is_participle(word) or ends


def _closes(word: str) -> bool:
    """Whether nothing can belong to a noun phrase any more."""
    return not word or verbs.is_function_word(word) or verbs.is_adverb(word)


def _thing(word: str, *, surely: bool = False) -> bool:
    """Whether a word is a noun: any that is nothing else, or surely one."""
    if _closes(word) or word in TIMES | _RANKS | _ELSEWHERE or _state(word) or word.endswith("ing"):
        return False
    plural = word.endswith("s") and not word.endswith(("ss", "us", "is"))
    noun = plural or word in _THINGS or word.endswith(_THING_ENDINGS) or verbs.kind(word) == "maybe"
    return noun or not surely


def name_case(tokens: Sequence[Token], at: int) -> Case:
    """What a name does in its clause."""
    place = next_word(tokens, at + 1)
    word = tokens[place].word if place is not None else ""
    verbal = word and not verbs.is_function_word(word) and not verbs.is_adjective(word)
    begins = opens(tokens, at) or tokens[at - 1].word in SAYING
    return "subject" if begins and verbal and tokens[at + 1].gap == " " else "object"


def you_case(tokens: Sequence[Token], at: int) -> Case:
    """Whether "you" does something, or something is done to it."""
    before, after = word_before(tokens, at), follows(tokens, at)
    if after in verbs.words("two three both all guys people lot folks"):
        raise Unsure(CASE)
    begins = opens(tokens, at) or before in SAYING
    if after == "and" and begins:
        if follows(tokens, at + 1) == "i" and before not in ("know", "see", "understand", "and", "but", "or"):
            return "subject"  # "I think you and I"
        raise Unsure(CASE)
    if _comes_after_its_verb(tokens, at):
        return "subject"
    word = _word_of_its_clause(tokens, at)
    if not word or before in _PREPOSITIONS:
        return "object"
    return _you_case_before(word, before, begins=begins)


def _comes_after_its_verb(tokens: Sequence[Token], at: int) -> bool:
    """Whether the verb stands before its subject: "and neither have you"."""
    if at < 2 or tokens[at - 2].word not in ("so", "neither", "nor"):
        return False
    return tokens[at - 1].word in verbs.MODALS | verbs.SINGULAR.keys()


def _word_of_its_clause(tokens: Sequence[Token], at: int) -> str:
    """The next word that is no adverb, if no comma or dash stands before it."""
    place = next_word(tokens, at + 1)
    return tokens[place].word if place is not None and not re.search(r"[,–—]", tokens[at + 1].gap) else ""


def _you_case_before(word: str, before: str, *, begins: bool) -> Case:
    """What "you" is before a word that may be its verb; `begins`: a clause may begin with it."""
    if verbs.is_function_word(word) and word not in verbs.MODALS:
        return "object"
    if word in verbs.MODALS or word in verbs.SINGULAR or word in verbs.PAST:
        return "subject"
    if verbs.is_base(word) and before in BARE_TAKERS:
        return "object"
    adjective = verbs.is_adjective(word) and word not in ("mean", "own")
    if verbs.is_base(word) and not adjective and begins:
        return "subject"
    raise Unsure(CASE)
