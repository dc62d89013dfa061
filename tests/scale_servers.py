"""A small language model behind the ways in which servers are asked, with right log-probabilities and with wrong ones.

It goes by what came before: pairs of words in a short text and in what was said so far. So it is sure where a pattern
goes on, and unsure elsewhere, as larger models are; it draws from what it reports, unless it is made to lie.
"""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import pairwise
from math import exp
from typing import Any

import numpy as np
from numpy.typing import NDArray

import otherminds as om
from otherminds.errors import ModelError
from otherminds.models.api.endpoint import Endpoint
from otherminds.models.api.request_forms import GREETINGS
from tests.faults.bench import suite
from tests.models.scripted_server import Call, Reply, serving

_COMMON = (
    "the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which"
    " one you were all her she there would their we him been has when who will no more if out so up said what its about"
    " than into them can only other time new some could these two may first then do any like my now over such our man"
    " A B red box tin basket drawer"
)
WORDS = (*(f" {word}" for word in _COMMON.split()), "A", "B", ".", "\n", ",", '"')
EVERY = (*WORDS, *(f" w{number}" for number in range(3000)))
PLACES = {token: place for place, token in enumerate(EVERY)}
_PIECE = re.compile(r" ?\w+|\s|[^\w\s]")
Logs = NDArray[np.float64]
"""The log-probabilities of all tokens, in order."""


def pieces(text: str) -> list[str]:
    """A text as tokens."""
    return _PIECE.findall(text)


@lru_cache(maxsize=20_000)
def liking(past: tuple[str, ...]) -> Logs:
    """What comes after these tokens without regard to the rest of the text."""
    rng = np.random.default_rng(int.from_bytes(hashlib.sha256(repr(past).encode()).digest()[:6], "big"))
    common = 12 * (1 + rng.pareto(0.9, len(WORDS))) / (np.arange(len(WORDS)) + 6)
    weights = np.concatenate([common, 0.02 + 3 / (np.arange(len(EVERY) - len(WORDS)) + 60)])
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def model(text: str) -> Logs:
    """The log-probabilities of all next tokens."""
    past = pieces(text)
    after = [PLACES[b] for a, b in pairwise(past) if a == past[-1] and b in PLACES]
    share = 0.9 * len(after) / (len(after) + 1)
    chances = (1 - share) * liking(tuple(past[-2:]))
    for place in after:
        chances[place] += share / len(after)
    return np.asarray(np.log(chances / chances.sum()), dtype=np.float64)


Change = Callable[[Logs], Logs]
"""What is done to the log-probabilities of a position before they are sent."""


