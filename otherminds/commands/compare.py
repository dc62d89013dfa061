"""`om.compare` and `otherminds compare`: two runs, item by item, or up to eight, each beside the first."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from otherminds.terminal.derived import File, command
from otherminds.terminal.names import runs_of
from otherminds.terminal.options import STORE
from otherminds.terminal.screen import print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.results.answers import Answer
    from otherminds.results.comparisons import Comparisons
    from otherminds.results.measures import Comparison
    from otherminds.runs.runs import Run
    from otherminds.store.store import Store

    Where = Store | str | Path

MOST = 12
"""Items shown on either side."""


@overload
def compare(
    first: Run | str, second: Run | str, /, *, output: File | None = ..., by: str = ..., store: Where = ...
) -> Comparison: ...


@overload
def compare(
    *runs: Run | str, output: File | None = ..., by: str = ..., store: Where = ...
) -> Comparison | Comparisons: ...


def compare(
    *runs: Run | str, output: File | None = None, by: str = "", store: Where = STORE
) -> Comparison | Comparisons:
    """How far RUN_A lies above RUN_B on the items of both.

    Up to eight runs can be given; each is put beside the first. Differences are paired by item and their intervals
    clustered by story; p is that of the interval, adjusted (Holm) for the lines that rest on enough stories. Of two
    runs, the items that changed sides come next.

    runs (RUN_A RUN_B …): Runs themselves, or their ids in the store.
    output: Also write a page, with all items.
    by (TAG): Split by this tag in place of the usual ones.
    """
    from otherminds.results import measures
    from otherminds.results.comparisons import compare_several
    from otherminds.web.pages import comparison, several_page

    given = runs_of(store, *runs, texts=bool(output) and len(runs) == 2)
    if len(given) != 2:
        several = compare_several(given, by=by)
        if output:
            several_page(several, saved=True).save(output)
        return several
    found = measures.compare(given[0], given[1], by=by)
    if output:
        comparison(given[0], given[1], found, saved=True).save(output)
    return found


@command(compare)
def compare_command(as_json: bool, runs: tuple[str, ...], store: Path, **given: Any) -> None:
    from otherminds.results.comparisons import Comparisons

    several = runs_of(store, *runs, texts=bool(given["output"]) and len(runs) == 2)
    found = compare(*several, **given)
    if isinstance(found, Comparisons):
        _several(found, as_json)
    else:
        _two(several[0], several[1], found, as_json)


def _two(first: Run, second: Run, found: Comparison, as_json: bool) -> None:
    from otherminds.web.pages import holm, left_out

    if as_json:
        print_json(_as_data(first, second, found))
        return
    say(f"A: {_named(first)}", f"B: {_named(second)}")
    print_table(
        ["items", "A − B, with 95 % interval by story", "p (Holm)"],
        [[row.items, str(row.difference), holm(row)] for row in found.rows],
        right=["p (Holm)"],
    )
    _print_sides(found)
    say(f"  McNemar's exact p: {found.mcnemar:.3f}, as if items were independent, which twins are not")
    if said := left_out(first, second, found):
        say(f"  {said}")


def _several(found: Comparisons, as_json: bool) -> None:
    from otherminds.web.pages import holm

    first, *others = found.runs
    if as_json:
        pairs = [_as_data(first, other, pair) for other, pair in zip(others, found.pairs, strict=True)]
        print_json({"pairs": pairs, "adjustment": found.adjustment})
        return
    say(*(f"{name}: {_named(run)}" for name, run in zip(found.names, found.runs, strict=True)))
    print_table(
        ["", "items", "difference, with 95 % interval by story", "p (Holm)"],
        [[name, row.items, str(row.difference), holm(row)] for name, row in found.lines()],
        right=["p (Holm)"],
    )
    say(f"  {found.adjustment}; {first.id} with one other shows the items that changed sides")


def _named(run: Run) -> str:
    return f"{run.id} · {run.suite} · {run.model} · {run.prompt}, {run.score}"


def _print_sides(found: Comparison) -> None:
    """The items that only one of the runs has right, with what both said."""
    a, b = (some.to_items((*found.gained[:MOST], *found.lost[:MOST])) for some in found.both)
    for title, ids in (("only A right", found.gained), ("only B right", found.lost)):
        say(f"  {title}: {len(ids) or 'none'}")
        if ids:
            rows = [[id, a[id].item.question, *_said(a[id], b[id]), a[id].item.answer] for id in ids[:MOST]]
            print_table(["item", "question", "A said", "B said", "right"], rows)
        if len(ids) > MOST:
            say(f"  and {len(ids) - MOST} more (--json has all)")


def _as_data(first: Run, second: Run, found: Comparison) -> dict[str, Any]:
    a, b = (some.to_items((*found.gained, *found.lost)) for some in found.both)
    rows = [
        {"items": row.items, "tags": dict(row.tags), **asdict(row.difference)}
        | {"holm": None if row.too_few else row.holm}
        for row in found.rows
    ]
    changed = [
        {"item": id, "question": a[id].item.question, "first": one, "second": other, "right": a[id].item.answer}
        for id in (*found.gained, *found.lost)
        for one, other in [_said(a[id], b[id])]
    ]
    told = {name: getattr(found, name) for name in ("gained", "lost", "mcnemar", "unpaired")}
    return {"rows": rows, **told, "first": first.id, "second": second.id, "changed": changed}


def _said(one: Answer, other: Answer) -> tuple[str, str]:
    return one.said or one.verdict, other.said or other.verdict
