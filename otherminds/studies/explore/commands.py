"""`otherminds explore`: stories that a model gets wrong, beside those that are found by drawing at random."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import UsageError
from otherminds.studies.explore.dry_run import show_rehearsal
from otherminds.studies.explore.invent_command import invent
from otherminds.studies.explore.retell_command import (
    both_tellings,
    print_prose,
    prose_exit,
    prose_options,
    retell,
    tell_in_prose,
)
from otherminds.terminal.options import PARTIAL, common, model_settings, open_model, speed_option, store_option
from otherminds.terminal.screen import note, print_json, print_table, progress, say

if TYPE_CHECKING:
    from otherminds.calling.costs import Budget
    from otherminds.items import Suite
    from otherminds.models import Model
    from otherminds.stats import Estimate
    from otherminds.store.store import Store
    from otherminds.stories.contexts import Context
    from otherminds.stories.sets import Cell
    from otherminds.studies.explore.search.examine import Examiner
    from otherminds.studies.explore.search.hunt import Found
    from otherminds.studies.explore.search.search import Ways
    from otherminds.studies.explore.search.versus import Outcome

METHODS = {"learn": "learn", "astar": "search", "random": "random"}
"""What a way to search is called on the command line, and what in files."""
FOUND_BY = {
    "learn": "search that learns",
    "search": "A* search",
    "random": "random stories",
    "overgenerate": "over-generate and filter",
}


def _numbers(_: click.Context, option: click.Parameter, text: str) -> tuple[int, ...]:
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--{option.name} {text!r} should be numbers with commas, such as 2,3,4") from None
    if min(numbers) < 1:
        raise UsageError(f"--{option.name} {text!r} should be numbers from 1 on")
    return numbers


@click.command()
@click.option(
    *("-m", "--model", "--against", "spec"),
    default="smollm2",
    show_default=True,
    metavar="MODEL",
    help="Whom to search against.",
)
@model_settings
@click.option("--sets", default="tomi,all+asymmetric", show_default=True, help="Action sets; published, ours, every.")
@click.option("--stories", type=click.IntRange(min=1), default=8, show_default=True, help="How many to find.")
@click.option("--budget", type=int, default=50, show_default=True, help="Stories to ask about, for each to be found.")
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="learn",
    show_default=True,
    help="Learn where the model goes wrong; the published search; or draw at random.",
)
@click.option(
    "--goal",
    default="",
    metavar="GOAL,…",
    help="What a story must hold: false-belief[:ORDER], ignorance[:ORDER], asymmetric, pair or none."
    " Default: false-belief,pair, where the set has such stories.",
)
@click.option("--confirm", type=int, default=4, show_default=True, help="How often a story found is told afresh.")
@click.option("--step", type=int, default=3, show_default=True, help="Events that are added at a time.")
@click.option(
    "--endings", type=int, default=50, show_default=True, help="Random endings that a beginning is judged by."
)
@click.option("--alpha", type=float, default=0.1, show_default=True, help="The weight of those endings.")
@click.option("--order", type=click.IntRange(min=0), help="The order of the questions. Default: as the set says.")
@click.option("--kinds", default="", metavar="KIND,…", help="Only questions on container, room, topic or state.")
@click.option("--interesting", is_flag=True, help="Only questions to which another person would answer otherwise.")
@click.option("--prompt", help="How to ask: raw, direct or cot.")
@click.option("--score", help="How to score: letters, cloze or text. Default: text for api: models, else cloze.")
@click.option("--first", is_flag=True, help="Stop at the first story found, as published, not at the hardest.")
@click.option("--easiest", is_flag=True, help="Find stories that the model gets right.")
@click.option("--people", default="2,3,4", show_default=True, callback=_numbers, help="Numbers of people.")
@click.option("--moves", default="2,3,4", show_default=True, callback=_numbers, help="Numbers of moves.")
@click.option("--sentences", type=click.IntRange(min=1), default=15, show_default=True, help="The most in a story.")
@click.option("--contexts", type=click.Path(path_type=Path), help="Contexts of your own, as JSON Lines.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--width", type=click.IntRange(min=1), default=8, show_default=True, help="Searches side by side.")
@click.option("--prose", is_flag=True, help="Then tell the stories in prose, and ask about both tellings.")
@prose_options
@click.option("--no-baseline", is_flag=True, help="Do not also draw stories at random, with the same budget.")
@click.option("--calls", type=float, help="Stop cleanly after so many calls.")
@click.option("--tokens", type=float, help="Stop cleanly after so many tokens.")
@click.option("--money", type=float, help="Stop cleanly after so much money; needs --prices.")
@click.option("--prices", type=click.Path(path_type=Path), help="A JSON table of prices a million tokens.")
@click.option("--dry-run", is_flag=True, help="Say what a search like this would ask, and ask nothing.")
@speed_option
@click.option("-o", "--output", type=click.Path(path_type=Path, file_okay=False), required=True, metavar="DIR")
@store_option
@common
@click.pass_context
def explore(context: click.Context, /, spec: str, output: Path, store_path: Path, as_json: bool, **given: Any) -> None:
    """Search for stories that a model gets wrong.

    DIR gets the stories with their events, beliefs and twins (stories.jsonl), all their questions as a suite
    (questions.jsonl), each story beside its twin (pairs.jsonl), what was searched (run.json) and a data card (card.md).
    Every answer is in the store, so the same command, given again after whatever stopped it, goes on from there to the
    same stories.
    """
    from otherminds.calling.rehearsed import Tally
    from otherminds.store.store import Store
    from otherminds.studies.explore.material.build import pairs
    from otherminds.studies.explore.material.folders import save

    cells, contexts, ways = _cells(given), _contexts(given), _ways(given)
    if given["dry_run"]:
        tally = Tally()
        outcomes = _search(cells, contexts, _examiner(spec, given, tally.stand_in), ways, given)
        show_rehearsal(tally, outcomes, settings=len(cells), price_of=spec, given=given, as_json=as_json)
        return
    if given["speed"]:
        raise UsageError("--speed is for a dry run; give --dry-run too")
    with Store(store_path) as store:
        examiner = _examiner(spec, given, _target(spec, given, store))
        searched = _searched(spec, cells, examiner, given)
        outcomes = _search(cells, contexts, examiner, ways, given)
        searched |= {"methods": [outcome.to_dict() for outcome in outcomes], "model": _spent(examiner.model)}
        found = [each for outcome in outcomes for each in outcome.found]
        save(output, found, searched=searched)
        if (twins := pairs(found)) is not None:
            twins.save(output / "pairs.jsonl")
        in_prose = _in_prose(spec, output, found, store, given) if given["prose"] and found else None
    if as_json:
        rows = {"folder": str(output), "found": [_as_row(each) for each in found]}
        print_json(searched | rows | ({"prose": in_prose} if in_prose else {}))
    else:
        _print(spec, outcomes, output)
        if in_prose:
            print_prose(in_prose)
    stopped = next((outcome.stopped for outcome in outcomes if outcome.stopped), "")
    if stopped:
        note(f"not finished: {stopped}; what was found is in {output}, and the same command with more goes on")
        context.exit(PARTIAL)
    if failed := sum(outcome.verdicts.get("error", 0) for outcome in outcomes):
        asked = sum(sum(outcome.verdicts.values()) for outcome in outcomes)
        note(
            f"{failed} of {asked} questions got no answer, so other stories might be found; the same command asks again"
        )
        context.exit(PARTIAL)
    if in_prose and (code := prose_exit(in_prose)):
        context.exit(code)


# ── what the options ask for ──


def _cells(given: dict[str, Any]) -> list[Cell]:
    from otherminds.stories.sets import choose_for, grid

    sets = choose_for(given["goal"], given["sets"], order=given["order"])
    cells = grid(sets, people=given["people"], moves=given["moves"])
    return [replace(cell, sentences=given["sentences"]) for cell in cells]


def _contexts(given: dict[str, Any]) -> Sequence[Context]:
    from otherminds.stories.contexts import bank, read_contexts

    return read_contexts(given["contexts"]) if given["contexts"] else bank()


def _ways(given: dict[str, Any]) -> Ways:
    from otherminds.studies.explore.search.search import Ways

    return Ways(**{name: given[name] for name in ("budget", "step", "endings", "alpha", "first", "easiest", "confirm")})


def _examiner(spec: str, given: dict[str, Any], target: Model | Callable[[Suite], Model]) -> Examiner:
    from otherminds.models.api.providers import SERVED
    from otherminds.studies.explore.search.examine import Examiner

    score = given["score"] or ("text" if spec.partition(":")[0] in (*SERVED, "baseline") else "cloze")
    return Examiner(
        target,
        kinds=frozenset(filter(None, (part.strip() for part in given["kinds"].split(",")))),
        interesting=given["interesting"],
        prompt=given["prompt"] or ("direct" if score == "text" else "raw"),
        score=score,
        seed=given["seed"],
    )


def _target(spec: str, given: dict[str, Any], store: Store) -> Model | Callable[[Suite], Model]:
    """The model with a memory; a baseline needs none, and is made anew for every batch of questions."""
    from otherminds.runs.runs import Recorded

    kind, _, name = spec.partition(":")
    if kind == "baseline":
        from otherminds.heuristics.readers import BASELINES

        if name not in BASELINES:
            raise UsageError(f"there is no baseline {name!r}; there are {', '.join(sorted(BASELINES))}")
        return BASELINES[name]
    return Recorded(open_model(spec, given["base_url"], given["extra"]), store, budget=_budget(given))


def _budget(given: dict[str, Any]) -> Budget:
    from otherminds.calling.costs import Budget, read_prices

    prices = read_prices(given["prices"]) if given["prices"] else {}
    return Budget(given["calls"], given["tokens"], money=given["money"], prices=prices)


def _search(
    cells: Sequence[Cell], contexts: Sequence[Context], examiner: Examiner, ways: Ways, given: dict[str, Any]
) -> list[Outcome]:
    from otherminds.studies.explore.search.versus import versus

    with ExitStack() as bars:
        shown: dict[str, Callable[[int, int], None]] = {}

        def show(method: str, asked: int, most: int) -> None:
            if method not in shown:
                bars.close()
                shown[method] = bars.enter_context(progress(f"{FOUND_BY[method]}: stories asked about, at most"))
            shown[method](asked, most)

        return versus(
            cells,
            contexts,
            examiner,
            stories=given["stories"],
            ways=ways,
            method=METHODS[given["method"]],
            goal=given["goal"],
            baseline=not given["no_baseline"],
            seed=given["seed"],
            width=given["width"],
            progress=show,
        )


def _in_prose(spec: str, output: Path, found: Sequence[Found], store: Store, given: dict[str, Any]) -> dict[str, Any]:
    """The stories found in prose, and what the model makes of both tellings."""
    done = tell_in_prose(output, found, store, given, _budget(given))
    return done | ({"asked": both_tellings(output, spec, store, given)} if done["told"] else {})


# ── what came of it ──

KEPT = (
    *(
        "method",
        "goal",
        "confirm",
        "stories",
        "budget",
        "step",
        "endings",
        "alpha",
        "first",
        "order",
        "kinds",
        "interesting",
        "easiest",
    ),
    *("people", "moves", "sentences", "seed", "width"),
)
"""The options that run.json repeats."""


def _searched(spec: str, cells: Sequence[Cell], examiner: Examiner, given: dict[str, Any]) -> dict[str, Any]:
    """What is searched, and against whom; the store adds up what is spent on this very search, over all sittings."""
    from importlib.metadata import version

    from otherminds.runs.runs import Recorded

    what = {
        "against": spec,
        "sets": [each.name for each in dict.fromkeys(cell.set for cell in cells)],
        "contexts": str(given["contexts"] or "those of the package"),
        "prompt": examiner.prompt,
        "score": examiner.score,
        **{name: given[name] for name in KEPT},
    }
    if isinstance(model := examiner.model, Recorded):
        mark = json.dumps([what, given["no_baseline"], model.fingerprint])
        model.work = f"explore {hashlib.sha256(mark.encode()).hexdigest()[:10]}"
    return {"otherminds": version("otherminds"), **what}


def _spent(model: Any) -> dict[str, Any]:
    """Who was asked, and what it cost; of a baseline there is nothing to tell."""
    from otherminds.runs.runs import Recorded

    if not isinstance(model, Recorded):
        return {}
    return {
        "name": model.name,
        "fingerprint": model.fingerprint,
        "identity": dict(model.identity),
        "calls": model.account(),
        "usage": asdict(model.usage),
    }


def _as_row(each: Found) -> dict[str, Any]:
    from otherminds.stories.goals import Goal

    names = ("id", "method", "set", "people", "moves", "goal", "accuracy", "confirmed", "tellings")
    twin = None if each.twin is None else each.twin.to_dict()
    sentences = Goal().tally(each.story).sentences
    return {name: getattr(each, name) for name in names} | {"sentences": sentences, "twin": twin}


def _print(spec: str, outcomes: Sequence[Outcome], output: Path) -> None:
    rows = [_as_row(each) for outcome in outcomes for each in outcome.found]
    numbers = ["people", "moves", "sentences", "when chosen", "confirmed"]
    print_table(
        ["story", "found by", "set", *numbers, "holds"],
        [
            [
                *(str(number), FOUND_BY[row["method"]], row["set"], str(row["people"]), str(row["moves"])),
                *(str(row["sentences"]), f"{row['accuracy']:.2f}", _share(row["confirmed"]), row["goal"]),
            ]
            for number, row in enumerate(rows, start=1)
        ],
        right=["story", *numbers],
    )
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


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _span(one: Estimate | None) -> str:
    return "–" if one is None else f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]"


def _summary(outcome: Outcome) -> list[str]:
    from otherminds import stats

    chosen = [each.accuracy for each in outcome.found]
    confirmed = [each.confirmed for each in outcome.found if each.confirmed is not None]
    means = [stats.mean(some) if some else None for some in (chosen, confirmed)]
    counts = (len(outcome.found), outcome.asked, outcome.confirming)
    return [FOUND_BY[outcome.method], *(f"{number:,}" for number in counts), *map(_span, means)]


COMMANDS = (explore, retell, invent)
