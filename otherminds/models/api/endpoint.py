"""Any OpenAI-compatible server: llama.cpp, vLLM, SGLang, Ollama, or one that somebody hosts.

One HTTP call after another for whoever calls; many threads may call at once, and together they back off when the
server is busy. What each kind of server can do is in `servers`, how it is reached in `wire`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NoReturn, TypeVar

from otherminds.errors import Unable, UsageError
from otherminds.models import Prompt, Response, Weighing
from otherminds.models.api.known_servers import SERVERS, find_server
from otherminds.models.api.request_forms import ABILITIES
from otherminds.models.api.request_settings import Wishes
from otherminds.models.api.servers import Server
from otherminds.models.api.wire import FILTERED, Lacking, Missing, Rejected, Unanswered, Wire
from otherminds.models.settings import number, whole

T = TypeVar("T")
_HINTS = {"temperature": "-M temperature=null", "logprobs": "-M top_logprobs=5"}
"""What to try when the server speaks of something."""


class Endpoint:
    """A model behind an OpenAI-compatible server.

    `max_tokens` lets texts be longer than a prompt asks for; `thinking` is room for what a model thinks before it
    answers, beside that for the answer. `server` says what the server is, if it does not say so itself; `prefill`
    whether it continues a last message of the assistant, `system` whether it takes a system turn, `lacks` what it
    cannot do, so that nothing is tried out. `provider` is what its name begins with. `timeout` is for one call and
    `patience` for an outage of the server, both in seconds. `extra` goes into every request as it is, before anything
    else; null in it leaves a field out. `top_logprobs` is how many next tokens are asked for, at most, where labels
    cannot be asked for by name.
    """

    batch = ask_batch = 1

    def __init__(
        self,
        model: str,
        *,
        base_url: str = "",
        api_key: str | None = None,
        key_env: str = "OPENAI_API_KEY",
        temperature: float | None = 0.0,
        seed: int | None = None,
        top_p: float | None = None,
        max_tokens: int | None = None,
        thinking: int | None = None,
        parallel: int = 16,
        retries: int = 5,
        timeout: float = 60,
        patience: float = 900,
        top_logprobs: int = 20,
        server: str | None = None,
        prefill: bool | None = None,
        system: bool = True,
        lacks: str | Sequence[str] | None = None,
        extra: Mapping[str, Any] | None = None,
        provider: str = "api",
    ) -> None:
        if not base_url:
            raise UsageError(
                f"{provider}:{model} needs base_url (--base-url), the address of its server, like http://127.0.0.1:8080/v1"
            )
        if server is not None and server not in SERVERS:
            raise UsageError(f"there is no kind of server {server!r}; there are {', '.join(SERVERS)}")
        self.name = f"{provider}:{model}"
        self.parallel = whole("parallel", parallel, least=1)
        key = (os.environ.get(key_env, "") if api_key is None else api_key).strip()
        # Else the complaint would come from deep below, with the key in it.
        if key and not (key.isascii() and key.isprintable()):
            raise UsageError(f"the key in {key_env} holds characters that cannot be sent; copy it again")
        self._wire = Wire(
            base_url,
            key=key,
            key_env=key_env,
            parallel=self.parallel,
            retries=whole("retries", retries, least=0),
            timeout=number("timeout", timeout, least=0.001),
            patience=number("patience", patience, least=0),
        )
        self.found_lacking: frozenset[str] = frozenset()
        """What whoever tried it out found missing besides."""
        self._lacks = _abilities(lacks)
        self._model, self._kind, self._prefill, self._system = model, server, prefill, system
        self._top = whole("top_logprobs", top_logprobs, least=1)
        self._wishes = Wishes(
            temperature=temperature, seed=seed, top_p=top_p, max_tokens=max_tokens, thinking=thinking, extra=extra
        )

    def __repr__(self) -> str:
        return f"Endpoint({self._model!r}, base_url={self._wire.base!r})"

    @property
    def retried(self) -> int:
        """How many calls had to be made again so far."""
        return self._wire.retried

    @property
    def waited(self) -> float:
        """The seconds that calls waited before they were made again, all together."""
        return self._wire.waited

    @property
    def patience(self) -> float:
        """The seconds that an outage of the server may last."""
        return self._wire.patience

    @patience.setter
    def patience(self, seconds: float) -> None:
        self._wire.patience = seconds

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """All that can change an answer, as far as a server tells; the key is not part of it."""
        server = self._settled
        return {**self.settings, "server": server.kind, "says": server.facts, "form": server.form.to_dict()}

    @property
    def settings(self) -> Mapping[str, Any]:
        """Of the identity, what is known before the server is asked."""
        return {
            "backend": "api",
            "base_url": self._wire.base,
            "model": self._model,
            **({"query": self._wire.query} if self._wire.query else {}),
            **self._wishes.identity,
        }

    @property
    def cannot(self) -> frozenset[str]:
        """What the server has shown to lack; prefill too, if it would answer a begun message instead of going on."""
        return self._cannot | self.found_lacking

    @cached_property
    def _cannot(self) -> frozenset[str]:
        lacks = self._settled.lacks if self._lacks is None and self._server.kind == Server.kind else self._lacks
        return (lacks or frozenset()) | (frozenset() if self._continues else {"prefill"})

    @property
    def _settled(self) -> Server:
        """The server, once it is known in which form it is asked."""
        if self._lacks is None and not self._server.settled:
            doubtful = self._wire.doubtful
            self._server.settle()
            # A server that is about to start may not have its list of models yet.
            if doubtful and (again := self._find()).listed:
                self._server = again
                again.settle()
        return self._server

    @cached_property
    def _server(self) -> Server:
        return self._find()

    def _find(self) -> Server:
        return find_server(
            self._wire, self._model, kind=self._kind, top=self._top, wishes=self._wishes, system=self._system
        )

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        return [self._ask(prompt) for prompt in prompts]

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order."""
        return [self._weigh(prompt) for prompt in prompts]

    def _ask(self, prompt: Prompt) -> Response:
        self._check(prompt)
        try:
            response = self._in_form(lambda: self._server.ask(prompt))
        except Unanswered as error:
            if error.code in FILTERED:
                return Response(finish="refused", rendered=self._server.shown(prompt))
            return Response(finish="error", rendered=self._server.shown(prompt), error=self._words(error))
        except Missing as error:
            self._refuse(prompt, error)
        return replace(response, rendered=self._server.shown(prompt))

    def _weigh(self, prompt: Prompt) -> Weighing:
        self._check(prompt)
        server = self._server
        try:
            weighing = self._in_form(lambda: (server.labels if prompt.labels else server.continuations)(prompt))
        except Unanswered as error:
            if isinstance(error, Lacking) and ("weigh" if prompt.labels else "continuations") in self.cannot:
                raise Unable(str(error)) from None
            return Weighing(rendered=server.shown(prompt), error=self._words(error))
        except Missing as error:
            self._refuse(prompt, error)
        return replace(weighing, rendered=server.shown(prompt))

    def _in_form(self, ask: Callable[[], T]) -> T:
        """What comes back in the usual form, or, where that is rejected, in the one that the server takes.

        Who asks for the identity first, as every run does, has settled the form, and no call changes it any more.
        """
        try:
            return ask()
        except (Rejected, Lacking, Missing):
            usual = self._server.form
            if self._server.settled or self._settled.form == usual:
                raise
            return ask()

    def _words(self, error: Unanswered) -> str:
        """Why a prompt has no answer, and what to try."""
        said = self._wire.clean(str(error))
        tries = [hint for word, hint in _HINTS.items() if word in said]
        return f"{said}; try {tries[0]}" if tries else said

    def _refuse(self, prompt: Prompt, error: Missing) -> NoReturn:
        """Where one way of asking is missing and the other is there, it is no fault of the address."""
        way, instead = ("chat", "raw") if prompt.messages else ("raw", "direct")
        if way not in self.cannot:
            raise error
        said = f"{self.name} takes no {way} prompts on its server; use prompt {instead!r}"
        raise Unable(f"{said} and score 'text'" if "weigh" in self.cannot else said) from None

    @cached_property
    def _continues(self) -> bool:
        return self._server.can_prefill if self._prefill is None else self._prefill

    def _check(self, prompt: Prompt) -> None:
        if prompt.render == "chat+prefill" and not self._continues:
            raise Unable(
                f"{self.name} is on a server that is not known to continue a begun message; use a prompt without "
                "prefill, or prefill=True if you know that it does"
            )


def _abilities(given: str | Sequence[str] | None) -> frozenset[str] | None:
    """What somebody says that a server lacks; none where nobody says anything."""
    if given is None:
        return None
    named = given.replace(",", " ").split() if isinstance(given, str) else list(given)
    if unknown := sorted(set(map(str, named)) - {*ABILITIES}):
        raise UsageError(f"lacks knows {', '.join(ABILITIES)}, not {unknown[0]!r}")
    return frozenset(named)
