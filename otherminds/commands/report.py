"""`otherminds report`: runs as one HTML page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherminds.errors import UsageError
from otherminds.terminal.derived import File, command
from otherminds.terminal.names import open_run
from otherminds.terminal.options import STORE
from otherminds.terminal.screen import note, print_json, say

if TYPE_CHECKING:
    from otherminds.pages.report import Report
    from otherminds.runs.runs import Run
    from otherminds.store.store import Store

PLAIN = "none"


@command(runs={"metavar": "RUN…", "required": False})
def report(
    as_json: bool,
    runs: tuple[str, ...],
    *,
    lineup: str | None = None,
    output: Path = Path("report.html"),
    study: str | None = None,
    title: str = "",
    store: File = STORE,
) -> None:
    """Write one HTML page about one or more runs.

    Runs of a study's suite get the page of that study where it has one, all others a plain one. With --lineup,
    runs of safety are put in the places of a line-up, with its pairs, series and trends, whoever is served now; without
    RUN, all that the store has of its models.

    lineup (FILE.yaml): Compare runs of safety as the models of a line-up.
    study (NAME): Whose page to make.  [default: of the suite's study; none: a plain one]
    title: Default: the models and the suites.
    """
    from otherminds.results.summary import read_for, summarise
    from otherminds.runs.runs import with_texts
    from otherminds.store.store import Store

    if not runs and not lineup:
        raise click.UsageError("Missing argument 'RUN…': name at least one, such as last, or a --lineup.")
    with Store(store, create=False) as kept:
        found = _stored(kept, runs, texts=bool(lineup))
        makes = None if lineup else _page_of_study(found, study)
        if makes:
            found = [open_run(kept, run.id) for run in found]
        elif not lineup:
            found = [with_texts(kept, run, read_for(run)) for run in found]
    makes = makes or partial(summarise, title=title)
    page = _in_lineup(found, lineup) if lineup else makes(found)
    replace(page, title=title or page.title).save(output)
    if as_json:
        print_json({"report": str(output), "runs": [run.id for run in found]})
    else:
        say(str(output))


def _stored(store: Store, run_ids: tuple[str, ...], *, texts: bool) -> list[Run]:
    if run_ids:
        return [open_run(store, run_id, texts=texts) for run_id in run_ids]
    from otherminds.studies import lineup_page

    study = lineup_page().study
    return [open_run(store, row.id) for row in store.runs() if row.manifest.get("study") == study]


def _in_lineup(runs: list[Run], name: str) -> Report:
    """The page of a line-up, from runs that were made one at a time."""
    from otherminds.results.lineups import places, read_lineup
    from otherminds.studies import lineup_page

    compared, lineup = lineup_page(), read_lineup(name)
    found, strangers = places(lineup, runs)
    for run in strangers:
        note(f"run {run.id} of {run.model} is of no model in {name}, and is left out")
    if missing := [member.name for member in lineup.members if member.name not in found]:
        note(f"there is no run of {', '.join(missing)}")
    if not found:
        raise UsageError(f"none of these runs is of a model in {name}; `otherminds runs` lists what there is")
    return compared.page(compared.measure(lineup, found))


def _page_of_study(runs: list[Run], name: str | None) -> Callable[[list[Run]], Report] | None:
    """What makes the page of a study; None where a plain one is wanted."""
    from otherminds.studies import STUDIES, study_of

    if name == PLAIN:
        return None
    if name is None:
        studies = {found.name if (found := study_of(run)) and found.page else PLAIN for run in runs}
        if len(studies) > 1 or PLAIN in studies:
            return None
        (name,) = studies
    known = [study for make in STUDIES.values() if (study := make()).page]
    for study in known:
        if study.name == name and study.page:
            return study.page
    names = ", ".join(study.name for study in known)
    raise UsageError(f"no study {name!r} makes a page of runs; there are {names}, and {PLAIN}")
