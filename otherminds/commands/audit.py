"""`otherminds audit`: what mindless baselines score on a suite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import click

from otherminds.terminal.options import common
from otherminds.terminal.screen import note, print_json, print_table, say

if TYPE_CHECKING:
    from otherminds.bridges.audit import Scored
    from otherminds.items import Item


@click.command()
@click.argument("suite_name", metavar="SUITE|FILE")
@click.option("--only", multiple=True, metavar="TAG=VALUE", help="Only items with this tag, such as order=2.")
@click.option("--twins", type=click.Path(path_type=Path, dir_okay=False), metavar="SUITE.jsonl",
              help="Write twins that break the shortcuts, where the belief engine can make them.")  # fmt: skip
@common
def audit(suite_name: str, only: tuple[str, ...], twins: Path | None, as_json: bool) -> None:
    """Score simple heuristics on a suite.

    They go by reality, by what is named last or first, by who left first, by the options alone. Of a benchmark, by its
    repaired gold and as its own script would score them. A suite is no better than the best of them.
    """
    from otherminds.bridges.audit import audit as audited
    from otherminds.bridges.benchmarks.tomi import twins as make_twins
    from otherminds.commands.imports import opened, tagged
    from otherminds.heuristics.cues import askable
    from otherminds.items.tags import BENCHMARK

    suite = tagged(opened(suite_name), only)
    items = askable(suite.items)
    foreign = any(BENCHMARK in item.meta for item in items)
    repaired, published = audited(items), audited(items, published=True) if foreign else []
    made = make_twins(suite) if twins else None
    if made and twins:
        made.save(twins)
    if as_json:
        told = {"repaired": list(map(_data, repaired)), "published": list(map(_data, published))}
        print_json({"suite": suite.name, "items": len(items), **told})
        return
    by_name = {row.name: f"{row.right.value:.3f}" for row in published}
    heads = ["heuristic", "right", "95 %", "has an opinion on", *(["as published"] if published else [])]
    rows = [_row(row) + ([by_name.get(row.name, "–")] if published else []) for row in repaired]
    print_table(heads, rows, right=heads[1:])
    chance, whole = fmean(1 / len(item.choices) for item in items), repaired[0].right
    note(f"{suite.name}: n = {whole.n} in {whole.clusters} stories; guessing gives {chance:.3f}")
    if made and twins:
        say(str(twins))
        _told_twins(made.items)


def _row(row: Scored) -> list[str]:
    return [row.name, f"{row.right.value:.3f}", f"{row.right.low:.3f} to {row.right.high:.3f}", str(row.opinions)]


def _data(row: Scored) -> dict[str, object]:
    return {"heuristic": row.name, "opinions": row.opinions, **asdict(row.right)}


def _told_twins(items: Sequence[Item]) -> None:
    """How many heuristics get both twins of a pair right."""
    from otherminds.bridges.audit import pairs_right
    from otherminds.heuristics.cues import askable

    rows = [[name, f"{share.value:.3f}", f"{share.low:.3f} to {share.high:.3f}"]
            for name, share in pairs_right(askable(items)).items()]  # fmt: skip
    print_table(["heuristic", "both twins right", "95 %"], rows, right=["both twins right", "95 %"])
    note(f"{len(items) // 2} pairs of twins")
