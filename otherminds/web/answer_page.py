"""The page of one answer: what was asked, what came back, what is right and why, and who believes what when."""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.minds.beliefs import chain_name
from otherminds.minds.telling import sentences
from otherminds.pages.report import Block, Cell, Example, Figure, Linked, Report, Section, Table
from otherminds.pages.timeline import timeline
from otherminds.results.itembrowser import asked_about, traced
from otherminds.results.reading import read_answer, read_calls, read_question
from otherminds.results.storybook import lane_of
from otherminds.runs.runs import Record, Run
from otherminds.web.links import EVERYWHERE, Trail, to_answer, to_json, to_run

MATTERS = 3
"""Timelines shown of a story, where nothing says which matter the question is about."""


def answer_page(run: Run, position: int) -> Report:
    """One record of a run, by its place among them."""
    record = run.records[position]
    calls = [
        Example(f"Call {number} of {len(record.results)}", call, open=number == 1)
        for number, call in enumerate(read_calls(record), start=1)
    ]
    sections = [
        Section("", [Table(["", ""], [*read_question(record), *read_answer(record)], "In short")]),
        Section("The story", _story(record)),
        Section("What was sent, and what came back", calls),
        Section("What is known of the item", [_known(run, record)]),
    ]
    shown = [section for section in sections if section.blocks]
    lead = f"{record.verdict.capitalize()}: {run.model}, asked by {run.score} ({run.prompt})."
    subtitle = f"{run.suite} · answer {position + 1:,} of {len(run):,} of run {run.id}"
    return Report(record.item.id, lead, shown, subtitle=subtitle, trail=_trail(run, position))


def _trail(run: Run, position: int) -> Trail:
    near = (("← Previous", position - 1), ("Next →", position + 1))
    beside = [(label, to_answer(run.id, run.records[place].item.id)) for label, place in near if 0 <= place < len(run)]
    return (*EVERYWHERE, (f"Run {run.id}", to_run(run.id)), *beside)


def _story(record: Record) -> list[Block]:
    """The words, then the timeline of every matter that the question is about."""
    item = record.item
    blocks: list[Block] = [Example("As it was told", [("story", item.context)], open=True)] if item.context else []
    if item.meta.get("gold"):
        return [*blocks, _steps(record)]
    found = traced(item)
    if found is None:
        return blocks
    story, minds, matters = found
    told = sentences(story)
    for trace in matters[:MATTERS]:
        lanes = [(chain_name(chain), lane_of(trace, chain)) for chain in asked_about(trace, minds)]
        svg = timeline(lanes, told, title=trace.heading, unknown=trace.unknown)
        caption = "What is so, and what each of them takes to be so, after each event."
        blocks += [f"**{trace.heading}**", Figure(svg, caption)]
    return blocks


def _steps(record: Record) -> Table:
    """After each sentence, the states that are right, and what the model wrote."""
    meta, states = record.item.meta, record.score.detail.get("states") or ()
    told: Sequence[object] = meta.get("sentences", ())
    rows: list[list[Cell]] = [
        [
            number + 1,
            str(told[number]) if number < len(told) else None,
            " or ".join(map(str, right)),
            str(states[number]) if number < len(states) else None,
        ]
        for number, right in enumerate(meta["gold"])
    ]
    caption = f"What {meta.get('target', 'the person asked about')} believes"
    return Table(["", "after", "right", "the model wrote"], rows, caption)


def _known(run: Run, record: Record) -> Table:
    tags: list[list[Cell]] = [
        [name, value if isinstance(value, bool) else str(value)] for name, value in record.item.tags.items()
    ]
    link = Linked("the whole record", to_json(run.id, record.item.id))
    return Table(["tag", "value"], [*tags, ["as JSON", link]], "Tags, and the record as data")
