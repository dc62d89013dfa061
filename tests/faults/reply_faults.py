"""Faults of what a reply says: its envelope, its log-probabilities, label endpoints, and keys that come back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.faults import truth
from tests.faults.server import Exchange, Fault

Change = Callable[[dict[str, Any]], object]
"""Changes a part of a reply in place; false if there was nothing to change."""


def reply(change: Change) -> Fault:
    """A change to any reply with choices."""

    def fault(exchange: Exchange) -> object:
        if not isinstance(exchange.right, dict) or "choices" not in exchange.right or change(exchange.right) is False:
            return False
        return exchange.say(exchange.right, exchange.status)

    return fault


def choice(change: Change) -> Fault:
    """A change to the only choice."""
    return reply(lambda data: change(data["choices"][0]))


def put(name: str, value: Any) -> Change:
    """One field with another value."""
    return lambda part: part.update({name: value})


def drop(name: str) -> Change:
    """A field less."""
    return lambda part: part.pop(name, False)


# ── envelope ──


def tripled(data: dict[str, Any]) -> None:
    """The same choice three times."""
    data["choices"] = [{**data["choices"][0], "index": place} for place in range(3)]


def foreign_first(data: dict[str, Any]) -> None:
    """Two choices too many, which say something else and stand first; the right one has the index 0."""
    right = data["choices"][0]
    data["choices"] = [{**_other(right), "index": 2}, {**_other(right), "index": 1}, right]


def _other(right: dict[str, Any]) -> dict[str, Any]:
    """A choice that nobody was asked for: one letter, always the same, as text and as log-probability."""
    tokens = {" A": -0.1, "A": -4.0, " B": -5.0, "B": -6.0, " a": -7.0}
    listed = [{"token": token, "logprob": value, "id": truth.number(token)} for token, value in tokens.items()]
    old = right.get("logprobs")
    new = None if old is None else {"tokens": [" A"], "token_logprobs": [-0.1], "top_logprobs": [tokens]}
    if old is not None and "content" in old:
        new = {"content": [{**listed[0], "top_logprobs": listed}]}
    said = {"message": {"role": "assistant", "content": "A"}} if "message" in right else {"text": "A"}
    return {**right, **said, "logprobs": new}


def content(value: Any) -> Fault:
    """Another value in place of a text."""

    def change(part: dict[str, Any]) -> None:
        if "message" in part:
            part["message"]["content"] = value(part["message"]["content"])
        else:
            part["text"] = value(part["text"])

    return choice(change)


def message_list(part: dict[str, Any]) -> object:
    """A list of messages where there should be one."""
    if "message" not in part:
        part["text"] = [part["text"]]
        return None
    part["message"] = [part["message"]]
    return None


def tool_calls(part: dict[str, Any]) -> object:
    """A call of a tool that nobody offered, and no content."""
    if "message" not in part:
        return False
    call = {"id": "call-1", "type": "function", "function": {"name": "answer", "arguments": '{"letter": "A"}'}}
    part["message"] = {"role": "assistant", "content": None, "tool_calls": [call]}
    part["finish_reason"] = "tool_calls"
    part["logprobs"] = None
    return None


def filtered(part: dict[str, Any]) -> None:
    """The server's filter keeps the answer back, and says so."""
    part |= {"finish_reason": "content_filter", "logprobs": None}
    if "message" in part:
        part["message"]["content"] = None
    else:
        part["text"] = ""


def cut_short(part: dict[str, Any]) -> None:
    """The text was cut off at its greatest length, and the server says so."""
    part["finish_reason"] = "length"
    if "message" in part:
        part["message"]["content"] = part["message"]["content"][:3]
    else:
        part["text"] = part["text"][:3]


# ── log-probabilities ──


def weights(change: Callable[[dict[str, Any], Exchange], object]) -> Fault:
    """A change to the log-probabilities of a reply that has some."""

    def fault(exchange: Exchange) -> object:
        data = exchange.right
        if not isinstance(data, dict) or "choices" not in data or not data["choices"][0].get("logprobs"):
            return False
        if change(data["choices"][0], exchange) is False:
            return False
        return exchange.say(data)

    return fault


def each(change: Callable[[float], Any]) -> Fault:
    """Other values in place of numbers: after half of the prompts in place of one that counts, else of all."""

    def changed(part: dict[str, Any], exchange: Exchange) -> None:
        every = truth.fraction(exchange.prompt, "every") < 0.5
        given = part["logprobs"]
        if "content" in given:
            step = given["content"][0]
            for entry in [step, *step["top_logprobs"]]:
                if every or _counts(entry, step):
                    entry["logprob"] = change(entry["logprob"])
        elif exchange.request.body.get("echo"):
            values = given["token_logprobs"]
            # The last one is new, and the one before it ends the choice.
            for place in range(1, len(values)) if every else [len(values) - 2]:
                values[place] = change(values[place])
        else:
            top = given["top_logprobs"][0]
            for token in top:
                if every or _is_a(token):
                    top[token] = change(top[token])

    return weights(changed)


