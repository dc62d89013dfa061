"""Overlap: the option that has the most words in common with what is asked, understanding nothing.

Published as "with the input", which turns out to be the question, since that quotes the message: there the rule is
well above chance. Against the whole conversation, which the words suggest, it is not; both are worth knowing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from otherminds.heuristics.rules import overlap
from otherminds.items import Item, Suite
from otherminds.items.tags import FALSE_BELIEF, STATE
from otherminds.talks.talk import STATES

With = Literal["question", "conversation", "conversation, each word once"]
Cut = Callable[[str], Sequence[str]]

TOKEN = re.compile(r"\w+(?=n't)|n't|\w+|'\w+|[^\w\s]")
"""Words, the two halves of "don't", endings such as 's, and single marks; capitals stay."""
WORD = re.compile(r"\w+")
"""Apostrophes part words, be they straight or curly: "don't" is "don" and "t"."""


def tokens(text: str) -> list[str]:
    """The text cut as published: case kept, marks and repeats counted."""
    return TOKEN.findall(text)


def words(text: str) -> list[str]:
    """Words in lower case, repeats counted, without marks."""
    return WORD.findall(text.lower())


def word_types(text: str) -> list[str]:
    """Each word of a text once."""
    return sorted(set(words(text)))


WAYS: dict[With, tuple[Cut, Callable[[Item], str]]] = {
    "question": (tokens, lambda item: item.question),
    "conversation": (words, lambda item: item.context),
    "conversation, each word once": (word_types, lambda item: item.context),
}
"""How options are cut, and what they are compared with."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """How often the rule is right on some of the questions."""

    with_: With
    state: str
    """A mental state, or "all"."""
    false_belief: bool | None
    """Only questions with this label; None: all of them."""
    right: int
    n: int

    @property
    def share(self) -> float:
        """Right, of all."""
        return self.right / self.n


def picks(suite: Suite, *, with_: With = "question") -> dict[str, str]:
    """By item id, the option with the most tokens that also stand in the other text; the first of several."""
    cut, other = WAYS[with_]
    # The first of equals, as the published figures need.
    return {item.id: (overlap(item, other(item), cut) or item.choices)[0] for item in suite}


def values(suite: Suite, *, with_: With = "question") -> dict[str, float]:
    """By item id, 1 where the rule is right and 0 where it is wrong."""
    picked = picks(suite, with_=with_)
    return {item.id: float(picked[item.id] == item.answer) for item in suite}


def scores(suite: Suite) -> dict[tuple[str, str, bool | None], Overlap]:
    """By text to compare with, mental state and label, as far as there are such questions; "all" states come last."""
    found: dict[tuple[str, str, bool | None], Overlap] = {}
    for with_ in WAYS:
        right = values(suite, with_=with_)
        for state in (*STATES, "all"):
            for label in (None, True, False):
                some = [right[item.id] for item in suite if _among(item.tags, state, label)]
                if some:
                    found[with_, state, label] = Overlap(with_, state, label, int(sum(some)), len(some))
    return found


def _among(tags: Mapping[str, object], state: str, label: bool | None) -> bool:
    return state in ("all", tags.get(STATE)) and (label is None or tags.get(FALSE_BELIEF) is label)
