"""From three models on: a line a model, to be put in any order, and no prose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from otherminds.diagnosis.confusion import GUESS, NONE
from otherminds.diagnosis.diagnosis import Diagnosis
from otherminds.files import read_words
from otherminds.minds.telling import listing
from otherminds.pages.heatmap import term
from otherminds.pages.report import Block, Cell, Linked, Table
from otherminds.profiles.abilities import Abilities, Ability, Side, counted
from otherminds.results.answers import Answers
from otherminds.results.itembrowser import leads_to, link
from otherminds.stats import Estimate, percent, span
from otherminds.studies.study import Finding

MANY = 3
"""Models from which on a page has this form."""
MOST_ORDERS = 2
BELIEFS = ("false", "true")
"""The sides of an ability, in their order."""
_ORDERS = {1: "1st order", 2: "2nd order", 3: "3rd order"}


def summary(found: Abilities, diagnoses: Mapping[str, Diagnosis]) -> str:
    """The sentence at the top: how many can do what, and how many answer like whom."""
    like = Counter(each.dominant for each in diagnoses.values() if each.says and each.dominant)
    words = [f"{_like(name)} in {count}" for name, count in like.most_common()]
    return " ".join(filter(None, [counted(found), f"Answers are mostly like {listing(words)}." if words else ""]))


def _like(name: str) -> str:
    return {GUESS: "guessing", NONE: "none of the readers"}.get(name, f"“{name}”")


def board(models: Sequence[str], found: Abilities, diagnoses: Mapping[str, Diagnosis], answers: Answers) -> Table:
    """The models by their accuracy on false-belief questions of the first order, best first."""
    orders = sorted({order for each in found.values() for order in each})[:MOST_ORDERS]
    sides = [(order, place) for order in orders for place in range(len(BELIEFS))]
    rows: list[list[Cell]] = []
    for name in models:
        diagnosis, own = diagnoses.get(name), found.get(name, {})
        cells = [_cell(own[order].sides[place], answers) if order in own else None for order, place in sides]
        rows.append([name, *_dominant(diagnosis), *cells])
    if sides:
        rows.sort(key=lambda row: -_value(row[3]))
    names = [_head(order, place, list(found.values())) for order, place in sides]
    accuracy = term("Accuracy on false-belief questions", "accuracy on false-belief questions")
    note: str = read_words("pages")["profiles"]["leaderboard"].format(accuracy=accuracy, reader=term("reader"))
    return Table(["model", "answers like", "share", *names], rows, "Leaderboard", note, sortable=True)


def _head(order: int, place: int, found: Sequence[Mapping[int, Ability]]) -> str:
    asked = next(each[order].sides[place].right.n for each in found if order in each)
    return f"{BELIEFS[place]} belief, {_ORDERS.get(order, f'order {order}')} (n = {asked})"


def _dominant(found: Diagnosis | None) -> list[Cell]:
    if found is None or not found.disagree:
        return ["–", None]
    if not found.says:
        return ["not told from guessing", None]
    share = found.shares[found.dominant]
    return [found.dominant, Printed.of(share, percent(share))]


def _cell(side: Side, answers: Answers) -> Cell:
    # Its n stands in the head of the column.
    shown = Printed.of(side.right, span(side.right))
    to = leads_to(side.answers, answers.where(model=side.answers[0].model))
    return Linked(shown, link("", to)) if to else shown


@dataclass(frozen=True, slots=True)
class Printed(Estimate):
    """An estimate as a cell, with its interval and no more."""

    text: str

    @classmethod
    def of(cls, one: Estimate, text: str) -> Printed:
        """The estimate, printed like this."""
        return cls(one.value, one.low, one.high, one.n, one.clusters, one.method, text)

    def __str__(self) -> str:
        return self.text


def _value(cell: Cell) -> float:
    inner = cell.cell if isinstance(cell, Linked) else cell
    return float(getattr(inner, "value", -1.0))


def of_study(name: str, models: Sequence[str], findings: Sequence[Finding]) -> list[Block]:
    """The first numbers of a study, a line a model; the best mindless readers and chance come first."""
    first = [one for one in findings if one.first]
    whats = list(dict.fromkeys(one.what for one in first))
    if not whats:
        return []
    by = {(one.model, one.what): one for one in first}
    rows: list[list[Cell]] = [[each, *(_number(name, by.get((each, what))) for what in whats)] for each in models]
    beside = [next(one for one in first if one.what == what) for what in whats]
    note = "; ".join(f"{one.what}: {said}" for one in beside if (said := _beside(one)))
    return [Table(["model", *whats], rows, f"{name.capitalize()}: scores with 95 % intervals", note, sortable=True)]


def _number(study: str, one: Finding | None) -> Cell:
    if one is None:
        return None
    return Linked(one.estimate, link(study, one.leads_to)) if one.leads_to else one.estimate


def _beside(one: Finding) -> str:
    best = one.mindless
    said = [f"best mindless reader {best[0]} {best[1]:.2f}"] if best else []
    return ", ".join([*said, *([f"chance {one.chance:.2f}"] if one.chance is not None else [])])
