"""Whether log-probabilities are what they should be: natural, of the model as it is, each at its own token.

Before anything is weighed, a server is asked a few things that must agree: lists of next tokens after prompts with two
likely ends and with many, texts that it draws, echoes of tokens that it listed, labels by their numbers. Only what no
sound server sends is a verdict; a note says what was seen.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, inf, log, sqrt
from statistics import median
from typing import Any, TypeVar

from otherminds.models import Prompt, Usage
from otherminds.models.api.background import in_order
from otherminds.models.api.replies import Position, counted, echo_tokens, part, positions
from otherminds.models.api.request_forms import LENGTH, LENGTH_TOO, LETTERS, OPENINGS
from otherminds.models.api.servers import Server, as_text, as_turn
from otherminds.models.api.wire import MissingPath, Refused, Unanswered
from otherminds.models.gate import is_logprob, is_placeholder

T = TypeVar("T")
OVER = 0.05
"""How far above 1 a sum may lie, and a log-probability above 0: servers round, and batches make noise."""
FEWEST, NEARLY_ALL = 5, 0.85
"""Lists that a verdict rests on, and the share of them that must show a fault: a reply here and there is garbled."""
TEXT = 128
"""Tokens of a text that is drawn."""
TAIL = 20.0
"""All tokens that are not listed have less than so often what as many tokens have as are listed, at the list's end."""
WRONG = "this server reports"
SPARSE = "logarithms to base 2, or numbers less by a constant"
STEEP, FLAT = 0.8, 1.6
"""Between these lies how much steeper lists would have to be for what a sound server draws from them."""


@dataclass(frozen=True, slots=True)
class ListedStep:
    """One list of next tokens: what should be log-probabilities, greatest first, and the token that was drawn."""

    drawn: str
    values: dict[str, float]
    unmeasured: int
    twice: bool
    """Whether the first token is listed twice."""

    @classmethod
    def of(cls, position: Position, top: int) -> ListedStep:
        """What a reply says of one position; a token that is listed only because it was drawn is left out."""
        names = [(token, spelt) for token, spelt, _ in position.entries]
        # Nothing but a number counts: true is 1 to Python.
        found = {token: value for token, _, value in position.entries if type(value) in (int, float)}
        values = {
            token: float(value) for token, value in found.items() if abs(value) < 1e9 and not is_placeholder(value)
        }
        if len(values) > top:
            values.pop(position.drawn, None)
        ranked = {token: values[token] for token in sorted(values, key=values.__getitem__, reverse=True)}
        return cls(position.drawn, ranked, len(found) - len(values), names.count(names[0]) > 1 if names else False)

    @property
    def ends(self) -> tuple[float, float]:
        """The greatest and the least value."""
        return max(self.values.values(), default=-inf), min(self.values.values(), default=-inf)

    def mass(self, scale: float = 1.0) -> float:
        """The probability of all that is listed, if these are logarithms to such a scale."""
        return sum(exp(min(scale * value, 50.0)) for value in self.values.values())

    def lacks_tail(self, scale: float = 1.0) -> bool | None:
        """Whether the tokens that are not listed would have to be too many; None where the list says little of that."""
        (most, least), number, rest = self.ends, len(self.values), 1 - self.mass(scale)
        if number < FEWEST or rest < 3 * OVER or most - least < log(number) / 1.5:
            return None
        return rest > TAIL * number * exp(scale * least)

    def certain(self) -> bool:
        """Whether one token is as good as certain, and no other has a number that can have been measured."""
        others = [*self.values.values()][1:]
        return self.ends[0] > -1e-4 and max(others, default=-inf) < -40 and len(others) + self.unmeasured > 0


def name_scale(steps: Sequence[ListedStep], *, greedy: bool) -> str:
    """What lists of next tokens hold, if it cannot be log-probabilities."""

    def nearly_all(test: Callable[[ListedStep], bool]) -> bool:
        return len(steps) >= FEWEST and sum(map(test, steps)) >= NEARLY_ALL * len(steps)

    positive = [step for step in steps if step.ends[1] >= 0 and step.ends[0] > OVER]
    if nearly_all(lambda step: step in positive):
        if nearly_all(lambda step: sum(step.values.values()) <= 1 + OVER):
            return "probabilities, not their logarithms"
        if nearly_all(lambda step: step.values.get(step.drawn) == step.ends[1] and step.mass(-1) <= 1 + OVER):
            return "logarithms with the sign turned"
        return "percentages" if nearly_all(lambda step: sum(step.values.values()) <= 105) else "raw scores (logits)"
    if nearly_all(ListedStep.certain):
        return "log-probabilities after a temperature of 0"
    if nearly_all(lambda step: step.ends[0] > OVER):
        return "raw scores (logits)"
    if nearly_all(lambda step: step.mass() > 1 + OVER):
        base = all(step.mass(log(10)) <= 1 + OVER for step in steps)
        return "logarithms to base 10" if base else "numbers that are not normalised, together more than 1"
    different = len({str(step.values) for step in steps}) >= FEWEST
    tails = [step for step in steps if step.lacks_tail() is not None]
    if different and len(tails) >= 4 and sum(bool(step.lacks_tail()) for step in tails) >= NEARLY_ALL * len(tails):
        return SPARSE
    flat = [step for step in steps if len(step.values) >= FEWEST and log(0.1 / len(step.values)) < step.ends[1] <= 0]
    if different and len(flat) >= 3 and all(abs(1 - step.mass()) < exp(step.ends[1]) / 2 for step in flat):
        return "log-probabilities of the listed tokens alone, as if there were no others"
    if greedy and nearly_all(lambda step: step.values.get(step.drawn, inf) < step.ends[0] - 2 * OVER):
        return "log-probabilities of other tokens than those that it writes"
    return "each likeliest token twice" if nearly_all(lambda step: step.twice) else ""


