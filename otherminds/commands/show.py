"""`om.load`, `otherminds runs` and `otherminds show`: what there is by name, and what the store holds."""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from otherminds.commands.run import as_data
from otherminds.errors import StoreError, UsageError
from otherminds.terminal.derived import File, command
from otherminds.terminal.names import open_run, store_of
from otherminds.terminal.options import PARTIAL, STORE
from otherminds.terminal.screen import note, print_fields, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.items import Suite
    from otherminds.minds.story import Story
    from otherminds.runs.runs import Record, Run
    from otherminds.store.store import RunRow, Store

ROWS = 500
"""Answers of a run that are listed; nobody reads more on a screen."""


def load(source: str | Path, *, store: Store | str | Path = STORE) -> Suite | Run | Story:
    """A suite, a story or a run: by the name of a built-in one, by its file, or by an id (or `last`) in the store."""
    from otherminds.minds.stories import STORIES, load_story
    from otherminds.studies.suites import get_suite, suites

    name, path = str(source), Path(source)
    if name in suites() or path.suffix == ".jsonl":
        return get_suite(source)
    if name in STORIES or path.suffix == ".json":
        return load_story(source)
    if os.path.exists(path) or len(path.parts) > 1:
        raise UsageError(f"{path} is neither a suite (.jsonl) nor a story (.json)")
    return _run(name, store)


def _run(id: str, store: Store | str | Path) -> Run:
    if isinstance(store, str | Path) and not os.path.exists(store):
        raise UsageError(
            f"there is no suite and no story {id!r}{_near(id)}, and no store {store} in which it were a run"
        )
    try:
        with store_of(store, read_only=True) as opened:
            return open_run(opened, id)
    except StoreError as error:
        raise UsageError(f"there is no suite and no story {id!r}{_near(id)}; and {error}") from None


def _near(name: str) -> str:
    from otherminds.minds.stories import STORIES
    from otherminds.studies.suites import suites

    near = get_close_matches(name, [*suites(), *STORIES], n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


@command()
def runs(as_json: bool, *, store: File = STORE) -> int:
    """List the runs in the store, newest first. The exit code is 3 if one is damaged."""
    from otherminds.store.run_seals import compare
    from otherminds.store.store import Store

    with Store(store, create=False) as kept, kept.reading() as db:
        rows, running = kept.runs(), kept.running()
        flaws = {row.id: flaw for row in rows if (flaw := compare(db, row)[1])}
        found = [
            (row, "damaged", []) if row.id in flaws else (row, _state(row, running), _values(kept, row.id))
            for row in rows
        ]
    if as_json:
        print_json(
            [
                asdict(row) | {"state": state, "right": fmean(values) if values else None, "n": len(values)}
                for row, state, values in found
            ]
        )
    else:
        print_table(
            ["run", "started (UTC)", "suite", "model", "asked by", "right", "n", "state"],
            [
                [
                    *(row.id, row.created[:16].replace("T", " "), row.suite, row.model, f"{row.score}, {row.prompt}"),
                    *(f"{fmean(values):.2f}" if values else "–", f"{len(values):,}"),
                    state.replace("finished", "done" if row.sealed is not None else "done, not sealed"),
                ]
                for row, state, values in found
            ],
            right=["right", "n"],
        )
    if found and not as_json:
        note(
            "right: the share of right answers among the n that are scored; `otherminds show RUN`, `diagnose RUN` and"
            " `compare RUN RUN` say more"
        )
    for flaw in flaws.values():
        note(f"{flaw}; give its command again, which completes it from the store")
    return PARTIAL if flaws else 0


def _state(row: RunRow, running: Container[str]) -> str:
    return "running" if row.id in running else "finished" if row.finished else "stopped"


def _values(store: Store, id: str) -> list[float]:
    """What the answers of a run are worth, as far as they are scored; quick, since no call is read for it."""
    from otherminds.store.run_seals import read_columns

    with store.reading() as db:
        told = read_columns(db, id)
    if told:
        from otherminds.runs.columns import values

        return values(told)
    lines = store.records(id)
    found = [line["score"].get("value") for line in lines if _scored(line["item"].get("tags"))]
    return [float(value) for value in found if isinstance(value, int | float)]


def _scored(tags: object) -> bool:
    from otherminds.items.tags import has_right_answer

    return not isinstance(tags, dict) or has_right_answer(tags)


@command(item={"metavar": "[ITEM]"})
def show(as_json: bool, run: str, item: str | None = None, *, store: File = STORE) -> None:
    """Show a run, or one answer as a person would read it.

    RUN is an id from `otherminds runs`, the beginning of one, or `last`.
    """
    from otherminds.results.reading import read_record, record_data
    from otherminds.store.store import Store

    whole = as_json or item is not None
    with Store(store, create=False) as kept:
        found = open_run(kept, run, texts=whole, most=-1 if whole else ROWS)
        answers = kept.count_records(found.id)
    if item is None:
        _show_run(found, answers, as_json)
        return
    record = _record(found, item)
    if as_json:
        print_json(record_data(record))
    else:
        print_fields(f"{record.item.id}  ·  {found.model}  ·  run {found.id}", read_record(record))


def _show_run(run: Run, answers: int, as_json: bool) -> None:
    if as_json:
        from otherminds.results.reading import record_data

        print_json(as_data(run) | {"records": [record_data(record) for record in run.records]})
        return
    say(f"{run.suite} · {run.model} · {run.prompt}, {run.score} · run {run.id}")
    print_table(
        ["item", "verdict", "answer", "right", "S"],
        [
            [
                *(record.item.id, record.verdict, record.score.answer, record.item.answer),
                "" if record.value("S") is None else f"{record.value('S'):.2f}",
            ]
            for record in run.records
        ],
        right=["S"],
    )
    if more := answers - len(run):
        say(f"  and {more:,} more (--json has all)")
    if run.partial:
        note(f"run {run.id} is not finished: {run.manifest['stopped'] or 'give its command again to go on'}")
    if run.values("S"):
        note("S: the probability of the right choice among the choices")


def _record(run: Run, item_id: str) -> Record:
    by_id = {record.item.id: record for record in run.records}
    if item_id not in by_id:
        near = get_close_matches(item_id, by_id, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"`otherminds show {run.id}` lists them"
        raise UsageError(f"run {run.id} has no item {item_id!r}; {hint}")
    return by_id[item_id]
