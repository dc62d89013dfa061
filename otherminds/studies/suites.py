"""Suites by name: those that come with the package, and files."""

from __future__ import annotations

import os
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from otherminds.errors import UsageError
from otherminds.items import Suite
from otherminds.studies.starter.build import starter


def _perturbed() -> Suite:
    from otherminds.studies.perturbed.build import build

    return build()


def _safety() -> Suite:
    from otherminds.studies.safety.build import build

    return build()


def _dialogue() -> Suite:
    from otherminds.studies.dialogue import bank
    from otherminds.studies.dialogue.build import build

    return build(bank.authored(), labels=bank.labels())


SUITES: dict[str, Callable[[], Suite]] = {
    "starter": starter,
    "perturbed": _perturbed,
    "safety": _safety,
    "dialogue": _dialogue,
}
"""As `otherminds build` makes them when it is given no options."""


def get_suite(name: str | Path) -> Suite:
    """The built-in suite of that name, or the one in that .jsonl file."""
    if name in SUITES:
        return SUITES[str(name)]()
    path = Path(name)
    if os.path.isdir(path):  # unlike its method, this takes names that no disk would
        inside = sorted(file.name for file in path.glob("*.jsonl"))
        hint = f"; did you mean {path / inside[0]}?" if inside else ""
        raise UsageError(f"{path} is a folder, and a suite is a .jsonl file{hint}")
    if path.suffix == ".csv":
        raise UsageError(f"{path} is a table, and a suite is a .jsonl file; docs/items.md turns one into the other")
    if os.path.exists(path) or path.suffix == ".jsonl" or len(path.parts) > 1:
        return Suite.load(path)
    near = get_close_matches(str(name), SUITES, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UsageError(f"there is no suite {str(name)!r}; {hint}Built in: {', '.join(SUITES)}; or give a .jsonl file")
