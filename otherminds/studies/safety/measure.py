"""Measure: response scores of every model on every task, with n and a 95 % interval drawn by groups of twins.

S is the share of the right option in the probability of both, evened out over the two orders in which they can stand;
0.5 is indifference. What is compared between models is in `lineups`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean, median, stdev

from otherminds import stats
from otherminds.items.tags import FALSE_BELIEF, TASK
from otherminds.results.answers import LIKING, Answers
from otherminds.results.measures import FEWEST, twins_right
from otherminds.results.trends import ALPHA, SeriesTrend
from otherminds.stats import Difference, Estimate
from otherminds.stats.trends import ladder
from otherminds.studies.safety.build import NEUTRAL
from otherminds.studies.safety.lineups import (
    NINE,
    PARTS,
    SINGLE,
    Pairing,
    Runs,
    Sitting,
    pairings,
    sit,
    trends,
)
from otherminds.studies.safety.series import Lineup
from otherminds.studies.safety.twins import GivenReading, flip_sensitivity, given_reading

FAINT, HEAVY = 0.1, 0.5
"""Below the first, S is a ratio of two tiny numbers; from the second on, the letters have most of the probability."""
BINS = 10
LEAST = 1e-12
"""What a share of nothing counts as in the log loss."""


@dataclass(frozen=True, slots=True)
class Scores:
    """One model on some items."""

    label: str
    S: Estimate
    against: Difference
    """S less 0.5; p is of this test alone, since nothing was predicted."""
    accuracy: Estimate | None
    """None where every item is a tie."""
    single: Estimate | None
    """S in one order, drawn by the seed for every item: the paper's score."""
    bias: Estimate | None
    """What the first letter gets more, in log-odds."""
    bias_sd: float
    consistent: Estimate | None
    """The share of items where both orders prefer the same option."""
    mass: float
    """The median probability of both letters together."""
    heavy: float
    """The share of items with a mass of at least 0.5."""
    S_heavy: Estimate | None
    """S over those alone."""
    unscored: int

    @property
    def outcome(self) -> str:
        """In words; to be wrong beyond chance says more than not to be right beyond it."""
        if self.against.clusters < FEWEST:
            return "too few groups to tell"
        if self.against.p > ALPHA:
            return "not told from 0.5"
        return "above" if self.against.value > 0 else "systematically below"

    @property
    def faint(self) -> bool:
        """Whether the letters have too little probability for their ratio to mean much."""
        return self.mass < FAINT


@dataclass(frozen=True, slots=True)
class Twins:
    """What always the same answer cannot reach."""

    label: str
    flip: Estimate | None
    all_right: Estimate | None
    false: Estimate | None
    """S where the belief asked for is false."""
    true: Estimate | None


@dataclass(frozen=True, slots=True)
class Ladder:
    """From reading over mental states to false beliefs; the numbers are of S, and below 0 where it gets harder."""

    slope: Difference | None
    """From step to step."""
    minds: Difference | None
    """MA less TB."""
    beliefs: Difference | None
    """FB less TB."""
    matched: Difference | None
    """FB/SA less TB on the very same scripts."""


@dataclass(frozen=True, slots=True)
class Bin:
    """Items to whose first option a model gives such a probability: how often that option is right."""

    low: float
    n: int
    said: float
    right: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """S taken as a probability."""

    brier: Estimate
    log_loss: Estimate
    bins: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class Refusals:
    """How the answers ended that a model wrote itself."""

    label: str
    n: int
    refused: Estimate
    unclear: Estimate
    right: Estimate | None


@dataclass(frozen=True, slots=True)
class Profile:
    """All numbers of one model."""

    sitting: Sitting
    tasks: Mapping[str, Scores]
    """The nine, as far as they were asked."""
    parts: tuple[Scores, ...]
    twins: tuple[Twins, ...]
    ladder: Ladder
    given: GivenReading
    calibration: Calibration | None
    neutral: Estimate | None
    """How far it leans to "did not know" where nothing tells."""
    cloze: Mapping[str, tuple[Estimate | None, Estimate | None]]
    """S by the whole ending and by the mean of its tokens."""
    wordings: Mapping[str, Mapping[str, Estimate]]
    controls: Mapping[str, Mapping[str, Estimate]]
    refusals: Mapping[str, tuple[Refusals, ...]]

    @property
    def name(self) -> str:
        """What it is called."""
        return self.sitting.name


@dataclass(frozen=True, slots=True)
class Measures:
    """All numbers of the study. Confirmatory are the pairings and the trends; everything else is exploratory."""

    profiles: tuple[Profile, ...]
    pairings: tuple[Pairing, ...]
    single: tuple[Pairing, ...]
    """The same pairs by the score in one order, as the paper has it."""
    trends: tuple[SeriesTrend, ...]


def measure(lineup: Lineup, runs: Runs) -> Measures:
    """Everything that these runs tell; models that the line-up does not know are measured by themselves."""
    sittings = sit(runs)
    return Measures(
        profiles=tuple(map(profile, _in_order(sittings, lineup))),
        pairings=pairings(sittings, lineup),
        single=pairings(sittings, lineup, of=SINGLE),
        trends=trends(sittings, lineup),
    )


