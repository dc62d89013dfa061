"""A diagnosis in plain words: up to five sentences, each with its number, and nothing that is not clear."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from otherminds.diagnosis.confusion import GUESS, NONE
from otherminds.diagnosis.fitting import MOSTLY, NO_SIGNAL, Fitted
from otherminds.files import read_words
from otherminds.items.tags import order_name
from otherminds.stats import percent

MOST = 5
LEAST = 0.05
"""A share is told from so much on, by the low end of its interval."""
ENOUGH = 100
"""Items from which on guessing is a finding; with fewer it only means that nothing was seen."""

_TEXTS = read_words("pages")["diagnosis"]
_LIKE: dict[str, str] = _TEXTS["like"]


def like(name: str) -> str:
    """A reader, or readers that cannot be told apart, in words."""
    if name == GUESS:
        return "guessing"
    alone = name.split(" or ")
    if len(alone) == 1:
        return _LIKE.get(name, f"the rule “{name}”")
    return f"{name} (which cannot be told apart here)"


def sentences(whole: Fitted, by_order: Mapping[int, Fitted], by_event: Mapping[str, Fitted]) -> Iterator[str]:
    """What can be said; nothing where answers cannot be told from guessing, unless they are many."""
    return islice(_all(whole, by_order, by_event), MOST)


def _all(whole: Fitted, by_order: Mapping[int, Fitted], by_event: Mapping[str, Fitted]) -> Iterator[str]:
    told = [name for name in whole.needed if name == NONE or (name != GUESS and whole.signal <= NO_SIGNAL)]
    told = [name for name in told if whole.shares[name].low >= LEAST]
    where = f"of the {whole.disagree} items where readers disagree"
    for number, name in enumerate(told):
        share = percent(whole.shares[name])
        where = "of them" if number else where
        if name == NONE:
            yield f"Follows none of these readers in {share} {where}: its answers hang together in another way."
        else:
            yield f"Answers like {like(name)}, in {share} {where}."
    if not told and whole.disagree >= ENOUGH and whole.needed and whole.shares[GUESS].low > MOSTLY:
        yield f"Answers like guessing, in {percent(whole.shares[GUESS])} {where}."
    if told and whole.shares[GUESS].low >= LEAST:
        yield f"Guesses or slips in {percent(whole.shares[GUESS])} of them."
    if told and whole.dominant == NONE:
        # By other readers than the oracle something would be found for everybody, where options are few.
        by_event = {event: part for event, part in by_event.items() if _alike(part.first, "oracle")}
    if told:
        yield from _deeper(whole, by_order)
        yield from _otherwise(whole, by_event)


def _deeper(whole: Fitted, by_order: Mapping[int, Fitted]) -> Iterator[str]:
    """At which orders it reads in another way; in one sentence, if that is from one order on."""
    for order in sorted(by_order):
        part = by_order[order]
        if not part.first or _alike(part.first, whole.dominant):
            continue
        deeper = [by_order[other] for other in by_order if other > order]
        share = f"{percent(part.shares[part.first])} of {part.disagree} items"
        if deeper and order > min(by_order) and all(one.first == part.first for one in deeper):
            yield f"From {_of_order(order)} on like {like(part.first)}: {share} of that order."
            return
        yield f"In {_of_order(order)} like {like(part.first)}: {share}."


def _of_order(order: int) -> str:
    return "questions about the world" if order == 0 else f"{order_name(order).replace(' ', '-')} questions"


def _alike(one: str, other: str) -> bool:
    """Whether two names may mean the same reader: in a part, more readers may be alike."""
    return bool(set(one.split(" or ")) & set(other.split(" or ")))


def _otherwise(whole: Fitted, by_event: Mapping[str, Fitted]) -> Iterator[str]:
    """Where, by what happens, it reads in another way."""
    apart = {event: part for event, part in by_event.items() if part.first and not _alike(part.first, whole.dominant)}
    for event, part in sorted(apart.items(), key=lambda pair: -pair[1].disagree):
        share = percent(part.shares[part.first])
        yield f"With “{event}” like {like(part.first)}: {share} of {part.disagree} items."
