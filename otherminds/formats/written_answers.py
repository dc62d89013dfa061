"""Reading the answer out of what a model wrote.

An answer that is plainly given is read, and no other is guessed at. In this order:

1. What a model thought before it spoke is left out, and so are Markdown, LaTeX and odd forms of letters.
2. Where the answer stands: after the last "Answer: …" or "the answer is …" that begins a line and names something to
   choose; else after the last one in running text ("…, so the answer is B"), unless it is denied or another's opinion
   ("the obvious answer is A"); else it is the whole text.
3. What it begins with counts, after words such as "It's", "I choose" or "in the": a letter alone, in brackets or with a
   mark behind it ("B", "(b)", "B. the box", "Option B", "B is correct"), or a choice ("The box, since …"). What follows
   may explain it. It is no answer if that takes it back ("A: wrong", "B. No, wait"), if the same sentence names another
   choice, or if what comes later gives another answer, or, behind a mere letter, names only other choices.
4. Without a mark, a letter alone on the last line counts.
5. Else a sentence counts that names one choice as whole words, the longest name first: "the biscuit tin" does not name
   "tin" when "biscuit tin" is a choice as well. It must not be denied ("not the tin"), in doubt ("whether the tin"),
   taken back, or named only as a reason ("because of the tin"). Yes and no count only where they open a sentence.

Two choices named is no answer: with two choices one could often work out what is meant, with three one could not, and
the same words should not be read differently.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_uppercase as LETTERS
from unicodedata import normalize

from otherminds.files import read_words

UNKNOWN = "unknown"
OTHER = "other:"
"""What begins the words that name no choice."""
_LONGEST = 80


@dataclass(frozen=True, slots=True)
class Reading:
    """The choice that was read, or none, and why."""

    answer: str = ""
    why: str = ""
    clear: bool = False
    """Given as an answer (a letter, a choice alone, an answer line) and not only named in a sentence."""


def read_choice(text: str, choices: Sequence[str]) -> Reading:
    """Which of the choices, in the order in which they were shown, the text answers with."""
    plain = _plain(spoken(text))
    if not plain:
        return Reading(why="there is no text")
    marked = _after_mark(plain, choices)
    reading = _by_beginning(marked or plain, choices)
    if reading is None and not marked:
        reading = _by_last_line(plain, choices)
    return reading or _by_name(marked or plain, choices, marked=bool(marked))


def read_text(text: str, answer: str) -> Reading:
    """What a free answer says; compared with the true one as a whole, never in part."""
    plain = _plain(spoken(text))
    marked = _line(_after_mark(plain))
    body = marked or plain
    if not body:
        return Reading(why="there is no text")
    if normal(answer) in (normal(body), _bare(body)):
        return Reading(answer, "the same text", clear=True)
    if names_in(body, [answer]):
        return Reading(why="the answer is in it among other words, and parts of a text are not graded")
    return Reading(body, "another text", clear=bool(marked))


def refuses(text: str) -> bool:
    """Whether a text declines to answer. Not knowing is no refusal."""
    return bool(_REFUSAL.search(_plain(spoken(text))[:200]))


def spoken(text: str) -> str:
    """What a model says, without what it thinks between tags; a thought without an end was never followed by words."""
    said, *tagged = _THOUGHT.split(text)
    thinking = False
    for tag, words in zip(tagged[::2], tagged[1::2], strict=True):
        if _ENDS.match(tag) and not thinking:  # so what came before was a thought as well
            said = ""
        thinking = not _ENDS.match(tag)
        said += "" if thinking else words
    return said


def yes_or_no(text: str) -> bool | None:
    """Whether a text begins with yes, or with no; None if with neither."""
    found = _YES_OR_NO.match(spoken(text))
    return None if found is None else found[1].casefold() == "yes"


def normal(text: str) -> str:
    """A text as it is compared: one case, single spaces, no article in front, no marks around it."""
    return re.sub(r"^(?:the|an?) ", "", _folded(text))


def names_in(text: str, choices: Sequence[str]) -> list[str]:
    """The choices named in a text as whole words; a longer name hides the shorter ones inside it."""
    text = hide(text, choices)
    return [choice for choice, token in zip(choices, _TOKENS, strict=False) if token in text]


def hide(text: str, choices: Sequence[str]) -> str:
    """The text with a token for each choice that it names, so that no word of a name is taken for one of the text's."""
    for choice, pattern in _patterns(tuple(choices)):
        text = pattern.sub(_TOKENS[choices.index(choice)], text)
    return text


