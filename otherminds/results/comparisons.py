"""Several runs, each beside the first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from string import ascii_uppercase as LETTERS

from otherminds.errors import UsageError
from otherminds.results.measures import Comparison, Row, adjusted, compare
from otherminds.runs.runs import Run
from otherminds.showing.notebook import Shown

MOST = 8
"""Runs that are compared at once."""


@dataclass(frozen=True, slots=True, repr=False)
class Comparisons(Shown):
    """The first of several runs beside each of the others, with p adjusted (Holm) for being several pairs.

    What is said of all items is adjusted for all pairs, what is said of kinds of items for all kinds of all pairs.
    """

    runs: tuple[Run, ...]
    pairs: tuple[Comparison, ...]
    """How far the first lies above the second, the third and so on, each on the items of both."""

    @property
    def names(self) -> str:
        """The letters by which tables call the runs."""
        return LETTERS[: len(self.runs)]

    def lines(self) -> Iterator[tuple[str, Row]]:
        """What a table says: "A − B" with a row; all pairs on all items, then on one kind of items after the other."""
        pairs = {
            f"A − {name}": {row.items: row for row in pair.rows}
            for name, pair in zip(self.names[1:], self.pairs, strict=True)
        }
        for kind in dict.fromkeys(kind for rows in pairs.values() for kind in rows):
            yield from ((name, rows[kind]) for name, rows in pairs.items() if kind in rows)

    @property
    def adjustment(self) -> str:
        """For how many lines p is adjusted, in words."""
        whole, kinds = _tested(self.pairs)
        of_kinds = f", and for {len(kinds)} of kinds of items" if kinds else ""
        return f"p is adjusted (Holm) for {len(whole)} lines of all items{of_kinds}"

    def __repr__(self) -> str:
        whole = "; ".join(f"{name}: {row.difference}" for name, row in list(self.lines())[: len(self.pairs)])
        return f"<Comparison of {len(self.runs)} runs: {whole}>"


def compare_several(runs: Sequence[Run], *, by: str = "") -> Comparisons:
    """The paired differences between the first of two to eight runs and each of the others, as `compare` has them."""
    if not 2 <= len(runs) <= MOST:
        raise UsageError(f"two to {MOST} runs can be compared, not {len(runs)}")
    first, *others = runs
    pairs = [compare(first, other, by=by) for other in others]
    whole = adjusted([pair.rows[0] for pair in pairs])
    kinds = iter(adjusted([row for pair in pairs for row in pair.rows[1:]]))
    together = (
        replace(pair, rows=(line, *(next(kinds) for _ in pair.rows[1:])))
        for pair, line in zip(pairs, whole, strict=True)
    )
    return Comparisons(tuple(runs), tuple(together))


def _tested(pairs: Sequence[Comparison]) -> tuple[list[Row], list[Row]]:
    """The lines that rest on enough groups to be tested: of all items, and of kinds of them."""
    whole = [pair.rows[0] for pair in pairs if not pair.rows[0].too_few]
    return whole, [row for pair in pairs for row in pair.rows[1:] if not row.too_few]
