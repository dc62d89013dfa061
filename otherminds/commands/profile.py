"""`om.profile` and `otherminds profile`: the whole way from one or more models to a report."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from otherminds.errors import Unable, UsageError
from otherminds.terminal.bars import quietly, watched
from otherminds.terminal.derived import Folder, command
from otherminds.terminal.names import looked_at, model_of, prepared
from otherminds.terminal.options import PARTIAL, dry_run_option, read_budget, speed_option
from otherminds.terminal.screen import note, print_json, print_table, progress, say, silent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otherminds.calling.costs import Budget, Meter
    from otherminds.models import Model
    from otherminds.models.specs import Spec
    from otherminds.profiles.findings import Profile
    from otherminds.store.store import Store
    from otherminds.studies.study import Subject

STORED = "otherminds.db"
"""The store in the folder of a profile."""
DRY_RUN = dry_run_option("Say what it would ask and cost, and ask nothing.")


class NothingYet(Unable):
    """The budget was spent before there was anything to report."""


def profile(
    *models: Model | str | Spec,
    size: Literal["quick", "standard", "full"] = "quick",
    output: Folder = "profile",
    seed: int = 0,
    budget: Budget | str | None = None,
    prices: str | Path | None = None,
    studies: bool = True,
    quiet: bool = False,
) -> Profile:
    """From one or more models to a report, through every study.

    The starter suite is asked in several ways first; then every study looks at every model. Of several models, each
    is compared with the first. The folder given by -o gets profile.html, whose path is the last line printed,
    profile.json, tables, figures and the store. Given again, the same command asks only what is missing.

    models: May be given several times, each with settings of its own: NAME,KEY=VALUE,…; or a YAML file.
    size: How much is asked.
    seed: For what is drawn and for the order of choices.
    budget (NAME=N,…): For each suite and model: calls=, tokens=, seconds=, money=.
    studies: Ask the starter suite alone.
    """
    from otherminds.calling.costs import Meter
    from otherminds.profiles.looking import check_names, look, steps_of
    from otherminds.profiles.rehearsals import Ahead, foreseen
    from otherminds.runs.runs import read_prices
    from otherminds.store.store import Store
    from otherminds.studies.study import Desk

    spending, meter = read_budget(budget, prices), Meter(read_prices(prices) if prices else {})
    folder, steps = Path(output), list(steps_of(alone=not studies))
    named = _each(models)
    with Store(folder / STORED) as store:
        subjects = [_subject(model, meter, store, quiet=quiet) for model in named]
        check_names([subject.name for subject in subjects])
        real = [subject.model for subject in subjects if subject.model is not None]
        shown = not quiet and watched()
        ahead = Ahead(meter, foreseen([step.look for step in steps], real, store, size=size, seed=seed) if shown else 0)
        bar = quietly if quiet else lambda title: progress(title, lambda: ahead)
        desk = Desk(store, bar, size, seed, spending)
        found = look(steps, subjects, desk, folder, tell=silent if quiet else note, left=ahead.left)
    if found is None:
        raise NothingYet("the budget was spent before there was anything to report; call it again to go on")
    return found


def estimate_profile(
    *models: Model | str | Spec,
    size: Literal["quick", "standard", "full"] = "quick",
    output: Folder = "profile",
    seed: int = 0,
    prices: str | Path | None = None,
    studies: bool = True,
    speed: str | None = None,
) -> list[dict[str, Any]]:
    """What each study would ask of each model, and what that would cost; nothing is asked."""
    from otherminds.calling.costs import read_prices, read_speed
    from otherminds.profiles.looking import steps_of
    from otherminds.profiles.rehearsals import Rehearsal
    from otherminds.runs.calibration import Calibration

    rate, table = read_speed(speed) if speed else None, read_prices(prices) if prices else {}
    calibrated: dict[tuple[str, str], list[Calibration]] = {}
    rows = []
    with looked_at(Path(output) / STORED) as store:
        known = [who for model in _each(models) if (who := _known(model))]
        for step in steps_of(alone=not studies):
            for name, cannot, known_as in known:
                note(f"rehearsing {step.name}")
                rehearsal = Rehearsal(name, cannot, store, known_as, calibrated)
                rehearsal.look(step.look, size=size, seed=seed)
                found = rehearsal.forecast(prices=table)
                row = asdict(replace(found, seconds=rate.seconds(found)) if rate else found)
                del row["items"]
                rows.append({"study": step.name, "model": name} | row)
    return rows


@command(profile, before={"studies": [DRY_RUN, speed_option]})
def profile_command(as_json: bool, models: list[Spec], dry_run: bool, speed: str | None, **given: Any) -> int:
    if dry_run:
        del given["budget"]
        rows = estimate_profile(*models, speed=speed, **given)
        print_json(rows) if as_json else _print_foreseen(rows)
        return 0
    if speed:
        raise UsageError("--speed is for a dry run; give --dry-run too")
    try:
        found = profile(*models, **given)
    except NothingYet:
        note("the budget was spent before there was anything to report; give the same command again to go on")
        return PARTIAL
    if found.partial:
        note("not finished; give the same command again to go on")
    page = given["output"] / "profile.html"
    if as_json:
        print_json(json.loads((given["output"] / "profile.json").read_text(encoding="utf-8")) | {"page": str(page)})
    else:
        say(str(page))
    return PARTIAL if found.partial else 0


# ── who is asked ──


def _each(models: Sequence[Model | str | Spec]) -> list[Model | Spec]:
    from otherminds.models.specs import Spec, several_models

    given = models or ("smollm2",)
    parts = [several_models([each]) if isinstance(each, str | Spec) else [each] for each in given]
    return [each for part in parts for each in part]


def _subject(model: Model | Spec, meter: Meter, store: Store, *, quiet: bool) -> Subject:
    from otherminds.calling.costs import Metered
    from otherminds.calling.probing import TESTS
    from otherminds.heuristics.readers import Baseline
    from otherminds.studies.study import Subject

    who = prepared(model, store=store, wanted=TESTS, quiet=quiet)
    if isinstance(who, Baseline):
        return Subject.baseline(who.name, who.made_for)
    return Subject.of(Metered(who, meter))


def _known(model: Model | Spec) -> tuple[str, frozenset[str], Mapping[str, Any]] | None:
    """A model's name, what it cannot do and who it is, as far as that is known without weights or a server.

    None for a baseline, which costs nothing.
    """
    from otherminds.models.local.weights import WEIGHTS, present
    from otherminds.models.specs import NAMES, Spec

    if not isinstance(model, Spec):
        return model.name, frozenset(model.cannot), model.identity
    if model.kind == "baseline":
        return None
    if model.name in WEIGHTS and not present(model.name):
        return model.name, frozenset(), {}
    opened = model_of(model, here=True)
    if model.name in WEIGHTS or model.kind == "gguf":
        return opened.name, opened.cannot, opened.identity
    cannot = frozenset({"schema"} if model.kind == "hf" else ())
    return opened.name, cannot, dict.fromkeys(NAMES) | dict(opened.settings)


# ── what it would cost ──


def _in_all(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """All studies together, for each model; what is unknown of one is unknown of all."""
    for model in dict.fromkeys(row["model"] for row in rows):
        own = [row for row in rows if row["model"] == model]
        sums = {name: [row[name] for row in own] for name in own[0] if name not in ("study", "model")}
        yield {"study": "all", "model": model} | {
            name: None if None in values else sum(values) for name, values in sums.items()
        }


def _print_foreseen(rows: Sequence[dict[str, Any]]) -> None:
    columns = ["study", "model", "calls to make", "in the store", "tokens to send", "to be written, at most"]
    columns += ["time", "money"]

    def cells(row: Mapping[str, Any]) -> list[str]:
        time = "unknown" if row["seconds"] is None else f"{row['seconds'] / 60:,.1f} min"
        money = "unknown" if row["money"] is None else f"{row['money']:.2f}"
        counts = [f"{row[name]:,}" for name in ("calls", "known", "prompt_tokens", "written_tokens")]
        return [row["study"], row["model"], *counts, time, money]

    print_table(columns, list(map(cells, [*rows, *_in_all(rows)])), right=columns[2:])
    say("A dry run: nothing was asked. What depends on answers, such as a search, is about as much as this; a")
    say("conversation that a model plays is not counted. Time is known once some calls are in the store.")
