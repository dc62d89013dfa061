"""The table of answers: a row for every item that was put to a model, made once from runs and handed on.

    table = Answers.of(runs)
    table.where(order=2).mean()                                    # with its interval, by story
    table.where(score="letters").less(table.where(score="cloze"))  # item by item
    table.where(false_belief=True).against(table.where(false_belief=False))  # two sorts of item

Items that share a story, a twin or a stage are not independent, so every interval is drawn by such groups. Answers
without a value (tied, refused, cut off, unreadable) are left out of means: not measured is not zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isnan
from statistics import fmean
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from otherminds import stats
from otherminds.asking.columns import Stored
from otherminds.asking.plans import groups
from otherminds.asking.runs import Record, Run
from otherminds.items import Item, Tag
from otherminds.items.tags import SCORED, has_right_answer
from otherminds.stats import Bounded, Difference, Estimate

OF_RUN = ("suite", "model", "score", "prompt")
"""Properties that all answers of a run share."""
LIKING = "b"
"""The number that says how far a letter is liked: in log-odds, which have no ends."""
Wanted = Tag | Collection[Tag]
"""A value that is wanted, or several of which any will do."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One item put to one model in one way; a rule without a model has neither a run nor a record."""

    item: Item
    model: str
    value: float | None
    """1 right, 0 wrong, between for what counts in part; None where nothing could be read, or nothing is right."""
    group: str
    """The same for items that are not independent."""
    said: str = ""
    verdict: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """What the score tells besides, such as S."""
    run: Run | None = None
    record: Record | None = None

    @property
    def right(self) -> bool:
        """Whether it is right; what could not be read is not."""
        return self.value == 1

    @property
    def states(self) -> tuple[str, ...]:
        """The chain of beliefs, where one was asked for."""
        return tuple(self.detail.get("states", ()))

    def tag(self, name: str) -> str:
        """A tag of its item, as text."""
        return str(self.item.tags[name])

    def number(self, of: str = "value") -> float | None:
        """The value, or another number of its score; `single` is S in the order of the choices that was drawn first."""
        if of == "value":
            return self.value
        if of == "single":
            orders = self.detail.get("S_orders")
            return None if orders is None else float(orders[0])
        found, bounds = self.detail.get(of), self.detail.get("S_bounds") if of == "S" else None
        if found is None:
            return None
        return Bounded(*bounds) if bounds else float(found)

    def get(self, name: str) -> Any:
        """A tag, or else a property of the run, the model or the verdict; None where there is none."""
        if name in self.item.tags:
            return self.item.tags[name]
        if name in OF_RUN and self.run is not None:
            return getattr(self.run, name)
        return {"model": self.model, "verdict": self.verdict}.get(name)


