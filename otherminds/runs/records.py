"""Record and Run: what came of putting items to a model, and both out of a store.

A run is read with all that was sent and came back, or with its scores alone, which is much sooner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from statistics import fmean
from typing import Any, Literal

import numpy as np

from otherminds.errors import BadFile, StoreError, UsageError
from otherminds.formats.scores import VERDICTS, Score, scoring
from otherminds.items import Item, Suite, Tag
from otherminds.items.tags import has_right_answer
from otherminds.models import Prompt
from otherminds.pages import sheets
from otherminds.runs.columns import Columns, Records, stored_columns
from otherminds.runs.columns import pack as pack_columns
from otherminds.runs.columns import unpack as unpack_columns
from otherminds.showing.brief import brief, cut, plain
from otherminds.showing.notebook import Shown
from otherminds.stats import Bounded
from otherminds.store.packing import Result, unpack, unpack_prompt
from otherminds.store.run_seals import Items, RunSeal, read_columns, read_seal, records_at, usage
from otherminds.store.store import MEMORY, Call, RunRow, Store
from otherminds.store.tables import RunHead

Measured = Literal["exact", "within bounds", "drawn", "read"]


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """One item, what was asked, what came back, and how good it was."""

    item: Item
    prompts: tuple[Prompt, ...]
    results: tuple[Result, ...]
    calls: tuple[str, ...]
    """The keys under which the store keeps them."""
    score: Score

    def __repr__(self) -> str:
        return plain(f"<Record of {brief(self.item.id)}: {self.verdict}, answer {brief(self.score.answer)}>")

    @property
    def verdict(self) -> str:
        """How the answer ended: the score's verdict, or "unscored" for an item that has no right answer."""
        read = self.score.verdict in ("correct", "incorrect", "tied")
        return "unscored" if read and not self.scored else self.score.verdict

    def value(self, of: str = "value") -> float | None:
        """The score's value, or a number from its detail, such as S; none where no answer is right or wrong."""
        if of == "value" and not self.scored:
            return None
        found = self.score.value if of == "value" else self.score.detail.get(of)
        if found is None:
            return None
        bounds = self.score.detail.get("S_bounds") if of == "S" else None
        return Bounded(*bounds) if bounds else float(found)

    @property
    def scored(self) -> bool:
        """Whether any answer to the item is right."""
        return has_right_answer(self.item.tags)


