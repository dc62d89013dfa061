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
        story, question, right, wrong = _build(parts, sentences, initial, variable, condition)
        options = [right, wrong]
        drawn.shuffle(options)
        item = Item(
            f"{initial}_{variable}_{condition}-{number}",
            question,
            right,
            story,
            tuple(told_apart(options)),
            tags=_tags(number, initial, variable, condition, same=right == wrong),
        )
        repairs = [SAME] if right == wrong else []
        yield keep(NAME, item, {"row": number, "parts": list(parts.values())}, repairs=repairs)


def _build(parts: Parts, sentences: list[str], initial: int, variable: str, condition: str) -> tuple[str, ...]:
    """Story, question, right and wrong answer."""
    if variable == "percept_to_belief":
        return (" ".join(sentences[:3]), *(parts[f"belief_{part}"] for part in ("question", "aware", "unaware")))
    control, backward = condition.endswith("control"), variable == "backward_belief"
    event = parts["random_event"] if control else sentences[4]
    aware = condition == ("true_control" if control and not backward else "true_belief")
    last = parts[f"{'action_' if backward else 'random_' if control else ''}{'aware' if aware else 'unaware'}"]
    acts = variable == "forward_action"
    answers = [parts[f"{'doing' if acts else 'belief'}_{who}"] for who in ("aware", "unaware")]
    right, wrong = answers if condition == "true_belief" else answers[::-1]
    question = parts["action_question" if acts else "belief_question"]
    return " ".join([*sentences[: 3 + initial], event, last]), question, right, wrong


def _tags(number: int, initial: int, variable: str, condition: str, *, same: bool) -> dict[str, Tag]:
    tags: dict[str, Tag] = {STORY: f"bigtom-{number}", KIND: f"{variable} {condition}", ORDER: 1}
    tags |= {"variable": variable, "condition": condition, "initial_belief": bool(initial)}
    if condition in ("true_belief", "false_belief") and variable != "percept_to_belief":
        tags |= {JOINT: f"{number}-{initial}-{variable}", FALSE_BELIEF: condition == "false_belief"}
    return tags | ({"scored": False} if same else {})


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
