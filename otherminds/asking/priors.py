"""Choices weighed without what their words weigh anyway.

A common word is likely after any story. So the same choice is weighed once more without the story, and that is taken
off; and where two of the choices are named in the story, all of it is done again with the two words exchanged
throughout, so that each word stands once in each part and what it weighs by itself drops out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from otherminds.asking.prompts import Posed
from otherminds.asking.verdicts import Bounds, Score, bounds_of, decide, mean_bounds, trouble
from otherminds.items import Item
from otherminds.models import Weighing

_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_VOWELS = "aeiou"


def pose_prior(pose: Callable[..., tuple[Posed, ...]], item: Item, *, prompt: str, seed: int) -> tuple[Posed, ...]:
    """The item, the same without its story; then both with two words exchanged, if they can be."""
    versions = [item, *([exchanged] if (exchanged := swapped(item)) else [])]
    bare = [replace(version, context="") for version in versions]
    pairs = [(each, alone) for each, alone in zip(versions, bare, strict=True)]
    return tuple(asked for pair in pairs for one in pair for asked in pose(one, prompt=prompt, seed=seed))


def score_prior(item: Item, posed: Sequence[Posed], results: Sequence[Weighing]) -> Score:
    """The verdict of what the story adds to each choice."""
    if wrong := trouble(posed, results):
        return Score("error", why=wrong)
    gained: dict[str, list[Bounds]] = {choice: [] for choice in item.choices}
    for start in range(0, len(results), 2):
        with_story, alone = results[start : start + 2]
        # In the exchanged version another word stands in the place of each choice.
        for choice, here in zip(item.choices, posed[start].choices, strict=True):
            gained[choice].append(_less(bounds_of(with_story, f" {here}"), bounds_of(alone, f" {here}")))
    logs = {choice: mean_bounds(some) for choice, some in gained.items()}
    return decide(item, logs, {"mass": results[0].mass, "versions": len(results) // 2})


def _less(one: Bounds, other: Bounds) -> Bounds:
    return one[0] - other[1], one[1] - other[0]


def swapped(item: Item) -> Item | None:
    """The item with the two choices that its story names exchanged throughout; none where it does not name just two."""
    words = cores(item.choices)
    named = [word for word in words.values() if _occurs(word, item.context)]
    if len(named) != 2 or named[0] == named[1] or any(_occurs(a, b) for a, b in (named, named[::-1])):
        return None
    exchange = dict(zip(named, named[::-1], strict=True))

    def turned(text: str) -> str:
        return _exchanged(text, exchange)

    return replace(
        item,
        context=turned(item.context),
        question=turned(item.question),
        cloze=turned(item.cloze),
        choices=tuple(map(turned, item.choices)),
        answer=turned(item.answer),
    )


def cores(choices: Sequence[str]) -> dict[str, str]:
    """By choice, the words that tell it from the others: without an article, and without what all begin with."""
    bare = {choice: _ARTICLE.sub("", choice) for choice in choices}
    words = [text.split() for text in bare.values()]
    shared = len(list(takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False))))
    if shared and all(len(some) > shared for some in words):
        bare = {choice: _ARTICLE.sub("", " ".join(text.split()[shared:])) for choice, text in bare.items()}
    return bare


def _occurs(word: str, text: str) -> bool:
    return re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) is not None


def _exchanged(text: str, exchange: Mapping[str, str]) -> str:
    """A text with words exchanged, and the articles that stand before them set right."""
    by_lower = {word.lower(): other for word, other in exchange.items()}
    either = "|".join(re.escape(word) for word in exchange)

    def one(found: re.Match[str]) -> str:
        article, space, word = found.group(1) or "", found.group(2) or "", found.group(3)
        other = by_lower[word.lower()]
        if word[:1].isupper() and not word.isupper():
            other = other[:1].upper() + other[1:]
        if article.lower() in ("a", "an"):
            right = "an" if other[:1].lower() in _VOWELS else "a"
            article = right.capitalize() if article[:1].isupper() else right
        return article + space + other

    return re.sub(rf"(?:\b(an?)(\s+))?\b({either})\b", one, text, flags=re.IGNORECASE)
