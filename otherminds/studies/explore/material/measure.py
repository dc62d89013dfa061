"""Measure: the answers of runs about the stories found, as one table, and what is measured of them by story.

Findings are stories by the name of the model against which they were found. With findings of one model, every run
speaks of its stories; with findings of several, of those of its own model. A story's accuracy is over the questions of
the order that the search went by. What was reworded is kept apart, and so is what could not be scored: not measured is
not wrong.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from statistics import fmean
from typing import Any

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.heuristics.readers import first_order, last_mention, oracle, realist
from otherminds.items import Item, Suite
from otherminds.items.tags import CANONICAL, FIRST_ORDER, KIND, ORDER, REALITY, TELLING
from otherminds.results.answers import Answer, Answers
from otherminds.results.labels import mark, tell_apart
from otherminds.results.measures import Split, same_model
from otherminds.runs.runs import Run
from otherminds.search.hunt import DRAWS, SEARCHES, Found
from otherminds.stats import Difference, Estimate
from otherminds.stories.sets import ASYMMETRIC
from otherminds.studies.explore.material.build import is_open, open_marks

Findings = Mapping[str, Sequence[Found]]
Number = Callable[[Answer], float | None]
"""A number of an answer; None where it has none."""
Comparison = tuple[Estimate, Estimate, Difference]
"""Two means over the same groups, and how far the first lies above the second."""

HARDEST = 10
"""Stories of one setting that count: those with the lowest accuracy when they were found."""
DRAWN = 500
"""Questions of each order that are drawn to compare models on each other's stories."""
OWN, OTHERS, BASELINE = "own", "others", "baseline"
"""Whether an answer is about one of the hardest stories found against this model, another, or is of a baseline."""
PLAIN, REWORDED = (Split(telling, {"part": OWN, TELLING: telling}) for telling in (CANONICAL, "reworded"))
BY_MODELS, SEARCHED = Split("models", {"part": (OWN, OTHERS)}), Split("searched", {"searched": True})
BESIDE = Split("models and baselines", {"part": (OWN, BASELINE), TELLING: CANONICAL})
QUESTIONS = [
    SEARCHED,
    Split("what is so", {ORDER: 0}, lambda row: row.item.tags.get(KIND) != "memory"),
    Split("order 1", {ORDER: 1}),
    Split("order 2", {ORDER: 2}),
    Split("false belief", {"false_belief": True}),
    Split("not known", {"ignorance": True}),
]
"""Sorts of question that models and baselines are compared on."""
BASELINES = {"oracle": oracle, "realist": realist, "last mention": last_mention, "first-order reader": first_order}
SIMPLER: dict[str, Callable[[Item], Any]] = {
    "what is so": lambda item: item.meta.get(REALITY),
    "what the last mind thinks": lambda item: item.meta.get(FIRST_ORDER) if item.tags[ORDER] not in (0, 1) else None,
    "unknown": lambda item: "unknown",
}
"""What wrong answers may be like."""
OF_SETTINGS: dict[str, Callable[[Found, float], float]] = {
    "accuracy": lambda _, accuracy: accuracy,
    "events in a story": lambda found, _: float(found.story.length),
}
"""What is compared setting by setting, of the stories found in each and their accuracies."""


