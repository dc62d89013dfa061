"""Structure: goals about minds, such as somebody being wrong about what somebody else believes.

A structure is written as words with commas: "false-belief:2,pair". A number is an order of belief; without one it is
the order of the questions that are asked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from otherminds.errors import UsageError
from otherminds.files import read_words
from otherminds.minds.questions import MOST_ORDERS, NO, YES, Question, questions
from otherminds.minds.story import Story

_TEXTS = read_words("pages")["goals"]
WORDS: dict[str, str] = _TEXTS["words"]
_ORDERED = ("false-belief", "ignorance")


@dataclass(frozen=True, slots=True)
class Structure:
    """What must be so in the minds of a story's people; an order of 0 stands for nothing wanted."""

    false_belief: int = 0
    ignorance: int = 0
    asymmetric: bool = False
    pair: bool = False

    @property
    def name(self) -> str:
        """The same in the words of the command line."""
        words = [
            f"{word}:{order}"
            for word, order in (("false-belief", self.false_belief), ("ignorance", self.ignorance))
            if order
        ]
        words += [word for word, wanted in (("asymmetric", self.asymmetric), ("pair", self.pair)) if wanted]
        return ",".join(words) or "none"

    @property
    def order(self) -> int | None:
        """The order of questions that the goal is about, if it names one."""
        return max(self.false_belief, self.ignorance) or None

    def missing(self, story: Story) -> Iterator[str]:
        """What the story lacks, in words; twins are looked for later, for they take longest."""
        if self.false_belief and not any(map(is_false, asked(story, self.false_belief))):
            yield f"a false belief of order {self.false_belief}"
        if self.ignorance and not any(map(is_unknown, asked(story, self.ignorance))):
            yield f"somebody who does not know what another does, at order {self.ignorance}"
        if self.asymmetric and not misread(story):
            yield "somebody who is wrong about one who secretly saw or missed something"


NO_STRUCTURE = Structure()


def read_structure(text: str, *, order: int) -> Structure:
    """The structure that these words ask for, where questions are of this order."""
    found: dict[str, int | bool] = {}
    words = [word.strip() for word in text.split(",") if word.strip()]
    for word in words or ["none"]:
        name, colon, number = word.partition(":")
        if name not in WORDS:
            raise UsageError(f"there is no goal {name!r}; there are {', '.join(WORDS)}")
        if colon and (name not in _ORDERED or not number.isdecimal() or not 1 <= int(number) <= MOST_ORDERS):
            raise UsageError(
                f"goal {word!r} should be {name}{f', or {name}:1 to {name}:{MOST_ORDERS}' * (name in _ORDERED)}"
            )
        if name == "none":
            if len(words) > 1:
                raise UsageError(f"goal {text!r} asks for something and for nothing; give 'none' alone")
            return Structure()
        found[name.replace("-", "_")] = (int(number) if colon else order) if name in _ORDERED else True
    return Structure(**found)  # type: ignore[arg-type]


@lru_cache(maxsize=8192)
def asked(story: Story, order: int) -> tuple[Question, ...]:
    """The questions about a story at exactly this order."""
    return tuple(question for question in questions(story, order=order) if len(question.minds) == order)


def is_false(question: Question) -> bool:
    """Whether the first person has a belief and it is wrong: about what is so, or about what the next believes."""
    tags = question.tags
    if len(question.minds) == 1:
        return tags.get("false_belief") is True
    # To think that somebody does not know is a belief too, if a yes-or-no question is asked about it.
    believes = question.answer in (YES, NO) if "polarity" in tags else tags.get("ignorance") is False
    return believes and tags.get("like_last") is False


def is_unknown(question: Question) -> bool:
    """Whether whoever is asked about does not know what another person does."""
    return question.tags.get("ignorance") is True and question.tags.get("interesting") is True


def misread(story: Story) -> bool:
    """Whether somebody is wrong about the belief of one who secretly saw or missed something."""
    secret = {person for event in story.events for person in event.peekers | event.distracted}
    if not secret or len(story.people) < 2:
        return False
    return any(question.minds[-1] in secret and question.tags.get("like_last") is False for question in asked(story, 2))
