"""`om.load` and `om.compare`: what was made before, by name."""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path
from typing import overload

from otherminds.errors import StoreError, UsageError
from otherminds.items import Suite
from otherminds.minds.stories import STORIES, load_story
from otherminds.minds.story import Story
from otherminds.results import measures
from otherminds.results.comparisons import Comparisons, compare_several
from otherminds.results.measures import Comparison
from otherminds.runs.runs import Run
from otherminds.store.store import Store
from otherminds.studies.suites import get_suite, suites
from otherminds.terminal.options import STORE, open_run

Where = Store | str | Path
"""A store, or its file."""


def load(source: str | Path, *, store: Where = STORE) -> Suite | Run | Story:
    """A suite, a story or a run: by the name of a built-in one, by its file, or by an id (or `last`) in the store."""
    name, path = str(source), Path(source)
    if name in suites() or path.suffix == ".jsonl":
        return get_suite(source)
    if name in STORIES or path.suffix == ".json":
        return load_story(source)
    if os.path.exists(path) or len(path.parts) > 1:
        raise UsageError(f"{path} is neither a suite (.jsonl) nor a story (.json)")
    return _run(name, store)


def _run(id: str, store: Where) -> Run:
    if isinstance(store, Store):
        return open_run(store, id)
    if not os.path.exists(store):
        raise UsageError(
            f"there is no suite and no story {id!r}{_near(id)}, and no store {store} in which it were a run"
        )
    try:
        with Store(store, read_only=True) as opened:
            return open_run(opened, id)
    except StoreError as error:
        raise UsageError(f"there is no suite and no story {id!r}{_near(id)}; and {error}") from None


def _near(name: str) -> str:
    near = get_close_matches(name, [*suites(), *STORIES], n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""


@overload
def compare(first: Run | str, second: Run | str, /, *, by: str = ..., store: Where = ...) -> Comparison: ...


@overload
def compare(
    first: Run | str, second: Run | str, third: Run | str, /, *others: Run | str, by: str = ..., store: Where = ...
) -> Comparisons: ...


def compare(*runs: Run | str, by: str = "", store: Where = STORE) -> Comparison | Comparisons:
    """How far one run lies above another, or above up to seven others, paired by item, with intervals by story.

    Runs are given themselves or by their ids in the store; `by` names a tag to split by in place of the usual ones.
    Each pair is compared on the items of both; p is adjusted (Holm) for all lines and pairs.
    """
    given = [_given(run, store) for run in runs]
    return measures.compare(*given, by=by) if len(given) == 2 else compare_several(given, by=by)


def _given(run: Run | str, store: Where) -> Run:
    return run if isinstance(run, Run) else _run(run, store)
