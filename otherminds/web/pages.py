"""What stands on the pages: all runs, one run, two runs side by side, and the stories."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from otherminds.itembrowser import Part, records, script
from otherminds.measures import Comparison, compare, mean_of
from otherminds.report import Block, Browser, Cell, Folded, Linked, Report, Section, Table
from otherminds.runs import Record, Run
from otherminds.stats import Estimate
from otherminds.store import RunRow
from otherminds.stories import STORIES, titled_story
from otherminds.storybook import story_report
from otherminds.summary import summarise, what_was_run
from otherminds.web.answer_page import why
from otherminds.web.links import EVERYWHERE, to_answer, to_answers, to_comparison, to_run, to_story

Body = Report | None
"""The report of a run with its answers; None where nothing was answered yet."""


@dataclass(frozen=True, slots=True)
class Overview:
    """One line of the list of runs."""

    row: RunRow
    answers: int | None = None
    right: Estimate | None = None

    @property
    def cells(self) -> list[Cell]:
        """Whom it asked what, how much of it, and how often the answers are right."""
        row = self.row
        started = row.created[:16].replace("T", " ")
        return [
            row.suite,
            row.model,
            f"{row.score}, {row.prompt}",
            _short(self.right),
            self.answers,
            started,
            self.state,
        ]

    @property
    def state(self) -> str:
        """Whether there is more to come."""
        return "cannot be read" if self.answers is None else "finished" if self.row.finished else "not finished"


COLUMNS = ["suite", "model", "asked by", "right", "answers", "started (UTC)", "state"]


def view(row: RunRow, run: Run) -> Overview:
    """A run at a glance."""
    return Overview(row, len(run), mean_of(run))


def runs_page(store: str, overviews: Sequence[Overview]) -> Report:
    """All runs, newest first."""
    many = "1 run" if len(overviews) == 1 else f"{len(overviews):,} runs"
    lead = f"{many} in the store, newest first." if overviews else "There are no runs yet: `otherminds run` makes one."
    rows = [[Linked(each.row.id, to_run(each.row.id)), *each.cells] for each in overviews]
    note = (
        "Right: the share of right answers among those that have a value, with a 95 % interval by story. A run that is"
        " not finished is still going on, or was stopped: the same command goes on from there."
    )
    table = [Table(["run", *COLUMNS], rows, "Runs", note=note)] if rows else []
    return Report("Runs", lead, [Section("", table)], subtitle=store, trail=EVERYWHERE)


def run_body(run: Run) -> Body:
    """What takes a moment to make: the report of a run, and all its answers."""
    if not run.records:
        return None
    data = records([Part(run.suite, [run], why)]) | {"pages": [to_answers(run.id)]}
    note = "Every question that was asked, with all that came back. Opened, each leads to a page of its own."
    report = summarise([run])
    return replace(report, sections=[*report.sections, Section("Items", [Browser(data, script(), note=note)])])


def run_page(row: RunRow, body: Report, others: Sequence[Overview]) -> Report:
    """The report of a run, with the runs that it can be compared with."""
    lines = [
        [Linked(f"with {each.row.id}", to_comparison(row.id, each.row.id)), *each.cells]
        for each in others
        if each.right
    ]
    table = Table(["compare", *COLUMNS], lines, "Other runs of the same suite")
    compared = [Section("Compare", [table])] if lines else []
    *most, items = body.sections
    return replace(
        body,
        sections=[*most, *compared, items],
        subtitle=f"run {row.id} · {body.subtitle}",
        trail=(*EVERYWHERE, ("Answers of this run", "#items")),
    )


def empty_page(run: Run, calls: int, seconds: float) -> Report:
    """A run of which nothing is kept yet but what was asked of whom."""
    lead = (
        f"No answer of this run is kept yet: a run keeps its answers together, when it ends or is stopped."
        f" The store holds {calls:,} calls to {run.model}, which took {seconds:,.0f} s in all; reload to see more."
    )
    sections = [Section("What was run", what_was_run([run], {run.id: run.score}))]
    return Report(f"{run.model} on the {run.suite} suite", lead, sections, subtitle=f"run {run.id}", trail=EVERYWHERE)


def compare_page(first: Run, second: Run) -> Report:
    """How far the first run lies above the second, and the items that changed sides."""
    found = compare(first, second)
    rows: list[list[Cell]] = [[row.items, row.difference, f"{row.holm:.3g}"] for row in found.rows]
    note = (
        "Shares of right answers, paired item by item; intervals by story; p by flipping the signs of stories, adjusted"
        f" (Holm) for the lines of this table. McNemar's exact p is {found.mcnemar:.3g}, as if items were independent,"
        " which twins are not."
    )
    left_out = f" Left out: {found.unpaired:,} items that lack a value in one of the runs." if found.unpaired else ""
    runs: list[list[Cell]] = [
        [name, Linked(run.id, to_run(run.id)), *_run_cells(run)] for name, run in (("A", first), ("B", second))
    ]
    whole = found.rows[0].difference
    changed = f"{len(found.gained):,} items only A has right, {len(found.lost):,} only B."
    return Report(
        f"{first.model} beside {second.model}" if first.model != second.model else f"{first.model}, asked twice",
        f"A less B, right answers to the same items: {whole}. {changed}",
        [
            Section("", [Table(["", "run", "suite", "model", "asked by", "right", "answers"], runs, "The two runs")]),
            Section(
                "Difference",
                [Table(["items", "A − B, with 95 % interval", "p (Holm)"], rows, "A less B", note=note + left_out)],
            ),
            Section("Changed sides", _sides(first, second, found)),
        ],
        trail=EVERYWHERE,
    )


def _run_cells(run: Run) -> list[Cell]:
    return [run.suite, run.model, f"{run.score}, {run.prompt}", _short(mean_of(run)), len(run)]


def _short(estimate: Estimate | None) -> str | None:
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]" if estimate else None


def _sides(first: Run, second: Run, found: Comparison) -> list[Block]:
    """The items that only one of the runs has right, with what both said."""
    a, b = ({record.item.id: record for record in run.records} for run in (first, second))

    def said(run: Run, record: Record) -> Linked:
        return Linked(record.score.answer or record.score.verdict, to_answer(run.id, record.item.id))

    def table(ids: Iterable[str], caption: str) -> Table:
        lines: list[list[Cell]] = [
            [id, a[id].item.question, said(first, a[id]), said(second, b[id]), a[id].item.answer] for id in ids
        ]
        return Table(["item", "question", "A said", "B said", "right"], lines, caption)

    parts = (("Only A is right", found.gained), ("Only B is right", found.lost))
    return [Folded(f"{title}: {len(ids):,}", [table(ids, title)]) for title, ids in parts if ids] or [
        "Both runs are right and wrong about the same items."
    ]


def stories_page() -> Report:
    """The stories that come with the package."""
    rows: list[list[Cell]] = [[Linked(titled_story(name)[0], to_story(name)), about] for name, about in STORIES.items()]
    lead = "Short stories, and for each of them who believes what after every event."
    return Report("Stories", lead, [Section("", [Table(["story", "what happens"], rows, "Stories")])], trail=EVERYWHERE)


def story_page(name: str) -> Report:
    """One story: its words, its timelines, and all that can be asked about it."""
    title, story = titled_story(name)
    return replace(story_report(title, story, with_questions=True), trail=EVERYWHERE)
