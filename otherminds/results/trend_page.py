"""The page of a series: which scores move with it, which do not, and of which that cannot be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from itertools import pairwise
from operator import or_
from pathlib import Path

from otherminds.files import read_words, write_text
from otherminds.minds.telling import listing
from otherminds.pages import plots, sheets
from otherminds.pages.report import Block, Cell, Figure, Folded, Linked, Report, Section, Table
from otherminds.results.answers import Answers
from otherminds.results.itembrowser import Links, Part, browser
from otherminds.results.labels import count, run_labels
from otherminds.results.lineups import Member
from otherminds.results.measures import FEWEST, chance
from otherminds.results.run_details import how_it_answered, what_was_run
from otherminds.results.trends import ALPHA, FALLS, LITTLE, MOVES, NOT_TOLD, STAYS, STEEP, TOO_FEW, SeriesTrend
from otherminds.runs.runs import Run
from otherminds.stats import signed, span, with_p
from otherminds.stats.significance import p_value

PART = "series"
"""What its items are found under."""
_TEXTS: dict[str, str] = read_words("pages")["trends"]
_NAMED = {"moves": MOVES.capitalize(), "stays": STAYS.capitalize(), "not_told": NOT_TOLD.capitalize()}
NOTE = _TEXTS["note"].format(falls=FALLS, alpha=ALPHA, little=LITTLE, fewest=FEWEST, **_NAMED)
LIMITS = _TEXTS["limits"]


def show(found: Sequence[SeriesTrend], runs: Sequence[Run]) -> Report:
    """The page of these trends, with every answer behind them."""
    labels, links = run_labels(runs), Links(PART, Answers.of(runs))
    asked: dict[tuple[str, str], list[SeriesTrend]] = {}
    for each in found:
        asked.setdefault((each.series, each.asked), []).append(each)
    several = len({series for series, _ in asked}) > 1
    sections = [Section("", [NOTE, LIMITS])]
    for (series, way), lines in asked.items():
        sections.append(Section(f"{series}: {way}" if several else way, _asked(lines, links)))
    sections.append(Section("How they answered", [Folded("Verdicts, and letters", how_it_answered(runs, labels))]))
    sections.append(Section("What was run", what_was_run(runs, labels)))
    sections.append(Section("Items", [browser([Part(PART, runs)])]))
    names = dict.fromkeys(name for each in found for name in each.versions)
    return Report(f"Which scores move from {next(iter(names))} to {list(names)[-1]}?", lead(found), sections)


def save(folder: Path, found: Sequence[SeriesTrend], runs: Sequence[Run]) -> list[Path]:
    """The page and its numbers as a table; the page comes first."""
    rows = as_rows(found)
    lines = [
        [" ".join(map(str, value)) if isinstance(value, list) else value for value in row.values()] for row in rows
    ]
    texts = {"report.html": show(found, runs).html(), "trends.csv": sheets.as_csv([list(rows[0]), *lines])}
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / name for name in texts]


def lead(found: Sequence[SeriesTrend]) -> str:
    """Which scores move, in words."""
    by_verdict: dict[str, list[SeriesTrend]] = {}
    for each in found:
        by_verdict.setdefault(each.moves, []).append(each)
    said = [f"Of {count(len(found), 'score')}, {len(by_verdict.get(MOVES, []))} move with the series."]
    for verdict in (MOVES, FALLS, STAYS, NOT_TOLD, TOO_FEW):
        if some := by_verdict.get(verdict):
            said.append(f"**{verdict.capitalize()}**: {'; '.join(_by_way(some))}.")
    return " ".join(said)


def _by_way(found: Sequence[SeriesTrend]) -> list[str]:
    ways: dict[str, list[str]] = {}
    for each in found:
        ways.setdefault(each.asked, []).append(each.what)
    return [f"{way} ({listing(whats)})" for way, whats in ways.items()]


def _asked(lines: Sequence[SeriesTrend], links: Links) -> list[Block]:
    shares = [one for one in lines if one.of == "value"]
    guess = chance(shares[0].behind[0])
    svg = plots.intervals(
        [(one.what, one.means[: plots.MOST_SERIES]) for one in shares],
        title=lines[0].asked,
        series=lines[0].versions[: plots.MOST_SERIES],
        reference=None if guess is None else (guess, "chance"),
        measure="share of right answers",
    )
    rows: list[list[Cell]] = []
    for one in lines:
        means = [_linked(span(mean), some, links) for mean, some in zip(one.means, one.behind, strict=True)]
        slope = _linked(signed(one.trend.slope, 3), reduce(or_, one.behind), links)
        rows.append([one.what, one.moves, slope, p_value(one.p), one.trend.slope.n, one.trend.blocks, *means])
    columns = ["items", "with the series", "slope a version", "p (Holm)", "n", "groups", *lines[0].versions]
    return [Figure(svg, "Share of right answers with 95 % intervals, by version"), Table(columns, rows, lines[0].asked)]


def _linked(cell: str, behind: Answers, links: Links) -> Cell:
    to = links.to(behind)
    return Linked(cell, to) if to else cell


def as_rows(found: Sequence[SeriesTrend]) -> list[Mapping[str, object]]:
    """The same as plain values, for JSON and for a table as a file."""
    return [
        {
            "series": one.series,
            "asked": one.asked,
            "items": one.what,
            "versions": list(one.versions),
            "means": [mean.value for mean in one.means],
            "lows": [mean.low for mean in one.means],
            "highs": [mean.high for mean in one.means],
            "slope": one.trend.slope.value,
            "low": one.trend.slope.low,
            "high": one.trend.slope.high,
            "p": one.trend.slope.p,
            "p_holm": one.p,
            "verdict": one.moves,
            "n": one.trend.slope.n,
            "groups": one.trend.blocks,
        }
        for one in found
    ]


# ---- the tasks of a study, along a line-up --------------------------------------------------------------------------


def by_task(
    found: Sequence[SeriesTrend], series: Mapping[str, Sequence[Member]], heads: Mapping[str, str]
) -> list[Block]:
    """Trends over the versions of each series, task by task, and what else differs between versions."""
    if not found:
        return []
    lines: list[list[Cell]] = [
        [
            *(one.series, heads[one.what], one.path),
            *(signed(one.trend.slope, 3), signed(one.by_size, 3) if one.by_size else None),
            *(f"{one.trend.statistic:g}", p_value(one.p), one.word, one.trend.blocks),
        ]
        for one in found
    ]
    steps: list[list[Cell]] = [
        [one.series, heads[one.what], f"{old} → {new}", with_p(step, 3)]
        for one in found
        for (old, new), step in zip(pairwise(one.versions), one.steps, strict=True)
    ]
    columns = ["series", "task", "means", "slope a version", "slope a tenfold size", "L", "p", "trend", "groups"]
    told = {one.series for one in found}
    confounds = [f"**{name}**: {', '.join(map(str, some))}." for name, some in series.items() if name in told]
    neighbours = Table(["series", "task", "versions", "difference"], steps, "Each version less the last")
    return [
        " ".join([_TEXTS["versions"], *confounds]),
        Table(columns, lines, "Trends", note=_TEXTS["by_task"].format(steep=STEEP)),
        Folded("Neighbours", [neighbours]),
    ]


def tasks_as_csv(found: Sequence[SeriesTrend]) -> str:
    """Trends of tasks as a table in a file."""
    head = ["series", "task", "versions", "means", "slope", "low", "high", "L", "p", "p_holm", "trend", "groups"]
    lines = []
    for row, one in zip(as_rows(found), found, strict=True):
        means = " ".join(f"{mean.value:.6f}" for mean in one.means)
        told = {**row, "task": one.what, "versions": " ".join(one.versions), "means": means}
        told |= {"L": one.trend.statistic, "trend": one.word}
        lines.append([told[name] for name in head])
    return sheets.as_csv([head, *lines])
