"""What each kind of OpenAI-compatible server can do beyond the common ground, and how it is asked.

The common ground is `Server`: chat, raw completions, the log-probabilities of the likeliest next tokens. llama.cpp,
vLLM and SGLang say who they are by `owned_by` in their list of models; each has its own way to weigh exact tokens.
Of these only llama.cpp can be kept from reading "<|im_end|>" in a story as the end of a turn.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from functools import cached_property
from math import inf, log
from typing import Any

from otherminds.errors import EndpointError, ModelError, Unable
from otherminds.models import Message, Prompt, Usage, Weighing
from otherminds.models.fitting import Fit
from otherminds.models.replies import add, counted, echoed, part, reported, usage
from otherminds.models.shared import overlap
from otherminds.models.wire import Missing, Refused, Rejected, Unanswered, Wire
from otherminds.models.wishes import Body, Wishes

Verb = Callable[[Prompt], Weighing]
_MARKER = re.compile("\ue000(\\d+)\ue001")
SPACES = ("", " ", "\n", "\t", "  ", "\n\n")
"""What may stand before a label inside its own token."""
GREETING = "Good morning"
"""What is said to find out what a server can do."""
TRIALS = 2
"""How often that is said again to a server that fails: some have no other word for what they lack."""


class Server:
    """Any OpenAI-compatible server."""

    kind = "other"
    can_prefill = False
    facts_at = ""
    """Where, outside the API proper, the server speaks of itself."""
    retries: int | None = None
    """How often a call that failed is made again, if not as often as usual."""

    def __init__(
        self, wire: Wire, model: str, entry: Mapping[str, Any], *, top: int, wishes: Wishes, system: bool
    ) -> None:
        self.wire, self.model, self.top, self.wishes = wire, model, top, wishes
        self._entry, self._fit = entry, Fit(system=system)

    # ── what it is, and what it can do ──

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """What the server says of its model; nothing that changes by itself."""
        facts = {name: self._entry[name] for name in ("id", "root", "max_model_len", "meta") if name in self._entry}
        about = self.wire.get(self.facts_at, root=True) if self.facts_at else None
        return {**facts, **self.about(about if isinstance(about, dict) else {})}

    def about(self, said: Mapping[str, Any]) -> Mapping[str, Any]:
        """The part of what the server says of itself that can change an answer."""
        return {"version": said["version"]} if "version" in said else {}

    def lacks(self) -> frozenset[str]:
        """What one token, asked for as a continuation, raw and in chat, shows to be missing."""
        server = copy(self)
        server.retries = TRIALS
        echo = _refusal(server.continuations, Prompt(text=GREETING[:4], choices=(GREETING[4:],)))
        tried = isinstance(echo, Unable | Rejected | None)
        raw = _refusal(server.labels, Prompt(text=GREETING, choices=("A", "B"), labels=True)) if tried else echo
        turn = Message("user", GREETING)
        chat = _refusal(server.labels, Prompt(messages=(turn,), choices=("A", "B"), labels=True))
        no_raw, no_chat = not isinstance(raw, Unable | None), isinstance(chat, Missing | Refused)
        if no_raw and no_chat and chat:
            raise chat
        lacking = {
            # Beside a chat that can be weighed, a raw prompt that cannot is of no use.
            "raw": no_raw or (raw and not chat),
            "chat": no_chat,
            "prefill": no_chat,
            "weigh": raw and chat,
            "continuations": echo or raw,
        }
        return frozenset(ability for ability, lacks in lacking.items() if lacks)

    # ── how it is asked ──

    def post(self, path: str, body: Body, *, root: bool = False) -> Body:
        """The answer to a body, in the form that this server takes; a refusal may teach which that is."""
        while True:
            fitted = self._fit.fitted(body)
            try:
                return self.wire.post(path, fitted, root=root, retries=self.retries)
            except Unanswered as error:
                self._fit.learn(str(error), fitted)
                # Not only if we learnt something: another thread may have done so meanwhile.
                if self._fit.fitted(body) == fitted:
                    raise

    def shown(self, prompt: Prompt) -> str:
        """What we send, for people to read; the template of a chat is the server's own and not shown."""
        turns = self._fit.turns(_turns(prompt))
        return "\n\n".join(f"{turn['role']}: {turn['content']}" for turn in turns) or prompt.text

    def request(self, prompt: Prompt) -> tuple[str, Body]:
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

    def labels(self, prompt: Prompt) -> Weighing:
        """Labels, from the likeliest next tokens; what is not among them is bounded."""
        data = self.next_token(prompt)
        return counted(prompt, reported(data), usage(data))

    def next_token(self, prompt: Prompt, **more: Any) -> Body:
        """One more token after a prompt, with the likeliest ones there."""
        path, body = self.request(prompt)
        asks = {"logprobs": self.top} if path == "/completions" else {"logprobs": True, "top_logprobs": self.top}
        return self.post(path, self.wishes.weighing() | body | asks | more)

    def continuations(self, prompt: Prompt) -> Weighing:
        """Continuations, from the log-probabilities of a prompt that holds them (`echo`)."""
        if prompt.messages:
            raise ModelError(f"{self.model} on this server weighs continuations of raw prompts only; use labels")
        sums, tokens, spent = {}, {}, Usage()
        for choice in prompt.choices:
            body = {"model": self.model, "prompt": prompt.text + choice, "echo": True, "logprobs": 1}
            data = self.post("/completions", self.wishes.weighing() | body)
            steps = echoed(data, prompt.text, choice)
            sums[choice] = sum(value for _, value in steps)
            tokens[choice] = tuple(token for token, _ in steps)
            spent = add(spent, usage(data))
        return Weighing(logprobs=sums, tokens=tokens, usage=spent)


