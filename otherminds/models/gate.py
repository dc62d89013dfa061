"""The gate: what a result must be before anything is scored or kept.

Every backend's results pass it, so that a number on a page was measured or is not there. It knows nothing of servers:
what came over a wire is checked once more where it is read, against what was sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, inf, isfinite
from typing import Any, get_args

from otherminds.models import Finish, Prompt, Response, Usage, Weighing

ROUNDING = 1e-3
"""How far above 0 a log-probability, and above 1 a sum of probabilities, may lie: servers round what they report."""
LEAST = -1e6
"""No choice of ours is less likely; a number beyond is some other thing."""
LONGEST_TEXT = 4_000_000
"""Characters; no prompt of ours asks for a hundredth of that."""
MOST_TOKENS = 2**40
"""No call costs that many."""


def fault(prompt: Prompt, result: Response | Weighing) -> str:
    """What is wrong with a result, in words that follow "the reply"; empty if nothing is, or it says so itself."""
    if result.error:
        return ""
    wrong = _of_text(result) if isinstance(result, Response) else _of_weights(prompt, result)
    return wrong or _of_usage(result.usage)


def is_logprob(value: Any) -> bool:
    """Whether this is the logarithm of a probability above 0; a hair above 0 is rounding."""
    return isinstance(value, int | float) and not isinstance(value, bool) and LEAST <= value <= ROUNDING


def is_text(text: Any) -> bool:
    """Whether this is a text that any file can hold: no half of a letter, and nothing that ends a text for some."""
    if not isinstance(text, str) or len(text) > LONGEST_TEXT or "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _of_text(response: Response) -> str:
    if response.finish not in get_args(Finish) or response.finish == "error":
        return f"ends with {response.finish!r}, which is no way to end"
    return "" if is_text(response.text) else "holds a text that is too long or that no file can hold"


def _of_weights(prompt: Prompt, weighing: Weighing) -> str:
    weighed = {*weighing.logprobs, *weighing.bounds}
    if missing := sorted(set(prompt.choices) - weighed):
        return f"has no log-probability for {missing[0]!r}"
    if others := sorted(weighed - set(prompt.choices)):
        return f"has a log-probability for {others[0]!r}, which is none of the choices"
    for choice, value in weighing.logprobs.items():
        if not is_logprob(value):
            return f"has {value!r} for {choice!r}, which is no log-probability"
        if choice in weighing.tokens and not weighing.tokens[choice]:
            return f"has a log-probability for {choice!r}, but for none of its tokens"
    for choice, (low, high) in weighing.bounds.items():
        if not (low == -inf or is_logprob(low)) or not is_logprob(high) or low > high:
            return f"has bounds of {low!r} and {high!r} for {choice!r}"
    mass = _least_mass(prompt, weighing)
    return f"gives the choices a probability of {mass:.3f} together" if mass > 1 + ROUNDING else ""


def _least_mass(prompt: Prompt, weighing: Weighing) -> float:
    """The probability of all choices together; one that goes on from another is part of it already."""
    least = {**{choice: low for choice, (low, _) in weighing.bounds.items()}, **weighing.logprobs}
    apart = least if prompt.labels else _beginnings(least)
    return sum(exp(min(value, 0.0)) for value in apart.values() if isfinite(value))


def _beginnings(least: Mapping[str, float]) -> Mapping[str, float]:
    shorter: Sequence[str] = tuple(least)
    goes_on = {choice for choice in least for other in shorter if choice != other and choice.startswith(other)}
    return {choice: value for choice, value in least.items() if choice not in goes_on}


def _of_usage(usage: Usage) -> str:
    counts = (usage.prompt, usage.cached, usage.written)
    sane = all(type(count) is int and 0 <= count < MOST_TOKENS for count in counts)
    return "" if sane else f"costs {counts} tokens, which cannot be"
