"""What a study declares to be taken away: scores of some items, and gaps between two sorts, as findings.

    SCORES = [Score("False beliefs", {"false_belief": True}, chance=0.5, first=True)]
    GAPS = [Gap("Letters less cloze", {"score": "letters"}, {"score": "cloze"}, paired=True)]
    findings([*SCORES, *GAPS], "smollm2", answers, table)

Each finding leads to exactly the answers behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from otherminds.results.answers import Answers, Wanted, shared
from otherminds.results.itembrowser import leads_to
from otherminds.stats import Difference
from otherminds.studies.study import Finding

Tags = Mapping[str, Wanted]


@dataclass(frozen=True, slots=True)
class Score:
    """A mean over the items with some tags, and what it is read against."""

    what: str
    tags: Tags = field(default_factory=dict)
    of: str = "value"
    chance: float | None = None
    beside: str = ""
    first: bool = False
    """Whether it belongs on the first screen."""
    digits: int = 2


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

    def behind(self, answers: Answers) -> tuple[Answers, Answers]:
        """The answers that it compares."""
        one, other = (answers.where(None, **tags).with_value(self.of) for tags in (self.one, self.other))
        if self.paired:
            one, other = shared(one, other)
        return one, other

    def measure(self, answers: Answers) -> Difference | None:
        """The difference; None where there is nothing to compare."""
        one, other = self.behind(answers)
        return one.less(other, self.of) if self.paired else one.against(other, self.of)


def findings(
    declared: Iterable[Score | Gap],
    label: str,
    answers: Answers,
    table: Answers,
    rules: Mapping[str, Answers] | None = None,
) -> Iterator[Finding]:
    """What is declared, as far as it can be measured of these answers; `rules` got theirs on the same items."""
    for each in declared:
        if isinstance(each, Gap):
            if gap := each.measure(answers):
                one, other = each.behind(answers)
                to = leads_to(one | other, table)
                yield Finding(each.what, label, gap, None, each.beside, to, first=each.first)
            continue
        some = answers.where(None, **each.tags).with_value(each.of)
        if mean := some.mean(each.of):
            same = {name: rule.where(None, **each.tags).mean(each.of) for name, rule in (rules or {}).items()}
            yield Finding(
                *(each.what, label, mean, each.chance, each.beside, leads_to(some, table)),
                first=each.first,
                digits=each.digits,
                rules={name: one.value for name, one in same.items() if one},
            )
