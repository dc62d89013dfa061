"""Runs out of a store: with all that was sent and came back, or with their scores alone, which is much sooner."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from otherminds.errors import BadFile, StoreError, UsageError
from otherminds.formats.scores import VERDICTS, Score, scoring
from otherminds.items import Item, Suite
from otherminds.runs.columns import Records, stored_columns
from otherminds.runs.columns import pack as pack_columns
from otherminds.runs.columns import unpack as unpack_columns
from otherminds.runs.records import Record, Run
from otherminds.store.keeping import Items, records_at, usage
from otherminds.store.packing import unpack, unpack_prompt
from otherminds.store.run_seals import Seal, read_columns, read_seal
from otherminds.store.store import MEMORY, Call, RunRow, Store

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
        try:
            if missing := sorted(_TOLD - set(row.manifest)):
                raise ValueError(f"its manifest lacks {missing[0]}")
            scoring(row.score)
            found = in_columns(store, row) if most < 0 and not texts else None
            records = [] if found else [_scored(line) for line in store.records(row.id, most=most)]
            seal = read_seal(db, row)
            if found:
                return found
            run = run_of(row, records)
            if not texts and (len(records) > CHECKED or _all_there(store, records, seal)):
                return run
            return _with_texts(store, run, records, seal)
        except (AttributeError, BadFile, KeyError, TypeError, UsageError, ValueError) as error:
            raise _damaged(store, row.id, error) from None


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


def _read(path: str, id: str, texts: bool, seal: Seal | None, positions: Sequence[int]) -> list[Record]:
    """Some records of a run, whether or not its store is open still."""
    with Store(path, read_only=True) as store:
        found = [_scored(line) for line in records_at(store, id, positions)]
        calls = store.calls({key for record in found for key in record.calls}, seal=seal) if texts else {}
        return [_in_full(record, calls) for record in found] if texts else found


def _all_there(store: Store, records: Sequence[Record], seal: Seal | None) -> bool:
    """Whether the calls behind all scores are there and sound; not to be told where an older otherminds wrote them."""
    sound = store.sound_calls({key for record in records for key in record.calls}, seal)
    if sound is not None:
        for record in records:
            _refuse_unanswered(record, sound)
    return sound is not None


def _refuse_unanswered(record: Record, answered: Container[str]) -> None:
    # A call that failed was not kept; but what was scored was answered.
    if record.score.verdict != "error" and any(key not in answered for key in record.calls):
        raise ValueError(f"what was answered to {record.item.id!r} is not there")


def with_texts(store: Store, run: Run, wanted: Iterable[Record]) -> Run:
    """A run that was loaded without texts, with those of some of its records."""
    try:
        with store.reading() as db:
            return _with_texts(store, run, wanted, read_seal(db, store.run(run.id)))
    except (AttributeError, KeyError, TypeError, UsageError, ValueError) as error:
        raise _damaged(store, run.id, error) from None


def _with_texts(store: Store, run: Run, wanted: Iterable[Record], seal: Seal | None) -> Run:
    lacking = {id(record): record for record in wanted if not record.results}
    calls = store.calls({key for record in lacking.values() for key in record.calls}, seal=seal)
    told = {place: _in_full(record, calls) for place, record in lacking.items()}
    assert isinstance(run.records, Records)
    return replace(run, records=run.records.changed(told))


_TOLD = {
    "otherminds",
    "python",
    "platform",
    "started",
    "items",
    "seed",
    "limit",
    "identity",
    "calls",
    "usage",
    "stopped",
}
"""Of a manifest, what reports tell."""


def _damaged(store: Store, id: str, error: Exception) -> StoreError:
    return StoreError(f"{store.path}: run {id} is damaged ({error}); restore a copy of the store, or use another")


def _in_full(record: Record, calls: Mapping[str, Call]) -> Record:
    """A record with what was sent and what came back."""
    _refuse_unanswered(record, calls)
    asked = [calls[key] for key in record.calls if key in calls]
    prompts = tuple(unpack_prompt(call.prompt) for call in asked)
    return replace(record, prompts=prompts, results=tuple(map(unpack, asked)))


def _scored(line: Mapping[str, Any]) -> Record:
    """A record without what was sent and what came back."""
    return Record(Item.from_dict(line["item"]), (), (), tuple(line["calls"]), _score(line["score"]))


def _score(data: Mapping[str, Any]) -> Score:
    score = Score.from_dict(data)
    if score.verdict not in VERDICTS:
        raise ValueError(f"a verdict is {score.verdict!r}")
    for number in (score.value, *(score.detail.get(name) for name in ("S", "b", "mass"))):
        if isinstance(number, bool) or not isinstance(number, int | float | None):
            raise ValueError(f"a score is {number!r}")
    return score


def run_of(row: RunRow, records: Sequence[Record]) -> Run:
    """A run with these records."""
    head = (row.id, row.suite, row.digest, row.model, row.fingerprint, row.prompt, row.score)
    return Run(*head, records, row.manifest, partial=not row.finished)
