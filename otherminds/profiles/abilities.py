"""Whether models tell false beliefs from true ones, order by order, on the questions that all of them answered.

A model that answers from reality is right about every true belief, one that never does about every false one. So an
ability is shown only where both sorts lie above chance.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from otherminds.items.tags import FALSE_BELIEF, ORDER, order_name
from otherminds.minds.telling import listing
from otherminds.results.answers import Answer, Answers
from otherminds.stats import Estimate
from otherminds.studies.study import Chapter

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
    """One model on questions that are alike: about false beliefs and about true ones, or one sort where beliefs are not
    told apart."""

    sides: tuple[Side, ...]

    @property
    def shown(self) -> bool:
        """Whether every sort of question lies above chance, by the whole of its interval."""
        return all(side.right.low > side.chance for side in self.sides)


Abilities = Mapping[str, Mapping[int, Ability]]
"""By model and order."""


Questions = dict[tuple[str, ...], Answer]
"""Answers by what was asked."""


def at_best(chapter: Chapter, model: str) -> Questions:
    """Its answers in the form that the controls chose; without controls, to each suite in the first form there is."""
    if model in chapter.in_form:
        runs = [chapter.in_form[model]]
    else:
        # Where models are not compared item by item, stories were searched against one of them.
        own = [run for run in reversed(chapter.runs) if run.model == model and chapter.by]
        runs = list({run.digest: run for run in own}.values())
    return {(row.item.id, row.item.context, row.item.question): row for row in Answers.of(runs) if _counts(row)}


def _counts(row: Answer) -> bool:
    return row.value is not None and len(row.item.choices) > 1 and row.get(ORDER) != 0


def abilities(models: Sequence[str], chapters: Iterable[Chapter]) -> Abilities:
    """What every model gets, each in its best form, on the questions that all of them answered."""
    shared: dict[str, list[Answer]] = {name: [] for name in models}
    for chapter in chapters:
        own = {name: at_best(chapter, name) for name in models}
        for key in own[models[0]]:
            if all(key in some for some in own.values()):
                for name in models:
                    shared[name].append(own[name][key])
    return {
        name: dict(_by_order([row for row in rows if isinstance(row.get(ORDER), int)])) for name, rows in shared.items()
    }


def _by_order(rows: Sequence[Answer]) -> Iterator[tuple[int, Ability]]:
    for order in sorted({int(row.get(ORDER)) for row in rows} - {0}):
        false, true = (_side(rows, order, belief) for belief in (True, False))
        if false and true:
            yield order, Ability((false, true))


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
    said = [f"{able[first] or 'none'} tell false from true beliefs of {the_order(first)}"]
    said += [f"{able[order] or 'none'} of {the_order(order)}" for order in rest]
    return f"Of {len(found)} models, {listing(said)}."


def the_order(order: int) -> str:
    """As `of the first order`, or `of order 5`."""
    name = order_name(order)
    return name if name.startswith("order") else f"the {name}"
