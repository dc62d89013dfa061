"""Reading what OpenAI-compatible servers send: tokens, costs, log-probabilities.

What should be there and is not becomes a sentence about the server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp, inf, log
from typing import Any

from otherminds.errors import EndpointError
from otherminds.models import Prompt, Usage, Weighing
from otherminds.models.wire import Rejected

LIKELY_VARIANTS = 2
"""Tokens that read as one label: with a space and without. Others are too rare to be worth a wider bound."""


def part(data: Any, *path: str | int) -> Any:
    """A part of a server's answer; one that is not there is the server's fault, said in a sentence."""
    found = data
    for step in path:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            where = ".".join(map(str, path))
            raise EndpointError(f"the server's answer has no {where}; is it OpenAI-compatible?") from None
    return found


def usage(data: Mapping[str, Any]) -> Usage:
    """The tokens that an answer cost, as far as the server says."""
    said = data.get("usage") or {}
    cached = (said.get("prompt_tokens_details") or {}).get("cached_tokens")
    return Usage(said.get("prompt_tokens") or 0, cached or 0, said.get("completion_tokens") or 0)


def add(one: Usage, other: Usage) -> Usage:
    """Two costs together."""
    return Usage(one.prompt + other.prompt, one.cached + other.cached, one.written + other.written)


def reported(data: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The next tokens that an answer reports, with their log-probabilities; two shapes are in use."""
    given = part(data, "choices", 0).get("logprobs") or {}
    if given.get("content"):
        step = given["content"][0]
        for token in [step, *(step.get("top_logprobs") or [])]:
            yield part(token, "token"), part(token, "logprob")
    elif any(given.get("top_logprobs") or []):
        yield from given["top_logprobs"][0].items()
    else:
        raise EndpointError(
            "the server reports no log-probabilities, so nothing can be weighed; score by text, or use a server "
            "that has them (llama.cpp, vLLM, SGLang)"
        )


def counted(prompt: Prompt, found: Mapping[str, float], spent: Usage) -> Weighing:
    """Labels weighed by the tokens that read so; a label that was not reported gets bounds, never zero."""
    tokens = {label: tuple(token for token in found if _reads(token) == label) for label in prompt.choices}
    # A token that was not reported is at most as likely as the least likely one that was, and all such tokens
    # together have what is left of the whole.
    left = 1 - sum(map(exp, found.values()))
    most = min(min(found.values()) + log(LIKELY_VARIANTS), log(left) if left > 0 else 0.0)
    return Weighing(
        logprobs={label: log_sum([found[token] for token in seen]) for label, seen in tokens.items() if seen},
        tokens={label: seen for label, seen in tokens.items() if seen},
        bounds={label: (-inf, most) for label, seen in tokens.items() if not seen},
        usage=spent,
    )


def log_sum(values: Sequence[float]) -> float:
    """The logarithm of a sum of exponentials."""
    top = max(values)
    return top + log(sum(exp(value - top) for value in values)) if top > -inf else top


def _reads(token: str) -> str:
    # Some servers show a token's own spelling, where these two letters stand for a space.
    return token.replace("▁", " ").replace("Ġ", " ").lstrip()


def echoed(data: Mapping[str, Any], text: str, choice: str) -> list[tuple[str, float]]:
    """The tokens of a choice at the end of an echoed prompt, with their log-probabilities."""
    first = part(data, "choices", 0)
    given = first.get("logprobs") or {}
    tokens, values = given.get("tokens") or [], given.get("token_logprobs") or []
    if not str(first.get("text", "")).startswith(text) or len(tokens) != len(values):
        raise EndpointError(
            "this server does not report the log-probabilities of a prompt, so continuations cannot be weighed; "
            "use labels, or a server that has them (llama.cpp, vLLM, SGLang)"
        )
    # From the end, because a server may or may not show the token that begins every text. The last one is new.
    steps: list[tuple[str, float]] = []
    rest = choice
    for token, value in zip(tokens[-2::-1], values[-2::-1], strict=True):
        if not rest:
            break
        if not rest.endswith(token) or value is None:
            raise Rejected(f"the choice {choice!r} shares a token with the end of the prompt; begin it at a space")
        steps.insert(0, (token, value))
        rest = rest[: len(rest) - len(token)]
    return steps
