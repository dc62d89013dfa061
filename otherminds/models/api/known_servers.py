"""llama.cpp, vLLM and SGLang: servers that say who they are, and weigh tokens by their numbers, each in its own way.

Of these only llama.cpp can be kept from reading "<|im_end|>" in a story as the end of a turn.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import log
from typing import Any

from otherminds.models import Prompt, Usage, Weighing
from otherminds.models.api.replies import chances, counted, part, token_numbers, usage
from otherminds.models.api.request_forms import Body, RequestForm, refusal
from otherminds.models.api.servers import Server, as_text, as_turn, look_up
from otherminds.models.api.wire import RejectedRequest, Unsound, Wire
from otherminds.models.chat_template import MARKER, marked
from otherminds.models.forks import Lock
from otherminds.models.gate import is_logprob, is_placeholder
from otherminds.models.weighing import overlap

SPACES = ("", " ", "\n", "\t", "  ", "\n\n")
"""What may stand before a label inside its own token."""


class _Tokenising(Server):
    """A server that shows its tokens, so that labels can be asked for by number."""

    can_prefill = True
    lists_in_chat = False
    """Whether it weighs by numbers after raw prompts only."""

    def __init__(self, wire: Wire, model: str, entry: Mapping[str, Any], **settings: Any) -> None:
        super().__init__(wire, model, entry, **settings)
        self._known: dict[str, Mapping[int, str]] = {}
        self._spelling = Lock(asyncio.Lock)
        self._names: dict[int, str] = {}

    async def find_form(self) -> tuple[RequestForm, frozenset[str]]:
        """They lack nothing that others have; some releases show no tokens, some templates take no system turn."""
        server = self.on_trial(self.form)
        server.form = form = replace(self.form, exact=not await self.refuses(server.shows))
        bare = form.system and await self.refuses(lambda words: server.bare_token(as_turn(words, system=True)))
        if bare and await self.refuses(lambda words: server.bare_token(as_turn(words))):
            bare = False  # It does not chat at all.
        elif self.lists_in_chat or not form.exact:
            await server.count_tokens(as_turn)
        return replace(form, system=form.system and not bare), frozenset()

    async def labels(self, prompt: Prompt) -> Weighing:
        """Labels by their own tokens, however unlikely; as anywhere else where the server does not show its tokens."""
        return await self.exact_labels(prompt) if self.form.exact else await super().labels(prompt)

    async def exact_labels(self, prompt: Prompt) -> Weighing:
        """Labels by their own tokens."""
        raise NotImplementedError

    async def shows(self, words: str) -> object:
        """One token of these words, weighed by its number after them."""
        raise NotImplementedError

    def continuing(self) -> Body:
        """vLLM and SGLang want to be told."""
        return {"continue_final_message": True, "add_generation_prompt": False}

    def schema(self, prompt: Prompt, path: str) -> Body:
        """Raw prompts too can keep to a schema."""
        return super().schema(prompt, "")

    async def ids(self, text: str) -> tuple[int, ...]:
        """A plain text as token numbers."""
        body = {"model": self.model, "prompt": text, "add_special_tokens": False}
        return await self.post("/tokenize", body, token_numbers, root=True)

    async def variants(self, prompt: Prompt) -> Mapping[int, str]:
        """Every single token that reads as one of the prompt's labels."""
        found: dict[int, str] = {}
        for label in prompt.choices:
            # Many calls begin at once, and one of them is enough to find out.
            async with self._spelling:
                if label not in self._known:
                    spelt = {await self.ids(space + label): space + label for space in SPACES}
                    self._known[label] = {ids[0]: text for ids, text in spelt.items() if len(ids) == 1}
            if not self._known[label]:
                raise RejectedRequest(f"no single token of {self.model} reads as {label!r}; weigh it as a continuation")
            found |= self._known[label]
        return found


class Vllm(_Tokenising):
    """vLLM. Releases that do not know `logprob_token_ids` pass over it, and bounds take its place."""

    kind = "vllm"
    facts_at = "/version"

    async def exact_labels(self, prompt: Prompt) -> Weighing:
        """Labels by their own tokens."""
        variants = await self.variants(prompt)
        listed, spent = await self._listed(prompt, variants)
        names = {f"token_id:{number}": text for number, text in variants.items()}
        found = {names.get(token, token): value for token, value in listed.items()}
        return counted(prompt, found, spent, spelt=variants.values())

    async def shows(self, words: str) -> object:
        """One token of these words, weighed by its number after them."""
        return await self._listed(as_text(words), (await self.ids(words))[:1])

    async def _listed(self, prompt: Prompt, numbers: Iterable[int]) -> tuple[dict[str, float], Usage]:
        """Next tokens by their numbers, all of these among them."""
        wanted = sorted(numbers)
        return await self.next_token(prompt, among=wanted, logprob_token_ids=wanted, return_tokens_as_token_ids=True)


