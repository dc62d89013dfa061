"""Measure: the answers of runs about the stories found, as one table, and what is measured of them by story.

Findings are stories by the name of the model against which they were found. With findings of one model, every run
speaks of its stories; with findings of several, of those of its own model. A story's accuracy is over the questions of
the order that the search went by. What was reworded is kept apart, and so is what could not be scored: not measured is
not wrong.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.heuristics.readers import first_order, last_mention, oracle, realist
from otherminds.items import Item, Suite
from otherminds.items.tags import CANONICAL, FIRST_ORDER, ORDER, REALITY, TELLING
from otherminds.results.answers import Answer, Answers
from otherminds.results.labels import mark, tell_apart
from otherminds.results.measures import same_model
from otherminds.runs.runs import Run
from otherminds.stats import Difference, Estimate
from otherminds.stories.contexts import bank
from otherminds.stories.need import Share, shares
from otherminds.stories.sets import ASYMMETRIC, choose, grid
from otherminds.studies.explore.material.build import is_open, open_marks
from otherminds.studies.explore.search.hunt import DRAWS, SEARCHES, Found

Findings = Mapping[str, Sequence[Found]]
Number = Callable[[Answer], float | None]
"""A number of an answer; None where it has none."""
Comparison = tuple[Estimate, Estimate, Difference]
"""Two means over the same groups, and how far the first lies above the second."""

HARDEST = 10
"""Stories of one setting that count: those with the lowest accuracy when they were found."""
LENGTHS = (10, 15)
"""Sentences of the random stories."""
DRAWN = 500
"""Questions of each order that are drawn to compare models on each other's stories."""
BASELINES = {"oracle": oracle, "realist": realist, "last mention": last_mention, "first-order reader": first_order}
SIMPLER: dict[str, Callable[[Item], Any]] = {
    "what is so": lambda item: item.meta.get(REALITY),
    "what the last mind thinks": lambda item: item.meta.get(FIRST_ORDER) if item.tags[ORDER] not in (0, 1) else None,
    "unknown": lambda item: "unknown",
}
"""What wrong answers may be like."""


# ---- the table of answers -------------------------------------------------------------------------------------------


def found_answers(found: Findings | Sequence[Found], runs: Sequence[Run]) -> Answers:
    """A row for every scored answer and every story that it is about; runs about other stories are passed over.

    Beside the tags of the item, `searched` says whether the search went by such a question, and `telling` whether the
    story had its canonical words.
    """
    known, models = by_model(found), {run.id: run for run in runs}
    sole = next(iter(known.values())) if len(known) == 1 else ()
    openly = {(same_model(run), *asked): marks for run in runs for asked, marks in open_marks(run).items()}
    first: dict[Hashable, str] = {}
    rows = []
    for run in labelled(runs):
        among = known.get(models[run.id].model, sole)
        for row in _about(hardest(among), run):
            asked = row.item.context, row.item.question
            # What two searches found stands in both their suites; it counts where it was asked first.
            if first.setdefault((run.model, found_of(row), *asked), run.id) == run.id:
                marks = openly.get((same_model(models[run.id]), *asked), {})
                rows.append(replace(row, detail={**row.detail, "among": among, **marks}))
    if not any(row.tag(TELLING) == CANONICAL for row in rows):
        raise UsageError(
            "none of these runs has a scored answer about these stories in their canonical words; run the suite that"
            " is built from them"
        )
    return Answers(rows)


def by_model(found: Findings | Sequence[Found]) -> Findings:
    """The stories by the model against which they were found; of one model, without its name."""
    return found if isinstance(found, Mapping) else {"": found}


def hardest(found: Sequence[Found], *, each: int = HARDEST) -> list[Found]:
    """Of every setting and method, the stories with the lowest accuracy when they were found."""
    cells: dict[tuple[str, str], list[Found]] = {}
    for story in found:
        cells.setdefault((story.cell, story.method), []).append(story)
    return [story for some in cells.values() for story in sorted(some, key=lambda one: one.accuracy)[:each]]


def labelled(runs: Sequence[Run]) -> list[Run]:
    """The runs with options, each with its model named; the way of asking too, where one was asked in several."""
    told = [run for run in runs if not is_open(run)]
    first: dict[str, Run] = {}
    rows = [
        (run.model, f", {run.score} ({run.prompt})", f", seed {run.manifest['seed']}", mark(same))
        for run in told
        for same in [first.setdefault(same_model(run), run)]
    ]
    return [replace(run, model=name) for run, name in zip(told, tell_apart(rows), strict=True)]


def found_of(row: Answer) -> Found:
    """The story that an answer is about."""
    story: Found = row.detail["found"]
    return story


