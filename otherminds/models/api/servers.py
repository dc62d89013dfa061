"""Any OpenAI-compatible server: chat, raw completions, the log-probabilities of the likeliest next tokens.

What some can do beyond this common ground is in `known_servers`.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Any, Self, TypeVar

from otherminds.errors import EndpointError, ModelError
from otherminds.models import Message, Origin, Prompt, Response, Usage, Weighing
from otherminds.models.api.provenance import Provenance
from otherminds.models.api.replies import (
    LOST,
    counted,
    echo_tokens,
    echoed,
    reported,
    thought,
    usage,
    written,
)
from otherminds.models.api.request_forms import (
    GREETINGS,
    HELLOS,
    Body,
    RequestForm,
    Take,
    Trial,
    Wishes,
    find_take,
    refusal,
)
from otherminds.models.api.wire import MissingPath, Refused, Unanswered, Unsound, Wire

T = TypeVar("T")
R = TypeVar("R", Response, Weighing)
TRIES = 5
"""How often an answer of several replies is asked for until all come from one version."""


class Server:
    """Any OpenAI-compatible server."""

    kind = "other"
    can_prefill = False
    facts_at = ""
    """Where, outside the API proper, the server speaks of itself."""
    trying = False
    """A first no is taken for an answer."""
    sound = True
    """Numbers that cannot be are refused; what a server can do does not hang on them."""

    def __init__(
        self, wire: Wire, model: str, entry: Mapping[str, Any], *, top: int, wishes: Wishes, system: bool
    ) -> None:
        self.wire, self.model, self.wishes = wire, model, wishes
        self.form = RequestForm(Take(top=top), Take(top=top), system=system)
        self.lacks: frozenset[str] = frozenset()
        self.settled = False
        self.listed = _listed(entry)
        self.provenance = Provenance(wire.base, model)
        self._origins: list[Origin] = []
        self._usual: dict[str, int] = {}

    # ── what it is, and what it can do ──

    async def facts(self) -> Mapping[str, Any]:
        """What the server says of its model; nothing that changes by itself."""
        facts = {**self.listed, **await self._about()}
        self.provenance.facts = self.provenance.facts or facts
        return facts

    async def _about(self) -> Mapping[str, Any]:
        about = await self.wire.get(self.facts_at, root=True) if self.facts_at else None
        return self.about(about if isinstance(about, dict) else {})

    async def confirm(self) -> None:
        """Read once more what the server says of its model; anything else than before is an error."""
        interruptions = self.wire.interruptions
        if self.provenance.facts:
            listed = _listed(await look_up(self.wire, self.model)) if self.listed else {}
            self.provenance.compare({**listed, **await self._about()})
        self.provenance.interruptions = interruptions

    async def served(self) -> Mapping[str, Any]:
        """What its replies say of the model; where nothing was asked so far, a greeting decides."""
        if not self.provenance.known and not self.provenance.alternating:
            server = self.on_trial(self.form)
            for as_prompt in (as_turn, as_text):
                with suppress(Unanswered, MissingPath, Refused):
                    await server.bare_token(as_prompt(GREETINGS[0]))
                    break
        return self.provenance.served

    def about(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """The part of what the server says of itself that can change an answer."""
        return {"version": said["version"]} if "version" in said else {}

    async def settle(self) -> None:
        """Find out which form of request the server takes, and what it lacks, with one token at a time."""
        form, self.lacks = await self.find_form()
        if self.wire.doubtful:
            self.wire.doubtful = False
            form, self.lacks = await self.find_form()
        self.form, self.settled = form, True

    async def find_form(self) -> tuple[RequestForm, frozenset[str]]:
        """The form, and what one token, asked for in chat, raw and as a continuation, shows to be missing."""

        def in_chat(take: Take) -> Trial:
            return lambda words: self.on_trial(replace(self.form, chat=take)).token(as_turn(words))

        def raw_text(take: Take) -> Trial:
            return lambda words: self.on_trial(replace(self.form, raw=take)).token(as_text(words))

        chat, mute = await find_take(in_chat, self.form.chat, self.wire)
        raw, dumb = await find_take(raw_text, self.form.raw, self.wire)
        no_chat = isinstance(mute, MissingPath | Refused)
        if raw is None and no_chat and mute:
            raise mute
        form = replace(self.form, raw=raw or self.form.raw, chat=chat or self.form.chat)
        server = self.on_trial(form)
        for take, as_prompt in ((raw, as_text), (chat, as_turn)):
            if take and take.top:
                await server.count_tokens(as_prompt)
        lacking = {
            # Beside a chat that can be weighed, a raw prompt that cannot is of no use.
            "raw": raw is None or (dumb and not mute),
            "chat": no_chat,
            "prefill": no_chat,
            "weigh": dumb and mute,
            "continuations": dumb
            or await self.refuses(lambda words: server.echo(words, partial(echo_tokens, whole=words))),
        }
        system = form.system and not (
            chat and await self.refuses(lambda words: server.bare_token(as_turn(words, system=True)))
        )
        return replace(form, system=system), frozenset(ability for ability, lacks in lacking.items() if lacks)

    async def refuses(self, trial: Trial) -> bool:
        """Whether the server says no to this, whatever the words."""
        return await refusal(trial, self.wire) is not None

    def on_trial(self, form: RequestForm) -> Self:
        """This server in another form, for a trial."""
        server = copy(self)
        server.form, server.trying, server.sound = form, True, False
        return server

    async def token(self, prompt: Prompt) -> object:
        """One token after a prompt, weighed where the form says that it can be."""
        path, _ = await self.request(prompt)
        return await self.labels(prompt) if self.form.at(path).top else await self.bare_token(prompt)

    async def bare_token(self, prompt: Prompt) -> object:
        """One token after a prompt, and nothing about it."""
        path, body = await self.request(prompt)
        return await self.post(path, self.wishes.weighing() | body, written)

    async def count_tokens(self, as_prompt: Callable[[str], Prompt]) -> None:
        """Find out how many next tokens are usual, where the last reply had fewer than were asked for."""
        path, _ = await self.request(as_prompt(""))
        for words in HELLOS[1:]:
            if self._usual.get(path, 0) >= self.form.at(path).top - LOST:
                return
            with suppress(EndpointError):
                await self.next_token(as_prompt(words))

    # ── how it is asked ──

    async def post(self, path: str, body: Body, read: Callable[[Any], T], *, root: bool = False) -> T:
        """What `read` makes of the answer to a body, which goes in the form that this server takes.

        Every reply tells who answered; after an interruption, the server says so first.
        """

        def checked(data: Any) -> T:
            value = read(data)
            if origin := self.provenance.read(path, data, trying=self.trying):
                self._origins.append(origin)
            return value

        value = await self.wire.post(path, self.form.fitted(path, body), checked, root=root, trying=self.trying)
        if self.provenance.interruptions != self.wire.interruptions:
            async with self.provenance.reading:
                if self.provenance.interruptions != self.wire.interruptions:
                    await self.confirm()
        return value

    async def answer(self, ask: Callable[[Self], Awaitable[R]]) -> R:
        """An answer with its origin; all replies that it is made of come from one version."""
        for _ in range(TRIES):
            server = copy(self)
            server._origins = []
            answer = await ask(server)
            if len(set(server._origins)) < 2:
                return replace(answer, origin=server._origins[-1] if server._origins else None)
        raise Unanswered(f"the replies to one prompt came from two versions of {self.model}, {TRIES} times")

    async def ask(self, prompt: Prompt) -> Response:
        """A text for a prompt."""
        path, body = await self.request(prompt)
        body |= self.wishes.text(prompt)
        if prompt.schema:
            body |= self.schema(prompt, path)

        def read(data: Any) -> Response:
            text, finish = written(data)
            return Response(text, finish, usage(data), thought=thought(data))

        return await self.post(path, body, read)

    def shown(self, prompt: Prompt) -> str:
        """What we send, for people to read; the template of a chat is the server's own and not shown."""
        turns = self.form.turns(_turns(prompt))
        return "\n\n".join(f"{turn['role']}: {turn['content']}" for turn in turns) or prompt.text

    async def request(self, prompt: Prompt) -> tuple[str, Body]:
        """The path and the beginning of the body for one prompt."""
        if not prompt.messages:
            return "/completions", {"model": self.model, "prompt": prompt.text}
        more = self.continuing() if prompt.prefill else {}
        return "/chat/completions", {"model": self.model, "messages": _turns(prompt), **more}

    def continuing(self) -> Body:
        """What makes the server go on with the last message instead of answering it."""
        return {}

    def schema(self, prompt: Prompt, path: str) -> Body:
        """What makes the server keep to the prompt's schema."""
        if path == "/completions":
            raise ModelError("this server keeps to a JSON schema in chat only; use a chat prompt")
        shape = {"name": "answer", "strict": True, "schema": json.loads(prompt.schema)}
        return {"response_format": {"type": "json_schema", "json_schema": shape}}

    async def labels(self, prompt: Prompt) -> Weighing:
        """Labels, from the likeliest next tokens; what is not among them is bounded."""
        found, spent = await self.next_token(prompt)
        return counted(prompt, found, spent)

    async def listing(self, prompt: Prompt) -> tuple[str, Body]:
        """The path and the body that ask for the likeliest next tokens."""
        path, body = await self.request(prompt)
        top = self.form.at(path).top
        asks = {"logprobs": top} if path == "/completions" else {"logprobs": True, "top_logprobs": top}
        return path, self.wishes.weighing() | body | asks

    async def next_token(
        self, prompt: Prompt, *, among: Sequence[int] = (), **more: Any
    ) -> tuple[dict[str, float], Usage]:
        """The likeliest next tokens after a prompt with their log-probabilities; `among` them must be these."""
        path, body = await self.listing(prompt)
        top = self.form.at(path).top

        def read(data: Any) -> tuple[dict[str, float], Usage]:
            usual = 0 if among else self._usual.get(path, 0)
            found = reported(data, asked=top + len(among), usual=usual, sound=self.sound)
            if missing := [number for number in among if f"token_id:{number}" not in found]:
                raise Unsound(
                    f"the server does not report the token {missing[0]}, for which it was asked", lacking=True
                )
            return found, usage(data)

        found, spent = await self.post(path, body | more, read)
        if self.trying and not among:
            self._usual[path] = max(self._usual.get(path, 0), len(found))
        return found, spent

    async def continuations(self, prompt: Prompt) -> Weighing:
        """Continuations, from the log-probabilities of a prompt that holds them (`echo`)."""
        if prompt.messages:
            raise ModelError(f"{self.model} on this server weighs continuations of raw prompts only; use labels")
        sums, tokens, spent = {}, {}, Usage()
        for choice in prompt.choices:
            steps, cost = await self.echo(prompt.text + choice, _echo(prompt.text, choice))
            sums[choice] = sum(value for _, value in steps)
            tokens[choice] = tuple(token for token, _ in steps)
            spent += cost
        return Weighing(logprobs=sums, tokens=tokens, usage=spent)

    async def echo(self, text: str, read: Callable[[Any], T]) -> T:
        """What `read` makes of a text that comes back with the log-probabilities of its tokens."""
        body = {"model": self.model, "prompt": text, "echo": True, "logprobs": 1}
        return await self.post("/completions", self.wishes.weighing() | body, read)


def _turns(prompt: Prompt) -> list[Body]:
    turns = [{"role": turn.role, "content": turn.content} for turn in prompt.messages]
    return [*turns, {"role": "assistant", "content": prompt.prefill}] if prompt.prefill else turns


async def look_up(wire: Wire, model: str) -> Mapping[str, Any]:
    """What the server's list of models says of one."""
    said = await wire.get("/models")
    listed = said.get("data") if isinstance(said, dict) else said
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    return next((entry for entry in entries if entry.get("id") == model), entries[0] if len(entries) == 1 else {})


def _listed(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    return {name: entry[name] for name in ("id", "root", "max_model_len", "meta") if name in entry}


# ── what is said to a server to find out what it takes ──


def as_text(words: str) -> Prompt:
    return Prompt(text=words, choices=("A", "B"), labels=True)


def as_turn(words: str, *, system: bool = False) -> Prompt:
    turns = (*([Message("system", "Be brief.")] if system else []), Message("user", words))
    return Prompt(messages=turns, choices=("A", "B"), labels=True)


def _echo(text: str, choice: str) -> Callable[[Any], tuple[list[tuple[str, float]], Usage]]:
    return lambda data: (echoed(data, text, choice), usage(data))
