"""The right answers of the fault server: all come from a hash of the prompt, so that a calm run is known item by item.

Tokens are words with the space before them. `/tokenize`, echoed prompts and labels go by the same ones.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import exp, log
from typing import Any

MODEL = "m"
OWNERS = {"vllm": "vllm", "sglang": "sglang", "llama.cpp": "llamacpp", "other": "somebody"}
LABELS = (" A", "A", " B", "B")
OTHERS = (
    *(" café", " the", " a", " It", " I", "\n", " In", "The", " box", " red", " there", " Sally", " Anne", " C", "C"),
    *("1", " 1", " None", " Both", " yes", " no", " because", " which", " answer", " (", " left", " right", ":"),
)
"""What else may come next; one of them is no ASCII, so that a wrong encoding shows."""
_PIECE = re.compile(r" ?\S+|\s")
_names: dict[int, str] = {1: ""}


def fraction(*parts: object) -> float:
    """A number from 0 to 1 that depends on nothing but these parts."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:6], "big") / 2**48


def pieces(text: str) -> list[str]:
    """A text as tokens."""
    return _PIECE.findall(text)


def number(token: str) -> int:
    """A token's number."""
    found = 2 + int.from_bytes(hashlib.sha256(token.encode()).digest()[:3], "big")
    _names[found] = token
    return found


@lru_cache(maxsize=50_000)
def table(text: str) -> Mapping[str, float]:
    """The likeliest tokens after a text, with their log-probabilities, likeliest first.

    After one text in four the letters get no favour, so that some are not among those that are reported.
    """
    favour = 3.0 if fraction(text, "plain") < 0.75 else 0.0
    weights = {token: 4 * fraction(text, token) + favour * (token in LABELS) for token in (*LABELS, *OTHERS)}
    weights[" café"] += 3.0
    whole = log(sum(map(exp, weights.values())) / 0.97)
    ranked = sorted(weights, key=weights.__getitem__, reverse=True)
    return {token: round(weights[token] - whole, 6) for token in ranked}


def logprob(text: str, token: str) -> float:
    """The log-probability of one token after a text."""
    return table(text).get(token) or round(-6 - 4 * fraction(text, token), 6)


def written(text: str) -> str:
    """What is answered to a prompt: a letter in one of several dresses."""
    letter = "AB"[fraction(text, "letter") < 0.5]
    dresses = (letter, f" {letter}", f"{letter}.", f"The answer is {letter}.", f"Answer: {letter} (naïvely)")
    return dresses[int(fraction(text, "dress") * len(dresses))]


