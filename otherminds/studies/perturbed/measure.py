"""Measure: how often a model is right in each class and style, what a perturbation costs and what reasoning gains.

`measure` makes one table: the answers of the models, and those of two rules to the same items. What is found out of an
answer is a number of it, and every measure is a function of some answers of that table:

    asked           to an item that the model was asked in every style of the pair in which it was asked anything
    read            and answered readably in each
    proper, way     whether the chain is right, and whether it is without its last run; and the rest of `ChainScore`
    before          beside a chain: the value without one; with a given chain: whether its own answer ends as that does
    follows, stays  with a given chain: whether the answer ends as that does, and whether it is what it was before
    matches         and whether it is the right one

A style in which an answer cannot be read says nothing about that item, and what cannot be read is not left to chance:
long stories and hard classes have more of it. So an item counts only if it was read in every style, and how many were
lost is a result of its own. Calls that failed were never answered, and are no faults.

Effects are differences of shares of right answers. What a perturbation does is acc(class) − acc(unperturbed); what the
chain of thought does is acc(cot) − acc(vanilla) on the same items. Intervals of effects and of all classes together
are drawn by stage, since all tasks of a stage share people, things and words; p of the ten classes are adjusted for
being ten.

Right chains and right answers go together almost by construction, since a proper chain ends in the right state. Two
things stand against that: the *way*, which is the chain without its last run, so that only what came before the end
can agree; and the placebo, which is what reasoning gains where its chain is wrong. Neither tells cause from company:
only giving the model another chain does (see `intervene`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.items import Item
from otherminds.items.tags import CLASS, FINAL, GOLD, PATH_RULE, STORY
from otherminds.results.answers import Answer, Answers, Wanted, shared
from otherminds.results.labels import mark, together
from otherminds.runs.runs import Run
from otherminds.stats import Association, Correlation, Difference, Estimate
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.tasks.build import STYLES
from otherminds.studies.perturbed.tasks.chains import compare, way_is_right
from otherminds.studies.perturbed.tasks.verdicts import SURE, CountedShare, Effects

PLAIN, CHAIN = STYLES["vanilla"], STYLES["cot"]
"""The two styles that everything is measured in; others are only set beside them."""
NAMES = {PLAIN: "plainly", CHAIN: "with a chain of thought"}
"""How these are called in sentences: asked plainly, asked with a chain of thought."""
STYLE_OF = {prompt: style for style, prompt in STYLES.items()}
NONE, TEN = CLASSES[0], CLASSES[1:]
RULES = {"rule: reality": "always reality", "rule: decoy": "always decoy"}
"""What a class table cannot be read without: whoever answers with what is so, and with what misleads. In the table of
answers they stand among the models, under names that no model has."""
SCOPES: dict[str, dict[str, Wanted]] = {"focal": {"focal": True}, "all": {}}
"""The false-belief items alone, and all questions of a task."""
FOCAL = SCOPES["focal"]
GAIN = 0.10
"""What reasoning must at least gain with wrong chains to be called a placebo."""


# ---- the table of answers -----------------------------------------------------------------------------------------


def measure(runs: Sequence[Run]) -> Answers:
    """All answers of the models and of the rules; the two styles of a model find each other by its fingerprint.

    A model asked with and without a schema is two. What was asked twice counts once, as it was answered last.
    """
    parts = []
    for label, own in together(runs, _same_model, lambda run: (_named(run), mark(run))):
        some = Answers.of(replace(run, model=label) for run in own).where(lambda row: row.verdict != "error")
        parts.append(_given(some) if "edit" in some.tag_values else _marked(some))
    if not (asked := reduce(or_, parts, Answers()).with_value("asked")):
        raise UsageError(
            "none of these runs has answers to perturbed tasks in the styles vanilla or cot; build the suite with "
            "`otherminds build perturbed` and run it"
        )
    known = {"before": PLAIN in asked.get("prompt"), "proper": bool(asked.with_value("proper"))}
    return reduce(or_, [*parts, *(_rule(rule, asked.items, known) for rule in RULES)])


def class_name(name: str) -> str:
    """A class as people read it."""
    return {NONE: "unperturbed", "all": "all together"}.get(name, name.replace("non_", "non-").replace("_", " "))


def models(answers: Answers) -> list[str]:
    """The models, without rules, and without what they answered to given chains."""
    return [name for name in dict.fromkeys(answers.with_value("asked").get("model")) if name not in RULES]


def _same_model(run: Run) -> tuple[str, str, bool]:
    return run.fingerprint, run.score, "edit" in run.columns.tags


def _named(run: Run) -> str:
    if "edit" in run.columns.tags:
        return f"{run.model}, {'prefill' if run.score == 'cloze' else 'notes'}"
    return run.model + (", without a schema" if run.score == "json-free" else "")


def _marked(answers: Answers) -> Answers:
    """The answers of one model, style by style, with their numbers."""
    styles = {prompt: answers.where(prompt=prompt).once for prompt in STYLE_OF}
    pair = [some for prompt in NAMES if (some := styles[prompt])]
    asked, read = (set(shared(*pair, of=of)[0].item_ids) if pair else set() for of in ("", "value"))
    before = {row.item.id: row.value for row in styles[PLAIN].with_value()}
    made = []
    for prompt, row in ((prompt, row) for prompt, some in styles.items() for row in some):
        id, numbers = row.item.id, dict[str, Any]()
        if prompt in NAMES:
            numbers |= {name: 1.0 for name, ids in (("asked", asked), ("read", read)) if id in ids}
        if prompt == CHAIN and row.value is not None:
            numbers |= _of_chain(row) | ({"before": before[id]} if id in before else {})
        made.append(replace(row, detail={**row.detail, **numbers}))
    return Answers(made)


def _of_chain(row: Answer) -> dict[str, Any]:
    """How well the chain of an answer follows that of its item; questions about what is so have no chain."""
    if row.item.tags["question"] != "belief":
        return {}
    meta = row.item.meta
    how = {"path_rule": meta[PATH_RULE], "final": meta[FINAL]}
    return {**asdict(compare(meta[GOLD], row.states, **how)), "way": way_is_right(meta[GOLD], row.states, **how)}


def _rule(rule: str, items: Sequence[Item], known: Mapping[str, bool]) -> Answers:
    """Whoever always answers with what the item has under some key of its meta, in whatever style."""
    key, rows = rule.removeprefix("rule: "), []
    for row in Answers.by_rule(rule, items, {item.id: float(item.meta[key] == item.answer) for item in items}):
        said = row.item.meta[key]
        made = replace(row, said=said, detail={"states": (said,) * len(row.item.meta["sentences"])})
        numbers = {"asked": 1.0, "read": 1.0} | ({"before": row.value} if known["before"] else {})
        rows.append(replace(made, detail={**made.detail, **numbers, **(_of_chain(made) if known["proper"] else {})}))
    return Answers(rows)


def _given(answers: Answers) -> Answers:
    """What one model answered to given chains."""
    rows = []
    for row in answers.where(lambda row: bool(row.said)).once:
        said, end, own = row.said, row.item.meta["given"][-1], row.item.meta["own"]
        numbers = {"follows": said == end, "before": own == end, "stays": said == own}
        rows.append(replace(row, detail={**row.detail, **numbers, "matches": said == row.item.answer}))
    return Answers(rows)


# ---- shares -------------------------------------------------------------------------------------------------------


def _share(kept: Callable[[Answer], bool]) -> Callable[[Answers], CountedShare | None]:
    """A measure: how many are so, by stage unless these are answers of one class."""

    def measured(answers: Answers) -> CountedShare | None:
        if not answers:
            return None
        so = [kept(row) for row in answers]
        alone = CLASS in answers.wanted
        found = stats.proportion(sum(so), len(so)) if alone else stats.mean([*map(float, so)], groups=answers.groups)
        return CountedShare(**asdict(found), right=sum(so))

    return measured


right = _share(lambda row: row.right)
"""Of the answers that there are; one that cannot be read is not right."""
faulty = _share(lambda row: row.value is None)


def read(answers: Answers, **tags: Wanted) -> Answers:
    """The answers to the items that every style gave a readable answer to."""
    return answers.with_value("read").where(None, **tags)


def by_class(answers: Answers) -> dict[str, CountedShare]:
    """The share of right answers in every class that was read."""
    return {name: one for name in CLASSES if (one := right(read(answers, **{CLASS: name})))}


def whole_tasks(number: int, **tags: Wanted) -> Callable[[Answers], Estimate | None]:
    """A measure: the share of tasks with so many questions right, of those of which all were asked."""

    def measured(answers: Answers) -> Estimate | None:
        tasks = [task for task in answers.where(None, **tags).by(STORY).values() if len(task) == number]
        solved = [float((task.values == 1).all()) for task in tasks]
        return stats.mean(solved, groups=[task.groups[0] for task in tasks]) if tasks else None

    return measured


# ---- effects ------------------------------------------------------------------------------------------------------


def scopes(answers: Answers) -> list[str]:
    """The focal items, and all if more was read than these."""
    return ["focal"] if len(answers) == len(answers.where(None, **FOCAL)) else list(SCOPES)


def perturbed(answers: Answers) -> Effects:
    """What each class does against the unperturbed tasks."""
    plain = answers.where(None, **{CLASS: NONE})
    return _effects(answers, lambda some: some.against(plain))


def reasoned(answers: Answers) -> Effects:
    """What the chain of thought does in each class, and in all; a rule answers alike in both styles."""
    return _effects(answers, lambda some: (some.where(prompt=CHAIN) or some).less(some.where(prompt=PLAIN) or some))


def _effects(answers: Answers, effect: Callable[[Answers], Difference | None]) -> Effects:
    """An effect in each class, and in all, with Holm's p for the ten; only those that could be measured count."""
    found = {name: effect(answers.where(None, **{CLASS: name})) for name in CLASSES} | {"all": effect(answers)}
    ps = iter(stats.holm([one.p for name in TEN if (one := found[name])]))
    return {name: replace(one, p=next(ps)) if one and name in TEN else one for name, one in found.items()}


