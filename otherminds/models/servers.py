"""What each kind of OpenAI-compatible server can do beyond the common ground, and how it is asked.

The common ground is `Server`: chat, raw completions, the log-probabilities of the likeliest next tokens. llama.cpp,
vLLM and SGLang say who they are by `owned_by` in their list of models; each has its own way to weigh exact tokens.
Of these only llama.cpp can be kept from reading "<|im_end|>" in a story as the end of a turn.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import inf, log
from typing import Any

from otherminds.errors import EndpointError, ModelError
from otherminds.models import Prompt, Usage, Weighing
from otherminds.models.replies import add, counted, echoed, part, reported, usage
from otherminds.models.shared import overlap
from otherminds.models.wire import Rejected, Wire

Body = dict[str, Any]
_MARKER = re.compile("\ue000(\\d+)\ue001")
SPACES = ("", " ", "\n", "\t", "  ", "\n\n")
"""What may stand before a label inside its own token."""


class Server:
    """Any OpenAI-compatible server."""

    kind = "other"
    can_prefill = False
    facts_at = ""
    """Where, outside the API proper, the server speaks of itself."""

    def __init__(self, wire: Wire, model: str, entry: Mapping[str, Any], *, top: int) -> None:
        self.wire, self.model, self.top = wire, model, top
        self._entry = entry

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """What the server says of its model; nothing that changes by itself."""
        facts = {name: self._entry[name] for name in ("id", "root", "max_model_len", "meta") if name in self._entry}
        about = self.wire.get(self.facts_at, root=True) if self.facts_at else None
        return {**facts, **self.about(about or {})}

    def about(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """The part of what the server says of itself that can change an answer."""
        return {"version": said["version"]} if "version" in said else {}

    def request(self, prompt: Prompt) -> tuple[str, Body]:
        """The path and the beginning of the body for one prompt."""
        if not prompt.messages:
            return "/completions", {"model": self.model, "prompt": prompt.text}
        turns = [{"role": turn.role, "content": turn.content} for turn in prompt.messages]
        if not prompt.prefill:
            return "/chat/completions", {"model": self.model, "messages": turns}
        turns.append({"role": "assistant", "content": prompt.prefill})
        return "/chat/completions", {"model": self.model, "messages": turns, **self.continuing()}

    def continuing(self) -> Body:
        """What makes the server go on with the last message instead of answering it."""
        return {}

    def schema(self, prompt: Prompt, path: str) -> Body:
        """What makes the server keep to the prompt's schema."""
        if path == "/completions":
            raise ModelError("this server keeps to a JSON schema in chat only; use a chat prompt")
        shape = {"name": "answer", "strict": True, "schema": json.loads(prompt.schema)}
        return {"response_format": {"type": "json_schema", "json_schema": shape}}

    def labels(self, prompt: Prompt) -> Weighing:
        """Labels, from the likeliest next tokens; what is not among them is bounded."""
        data = self.next_token(prompt)
        return counted(prompt, dict(reported(data)), usage(data))

    def next_token(self, prompt: Prompt, **more: Any) -> Body:
        """One more token after a prompt, with the likeliest ones there."""
        path, body = self.request(prompt)
        asks = {"logprobs": self.top} if path == "/completions" else {"logprobs": True, "top_logprobs": self.top}
        return self.wire.post(path, body | asks | {"max_tokens": 1, "temperature": 0} | more)

    def continuations(self, prompt: Prompt) -> Weighing:
        """Continuations, from the log-probabilities of a prompt that holds them (`echo`)."""
        if prompt.messages:
            raise ModelError(f"{self.model} on this server weighs continuations of raw prompts only; use labels")
        sums, tokens, spent = {}, {}, Usage()
        for choice in prompt.choices:
            body = {"model": self.model, "prompt": prompt.text + choice, "echo": True, "logprobs": 1}
            data = self.wire.post("/completions", body | {"max_tokens": 1, "temperature": 0})
            steps = echoed(data, prompt.text, choice)
            sums[choice] = sum(value for _, value in steps)
            tokens[choice] = tuple(token for token, _ in steps)
            spent = add(spent, usage(data))
        return Weighing(logprobs=sums, tokens=tokens, usage=spent)


