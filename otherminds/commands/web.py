"""`otherminds web` and `annotate`: the store in a browser, and the items of a suite put to people."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from otherminds.errors import BadFile, NotStored, UsageError
from otherminds.terminal.derived import File, Port, command
from otherminds.terminal.names import open_run
from otherminds.terminal.options import STORE
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.results.annotation_files import Taken
    from otherminds.results.annotations import Agreement, AnnotationBatch, KindAgreement
    from otherminds.runs.runs import Run
    from otherminds.stats import Estimate
    from otherminds.web.serving import PageServer


@command()
def web(as_json: bool, *, port: Port | None = None, no_open: bool = False, store: File = STORE) -> None:
    """Look at the runs of the store in a browser.

    Runs to sort, filter, tag and compare, up to eight at once; every run with its report, every answer with its story,
    prompt and verdict; how far a run is that goes on meanwhile; and stories with their belief timelines. The pages can
    only be opened on this machine. Nothing in the store is changed: tags and notes are kept in a file beside it.

    port: Where the pages are; 0 takes any free port.
    no_open: Do not open a browser.
    """
    from otherminds.store.store import Store
    from otherminds.web.serving import PageServer
    from otherminds.web.site import Site

    with Store(store, read_only=True) as kept:
        runs = len(kept.runs())
    with PageServer(Site(store).respond, port=port or 0, read_only=True, takes=("/notes",)) as server:
        serve(server, server.url, remark=f"{runs} runs in {store}; Ctrl-C ends", no_open=no_open, as_json=as_json)


def serve(server: PageServer, address: str, *, remark: str, no_open: bool, as_json: bool) -> None:
    """Say where the pages are, open a browser if that is wanted, and answer until the program is interrupted."""
    import webbrowser

    if as_json:
        print_json({"url": address})
    else:
        say(address)
    note(remark)
    if not no_open:
        webbrowser.open(address)
    with suppress(KeyboardInterrupt):
        server.serve()


SHOWN = 5
"""Places shown for each reason to refuse a row; --json has all."""


@command()
def annotate(
    as_json: bool,
    suite: str,
    *,
    port: Port | None = None,
    annotator: str | None = None,
    no_open: bool = False,
    source: Path | None = None,
    target: Path | None = None,
    agree: bool = False,
    run: str | None = None,
    store: File = STORE,
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

    port: Where the page is; 0 takes any free port.
    annotator (NAME): Who answers.  [default: the page asks]
    no_open: Do not open a browser.
    source (--import FILE): Take answers from a file.
    target (--export FILE): Write all answers.
    agree (--agreement): Print how far the annotators agree.
    run (RUN): With --agreement: how far this run agrees with them.
    """
    from otherminds.results.annotations import AnnotationBatch
    from otherminds.store.store import Store
    from otherminds.studies.suites import get_suite

    if run is not None and not agree:
        raise UsageError("--run sets a run beside people's answers; give --agreement with it")
    asked = get_suite(suite)
    if agree and not source and not os.path.exists(store):
        raise NotStored(
            f"there is no store {store}, so nobody has answered yet; `otherminds annotate {suite}` puts the"
            " items to people, and --import takes answers from a file"
        )
    with Store(store) as kept:
        batch = AnnotationBatch(asked, kept)
        if source or target or agree:
            beside = None if run is None else open_run(kept, run)
            found = _files(batch, source, target, agree, beside, as_json)
            if as_json:
                print_json(found)
        else:
            _serve(batch, port or 0, annotator, no_open, as_json)


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
    rows = []
    for line in lines:
        model = [_shown(line.model_people)] * len(beside)
        rows.append([line.kind, line.order, _shown(line.people_key), *model, str(line.undecided)])
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
