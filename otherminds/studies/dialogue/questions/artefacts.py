"""Artefacts: words that give the right option away by themselves (Gardner et al. 2021).

For a word that stands in n options, a share p of which are right: z* = (p - p0) / sqrt(p0 (1 - p0) / n), where p0 is
what chance would give. Two recipes, since published shares can hardly be corrected for the size of the vocabulary:

    gardner      every occurrence counts, alpha 0.01 divided by the number of words, on either side
    paper-like   an option counts once, words in at least ten options, |z*| > 2.326 and no correction

The cut was fitted to published shares: of the ways tried, only this one gives all of them for ToMBench.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Literal

from otherminds.items import Suite
from otherminds.talks.talk import TRAITS, Talk

MARKS = re.compile(r"[^\w\s]|_")
"""Taken out wherever they stand, so that "don't" is "dont"; a word that is nothing else is none."""
ALPHA = 0.01
UNCORRECTED = 2.326
"""The z of ALPHA on one side."""
FEWEST = 10
EVEN = 0.5
"""What chance gives for a trait: in a design with every pattern, half of the texts are of somebody high in it."""


@dataclass(frozen=True, slots=True)
class CountingRecipe:
    """How words are counted, and which are beyond chance."""

    once: bool
    """A word that comes twice in a text counts once."""
    fewest: int
    corrected: bool
    words: str
    """The same in words."""


RecipeName = Literal["gardner", "paper-like"]
RECIPES: dict[RecipeName, CountingRecipe] = {
    "gardner": CountingRecipe(False, 1, True, "corrected for the size of the vocabulary, every occurrence counted"),
    "paper-like": CountingRecipe(
        True, FEWEST, False, "not corrected, words in at least ten options, each option counted once"
    ),
}


Labelled = tuple[str, bool, float]
"""A text, whether it is of the kind looked for, and how probable that is by chance."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word: in how many texts (or how often), what share of these are hits, and how far that is from chance."""

    word: str
    n: int
    share: float
    chance: float

    @property
    def z(self) -> float:
        """Standard errors above chance."""
        return (self.share - self.chance) / sqrt(self.chance * (1 - self.chance) / self.n)


@dataclass(frozen=True, slots=True)
class Artefacts:
    """All words that a recipe looks at, by falling z*."""

    recipe: RecipeName
    words: tuple[Word, ...]

    @property
    def line(self) -> float:
        """The z* beyond which a word is significant."""
        corrected = NormalDist().inv_cdf(1 - ALPHA / max(1, len(self.words)))
        return corrected if RECIPES[self.recipe].corrected else UNCORRECTED

    @property
    def high(self) -> tuple[Word, ...]:
        """Words that stand more often than by chance in what is looked for."""
        return tuple(word for word in self.words if word.z > self.line)

    @property
    def low(self) -> tuple[Word, ...]:
        """Words that stand there less often than by chance."""
        return tuple(word for word in self.words if word.z < -self.line)

    @property
    def count(self) -> int:
        """Significant words, on either side."""
        return len(self.high) + len(self.low)

    @property
    def share(self) -> float:
        """Significant words, of all that are looked at; 0 where there are none."""
        return self.count / len(self.words) if self.words else 0.0


def cut(text: str) -> list[str]:
    """Words as they are counted: lower case, parted by white space, without marks."""
    return [word for part in text.lower().split() if (word := MARKS.sub("", part))]


def find(texts: Iterable[Labelled], recipe: RecipeName = "gardner") -> Artefacts:
    """The words of these texts with their z*."""
    how = RECIPES[recipe]
    counted: dict[str, list[tuple[bool, float]]] = {}
    for text, hit, chance in texts:
        for word in set(cut(text)) if how.once else cut(text):
            counted.setdefault(word, []).append((hit, chance))
    words = []
    for word, seen in counted.items():
        n = len(seen)
        if n >= how.fewest:
            words.append(Word(word, n, sum(hit for hit, _ in seen) / n, sum(chance for _, chance in seen) / n))
    return Artefacts(recipe, tuple(sorted(words, key=lambda word: (-word.z, word.word))))


def of_options(suite: Suite, recipe: RecipeName = "gardner") -> Artefacts:
    """What the words of an option tell about its being right."""
    return find(
        (
            (choice, choice == item.answer, 1 / len(item.choices))
            for item in suite
            for choice in item.choices
            if len(item.choices) > 1
        ),
        recipe,
    )


def named(words: Sequence[Word], most: int | None = None, nothing: str = "–") -> str:
    """Words in a row; of more than the most, how many more there are."""
    more = f" and {len(words) - most} more" if most and len(words) > most else ""
    return ", ".join(word.word for word in words[:most]) + more if words else nothing


Part = Literal["thought", "speech"]


def of_traits(
    talks: Sequence[Talk], *, who: int = 0, part: Part = "thought", recipe: RecipeName = "gardner"
) -> dict[str, Artefacts]:
    """For each factor, what the words of one of the two tell about their being high in it.

    Only in a design in which that person has every pattern: elsewhere words differ with the scene.
    """
    return {
        factor: find(
            (
                (getattr(turn, part), talk.casting.people[who].levels[factor] == "high", EVEN)
                for talk in talks
                for turn in talk.turns
                if turn.speaker == who
            ),
            recipe,
        )
        for factor in TRAITS
    }