class _Tokenising(Server):
    """A server that shows its tokens, so that labels can be asked for by number."""

    can_prefill = True

    def __init__(self, wire: Wire, model: str, entry: Mapping[str, Any], *, top: int) -> None:
        super().__init__(wire, model, entry, top=top)
        self._known: dict[str, Mapping[int, str]] = {}
        self._names: dict[int, str] = {}

    def continuing(self) -> Body:
        """vLLM and SGLang want to be told."""
        return {"continue_final_message": True, "add_generation_prompt": False}

    def schema(self, prompt: Prompt, path: str) -> Body:
        """Raw prompts too can keep to a schema."""
        return super().schema(prompt, "")

    def ids(self, text: str) -> tuple[int, ...]:
        """A plain text as token numbers."""
        body = {"model": self.model, "prompt": text, "add_special_tokens": False}
        return tuple(part(self.wire.post("/tokenize", body, root=True), "tokens"))

    def variants(self, prompt: Prompt) -> Mapping[int, str]:
        """Every single token that reads as one of the prompt's labels."""
        found: dict[int, str] = {}
        for label in prompt.choices:
            if label not in self._known:
                spelt = {self.ids(space + label): space + label for space in SPACES}
                self._known[label] = {ids[0]: text for ids, text in spelt.items() if len(ids) == 1}
            if not self._known[label]:
                raise Rejected(f"no single token of {self.model} reads as {label!r}; weigh it as a continuation")
            found |= self._known[label]
        return found


class Vllm(_Tokenising):
    """vLLM. Releases that do not know `logprob_token_ids` pass over it, and bounds take its place."""

    kind = "vllm"
    facts_at = "/version"

    def labels(self, prompt: Prompt) -> Weighing:
        """Labels by their own tokens, however unlikely."""
        variants = self.variants(prompt)
        data = self.next_token(prompt, logprob_token_ids=sorted(variants), return_tokens_as_token_ids=True)
        names = {f"token_id:{number}": text for number, text in variants.items()}
        return counted(prompt, {names.get(token, token): value for token, value in reported(data)}, usage(data))


class SGLang(_Tokenising):
    """SGLang: `/v1/score` gives the probabilities of chosen tokens after a raw prompt."""

    kind = "sglang"
    facts_at = "/get_server_info"

    def labels(self, prompt: Prompt) -> Weighing:
        """Labels by their own tokens after raw prompts; in chat, from the likeliest tokens."""
        if prompt.messages:
            return super().labels(prompt)
        variants = self.variants(prompt)
        body = {"model": self.model, "query": prompt.text, "items": [""], "label_token_ids": list(variants)}
        data = self.wire.post("/score", body | {"apply_softmax": False})
        chances = part(data, "scores", 0)
        pairs = zip(variants.values(), chances, strict=True)
        return counted(prompt, {text: log(chance) if chance > 0 else -inf for text, chance in pairs}, usage(data))


