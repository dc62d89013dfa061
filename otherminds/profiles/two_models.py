"""What one of two models can do that the other cannot: kind of question by kind of question, on the same questions.

A kind is a study, what happens in the story, and whether one mind is asked about or minds about minds. A model that
answers from reality is right about every true belief, one that never does about every false one; so the two models are
compared by the mean of both accuracies, in which neither gains, and one tells false from true beliefs only where both
lie above chance. Where many kinds are compared some differ by luck, so p is adjusted for all of them (Holm). Stories
that were searched against one of the two would be unfair to it, and are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import nan

from otherminds import stats
from otherminds.diagnosis.cells import happened
from otherminds.files import read_words
from otherminds.items.tags import FALSE_BELIEF, ORDER
from otherminds.minds.telling import listing
from otherminds.pages.heatmap import term
from otherminds.profiles.abilities import FEWEST, Ability, Questions, Side, at_best, the_order
from otherminds.results.answers import Answer, Answers
from otherminds.results.itembrowser import leads_to, link
from otherminds.results.measures import FEWEST as FEWEST_GROUPS
from otherminds.stats import Difference, span
from otherminds.studies.study import Chapter

SURE = 0.05
NAMED = 2
"""Differences that are told in words."""
LISTED = 4
"""Kinds that are named in one list."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Questions that are alike."""

    study: str
    what: str
    """What happens in the story."""
    nested: bool | None
    """Whether minds about minds are asked about; None where nothing tells."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Two models on one kind of question."""

    kind: Kind
    first: Ability
    second: Ability
    difference: Difference
    """How far the second lies above the first, from 0 for guesses to 1, false and true beliefs counting alike."""
    holm: float = 1.0

    @property
    def sure(self) -> bool:
        """Whether they differ, with all kinds allowed for."""
        return self.holm < SURE

    @property
    def ahead(self) -> bool:
        """Whether the second does better."""
        return self.difference.value > 0

    @property
    def size(self) -> float:
        """By which the largest of the sure ones comes first: what they differ by at least."""
        return max(self.difference.low, -self.difference.high)


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """Two models on all kinds of question that both were asked."""

    models: tuple[str, str]
    gaps: Sequence[Gap]
    unread: Mapping[str, Sequence[str]]
    """By study that is not compared, whose control questions failed."""


def comparison(models: tuple[str, str], chapters: Mapping[str, Chapter]) -> ModelComparison:
    """The second of two models against the first, in every study whose control questions both can answer."""
    found: list[Gap] = []
    unread = {study: [name for name in models if name in each.unable] for study, each in chapters.items()}
    for study, chapter in chapters.items():
        if not unread[study]:
            found += gaps_between(study, *_paired(*(at_best(chapter, name) for name in models)))
    return ModelComparison(models, adjusted(found), {study: names for study, names in unread.items() if names})


def _paired(first: Questions, second: Questions) -> tuple[Answers, Answers]:
    """The answers of both to the questions that both answered."""
    both = [key for key in first if key in second]
    return Answers(first[key] for key in both), Answers(second[key] for key in both)


def gaps_between(study: str, first: Answers, second: Answers) -> Iterator[Gap]:
    """The kinds of question in these answers of two models to the same questions, in the same order."""
    kinds: dict[Kind, list[int]] = {}
    for number, row in enumerate(first):
        kinds.setdefault(_kind(study, row), []).append(number)
    for kind, numbers in kinds.items():
        sorts = _sorts([first[number] for number in numbers], numbers)
        if sorts and (gap := _gap(kind, *([[rows[n] for n in sort] for sort in sorts] for rows in (first, second)))):
            yield gap


def _kind(study: str, row: Answer) -> Kind:
    order = row.get(ORDER)
    return Kind(study, happened(row.item), order > 1 if isinstance(order, int) else None)


