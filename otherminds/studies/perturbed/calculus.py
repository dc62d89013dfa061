"""The belief calculus: what a sentence does to the target's belief, as a fold over its events.

    SEES(v)  FILLS(v)  MOVES(v)                          the target now believes v
    READS(v,readable|unreadable,credible|doubtful)       v, if readable and credible
    TOLD(v,trust|distrust|inverse)                       v, no change, the other value
    KNOWS_RULE(v)                                        a rule is kept in mind, by which v will be so
    TIME_PASSES  PATTERN_APPLIES                         the rule that is kept in mind takes effect
    SENTIMENT(v,complete|partial)                        v, if the inference is complete
    ABSENT  NARRATOR  NOISE                              no change

It is a second opinion on the gold sets, which were written by hand, and the only source of the chains of the control
variants. Beliefs are symbols here: O1 is what is really so, O2 the decoy.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

O1, O2, UNKNOWN = "O1", "O2", "unknown"
STATES = (O1, O2, UNKNOWN)
OTHER = {O1: O2, O2: O1}


class Event(NamedTuple):
    """One tag of a sentence: what happens to the target."""

    name: str
    value: str = ""
    how: tuple[str, ...] = ()


class Mind(NamedTuple):
    """What the target believes, and what a rule that it knows would make it believe."""

    belief: str = UNKNOWN
    rule: str = ""


Effect = Callable[[Mind, Event], Mind]


def _believes(mind: Mind, event: Event) -> Mind:
    return mind._replace(belief=event.value)


def _reads(mind: Mind, event: Event) -> Mind:
    return _believes(mind, event) if event.how == ("readable", "credible") else mind


def _told(mind: Mind, event: Event) -> Mind:
    said = {"trust": event.value, "distrust": mind.belief, "inverse": OTHER[event.value]}
    return mind._replace(belief=said[event.how[0]])


def _keeps_rule(mind: Mind, event: Event) -> Mind:
    return mind._replace(rule=event.value)


def _applies_rule(mind: Mind, event: Event) -> Mind:
    return mind._replace(belief=mind.rule or mind.belief)


def _infers(mind: Mind, event: Event) -> Mind:
    return _believes(mind, event) if event.how == ("complete",) else mind


def _nothing(mind: Mind, event: Event) -> Mind:
    return mind


# What an event does, whether it has a value, and which words may qualify it.
EVENTS: dict[str, tuple[Effect, bool, tuple[tuple[str, ...], ...]]] = {
    "SEES": (_believes, True, ()),
    "FILLS": (_believes, True, ()),
    "MOVES": (_believes, True, ()),
    "READS": (_reads, True, (("readable", "unreadable"), ("credible", "doubtful"))),
    "TOLD": (_told, True, (("trust", "distrust", "inverse"),)),
    "KNOWS_RULE": (_keeps_rule, True, ()),
    "TIME_PASSES": (_applies_rule, False, ()),
    "PATTERN_APPLIES": (_applies_rule, False, ()),
    "SENTIMENT": (_infers, True, (("complete", "partial"),)),
    "ABSENT": (_nothing, False, ()),
    "NARRATOR": (_nothing, False, ()),
    "NOISE": (_nothing, False, ()),
}

_TAG = re.compile(r"([A-Z_]+)(?:\(([^()]*)\))?")


def read_event(tag: str) -> Event | None:
    """The event that a tag stands for; None if it stands for none."""
    found = _TAG.fullmatch(tag)
    if found is None or found[1] not in EVENTS:
        return None
    _, valued, words = EVENTS[found[1]]
    parts = tuple(part.strip() for part in found[2].split(",")) if found[2] is not None else ()
    if len(parts) != valued + len(words):
        return None
    value, how = (parts[0], parts[1:]) if valued else ("", parts)
    if valued and value not in OTHER:
        return None
    if any(word not in allowed for word, allowed in zip(how, words, strict=True)):
        return None
    return Event(found[1], value, how)


def fold(sentences: Iterable[Sequence[Event]]) -> list[str]:
    """What the target believes after every sentence; before the first, nothing definite."""
    mind, chain = Mind(), []
    for events in sentences:
        for event in events:
            effect, _, _ = EVENTS[event.name]
            mind = effect(mind, event)
        chain.append(mind.belief)
    return chain


CLASSES = (
    "none",
    "transparent_container",
    "preposition_replacement",
    "uninformative_label",
    "late_label",
    "non_protagonist_belief",
    "automatic_change_knowledge",
    "add_unrelated_information",
    "induction_from_baseline",
    "untrustworthy_testimony",
    "conclusion_from_sentiment",
)
VARIANTS = ("focal", "access", "consistent", "informed")

FOOLED = frozenset({"none", "add_unrelated_information", "conclusion_from_sentiment"})
"""The classes whose target ends with the decoy; in the others, something lets the target know better."""


def right_belief(kind: str, class_: str, variant: str, *, form: str | None, testimony: str | None) -> str:
    """What the target must end up believing, by the design of the tasks and without looking at any text."""
    if variant in ("access", "informed"):
        return O1
    if form == "U":
        return UNKNOWN
    if variant == "consistent":
        return right_reality(kind, variant)
    return O2 if class_ in FOOLED or testimony == "discount" else O1


def right_reality(kind: str, variant: str) -> str:
    """What is really so at the end; where nothing is moved, the thing is still at its old place."""
    return O2 if kind == "UT" and variant == "consistent" else O1
