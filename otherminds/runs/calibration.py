"""Which form of asking lets a model show what it can: control questions in every form, and the best one chosen.

The one that wins the contest is told with its accuracy on controls that had no part in it, since the best of many is
best by luck too. An answer that cannot be read is not right: a form in which a model does not answer is none in which
it can.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import ceil
from typing import Any

from otherminds import stats
from otherminds.errors import ModelError, Unable
from otherminds.formats.plans import groups
from otherminds.formats.question_formats import QuestionFormat, possible, without_doubles
from otherminds.items import Item, Suite
from otherminds.items.controls import KINDS
from otherminds.items.tags import CONTROL, STORY, TOLD, TWIN
from otherminds.runs.runs import Record, Run
from otherminds.stats import Estimate, span

ENOUGH = 0.75
"""Where even the upper end of a model's accuracy on controls lies below this, nothing is said about minds."""
GOOD = 0.9
"""Of forms that let a model answer elsewhere, one that does at least so well here needs no comparison with all."""
CONFIRMED = {"quick": 40, "standard": 120}
"""By the size of a look, how many other controls tell the accuracy of the chosen form; all of them in a full one."""
LONG = 500
"""Characters of a story that is costly to read."""
FIRST_LOOK = 24
"""Of those, how many may be enough."""
WIDER = 1.32
"""How much wider than an interval of 95 % one of 99 % is. At a first look only that may decide: who looks twice with
95 % errs more often than one time in twenty."""
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


class FormatContest:
    """Who was tried on the controls of a suite, with what came of it."""

    def __init__(self, controls: Suite, questions: Suite, put: Put, rounds: Sequence[int]) -> None:
        self._controls, self._questions, self._put, self._rounds = controls, questions, put, rounds
        self.tried: dict[QuestionFormat, Tried] = {}
        self.runs: dict[QuestionFormat, Run] = {}
        self.failed: list[str] = []

    @property
    def ranked(self) -> list[Tried]:
        """The best first: whoever came further, then who has more right, then who fits more of the questions."""
        fitting = {form: form.fitting(self._questions) for form in self.tried}
        return sorted(
            self.tried.values(), key=lambda each: (each.round, each.right.value, fitting[each.form]), reverse=True
        )

    def hold(self, forms: Sequence[QuestionFormat]) -> None:
        """Try these forms, round after round, until one is left or nothing can be better."""
        left = list(forms)
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


@dataclass(frozen=True, slots=True)
class Calibration:
    """What came of the control questions: the form that is used, and how well it goes in it."""

    tried: tuple[Tried, ...]
    """The best first."""
    form: QuestionFormat
    right: Estimate
    """In the chosen form, on controls that did not choose it."""
    runs: tuple[Run, ...]
    """All controls in the chosen form."""
    failed: tuple[str, ...] = ()
    alone: bool = False
    """Whether there was only one control, or pair, so that the accuracy is on what chose the form."""

    @property
    def able(self) -> bool:
        """Whether what it answers about minds can be read as that."""
        return self.right.high >= ENOUGH

    @property
    def sentence(self) -> str:
        """How it is asked, or what is said in place of a score where it cannot be read."""
        if self.able:
            chose = ", on the ones that chose this form" if self.alone else ""
            return f"asked {self.form}; controls {span(self.right)}{chose}"
        return (
            f"cannot even say what the stories say outright in any form (best: {self.form}, {span(self.right)}):"
            " this says nothing about minds"
        )

    @property
    def finalists(self) -> list[QuestionFormat]:
        """The forms that came furthest, the best first; where there was one round, the better half."""
        rounds = self.tried[0].round
        last = [each.form for each in self.tried if each.round == rounds]
        return last if rounds > 1 else last[: ceil(len(last) / 2)]

    def by_kind(self) -> dict[str, Estimate]:
        """The accuracy on each kind of control."""
        records = [record for run in self.runs for record in run.records]
        kinds = dict.fromkeys(str(record.item.tags.get(CONTROL)) for record in records)
        found = {KINDS.get(kind, kind): [r for r in records if r.item.tags.get(CONTROL) == kind] for kind in kinds}
        return {kind: right for kind, some in found.items() if (right := accuracy(some))}

    def understood(self) -> frozenset[str]:
        """The stories all of whose controls were answered rightly, of those that controls were asked about."""
        wrong: set[str] = set()
        asked: set[str] = set()
        for record in (record for run in self.runs for record in run.records):
            story = str(record.item.meta.get(TOLD, record.item.context))
            asked.add(story)
            if record.value() != 1:
                wrong.add(story)
        return frozenset(asked - wrong)


