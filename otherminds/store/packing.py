"""What a store keeps of a call: its key, its result as JSON, and both of them back, also where a server is away."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from math import inf, isfinite
from typing import Any, NoReturn

from otherminds.errors import EndpointError, StoreError
from otherminds.models import Message, Model, Origin, Prompt, Response, Usage, Verb, Weighing
from otherminds.models.gate import fault
from otherminds.models.scripted import Scripted
from otherminds.store.store import Call, Store

Result = Response | Weighing


def call_key(fingerprint: str, verb: Verb, prompt: Prompt) -> str:
    """sha256 of who is asked, how, and what."""
    return key_of(fingerprint, verb, prompt.to_dict())


def key_of(fingerprint: str, verb: str, prompt: Mapping[str, Any]) -> str:
    """The same, of a prompt as JSON."""
    canonical = {"fingerprint": fingerprint, "verb": verb, "prompt": prompt}
    return hashlib.sha256(json.dumps(canonical, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def recall(store: Store, wanted: Mapping[str, Prompt]) -> tuple[dict[str, Result], set[str]]:
    """What a store remembers of these calls, by key; and the keys of those whose answer cannot be used."""
    found: dict[str, Result] = {}
    damaged: set[str] = set()
    for key, call in store.calls(wanted, damaged=damaged).items():
        try:
            result = unpack(call)
        except StoreError:
            damaged.add(key)
            continue
        if fault(wanted[key], result):
            damaged.add(key)
        else:
            found[key] = result
    return found, damaged


def pack(result: Result) -> dict[str, Any]:
    """A result as JSON, without the rendered text, which has a column of its own."""
    spent = result.usage
    usage = {"prompt": spent.prompt, "cached": spent.cached, "written": spent.written}
    origin = {"origin": result.origin.to_dict()} if result.origin else {}
    if isinstance(result, Response):
        thought = {"thought": result.thought} if result.thought else {}
        return {"text": result.text, "finish": result.finish, "usage": usage, **thought, **origin}
    return {
        "logprobs": {choice: _number(value) for choice, value in result.logprobs.items()},
        "tokens": {choice: list(tokens) for choice, tokens in result.tokens.items()},
        "bounds": {choice: [_number(low), _number(high)] for choice, (low, high) in result.bounds.items()},
        "usage": usage,
        **origin,
    }


def unpack(call: Call) -> Result:
    """The result that was packed into a call."""
    try:
        return _unpack(call)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise StoreError(
            f"the call {call.key[:10]} in the store is damaged ({error!r}); restore a copy of it or use another store"
        ) from None


def _unpack(call: Call) -> Result:
    data, usage = call.result, Usage(**call.result["usage"])
    origin = Origin(**data["origin"]) if "origin" in data else None
    if call.verb == "ask":
        thought = data.get("thought", 0)
        return Response(data["text"], data["finish"], usage, call.rendered, thought=thought, origin=origin)
    return Weighing(
        {choice: _unnumber(value) for choice, value in data["logprobs"].items()},
        {choice: tuple(tokens) for choice, tokens in data["tokens"].items()},
        {choice: (_unnumber(low), _unnumber(high)) for choice, (low, high) in data["bounds"].items()},
        usage,
        call.rendered,
        origin=origin,
    )


def unpack_prompt(data: Mapping[str, Any]) -> Prompt:
    """The prompt that `to_dict` wrote."""
    parts: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in data.items()}
    parts["messages"] = tuple(Message(*turn) for turn in data.get("messages", ()))
    return Prompt(**parts)


def _number(value: float) -> float | None:
    """A log-probability as JSON, which has no word for minus infinity."""
    return value if isfinite(value) else None


def _unnumber(value: float | None) -> float:
    return -inf if value is None else value


TOLD_BY_SERVER = ("server", "says", "form", "served")
"""Of the identity, what only the server itself can say."""


def remembered(model: Model, store: Store, why: str) -> Scripted | None:
    """A model whose server is away, as the store knows it: the last asked at this address with these settings.

    Whoever has one machine serves models one after another. A run of a model that is not served now is whole as long as
    it asks nothing that the store lacks; else it fails, and `why` says where the server is.
    """

    def refuse(_: Prompt) -> NoReturn:
        raise EndpointError(f"{why}, and the store lacks some answers of {model.name}; serve it and ask again")

    settings: Mapping[str, Any] = getattr(model, "settings", {})
    for row in store.runs():
        known = store.identity(row.fingerprint)
        own = {name: value for name, value in known.items() if name not in TOLD_BY_SERVER}
        if "thinking" not in settings:
            own.pop("thinking", None)  # found out by asking, and not set by anybody
        if settings and own == dict(settings):
            found = Scripted(refuse, name=model.name, weigh=refuse, batch=1)
            found.identity, found.cannot = known, frozenset(row.manifest.get("cannot", ()))
            return found
    return None
