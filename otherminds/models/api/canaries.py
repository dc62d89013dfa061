"""Canaries: eight short prompts of our own, whose answers show whether a server still has the same weights.

They are put in the form of the run that they guard. Log-probabilities are numbers and compared as such, with far more
room than batching needs. Texts may have ties that fall either way, so a text that is new is asked for again until an
old one comes back; what never comes back has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf

from otherminds.files import read_words
from otherminds.models import Message, Prompt, Response, Verb, Weighing

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