# ---- the words that matter ----------------------------------------------------------------------------------------

_WORDS = read_words("answers")


def _pattern(name: str) -> re.Pattern[str]:
    """The words that mean this, as a pattern."""
    text: str = re.sub(r"<(\w+)>", lambda part: _WORDS["words"][part[1]], _WORDS["patterns"][name])
    return re.compile(text, re.IGNORECASE | re.VERBOSE)


_NEGATION, _IGNORANCE, _NOTHING, _SAME = map(_pattern, ("negation", "ignorance", "nothing", "same"))
_REFUSAL, _DOUBT, _OPINION = map(_pattern, ("refusal", "doubt", "opinion"))
_RETRACTION, _REJECTION, _REASON = map(_pattern, ("retraction", "rejection", "reason"))
_YES_OR_NO = _pattern("yes_or_no")

_TAG = r"(?:\w+:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|reflection|scratchpad)\s*"
_THOUGHT = re.compile(
    rf"([<◁]\s?/?\s?{_TAG}[>▷]|\[/?think(?:ing)?\]|<\|channel\|>(?:analysis|final)(?:<\|message\|>)?)", re.IGNORECASE
)
_ENDS = re.compile(r"[<◁\[]\s?/|.*final", re.IGNORECASE)
_STEP = re.compile(r"(?<=[.!?;])\s+|\n|,\s*(?:and\s+)?(?=(?:so|thus|hence|therefore)\b)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")
_CLAUSE = re.compile(r"[,;.!?\n–—]|\s-\s|\b(?:so|thus|hence|therefore|then|and|but|because|since)\b", re.IGNORECASE)

# ---- the text as it is read ---------------------------------------------------------------------------------------

_ALIKE = str.maketrans({**dict.fromkeys("‘’", "'"), **dict.fromkeys("“”«»", '"'), "。": ".", "、": ","})
_UNSEEN = re.compile("[\u200b-\u200f\u2060\ufeff\u00ad\ufe0f\ue000-\uf8ff]")
_TOKENS = [chr(0xE000 + number) for number in range(1000)]
"""Each stands for a choice that a text names. No model writes them: they are left out of what is read."""
_EVERY_TOKEN = frozenset(_TOKENS)


def _plain(text: str) -> str:
    """Without the marks of Markdown and LaTeX, and in plain letters and quotation marks."""
    text = _UNSEEN.sub("", normalize("NFKC", text)).translate(_ALIKE)
    text = re.sub(r"\\(?:text\w*|math\w+)\s*\{([^{}]*)\}", r"\1", re.sub(r"\\[()\[\]]|\$|~~.*?~~", "", text))
    text = re.sub(r"\\boxed\s*\{([^{}]*)\}|<answer>(.*?)</answer>", r"\nAnswer: \1\2\n", text, flags=re.IGNORECASE)
    return re.sub(r"\*+|__|`|^[#>\s]+|^\s*[-•]\s+", "", text, flags=re.MULTILINE).strip()


def _folded(text: str) -> str:
    return " ".join(_plain(text).casefold().split()).strip(" .,;:!?\"'()[]{}")


def _bare(text: str) -> str:
    """Without "in the" and the like, which an answer may have and a choice mostly has not."""
    return re.sub(rf"^{_PLACE}{_THE}", "", normal(text))


def _line(text: str) -> str:
    return text.partition("\n")[0].strip()


