"""`om.profile`: one or more models through every study."""

from __future__ import annotations

from pathlib import Path

from otherminds.calling.costs import Budget, Meter, Metered
from otherminds.calling.probing import TESTS
from otherminds.errors import Unable
from otherminds.heuristics.readers import Baseline
from otherminds.models import Model
from otherminds.models.specs import read_setting
from otherminds.profiles.ahead import Ahead, foreseen
from otherminds.profiles.findings import Profile
from otherminds.profiles.looking import check_names, look, steps_of
from otherminds.python.running import nothing
from otherminds.store.store import Store
from otherminds.studies.study import Desk, Size, Subject
from otherminds.terminal.bars import quietly, watched
from otherminds.terminal.names import get_model, model_of
from otherminds.terminal.options import prepared
from otherminds.terminal.screen import note, progress


def profile(
    *models: Model | str,
    output: str | Path = "profile",
    size: Size = "quick",
    seed: int = 0,
    budget: Budget | None = None,
    studies: bool = True,
    quiet: bool = False,
) -> Profile:
    """Put one or more models through every study, or the starter suite alone, and compare each with the first.

    The folder `output` gets profile.html, profile.json, tables, figures and the store; called again, only what is
    missing is asked. `budget` is for each suite and model.
    """
    folder, meter = Path(output), Meter()
    steps = list(steps_of(alone=not studies))
    with Store(folder / "otherminds.db") as store:
        subjects = [_subject(model, meter, store, quiet=quiet) for model in models or ("smollm2",)]
        check_names([subject.name for subject in subjects])
        real = [subject.model for subject in subjects if subject.model is not None]
        shown = not quiet and watched()
        ahead = Ahead(meter, foreseen(steps, real, store, size=size, seed=seed) if shown else 0)
        bar = quietly if quiet else lambda title: progress(title, lambda: ahead)
        desk = Desk(store, bar, size, seed, budget)
        found = look(steps, subjects, desk, folder, tell=nothing if quiet else note, left=ahead.left)
    if found is None:
        raise Unable("the budget was spent before there was anything to report; call it again to go on")
    return found


def _subject(model: Model | str, meter: Meter, store: Store, *, quiet: bool) -> Subject:
    who = model_of(model, quiet=quiet)
    if isinstance(who, Baseline):
        return Subject.baseline(who.name, who.made_for)
    if isinstance(model, str):

        def opened(*more: str) -> Model:
            return get_model(model, **dict(map(read_setting, more)))

        who = prepared(opened, store=store, wanted=TESTS)
    return Subject.of(Metered(who, meter))
