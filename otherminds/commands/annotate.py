"""`otherminds annotate`: the items of a suite put to people."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.commands.serve import serve
from otherminds.errors import BadFile, NotStored, UsageError
from otherminds.terminal.options import common, open_run, store_option
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.results.annotation_files import Taken
    from otherminds.results.annotations import Agreement, AnnotationBatch, KindAgreement
    from otherminds.runs.runs import Run
    from otherminds.stats import Estimate

SHOWN = 5
"""Places shown for each reason to refuse a row; --json has all."""


@click.command()
@click.argument("suite_name", metavar="SUITE")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Where the page is; 0 takes any free port.")
@click.option("--annotator", metavar="NAME", help="Who answers.  [default: the page asks]")
@click.option("--no-open", is_flag=True, help="Do not open a browser.")
@click.option("--import", "source", type=click.Path(path_type=Path), metavar="FILE", help="Take answers from a file.")
@click.option("--export", "target", type=click.Path(path_type=Path), metavar="FILE", help="Write all answers.")
@click.option("--agreement", "agree", is_flag=True, help="Print how far the annotators agree.")
@click.option("--run", "run_id", metavar="RUN", help="With --agreement: how far this run agrees with them.")
@store_option
@common
def annotate(
    suite_name: str,
    port: int,
    annotator: str | None,
    no_open: bool,
    source: Path | None,
    target: Path | None,
    agree: bool,
    run_id: str | None,
    store_path: Path,
    as_json: bool,
) -> None:
    """Put the items of SUITE to people.

    The page can only be opened on this machine. Every answer is in the store before the next item is shown. Choices
    stand in the item's own order, for everybody. Several people can answer, each under a name of their own; a reload
    goes on where they were.

    With --import, --export or --agreement no page is served. FILE is .csv, for a spreadsheet, or .json, as Label Studio
    reads and writes it; beside .json lies the labelling interface for Label Studio, as .xml. Both have the texts, also
    of items that nobody has answered, so people can answer there; --import takes the rows with a name and an answer.

    --agreement also tells, for every kind and order of question, how often most people give the answer of the key, and
    with --run how often a model gives that of most people.
    """
    from otherminds.results.annotations import AnnotationBatch
    from otherminds.store.store import Store
    from otherminds.studies.suites import get_suite

    if run_id is not None and not agree:
        raise UsageError("--run sets a run beside people's answers; give --agreement with it")
    suite = get_suite(suite_name)
    if agree and not source and not os.path.exists(store_path):
        raise NotStored(
            f"there is no store {store_path}, so nobody has answered yet; `otherminds annotate {suite_name}` puts the"
            " items to people, and --import takes answers from a file"
        )
    with Store(store_path) as store:
        batch = AnnotationBatch(suite, store)
        if source or target or agree:
            run = None if run_id is None else open_run(store, run_id)
            found = _files(batch, source, target, agree, run, as_json)
            if as_json:
                print_json(found)
        else:
            _serve(batch, port, annotator, no_open, as_json)


def _files(
    batch: AnnotationBatch, source: Path | None, target: Path | None, agree: bool, run: Run | None, as_json: bool
) -> dict[str, Any]:
    """What was asked for, in the order in which it makes sense: in, numbers, out."""
    from otherminds.results.annotation_files import save, take
    from otherminds.results.annotations import agreement, agreement_by_kind

    found: dict[str, Any] = {}
    if source:
        taken = take(batch, source)
        found["import"] = asdict(taken)
        if not as_json:
            _print_taken(taken, source)
        if not taken.kept and taken.refused:
            raise BadFile(f"{source} has no answer to an item of suite {batch.suite.name!r}: {_reasons(taken)}")
    if agree:
        measured = agreement(batch.suite, batch.answers())
        by_kind = agreement_by_kind(batch.suite, batch.answers(), run)
        found["agreement"] = asdict(measured) | {"by_kind": list(map(asdict, by_kind))}
        if not as_json:
            _print_agreement(batch, measured)
            _print_by_kind(by_kind, run)
    if target:
        found["export"] = [str(path) for path in save(batch, target)]
        note(f"{sum(map(len, batch.answers().values()))} answers by {len(batch.answers())} annotators")
        if not as_json:
            say(*found["export"])
    return found


def _serve(batch: AnnotationBatch, port: int, annotator: str | None, no_open: bool, as_json: bool) -> None:
    from urllib.parse import urlencode

    from otherminds.results.annotations import check_name
    from otherminds.web.annotate import AnnotationPage
    from otherminds.web.serving import PageServer

    page = AnnotationPage(batch)
    who = f"?{urlencode({'annotator': check_name(annotator)})}" if annotator is not None else ""
    with PageServer(page.respond, port=port) as server:
        remark = f"{len(batch.items)} items of {batch.suite.name}; Ctrl-C ends, and every answer is kept"
        serve(server, server.url + who, remark=remark, no_open=no_open, as_json=as_json)
    note(f"ended; {sum(map(len, batch.answers().values()))} answers are in the store")


def _reasons(taken: Taken) -> str:
    return "; ".join(f"{len(places)} times {reason}" for reason, places in taken.refused.items())


def _print_taken(taken: Taken, source: Path) -> None:
    say(f"{source}: {taken.kept} answers kept, {sum(map(len, taken.refused.values()))} refused")
    for reason, places in taken.refused.items():
        more = ", …" if len(places) > SHOWN else ""
        say(f"  {len(places)} refused: {reason} ({', '.join(places[:SHOWN])}{more})")
    if taken.replaced:
        say(f"  {taken.replaced} replaced an earlier answer of the same annotator")


def _shown(value: Estimate | None) -> str:
    return "—" if value is None else str(value)


def _print_by_kind(lines: Sequence[KindAgreement], run: Run | None) -> None:
    beside = [] if run is None else [f"{run.model} gives the answer of most people"]
    rows = [
        [
            line.kind,
            line.order,
            _shown(line.people_key),
            *([_shown(line.model_people)] * len(beside)),
            str(line.undecided),
        ]
        for line in lines
    ]
    print_table(["kind", "order", "most people give the answer of the key", *beside, "without a majority"], rows)


def _print_agreement(batch: AnnotationBatch, measured: Agreement) -> None:
    rows = [
        ["Krippendorff's alpha", _shown(measured.alpha)],
        ["Fleiss' kappa", _shown(measured.fleiss)],
        ["items answered by two or more", f"{measured.compared} of {len(batch.items)}"],
        *([f"majority for {answer}", str(times)] for answer, times in measured.majority.items()),
        ["without a majority", str(measured.undecided)],
        *([f"answers by {name}", str(times)] for name, times in measured.annotators.items()),
    ]
    print_table([f"agreement on {batch.suite.name}", ""], rows)
