"""`otherminds runs` and `otherminds show`: what the store holds, down to one answer."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import asdict
from difflib import get_close_matches
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import click

from otherminds.commands.run import as_data
from otherminds.errors import UsageError
from otherminds.terminal.options import PARTIAL, common, open_run, store_option
from otherminds.terminal.screen import note, print_fields, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.runs.runs import Record, Run
    from otherminds.store.store import RunRow, Store

ROWS = 500
"""Answers of a run that are listed; nobody reads more on a screen."""


@click.command()
@store_option
@common
@click.pass_context
def runs(context: click.Context, store_path: Path, as_json: bool) -> None:
    """List the runs in the store, newest first. The exit code is 3 if one is damaged."""
    from otherminds.store.run_seals import compare
    from otherminds.store.store import Store

    with Store(store_path, create=False) as store, store.reading() as db:
        rows, running = store.runs(), store.running()
        flaws = {row.id: flaw for row in rows if (flaw := compare(db, row)[1])}
        found = [
            (row, "damaged", []) if row.id in flaws else (row, _state(row, running), _values(store, row.id))
            for row in rows
        ]
    if as_json:
        print_json(
            [
                asdict(row) | {"state": state, "right": fmean(values) if values else None, "n": len(values)}
                for row, state, values in found
            ]
        )
    else:
        print_table(
            ["run", "started (UTC)", "suite", "model", "asked by", "right", "n", "state"],
            [
                [
                    *(row.id, row.created[:16].replace("T", " "), row.suite, row.model, f"{row.score}, {row.prompt}"),
                    *(f"{fmean(values):.2f}" if values else "–", f"{len(values):,}"),
                    state.replace("finished", "done" if row.sealed is not None else "done, not sealed"),
                ]
                for row, state, values in found
            ],
            right=["right", "n"],
        )
    if found and not as_json:
        note(
            "right: the share of right answers among the n that are scored; `otherminds show RUN`, `diagnose RUN` and"
            " `compare RUN RUN` say more"
        )
    for flaw in flaws.values():
        note(f"{flaw}; give its command again, which completes it from the store")
    if flaws:
        context.exit(PARTIAL)


def _state(row: RunRow, running: Container[str]) -> str:
    return "running" if row.id in running else "finished" if row.finished else "stopped"


def _values(store: Store, id: str) -> list[float]:
    """What the answers of a run are worth, as far as they are scored; quick, since no call is read for it."""
    from otherminds.store.run_seals import read_columns

    with store.reading() as db:
        told = read_columns(db, id)
    if told:
        from otherminds.runs.columns import values

        return values(told)
    lines = store.records(id)
    found = [line["score"].get("value") for line in lines if _scored(line["item"].get("tags"))]
    return [float(value) for value in found if isinstance(value, int | float)]


def _scored(tags: object) -> bool:
    from otherminds.items.tags import has_right_answer

    return not isinstance(tags, dict) or has_right_answer(tags)


@click.command()
@click.argument("run_id", metavar="RUN")
@click.argument("item_id", metavar="[ITEM]", required=False)
@store_option
@common
def show(run_id: str, item_id: str | None, store_path: Path, as_json: bool) -> None:
    """Show a run, or one answer as a person would read it.

    RUN is an id from `otherminds runs`, the beginning of one, or `last`.
    """
    from otherminds.results.reading import read_record, record_data
    from otherminds.store.store import Store

    whole = as_json or item_id is not None
    with Store(store_path, create=False) as store:
        found = open_run(store, run_id, texts=whole, most=-1 if whole else ROWS)
        answers = store.count_records(found.id)
    if item_id is None:
        _show_run(found, answers, as_json)
        return
    record = _record(found, item_id)
    if as_json:
        print_json(record_data(record))
    else:
        print_fields(f"{record.item.id}  ·  {found.model}  ·  run {found.id}", read_record(record))


def _show_run(run: Run, answers: int, as_json: bool) -> None:
    if as_json:
        from otherminds.results.reading import record_data

        print_json(as_data(run) | {"records": [record_data(record) for record in run.records]})
        return
    say(f"{run.suite} · {run.model} · {run.prompt}, {run.score} · run {run.id}")
    print_table(
        ["item", "verdict", "answer", "right", "S"],
        [
            [
                *(record.item.id, record.verdict, record.score.answer, record.item.answer),
                "" if record.value("S") is None else f"{record.value('S'):.2f}",
            ]
            for record in run.records
        ],
        right=["S"],
    )
    if more := answers - len(run):
        say(f"  and {more:,} more (--json has all)")
    if run.partial:
        note(f"run {run.id} is not finished: {run.manifest['stopped'] or 'give its command again to go on'}")
    if run.values("S"):
        note("S: the probability of the right choice among the choices")


def _record(run: Run, item_id: str) -> Record:
    by_id = {record.item.id: record for record in run.records}
    if item_id not in by_id:
        near = get_close_matches(item_id, by_id, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"`otherminds show {run.id}` lists them"
        raise UsageError(f"run {run.id} has no item {item_id!r}; {hint}")
    return by_id[item_id]
