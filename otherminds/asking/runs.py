"""Putting a suite to a model, and what comes of it.

    run = om.run(suite, model, store=om.Store("otherminds.db"))
    print(run.mean(false_belief=True), run.verdicts())

A run is known by what was asked of whom: suite, way of asking, seed, limit and the model's fingerprint. Asked again,
it is the same run, and goes on where it was stopped.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from statistics import fmean
from typing import Any, Literal

from otherminds.asking.costs import Budget, Forecast, Price, estimate, read_prices
from otherminds.asking.frames import frame
from otherminds.asking.packing import Result, recall, unpack, unpack_prompt
from otherminds.asking.plans import Plan, groups, plan
from otherminds.asking.recorded import Progress, Recorded
from otherminds.asking.rounds import Rounds
from otherminds.asking.sampled import DRAWS
from otherminds.asking.scores import VERDICTS, Score, way
from otherminds.asking.shards import SHARD, WANTED, Shard, others, part, places
from otherminds.asking.store import MEMORY, Call, RunRow, Store
from otherminds.errors import BadFile, StoreError, UsageError
from otherminds.items import Item, Suite, Tag
from otherminds.items.tags import has_right_answer
from otherminds.models import Model, Prompt, fingerprint
from otherminds.stats import Bounded

__all__ = [
    "Budget",
    "Forecast",
    "Price",
    "Record",
    "Recorded",
    "Run",
    "estimate",
    "groups",
    "load",
    "read_prices",
    "run",
]


Measured = Literal["exact", "within bounds", "drawn", "read"]


@dataclass(frozen=True, slots=True)
class Record:
    """One item, what was asked, what came back, and how good it was."""

    item: Item
    prompts: tuple[Prompt, ...]
    results: tuple[Result, ...]
    calls: tuple[str, ...]
    """The keys under which the store keeps them."""
    score: Score

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


@dataclass(frozen=True, slots=True)
class Run:
    """One suite put to one model."""

    id: str
    suite: str
    digest: str
    model: str
    fingerprint: str
    prompt: str
    score: str
    records: tuple[Record, ...]
    manifest: Mapping[str, Any]
    partial: bool = False
    """Stopped before every item was asked; run again to go on."""

    def __len__(self) -> int:
        return len(self.records)

    @property
    def measured(self) -> Measured:
        """How its scores came about: exactly, within bounds, by draws, or read out of words."""
        if self.score == "sampled":
            return "drawn"
        if way(self.score).verb == "ask":
            return "read"
        return "within bounds" if any("S_bounds" in record.score.detail for record in self.records) else "exact"

    def where(self, keep: Callable[[Record], bool] | None = None, **tags: Tag) -> Run:
        """The run with only the records whose item has these tags and that `keep` keeps."""
        chosen = (record for record in self.records if all(record.item.tags.get(n) == v for n, v in tags.items()))
        return replace(self, records=tuple(record for record in chosen if keep is None or keep(record)))

    def values(self, of: str = "value", /, **tags: Tag) -> dict[str, float]:
        """By item id, the scores' values (or another number, such as S), without items where there is none."""
        found = {record.item.id: record.value(of) for record in self.where(None, **tags).records}
        return {id: value for id, value in found.items() if value is not None}

    def mean(self, of: str = "value", /, **tags: Tag) -> float:
        """The mean over the items that have a value; `verdicts` tells how many have none."""
        values = self.values(of, **tags)
        if not values:
            wanted = ", ".join(f"{name}={value!r}" for name, value in tags.items()) or "any tags"
            raise UsageError(f"run {self.id} has no {of} for an item with {wanted}")
        return fmean(values.values())

    def verdicts(self, **tags: Tag) -> dict[str, int]:
        """How many answers ended in which way; "unscored" is among them only where some items have no right answer."""
        ends = Counter(record.verdict for record in self.where(None, **tags).records)
        return {**dict.fromkeys(VERDICTS, 0), **ends}

    def rows(self) -> list[dict[str, Any]]:
        """A flat row for every item, all with the same columns: answers, verdict, the numbers of its score, tags."""
        details = [record.score.detail for record in self.records]
        numbers = dict.fromkeys(name for detail in details for name, n in detail.items() if isinstance(n, int | float))
        tags = dict.fromkeys(name for record in self.records for name in record.item.tags)
        rows = []
        for record in self.records:
            item, score = record.item, record.score
            row: dict[str, Any] = {
                "run": self.id,
                "suite": self.suite,
                "model": self.model,
                "prompt": self.prompt,
                "score": self.score,
                "id": item.id,
                "question": item.question,
                "answer": item.answer,
                "said": score.answer,
                "verdict": record.verdict,
                "value": record.value(),
            }
            row |= {name: score.detail.get(name) for name in numbers}
            # A tag may have the name of a column, as `question` has in one of our own suites.
            rows.append(row | {f"tag_{name}" if name in row else name: item.tags.get(name) for name in tags})
        return rows

    def frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """The rows as a DataFrame: of pandas if that is installed, else of polars, or of the one that is named."""
        return frame(self.rows(), library)


