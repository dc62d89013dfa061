"""BigToM: 200 stories in parts, from which 25 conditions of 200 questions are built.

A file of parts is built up here as its authors build it: three variables by four conditions, with and without the
initial belief, and percept_to_belief once. In the two control conditions of backward_belief the text is the same, since
an action stands in the place of what is perceived.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from otherminds.bridges.benchmarks.record import WORDS, Mark, beginning, declared, keep, text_of
from otherminds.errors import BadFile
from otherminds.items import Item, Tag, told_apart
from otherminds.items.tags import FALSE_BELIEF, JOINT, KIND, ORDER, STORY

NAME = "bigtom"
COLUMNS: list[str] = WORDS[NAME]["columns"]
VARIABLES = ("forward_belief", "forward_action", "backward_belief")
CONDITIONS = ("true_belief", "false_belief", "true_control", "false_control")
SAME = "both answers are the same, so no choice is right"


Parts = Mapping[str, str]
"""One row of the file, by the names of its columns."""


class BuiltQuestion(NamedTuple):
    """One question, built."""

    story: str
    question: str
    right: str
    wrong: str


def read(path: Path) -> Iterator[Item]:
    """The questions of every condition, built from the parts."""
    rows = list(_rows(path))
    for initial in (0, 1):
        for variable in VARIABLES:
            for condition in CONDITIONS:
                yield from _condition(rows, initial, variable, condition)
    yield from _condition(rows, 1, "percept_to_belief", "true_belief")


def _rows(path: Path) -> Iterator[tuple[Parts, list[str]]]:
    reader = csv.reader(io.StringIO(text_of(path)), delimiter=";")
    for row in reader:
        where = f"{path}, line {reader.line_num}"
        if len(row) != len(COLUMNS):
            raise BadFile(f"{where} has {len(row)} columns between semicolons, and BigToM has {len(COLUMNS)}")
        sentences = [part.strip() + "." for part in row[0].split(".") if part.strip()]
        if len(sentences) != 5:
            raise BadFile(
                f"{where}: the story has {len(sentences)} sentences and should have 5; the fourth is the belief"
            )
        yield dict(zip(COLUMNS, row, strict=True)), sentences


def _condition(rows: Sequence[tuple[Parts, list[str]]], initial: int, variable: str, condition: str) -> Iterator[Item]:
    # As published: seeded when the program starts, then one shuffle a row. So the order hangs on the row's place.
    drawn = random.Random(0)
    for number, (parts, sentences) in enumerate(rows, start=1):
        built = _build(parts, sentences, initial, variable, condition)
        options = [built.right, built.wrong]
        drawn.shuffle(options)
        yield _item(number, parts, built, options, initial, variable, condition)


def _build(parts: Parts, sentences: list[str], initial: int, variable: str, condition: str) -> BuiltQuestion:
    if variable == "percept_to_belief":
        return BuiltQuestion(
            " ".join(sentences[:3]), parts["belief_question"], parts["belief_aware"], parts["belief_unaware"]
        )
    before = sentences[: 3 + initial]
    control = condition.endswith("control")
    event = parts["random_event"] if control else sentences[4]
    if variable == "backward_belief":
        last = parts["action_aware"] if condition == "true_belief" else parts["action_unaware"]
    elif control:
        last = parts["random_aware"] if condition == "true_control" else parts["random_unaware"]
    else:
        last = parts["aware"] if condition == "true_belief" else parts["unaware"]
    acts = variable == "forward_action"
    question = parts["action_question"] if acts else parts["belief_question"]
    answers = [parts[f"{'doing' if acts else 'belief'}_{who}"] for who in ("aware", "unaware")]
    right, wrong = answers if condition == "true_belief" else answers[::-1]
    return BuiltQuestion(" ".join([*before, event, last]), question, right, wrong)


def _item(
    number: int, parts: Parts, built: BuiltQuestion, options: list[str], initial: int, variable: str, condition: str
) -> Item:
    same = built.right == built.wrong
    tags: dict[str, Tag] = {
        STORY: f"bigtom-{number}",
        KIND: f"{variable} {condition}",
        ORDER: 1,
        "variable": variable,
        "condition": condition,
        "initial_belief": bool(initial),
    }
    if condition in ("true_belief", "false_belief") and variable != "percept_to_belief":
        tags |= {JOINT: f"{number}-{initial}-{variable}", FALSE_BELIEF: condition == "false_belief"}
    if same:
        tags["scored"] = False
    id = f"{initial}_{variable}_{condition}-{number}"
    item = Item(id, built.question, built.right, built.story, tuple(told_apart(options)), tags=tags)
    return keep(NAME, item, {"row": number, "parts": list(parts.values())}, repairs=[SAME] if same else [])


def mark(item: Item, texts: Sequence[str], shown: Sequence[Sequence[str]]) -> Mark:
    """Right if the lower-cased text has the right label anywhere, wrong if it has the other; else a grader is asked."""
    text, (options,) = texts[0].lower(), shown
    own = options.index(item.meta["published_gold"])
    if f"{'ab'[own]})" in text:
        return Mark(1.0, options[own])
    if f"{'ab'[1 - own]})" in text:
        return Mark(0.0, options[1 - own])
    return Mark(0.0, "", False, "no label in it: their script asks a model to grade it, here it counts as wrong")


BENCHMARK = declared(
    NAME,
    read=read,
    looks=lambda path: path.suffix == ".csv" and beginning(path).split("\n")[0].count(";") == len(COLUMNS) - 1,
    mark=mark,
)
