"""Reading what OpenAI-compatible servers send: tokens, costs, log-probabilities.

What should be there and is not, or is not what it should be, is `Unsound`: a sentence about the server.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import exp, inf, log
from typing import Any

from otherminds.models import Finish, Prompt, Usage, Weighing
from otherminds.models.api.wire import Unanswered, Unsound
from otherminds.models.gate import MOST_TOKENS, is_logprob, is_placeholder, is_text
from otherminds.models.weighing import log_sum

LIKELY_VARIANTS = 2
"""Tokens that read as one label: with a space and without. Others are too rare to be worth a wider bound."""
CLOSE = 0.01
"""Bounds no further apart than this, in log-probability, are one number."""
_ALIKE = 0.05
"""Numbers of one token in one reply lie no further apart."""
HIDDEN = 1e-3
"""The probability that servers may lose by rounding what they report."""
LOST = 2
"""Next tokens that a server may list fewer than usual: two that are spelt alike become one."""
_FINISHES: dict[str, Finish] = {
    **dict.fromkeys(("none", "stop", "eos", "eos_token", "stop_sequence", "end_turn", "complete"), "stop"),
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
            raise Unsound(f"the server's answer has no {where}; is it OpenAI-compatible?") from None
    return found


def written(data: Any) -> tuple[str, Finish]:
    """The text of an answer, and how it ended."""
    first = _only(data)
    message = first.get("message") if "message" in first else {"content": first.get("text")}
    if not isinstance(message, dict):
        raise Unsound(f"the server sent {type(message).__name__} for a message; is it OpenAI-compatible?")
    if refusal := message.get("refusal"):
        return _text(refusal), "refused"
    ended = str(first.get("finish_reason")).lower()
    if ended not in _FINISHES:
        raise Unsound(f"the server ended the text with {ended!r}, which is neither its end nor its greatest length")
    finish = _FINISHES[ended]
    content = message.get("content")
    # Where thinking took all the room, or a filter stepped in, there is no text; elsewhere there should be one.
    if content is None and finish == "stop":
        raise Unsound("the server's answer has no text; is it OpenAI-compatible?")
    return _text(content), finish


def _text(content: Any) -> str:
    """A content in words; some servers send it in parts, of which not all are text."""
    if isinstance(content, list) and content and all(isinstance(each, dict) for each in content):
        return "".join(_text(each.get("text")) for each in content)
    if content is None:
        return ""
    if not is_text(content):
        kind = "a text that no file can hold" if isinstance(content, str) else f"{type(content).__name__} for a text"
        raise Unsound(f"the server sent {kind}; is it OpenAI-compatible?")
    return str(content)


def _only(data: Any) -> Mapping[str, Any]:
    """The one choice of an answer, if nothing went wrong with it."""
    choices = part(data, "choices")
    if not isinstance(choices, list) or len(choices) != 1:
        raise Unsound("the server's answer has no choices, or not just one; is it OpenAI-compatible?")
    first = choices[0]
    if not isinstance(first, dict):
        raise Unsound("the server's answer is empty; is it OpenAI-compatible?")
    if error := first.get("error"):
        raise Unsound(f"the server broke off: {_object(error).get('message') or error}")
    return first


def _object(data: Any) -> Mapping[str, Any]:
    return data if isinstance(data, dict) else {}


def usage(data: Mapping[str, Any]) -> Usage:
    """The tokens that an answer cost, as far as the server says so in numbers that can be."""
    said = _object(data.get("usage"))
    cached = _object(said.get("prompt_tokens_details")).get("cached_tokens")
    counts = (said.get("prompt_tokens"), cached, said.get("completion_tokens"))
    return Usage(*(count if type(count) is int and 0 <= count < MOST_TOKENS else 0 for count in counts))


def thought(data: Any) -> int:
    """How many of the tokens of an answer were thought before it, as far as the server says so."""
    said = _object(_object(data.get("usage")).get("completion_tokens_details")).get("reasoning_tokens")
    return said if type(said) is int and 0 <= said < MOST_TOKENS else 0


class Listed(dict[str, float]):
    """Next tokens by how they read, with their log-probabilities; `least` counts what is listed twice at its lowest."""

    least: Mapping[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """What a reply says of one position: the token that was drawn, and all that are listed; some may read alike."""

    drawn: str
    entries: Sequence[tuple[str, str, Any]]
    """Each as it reads, with its bytes where they are shown, and with what should be its log-probability."""

    def listed(self) -> Listed:
        """What was measured."""
        values: dict[str, dict[str, list[float]]] = {}
        for token, spelt, value in self.entries:
            if not is_placeholder(value):
                if not is_logprob(value):
                    raise Unsound(
                        f"the server reports a log-probability of {str(value)[:40]!r}; is it OpenAI-compatible?"
                    )
                values.setdefault(token, {}).setdefault(spelt, []).append(float(value))
        found = Listed((token, log_sum([*chain(*each.values())])) for token, each in values.items())
        if len(found) < min(2, len({token for token, _, _ in self.entries})) and all(
            value > -CLOSE for value in found.values()
        ):
            raise Unsound("the server reports one token as certain and no number for others, as at a temperature of 0")
        found.least = {token: log_sum([*map(min, each.values())]) for token, each in values.items()}
        return found


def reported(data: Any, *, asked: int, usual: int = 0, sound: bool = True) -> Listed:
    """The next tokens that an answer reports, with their log-probabilities, which need not be `sound` for a trial.

    `asked` is how many were asked for, `usual` how many this server listed before.
    """
    first = _only(data)
    steps = positions(first.get("logprobs"))
    if not steps and _FINISHES.get(str(first.get("finish_reason")).lower()) == "refused":
        raise Unsound("the server's filter keeps the answer back", code="content_filter")
    if not steps or not steps[0].entries:
        raise Unsound(
            "the server reports no log-probabilities, so nothing can be weighed; score by text, or use a server that"
            " has them (llama.cpp, vLLM, SGLang)",
            lacking=True,
        )
    if len(steps) > 1:
        raise Unsound("the server reports log-probabilities of more than the one token that was asked for")
    names = dict.fromkeys((token for token, _, _ in steps[0].entries), -1e3)
    found, number = steps[0].listed() if sound else Listed(names), len(names)
    # The token that was drawn may be listed beside those asked for.
    if not usual - LOST <= number <= max(asked, usual) + 1:
        few = f"{number} next tokens where {asked} were asked for"
        raise Unsound(f"the server reports {few} and it listed {usual or 'some'} before")
    if sum(map(exp, found.values())) > 1 + LOST * HIDDEN:
        raise Unsound("the server reports next tokens whose probabilities are more than 1 together")
    return found


def positions(given: Any) -> list[Position]:
    """The positions of a reply, in either of the two shapes that are in use."""
    steps, tops, names = (_object(given).get(name) for name in ("content", "top_logprobs", "tokens"))
    if steps is None and isinstance(tops, list) and all(isinstance(top, dict | None) for top in tops):
        drawn = names if isinstance(names, list) and len(names) == len(tops) else [""] * len(tops)
        tables = [[(token, "", value) for token, value in (top or {}).items()] for top in tops]
        return [Position(str(name), table) for name, table in zip(drawn, tables, strict=True)]
    found = []
    for step in steps if isinstance(steps, list) else () if steps is tops is None else [None]:
        listed = _object(step).get("top_logprobs")
        if not isinstance(listed, list) or not all(isinstance(token, dict) for token in listed):
            raise Unsound("the server reports next tokens that are none; is it OpenAI-compatible?")
        entries = [(str(each.get("token")), str(each.get("bytes")), each.get("logprob")) for each in [*listed, step]]
        # The token that was drawn is mostly one of those that are listed.
        *others, own = entries
        found.append(Position(own[0], others if any(_same(own, each) for each in others) else entries))
    return found


def _same(one: tuple[str, str, Any], other: tuple[str, str, Any]) -> bool:
    """Whether two entries are of one token, as far as servers round alike."""
    close = one[2] == other[2] or (is_logprob(one[2]) and is_logprob(other[2]) and abs(one[2] - other[2]) < _ALIKE)
    return one[:2] == other[:2] and close


def counted(
    prompt: Prompt, found: Mapping[str, float], spent: Usage, *, spelt: Iterable[str] | None = None
) -> Weighing:
    """Labels weighed by the tokens that read so; a token that was not reported widens bounds, and is never zero.

    `spelt` are all tokens that read as one of the labels, where they are known.
    """
    logprobs, tokens, bounds = {}, {}, {}
    least = (found.least if isinstance(found, Listed) else None) or found
    left = log(max(1 - sum(map(exp, found.values())), HIDDEN))
    known = None if spelt is None else [_reads(token) for token in spelt]
    for label in prompt.choices:
        seen = tuple(token for token in found if _reads(token) == label)
        unseen = (LIKELY_VARIANTS if known is None else known.count(label)) - len(seen)
        low = log_sum([least[token] for token in seen])
        # A token that was not reported is at most as likely as the least likely one that was, and all such tokens
        # together have what is left of the whole.
        more = min(min(found.values()) + log(unseen), left) if unseen > 0 else -inf
        high = max(low, min(log_sum([*(found[token] for token in seen), more]), 0.0))
        if seen:
            logprobs[label], tokens[label] = low, seen
        if not seen or high > low + CLOSE:
            bounds[label] = (low, high)
    return Weighing(logprobs, tokens, bounds, spent)


def _reads(token: str) -> str:
    # Some servers show a token's own spelling, where these two letters stand for a space.
    return token.replace("▁", " ").replace("Ġ", " ").lstrip()


def chances(data: Any, number: int, *, sound: bool = True) -> list[float]:
    """So many probabilities, as a server that scores given tokens sends them; for a trial, they need not be `sound`."""
    scores = part(data, "scores", 0)
    if not isinstance(scores, list) or len(scores) != number:
        raise Unsound(f"the server sent no {number} scores where {number} tokens were asked for")
    for score in scores:
        if isinstance(score, bool) or not isinstance(score, int | float) or (sound and not 0 <= score <= 1 + HIDDEN):
            raise Unsound(f"the server sent {str(score)[:40]!r} for a probability")
    return [float(score) for score in scores]


def token_numbers(data: Any) -> tuple[int, ...]:
    """The tokens of a text, by their numbers."""
    numbers = part(data, "tokens")
    if not isinstance(numbers, list) or not all(type(number) is int and number >= 0 for number in numbers):
        raise Unsound("the server sent tokens that are no numbers; is it OpenAI-compatible?")
    return tuple(numbers)


def echo_tokens(data: Any, whole: str) -> tuple[list[str], list[Any], int]:
    """The tokens of an echoed prompt and what is new, their log-probabilities, and how many are the prompt's."""
    first = _only(data)
    given = _object(first.get("logprobs"))
    tokens, values = given.get("tokens"), given.get("token_logprobs")
    if not str(first.get("text", "")).startswith(whole) or not tokens or not values:
        raise Unsound(
            "this server does not report the log-probabilities of a prompt, so continuations cannot be weighed; "
            "use labels, or a server that has them (llama.cpp, vLLM, SGLang)",
            lacking=True,
        )
    if not isinstance(tokens, list) or not isinstance(values, list) or len(tokens) != len(values):
        raise Unsound("the server does not report one log-probability a token")
    tokens = list(map(str, tokens))
    # The last one is new, unless the model had nothing to add.
    return tokens, values, len(tokens) - (not "".join(tokens).endswith(whole) or tokens[-1:] == [""])


def echoed(data: Any, text: str, choice: str) -> list[tuple[str, float]]:
    """The tokens of a choice at the end of an echoed prompt, with their log-probabilities: all of it, or nothing."""
    tokens, values, last = echo_tokens(data, text + choice)
    # Nothing comes before the first token, so that it alone has none.
    if None in values[1:last] or (values[0] is not None and values[-1] is None):
        raise Unsound("the server reports no log-probability at another place than the first, as if all were shifted")
    # From the end, because a server may or may not show the token that begins every text.
    steps: list[tuple[str, float]] = []
    rest = choice
    for token, value in zip(tokens[:last][::-1], values[:last][::-1], strict=True):
        if not rest:
            break
        if not rest.endswith(token):
            # Nothing is wrong with the reply, so it is not asked for again.
            raise Unanswered(f"the choice {choice!r} shares a token with the end of the prompt; begin it at a space")
        if not is_logprob(value) or is_placeholder(value):
            raise Unsound(f"the server reports a log-probability of {str(value)[:40]!r} for {token!r}")
        steps.insert(0, (token, float(value)))
        rest = rest[: len(rest) - len(token)]
    if rest:
        raise Unsound(f"the server does not report all tokens of {choice!r}")
    return steps
