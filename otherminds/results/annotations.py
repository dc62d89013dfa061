"""What people answer to the items of a suite, and how far they, a key, a model and a judge agree.

The suite's name is the batch. A person sees context, question and choices, in the item's own order, and never the
answer. Each answer is kept with a digest of what was shown: once an item's text changes, what was answered to the old
text no longer counts. What people say to an item is what more than half of them say; an item without a majority is
counted, and in no mean.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase as LETTERS

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.formats.plans import groups
from otherminds.items import Item, Suite
from otherminds.items.tags import KIND, ORDER, has_right_answer
from otherminds.runs.runs import Run
from otherminds.stats import Estimate
from otherminds.stats.raters import alpha, fleiss, majority
from otherminds.store.store import Annotation, Store

Votes = Mapping[str, Mapping[str, str]]
"""What people chose: by annotator, then by item id."""
LONGEST_NAME = 60


def shown(item: Item) -> str:
    """A digest that changes with anything that a person sees of an item."""
    return hashlib.sha256(json.dumps([item.context, item.question, *item.choices]).encode()).hexdigest()[:16]


def check_name(name: str) -> str:
    """The name of an annotator without spaces around it, or a sentence if it cannot be one."""
    name = name.strip()
    # A letter or digit in front: spreadsheets take what begins otherwise for a formula.
    if not name[:1].isalnum() or not name.isprintable() or len(name) > LONGEST_NAME:
        raise UsageError(
            f"{name[:LONGEST_NAME]!r} cannot be the name of an annotator; begin with a letter or a digit, and use"
            f" at most {LONGEST_NAME} characters"
        )
    return name


class AnnotationBatch:
    """A suite that people answer, and the store that keeps what they say."""

    def __init__(self, suite: Suite, store: Store) -> None:
        for item in suite:
            if not item.choices:
                raise UsageError(f"item {item.id!r} has no choices, and people are only asked to choose")
            if len(item.choices) > len(LETTERS):
                raise UsageError(f"item {item.id!r} has {len(item.choices)} choices, and there are only 26 letters")
        self.suite = suite
        self.items = {item.id: item for item in suite}
        self._store = store

    def keep(self, annotator: str, id: str, answer: str) -> None:
        """Write one answer; it is on disk when this returns."""
        self.keep_all([self.annotation(annotator, id, answer)])

    def keep_all(self, annotations: Iterable[Annotation]) -> None:
        """Write answers, all of them or none."""
        self._store.keep_annotations(annotations)

    def annotation(self, annotator: str, id: str, answer: str) -> Annotation:
        """One answer as the store keeps it, or a sentence if it is none to these items."""
        if id not in self.items:
            raise UsageError(f"suite {self.suite.name!r} has no item {id!r}")
        item = self.items[id]
        if answer not in item.choices:
            raise UsageError(f"{answer!r} is not one of the choices of item {id!r}")
        return Annotation(self.suite.name, id, check_name(annotator), answer, shown(item))

    def answers(self) -> dict[str, dict[str, str]]:
        """What each annotator answered to the items as they are now."""
        now = {id: shown(item) for id, item in self.items.items()}
        found: dict[str, dict[str, str]] = {}
        for kept in self._store.annotations(self.suite.name):
            if now.get(kept.item) == kept.digest:
                found.setdefault(kept.annotator, {})[kept.item] = kept.answer
        return found

    def answers_of(self, annotator: str) -> dict[str, str]:
        """What one annotator answered."""
        return self.answers().get(annotator, {})


def majorities(suite: Suite, answers: Votes) -> dict[str, str | None]:
    """By item that anybody answered, what more than half of them said; None if there is no such answer."""
    votes = {item.id: [given[item.id] for given in answers.values() if item.id in given] for item in suite}
    return {id: majority(said) for id, said in votes.items() if said}


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far annotators agree on a suite, and what most of them say."""

    annotators: Mapping[str, int]
    """How many items each of them answered."""
    compared: int
    """Items that two or more answered."""
    alpha: Estimate | None
    """Krippendorff's; none if there is nothing to compare, or if only one answer was ever given."""
    fleiss: Estimate | None
    majority: Mapping[str, int]
    """For how many items most annotators gave this answer."""
    undecided: int
    """Items that somebody answered, without a majority."""


