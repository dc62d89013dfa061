"""The table of answers: a row for every item that was put to a model, made once from runs and handed on.

    table = Answers.of(runs)
    table.where(order=2).mean()                                    # with its interval, by story
    table.where(score="letters").less(table.where(score="cloze"))  # item by item
    table.where(false_belief=True).against(table.where(false_belief=False))  # two sorts of item

The numbers are columns, whatever the size of a run; a row is made when it is looked at. Items that share a story, a
twin or a stage are not independent, so every interval is drawn by such groups. Answers without a value (tied, refused,
cut off, unreadable) are left out of means: not measured is not zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, isnan
from statistics import fmean
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from otherminds import stats
from otherminds.formats.plans import groups
from otherminds.items import Item, Tag
from otherminds.items.tags import SCORED
from otherminds.results.sources import OF_RUN, Answer, AnswerSource, origins_of
from otherminds.runs.columns import Coded, Columns
from otherminds.runs.records import Run
from otherminds.stats import Difference, Estimate

__all__ = ["LIKING", "OF_RUN", "Answer", "Answers", "Wanted", "shared"]

LIKING = "b"
"""The number that says how far a letter is liked: in log-odds, which have no ends."""
Wanted = Tag | Collection[Tag]
"""A value that is wanted, or several of which any will do."""
Places = NDArray[np.intp]


class Answers(Sequence[Answer]):
    """Some answers, in order, and the properties by which they were chosen."""

    __slots__ = ("_at", "_of", "_sources", "wanted")

    def __init__(self, rows: Iterable[Answer] = (), wanted: Mapping[str, tuple[Tag, ...]] | None = None) -> None:
        made = list(rows)
        origins = origins_of(made)
        sources = list({id(source): source for source, _ in origins}.values())
        number = {id(source): place for place, source in enumerate(sources)}
        self._sources: tuple[AnswerSource, ...] = tuple(sources)
        self._of: Places = np.array([number[id(source)] for source, _ in origins], dtype=np.intp)
        """Of every answer, the number of its source."""
        self._at: Places = np.array([place for _, place in origins], dtype=np.intp)
        """Of every answer, its place there."""
        self.wanted = dict(wanted or {})

    @classmethod
    def _made(
        cls, sources: Sequence[AnswerSource], of: Places, at: Places, wanted: Mapping[str, tuple[Tag, ...]]
    ) -> Answers:
        made = cls.__new__(cls)
        made._sources, made._of, made._at, made.wanted = tuple(sources), of, at, dict(wanted)
        return made

    @classmethod
    def of(cls, runs: Iterable[Run]) -> Answers:
        """All answers of some runs."""
        sources = [AnswerSource.of(run) for run in runs]
        sizes = [len(source.columns.ids) for source in sources]
        of = np.repeat(np.arange(len(sources)), sizes) if sizes else np.array([], dtype=np.intp)
        at = np.concatenate([np.arange(size) for size in sizes]) if sizes else np.array([], dtype=np.intp)
        return cls._made(sources, of, at, {})

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

    def with_values(self, name: str, values: NDArray[np.float64]) -> Answers:
        """What a rule gets on the items of one large run, whose columns hold its values."""
        (source,) = self._sources
        columns = replace(source.columns, value=values, numbers={})
        rule = AnswerSource(source.records, columns, name)
        return Answers._made([rule], self._of, self._at, {}).with_value()

    @property
    def rows(self) -> tuple[Answer, ...]:
        """All of them; of a large run, they are read."""
        return tuple(self._gather(lambda source, at: source.rows(at.tolist())))

    @overload
    def __getitem__(self, place: int) -> Answer: ...
    @overload
    def __getitem__(self, place: slice) -> Answers: ...
    def __getitem__(self, place: int | slice) -> Answer | Answers:
        if isinstance(place, int):
            found: Answer = self._sources[self._of[place]].rows([int(self._at[place])])[0]
            return found
        return self._some(np.arange(len(self))[place])

    def __len__(self) -> int:
        return len(self._at)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.rows)

    def __or__(self, other: Answers) -> Answers:
        """These and others, chosen by what both were chosen by."""
        both = {
            name: tuple(dict.fromkeys((*values, *other.wanted[name])))
            for name, values in self.wanted.items()
            if name in other.wanted
        }
        sources = list({id(source): source for source in (*self._sources, *other._sources)}.values())
        number = {id(source): place for place, source in enumerate(sources)}
        theirs = np.array([number[id(source)] for source in other._sources], dtype=np.intp)
        of = np.concatenate([self._of, theirs[other._of] if len(other) else other._of])
        return Answers._made(sources, of, np.concatenate([self._at, other._at]), both)

    # ---- choosing and grouping --------------------------------------------------------------------------------------

    def _some(self, chosen: NDArray[Any], wanted: Mapping[str, tuple[Tag, ...]] | None = None) -> Answers:
        """Those at some places, or of which this is so; with the sources that they are from."""
        sources, of = self._sources, self._of[chosen]
        if len(sources) > 1 and len(used := np.unique(of)) < len(sources):
            sources, of = tuple(sources[number] for number in used.tolist()), np.searchsorted(used, of)
        return Answers._made(sources, of, self._at[chosen], {**self.wanted, **(wanted or {})})

    def _column(self, read: Callable[[AnswerSource], NDArray[Any]]) -> NDArray[Any]:
        """A column of all sources, for these answers."""
        if len(self._sources) == 1:
            return read(self._sources[0])[self._at]
        found: NDArray[Any] | None = None
        for number, source in enumerate(self._sources):
            own = self._of == number
            if own.any():
                values = read(source)[self._at[own]]
                found = np.zeros(len(self), dtype=values.dtype) if found is None else found
                found[own] = values
        return np.array([]) if found is None else found

    def _gather(self, read: Callable[[AnswerSource, Places], Sequence[Any]]) -> list[Any]:
        """What the sources tell of these answers, one by one."""
        found: list[Any] = [None] * len(self)
        for number, source in enumerate(self._sources):
            own = np.flatnonzero(self._of == number)
            for place, told in zip(own.tolist(), read(source, self._at[own]), strict=True):
                found[place] = told
        return found

    def _coded(self, name: str) -> dict[int, Coded] | None:
        """A property as the sources have it; None where one of them leaves it out."""
        known = {id(source): coded for source in self._sources if (coded := source.coded(name))}
        return known if len(known) == len(self._sources) else None

    def where(self, keep: Callable[[Answer], bool] | None = None, /, **wanted: Wanted) -> Answers:
        """The answers with these properties, which are tags or those of `Answer.get`, and that `keep` keeps."""
        known = {name: _several(value) for name, value in wanted.items()}
        some = self._some(np.ones(len(self), dtype=bool), known)
        for name, values in known.items():
            some = some._some(some._among(name, values))
        return some if keep is None else some._some(np.array([keep(row) for row in some.rows], dtype=bool))

    def _among(self, name: str, values: Collection[Tag]) -> NDArray[np.bool_]:
        """Which of these have one of the values."""
        known = self._coded(name)
        if known is None:
            return np.array([row.get(name) in values for row in self.rows], dtype=bool)
        return self._column(lambda source: known[id(source)].among(values)).astype(bool)

    def by(self, name: str) -> dict[Any, Answers]:
        """The answers for each value of a property, in the order in which these come."""
        found: dict[Any, list[int]] = {}
        for place, value in enumerate(self.get(name)):
            found.setdefault(value, []).append(place)
        return {value: self._some(np.array(places), {name: (value,)}) for value, places in found.items()}

    def get(self, name: str) -> list[Any]:
        """A tag, or else a property of the run, the model or the verdict, of every answer; None where there is none."""
        known = self._coded(name)
        if known is None:
            return [row.get(name) for row in self.rows]
        return self._gather(lambda source, at: known[id(source)].at(at))

    @property
    def tag_values(self) -> dict[str, set[Tag]]:
        """The values of every tag of their items."""
        found: dict[str, set[Tag]] = {}
        for number, source in enumerate(self._sources):
            own = self._at[self._of == number]
            for name, tag in source.columns.tags.items():
                codes = set(tag.codes[own].tolist()) - {-1}
                if codes:
                    found.setdefault(name, set()).update(tag.values[code] for code in codes)
        return found

    def by_run(self) -> list[tuple[Run, Answers]]:
        """The answers of each run."""
        return [
            (source.run, self._some(self._of == number))
            for number, source in enumerate(self._sources)
            if source.run is not None and (self._of == number).any()
        ]

    @property
    def averaged(self) -> Answers:
        """An answer an item: where one was asked for several times, its value is their mean."""
        found: dict[str, list[Answer]] = {}
        for row in self.rows:
            found.setdefault(row.item.id, []).append(row)
        if all(len(some) == 1 for some in found.values()):
            return self
        values = {id: [row.value for row in some if row.value is not None] for id, some in found.items()}
        rows = (replace(some[0], value=fmean(values[id]) if values[id] else None) for id, some in found.items())
        return Answers(rows, self.wanted)

    def with_value(self, of: str = "value") -> Answers:
        """Those that have this number."""
        return self._some(~np.isnan(self._numbers(of)))

    def _numbers(self, of: str) -> NDArray[np.float64]:
        return self._column(lambda source: source.columns.number(of)).astype(np.float64)

    @property
    def scored(self) -> Answers:
        """Those to items that have a right answer."""

        def unscored(source: AnswerSource) -> NDArray[np.bool_]:
            tag = source.columns.tags.get(SCORED, Coded((), np.full(len(source.columns.ids), -1)))
            return np.isin(tag.codes, [code for code, value in enumerate(tag.values) if value is False])

        return self._some(~self._column(unscored).astype(bool))

    @property
    def missing(self) -> int:
        """How many lack a value though their items have a right answer."""
        return sum(count for verdict, count in self.lacking.items() if verdict != "unscored")

    @property
    def lacking(self) -> Counter[str]:
        """How many of those that lack a value ended in which way."""
        without = self._some(np.isnan(self._numbers("value")))
        return Counter(without.get("verdict"))

    def to_items(self, ids: Sequence[str]) -> dict[str, Answer]:
        """The answers to some items, by their ids."""
        wanted = set(ids)
        some = self._some(np.array([id in wanted for id in self.item_ids], dtype=bool)).ids
        return {id: some[id] for id in ids}

    @property
    def item_ids(self) -> list[str]:
        """The id of the item of every answer."""
        return self._gather(lambda source, at: [source.columns.ids[place] for place in at.tolist()])

    @property
    def once(self) -> Answers:
        """Of every item the last answer, in the order in which the items come."""
        return self._some(np.array(list({id: place for place, id in enumerate(self.item_ids)}.values()), dtype=np.intp))

    @property
    def items(self) -> list[Item]:
        """Each item once."""
        return [row.item for row in self.once.rows]

    @property
    def ids(self) -> dict[str, Answer]:
        """By the id of the item."""
        once = self.once
        return dict(zip(once.item_ids, once.rows, strict=True))

    @property
    def runs(self) -> list[Run]:
        """The runs that they come from."""
        order = dict.fromkeys(self._of.tolist())
        return list({run.id: run for number in order if (run := self._sources[number].run) is not None}.values())

    # ---- numbers ----------------------------------------------------------------------------------------------------

    @property
    def choices(self) -> list[int]:
        """How many choices the item of every answer has."""
        found: list[int] = self._column(lambda source: source.columns.choices).tolist()
        return found

    @property
    def values(self) -> NDArray[np.float64]:
        """The value of every answer; not a number where there is none."""
        return self._numbers("value")

    @property
    def whole(self) -> Columns | None:
        """The columns of a run of which these are all answers."""
        if len(self._sources) == 1 and len(self) == len(self._sources[0].columns.ids):
            return self._sources[0].columns
        return None

    def numbers(self, of: str = "value") -> list[float]:
        """Those that there are."""
        found = self._gather(lambda source, at: source.columns.numbers_at(at, of))
        return [number for number in found if not isnan(number)]

    def mean(self, of: str = "value") -> Estimate | None:
        """The mean of a number, or nothing where nothing was measured."""
        some = self.with_value(of)
        bounds = (-inf, inf) if of == LIKING else (0.0, 1.0)
        return stats.mean(some.numbers(of), groups=some.groups, bounds=bounds) if some else None

    def share(self, wanted: Callable[[Answer], bool]) -> Estimate | None:
        """How many of all are so."""
        values = [float(wanted(row)) for row in self.rows]
        return stats.mean(values, groups=self.groups) if values else None

    def less(self, other: Answers, of: str = "value") -> Difference | None:
        """How far these lie above others, over the items that both have a number for; None if there are none."""
        one, two = shared(self, other, of=of)
        return stats.difference(one.numbers(of), two.numbers(of), groups=one.groups) if one else None

    def against(self, other: Answers, of: str = "value") -> Difference | None:
        """How far these lie above answers to other items of the same stories; None where either has no number."""
        one, two = self.with_value(of), other.with_value(of)
        if not one or not two:
            return None
        names = (one | two).groups
        return stats.contrast(one.numbers(of), two.numbers(of), groups=(names[: len(one)], names[len(one) :]))

    @property
    def groups(self) -> list[Any]:
        """The group of every row: its number within one source, a name that several share."""
        if len(self._sources) == 1:
            return list(self._sources[0].columns.group[self._at].tolist())
        return self._gather(lambda source, at: [source.names[place] for place in at.tolist()])


def shared(*parts: Answers, of: str = "") -> list[Answers]:
    """Of each part the answers to the items that all have (with this number, if one is named), in one order."""
    some = [part.with_value(of).once if of else part.once for part in parts]
    places = [{id: place for place, id in enumerate(part.item_ids)} for part in some]
    ids = [id for id in places[0] if all(id in known for known in places)]
    return [
        part._some(np.array([known[id] for id in ids], dtype=np.intp)) for part, known in zip(some, places, strict=True)
    ]


def _several(value: Wanted) -> tuple[Tag, ...]:
    return (value,) if isinstance(value, str | int | float | bool) else tuple(value)
