"""Any OpenAI-compatible server: llama.cpp, vLLM, SGLang, Ollama, or one that somebody hosts.

Calls are under way at the same time, in an event loop of their own, and together they back off when the server is
busy. What each kind of server can do is in `servers`, how it is reached in `wire`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, NoReturn

from otherminds.errors import Unable, UsageError
from otherminds.models import ModelDefaults, Prompt, Response, Verb, Weighing
from otherminds.models.api.background import in_order, start, wait_for
from otherminds.models.api.known_servers import SERVERS, find_server
from otherminds.models.api.provenance import ANY
from otherminds.models.api.request_forms import Wishes
from otherminds.models.api.scale_checks import WRONG, ScaleCheck
from otherminds.models.api.servers import R, Server
from otherminds.models.api.wire import FILTERED, Lacking, MissingPath, RejectedRequest, Unanswered, Wire
from otherminds.models.contract import ABILITIES
from otherminds.models.forks import Lock
from otherminds.models.specs import number, whole

_KNOWN = ("identity", "_cannot", "found_lacking")
_HINTS = {"temperature": "-M temperature=null", "logprobs": "-M top_logprobs=5"}
"""What to try when the server speaks of something."""


class Served(ModelDefaults):
    """What a model behind one server and one behind several have in common; the two verbs are there by prompt."""

    batch = ask_batch = 1
    is_served = True
    _cannot: Any
    """What its servers have shown to lack; prefill too, if they would answer a begun message instead of going on."""

    @property
    def cannot(self) -> frozenset[str]:
        """What its servers have shown to lack, or somebody found out."""
        return frozenset(self._cannot | self.found_lacking)

    async def ask_one(self, prompt: Prompt) -> Response:
        """A text for a prompt, in the event loop."""
        raise NotImplementedError

    async def weigh_one(self, prompt: Prompt) -> Weighing:
        """The log-probabilities of a prompt's choices, in the event loop."""
        raise NotImplementedError

    def ask(self, prompts: Sequence[Prompt]) -> list[Response]:
        """A text for every prompt, in order."""
        return wait_for(in_order(self.ask_one, prompts))

    def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
        """The log-probabilities of every prompt's choices, in order."""
        return wait_for(in_order(self.weigh_one, prompts))

    def submit(self, verb: Verb, prompts: Sequence[Prompt]) -> Future[list[Any]]:
        """Begin to ask, or to weigh, some prompts."""
        return start(in_order(self.ask_one if verb == "ask" else self.weigh_one, prompts))