def agreement(suite: Suite, answers: Votes, *, seed: int = 0) -> Agreement:
    """Agreement over a suite, with intervals drawn by group of items.

    Items with the same choices are compared by what was answered; if the choices differ from item to item, by place:
    A, B, and so on.
    """
    alike = len({frozenset(item.choices) for item in suite}) == 1
    label = {
        (item.id, choice): choice if alike else LETTERS[place]
        for item in suite
        for place, choice in enumerate(item.choices)
    }
    table = [
        [label[item.id, given[item.id]] if item.id in given else None for given in answers.values()] for item in suite
    ]
    decided = majorities(suite, answers)
    by = groups(suite.items)
    return Agreement(
        annotators={name: len(given) for name, given in answers.items()},
        compared=sum(len(row) - row.count(None) > 1 for row in table),
        alpha=alpha(table, groups=by, seed=seed),
        fleiss=fleiss(table, groups=by, seed=seed),
        majority=dict(sorted(Counter(label[id, top] for id, top in decided.items() if top is not None).items())),
        undecided=sum(top is None for top in decided.values()),
    )


@dataclass(frozen=True, slots=True)
class KindAgreement:
    """How far people agree with the key, and a model with people, on one kind of question."""

    kind: str
    order: str
    people_key: Estimate | None
    """The share of items on which most people give the answer of the key."""
    model_people: Estimate | None
    """The share of items on which a model gives the answer of most people, where it gave one."""
    undecided: int
    """Items that people answered without a majority."""


def agreement_by_kind(suite: Suite, answers: Votes, run: Run | None = None) -> list[KindAgreement]:
    """A line for every kind and order that anybody answered, then one for all of them; intervals are by story."""
    decided = majorities(suite, answers)
    # What the run answered to the items as people saw them.
    now = {item.id: shown(item) for item in suite}
    model = {
        record.item.id: record.score.answer
        for record in (run.records if run else ())
        if record.score.value is not None and now.get(record.item.id) == shown(record.item)
    }
    kinds: dict[tuple[str, str], list[Item]] = {}
    for item in suite:
        if item.id in decided:
            kinds.setdefault((str(item.tags.get(KIND, "–")), str(item.tags.get(ORDER, "–"))), []).append(item)
    every = [item for items in kinds.values() for item in items]
    lines = [(*names, items) for names, items in sorted(kinds.items())]
    return [_line(*line, decided, model) for line in [*lines, *([("all", "", every)] if len(lines) > 1 else [])]]


def _line(
    kind: str, order: str, items: Sequence[Item], decided: dict[str, str | None], model: dict[str, str]
) -> KindAgreement:
    clear = [item for item in items if decided[item.id] is not None]
    key = {item.id: item.answer for item in clear if has_right_answer(item.tags)}

    def share(said: Mapping[str, str]) -> Estimate | None:
        both = [item for item in clear if item.id in said]
        same = [float(decided[item.id] == said[item.id]) for item in both]
        return stats.mean(same, groups=groups(both)) if both else None

    return KindAgreement(kind, order, share(key), share(model), len(items) - len(clear))


READ = ("correct", "incorrect")


@dataclass(frozen=True, slots=True)
class Judging:
    """Who judged, how often the key says the same, and how many of the judge's own replies could not be read."""

    judge: str
    agreement: Estimate | None
    """Over the items that both could read; None where there are none."""
    unread: int
    judged: int

    def __str__(self) -> str:
        agrees = (
            f"agrees with the key in {self.agreement} of the replies that can be read without a judge"
            if self.agreement
            else "cannot be held against the key: no reply can be read without a judge"
        )
        unread = f"; {self.unread} of {self.judged} replies of the judge could not be read" if self.unread else ""
        return f"judged by {self.judge}, which {agrees}{unread}"


def judging(run: Run) -> Judging | None:
    """What is known of a run's judge; None for a run that was scored without one."""
    judge = run.manifest.get("judge")
    if not isinstance(judge, dict):
        return None
    told = [record for record in run.records if "by_key" in record.score.detail]
    both = [record for record in told if record.verdict in READ and record.score.detail["by_key"] in READ]
    same = [float(record.score.detail["by_key"] == record.verdict) for record in both]
    unread = sum(record.score.detail.get("judge_unread") is True for record in told)
    share = stats.mean(same, groups=groups([record.item for record in both])) if both else None
    return Judging(str(judge.get("name")), share, unread, len(told))