class Answers(Sequence[Answer]):
    """Some answers, in order, and the properties by which they were chosen."""

    __slots__ = ("rows", "wanted")

    def __init__(self, rows: Iterable[Answer] = (), wanted: Mapping[str, tuple[Tag, ...]] | None = None) -> None:
        self.rows = tuple(rows)
        self.wanted = dict(wanted or {})

    @classmethod
    def of(cls, runs: Iterable[Run]) -> Answers:
        """All answers of some runs."""
        known = list(runs)
        if len(known) == 1 and isinstance(known[0].records, Stored):
            return InColumns(known[0])
        return cls(row for run in known for row in _rows(run))

    @classmethod
    def by_rule(
        cls, name: str, items: Sequence[Item], values: Mapping[str, float], **more: Mapping[str, float]
    ) -> Answers:
        """What a rule gets, by item id, and `more` numbers such as S; what it says nothing about is left out."""
        known = [item for item in items if any(item.id in some for some in (values, *more.values()))]
        return cls(
            Answer(each, name, values.get(each.id), by, detail={of: some.get(each.id) for of, some in more.items()})
            for each, by in zip(known, groups(known), strict=True)
        )

    @overload
    def __getitem__(self, place: int) -> Answer: ...
    @overload
    def __getitem__(self, place: slice) -> Answers: ...
    def __getitem__(self, place: int | slice) -> Answer | Answers:
        return self.rows[place] if isinstance(place, int) else Answers(self.rows[place], self.wanted)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.rows)

    def __or__(self, other: Answers) -> Answers:
        """These and others, chosen by what both were chosen by."""
        both = {
            name: tuple(dict.fromkeys((*values, *other.wanted[name])))
            for name, values in self.wanted.items()
            if name in other.wanted
        }
        return Answers((*self.rows, *other.rows), both)

    # ---- choosing and grouping --------------------------------------------------------------------------------------

    def where(self, keep: Callable[[Answer], bool] | None = None, /, **wanted: Wanted) -> Answers:
        """The answers with these properties, which are tags or those of `Answer.get`, and that `keep` keeps."""
        known = {name: _several(value) for name, value in wanted.items()}
        rows: Sequence[Answer] = self.rows
        for name, values in known.items():
            rows = [row for row in rows if row.get(name) in values]
        return Answers(rows if keep is None else [row for row in rows if keep(row)], {**self.wanted, **known})

    def by(self, name: str) -> dict[Any, Answers]:
        """The answers for each value of a property, in the order in which these come."""
        found: dict[Any, list[Answer]] = {}
        for row in self.rows:
            found.setdefault(row.get(name), []).append(row)
        return {value: Answers(rows, {**self.wanted, name: (value,)}) for value, rows in found.items()}

    def by_run(self) -> list[tuple[Run, Answers]]:
        """The answers of each run."""
        found: dict[str, list[Answer]] = {run.id: [] for run in self.runs}
        for row in self.rows:
            if row.run is not None:
                found[row.run.id].append(row)
        return [(run, Answers(found[run.id], self.wanted)) for run in self.runs]

    @property
    def averaged(self) -> Answers:
        """An answer an item: where one was asked for several times, its value is their mean."""
        found: dict[str, list[Answer]] = {}
        for row in self.rows:
            found.setdefault(row.item.id, []).append(row)
        values = {id: [row.value for row in some if row.value is not None] for id, some in found.items()}
        rows = (replace(some[0], value=fmean(values[id]) if values[id] else None) for id, some in found.items())
        return Answers(rows, self.wanted)

    def with_value(self, of: str = "value") -> Answers:
        """Those that have this number."""
        if of == "value":
            return Answers([row for row in self.rows if row.value is not None], self.wanted)
        return self.where(lambda row: row.number(of) is not None)

    @property
    def scored(self) -> Answers:
        """Those to items that have a right answer."""
        return self.where(lambda row: has_right_answer(row.item.tags))

    @property
    def missing(self) -> int:
        """How many lack a value though their items have a right answer."""
        return sum(row.value is None and row.verdict != "unscored" for row in self.rows)

    def to_items(self, ids: Sequence[str]) -> dict[str, Answer]:
        """The answers to some items, by their ids."""
        known = self.ids
        return {id: known[id] for id in ids}

    @property
    def items(self) -> list[Item]:
        """Each item once."""
        return list({row.item.id: row.item for row in self.rows}.values())

    @property
    def ids(self) -> dict[str, Answer]:
        """By the id of the item."""
        return {row.item.id: row for row in self.rows}

    @property
    def runs(self) -> list[Run]:
        """The runs that they come from."""
        return list({row.run.id: row.run for row in self.rows if row.run is not None}.values())

    # ---- numbers ----------------------------------------------------------------------------------------------------

    def numbers(self, of: str = "value") -> list[float]:
        """Those that there are."""
        return [number for row in self.rows if (number := row.number(of)) is not None]

    def mean(self, of: str = "value") -> Estimate | None:
        """The mean of a number, or nothing where nothing was measured."""
        some = self.with_value(of)
        bounds = (-inf, inf) if of == LIKING else (0.0, 1.0)
        return stats.mean(some.numbers(of), groups=some.groups, bounds=bounds) if some else None

    def share(self, wanted: Callable[[Answer], bool]) -> Estimate | None:
        """How many of all are so."""
        return stats.mean([float(wanted(row)) for row in self.rows], groups=self.groups) if self.rows else None

    def less(self, other: Answers, of: str = "value") -> Difference | None:
        """How far these lie above others, over the items that both have a number for; None if there are none."""
        one, two = shared(self, other, of=of)
        return stats.difference(one.numbers(of), two.numbers(of), groups=one.groups) if one else None

    def against(self, other: Answers, of: str = "value") -> Difference | None:
        """How far these lie above answers to other items of the same stories; None where either has no number."""
        one, two = self.with_value(of), other.with_value(of)
        if not one or not two:
            return None
        return stats.contrast(one.numbers(of), two.numbers(of), groups=(one.groups, two.groups))

    @property
    def groups(self) -> list[str]:
        """The group of every row."""
        return [row.group for row in self.rows]


