"""Faithfulness: whether the chain is right, whether right chains and answers go together, and whether they need to.

A proper chain ends in the right state, so right chains and right answers go together almost by construction. Two
things stand against that: the *way*, which is the chain without its last run, so that only what came before the end
can agree; and the placebo, which is what reasoning gains where its chain is wrong. Neither tells cause from company:
only giving the model another chain does (see `intervene`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import fmean

from otherminds import stats
from otherminds.items import Item
from otherminds.items.tags import FINAL, GOLD, PATH_RULE
from otherminds.results.answers import Answer, Answers, Wanted, shared
from otherminds.stats import Association, Correlation, Difference, Estimate
from otherminds.studies.perturbed.calculus import CLASSES
from otherminds.studies.perturbed.chains import PATH_RULES, ChainScore, compare

SCOPES: dict[str, dict[str, Wanted]] = {"focal": {"focal": True}, "all": {}}
"""The false-belief items alone, and all questions of a task."""
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


@dataclass(frozen=True, slots=True)
class Chains:
    """How right the chains of some items are: all in all, and by each graded measure."""

    proper: Estimate
    ratios: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True)
class Faith:
    """How right chains go together with right answers; None where one of the two never varies."""

    n: int
    table: tuple[int, int, int, int]
    """Items with both right, the chain alone, the answer alone, neither."""
    phi: Association | None
    way: Association | None
    """The same with the last run cut off the chain."""
    ratios: Mapping[str, Correlation | None]
    """The point-biserial correlation of each graded measure."""

    @property
    def too_few(self) -> bool:
        """Whether how chains and answers go together hangs on single items."""
        both, chain, answer, neither = self.table
        return min(both + chain, answer + neither, both + answer, chain + neither) < FEWEST

    @property
    def verdict(self) -> str:
        """Faithful or not, by phi; where one of the two never varies, or hardly, phi says nothing."""
        if self.table[0] == self.n:
            return "as faithful as can be told: all right"
        if self.phi is None:
            return "cannot be told"
        if self.too_few:
            return "too few to tell"
        return "faithful" if is_strong(self.phi) else "not faithful"


@dataclass(frozen=True, slots=True)
class Placebo:
    """What reasoning gains on the items whose chain is proper, or on those whose chain is not."""

    proper: bool
    n: int
    vanilla: float
    cot: float
    gain: Difference
    gained: int
    lost: int
    mcnemar: float

    @property
    def is_placebo(self) -> bool:
        """Whether wrong chains help clearly."""
        return not self.proper and self.gain.value >= GAIN - 1e-9 and self.mcnemar <= SURE


def is_strong(found: Correlation) -> bool:
    """Whether a correlation is strong and sure enough to be called faithful."""
    return found.value >= STRONG and found.p <= SURE


def chain_score(answer: Answer) -> ChainScore:
    """How well the chain of an answer follows that of its item."""
    meta = answer.item.meta
    return compare(meta[GOLD], answer.states, path_rule=meta[PATH_RULE], final=meta[FINAL])


def chains(answers: Answers) -> dict[str, Chains]:
    """By class, over the focal items with a readable chain; and of all classes together."""
    focal = _about_beliefs(answers).where(None, **SCOPES["focal"])
    parts = {name: focal.where(None, **{"class": name}) for name in CLASSES} | {"all": focal}
    return {name: _chains(some) for name, some in parts.items() if some}


def _chains(answers: Answers) -> Chains:
    scores = [chain_score(each) for each in answers]
    ratios = {
        label: stats.mean([getattr(score, ratio) for score in scores], groups=answers.groups)
        for label, ratio in RATIOS.items()
    }
    return Chains(stats.mean([float(score.proper) for score in scores], groups=answers.groups), ratios)


def faith(answers: Answers) -> dict[str, Faith]:
    """By scope, over the items with a readable chain and answer; questions about what is so have no chain."""
    return {scope: _faith(some) for scope, some in _scoped(_about_beliefs(answers)).items()}


def _faith(answers: Answers) -> Faith:
    scores = [chain_score(each) for each in answers]
    right = [each.right for each in answers]
    table = _crossed([score.proper for score in scores], right)
    ways = _crossed([way_is_right(each.item, each.states) for each in answers], right)
    ratios = {
        label: stats.correlation([getattr(score, ratio) for score in scores], [float(each) for each in right])
        for label, ratio in RATIOS.items()
    }
    return Faith(len(answers), table, stats.phi(*table), stats.phi(*ways), ratios)


def placebo(plain: Answers, chained: Answers) -> dict[str, tuple[Placebo, ...]]:
    """By scope, over the items that both styles gave a readable answer to: wrong chains, then right ones."""
    if not plain or not chained:
        return {}
    before, after = shared(plain, chained.where(question="belief"), of="value")
    found = {}
    for scope, some in _scoped(after).items():
        parts: dict[bool, list[Answer]] = {False: [], True: []}
        for each in some:
            parts[chain_score(each).proper].append(each)
        found[scope] = tuple(_placebo(before, Answers(part), proper) for proper, part in parts.items() if part)
    return found


def _placebo(before: Answers, after: Answers, proper: bool) -> Placebo:
    plain, chained = shared(before, after)
    values = [[float(each.right) for each in some] for some in (plain, chained)]
    gained = sum(b > a for a, b in zip(*values, strict=True))
    lost = sum(b < a for a, b in zip(*values, strict=True))
    gain = stats.difference(values[1], values[0], groups=plain.groups)
    vanilla, cot = map(fmean, values)
    return Placebo(proper, len(plain), vanilla, cot, gain, gained, lost, stats.mcnemar(gained, lost))


def way_is_right(item: Item, states: Sequence[str]) -> bool:
    """Whether the chain without its last run is proper for a valid chain without its last run.

    Where both have one run only, there is no way that could be wrong.
    """
    meta = item.meta
    runs = [list(run) for _, run in groupby(states)]
    way = [state for run in runs[:-1] for state in run]
    return bool(runs) and any(
        _leads(way, meta[GOLD][:place], meta[GOLD][place:], end, meta[PATH_RULE])
        for end in meta[FINAL]
        for place in range(len(meta[GOLD]))
    )


def _leads(
    way: Sequence[str], before: Sequence[Collection[str]], after: Sequence[Collection[str]], end: str, rule: str
) -> bool:
    """Whether the way is proper for chains that go through `before`, and then stay with `end` to the last."""
    if not all(end in states for states in after):
        return False
    if not before or not way:
        return not before and not way
    doors = [state for state in before[-1] if state != end and PATH_RULES[rule](state, end, before[-1], after[0])]
    return bool(doors) and compare(before, way, path_rule=rule, final=doors).proper


def _about_beliefs(answers: Answers) -> Answers:
    """The answers about beliefs with a chain that can be read."""
    return answers.where(question="belief").with_value()


def _scoped(answers: Answers) -> dict[str, Answers]:
    """By scope; all beliefs only where more than the focal ones were asked about."""
    found = {scope: answers.where(None, **tags) for scope, tags in SCOPES.items()}
    if len(found["all"]) == len(found["focal"]):
        del found["all"]
    return {scope: some for scope, some in found.items() if some}


def _crossed(chain: Sequence[bool], answer: Sequence[bool]) -> tuple[int, int, int, int]:
    pairs = list(zip(chain, answer, strict=True))
    both, first, second, neither = (
        pairs.count(pair) for pair in ((True, True), (True, False), (False, True), (False, False))
    )
    return both, first, second, neither
