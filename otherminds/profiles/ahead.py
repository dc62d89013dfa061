"""How far a whole profile has come: the calls that a rehearsal foresees, and how fast they are made."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.calling.costs import Meter
from otherminds.models import Model
from otherminds.profiles.looking import Step
from otherminds.profiles.rehearsals import Rehearsal
from otherminds.store.store import Store
from otherminds.studies.study import Size
from otherminds.terminal.bars import Pace, clock

FIRST = 20
"""Calls that must be made before anything is said of the rest."""


def foreseen(steps: Sequence[Step], models: Sequence[Model], store: Store, *, size: Size, seed: int) -> int:
    """How many calls these steps will make, as far as that does not depend on the answers."""
    calls = 0
    for model in models:
        rehearsal = Rehearsal(model.name, frozenset(model.cannot), store, model.identity)
        for step in steps:
            rehearsal.look(step.look, size=size, seed=seed)
        calls += rehearsal.forecast(prices={}).calls
    return calls


class Ahead:
    """What is spent so far, and how long the whole profile will still take."""

    def __init__(self, meter: Meter, calls: int = 0) -> None:
        self._meter, self._calls, self._pace = meter, calls, Pace()
        self._pace.note(0, calls)

    def __str__(self) -> str:
        return "; ".join(filter(None, [str(self._meter), self.left()]))

    def left(self) -> str:
        """The time left in words; nothing where it cannot be told."""
        if not FIRST <= self._meter.calls < self._calls:
            return ""
        self._pace.note(self._meter.calls, self._calls)
        return f"whole profile {self._meter.calls / self._calls:.0%}, about {clock(self._pace.left)} left"