class _Tokenising(Server):
    """A server that shows its tokens, so that labels can be asked for by number."""

    can_prefill = True

    def __init__(self, wire: Wire, model: str, entry: Mapping[str, Any], **settings: Any) -> None:
        super().__init__(wire, model, entry, **settings)
        self._known: dict[str, Mapping[int, str]] = {}
        self._names: dict[int, str] = {}
        self._exact = True

    def lacks(self) -> frozenset[str]:
        """Nothing that others have."""
        return frozenset()

    def labels(self, prompt: Prompt) -> Weighing:
        """Labels by their own tokens, however unlikely; as anywhere else where the server does not show its tokens."""
        if self._exact:
            try:
                return self.exact_labels(prompt)
            except Missing:
                self._exact = False
        return super().labels(prompt)

    def exact_labels(self, prompt: Prompt) -> Weighing:
        """Labels by their own tokens."""
        raise NotImplementedError

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

    def exact_labels(self, prompt: Prompt) -> Weighing:
        """Labels by their own tokens."""
        variants = self.variants(prompt)
        data = self.next_token(prompt, logprob_token_ids=sorted(variants), return_tokens_as_token_ids=True)
        names = {f"token_id:{number}": text for number, text in variants.items()}
        found = {names.get(token, token): value for token, value in reported(data).items()}
        return counted(prompt, found, usage(data), spelt=variants.values())


class SGLang(_Tokenising):
    """SGLang: `/v1/score` gives the probabilities of chosen tokens after a raw prompt."""

    kind = "sglang"
    facts_at = "/get_server_info"

    def exact_labels(self, prompt: Prompt) -> Weighing:
        """Labels by their own tokens after raw prompts; in chat, from the likeliest tokens."""
        if prompt.messages:
            return Server.labels(self, prompt)
        variants = self.variants(prompt)
        body = {"model": self.model, "query": prompt.text, "items": [""], "label_token_ids": list(variants)}
        data = self.wire.post("/score", body | {"apply_softmax": False})
        chances = part(data, "scores", 0)
        pairs = zip(variants.values(), chances, strict=True)
        found = {text: log(chance) if chance > 0 else -inf for text, chance in pairs}
        return counted(prompt, found, usage(data), spelt=variants.values())


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
        return str(part(self.post("/apply-template", body, root=True), "prompt"))

    def labels(self, prompt: Prompt) -> Weighing:
        """Labels by their own tokens, however unlikely."""
        variants = self.variants(prompt)
        found, spent = self._chances(self.prompt_ids(prompt), set(variants))
        return counted(prompt, {variants[number]: found[number] for number in variants}, spent, spelt=variants.values())

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
            data = self.post("/completions", self.wishes.weighing() | body)
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


def find_server(wire: Wire, model: str, *, kind: str | None, top: int, wishes: Wishes, system: bool) -> Server:
    """The server behind a wire, as it describes itself unless `kind` says what it is."""
    # Nothing that an unknown server says of itself is needed, and some cannot say it.
    said = wire.get("/models") if kind != Server.kind else None
    listed = said.get("data") if isinstance(said, dict) else said
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    entry = next((entry for entry in entries if entry.get("id") == model), entries[0] if len(entries) == 1 else {})
    kind = kind or _OWNERS.get(str(entry.get("owned_by")), Server.kind)
    return SERVERS[kind](wire, model, entry, top=top, wishes=wishes, system=system)


def _turns(prompt: Prompt) -> list[Body]:
    turns = [{"role": turn.role, "content": turn.content} for turn in prompt.messages]
    return [*turns, {"role": "assistant", "content": prompt.prefill}] if prompt.prefill else turns


def _refusal(verb: Verb, prompt: Prompt) -> ModelError | None:
    """Why a server does not do this; None if it does."""
    try:
        verb(prompt)
    except (Unable, Unanswered, Missing, Refused) as error:
        return error
    return None
