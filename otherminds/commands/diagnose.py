"""`otherminds diagnose`: which known ways of reading a model's answers are like."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.errors import UsageError
from otherminds.terminal.names import open_run
from otherminds.terminal.options import common, store_option
from otherminds.terminal.screen import print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.diagnosis.confusion import Confusion
    from otherminds.diagnosis.diagnosis import Diagnosis
    from otherminds.diagnosis.fitting import Fitted
    from otherminds.runs.runs import Run
    from otherminds.store.store import Store


@click.command()
@click.argument("ids", metavar="[RUN]...", nargs=-1)
@click.option("--suite", "suite_name", metavar="SUITE", help="Instead of runs: which readers it cannot separate.")
@click.option("--svg", type=click.Path(path_type=Path, dir_okay=False), help="Draw the mixtures, a bar a model, too.")
@click.option(
    "--ladder",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw how the share of each reader moves from model to model, with intervals.",
)
@click.option("-m", "--model", "models", multiple=True, help="In place of runs: all runs of this model in the store.")
@store_option
@common
def diagnose(
    ids: tuple[str, ...],
    suite_name: str | None,
    svg: Path | None,
    ladder: Path | None,
    models: tuple[str, ...],
    store: Path,
    as_json: bool,
) -> None:
    """Fit known ways of reading to the answers of RUNs.

    Runs of one model are taken together; models come in the order in which they are given. First comes how far readers
    can be told apart on the items asked, then the share of each with its interval, a map of where it is right, and what
    can be said, in words.
    """
    if [bool(ids), bool(suite_name), bool(models)].count(True) != 1:
        raise UsageError("give the runs to diagnose, or models with -m, or a suite with --suite; see `otherminds runs`")
    if suite_name:
        _audited(suite_name, as_json)
        return
    from otherminds.diagnosis.diagnosis import diagnose as diagnosed
    from otherminds.store.store import Store

    by_model: dict[str, list[Run]] = {}
    with Store(store, create=False) as kept:
        wanted = ids or [id for name in models for id in _runs_of(kept, name)]
        for run in {run.id: run for run in (open_run(kept, id) for id in wanted)}.values():
            by_model.setdefault(run.model, []).append(run)
    found = [diagnosed(runs) for runs in by_model.values()]
    _draw(found, svg, ladder)
    if as_json:
        print_json([as_data(each) for each in found])
        return
    for each in found:
        _print(each)


def _runs_of(store: Store, model: str) -> list[str]:
    """The runs of a model, without those of control questions, which are about no mind."""
    from otherminds.items.controls import SUFFIX

    found = [row.id for row in store.runs() if row.model == model and SUFFIX not in row.suite]
    if not found:
        raise UsageError(f"{store.path} has no run of {model}; `otherminds runs` lists what there is")
    return found


def _draw(found: list[Diagnosis], svg: Path | None, ladder: Path | None) -> None:
    from otherminds.diagnosis import picture
    from otherminds.files import write_text

    for path, drawn in ((svg, picture.by_model), (ladder, picture.ladder)):
        if path:
            write_text(path, drawn(found) + "\n")


def _audited(name: str, as_json: bool) -> None:
    from otherminds.diagnosis.audit import audit
    from otherminds.stats import span
    from otherminds.studies.suites import get_suite

    found = audit(get_suite(name))
    if as_json:
        told = {"suite": found.suite, "chance": found.chance, "inseparable": list(map(list, found.inseparable))}
        right = {name: asdict(one) for name, one in found.right.items()}
        print_json(told | {"right": right, "confusion": _confusion_data(found.confusion)})
        return
    _print_confusion(found.confusion)
    best = sorted(found.right.items(), key=lambda pair: -pair[1].value)
    rows = [[name, span(one), str(one.n)] for name, one in best]
    print_table(["reader", "right", "n"], rows, right=["n"])
    say(f"Chance: {found.chance:.2f}. What a mindless baseline gets is no evidence of anything more.")


def _print(found: Diagnosis) -> None:
    from otherminds.python.display import sentences
    from otherminds.stats import percent

    say(f"{found.model}: {found.items} items answered, {found.unread} without an answer that could be read")
    _print_confusion(found.confusion)
    if shares := [[name, percent(one)] for name, one in found.shares.items() if name in found.needed]:
        print_table(["reader", "share"], shares)
    _print_map(found)
    for sentence in sentences(found):
        say(f"- {sentence}")


def _print_confusion(found: Confusion) -> None:
    """How often readers agree, in percent; then what cannot be told apart."""
    if found.readers:
        say(f"How often readers give the same answer to the {found.items} items, in percent:")
        short = [str(number) for number in range(1, len(found.readers) + 1)]
        rows = [
            [f"{number} {name}", *(f"{100 * value:.0f}" for value in line)]
            for number, name, line in zip(short, found.readers, found.agree, strict=True)
        ]
        print_table(["", *short], rows, right=short)
    for several in found.merged:
        if len(several) > 1:
            say(f"Cannot be told apart on these items: {', '.join(several)}.")
    for one, other in found.opposites:
        say(f"{one} and {other} are opposites: following both in turn looks like guessing.")
    if found.rare:
        say(f"With an opinion on few of these items, and so hardly told from guessing: {', '.join(found.rare)}.")
    if found.without:
        say(f"Without an opinion on enough items: {', '.join(found.without)}.")


def _print_map(found: Diagnosis) -> None:
    from otherminds.stats import span

    rows = [
        [
            "–" if cell.order is None else str(cell.order),
            cell.happened,
            {True: "false", False: "true", None: "–"}[cell.false_belief],
            str(cell.right.n),
            span(cell.right),
            cell.reader or "–",
        ]
        for cell in found.map
    ]
    if rows:
        print_table(["order", "what happened", "belief", "n", "right", "most like"], rows, right=["n"])


def as_data(found: Diagnosis) -> dict[str, Any]:
    """A diagnosis as JSON."""
    return {
        "model": found.model,
        "items": found.items,
        "unread": found.unread,
        "disagree": found.disagree,
        "confusion": _confusion_data(found.confusion),
        "shares": {name: asdict(one) | {"needed": name in found.needed} for name, one in found.shares.items()},
        "signal": found.signal,
        "misfit": found.misfit,
        "by_order": {str(order): _part_data(part) for order, part in found.by_order.items()},
        "by_event": {event: _part_data(part) for event, part in found.by_event.items()},
        "map": [asdict(cell) for cell in found.map],
        "sentences": list(found.sentences),
    }


def _part_data(part: Fitted) -> dict[str, Any]:
    return {"items": part.disagree, "shares": {name: asdict(one) for name, one in part.shares.items()}}


def _confusion_data(found: Confusion) -> dict[str, Any]:
    return asdict(found) | {"agree": found.agree.tolist(), "differ": found.differ.tolist()}
