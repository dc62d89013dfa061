"""The forms in which a question can be put to a model: what each asks of it, and which items it fits.

Letters are weighed in every order of the choices; a cloze lets a choice end a sentence; an answer lets it follow the
question; open text shows no choices. "…-prior" takes out what words weigh anyway; "shots" shows solved examples first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from otherminds.errors import Unable
from otherminds.files import read_words
from otherminds.formats.prompts import PROMPTS
from otherminds.items import Item, Suite
from otherminds.items.controls import CANNOT_END

LONGEST = 4
"""Words of a choice that somebody who is not shown it would still say."""
CHAT = frozenset({"direct", "cot", "plausible", *(name for name in PROMPTS if name.startswith("json"))})
WEIGHED = ("letters", "cloze", "answer", "cloze-prior", "answer-prior")
SENTENCES = ("cloze", "cloze-prior")
UNSEEN = ("cloze", "answer", "cloze-prior", "answer-prior")
LETTERS_IN_CHAT = "letters in chat"
"""What a server lacks that lists its likeliest tokens in chat, and no letter among them."""

_TEXTS = read_words("pages")["forms"]
_NAMES: dict[str, str] = _TEXTS["names"]
_PROMPTS = {"raw": "", "shots": ", after examples", "direct": ", in chat"}


@dataclass(frozen=True, slots=True)
class Form:
    """One way of putting a question: a score and a prompt."""

    score: str
    prompt: str

    def __str__(self) -> str:
        how = _PROMPTS.get(self.prompt, f", {self.prompt}")
        return f"{_NAMES.get(self.score, self.score)}{how}"

    @property
    def needs(self) -> frozenset[str]:
        """What a model must be able to do."""
        chat = self.prompt in CHAT
        found = {"chat" if chat else "raw"}
        if self.score in WEIGHED:
            found.add("weigh")
        if self.score in UNSEEN:
            found |= {"continuations", *(["prefill"] if chat else [])}
        if self.score == "letters" and chat:
            found.add(LETTERS_IN_CHAT)
        return frozenset(found)

    def part(self, suite: Suite) -> Suite | None:
        """The items of a suite that can be put so; a choice that could not end the sentence is left out of it."""
        items = [fitted for item in suite if (fitted := self._fitted(item))]
        return replace(suite, items=tuple(items)).using(score=self.score, prompt=self.prompt) if items else None

    def _fitted(self, item: Item) -> Item | None:
        if not item.choices:
            return item if self.score == "text" else None
        if self.score in SENTENCES:
            return _ending(item)
        if self.score == "open":
            return item if all(len(choice.split()) <= LONGEST for choice in item.choices) else None
        return item


def _ending(item: Item) -> Item | None:
    """The item with the choices that its sentence can end with; none if the answer is not among them."""
    ends = tuple(choice for choice in item.choices if choice not in CANNOT_END)
    if not item.cloze or item.answer not in ends or len(ends) < 2:
        return None
    return item if ends == item.choices else replace(item, choices=ends)


def with_endings(suite: Suite) -> Suite:
    """The suite without choices that its sentences could not end with; an answer that could not is asked for plainly.

    Only a score that lets choices end sentences makes a difference.
    """
    if suite.score not in SENTENCES:
        return suite
    return replace(suite, items=tuple(_ending(item) or replace(item, cloze="") for item in suite))


FORMS = (
    *(Form("letters", prompt) for prompt in ("raw", "direct", "shots")),
    *(Form(score, "raw") for score in UNSEEN),
    *(Form(score, "shots") for score in ("answer", "answer-prior")),
    Form("sampled", "direct"),
    Form("open", "direct"),
    Form("text", "direct"),
    Form("open", "raw"),
    Form("open", "shots"),
)
"""From exact probabilities over draws to words; of two that do equally well the first is taken. A sentence shows by
itself how it goes on, so that examples before it add nothing."""
WAYS = (Form("letters", "raw"), Form("letters", "direct"), Form("sampled", "direct"), Form("text", "raw"))
"""How a model is asked where nobody says: the best that it can do."""


def possible(cannot: frozenset[str], forms: Sequence[Form] = FORMS) -> list[Form]:
    """The forms that a model is able to answer in; draws and raw texts only where nothing better is there."""
    able = [form for form in forms if not form.needs & cannot]
    exact = any(form.score in WEIGHED for form in able)
    chats = "chat" not in cannot
    return [
        form
        for form in able
        if not (form.score == "sampled" and exact) and not (form.score == "open" and form.prompt != "direct" and chats)
    ]


def without_doubles(forms: Sequence[Form]) -> list[Form]:
    """The forms without words in place of a letter, where letters themselves and open text are among them."""
    doubled = {Form("letters", "direct"), Form("open", "direct")} <= set(forms)
    return [form for form in forms if not (doubled and form == Form("text", "direct"))]


def best_way(suite: Suite, name: str, cannot: frozenset[str]) -> Form:
    """The suite's own way of asking if a model is able to answer so, else the best of the others."""
    own = Form(suite.score, suite.prompt)
    for form in (own, *WAYS):
        if not form.needs & cannot and form.part(suite):
            return form
    raise Unable(f"{name} can neither weigh raw prompts nor chat, so there is no way to ask it")