def models(kind: str) -> dict[str, Any]:
    """What a server of a kind says to GET /v1/models."""
    return {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": OWNERS[kind]}]}


def about(kind: str, path: str) -> dict[str, Any] | None:
    """What a server of a kind says of itself at a path; None if it has no such path."""
    known = {
        ("vllm", "/version"): {"version": "0.11.0"},
        ("sglang", "/get_server_info"): {"version": "0.5.3"},
        ("llama.cpp", "/props"): {"build_info": "b6000", "chat_template": "{{ messages }}"},
    }
    return known.get((kind, path))


def answer(kind: str, path: str, body: dict[str, Any], serial: str) -> dict[str, Any] | None:
    """The right reply of a server of a kind to a POST; None if it has no such path."""
    if path == "/v1/completions":
        return _completion(kind, body, serial)
    if path == "/v1/chat/completions":
        return _chat(kind, body, serial)
    if path == "/tokenize" and kind != "other":
        start = [1] if body.get("add_special") else []
        ids = [*start, *map(number, pieces(body["content"] if kind == "llama.cpp" else body["prompt"]))]
        return {"tokens": ids} if kind == "llama.cpp" else {"tokens": ids, "count": len(ids), "max_model_len": 4096}
    if path == "/v1/score" and kind == "sglang":
        chances = [round(exp(logprob(body["query"], _names[each])), 9) for each in body["label_token_ids"]]
        return {"scores": [chances], "model": MODEL, "usage": _usage(body["query"], 0), "object": "scoring"}
    if path == "/apply-template" and kind == "llama.cpp":
        return {"prompt": "".join(f"[{turn['role']}] {turn['content']}\n" for turn in body["messages"]) + "[assistant]"}
    return None


def _completion(kind: str, body: dict[str, Any], serial: str) -> dict[str, Any]:
    prompt = body["prompt"]
    text = prompt if isinstance(prompt, str) else "".join(_names[each] for each in prompt)
    new, finish = _new(text, body)
    choice: dict[str, Any] = {"index": 0, "text": new, "finish_reason": finish, "logprobs": None}
    if body.get("echo"):
        choice["text"] = text + new
        choice["logprobs"] = _echo(text, [new])
    elif "logprobs" in body and kind == "llama.cpp":
        token = _names[int(next(iter(body["logit_bias"])))] if body.get("logit_bias") else new
        choice |= {"text": token, "logprobs": {"content": [_listed(text, token, body["logprobs"])]}}
    elif "logprobs" in body:
        asked = _asked(text, new, body, body["logprobs"])
        choice["logprobs"] = {
            "tokens": [new],
            "token_logprobs": [logprob(text, new)],
            "top_logprobs": [asked],
            "text_offset": [len(text)],
        }
    return _envelope("text_completion", f"cmpl-{serial}", choice, text, new)


def _chat(kind: str, body: dict[str, Any], serial: str) -> dict[str, Any]:
    text = json.dumps([[turn["role"], turn["content"]] for turn in body["messages"]], ensure_ascii=False)
    new, finish = _new(text, body)
    message = {"role": "assistant", "content": new}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    if body.get("logprobs"):
        asked = _asked(text, new, body, body["top_logprobs"])
        listed = [{"token": token, "logprob": value, "bytes": None} for token, value in asked.items()]
        choice["logprobs"] = {"content": [{**listed[0], "top_logprobs": listed}]}
    return _envelope("chat.completion", f"chatcmpl-{serial}", choice, text, new)


def _new(text: str, body: dict[str, Any]) -> tuple[str, str]:
    """The new text and why it ended; without a greatest length it rambles on."""
    if body.get("max_tokens") == 1:
        return next(iter(table(text))), "length"
    return (written(text), "stop") if "max_tokens" in body else (f"{written(text)} And so on and on", "length")


def _asked(text: str, new: str, body: dict[str, Any], most: int) -> dict[str, float]:
    """The log-probabilities that are reported: of tokens that were asked for by number, else of the likeliest."""
    if "logprob_token_ids" not in body:
        return dict(list(table(text).items())[:most])
    return {f"token_id:{each}": logprob(text, _names[each]) for each in [number(new), *body["logprob_token_ids"]]}


def _echo(text: str, new: Sequence[str]) -> dict[str, Any]:
    tokens, values, past = [*pieces(text), *new], [], ""
    for token in tokens:
        values.append(logprob(past, token) if past else None)
        past += token
    tops = [None if value is None else {token: value} for token, value in zip(tokens, values, strict=True)]
    return {"tokens": tokens, "token_logprobs": values, "top_logprobs": tops}


def _listed(text: str, token: str, most: int) -> dict[str, Any]:
    def entry(each: str) -> dict[str, Any]:
        return {"id": number(each), "token": each, "logprob": logprob(text, each)}

    return {**entry(token), "top_logprobs": [entry(each) for each in list(table(text))[:most]]}


def _envelope(kind: str, serial: str, choice: dict[str, Any], text: str, new: str) -> dict[str, Any]:
    usage = _usage(text, len(pieces(new)))
    head = {"id": serial, "object": kind, "created": 1_700_000_000, "model": MODEL}
    return {**head, "choices": [choice], "usage": usage}


def _usage(text: str, new: int) -> dict[str, int]:
    before = len(pieces(text))
    return {"prompt_tokens": before, "completion_tokens": new, "total_tokens": before + new}
