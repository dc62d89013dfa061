"""What stands at the end of every report: how answers ended, what weighing looked like, and what was run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from otherminds import stats
from otherminds.files import read_words
from otherminds.pages import plots
from otherminds.pages.report import Block, Cell, Figure, Table, minus
from otherminds.results.answers import LIKING, Answers
from otherminds.results.labels import checks, not_clean, versions
from otherminds.results.measures import leaning
from otherminds.runs.runs import Run
from otherminds.stats import span

FAINT = 0.1
"""Below this share of all probability, a ratio of two choices says little."""


def how_it_answered(runs: Sequence[Run], labels: Mapping[str, str]) -> list[Block]:
    """How answers ended, and what weighing looked like; `labels` are by the ids of the runs."""
    counts = [(labels[run.id], run.verdicts()) for run in runs]
    ends = list(dict.fromkeys(verdict for _, part in counts for verdict in part))
    used = [end for end in ends if any(part.get(end) for _, part in counts)]
    bars = [(label, {end: part.get(end, 0) for end in used}) for label, part in counts]
    svg = plots.bars(bars, title="Verdicts", parts=used)
    blocks: list[Block] = [
        Figure(
            svg, "How answers ended. Tied: none preferred. Unparsed: no clear answer. Truncated: cut off before one."
        ),
        Table(["", *ends], [[label, *(part.get(end, 0) for end in ends)] for label, part in counts], "Verdicts"),
    ]
    tables = [(labels[run.id], Answers.of([run])) for run in runs]
    weighed = [(label, lean, some.scored) for label, some in tables if (lean := leaning(some))]
    if weighed:
        rows: list[list[Cell]] = [
            [
                *(label, *((one := some.mean(of)) and span(one, 3) for of in ("S", "S_token"))),
                *(
                    some.mean("consistent"),
                    (one := some.mean(LIKING)) and minus(stats.signed(one)),
                    lean.mass,
                    len(some.numbers("mass")),
                ),
            ]
            for label, lean, some in weighed
        ]
        columns = ["", "S", "S per token", "same in all orders", "bias to A", "mass", "items"]
        note: str = read_words("pages")["weighing"]["note"]
        faint = [label for label, lean, _ in weighed if lean.mass < FAINT]
        if faint:
            note += f" **Mind {', '.join(faint)}**: the choices have so little mass that S compares tiny numbers."
        blocks.append(Table(columns, rows, "What the weighing looked like", note=note))
    return blocks


def what_was_run(runs: Sequence[Run], labels: Mapping[str, str]) -> list[Block]:
    """Every run with what it asked of whom, and all that is known of each model."""
    columns = ["", *(labels[run.id] for run in runs)]
    lines = [_manifest_lines(run) for run in runs]
    table = Table(columns, [[name, *(line[name] for line in lines)] for name in lines[0]], "The runs")
    identities = {run.fingerprint: run.manifest["identity"] for run in runs}
    return [
        *(f"**{doubt}.**" for run in runs if (doubt := not_clean(run))),
        "The same call is never asked twice, so calls may come from an earlier run.",
        table,
        *(
            Table(
                ["", "value"],
                [[name, str(value)] for name, value in _flat(identity)],
                f"Who was asked: fingerprint {mark}",
            )
            for mark, identity in identities.items()
        ),
    ]


def _manifest_lines(run: Run) -> dict[str, str]:
    manifest = run.manifest
    return {
        "run": run.id + (" (not finished)" if run.partial else ""),
        "model": run.model,
        "fingerprint": run.fingerprint,
        "suite": f"{run.suite}, digest {run.digest}",
        # Kinds of prompts that were checked alike are told of once.
        "asked as": "; ".join(
            dict.fromkeys([f"prompt {run.prompt}, score {run.score}", *manifest.get("scales", {}).values()])
        ),
        "items": f"{len(run)} of {manifest['items']}",
        "seed and limit": f"{manifest['seed']}, {manifest['limit'] or 'none'}",
        **_calls_and_tokens(run),
        "answered by": versions(run) or "not told",
        "asked again": checks(run) or "none",
        "started": f"{manifest['started'][:19].replace('T', ' ')} UTC",
        "versions": f"otherminds {manifest['otherminds']}, Python {manifest['python']}, {manifest['platform']}",
    }


def _calls_and_tokens(run: Run) -> dict[str, str]:
    """How many calls its answers rest on, and their tokens, where all results were read or columns tell."""
    if any(run.columns.calls):
        calls, sent, shared, written = run.columns.calls
    else:
        spent = [result.usage for record in run.records for result in record.results]
        sent, shared, written = (sum(getattr(each, of) for each in spent) for of in ("prompt", "cached", "written"))
        calls = sum(len(record.calls) for record in run.records)
        if any(not record.results for record in run.records if record.verdict != "error"):
            return {"calls": f"{calls:,}", "tokens": "not told"}
    return {"calls": f"{calls:,}", "tokens": f"{sent:,} sent ({shared:,} from a shared past), {written:,} written"}


def _flat(value: Any, name: str = "") -> list[tuple[str, Any]]:
    """Nested settings as lines: engine.name, engine.version."""
    if not isinstance(value, dict):
        return [(name, value)]
    return [line for key, part in value.items() for line in _flat(part, f"{name}.{key}" if name else str(key))]
