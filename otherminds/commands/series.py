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
    from otherminds.results.lineups import Lineup, Member
    from otherminds.results.trends import SeriesTrend
    from otherminds.runs.runs import Budget, Run
    from otherminds.store.store import Store
    from otherminds.studies.study import AskedRuns, Ways

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
    from otherminds.results.lineups import read_lineup
    from otherminds.studies import lineup_page

    nine = lineup_page()
    members = read_lineup(lineup)
    members = replace(members, size=limit or members.size, seed=members.seed if seed is None else seed)
    suite: Suite | None = None
    if suites:
        ways: AskedHow = _suites(suites, scores, prompt, limit, members.seed, also)
    elif scores or prompt:
        raise UsageError("--score and --prompt are for SUITEs; the nine tasks are asked by letters and as a cloze")
    else:
        suite = nine.suite(members)
        ways = partial(nine.ways, suite, extras=also, seed=members.seed)
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
    if suites:
        found, written = _trends(members, runs, Path(output))
    else:
        found = nine.measure(members, runs)
        written = nine.save(Path(output), found)
    return Measured(members, runs, failed, found, written)


@command(measure_series, name="series", suites={"required": False})
def series(as_json: bool, lineup: str, suites: tuple[str, ...], **given: Any) -> int:
    from otherminds.results.trend_page import as_rows
    from otherminds.studies import lineup_page

    done, nine = measure_series(lineup, *suites, **given), lineup_page()
    if as_json:
        data = {"trends": as_rows(done.found)} if suites else nine.as_data(done.found)
        print_json({"files": list(map(str, done.written)), "failed": dict(done.failed), **data})
    else:
        (_show_trends if suites else nine.show)(done.found)
        say(str(done.written[0]))
    if done.failed:
        note(f"not everything could be asked of {', '.join(done.failed)}; give the same command again to go on")
    return PARTIAL if done.failed else 0


def _suites(
    names: Sequence[str], scores: Sequence[str], prompt: str | None, limit: int | None, seed: int, also: Sequence[str]
) -> AskedHow:
    """Every suite in every way that is asked for."""
    from otherminds.formats.plans import limited, plan
    from otherminds.studies.suites import get_suite

    if also:
        raise UsageError(f"--also {also[0]} is for the nine tasks; leave it out, or the SUITEs")
    found: list[tuple[str, Suite]] = []
    for suite in (get_suite(name).using(prompt=prompt) for name in names):
        for score in scores or [suite.score]:
            plan(suite.using(score=score), limit=1, seed=seed).posed  # noqa: B018  (refuses what does not go together)
        found += _in_formats(replace(suite, items=tuple(limited(suite.items, limit=limit, seed=seed))), scores)
    return lambda cannot=frozenset(): found


def _in_formats(suite: Suite, scores: Sequence[str]) -> Ways:
    """Any suite, by each of these scores or by its own: the same for all models, so that they can be compared."""
    from otherminds.formats.question_formats import QuestionFormat

    found = []
    for form in (QuestionFormat(score, suite.prompt) for score in scores or (suite.score,)):
        if (part := form.part(suite)) is None:
            raise UsageError(f"no item of {suite.name} can be put {form}; give another --score")
        found.append((f"{suite.name} {form}", part))
    return found


def _trends(lineup: Lineup, runs: Mapping[str, Sequence[Run]], output: Path) -> tuple[Any, list[Path]]:
    from otherminds.results.trend_page import save
    from otherminds.results.trends import trends

    found = trends(lineup.versions, runs)
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
    from otherminds.studies.study import AskedRuns, Desk, Subject, able

    try:
        _check_room(member)
        model = _model(member, lineup, suite, store, quiet)
        desk = Desk(store, bars(quiet), seed=lineup.seed, budget=budget)
        fitting = able(ways(cannot=model.cannot), model.cannot)
        return desk.put_each(fitting or ways(), Subject.of(model))
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


def _show_trends(found: Sequence[SeriesTrend]) -> None:
    rows = []
    for one in found:
        means, slope = " ".join(f"{mean.value:.2f}" for mean in one.means), one.trend.slope
        rows.append([one.asked, one.what, means, f"{slope.value:+.3f}", one.moves, str(slope.n)])
    print_table(["asked", "items", "means", "slope a version", "with the series", "n"], rows, right=["n"])
