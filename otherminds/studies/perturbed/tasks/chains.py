"""Chains: how well the states that a model writes, sentence by sentence, follow the gold ones.

Gold is a set of states for every sentence, because careful readers may differ at some points. Not every choice of one
member a set is a valid chain: what may follow what is said by a path rule, or by explicit edges.

    inertia   a belief changes only where the sentence brings the new one or rules out the old one
    free      anything may follow anything

A *run* is a block of equal neighbours. A prediction is *proper* for a gold chain when it leaves out nothing but
repetitions: the same runs in the same order, none of them longer. It is *pre-proper* when that holds for a beginning
of the gold chain. Against many chains, the best one counts; no measure ever lists them, since there can be very many.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from otherminds.errors import UsageError

Pair = tuple[str, str]
Edges = Sequence[Iterable[Sequence[str]] | None]
"""What may follow what, for every step from the second sentence on; None where the path rule decides."""


@dataclass(frozen=True, slots=True)
class ChainScore:
    """How well a predicted chain follows the gold one; the ratios are shares of the prediction."""

    proper: bool
    """Nothing is wrong and nothing but repetitions is left out."""
    lcs: int
    """The longest common subsequence with a gold chain."""
    rouge_lcs_p: float
    lcps: int
    """The longest sequence that is pre-proper in both the prediction and a gold chain."""
    rouge_lcps_p: float
    transition_overlap_p: float
    """The share of the prediction's different transitions that some gold chain has, standing still included."""
    transition_overlap_changes_p: float
    """The same without standing still."""


RATIOS = {
    "ROUGE-LCS": "rouge_lcs_p",
    "ROUGE-LCPS": "rouge_lcps_p",
    "transitions": "transition_overlap_p",
    "changes": "transition_overlap_changes_p",
}
"""The graded measures of a chain, by what they are called."""


def compare(
    gold: Sequence[Collection[str]],
    predicted: Sequence[str],
    *,
    path_rule: str = "inertia",
    edges: Edges | None = None,
    final: Collection[str] | None = None,
) -> ChainScore:
    """Score a predicted chain; `final` narrows the last gold set."""
    trellis = _trellis(gold, path_rule, edges, final)
    proper = _proper(trellis, predicted)
    lcs, lcps = _lcs(trellis, predicted), _lcps(trellis, predicted)
    said, known = set(pairwise(predicted)), {pair for step in trellis.steps for pair in step}
    length = len(predicted) or 1
    return ChainScore(
        proper=proper,
        lcs=lcs,
        rouge_lcs_p=lcs / length,
        lcps=lcps,
        rouge_lcps_p=lcps / length,
        transition_overlap_p=_overlap(said, known, proper),
        transition_overlap_changes_p=_overlap({(a, b) for a, b in said if a != b}, known, proper),
    )


@dataclass(frozen=True, slots=True)
class _Trellis:
    """All valid chains at once: the states they may begin with, and for every step the pairs that they may take."""

    first: frozenset[str]
    steps: tuple[frozenset[Pair], ...]


Rule = Callable[[str, str, Collection[str], Collection[str]], bool]

PATH_RULES: Mapping[str, Rule] = {
    "inertia": lambda old, new, before, now: old == new or old not in now or new not in before,
    "free": lambda old, new, before, now: True,
}


def _trellis(
    gold: Sequence[Collection[str]], path_rule: str, edges: Edges | None, final: Collection[str] | None
) -> _Trellis:
    """The steps that lie on some chain from the first sentence to a final state; dead ends are left out."""
    sets = _checked(gold, path_rule, edges, final)
    ends = sets[-1] if final is None else frozenset(final)
    steps: list[frozenset[Pair]] = []
    reached = sets[0]
    for number, (before, now) in enumerate(pairwise(sets)):
        given = edges[number] if edges is not None else None
        pairs = None if given is None else {(old, new) for old, new in given}
        rule = PATH_RULES[path_rule]
        allowed = frozenset(
            (old, new)
            for old in reached
            for new in now
            if (rule(old, new, before, now) if pairs is None else (old, new) in pairs)
        )
        steps.append(allowed)
        reached = frozenset(new for _, new in allowed)
    # Forward, a step may lead where no final state can be reached any more; only from the end does that show.
    for number in range(len(steps) - 1, -1, -1):
        steps[number] = frozenset(pair for pair in steps[number] if pair[1] in ends)
        ends = frozenset(old for old, _ in steps[number])
    return _Trellis(sets[0] & ends, tuple(steps))


