"""What goes into every request beside the prompt: temperature, length, and whatever somebody adds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from otherminds.errors import UsageError
from otherminds.models import Prompt
from otherminds.models.settings import settings, whole

Body = dict[str, Any]
LENGTH, LENGTH_TOO = "max_tokens", "max_completion_tokens"
"""The greatest length of a text: the usual name, and the one that OpenAI's newer models want."""
SEEDS = 1000
"""How far the seeds of draws lie apart for two seeds that lie one apart."""
_DRAWING = ("temperature", "seed", "top_p")
_TELLING = (*_DRAWING[:2], LENGTH, LENGTH_TOO, "stop")
"""Where null says something: what would be sent otherwise is left out."""


class Wishes:
    """The settings of an endpoint; `extra` is sent as it is and comes before all others."""

    def __init__(
        self,
        *,
        max_tokens: int | None,
        extra: Mapping[str, Any] | None,
        thinking: int | None = None,
        **drawing: float | None,
    ) -> None:
        if not isinstance(extra, Mapping | None):
            raise UsageError(f"extra should be a JSON object, not {extra!r}")
        given = settings(max_tokens=max_tokens, **drawing, optional=(LENGTH, *_DRAWING))
        self._least = int(given.pop(LENGTH, 0))
        self._drawing: Body = {"temperature": None, "seed": None, **given}
        self._extra: Body = dict(extra or {})
        self._thinking = 0 if thinking is None else whole("thinking", thinking, least=0)

    @property
    def identity(self) -> Body:
        """Those that can change an answer."""
        wished = self._drawing | self._extra
        told = {name: value for name, value in wished.items() if value is not None or name in _TELLING}
        # As a setting it is the least room that a text has, in `extra` all of it: two things of one name.
        if LENGTH in self._extra:
            return told | {"extra": {LENGTH: told.pop(LENGTH)}}
        thinking = {"thinking": self._thinking} if self._thinking else {}
        return told | ({LENGTH: self._least} if self._least else {}) | thinking

    def text(self, prompt: Prompt) -> Body:
        """For a text."""
        sent = self._drawing | ({"stop": list(prompt.stop)} if prompt.stop else {})
        if not self._extra.keys() & {LENGTH, LENGTH_TOO}:
            # Whoever thinks first has room for that, and then as much for the answer as anybody.
            sent[LENGTH] = max(prompt.max_tokens, self._least) + self._thinking
        return _said(sent | self._extra | (self._drawn(prompt.draw) if prompt.draw else self._again(prompt.epoch)))

    def _again(self, epoch: int) -> Body:
        """What makes a repetition another than the first: a seed of its own, where one is sent at all."""
        seed = (self._drawing | self._extra)["seed"]
        return {"seed": seed * SEEDS + epoch} if epoch and seed is not None else {}

    def _drawn(self, draw: int) -> Body:
        """What makes one draw another than the last; a server that takes no temperature draws by itself."""
        wished = self._drawing | self._extra
        return {
            **({"temperature": 1.0} if wished["temperature"] is not None else {}),
            **({"seed": wished["seed"] * SEEDS + draw} if wished["seed"] is not None else {}),
        }

    def weighing(self) -> Body:
        """For one token of which only the probability matters, so that nothing is drawn."""
        lengths = [name for name in (LENGTH, LENGTH_TOO) if name in self._extra]
        sent = dict.fromkeys(lengths or [LENGTH], 1)
        if (self._drawing | self._extra)["temperature"] is not None:
            sent["temperature"] = 0
        others = {name: value for name, value in self._extra.items() if name not in (*_DRAWING, "stop")}
        return _said(others | {name: value for name, value in sent.items() if others.get(name, value) is not None})


def _said(body: Body) -> Body:
    return {name: value for name, value in body.items() if value is not None}