def slope(steps: Sequence[ListedStep]) -> tuple[float, float]:
    """How much steeper lists would have to be for the tokens drawn from them (1: not at all), and its error."""
    scale, curve = 1.0, 0.0
    if len(steps) < 30:
        return inf, inf
    for _ in range(20):
        gain = curve = 0.0
        for step in steps:
            weights = [exp(scale * (value - step.ends[0])) for value in step.values.values()]
            mean = sum(w * v for w, v in zip(weights, step.values.values(), strict=True)) / sum(weights)
            squares = sum(w * (v - mean) ** 2 for w, v in zip(weights, step.values.values(), strict=True))
            gain, curve = gain + step.values[step.drawn] - mean, curve + squares / sum(weights)
        if curve < 1e-3 * len(steps) or scale > 6:
            return inf, inf
        scale = min(max(scale + gain / curve, scale / 2), scale * 2)
    return scale, 1 / sqrt(curve)


class ScaleCheck:
    """The check of one server for prompts of one kind."""

    def __init__(self, server: Server, like: Prompt) -> None:
        self.server = server.on_trial(server.form)
        self.server.sound = True
        self.echoes, self.as_prompt = not like.labels, as_turn if like.messages else as_text
        self.top = server.form.at("/chat" if like.messages else "").top
        self.greedy = server.wishes.weighing().get("temperature") == 0

    async def note(self) -> str:
        """What was checked, in words; what cannot be log-probabilities is named instead, and begins with WRONG."""
        found = await in_order(self._lists, (*LETTERS, *OPENINGS))
        lists = {words: steps[0] for words, steps in zip((*LETTERS, *OPENINGS), found, strict=True) if steps}
        self.top = max((len(step.values) for step in lists.values()), default=0)
        wrong = name_scale([*lists.values()], greedy=self.greedy)
        wrong, said = (wrong, "") if wrong and wrong != SPARSE else await self._drawn(lists, wrong)
        if not wrong and self.echoes and type(self.server).continuations is Server.continuations:
            wrong = await self._echoed(lists)
        elif not wrong and not self.echoes and self.server.kind in ("vllm", "sglang"):
            wrong = await self._numbered(lists)
        if wrong:
            return (
                f"{WRONG} {wrong}, where natural log-probabilities are due; nothing can be weighed: use score"
                " 'text', or a server that has them (llama.cpp, vLLM, SGLang)"
            )
        if self.top < 2:
            return "scale not checked: lists one token only" if lists else "scale not checked: lists no tokens"
        return f"scale checked by {len(lists)} lists{said}"

    async def _lists(self, words: str, length: int = 1, temperature: float | None = None) -> list[ListedStep]:
        """The steps of what comes after these words, if anything does."""

        async def look() -> list[Position]:
            path, body = await self.server.listing(self.as_prompt(words))
            if temperature is not None:
                lengths = [name for name in (LENGTH, LENGTH_TOO) if name in body]
                body |= {"temperature": temperature, "top_p": 1, **dict.fromkeys(lengths, length)}
                body |= {"top_k": -1, "min_p": 0} if self.server.kind != Server.kind else {}
            return await self.server.post(path, body, lambda data: positions(part(data, "choices", 0, "logprobs")))

        return [ListedStep.of(step, self.top) for step in await answered(look()) or ()]

    async def _drawn(self, lists: dict[str, ListedStep], wrong: str) -> tuple[str, str]:
        """What is wrong with the lists, as texts that are drawn show it, and what these texts allow to say."""

        async def draw(temperature: float) -> list[list[ListedStep]]:
            length = TEXT if self.top > 10 else 2 * TEXT
            return await in_order(lambda words: self._lists(words, length, temperature), OPENINGS[1:3])

        def usable(texts: list[list[ListedStep]]) -> list[ListedStep]:
            return [step for text in texts for step in text if step.drawn in step.values and len(step.values) > 1]

        texts, moved = await draw(1.0), list[float]()
        for words, text in zip(OPENINGS[1:3], texts, strict=True):
            one, two = lists[words].values if words in lists else {}, text[0].values if text else {}
            if both := one.keys() & two.keys():
                moved.append(median(abs(one[token] - two[token]) for token in both))
        if len(moved) == 2 and min(moved) > 0.3:
            return "log-probabilities after the temperature of the request", ""
        steps = usable(texts)
        scale, error = slope(steps)
        known = error < 0.25 * scale < inf
        if wrong:
            base = "logarithms to base 2" if scale < 0.88 else "numbers less by a constant than log-probabilities"
            return base if known else wrong, ""
        if not known:
            return "", "; temperature not checked: too little is drawn at random"
        if (scale + 4 * error < 0.9 and scale < STEEP) or (scale - 4 * error > 1.3 and scale > FLAT):
            # A server that passes over the temperature draws from other lists than its own, too. Half or twice the
            # temperature makes no difference there, and a factor of 2 elsewhere; the line is drawn in between.
            again, unsure = slope(usable(await draw(2.0 if scale > 1 else 0.5)))
            ratio = scale / again if scale > 1 else again / scale
            if 1.4 < ratio < 4 and unsure < again / 2:
                tails = [step.lacks_tail() for step in lists.values()]
                if abs(scale / log(2) - 1) < 0.2 and tails.count(True) > tails.count(False):
                    return "logarithms to base 2", ""
                return f"log-probabilities after a temperature of about {scale:.1f}", ""
            return "", "; temperature not checked: it draws at another than it is asked for"
        return "", f" and {len(steps)} drawn tokens"

    async def _echoed(self, lists: dict[str, ListedStep]) -> str:
        """What is wrong with the log-probabilities of an echo, beside those of the same tokens in a list."""
        wanted = list[tuple[str, str, float]]()
        for words in OPENINGS[:4]:
            values = lists[words].values if words in lists else {}
            plain = [token for token in values if re.fullmatch(r"[ Ġ▁]\w+", token)]
            wanted += [(words, token[1:], values[token]) for token in plain[:3:2]]

        async def look(words: str, word: str, due: float) -> list[tuple[list[float], float]]:
            text = f"{words} {word}"
            echo = await answered(self.server.echo(text, lambda data: echo_tokens(data, text)))
            if echo is None or echo[0][echo[2] - 1][1:] != word:
                return []
            own, around = echo[2] - 1, dict(enumerate(echo[1]))
            near: list[Any] = [around.get(place) for place in (own, own - 1, own + 1)]
            seen = [value if is_logprob(value) else inf for value in near]
            return [(seen, due)] if min(seen) <= OVER else []

        pairs = [pair for some in await in_order(lambda each: look(*each), wanted[:6]) for pair in some]
        agree = [sum(abs(seen[place] - due) <= OVER + 0.02 * abs(due) for seen, due in pairs) for place in range(3)]
        if len(pairs) > 2 and max(agree[1:]) >= max(0.75 * len(pairs), agree[0] + 1):
            return "the log-probabilities of an echo at other tokens than their own"
        if len(pairs) < 3 or agree[0] >= len(pairs) / 2:
            return ""
        ratios = [due / seen[0] for seen, due in pairs if abs(due) > 0.3 and 0 < abs(seen[0]) < inf]
        for words, scale in (("base 10", log(10)), ("base 2", log(2))):
            if len(ratios) > 2 and abs(median(ratios) / scale - 1) < 0.1:
                return f"logarithms to {words} in an echo"
        other = "other log-probabilities in an echo than for the same tokens in a list"
        return other if agree[0] <= len(pairs) / 4 else ""

    async def _numbered(self, lists: Mapping[str, ListedStep]) -> str:
        """What is wrong with labels that are weighed by their numbers, beside the same labels in a list."""
        listed = {self.as_prompt(words): lists[words].values for words in LETTERS if words in lists}
        weighed = await in_order(lambda prompt: answered(self.server.labels(prompt)), [*listed])
        agree = list[bool]()
        for (prompt, values), own in zip(listed.items(), weighed, strict=True):
            if own and max(values.values(), default=inf) <= OVER:
                plain = counted(prompt, values, Usage())
                for label in plain.logprobs.keys() & own.logprobs:
                    low, high = plain.bounds.get(label, (plain.logprobs[label],) * 2)
                    agree.append(low - 0.2 < own.logprobs[label] < high + 0.2)
        wrong = len(agree) > 3 and sum(agree) <= (1 - NEARLY_ALL) * len(agree)
        return "other log-probabilities for numbered tokens than for the same tokens in a list" if wrong else ""


async def answered(work: Awaitable[T]) -> T | None:
    """What comes of a probe; None where the server has no answer to it."""
    try:
        return await work
    except (MissingPath, Refused, Unanswered):
        return None
