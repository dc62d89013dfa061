"""Forms of asking compete on control questions: all on a few of them, the better half on as many again, and so on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import ceil

from otherminds import stats
from otherminds.errors import ModelError
from otherminds.formats.plans import groups
from otherminds.formats.question_formats import QuestionFormat
from otherminds.items import Suite
from otherminds.runs.runs import Record, Run
from otherminds.stats import Estimate

ROUNDS: tuple[int, ...] = (8, 16, 24)
"""Control questions that forms have been tried on after each round; half of the forms go on to the next."""
PERFECT = 16
"""Where so many controls are all answered rightly there is no further round: no form does better."""

Put = Callable[[Sequence[Suite]], Sequence[Run | ModelError]]
"""Puts several suites to a model; in place of one that it does not answer stands why."""


@dataclass(frozen=True, slots=True)
class Tried:
    """One form, and how many controls were answered rightly in it."""

    form: QuestionFormat
    right: Estimate
    round: int = 0
    """The last one that it came to; each has more controls than the one before."""


class Contest:
    """Who was tried on the controls of a suite, with what came of it."""

    def __init__(self, controls: Suite, questions: Suite, put: Put, rounds: Sequence[int] = ROUNDS) -> None:
        self._controls, self._questions, self._put, self._rounds = controls, questions, put, rounds
        self.tried: dict[QuestionFormat, Tried] = {}
        self.runs: dict[QuestionFormat, Run] = {}
        self.failed: list[str] = []

    @property
    def ranked(self) -> list[Tried]:
        """The best first: whoever came further, then who has more right, then who fits more of the questions."""
        fitting = {form: _fitting(form, self._questions) for form in self.tried}
        return sorted(
            self.tried.values(), key=lambda each: (each.round, each.right.value, fitting[each.form]), reverse=True
        )

    def fits(self, form: QuestionFormat) -> bool:
        """Whether all of the controls, and at least some of the questions, can be put so."""
        return _fitting(form, self._controls) == len(self._controls) and _fitting(form, self._questions) > 0

    def hold(self, forms: Sequence[QuestionFormat]) -> None:
        """Try these forms, round after round, until one is left or nothing can be better."""
        left = [form for form in forms if self.fits(form)]
        sizes = sorted({min(number, len(self._controls)) for number in self._rounds})
        for number, size in enumerate(sizes, start=1):
            self._try(left, size, number)
            # Those that do equally well stay in the order in which they are given.
            left = [each.form for each in self.ranked if each.form in left and each.round == number]
            if len(left) < 2 or (size >= PERFECT and self.tried[left[0]].right.value == 1):
                return
            left = left[: ceil(len(left) / 2)]

    def _try(self, forms: Sequence[QuestionFormat], size: int, number: int) -> None:
        some = replace(self._controls, items=self._controls.items[:size])
        parts = [part for form in forms if (part := form.part(some))]
        for form, run in zip(forms, self._put(parts), strict=True):
            if isinstance(run, ModelError):
                self.failed.append(f"{form}: {run}")
            elif right := accuracy(run.records):
                self.tried[form], self.runs[form] = Tried(form, right, number), run


def accuracy(records: Iterable[Record]) -> Estimate | None:
    """The share of right answers among all that came back."""
    answered = [record for record in records if record.verdict != "error"]
    if not answered:
        return None
    values = [float(record.value() == 1) for record in answered]
    return stats.mean(values, groups=groups([record.item for record in answered]))


def _fitting(form: QuestionFormat, suite: Suite) -> int:
    part = form.part(suite)
    return len(part) if part else 0
