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
from functools import partial
from math import exp

from otherminds.heuristics.readers import Reader, option_only, reader
from otherminds.heuristics.rules import HEURISTICS
from otherminds.items import Suite
from otherminds.models.scripted import Scripted

SURE = 1 / (1 + exp(-3))
"""The probability with log-odds of 3."""


def _surely(name: str, rule: str, suite: Suite) -> Reader:
    """A heuristic by another name, as sure as these models are."""
    return reader(name, suite, HEURISTICS[rule].pick, sure=SURE)


def always_a(suite: Suite) -> Scripted:
    """Prefers the letter A, whatever it stands for."""
    return Scripted(lambda prompt: "A", name="always A", weigh=lambda prompt: {"A": SURE, "B": 1 - SURE})


omniscient = partial(_surely, "omniscient", "realist")
perfect = partial(_surely, "perfect", "oracle")

RULES: dict[str, Callable[[Suite], Reader]] = {
    "omniscient": omniscient,
    "first order": partial(_surely, "first order", "last mind"),
    "last mention": partial(_surely, "last mention", "last mention"),
    "option only": option_only,
}
"""Those whose right answers stand beside a model's."""
ORACLES: dict[str, Callable[[Suite], Scripted]] = {
    **RULES,
    "perfect": perfect,
    "always A": always_a,
    "outcome reader": partial(_surely, "outcome reader", "outcome"),
    "always ignorant": partial(_surely, "always ignorant", "nobody knows"),
    "longer option": partial(_surely, "longer option", "longest option"),
}
