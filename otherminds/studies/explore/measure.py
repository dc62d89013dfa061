"""Measure: numbers about the stories found, each with n and a 95 % interval drawn by story.

A story's accuracy is over the questions of the order that the search went by. What was reworded is kept apart,
and so is what could not be scored: not measured is not wrong.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.heuristics.readers import first_order, last_mention, oracle, realist
from otherminds.items import Item, Suite
from otherminds.items.tags import FALSE_BELIEF, FIRST_ORDER, IGNORANCE, INTERESTING, KIND, ORDER, REALITY
from otherminds.results.grids import Line
from otherminds.runs.runs import Run
from otherminds.stats import Difference, Estimate
from otherminds.stories.contexts import bank
from otherminds.stories.sets import ASYMMETRIC, choose, grid
from otherminds.studies.explore.published import Published, as_published, is_open
from otherminds.studies.explore.search.hunt import DRAWS, SEARCHES, Found
from otherminds.studies.explore.shares import Share, shares
from otherminds.studies.explore.sittings import (
    Answer,
    Findings,
    Sitting,
    about,
    by_story,
    labels,
    question_mean,
    sit,
    story_mean,
)

LENGTHS = (10, 15)
"""Sentences of the random stories."""
DRAWN = 500
"""Questions of each order that are drawn to compare models on each other's stories."""
BASELINES = {"oracle": oracle, "realist": realist, "last mention": last_mention, "first-order reader": first_order}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two means over the same groups, and how far the first lies above the second."""

    label: str
    first: Estimate
    second: Estimate
    difference: Difference


@dataclass(frozen=True, slots=True)
class Contest:
    """The search against over-generation over settings in which both found stories."""

    accuracy: Pair
    length: Pair
    """In events."""
    harder: int
    """Settings in which the stories of the search are answered worse."""
    alike: int
    easier: int
    asked: tuple[int, int]
    """Stories put to the model on the way to those found in these settings, by the search and by over-generation."""


@dataclass(frozen=True, slots=True)
class Crossed:
    """Models on each other's stories: a row for the model against which they were found and the order of questions."""

    readers: tuple[str, ...]
    rows: tuple[Line, ...]
    """Only of stories that a search chose."""


@dataclass(frozen=True, slots=True)
class Measures:
    """All numbers of the study; a tuple is empty where nothing was measured."""

    sittings: tuple[Sitting, ...]
    """With the canonical words."""
    method: str
    """How the stories were found that most numbers are about."""
    guess: float | None
    """What guessing would give on the searched questions."""
    when_found: tuple[Estimate | None, ...]
    """The mean accuracy by which the search chose the stories, by sitting."""
    overall: tuple[Estimate | None, ...]
    """The same of the answers in the runs."""
    sets: tuple[Line, ...]
    """For each set the plain and the asymmetric stories, by sitting."""
    people: tuple[Line, ...]
    moves: tuple[Line, ...]
    beside: tuple[Line, ...]
    """Sittings, then baselines: by the splits of SPLITS."""
    wrong: tuple[Line, ...]
    """Of the wrong answers, the shares that are what something simpler would say: by the names of SIMPLER."""
    contests: tuple[tuple[str, tuple[Contest, ...]], ...]
    """By sitting: all settings together, then each set."""
    interesting: tuple[Pair, ...]
    """By sitting: questions with and without need of theory of mind, over the stories that have both."""
    told: tuple[Pair, ...]
    """The same questions in the canonical words and in others."""
    crossed: Crossed | None
    published: tuple[Published, ...] = ()
    """By sitting: the same questions with options, and open as published."""
    random: tuple[Share, ...] = ()
    """What random stories need, by setting; they are drawn without a model."""


SPLITS: dict[str, Callable[[Answer], bool]] = {
    "searched": lambda answer: answer.searched,
    "what is so": lambda answer: answer.item.tags[ORDER] == 0 and answer.item.tags.get(KIND) != "memory",
    "order 1": lambda answer: answer.item.tags[ORDER] == 1,
    "order 2": lambda answer: answer.item.tags[ORDER] == 2,
    "false belief": lambda answer: answer.item.tags.get(FALSE_BELIEF) is True,
    "not known": lambda answer: answer.item.tags.get(IGNORANCE) is True,
}
SIMPLER: dict[str, Callable[[Item], Any]] = {
    "what is so": lambda item: item.meta.get(REALITY),
    "what the last mind thinks": lambda item: item.meta.get(FIRST_ORDER) if item.tags[ORDER] not in (0, 1) else None,
    "unknown": lambda item: "unknown",
}


