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
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from typing import Any

from otherminds.asking.costs import Budget, Forecast, Price, estimate, read_prices
from otherminds.asking.few_shot import with_examples
from otherminds.asking.judged import Grader
from otherminds.asking.packing import Result, recall, unpack, unpack_prompt
from otherminds.asking.plans import Plan, groups, plan
from otherminds.asking.recorded import Progress, Recorded
from otherminds.asking.records import Record, Run
from otherminds.asking.repeats import repeated
from otherminds.asking.rounds import Rounds
from otherminds.asking.sampled import DRAWS
from otherminds.asking.scores import VERDICTS, Score, way
from otherminds.asking.shards import SHARD, WANTED, Shard, others, part, places
from otherminds.asking.spoken import JUDGED
from otherminds.asking.store import MEMORY, Call, RunRow, Store
from otherminds.errors import BadFile, StoreError, UsageError
from otherminds.items import Item, Suite
from otherminds.models import Model, fingerprint

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

CHECKED = 10_000
"""Answers of a run up to which the calls behind all of them are checked whenever its scores are read."""


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
    epochs: int = 1,
    shots: Sequence[Item] = (),
    judge: Model | None = None,
) -> Run:
    """Ask a model a suite. What the store has is not asked again; without a store nothing is kept.

    `limit` draws whole groups of twins and stories by the seed. `draws` is how often every order of the choices is
    drawn at most, where the score is "sampled". `shard` asks one part of the items and leaves the others. A budget that
    runs out leaves a partial run; Ctrl-C and errors of the model are raised, after what was answered has been kept.
    `epochs` asks every item so often, `shots` are solved items that stand before each, and `judge` reads free text
    where the score is "judged".
    """
    grader = _grader(suite, judge)
    whole = plan(suite, limit=limit, seed=seed, cannot=getattr(model, "cannot", ()))
    whole = replace(whole, way=replace(whole.way, judge=grader.score)) if grader else whole
    whole = repeated(with_examples(whole, suite, shots, seed=seed), epochs)
    work = part(whole, chosen := places(whole, shard))
    began = _now()
    with nullcontext(store) if store else Store(MEMORY) as kept:
        digest = suite.digest
        # Versions and dates may change between the two halves of a run; what was asked of whom may not.
        asked = [suite.name, digest, suite.prompt, suite.score, seed, limit, fingerprint(model)]
        asked += [draws] if work.way.more else []
        told = _told(epochs, shots, grader)
        asked += [{name: told[name] for name in sorted(told)}] if told else []
        id = hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:10]
        recorded = Recorded(model, kept, budget=budget, progress=progress, work=id)
        rounds = Rounds(work, recorded)
        row = partial(_row, suite, recorded, digest=digest, limit=limit, seed=seed, began=began, told=told)
        first = row()
        # Whoever looks on while it runs wants to know how much there is to ask.
        before = kept.begin_run(replace(first, manifest={**first.manifest, "prompts": len(set(rounds.keys))}))
        keep = partial(_keep, kept, before=before, whole=whole, chosen=chosen, shard=shard)
        try:
            rounds.ask(draws)
            answered = rounds.answered
            if grader:
                answered = grader.ask(rounds.plan, rounds.keys, answered, kept, budget=budget, progress=progress)
        except BaseException:
            # What is not judged yet has no score; the same call, made again, has it judged.
            known = {} if grader else recall(kept, rounds.wanted)[0]
            keep(row(), _records(rounds.plan, rounds.keys, known))
            raise
        return keep(row(), _records(rounds.plan, rounds.keys, answered))


def _grader(suite: Suite, judge: Model | None) -> Grader | None:
    if judge is None:
        return None
    if suite.score != JUDGED:
        raise UsageError(f"a judge reads words by score 'judged', not by {suite.score!r}; leave it out, or say so")
    return Grader(judge)


def _told(epochs: int, shots: Sequence[Item], grader: Grader | None) -> dict[str, Any]:
    """What belongs to a run beside its suite and its model."""
    return {
        **({"epochs": epochs} if epochs > 1 else {}),
        **({"shots": {"items": len(shots), "digest": Suite("shots", tuple(shots)).digest}} if shots else {}),
        **({"judge": grader.named} if grader else {}),
    }


def load(store: Store, id: str, *, texts: bool = True, most: int = -1) -> Run:
    """A run from the store, by its id or the beginning of it; `most` is how many records are wanted of it.

    Without `texts` its records have neither prompts nor results, and a large run is read much sooner; of a very large
    one, calls are then checked only where they are read, and by `otherminds store verify`.
    """
    row = store.run(id)
    if not row.sound:
        raise StoreError(
            f"{store.path}: run {row.id} is damaged (its checksum is wrong); give its command again, which asks nothing"
            " that was answered"
        )
    try:
        if missing := sorted(_TOLD - set(row.manifest)):
            raise ValueError(f"its manifest lacks {missing[0]}")
        way(row.score)
        records = [_scored(line) for line in store.records(row.id, most=most)]
        run = _run(row, records)
        if not texts and (len(records) > CHECKED or _all_there(store, records)):
            return run
        return _with_texts(store, run, records)
    except (AttributeError, BadFile, KeyError, TypeError, UsageError, ValueError) as error:
        raise _damaged(store, row.id, error) from None


def _all_there(store: Store, records: Sequence[Record]) -> bool:
    """Whether the calls behind all scores are there and sound; not to be told where an older otherminds wrote them."""
    sound = store.sound_calls({key for record in records for key in record.calls})
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
        return _with_texts(store, run, wanted)
    except (AttributeError, KeyError, TypeError, UsageError, ValueError) as error:
        raise _damaged(store, run.id, error) from None


def _with_texts(store: Store, run: Run, wanted: Iterable[Record]) -> Run:
    lacking = {id(record): record for record in wanted if not record.results}
    calls = store.calls({key for record in lacking.values() for key in record.calls})
    told = {place: _in_full(record, calls) for place, record in lacking.items()}
    return replace(run, records=tuple(told.get(id(record), record) for record in run.records))


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


def _row(
    suite: Suite,
    recorded: Recorded,
    *,
    digest: str,
    limit: int | None,
    seed: int,
    began: str,
    told: Mapping[str, Any],
) -> RunRow:
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
        **told,
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