def calibrate(
    controls: Suite,
    questions: Suite,
    put: Put,
    *,
    cannot: frozenset[str] = frozenset(),
    seed: int = 0,
    before: Sequence[Calibration] = (),
    confirmed: int | None = None,
    brief: bool = False,
    ahead: Callable[[QuestionFormat, Suite], object] = lambda form, told: None,
) -> Calibration:
    """Let the forms that a model can answer in, and that fit the questions too, compete; then confirm the best.

    `before` is what came of similar controls: forms that let the model answer there come first, and where one of them
    is good here too, no other is tried; to write, where it could not, costs most and is not tried again. `confirmed` is
    how many controls tell the accuracy at most. With `brief` there are two rounds, of long stories one and a first look
    alone; and after some studies only the plain forms compete, which share the reading of a story, with those that came
    furthest where it could answer (of long stories, with those that were chosen there). `ahead` hears of the best form
    and of the other controls in it before these are asked, so that whatever else is asked in it about the same stories
    can be asked in one go.
    """
    long = brief and _long(controls)
    most = min(confirmed or FIRST_LOOK, FIRST_LOOK) if long else confirmed
    choosing, others = parted(controls, seed=seed, confirmed=most)
    contest = FormatContest(choosing, questions, put, ROUNDS[: 1 if long else 2] if brief else ROUNDS)
    fitting = [form for form in possible(cannot) if form.fitting(choosing) == len(choosing) and form.fitting(questions)]
    able = without_doubles(fitting)
    good = {form for each in before if each.able for form in ([each.form] if long else each.finalists)}
    if brief and len(before) > (0 if long else 1):
        able = [form for form in able if _plain(form) or form in good] or able
        good |= set(filter(_plain, able))  # a story is read once for all of these, so to try a few would save nothing
    contest.hold([form for form in able if form in good])
    if not contest.tried or contest.ranked[0].right.value < GOOD:
        contest.hold(_worth_it(able, before))  # what was tried already costs nothing
    if not contest.tried:
        why = "; ".join(contest.failed)
        raise Unable(why or "there is no form in which both the controls and the questions can be put")
    best = contest.ranked[0]
    told = _told(best.form, others, put, ahead)
    right = accuracy(told.records) if told else None
    runs = (contest.runs[best.form], *([told] if told else []))
    return Calibration(
        tuple(contest.ranked), best.form, right or best.right, runs, tuple(contest.failed), alone=right is None
    )


def _plain(form: QuestionFormat) -> bool:
    """Whether it is one of those that share the reading of a story, and so are cheapest."""
    return form.prompt == "raw" and form.scoring.verb == "weigh"


def _worth_it(forms: Sequence[QuestionFormat], before: Sequence[Calibration]) -> list[QuestionFormat]:
    """The forms without those to write in, if elsewhere they fell out in the first round and others can be weighed."""
    out = {
        tried.form for each in before for tried in each.tried if tried.round == 1 and tried.form not in each.finalists
    }
    kept = [form for form in forms if form.scoring.verb == "weigh" or form not in out]
    return kept or list(forms)