def measure(
    findings: Findings | Sequence[Found], runs: Sequence[Run], *, random_stories: int = 0, seed: int = 0
) -> Measures:
    """Everything that these runs tell about the stories found; and so many random stories of each setting beside."""
    known = findings if isinstance(findings, Mapping) else {"": findings}
    sole = next(iter(known.values())) if len(known) == 1 else ()
    openly, runs = [run for run in runs if is_open(run)], [run for run in runs if not is_open(run)]
    sittings = sit(known, runs)
    raw = tuple(each for each in sittings if each.raw)
    if not raw:
        raise UsageError(
            "none of these runs has a scored answer about these stories in their canonical words; run the suite that"
            " is built from them"
        )
    searched = (method for method in SEARCHES if any(each.of(method) for each in raw))
    method = next(searched, raw[0].answers[0].found.method)
    chosen = [each.of(method) for each in raw]
    return Measures(
        sittings=raw,
        method=method,
        guess=_guess([answer for answers in chosen for answer in answers]),
        when_found=tuple(_when_found(answers) for answers in chosen),
        overall=tuple(story_mean(answers) for answers in chosen),
        sets=_sets(chosen),
        people=_rows(chosen, "people", lambda answer: answer.found.people),
        moves=_rows(chosen, "moves", lambda answer: answer.found.moves),
        beside=_beside(raw, method),
        wrong=tuple(row for each in raw if (row := _wrong(each, method))),
        contests=tuple(
            (each.label, found) for each in raw if (found := _contests(each, known.get(each.run.model, sole)))
        ),
        interesting=tuple(
            pair for each, answers in zip(raw, chosen, strict=True) if (pair := _interesting(each.label, answers))
        ),
        told=_told(raw, [each for each in sittings if not each.raw], method),
        crossed=_crossed(known, runs, seed) if len(known) > 1 and method in SEARCHES else None,
        published=tuple(asked for each in raw if (asked := as_published(each, openly))),
        random=_random(random_stories, seed) if random_stories else (),
    )


def _random(number: int, seed: int) -> tuple[Share, ...]:
    cells = [replace(cell, sentences=most) for most in LENGTHS for cell in grid(choose("tomi"))]
    return tuple(shares(cells, bank(), number=number, seed=seed))


def _guess(answers: Sequence[Answer]) -> float | None:
    if not answers or not all(answer.item.choices for answer in answers):
        return None
    return fmean(by_story(replace(each, value=1 / len(each.item.choices)) for each in answers).values())


def _when_found(answers: Sequence[Answer]) -> Estimate | None:
    stories = dict.fromkeys(answer.found for answer in answers)
    return stats.mean([each.accuracy for each in stories]) if stories else None


def _pair(label: str, first: Sequence[float], second: Sequence[float]) -> Pair:
    return Pair(label, stats.mean(first), stats.mean(second), stats.difference(first, second))


# ---- by kind of story -------------------------------------------------------------------------------------------


def _sets(chosen: Sequence[Sequence[Answer]]) -> tuple[Line, ...]:
    names = dict.fromkeys(answer.found.set.removesuffix(ASYMMETRIC) for answers in chosen for answer in answers)
    return tuple(
        (
            name,
            tuple(
                story_mean(answer for answer in answers if answer.found.set == name + suffix)
                for answers in chosen
                for suffix in ("", ASYMMETRIC)
            ),
        )
        for name in names
    )


def _rows(chosen: Sequence[Sequence[Answer]], name: str, value: Callable[[Answer], int]) -> tuple[Line, ...]:
    values = sorted({value(answer) for answers in chosen for answer in answers})
    return tuple(
        (
            f"{number} {name}",
            tuple(story_mean(answer for answer in answers if value(answer) == number) for answers in chosen),
        )
        for number in values
    )


# ---- beside what is simpler -------------------------------------------------------------------------------------


def _beside(sittings: Sequence[Sitting], method: str) -> tuple[Line, ...]:
    rows: list[tuple[str, Sequence[Answer]]] = [
        (each.label, [answer for answer in each.answers if answer.found.method == method]) for each in sittings
    ]
    asked = {(answer.found, answer.item.id): answer for _, answers in rows for answer in answers}
    items = tuple({answer.item.id: answer.item for answer in asked.values()}.values())
    suite = Suite("found", items)
    for name, make in BASELINES.items():
        values = make(suite).values(items)
        # A baseline that cannot tell the choices apart has no answer.
        known = [answer for answer in asked.values() if answer.item.id in values]
        rows.append((name, [replace(answer, value=values[answer.item.id]) for answer in known]))
    return tuple(
        (label, tuple(story_mean(answer for answer in answers if wanted(answer)) for wanted in SPLITS.values()))
        for label, answers in rows
    )


def _wrong(sitting: Sitting, method: str) -> Line | None:
    """What the wrong answers about minds are like; only where the simpler answer would be wrong as well."""
    wrong = [
        answer
        for answer in sitting.answers
        if answer.found.method == method and answer.value == 0 and answer.item.tags[ORDER] != 0
    ]
    shares = []
    for simpler in SIMPLER.values():
        open_to = [
            each for each in wrong if simpler(each.item) in each.item.choices and simpler(each.item) != each.item.answer
        ]
        like = [replace(each, value=float(each.said == simpler(each.item))) for each in open_to]
        shares.append(question_mean(like))
    return (sitting.label, tuple(shares)) if any(shares) else None


