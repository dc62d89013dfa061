"""`otherminds series`: the models of a line-up, one after another, and the page that compares them."""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import EndpointError, ModelError, OthermindsError, StoreError, UsageError
from otherminds.terminal.options import PARTIAL, common, open_model, prepared, read_budget, store_option
from otherminds.terminal.screen import note, print_json, print_table, progress, say

if TYPE_CHECKING:
    from otherminds.items import Suite
    from otherminds.models import Model
    from otherminds.runs.runs import Budget, Run
    from otherminds.store.store import Store
    from otherminds.studies.safety.lineups import LineupResults
    from otherminds.studies.safety.series import Lineup, Member
    from otherminds.studies.safety.ways_of_asking import Asked, Asking

    Runs = Mapping[str, Sequence[Run]]
    Failed = Mapping[str, list[str]]

EXTRAS = ("wordings", "controls", "refusals")
Ways = Callable[..., list["Asking"]]
"""How a model is asked, given what it cannot do."""


@click.command()
@click.argument("lineup_name", metavar="FILE.yaml")
@click.argument("suite_names", metavar="[SUITE]…", nargs=-1)
@click.option("--score", "scores", multiple=True, help="How SUITEs are scored; may be given several times.")
@click.option("--prompt", help="How SUITEs are asked.  [default: as each says]")
@click.option("--also", multiple=True, type=click.Choice(EXTRAS), help="What else to ask; may be given several times.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many items of every task and source, or SUITE.")
@click.option("--seed", type=int, help="For the suite and the order of options.  [default: as the file says]")
@click.option("--budget", metavar="NAME=N,…", help="For each model and way of asking: calls=, tokens=, seconds=.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), default=Path("series"), show_default=True
)
@store_option
@common
@click.pass_context
def series(
    context: click.Context,
    lineup_name: str,
    suite_names: tuple[str, ...],
    scores: tuple[str, ...],
    prompt: str | None,
    also: tuple[str, ...],
    limit: int | None,
    seed: int | None,
    budget: str | None,
    output: Path,
    store_path: Path,
    as_json: bool,
) -> None:
    """Measure a line-up of models: nine tasks, or any suite.

    The nine tasks are those of `build safety`. FILE.yaml lists models, their series and rank, and their base partners;
    `paper` stands for those of the paper. Models are loaded one after another. What the store has is not asked again,
    so the same command goes on where it was stopped, and a new model costs only its own answers. A model that cannot be
    asked is named, and the others go on; the exit code is then 3.

    The folder given by -o gets report.html, the violin figure and the tables as files. With SUITEs, which are names of
    studies or .jsonl files, the page says of every score of theirs whether it moves with the series.
    """
    from otherminds.store.store import Store
    from otherminds.studies.safety.series import read_lineup
    from otherminds.studies.safety.ways_of_asking import askings

    lineup = read_lineup(lineup_name)
    lineup = replace(lineup, size=limit or lineup.size, seed=lineup.seed if seed is None else seed)
    suite: Suite | None = None
    if suite_names:
        ways: Ways = _suites(suite_names, scores, prompt, limit, lineup.seed, also)
    elif scores or prompt:
        raise UsageError("--score and --prompt are for SUITEs; the nine tasks are asked by letters and as a cloze")
    else:
        suite = lineup.suite()
        ways = partial(askings, suite, extras=also, seed=lineup.seed)
    spending = read_budget(budget, None)
    with Store(store_path) as store:
        asked = {each.name: found for each, found in _each(lineup, suite, ways, store, spending)}
    runs = {name: each.runs for name, each in asked.items() if each.runs}
    failed = {name: list(each.failed) for name, each in asked.items() if each.failed}
    if not runs:
        raise ModelError(f"none of the {len(lineup.members)} models could be asked; the reasons stand above")
    show = _show_suites if suite_names else _show_nine
    show(lineup, runs, failed, output, as_json)
    if failed:
        note(f"not everything could be asked of {', '.join(failed)}; give the same command again to go on")
        context.exit(PARTIAL)