class Endpoint(Served):
    """A model behind an OpenAI-compatible server.

    `max_tokens` lets texts be longer than a prompt asks for; `thinking` is room for what a model thinks before it
    answers, beside that for the answer. `server` says what the server is, if it does not say so itself; `prefill`
    whether it continues a last message of the assistant, `system` whether it takes a system turn, `lacks` what it
    cannot do, so that nothing is tried out. `versions="any"` lets several versions of the model answer, which are
    counted; else another version ends the work. `provider` is what its name begins with. `timeout` is for one call
    and `patience` for an outage of the server, both in seconds. `extra` goes into every request as it is, before
    anything else; null in it leaves a field out. `top_logprobs` is how many next tokens are asked for, at most, where
    labels cannot be asked for by name.
    """

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
        versions: str | None = None,
        extra: Mapping[str, Any] | None = None,
        provider: str = "api",
    ) -> None:
        # A key from the environment is none of these: wherever this is unpickled, it is read there again.
        self._given = {name: value for name, value in locals().items() if name != "self"}
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
        self.wire = Wire(
            base_url,
            key=key,
            key_env=key_env,
            parallel=self.parallel,
            retries=whole("retries", retries, least=0),
            timeout=number("timeout", timeout, least=0.001),
            patience=number("patience", patience, least=0),
        )
        self._lacks = _abilities(lacks)
        self._scales: dict[str, str] = {}
        self.in_run = False
        """Whether numbers count, so that their scale is checked before the first."""
        if versions not in (None, ANY):
            raise UsageError(f'versions should be "{ANY}", or not be given, not {versions!r}')
        self._alternating = versions == ANY
        self._server: Server | None = None
        self._finding, self._settling, self._scaling = (Lock(asyncio.Lock) for _ in range(3))
        self._model, self._kind, self._prefill, self._system = model, server, prefill, system
        self._top = whole("top_logprobs", top_logprobs, least=1)
        self._wishes = Wishes(
            temperature=temperature, seed=seed, top_p=top_p, max_tokens=max_tokens, thinking=thinking, extra=extra
        )

    def __repr__(self) -> str:
        return f"Endpoint({self._model!r}, base_url={self.wire.base!r})"

    def __reduce__(self) -> Any:
        known = {name: self.__dict__[name] for name in _KNOWN if name in self.__dict__}
        if self._server:
            known["_server"] = server = copy(self._server)
            server.wire = None  # type: ignore[assignment]
        return _endpoint_of, (type(self), self._given | {"patience": self.wire.patience}, known)

    @property
    def retried(self) -> int:
        """How many calls had to be made again so far."""
        return self.wire.retried

    @property
    def waited(self) -> float:
        """The seconds that calls waited before they were made again, all together."""
        return self.wire.waited

    @cached_property
    def identity(self) -> Mapping[str, Any]:
        """All that can change an answer, as far as a server tells; the key is not part of it."""
        return wait_for(self.identify())

    async def identify(self) -> Mapping[str, Any]:
        """The same, in the event loop."""
        server = await self._settle()
        said, served = await server.facts(), await server.served()
        own = {"says": said, "form": server.form.to_dict(), **({"served": served} if served else {})}
        return {**self.settings, "server": server.kind, **own}

    @property
    def settings(self) -> Mapping[str, Any]:
        """Of the identity, what is known before the server is asked."""
        return {
            "backend": "api",
            "base_url": self.wire.base,
            "model": self._model,
            **({"query": self.wire.query} if self.wire.query else {}),
            **({"versions": ANY} if self._alternating else {}),
            **self._wishes.identity,
        }

    @property
    def scales(self) -> Mapping[str, str]:
        """By kind of prompt, how the scale of its log-probabilities was checked; no part of the identity."""
        return self._scales

    @cached_property
    def _cannot(self) -> frozenset[str]:
        return wait_for(self.shown_to_lack())

    async def shown_to_lack(self) -> frozenset[str]:
        """What it cannot, in the event loop, and without what others found out."""
        server = await self._find()
        lacks = (await self._settle()).lacks if self._lacks is None and server.kind == Server.kind else self._lacks
        return (lacks or frozenset()) | (frozenset() if self._continues(server) else {"prefill"})

    async def _settle(self) -> Server:
        """The server, once it is known in which form it is asked."""
        server = await self._find()
        async with self._settling:
            if self._lacks is None and not (server := self._server or server).settled:
                doubtful = self.wire.doubtful
                await server.settle()
                # A server that is about to start may not have its list of models yet.
                if doubtful and (again := await self._look()).listed:
                    self._server = server = again
                    await again.settle()
        return server

    async def _find(self) -> Server:
        if self._server is None:
            async with self._finding:
                self._server = self._server or await self._look()
        return self._server

    async def _look(self) -> Server:
        server = await find_server(
            self.wire, self._model, kind=self._kind, top=self._top, wishes=self._wishes, system=self._system
        )
        server.provenance.alternating = self._alternating
        return server

    def confirm(self) -> None:
        """Have the server say once more what it serves; another model is an error."""
        wait_for(wait_for(self._find()).confirm())

    @property
    def servers(self) -> Sequence[Endpoint]:
        """All that answer for this model."""
        return (self,)

    async def ask_one(self, prompt: Prompt) -> Response:
        """A text for a prompt, in the event loop."""
        server = await self._ready(prompt)
        try:
            response = await self._in_form(lambda server: server.ask(prompt))
        except Unanswered as error:
            if error.code in FILTERED:
                return Response(finish="refused", rendered=server.shown(prompt))
            return Response(finish="error", rendered=server.shown(prompt), error=self._words(error))
        except MissingPath as error:
            await self._refuse(prompt, error)
        return replace(response, rendered=server.shown(prompt))

    async def weigh_one(self, prompt: Prompt) -> Weighing:
        """The log-probabilities of a prompt's choices, in the event loop."""
        server = await self._ready(prompt)
        await self._check_scale(server, prompt)
        try:
            weighing = await self._in_form(
                lambda server: (server.labels if prompt.labels else server.continuations)(prompt)
            )
        except Unanswered as error:
            if isinstance(error, Lacking) and ("weigh" if prompt.labels else "continuations") in await self._lacking():
                raise Unable(str(error)) from None
            return Weighing(rendered=server.shown(prompt), error=self._words(error))
        except MissingPath as error:
            await self._refuse(prompt, error)
        return replace(weighing, rendered=server.shown(prompt))

    async def _check_scale(self, server: Server, prompt: Prompt) -> None:
        """See once, before the first prompt of a run is weighed, whether the server's log-probabilities can be such."""
        kind = prompt.render.partition("+")[0] if prompt.labels else "continuations"
        async with self._scaling:
            if self.in_run and kind not in self._scales:
                self._scales[kind] = await ScaleCheck(server, prompt).note()
        if (found := self._scales.get(kind, "")).startswith(WRONG):
            raise Unable(found)

    async def _in_form(self, ask: Callable[[Server], Coroutine[Any, Any, R]]) -> R:
        """What comes back in the usual form, or, where that is rejected, in the one that the server takes.

        Who asks for the identity first, as every run does, has settled the form, and no call changes it any more.
        """
        server = await self._find()
        try:
            return await server.answer(ask)
        except (RejectedRequest, Lacking, MissingPath):
            usual = server.form
            if server.settled or (settled := await self._settle()).form == usual:
                raise
            return await settled.answer(ask)

    async def _lacking(self) -> frozenset[str]:
        return await self.shown_to_lack() | self.found_lacking

    def _words(self, error: Unanswered) -> str:
        """Why a prompt has no answer, and what to try."""
        said = self.wire.clean(str(error))
        tries = [hint for word, hint in _HINTS.items() if word in said]
        return f"{said}; try {tries[0]}" if tries else said

    async def _refuse(self, prompt: Prompt, error: MissingPath) -> NoReturn:
        """Where one way of asking is missing and the other is there, it is no fault of the address."""
        way, instead = ("chat", "raw") if prompt.messages else ("raw", "direct")
        lacking = await self._lacking()
        if way not in lacking:
            raise error
        said = f"{self.name} takes no {way} prompts on its server; use prompt {instead!r}"
        raise Unable(f"{said} and score 'text'" if "weigh" in lacking else said) from None

    def _continues(self, server: Server) -> bool:
        return server.can_prefill if self._prefill is None else self._prefill

    async def _ready(self, prompt: Prompt) -> Server:
        server = await self._find()
        if prompt.render == "chat+prefill" and not self._continues(server):
            raise Unable(
                f"{self.name} is on a server that is not known to continue a begun message; use a prompt without "
                "prefill, or prefill=True if you know that it does"
            )
        return server


def _endpoint_of(kind: type[Endpoint], given: Mapping[str, Any], known: Mapping[str, Any]) -> Endpoint:
    """The same endpoint in another process, and what is known of its server."""
    made = kind(**given)
    made.__dict__.update(known)
    if made._server:
        made._server.wire = made.wire
    return made


def _abilities(given: str | Sequence[str] | None) -> frozenset[str] | None:
    """What somebody says that a server lacks; none where nobody says anything."""
    if given is None:
        return None
    named = given.replace(",", " ").split() if isinstance(given, str) else list(given)
    if unknown := sorted(set(map(str, named)) - {*ABILITIES}):
        raise UsageError(f"lacks knows {', '.join(ABILITIES)}, not {unknown[0]!r}")
    return frozenset(named)
