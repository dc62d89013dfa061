"""What logs of other programs share: a model that says what it said before, and the items that it was asked."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from otherminds.errors import ModelError, OthermindsError
from otherminds.items import Suite
from otherminds.models import Abilities, Prompt, Response, Weighing

Key = tuple[str, tuple[tuple[str, str], ...]]
NOT_THERE = "the log has no answer to this prompt"


def key(prompt: Prompt) -> Key:
    """What a prompt says, whatever it asks back."""
    return prompt.text, tuple((turn.role, turn.content) for turn in prompt.messages)


class Replayed(Abilities):
    """Answers by prompt, out of a log; what is not in it is an error, which is asked again by nobody."""

    batch = ask_batch = 256
    parallel = 1
    cannot: frozenset[str] = frozenset({"schema"})

    def __init__(self, name: str, source: Mapping[str, Any], answers: Mapping[Key, Response | Weighing]) -> None:
        self.name = name
        self.identity: Mapping[str, Any] = {"backend": "replay", "model": name, **source}
        self._answers = answers

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """The texts that were logged."""
        found = [self._answers.get(key(prompt), Response(error=NOT_THERE)) for prompt in prompts]
        return [self._of(Response, result) for result in found]

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities that were logged."""
        found = [self._answers.get(key(prompt), Weighing(error=NOT_THERE)) for prompt in prompts]
        return [self._of(Weighing, result) for result in found]

    def _of(self, kind: type[Any], result: Any) -> Any:
        if not isinstance(result, kind):
            raise ModelError(f"the log of {self.name} has another kind of answer than the suite is scored by")
        return result


def digest(path: Path) -> str:
    """By which two logs are told apart."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def exported(name: str) -> Suite | None:
    """The suite of ours that is called so where only letters, digits and _ will do."""
    from otherminds.results.exports import name_of
    from otherminds.studies.suites import suites

    found = (make() for known, make in suites().items() if re.sub(r"[^a-z0-9]+", "_", known.lower()) == name)
    try:
        return next((suite for suite in found if name_of(suite) == f"otherminds_{name}"), None)
    except OthermindsError:
        return None


def unshuffled(id: str, shown: Sequence[str]) -> tuple[str, ...]:
    """The choices of an item of that id which are shown in this order."""
    # The order was drawn by the id: the same draw of places tells where each choice stood before.
    places = random.Random(f"0:{id}").sample(range(len(shown)), len(shown))
    return tuple(choice for _, choice in sorted(zip(places, shown, strict=True)))
