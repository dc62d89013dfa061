"""The studies: each asks one question about minds, with the same verbs, and is one object, `STUDY`.

`suite` is what a study asks, `otherminds.run` puts it to models, and `page` is the page of such runs; `look` does it
all, in a small size or a large one, for a profile of one or more models. None imports another; all import `study`,
`results` and what lies below.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from otherminds.plugins import added, load

if TYPE_CHECKING:
    from otherminds.runs.runs import Run
    from otherminds.studies.study import LineupPage, Study


def _ours(name: str) -> Study:
    found: Study = import_module(f"otherminds.studies.{name}.study").STUDY
    return found


# Made on first use: importing one module of a study must not load all the others. In the order of a profile: what
# takes the least time comes first.
OURS = ("starter", "safety", "dialogue", "explore", "perturbed")
STUDIES: dict[str, Callable[[], Study]] = {
    **{name: partial(_ours, name) for name in OURS},
    **{name: partial(load, "studies", name) for name in added("studies")},
}


COMMANDS = {
    "explore": "studies.explore.exploring",
    "retell": "studies.explore.retelling",
    "invent": "commands.invent",
}
"""The commands that our studies bring of their own, or that serve one of them, with the module of each."""


def study_of(run: Run) -> Study | None:
    """Whose suite was run, as the run itself says."""
    return named(str(run.manifest.get("study", "")), run.suite)


def named(study: str, suite: str) -> Study | None:
    """The study of this name; where none is named, the one that the suite is called after."""
    # Files and stores of earlier versions have the name of the suite alone.
    name = study or suite
    return STUDIES[name]() if name in STUDIES else None


def lineup_page() -> LineupPage:
    """How the models of a line-up are asked and compared, of the study that does it."""
    return next(page for make in STUDIES.values() if (page := make().lineup))
