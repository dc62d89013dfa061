"""The studies: each asks one question about minds, with the same verbs, and is one object, `STUDY`.

build turns what a study works on into a suite, `otherminds.run` puts it to models, measure makes numbers of the runs
and show a page of them; look does it all, in a small size or a large one, for a profile of one or more models. None
imports another; all import `study`, `results` and what lies below.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from otherminds.plugins import added, load

if TYPE_CHECKING:
    from otherminds.asking.runs import Run
    from otherminds.studies.study import Study


def _ours(name: str) -> Study:
    found: Study = import_module(f"otherminds.studies.{name}.study").STUDY
    return found


# Made on first use: importing one module of a study must not load all the others. In the order of a profile: what
# takes the least time comes first.
STUDIES: dict[str, Callable[[], Study]] = {
    **{name: partial(_ours, name) for name in ("starter", "safety", "dialogue", "explore", "perturbed")},
    **{name: partial(load, "studies", name) for name in added("studies")},
}


def study_of(run: Run) -> Study | None:
    """Whose suite was run, if that study makes a page of runs: by the suite's name, or as the study itself tells."""
    known = [make() for make in STUDIES.values()]
    named = [study for study in known if study.page and study.name == run.suite]
    return next(iter(named or (study for study in known if study.is_of and study.is_of(run))), None)
