"""Measure: how often a model is right in each class and style, what a perturbation costs and what reasoning gains.

Effects are differences of shares of right answers. What a perturbation does is acc(class) − acc(unperturbed); what the
chain of thought does is acc(cot) − acc(vanilla) on the same items. Intervals of effects and of all classes together
are drawn by stage, since all tasks of a stage share people, things and words; p of the ten classes are adjusted for
being ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from otherminds import stats
from otherminds.asking.runs import Run
from otherminds.items import Item
from otherminds.items.tags import CLASS, STAGE, STORY
from otherminds.stats import Difference, Estimate
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.faithfulness import Chains, Faith, Placebo, chains, faith, placebo
from otherminds.studies.perturbed.intervene import Followed, followed
from otherminds.studies.perturbed.sittings import PAIR, SCOPES, Answer, Sitting, rule, sit

NONE, TEN = CLASSES[0], CLASSES[1:]
RULES = {"always reality": "reality", "always decoy": "decoy"}
"""What a class table cannot be read without: whoever answers with what is so, and with what misleads."""
ROBUST, LIMITED = len(TEN), 5
"""In how many classes more than half must be right for robust and for limited robust theory of mind."""
DEGRADING = 5
BEYOND = 0.05

Effects = Mapping[str, Difference | None]
"""By class; None where there is nothing to compare."""


@dataclass(frozen=True, slots=True)
class Share(Estimate):
    """How many of how many are right, with Wilson's interval, or one by stage where it is over all classes.

    A triangle says more than half, beyond chance.
    """

    right: int

    def __str__(self) -> str:
        mark = " ▲" if self.beyond_chance else ""
        return f"{self.right}/{self.n} = {self.value:.2f} [{self.low:.2f}, {self.high:.2f}]{mark}"

    @property
    def beyond_chance(self) -> bool:
        """Whether so many would be right less than one time in twenty if each were right one time in two."""
        return self.low > 0.5 if self.clusters < self.n else stats.binomial(self.right, self.n) <= BEYOND


@dataclass(frozen=True, slots=True)
class ClassCell:
    """One class in one style."""

    right: Share | None
    """Of the items that every style gave a readable answer to."""
    faults_wrong: Share | None
    """Of all items asked, a fault being wrong."""
    faults: Share | None
    """The share of all items asked that could not be read."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Ostensible and robust theory of mind, with more than half right (strict) and with half or more (lenient)."""

    base: Share | None
    strict: int
    """Classes with more than half right."""
    lenient: int
    """Classes with half or more right."""
    beyond: int
    """Classes in which chance would be right as often less than one time in twenty."""
    classes: int
    """Classes that were asked."""

    def ostensible(self, *, lenient: bool = False) -> bool | None:
        """Right in the unperturbed tasks; None if these were not asked."""
        return None if self.base is None else _passes(self.base, lenient)

    def robust(self, *, lenient: bool = False) -> bool | None:
        """Right in all ten classes; None if not all were asked."""
        return None if self.classes < ROBUST else self._count(lenient) == ROBUST

    def limited(self, *, lenient: bool = False) -> bool:
        """Right in at least five classes."""
        return self._count(lenient) >= LIMITED

    def _count(self, lenient: bool) -> int:
        return self.lenient if lenient else self.strict


@dataclass(frozen=True, slots=True)
class Profile:
    """All numbers of one sitting; by style, and within that by class, where a name does not say otherwise."""

    label: str
    cells: Mapping[str, Mapping[str, ClassCell]]
    """With "all" for all classes together, the unperturbed tasks among them."""
    perturbed: Mapping[str, Mapping[str, Effects]]
    """By scope, then by style: what each class does against the unperturbed tasks."""
    reasoned: Mapping[str, Effects]
    """By scope: what the chain of thought does in each class, and in all."""
    verdicts: Mapping[str, Verdict]
    solved: Mapping[str, tuple[Estimate | None, Estimate | None]]
    """Tasks with all sixteen questions right, and with all eight about beliefs."""
    chains: Mapping[str, Chains]
    """By class: how right the chains are."""
    faith: Mapping[str, Faith]
    """By scope: whether right chains and right answers go together."""
    placebo: Mapping[str, tuple[Placebo, ...]]
    """By scope: what reasoning gains where its chain is right, and where it is not."""
    beside: Mapping[str, Difference]
    """Other ways of asking, against vanilla on the same items."""


