"""A meter: how many calls, tokens and money have gone into models while somebody waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any

from otherminds.asking.budgets import Price
from otherminds.asking.recorded import add
from otherminds.models import Model, Prompt, Response, Usage, Weighing
from otherminds.models.gate import is_usage


class Meter:
    """Counts what metered models are asked, and says it in a few words."""

    def __init__(self, prices: Mapping[str, Price] | None = None) -> None:
        self._prices = prices or {}
        self._lock = Lock()
        self.calls = 0
        self.money = 0.0
        self.usage = Usage()

    def note(self, model: str, results: Sequence[Response | Weighing]) -> None:
        """These results came back."""
        with self._lock:
            self.calls += len(results)
            for result in results:
                # Results come here before they pass the gate.
                if not is_usage(getattr(result, "usage", None)):
                    continue
                self.usage = add(self.usage, result.usage)
                if model in self._prices:
                    self.money += self._prices[model].of(result.usage)

    def __str__(self) -> str:
        cost = f", {self.money:.2f} in money" if self._prices else ""
        return f"{self.calls:,} calls, {self.usage.prompt + self.usage.written:,} tokens{cost}"


class Metered:
    """A model whose calls run over a meter."""

    def __init__(self, model: Model, meter: Meter) -> None:
        self._model, self._meter = model, meter
        self.name, self.batch, self.ask_batch, self.parallel = model.name, model.batch, model.ask_batch, model.parallel

    @property
    def identity(self) -> Mapping[str, Any]:
        """That of the model itself."""
        return self._model.identity

    @property
    def cannot(self) -> frozenset[str]:
        """What the model itself refuses."""
        return self._model.cannot

    @property
    def retried(self) -> int:
        """How many calls the model had to make again so far."""
        return getattr(self._model, "retried", 0)

    @property
    def waited(self) -> float:
        """How many seconds the model has waited for its server so far."""
        return getattr(self._model, "waited", 0.0)

    @property
    def waiting(self) -> str:
        """What the model waits for just now, if it does."""
        return getattr(self._model, "waiting", "")

    def shallower(self) -> Model | None:
        """The model itself without its last layers, if it can do without."""
        shallower: Model | None = getattr(self._model, "shallower", lambda: None)()
        return shallower

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        results = self._model.ask(prompts)
        self._meter.note(self.name, results)
        return results

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order."""
        results = self._model.weigh(prompts)
        self._meter.note(self.name, results)
        return results
