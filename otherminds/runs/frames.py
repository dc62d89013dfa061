"""Rows as a DataFrame of pandas or polars, whichever is installed; neither is needed for anything else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from otherminds.errors import UsageError
from otherminds.pages import sheets

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
        columns = {name: _of_one_type(values) for name, values in columns.items()}
    return import_module(found).DataFrame(columns)


def _of_one_type(values: Sequence[Any]) -> Sequence[Any]:
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) < 2 or kinds <= {int, float}:
        return values
    return [None if value is None else str(value) for value in values]
