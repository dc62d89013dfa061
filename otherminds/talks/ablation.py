"""Ablation: how often the second misreads the first, by what the two can see of each other.

Four cells: goals and personality hidden or shown, thoughts hidden or shown. The same castings are played in each, so
that cells are compared turn by turn; intervals are by casting, whose talks are not independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.files import read_words
from otherminds.stats import Difference, Estimate
from otherminds.talks.talk import Talk

Cell = tuple[bool, bool]
"""Whether the partner sees goals and personality, and whether the partner sees thoughts."""
HIDDEN: Cell = (False, False)
CELLS: dict[Cell, str] = {
    HIDDEN: "both hidden",
    (True, False): "only thoughts hidden",
    (False, True): "only goals and personality hidden",
    (True, True): "nothing hidden",
}
PUBLISHED: dict[str, list[float]] = read_words("dialogue/published")["hidden"]
"""On ToMATO's own conversations: by GPT-4o mini over 3,000 turns a cell, and by people over 200."""

Reading = tuple[Talk, Mapping[int, bool | None]]
"""A talk, and by number of the message whether it misreads the partner; None: nobody could say."""
Turn = tuple[str, str, int]
"""Casting, mental state, number of the message: what is the same in every cell."""


@dataclass(frozen=True, slots=True)
class Misread:
    """One cell: the share of second-order turns that misread, and how far that is from the cell with all hidden."""

    cell: Cell
    share: Estimate
    less_hidden: Difference | None
    """Paired; none for that cell itself, or where no turn is in both."""
    talks: int
    unjudged: int

    @property
    def label(self) -> str:
        """What is hidden."""
        return CELLS[self.cell]


def ablate(readings: Sequence[Reading]) -> list[Misread]:
    """The share of misreadings in every cell that was played."""
    cells: dict[Cell, list[Reading]] = {}
    for reading in readings:
        cells.setdefault(cell_of(reading[0]), []).append(reading)
    verdicts = {cell: _verdicts(some) for cell, some in cells.items()}
    hidden = verdicts.get(HIDDEN, {})
    return [
        Misread(
            cell=cell,
            share=stats.mean(list(verdicts[cell].values()), groups=[turn[0] for turn in verdicts[cell]]),
            less_hidden=_difference(verdicts[cell], hidden) if cell != HIDDEN else None,
            talks=len(cells[cell]),
            unjudged=sum(_asked(talk) for talk, _ in cells[cell]) - len(verdicts[cell]),
        )
        for cell in CELLS
        if verdicts.get(cell)
    ]


def cell_of(talk: Talk) -> Cell:
    """What the two could see of each other, as the talk itself says."""
    seen = tuple(talk.made.get(name, False) for name in ("attributes", "thoughts"))
    if not all(isinstance(part, bool) for part in seen):
        raise UsageError(f"talk {talk.id!r} does not say what was visible in it, but {seen}; play it again")
    return bool(seen[0]), bool(seen[1])


def _asked(talk: Talk) -> int:
    return sum(talk.order(number) == 2 for number in range(len(talk.turns)))


def _verdicts(readings: Sequence[Reading]) -> dict[Turn, float]:
    """1 for a misreading and 0 for a right reading, of the turns that were judged."""
    found: dict[Turn, float] = {}
    for talk, misread in readings:
        for number in range(len(talk.turns)):
            verdict = misread.get(number)
            if talk.order(number) == 2 and verdict is not None:
                turn = (talk.casting.id, talk.state, number)
                if turn in found:
                    raise UsageError(f"talk {talk.id!r} has the casting and state of another one in its cell; give one")
                found[turn] = float(verdict)
    return found


def _difference(cell: Mapping[Turn, float], hidden: Mapping[Turn, float]) -> Difference | None:
    both = [turn for turn in cell if turn in hidden]
    if not both:
        return None
    return stats.difference(
        [cell[turn] for turn in both], [hidden[turn] for turn in both], groups=[turn[0] for turn in both]
    )
