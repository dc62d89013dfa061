"""A quick profile of two models with comprehension checks computes everything once."""

import cProfile
import pstats
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import otherminds as om
from otherminds.results.sources import AnswerSource
from otherminds.runs.columns import Records
from otherminds.runs.runs import Run
from otherminds.stats import means
from tests.personas import by_frequency, letters_only
from tests.profiles.test_once import instead, told

BUILDERS = {
    "starter": "studies/starter/study.py:starter",
    "safety": "safety/plots/build.py:build",
    "dialogue": "dialogue/questions/build.py:build_counted",
    "explore": "studies/explore/build.py:suite",
    "perturbed": "perturbed/tasks/build.py:build",
}
GRID = 74 * 16
"""All questions of the perturbed tasks."""


class Counts:
    """How often a profile did what it does most."""

    def __init__(self) -> None:
        self.tables: Counter[str] = Counter()
        self.estimates: Counter[Hashable] = Counter()
        self.runs: set[str] = set()
        self.built: Counter[str] = Counter()
        self.links = self.walks = 0
        self.linking = False


def numbered(groups: Any) -> Hashable:
    """The groups as numbers in the order in which they come, as the memory of estimates has them."""
    known: dict[Hashable, int] = {}
    return groups if groups is None else tuple(known.setdefault(group, len(known)) for group in groups)


@pytest.fixture(scope="module")
def counts(tmp_path_factory: pytest.TempPathFactory) -> Counts:
    """What a quick profile of two scripted models does."""
    found = Counts()

    def table(
        self: AnswerSource, records: Records, columns: object, model: str, run: Run | None = None, *_: object
    ) -> None:
        found.tables[run.id if run else "a rule"] += 1

    def estimate(kind: str) -> Callable[..., None]:
        def computed(*parts: Any, groups: Any = None, **more: Any) -> None:
            names = groups if kind == "contrast" else [groups]
            key = (kind, *(np.asarray(part).tobytes() for part in parts), *map(numbered, names), str(more))
            found.estimates[key] += 1

        return computed

    def linked(function: Callable[..., Any]) -> Callable[..., Any]:
        def link(*given: Any) -> Any:
            found.links, found.linking = found.links + 1, True
            try:
                return function(*given)
            finally:
                found.linking = False

        return link

    walked = Records.__iter__

    def walk(self: Records) -> Iterator[Any]:
        found.walks += found.linking
        return walked(self)

    profiler = cProfile.Profile()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AnswerSource, "__init__", told(table)(AnswerSource.__init__))
        for kind in ("mean", "difference", "contrast"):
            # Behind the memory: only what is really computed counts.
            wrapper: Any = getattr(means, kind)
            cells = dict(zip(wrapper.__code__.co_freevars, wrapper.__closure__, strict=True))
            wrapper.known.cache_clear()
            cell = cells["estimate"]
            patch.setattr(cell, "cell_contents", told(estimate(kind))(cell.cell_contents))
        instead(patch, "results.itembrowser.leads_to", linked)
        patch.setattr(Run, "__post_init__", told(lambda run: found.runs.add(run.id))(Run.__post_init__))
        patch.setattr(Records, "__iter__", walk)
        profiler.enable()
        om.profile(letters_only(), by_frequency(), output=tmp_path_factory.mktemp("counts"), quiet=True)
        profiler.disable()
    for (file, _, function), (_, calls, *_) in pstats.Stats(profiler).stats.items():  # type: ignore[attr-defined]
        found.built[f"{'/'.join(Path(file).parts[-3:])}:{function}"] += calls
    return found


def test_no_more_tables_of_answers_are_built_than_there_are_runs(counts: Counts) -> None:
    rules = counts.tables.pop("a rule", 0)
    assert set(counts.tables) <= counts.runs
    # A page may call a run by a name of its own; its columns are the same.
    assert max(counts.tables.values()) <= 2, counts.tables
    assert sum(counts.tables.values()) + rules <= len(counts.runs)


def test_an_estimate_is_computed_once(counts: Counts) -> None:
    computed = sum(counts.estimates.values())
    assert computed > 100
    assert computed - len(counts.estimates) <= 0.05 * computed


def test_each_suite_is_built_once(counts: Counts) -> None:
    built = {study: counts.built[path] for study, path in BUILDERS.items()}
    assert built == {**dict.fromkeys(BUILDERS, 1), "explore": 0}, "neither model comes to questions about found stories"
    assert counts.built["perturbed/tasks/build.py:_item"] <= GRID + 8


def test_a_link_does_not_walk_the_records(counts: Counts) -> None:
    assert counts.links > 100
    assert counts.built["results/itembrowser.py:_kind"] < 10 * counts.links
    # A column of a run is made when it is first asked for.
    assert counts.walks <= len(counts.runs)
