"""Any OpenAI-compatible server: llama.cpp, vLLM, SGLang, Ollama, or one that somebody hosts.

One HTTP call after another for whoever calls; many threads may call at once, and together they back off when the
server is busy. What each kind of server can do is in `servers`, how it is reached in `wire`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NoReturn

from otherminds.errors import Unable, UsageError
from otherminds.models import Prompt, Response, Weighing
from otherminds.models.replies import usage, written
from otherminds.models.servers import SERVERS, Server, find_server
from otherminds.models.settings import number, whole
from otherminds.models.wire import Missing, Unanswered, Wire
from otherminds.models.wishes import Wishes

_REFUSALS = ("content_filter", "content_policy_violation")
_HINTS = {"temperature": "-M temperature=null", "logprobs": "-M top_logprobs=5"}
"""What to try when the server speaks of something."""


class Endpoint:
    """A model behind an OpenAI-compatible server.

    `max_tokens` lets texts be longer than a prompt asks for, as models that think before they answer need it. `server`
    says what the server is, if it does not say so itself; `prefill` whether it continues a last message of the
    assistant, `system` whether it takes a system turn. `extra` goes into every request as it is, before anything else;
    null in it leaves a field out. `top_logprobs` is how many next tokens are asked for where labels cannot be asked for
    by name.
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
        parallel: int = 16,
        retries: int = 5,
        timeout: float = 60,
        top_logprobs: int = 20,
        server: str | None = None,
        prefill: bool | None = None,
        system: bool = True,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        if not base_url:
            raise UsageError(
                f"api:{model} needs base_url (--base-url), the address of its server, like http://127.0.0.1:8080/v1"
            )
        if server is not None and server not in SERVERS:
            raise UsageError(f"there is no kind of server {server!r}; there are {', '.join(SERVERS)}")
        self.name = f"api:{model}"
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
        )
        self._model, self._kind, self._prefill, self._system = model, server, prefill, system
        self._top = whole("top_logprobs", top_logprobs, least=1)
        self._wishes = Wishes(temperature=temperature, seed=seed, top_p=top_p, max_tokens=max_tokens, extra=extra)

    def __repr__(self) -> str:
        return f"Endpoint({self._model!r}, base_url={self._wire.base!r})"

    @property
    def retried(self) -> int:
        """How many calls had to be made again so far."""
        return self._wire.retried

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """All that can change an answer, as far as a server tells; the key is not part of it."""
        return {
            "backend": "api",
            "base_url": self._wire.base,
            "model": self._model,
            "server": self._server.kind,
            "says": self._server.facts,
            "top_logprobs": self._top,
            **({"query": self._wire.query} if self._wire.query else {}),
            **({} if self._system else {"system": False}),
            **self._wishes.identity,
        }

    @property
    def settings(self) -> Mapping[str, Any]:
        """Of the identity, what is known before the server is asked."""
        return {"base_url": self._wire.base, **self._wishes.identity}

    @cached_property
    def cannot(self) -> frozenset[str]:
        """What the server has shown to lack; prefill too, if it would answer a begun message instead of going on."""
        return self._server.lacks() | (frozenset() if self._continues else {"prefill"})

    @cached_property
    def _server(self) -> Server:
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
            path, body = self._server.request(prompt)
            body |= self._wishes.text(prompt)
            if prompt.schema:
                body |= self._server.schema(prompt, path)
            data = self._server.post(path, body)
            text, finish = written(data)
        except Unanswered as error:
            if error.code in _REFUSALS:
                return Response(finish="refused", rendered=self._server.shown(prompt))
            return Response(finish="error", rendered=self._server.shown(prompt), error=self._words(error))
        except Missing as error:
            self._refuse(prompt, error)
        return Response(text, finish, usage(data), self._server.shown(prompt))

    def _weigh(self, prompt: Prompt) -> Weighing:
        self._check(prompt)
        try:
            weighing = self._server.labels(prompt) if prompt.labels else self._server.continuations(prompt)
        except Unanswered as error:
            return Weighing(rendered=self._server.shown(prompt), error=self._words(error))
        except Missing as error:
            self._refuse(prompt, error)
        return replace(weighing, rendered=self._server.shown(prompt))

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
