"""Suites by name: those that come with the package, and files."""

from __future__ import annotations

import os
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from otherminds.errors import UsageError
from otherminds.items import Suite
from otherminds.starter import starter

SUITES: dict[str, Callable[[], Suite]] = {"starter": starter}


def get_suite(name: str | Path) -> Suite:
    """The built-in suite of that name, or the one in that .jsonl file."""
    if name in SUITES:
        return SUITES[str(name)]()
    path = Path(name)
    if os.path.exists(path) or path.suffix == ".jsonl" or len(path.parts) > 1:
        return Suite.load(path)
    near = get_close_matches(str(name), SUITES, n=1)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise UsageError(f"there is no suite {str(name)!r}; {hint}Built in: {', '.join(SUITES)}; or give a .jsonl file")
