"""Belief tracks: beliefs drawn sentence by sentence, gold against model; and whole answers to read."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.pages.report import Block, Example, Figure, Folded
from otherminds.pages.timeline import timeline
from otherminds.results.answers import Answer
from otherminds.results.reading import read_record, read_verdict
from otherminds.studies.perturbed.calculus import CLASSES, UNKNOWN
from otherminds.studies.perturbed.faithfulness import chain_score
from otherminds.studies.perturbed.measure import PAIR, Sitting

NAMES = {"vanilla": "plainly", "cot": "with a chain of thought"}
"""How the styles are called in sentences: asked plainly, asked with a chain of thought."""
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


def belief_tracks(sittings: Sequence[Sitting]) -> list[Block]:
    """A few focal items of every model, of each kind that there is."""
    blocks: list[Block] = []
    for sitting in sittings:
        for wanted in KINDS:
            for each in _some(sitting, wanted[0], wanted[1]):
                heading = f"{sitting.label} · {class_name(each.tag('class'))}, {each.item.id} · {wanted[2]}"
                blocks.append(Folded(heading, _track(sitting.label, each)))
    if blocks:
        blocks.insert(
            0,
            "What the target believes after each sentence: the gold track on top, what the model wrote, and what is so"
            " in the end. A cross marks what is not as in the gold track: in the model's lane a wrong state, in the"
            " lowest lane a belief that does not fit the world.",
        )
    return blocks


def _some(sitting: Sitting, proper: bool, right: bool) -> list[Answer]:
    """The first items of this kind, of different classes."""
    found: dict[str, Answer] = {}
    for each in sitting.answers.get(PAIR[1], ()):
        wanted = each.item.tags["focal"] and each.value is not None and each.right is right
        if wanted and each.tag("class") not in found and chain_score(each).proper is proper:
            found[each.tag("class")] = each
        if len(found) == EACH:
            break
    return list(found.values())


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


def answers_to_look_at(sittings: Sequence[Sitting]) -> list[Block]:
    """A right and a wrong answer, and one that could not be read, of every model in every style."""
    blocks: list[Block] = []
    for sitting in sittings:
        for style, answers in sitting.answers.items():
            kinds: dict[float | None, Answer] = {}
            for each in answers:
                kinds.setdefault(each.value, each)
            for each in kinds.values():
                if each.record:
                    heading = (
                        f"{sitting.label}, {NAMES.get(style, style)} · {each.item.id} · {read_verdict(each.record)}"
                    )
                    blocks.append(Example(heading, read_record(each.record)))
    return ["Opened, each shows the story, the exact text that was sent, and all that came back.", *blocks]
