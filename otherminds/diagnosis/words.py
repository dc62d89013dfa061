"""A diagnosis in plain words: up to five sentences, each with its number, and nothing that is not clear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from otherminds.diagnosis.fitting import Fitted
from otherminds.diagnosis.predictions import GUESS, NONE
from otherminds.files import read_words
from otherminds.stats import Estimate

MOST = 5
NO_SIGNAL = 0.01
"""With a larger p than that, nothing is told of any reader."""
LEAST = 0.05
"""A share is told from so much on, by the low end of its interval."""
MOSTLY = 0.5
ENOUGH = 100
"""Items from which on guessing is a finding; with fewer it only means that nothing was seen."""

_TEXTS = read_words("pages")["diagnosis"]
_LIKE: dict[str, str] = _TEXTS["like"]
_ORDERS = {1: "first-order", 2: "second-order", 3: "third-order", 4: "fourth-order"}


@dataclass(frozen=True)
class Part:
    """The fit of one order, or of one kind of event."""

    items: int
    fitted: Fitted

    @property
    def first(self) -> str:
        """The reader that is clearly most of it; empty where none is."""
        name = self.fitted.first
        told = name == GUESS or (name != NONE and self.fitted.signal <= NO_SIGNAL)
        return name if told and self.fitted.shares[name].low > MOSTLY else ""


def percent(one: Estimate) -> str:
    """83 % [78, 88]."""
    return f"{one.value:.0%} [{100 * one.low:.0f}, {100 * one.high:.0f}]".replace("%", " %")


def like(name: str) -> str:
    """A reader, or readers that cannot be told apart, in words."""
    if name == GUESS:
        return "guessing"
    alone = name.split(" or ")
    if len(alone) == 1:
        return _LIKE.get(name, f"the rule “{name}”")
    return f"{name} (which cannot be told apart here)"


def sentences(whole: Fitted, items: int, by_order: Mapping[int, Part], by_event: Mapping[str, Part]) -> Iterator[str]:
    """What can be said; nothing where answers cannot be told from guessing, unless they are many."""
    return islice(_all(whole, items, by_order, by_event), MOST)


def _all(whole: Fitted, items: int, by_order: Mapping[int, Part], by_event: Mapping[str, Part]) -> Iterator[str]:
    told = [name for name in whole.needed if name == NONE or (name != GUESS and whole.signal <= NO_SIGNAL)]
    told = [name for name in told if whole.shares[name].low >= LEAST]
    where = f"of the {items} items where readers disagree"
    for number, name in enumerate(told):
        share = percent(whole.shares[name])
        where = "of them" if number else where
        if name == NONE:
            yield f"Follows none of these readers in {share} {where}: its answers hang together in another way."
        else:
            yield f"Answers like {like(name)}, in {share} {where}."
    if not told and items >= ENOUGH and whole.needed and whole.shares[GUESS].low > MOSTLY:
        yield f"Answers like guessing, in {percent(whole.shares[GUESS])} {where}."
    if told and whole.shares[GUESS].low >= LEAST:
        yield f"Guesses or slips in {percent(whole.shares[GUESS])} of them."
    if told and whole.first == NONE:
        # By other readers than the oracle something would be found for everybody, where options are few.
        by_event = {event: part for event, part in by_event.items() if _alike(part.first, "oracle")}
    if told:
        yield from _deeper(whole, by_order)
        yield from _otherwise(whole, by_event)


def _deeper(whole: Fitted, by_order: Mapping[int, Part]) -> Iterator[str]:
    """At which orders it reads in another way; in one sentence, if that is from one order on."""
    for order in sorted(by_order):
        part = by_order[order]
        if not part.first or _alike(part.first, whole.first):
            continue
        deeper = [by_order[other] for other in by_order if other > order]
        share = f"{percent(part.fitted.shares[part.first])} of {part.items} items"
        if deeper and order > min(by_order) and all(one.first == part.first for one in deeper):
            yield f"From {_of_order(order)} on like {like(part.first)}: {share} of that order."
            return
        yield f"In {_of_order(order)} like {like(part.first)}: {share}."


def _of_order(order: int) -> str:
    return "questions about the world" if order == 0 else f"{_ORDERS.get(order, f'order-{order}')} questions"


def _alike(one: str, other: str) -> bool:
    """Whether two names may mean the same reader: in a part, more readers may be alike."""
    return bool(set(one.split(" or ")) & set(other.split(" or ")))


def _otherwise(whole: Fitted, by_event: Mapping[str, Part]) -> Iterator[str]:
    """Where, by what happens, it reads in another way."""
    apart = {event: part for event, part in by_event.items() if part.first and not _alike(part.first, whole.first)}
    for event, part in sorted(apart.items(), key=lambda pair: -pair[1].items):
        share = percent(part.fitted.shares[part.first])
        yield f"With “{event}” like {like(part.first)}: {share} of {part.items} items."
