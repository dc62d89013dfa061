"""What a study declares to be taken away: scores of some items, and gaps between two sorts, as findings.

    SCORES = [Score("False beliefs", {"false_belief": True}, chance=0.5, first=True)]
    GAPS = [Gap("Letters less cloze", {"score": "letters"}, {"score": "cloze"}, paired=True)]
    findings([*SCORES, *GAPS], "smollm2", answers, table)

Each finding leads to exactly the answers behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from otherminds.results.answers import Answers, Wanted, shared
from otherminds.results.itembrowser import leads_to
from otherminds.stats import Difference, Estimate
from otherminds.studies.study import Finding

Tags = Mapping[str, Wanted]
Say = Callable[[Any], str]
"""The sentence that tells an estimate."""


@dataclass(frozen=True, slots=True)
class Score:
    """A mean over the items with some tags, and what it is read against."""

    what: str
    tags: Tags = field(default_factory=dict)
    of: str = "value"
    """The number that is meant; empty: every answer counts, whether or not it has a value."""
    chance: float | None = None
    beside: str = ""
    first: bool = False
    """Whether it belongs on the first screen."""
    digits: int = 2
    measure: Callable[[Answers], Estimate | None] | None = None
    """What is measured of the answers, if not the mean."""
    say: Say | None = None

    def number(self, answers: Answers) -> Estimate | None:
        """What is measured; None where there is nothing."""
        some = self.behind(answers)
        return self.measure(some) if self.measure else some.mean(self.of)

    def behind(self, answers: Answers) -> Answers:
        """The answers that it is measured of."""
        some = answers.where(None, **self.tags)
        return some.with_value(self.of) if self.of else some


@dataclass(frozen=True, slots=True)
class Gap:
    """How far answers with some properties lie above others: item by item, or of two sorts of item."""

    what: str
    one: Tags
    other: Tags
    of: str = "value"
    paired: bool = False
    beside: str = ""
    first: bool = False
    say: Say | None = None

    def number(self, answers: Answers) -> Difference | None:
        """The difference; None where there is nothing to compare."""
        one, other = self._sides(answers)
        return one.less(other, self.of) if self.paired else one.against(other, self.of)

    def behind(self, answers: Answers) -> Answers:
        """The answers that it compares."""
        one, other = self._sides(answers)
        return one | other

    def _sides(self, answers: Answers) -> tuple[Answers, Answers]:
        one, other = (answers.where(None, **tags).with_value(self.of) for tags in (self.one, self.other))
        if self.paired:
            one, other = shared(one, other)
        return one, other


def findings(
    declared: Iterable[Score | Gap],
    label: str,
    answers: Answers,
    table: Answers,
    rules: Mapping[str, Answers] | None = None,
) -> Iterator[Finding]:
    """What is declared, as far as it can be measured of these answers; `rules` answered the same items."""
    for each in declared:
        if found := each.number(answers):
            score = each if isinstance(each, Score) else Score(each.what)
            same = {name: score.number(rule) for name, rule in (rules or {}).items() if score is each}
            yield Finding(
                each.what,
                label,
                found,
                score.chance,
                each.beside,
                leads_to(each.behind(answers), table),
                first=each.first,
                digits=score.digits,
                sentence=each.say(found) if each.say else "",
                rules={name: one.value for name, one in same.items() if one},
            )
