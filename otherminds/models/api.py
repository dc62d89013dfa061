"""Any OpenAI-compatible server: llama.cpp, vLLM, SGLang, Ollama, or one that somebody hosts.

One HTTP call after another for whoever calls; many threads may call at once, and together they back off when the
server is busy. What each kind of server can do is in `servers`, how it is reached in `wire`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from otherminds.errors import ModelError, UsageError
from otherminds.models import Finish, Prompt, Response, Weighing
from otherminds.models.replies import part, usage
from otherminds.models.servers import SERVERS, Server, find_server
from otherminds.models.wire import Rejected, Wire

_FINISHES: dict[str, Finish] = {"length": "length", "content_filter": "refused"}
_REFUSALS = ("content_filter", "content_policy_violation")


class Endpoint:
    """A model behind an OpenAI-compatible server.

    `server` says what the server is, if it does not say so itself; `prefill` whether it continues a last message of
    the assistant. `extra` goes into every request for text as it is. `top_logprobs` is how many next tokens are asked
    for where labels cannot be asked for by name.
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
        parallel: int = 16,
        retries: int = 5,
        timeout: float = 60,
        top_logprobs: int = 20,
        server: str | None = None,
        prefill: bool | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        if not base_url:
            raise UsageError(f"api:{model} needs base_url, the address of its server, like http://127.0.0.1:8080/v1")
        if server is not None and server not in SERVERS:
            raise UsageError(f"there is no kind of server {server!r}; there are {', '.join(SERVERS)}")
        if parallel < 1 or retries < 0 or timeout <= 0 or top_logprobs < 1:
            raise UsageError("parallel and top_logprobs should be at least 1, retries at least 0, timeout above 0")
        self.name = f"api:{model}"
        self.parallel = parallel
        key = (os.environ.get(key_env, "") if api_key is None else api_key).strip()
        # Else the complaint would come from deep below, with the key in it.
        if key and not (key.isascii() and key.isprintable()):
            raise UsageError(f"the key in {key_env} holds characters that cannot be sent; copy it again")
        self._wire = Wire(base_url, key=key, key_env=key_env, parallel=parallel, retries=retries, timeout=timeout)
        self._model, self._kind, self._prefill, self._top = model, server, prefill, top_logprobs
        self._settings = {"temperature": temperature, "seed": seed, **(extra or {})}

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
            **self._settings,
        }

    @cached_property
    def cannot(self) -> frozenset[str]:
        """Prefill, where the server would answer a begun message instead of going on with it."""
        able = self._server.can_prefill if self._prefill is None else self._prefill
        return frozenset() if able else frozenset({"prefill"})

    @cached_property
    def _server(self) -> Server:
        return find_server(self._wire, self._model, kind=self._kind, top=self._top)

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        return [self._ask(prompt) for prompt in prompts]

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order."""
        return [self._weigh(prompt) for prompt in prompts]

    def _ask(self, prompt: Prompt) -> Response:
        self._check(prompt)
        sent = _sent(prompt)
        try:
            path, body = self._server.request(prompt)
            data = self._wire.post(path, body | self._wishes(prompt, path))
        except Rejected as error:
            if error.code in _REFUSALS:
                return Response(finish="refused", rendered=sent)
            return Response(finish="error", rendered=sent, error=str(error))
        first = part(data, "choices", 0)
        message = first.get("message") or {}
        text = message.get("content") if prompt.messages and path == "/chat/completions" else first.get("text")
        finish = _FINISHES.get(str(first.get("finish_reason")), "stop")
        if refusal := message.get("refusal"):
            text, finish = refusal, "refused"
        return Response(text or "", finish, usage(data), sent)

    def _wishes(self, prompt: Prompt, path: str) -> dict[str, Any]:
        """The settings of this model and of this prompt, as far as they say something."""
        # OpenAI's newer models refuse the name that everybody else uses.
        hosted = path == "/chat/completions" and "openai.com" in self._wire.base
        wishes = {name: value for name, value in self._settings.items() if value is not None}
        wishes["max_completion_tokens" if hosted else "max_tokens"] = prompt.max_tokens
        if prompt.stop:
            wishes["stop"] = list(prompt.stop)
        return wishes | self._server.schema(prompt, path) if prompt.schema else wishes

    def _weigh(self, prompt: Prompt) -> Weighing:
        self._check(prompt)
        try:
            weighing = self._server.labels(prompt) if prompt.labels else self._server.continuations(prompt)
        except Rejected as error:
            return Weighing(rendered=_sent(prompt), error=str(error))
        return Weighing(weighing.logprobs, weighing.tokens, weighing.bounds, weighing.usage, _sent(prompt))

    def _check(self, prompt: Prompt) -> None:
        if prompt.render == "chat+prefill" and "prefill" in self.cannot:
            raise ModelError(
                f"{self.name} is on a server that is not known to continue a begun message; use a prompt without "
                "prefill, or prefill=True if you know that it does"
            )


def _sent(prompt: Prompt) -> str:
    """What we send, for people to read; the template of a chat is the server's own and not shown."""
    turns = [f"{turn.role}: {turn.content}" for turn in prompt.messages]
    if prompt.prefill:
        turns.append(f"assistant: {prompt.prefill}")
    return "\n\n".join(turns) or prompt.text
