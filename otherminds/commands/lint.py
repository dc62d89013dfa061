"""`otherminds lint`: what is wrong with a suite, and what gives its answers away."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from otherminds.terminal.options import common
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.heuristics.cues import HeuristicScore
    from otherminds.items import Suite
    from otherminds.items.lint import Fault

SHOWN = 8
"""Ids shown for each fault; --json has all."""


@click.command()
@click.argument("suite_name", metavar="SUITE")
@click.option("--heuristics", is_flag=True, help="Try every heuristic by class, task and order, too.")
@common
@click.pass_context
def lint(context: click.Context, suite_name: str, heuristics: bool, as_json: bool) -> None:
    """Find faults and giveaways in SUITE.

    A fault is an item that should not be asked as it stands; with one, the exit code is 1. A cue is a rule that
    understands nothing: how often it is right tells how far the suite can be solved that way. One that is right far
    more often than chance, or far less often, is to be looked at; the exit code does not change.

    With --heuristics, the exit code is also 1 if a heuristic is right more or less often than the study allows. Bounds
    are for two options, 0.35 to 0.65 if the study states none, and as far from chance for more options. The whole
    interval must lie outside, so a few items are no fault.
    """
    from otherminds.heuristics.cues import BOUNDS, tried
    from otherminds.studies import named
    from otherminds.studies.suites import get_suite

    suite = get_suite(suite_name)
    study = named(suite.study, suite.name)
    gets = tried(suite.items, study.bounds if study else BOUNDS) if heuristics else []
    if as_json:
        more = {"heuristics": [asdict(one) | {"outside": one.outside} for one in gets]} if heuristics else {}
        print_json({"suite": suite.name, "items": len(suite)} | as_data(suite) | more)
    else:
        _print_tried(gets)
        print_lint(suite, solved=sum(one.outside for one in gets))
    if faults_of(suite) or any(one.outside for one in gets):
        context.exit(1)


def as_data(suite: Suite) -> dict[str, Any]:
    """Faults and cues as JSON."""
    from otherminds.heuristics.cues import cues

    told = [asdict(cue) | {"gives_away": cue.gives_away} for cue in cues(suite)]
    return {
        "faults": list(map(asdict, faults_of(suite))),
        "cues": told,
        "inseparable": list(map(list, _inseparable(suite))),
    }


def print_lint(suite: Suite, *, solved: int = 0) -> None:
    """The cues as a table, then every fault with the items it is in, then how many there are of both.

    `solved` are the faults that were told of already: places where a heuristic is right too often, or too seldom.
    """
    from otherminds.heuristics.cues import cues
    from otherminds.results.labels import count

    found, known = faults_of(suite), cues(suite)
    giving = [cue.name for cue in known if cue.gives_away]
    rows = [[cue.name, f"{cue.right:.2f}", f"{cue.chance:.2f}", str(cue.n)] for cue in known]
    print_table(["cue", "right", "chance", "n"], rows, right=["right", "chance", "n"])
    for fault in found:
        more = f" and {len(fault.ids) - SHOWN} more" if len(fault.ids) > SHOWN else ""
        say(f"fault: {fault.rule}: {', '.join(fault.ids[:SHOWN])}{more}")
    for one in _inseparable(suite):
        say(f"heuristics that this suite cannot tell apart: {', '.join(one)}")
    said = count(len(found) + solved, "fault") if found or solved else "no faults"
    note(said + (f", {count(len(giving), 'cue')} to look at: {', '.join(giving)}" if giving else ""))


def _inseparable(suite: Suite) -> tuple[tuple[str, ...], ...]:
    """The sets of heuristics that a suite cannot tell apart; none, where no item has options."""
    from otherminds.diagnosis.audit import audit

    has_options = any(len(item.choices) > 1 and item.tags.get("scored") is not False for item in suite)
    return audit(suite).inseparable if has_options else ()


def faults_of(suite: Suite) -> list[Fault]:
    """The faults of a suite, by the rules of its own study where that has any."""
    from otherminds.items.lint import faults
    from otherminds.studies import named

    study = named(suite.study, suite.name)
    return (study.faults if study else faults)(suite)


def _print_tried(gets: list[HeuristicScore]) -> None:
    """How often each heuristic is right, a line a place, in percent; then those that are outside the bounds."""
    from otherminds.heuristics.rules import HEURISTICS
    from otherminds.stats import span

    whole = {one.heuristic: one for one in gets if not one.where}
    if whole:
        say("How often each heuristic is right where it has an opinion, in percent; * outside the bounds:")
    for number, (name, one) in enumerate(whole.items(), start=1):
        say(f"{number:>3} {name}: {HEURISTICS[name].does} (an opinion on {one.right.n} of {one.items} items)")
    heads, rows = ["", "items", *(str(number + 1) for number in range(len(whole)))], []
    for where in dict.fromkeys(one.where for one in gets):
        here = {one.heuristic: one for one in gets if one.where == where}
        cells = [
            f"{100 * here[name].right.value:.0f}{'*' * here[name].outside}" if name in here else "–" for name in whole
        ]
        rows.append([where or "all", str(next(iter(here.values())).items), *cells])
    if rows:
        print_table(heads, rows, right=heads[1:])
    for one in gets:
        if one.outside:
            (low, high), right = one.bounds, one.right
            say(
                f"fault: {one.heuristic}: right in {span(right)}, outside "
                f"{low:.2f} to {high:.2f}, on {right.n} of {one.items} items ({one.where or 'all'})"
            )
