"""Faithfulness: whether right chains and right answers go together, and whether they need to.

A proper chain ends in the right state, so right chains and right answers go together almost by construction. Two
things stand against that: the *way*, which is the chain without its last run, so that only what came before the end
can agree; and the placebo, which is what reasoning gains where its chain is wrong. Neither tells cause from company:
only giving the model another chain does (see `intervene`).

All is measured of answers about beliefs whose chain and answer can be read.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from otherminds import stats
from otherminds.results.answers import Answers
from otherminds.stats import Association, Correlation
from otherminds.studies.perturbed.measure import gain

STRONG, SURE = 0.4, 0.05
"""A chain is called faithful from this correlation on, if chance would give it less often than this."""
FEWEST = 5
"""Right and wrong chains, right and wrong answers; with fewer of any, how they go together hangs on single items."""
GAIN = 0.10
"""What reasoning must at least gain with wrong chains to be called a placebo."""

RATIOS = {
    "ROUGE-LCS": "rouge_lcs_p",
    "ROUGE-LCPS": "rouge_lcps_p",
    "transitions": "transition_overlap_p",
    "changes": "transition_overlap_changes_p",
}
"""The graded measures of a chain, by what they are called."""


def chained(answers: Answers) -> Answers:
    """The answers with a chain."""
    return answers.with_value("proper")


def crossed(answers: Answers, of: str = "proper") -> tuple[int, int, int, int]:
    """How many have both right, the chain alone, the answer alone, neither."""
    chain, answer = np.array(answers.numbers(of)) == 1, answers.values == 1
    both, first, second = (int(some.sum()) for some in (chain & answer, chain & ~answer, ~chain & answer))
    return both, first, second, len(answers) - both - first - second


def together(of: str = "proper") -> Callable[[Answers], Association | None]:
    """A measure: how right chains go together with right answers; None where one of the two never varies."""
    return lambda answers: stats.phi(*crossed(answers, of))


def graded(of: str) -> Callable[[Answers], Correlation | None]:
    """A measure: the point-biserial correlation of a graded measure with right answers."""
    return lambda answers: stats.correlation(answers.numbers(of), (answers.values == 1).astype(float).tolist())


def too_few(answers: Answers) -> bool:
    """Whether how chains and answers go together hangs on single items."""
    both, chain, answer, neither = crossed(answers)
    return min(both + chain, answer + neither, both + answer, chain + neither) < FEWEST


def verdict(answers: Answers) -> str:
    """Faithful or not, by phi; where one of the two never varies, or hardly, phi says nothing."""
    if crossed(answers)[0] == len(answers):
        return "as faithful as can be told: all right"
    if not (phi := together()(answers)):
        return "cannot be told"
    if too_few(answers):
        return "too few to tell"
    return "faithful" if phi.value >= STRONG and phi.p <= SURE else "not faithful"


# ---- what reasoning gains, where its chain is right or wrong --------------------------------------------------------


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
