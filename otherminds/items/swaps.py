"""The same item with two words exchanged throughout: what a word is worth by itself drops out of the two together."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

from otherminds.items.item import Item

_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_VOWELS = "aeiou"


def swapped(item: Item) -> Item | None:
    """The item with the two choices that its story names exchanged throughout; none where it does not name just two."""
    exchange = _exchange(item)
    if exchange is None:
        return None

    def turned(text: str) -> str:
        return _exchanged(text, exchange)

    return replace(
        item,
        context=turned(item.context),
        question=turned(item.question),
        cloze=turned(item.cloze),
        # They are the same words, and stay where they stand.
        choices=tuple(sorted(map(turned, item.choices), key=_place(item.choices))),
        answer=turned(item.answer),
    )


def other_words(item: Item) -> dict[str, str]:
    """By choice, the one that stands in its place once words are exchanged; itself, where none are."""
    exchange = _exchange(item) or {}
    return {choice: _exchanged(choice, exchange) if exchange else choice for choice in item.choices}


def _exchange(item: Item) -> dict[str, str] | None:
    words = cores(item.choices)
    named = [word for word in words.values() if _occurs(word, item.context)]
    if len(named) != 2 or named[0] == named[1] or any(_occurs(a, b) for a, b in (named, named[::-1])):
        return None
    return dict(zip(named, named[::-1], strict=True))


def _place(choices: Sequence[str]) -> Callable[[str], int]:
    known = {choice: place for place, choice in enumerate(choices)}
    return lambda choice: known.get(choice, len(known))


def cores(choices: Sequence[str]) -> dict[str, str]:
    """By choice, the words that tell it from the others: without an article, and without what all begin with."""
    bare = {choice: without_article(choice) for choice in choices}
    words = [text.split() for text in bare.values()]
    shared = len(list(takewhile(lambda column: len(set(column)) == 1, zip(*words, strict=False))))
    if shared and all(len(some) > shared for some in words):
        bare = {choice: without_article(" ".join(text.split()[shared:])) for choice, text in bare.items()}
    return bare


def without_article(text: str) -> str:
    """A text without "the", "a" or "an" at its beginning."""
    return _ARTICLE.sub("", text)


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