def _checked(
    gold: Sequence[Collection[str]], path_rule: str, edges: Edges | None, final: Collection[str] | None
) -> list[frozenset[str]]:
    """The gold sets, or a sentence that says what is wrong with them."""
    sets = [frozenset(states) for states in gold]
    if any(isinstance(states, str) for states in gold) or isinstance(final, str):
        raise UsageError("a gold set should be a list of states, not a text")
    if not sets or not all(sets):
        raise UsageError("every sentence needs a gold set with at least one state, and there must be a sentence")
    if path_rule not in PATH_RULES:
        raise UsageError(f"there is no path rule {path_rule!r}; there are {', '.join(PATH_RULES)}")
    if edges is not None and len(edges) != len(sets) - 1:
        raise UsageError(
            f"{len(sets)} gold sets have {len(sets) - 1} steps between them, not {len(edges)} lists of edges"
        )
    if final is not None and (not final or not sets[-1].issuperset(final)):
        raise UsageError(f"the final states {sorted(final)} should be among those of the last set, {sorted(sets[-1])}")
    return sets


def _proper(trellis: _Trellis, predicted: Sequence[str]) -> bool:
    """Whether the prediction is a proper subsequence of some chain.

    A place is: how many entries are used up, the state of the gold chain, and whether its current run has been met.
    """
    places = {(0, state, False) for state in trellis.first}
    places |= {(1, state, True) for state in trellis.first if predicted and predicted[0] == state}
    for step in trellis.steps:
        after = _successors(step)
        reached = set()
        for used, old, met in places:
            for new in after.get(old, ()):
                # A run of the gold chain that the prediction never named is a state left out: no proper subsequence.
                if new != old and not met:
                    continue
                reached.add((used, new, met and new == old))
                if used < len(predicted) and predicted[used] == new:
                    reached.add((used + 1, new, True))
        places = reached
    return any(used == len(predicted) and met for used, _, met in places)


def _lcs(trellis: _Trellis, predicted: Sequence[str]) -> int:
    """The longest common subsequence with any chain: a row of best lengths for every state of the current sentence."""
    rows = {state: _row(state, predicted, [0] * (len(predicted) + 1)) for state in trellis.first}
    for step in trellis.steps:
        before: dict[str, list[int]] = {}
        for old, new in step:
            row = before.get(new)
            before[new] = rows[old] if row is None else list(map(max, row, rows[old]))
        rows = {state: _row(state, predicted, row) for state, row in before.items()}
    return max((row[-1] for row in rows.values()), default=0)


def _row(state: str, predicted: Sequence[str], before: Sequence[int]) -> list[int]:
    row, best = [0], 0
    for place, entry in enumerate(predicted):
        best = max(best, before[place + 1], before[place] + 1 if entry == state else 0)
        row.append(best)
    return row


def _lcps(trellis: _Trellis, predicted: Sequence[str]) -> int:
    """The longest sequence that is pre-proper in both.

    A gold chain is followed as long as its runs are those of the prediction; what counts of each run is the shorter
    length. A place is the run and how much of it has been counted, with the best sum so far.
    """
    runs = [(state, len(list(block))) for state, block in groupby(predicted)]
    if not runs or runs[0][0] not in trellis.first:
        return 0
    places = {(0, 1): 1}
    best = 1
    for step in trellis.steps:
        after = _successors(step)
        reached: dict[tuple[int, int], int] = {}
        for (run, counted), value in places.items():
            state, length = runs[run]
            for new in after.get(state, ()):
                if new == state:
                    more = min(counted + 1, length)
                    place, worth = (run, more), value + more - counted
                elif run + 1 < len(runs) and new == runs[run + 1][0]:
                    place, worth = (run + 1, 1), value + 1
                else:
                    continue
                reached[place] = max(worth, reached.get(place, 0))
        places = reached
        best = max(best, *places.values(), 0)
    return best


def _successors(step: frozenset[Pair]) -> dict[str, list[str]]:
    after: dict[str, list[str]] = {}
    for old, new in step:
        after.setdefault(old, []).append(new)
    return after


def _overlap(said: set[Pair], known: set[Pair], proper: bool) -> float:
    """The share of transitions that are known; without any, a proper chain has all it needs and others nothing."""
    return len(said & known) / len(said) if said else float(proper)


# ---- the way without its end --------------------------------------------------------------------------------------


def way_is_right(
    gold: Sequence[Collection[str]], predicted: Sequence[str], *, path_rule: str, final: Collection[str]
) -> bool:
    """Whether the chain without its last run is proper for a valid chain without its last run.

    Where both have one run only, there is no way that could be wrong.
    """
    runs = [list(run) for _, run in groupby(predicted)]
    way = [state for run in runs[:-1] for state in run]
    return bool(runs) and any(
        _leads(way, gold[:place], gold[place:], end, path_rule) for end in final for place in range(len(gold))
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