_IS = r"(?:is|(?:must|would|should|has\s+to)\s+be)"
_MARK = re.compile(
    rf"""\banswer(?:\s+to\s+(?:the|this)\s+question)?["']?\s*(?:{_IS}\b\s*:?|:|->|=>?|\s-\s)\s*""", re.IGNORECASE
)
_MARKS = 20
"""Those at the end of a text are looked at; one with more of them is noise."""
_BEFORE_MARK = re.compile(
    r"\W*(?:(?:so|thus|hence|therefore)\W+)?(?:(?:the|my)\s+)?(?:(?:final|correct|right|best)\s+)*", re.IGNORECASE
)


def _after_mark(text: str, choices: Sequence[str] = ()) -> str:
    """All that follows the mark that counts; nothing if there is none."""
    running = ""
    for mark in reversed(list(_MARK.finditer(text))[-_MARKS:]):
        rest, before = text[mark.end() :], text[: mark.start()].rpartition("\n")[2]
        if choices and not _says_something(rest, choices):
            continue
        if _BEFORE_MARK.fullmatch(before):
            return rest
        if not running and not _denied(_CLAUSE.split(before.rpartition(":")[2])[-1]):
            running = rest
    return running


def _denied(clause: str) -> bool:
    """Whether what a clause says is denied, or only what others may think."""
    return bool(_NEGATION.search(clause) or _OPINION.search(clause))


def _says_something(text: str, choices: Sequence[str]) -> bool:
    line = _line(text)
    return bool(_begun(line, choices)[0] or _letters_in(line, choices) or names_in(line, choices))


# ---- what a text begins with --------------------------------------------------------------------------------------

_THE = r"(?:(?:the|an?|his|her|its|their)\s+)?"
_PLACE = r"(?:(?:it\s+is|it's)\s+)?(?:(?:in|inside|into|on|at|under|behind)\s+)?"
_LEAD = rf"""["'{{(\s]{{0,4}}(?i:(?:(?:so|thus|hence|therefore)\b,?\s*)?
    (?:(?:it|that)(?:'s|\s+{_IS})\s+
    | i(?:'d|'ll|'m|\s+would|\s+will)?\s+(?:choose|pick|select|say|think|believe|answer|go(?:ing)?\s+(?:with|for))\s+
        (?:that\s+)?(?:it(?:'s|\s+is)\s+)?)?
    (?:(?:the|my)\s+)?(?:(?:correct|right|best|final)\s+)?(?:(?:option|choice|letter|answer)\s*(?:is\b)?\s*:?\s*)?)"""
_HOLDS = rf"\s+{_IS}\s+(?:the\s+|my\s+)?(?:\w+\s+)?(?:correct|right|true|best|answer|choice|one)\b"
_LETTER = re.compile(
    rf"""
    {_LEAD}
    (?: [(\["']{{1,4}} \s?([A-Za-z])\s? [)\]"']{{1,4}} [.:]*
    | ([A-Za-z])[).:\]]+(?=["'}}\s]|$)
    | ([A-Z])(?=["'}}\s]{{0,4}}(?:[,;=!\n–—]|$) | \s+[-(] | \s+(?:because|since)\b | {_HOLDS})
    | ([a-z])(?=["'}}\s]{{0,4}}$) )
    """,
    re.VERBOSE,
)
_END = rf"""(?=["'}})\]\s]{{0,4}}(?:[,.;:!\n–—]|$) | \s+[-(] | \s+(?:because|since)\b | {_HOLDS})"""
# An article stands before none of these words, so an "A" that does is a letter. Before a choice it may be either.
_NO_NOUN = r"(?:the|in|is|was|are|or|and|but|because|since|would|must|seems)\b"
_LONE_LETTER = re.compile(
    rf"\(([A-Za-z])\)|(?<!\w)(?<!\w')([B-HJ-Z]|A(?!\s+(?:(?!{_NO_NOUN})[a-z]|[\ue000-\uf8ff]))|I(?!\s+[a-z]|'))(?!\w|'\w)"
)


