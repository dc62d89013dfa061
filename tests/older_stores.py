"""Stores as programs wrote them that did not seal runs."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

from otherminds.store.store import Store
from otherminds.store.tables import INTO_RUNS, run_values


def remove_seals(path: Path) -> None:
    """Take the seals of all runs away, and what is told of all their answers."""
    with closing(Store(path)) as store, store.changing() as db:
        for row in store.runs():
            db.execute(f"INSERT OR REPLACE {INTO_RUNS}", run_values(replace(row, sealed=None), row.written))
        db.execute("DELETE FROM seals")
        db.execute("DELETE FROM columns")
