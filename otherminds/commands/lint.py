"""`otherminds lint`: what is wrong with a suite, and what gives its answers away."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from otherminds.terminal.options import common
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.items import Suite
    from otherminds.items.lint import Fault

SHOWN = 8
"""Ids shown for each fault; --json has all."""


@click.command()
@click.argument("suite_name", metavar="SUITE")
@common
@click.pass_context
def lint(context: click.Context, suite_name: str, as_json: bool) -> None:
    """Find faults and giveaways in SUITE.

    A fault is an item that should not be asked as it stands; with one, the exit code is 1. A cue is a rule that
    understands nothing: how often it is right tells how far the suite can be solved that way. One that is right far
    more often than chance, or far less often, is to be looked at; the exit code does not change.
    """
    from otherminds.studies.suites import get_suite

    suite = get_suite(suite_name)
    if as_json:
        print_json({"suite": suite.name, "items": len(suite)} | as_data(suite))
    else:
        print_lint(suite)
    if faults_of(suite):
        context.exit(1)


def as_data(suite: Suite) -> dict[str, Any]:
    """Faults and cues as JSON."""
    from otherminds.diagnosis.audit import audit
    from otherminds.items.lint import cues

    sets = audit(suite).inseparable if _has_options(suite) else ()
    told = [asdict(cue) | {"gives_away": cue.gives_away} for cue in cues(suite)]
    return {"faults": list(map(asdict, faults_of(suite))), "cues": told, "inseparable": [list(one) for one in sets]}


def print_lint(suite: Suite) -> None:
    """The cues as a table, then every fault with the items it is in, then how many there are of both."""
    from otherminds.diagnosis.audit import audit
    from otherminds.items.lint import cues
    from otherminds.results.labels import count

    found, known = faults_of(suite), cues(suite)
    giving = [cue.name for cue in known if cue.gives_away]
    rows = [[cue.name, f"{cue.right:.2f}", f"{cue.chance:.2f}", str(cue.n)] for cue in known]
    print_table(["cue", "right", "chance", "n"], rows, right=["right", "chance", "n"])
    for fault in found:
        more = f" and {len(fault.ids) - SHOWN} more" if len(fault.ids) > SHOWN else ""
        say(f"fault: {fault.rule}: {', '.join(fault.ids[:SHOWN])}{more}")
    if _has_options(suite):
        for one in audit(suite).inseparable:
            say(f"readers that this suite cannot tell apart: {', '.join(one)}")
    said = count(len(found), "fault") if found else "no faults"
    note(said + (f", {count(len(giving), 'cue')} to look at: {', '.join(giving)}" if giving else ""))


def _has_options(suite: Suite) -> bool:
    return any(len(item.choices) > 1 and item.tags.get("scored") is not False for item in suite)


def faults_of(suite: Suite) -> list[Fault]:
    """The faults of a suite, by the rules of its own study where that has any."""
    from otherminds.items.lint import faults
    from otherminds.studies import named

    study = named(suite.study, suite.name)
    return (study.faults if study else faults)(suite)