def run(
    suite: Suite,
    model: Model,
    *,
    store: Store | None = None,
    limit: int | None = None,
    seed: int = 0,
    draws: int = DRAWS,
    shard: Shard | None = None,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Run:
    """Ask a model a suite. What the store has is not asked again; without a store nothing is kept.

    `limit` draws whole groups of twins and stories by the seed. `draws` is how often every order of the choices is
    drawn at most, where the score is "sampled". `shard` asks one part of the items and leaves the others. A budget that
    runs out leaves a partial run; Ctrl-C and errors of the model are raised, after what was answered has been kept.
    """
    whole = plan(suite, limit=limit, seed=seed, cannot=getattr(model, "cannot", ()))
    work = part(whole, chosen := places(whole, shard))
    began = _now()
    with nullcontext(store) if store else Store(MEMORY) as kept:
        digest = suite.digest
        # Versions and dates may change between the two halves of a run; what was asked of whom may not.
        asked = [suite.name, digest, suite.prompt, suite.score, seed, limit, fingerprint(model)]
        asked += [draws] if work.way.more else []
        id = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:10]
        recorded = Recorded(model, kept, budget=budget, progress=progress, work=id)
        rounds = Rounds(work, recorded)
        row = partial(_row, suite, recorded, digest=digest, limit=limit, seed=seed, began=began)
        before = kept.begin_run(row())
        keep = partial(_keep, kept, before=before, whole=whole, chosen=chosen, shard=shard)
        try:
            rounds.ask(draws)
        except BaseException:
            keep(row(), _records(rounds.plan, rounds.keys, recall(kept, rounds.wanted)[0]))
            raise
        return keep(row(), _records(rounds.plan, rounds.keys, rounds.answered))


def load(store: Store, id: str, *, texts: bool = True, most: int = -1) -> Run:
    """A run from the store, by its id or the beginning of it; `most` is how many records are wanted of it.

    Without `texts` its records have neither prompts nor results, and a large run is read much sooner.
    """
    row = store.run(id)
    if not row.sound:
        raise StoreError(
            f"{store.path}: run {row.id} is damaged (its checksum is wrong); give its command again, which asks nothing"
            " that was answered"
        )
    lines = store.records(row.id, most=most)
    try:
        if missing := sorted(_TOLD - set(row.manifest)):
            raise ValueError(f"its manifest lacks {missing[0]}")
        way(row.score)
        keys = {key for line in lines for key in line["calls"]}
        if not texts and (sound := store.sound_calls(keys)) is not None:
            return _run(row, [_scored(line, sound) for line in lines])
        calls = store.calls(keys)
        return _run(row, [_record(line, calls) for line in lines])
    except (AttributeError, BadFile, KeyError, TypeError, UsageError, ValueError) as error:
        raise _damaged(store, row.id, error) from None


def with_texts(store: Store, run: Run, wanted: Iterable[Record]) -> Run:
    """A run that was loaded without texts, with those of some of its records."""
    lacking = {record.item.id: record for record in wanted if not record.results}
    calls = store.calls({key for record in lacking.values() for key in record.calls})
    try:
        told = {id: _told(record, calls) for id, record in lacking.items()}
    except (AttributeError, KeyError, TypeError, UsageError, ValueError) as error:
        raise _damaged(store, run.id, error) from None
    return replace(run, records=tuple(told.get(record.item.id, record) for record in run.records))


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


def _record(line: Mapping[str, Any], calls: Mapping[str, Call]) -> Record:
    return _told(_scored(line, calls), calls)


