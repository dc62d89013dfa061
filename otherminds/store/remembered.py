"""A model whose server is away: who it is and what it answered, from the store.

Whoever has one machine serves models one after another. What was asked of one that is not served now is all there, so a
run of it is whole as long as nothing else is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from otherminds.errors import EndpointError
from otherminds.models import Model, ModelDefaults, Prompt, Response, Weighing
from otherminds.store.store import Store

TOLD_BY_SERVER = ("server", "says", "form", "served")
"""Of the identity, what only the server itself can say."""


class Remembered(ModelDefaults):
    """A model that answers from the store alone; `why` says where its server is."""

    batch = ask_batch = parallel = 1

    def __init__(self, name: str, identity: Mapping[str, Any], cannot: frozenset[str], why: str) -> None:
        self.name, self.identity, self.cannot, self._why = name, identity, cannot, why

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """Refused: what the store has is never asked for here."""
        self._refuse(len(prompts))

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """Refused: what the store has is never asked for here."""
        self._refuse(len(prompts))

    def _refuse(self, number: int) -> NoReturn:
        raise EndpointError(f"{self._why}, and the store lacks some answers of {self.name}; serve it and ask again")


def remembered(model: Model, store: Store, why: str) -> Remembered | None:
    """The same model as the store knows it: the last that was asked at this address with these settings."""
    settings = model.settings
    for row in store.runs():
        known = store.identity(row.fingerprint)
        own = {name: value for name, value in known.items() if name not in TOLD_BY_SERVER}
        if "thinking" not in settings:
            own.pop("thinking", None)  # found out by asking, and not set by anybody
        if settings and own == dict(settings):
            return Remembered(model.name, known, frozenset(row.manifest.get("cannot", ())), why)
    return None
