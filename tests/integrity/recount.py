"""From the answers behind a number, the number itself, by arithmetic that shares nothing with the package's own."""

import re
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple

from otherminds.runs.runs import Record
from otherminds.studies.perturbed.tasks.chains import compare
from tests.integrity.pages import Key


class Given(NamedTuple):
    """An answer, and where it stands."""

    study: str
    suite: str
    model: str
    score: str
    prompt: str
    record: Record

    def number(self, of: str = "value") -> float:
        found = self.record.value(of)
        assert found is not None, f"{self.record.item.id} has no {of}, and stands behind a number all the same"
        return found

    def tag(self, name: str) -> object:
        return self.record.item.tags.get(name)


Number = tuple[float, int]
"""A value and its n."""
Answers = Sequence[Given]


def mean(of: str = "value") -> Callable[[Answers], Number]:
    """Over answers, each of which is one item."""
    return lambda answers: (fmean(each.number(of) for each in answers), len(answers))


def by_story(answers: Answers) -> Number:
    """Of the stories' means."""
    stories: dict[str, list[float]] = {}
    for each in answers:
        stories.setdefault(each.record.item.context, []).append(each.number())
    return fmean(map(fmean, stories.values())), len(stories)


def paired(side: Callable[[Given], object], first: object, of: str = "value") -> Callable[[Answers], Number]:
    """The one side less the other, on the same items."""

    def number(answers: Answers) -> Number:
        sides: tuple[dict[str, float], dict[str, float]] = ({}, {})
        for each in answers:
            sides[side(each) != first][each.record.item.id] = each.number(of)
        assert sides[0].keys() == sides[1].keys()
        return fmean(sides[0].values()) - fmean(sides[1].values()), len(sides[0])

    return number


def unpaired(first: Callable[[Given], bool]) -> Callable[[Answers], Number]:
    """The one sort less all others."""

    def number(answers: Answers) -> Number:
        sides: tuple[list[float], list[float]] = ([], [])
        for each in answers:
            sides[not first(each)].append(each.number())
        return fmean(sides[0]) - fmean(sides[1]), len(answers)

    return number


def slope(answers: Answers) -> Number:
    """Of S, from reading over mental states to false beliefs."""
    steps = [float(("TB", "MA", "FB").index(str(each.tag("task")).partition("/")[0])) for each in answers]
    values = [each.number("S") for each in answers]
    middle, level = fmean(steps), fmean(values)
    rise = sum((step - middle) * (value - level) for step, value in zip(steps, values, strict=True))
    return rise / sum((step - middle) ** 2 for step in steps), len(answers)


def unreadable(answers: Answers) -> Number:
    return fmean(each.record.value() is None for each in answers), len(answers)


def follows(answers: Answers) -> Number:
    return fmean(each.record.score.answer == each.record.item.meta["given"][-1] for each in answers), len(answers)


def proper(answers: Answers) -> Number:
    metas = [(each.record.item.meta, each.record.score.detail["states"]) for each in answers]
    scores = [compare(m["gold"], states, path_rule=m["path_rule"], final=m["final"]) for m, states in metas]
    return fmean(score.proper for score in scores), len(scores)


WAYS: dict[str, Callable[[Answers], Number]] = {
    r"Accuracy on (false|true)-belief questions by \w+": mean(),
    r"Right by letters less as a cloze": paired(lambda each: each.score, "letters"),
    r"Probability of the right option, .*": mean("S"),
    r"S from step to step.*": slope,
    r"S by letters less S as a cloze": paired(lambda each: each.score, "letters", "S"),
    r"Accuracy, \S+": mean(),
    r"Same answer in both orders of the options": mean("consistent"),
    r"Unsaid thoughts.*": mean(),
    r"Second order less first order": unpaired(lambda each: each.tag("order") == 2),
    r"False belief less read rightly": unpaired(lambda each: each.tag("false_belief") is True),
    r"Right about .*": by_story,
    r"Perturbed set, .*": mean(),
    r"Perturbed less unperturbed, .*": unpaired(lambda each: each.tag("class") != "none"),
    r"Unreadable, .*": unreadable,
    r"With a chain less plainly": paired(lambda each: each.prompt, "json-chain"),
    r"Chains right to the letter": proper,
    r"Answers that follow a given \w+ chain": follows,
}
"""By what a finding is called."""


def recount(what: str, answers: Answers) -> Number:
    """The number that a finding of this name has, from the answers that its link selects."""
    (way,) = [way for name, way in WAYS.items() if re.fullmatch(name, what)]
    return way(answers)


def given(key: Key, record: Record) -> Given:
    """An answer with its place."""
    study, suite, model, score, prompt, _ = key
    return Given(study, suite, model, score, prompt, record)
