"""What stands on the pages: a run at a glance, two to eight runs side by side, and the stories.

Where the pages are is said here, too. Names from a store go through it, so that none of them can lead anywhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from operator import itemgetter
from string import ascii_uppercase as LETTERS
from urllib.parse import quote, urlencode

from otherminds.minds.stories import STORIES, titled_story
from otherminds.pages.drawing import visible
from otherminds.pages.report import Block, Browser, Cell, Linked, Report, Section, Table, minus
from otherminds.results.answers import Answer, Answers, shared
from otherminds.results.comparisons import Comparisons
from otherminds.results.itembrowser import Part, leads_to, link, records, script
from otherminds.results.measures import FEWEST, Comparison, Row, compare, mean_of, splits
from otherminds.results.storybook import story_report
from otherminds.runs.runs import Run
from otherminds.stats import Estimate, span
from otherminds.stats.significance import p_value
from otherminds.store.store import RunRow

MOST_TAGS = 60
SIDES = 1_000
"""Items that are listed of those that only one of two runs has right."""


@dataclass(frozen=True, slots=True)
class Overview:
    """One line of the list of runs."""

    row: RunRow
    answers: int | None = None
    right: Estimate | None = None
    tags: tuple[str, ...] = ()
    """Of its items, such as "order=2"."""

    @property
    def cells(self) -> list[Cell]:
        """Whom it asked what, how much of it, and how often the answers are right."""
        row = self.row
        started = row.created[:16].replace("T", " ")
        right = [None, None] if self.answers is None else _right(self.right, self.answers)
        return [row.suite, row.model, f"{row.score}, {row.prompt}", *right, started, self.state]

    @property
    def state(self) -> str:
        """Whether there is more to come."""
        return "cannot be read" if self.answers is None else "finished" if self.row.finished else "not finished"


RUNNING = "running"
"""The state of a run that goes on just now."""
COLUMNS = ["suite", "model", "asked by", "right", "scored", "started (UTC)", "state"]
SCORED = "Right: the share of right answers among those that are scored, with a 95 % interval by story."


def scripts(*names: str) -> str:
    """These of our scripts, one after the other."""
    return "\n".join(files("otherminds").joinpath(f"data/{name}.js").read_text(encoding="utf-8") for name in names)


def view(row: RunRow, run: Run) -> Overview:
    """A run at a glance."""
    values = _tag_counts(run)
    # What names items rather than kinds of items is nothing to filter runs by.
    tags = tuple(sorted(tag for tag, times in values.items() if times >= 2 * FEWEST))
    return Overview(row, len(run), mean_of(run), tags[:MOST_TAGS])


def _tag_counts(run: Run) -> Counter[str]:
    tags = run.columns.tags.items()
    return Counter({f"{name}={value}": n for name, tag in tags for value, n in tag.counted.items()})


def compare_page(first: Run, second: Run) -> Report:
    """How far the first run lies above the second, and the items that changed sides."""
    return replace(comparison(first, second, compare(first, second)), trail=EVERYWHERE)


def comparison(first: Run, second: Run, found: Comparison, *, saved: bool = False) -> Report:
    """Two runs side by side; as a file it leads to its own items, else to the pages of runs and answers."""
    whole = found.rows[0].difference
    lead = (
        f"A less B, right answers to the same items: {minus(str(whole))}."
        f" {_items(len(found.gained))} only A has right, {len(found.lost):,} only B."
    )
    sections = [
        Section("", [listed([first, second], "The two runs", saved=saved)]),
        Section("Difference", [_differences(first, second, found, saved=saved)]),
        Section("Changed sides", _sides(first, second, found, saved=saved)),
    ]
    if saved:
        sections.append(Section("Items", [_side_by_side(first, second)]))
    names = dict.fromkeys((first.model, second.model))
    return Report(" beside ".join(names) if len(names) > 1 else f"{first.model}, asked twice", lead, sections)


def left_out(first: Run, second: Run, found: Comparison) -> str:
    """How many items are in no difference, and why; nothing if there are none."""
    one, two = (Answers.of([run]).scored for run in (first, second))
    both = shared(one, two)
    alone = len(one) + len(two) - 2 * len(both[0])
    lacking = both[0].lacking + both[1].lacking
    ends = ", ".join(f"{count:,} {verdict}" for verdict, count in lacking.items())
    parts = (
        (alone, "that only one of the runs was asked"),
        (found.unpaired - alone, f"that both were asked and one has no value for (answers: {ends})"),
    )
    said = [f"{_items(count)} {why}" for count, why in parts if count]
    return f"Left out: {'; '.join(said)}." if said else ""


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count:,} items"


def listed(runs: Sequence[Run], caption: str, *, saved: bool) -> Table:
    """Runs by the letters that the rest of a page calls them by."""
    rows: list[list[Cell]] = [
        [name, run.id if saved else Linked(run.id, to_run(run.id)), *_run_cells(run)]
        for name, run in zip(LETTERS, runs, strict=False)
    ]
    return Table(["", "run", "suite", "model", "asked by", "right", "scored"], rows, caption, note=SCORED)


def _differences(first: Run, second: Run, found: Comparison, *, saved: bool) -> Table:
    rows: list[list[Cell]] = []
    both = Answers.of([first, second]) if saved else Answers()
    for row in found.rows:
        to = leads_to(row.behind, both) if saved else {}
        rows.append([row.items, Linked(row.difference, link("", to)) if to else row.difference, holm(row)])
    note = (
        "Shares of right answers, paired item by item; intervals by story; p is that of the interval, adjusted"
        f" (Holm) for the lines of this table that rest on {FEWEST} groups or more; fewer cannot tell anything."
        f" McNemar's exact p is {p_value(found.mcnemar)}, as if items were independent, which twins are not."
        f" {left_out(first, second, found)}"
    )
    columns = ["items", "A − B, with 95 % interval", "p (Holm)"]
    return Table(columns, rows, "A less B: above 0, A is right more often", note=note.rstrip())


def holm(row: Row) -> str:
    """The adjusted p of a line, as it stands under a heading that says so."""
    return "too few" if row.too_few else p_value(row.holm)


def _run_cells(run: Run) -> list[Cell]:
    """Whom it asked what, and how often the answers are right."""
    return [run.suite, run.model, f"{run.score}, {run.prompt}", *_right(mean_of(run), len(run))]


def _right(estimate: Estimate | None, answers: int) -> list[Cell]:
    """How often right, and how many of the answers that speaks of."""
    if estimate is None:
        return [None, f"0 of {answers:,}"]
    return [span(estimate), f"{estimate.n:,} of {answers:,}"]


def _sides(first: Run, second: Run, found: Comparison, *, saved: bool) -> list[Block]:
    """The items that only one of the runs has right, with what both said."""
    a, b = (some.to_items((*found.gained[:SIDES], *found.lost[:SIDES])) for some in found.both)

    def said(name: str, run: Run, row: Answer) -> Linked:
        id = row.item.id
        to = link(name, {"id": visible(id)}) if saved else to_answer(run.id, id)
        return Linked(row.said or row.verdict, to)

    def table(ids: Sequence[str], caption: str) -> Table:
        lines: list[list[Cell]] = [
            [id, a[id].item.question, said("A", first, a[id]), said("B", second, b[id]), a[id].item.answer]
            for id in ids[:SIDES]
        ]
        note = f"The first {SIDES:,} of them." if len(ids) > SIDES else ""
        return Table(["item", "question", "A said", "B said", "right"], lines, caption, note=note)

    parts = (("Only A is right", found.gained), ("Only B is right", found.lost))
    return [table(ids, f"{title}: {_items(len(ids))}") for title, ids in parts if ids] or [
        "No item is right in one run and wrong in the other."
    ]


def _side_by_side(first: Run, second: Run) -> Browser:
    """All answers of both runs, those to one item together."""
    data = records([Part("A", [first]), Part("B", [second])])
    data["records"].sort(key=itemgetter("item"))
    note = "Every question that was asked, with all that came back: what A said, then what B said."
    return Browser(data | {"called": {"study": "run"}}, script(), note=f"{note} Numbers and answers above lead here.")


def stories_page() -> Report:
    """The stories that come with the package."""
    rows: list[list[Cell]] = [[Linked(titled_story(name)[0], to_story(name)), about] for name, about in STORIES.items()]
    lead = "Short stories, and for each of them who believes what after every event."
    return Report("Stories", lead, [Section("", [Table(["story", "what happens"], rows, "Stories")])], trail=EVERYWHERE)


def story_page(name: str) -> Report:
    """One story: its words, its timelines, and all that can be asked about it."""
    title, story = titled_story(name)
    return replace(story_report(title, story, with_questions=True), trail=EVERYWHERE)


KINDS = 12
"""Kinds of items that are told apart."""


def several_page(found: Comparisons, *, saved: bool = False) -> Report:
    """What each run gets of every kind of item, and how far the first lies above each of the others."""
    sections = [
        Section("", [listed(found.runs, "The runs", saved=saved)]),
        Section("By kind of item", [_by_kind(found)]),
        Section("A less the others", [_differences_of_several(found, saved=saved)]),
    ]
    models = ", ".join(dict.fromkeys(run.model for run in found.runs))
    page = Report(f"{len(found.runs)} runs side by side", f"Models: {models}.", sections)
    return page if saved else Report(page.title, page.lead, sections, trail=EVERYWHERE)


def _by_kind(found: Comparisons) -> Table:
    tables = [Answers.of([run]) for run in found.runs]
    rows: list[list[Cell]] = []
    for kind in splits(Answers.of(found.runs))[:KINDS]:
        means = [table.where(None, **kind.tags).mean() for table in tables]
        rows.append([kind.label, *(span(mean) if mean else None for mean in means)])
    return Table(["items", *found.names], rows, "Share of right answers with 95 % intervals by story")


def _differences_of_several(found: Comparisons, *, saved: bool) -> Table:
    first, *others = found.runs
    leads = {f"A − {name}": to_comparison(first.id, run.id) for name, run in zip(found.names[1:], others, strict=True)}
    rows: list[list[Cell]] = [
        [name if saved else Linked(name, leads[name]), row.items, row.difference, holm(row)]
        for name, row in found.lines()
    ]
    note = (
        "Shares of right answers, paired item by item on the items of both; intervals by story; p is that of the"
        f" interval; {found.adjustment}. Fewer than {FEWEST} groups cannot tell anything."
    )
    columns = ["", "items", "difference, with 95 % interval", "p (Holm)"]
    return Table(columns, rows, "Above 0, A is right more often", note=note)


Trail = tuple[tuple[str, str], ...]

EVERYWHERE: Trail = (("Runs", "/"), ("Stories", "/stories"))
"""What every page leads to."""


def to_run(id: str) -> str:
    """The page of a run."""
    return f"/runs/{quote(id, safe='')}"


def to_items(id: str, page: int) -> str:
    """The page of a run with another part of its answers."""
    return f"{to_run(id)}?items={page}#items"


def to_answers(id: str) -> str:
    """The pages of a run's answers; `?item=` says which."""
    return f"{to_run(id)}/answer"


def to_answer(id: str, item: str) -> str:
    """The page of one answer."""
    return f"{to_answers(id)}?{urlencode({'item': visible(item)})}"


def to_json(id: str, item: str) -> str:
    """All of one record, as JSON."""
    return f"{to_run(id)}/answer.json?{urlencode({'item': visible(item)})}"


def to_comparison(first: str, second: str) -> str:
    """Two runs side by side."""
    return f"/compare?{urlencode({'a': first, 'b': second})}"


def to_story(name: str) -> str:
    """A story of the storybook."""
    return f"/stories/{quote(name, safe='')}"
