"""A rehearsal: what a study would ask of a model, without asking it.

The study looks at a stand-in that says what the store remembers of the model, and anything where it remembers nothing.
What depends on the answers, such as the way of a search, is as it would be as far as they are known; beyond that it is
a likeness.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from otherminds.calling.costs import Forecast, Meter, Price, foresee
from otherminds.errors import ModelError
from otherminds.formats.prompts import About
from otherminds.heuristics.readers import random
from otherminds.items import Suite
from otherminds.models import Model, ModelDefaults, Prompt, Response, Verb, Weighing
from otherminds.runs.calibration import Calibration
from otherminds.store.packing import call_key, recall
from otherminds.store.store import MEMORY, RunRow, Store
from otherminds.studies.study import Chapter, Desk, Size, Subject
from otherminds.terminal.bars import Pace, clock, quietly

Look = Callable[[Sequence[Subject], Desk], Chapter | None]
FIRST = 20
"""Calls that must be made before anything is said of the rest."""


@dataclass(slots=True)
class Rehearsal:
    """Who is stood in for, and all that was asked of the stand-in."""

    name: str
    cannot: frozenset[str]
    store: Store
    known_as: Mapping[str, Any] = field(default_factory=dict)
    """Of the model's identity, what is known while it stays unopened; None for what it does not have."""
    calibrated: dict[tuple[str, str], list[Calibration]] = field(default_factory=dict)
    """What the controls of studies that were rehearsed before showed."""
    mark: str = field(init=False)
    """The fingerprint under which the store keeps the answers of such a model."""
    asked: dict[str, tuple[Verb, Prompt]] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        # The one that was written last comes first.
        rows = (row for row in self.store.runs() if row.model == self.name and self._agrees(row))
        self.mark = next((row.fingerprint for row in rows), "")

    def _agrees(self, row: RunRow) -> bool:
        told = self.store.identity(row.fingerprint)
        return all(told.get(name) == value for name, value in self.known_as.items())

    def look(self, look: Look, *, size: Size, seed: int) -> None:
        """Let a study look; what it would not do at all is not asked either."""
        subject = Subject(self.name, lambda _: _StandIn(self), self.cannot)
        with Store(MEMORY) as nowhere:
            desk = Desk(nowhere, quietly, size, seed, calibrated=self.calibrated)
            try:
                look([subject], desk)
            except ModelError:
                return

    def forecast(self, *, prices: Mapping[str, Price]) -> Forecast:
        """What the real model would cost."""
        parts = []
        verbs: tuple[Verb, Verb] = ("ask", "weigh")
        for verb in verbs:
            missing = [prompt for key, (how, prompt) in self.asked.items() if how == verb and key not in self.known]
            past = self.store.recent_calls(self.mark, verb) if self.mark else []
            parts.append(foresee(verb, missing, past, price=prices.get(self.name)))
        ask, weigh = parts
        return replace(ask + weigh, known=len(self.known))


class _StandIn(ModelDefaults):
    """Answers from memory, else by drawing one of the choices; notes every prompt."""

    batch = ask_batch = 64
    parallel = 1

    def __init__(self, rehearsal: Rehearsal) -> None:
        self._rehearsal = rehearsal
        self.name, self.cannot, self.identity = rehearsal.name, rehearsal.cannot, {"stands in for": rehearsal.name}

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        known = self._noted("ask", prompts)
        said = [known.get(place) or _reader(prompt).ask([prompt])[0] for place, prompt in enumerate(prompts)]
        return [each for each in said if isinstance(each, Response)]

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order."""
        known = self._noted("weigh", prompts)
        said = [known.get(place) or _reader(prompt).weigh([prompt])[0] for place, prompt in enumerate(prompts)]
        return [each for each in said if isinstance(each, Weighing)]

    def _noted(self, verb: Verb, prompts: Sequence[Prompt]) -> dict[int, Response | Weighing]:
        rehearsal = self._rehearsal
        keys = [call_key(rehearsal.mark, verb, prompt) for prompt in prompts]
        found = recall(rehearsal.store, dict(zip(keys, prompts, strict=True)))[0] if rehearsal.mark else {}
        rehearsal.asked.update({key: (verb, prompt) for key, prompt in zip(keys, prompts, strict=True)})
        rehearsal.known.update(found)
        return {index: found[key] for index, key in enumerate(keys) if key in found}


def _reader(prompt: Prompt) -> Model:
    """Somebody who draws an answer to this prompt, which may be about an item as no suite has it."""
    if not isinstance(prompt.about, About):
        raise ModelError("nobody can stand in for a model where no question is asked")
    return random(Suite("one", (prompt.about.item,)))


def foreseen(looks: Sequence[Look], models: Sequence[Model], store: Store, *, size: Size, seed: int) -> int:
    """How many calls these steps will make, as far as that does not depend on the answers."""
    calls = 0
    for model in models:
        rehearsal = Rehearsal(model.name, frozenset(model.cannot), store, model.identity)
        for look in looks:
            rehearsal.look(look, size=size, seed=seed)
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