@dataclass(frozen=True)
class StoryAnswers:
    """A row for every scored answer and every story that it is about, and the parts that most numbers are about.

    Beside the tags of the item, `searched` says whether the search went by such a question, `telling` whether the story
    had its canonical words, `against` and `part` against whom it was found.
    """

    table: Answers

    @cached_property
    def own(self) -> Answers:
        """What every model answered about its own stories in their canonical words."""
        return PLAIN.of(self.table)

    @cached_property
    def method(self) -> str:
        """How the stories were found that most numbers are about."""
        known = SEARCHED.of(self.own).get("method")
        return next((method for method in SEARCHES if method in known), found_of(self.own[0]).method)

    @cached_property
    def chosen(self) -> Answers:
        """Those to searched questions about stories found in that way."""
        return SEARCHED.of(self.own).where(method=self.method)

    @cached_property
    def chance(self) -> float | None:
        """What guessing would give on these; None where a question has no choices."""
        if not all(self.chosen.choices) or not self.chosen:
            return None
        return fmean(by_story(self.chosen, lambda row: 1 / len(row.item.choices)).values())

    def baseline(self, name: str) -> Estimate | None:
        """What a mindless baseline gets on these."""
        return story_mean(SEARCHED.of(self.table).where(model=f"baseline:{name}", method=self.method))

    @cached_property
    def retold(self) -> dict[str, Comparison]:
        """By model and suite, the same questions in canonical words and in others, put to one model in the same way."""
        found = {}
        own = SEARCHED.of(REWORDED.of(self.table)).where(method=self.method)
        for run, others in own.by_run():
            again = {(found_of(row), row.item.question): row for row in others}
            plain = [
                row
                for row in self.chosen.where(model=run.model)
                if row.run and row.run.fingerprint == run.fingerprint and (found_of(row), row.item.question) in again
            ]
            words = [again[found_of(row), row.item.question] for row in plain]
            if pair := compared(by_story(plain), by_story(words)):
                found[f"{run.model}, {run.suite}"] = pair
        return found

    def crossed(self, seed: int) -> Answers:
        """What every model answers to the same questions about stories that a search found, drawn by a seed."""
        rows: list[Answer] = []
        plain = BY_MODELS.of(self.table).where(telling=CANONICAL, method=SEARCHES)
        for (name, some), order in ((pair, order) for pair in plain.by("against").items() for order in (1, 2)):
            asked = [((found_of(row), row.item.question), row) for row in some.where(order=order)]
            keys = sorted({key for key, _ in asked}, key=lambda key: (key[0].id, key[1]))
            dice = random.Random(f"crossed:{seed}:{name}:{order}")
            drawn = {key: number for number, key in enumerate(dice.sample(keys, min(DRAWN, len(keys))))}
            kept = sorted((pair for pair in asked if pair[0] in drawn), key=lambda pair: drawn[pair[0]])
            rows += [_tagged(row, against=f"{name}, order {order}") for _, row in kept]
        return Answers(rows)


def measure(findings: Findings | Sequence[Found], runs: Sequence[Run]) -> StoryAnswers:
    """Everything that these runs answered about the stories found; runs about other stories are passed over."""
    known, models = by_model(findings), {run.id: run for run in runs}
    openly = {(same_model(run), *asked): marks for run in runs for asked, marks in open_marks(run).items()}
    first: dict[Hashable, str] = {}
    rows = []
    for run in _labelled(runs):
        for name, found in known.items():
            own = hardest(found) if len(known) == 1 or name == models[run.id].model else ()
            for row in _about(found, run, set(own), against=name):
                asked = row.item.context, row.item.question
                # What two searches found stands in both their suites; it counts where it was asked first.
                if first.setdefault((run.model, name, found_of(row), *asked), run.id) == run.id:
                    marks = openly.get((same_model(models[run.id]), *asked), {})
                    rows.append(replace(row, detail={**row.detail, "among": found, **marks}))
    answers = Answers(rows)
    if not (plain := PLAIN.of(answers)):
        raise UsageError(
            "none of these runs has a scored answer about these stories in their canonical words; run the suite"
            " that is built from them"
        )
    return StoryAnswers(answers | Answers(_of_baselines(plain)))


def by_model(found: Findings | Sequence[Found]) -> Findings:
    """The stories by the model against which they were found; of one model, without its name."""
    return found if isinstance(found, Mapping) else {"": found}


def hardest(found: Sequence[Found], *, each: int = HARDEST) -> list[Found]:
    """Of every setting and method, the stories with the lowest accuracy when they were found."""
    cells: dict[tuple[str, str], list[Found]] = {}
    for story in found:
        cells.setdefault((story.cell, story.method), []).append(story)
    return [story for some in cells.values() for story in sorted(some, key=lambda one: one.accuracy)[:each]]


def found_of(row: Answer) -> Found:
    """The story that an answer is about."""
    story: Found = row.detail["found"]
    return story


def _labelled(runs: Sequence[Run]) -> list[Run]:
    """The runs with options, each with its model named; the way of asking too, where one was asked in several."""
    told = [run for run in runs if not is_open(run)]
    first: dict[str, Run] = {}
    rows = [
        (run.model, f", {run.score} ({run.prompt})", f", seed {run.manifest['seed']}", mark(same))
        for run in told
        for same in [first.setdefault(same_model(run), run)]
    ]
    return [replace(run, model=name) for run, name in zip(told, tell_apart(rows), strict=True)]


def _about(found: Iterable[Found], run: Run, own: Container[Found], **tags: str) -> Iterator[Answer]:
    """The scored answers of a run to questions about these stories, some of which are its own."""
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
            row = Answer(item, run.model, value, each.id, record.score.answer, record.verdict, {"found": each}, run)
            known = {name: getattr(each, name) for name in ("set", "people", "moves", "method")}
            known |= {"events": each.set.removesuffix(ASYMMETRIC), "asymmetric": each.set.endswith(ASYMMETRIC)}
            known |= {"searched": item.tags[ORDER] == each.order, TELLING: CANONICAL if same else "reworded"}
            yield _tagged(row, **known, **tags, part=OWN if each in own else OTHERS)


