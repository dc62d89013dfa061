"""Who answers: what a server says of its model in every reply, compared with what it said before.

Replies carry the model's name and a fingerprint of what serves it, `/v1/models` its weights, another path the server's
version. What the greetings say becomes part of the model's identity; from then on any other word is an `OtherModel`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from otherminds.errors import OtherModel
from otherminds.models import Origin
from otherminds.models.forks import Lock
from otherminds.models.gate import is_text
from otherminds.showing.brief import cut

ANY = "any"
"""The value of the setting `versions` with which a server may alternate between versions of a model."""
LONGEST = 200
"""Characters of a name that are kept."""
LATEST = 1e12
"""Seconds since 1970 that a clock can show."""


class Provenance:
    """What one server says of its model."""

    def __init__(self, where: str, model: str) -> None:
        self.alternating = False
        """Whether replies may come from several versions."""
        self.facts: Mapping[str, Any] | None = None
        """What the server said of itself beside its replies, once it was asked for that."""
        self.interruptions = 0
        """Of the connection, those after which the facts were read again."""
        self.reading = Lock(asyncio.Lock)
        self.known: dict[str, Origin] = {}
        """By path, which version answers there."""
        self._where, self._model = where, model
        self._replies = 0

    @property
    def served(self) -> dict[str, Any]:
        """What the replies say, for the identity of the model; nothing where that is the name asked for alone."""
        named = [
            {name: value for name, value in _said(origin).items() if value != self._model}
            for origin in sorted({*self.known.values()}, key=lambda origin: sorted(_said(origin).items()))
        ]
        several = [each for each in named if each]
        return {} if self.alternating or not several else several[0] if len(several) == 1 else {"by_path": several}

    def read(self, path: str, data: Any, *, trying: bool) -> Origin | None:
        """Who answered this, if it is an answer; a version that did not answer before is an error.

        `trying` tells that this is a greeting: the first at a path says what is expected there.
        """
        if not isinstance(data, dict) or not data.keys() & {"choices", "model"}:
            return None
        created: Any = data.get("created")
        origin = Origin(
            _name(data.get("model")),
            _name(data.get("system_fingerprint")),
            _name((self.facts or {}).get("version")),
            created if type(created) in (int, float) and abs(created) < LATEST else 0,
        )
        # A path that no greeting went to says what another one says.
        expected = [self.known[path]] if path in self.known else [] if trying else [*self.known.values()]
        if expected and origin not in expected and not self.alternating:
            raise self._changed(_shown(expected[0]), _shown(origin))
        self.known.setdefault(path, origin)
        self._replies += not trying
        return origin

    def compare(self, facts: Mapping[str, Any]) -> None:
        """Compare what the server says of itself now with what it said first."""
        before = self.facts or {}
        if odd := sorted(name for name in {*before, *facts} if before.get(name) != facts.get(name)):
            name = odd[0]
            raise self._changed(*(cut(f"{name} {each.get(name)!r}", LONGEST) for each in (before, facts)))

    def _changed(self, before: str, now: str) -> OtherModel:
        return OtherModel(
            f"{self._where} has changed its model: after {self._replies} replies as {before} it now answers as {now};"
            " the answers so far are kept under the former one. Give the same command again to run the present one as"
            f" a run of its own, or, for a server that alternates between versions, with -M versions={ANY}"
        )


def _name(value: Any) -> str:
    return value[:LONGEST] if isinstance(value, str) and is_text(value) else ""


def _said(origin: Origin) -> dict[str, str]:
    return {name: value for name, value in origin.to_dict().items() if name in ("model", "system_fingerprint")}


def _shown(origin: Origin) -> str:
    return ", ".join(f"{name} {value!r}" for name, value in _said(origin).items()) or "a model without a name"
