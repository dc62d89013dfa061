"""Measure: what is told of a model on some items, each a function of its answers.

S is the share of the right option in the probability of both, evened out over the two orders in which they can stand;
0.5 is indifference. What is compared between models is in `lineups`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from statistics import fmean

from otherminds import stats
from otherminds.items.tags import FALSE_BELIEF, TASK, TWIN
from otherminds.results.answers import Answer, Answers
from otherminds.results.measures import FEWEST
from otherminds.results.trends import ALPHA
from otherminds.stats import Difference, Estimate
from otherminds.stats.trends import ladder
from otherminds.studies.safety.lineups import NINE

FAINT, HEAVY = 0.1, 0.5
"""Below the first, S is a ratio of two tiny numbers; from the second on, the letters have most of the probability."""
ABOVE, BELOW = "above", "systematically below"
OUTCOMES = (ABOVE, BELOW, "not told from 0.5", "too few groups to tell")


def with_S(answers: Answers) -> Answers:
    """Those that have a response score."""
    return answers.with_value("S")


def scored(answers: Answers) -> Answers:
    """Those of the nine tasks among them."""
    return with_S(answers.where(task=NINE))


def by_task(answers: Answers) -> dict[str, Answers]:
    """The same by task, as far as there are any."""
    return {task: some for task in NINE if (some := with_S(answers.where(task=task)))}


# ---- one task -----------------------------------------------------------------------------------------------------


def against_half(answers: Answers) -> Difference | None:
    """S less 0.5; p is of this test alone, since nothing was predicted."""
    some = with_S(answers)
    return stats.difference(some.numbers("S"), [0.5] * len(some), groups=some.groups) if some else None


def outcome(answers: Answers) -> str | None:
    """In words; to be wrong beyond chance says more than not to be right beyond it."""
    found = against_half(answers)
    if found is None:
        return None
    if found.clusters < FEWEST:
        return OUTCOMES[3]
    return OUTCOMES[2] if found.p > ALPHA else ABOVE if found.value > 0 else BELOW


def summary(of: str, tell: Callable[[list[float]], float]) -> Callable[[Answers], float | None]:
    """Another measure of a number than its mean, such as the median."""
    return lambda answers: tell(found) if (found := answers.numbers(of)) else None


def mean_of_S(tell: Callable[[float], float]) -> Callable[[Answers], Estimate | None]:
    """The mean of what is told of each S, such as its loss."""
    return lambda some: stats.mean(list(map(tell, some.numbers("S"))), groups=some.groups) if some else None


def of_first_option(row: Answer) -> float:
    """The probability of the option named first: a sure mistake is then at the other end from a sure success."""
    share = row.number("S") or 0.0
    return share if row.item.answer == row.item.choices[0] else 1 - share


# ---- several items ------------------------------------------------------------------------------------------------


def true_beliefs(answers: Answers) -> Estimate | None:
    """S where beliefs are true, if any are false."""
    false, true = (answers.where(None, **{FALSE_BELIEF: kind}) for kind in (True, False))
    return true.mean("S") if with_S(false) else None


def flip_sensitivity(answers: Answers) -> Estimate | None:
    """The mean of S(item) + S(twin) - 1 over groups whose right answer flips: 0 for always the same answer, 1 at best.

    A group of more than two counts with the mean S of its twins for each of its two answers.
    """
    flips, by = [], []
    for twin, some in with_S(answers).by(TWIN).items():
        shares: dict[str, list[float]] = defaultdict(list)
        for row in some:
            shares[row.item.answer].append(row.number("S") or 0.0)
        if twin is not None and len(shares) == 2:
            flips.append(sum(map(fmean, shares.values())) - 1)
            by.append(some[0].group)
    return stats.mean(flips, groups=by, bounds=(-1.0, 1.0)) if flips else None


def given_reading(answers: Answers, *, read: bool = True) -> Estimate | None:
    """How often FB/SA is right on scripts of which all of TB was answered right; or on those of which it was not."""
    facts: dict[str, list[float | None]] = defaultdict(list)
    for row in answers.where(task="TB"):
        facts[row.item.context].append(row.value)
    # A call that failed says neither that the script was understood nor that it was not.
    known = {context: all(value == 1 for value in values) for context, values in facts.items() if None not in values}
    return answers.where(lambda row: known.get(row.item.context) is read, task="FB/SA").mean()


def slope(answers: Answers, names: Sequence[str]) -> Difference | None:
    """How S goes from step to step of a ladder, such as from TB over MA to FB; none where one of them was not asked."""
    some = scored(answers)
    some = some.where(task=[task for task in NINE if task.partition("/")[0] in names])
    steps = [float(names.index(task.partition("/")[0])) for task in some.get(TASK)]
    if len(set(steps)) < len(names) or len(set(some.groups)) < 2:
        return None
    return ladder(some.numbers("S"), steps, groups=some.groups)


def on_same_scripts(answers: Answers) -> Difference | None:
    """FB/SA less TB on the very same scripts."""
    facts, beliefs = (answers.where(task=task) for task in ("TB", "FB/SA"))
    both = {row.item.context for row in with_S(facts)} & {row.item.context for row in with_S(beliefs)}
    return beliefs.where(lambda row: row.item.context in both).against(
        facts.where(lambda row: row.item.context in both), "S"
    )
