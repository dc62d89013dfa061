"""What runs are called on pages: only what tells each from the others."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

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
