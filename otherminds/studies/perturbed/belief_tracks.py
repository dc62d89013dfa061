"""Belief tracks: beliefs drawn sentence by sentence, gold against model; and whole answers to read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from otherminds.pages.report import Block, Example, Figure, Folded
from otherminds.pages.timeline import timeline
from otherminds.results.answers import Answer
from otherminds.results.reading import read_record, read_verdict
from otherminds.results.sections import Page
from otherminds.studies.perturbed.calculus import CLASSES, UNKNOWN
from otherminds.studies.perturbed.faithfulness import chained
from otherminds.studies.perturbed.measure import FOCAL, NAMES, STYLE_OF, models

KINDS = (
    (True, True, "chain right, answer right"),
    (False, True, "chain wrong, answer right"),
    (True, False, "chain right, answer wrong"),
    (False, False, "chain wrong, answer wrong"),
)
EACH = 2
"""Items shown of every kind."""


def class_name(name: str) -> str:
    """A class as people read it."""
    return {CLASSES[0]: "unperturbed", "all": "all together"}.get(name, name.replace("non_", "non-").replace("_", " "))


def belief_tracks(page: Page) -> Iterator[Block]:
    """A few focal items of every model, of each kind that there is."""
    for name in models(page.answers):
        focal = chained(page.answers).where(model=name, **FOCAL)
        for proper, right, words in KINDS:
            of_kind = [each for each in focal if (each.detail["proper"], each.right) == (proper, right)]
            of_classes = {each.tag("class"): each for each in reversed(of_kind)}
            # The first items of this kind, of different classes.
            for each in [each for each in of_kind if each in of_classes.values()][:EACH]:
                heading = f"{name} · {class_name(each.tag('class'))}, {each.item.id} · {words}"
                yield Folded(heading, _track(name, each))


def _track(label: str, answer: Answer) -> list[Block]:
    item = answer.item
    sentences, sets = item.meta["sentences"], item.meta["gold"]
    said = [*answer.states, *[""] * len(sentences)][: len(sentences)]
    # Where careful readers may differ, the model is measured by the reading that it shares.
    gold = [state if state in states else states[0] for state, states in zip(said, sets, strict=True)]
    lanes = [
        ("gold", _lane(gold)),
        (label, _lane(said)),
        ("what is so", _lane([item.meta["reality"]] * len(sentences))),
    ]
    svg = timeline(
        lanes,
        sentences,
        title=f"{item.id}: what {item.meta['target']} believes",
        values=[choice for choice in item.choices if choice != UNKNOWN],
        unknown=UNKNOWN,
    )
    notes = [f"{item.question} The model answers {answer.said!r}; right is {item.answer!r}."]
    if len(answer.states) != len(sentences):
        notes.append(f"It wrote {len(answer.states)} states for {len(sentences)} sentences.")
    open_to = [str(number) for number, states in enumerate(sets, start=1) if len(states) > 1]
    if open_to:
        notes.append(f"At sentence {', '.join(open_to)} careful readers may differ.")
    return [Figure(svg, " ".join(notes))]


def _lane(states: Sequence[str]) -> list[str | None]:
    return [None if state == UNKNOWN else state for state in states]


def answers_to_look_at(page: Page) -> Iterator[Block]:
    """A right and a wrong answer, and one that could not be read, of every model in every style."""
    for name in models(page.answers):
        for prompt, some in page.answers.where(model=name).by("prompt").items():
            kinds: dict[float | None, Answer] = {}
            for each in some:
                kinds.setdefault(each.value, each)
            for each in kinds.values():
                if each.record:
                    asked = NAMES.get(prompt, STYLE_OF[prompt])
                    heading = f"{name}, {asked} · {each.item.id} · {read_verdict(each.record)}"
                    yield Example(heading, read_record(each.record))
