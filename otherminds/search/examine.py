"""Examine: how well a model answers the questions about a story."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from otherminds.errors import ModelError, UsageError
from otherminds.formats.plans import Plan, plan
from otherminds.formats.question_formats import CLOZE, TEXT, TEXT_RAW, QuestionFormat, choose, with_endings
from otherminds.formats.scores import Score, scoring
from otherminds.items import Item, Suite
from otherminds.minds.questions import NOWHERE, UNKNOWN, AnswerKey, Matter, Question, matters, quiz
from otherminds.minds.story import Story
from otherminds.models import Model
from otherminds.search.search import Reply, Telling
from otherminds.stories.need import differs

KINDS = ("container", "room", "topic", "state")
SILENCE = 40
"""So many questions without one usable answer are enough to give up."""


@dataclass(slots=True)
class Examiner:
    """Puts the questions about stories to a model, many stories in one batch, and keeps count."""

    model: Model | Callable[[Suite], Model]
    """A baseline is made for every batch from the questions it is to answer."""
    kinds: frozenset[str] = frozenset()
    """Only questions of these kinds; empty: all."""
    interesting: bool = False
    """Only questions to which another person would give another answer."""
    prompt: str = "direct"
    score: str = "text"
    seed: int = 0
    asked: int = field(default=0, init=False)
    """Stories put to the model so far."""
    verdicts: Counter[str] = field(default_factory=Counter, init=False)

    def __post_init__(self) -> None:
        if unknown := sorted(self.kinds - set(KINDS)):
            raise UsageError(f"there are no questions of the kind {unknown[0]!r}; there are {', '.join(KINDS)}")

    @property
    def stopped(self) -> str:
        """Why the model may be asked no more, if it may not."""
        return getattr(self.model, "stopped", "")

    def asks(self, story: Story, order: int) -> bool:
        """Whether there is anything to ask about a story."""
        wanted = [matter for matter in matters(story) if not self.kinds or matter.kind in self.kinds]
        answers = AnswerKey(story, order) if wanted else None
        is_asked = differs if self.interesting else _is_asked
        return answers is not None and any(is_asked(answers, matter, order) for matter in wanted)

    def wants(self, question: Question | Item) -> bool:
        """Whether this is a question that would be asked, were it of the right order."""
        return (
            (not self.kinds or question.tags["kind"] in self.kinds)
            and (not self.interesting or question.tags.get("interesting") is True)
            # No sentence about a place ends with "unknown", so a cloze cannot ask for it.
            and not (question.answer in (UNKNOWN, NOWHERE) and QuestionFormat(self.score, self.prompt).ends_sentences)
        )

    def replies(self, tellings: Sequence[tuple[Telling, int]]) -> list[Reply]:
        """How the questions about each telling were answered, at its order, from one batch."""
        found = []
        for marks in self.scores(tellings):
            right = {text: mark.value for text, mark in marks.items() if mark.value is not None}
            found.append(Reply(fmean(right.values()) if right else None, right))
        return found

    def scores(self, tellings: Sequence[tuple[Telling, int]]) -> list[dict[str, Score]]:
        """The scores of all questions about each telling at its order, by the words of the question."""
        plans = [self.plan(telling.story, order, words=telling.words) for telling, order in tellings]
        results = iter(self._results([each for each in plans if each]))
        if not self.stopped:
            self.asked += len(plans)
        found: list[dict[str, Score]] = []
        for each in plans:
            marks: dict[str, Score] = {}
            if each is not None:
                for item, posed in zip(each.items, each.posed, strict=True):
                    marks[item.question] = each.scoring.judge(item, posed, [next(results) for _ in posed])
            self.verdicts.update(mark.verdict for mark in marks.values())
            found.append(marks)
        if not self.stopped:
            self._refuse_silence()
        return found

    def plan(self, story: Story, order: int, *, words: int | None = None) -> Plan | None:
        """What is asked about a story, told in the words of a seed; None if there is nothing."""
        asked = quiz(story, order=order, seed=words)
        items = tuple(item for item in asked if item.tags["order"] == order and self.wants(item))
        suite = Suite("node", items, prompt=self.prompt, score=self.score) if items else None
        return plan(with_endings(suite), seed=self.seed) if suite else None

    def _results(self, plans: Sequence[Plan]) -> Sequence[object]:
        prompts = [prompt for each in plans for prompt in each.prompts]
        model = self.model
        if callable(model):
            items = {item.id: item for each in plans for item in each.items}
            model = model(Suite("node", tuple(items.values())))
        return model.ask(prompts) if scoring(self.score).verb == "ask" else model.weigh(prompts)

    def _refuse_silence(self) -> None:
        usable = self.verdicts["correct"] + self.verdicts["incorrect"]
        if not usable and self.verdicts.total() >= SILENCE:
            ends = ", ".join(f"{number} {verdict}" for verdict, number in self.verdicts.most_common())
            name = getattr(self.model, "name", "the baseline")
            raise ModelError(
                f"{name} gave no usable answer to the first {self.verdicts.total()} questions ({ends}), "
                "so there is nothing to search by; try another prompt or score (letters needs no parsing)"
            )


def search_format(model: Model | None, score: str = "", prompt: str = "") -> QuestionFormat:
    """The format in which a search asks a model (None: a baseline), of a score or with a prompt if these are given.

    A model in process is asked by cloze, for which it need not follow instructions; others are asked in words.
    """
    words = (TEXT, TEXT_RAW)
    if score:
        own = [QuestionFormat(score, each) for each in scoring(score).prompts]
        found = next((form for form in own if model is None or form.suits(model.cannot)), own[0])
    elif model is None:
        found = TEXT
    else:
        found = choose(words if model.is_served else (CLOZE, *words), model.cannot, model.name)
    return replace(found, prompt=prompt) if prompt else found


def _is_asked(answers: AnswerKey, matter: Matter, order: int) -> bool:
    """Whether anybody can be asked about this matter at exactly this order."""
    return any(len(minds) == order for minds in answers.replies(matter))