def _about(found: Iterable[Found], run: Run) -> Iterator[Answer]:
    """The scored answers of a run to questions about these stories."""
    texts: dict[str, list[Found]] = {}
    plots: dict[str, list[Found]] = {}
    for each in found:
        texts.setdefault(each.story.text, []).append(each)
        plots.setdefault(_plot(each.set, each.people, each.moves, each.story.to_dicts()), []).append(each)
    for record in run.records:
        item, value = record.item, record.value()
        if value is None:
            continue
        # What happens stays the same however the story is told; ids of two hunts may be the same.
        plot = _plot(*(item.tags.get(name) for name in ("set", "people", "moves")), item.meta.get("events"))
        same = texts.get(item.context)
        # Both methods may have found one story; then an answer counts for both.
        for each in same or plots.get(plot, []):
            own = {name: getattr(each, name) for name in ("set", "people", "moves", "method")}
            own |= {"events": each.set.removesuffix(ASYMMETRIC), "asymmetric": each.set.endswith(ASYMMETRIC)}
            own |= {"searched": item.tags[ORDER] == each.order, TELLING: CANONICAL if same else "reworded"}
            asked = replace(item, tags={**item.tags, **own})
            yield Answer(asked, run.model, value, each.id, record.score.answer, record.verdict, {"found": each}, run)


def _plot(*parts: Any) -> str:
    return json.dumps(parts, sort_keys=True)


def searched_method(table: Answers) -> str:
    """How the stories were found that most numbers are about."""
    known = dict.fromkeys(table.where(telling=CANONICAL, searched=True).get("method"))
    return next((method for method in SEARCHES if method in known), found_of(table.where(telling=CANONICAL)[0]).method)


def with_baselines(answers: Answers) -> Answers:
    """These answers, and those of mindless baselines to the same questions, as models called "baseline:…"."""
    asked = {(found_of(row), row.item.id): row for row in answers}
    items = tuple({row.item.id: row.item for row in asked.values()}.values())
    rows, suite = list(answers), Suite("found", items)
    for name, make in BASELINES.items():
        values = make(suite).values(items)
        # A baseline that cannot tell the choices apart has no answer.
        known = [row for row in asked.values() if row.item.id in values]
        rows += [replace(row, model=f"baseline:{name}", value=values[row.item.id], run=None) for row in known]
    return Answers(rows)


def crossed(known: Findings, runs: Sequence[Run], seed: int) -> Answers:
    """What every model answers to the same questions about stories that a search found, drawn by a seed."""
    rows = []
    for name, some in known.items():
        found = [each for each in some if each.method in SEARCHES]
        # Of each model, the last answer to each question.
        answered = {
            (row.model, found_of(row), row.item.question): row
            for run in labelled(runs)
            for row in _about(found, run)
            if row.tag(TELLING) == CANONICAL
        }
        for order in (1, 2):
            own = [(key, row) for key, row in answered.items() if row.item.tags[ORDER] == order]
            keys = sorted({key[1:] for key, _ in own}, key=lambda key: (key[0].id, key[1]))
            dice = random.Random(f"crossed:{seed}:{name}:{order}")
            drawn = {key: number for number, key in enumerate(dice.sample(keys, min(DRAWN, len(keys))))}
            kept = sorted((pair for pair in own if pair[0][1:] in drawn), key=lambda pair: drawn[pair[0][1:]])
            tags = {"against": f"{name}, order {order}"}
            rows += [replace(row, item=replace(row.item, tags={**row.item.tags, **tags})) for _, row in kept]
    return Answers(rows)


def random_shares(number: int, seed: int) -> list[Share]:
    """What so many random stories of each setting need; they are drawn without a model."""
    cells = [replace(cell, sentences=most) for most in LENGTHS for cell in grid(choose("tomi"))]
    return shares(cells, bank(), number=number, seed=seed) if number else []


# ---- measures -------------------------------------------------------------------------------------------------------


def by_story(answers: Iterable[Answer], of: Number = lambda row: row.value) -> dict[Found, float]:
    """The accuracy of each story, or the mean of another number of the answers about it."""
    values: dict[Found, list[float]] = {}
    for row in answers:
        if (value := of(row)) is not None:
            values.setdefault(found_of(row), []).append(value)
    return {found: fmean(some) for found, some in values.items()}


def story_mean(answers: Iterable[Answer], of: Number = lambda row: row.value) -> Estimate | None:
    """The mean of the stories' accuracies, a story counting as one however many questions it has."""
    values = list(by_story(answers, of).values())
    return stats.mean(values) if values else None


def question_mean(answers: Iterable[Answer], of: Number = lambda row: row.value) -> Estimate | None:
    """The mean over questions, with the interval by story."""
    known = [(value, found_of(row).story) for row in answers if (value := of(row)) is not None]
    return stats.mean([value for value, _ in known], groups=[story for _, story in known]) if known else None