@dataclass(frozen=True, slots=True)
class Measures:
    """All numbers of the study."""

    sittings: tuple[Sitting, ...]
    models: tuple[Profile, ...]
    """One a sitting."""
    rules: tuple[Profile, ...]
    """The same of the rules in RULES, on all items that any model was asked."""
    challenging: Mapping[str, tuple[str, ...]]
    """By style: the classes among the most degrading of at least two models in three."""
    followed: tuple[Followed, ...]
    """What answers do when chains are given."""


def measure(runs: Sequence[Run]) -> Measures:
    """Everything that these runs tell; the two styles of a model find each other by its fingerprint."""
    sittings = sit(runs)
    items: dict[str, Item] = {}
    for sitting in sittings:
        items |= {each.item.id: each.item for answers in sitting.asked().values() for each in answers}
    styles = [style for style in PAIR if any(style in sitting.styles for sitting in sittings)]
    models = tuple(map(profile, sittings))
    rules = tuple(profile(rule(name, key, items.values(), styles)) for name, key in RULES.items())
    return Measures(
        sittings=sittings,
        models=models,
        rules=rules,
        challenging={
            style: challenging([each.perturbed["focal"].get(style, {}) for each in models]) for style in styles
        },
        followed=followed(runs),
    )


def profile(sitting: Sitting) -> Profile:
    """The numbers of one sitting."""
    read = {scope: sitting.read(keep) for scope, keep in SCOPES.items()}
    cells = _cells(sitting)
    scopes = [scope for scope in SCOPES if scope == "focal" or _whole(read[scope])]
    return Profile(
        label=sitting.label,
        cells=cells,
        perturbed={scope: {style: _perturbed(answers) for style, answers in read[scope].items()} for scope in scopes},
        reasoned={scope: _reasoned(read[scope]) for scope in scopes} if len(sitting.styles) == 2 else {},
        verdicts={style: _verdict(by_class) for style, by_class in cells.items()},
        solved={style: _solved(answers) for style, answers in sitting.asked().items()},
        chains=chains(sitting),
        faith=faith(sitting),
        placebo=placebo(sitting),
        beside=_beside(sitting),
    )


def challenging(effects: Iterable[Effects]) -> tuple[str, ...]:
    """The classes that are among the most degrading of at least two models in three.

    The most degrading of a model are the five with the lowest effects below nothing, and all that tie with the fifth.
    """
    models = [{name: each.value for name, each in some.items() if each is not None} for some in effects]
    worst = []
    for values in filter(None, models):
        falling = sorted(value for value in values.values() if value < -_SAME)
        limit = falling[DEGRADING - 1] if len(falling) >= DEGRADING else -_SAME
        worst.append({name for name, value in values.items() if value < -_SAME and value <= limit + _SAME})
    if not worst:
        return ()
    needed = ceil(2 * len(worst) / 3)
    return tuple(name for name in TEN if sum(name in some for some in worst) >= needed)


_SAME = 1e-9  # effects that differ by less differ by rounding only


def share(right: Sequence[bool], stages: Sequence[str] | None = None) -> Share | None:
    """A share with its count, by stage where these are named; None of nothing."""
    if not right:
        return None
    found = stats.mean(list(map(float, right)), groups=stages) if stages else stats.proportion(sum(right), len(right))
    return Share(found.value, found.low, found.high, found.n, found.clusters, found.method, sum(right))


# ---- accuracy -----------------------------------------------------------------------------------------------------


def _cells(sitting: Sitting) -> dict[str, dict[str, ClassCell]]:
    """Over the focal items, as every class table of this study."""
    read, asked = sitting.read(SCOPES["focal"]), sitting.asked(SCOPES["focal"])
    return {
        style: {
            **{name: _cell(_of(read[style], name), _of(asked[style], name)) for name in CLASSES},
            "all": _cell(read[style], asked[style], by_stage=True),
        }
        for style in sitting.styles
    }


