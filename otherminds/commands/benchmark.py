"""`otherminds benchmark`: a model on other people's benchmarks, in one table."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from otherminds.commands.imports import tag_of
from otherminds.terminal.derived import Count, File, command
from otherminds.terminal.names import real_model
from otherminds.terminal.options import STORE
from otherminds.terminal.screen import note, print_json, print_table, progress, say

if TYPE_CHECKING:
    from otherminds.bridges.benchmarks.table import BenchmarkLine
    from otherminds.models import Model
    from otherminds.models.specs import Spec
    from otherminds.stats import Estimate


@command(paths={"metavar": "FILE|FOLDER..."}, readers={"hidden": True})
def benchmark(
    as_json: bool,
    paths: tuple[Path, ...],
    model: str | Spec | Model = "smollm2",
    *,
    prompt: Literal["raw", "direct", "cot"] = "raw",
    limit: Count | None = None,
    only: tuple[str, ...] = (),
    heuristics: bool = False,
    readers: bool = False,
    letters: bool = True,
    seed: int = 0,
    store: File = STORE,
) -> None:
    """Put a model to published benchmarks, in one table.

    By type of question: what the benchmark's own script would say, our reading by the repaired gold, letters weighed,
    and the best heuristic, which is picked with hindsight. A folder is looked into.

    limit: Items of each benchmark, alike of every type, in whole sets.
    only (TAG=VALUE): Where there is such a tag: language=en, split=test.
    heuristics: No model: only what heuristics score.
    readers: The same, under its former name.
    letters: Do not weigh letters beside the texts.
    seed: For --limit and shuffled options.
    """
    from otherminds.bridges.benchmarks.table import NOTHING, ask, find, gathered, lines, stratified
    from otherminds.store.store import Store

    suites = gathered(find(list(paths)), dict(map(tag_of, only)))
    rows: list[BenchmarkLine] = []
    figures: dict[str, float] = {}
    heuristics = heuristics or readers
    with Store(store) as kept, progress("benchmarks") as show:
        asked = None if heuristics else real_model(model)
        for number, suite in enumerate(suites):
            show(number, len(suites))
            some = replace(suite, items=stratified(suite.items, limit, seed))
            answers = NOTHING
            if asked is not None:
                answers = ask(some, asked, kept, prompt=prompt, letters=letters, seed=seed)
            figures |= {f"{suite.name}, {name}": value for name, value in answers.own.items()}
            rows += lines(some.items, answers, whole=suite)
    if as_json:
        named = None if asked is None else getattr(model, "name", model)
        print_json({"model": named, "prompt": prompt, "rows": list(map(asdict, rows)), "own": figures})
        return
    more = [] if heuristics else ["published", "repaired", "unread", "letters"]
    heads = ["benchmark", "type", "n", *more, "best heuristic"]
    print_table(heads, [_cells(row, heuristics) for row in rows], right=["n", "unread"])
    for name, value in figures.items():
        say(f"{name}, as published: {value:.3f}")
    note("95 % intervals, drawn by story; the best heuristic is picked with hindsight, by the repaired gold")


def _cells(row: BenchmarkLine, heuristics: bool) -> list[str]:
    best = f"{row.reader[1]:.2f} {row.reader[0]}" if row.reader else "–"
    own = [] if heuristics else [_told(row.published), _told(row.repaired), str(row.unparsed), _told(row.letters)]
    return [row.benchmark, row.kind, str(row.n), *own, best]


def _told(one: Estimate | None) -> str:
    from otherminds.stats import span

    return span(one) if one else "–"