def _sorts(rows: Sequence[Answer], numbers: Sequence[int]) -> list[list[int]]:
    """Those about false beliefs and those about true ones, or all where none are told apart; nothing where too few."""
    by = {
        belief: [number for number, row in zip(numbers, rows, strict=True) if row.get(FALSE_BELIEF) is belief]
        for belief in (True, False, None)
    }
    if min(len(by[True]), len(by[False])) >= FEWEST:
        return [by[True], by[False]]
    return [by[None]] if len(by[None]) >= FEWEST else []


def _gap(kind: Kind, first: Sequence[Sequence[Answer]], second: Sequence[Sequence[Answer]]) -> Gap | None:
    own, other = (Ability(tuple(_side(rows) for rows in sorts)) for sorts in (first, second))
    n = sum(map(len, first))
    # Sorts count alike, however many questions each has.
    weights = [n / len(first) / len(rows) for rows in first for _ in rows]
    one, two = ([_above_chance(row) for rows in sorts for row in rows] for sorts in (first, second))
    groups = [row.group for rows in first for row in rows]
    if len(set(groups)) < FEWEST_GROUPS:
        return None
    scaled = ([value * weight for value, weight in zip(values, weights, strict=True)] for values in (two, one))
    return Gap(kind, own, other, stats.difference(*scaled, groups=groups))


def _above_chance(row: Answer) -> float:
    """1 for a right answer, and what makes a guess 0 on average: forms differ in how many options they show."""
    chance = 1 / len(row.item.choices)
    return ((row.value or 0.0) - chance) / (1 - chance)


def _side(rows: Sequence[Answer]) -> Side:
    answers = Answers(rows)
    right = answers.mean()
    assert right is not None  # only answers with a value are paired
    return Side(answers, right)


def adjusted(found: Sequence[Gap]) -> list[Gap]:
    """The gaps with p adjusted for being so many, the largest first."""
    ps = stats.holm([gap.difference.p for gap in found])
    several = [replace(gap, holm=1.0 if p is nan else p) for gap, p in zip(found, ps, strict=True)]
    return sorted(several, key=lambda gap: (-gap.size, -gap.difference.n))


# ---- in words -----------------------------------------------------------------------------------------------------

_TEXTS = read_words("pages")["profile"]
_WHERE: dict[str, str] = _TEXTS["where"]
TELLS, ABOVE = "tells false from true beliefs", "is above chance with questions"


def compared(found: ModelComparison, answers: Answers) -> str:
    """What one can do that the other cannot, then what both can and what neither can; empty where nothing was asked."""
    gaps = [gap for gap in found.gaps if gap.sure]
    can = [gap for gap in gaps if _winner(gap).shown and not _loser(gap).shown]
    said = [_can(gap, found.models, answers, before) for gap, before in zip(can[:NAMED], [None, *can], strict=False)]
    if more := max(0, len(can) - NAMED):
        said.append(f"The same holds for {more} more kind{'s' * (more > 1)} of question.")
    elif better := [gap for gap in gaps if gap not in can][: NAMED - len(can)]:
        said += [_better(gap, found.models, answers) for gap in better]
    if not gaps and found.gaps:
        said.append(_no_difference(found))
    rest = filter(None, [_both(found, bool(can)), _neither(found, answers), _unread(found)])
    return "\n\n".join(filter(None, [" ".join(said), " ".join(rest)]))


def _winner(gap: Gap) -> Ability:
    return gap.second if gap.ahead else gap.first


def _loser(gap: Gap) -> Ability:
    return gap.first if gap.ahead else gap.second


def _can(gap: Gap, models: tuple[str, str], answers: Answers, before: Gap | None) -> str:
    able, unable = (models[1], models[0]) if gap.ahead else models
    numbers = listing([_number(side, answers) for side in _loser(gap).sides])
    again = before is not None and (before.ahead, _does(before)) == (gap.ahead, _does(gap))
    does = f"It does so {_of(gap)} too" if again else f"**{able}** {_does(gap)} {_of(gap)}"
    own = listing([_number(side, answers) for side in _winner(gap).sides]) if again else _numbers(_winner(gap), answers)
    return f"{does} ({gap.kind.study}: {own}); **{unable}** does not ({numbers})."


