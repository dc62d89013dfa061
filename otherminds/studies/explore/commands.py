"""`otherminds explore`: what the shell prints of a search."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import UsageError
from otherminds.studies.explore.exploring import FOUND_BY, METHODS, cells_of, explore, spending
from otherminds.studies.explore.retelling import print_prose, prose_exit, tell_in_prose
from otherminds.terminal.derived import command, parameters
from otherminds.terminal.options import PARTIAL, dry_run_option, speed_option
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.search.hunt import Found
    from otherminds.search.versus import Outcome
    from otherminds.stats import Estimate
    from otherminds.studies.explore.exploring import Exploration

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
    found, output = explore(**given), given["output"]
    in_prose = None
    if prose and any(outcome.found for outcome in found.outcomes):
        more = {name: given[name] for name in ("contexts", "seed", "prices", "store")}
        in_prose = tell_in_prose(output, ask=given["model"], budget=spending(given), **told, **more)
    if as_json:
        rows = {"folder": str(output), "found": [_as_row(each) for one in found.outcomes for each in one.found]}
        print_json({**found.searched} | rows | ({"prose": in_prose} if in_prose else {}))
    else:
        _print(found, output)
        if in_prose:
            print_prose(in_prose)
    stopped = next((outcome.stopped for outcome in found.outcomes if outcome.stopped), "")
    if stopped:
        note(f"not finished: {stopped}; what was found is in {output}, and the same command with more goes on")
        return PARTIAL
    if failed := sum(outcome.verdicts.get("error", 0) for outcome in found.outcomes):
        asked = sum(sum(outcome.verdicts.values()) for outcome in found.outcomes)
        note(
            f"{failed} of {asked} questions got no answer, so other stories might be found; the same command asks again"
        )
        return PARTIAL
    return prose_exit(in_prose) if in_prose else 0


def _as_row(each: Found) -> dict[str, Any]:
    from otherminds.stories.goals import Goal

    names = ("id", "method", "set", "people", "moves", "goal", "accuracy", "confirmed", "tellings")
    twin = None if each.twin is None else each.twin.to_dict()
    sentences = Goal().tally(each.story).sentences
    return {name: getattr(each, name) for name in names} | {"sentences": sentences, "twin": twin}


def _print(found: Exploration, output: Path) -> None:
    spec, outcomes = found.searched["against"], found.outcomes
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


def _show_rehearsal(given: dict[str, Any], speed: str | None, as_json: bool) -> None:
    """What a search would ask: it is searched the same way, against somebody who answers at random."""
    from otherminds.calling.costs import DryRun, read_prices, read_speed
    from otherminds.models.specs import SERVED

    spec, tally = given["model"], DryRun()
    score = given["score"] or ("text" if spec.kind in (*SERVED, "inspect", "baseline") else "cloze")
    found = explore(**given | {"model": tally.stand_in, "score": score, "output": None, "store": None})
    prices = read_prices(given["prices"]) if given["prices"] else {}
    forecast = tally.forecast(price=prices.get(spec.name), speed=read_speed(speed) if speed else None)
    settings, stories = len(cells_of(given)), sum(outcome.asked + outcome.confirming for outcome in found.outcomes)
    if as_json:
        print_json({"settings": settings, "stories": stories, **asdict(forecast)})
        return
    rows = [
        ["settings", f"{settings:,}"],
        ["stories to ask about", f"{stories:,}"],
        ["calls to make, about", f"{forecast.calls:,}"],
        ["tokens to send, about", f"{forecast.prompt_tokens:,}"],
        ["tokens to be written, at most", f"{forecast.written_tokens:,}"],
        ["time, about", "unknown without --speed" if forecast.seconds is None else f"{forecast.seconds / 60:,.1f} min"],
        ["money, about", "unknown without --prices" if forecast.money is None else f"{forecast.money:.4f}"],
    ]
    print_table(["dry run: nothing was asked", ""], rows)
    say("A search goes where the answers lead it; this one was led by answers at random, so it is a likeness.")