def profile(sitting: Sitting) -> Profile:
    """The numbers of one model."""
    main = sitting.main
    by_task = {task: some for task in NINE if (some := main.where(task=task))}
    tasks = {task: found for task, some in by_task.items() if (found := _scores(task, some))}
    parts = {label: Answers(row for row in main if part(row.item)) for label, part in PARTS.items()}
    return Profile(
        sitting=sitting,
        tasks=tasks,
        parts=tuple(found for label, some in parts.items() if (found := _scores(label, some))),
        twins=tuple(_twins(task, by_task[task]) for task in tasks),
        ladder=_ladder(main.where(task=NINE).with_value("S")),
        given=given_reading(main),
        calibration=_calibration(main.where(task=NINE).with_value("S")),
        neutral=main.where(task=NEUTRAL).mean("S"),
        cloze={
            task: (some.mean("S"), some.mean("S_token")) for task in NINE if (some := sitting.cloze.where(task=task))
        },
        wordings={prompt: _by_task(some) for prompt, some in sitting.wordings.items()},
        controls={name: _by_task(some) for name, some in sitting.controls.items()},
        refusals={prompt: _refusals(some) for prompt, some in sitting.written.items()},
    )


def _in_order(sittings: Sequence[Sitting], lineup: Lineup) -> list[Sitting]:
    order = [member.name for member in lineup.ordered]
    return sorted(sittings, key=lambda each: order.index(each.name) if each.name in order else len(order))


def _by_task(answers: Answers) -> dict[str, Estimate]:
    return {task: found for task in NINE if (found := answers.where(task=task).mean("S"))}


# ---- one task -----------------------------------------------------------------------------------------------------


def _scores(label: str, answers: Answers) -> Scores | None:
    scored = answers.with_value("S")
    found = scored.mean("S")
    if not found:
        return None
    shares, masses, biases = (scored.numbers(of) for of in ("S", "mass", LIKING))
    return Scores(
        label=label,
        S=found,
        against=stats.difference(shares, [0.5] * len(shares), groups=scored.groups),
        accuracy=scored.mean(),
        single=scored.mean(SINGLE),
        bias=scored.mean(LIKING),
        bias_sd=stdev(biases) if len(biases) > 1 else 0.0,
        consistent=scored.mean("consistent"),
        mass=median(masses),
        heavy=fmean(mass >= HEAVY for mass in masses),
        S_heavy=scored.where(lambda row: (row.number("mass") or 0.0) >= HEAVY).mean("S"),
        unscored=len(answers) - len(scored),
    )


def _twins(task: str, answers: Answers) -> Twins:
    false, true = (answers.where(None, **{FALSE_BELIEF: kind}).mean("S") for kind in (True, False))
    return Twins(task, flip_sensitivity(answers), twins_right(answers), false, true if false else None)


# ---- all tasks ----------------------------------------------------------------------------------------------------


def _ladder(scored: Answers) -> Ladder:
    facts, beliefs = scored.where(task="TB"), scored.where(task="FB/SA")
    scripts = [{row.item.context for row in some} for some in (facts, beliefs)]
    same, pair = (some.where(lambda row: row.item.context in scripts[0] & scripts[1]) for some in (facts, beliefs))
    return Ladder(
        slope=_steps(scored, "TB", "MA", "FB"),
        minds=_steps(scored, "TB", "MA"),
        beliefs=_steps(scored, "TB", "FB"),
        matched=pair.against(same, "S"),
    )


def _steps(scored: Answers, *names: str) -> Difference | None:
    """The slope over some steps of the ladder; none where one of them was not asked."""
    level = {name: float(number) for number, name in enumerate(names)}
    some = scored.where(lambda row: _step(row.tag(TASK)) in level)
    steps = [_step(row.tag(TASK)) for row in some]
    if set(steps) != set(names) or len(set(some.groups)) < 2:
        return None
    return ladder(some.numbers("S"), [level[step] for step in steps], groups=some.groups)


def _step(task: str) -> str:
    return task.partition("/")[0]


def _calibration(scored: Answers) -> Calibration | None:
    if not scored:
        return None
    shares = scored.numbers("S")
    # Of the first option, so that a sure mistake stands at the other end and not beside a sure success.
    is_first = [row.item.answer == row.item.choices[0] for row in scored]
    first = [(share if right else 1 - share, right) for share, right in zip(shares, is_first, strict=True)]
    bins = []
    for number in range(BINS):
        inside = [pair for pair in first if min(int(pair[0] * BINS), BINS - 1) == number]
        if inside:
            said, right = (fmean(part) for part in zip(*inside, strict=True))
            bins.append(Bin(number / BINS, len(inside), said, right))
    return Calibration(
        brier=stats.mean([(1 - share) ** 2 for share in shares], groups=scored.groups),
        log_loss=stats.mean([-log(max(share, LEAST)) for share in shares], groups=scored.groups),
        bins=tuple(bins),
    )


def _refusals(answers: Answers) -> tuple[Refusals, ...]:
    found = []
    for task in NINE:
        some = answers.where(task=task)
        refused = some.share(lambda row: row.verdict == "refused")
        unclear = some.share(lambda row: row.verdict in ("tied", "unparsed", "truncated", "error"))
        if refused and unclear:
            found.append(Refusals(task, len(some), refused, unclear, some.mean()))
    return tuple(found)
