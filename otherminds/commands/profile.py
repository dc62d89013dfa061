"""`otherminds profile`: the whole way from one or more models to a report."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import UsageError
from otherminds.terminal.bars import watched
from otherminds.terminal.options import (
    PARTIAL,
    common,
    for_server,
    model_settings,
    open_model,
    prepared,
    read_budget,
    several_models,
    speed_option,
)
from otherminds.terminal.screen import note, print_json, print_table, progress, say

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from otherminds.calling.costs import Meter, Price, Speed
    from otherminds.models import Model
    from otherminds.models.specs import Spec
    from otherminds.profiles.looking import Step
    from otherminds.runs.calibration import Calibration
    from otherminds.store.store import Store
    from otherminds.studies.study import Size, Subject

SIZES = ("quick", "standard", "full")


@click.command()
@click.option(
    "-m",
    "--model",
    "specs",
    multiple=True,
    default=("smollm2",),
    show_default=True,
    help="May be given several times, each with settings of its own: NAME,KEY=VALUE,…; or a YAML file.",
)
@model_settings
@click.option("--size", type=click.Choice(SIZES), default="quick", show_default=True, help="How much is asked.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), default=Path("profile"), show_default=True
)
@click.option("--seed", type=int, default=0, show_default=True, help="For what is drawn and for the order of choices.")
@click.option("--budget", metavar="NAME=N,…", help="For each suite and model: calls=, tokens=, seconds=, money=.")
@click.option("--prices", type=click.Path(path_type=Path), help="A JSON table of prices a million tokens.")
@click.option("--dry-run", is_flag=True, help="Say what it would ask and cost, and ask nothing.")
@speed_option
@click.option("--no-studies", is_flag=True, help="Ask the starter suite alone.")
@common
@click.pass_context
def profile(
    context: click.Context,
    specs: tuple[str, ...],
    base_url: str | None,
    extra: tuple[str, ...],
    size: Size,
    output: Path,
    seed: int,
    budget: str | None,
    prices: Path | None,
    dry_run: bool,
    speed: str | None,
    no_studies: bool,
    as_json: bool,
) -> None:
    """From one or more models to a report, through every study.

    The starter suite is asked in several ways first; then every study looks at every model. Of several models, each
    is compared with the first. The folder given by -o gets profile.html, whose path is the last line printed,
    profile.json, tables, figures and the store. Given again, the same command asks only what is missing.
    """
    from otherminds.calling.costs import Meter
    from otherminds.profiles.ahead import Ahead, foreseen
    from otherminds.profiles.looking import look, steps_of
    from otherminds.runs.runs import read_prices
    from otherminds.store.store import Store
    from otherminds.studies.study import Desk

    table = read_prices(prices) if prices else {}
    spending = read_budget(budget, prices)
    steps = list(steps_of(no_studies))
    named = several_models(specs)
    if dry_run:
        _rehearse(named, base_url, extra, steps, output, table, size=size, seed=seed, speed=speed, as_json=as_json)
        return
    if speed:
        raise UsageError("--speed is for a dry run; give --dry-run too")
    meter = Meter(table)
    with Store(output / "otherminds.db") as store:
        subjects = _subjects(named, base_url, extra, meter, store)
        real = [subject.model for subject in subjects if subject.model is not None]
        ahead = Ahead(meter, foreseen(steps, real, store, size=size, seed=seed) if watched() else 0)
        desk = Desk(store, lambda title: progress(title, lambda: ahead), size, seed, spending)
        found = look(steps, subjects, desk, output, left=ahead.left)
    if found is None:
        note("the budget was spent before there was anything to report; give the same command again to go on")
        context.exit(PARTIAL)
    if found.partial:
        note("not finished; give the same command again to go on")
    page = output / "profile.html"
    if as_json:
        print_json(json.loads((output / "profile.json").read_text(encoding="utf-8")) | {"page": str(page)})
    else:
        say(str(page))
    if found.partial:
        context.exit(PARTIAL)


def _subjects(
    specs: Sequence[Spec], base_url: str | None, extra: tuple[str, ...], meter: Meter, store: Store
) -> list[Subject]:
    from otherminds.calling.costs import Metered
    from otherminds.calling.probing import TESTS
    from otherminds.profiles.looking import check_names
    from otherminds.studies.study import Subject

    def opened(spec: Spec) -> Model:
        def made(*more: str) -> Model:
            return open_model(spec, for_server(spec, base_url), (*extra, *more))

        return prepared(made, store=store, wanted=TESTS)

    found = [_baseline(spec) if spec.kind == "baseline" else Subject.of(Metered(opened(spec), meter)) for spec in specs]
    check_names([subject.name for subject in found])
    return found


def _baseline(spec: Spec) -> Subject:
    from otherminds.heuristics.readers import Baseline
    from otherminds.studies.study import Subject

    baseline = Baseline(spec.name.partition(":")[2])
    return Subject.baseline(baseline.name, baseline.made_for)


# ── a dry run ──


def _rehearse(
    specs: Sequence[Spec],
    base_url: str | None,
    extra: tuple[str, ...],
    steps: Sequence[Step],
    output: Path,
    prices: Mapping[str, Price],
    *,
    size: Size,
    seed: int,
    speed: str | None,
    as_json: bool,
) -> None:
    from otherminds.calling.costs import read_speed
    from otherminds.store.store import MEMORY, Store

    rate = read_speed(speed) if speed else None

    place = output / "otherminds.db"
    # A question about cost should leave no file behind.
    with Store(place if os.path.exists(place) else MEMORY) as store:
        models = [_known(spec, base_url, extra) for spec in specs if spec.kind != "baseline"]
        foreseen = partial(_foreseen, store=store, prices=prices, calibrated={}, size=size, seed=seed, speed=rate)
        rows = [foreseen(step, *model) for step in steps for model in models]
    if as_json:
        print_json(rows)
        return
    _print_foreseen(rows)


def _known(spec: Spec, base_url: str | None, extra: tuple[str, ...]) -> tuple[str, frozenset[str], Mapping[str, Any]]:
    """The name of a model, what it cannot do and who it is, as far as that can be known without weights or a server."""
    from otherminds.models import get_model
    from otherminds.models.local.weights import WEIGHTS, present
    from otherminds.models.specs import NAMES

    if spec.name in WEIGHTS and not present(spec.name):
        return get_model(spec.name).name, frozenset(), {}
    model = open_model(spec, for_server(spec, base_url), extra, here=True)
    if spec.name in WEIGHTS or spec.kind == "gguf":
        return model.name, model.cannot, model.identity
    cannot = frozenset({"schema"} if spec.kind == "hf" else ())
    return model.name, cannot, dict.fromkeys(NAMES) | dict(model.settings)


def _foreseen(
    step: Step,
    name: str,
    cannot: frozenset[str],
    known_as: Mapping[str, Any],
    *,
    store: Store,
    prices: Mapping[str, Price],
    calibrated: dict[tuple[str, str], list[Calibration]],
    size: Size,
    seed: int,
    speed: Speed | None,
) -> dict[str, Any]:
    from otherminds.profiles.rehearsals import Rehearsal

    note(f"rehearsing {step.name}")
    rehearsal = Rehearsal(name, cannot, store, known_as, calibrated)
    rehearsal.look(step.look, size=size, seed=seed)
    found = rehearsal.forecast(prices=prices)
    forecast = asdict(replace(found, seconds=speed.seconds(found)) if speed else found)
    return {"study": step.name, "model": name} | {key: value for key, value in forecast.items() if key != "items"}


def _in_all(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """All studies together, for each model; what is unknown of one is unknown of all."""
    for model in dict.fromkeys(row["model"] for row in rows):
        own = [row for row in rows if row["model"] == model]
        sums = {name: [row[name] for row in own] for name in own[0] if name not in ("study", "model")}
        yield {"study": "all", "model": model} | {
            name: None if None in values else sum(values) for name, values in sums.items()
        }


def _print_foreseen(rows: Sequence[dict[str, Any]]) -> None:
    columns = [
        "study",
        "model",
        "calls to make",
        "in the store",
        "tokens to send",
        "to be written, at most",
        "time",
        "money",
    ]

    def cells(row: Mapping[str, Any]) -> list[str]:
        time = "unknown" if row["seconds"] is None else f"{row['seconds'] / 60:,.1f} min"
        money = "unknown" if row["money"] is None else f"{row['money']:.2f}"
        counts = [f"{row[name]:,}" for name in ("calls", "known", "prompt_tokens", "written_tokens")]
        return [row["study"], row["model"], *counts, time, money]

    print_table(columns, list(map(cells, [*rows, *_in_all(rows)])), right=columns[2:])
    say("A dry run: nothing was asked. What depends on answers, such as a search, is about as much as this; a")
    say("conversation that a model plays is not counted. Time is known once some calls are in the store.")
