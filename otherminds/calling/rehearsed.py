"""What some work would ask: a stand-in answers by drawing one of the choices, and notes every prompt once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from otherminds.calling.costs import Forecast, Price, Speed, foresee
from otherminds.heuristics.readers import random
from otherminds.items import Suite
from otherminds.models import Model, ModelDefaults, Prompt, Response, Verb, Weighing
from otherminds.store.packing import call_key


@dataclass(slots=True)
class Tally:
    """All that was asked."""

    prompts: dict[str, tuple[Verb, Prompt]] = field(default_factory=dict)

    def stand_in(self, suite: Suite) -> Model:
        """Somebody who answers the questions of a suite at random, and is counted."""
        return _Counted(random(suite), self)

    def note(self, verb: Verb, prompts: Sequence[Prompt]) -> None:
        """These were asked."""
        for prompt in prompts:
            # Only what a store would look at: whoever asked the same twice pays once.
            self.prompts.setdefault(call_key("", verb, prompt), (verb, replace(prompt, about=None)))

    def forecast(self, *, price: Price | None = None, speed: Speed | None = None) -> Forecast:
        """What the same would cost a real model."""
        verbs: tuple[Verb, Verb] = ("ask", "weigh")
        ask, weigh = (
            foresee(verb, [prompt for how, prompt in self.prompts.values() if how == verb], [], price=price)
            for verb in verbs
        )
        both = ask + weigh
        return replace(both, seconds=speed.seconds(both) if speed else None)


class _Counted(ModelDefaults):
    def __init__(self, model: Model, tally: Tally) -> None:
        self._model, self._tally = model, tally
        self.name, self.identity, self.cannot = model.name, model.identity, model.cannot
        self.batch, self.ask_batch, self.parallel = model.batch, model.ask_batch, model.parallel

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        self._tally.note("ask", prompts)
        return self._model.ask(prompts)

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order."""
        self._tally.note("weigh", prompts)
        return self._model.weigh(prompts)
