"""Reading what OpenAI-compatible servers send: tokens, costs, log-probabilities.

What should be there and is not becomes a sentence about the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import exp, inf, log
from typing import Any

from otherminds.errors import Unable
from otherminds.models import Finish, Prompt, Usage, Weighing
from otherminds.models.wire import Rejected, Unanswered

LIKELY_VARIANTS = 2
"""Tokens that read as one label: with a space and without. Others are too rare to be worth a wider bound."""
CLOSE = 0.01
"""Bounds no further apart than this, in log-probability, are one number."""
HIDDEN = 1e-3
"""The probability that servers may lose by rounding what they report."""
_FINISHES: dict[str, Finish] = {
    **dict.fromkeys(("none", "stop", "eos", "eos_token", "stop_sequence", "end_turn", "complete"), "stop"),
    **dict.fromkeys(("tool_calls", "function_call"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "model_length"), "length"),
    **dict.fromkeys(("content_filter", "safety", "refusal"), "refused"),
}
"""By a server's word for how a text ended."""


def part(data: Any, *path: str | int) -> Any:
    """A part of a server's answer; one that is not there is the server's fault, said in a sentence."""
    found = data
    for step in path:
        try:
            found = found[step]
        except (KeyError, IndexError, TypeError):
            where = ".".join(map(str, path))
            raise Unanswered(f"the server's answer has no {where}; is it OpenAI-compatible?") from None
    return found


def written(data: Mapping[str, Any]) -> tuple[str, Finish]:
    """The text of an answer, and how it ended."""
    first = _first(data)
    message = _object(first.get("message"))
    if refusal := message.get("refusal"):
        return str(refusal), "refused"
    ended = str(first.get("finish_reason")).lower()
    if ended not in _FINISHES:
        raise Unanswered(f"the server ended the text with {ended!r}, which is neither its end nor its greatest length")
    return _text(message.get("content") if "message" in first else first.get("text")), _FINISHES[ended]


def _text(content: Any) -> str:
    """A content in words; some servers send it in parts, of which not all are text."""
    if isinstance(content, list):
        return "".join(_text(_object(each).get("text")) for each in content)
    if not isinstance(content, str | None):
        raise Unanswered(f"the server sent {type(content).__name__} for a text; is it OpenAI-compatible?")
    return content or ""


def _first(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """The only choice of an answer, if nothing went wrong with it."""
    first = part(data, "choices", 0)
    if not isinstance(first, dict):
        raise Unanswered("the server's answer is empty; is it OpenAI-compatible?")
    if error := first.get("error"):
        raise Unanswered(f"the server broke off: {_object(error).get('message') or error}")
    return first


def _object(data: Any) -> Mapping[str, Any]:
    return data if isinstance(data, dict) else {}


def _list(data: Any) -> Sequence[Any]:
    return data if isinstance(data, list) else []


def usage(data: Mapping[str, Any]) -> Usage:
    """The tokens that an answer cost, as far as the server says."""
    said = _object(data.get("usage"))
    cached = _object(said.get("prompt_tokens_details")).get("cached_tokens")
    counts = (said.get("prompt_tokens"), cached, said.get("completion_tokens"))
    return Usage(*(count if isinstance(count, int) else 0 for count in counts))


def add(one: Usage, other: Usage) -> Usage:
    """Two costs together."""
    return Usage(one.prompt + other.prompt, one.cached + other.cached, one.written + other.written)


def reported(data: Mapping[str, Any]) -> dict[str, float]:
    """The next tokens that an answer reports, with their log-probabilities; two shapes are in use."""
    first = _first(data)
    given = _object(first.get("logprobs"))
    if steps := _list(given.get("content")):
        step = _object(steps[0])
        listed = map(_object, [step, *_list(step.get("top_logprobs"))])
        found = {str(token.get("token")): token.get("logprob") for token in listed}
    else:
        found = dict(_object(next(iter(_list(given.get("top_logprobs"))), None)))
    # Some servers list tokens without a number.
    known = {token: float(value) for token, value in found.items() if isinstance(value, int | float)}
    if known:
        return known
    if _FINISHES.get(str(first.get("finish_reason")).lower()) == "refused":
        raise Unanswered("the server's filter keeps the answer back", code="content_filter")
    raise Unable(
        "the server reports no log-probabilities, so nothing can be weighed; score by text, or use a server that has"
        " them (llama.cpp, vLLM, SGLang)"
    )


def counted(
    prompt: Prompt, found: Mapping[str, float], spent: Usage, *, spelt: Iterable[str] | None = None
) -> Weighing:
    """Labels weighed by the tokens that read so; a token that was not reported widens bounds, and is never zero.

    `spelt` are all tokens that read as one of the labels, where they are known.
    """
    logprobs, tokens, bounds = {}, {}, {}
    left = log(max(1 - sum(map(exp, found.values())), HIDDEN))
    known = None if spelt is None else [_reads(token) for token in spelt]
    for label in prompt.choices:
        seen = tuple(token for token in found if _reads(token) == label)
        unseen = (LIKELY_VARIANTS if known is None else known.count(label)) - len(seen)
        low = log_sum([found[token] for token in seen])
        # A token that was not reported is at most as likely as the least likely one that was, and all such tokens
        # together have what is left of the whole.
        more = min(min(found.values()) + log(unseen), left) if unseen > 0 else -inf
        high = max(low, min(log_sum([low, more]), 0.0))
        if seen:
            logprobs[label], tokens[label] = low, seen
        if not seen or high > low + CLOSE:
            bounds[label] = (low, high)
    return Weighing(logprobs, tokens, bounds, spent)


def log_sum(values: Sequence[float]) -> float:
    """The logarithm of a sum of exponentials."""
    top = max(values, default=-inf)
    return top + log(sum(exp(value - top) for value in values)) if top > -inf else top


def _reads(token: str) -> str:
    # Some servers show a token's own spelling, where these two letters stand for a space.
    return token.replace("▁", " ").replace("Ġ", " ").lstrip()


def echoed(data: Mapping[str, Any], text: str, choice: str) -> list[tuple[str, float]]:
    """The tokens of a choice at the end of an echoed prompt, with their log-probabilities."""
    first = _first(data)
    given = _object(first.get("logprobs"))
    tokens, values = list(map(str, _list(given.get("tokens")))), _list(given.get("token_logprobs"))
    if not str(first.get("text", "")).startswith(text) or len(tokens) != len(values):
        raise Unable(
            "this server does not report the log-probabilities of a prompt, so continuations cannot be weighed; "
            "use labels, or a server that has them (llama.cpp, vLLM, SGLang)"
        )
    # The last one is new, unless the model had nothing to add.
    last = len(tokens) - (not "".join(tokens).endswith(text + choice) or tokens[-1:] == [""])
    # From the end, because a server may or may not show the token that begins every text.
    steps: list[tuple[str, float]] = []
    rest = choice
    for token, value in zip(tokens[:last][::-1], values[:last][::-1], strict=True):
        if not rest:
            break
        if not rest.endswith(token) or value is None:
            raise Rejected(f"the choice {choice!r} shares a token with the end of the prompt; begin it at a space")
        steps.insert(0, (token, value))
        rest = rest[: len(rest) - len(token)]
    return steps
