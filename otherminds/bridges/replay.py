"""A model that says what it said before: logs of other programs become runs by the same way as everything else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from otherminds.errors import ModelError
from otherminds.models import Prompt, Response, Weighing

Key = tuple[str, tuple[tuple[str, str], ...]]
NOT_THERE = "the log has no answer to this prompt"


def key(prompt: Prompt) -> Key:
    """What a prompt says, whatever it asks back."""
    return prompt.text, tuple((turn.role, turn.content) for turn in prompt.messages)


class Replayed:
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
