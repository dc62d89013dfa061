"""Question formats: a score and a prompt, what the two need of a model, and which items they fit.

Letters are weighed in every order of the choices; a cloze lets a choice end a sentence; an answer lets it follow the
question; open text shows no choices. "…-prior" takes out what words weigh anyway; "shots" shows solved examples first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from otherminds.errors import Unable, UsageError
from otherminds.files import read_words
from otherminds.formats.continuations import ending
from otherminds.formats.prompts import EXAMPLES
from otherminds.formats.scores import FAMILIES, Scoring, scoring
from otherminds.items import Suite
from otherminds.items.tags import SENTENCES, TARGET
from otherminds.plugins import added

LETTERS_IN_CHAT = "letters in chat"
"""What a server lacks that lists its likeliest tokens in chat, and no letter among them."""

_TEXTS = read_words("pages")["forms"]
_NAMES: dict[str, str] = _TEXTS["names"]
_PROMPTS = {"raw": "", "shots": ", after examples", "direct": ", in chat"}
_EXAMPLE = replace(
    EXAMPLES[0],
    meta={TARGET: "Ada", "belief_question": EXAMPLES[0].question, SENTENCES: EXAMPLES[0].context.split(". ")},
)
"""A question that every prompt can put."""


@dataclass(frozen=True, slots=True)
class QuestionFormat:
    """One way of putting a question: a score and a prompt."""

    score: str
    prompt: str

    @classmethod
    def of(cls, asked: Any) -> QuestionFormat:
        """The format of a suite, or of a run."""
        return cls(asked.score, asked.prompt)

    def __str__(self) -> str:
        how = _PROMPTS.get(self.prompt, f", {self.prompt}")
        return f"{_NAMES.get(self.score, self.score)}{how}"

    @property
    def scoring(self) -> Scoring:
        """How its answers are scored."""
        return scoring(self.score)

    @property
    def needs(self) -> frozenset[str]:
        """What a model must be able to do, as the prompts for a question show."""
        found = {"weigh"} if self.scoring.verb == "weigh" else set()
        try:
            posed = self.scoring.pose(_EXAMPLE, prompt=self.prompt, seed=0)
        except UsageError:  # what does not go together is refused where it is asked
            posed = ()
        for prompt in (asked.prompt for asked in posed):
            found.add("chat" if prompt.messages else "raw")
            if prompt.prefill:
                found.add("prefill")
            if prompt.choices and not prompt.labels:
                found.add("continuations")
            if prompt.labels and prompt.messages:
                found.add(LETTERS_IN_CHAT)
        return frozenset(found)

    @property
    def ends_sentences(self) -> bool:
        """Whether the choices are weighed as ends of a sentence."""
        return self.scoring.fits is ending

    def suits(self, cannot: frozenset[str]) -> bool:
        """Whether a model that lacks these abilities can answer in it."""
        return not self.needs & cannot

    def on(self, suite: Suite) -> Suite:
        """The suite, asked in this format."""
        return suite.using(score=self.score, prompt=self.prompt)

    def part(self, suite: Suite) -> Suite | None:
        """The items of a suite that can be put so; a choice that could not end the sentence is left out of it."""
        items = [fitted for item in suite if (fitted := self.scoring.fits(item))]
        return self.on(replace(suite, items=tuple(items))) if items else None

    def fitting(self, suite: Suite) -> int:
        """How many items of a suite can be put so."""
        return sum(self.scoring.fits(item) is not None for item in suite)


LETTERS, LETTERS_CHAT = QuestionFormat("letters", "raw"), QuestionFormat("letters", "direct")
CLOZE, SAMPLED = QuestionFormat("cloze", "raw"), QuestionFormat("sampled", "direct")
TEXT, TEXT_RAW = QuestionFormat("text", "direct"), QuestionFormat("text", "raw")
RESPONSE_SCORES = (LETTERS, LETTERS_CHAT, SAMPLED)
"""How response scores are measured, from the best on: exactly or within bounds, in chat, by draws."""
PREFERRED = (*RESPONSE_SCORES, TEXT_RAW)
"""How a model is asked where nobody says: the best that it can do."""


def tried_formats() -> list[QuestionFormat]:
    """The formats in which control questions try a model: those of every score, also of one that was added.

    From exact probabilities over draws to words; of scores in one file, the own prompt of each comes before others. Of
    two formats that do equally well the first is taken.
    """
    found: list[QuestionFormat] = []
    for family in (*FAMILIES, {name: scoring(name) for name in added("scores")}):
        tried = {name: each.prompts for name, each in family.items() if each.tried}
        placed = [(n, QuestionFormat(name, prompt)) for name, some in tried.items() for n, prompt in enumerate(some)]
        found += [form for _, form in sorted(placed, key=itemgetter(0))]
    return found


def possible(cannot: frozenset[str]) -> list[QuestionFormat]:
    """Those that a model is able to answer in; draws and raw texts only where nothing better is there."""
    able = [form for form in tried_formats() if form.suits(cannot)]
    exact = any(form.scoring.verb == "weigh" for form in able)
    if "chat" not in cannot:
        able = [form for form in able if form.scoring.verb == "weigh" or "chat" in form.needs]
    return [form for form in able if not (form.scoring.more and exact)]


def without_doubles(formats: Sequence[QuestionFormat]) -> list[QuestionFormat]:
    """The formats without words in place of a letter, where letters themselves and open text are among them."""
    doubled = {LETTERS_CHAT, QuestionFormat("open", "direct")} <= set(formats)
    return [form for form in formats if not (doubled and form == TEXT)]


def choose(formats: Iterable[QuestionFormat], cannot: frozenset[str], name: str) -> QuestionFormat:
    """The first of these formats that a model of this name is able to answer in."""
    found = next((form for form in formats if form.suits(cannot)), None)
    if found is None:
        raise Unable(f"{name} can neither weigh raw prompts nor chat, so there is no way to ask it")
    return found


def best_format(suite: Suite, name: str, cannot: frozenset[str]) -> QuestionFormat:
    """The suite's own format if a model is able to answer so, else the best of the others."""
    return choose((form for form in (QuestionFormat.of(suite), *PREFERRED) if form.part(suite)), cannot, name)


def with_endings(suite: Suite) -> Suite:
    """The suite without choices that its sentences could not end with; an answer that could not is asked for plainly.

    Only a score that lets choices end sentences makes a difference.
    """
    if not QuestionFormat.of(suite).ends_sentences:
        return suite
    return replace(suite, items=tuple(ending(item) or replace(item, cloze="") for item in suite))
