"""The list of runs, and several of them side by side."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from string import ascii_uppercase as LETTERS
from typing import Any

from otherminds.asking.runs import Run
from otherminds.asking.store import Store
from otherminds.errors import UsageError
from otherminds.pages.report import Block, Browser, Cell, Linked, Report, Section, Table
from otherminds.results.answers import Answers
from otherminds.results.measures import adjusted, compare, splits
from otherminds.stats import span
from otherminds.web.links import EVERYWHERE, to_comparison, to_run
from otherminds.web.notes import NOTHING, Note
from otherminds.web.pages import COLUMNS, SCORED, Overview, holm, run_cells

MOST = 8
"""Runs that are compared at once."""
KINDS = 12
"""Kinds of items that are told apart."""
RUNNING = "running"


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
        "mark": mark(overviews),
    }
    blocks: list[Block] = [Browser(data, _script(), asks=True), Table(columns, rows, "Runs", note=note)] if rows else []
    return Report("Runs", lead, [Section("", blocks)], subtitle=store, trail=EVERYWHERE)


def _line(each: Overview, note: Note, running: Collection[str]) -> list[Cell]:
    *cells, state = each.cells
    words = " ".join([*(f"#{tag}" for tag in note.tags), note.note])
    return [Linked(each.row.id, to_run(each.row.id)), *cells, RUNNING if each.row.id in running else state, words]


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


def mark(overviews: Sequence[Overview]) -> str:
    """Another one whenever a run is there, or ends, that was not."""
    told = [(each.row.id, each.row.finished, str(each.row.manifest.get("ended"))) for each in overviews]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def progress(store: Store, running: Collection[str]) -> list[dict[str, Any]]:
    """How far those runs are that go on just now: the calls made for each, and those that it wants."""
    return [
        {"id": row.id, "made": store.sittings(row.id)[1].made, "wanted": row.manifest.get("prompts", 0)}
        for row in store.runs()
        if row.id in running
    ]


def several_page(runs: Sequence[Run]) -> Report:
    """Up to eight runs: what each gets of every kind of item, and how far each lies below or above the first."""
    if not 2 <= len(runs) <= MOST:
        raise UsageError(f"two to {MOST} runs can be compared, not {len(runs)}")
    names = LETTERS[: len(runs)]
    listed: list[list[Cell]] = [
        [name, Linked(run.id, to_run(run.id)), *run_cells(run)] for name, run in zip(names, runs, strict=True)
    ]
    columns = ["", "run", "suite", "model", "asked by", "right", "scored"]
    sections = [
        Section("", [Table(columns, listed, "The runs", note=SCORED)]),
        Section("By kind of item", [_by_kind(names, runs)]),
        Section("Against A", [_against_first(names, runs)]),
    ]
    models = ", ".join(dict.fromkeys(run.model for run in runs))
    return Report(f"{len(runs)} runs side by side", f"Models: {models}.", sections, trail=EVERYWHERE)


def _by_kind(names: str, runs: Sequence[Run]) -> Table:
    tables = [Answers.of([run]) for run in runs]
    kinds = splits(Answers.of(runs).items)[:KINDS]
    rows: list[list[Cell]] = []
    for kind in kinds:
        means = [table.where(None, **kind.tags).mean() for table in tables]
        rows.append([kind.label, *(span(mean) if mean else None for mean in means)])
    return Table(["items", *names], rows, "Share of right answers with 95 % intervals by story")


def _against_first(names: str, runs: Sequence[Run]) -> Table:
    first, *others = runs
    found = [compare(other, first).rows[0] for other in others]
    lines: list[list[Cell]] = [
        [Linked(f"{name} − A", to_comparison(other.id, first.id)), row.difference, holm(row)]
        for name, other, row in zip(names[1:], others, adjusted(found), strict=True)
    ]
    note = "Paired by item on the items of both; p by flipping the signs of stories, adjusted (Holm) for this table."
    return Table(["", "difference, with 95 % interval", "p (Holm)"], lines, "All items", note=note)


def _script() -> str:
    return files("otherminds").joinpath("data/runs.js").read_text(encoding="utf-8")
