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
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from importlib.metadata import version
from typing import Any

from otherminds.calling.costs import Budget, Forecast, Price, estimate, read_prices
from otherminds.calling.provenance import PROVENANCE, Watch, find_share
from otherminds.calling.recorded import Progress, Recorded
from otherminds.calling.rounds import PART, AskedPart, Grader, Rounds
from otherminds.errors import StoreError, UsageError
from otherminds.formats.plans import groups, plan, repeated, with_examples
from otherminds.formats.prompts import PROMPTS
from otherminds.formats.scores import SCORES, Scoring, scoring
from otherminds.formats.words import DRAWS, JUDGED
from otherminds.items import Item, Suite
from otherminds.models import Model, Prompt, fingerprint
from otherminds.runs.records import CHECKED, Record, Run, columns_for, in_columns, load, run_of, with_texts
from otherminds.runs.shards import SHARD, WANTED, Shard, places
from otherminds.store.run_seals import count, keep_records, read_seal, sound_calls
from otherminds.store.store import MEMORY, RunRow, Store
from otherminds.store.tables import now

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
    "with_texts",
]
_PLAIN = (None, None, 1, None)


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
    recheck: float | None = None,
) -> Run:
    """Ask a model a suite. What the store has is not asked again; without a store nothing is kept.

    `limit` draws whole groups of twins and stories by the seed. `draws` is how often every order of the choices is
    drawn at most, where the score is "sampled". `shard` asks one part of the items and leaves the others. A budget that
    runs out leaves a partial run; Ctrl-C and errors of the model are raised, after what was answered has been kept.
    `epochs` asks every item so often, `shots` are solved items that stand before each, and `judge` reads free text
    where the score is "judged". `recheck` is the share of calls that are asked again, to see whether one model answers:
    by default 0.02 behind a server, 0 elsewhere.
    """
    if judge and suite.score != JUDGED:
        raise UsageError(f"a judge reads words by score 'judged', not by {suite.score!r}; leave it out, or say so")
    grader = Grader(judge) if judge else None
    plain = (limit, shard, epochs, judge, *shots) == _PLAIN and suite.score in SCORES and suite.prompt in PROMPTS
    if store and store.path != MEMORY and len(suite) > CHECKED and plain:
        id = _id(suite, model, seed=seed, limit=None, draws=draws, told={})
        if done := _as_it_was(suite, model, store, id, seed=seed, progress=progress):
            return done
    whole = plan(suite, limit=limit, seed=seed, cannot=model.cannot)
    whole = replace(whole, scoring=replace(whole.scoring, judge=grader.score)) if grader else whole
    whole = repeated(with_examples(whole, suite, shots, seed=seed), epochs)
    chosen = places(whole.items, shard)
    began = now()
    with nullcontext(store) if store else Store(MEMORY) as kept:
        digest, told = suite.digest, _told(epochs, shots, grader)
        id = _id(suite, model, seed=seed, limit=limit, draws=draws, told=told)
        recorded = Recorded(model, kept, budget=budget, progress=progress, work=id)
        # A judge is given all answers at once.
        rounds = Rounds(whole, chosen, recorded, size=len(chosen) if grader else PART)
        row = partial(_row, suite, recorded, digest=digest, limit=limit, seed=seed, began=began)
        first = row(told=told)
        # Whoever looks on while it runs wants to know how much there is to ask.
        before = kept.begin_run(replace(first, manifest={**first.manifest, "prompts": rounds.prompts}))
        share = find_share(model, recheck, rounds.prompts)
        watch = Watch(recorded, before, whole.scoring.verb, rounds.first or Prompt(), share=share, seed=seed)
        records: dict[int, Record] | None = {} if kept.path == MEMORY or len(chosen) <= CHECKED else None
        keep = partial(_keep, kept, id, whole.scoring, records)
        end = partial(_end, kept, before=before, items=whole.items, shard=shard)
        try:
            asked: list[AskedPart] = []
            rounds.ask(draws, asked.append if grader else keep, watch)
            watch.end()
            for part in asked:
                assert grader, "only then parts are held"
                part.answered = grader.ask(part.calls, part.answered, kept, budget=budget, progress=progress)
                keep(part)
        except BaseException:
            for part in asked:
                # What is not judged yet has no score; the same call, made again, has it judged.
                part.answered = {}
                keep(part)
            end(row(told=told | watch.entry), broken_off=True, all_seen=rounds.all_begun)
            raise
        watch.count_versions()
        ended = end(row(told=told | watch.entry))
        if shard or records is None:
            return in_columns(kept, ended, texts=True) or load(kept, id)
        return run_of(ended, [records[place] for place in sorted(records)])


