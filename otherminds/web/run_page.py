"""The list of runs; the page of one: its state, tags and note, report, and answers; the page of one answer.

Tags and notes that people give runs are in a file beside the store: the store itself stays as it was written.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

from otherminds.errors import BadFile, MissingFile, UsageError
from otherminds.files import parse_json, read_text, replacing, write_text
from otherminds.minds.beliefs import chain_name
from otherminds.minds.telling import sentences
from otherminds.pages.report import Block, Browser, Cell, Example, Figure, Linked, Report, Section, Table
from otherminds.pages.timeline import timeline
from otherminds.results.itembrowser import Part, asked_about, records, script, traced
from otherminds.results.labels import run_labels
from otherminds.results.reading import read_answer, read_calls, read_question
from otherminds.results.run_details import what_was_run
from otherminds.results.storybook import lane_of
from otherminds.results.summary import summarise
from otherminds.runs.runs import Record, Run
from otherminds.store.store import RunRow, Store
from otherminds.web.pages import (
    COLUMNS,
    EVERYWHERE,
    RUNNING,
    SCORED,
    Overview,
    Trail,
    scripts,
    to_answer,
    to_answers,
    to_comparison,
    to_items,
    to_json,
    to_run,
)

Body = Report | None
"""The report of a run; None where nothing was answered yet."""
PAGE = 2_000
"""Answers on one page; each takes about a kilobyte of it."""


@dataclass(frozen=True, slots=True)
class RunState:
    """How a run stands, and what somebody wants to remember of it."""

    row: RunRow
    note: Note
    running: bool
    token: str
    mark: str
    """Of the runs of the store; another one when it is time to load the page anew."""

    @property
    def section(self) -> Section:
        """The first of the page; a script lets tags and note be changed."""
        row: list[Cell] = [RUNNING if self.running else Overview(self.row, 0).state, words_of(self.note)]
        note = "Tags and notes are kept beside the store, in which nothing is changed."
        return Section("This run", [Table(["state", "tags and note"], [row], "", note=note)])

    def browser(self, data: Mapping[str, Any], code: str, note: str = "") -> Browser:
        """Whatever else the page can do, and this."""
        run = {"id": self.row.id, "tags": self.note.tags, "note": self.note.note}
        about = {"run": run, "token": self.token, "mark": self.mark, "running": self.running}
        return Browser({**data, "about": about}, code + scripts("run_parts", "one_run"), note, asks=True)


def run_body(run: Run) -> Body:
    """What takes a moment to make: the report of a run."""
    return summarise([run]) if run.records else None


def items_section(run: Run, shown: Sequence[Record], page: int, about: RunState) -> Section:
    """Answers of a run with their texts, so many at a time that a browser can hold them; pages count from 1."""
    pages = page_count(run)
    first = (page - 1) * PAGE
    part = replace(run, records=shown)
    data = records([Part(run.suite, [part])]) | {"pages": [to_answers(run.id)]}
    note = "Every question that was asked, with all that came back. Opened, each leads to a page of its own."
    if pages > 1:
        note = (
            f"Questions {first + 1:,} to {first + len(part):,} of {len(run):,}, with all that came back; filters and"
            " search are for these. Opened, each leads to a page of its own."
        )
    return Section("Items", [*_turning(run.id, page, pages), about.browser(data, script(), note)])


def on_page(run: Run, page: int) -> Sequence[Record]:
    """The answers that stand on a page."""
    return run.records[(page - 1) * PAGE : page * PAGE]


def page_count(run: Run) -> int:
    """How many pages its answers fill."""
    return max(1, ceil(len(run) / PAGE))


def _turning(id: str, page: int, pages: int) -> list[Block]:
    """Links to the first page, those beside this one, and the last; nothing where there is only one."""
    near = sorted({1, page - 1, page, page + 1, pages} & set(range(1, pages + 1)))
    cells: list[Cell] = [f"{n:,} (this one)" if n == page else Linked(f"{n:,}", to_items(id, n)) for n in near]
    return [Table(["pages of items", *([""] * (len(cells) - 1))], [cells], "")] if pages > 1 else []


def run_page(about: RunState, body: Report, items: Section, others: Sequence[Overview]) -> Report:
    """How a run stands, its report, with the runs that it can be compared with, and its answers."""
    id = about.row.id
    lines = [
        [Linked(f"with {each.row.id}", to_comparison(id, each.row.id)), *each.cells] for each in others if each.right
    ]
    table = Table(["compare", *COLUMNS], lines, "Other runs of the same suite", note=SCORED)
    compared = [Section("Compare", [table])] if lines else []
    return replace(
        body,
        sections=[about.section, *body.sections, *compared, items],
        subtitle=f"run {id} · {body.subtitle}",
        trail=(*EVERYWHERE, ("Answers of this run", "#items")),
    )


def empty_page(about: RunState, run: Run, calls: int, seconds: float) -> Report:
    """A run of which nothing is kept yet but what was asked of whom."""
    lead = (
        "No answer of this run is kept yet: a run keeps its answers together, when it ends or is stopped."
        f" The store holds {calls:,} calls to {run.model}, which took {seconds:,.0f} s in all."
    )
    first = replace(about.section, blocks=[*about.section.blocks, about.browser({}, "")])
    sections = [first, Section("What was run", what_was_run([run], run_labels([run])))]
    return Report(f"{run.model} on the {run.suite} suite", lead, sections, subtitle=f"run {run.id}", trail=EVERYWHERE)


def runs_page(
    store: str, overviews: Sequence[Overview], notes: Mapping[str, Note], running: Collection[str], token: str
) -> Report:
    """All runs, newest first; sorted, filtered, tagged and chosen for comparison by the script that comes with it."""
    many = "1 run" if len(overviews) == 1 else f"{len(overviews):,} runs"
    lead = f"{many} in the store, newest first." if overviews else "There are no runs yet: `otherminds run` makes one."
    rows = [_line(each, notes.get(each.row.id, NOTHING), running) for each in overviews]
    note = (
        f"{SCORED} A run that is not finished was stopped: the same command goes on from there. Tags and notes are kept"
        " beside the store, in which nothing is changed."
    )
    columns = ["run", *COLUMNS, "tags and note"]
    data = {
        "runs": [_data(each, notes.get(each.row.id, NOTHING), running) for each in overviews],
        "number": columns.index("right"),
        "state": columns.index("state"),
        "token": token,
        "mark": mark(each.row for each in overviews),
    }
    blocks: list[Block] = (
        [Browser(data, scripts("run_parts", "runs"), asks=True), Table(columns, rows, "Runs", note=note)]
        if rows
        else []
    )
    return Report("Runs", lead, [Section("", blocks)], subtitle=store, trail=EVERYWHERE)


def _line(each: Overview, note: Note, running: Collection[str]) -> list[Cell]:
    *cells, state = each.cells
    state = RUNNING if each.row.id in running else state
    return [Linked(each.row.id, to_run(each.row.id)), *cells, state, words_of(note)]


def _data(each: Overview, note: Note, running: Collection[str]) -> dict[str, Any]:
    row = each.row
    return {
        "id": row.id,
        "suite": row.suite,
        "model": row.model,
        "asked": f"{row.score}, {row.prompt}",
        "state": RUNNING if row.id in running else each.state,
        "tags": list(note.tags),
        "note": note.note,
        "items": list(each.tags),
    }


def mark(rows: Iterable[RunRow]) -> str:
    """Another one whenever a run is there, or ends, that was not."""
    told = [(row.id, row.finished, str(row.manifest.get("ended"))) for row in rows]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]


def progress(store: Store, running: Collection[str]) -> list[dict[str, Any]]:
    """How far those runs are that go on just now: the calls made for each, and those that it wants."""
    return [
        {"id": row.id, "made": store.sittings(row.id)[1].made, "wanted": row.manifest.get("prompts", 0)}
        for row in store.runs()
        if row.id in running
    ]


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


LONGEST_NOTE, LONGEST_TAG, MOST_TAGS = 2_000, 40, 20


@dataclass(frozen=True, slots=True)
class Note:
    """What somebody wants to remember of a run."""

    tags: tuple[str, ...] = ()
    note: str = ""


NOTHING = Note()


def words_of(note: Note) -> str:
    """Both as one line."""
    return " ".join([*(f"#{tag}" for tag in note.tags), note.note])


class Notes:
    """The notes of one store."""

    def __init__(self, store: str | Path) -> None:
        self.path = Path(f"{store}.notes.json")

    def read(self) -> dict[str, Note]:
        """By run."""
        try:
            data = parse_json(read_text(self.path))
            return {str(run): Note(tuple(map(str, one["tags"])), str(one["note"])) for run, one in data.items()}
        except MissingFile:
            return {}
        except (AttributeError, KeyError, TypeError, ValueError):
            raise BadFile(f"{self.path} is damaged; mend it or take it away, the runs are not in it") from None

    def seen(self) -> tuple[dict[str, Note], str]:
        """The notes for a page: by run, or none of them and why."""
        try:
            return self.read(), ""
        except BadFile as error:
            return {}, f" No tags and notes are shown: {error}."

    def keep(self, run: str, given: Mapping[str, Any]) -> Note:
        """Write what is given for a run; nothing at all takes it away."""
        note = _checked(given)
        known, trouble = self.seen()
        if trouble:  # what it holds may still be mended by hand
            with replacing(f"{self.path}.damaged-{os.urandom(4).hex()}") as half:
                os.replace(self.path, half)
        known[run] = note
        data = {id: {"tags": one.tags, "note": one.note} for id, one in known.items() if one != NOTHING}
        write_text(self.path, json.dumps(data, ensure_ascii=False, indent=1) + "\n")
        return note


def _checked(given: Mapping[str, Any]) -> Note:
    tags, note = given.get("tags", []), given.get("note", "")
    if not isinstance(note, str) or len(note) > LONGEST_NOTE:
        raise UsageError(f"a note is a text of at most {LONGEST_NOTE} characters")
    words = isinstance(tags, list) and len(tags) <= MOST_TAGS and all(isinstance(tag, str) for tag in tags)
    if not words or any(len(tag) > LONGEST_TAG or len(tag.split()) != 1 for tag in tags):
        raise UsageError(f"tags are at most {MOST_TAGS} words of at most {LONGEST_TAG} letters")
    return Note(tuple(dict.fromkeys(tags)), note.strip())