def _counts(entry: dict[str, Any], step: dict[str, Any]) -> bool:
    """Whether an entry is what was asked for by number, or reads as the first letter."""
    return entry["id"] == step["id"] if "id" in entry else _is_a(entry["token"])


def _is_a(token: str) -> bool:
    return token.strip() == "A" or token in (f"token_id:{truth.number('A')}", f"token_id:{truth.number(' A')}")


def empty(part: dict[str, Any], _: Exchange) -> None:
    """Log-probabilities are there, but none in them."""
    part["logprobs"] = {name: [] for name in part["logprobs"]}


def too_few(part: dict[str, Any], exchange: Exchange) -> None:
    """Fewer tokens than were asked for."""
    given = part["logprobs"]
    if "content" in given:
        step = given["content"][0]
        step["top_logprobs"] = step["top_logprobs"][:2]
        if "id" in step:
            given["content"] = []
    elif exchange.request.body.get("echo"):
        given["token_logprobs"] = given["token_logprobs"][:-2]
        if truth.fraction(exchange.prompt, "both") < 0.5:
            given["tokens"], given["top_logprobs"] = given["tokens"][:-2], given["top_logprobs"][:-2]
    else:
        given["top_logprobs"] = [dict(list(given["top_logprobs"][0].items())[:2])]


def too_many(part: dict[str, Any], exchange: Exchange) -> None:
    """More places than were asked for."""
    given = part["logprobs"]
    if "content" in given:
        given["content"] = [*given["content"], *_other(part)["logprobs"]["content"]]
        return
    more = 2 if truth.fraction(exchange.prompt, "both") < 0.5 else 0
    given["tokens"] += [" and", " so"][:more]
    given["token_logprobs"] += [-0.5, -0.5]
    given["top_logprobs"] += [{" A": -0.1, " B": -3.0}] * 2


def not_echoed(part: dict[str, Any], exchange: Exchange) -> object:
    """The new token alone, as if nobody had asked for the prompt."""
    if not exchange.request.body.get("echo"):
        return False
    part["text"] = part["logprobs"]["tokens"][-1]
    part["logprobs"] = {name: values[-1:] for name, values in part["logprobs"].items()}
    return None


# ── label endpoints ──


def tokens(value: Callable[[list[int]], Any]) -> Fault:
    """Something else than a list of numbers from /tokenize."""

    def fault(exchange: Exchange) -> object:
        if exchange.request.path != "/tokenize":
            return False
        return exchange.say({**exchange.right, "tokens": value(exchange.right["tokens"])})

    return fault


def scores(value: Callable[[list[float]], Any]) -> Fault:
    """Something else than one number a label from /v1/score."""

    def fault(exchange: Exchange) -> object:
        if exchange.request.path != "/v1/score":
            return False
        return exchange.say({**exchange.right, "scores": value(exchange.right["scores"][0])})

    return fault


def as_dict(part: dict[str, Any], _: Exchange) -> object:
    """A dictionary where llama.cpp has a list."""
    if "content" not in part["logprobs"]:
        return False
    part["logprobs"]["content"] = {"0": part["logprobs"]["content"][0]}
    return None


def id_missing(part: dict[str, Any], _: Exchange) -> object:
    """All log-probabilities save the one that was asked for by number."""
    if "content" not in part["logprobs"]:
        return False
    step = part["logprobs"]["content"][0]
    others = [entry for entry in step["top_logprobs"] if entry["token"] != step["token"]]
    part["logprobs"]["content"] = [{**others[0], "top_logprobs": others}]
    return None


# ── keys that come back ──


def key_in_error(status: int) -> Fault:
    """The key in the words of an error."""

    def fault(exchange: Exchange) -> None:
        said = f"could not handle Authorization: {_key(exchange)} for this request"
        exchange.say({"error": {"message": said, "code": status}}, status)

    return fault


def key_beside(exchange: Exchange) -> object:
    """The key in a field of no meaning beside the right answer."""
    return isinstance(exchange.right, dict) and exchange.say({**exchange.right, "debug": {"sent": _key(exchange)}})


def key_in_text(exchange: Exchange) -> object:
    """The key at the end of the answer."""
    return content(lambda text: f"{text}\nAuthorization: {_key(exchange)}")(exchange)


def key_in_usage(exchange: Exchange) -> object:
    """The key in place of a count."""
    return reply(put("usage", {"prompt_tokens": _key(exchange), "completion_tokens": 1}))(exchange)


def key_in_finish(exchange: Exchange) -> object:
    """The key in place of the reason why a text ended."""
    return choice(put("finish_reason", _key(exchange)))(exchange)


def _key(exchange: Exchange) -> str:
    return exchange.request.headers.get("authorization", "")
