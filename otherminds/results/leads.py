"""The plain report in words: what runs found, by rules from the numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from otherminds.asking.plans import STORIES, groups
from otherminds.asking.runs import Run
from otherminds.minds.telling import listing
from otherminds.results.labels import count, on_suite
from otherminds.results.measures import EVERYTHING, beliefs, by_suite, chance, items_of, mean_of, missing, twins_right

MANY = 4
"""The most runs, or models, that are named one by one."""
UNCLEAR = 0.1
"""From this share of answers without a value on, the lead speaks of them."""
MISSES = "One in twenty such intervals misses by chance."


def headline(runs: Sequence[Run]) -> str:
    """Who was asked what."""
    suites = list(dict.fromkeys(run.suite for run in runs))
    return f"{_who(runs)} on the {listing(suites)} suite{'s' * (len(suites) > 1)}"


def lead(runs: Sequence[Run], labels: Mapping[str, str]) -> str:
    """The answer: a paragraph for every suite."""
    suites = by_suite(runs)
    if len(suites) == 1:
        return _on_suite(runs, labels)
    said = []
    for some in suites:
        name = some[0].suite
        # The paragraph names the suite, so that the runs need not.
        short = {run.id: labels[run.id].replace(on_suite(run), "") for run in some}
        said.append(f"**{name}**: {_on_suite(some, short)}")
    return "\n\n".join(said)


def _who(runs: Sequence[Run]) -> str:
    models = list(dict.fromkeys(run.model for run in runs))
    return listing(models) if len(models) <= MANY else f"{len(models)} models"


def _on_suite(runs: Sequence[Run], labels: Mapping[str, str]) -> str:
    items = items_of(runs)
    stories = len(set(groups(items, by=STORIES)))
    asked = f"{count(len(items), 'question')} on {count(stories, 'story', 'stories')}"
    scored = [run for run in runs if run.values()]
    told = _on_many(scored, labels, chance(items)) if len(scored) > MANY else _on_few(scored, labels, chance(items))
    return " ".join(
        [
            f"{_who(runs)}: {asked}{_fewer(runs, labels, len(items))}.",
            *_nothing(runs, labels),
            *told,
            *_cautions(scored, labels),
            *(["Not every run is finished."] if any(run.partial for run in runs) else []),
        ]
    )


def _fewer(runs: Sequence[Run], labels: Mapping[str, str], whole: int) -> str:
    some = [f"{labels[run.id]} ({len(run)})" for run in runs if len(run) < whole]
    if not some:
        return ""
    return f"; asked fewer: {', '.join(some)}" if len(some) <= MANY else f"; {len(some)} runs were asked fewer"


def _nothing(runs: Sequence[Run], labels: Mapping[str, str]) -> list[str]:
    """Which runs have not one answer that counts, and how theirs ended."""
    empty = [run for run in runs if not run.values()]
    if len(empty) > MANY:
        return [f"No answer of {len(empty)} runs could be scored."]
    ends = [", ".join(f"{n} of {len(run)} {end}" for end, n in run.verdicts().items() if n) for run in empty]
    return [f"No answer by {labels[run.id]} could be scored ({end})." for run, end in zip(empty, ends, strict=True)]


def _on_few(runs: Sequence[Run], labels: Mapping[str, str], guess: float | None) -> list[str]:
    """How often right, by belief where that is known, what chance would not do, and what twins say."""
    if not runs:
        return []
    parts = beliefs(items_of(runs)) or [EVERYTHING]
    found = [(run, split, mean_of(run, **split.tags)) for run in runs for split in parts]
    said = []
    for run in runs:
        numbers = [f"{part.value:.2f}" if part else "nothing" for one, _, part in found if one is run]
        said.append(f"{' and '.join(numbers)} by {labels[run.id]}")
    sentences = [f"Right for {' and '.join(split.label for split in parts)}: {'; '.join(said)}."]
    if guess is not None:
        above = [f"{s.label} by {labels[run.id]}" for run, s, part in found if part and part.low > guess]
        below = [f"{s.label} by {labels[run.id]}" for run, s, part in found if part and part.high < guess]
        sentences.append(f"Guessing would give {guess:.2f}.")
        sentences += [f"The interval lies above that: {', '.join(above)}."] if above else []
        sentences += [f"The interval lies below that: {', '.join(below)}."] if below else []
        sentences.append(MISSES if above or below else "None of these can be told from guessing.")
    shares = [f"{part.value:.2f} by {labels[run.id]}" for run in runs if (part := twins_right(run))]
    return [*sentences, f"All twins of a story right: {', '.join(shares)}."] if shares else sentences


def _on_many(runs: Sequence[Run], labels: Mapping[str, str], guess: float | None) -> list[str]:
    """The worst, the best, and how many of all lie off chance; the rest is for tables."""
    sentences = [] if guess is None else [f"Guessing would give {guess:.2f}."]
    off = 0
    for split in beliefs(items_of(runs)) or [EVERYTHING]:
        found = [(part, labels[run.id]) for run in runs if (part := mean_of(run, **split.tags))]
        (least, worst), (most, best) = (pick(found, key=lambda pair: pair[0].value) for pick in (min, max))
        span = f"from {least.value:.2f} by {worst} to {most.value:.2f} by {best}"
        said = f"Right for {split.label}: {span if least.value < most.value else f'{most.value:.2f} by all'}"
        if guess is not None:
            above, below = sum(part.low > guess for part, _ in found), sum(part.high < guess for part, _ in found)
            said += f"; of {len(found)} intervals, above guessing: {above}, below: {below}"
            off += above + below
        sentences.append(f"{said}.")
    return [*sentences, *([MISSES] if off else []), "The tables have all of them."]


def _cautions(runs: Sequence[Run], labels: Mapping[str, str]) -> list[str]:
    gaps = [(labels[run.id], missing(run), len(run)) for run in runs]
    said = [f"{lost} of {asked} answers by {label}" for label, lost, asked in gaps if lost > asked * UNCLEAR]
    if len(said) > MANY:
        return [f"More than one answer in ten is not clear, and so not counted, in {len(said)} runs."]
    return [f"Without a clear answer, and so not counted: {', '.join(said)}."] if said else []
