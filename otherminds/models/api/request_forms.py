"""The form of request that a server takes, found out before anything is asked, and part of who the model is.

A server is asked a few words in the usual form; where it says no, in the next. Only statuses and fields count, never
what an error says in words, and a no counts when it was said several times, to several greetings, by a server that
also said yes: one that does not answer has said nothing, and the search stops with a sentence. What goes into every
request beside the prompt (temperature, length, and whatever somebody adds) is in `Wishes`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from otherminds.errors import EndpointError, UsageError
from otherminds.files import read_words
from otherminds.models import Prompt
from otherminds.models.api.background import in_order
from otherminds.models.api.wire import Lacking, MissingPath, Refused, RejectedRequest, Unanswered, Wire
from otherminds.models.contract import ABILITIES
from otherminds.models.specs import settings, whole

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


HELLOS: tuple[str, ...] = tuple(read_words("prompts")["greetings"]["hellos"])
"""What is said to find out what a server takes: each once, until one is answered."""
LETTERS: tuple[str, ...] = tuple(read_words("prompts")["greetings"]["letters"])
"""Prompts with two likely ends, which show the scale of log-probabilities."""
OPENINGS: tuple[str, ...] = tuple(read_words("prompts")["greetings"]["openings"])
"""Prompts with many likely ends, for the same."""
GREETINGS = (*HELLOS, *LETTERS, *OPENINGS)
"""All that a server is told to find out about it: none of it belongs to a run."""
NOES = 10
"""How many of them must get a no before it counts."""
_FEWER = 5
"""Next tokens that servers report which do not report as many as others."""

Refusal = RejectedRequest | MissingPath | Lacking | Refused
Trial = Callable[[str], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Take:
    """What a path takes: the name of the greatest length, and how many next tokens can be asked for, if any."""

    length: str = LENGTH
    top: int = 20


@dataclass(frozen=True, slots=True)
class RequestForm:
    """How one server is asked: by path, and whether it takes a system turn and weighs tokens by their numbers."""

    raw: Take
    chat: Take
    system: bool = True
    exact: bool = True

    def at(self, path: str) -> Take:
        """What this path takes."""
        return self.chat if path.startswith("/chat") else self.raw

    def fitted(self, path: str, body: Body) -> Body:
        """A body in this form."""
        take = self.at(path)
        fitted = {take.length if name == LENGTH else name: value for name, value in body.items()}
        return fitted | ({"messages": self.turns(fitted["messages"])} if "messages" in fitted else {})

    def turns(self, turns: Sequence[Body]) -> Sequence[Body]:
        """The turns of a chat; a system turn that the server refuses stands at the head of what the user says."""
        if self.system or [turn["role"] for turn in turns[:2]] != ["system", "user"]:
            return turns
        system, user, *others = turns
        return [{"role": "user", "content": f"{system['content']}\n\n{user['content']}"}, *others]

    def to_dict(self) -> dict[str, Any]:
        """As JSON, for the identity of a model."""
        paths: Mapping[str, Take] = {"raw": self.raw, "chat": self.chat}
        told = {name: [take.length, take.top] for name, take in paths.items()}
        return {**told, "system": self.system, "exact": self.exact}


async def refusal(trial: Trial, wire: Wire) -> Refusal | None:
    """Why a server does not do this, said to every greeting; None as soon as it does."""

    async def say(greeting: str) -> Refusal | Unanswered | None:
        try:
            await trial(greeting)
        except (MissingPath, Refused, Unanswered) as error:
            return error
        return None

    waited, blamed = 0.0, False
    for often in count():
        noes: list[Refusal] = []
        silence: Unanswered | None = None
        left = [*HELLOS]
        while left:
            # Most say yes to the first; after a no, those that it takes to believe it are said together.
            several = NOES - len(noes) if noes else 1
            together, left = left[:several], left[several:]
            for said in await in_order(say, together):
                if said is None:
                    return None
                if isinstance(said, Refusal):
                    noes.append(said)
                    # It may name the field that it does not take, so that nothing has to be guessed.
                    if len(noes) == NOES or (isinstance(said, RejectedRequest) and said.fields):
                        return said
                else:
                    silence = said
        assert silence is not None, "whoever was not answered, and not said no to, got nothing"
        try:
            waited, blamed = await wire.outlast(silence, often, waited), False
        except Unanswered:
            # It may have got well just then, so that all greetings have one more try.
            if not blamed:
                blamed = True
                continue
            raise EndpointError(
                f"{silence}, so that nobody knows what this server can do; try again, or say what it lacks, as in"
                f" -M lacks=raw,continuations (of {', '.join(ABILITIES)}), and nothing is tried"
            ) from None
    raise AssertionError("the loop returns or raises")


async def find_take(trial: Callable[[Take], Trial], usual: Take, wire: Wire) -> tuple[Take | None, Refusal | None]:
    """The form that a path takes, beginning with the usual one, or none; and why nothing can be weighed there.

    `trial` asks for one token in a given form.
    """
    first: Refusal | None = None
    for length in (LENGTH, LENGTH_TOO):
        for top in dict.fromkeys((usual.top, min(usual.top, _FEWER), 0)):
            said = await refusal(trial(Take(length, top)), wire)
            if said is None:
                return Take(length, top), None if top else first
            first = first or said
            if isinstance(said, MissingPath | Refused):
                return None, said
            if isinstance(said, Lacking):
                return Take(length, 0), said
            if said.fields & {LENGTH, LENGTH_TOO}:
                break
    return None, first