def _plot(*parts: Any) -> str:
    return json.dumps(parts, sort_keys=True)


def _tagged(row: Answer, **tags: Any) -> Answer:
    return replace(row, item=replace(row.item, tags={**row.item.tags, **tags}))


def _of_baselines(own: Answers) -> Iterator[Answer]:
    """What mindless baselines answer to the same questions, as models called "baseline:…"."""
    asked = {(found_of(row), row.item.id): row for row in own}
    items = tuple({row.item.id: row.item for row in asked.values()}.values())
    for name, make in BASELINES.items():
        values = make(Suite("found", items)).values(items)
        for row in asked.values():
            # A baseline that cannot tell the choices apart has no answer.
            if row.item.id in values:
                rule = replace(row, model=f"baseline:{name}", value=values[row.item.id], run=None)
                yield _tagged(rule, part=BASELINE)


# ---- measures -------------------------------------------------------------------------------------------------------


def by_story(answers: Iterable[Answer], of: Number = attrgetter("value")) -> dict[Found, float]:
    """The accuracy of each story, or the mean of another number of the answers about it."""
    values: dict[Found, list[float]] = {}
    for row in answers:
        if (value := of(row)) is not None:
            values.setdefault(found_of(row), []).append(value)
    return {found: fmean(some) for found, some in values.items()}


def story_mean(answers: Iterable[Answer], of: Number = attrgetter("value")) -> Estimate | None:
    """The mean of the stories' accuracies, a story counting as one however many questions it has."""
    values = list(by_story(answers, of).values())
    return stats.mean(values) if values else None


def question_mean(answers: Iterable[Answer], of: Number = attrgetter("value")) -> Estimate | None:
    """The mean over questions, with the interval by story."""
    known = [(value, found_of(row).story) for row in answers if (value := of(row)) is not None]
    return stats.mean([value for value, _ in known], groups=[story for _, story in known]) if known else None


def like(simpler: Callable[[Item], Any]) -> Callable[[Answers], Estimate | None]:
    """Of the wrong answers about minds, the share that says something simpler, where that would be wrong as well."""

    def same(row: Answer) -> float | None:
        other = simpler(row.item)
        wrong = row.value == 0 and row.item.tags[ORDER] != 0
        return float(row.said == other) if wrong and other in row.item.choices and other != row.item.answer else None

    return lambda answers: question_mean(answers, same)


def compared(first: Mapping[Any, float], second: Mapping[Any, float]) -> Comparison | None:
    """Two numbers of the same stories or settings; None where none has both."""
    both = [key for key in first if key in second]
    one, two = [first[key] for key in both], [second[key] for key in both]
    return (stats.mean(one), stats.mean(two), stats.difference(one, two)) if both else None


def of_settings(own: Answers, what: str = "accuracy") -> list[dict[str, float]]:
    """The mean of each setting in which both found stories, for the search and for over-generation."""
    sides: list[dict[str, list[float]]] = []
    for methods in (SEARCHES, DRAWS):
        cells: dict[str, list[float]] = {}
        for found, accuracy in by_story(SEARCHED.of(own).where(method=methods)).items():
            cells.setdefault(found.cell, []).append(OF_SETTINGS[what](found, accuracy))
        sides.append(cells)
    both = [cell for cell in sides[0] if cell in sides[1]]
    return [{cell: fmean(side[cell]) for cell in both} for side in sides]


def contests(own: Answers, what: str = "accuracy") -> dict[str, Comparison]:
    """The search and over-generation over all settings, then over those of each set; their p adjusted for accuracy."""
    searched, drawn = of_settings(own, what)
    sets: dict[str, dict[str, float]] = {}
    for cell, value in searched.items():
        sets.setdefault(cell.split("/")[0], {})[cell] = value
    found = {name: pair for name, cells in sets.items() if (pair := compared(cells, drawn))}
    if what == "accuracy":
        ps = stats.holm([gap.p for *_, gap in found.values()])
        found = {name: (*pair[:2], replace(pair[2], p=p)) for (name, pair), p in zip(found.items(), ps, strict=True)}
    together = compared(searched, drawn)
    return {"all settings": together, **(found if len(found) > 1 else {})} if together else {}


def stories_asked(own: Answers, name: str = "all settings") -> list[int]:
    """Stories that the search and over-generation asked about on the way to those found in some of these settings."""
    cells = [cell for cell in of_settings(own)[0] if name in ("all settings", cell.split("/")[0])]
    here = [each for each in own[0].detail["among"] if each.cell in cells]
    return [sum(each.evaluated for each in here if each.method in methods) for methods in (SEARCHES, DRAWS)]
