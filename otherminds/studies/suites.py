"""Suites by name: those that come with the package, and files."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from otherminds.errors import UsageError
from otherminds.items import Suite
from otherminds.plugins import added, load
from otherminds.studies import STUDIES


def suites() -> dict[str, Callable[[], Suite]]:
    """By name, the suites that come with studies and other packages, as `otherminds build` makes them by itself."""
    of_studies = {name: study.suite for name, make in STUDIES.items() if (study := make()).suite}
    return {**of_studies, **{name: load("suites", name) for name in added("suites")}}


def get_suite(name: str | Path) -> Suite:
    """The built-in suite of that name, or the one in that .jsonl file."""
    if name in STUDIES and (make := STUDIES[str(name)]().suite):
        return replace(make(), study=str(name))
    if name in added("suites"):
        suite: Suite = load("suites", str(name))()
        return suite
    path = Path(name)
    if os.path.isdir(path):  # unlike its method, this takes names that no disk would
        inside = sorted(file.name for file in path.glob("*.jsonl"))
        hint = f"; did you mean {path / inside[0]}?" if inside else ""
        raise UsageError(f"{path} is a folder, and a suite is a .jsonl file{hint}")
    if path.suffix == ".csv":
        raise UsageError(f"{path} is a table, and a suite is a .jsonl file; docs/items.md turns one into the other")
    if os.path.exists(path) or path.suffix == ".jsonl" or len(path.parts) > 1:
        return Suite.load(path)
    near = get_close_matches(str(name), suites(), n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UsageError(f"there is no suite {str(name)!r}; {hint}Built in: {', '.join(suites())}; or give a .jsonl file")
