"""The list of runs."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from otherminds.pages.report import Block, Browser, Cell, Linked, Report, Section, Table
from otherminds.store.store import RunRow, Store
from otherminds.web.links import EVERYWHERE, to_run
from otherminds.web.notes import NOTHING, Note, words_of
from otherminds.web.pages import COLUMNS, RUNNING, SCORED, Overview, scripts


def runs_page(
    store: str, overviews: Sequence[Overview], notes: Mapping[str, Note], running: Collection[str], token: str
) -> Report:
    """All runs, newest first; sorted, filtered, tagged and chosen for comparison by the script that comes with it."""
    many = "1 run" if len(overviews) == 1 else f"{len(overviews):,} runs"
    lead = f"{many} in the store, newest first." if overviews else "There are no runs yet: `otherminds run` makes one."
    rows = [_line(each, notes.get(each.row.id, NOTHING), running) for each in overviews]
    note = (
        f"{SCORED} A run that is not finished was stopped: the same command goes on from there. Tags and notes are kept"
        " beside the store, in which nothing is changed."
    )
    columns = ["run", *COLUMNS, "tags and note"]
    data = {
        "runs": [_data(each, notes.get(each.row.id, NOTHING), running) for each in overviews],
        "number": columns.index("right"),
        "state": columns.index("state"),
        "token": token,
        "mark": mark(each.row for each in overviews),
    }
    blocks: list[Block] = (
        [Browser(data, scripts("run_parts", "runs"), asks=True), Table(columns, rows, "Runs", note=note)]
        if rows
        else []
    )
    return Report("Runs", lead, [Section("", blocks)], subtitle=store, trail=EVERYWHERE)


def _line(each: Overview, note: Note, running: Collection[str]) -> list[Cell]:
    *cells, state = each.cells
    state = RUNNING if each.row.id in running else state
    return [Linked(each.row.id, to_run(each.row.id)), *cells, state, words_of(note)]


def _data(each: Overview, note: Note, running: Collection[str]) -> dict[str, Any]:
    row = each.row
    return {
        "id": row.id,
        "suite": row.suite,
        "model": row.model,
        "asked": f"{row.score}, {row.prompt}",
        "state": RUNNING if row.id in running else each.state,
        "tags": list(note.tags),
        "note": note.note,
        "items": list(each.tags),
    }


def mark(rows: Iterable[RunRow]) -> str:
    """Another one whenever a run is there, or ends, that was not."""
    told = [(row.id, row.finished, str(row.manifest.get("ended"))) for row in rows]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def progress(store: Store, running: Collection[str]) -> list[dict[str, Any]]:
    """How far those runs are that go on just now: the calls made for each, and those that it wants."""
    return [
        {"id": row.id, "made": store.sittings(row.id)[1].made, "wanted": row.manifest.get("prompts", 0)}
        for row in store.runs()
        if row.id in running
    ]