@dataclass(frozen=True, slots=True, repr=False)
class Run(RunHead, Shown):
    """One suite put to one model."""

    records: Sequence[Record]
    manifest: Mapping[str, Any]
    partial: bool = False
    """Stopped before every item was asked; run again to go on."""

    def __post_init__(self) -> None:
        if not isinstance(self.records, Records):
            object.__setattr__(self, "records", Records(self.records))

    def __repr__(self) -> str:
        state = ", not finished" if self.partial else ""
        asked = f"{self.suite} · {self.model} · {self.prompt}, {self.score}"
        return plain(f"<Run {self.id} of {cut(asked, 200)}: {len(self)} items{state}>")

    def __len__(self) -> int:
        return len(self.records)

    @property
    def measured(self) -> Measured:
        """How its scores came about: exactly, within bounds, by draws, or read out of words."""
        how = scoring(self.score)
        if how.verb == "ask":
            return "drawn" if how.more else "read"
        return "within bounds" if "S low" in self.columns.numbers else "exact"

    @property
    def columns(self) -> Columns:
        """What statistics need of all records."""
        assert isinstance(self.records, Records)
        return self.records.columns

    @property
    def doubts(self) -> Sequence[str]:
        """What speaks against one model having given all answers; a run without any is clean."""
        told = self.manifest.get("provenance", {})
        return (*told.get("findings", ()), *([told["open"]] if "open" in told else []))

    def where(self, keep: Callable[[Record], bool] | None = None, **tags: Tag) -> Run:
        """The run with only the records whose item has these tags and that `keep` keeps."""
        return replace(self, records=tuple(record for record in self._with(tags) if keep is None or keep(record)))

    def _with(self, tags: Mapping[str, Tag]) -> Iterator[Record]:
        return (record for record in self.records if all(record.item.tags.get(n) == v for n, v in tags.items()))

    def values(self, of: str = "value", /, **tags: Tag) -> dict[str, float]:
        """By item id, the scores' values (or another number, such as S), without items where there is none."""
        chosen = self.columns.with_tags(tags)
        if chosen is None:
            found = ((record.item.id, record.value(of)) for record in self._with(tags))
            return {id: value for id, value in found if value is not None}
        places = np.flatnonzero(chosen & ~np.isnan(self.columns.number(of)))
        ids = (self.columns.ids[place] for place in places.tolist())
        return dict(zip(ids, self.columns.numbers_at(places, of), strict=True))

    def mean(self, of: str = "value", /, **tags: Tag) -> float:
        """The mean over the items that have a value; `verdicts` tells how many have none."""
        values = self.values(of, **tags)
        if not values:
            wanted = ", ".join(f"{name}={value!r}" for name, value in tags.items()) or "any tags"
            raise UsageError(f"run {self.id} has no {of} for an item with {wanted}")
        return fmean(values.values())

    def verdicts(self, **tags: Tag) -> dict[str, int]:
        """How many answers ended in which way; "unscored" is among them only where some items have no right answer."""
        ends = Counter(record.verdict for record in self._with(tags)) if tags else self.columns.verdicts.counted
        return {**dict.fromkeys(VERDICTS, 0), **ends}

    def rows(self) -> list[dict[str, Any]]:
        """A flat row for every item, all with the same columns: answers, verdict, the numbers of its score, tags."""
        details = [record.score.detail for record in self.records]
        numbers = dict.fromkeys(name for detail in details for name, n in detail.items() if isinstance(n, int | float))
        tags = dict.fromkeys(name for record in self.records for name in record.item.tags)
        rows = []
        for record in self.records:
            item, score = record.item, record.score
            row: dict[str, Any] = {"run": self.id}
            row |= {name: getattr(self, name) for name in ("suite", "model", "prompt", "score")}
            row |= {name: getattr(item, name) for name in ("id", "question", "answer")}
            row |= {"said": score.answer, "verdict": record.verdict, "value": record.value()}
            row |= {name: score.detail.get(name) for name in numbers}
            # A tag may have the name of a column, as `question` has in one of our own suites.
            rows.append(row | {f"tag_{name}" if name in row else name: item.tags.get(name) for name in tags})
        return rows

    def frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """The rows as a DataFrame: of pandas if that is installed, else of polars, or of the one that is named."""
        return frame(self.rows(), library)


LIBRARIES = ("pandas", "polars")
EXTRA = "'otherminds[frame]'"


def frame(rows: Sequence[Mapping[str, Any]], library: str | None = None) -> Any:
    """A DataFrame with a column for every key of the rows; a text that a spreadsheet would run begins with a mark."""
    if library is not None and library not in LIBRARIES:
        raise UsageError(f"there is no frame of {library!r}; there are {' and '.join(LIBRARIES)}")
    wanted = [library] if library else LIBRARIES
    found = next((name for name in wanted if find_spec(name)), None)
    if found is None:
        absent = "it is" if library else "neither is"
        raise UsageError(
            f"a frame needs {' or '.join(wanted)}, and {absent} not installed; install it, as with:"
            f" pip install {library or EXTRA}"
        )
    rows = [{sheets.cell(name): sheets.cell(value) for name, value in row.items()} for row in rows]
    columns: dict[str, Sequence[Any]] = {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}
    if found == "polars":
        # A tag may be a number for some items and a text for others; polars wants one type a column.
        for name, values in columns.items():
            kinds = {type(value) for value in values if value is not None}
            if len(kinds) > 1 and not kinds <= {int, float}:
                columns[name] = [None if value is None else str(value) for value in values]
    return import_module(found).DataFrame(columns)


_TOLD = {"python", "platform", "started", "items", "seed", "limit", "identity", "calls", "usage", "stopped"}
"""Of a manifest, what reports tell."""
CHECKED = 3_000
"""Answers of a run up to which the calls behind all of them are checked whenever its scores are read."""


def load(store: Store, id: str, *, texts: bool = True, most: int = -1) -> Run:
    """A run from the store, by its id or the beginning of it; `most` is how many records are wanted of it.

    Without `texts` its records have neither prompts nor results, and a large run is read much sooner; of a very large
    one, calls are then checked only where they are read, and by `otherminds store verify`.
    """
    with store.reading() as db:
        row = store.run(id)
        if not row.sound:
            read_seal(db, row)
        with _as_damage(store, row.id):
            if missing := sorted({"otherminds", *_TOLD} - set(row.manifest)):
                raise ValueError(f"its manifest lacks {missing[0]}")
            scoring(row.score)
            found = in_columns(store, row) if most < 0 and not texts else None
            records = [] if found else [_scored(line) for line in store.records(row.id, most=most)]
            seal = read_seal(db, row)
            if found:
                return found
            run = run_of(row, records)
            if not texts and len(records) > CHECKED:
                return run
            # Not to be told where an older otherminds wrote them.
            sound = None if texts else store.sound_calls({key for record in records for key in record.calls}, seal)
            if sound is not None:
                for record in records:
                    _refuse_unanswered(record, sound)
                return run
            return _with_texts(store, run, records, seal)