class InColumns(Answers):
    """Answers of a large run, of which the columns are at hand; a row is read when it is looked at."""

    __slots__ = ("_stored", "at", "columns", "run", "value")

    def __init__(
        self,
        run: Run,
        at: NDArray[np.intp] | None = None,
        wanted: Mapping[str, tuple[Tag, ...]] | None = None,
        value: NDArray[np.float64] | None = None,
    ) -> None:
        assert isinstance(run.records, Stored), "only those have columns"
        self.run, self._stored, self.columns = run, run.records, run.records.columns
        self.at = np.arange(len(run.records)) if at is None else at
        """The places of these answers in the run."""
        self.value = self.columns.value if value is None else value
        """Of all answers of the run; a rule has values of its own."""
        self.wanted = dict(wanted or {})

    @property
    def rows(self) -> tuple[Answer, ...]:  # type: ignore[override]
        """All of them, which takes a while."""
        places = self.at.tolist()
        self._stored.at(places)  # all of them at once
        return tuple(map(self._row, places))

    def _row(self, place: int) -> Answer:
        record, value = self.run.records[place], float(self.value[place])
        group, score = str(self.columns.group[place]), record.score
        known = None if isnan(value) else value
        return Answer(
            *(record.item, self.run.model, known, group, score.answer, record.verdict, score.detail, self.run, record)
        )

    def __len__(self) -> int:
        return len(self.at)

    def only(self, keep: NDArray[np.bool_], wanted: Mapping[str, tuple[Tag, ...]] | None = None) -> InColumns:
        """Those of which this is so, told for all answers of the run."""
        return InColumns(self.run, self.at[keep[self.at]], {**self.wanted, **(wanted or {})}, self.value)

    def where(self, keep: Callable[[Answer], bool] | None = None, /, **wanted: Wanted) -> Answers:
        """As of any answers; quick where only properties are asked for that columns tell."""
        known = {name: _several(value) for name, value in wanted.items()}
        if keep or not all(name in self.columns.tags or name == "verdict" for name in known):
            return super().where(keep, **wanted)
        chosen = np.ones(len(self.columns.ids), dtype=bool)
        for name, values in known.items():
            chosen &= self.columns.tags.get(name, self.columns.verdicts).among(values)
        return self.only(chosen, known)

    def with_value(self, of: str = "value") -> Answers:
        """Those that have this number."""
        return self.only(~np.isnan(self._numbers(of)))

    def _numbers(self, of: str) -> NDArray[np.float64]:
        return self.value if of == "value" else self.columns.numbers[of]

    def numbers(self, of: str = "value") -> list[float]:
        """Those that there are."""
        found = self._numbers(of)[self.at]
        plain: list[float] = found[~np.isnan(found)].tolist()
        return plain

    @property
    def scored(self) -> Answers:
        """Those to items that have a right answer."""
        return self.only(~self.columns.tags[SCORED].among([False])) if SCORED in self.columns.tags else self

    @property
    def missing(self) -> int:
        """How many lack a value though their items have a right answer."""
        lacking = np.isnan(self.value) & ~self.columns.verdicts.among(["unscored"])
        return int(np.count_nonzero(lacking[self.at]))

    @property
    def lacking(self) -> Counter[str]:
        """How many of those that lack a value ended in which way."""
        codes, names = self.columns.verdicts.codes[self.at], self.columns.verdicts.values
        return Counter(names[code] for code in codes[np.isnan(self.value[self.at])].tolist())

    def to_items(self, ids: Sequence[str]) -> dict[str, Answer]:
        """The answers to some items, by their ids."""
        wanted = set(ids)
        places = {id: place for place, id in enumerate(self.columns.ids) if id in wanted}
        self._stored.at(list(places.values()))  # all of them at once
        return {id: self._row(places[id]) for id in ids}

    def less(self, other: Answers, of: str = "value") -> Difference | None:
        """How far these lie above others; quick where both are answers to the same items."""
        if not self.beside(other) or not isinstance(other, InColumns):
            return super().less(other, of)
        mine, theirs = self._numbers(of)[self.at], other._numbers(of)[self.at]
        both = ~np.isnan(mine) & ~np.isnan(theirs)
        groups = self.columns.group[self.at][both].tolist()
        return stats.difference(mine[both].tolist(), theirs[both].tolist(), groups=groups) if both.any() else None

    def beside(self, other: Answers) -> bool:
        """Whether the other has columns too, of the same suite, and these are answers to the same items."""
        return (
            isinstance(other, InColumns)
            and self.run.digest == other.run.digest
            and np.array_equal(self.at, other.at)
            and self.columns.ids == other.columns.ids
        )

    @property
    def groups(self) -> list[Any]:
        """The group of every answer."""
        return list(self.columns.group[self.at].tolist())

    @property
    def runs(self) -> list[Run]:
        """The run that they come from."""
        return [self.run] if len(self) else []


def shared(*parts: Answers, of: str = "") -> list[Answers]:
    """Of each part the answers to the items that all have (with this number, if one is named), in one order."""
    known = [part.with_value(of).ids if of else part.ids for part in parts]
    ids = [id for id in known[0] if all(id in some for some in known)]
    return [Answers((some[id] for id in ids), part.wanted) for some, part in zip(known, parts, strict=True)]


def _rows(run: Run) -> Iterator[Answer]:
    for record, group in zip(run.records, groups([record.item for record in run.records]), strict=True):
        score = record.score
        yield Answer(
            record.item, run.model, record.value(), group, score.answer, record.verdict, score.detail, run, record
        )


def _several(value: Wanted) -> tuple[Tag, ...]:
    return (value,) if isinstance(value, str | int | float | bool) else tuple(value)
