"""Lint: what gives an answer away without the story being understood, and what is wrong with a suite.

A *cue* is a rule that picks a choice without understanding anything: the longest one, the one named last, the one named
most. How often it is right says how far a suite can be solved that way; chance is the mean of 1/(number of choices).
A *fault* is an item that should not be asked as it stands.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from otherminds.items import Item, Suite


@dataclass(frozen=True, slots=True)
class Cue:
    """How often a thoughtless rule is right, beside how often chance is."""

    name: str
    right: float
    chance: float
    n: int


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that some items break."""

    rule: str
    ids: tuple[str, ...]


def cues(items: Iterable[Item]) -> list[Cue]:
    """Every cue over the items that have choices. Ties are shared out."""
    asked = [item for item in items if item.choices]
    found = []
    for name, pick in CUES.items():
        marks = [(item, best) for item in asked if (best := pick(item))]
        if marks:
            right = fmean((item.answer in best) / len(best) for item, best in marks)
            found.append(Cue(name, right, fmean(1 / len(item.choices) for item, _ in marks), len(marks)))
    return found


def faults(suite: Suite) -> list[Fault]:
    """Everything that is plainly wrong; nothing, for a clean suite."""
    found = []
    for rule, offending in RULES.items():
        ids = tuple(sorted(offending(suite.items)))
        if ids:
            found.append(Fault(rule, ids))
    return found


def mentions(text: str, choice: str) -> list[int]:
    """Where a choice stands in a text as a whole word, whatever the case."""
    return [hit.start() for hit in re.finditer(rf"(?<!\w){re.escape(choice)}(?!\w)", text, re.IGNORECASE)]


def _best(item: Item, measure: Callable[[str], float]) -> list[str]:
    """The choices with the greatest measure; none, if all are alike."""
    measured = {choice: measure(choice) for choice in item.choices}
    most = max(measured.values())
    best = [choice for choice, value in measured.items() if value == most]
    return best if len(best) < len(item.choices) else []


CUES: dict[str, Callable[[Item], Sequence[str]]] = {
    "longest choice": lambda item: _best(item, len),
    "named last": lambda item: _best(item, lambda choice: max(mentions(item.context, choice), default=-1)),
    "named first": lambda item: _best(item, lambda choice: -min(mentions(item.context, choice), default=10**9)),
    "named most": lambda item: _best(item, lambda choice: len(mentions(item.context, choice))),
    "first choice": lambda item: item.choices[:1],
    "last choice": lambda item: item.choices[-1:],
}


def _doubles(items: Sequence[Item]) -> set[str]:
    seen: dict[tuple[str, str], str] = {}
    return {item.id for item in items if seen.setdefault((item.context, item.question), item.id) != item.id}


def _contradictions(items: Sequence[Item]) -> set[str]:
    answers: dict[tuple[str, str], set[str]] = defaultdict(set)
    for item in items:
        answers[item.context, item.question].add(item.answer)
    return {item.id for item in items if len(answers[item.context, item.question]) > 1}


def _given_away(items: Sequence[Item]) -> set[str]:
    """The question names the right choice and none of the others."""
    return {
        item.id
        for item in items
        if item.choices
        and mentions(item.question, item.answer)
        and not any(mentions(item.question, choice) for choice in item.choices if choice != item.answer)
    }


RULES: dict[str, Callable[[Sequence[Item]], set[str]]] = {
    "the same question about the same text twice": _doubles,
    "the same question with different answers": _contradictions,
    "the question names the answer and no other choice": _given_away,
}