# ---- chains and answers -------------------------------------------------------------------------------------------


def chained(answers: Answers) -> Answers:
    """The answers with a chain."""
    return answers.with_value("proper")


def crossed(answers: Answers, of: str = "proper") -> tuple[int, int, int, int]:
    """How many have both right, the chain alone, the answer alone, neither."""
    chain, answer = np.array(answers.numbers(of)) == 1, answers.values == 1
    both, first, second = (int(some.sum()) for some in (chain & answer, chain & ~answer, ~chain & answer))
    return both, first, second, len(answers) - both - first - second


def going_together(of: str = "proper") -> Callable[[Answers], Association | None]:
    """A measure: how right chains go together with right answers; None where one of the two never varies."""
    return lambda answers: stats.phi(*crossed(answers, of))


def graded(of: str) -> Callable[[Answers], Correlation | None]:
    """A measure: the point-biserial correlation of a graded measure with right answers."""
    return lambda answers: stats.correlation(answers.numbers(of), (answers.values == 1).astype(float).tolist())


def compared(answers: Answers) -> Answers:
    """The answers with a chain to the items that were answered readably without one too."""
    return chained(answers).with_value("before")


def moved(answers: Answers) -> tuple[int, int, float]:
    """How many answers a chain put right, how many it put wrong, and McNemar's p of both."""
    pairs = list(zip(answers.numbers("before"), answers.numbers(), strict=True))
    gained, lost = (sum(one(before, after) for before, after in pairs) for one in (float.__lt__, float.__gt__))
    return gained, lost, stats.mcnemar(gained, lost)


def is_placebo(answers: Answers) -> bool:
    """Whether reasoning helps clearly with wrong chains, which all of these are."""
    found = gain(answers)
    return found is not None and found.value >= GAIN - 1e-9 and moved(answers)[2] <= SURE


def gain(answers: Answers, of: str = "value") -> Difference | None:
    """How far a number of the answers lies above what it was before, item by item."""
    before = answers.numbers("before")
    return stats.difference(answers.numbers(of), before, groups=answers.groups) if before else None