def in_columns(store: Store, row: RunRow, *, texts: bool = False) -> Run | None:
    """A large run, of which each record is read when it is looked at; none where columns do not tell of it."""
    with store.reading() as db:
        told = read_columns(db, row.id)
        seal = read_seal(db, row) if told and texts else None
    if not told or not (columns := unpack_columns(told)):
        return None
    return run_of(row, Records(columns=columns, read=partial(_read, store.path, row.id, texts, seal)))


def columns_for(store: Store, row: RunRow, items: Sequence[Item] = ()) -> str:
    """What is told of all answers of a large run, made from its records; `items` are those of a run that is whole."""
    if store.path == MEMORY or store.count_records(row.id) <= CHECKED:
        return ""
    kept = ((line["position"], _scored(line)) for line in store.records(row.id))
    suite = Suite(row.suite, items or Items(store, row.id))
    return pack_columns(stored_columns(kept, suite, usage(store, row.id)))


def _read(path: str, id: str, texts: bool, seal: RunSeal | None, positions: Sequence[int]) -> list[Record]:
    """Some records of a run, whether or not its store is open still."""
    with Store(path, read_only=True) as store:
        found = [_scored(line) for line in records_at(store, id, positions)]
        calls = store.calls({key for record in found for key in record.calls}, seal=seal) if texts else {}
        return [_in_full(record, calls) for record in found] if texts else found


def _refuse_unanswered(record: Record, answered: Container[str]) -> None:
    # A call that failed was not kept; but what was scored was answered.
    if record.score.verdict != "error" and any(key not in answered for key in record.calls):
        raise ValueError(f"what was answered to {record.item.id!r} is not there")


def with_texts(store: Store, run: Run, wanted: Iterable[Record]) -> Run:
    """A run that was loaded without texts, with those of some of its records."""
    with _as_damage(store, run.id), store.reading() as db:
        return _with_texts(store, run, wanted, read_seal(db, store.run(run.id)))


def _with_texts(store: Store, run: Run, wanted: Iterable[Record], seal: RunSeal | None) -> Run:
    lacking = {id(record): record for record in wanted if not record.results}
    calls = store.calls({key for record in lacking.values() for key in record.calls}, seal=seal)
    told = {place: _in_full(record, calls) for place, record in lacking.items()}
    assert isinstance(run.records, Records)
    return replace(run, records=run.records.changed(told))


@contextmanager
def _as_damage(store: Store, id: str) -> Iterator[None]:
    """What can be wrong with a run that was read, as a sentence."""
    try:
        yield
    except (AttributeError, BadFile, KeyError, TypeError, UsageError, ValueError) as error:
        reason = f"run {id} is damaged ({error}); restore a copy of the store, or use another"
        raise StoreError(f"{store.path}: {reason}") from None


def _in_full(record: Record, calls: Mapping[str, Call]) -> Record:
    """A record with what was sent and what came back."""
    _refuse_unanswered(record, calls)
    asked = [calls[key] for key in record.calls if key in calls]
    prompts = tuple(unpack_prompt(call.prompt) for call in asked)
    return replace(record, prompts=prompts, results=tuple(map(unpack, asked)))


def _scored(line: Mapping[str, Any]) -> Record:
    """A record without what was sent and what came back."""
    score = Score.from_dict(line["score"])
    if score.verdict not in VERDICTS:
        raise ValueError(f"a verdict is {score.verdict!r}")
    for number in (score.value, *(score.detail.get(name) for name in ("S", "b", "mass"))):
        if isinstance(number, bool) or not isinstance(number, int | float | None):
            raise ValueError(f"a score is {number!r}")
    return Record(Item.from_dict(line["item"]), (), (), tuple(line["calls"]), score)


def run_of(row: RunRow, records: Sequence[Record]) -> Run:
    """A run with these records."""
    head = (row.id, row.suite, row.digest, row.model, row.fingerprint, row.prompt, row.score)
    return Run(*head, records, row.manifest, partial=not row.finished)
