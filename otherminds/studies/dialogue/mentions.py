"""Mentions: which words of a thought mean one of the two people, and in which case.

In a thought the partner's pronoun means the partner; a third party is a noun.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from otherminds.studies.dialogue import verbs
from otherminds.studies.dialogue.agreement import COORDINATORS, SUBORDINATORS, Token, Unsure, next_word
from otherminds.studies.dialogue.talks import Person, Pronoun

Who = Literal["speaker", "partner", "both"]
Case = Literal["subject", "object", "possessive", "own", "self"]

CASE = "a you or her whose part in the sentence cannot be told"


class Forms(NamedTuple):
    """The forms of a pronoun, one a case."""

    subject: str
    object: str
    possessive: str
    own: str
    self: str


CASES: tuple[Case, ...] = ("subject", "object", "possessive", "own", "self")
PRONOUNS: dict[Pronoun, Forms] = {
    "he": Forms("he", "him", "his", "his", "himself"),
    "she": Forms("she", "her", "her", "hers", "herself"),
    "they": Forms("they", "them", "their", "theirs", "themselves"),
}
_FIRST = Forms("i", "me", "my", "mine", "myself")
_SECOND = Forms("you", "you", "your", "yours", "yourself")
_WE = Forms("we", "us", "our", "ours", "ourselves")
SECOND = {*_SECOND, "yourselves"}
NOT_THIRD = {*_FIRST, *SECOND, *_WE, "lemme", "gimme"}


@dataclass(frozen=True, slots=True)
class Mention:
    """Who is meant, and what the word does in its clause."""

    who: Who
    case: Case
    named: bool = False
    """It is a name already, and stays one."""
    unsure: bool = False
    """A "her" that may be whose something is as well as whom something is done to."""


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
BARE_TAKERS = verbs.words("let lets letting make makes made making help helps see saw hear heard watch have had")
SAYING = verbs.words("think believe hope feel guess wish say suppose know see understand fear doubt")
SAYING |= set(map(verbs.third, SAYING))
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


def mentions(tokens: Sequence[Token], partner: Person) -> dict[int, Mention]:
    """Who of the two each word means, by its place."""
    found: dict[int, Mention] = {}
    forms = PRONOUNS[partner.pronoun]
    for at, token in enumerate(tokens):
        word = "themselves" if token.word == "themself" else token.word
        if token.text.replace("’", "'") in (partner.first, f"{partner.first}'s"):
            found[at] = Mention("partner", "possessive" if "'" in token.word else _name_case(tokens, at), named=True)
        elif word in _FIRST:
            found[at] = Mention("speaker", CASES[_FIRST.index(word)])
        elif word in _WE:
            found[at] = Mention("both", CASES[_WE.index(word)])
        elif word == "you":
            found[at] = Mention("partner", _you_case(tokens, at))
        elif word in _SECOND:
            found[at] = Mention("partner", CASES[_SECOND.index(word)])
        elif word == "her" and partner.pronoun == "she":
            case = _whose(tokens, at)
            found[at] = Mention("partner", case or "object", unsure=case is None)
        elif word in forms:
            found[at] = Mention("partner", CASES[forms.index(word)])
    return found


def follows(tokens: Sequence[Token], at: int) -> str:
    """The next word, if no mark stands before it."""
    return tokens[at + 1].word if at + 1 < len(tokens) and tokens[at + 1].gap == " " else ""


def opens(tokens: Sequence[Token], at: int) -> bool:
    """Whether a clause may begin at this place."""
    if at == 0 or tokens[at].gap != " ":
        return True
    return tokens[at - 1].word in COORDINATORS | SUBORDINATORS


def _whose(tokens: Sequence[Token], at: int) -> Case | None:
    """Whether "her" is whose something is, or whom something is done to, if that is plain."""
    word, before = follows(tokens, at), tokens[at - 1].word if at else ""
    if not word:
        return "object"
    after = follows(tokens, at + 1)
    if word in ("own", "other") or at == 0 or tokens[at].gap != " " or before in _ONLY_CLAUSES:
        return "possessive"
    if word in _EITHER_WAY or word.endswith("ing") or (word.endswith("ly") and verbs.is_adverb(word)):
        return None
    if word in _RANKS:
        return "possessive" if _thing(after) and before not in _TAKE_TWO else None
    if word in _FINITE:
        return "object"  # "what is good for her is"
    if verbs.is_function_word(word):
        return None if word in ("no", "all") and not after else "object"
    if verbs.is_adverb(word):
        return "object" if word in _CLOSING or _closes(after) else None
    if before in BARE_TAKERS and verbs.kind(word) == "verb":
        return "object"
    if before in _TAKE_TWO or not _thing_begins(word, after, before):
        return None
    return "possessive"


def _thing_begins(word: str, after: str, before: str) -> bool:
    """Whether what follows "her" is hers, and nothing that is said of her."""
    finite = after in verbs.MODALS or after in verbs.SINGULAR.values() or after in ("was", "had", "did")
    if finite and before in SAYING:
        return True  # "I think her plan is"
    if before in _BEFORE_THINGS and (word in ("home", "back", "time") or word in _THINGS):
        return True
    acts = word in verbs.PAST or word in verbs.MODALS or verbs.kind(word.removesuffix("s")) == "verb"
    if acts or word in _ELSEWHERE or word in TIMES or (word == "face" and after == "to"):
        return False
    if _state(word):
        return _thing(after) or (word in _THINGS and before not in _TAKE_STATES)
    return before not in _TAKE_STATES or _thing(word, surely=True)


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


def _name_case(tokens: Sequence[Token], at: int) -> Case:
    place = next_word(tokens, at + 1)
    word = tokens[place].word if place is not None else ""
    verbal = word and not verbs.is_function_word(word) and not verbs.is_adjective(word)
    begins = opens(tokens, at) or tokens[at - 1].word in SAYING
    return "subject" if begins and verbal and tokens[at + 1].gap == " " else "object"


def _you_case(tokens: Sequence[Token], at: int) -> Case:
    before, after = tokens[at - 1].word if at else "", follows(tokens, at)
    place = next_word(tokens, at + 1)
    word = tokens[place].word if place is not None and not re.search(r"[,–—]", tokens[at + 1].gap) else ""
    if after in verbs.words("two three both all guys people lot folks"):
        raise Unsure(CASE)
    if after == "and" and (opens(tokens, at) or before in SAYING):
        if follows(tokens, at + 1) == "i" and before not in ("know", "see", "understand", "and", "but", "or"):
            return "subject"  # "I think you and I"
        raise Unsure(CASE)
    if at > 1 and tokens[at - 2].word in ("so", "neither", "nor") and before in verbs.MODALS | verbs.SINGULAR.keys():
        return "subject"  # "and neither have you"
    if not word or before in _PREPOSITIONS or (verbs.is_function_word(word) and word not in verbs.MODALS):
        return "object"
    if word in verbs.MODALS or word in verbs.SINGULAR or word in verbs.PAST:
        return "subject"
    if verbs.is_base(word) and before in BARE_TAKERS:
        return "object"
    adjective = verbs.is_adjective(word) and word not in ("mean", "own")
    if verbs.is_base(word) and not adjective and (opens(tokens, at) or before in SAYING):
        return "subject"
    raise Unsure(CASE)