def when_found(answers: Iterable[Answer]) -> Estimate | None:
    """The mean accuracy by which the search chose the stories."""
    return story_mean(answers, lambda row: found_of(row).accuracy)


def guess(answers: Iterable[Answer]) -> float | None:
    """What guessing would give; None where a question has no choices."""
    rows = list(answers)
    if not rows or not all(row.item.choices for row in rows):
        return None
    return fmean(by_story(rows, lambda row: 1 / len(row.item.choices)).values())


def like(simpler: Callable[[Item], Any]) -> Callable[[Answers], Estimate | None]:
    """Of the wrong answers about minds, the share that says something simpler, where that would be wrong as well."""

    def same(row: Answer) -> float | None:
        other = simpler(row.item)
        open_to = row.value == 0 and row.item.tags[ORDER] != 0 and other in row.item.choices
        return float(row.said == other) if open_to and other != row.item.answer else None

    return lambda answers: question_mean(answers, same)


def compared(first: Mapping[Any, float], second: Mapping[Any, float]) -> Comparison | None:
    """Two numbers of the same stories or settings; None where none has both."""
    both = [key for key in first if key in second]
    one, two = [first[key] for key in both], [second[key] for key in both]
    return (stats.mean(one), stats.mean(two), stats.difference(one, two)) if both else None


def by_need(answers: Answers) -> Comparison | None:
    """Questions that need theory of mind and others, within stories, so that hard stories are not hard questions."""
    needed, other = (by_story(answers.where(interesting=wanted)) for wanted in (True, False))
    return compared(needed, other)


def retold(answers: Answers, method: str) -> dict[str, Comparison]:
    """By model and suite, the same questions in canonical words and in others, put to one model in the same way."""
    own, found = answers.where(searched=True, method=method), {}
    for run, others in own.where(telling="reworded").by_run():
        again = {(found_of(row), row.item.question): row for row in others}
        plain = [
            row
            for row in own.where(telling=CANONICAL, model=run.model)
            if row.run and row.run.fingerprint == run.fingerprint and (found_of(row), row.item.question) in again
        ]
        words = [again[found_of(row), row.item.question] for row in plain]
        if pair := compared(by_story(plain), by_story(words)):
            found[f"{run.model}, {run.suite}"] = pair
    return found


# ---- the search against over-generation -----------------------------------------------------------------------------

OF_SETTINGS: dict[str, Callable[[Found, float], float]] = {
    "accuracy": lambda _, accuracy: accuracy,
    "events in a story": lambda found, _: float(found.story.length),
}
"""What is compared setting by setting, of the stories found in each and their accuracies."""


def of_settings(answers: Answers, what: str = "accuracy") -> list[dict[str, float]]:
    """The mean of each setting in which both found stories, for the search and for over-generation."""
    own = answers.where(telling=CANONICAL, searched=True)
    sides: list[dict[str, list[float]]] = []
    for methods in (SEARCHES, DRAWS):
        cells: dict[str, list[float]] = {}
        for found, accuracy in by_story(own.where(method=methods)).items():
            cells.setdefault(found.cell, []).append(OF_SETTINGS[what](found, accuracy))
        sides.append(cells)
    both = [cell for cell in sides[0] if cell in sides[1]]
    return [{cell: fmean(side[cell]) for cell in both} for side in sides]


def contests(answers: Answers, what: str = "accuracy") -> dict[str, Comparison]:
    """The search and over-generation over all settings, then over those of each set; their p adjusted for accuracy."""
    searched, drawn = of_settings(answers, what)
    sets: dict[str, dict[str, float]] = {}
    for cell, value in searched.items():
        sets.setdefault(cell.split("/")[0], {})[cell] = value
    found = {name: pair for name, cells in sets.items() if (pair := compared(cells, drawn))}
    if what == "accuracy":
        ps = stats.holm([gap.p for *_, gap in found.values()])
        found = {name: (*pair[:2], replace(pair[2], p=p)) for (name, pair), p in zip(found.items(), ps, strict=True)}
    together = compared(searched, drawn)
    return {"all settings": together, **(found if len(found) > 1 else {})} if together else {}


def stories_asked(answers: Answers, name: str = "all settings") -> list[int]:
    """Stories that the search and over-generation asked about on the way to those found in some of these settings."""
    searched, _ = of_settings(answers)
    here = [
        each
        for each in answers[0].detail["among"]
        if each.cell in searched and name in ("all settings", each.cell.split("/")[0])
    ]
    return [sum(each.evaluated for each in here if each.method in methods) for methods in (SEARCHES, DRAWS)]
