"""Reading the answer out of what a model wrote.

An answer is read when it is clear, and never guessed:

1. The last "Answer: …" or "the answer is …" decides; without one, the whole text does.
2. A letter counts alone ("B", "(b)", "**B**") or with a mark behind it ("B. the box", "B) because …"). When words
   follow, they must not name another choice.
3. A choice counts when it is the whole answer, give or take case, articles, a preposition and end punctuation.
4. A sentence counts when exactly one choice is named in it as whole words, the longest name first: "the biscuit tin"
   does not name "tin" when "biscuit tin" is a choice as well.

Two choices named, or one named beside a negation ("not the tin"), is no answer: with two choices one could work out
what is meant, with three one could not, and the same words should not be read differently.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_uppercase as LETTERS


@dataclass(frozen=True, slots=True)
class Reading:
    """The choice that was read, or none, and why."""

    answer: str = ""
    why: str = ""
    clear: bool = False
    """Given as an answer (a letter, a choice alone, an answer line) and not only named in a sentence."""


def read_choice(text: str, choices: Sequence[str]) -> Reading:
    """Which of the choices, in the order in which they were shown, the text answers with."""
    body, marked = _answer_part(text)
    if not body:
        return Reading(why="there is no text")
    by_letter = _by_letter(body, choices)
    if by_letter is not None:
        return by_letter
    for words in (normal(body), _bare(body)):
        for choice in choices:
            if words == normal(choice):
                return Reading(choice, f"says {choice!r}", clear=True)
    reading = _by_name(body, choices)
    return Reading(reading.answer, reading.why, clear=marked and bool(reading.answer))


def read_text(text: str, answer: str) -> Reading:
    """What a free answer says; compared with the true one as a whole, never in part."""
    body, _ = _answer_part(text)
    if not body:
        return Reading(why="there is no text")
    if normal(answer) in (normal(body), _bare(body)):
        return Reading(answer, "the same text", clear=True)
    if names_in(body, [answer]):
        return Reading(why="the answer is in it among other words, and parts of a text are not graded")
    return Reading(body, "another text", clear=True)


def refuses(text: str) -> bool:
    """Whether a text declines to answer. Not knowing is no refusal."""
    return bool(_REFUSAL.search(_plain(text)[:200]))


_CANNOT = r"(?:can(?:not|['’]t)|could\ not|couldn['’]t|will\ not|won['’]t|do\ not|don['’]t)"
_I_AM = r"\bi(?:\ am|['’]m)\ (?:really\ |so\ |very\ )?"
_REFUSAL = re.compile(
    rf"""
    {_I_AM}(?:sorry|afraid)\b[^.!?]{{0,40}}\b(?:{_CANNOT}|unable|not\ able)\b(?!\ (?:determine|tell|know))
    | {_I_AM}(?:unable|not\ (?:able|comfortable|willing|allowed))\b(?!\ to\ (?:determine|tell|know|infer|say))
    | \bi\ {_CANNOT}\ (?:\w+\ )?(?:answer|assist|help|comply|respond|provide|engage|discuss|do\ (?:that|this))\b
    | \bas\ an?\ (?:ai|(?:large\ )?language\ model)\b[^.!?]{{0,80}}\b(?:{_CANNOT}|unable|not\ able)\b
    | \bi\ (?:must\ |respectfully\ |(?:will\ |would\ )?have\ to\ )*(?:decline|refuse)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)

_MARK = re.compile(r"\banswer(?:\s+is\b\s*:?|\s*:)\s*([^\n]*)", re.IGNORECASE)
_LETTER_ALONE = re.compile(r"[(\[]?([A-Za-z])[).:\]]?\.?")
_LETTER_FIRST = re.compile(
    r"(?:\(([A-Z])\)|([A-Z])[).:]|([A-Z])(?=\s*[,;–—-]|\s+(?:because|since)\b))\s*(.*)", re.DOTALL
)
_LONE_LETTER = re.compile(r"(?<![\w'’])(?:[B-HJ-Z]|A(?!\s+[a-z])|I(?!\s+[a-z]|['’]))(?![\w'’])")
NEGATION = re.compile(
    r"\b(?:not?|never|neither|nor|none|except|without|unlike|cannot|rather than|instead of|other than)\b|n['’]t\b",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:the|an?|his|her|its|their)\s+")
_PLACE = re.compile(r"^(?:(?:it\s+is\s+|it['’]s\s+)?(?:in|inside|into|on|at|under|behind)\s+|it\s+is\s+|it['’]s\s+)")


def normal(text: str) -> str:
    """A text as it is compared: one case, single spaces, no article in front, no marks around it."""
    words = " ".join(_plain(text).casefold().replace("’", "'").split()).strip(" .,;:!?\"'“”‘()[]")
    return _ARTICLE.sub("", words)


def _bare(text: str) -> str:
    """Without "in the" and the like, which an answer may have and a choice mostly has not."""
    return _ARTICLE.sub("", _PLACE.sub("", normal(text)))


def _plain(text: str) -> str:
    """Without the marks of Markdown."""
    return re.sub(r"\*+|__|`|^[#>\s]+", "", text, flags=re.MULTILINE).strip()


def _answer_part(text: str) -> tuple[str, bool]:
    """The part that answers, and whether it was marked as such."""
    # What a reasoning model thinks before it speaks is not its answer; without an end it never spoke.
    spoken = text.rpartition("</think>")[2] if "</think>" in text else text.partition("<think>")[0]
    plain = _plain(spoken)
    marks = _MARK.findall(plain)
    return (marks[-1].strip(), True) if marks else (plain, False)


def _by_letter(body: str, choices: Sequence[str]) -> Reading | None:
    letters = LETTERS[: len(choices)]
    alone = _LETTER_ALONE.fullmatch(body)
    if alone and alone[1].upper() in letters and not any(normal(choice) == body.casefold() for choice in choices):
        return Reading(choices[letters.index(alone[1].upper())], f"says {alone[1].upper()}", clear=True)
    first = _LETTER_FIRST.fullmatch(body)
    letter = first and (first[1] or first[2] or first[3])
    if not first or not letter or letter not in letters:
        return None
    choice, rest = choices[letters.index(letter)], first[4]
    if set(_LONE_LETTER.findall(rest)) & set(letters) - {letter}:
        return Reading(why="names two letters")
    if set(names_in(rest, choices)) - {choice}:
        return Reading(why=f"says {letter}, and words that name another choice")
    return Reading(choice, f"says {letter}", clear=True)


def _by_name(body: str, choices: Sequence[str]) -> Reading:
    named = set(names_in(body, choices))
    if len(named) != 1:
        return Reading(why="names no choice" if not named else "names two choices")
    (choice,) = named
    opening = re.split(r"[,.;:!?\n–—]", body, maxsplit=1)[0]
    if normal(opening) == normal(choice):
        return Reading(choice, f"begins with {choice!r}")
    for sentence in re.split(r"(?<=[.!?])\s+|\n", body):
        if names_in(sentence, choices) and NEGATION.search(_name_pattern(choice).sub(" ", sentence)):
            return Reading(why=f"names {choice!r} beside a negation")
    return Reading(choice, f"names only {choice!r}")


def names_in(text: str, choices: Sequence[str]) -> list[str]:
    """The choices named in a text as whole words; a longer name hides the shorter ones inside it."""
    found = []
    for choice in sorted(choices, key=len, reverse=True):
        text, times = _name_pattern(choice).subn(" | ", text)
        if times:
            found.append(choice)
    return found


def _name_pattern(choice: str) -> re.Pattern[str]:
    words = r"\s+".join(re.escape(word) for word in normal(choice).split())
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
