"""`om.explore` and `otherminds explore`: stories that a model gets wrong, beside those found by drawing at random."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import UsageError
from otherminds.showing.brief import plain
from otherminds.studies.explore.retelling import print_prose, prose_exit, tell_in_prose
from otherminds.terminal.derived import Count, Folder, Natural, command, parameters
from otherminds.terminal.names import bars_in_turn, model_of, store_of
from otherminds.terminal.options import PARTIAL, dry_run_option, read_numbers, speed_option
from otherminds.terminal.screen import note, print_forecast, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.calling.costs import Budget
    from otherminds.items import Suite
    from otherminds.models import Model
    from otherminds.models.specs import Spec
    from otherminds.pages.report import Report
    from otherminds.search.examine import Examiner
    from otherminds.search.hunt import Found
    from otherminds.search.versus import Outcome
    from otherminds.store.store import Store
    from otherminds.stories.sets import Cell

METHODS = {"learn": "learn", "astar": "search", "random": "random"}
"""What a way to search is called on the command line, and what in files."""
FOUND_BY = {
    "learn": "search that learns",
    "search": "A* search",
    "random": "random stories",
    "overgenerate": "over-generate and filter",
}
KEPT = (
    *("method", "goal", "confirm", "stories", "budget", "step", "endings", "alpha", "first", "order", "kinds"),
    *("interesting", "easiest", "people", "moves", "sentences", "seed", "width"),
)
"""The options that run.json repeats."""


@dataclass(frozen=True, repr=False)
class Exploration:
    """The stories that a search found against one model, and those of the baseline beside it."""

    model: str
    outcomes: tuple[Outcome, ...]
    """What each method found, the search first."""
    searched: Mapping[str, Any] = field(default_factory=dict)
    """What was looked for and how, and what it took."""

    @property
    def found(self) -> tuple[Found, ...]:
        """The stories of the search, hardest first as confirmed by telling them afresh."""
        return tuple(sorted(self.outcomes[0].found, key=lambda one: (one.confirmed is None, one.confirmed)))

    @property
    def stories(self) -> list[Found]:
        """All stories, by whatever method they were found."""
        return [one for outcome in self.outcomes for one in outcome.found]

    @property
    def suite(self) -> Suite:
        """All questions about the stories found, ready to run."""
        from otherminds.studies.explore.material.build import suite

        return suite(self.stories)

    @property
    def weakness(self) -> str:
        """What the model is weak at, in words, or that nothing can be distinguished from chance."""
        return self.outcomes[0].says_of(self.model)

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(one.found)} by {one.method}" for one in self.outcomes)
        return plain(f"<Exploration of {self.model}: {counts}>")

    def report(self) -> Report:
        """The hardest stories with the accuracy that fresh tellings confirm, and what the model is weak at."""
        from otherminds.pages.report import Report, Section, Table

        rows = [[one.confirmed and round(one.confirmed, 2), one.goal, one.story.text] for one in self.found]
        table = Table(["confirmed accuracy", "holds", "story"], rows, "Stories found, hardest first")
        return Report(f"Stories against {self.model}", self.weakness, [Section("", [table])])

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()

    def save(self, folder: str | Path) -> None:
        """Write the stories with events, beliefs and twins, their questions as a suite, and a data card."""
        from otherminds.studies.explore.material import folders
        from otherminds.studies.explore.material.build import pairs

        folders.save(folder, self.stories, searched=self.searched)
        if (twins := pairs(self.stories)) is not None:
            twins.save(Path(folder) / "pairs.jsonl")


def explore(
    model: Model | str | Spec | Callable[[Suite], Model] = "smollm2",
    *,
    sets: str = "tomi,all+asymmetric",
    stories: Count = 8,
    budget: int = 50,
    method: str = "learn",
    goal: str = "",
    confirm: int = 4,
    step: int = 3,
    endings: int = 50,
    alpha: float = 0.1,
    order: Natural | None = None,
    kinds: str = "",
    interesting: bool = False,
    prompt: str | None = None,
    score: str | None = None,
    first: bool = False,
    easiest: bool = False,
    people: str | Sequence[int] = "2,3,4",
    moves: str | Sequence[int] = "2,3,4",
    sentences: Count = 15,
    contexts: str | Path | None = None,
    seed: int = 0,
    width: Count = 8,
    baseline: bool = True,
    calls: float | None = None,
    tokens: float | None = None,
    money: float | None = None,
    prices: str | Path | None = None,
    output: Folder | None = None,
    store: Store | str | Path | None = None,
    quiet: bool = False,
) -> Exploration:
    """Search for stories that a model gets wrong.

    DIR gets the stories with their events, beliefs and twins (stories.jsonl), all their questions as a suite
    (questions.jsonl), each story beside its twin (pairs.jsonl), what was searched (run.json) and a data card (card.md).
    Every answer is in the store, so the same command, given again after whatever stopped it, goes on from there to the
    same stories.

    model (--against MODEL): Whom to search against.
    sets: Action sets; published, ours, every.
    stories: How many to find.
    budget: Stories to ask about, for each to be found.
    method: Learn where the model goes wrong; the published search; or draw at random.
    goal (GOAL,…): What a story must hold: false-belief[:ORDER], ignorance[:ORDER], asymmetric, pair or none.
      Default: false-belief,pair, where the set has such stories.
    confirm: How often a story found is told afresh.
    step: Events that are added at a time.
    endings: Random endings that a beginning is judged by.
    alpha: The weight of those endings.
    order: The order of the questions. Default: as the set says.
    kinds (KIND,…): Only questions on container, room, topic or state.
    interesting: Only questions to which another person would answer otherwise.
    prompt: How to ask: raw, direct or cot.
    score: How to score: letters, cloze or text. Default: text for api: models, else cloze.
    first: Stop at the first story found, as published, not at the hardest.
    easiest: Find stories that the model gets right.
    people: Numbers of people.
    moves: Numbers of moves.
    sentences: The most in a story.
    contexts: Contexts of your own, as JSON Lines.
    width: Searches side by side.
    baseline: Do not also draw stories at random, with the same budget.
    calls: Stop cleanly after so many calls.
    tokens: Stop cleanly after so many tokens.
    money: Stop cleanly after so much money; needs --prices.
    output (-o --output DIR): The folder; without one, nothing is written.
    """
    given = dict(locals())
    from otherminds.calling.recorded import Recorded
    from otherminds.heuristics.readers import Baseline
    from otherminds.search.examine import Examiner, search_format
    from otherminds.search.search import Ways
    from otherminds.search.versus import versus
    from otherminds.stories.contexts import bank, read_contexts

    cells, places = cells_of(given), read_contexts(contexts) if contexts else bank()
    ways = {name: given[name] for name in ("budget", "step", "endings", "alpha", "first", "easiest", "confirm")}
    how = {name: given[name] for name in ("stories", "goal", "baseline", "seed", "width")}
    how |= {"ways": Ways(**ways), "method": METHODS.get(method, method)}
    with store_of(store) as kept:
        target: Model | Callable[[Suite], Model]
        if callable(model):
            name, target, form = "a stand-in", model, search_format(None, score or "cloze", prompt or "")
        else:
            who = model_of(model, quiet=quiet)
            asked = None if isinstance(who, Baseline) else who
            name, form = who.name, search_format(asked, score or "", prompt or "")
            target = who.made_for if isinstance(who, Baseline) else Recorded(who, kept, budget=spending(given))
        only = frozenset(filter(None, map(str.strip, kinds.split(","))))
        examiner = Examiner(
            target, kinds=only, interesting=interesting, prompt=form.prompt, score=form.score, seed=seed
        )
        searched = _searched(name, cells, examiner, given)
        with bars_in_turn(quiet, "stories asked about, at most", FOUND_BY) as show:
            outcomes = versus(cells, places, examiner, progress=show, **how)
        searched |= {"methods": [outcome.to_dict() for outcome in outcomes], "model": _spent(target)}
    found = Exploration(name, tuple(outcomes), searched)
    if output is not None:
        found.save(output)
    return found


# ── what the options ask for ──


def cells_of(given: Mapping[str, Any]) -> list[Cell]:
    """The settings in which stories are searched."""
    from otherminds.stories.sets import choose_for, grid

    sets = choose_for(given["goal"], given["sets"], order=given["order"])
    cells = grid(sets, people=read_numbers("people", given["people"]), moves=read_numbers("moves", given["moves"]))
    return [replace(cell, sentences=given["sentences"]) for cell in cells]


def spending(given: Mapping[str, Any]) -> Budget:
    """What may be spent on it."""
    from otherminds.calling.costs import Budget, read_prices

    prices = read_prices(given["prices"]) if given["prices"] else {}
    return Budget(given["calls"], given["tokens"], money=given["money"], prices=prices)


def _searched(name: str, cells: Sequence[Cell], examiner: Examiner, given: Mapping[str, Any]) -> dict[str, Any]:
    """What is searched, and against whom; the store adds up what is spent on this very search, over all sittings."""
    from importlib.metadata import version

    from otherminds.calling.recorded import Recorded
    from otherminds.models.specs import Spec

    model = given["model"]
    what = {
        "against": model.name if isinstance(model, Spec) else model if isinstance(model, str) else name,
        "sets": [each.name for each in dict.fromkeys(cell.set for cell in cells)],
        "contexts": str(given["contexts"] or "those of the package"),
        "prompt": examiner.prompt,
        "score": examiner.score,
        **{name: given[name] for name in KEPT},
        "people": read_numbers("people", given["people"]),
        "moves": read_numbers("moves", given["moves"]),
    }
    if isinstance(asked := examiner.model, Recorded):
        mark = json.dumps([what, not given["baseline"], asked.fingerprint])
        asked.work = f"explore {hashlib.sha256(mark.encode()).hexdigest()[:10]}"
    return {"otherminds": version("otherminds"), **what}


def _spent(model: object) -> dict[str, Any]:
    """Who was asked, and what it cost; of a baseline there is nothing to tell."""
    from otherminds.calling.recorded import Recorded

    if not isinstance(model, Recorded):
        return {}
    who = {"name": model.name, "fingerprint": model.fingerprint, "identity": dict(model.identity)}
    return who | {"calls": model.account(), "usage": asdict(model.usage)}


# ── what the shell prints ──

PROSE = click.option("--prose", is_flag=True, help="Then tell the stories in prose, and ask about both tellings.")
PROSE_OPTIONS = ("writer", "judges", "candidates", "long", "trust")


@command(
    explore,
    before={
        "baseline": [PROSE, *parameters(tell_in_prose, only=PROSE_OPTIONS)],
        "output": [dry_run_option("Say what a search like this would ask, and ask nothing."), speed_option],
    },
    configured=("model", "writer", "judges"),
    method={"type": click.Choice(list(METHODS))},
    output={"required": True, "help": None},
)
def explore_command(as_json: bool, prose: bool, dry_run: bool, speed: str | None, **given: Any) -> int:
    told = {name: given.pop(name) for name in PROSE_OPTIONS}
    if dry_run:
        _show_rehearsal(given, speed, as_json)
        return 0
    if speed:
        raise UsageError("--speed is for a dry run; give --dry-run too")
    from otherminds.search.versus import unanswered

    found, output, in_prose = explore(**given), given["output"], None
    if prose and found.stories:
        more = {name: given[name] for name in ("contexts", "seed", "prices", "store")}
        in_prose = tell_in_prose(output, ask=given["model"], budget=spending(given), **told, **more)
    if as_json:
        rows = {"folder": str(output), "found": list(map(_as_row, found.stories))}
        print_json({**found.searched} | rows | ({"prose": in_prose} if in_prose else {}))
    else:
        _print(found, output)
        if in_prose:
            print_prose(in_prose)
    if stopped := next((outcome.stopped for outcome in found.outcomes if outcome.stopped), ""):
        note(f"not finished: {stopped}; what was found is in {output}, and the same command with more goes on")
    elif failed := unanswered(found.outcomes):
        note(f"{failed}, so other stories might be found; the same command asks again")
    else:
        return prose_exit(in_prose) if in_prose else 0
    return PARTIAL


def _as_row(each: Found) -> dict[str, Any]:
    from otherminds.stories.goals import Goal

    names = ("id", "method", "set", "people", "moves", "goal", "accuracy", "confirmed", "tellings")
    sentences, twin = Goal().tally(each.story).sentences, each.twin and each.twin.to_dict()
    return {name: getattr(each, name) for name in names} | {"sentences": sentences, "twin": twin}


def _print(found: Exploration, output: Path) -> None:
    spec, outcomes = found.searched["against"], found.outcomes
    numbers = ["people", "moves", "sentences", "when chosen", "confirmed"]
    rows = []
    for number, row in enumerate(map(_as_row, found.stories), start=1):
        confirmed = "–" if row["confirmed"] is None else f"{row['confirmed']:.2f}"
        counts = [str(row[name]) for name in numbers[:3]]
        method = FOUND_BY[row["method"]]
        rows.append([str(number), method, row["set"], *counts, f"{row['accuracy']:.2f}", confirmed, row["goal"]])
    print_table(["story", "found by", "set", *numbers, "holds"], rows, right=["story", *numbers])
    columns = ["method", "stories", "asked about", "told again", "accuracy when chosen", "confirmed"]
    print_table(columns, list(map(_summary, outcomes)), right=columns[1:4])
    for outcome in outcomes:
        answers = ", ".join(f"{number:,} {verdict}" for verdict, number in sorted(outcome.verdicts.items()))
        say(f"answers, {FOUND_BY[outcome.method]}: {answers or 'none'}")
    say("Confirmed: the accuracy on the same events with fresh names and in fresh words. Stories are chosen for a low")
    say("accuracy, so the one they were chosen by is low by luck as well.")
    say(outcomes[0].says_of(spec))
    if not rows:
        say(f"no story was found that {spec} gets wrong")
    say(str(output))


def _summary(outcome: Outcome) -> list[str]:
    from otherminds.search.versus import accuracies
    from otherminds.stats import span

    counts = (len(outcome.found), outcome.asked, outcome.confirming)
    means = ["–" if mean is None else span(mean) for mean in accuracies(outcome.found)]
    return [FOUND_BY[outcome.method], *(f"{number:,}" for number in counts), *means]


def _show_rehearsal(given: dict[str, Any], speed: str | None, as_json: bool) -> None:
    """What a search would ask: it is searched the same way, against somebody who answers at random."""
    from otherminds.calling.costs import DryRun, read_speed
    from otherminds.models.specs import SERVED

    spec, tally = given["model"], DryRun()
    score = given["score"] or ("text" if spec.kind in (*SERVED, "inspect", "baseline") else "cloze")
    found = explore(**given | {"model": tally.stand_in, "score": score, "output": None, "store": None})
    forecast = tally.forecast(price=spending(given).prices.get(spec.name), speed=read_speed(speed) if speed else None)
    settings, stories = len(cells_of(given)), sum(outcome.asked + outcome.confirming for outcome in found.outcomes)
    if as_json:
        print_json({"settings": settings, "stories": stories, **asdict(forecast)})
        return
    counts = {"settings": settings, "stories to ask about": stories, "calls to make, about": forecast.calls}
    minutes = None if forecast.seconds is None else f"{forecast.seconds / 60:,.1f} min"
    print_forecast(counts, forecast, minutes or "unknown without --speed")
    say("A search goes where the answers lead it; this one was led by answers at random, so it is a likeness.")