def _damaged(store: Store, id: str, error: Exception) -> StoreError:
    return StoreError(f"{store.path}: run {id} is damaged ({error}); restore a copy of the store, or use another")


def _told(record: Record, calls: Mapping[str, Call]) -> Record:
    """A record with what was sent and what came back."""
    asked = [calls[key] for key in record.calls if key in calls]
    prompts = tuple(unpack_prompt(call.prompt) for call in asked)
    return replace(record, prompts=prompts, results=tuple(map(unpack, asked)))


def _scored(line: Mapping[str, Any], answered: Container[str]) -> Record:
    """A record without what was sent and what came back."""
    # A call that failed was not kept; but what was scored was answered.
    if line["score"].get("verdict") != "error" and any(key not in answered for key in line["calls"]):
        raise ValueError(f"what was answered to {line['item'].get('id')!r} is not there")
    return Record(Item.from_dict(line["item"]), (), (), tuple(line["calls"]), _score(line["score"]))


def _score(data: Mapping[str, Any]) -> Score:
    score = Score.from_dict(data)
    if score.verdict not in VERDICTS:
        raise ValueError(f"a verdict is {score.verdict!r}")
    for number in (score.value, *(score.detail.get(name) for name in ("S", "b", "mass"))):
        if isinstance(number, bool) or not isinstance(number, int | float | None):
            raise ValueError(f"a score is {number!r}")
    return score


def _keep(
    store: Store,
    row: RunRow,
    records: Sequence[Record],
    *,
    before: RunRow,
    whole: Plan,
    chosen: Sequence[int],
    shard: Shard | None,
) -> Run:
    """Write a run with these records, and those that other parts of it have left."""
    row = replace(row, created=before.created, manifest={**row.manifest, "started": before.created})
    with store.changing():  # another program may be at another part
        rows = [*_rows(whole, records), *(others(store, row.id, chosen) if shard else ())]
        if len(rows) == len(whole.items):
            row = replace(row, finished=before.finished or _now())
        elif shard:
            left = {SHARD: str(shard), WANTED: len(whole.items)}
            stopped = row.manifest["stopped"] or shard.alone
            row = replace(row, manifest={**row.manifest, **left, "stopped": stopped})
        store.keep_run(row, rows)
    return load(store, row.id) if shard else _run(row, records)


def _records(work: Plan, keys: Sequence[str], answered: Mapping[str, Result]) -> list[Record]:
    """A record for every item all of whose prompts were answered."""
    records, start = [], 0
    for item, posed in zip(work.items, work.posed, strict=True):
        calls = tuple(keys[start : start + len(posed)])
        start += len(posed)
        if all(key in answered for key in calls):
            results = tuple(answered[key] for key in calls)
            score = work.way.judge(item, posed, results)
            records.append(Record(item, tuple(asked.prompt for asked in posed), results, calls, score))
    return records


def _rows(work: Plan, records: Sequence[Record]) -> list[dict[str, Any]]:
    position = {item.id: number for number, item in enumerate(work.items)}
    return [
        {
            "position": position[record.item.id],
            "item": record.item.to_dict(),
            "calls": record.calls,
            "score": record.score.to_dict(),
        }
        for record in records
    ]


def _row(suite: Suite, recorded: Recorded, *, digest: str, limit: int | None, seed: int, began: str) -> RunRow:
    manifest = {
        "otherminds": version("otherminds"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "started": began,
        "ended": _now(),
        "suite": suite.name,
        "study": suite.study,
        "digest": digest,
        "items": len(suite),
        "prompt": suite.prompt,
        "score": suite.score,
        "seed": seed,
        "limit": limit,
        "model": recorded.name,
        "fingerprint": recorded.fingerprint,
        "identity": dict(recorded.identity),
        "calls": recorded.account(),
        "usage": asdict(recorded.usage),
        "stopped": recorded.stopped,
        "cannot": sorted(recorded.cannot),
    }
    return RunRow(
        id=recorded.work,
        suite=suite.name,
        digest=digest,
        model=recorded.name,
        fingerprint=recorded.fingerprint,
        prompt=suite.prompt,
        score=suite.score,
        manifest=manifest,
        created=began,
    )


def _run(row: RunRow, records: Sequence[Record]) -> Run:
    head = (row.id, row.suite, row.digest, row.model, row.fingerprint, row.prompt, row.score)
    return Run(*head, tuple(records), row.manifest, partial=not row.finished)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
