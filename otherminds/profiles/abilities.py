"""Whether models tell false beliefs from true ones, order by order, on the questions that all of them answered.

A model that answers from reality is right about every true belief, one that never does about every false one. So an
ability is shown only where both sorts lie above chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from otherminds.items.tags import FALSE_BELIEF, ORDER
from otherminds.minds.telling import listing
from otherminds.results.answers import Answer, Answers
from otherminds.stats import Estimate

ORDERS = {1: "the first order", 2: "the second order", 3: "the third order", 4: "the fourth order"}
FEWEST = 8
"""Questions of a sort, without which nothing is said of it."""


@dataclass(frozen=True, slots=True)
class Side:
    """Answers to questions of one order, about false beliefs or about true ones."""

    answers: Answers
    right: Estimate

    @property
    def chance(self) -> float:
        """What guessing would get."""
        return fmean(1 / len(each.item.choices) for each in self.answers)


@dataclass(frozen=True, slots=True)
class Ability:
    """One model at one order."""

    false: Side
    true: Side

    @property
    def shown(self) -> bool:
        """Whether both sorts of question lie above chance, by the whole of their intervals."""
        return all(side.right.low > side.chance for side in (self.false, self.true))


Abilities = Mapping[str, Mapping[int, Ability]]
"""By model and order."""


def abilities(models: Sequence[str], answers: Answers) -> Abilities:
    """What every model gets on the questions that all of them answered."""
    asked: dict[tuple[object, ...], dict[str, Answer]] = {}
    for row in answers:
        if row.value is not None and row.run and len(row.item.choices) > 1 and isinstance(row.get(ORDER), int):
            key = (row.run.digest, row.run.score, row.run.prompt, row.item.id)
            asked.setdefault(key, {})[row.model] = row
    shared = [each for each in asked.values() if len(each) == len(models)]
    return {name: dict(_by_order([each[name] for each in shared])) for name in models}


def _by_order(rows: Sequence[Answer]) -> Iterator[tuple[int, Ability]]:
    for order in sorted({int(row.get(ORDER)) for row in rows} - {0}):
        false, true = (_side(rows, order, belief) for belief in (True, False))
        if false and true:
            yield order, Ability(false, true)


def _side(rows: Sequence[Answer], order: int, belief: bool) -> Side | None:
    some = [row for row in rows if row.get(ORDER) == order and row.get(FALSE_BELIEF) is belief]
    answers = Answers(some, {ORDER: (order,), FALSE_BELIEF: (belief,)})
    right = answers.mean() if len(some) >= FEWEST else None
    return Side(answers, right) if right else None


# ---- in words -----------------------------------------------------------------------------------------------------


def counted(found: Abilities) -> str:
    """Of several models, how many can do it at which order."""
    orders = sorted({order for each in found.values() for order in each})
    able = {order: sum(each[order].shown for each in found.values() if order in each) for order in orders}
    if not able:
        return ""
    first, *rest = able
    said = [f"{able[first] or 'none'} tell false from true beliefs of {_order(first)}"]
    said += [f"{able[order] or 'none'} of {_order(order)}" for order in rest]
    return f"Of {len(found)} models, {listing(said)}."


def _order(order: int) -> str:
    return ORDERS.get(order, f"order {order}")