def _told(
    form: QuestionFormat, others: Suite | None, put: Put, ahead: Callable[[QuestionFormat, Suite], object]
) -> Run | None:
    """The others in the chosen form: some of them, and all where these do not show on which side the model is."""
    part = form.part(others) if others else None
    if part is None:
        return None
    some = replace(part, items=part.items[:FIRST_LOOK]) if len(part) > FIRST_LOOK else part
    ahead(form, some)
    found = _put_one(some, put)
    return found if some is part or _decided(found) else _put_one(part, put)


def _put_one(suite: Suite, put: Put) -> Run:
    (found,) = put([suite])
    if isinstance(found, ModelError):
        raise found
    return found


def _decided(run: Run) -> bool:
    right = accuracy(run.records)
    if right is None:
        return False
    low = right.value - WIDER * (right.value - right.low)
    high = right.value + WIDER * (right.high - right.value)
    return low > ENOUGH or high < ENOUGH


def parted(controls: Suite, *, seed: int, confirmed: int | None = None) -> tuple[Suite, Suite | None]:
    """Controls that choose the form, at most half of all, and others that tell its accuracy; pairs stay together."""
    order = spread(controls.items, seed=seed)
    choosing = _first(_by_story(_every_other(order)), ROUNDS[-1])
    others = _first([pair for pair in order if pair not in choosing], confirmed or len(controls))
    told = replace(_of(controls, others), name=f"{controls.name}-told") if others else None
    return _of(controls, choosing), told


def _every_other(order: Sequence[list[Item]]) -> list[list[Item]]:
    """Every other pair of each kind, so that both parts are of the same kinds; the first, if there is only one."""
    seen: Counter[str] = Counter()
    found = []
    for pair in order:
        seen[_kind(pair)] += 1
        if seen[_kind(pair)] % 2 == 0:
            found.append(pair)
    return found or list(order[:1])


def _long(controls: Suite) -> bool:
    return sum(len(item.context) for item in controls) >= LONG * len(controls)


def _by_story(pairs: list[list[Item]]) -> list[list[Item]]:
    """Pairs of one long story side by side, two at most: a story that is read once costs half."""
    if sum(len(pair[0].context) for pair in pairs) < LONG * len(pairs):
        return pairs
    stories = dict.fromkeys(map(_story, pairs))
    return [pair for story in stories for pair in [each for each in pairs if _story(each) == story][:2]]


def spread(items: Sequence[Item], *, seed: int) -> list[list[Item]]:
    """The items in pairs of twins, so ordered that any number of the first are of many stories and kinds."""
    stories: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    order: list[list[Item]] = []
    for pair in least_first(items, f"controls:{seed}", lambda each: (stories[_story(each)], kinds[_kind(each)])):
        stories[_story(pair)] += 1
        kinds[_kind(pair)] += 1
        order.append(pair)
    return order


def least_first(items: Iterable[Item], seed: str, key: Callable[[list[Item]], Any]) -> Iterator[list[Item]]:
    """The items in sets of twins: always the one for which the key is least now, of equals one that is drawn."""
    sets: dict[str, list[Item]] = {}
    for item in items:
        sets.setdefault(str(item.tags.get(TWIN, item.id)), []).append(item)
    left = random.Random(seed).sample(list(sets.values()), len(sets))
    while left:
        least = min(left, key=key)
        left.remove(least)
        yield least


def _first(pairs: Sequence[list[Item]], number: int) -> list[list[Item]]:
    """The first pairs, until there are so many items."""
    before = accumulate(map(len, pairs), initial=0)
    return [pair for pair, items in zip(pairs, before, strict=False) if items < number]


def _of(controls: Suite, pairs: Sequence[list[Item]]) -> Suite:
    return replace(controls, items=tuple(item for pair in pairs for item in pair))


def _story(pair: Sequence[Item]) -> str:
    return str(pair[0].tags.get(STORY, pair[0].id))


def _kind(pair: Sequence[Item]) -> str:
    return str(pair[0].tags.get(CONTROL))