def _cell(read: Sequence[Answer], asked: Sequence[Answer], *, by_stage: bool = False) -> ClassCell:
    stages = [[each.tag(STAGE) for each in some] if by_stage else None for some in (read, asked)]
    return ClassCell(
        right=share([each.right for each in read], stages[0]),
        faults_wrong=share([each.right for each in asked], stages[1]),
        faults=share([each.value is None for each in asked], stages[1]),
    )


def _of(answers: Sequence[Answer], name: str) -> list[Answer]:
    return [each for each in answers if name in ("all", each.tag(CLASS))]


def _passes(cell: Share, lenient: bool) -> bool:
    return 2 * cell.right >= cell.n if lenient else 2 * cell.right > cell.n


def _verdict(cells: Mapping[str, ClassCell]) -> Verdict:
    asked = [cell for name in TEN if (cell := cells[name].right)]
    return Verdict(
        base=cells[NONE].right,
        strict=sum(_passes(cell, lenient=False) for cell in asked),
        lenient=sum(_passes(cell, lenient=True) for cell in asked),
        beyond=sum(cell.beyond_chance for cell in asked),
        classes=len(asked),
    )


def _solved(answers: Sequence[Answer]) -> tuple[Estimate | None, Estimate | None]:
    beliefs = [each for each in answers if each.tag("question") == "belief"]
    return _all_right(answers, 16), _all_right(beliefs, 8)


def _all_right(answers: Sequence[Answer], number: int) -> Estimate | None:
    """The share of tasks with all questions right, of those of which all were asked."""
    tasks: dict[str, list[Answer]] = {}
    for each in answers:
        tasks.setdefault(each.tag(STORY), []).append(each)
    whole = [some for some in tasks.values() if len(some) == number]
    if not whole:
        return None
    return stats.mean(
        [float(all(each.right for each in some)) for some in whole], groups=[some[0].tag(STAGE) for some in whole]
    )


# ---- effects ------------------------------------------------------------------------------------------------------


def _whole(read: Mapping[str, Sequence[Answer]]) -> bool:
    """Whether more was asked than the focal items."""
    return any(not SCOPES["focal"](each) for answers in read.values() for each in answers)


def _perturbed(answers: Sequence[Answer]) -> Effects:
    base = _of(answers, NONE)
    return _adjusted({name: against(_of(answers, name), base) for name in TEN})


def against(some: Sequence[Answer], base: Sequence[Answer]) -> Difference | None:
    """How much more often some answers are right than others, by stage."""
    if not some or not base:
        return None
    return stats.contrast(
        [float(each.right) for each in some],
        [float(each.right) for each in base],
        groups=([each.tag(STAGE) for each in some], [each.tag(STAGE) for each in base]),
    )


def _reasoned(read: Mapping[str, Sequence[Answer]]) -> Effects:
    found = {name: _gained(*(_of(read[style], name) for style in PAIR)) for name in (*CLASSES, "all")}
    return {**found, **_adjusted({name: found[name] for name in TEN})}


def _gained(before: Sequence[Answer], after: Sequence[Answer]) -> Difference | None:
    if not before:
        return None
    return stats.difference(
        [float(each.right) for each in after],
        [float(each.right) for each in before],
        groups=[each.tag(STAGE) for each in before],
    )


def _adjusted(effects: Mapping[str, Difference | None]) -> Effects:
    """The effects with Holm's p; only those that could be measured count."""
    measured = {name: each for name, each in effects.items() if each is not None}
    ps = stats.holm([each.p for each in measured.values()])
    mended = {name: replace(each, p=p) for (name, each), p in zip(measured.items(), ps, strict=True)}
    return {name: mended.get(name) for name in effects}


def _beside(sitting: Sitting) -> dict[str, Difference]:
    plain = sitting.answers.get("vanilla", {})
    found = {}
    for style, answers in sitting.answers.items():
        both = [id for id in answers if style not in PAIR and id in plain]
        pairs = [(plain[id], answers[id]) for id in both if None not in (plain[id].value, answers[id].value)]
        if gained := _gained([before for before, _ in pairs], [after for _, after in pairs]):
            found[style] = gained
    return found
