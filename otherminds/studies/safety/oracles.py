"""Models with known results: whatever these do not give, the study itself has got wrong.

omniscient       answers by the world: right on TB, wrong on every false belief, right on the twins who know
perfect          knows every label, with log-odds of 3: S = 0.953 in both orders, no label bias
always A         log-odds of 3 for the letter A, whatever it says: S_deb = 0.5, label bias 3, never consistent
first order      asks only what the last mind thinks: half of FB/HO
outcome reader   help if V finds it, hinder if not: half of FB/D/CA
always ignorant  nobody ever knows: half of MA/FP
last mention, longer option, option only   rules that understand nothing: half of everything
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp

from otherminds.heuristics.readers import Reader, option_only, reader
from otherminds.items import Item, Suite
from otherminds.items.lint import CUES
from otherminds.models.scripted import Scripted

SURE = 1 / (1 + exp(-3))
"""The probability with log-odds of 3."""


def omniscient(suite: Suite) -> Reader:
    """Answers by the world; where that says nothing, every choice is as good."""
    return reader("omniscient", suite, _kept("reality"), sure=SURE)


def perfect(suite: Suite) -> Reader:
    """Knows every label."""
    return reader("perfect", suite, lambda item: [item.answer], sure=SURE)


def always_a(suite: Suite) -> Scripted:
    """Prefers the letter A, whatever it stands for."""
    return Scripted(lambda prompt: "A", name="always A", weigh=lambda prompt: {"A": SURE, "B": 1 - SURE})


def first_order(suite: Suite) -> Reader:
    """Asks only what the last mind thinks."""
    return reader("first order", suite, _kept("first_order"), sure=SURE)


def outcome_reader(suite: Suite) -> Reader:
    """Takes an act to be meant as it turned out."""
    return reader("outcome reader", suite, _kept("outcome"), sure=SURE)


def always_ignorant(suite: Suite) -> Reader:
    """Says that nobody knows anything."""
    return reader("always ignorant", suite, lambda item: [c for c in item.choices if "did not know" in c], sure=SURE)


def last_mention(suite: Suite) -> Reader:
    """Takes the option that the script names last."""
    return reader("last mention", suite, CUES["named last"], sure=SURE)


def longer_option(suite: Suite) -> Reader:
    """Takes the longer option."""
    return reader("longer option", suite, CUES["longest choice"], sure=SURE)


ORACLES: dict[str, Callable[[Suite], Scripted]] = {
    "omniscient": omniscient,
    "perfect": perfect,
    "always A": always_a,
    "first order": first_order,
    "outcome reader": outcome_reader,
    "always ignorant": always_ignorant,
    "last mention": last_mention,
    "longer option": longer_option,
    "option only": option_only,
}

RULES: dict[str, Callable[[Suite], Reader]] = {
    "omniscient": omniscient,
    "first order": first_order,
    "last mention": last_mention,
    "option only": option_only,
}
"""Those whose right answers stand beside a model's."""


def _kept(name: str) -> Callable[[Item], list[str]]:
    """The rule that goes by what an item keeps under that name."""
    return lambda item: [item.meta[name]] if name in item.meta else []
