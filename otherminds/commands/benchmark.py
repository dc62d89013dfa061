"""`otherminds benchmark`: a model on other people's benchmarks, in one table."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from otherminds.commands.imports import tag_of
from otherminds.terminal.names import real_model
from otherminds.terminal.options import common, model_option, model_settings, named_models, store_option
from otherminds.terminal.screen import note, print_json, print_table, progress, say

if TYPE_CHECKING:
    from otherminds.bridges.benchmarks.table import Line
    from otherminds.stats import Estimate


@click.command()
@click.argument("paths", metavar="FILE|FOLDER...", nargs=-1, required=True, type=click.Path(path_type=Path))
@model_option()
@model_settings
@click.option("--prompt", type=click.Choice(("raw", "direct", "cot")), default="raw", show_default=True)
@click.option(
    "--limit", type=click.IntRange(min=1), help="Items of each benchmark, alike of every type, in whole sets."
)
@click.option("--only", multiple=True, metavar="TAG=VALUE", help="Where there is such a tag: language=en, split=test.")
@click.option("--readers", is_flag=True, help="No model: only what mindless baselines score.")
@click.option("--no-letters", is_flag=True, help="Do not weigh letters beside the texts.")
@click.option("--seed", type=int, default=0, show_default=True, help="For --limit and shuffled options.")
@store_option
@common
def benchmark(
    paths: tuple[Path, ...],
    model: str,
    prompt: str,
    limit: int | None,
    only: tuple[str, ...],
    readers: bool,
    no_letters: bool,
    seed: int,
    store: Path,
    as_json: bool,
    **settings: Any,
) -> None:
    """Put a model to published benchmarks, in one table.

    By type of question: what the benchmark's own script would say, our reading by the repaired gold, letters weighed,
    and the best mindless baseline, which is picked with hindsight. A folder is looked into.
    """
    from otherminds.bridges.benchmarks.table import NOTHING, ask, find, gathered, lines, stratified
    from otherminds.store.store import Store

    suites = gathered(find(list(paths)), dict(map(tag_of, only)))
    rows: list[Line] = []
    figures: dict[str, float] = {}
    given: dict[str, Any] = {"model": model, **settings}
    named_models(given, ["model"])
    with Store(store) as kept, progress("benchmarks") as show:
        asked = None if readers else real_model(given["model"])
        for number, suite in enumerate(suites):
            show(number, len(suites))
            some = replace(suite, items=stratified(suite.items, limit, seed))
            answers = NOTHING
            if asked is not None:
                answers = ask(some, asked, kept, prompt=prompt, letters=not no_letters, seed=seed)
            figures |= {f"{suite.name}, {name}": value for name, value in answers.own.items()}
            rows += lines(some.items, answers, whole=suite)
    if as_json:
        print_json(
            {
                "model": None if readers else model,
                "prompt": prompt,
                "rows": [_data(row) for row in rows],
                "own": figures,
            }
        )
        return
    heads = [
        "benchmark",
        "type",
        "n",
        *([] if readers else ["published", "repaired", "unread", "letters"]),
        "best reader",
    ]
    print_table(heads, [_cells(row, readers) for row in rows], right=["n", "unread"])
    for name, value in figures.items():
        say(f"{name}, as published: {value:.3f}")
    note("95 % intervals, drawn by story; the best reader is picked with hindsight, by the repaired gold")


def _cells(row: Line, readers: bool) -> list[str]:
    best = f"{row.reader[1]:.2f} {row.reader[0]}" if row.reader else "–"
    own = [] if readers else [_told(row.published), _told(row.repaired), str(row.unparsed), _told(row.letters)]
    return [row.benchmark, row.kind, str(row.n), *own, best]


def _told(one: Estimate | None) -> str:
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]" if one else "–"


def _data(row: Line) -> dict[str, Any]:
    return asdict(row)