def _id(suite: Suite, model: Model, *, seed: int, limit: int | None, draws: int, told: Mapping[str, Any]) -> str:
    """By which a run is known."""
    # Versions and dates may change between the two halves of a run; what was asked of whom may not.
    asked = [suite.name, suite.digest, suite.prompt, suite.score, seed, limit, fingerprint(model)]
    asked += [draws] if scoring(suite.score).more else []
    asked += [{name: told[name] for name in sorted(told)}] if told else []
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:10]


def _as_it_was(
    suite: Suite, model: Model, store: Store, id: str, *, seed: int, progress: Progress | None
) -> Run | None:
    """A large run that was finished, if all of it is sound and was judged by this very program."""
    try:
        before = store.run(id)
        found = in_columns(store, before, texts=True)
        watched = before.manifest.get(PROVENANCE, {})
        if found is None or len(found) != len(suite) or not before.finished or watched.get("open"):
            return None
        with store.reading() as db:
            calls = count(sound_calls(store, id, read_seal(db, before)))
    except StoreError:
        return None
    recorded = Recorded(model, store, work=id)
    recorded.reused = calls
    if progress:
        progress(calls, calls)
    row = _row(suite, recorded, digest=before.digest, limit=None, seed=seed, began=now(), told={})
    told = {**row.manifest, **_kept(before, row), **({PROVENANCE: watched} if watched else {})}
    row = replace(row, created=before.created, finished=before.finished, manifest=told)
    return in_columns(store, store.keep_run_again(row), texts=True)


def _kept(before: RunRow, row: RunRow) -> dict[str, Any]:
    """Return what a manifest keeps of earlier sittings: when the run began, and how scales were checked then."""
    return {"started": before.created, "scales": {**before.manifest.get("scales", {}), **row.manifest["scales"]}}


def _told(epochs: int, shots: Sequence[Item], grader: Grader | None) -> dict[str, Any]:
    """What belongs to a run beside its suite and its model."""
    return {
        **({"epochs": epochs} if epochs > 1 else {}),
        **({"shots": {"items": len(shots), "digest": Suite("shots", tuple(shots)).digest}} if shots else {}),
        **({"judge": grader.named} if grader else {}),
    }


def _keep(store: Store, id: str, how: Scoring, records: dict[int, Record] | None, part: AskedPart) -> None:
    """Write the records of a part: one for every item all of whose prompts were answered."""
    rows, without = [], []
    for place, item, posed, calls in zip(part.places, part.items, part.posed, part.keys, strict=True):
        if not all(key in part.answered for key in calls):
            without.append(place)
            continue
        results = tuple(part.answered[key] for key in calls)
        score = how.judge(item, posed, results)
        rows.append({"position": place, "item": item.to_dict(), "calls": calls, "score": score.to_dict()})
        if records is not None:
            records[place] = Record(item, tuple(asked.prompt for asked in posed), results, calls, score)
    keep_records(store, id, rows, without)


def _end(
    store: Store,
    row: RunRow,
    *,
    before: RunRow,
    items: Sequence[Item],
    shard: Shard | None,
    broken_off: bool = False,
    all_seen: bool = True,
) -> RunRow:
    """Write a run whose records are there, with those that other parts of it have left; and what that is then."""
    row = replace(row, created=before.created, manifest={**row.manifest, **_kept(before, row)})
    whole = store.count_records(row.id) == len(items)
    # Whoever presses Ctrl-C does not want to wait for them.
    columns = "" if broken_off else columns_for(store, row, items if whole else ())
    with store.changing():  # another program may be at another part
        if all_seen and store.count_records(row.id) == len(items):
            row = replace(row, finished=before.finished or now())
        elif shard:
            left = {SHARD: str(shard), WANTED: len(items)}
            stopped = row.manifest["stopped"] or shard.alone
            row = replace(row, manifest={**row.manifest, **left, "stopped": stopped})
        return store.keep_run_again(row, columns=columns)


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
    manifest: dict[str, Any] = {
        "otherminds": version("otherminds"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "started": began,
        "ended": now(),
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
        "scales": dict(recorded.model.scales),
        **told,
    }
    head = {name: manifest[name] for name in ("suite", "digest", "model", "fingerprint", "prompt", "score")}
    return RunRow(id=recorded.work, **head, manifest=manifest, created=began)