class SGLang(_Tokenising):
    """SGLang: `/v1/score` gives the probabilities of chosen tokens after a raw prompt."""

    kind = "sglang"
    lists_in_chat = True
    facts_at = "/get_server_info"

    async def exact_labels(self, prompt: Prompt) -> Weighing:
        """Labels by their own tokens after raw prompts; in chat, from the likeliest tokens."""
        if prompt.messages:
            return await Server.labels(self, prompt)
        variants = await self.variants(prompt)
        found, spent = await self._scored(prompt.text, list(variants))
        # What was rounded to nothing is less likely than all that was not; it is bounded, and never zero.
        pairs = zip(variants.values(), found, strict=True)
        known = {text: log(min(chance, 1.0)) for text, chance in pairs if chance > 0}
        if not known:
            raise RejectedRequest(f"{self.model} gives none of the labels any chance; weigh them as continuations")
        return counted(prompt, known, spent, spelt=variants.values())

    async def shows(self, words: str) -> object:
        """One token of these words, weighed by its number after them."""
        return await self._scored(words, list((await self.ids(words))[:1]))

    async def _scored(self, text: str, numbers: list[int]) -> tuple[list[float], Usage]:
        """The probabilities of tokens after a text."""
        body = {"model": self.model, "query": text, "items": [""], "label_token_ids": numbers, "apply_softmax": False}
        return await self.post(
            "/score", body, lambda data: (chances(data, len(numbers), sound=self.sound), usage(data))
        )


