"""`otherminds benchmark`: a model on other people's benchmarks, in one table."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from otherminds.commands.imports import tag_of
from otherminds.terminal.options import common, model_options, open_model, store_option
from otherminds.terminal.screen import note, print_json, print_table, progress, say

if TYPE_CHECKING:
    from otherminds.bridges.benchmarks.table import BenchmarkLine
    from otherminds.stats import Estimate


@click.command()
@click.argument("paths", metavar="FILE|FOLDER...", nargs=-1, required=True, type=click.Path(path_type=Path))
@model_options
@click.option("--prompt", type=click.Choice(("raw", "direct", "cot")), default="raw", show_default=True)
@click.option(
    "--limit", type=click.IntRange(min=1), help="Items of each benchmark, alike of every type, in whole sets."
)
@click.option("--only", multiple=True, metavar="TAG=VALUE", help="Where there is such a tag: language=en, split=test.")
@click.option("--heuristics", is_flag=True, help="No model: only what heuristics score.")
@click.option("--readers", "heuristics", is_flag=True, hidden=True)
@click.option("--no-letters", is_flag=True, help="Do not weigh letters beside the texts.")
@click.option("--seed", type=int, default=0, show_default=True, help="For --limit and shuffled options.")
@store_option
@common
def benchmark(
    paths: tuple[Path, ...],
    spec: str,
    base_url: str | None,
    extra: tuple[str, ...],
    prompt: str,
    limit: int | None,
    only: tuple[str, ...],
    heuristics: bool,
    no_letters: bool,
    seed: int,
    store_path: Path,
    as_json: bool,
) -> None:
    """Put a model to published benchmarks, in one table.

    By type of question: what the benchmark's own script would say, our reading by the repaired gold, letters weighed,
    and the best heuristic, which is picked with hindsight. A folder is looked into.
    """
    from otherminds.bridges.benchmarks.table import NOTHING, ask, find, gathered, lines, stratified
    from otherminds.store.store import Store

    suites = gathered(find(list(paths)), dict(map(tag_of, only)))
    rows: list[BenchmarkLine] = []
    figures: dict[str, float] = {}
    with Store(store_path) as store, progress("benchmarks") as show:
        model = None if heuristics else open_model(spec, base_url, extra)
        for number, suite in enumerate(suites):
            show(number, len(suites))
            some = replace(suite, items=stratified(suite.items, limit, seed))
            answers = NOTHING
            if model is not None:
                answers = ask(some, model, store, prompt=prompt, letters=not no_letters, seed=seed)
            figures |= {f"{suite.name}, {name}": value for name, value in answers.own.items()}
            rows += lines(some.items, answers, whole=suite)
    if as_json:
        who = None if heuristics else spec
        print_json({"model": who, "prompt": prompt, "rows": list(map(asdict, rows)), "own": figures})
        return
    asked = [] if heuristics else ["published", "repaired", "unread", "letters"]
    heads = ["benchmark", "type", "n", *asked, "best heuristic"]
    print_table(heads, [_cells(row, heuristics) for row in rows], right=["n", "unread"])
    for name, value in figures.items():
        say(f"{name}, as published: {value:.3f}")
    note("95 % intervals, drawn by story; the best heuristic is picked with hindsight, by the repaired gold")


def _cells(row: BenchmarkLine, heuristics: bool) -> list[str]:
    best = f"{row.reader[1]:.2f} {row.reader[0]}" if row.reader else "–"
    own = [] if heuristics else [_told(row.published), _told(row.repaired), str(row.unparsed), _told(row.letters)]
    return [row.benchmark, row.kind, str(row.n), *own, best]


def _told(one: Estimate | None) -> str:
    return f"{one.value:.2f} [{one.low:.2f}, {one.high:.2f}]" if one else "–"