class LlamaCpp(_Tokenising):
    """llama.cpp's own server. It is given token numbers, so that nothing in a text can pass for a control token."""

    kind = "llama.cpp"
    facts_at = "/props"

    def about(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """Its build, and the template by digest."""
        template = hashlib.sha256(str(said.get("chat_template", "")).encode()).hexdigest()[:16]
        return {"version": said.get("build_info", ""), "template": template}

    def request(self, prompt: Prompt) -> tuple[str, Body]:
        """Chat goes the server's own way unless a message holds the name of a control token, which it would obey.

        A prefill goes the raw way too: releases differ on whether the reply repeats it.
        """
        if prompt.messages and not prompt.prefill and self._plain(turn.content for turn in prompt.messages):
            return super().request(prompt)
        return "/completions", {"model": self.model, "prompt": self.prompt_ids(prompt)}

    def schema(self, prompt: Prompt, path: str) -> Body:
        """Raw completions take a schema under another name, and pass over `response_format`."""
        return {"json_schema": json.loads(prompt.schema)} if path == "/completions" else super().schema(prompt, path)

    def ids(self, text: str, *, special: bool = False, start: bool = False) -> tuple[int, ...]:
        """A text as token numbers; `special` lets it hold control tokens."""
        body = {"content": text, "parse_special": special, "add_special": start}
        return tuple(part(self.wire.post("/tokenize", body, root=True), "tokens"))

    def prompt_ids(self, prompt: Prompt, more: str = "") -> tuple[int, ...]:
        """A prompt as token numbers, continued by `more`."""
        if not prompt.messages:
            return self.ids(prompt.text + more, start=True)
        contents, begun = [turn.content for turn in prompt.messages], prompt.prefill + more
        if self._plain([*contents, begun]):
            return self.ids(self._chat(prompt, contents) + begun, special=True, start=True)
        # Markers show where the template puts each content; what stands around them is the template's own.
        pieces = _MARKER.split(self._chat(prompt, [f"\ue000{number}\ue001" for number in range(len(contents))]))
        ids = [
            self.ids(contents[int(piece)]) if place % 2 else self.ids(piece, special=True, start=not place)
            for place, piece in enumerate(pieces)
        ]
        return tuple(token for run in [*ids, self.ids(begun)] for token in run)

    def _plain(self, texts: Iterable[str]) -> bool:
        return all(self.ids(text) == self.ids(text, special=True) for text in texts)

    def _chat(self, prompt: Prompt, contents: Sequence[str]) -> str:
        pairs = zip(prompt.messages, contents, strict=True)
        body = {"messages": [{"role": turn.role, "content": content} for turn, content in pairs]}
        return str(part(self.wire.post("/apply-template", body, root=True), "prompt"))

    def labels(self, prompt: Prompt) -> Weighing:
        """Labels by their own tokens, however unlikely."""
        variants = self.variants(prompt)
        found, spent = self._chances(self.prompt_ids(prompt), set(variants))
        return counted(prompt, {variants[number]: found[number] for number in variants}, spent)

    def continuations(self, prompt: Prompt) -> Weighing:
        """Continuations, one token after another."""
        alone = self.prompt_ids(prompt)
        joint = {choice: self.prompt_ids(prompt, choice) for choice in prompt.choices}
        # A token may reach across the seam: what all have in common is the prompt, the rest belongs to the choice.
        seam = min([len(alone), *(overlap(alone, ids) for ids in joint.values())])
        steps = {choice: [(ids[:end], ids[end]) for end in range(seam, len(ids))] for choice, ids in joint.items()}
        wanted: dict[tuple[int, ...], set[int]] = {}
        for path, number in (step for taken in steps.values() for step in taken):
            wanted.setdefault(path, set()).add(number)
        found, spent = {}, Usage()
        for path, numbers in wanted.items():
            found[path], cost = self._chances(path, numbers)
            spent = add(spent, cost)
        return Weighing(
            logprobs={choice: sum(found[path][number] for path, number in taken) for choice, taken in steps.items()},
            tokens={choice: tuple(self._names[number] for _, number in taken) for choice, taken in steps.items()},
            usage=spent,
        )

    def _chances(self, ids: tuple[int, ...], wanted: set[int]) -> tuple[Mapping[int, float], Usage]:
        """The log-probabilities of some next tokens.

        A token is made to come next by its bias; what is reported is its chance before any bias.
        """
        found: dict[int, float] = {}
        spent = Usage()
        for number in sorted(wanted):
            if number in found:
                continue
            body = {"model": self.model, "prompt": ids, "logit_bias": {str(number): 100}, "logprobs": self.top}
            data = self.wire.post("/completions", body | {"max_tokens": 1, "temperature": 0})
            spent = add(spent, usage(data))
            step = part(data, "choices", 0, "logprobs", "content", 0)
            for token in [*part(step, "top_logprobs"), step]:
                found[part(token, "id")] = part(token, "logprob")
                self._names[token["id"]] = part(token, "token")
            if number not in found:
                raise EndpointError(f"{self.model} does not report the token it was made to write; is its server old?")
        return found, spent


SERVERS: dict[str, type[Server]] = {
    "llama.cpp": LlamaCpp,
    "vllm": Vllm,
    "sglang": SGLang,
    "other": Server,
}
_OWNERS = {"llamacpp": "llama.cpp", "vllm": "vllm", "sglang": "sglang"}


def find_server(wire: Wire, model: str, *, kind: str | None, top: int) -> Server:
    """The server behind a wire, as it describes itself unless `kind` says what it is."""
    listed = (wire.get("/models") or {}).get("data") or []
    entries = [entry for entry in listed if isinstance(entry, dict)]
    entry = next((entry for entry in entries if entry.get("id") == model), entries[0] if len(entries) == 1 else {})
    kind = kind or _OWNERS.get(str(entry.get("owned_by")), "other")
    return SERVERS[kind](wire, model, entry, top=top)