class LlamaCpp(_Tokenising):
    """llama.cpp's own server. It is given token numbers, so that nothing in a text can pass for a control token."""

    kind = "llama.cpp"
    facts_at = "/props"

    def about(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """Its build, and the template by digest."""
        template = hashlib.sha256(str(said.get("chat_template", "")).encode()).hexdigest()[:16]
        return {"version": said.get("build_info", ""), "template": template}

    async def request(self, prompt: Prompt) -> tuple[str, Body]:
        """Chat goes the server's own way unless a message holds the name of a control token, which it would obey.

        A prefill goes the raw way too: releases differ on whether the reply repeats it.
        """
        if prompt.messages and not prompt.prefill and await self._plain(turn.content for turn in prompt.messages):
            return await super().request(prompt)
        return "/completions", {"model": self.model, "prompt": await self.prompt_ids(prompt)}

    def schema(self, prompt: Prompt, path: str) -> Body:
        """Raw completions take a schema under another name, and pass over `response_format`."""
        return {"json_schema": json.loads(prompt.schema)} if path == "/completions" else super().schema(prompt, path)

    async def ids(self, text: str, *, special: bool = False, start: bool = False) -> tuple[int, ...]:
        """A text as token numbers; `special` lets it hold control tokens."""
        body = {"content": text, "parse_special": special, "add_special": start}
        return await self.post("/tokenize", body, token_numbers, root=True)

    async def prompt_ids(self, prompt: Prompt, more: str = "") -> tuple[int, ...]:
        """A prompt as token numbers, continued by `more`."""
        if not prompt.messages:
            return await self.ids(prompt.text + more, start=True)
        contents, begun = [turn.content for turn in prompt.messages], prompt.prefill + more
        if await self._plain([*contents, begun]):
            return await self.ids(await self._chat(prompt, contents) + begun, special=True, start=True)
        shown = await self._chat(prompt, [turn.content for turn in marked(prompt.messages)])
        ids = [
            await self.ids(contents[int(piece)]) if place % 2 else await self.ids(piece, special=True, start=not place)
            for place, piece in enumerate(MARKER.split(shown))
        ]
        return tuple(token for run in [*ids, await self.ids(begun)] for token in run)

    async def _plain(self, texts: Iterable[str]) -> bool:
        for text in texts:
            if await self.ids(text) != await self.ids(text, special=True):
                return False
        return True

    async def _chat(self, prompt: Prompt, contents: Sequence[str]) -> str:
        pairs = zip(prompt.messages, contents, strict=True)
        body = {"messages": [{"role": turn.role, "content": content} for turn, content in pairs]}
        return await self.post("/apply-template", body, lambda data: _string(part(data, "prompt")), root=True)

    async def labels(self, prompt: Prompt) -> Weighing:
        """Labels by their own tokens, however unlikely."""
        variants = await self.variants(prompt)
        found, spent = await self._chances(await self.prompt_ids(prompt), set(variants))
        return counted(prompt, {variants[number]: found[number] for number in variants}, spent, spelt=variants.values())

    async def continuations(self, prompt: Prompt) -> Weighing:
        """Continuations, one token after another."""
        alone = await self.prompt_ids(prompt)
        joint = {choice: await self.prompt_ids(prompt, choice) for choice in prompt.choices}
        # A token may reach across the seam: what all have in common is the prompt, the rest belongs to the choice.
        seam = min([len(alone), *(overlap(alone, ids) for ids in joint.values())])
        steps = {choice: [(ids[:end], ids[end]) for end in range(seam, len(ids))] for choice, ids in joint.items()}
        wanted: dict[tuple[int, ...], set[int]] = {}
        for path, number in (step for taken in steps.values() for step in taken):
            wanted.setdefault(path, set()).add(number)
        found, spent = {}, Usage()
        for path, numbers in wanted.items():
            found[path], cost = await self._chances(path, numbers)
            spent += cost
        return Weighing(
            logprobs={choice: sum(found[path][number] for path, number in taken) for choice, taken in steps.items()},
            tokens={choice: tuple(self._names[number] for _, number in taken) for choice, taken in steps.items()},
            usage=spent,
        )

    async def find_form(self) -> tuple[RequestForm, frozenset[str]]:
        """All of it is known, if it answers: it weighs by numbers, and shows what its template makes of a prompt."""
        if no := await refusal(self.on_trial(self.form).ids, self.wire):
            raise no
        return self.form, frozenset()

    async def _chances(self, ids: tuple[int, ...], wanted: set[int]) -> tuple[Mapping[int, float], Usage]:
        """The log-probabilities of some next tokens.

        A token is made to come next by its bias; what is reported is its chance before any bias.
        """
        found: dict[int, float] = {}
        spent = Usage()
        for number in sorted(wanted):
            if number in found:
                continue
            asks = {"logit_bias": {str(number): 100}, "logprobs": self.form.raw.top}
            body = {"model": self.model, "prompt": ids} | asks
            listed, cost = await self.post("/completions", self.wishes.weighing() | body, _made(number))
            spent += cost
            found |= {token: value for token, (_, value) in listed.items()}
            self._names |= {token: name for token, (name, _) in listed.items()}
        return found, spent


SERVERS: dict[str, type[Server]] = {
    "llama.cpp": LlamaCpp,
    "vllm": Vllm,
    "sglang": SGLang,
    "other": Server,
}
_OWNERS = {"llamacpp": "llama.cpp", "vllm": "vllm", "sglang": "sglang"}


async def find_server(wire: Wire, model: str, *, kind: str | None, **settings: Any) -> Server:
    """The server behind a wire, as it describes itself unless `kind` says what it is."""
    # Nothing that an unknown server says of itself is needed, and some cannot say it.
    entry = await look_up(wire, model) if kind != Server.kind else {}
    kind = kind or _OWNERS.get(str(entry.get("owned_by")), Server.kind)
    return SERVERS[kind](wire, model, entry, **settings)


def _string(text: Any) -> str:
    if not isinstance(text, str):
        raise Unsound(f"the server sent {type(text).__name__} for a text; is it a llama.cpp server?")
    return text


def _made(number: int) -> Callable[[Any], tuple[dict[int, tuple[str, float]], Usage]]:
    """llama.cpp's next tokens by number, among them the one that it was made to write."""

    def read(data: Any) -> tuple[dict[int, tuple[str, float]], Usage]:
        step = part(data, "choices", 0, "logprobs", "content", 0)
        listed = part(step, "top_logprobs")
        if not isinstance(listed, list):
            raise Unsound("the server reports next tokens that are none; is it a llama.cpp server?")
        found: dict[int, tuple[str, float]] = {}
        for token in [*listed, step]:
            id, name, value = part(token, "id"), part(token, "token"), part(token, "logprob")
            if type(id) is not int or not isinstance(name, str) or not is_logprob(value) or is_placeholder(value):
                raise Unsound(f"the server reports a log-probability of {str(value)[:40]!r}; is it a llama.cpp server?")
            found[id] = (name, float(value))
        if number not in found:
            raise Unsound("the server does not report the token that it was made to write; is it old?")
        return found, usage(data)

    return read
