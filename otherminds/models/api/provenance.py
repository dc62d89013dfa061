"""Who answers: what a server says of its model in every reply, compared with what it said before.

Replies carry the model's name and a fingerprint of what serves it, `/v1/models` its weights, another path the server's
version. What the greetings say becomes part of the model's identity; from then on any other word is an `OtherModel`.

Canaries are eight short prompts of our own, whose answers show whether a server still has the same weights. They are
put in the form of the run that they guard. Log-probabilities are numbers and compared as such, with far more room than
batching needs. Texts may have ties that fall either way, so a text that is new is asked for again until an old one
comes back; what never comes back has changed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

from otherminds.errors import OtherModel
from otherminds.files import read_words
from otherminds.models import Message, Origin, Prompt, Response, Verb, Weighing
from otherminds.models.forks import Lock
from otherminds.models.gate import is_text
from otherminds.showing.brief import cut

ANY = "any"
"""The value of the setting `versions` with which a server may alternate between versions of a model."""
LONGEST = 200
"""Characters of a name that are kept."""
LATEST = 1e12
"""Seconds since 1970 that a clock can show."""


class Provenance:
    """What one server says of its model."""

    def __init__(self, where: str, model: str) -> None:
        self.alternating = False
        """Whether replies may come from several versions."""
        self.facts: Mapping[str, Any] | None = None
        """What the server said of itself beside its replies, once it was asked for that."""
        self.interruptions = 0
        """Of the connection, those after which the facts were read again."""
        self.reading = Lock(asyncio.Lock)
        self.known: dict[str, Origin] = {}
        """By path, which version answers there."""
        self._where, self._model = where, model
        self._replies = 0

    @property
    def served(self) -> dict[str, Any]:
        """What the replies say, for the identity of the model; nothing where that is the name asked for alone."""
        named = [
            {name: value for name, value in _said(origin).items() if value != self._model}
            for origin in sorted({*self.known.values()}, key=lambda origin: sorted(_said(origin).items()))
        ]
        several = [each for each in named if each]
        return {} if self.alternating or not several else several[0] if len(several) == 1 else {"by_path": several}

    def read(self, path: str, data: Any, *, trying: bool) -> Origin | None:
        """Who answered this, if it is an answer; a version that did not answer before is an error.

        `trying` tells that this is a greeting: the first at a path says what is expected there.
        """
        if not isinstance(data, dict) or not data.keys() & {"choices", "model"}:
            return None
        created: Any = data.get("created")
        origin = Origin(
            _name(data.get("model")),
            _name(data.get("system_fingerprint")),
            _name((self.facts or {}).get("version")),
            created if type(created) in (int, float) and abs(created) < LATEST else 0,
        )
        # A path that no greeting went to says what another one says.
        expected = [self.known[path]] if path in self.known else [] if trying else [*self.known.values()]
        if expected and origin not in expected and not self.alternating:
            raise self._changed(_shown(expected[0]), _shown(origin))
        self.known.setdefault(path, origin)
        self._replies += not trying
        return origin

    def compare(self, facts: Mapping[str, Any]) -> None:
        """Compare what the server says of itself now with what it said first."""
        before = self.facts or {}
        if odd := sorted(name for name in {*before, *facts} if before.get(name) != facts.get(name)):
            name = odd[0]
            raise self._changed(*(cut(f"{name} {each.get(name)!r}", LONGEST) for each in (before, facts)))

    def _changed(self, before: str, now: str) -> OtherModel:
        return OtherModel(
            f"{self._where} has changed its model: after {self._replies} replies as {before} it now answers as {now};"
            " the answers so far are kept under the former one. Give the same command again to run the present one as"
            f" a run of its own, or, for a server that alternates between versions, with -M versions={ANY}"
        )


def _name(value: Any) -> str:
    return value[:LONGEST] if isinstance(value, str) and is_text(value) else ""


def _said(origin: Origin) -> dict[str, str]:
    return {name: value for name, value in origin.to_dict().items() if name in ("model", "system_fingerprint")}


def _shown(origin: Origin) -> str:
    return ", ".join(f"{name} {value!r}" for name, value in _said(origin).items()) or "a model without a name"


QUESTIONS = tuple(map(tuple, read_words("prompts")["canaries"]))
"""Each with two choices; some have a right answer, others none, where models differ most."""
WORDS = 24
"""Tokens of a text: enough that two models differ, and that what is drawn does not come twice."""
TOLERANCE, SHARE = 0.1, 0.02
"""How far apart two log-probabilities of a token may lie, and how much more the less likely it is."""
MISSES = 24
"""How many asked again, all together, bring no old text back before those that are left count as changed."""
MORE = 4
"""How often the others are asked again where several canaries have two texts."""
SAME_START = 40
"""Characters after which two long texts may part: near-ties come up sooner or later in any of them."""
Answer = str | dict[str, list[float | None]] | None
"""A text, or bounds and the number of tokens by choice; as JSON."""


def canaries(verb: Verb, like: Prompt) -> list[Prompt]:
    """The canaries in the form of a prompt."""
    made = []
    for question, first, second in QUESTIONS:
        choices: tuple[str, ...]
        words, choices = f"{question} The answer is", (f" {first}", f" {second}")
        if verb == "ask":
            words, choices = f"{question} Say why in one sentence.", ()
        elif like.labels:
            words, choices = f"{question}\nA. {first}\nB. {second}\nAnswer:", ("A", "B")
        text, messages = ("", (Message("user", words),)) if like.messages else (words, ())
        plain = replace(like, text=text, messages=messages, choices=choices, schema="", draw=0, epoch=0, about=None)
        made.append(replace(plain, max_tokens=WORDS) if verb == "ask" else plain)
    return made


def answer_of(prompt: Prompt, result: Response | Weighing) -> Answer:
    """What is compared of a result; nothing where there was no answer."""
    if result.error:
        return None
    if isinstance(result, Response):
        return result.text
    bounds = {**{name: (value, value) for name, value in result.logprobs.items()}, **result.bounds}
    tokens = {name: 1 if prompt.labels else max(1, len(result.tokens.get(name, ()))) for name in bounds}
    return {name: [None if low == -inf else low, high, tokens[name]] for name, (low, high) in bounds.items()}


def agree(one: Answer, other: Answer) -> bool:
    """Whether two answers are the same, as far as both are there: texts to the letter, numbers within the tolerance."""
    if one is None or other is None:
        return True
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return all(_near(one[name], other[name]) for name in one.keys() & other.keys())


def _near(one: Sequence[float | None], other: Sequence[float | None]) -> bool:
    lows = [-inf if each[0] is None else each[0] for each in (one, other)]
    highs = [-inf if each[1] is None else each[1] for each in (one, other)]
    tokens = max(one[2] or 1, other[2] or 1)
    return max(lows) - min(highs) <= tokens * TOLERANCE + SHARE * abs(min(highs))


def part_late(one: Answer, other: Answer) -> bool:
    """Whether two texts begin alike, as long texts of one model do that meet a near-tie."""
    texts = isinstance(one, str) and isinstance(other, str)
    return texts and str(one)[:SAME_START] == str(other)[:SAME_START]


class Known:
    """What canaries were answered so far: of each, all answers that one model gave."""

    def __init__(self, answers: Sequence[Sequence[Answer]] = ()) -> None:
        self.answers = [list(each) for each in answers] or [[] for _ in QUESTIONS]

    @property
    def asked(self) -> int:
        """How many were ever answered."""
        return sum(map(bool, self.answers))

    @property
    def varied(self) -> int:
        """How many have several texts that come back."""
        return sum(len(answers) > 1 for answers in self.answers)

    def compare(self, new: Sequence[Answer], again: Callable[[Sequence[int]], Sequence[Answer]] | None) -> int:
        """How many new answers differ from all that are known; those of canaries that had none are known from now on.

        `again` asks some of them once more, by their places, to see whether an old text comes back.
        """
        if all(answer is None for answer in new):
            return self.asked
        varied = self.varied
        missed: dict[int, list[Answer]] = {}
        for place, (answer, known) in enumerate(zip(new, self.answers, strict=True)):
            if not known and answer is not None:
                known.append(answer)
            elif known and not any(agree(answer, old) for old in known):
                missed[place] = [answer]
        while again and (texts := [place for place, (first, *_) in missed.items() if isinstance(first, str)]):
            if sum(len(missed[place]) for place in texts) >= MISSES:
                break
            for place, answer in zip(texts, again(texts), strict=True):
                if answer is not None and answer in self.answers[place]:
                    self.answers[place] += [each for each in missed.pop(place) if each is not None]
                else:
                    missed[place].append(answer)
        if again and self.varied > max(1, varied):
            # Where two models take turns, all canaries have two texts before long; ties are few.
            for _ in range(MORE):
                places = [place for place, texts in enumerate(self.answers) if len(texts) == 1]
                for place, answer in zip(places, again(places), strict=True):
                    self.answers[place] += [] if answer is None or answer in self.answers[place] else [answer]
        return len(missed)
