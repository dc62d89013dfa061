"""`otherminds series`: the models of a line-up, one after another, and the page that compares them."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from otherminds.errors import EndpointError, ModelError, OthermindsError, StoreError, UsageError
from otherminds.terminal.derived import Count, Folder, command
from otherminds.terminal.names import bars, model_of, prepared, store_of
from otherminds.terminal.options import PARTIAL, read_budget
from otherminds.terminal.screen import note, print_json, print_table, say, silent

if TYPE_CHECKING:
    from otherminds.items import Suite
    from otherminds.models import Model
    from otherminds.runs.runs import Budget, Run
    from otherminds.store.store import Store
    from otherminds.studies.safety.lineups import LineupResults
    from otherminds.studies.safety.series import Lineup, Member
    from otherminds.studies.safety.ways_of_asking import AskedRuns, Ways

AskedHow = Callable[..., "Ways"]
"""How a model is asked, given what it cannot do."""


class Measured(NamedTuple):
    """The runs of a line-up by model, why others are missing, and the folder that came of them."""

    lineup: Lineup
    runs: Mapping[str, Sequence[Run]]
    failed: Mapping[str, list[str]]
    found: Any
    """Measures of the nine tasks; of suites, their trends."""
    written: list[Path]


def measure_series(
    lineup: str,
    *suites: str,
    scores: Sequence[str] = (),
    prompt: str | None = None,
    also: Sequence[Literal["wordings", "controls", "refusals"]] = (),
    limit: Count | None = None,
    seed: int | None = None,
    budget: Budget | str | None = None,
    output: Folder = "series",
    store: Store | str | Path | None = None,
    quiet: bool = False,
) -> Measured:
    """Measure a line-up of models: nine tasks, or any suite.

    The nine tasks are those of `build safety`. FILE.yaml lists models, their series and rank, and their base partners;
    `paper` stands for those of the paper. Models are loaded one after another. What the store has is not asked again,
    so the same command goes on where it was stopped, and a new model costs only its own answers. A model that cannot be
    asked is named, and the others go on; the exit code is then 3.

    The folder given by -o gets report.html, the violin figure and the tables as files. With SUITEs, which are names of
    studies or .jsonl files, the page says of every score of theirs whether it moves with the series.

    lineup (FILE.yaml): The models, or `paper`.
    suites ([SUITE]…): What is asked in place of the nine tasks.
    scores (--score): How SUITEs are scored; may be given several times.
    prompt: How SUITEs are asked.  [default: as each says]
    also: What else to ask; may be given several times.
    limit: At most so many items of every task and source, or SUITE.
    seed: For the suite and the order of options.  [default: as the file says]
    budget (NAME=N,…): For each model and way of asking: calls=, tokens=, seconds=.
    """
    from otherminds.studies.safety.series import read_lineup
    from otherminds.studies.safety.ways_of_asking import askings

    members = read_lineup(lineup)
    members = replace(members, size=limit or members.size, seed=members.seed if seed is None else seed)
    suite: Suite | None = None
    if suites:
        ways: AskedHow = _suites(suites, scores, prompt, limit, members.seed, also)
    elif scores or prompt:
        raise UsageError("--score and --prompt are for SUITEs; the nine tasks are asked by letters and as a cloze")
    else:
        suite = members.suite()
        ways = partial(askings, suite, extras=also, seed=members.seed)
    spending, tell = read_budget(budget), silent if quiet else note
    asked: dict[str, AskedRuns] = {}
    with store_of(store) as kept:
        for number, member in enumerate(members.ordered, start=1):
            tell(f"{member.name}, {number} of {len(members.members)}")
            began = time.monotonic()
            asked[member.name] = one = _ask(member, members, suite, ways, kept, spending, quiet)
            tell(f"  {_pace(one, time.monotonic() - began)}")
            _free()
            for sentence in one.failed:
                tell(f"  {sentence}")
    runs = {name: each.runs for name, each in asked.items() if each.runs}
    failed = {name: list(each.failed) for name, each in asked.items() if each.failed}
    if not runs:
        raise ModelError(f"none of the {len(members.members)} models could be asked; the reasons stand above")
    found, written = (_trends if suites else _nine)(members, runs, Path(output))
    return Measured(members, runs, failed, found, written)


@command(measure_series, name="series", suites={"required": False})
def series(as_json: bool, lineup: str, suites: tuple[str, ...], **given: Any) -> int:
    done = measure_series(lineup, *suites, **given)
    (_show_trends if suites else _show_nine)(done, as_json)
    if done.failed:
        note(f"not everything could be asked of {', '.join(done.failed)}; give the same command again to go on")
    return PARTIAL if done.failed else 0


def _suites(
    names: Sequence[str], scores: Sequence[str], prompt: str | None, limit: int | None, seed: int, also: Sequence[str]
) -> AskedHow:
    """Every suite in every way that is asked for."""
    from otherminds.formats.plans import limited, plan
    from otherminds.studies.safety.ways_of_asking import in_formats
    from otherminds.studies.suites import get_suite

    if also:
        raise UsageError(f"--also {also[0]} is for the nine tasks; leave it out, or the SUITEs")
    found: list[tuple[str, Suite]] = []
    for suite in (get_suite(name).using(prompt=prompt) for name in names):
        for score in scores or [suite.score]:
            plan(suite.using(score=score), limit=1, seed=seed).posed  # noqa: B018  (refuses what does not go together)
        found += in_formats(replace(suite, items=tuple(limited(suite.items, limit=limit, seed=seed))), scores)
    return lambda cannot=frozenset(): found


def _nine(lineup: Lineup, runs: Mapping[str, Sequence[Run]], output: Path) -> tuple[LineupResults, list[Path]]:
    from otherminds.studies.safety.lineups import measure
    from otherminds.studies.safety.page import save
    from otherminds.studies.safety.tables import by_task

    found = measure(lineup, runs)
    if not any(map(by_task, found.models.values())):
        raise ModelError(
            "no item of any model has a score, so that there is no table; the reasons stand above"
            " (a server that lists few next tokens: raise top_logprobs)"
        )
    return found, save(output, found)


def _trends(lineup: Lineup, runs: Mapping[str, Sequence[Run]], output: Path) -> tuple[Any, list[Path]]:
    from otherminds.results.trend_page import save
    from otherminds.results.trends import Version, trends

    versions = {
        series: [Version(each.name, each.rank or 0, runs[each.name]) for each in members if each.name in runs]
        for series, members in lineup.versions.items()
    }
    found = trends(versions)
    if not found:
        raise ModelError("no two versions of a series have answered the same items, so that nothing can be compared")
    return found, save(output, found, [run for some in runs.values() for run in some])


def _ask(
    member: Member,
    lineup: Lineup,
    suite: Suite | None,
    ways: AskedHow,
    store: Store,
    budget: Budget | None,
    quiet: bool,
) -> AskedRuns:
    """One model in every way, or why it cannot be asked at all."""
    from otherminds.studies.safety.ways_of_asking import AskedRuns, able, ask

    try:
        _check_room(member)
        model = _model(member, lineup, suite, store, quiet)
        fitting = able(ways(cannot=model.cannot), model.cannot)
        return ask(model, fitting or ways(), store, bars(quiet), seed=lineup.seed, budget=budget)
    except StoreError:
        # Of the next model nothing could be kept either.
        raise
    except OthermindsError as error:
        return AskedRuns((), (str(error),))
    except MemoryError:
        return AskedRuns((), ("there is too little memory for it on this machine; try a smaller or quantised one",))


def _model(member: Member, lineup: Lineup, suite: Suite | None, store: Store, quiet: bool) -> Model:
    """The model of a member; where its server is away or serves another, what the store remembers of it."""
    from otherminds.formats.question_formats import LETTERS_IN_CHAT
    from otherminds.models.specs import Spec, read_spec
    from otherminds.store.packing import remembered

    name, own = read_spec(member.spec)
    spec = Spec(name, {**member.settings} | own)
    model = model_of(spec, suite=suite, quiet=quiet)
    if not model.is_served:
        return model
    try:
        _check_served(model, lineup)
        return prepared(spec, store=store, wanted=[LETTERS_IN_CHAT], quiet=quiet)
    except EndpointError as error:
        known = remembered(model, store, str(error))
        if known is None:
            raise
        if not quiet:
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


def _pace(asked: AskedRuns, seconds: float) -> str:
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


# ── what came of it ──


def _show_trends(done: Measured, as_json: bool) -> None:
    from otherminds.results.trend_page import as_rows

    if as_json:
        print_json({"files": list(map(str, done.written)), "failed": done.failed, "trends": as_rows(done.found)})
        return
    rows = []
    for one in done.found:
        means, slope = " ".join(f"{mean.value:.2f}" for mean in one.means), one.trend.slope
        rows.append([one.asked, one.what, means, f"{slope.value:+.3f}", one.moves, str(slope.n)])
    print_table(["asked", "items", "means", "slope a version", "with the series", "n"], rows, right=["n"])
    say(str(done.written[0]))


def _show_nine(done: Measured, as_json: bool) -> None:
    from otherminds.studies.safety.lineups import NINE, SHORT, as_text
    from otherminds.studies.safety.tables import by_task

    found: LineupResults = done.found
    if as_json:
        print_json(_as_data(found, done.failed, done.written))
        return
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
    say(str(done.written[0]))


def _as_data(found: LineupResults, failed: Mapping[str, list[str]], written: list[Path]) -> dict[str, Any]:
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