def _by_beginning(text: str, choices: Sequence[str]) -> Reading | None:
    """The answer that a text begins with, or why it is none; None if it begins with nothing to choose."""
    choice, said, rest = _begun(text, choices)
    return _explained(choice, said, rest, choices) if choice else None


def _begun(text: str, choices: Sequence[str]) -> tuple[str, str, str]:
    """The choice that a text begins with, in which words, and what comes after them."""
    letter = _LETTER.match(text)
    sign = _sign(letter, choices)
    if letter and sign and sign.casefold() not in map(normal, choices):
        return choices[LETTERS.index(sign)], sign, text[letter.end() :]
    for choice, pattern in _patterns(tuple(choices), before=rf"{_LEAD}(?!A\s)(?i:{_PLACE}{_THE})", after=_END):
        if begun := pattern.match(text):
            return choice, choice, text[begun.end() :]
    return "", "", text


def _sign(letter: re.Match[str] | None, choices: Sequence[str]) -> str:
    """The letter that was found, if it is that of a choice."""
    sign = next(filter(None, letter.groups())).upper() if letter else ""
    return sign if sign in LETTERS[: len(choices)] else ""


def _letters_in(text: str, choices: Sequence[str]) -> set[str]:
    return {_sign(letter, choices) for letter in _LONE_LETTER.finditer(text)} - {""}


def _explained(choice: str, said: str, rest: str, choices: Sequence[str]) -> Reading:
    """The choice that a text begins with, unless the rest is more than an explanation."""
    place, why = choices.index(choice), f"says {said!r}" if said == choice else f"says {said}"
    own, token = {LETTERS[place : place + 1]}, _TOKENS[place]
    whole = hide(rest.strip(" "), choices)
    first, later = _first_sentence(whole)
    if _REJECTION.match(_unrepeated(rest, choice)) or _RETRACTION.search(whole):
        return Reading(why=f"{why}, and takes it back")
    if _letters_in(first, choices) - own or _tokens_in(first) - {token}:
        return Reading(why=f"{why}, and names another choice with it")
    if any(token in clause and _NEGATION.search(clause) for clause in _CLAUSE.split(first)):
        return Reading(why=f"{why}, and denies it")
    others = [line for line in _SENTENCE.split(rest) if _begun(line, choices)[0] not in ("", choice)]
    if not all(_denied(hide(line, choices)) for line in others):
        return Reading(why=f"{why}, and gives another answer later")
    held = "\n".join(clause for clause in _CLAUSE.split(later) if not _denied(clause))
    if _letters_in(held, choices) - own or (_tokens_in(held) and said != choice and token not in whole):
        return Reading(why=f"{why}, and explains another choice")
    return Reading(choice, why, clear=True)


def _unrepeated(rest: str, choice: str) -> str:
    """The rest without the words of the choice that it begins with: a choice may itself begin with "no"."""
    for word in re.findall(r"[\w']+", normal(choice)):
        begun = re.match(rf"\W*{word}(?!\w)", rest, re.IGNORECASE)
        if not begun:
            break
        rest = rest[begun.end() :]
    return rest


def _first_sentence(rest: str) -> tuple[str, str]:
    """What belongs to the answer, and what gives reasons for it."""
    end = re.search(r"[.!?](?=\s|$)|\n|\b(?:because|since)\b", rest)
    return (rest[: end.start()], rest[end.start() :]) if end else (rest, "")


def _by_last_line(text: str, choices: Sequence[str]) -> Reading | None:
    """The letter that stands alone on the last line."""
    above, _, last = text.rpartition("\n")
    letter = _LETTER.match(last)
    sign = _sign(letter, choices)
    # Below another letter it may be the end of a list of options.
    listed = _letters_in(above.rpartition("\n")[2], choices) - {sign}
    if not above or listed or not letter or not sign or last[letter.end() :].strip(" ."):
        return None
    return Reading(choices[LETTERS.index(sign)], f"ends with {sign}")


# ---- what a text names --------------------------------------------------------------------------------------------


