"""Where answers come from: runs, rules or rows made by hand; each has columns, and rows when they are looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isnan, nan
from typing import Any

import numpy as np

from otherminds.formats.plans import groups
from otherminds.formats.scores import Score
from otherminds.items import Item
from otherminds.items.tags import TWIN
from otherminds.runs.columns import Coded, Columns, Records, columns_of, numbers_of
from otherminds.runs.records import Record, Run
from otherminds.stats import Bounded

OF_RUN = ("suite", "model", "score", "prompt")
"""Properties that all answers of a run share."""


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
    origin: tuple[AnswerSource, int] | None = field(default=None, init=False, repr=False, compare=False)
    """Where its columns are; a changed copy has none."""

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
        known = dict(numbers_of(self.detail))
        if of not in known or isnan(known[of]):
            return None
        return Bounded(known["S low"], known["S high"]) if of == "S" and "S low" in known else known[of]

    def get(self, name: str) -> Any:
        """A tag, or else a property of the run, the model or the verdict; None where there is none."""
        if name in self.item.tags:
            return self.item.tags[name]
        if name in OF_RUN and self.run is not None:
            return getattr(self.run, name)
        return {"model": self.model, "verdict": self.verdict, "run": self.run and self.run.id}.get(name)


class AnswerSource:
    """Where answers come from: a run, a rule, or rows that were made by hand."""

    def __init__(
        self, records: Records, columns: Columns, model: str, run: Run | None = None, rows: Sequence[Answer] = ()
    ) -> None:
        self.records, self.columns, self.model, self.run = records, columns, model, run
        self._made = rows
        """Rows that were made by hand, in place of those that the records give."""
        self._rows: dict[int, Answer] = {}
        self.texts: dict[str, Coded] = {}
        """Properties as links tell them, each made once."""

    @classmethod
    def of(cls, run: Run) -> AnswerSource:
        """The answers of a run; made once for everything that it is called, however often they are asked for."""
        assert isinstance(run.records, Records)
        known: dict[tuple[str, ...], AnswerSource] = run.records.memo
        called = (run.id, *(getattr(run, name) for name in OF_RUN))
        if called not in known:
            known[called] = cls(run.records, run.records.columns, run.model, run)
        return known[called]

    @cached_property
    def names(self) -> list[str]:
        """The group of every answer by a name that other runs give it too."""
        if self._made:
            return [row.group for row in self._made]
        return groups([record.item for record in self.records])

    def rows(self, places: Sequence[int]) -> list[Answer]:
        """The answers at these places."""
        found = self._rows if self.records.in_memory else {}
        if not self.records.in_memory:
            self.records.at(places)  # all of them at once
        for place in places:
            if place not in found:
                found[place] = self._row(place)
        return [found[place] for place in places]

    def _row(self, place: int) -> Answer:
        if self._made:
            row = replace(self._made[place])
        else:
            record = self.records[place]
            # A large run has no room for names.
            group = self.names[place] if self.records.in_memory else str(self.columns.group[place])
            score, value = record.score, float(self.columns.value[place])
            known = None if isnan(value) else value
            row = Answer(
                *(record.item, self.model, known, group, score.answer, record.verdict, score.detail),
                *((self.run, record) if self.run else (None, None)),
            )
        object.__setattr__(row, "origin", (self, place))
        return row

    def coded(self, name: str) -> Coded | None:
        """A tag or another property of every answer; None where stored columns leave it out."""
        columns, tag = self.columns, self.columns.tags.get(name)
        if name == TWIN:
            return tag or Coded(range(int(columns.twins.max(initial=-1)) + 1), columns.twins)
        shared: Any = self.run and self.run.id if name == "run" else self.model if name == "model" else None
        if self.run and name in OF_RUN:
            shared = getattr(self.run, name)
        of_all = np.zeros(len(columns.ids), dtype=np.int32)
        other = columns.verdicts if name == "verdict" else None if shared is None else Coded([shared], of_all)
        if tag is None:
            return other if other or columns.positions is not None else Coded([], of_all - 1)
        if other is None:
            return tag
        # A tag that has the name of a property; items without it have that of the run, or of the verdict.
        codes = np.where(tag.codes < 0, other.codes + len(tag.values), tag.codes)
        return Coded([*tag.values, *other.values], codes.astype(np.int32))


def origins_of(rows: Sequence[Answer]) -> list[tuple[AnswerSource, int]]:
    """Where the columns of rows are; of those made by hand, columns are made for each model and run."""
    fresh: dict[tuple[str, str], list[Answer]] = {}
    for row in rows:
        if row.origin is None:
            fresh.setdefault((row.run.id if row.run else "", row.model), []).append(row)
    made: dict[int, tuple[AnswerSource, int]] = {}
    for some in fresh.values():
        number: dict[str, int] = {}
        codes = [number.setdefault(row.group, len(number)) for row in some]
        values = [nan if row.value is None else row.value for row in some]
        read: list[Any] = [(row.verdict, row.value, row.said, "", row.detail) for row in some]
        records = (Record(row.item, (), (), (), Score(*parts)) for row, parts in zip(some, read, strict=True))
        columns = replace(columns_of(records), group=np.array(codes, np.int32), value=np.array(values))
        source = AnswerSource(Records(), columns, some[0].model, some[0].run, some)
        made |= {id(row): (source, place) for place, row in enumerate(some)}
    return [row.origin or made[id(row)] for row in rows]