def _better(gap: Gap, models: tuple[str, str], answers: Answers) -> str:
    better = models[gap.ahead]
    also = "though both do" if _loser(gap).shown else "though neither is above chance throughout"
    return (
        f"**{better}** does better than **{models[not gap.ahead]}** {_of(gap)} ({gap.kind.study}:"
        f" {_numbers(_winner(gap), answers)}, against {_numbers(_loser(gap), answers)}), {also}."
    )


def _no_difference(found: ModelComparison) -> str:
    first, second = found.models
    kinds = f"{len(found.gaps)} kinds" if len(found.gaps) > 1 else "the one kind"
    return f"No difference between **{first}** and **{second}** can be told in {kinds} of question that both answered."


def _both(found: ModelComparison, told: bool) -> str:
    kinds = [gap for gap in found.gaps if gap.first.shown and gap.second.shown and _about_beliefs(gap)]
    return f"Both {'do' if told else 'tell false from true beliefs'} {_listed(kinds)}." if kinds else ""


def _neither(found: ModelComparison, answers: Answers) -> str:
    kinds = [gap for gap in found.gaps if not gap.first.shown and not gap.second.shown]
    kinds = [gap for gap in kinds if _about_beliefs(gap)] or kinds
    if not kinds:
        return ""
    kinds.sort(key=lambda gap: -gap.difference.n)
    one, two = (_number(each.sides[0], answers) for each in (kinds[0].first, kinds[0].second))
    sort = "false-belief questions" if _about_beliefs(kinds[0]) else "questions"
    return (
        f"Neither {_does(kinds[0])} {_listed(kinds)} ({'first of these: ' * (len(kinds) > 1)}{one} and {two} {sort})."
    )


def _unread(found: ModelComparison) -> str:
    if not found.unread:
        return ""
    studies = [f"{study} ({listing([f'**{name}**' for name in names])})" for study, names in found.unread.items()]
    return f"Nothing is compared in {listing(studies)}, for want of right answers to {term('control questions')}."


def _does(gap: Gap) -> str:
    return TELLS if _about_beliefs(gap) else ABOVE


def _about_beliefs(gap: Gap) -> bool:
    return len(gap.first.sides) > 1


def _of(gap: Gap) -> str:
    """Which questions: `of the first order where somebody leaves`."""
    where = _WHERE.get(gap.kind.what, f"in “{gap.kind.what}”")
    orders = sorted({row.get(ORDER) for side in gap.first.sides for row in side.answers if row.get(ORDER)})
    return f"{_depth(orders)} {where}" if orders else where


def _depth(orders: Sequence[int]) -> str:
    if len(orders) == 1:
        return f"of {the_order(orders[0])}"
    return f"of orders {orders[0]} to {orders[-1]}"


def _listed(kinds: Sequence[Gap]) -> str:
    more = len(kinds) - LISTED
    named = [f"{_of(gap)} ({gap.kind.study})" for gap in kinds[:LISTED]]
    return listing([*named, f"in {more} more kinds"] if more > 0 else named)


def _numbers(one: Ability, answers: Answers) -> str:
    if len(one.sides) == 1:
        return f"accuracy {_number(one.sides[0], answers)}"
    false, true = (_number(side, answers) for side in one.sides)
    return f"accuracy {false} false-belief and {true} true-belief questions"


def _number(side: Side, answers: Answers) -> str:
    """A number that leads to exactly its items, its interval and n."""
    value, _, interval = span(side.right).partition(" ")
    to = leads_to(side.answers, answers.where(model=side.answers[0].model))
    linked = f"[{value}]({link('', to)})" if to else value
    return f"{linked} {interval} on {side.right.n}"
