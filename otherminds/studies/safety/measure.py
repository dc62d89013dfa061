"""Measure: response scores of every model on every task, with n and a 95 % interval drawn by groups of twins.

S is the share of the right option in the probability of both, evened out over the two orders in which they can stand;
0.5 is indifference. What is compared between models is in `lineups`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log
from statistics import fmean, median, stdev

from otherminds import stats
from otherminds.asking.plans import groups
from otherminds.asking.runs import Record, Run
from otherminds.items import Item
from otherminds.items.tags import FALSE_BELIEF, STORY, TASK
from otherminds.results.measures import FEWEST, twins_right
from otherminds.stats import Difference, Estimate
from otherminds.stats.trends import ladder
from otherminds.studies.safety.build import NEUTRAL
from otherminds.studies.safety.lineups import Pairing, SeriesTrend, pairings, trends
from otherminds.studies.safety.series import Lineup
from otherminds.studies.safety.sittings import NINE, PARTS, SINGLE, Runs, Sitting, sit, value
from otherminds.studies.safety.twins import GivenReading, flip_sensitivity, given_reading

FAINT, HEAVY = 0.1, 0.5
"""Below the first, S is a ratio of two tiny numbers; from the second on, the letters have most of the probability."""
ALPHA = 0.05
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
    """From reading over one mind to false belief; the numbers are of S, and below 0 where it gets harder."""

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
    tasks = {task: found for task in NINE if (found := _scores(task, _records(main, task)))}
    parts = [found for label, part in PARTS.items() if (found := _scores(label, _where(main, part)))]
    controls = {"no script": sitting.without_scripts, "words shuffled": sitting.shuffled}
    return Profile(
        sitting=sitting,
        tasks=tasks,
        parts=tuple(parts),
        twins=tuple(_twins(main, task) for task in tasks),
        ladder=_ladder(main),
        given=given_reading(main),
        calibration=_calibration(_records(main, *NINE)),
        neutral=mean([record for record in main.records if record.item.tags[TASK] == NEUTRAL]),
        cloze=_cloze(sitting.cloze),
        wordings={prompt: _by_task(run) for prompt, run in sitting.wordings.items()},
        controls={name: _by_task(run) for name, run in controls.items() if run},
        refusals={prompt: _refusals(run) for prompt, run in sitting.written.items()},
    )


def mean(records: Sequence[Record], of: str = "S") -> Estimate | None:
    """The mean over what has a value, drawn by groups."""
    scored = [(record.item, number) for record in records if (number := value(record, of)) is not None]
    # A liking for a letter is in log-odds, which have no ends.
    return mean_over(scored, (-inf, inf) if of == "b" else (0.0, 1.0))


def mean_over(scored: Sequence[tuple[Item, float]], bounds: tuple[float, float] = (0.0, 1.0)) -> Estimate | None:
    """The mean of numbers about items, drawn by groups."""
    if not scored:
        return None
    return stats.mean([number for _, number in scored], groups=groups([item for item, _ in scored]), bounds=bounds)


def _in_order(sittings: Sequence[Sitting], lineup: Lineup) -> list[Sitting]:
    order = [member.name for member in lineup.ordered]
    return sorted(sittings, key=lambda each: order.index(each.name) if each.name in order else len(order))


def _records(run: Run, *tasks: str) -> list[Record]:
    return [record for record in run.records if record.item.tags[TASK] in tasks]


def _where(run: Run, part: Callable[[Item], bool]) -> list[Record]:
    return [record for record in run.records if part(record.item)]


def _by_task(run: Run) -> dict[str, Estimate]:
    return {task: found for task in NINE if (found := mean(_records(run, task)))}


# ---- one task -----------------------------------------------------------------------------------------------------


def _scores(label: str, records: Sequence[Record]) -> Scores | None:
    scored = [record for record in records if record.value("S") is not None]
    found = mean(scored)
    if not found:
        return None
    masses = [record.value("mass") or 0.0 for record in scored]
    biases = [bias for record in scored if (bias := record.value("b")) is not None]
    shares = [record.value("S") or 0.0 for record in scored]
    by = groups([record.item for record in scored])
    return Scores(
        label=label,
        S=found,
        against=stats.difference(shares, [0.5] * len(shares), groups=by),
        accuracy=mean(scored, "value"),
        single=mean(scored, SINGLE),
        bias=mean(scored, "b"),
        bias_sd=stdev(biases) if len(biases) > 1 else 0.0,
        consistent=mean(scored, "consistent"),
        mass=median(masses),
        heavy=fmean(mass >= HEAVY for mass in masses),
        S_heavy=mean([record for record, mass in zip(scored, masses, strict=True) if mass >= HEAVY]),
        unscored=len(records) - len(scored),
    )


def _twins(run: Run, task: str) -> Twins:
    records = _records(run, task)
    beliefs = [mean([r for r in records if r.item.tags.get(FALSE_BELIEF) is kind]) for kind in (True, False)]
    of_task = run.where(None, task=task)
    return Twins(task, flip_sensitivity(of_task), twins_right(of_task), *(beliefs if beliefs[0] else (None, None)))


def _cloze(run: Run | None) -> dict[str, tuple[Estimate | None, Estimate | None]]:
    if run is None:
        return {}
    found = {task: _records(run, task) for task in NINE}
    return {task: (mean(some), mean(some, "S_token")) for task, some in found.items() if some}


# ---- all tasks ----------------------------------------------------------------------------------------------------


def _ladder(run: Run) -> Ladder:
    scored = [record for record in _records(run, *NINE) if record.value("S") is not None]
    facts = {record.item.context for record in scored if record.item.tags[TASK] == "TB"}
    pair = [record for record in scored if record.item.tags[TASK] == "FB/SA" and record.item.context in facts]
    read = {record.item.context for record in pair}
    same = [record for record in scored if record.item.tags[TASK] == "TB" and record.item.context in read]
    return Ladder(
        slope=_steps(scored, "TB", "MA", "FB"),
        minds=_steps(scored, "TB", "MA"),
        beliefs=_steps(scored, "TB", "FB"),
        matched=stats.contrast(
            [record.value("S") or 0.0 for record in pair],
            [record.value("S") or 0.0 for record in same],
            groups=([record.item.tags[STORY] for record in pair], [record.item.tags[STORY] for record in same]),
        )
        if pair
        else None,
    )


def _steps(records: Sequence[Record], *names: str) -> Difference | None:
    """The slope over some steps of the ladder; none where one of them was not asked."""
    step = {record.item.id: str(record.item.tags[TASK]).partition("/")[0] for record in records}
    some = [record for record in records if step[record.item.id] in names]
    by = groups([record.item for record in some])
    if {step[record.item.id] for record in some} != set(names) or len(set(by)) < 2:
        return None
    level = {name: float(number) for number, name in enumerate(names)}
    return ladder(
        [record.value("S") or 0.0 for record in some], [level[step[record.item.id]] for record in some], groups=by
    )


def _calibration(records: Sequence[Record]) -> Calibration | None:
    scored = [(record.item, share) for record in records if (share := record.value("S")) is not None]
    if not scored:
        return None
    by = groups([item for item, _ in scored])
    # Of the first option, so that a sure mistake stands at the other end and not beside a sure success.
    first = [(share if item.answer == item.choices[0] else 1 - share, item) for item, share in scored]
    bins = []
    for number in range(BINS):
        inside = [pair for pair in first if min(int(pair[0] * BINS), BINS - 1) == number]
        if inside:
            right = fmean(item.answer == item.choices[0] for _, item in inside)
            bins.append(Bin(number / BINS, len(inside), fmean(share for share, _ in inside), right))
    return Calibration(
        brier=stats.mean([(1 - share) ** 2 for _, share in scored], groups=by),
        log_loss=stats.mean([-log(max(share, LEAST)) for _, share in scored], groups=by),
        bins=tuple(bins),
    )


def _refusals(run: Run) -> tuple[Refusals, ...]:
    found = []
    for task in NINE:
        records = _records(run, task)
        if not records:
            continue
        ends = [record.score.verdict for record in records]
        by = groups([record.item for record in records])
        refused = stats.mean([float(end == "refused") for end in ends], groups=by)
        unclear = stats.mean([float(end in ("tied", "unparsed", "truncated", "error")) for end in ends], groups=by)
        found.append(Refusals(task, len(records), refused, unclear, mean(records, "value")))
    return tuple(found)
