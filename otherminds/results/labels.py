"""What runs are called, and what speaks for each being one model: the same words in the terminal and on pages."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

from otherminds.runs.runs import Run


def run_labels(runs: Sequence[Run]) -> dict[str, str]:
    """By its id, a short name for every run: how it was asked, and whom and what where these differ."""
    models, suites = len({run.model for run in runs}) > 1, len({run.digest for run in runs}) > 1
    asked = tell_apart([(f"{run.model}, {run.score}" if models else run.score, f" ({run.prompt})") for run in runs])
    named = [name + on_suite(run) if suites else name for name, run in zip(asked, runs, strict=True)]
    unlike = tell_apart([(name, f", {run.id}") for name, run in zip(named, runs, strict=True)])
    return {run.id: name for name, run in zip(unlike, runs, strict=True)}


def together(
    runs: Iterable[Run], same: Callable[[Run], Hashable], names: Callable[[Run], tuple[str, ...]]
) -> list[tuple[str, list[Run]]]:
    """Runs that are the same in something, under a name: the first of `names`, and what tells it from others."""
    found: dict[Hashable, list[Run]] = {}
    for run in runs:
        found.setdefault(same(run), []).append(run)
    return list(zip(tell_apart([names(some[0]) for some in found.values()]), found.values(), strict=True))


def mark(run: Run) -> str:
    """What tells a model from others of its name."""
    return f" ({run.fingerprint[:6]})"


def tell_apart(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """A name for every row: its first part, and of the others those that tell it from rows that are alike so far."""
    names = [row[0] for row in rows]
    for place in range(1, max(map(len, rows), default=0)):
        values: dict[tuple[str, ...], set[str]] = {}
        for row in rows:
            values.setdefault(row[:place], set()).add(row[place])
        names = [
            name + row[place] if len(values[row[:place]]) > 1 else name for name, row in zip(names, rows, strict=True)
        ]
    return names


def on_suite(run: Run) -> str:
    """What tells a run from those of other suites."""
    return f" on {run.suite}"


def count(number: int, one: str, many: str = "") -> str:
    """So many of something, in its singular or plural."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def checks(run: Run) -> str:
    """How many calls that were asked again, and how many canaries, agree; empty where none were asked."""
    notes = run.manifest.get("provenance", {})
    calls, canaries = notes.get("rechecked"), notes.get("canaries")
    parts = [f"{_share(calls)} calls agree"] if calls else []
    parts += [f"canaries {_share(canaries)}"] if canaries and "compared" in canaries else []
    return "; ".join(parts)


def versions(run: Run) -> str:
    """Which versions of the model answered; empty where no server said."""
    counts = run.manifest.get("provenance", {}).get("versions", {})
    listed = ", ".join(f"{name} {often:,}" for name, often in counts.items())
    return f"answers by {len(counts)} versions: {listed}" if len(counts) > 1 else ", ".join(counts)


def not_clean(run: Run) -> str:
    """Why the numbers of a run may come from more than one model; empty where nothing says so."""
    doubts = "; ".join(run.doubts)
    return f"run {run.id} is not clean: {doubts}. More than one model may have answered it" if doubts else ""


def _share(counts: Mapping[str, Any]) -> str:
    return f"{counts['agree']:,} of {counts['compared']:,}"