def _by_name(text: str, choices: Sequence[str], *, marked: bool) -> Reading:
    taken_back = _RETRACTION.search(hide(text, choices))
    text = _line(text) if marked else text
    text = hide(text, choices)
    named = [place for place, token in enumerate(_TOKENS[: len(choices)]) if token in text]
    if len(named) != 1:
        return Reading(why="names no choice" if not named else "names two choices")
    (place,) = named
    choice, token = choices[place], _TOKENS[place]
    if _letters_in(text, choices) - {LETTERS[place : place + 1]} or (place and re.search(rf"(?<!\w)A\s+{token}", text)):
        return Reading(why=f"names {choice!r} and another letter")
    if taken_back:
        return Reading(why=f"names {choice!r} and takes it back")
    text = re.sub(r"^(?:yes|no),", "", text, flags=re.IGNORECASE)
    steps = [step for step in _STEP.split(_REASON.sub(" ", text)) if token in step]
    if not steps:
        return Reading(why=f"names {choice!r} only as a reason")
    if any(_NEGATION.search(step) or _DOUBT.search(step) for step in steps):
        return Reading(why=f"names {choice!r} beside a negation or a doubt")
    return Reading(choice, f"names only {choice!r}", clear=marked)


def _tokens_in(text: str) -> frozenset[str]:
    return _EVERY_TOKEN.intersection(text)


@lru_cache(maxsize=4096)
def _patterns(choices: tuple[str, ...], *, before: str = "", after: str = "") -> list[tuple[str, re.Pattern[str]]]:
    """What finds each choice, the longest first."""
    forms = {choice: normal(choice) for choice in choices}
    if len(set(forms.values())) < len(forms):  # some differ in an article alone, so it counts
        forms = {choice: _folded(choice) for choice in choices}
    ordered = sorted(forms.items(), key=lambda pair: len(pair[0]), reverse=True)
    return [(choice, re.compile(before + _as_words(form, after), re.VERBOSE)) for choice, form in ordered]


def _as_words(form: str, after: str) -> str:
    words = r"\s+".join(re.escape(word) for word in form.split()).replace(r"\s+not", r"(?:\s+not|n'?t)")
    if form in ("yes", "no") and not after:  # "no" is in any sentence, but it opens only an answer
        return rf"(?i:(?:(?m:^)|(?<=[.!?;:,]\s)){words}(?=\s*(?:[,.;:!]|(?m:$))))"
    return rf"(?i:(?<![\w-]){words}(?!\w|-\w))" + after


# ---- what somebody believes, in a word or two -----------------------------------------------------------------------


def read_state(text: str, names: Mapping[str, Sequence[str]], *, before: str | None = None) -> str:
    """The choice that a text names, "unknown", the state before where that is meant, or "other:…"."""
    words = normal(text)
    owners = {name: choice for choice, several in names.items() for name in several if choice != UNKNOWN}
    named = {owners[name] for name in names_in(words, list(owners))}
    blind = _IGNORANCE.search(words) is not None
    if len(named) == 1:
        (choice,) = named
        clauses = re.split(r"[,;:.!?()\n–—]", words)
        if not any(_denies(clause, names[choice]) for clause in clauses):
            # "unknown whether maps" and "maps, unknown to her" look alike: neither is read.
            return other(text) if blind else choice
    if blind and len(named) < 2:
        return UNKNOWN
    if not named and _NOTHING.fullmatch(words):
        return UNKNOWN
    if not named and before is not None and _SAME.fullmatch(words):
        return before
    return other(text)


def _denies(clause: str, names: Sequence[str]) -> bool:
    """Whether a clause names one of these beside a negation, or is nothing but a negation."""
    rest = hide(clause, names)
    return _NEGATION.search(rest) is not None and (rest != clause or _NEGATION.fullmatch(rest.strip()) is not None)


def other(text: str) -> str:
    """What stands for a text that names no choice."""
    # Half a surrogate pair is legal in JSON, but can be neither stored nor shown.
    return OTHER + " ".join(text.split())[:_LONGEST].encode("utf-8", "replace").decode("utf-8")
