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
from otherminds.errors import UsageError
from otherminds.items import Item
from otherminds.items.tags import CLASS, STORY
from otherminds.results.answers import Answers, Wanted, shared
from otherminds.results.labels import mark, together
from otherminds.runs.runs import Run
from otherminds.stats import Difference, Estimate
from otherminds.studies.perturbed.build import STYLES, Style
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.faithfulness import SCOPES, Chains, Faith, Placebo, chains, faith, placebo
from otherminds.studies.perturbed.intervene import Followed, followed

PAIR: tuple[Style, Style] = ("vanilla", "cot")
"""The two styles that everything is measured in; others are only set beside them."""
NONE, TEN = CLASSES[0], CLASSES[1:]
OF_CLASS: dict[str, dict[str, str]] = {**{name: {CLASS: name} for name in CLASSES}, "all": {}}
RULES = {"always reality": "reality", "always decoy": "decoy"}
"""What a class table cannot be read without: whoever answers with what is so, and with what misleads."""
ROBUST, LIMITED = len(TEN), 5
"""In how many classes more than half must be right for robust and for limited robust theory of mind."""
DEGRADING = 5
BEYOND = 0.05

Effects = Mapping[str, Difference | None]
"""By class; None where there is nothing to compare."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """The answers of one model, or of a rule, by style.

    A style in which an answer cannot be read says nothing about that item, and what cannot be read is not left to
    chance: long stories and hard classes have more of it. So an item counts only if every style gave a readable answer
    to it, and how many were lost is a result of its own. Calls that failed were never answered, and are no faults.
    """

    label: str
    answers: Mapping[str, Answers]

    @property
    def styles(self) -> tuple[str, ...]:
        """Those of the pair that there are."""
        return tuple(style for style in PAIR if style in self.answers)

    def asked(self, **tags: Wanted) -> dict[str, Answers]:
        """By style, the answers to the items that every style was asked, in one order; faults among them."""
        return self._shared(tags)

    def read(self, **tags: Wanted) -> dict[str, Answers]:
        """The same without the items that have a fault in any style."""
        return self._shared(tags, of="value")

    def _shared(self, tags: Mapping[str, Wanted], of: str = "") -> dict[str, Answers]:
        some = shared(*(self.answers[style].where(None, **tags) for style in self.styles), of=of)
        return dict(zip(self.styles, some, strict=True))


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

    sitting: Sitting
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

    @property
    def label(self) -> str:
        """Who it is about."""
        return self.sitting.label


@dataclass(frozen=True, slots=True)
class Measures:
    """All numbers of the study."""

    models: tuple[Profile, ...]
    rules: tuple[Profile, ...]
    """The same of the rules in RULES, on all items that any model was asked."""
    challenging: Mapping[str, tuple[str, ...]]
    """By style: the classes among the most degrading of at least two models in three."""
    followed: tuple[Followed, ...]
    """What answers do when chains are given."""

    @property
    def sittings(self) -> tuple[Sitting, ...]:
        """Who was asked."""
        return tuple(each.sitting for each in self.models)


def measure(runs: Sequence[Run]) -> Measures:
    """Everything that these runs tell; the two styles of a model find each other by its fingerprint."""
    sittings = sit(runs)
    items = Answers(row for each in sittings for some in each.asked().values() for row in some).items
    styles = [style for style in PAIR if any(style in sitting.styles for sitting in sittings)]
    models = tuple(map(profile, sittings))
    return Measures(
        models=models,
        rules=tuple(profile(rule(name, key, items, styles)) for name, key in RULES.items()),
        challenging={
            style: challenging([each.perturbed["focal"].get(style, {}) for each in models]) for style in styles
        },
        followed=followed(runs),
    )


def sit(runs: Sequence[Run]) -> tuple[Sitting, ...]:
    """One sitting a model; a model asked with and without a schema is two."""
    asked = [run for run in runs if run.prompt in STYLES.values() and _plain(run)]
    found = together(asked, lambda run: (run.fingerprint, run.score), lambda run: (_named(run), mark(run)))
    sittings = [Sitting(label, _by_style(some)) for label, some in found]
    with_answers = tuple(each for each in sittings if each.styles and any(each.asked().values()))
    if not with_answers:
        raise UsageError(
            "none of these runs has answers to perturbed tasks in the styles vanilla or cot; build the suite with "
            "`otherminds build perturbed` and run it"
        )
    return with_answers


def _plain(run: Run) -> Answers:
    return Answers.of([run]).where(lambda row: "edit" not in row.item.tags and row.verdict != "error")


def _named(run: Run) -> str:
    return run.model + (", without a schema" if run.score == "json-free" else "")


def _by_style(runs: Sequence[Run]) -> dict[str, Answers]:
    style = {prompt: style for style, prompt in STYLES.items()}
    found: dict[str, Answers] = {}
    for run in runs:
        # What was asked twice counts once, as it was answered last.
        both = found.get(style[run.prompt], Answers()) | _plain(run)
        found[style[run.prompt]] = Answers(both.ids.values())
    return found


def rule(label: str, key: str, items: Sequence[Item], styles: Sequence[str]) -> Sitting:
    """Whoever always answers with what the item has under this key of its meta, in whatever style."""
    values = {item.id: float(item.meta[key] == item.answer) for item in items}
    rows = [
        replace(row, said=(said := row.item.meta[key]), detail={"states": (said,) * len(row.item.meta["sentences"])})
        for row in Answers.by_rule(label, items, values)
    ]
    return Sitting(label, dict.fromkeys(styles, Answers(rows)))


def profile(sitting: Sitting) -> Profile:
    """The numbers of one sitting."""
    read = {scope: sitting.read(**tags) for scope, tags in SCOPES.items()}
    cells = _cells(sitting)
    scopes = [scope for scope in SCOPES if scope == "focal" or _whole(read[scope])]
    styles = sitting.answers
    plain, chained = (styles.get(style, Answers()) for style in PAIR)
    return Profile(
        sitting=sitting,
        cells=cells,
        perturbed={scope: {style: _perturbed(answers) for style, answers in read[scope].items()} for scope in scopes},
        reasoned={scope: _reasoned(read[scope]) for scope in scopes} if len(sitting.styles) == 2 else {},
        verdicts={style: _verdict(by_class) for style, by_class in cells.items()},
        solved={style: _solved(answers) for style, answers in sitting.asked().items()},
        chains=chains(chained),
        faith=faith(chained),
        placebo=placebo(plain, chained),
        beside={
            style: gained for style, answers in styles.items() if style not in PAIR and (gained := answers.less(plain))
        },
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
    read, asked = sitting.read(**SCOPES["focal"]), sitting.asked(**SCOPES["focal"])
    return {
        style: {
            name: _cell(*(some[style].where(None, **tags) for some in (read, asked)), by_stage=name == "all")
            for name, tags in OF_CLASS.items()
        }
        for style in sitting.styles
    }


def _cell(read: Answers, asked: Answers, *, by_stage: bool) -> ClassCell:
    stages = [some.groups if by_stage else None for some in (read, asked)]
    return ClassCell(
        right=share([each.right for each in read], stages[0]),
        faults_wrong=share([each.right for each in asked], stages[1]),
        faults=share([each.value is None for each in asked], stages[1]),
    )


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


def _solved(answers: Answers) -> tuple[Estimate | None, Estimate | None]:
    return _all_right(answers, 16), _all_right(answers.where(question="belief"), 8)


def _all_right(answers: Answers, number: int) -> Estimate | None:
    """The share of tasks with all questions right, of those of which all were asked."""
    whole = [some for some in answers.by(STORY).values() if len(some) == number]
    return Answers(replace(some[0], value=float(all(each.right for each in some))) for some in whole).mean()


# ---- effects ------------------------------------------------------------------------------------------------------


def _whole(read: Mapping[str, Answers]) -> bool:
    """Whether more was asked than the focal items."""
    return any(len(answers.where(None, **SCOPES["focal"])) < len(answers) for answers in read.values())


def _perturbed(answers: Answers) -> Effects:
    by_class = {name: answers.where(None, **tags) for name, tags in OF_CLASS.items()}
    return _adjusted({name: by_class[name].against(by_class[NONE]) for name in TEN})


def _reasoned(read: Mapping[str, Answers]) -> Effects:
    plain, chained = (read[style] for style in PAIR)
    found = {name: chained.where(None, **tags).less(plain.where(None, **tags)) for name, tags in OF_CLASS.items()}
    return {**found, **_adjusted({name: found[name] for name in TEN})}


def _adjusted(effects: Mapping[str, Difference | None]) -> Effects:
    """The effects with Holm's p; only those that could be measured count."""
    measured = {name: each for name, each in effects.items() if each is not None}
    ps = stats.holm([each.p for each in measured.values()])
    mended = {name: replace(each, p=p) for (name, each), p in zip(measured.items(), ps, strict=True)}
    return {name: mended.get(name) for name in effects}