def _suites(
    names: Sequence[str], scores: Sequence[str], prompt: str | None, limit: int | None, seed: int, also: Sequence[str]
) -> Ways:
    """Every suite in every way that is asked for."""
    from otherminds.formats.plans import limited, plan
    from otherminds.studies.safety.ways_of_asking import in_forms
    from otherminds.studies.suites import get_suite

    if also:
        raise UsageError(f"--also {also[0]} is for the nine tasks; leave it out, or the SUITEs")
    found = []
    for suite in (get_suite(name).using(prompt=prompt) for name in names):
        for score in scores or [suite.score]:
            plan(suite.using(score=score), limit=1, seed=seed).posed  # noqa: B018  (refuses what does not go together)
        found += in_forms(replace(suite, items=tuple(limited(suite.items, limit=limit, seed=seed))), scores)
    return lambda cannot=frozenset(): found


def _each(
    lineup: Lineup, suite: Suite | None, ways: Ways, store: Store, budget: Budget | None
) -> Iterator[tuple[Member, Asked]]:
    """One model after another, with a line on what it took."""
    for number, member in enumerate(lineup.ordered, start=1):
        note(f"{member.name}, {number} of {len(lineup.members)}")
        began = time.monotonic()
        asked = _ask(member, lineup, suite, ways, store, budget=budget)
        note(f"  {_pace(asked, time.monotonic() - began)}")
        _free()
        for sentence in asked.failed:
            note(f"  {sentence}")
        yield member, asked


def _show_nine(lineup: Lineup, runs: Runs, failed: Failed, output: Path, as_json: bool) -> None:
    from otherminds.studies.safety.lineups import measure
    from otherminds.studies.safety.page import save
    from otherminds.studies.safety.tables import by_task

    found = measure(lineup, runs)
    if not any(map(by_task, found.models.values())):
        raise ModelError(
            "no item of any model has a score, so that there is no table; the reasons stand above"
            " (a server that lists few next tokens: raise top_logprobs)"
        )
    written = save(output, found)
    if as_json:
        print_json(_as_data(found, failed, written))
    else:
        _print(found)
        say(str(written[0]))


def _show_suites(lineup: Lineup, runs: Runs, failed: Failed, output: Path, as_json: bool) -> None:
    from otherminds.results.trend_page import as_rows, save
    from otherminds.results.trends import Version, trends

    versions = {
        series: [Version(each.name, each.rank or 0, runs[each.name]) for each in members if each.name in runs]
        for series, members in lineup.versions.items()
    }
    found = trends(versions)
    if not found:
        raise ModelError("no two versions of a series have answered the same items, so that nothing can be compared")
    written = save(output, found, [run for some in runs.values() for run in some])
    if as_json:
        print_json({"files": list(map(str, written)), "failed": failed, "trends": as_rows(found)})
        return
    rows = []
    for one in found:
        means, slope = " ".join(f"{mean.value:.2f}" for mean in one.means), one.trend.slope
        rows.append([one.asked, one.what, means, f"{slope.value:+.3f}", one.moves, str(slope.n)])
    print_table(["asked", "items", "means", "slope a version", "with the series", "n"], rows, right=["n"])
    say(str(written[0]))


def _ask(
    member: Member,
    lineup: Lineup,
    suite: Suite | None,
    ways: Ways,
    store: Store,
    *,
    budget: Budget | None,
) -> Asked:
    """One model in every way, or why it cannot be asked at all."""
    from otherminds.studies.safety.ways_of_asking import Asked, ask

    try:
        _check_room(member)
        model = _model(member, lineup, suite, store)
        able = [way for way in ways(cannot=model.cannot) if not way.needs & model.cannot]
        return ask(model, able or ways(), store, progress, seed=lineup.seed, budget=budget)
    except StoreError:
        # Of the next model nothing could be kept either.
        raise
    except OthermindsError as error:
        return Asked((), (str(error),))
    except MemoryError:
        return Asked((), ("there is too little memory for it on this machine; try a smaller or quantised one",))


def _model(member: Member, lineup: Lineup, suite: Suite | None, store: Store) -> Model:
    """The model of a member; where its server is away or serves another, what the store remembers of it."""
    from otherminds.formats.forms import LETTERS_IN_CHAT
    from otherminds.heuristics.readers import Baseline
    from otherminds.models.specs import read_spec
    from otherminds.store.remembered import remembered

    spec, _ = read_spec(member.spec)
    if suite is None and spec.startswith("baseline:"):
        return Baseline(spec.partition(":")[2])  # made for each suite when it is put to it

    settings = tuple(f"{name}={json.dumps(value)}" for name, value in member.settings.items())

    def made(*more: str) -> Model:
        return open_model(member.spec, None, (*settings, *more), suite=suite)

    model = made()
    if not hasattr(model, "found_lacking"):
        return model
    try:
        _check_served(model, lineup)
        return prepared(made, store=store, wanted=[LETTERS_IN_CHAT])
    except EndpointError as error:
        known = remembered(model, store, str(error))
        if known is None:
            raise
        note(f"  {error}; what the store has of it is used")
        return known