# ---- pairs ------------------------------------------------------------------------------------------------------


def _contests(sitting: Sitting, own: Sequence[Found]) -> tuple[Contest, ...]:
    """All settings together, then each set; p of the sets adjusted for being several."""
    searched, drawn = (
        _by_cell([answer for method in methods for answer in sitting.of(method)]) for methods in (SEARCHES, DRAWS)
    )
    cells = [cell for cell in searched if cell in drawn]
    if not cells:
        return ()
    together = _contest("all settings", cells, searched, drawn, own)
    names = dict.fromkeys(cell.split("/")[0] for cell in cells)
    apart = [_contest(name, [c for c in cells if c.split("/")[0] == name], searched, drawn, own) for name in names]
    ps = stats.holm([each.accuracy.difference.p for each in apart])
    adjusted = [
        replace(each, accuracy=replace(each.accuracy, difference=replace(each.accuracy.difference, p=p)))
        for each, p in zip(apart, ps, strict=True)
    ]
    return (together, *adjusted) if len(adjusted) > 1 else (together,)


def _by_cell(answers: Sequence[Answer]) -> dict[str, tuple[float, float]]:
    """The mean accuracy and the mean number of events of the stories of each setting."""
    cells: dict[str, list[tuple[float, float]]] = {}
    for found, value in by_story(answers).items():
        cells.setdefault(found.cell, []).append((value, float(found.story.length)))
    return {cell: (fmean(v for v, _ in some), fmean(length for _, length in some)) for cell, some in cells.items()}


def _contest(
    label: str,
    cells: Sequence[str],
    searched: dict[str, tuple[float, float]],
    drawn: dict[str, tuple[float, float]],
    own: Sequence[Found],
) -> Contest:
    accuracies, lengths = (
        ([searched[cell][part] for cell in cells], [drawn[cell][part] for cell in cells]) for part in (0, 1)
    )
    gaps = [a - b for a, b in zip(*accuracies, strict=True)]
    counts = (sum(gap < 0 for gap in gaps), sum(gap == 0 for gap in gaps), sum(gap > 0 for gap in gaps))
    here = [each for each in own if each.cell in cells]
    asked = [sum(each.evaluated for each in here if each.method in methods) for methods in (SEARCHES, DRAWS)]
    return Contest(_pair(label, *accuracies), _pair(label, *lengths), *counts, (asked[0], asked[1]))


def _interesting(label: str, answers: Sequence[Answer]) -> Pair | None:
    """Within stories, so that hard stories cannot be mistaken for hard questions."""
    kinds = [
        by_story(answer for answer in answers if answer.item.tags.get(INTERESTING) is wanted)
        for wanted in (True, False)
    ]
    both = [found for found in kinds[0] if found in kinds[1]]
    return _pair(label, *([values[found] for found in both] for values in kinds)) if both else None


def _told(raw: Sequence[Sitting], others: Sequence[Sitting], method: str) -> tuple[Pair, ...]:
    """The same questions about the same stories, put to the same model in the same way."""
    pairs = []
    for other in others:
        again = {(each.found, each.item.question): each for each in other.of(method)}
        for sitting in raw:
            if sitting.label != other.label or sitting.run.fingerprint != other.run.fingerprint:
                continue
            twins = ((each, again.get((each.found, each.item.question))) for each in sitting.of(method))
            both = [(one, two) for one, two in twins if two is not None]
            plain, other_words = by_story(one for one, _ in both), by_story(two for _, two in both)
            if both:
                label = f"{other.label}, {other.run.suite}"
                pairs.append(_pair(label, list(plain.values()), [other_words[found] for found in plain]))
    return tuple(pairs)


# ---- models on each other's stories -----------------------------------------------------------------------------


def _crossed(findings: Findings, runs: Sequence[Run], seed: int) -> Crossed:
    named = labels(runs)
    readers: dict[str, list[Run]] = {}
    for run in runs:
        readers.setdefault(named[run.id], []).append(run)
    rows = []
    for name, some in findings.items():
        found = [each for each in some if each.method in SEARCHES]
        answered = [
            {(each.found, each.item.question): each for run in own for each in about(found, run) if each.raw}
            for own in readers.values()
        ]
        for order in (1, 2):
            keys = sorted(
                {key for each in answered for key, answer in each.items() if answer.item.tags[ORDER] == order},
                key=lambda key: (key[0].id, key[1]),
            )
            if not keys:
                continue
            drawn = random.Random(f"crossed:{seed}:{name}:{order}").sample(keys, min(DRAWN, len(keys)))
            cells = tuple(question_mean([each[key] for key in drawn if key in each]) for each in answered)
            rows.append((f"{name}, order {order}", cells))
    return Crossed(tuple(readers), tuple(rows))
