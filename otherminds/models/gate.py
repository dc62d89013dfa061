"""The gate: what a result must be before anything is scored or kept.

Every backend's results pass it, so that a number on a page was measured or is not there. It knows nothing of servers:
what came over a wire is checked once more where it is read, against what was sent. It takes whatever it is given, and
never raises.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, inf
from typing import Any, get_args

from otherminds.models import Finish, Origin, Prompt, Response, Usage, Weighing

ROUNDING = 1e-3
"""How far above 0 a log-probability, and above 1 a sum of probabilities, may lie: servers round what they report."""
LEAST = -5000.0
"""No token of a model is less likely; a number beyond, such as -9999, stands for one that was not measured."""
LONGEST_TEXT = 4_000_000
"""Characters; no prompt of ours asks for a hundredth of that."""
MOST_TOKENS = 2**40
"""No call costs that many."""


def fault(prompt: Prompt, result: Response | Weighing) -> str:
    """What is wrong with a result, in words that follow "the reply"; empty if nothing is, or it says so itself."""
    if not isinstance(result, Response | Weighing):
        return f"is {_shown(result)}, which is no result"
    if result.error:
        return "" if is_text(result.error) else "says in no words that can be kept what went wrong"
    wrong = _of_text(result) if isinstance(result, Response) else _of_weights(prompt, result)
    return wrong or _of_rest(result)


def is_logprob(value: Any, tokens: int = 1) -> bool:
    """Whether this is the logarithm of a probability above 0, of so many tokens; a hair above 0 is rounding."""
    return isinstance(value, int | float) and not isinstance(value, bool) and LEAST * tokens <= value <= ROUNDING


def is_placeholder(value: Any) -> bool:
    """Whether this stands for a token that was not measured: -100, -9999, the least number of a kind."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and -4e38 < value <= -50 and (value < LEAST or value == int(value))


def is_text(text: Any) -> bool:
    """Whether this is a text that any file can hold: no half of a letter, and nothing that ends a text for some."""
    if not isinstance(text, str) or len(text) > LONGEST_TEXT or "\0" in text:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_usage(usage: Any) -> bool:
    """Whether these are numbers of tokens that a call can have cost."""
    if not isinstance(usage, Usage):
        return False
    for count in (usage.prompt, usage.cached, usage.written):
        if type(count) is not int or not 0 <= count < MOST_TOKENS:
            return False
    return True


def _of_text(response: Response) -> str:
    if response.finish not in get_args(Finish) or response.finish == "error":
        return f"ends with {_shown(response.finish)}, which is no way to end"
    return "" if is_text(response.text) else "holds a text that is too long or that no file can hold"


def _of_weights(prompt: Prompt, weighing: Weighing) -> str:
    return "" if _clearly_sound(prompt, weighing) else _wrong_weights(prompt, weighing)


def _clearly_sound(prompt: Prompt, weighing: Weighing) -> bool:
    """Whether a weighing is as nearly all are: exact and of plain types. Large runs have hundreds of thousands."""
    logprobs, tokens, mass = weighing.logprobs, weighing.tokens, 0.0
    if type(logprobs) is not dict or type(tokens) is not dict or type(weighing.bounds) is not dict:
        return False
    for choice in prompt.choices:
        value = logprobs.get(choice)
        if type(value) is not float or not LEAST <= value <= 0:
            return False
        mass += exp(value)
    for choice, parts in tokens.items():
        if choice not in logprobs or type(parts) is not tuple or not parts or not all(map(is_text, parts)):
            return False
    return len(logprobs) == len(prompt.choices) and mass <= 1 and not weighing.bounds


def _wrong_weights(prompt: Prompt, weighing: Weighing) -> str:
    for part in (weighing.logprobs, weighing.tokens, weighing.bounds):
        # A plain dict is told at once, and most are.
        if type(part) is not dict and not isinstance(part, Mapping):
            return "has no log-probabilities by choice"
    weighed = {*weighing.logprobs, *weighing.bounds}
    if missing := sorted(set(prompt.choices) - weighed):
        return f"has no log-probability for {missing[0]!r}"
    if others := sorted(map(_shown, {*weighed, *weighing.tokens} - set(prompt.choices))):
        return f"has a log-probability for {others[0]}, which is none of the choices"
    for choice, value in weighing.logprobs.items():
        parts = weighing.tokens.get(choice)
        # A token is one character at the least, where nobody tells how many there are.
        many = len(parts if isinstance(parts, tuple | list) and parts else choice)
        if not is_logprob(value, 1 if prompt.labels else max(many, 1)):
            return f"has {_shown(value)} for {choice!r}, which is no log-probability"
    for choice, tokens in weighing.tokens.items():
        if not isinstance(tokens, tuple | list) or not all(map(is_text, tokens)):
            return f"has tokens for {choice!r} that are no texts"
        if choice in weighing.logprobs and not tokens:
            return f"has a log-probability for {choice!r}, but for none of its tokens"
    for choice, pair in weighing.bounds.items():
        if not _is_bounds(pair):
            return f"has bounds of {_shown(pair)} for {choice!r}"
    mass = _least_mass(prompt, weighing)
    return f"gives the choices a probability of {mass:.3f} together" if mass > 1 + ROUNDING else ""


def _is_bounds(pair: Any) -> bool:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        return False
    low, high = pair
    return is_logprob(high) and ((isinstance(low, float) and low == -inf) or is_logprob(low)) and bool(low <= high)


def _least_mass(prompt: Prompt, weighing: Weighing) -> float:
    """The probability of all choices together; one that goes on from another is part of it already."""
    least = {**{choice: low for choice, (low, _) in weighing.bounds.items()}, **weighing.logprobs}
    apart = least if prompt.labels else _beginnings(least)
    return sum(exp(min(value, 0.0)) for value in apart.values())


def _beginnings(least: Mapping[str, float]) -> Mapping[str, float]:
    shorter: Sequence[str] = tuple(least)
    goes_on = {choice for choice in least for other in shorter if choice != other and choice.startswith(other)}
    return {choice: value for choice, value in least.items() if choice not in goes_on}


def _of_rest(result: Response | Weighing) -> str:
    if not is_text(result.rendered):
        return "answers a text that is too long or that no file can hold"
    if result.origin is not None and not _is_origin(result.origin):
        return "names its model in a way that no file can hold"
    return "" if is_usage(result.usage) else f"costs {_shown(result.usage)} tokens, which cannot be"


def _is_origin(origin: Any) -> bool:
    if not isinstance(origin, Origin) or type(origin.created) not in (int, float) or not abs(origin.created) < inf:
        return False
    return all(map(is_text, (origin.model, origin.system_fingerprint, origin.version)))


def _shown(value: Any) -> str:
    """A value in a sentence, however long it is, and whether or not it can be written down."""
    try:
        words = repr(value)
    except Exception:
        # A number of more digits than Python writes, or an object that cannot say what it is.
        words = f"a {type(value).__name__} that cannot be shown"
    words = words.encode(errors="replace").decode()
    return words if len(words) <= 80 else f"{words[:60]} […]"