def _check_served(model: Model, lineup: Lineup) -> None:
    """Refuse a server that says of itself that it serves another member: some answer to any name."""
    from otherminds.models.specs import read_spec

    who = model.identity
    served, own = who.get("says", {}).get("id"), who.get("model")
    names = {read_spec(member.spec).name.partition(":")[2] for member in lineup.members}
    if served and served != own and served in names:
        raise EndpointError(f"{who['base_url']} serves {served} now, and not {own}")


def _pace(asked: Asked, seconds: float) -> str:
    made = sum(run.manifest["calls"]["made"] for run in asked.runs)
    known = sum(run.manifest["calls"]["reused"] for run in asked.runs)
    return f"{made:,} prompts in {seconds:,.0f} s ({made / max(seconds, 1e-3):,.1f} a second); {known:,} were known"


def _check_room(member: Member) -> None:
    """Refuse what cannot fit: a machine that runs out of memory ends the program, and the other models with it."""
    if not member.spec.startswith("hf:") or not member.parameters:
        return
    from otherminds.models.hf.checkpoint import libraries

    torch, _ = libraries()
    if torch.cuda.is_available() and member.settings.get("device") != "cpu":
        return
    dtype = member.settings.get("dtype", "float32")
    needed = member.parameters * (4 if dtype == "float32" else 2)
    room = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e9
    if needed > room:
        raise ModelError(
            f"{member.name} takes about {needed:.0f} GB in {dtype}, and this machine has {room:.0f} GB; use a GPU, a"
            " smaller dtype under `settings`, or a quantised file"
        )


def _free() -> None:
    """Give memory back at once, on a GPU too; the next model may need all of it."""
    gc.collect()
    if torch := sys.modules.get("torch"):
        torch.cuda.empty_cache()


def _print(found: LineupResults) -> None:
    from otherminds.studies.safety.lineups import NINE, SHORT, as_text
    from otherminds.studies.safety.tables import by_task

    tasks = [task for task in NINE if any(task in by_task(some) for some in found.models.values())]
    lines = []
    for name, (main, *_) in found.runs.items():
        means = [found.models[name].where(task=task).mean("S") for task in tasks]
        member = found.lineup.get(name)
        # With how its scores came about where they are not exact.
        marked = name if main.measured == "exact" else f"{name} ({main.measured})"
        lines.append([member.series if member else "", marked, *(f"{one.value:.3f}" if one else "–" for one in means)])
    heads = [SHORT[task] for task in tasks]
    print_table(["series", "mean S", *heads], lines, right=heads)
    if found.pairings:
        say(*as_text(found.pairings, intervals=False).split("\n"))
    if found.trends:
        told = [[one.series, SHORT[one.what], f"{one.trend.slope.value:+.3f}", one.word] for one in found.trends]
        print_table(["series", "task", "slope a version", "trend"], told, right=["slope a version"])


def _as_data(found: LineupResults, failed: Failed, written: list[Path]) -> dict[str, Any]:
    from otherminds.studies.safety.tables import by_task, outcome

    return {
        "files": list(map(str, written)),
        "failed": dict(failed),
        "models": {
            name: {
                task: {"S": one.value, "low": one.low, "high": one.high, "n": one.n, "outcome": outcome(some)}
                for task, some in by_task(answers).items()
                if (one := some.mean("S"))
            }
            for name, answers in found.models.items()
        },
        "pairs": [
            {"base": p.base, "post": p.post, "task": p.task, "difference": p.difference.value, "p": p.difference.p}
            for p in found.pairings
        ],
        "trends": [
            {"series": t.series, "task": t.what, "slope": t.trend.slope.value, "p": t.p, "trend": t.word}
            for t in found.trends
        ],
    }


COMMANDS = (series,)