@dataclass
class Speaker:
    """Answers as a server of a kind does; `change` and the others make it lie."""

    kind: str = "other"
    top: int = 20
    digits: int | None = None
    noise: float = 0.0
    change: Change = np.copy
    only_echo: Change | None = None
    shift: int = 0
    """By how many tokens the log-probabilities of an echo come too early."""
    edit: Callable[[dict[str, Any]], None] = lambda choice: None
    """What is done to the choice of a reply."""
    follows_temperature: bool = False
    """Whether what is reported comes after the temperature of the request."""
    draws: Callable[[float], float] = lambda asked: asked
    """The temperature at which it draws, by the one that is asked for."""
    keeps: float = 1.0
    """Draws from the likeliest tokens that have this chance together."""
    in_chat: bool = True
    raw: bool = True
    most: int = 10**9
    """The longest text that it writes."""
    seed: int = 0
    probes: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)

    def __call__(self, call: Call) -> Reply:
        body = json.dumps(call.body)
        mine = self.items
        if call.path.endswith("/tokenize") or any(json.dumps(words)[:-1] in body for words in GREETINGS):
            mine = self.probes
        mine.append(body)
        path = call.path
        if path.endswith("/tokenize") and self.kind != "other":
            ids = [PLACES.get(piece, len(EVERY) - 1) for piece in pieces(call.body["prompt"])]
            return Reply({"tokens": ids, "count": len(ids)})
        if path.endswith("/score") and self.kind == "sglang":
            return Reply({"scores": [self._scores(call.body)]})
        if path == "/v1/completions" and self.raw:
            return Reply(self._raw(call.body))
        if path == "/v1/chat/completions" and self.in_chat:
            return Reply(self._chat(call.body))
        return Reply({"error": {"message": "not here"}}, status=404)

    # ── what is said of a position ──

    def _told(self, text: str, asked: float, change: Change | None = None) -> Logs:
        known = tempered(model(text), max(asked, 1e-3)) if self.follows_temperature else model(text)
        noise = [self._random.uniform(-self.noise, self.noise) for _ in known] if self.noise else 0.0
        told = (change or self.change)(np.minimum(known + noise, np.maximum(known, -1e-9)))
        return told if self.digits is None else np.round(told, self.digits)

    def _listed(self, told: Logs, likely: Logs, number: int) -> dict[str, float]:
        ranked = np.argsort(-likely, kind="stable")[: min(number, self.top)]
        return {EVERY[place]: float(told[place]) for place in ranked}

    def _draw(self, text: str, asked: float) -> str:
        known, at = model(text), self.draws(asked)
        if at < 1e-3:
            return EVERY[int(np.argmax(known))]
        chances = np.exp(tempered(known, at))
        ranked = np.argsort(-chances)
        kept = ranked[: int(np.searchsorted(np.cumsum(chances[ranked]), self.keeps)) + 1]
        return EVERY[self._random.choices([*kept], [*chances[kept]])[0]]

    def _written(self, text: str, body: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Each new token, and the text before it."""
        number = min(body.get("max_tokens", body.get("max_completion_tokens", 16)), self.most)
        steps = []
        for _ in range(number):
            token = self._draw(text, body.get("temperature", 1.0))
            steps.append((token, text))
            text += token
        return steps

    def _position(self, before: str, token: str, body: Mapping[str, Any], number: int) -> tuple[Any, dict[str, Any]]:
        told = self._told(before, body.get("temperature", 1.0))
        return float(told[PLACES[token]]), self._listed(told, model(before), number)

    # ── the two paths, and scores ──

    def _raw(self, body: Mapping[str, Any]) -> dict[str, Any]:
        text = body["prompt"]
        steps = self._written(text, body)
        choice: dict[str, Any] = {"text": "".join(token for token, _ in steps), "finish_reason": "length"}
        if body.get("echo"):
            choice |= {"text": text + choice["text"], "logprobs": self._echo(text, steps, body)}
        elif "logprob_token_ids" in body:
            told = self._told(text, body.get("temperature", 1.0), self.only_echo)
            wanted = {PLACES[steps[0][0]], *body["logprob_token_ids"]}
            choice["logprobs"] = {"top_logprobs": [{f"token_id:{each}": float(told[each]) for each in wanted}]}
        elif "logprobs" in body:
            found = [self._position(before, token, body, body["logprobs"]) for token, before in steps]
            choice["logprobs"] = {
                "tokens": [token for token, _ in steps],
                "token_logprobs": [own for own, _ in found],
                "top_logprobs": [top | {token: own} for (own, top), (token, _) in zip(found, steps, strict=True)],
            }
        self.edit(choice)
        return {"choices": [choice]}

    def _echo(self, text: str, steps: list[tuple[str, str]], body: Mapping[str, Any]) -> dict[str, Any]:
        tokens, values, before = pieces(text), [], ""
        for token in tokens:
            told = self._told(before, body.get("temperature", 1.0), self.only_echo)
            values.append(float(told[PLACES.get(token, -1)]) if before else None)
            before += token
        for token, past in steps:
            tokens.append(token)
            values.append(float(self._told(past, body.get("temperature", 1.0), self.only_echo)[PLACES[token]]))
        if self.shift:
            known = [value for value in values if value is not None]
            values = [*known, None] if self.shift > 0 else [None, known[0], *known[:-1]]
        return {"tokens": tokens, "token_logprobs": values, "top_logprobs": None}

    def _chat(self, body: Mapping[str, Any]) -> dict[str, Any]:
        text = "\n".join(turn["content"] for turn in body["messages"])
        steps = self._written(text, body)
        message = {"role": "assistant", "content": "".join(token for token, _ in steps)}
        choice: dict[str, Any] = {"message": message, "finish_reason": "length"}
        if body.get("logprobs"):
            content = []
            for token, before in steps:
                own, top = self._position(before, token, body, body["top_logprobs"])
                listed = [{"token": name, "logprob": value, "bytes": [*name.encode()]} for name, value in top.items()]
                content.append({"token": token, "logprob": own, "bytes": [*token.encode()], "top_logprobs": listed})
            choice["logprobs"] = {"content": content}
        self.edit(choice)
        return {"choices": [choice]}

    def _scores(self, body: Mapping[str, Any]) -> list[Any]:
        told = self._told(body["query"], 1.0, self.only_echo)
        return [exp(min(told[each], 5.0)) for each in body["label_token_ids"]]


# ── wrong scales ──


def scaled(by: float) -> Change:
    """Every log-probability times a number."""
    return lambda known: known * by


def moved(by: float) -> Change:
    """Every log-probability and a constant."""
    return lambda known: known + by


def tempered(known: Logs, temperature: float) -> Logs:
    """Log-probabilities after a temperature."""
    raised = known / temperature - np.max(known / temperature)
    return np.asarray(raised - np.log(np.exp(raised).sum()), dtype=np.float64)


def among_the_top(number: int) -> Change:
    """The listed tokens alone, as if there were no others."""
    return lambda known: known - np.log(np.sort(np.exp(known))[-number:].sum())


def one_hot(known: Logs) -> Logs:
    """0 for the likeliest token and -9999 for all others."""
    return np.where(known == known.max(), 0.0, -9999.0)


def in_percent(known: Logs) -> Logs:
    """Percentages."""
    return np.asarray(100 * np.exp(known), dtype=np.float64)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "base 10": ({"change": scaled(0.4342945)}, "base 10"),
    "base 2": ({"change": scaled(1.442695)}, "base 2"),
    "temperature 0.5": ({"change": partial(tempered, temperature=0.5)}, "temperature of about 0"),
    "temperature 2": ({"change": partial(tempered, temperature=2.0)}, "temperature of about [12]"),
    "temperature of the request": ({"follows_temperature": True}, "temperature of 0"),
    "0 and -9999": ({"change": one_hot}, "temperature of 0"),
    "probabilities": ({"change": np.exp}, "probabilities, not their logarithms"),
    "percent": ({"change": in_percent}, "percentages"),
    "sign turned": ({"change": scaled(-1.0)}, "sign turned"),
    "raw scores": ({"change": moved(12.0)}, "raw scores"),
    "more by a constant": ({"change": moved(1.0)}, "not normalised"),
    "less by a constant": ({"change": moved(-2.0)}, "less by a constant"),
    "the listed alone": ({"change": among_the_top(20)}, "listed tokens alone"),
    "base 10, five listed": ({"change": scaled(0.4342945), "top": 5}, "base 10"),
    "temperature 0.5, five listed": (
        {"change": partial(tempered, temperature=0.5), "top": 5},
        "temperature of about 0",
    ),
}
"""Wrong scales: what makes a server so, and a word of the name that it gets."""
WRONG_ECHO: dict[str, tuple[dict[str, Any], str]] = {
    "too early": ({"shift": 1}, "at other tokens"),
    "too late": ({"shift": -1}, "at other tokens"),
    "echo to base 10": ({"only_echo": scaled(0.4342945)}, "base 10 in an echo"),
    "echo after a temperature": (
        {"only_echo": partial(tempered, temperature=0.5)},
        "other log-probabilities in an echo",
    ),
}
SOUND: dict[str, dict[str, Any]] = {
    "plain": {},
    "rounded": {"digits": 3},
    "with noise": {"noise": 0.02},
    "five listed": {"top": 5},
    "one listed": {"top": 1},
    "draws from the likeliest": {"keeps": 0.9},
    "draws nothing": {"draws": lambda _: 0.0},
    "draws at 0.7 whatever is asked": {"draws": lambda asked: asked and 0.7},
    "one token a text": {"most": 1},
    "five listed, with noise": {"top": 5, "noise": 0.02},
}
FORMS = {
    "letters, raw": ("other", "letters", "raw"),
    "letters, chat": ("other", "letters", "direct"),
    "cloze": ("other", "cloze", "raw"),
    "vLLM by numbers": ("vllm", "letters", "raw"),
    "SGLang by numbers": ("sglang", "letters", "raw"),
}


@dataclass(frozen=True)
class Outcome:
    """What became of a run: what was said, how many probes there were, and how many prompts of items arrived."""

    said: str
    probes: int
    items: int
    notes: Mapping[str, str]


def put(speaker: Speaker, form: str, items: int = 2) -> Outcome:
    """Put a small suite to a speaker in a form."""
    speaker.kind, score, prompt = FORMS[form]
    owner = speaker.kind if speaker.kind != "other" else "somebody"
    with serving(speaker, owner=owner, version="1") as server:
        model = Endpoint("m", base_url=server.url)
        assert model.identity
        before, said = len(speaker.probes), ""
        try:
            om.run(suite(items).using(prompt=prompt, score=score), model)
        except ModelError as error:
            said = str(error)
        return Outcome(said, len(speaker.probes) - before, len(speaker.items), model.scales)
