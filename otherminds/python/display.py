"""How notebooks show what is public: small tables and pictures, every text escaped.

Tables take the colours of the notebook, light or dark; pictures stand on paper of their own, on which they were drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import singledispatch

from otherminds.diagnosis.diagnosis import Diagnosis
from otherminds.errors import UsageError
from otherminds.items import Item, Suite
from otherminds.minds.story import Story
from otherminds.minds.world import View
from otherminds.pages.drawing import INK, PAPER, safe
from otherminds.pages.report import Cards, Report, Table
from otherminds.profiles.findings import Profile
from otherminds.results.answers import Answers
from otherminds.results.comparisons import Comparisons
from otherminds.results.measures import Comparison, Row, chance, splits
from otherminds.results.storybook import Timeline, timeline
from otherminds.runs.runs import Run
from otherminds.showing.brief import cut
from otherminds.stats import percent

ROWS, LINES = 12, 24
"""Of a table, what a notebook shows; of one in which several lines belong together."""
PICTURES = 4
"""Of a story, the matters that are drawn."""
EVENTS, FACTS = 60, 50
"""Events of a story that is drawn, and facts of a view."""
CONTEXT, CELL = 600, 200
"""Characters of a story and of a cell."""
_LINE = "border-bottom:1px solid rgba(128,128,128,.35);padding:.2em .8em .2em 0;text-align:left;vertical-align:top"
_QUIET = "opacity:.75"


@singledispatch
def html(thing: object) -> str:
    """A value as HTML."""
    return f"<code>{safe(repr(thing))}</code>"


@html.register
def _(story: Story) -> str:
    if not len(story):
        return _said("A story in which nothing has happened yet.")
    try:
        pictures = timeline(story).pictures if len(story) <= EVENTS else {}
    except UsageError:
        pictures = {}  # nobody in it can believe anything yet
    first = dict(list(pictures.items())[:PICTURES])
    more = len(pictures) - len(first)
    rest = f" {more} more matters: om.timeline(story, about=…)." if more else ""
    return _said(cut(story.text, CONTEXT) + rest) + _pictures(first)


@html.register
def _(drawn: Timeline) -> str:
    return _pictures(drawn.pictures)


@html.register
def _(view: View) -> str:
    rows = [[fact.of, fact.property.removeprefix("state:"), fact.value] for fact in view.facts()]
    heard = [["", "has heard about", topic] for topic in sorted(view.topics)]
    known = [*rows, *heard]
    if not known:
        return _said("Nothing is known.")
    return table(["", "", "what is taken to be so"], known[:FACTS]) + _more(len(known) - FACTS, "facts")


@html.register
def _(item: Item) -> str:
    rows = [["story", cut(item.context, CONTEXT)], ["question", item.question], ["answer", item.answer]]
    rows += [["choices", ", ".join(item.choices)]] if item.choices else []
    rows += [["tags", ", ".join(f"{name}={value}" for name, value in item.tags.items())]] if item.tags else []
    return _head(item.id) + table(["", ""], rows)


@html.register
def _(suite: Suite) -> str:
    rows = [[item.id, item.question, item.answer, ", ".join(item.choices)] for item in suite.items[:ROWS]]
    head = _head(suite.name, f"{len(suite):,} items, asked as {suite.prompt}, scored by {suite.score}")
    return head + table(["item", "question", "answer", "choices"], rows) + _more(len(suite) - len(rows), "items")


@html.register
def _(run: Run) -> str:
    answers = Answers.of([run])
    guess = chance(answers)
    kinds = splits(answers) if answers else []
    rows = [[split.label, str(answers.where(None, **split.tags).mean() or "–")] for split in kinds[:ROWS]]
    ends = ", ".join(f"{count} {verdict}" for verdict, count in run.verdicts().items() if count)
    state = "not finished" if run.partial else f"{len(run):,} items"
    head = _head(f"{run.suite} · {run.model}", f"{state} · {run.prompt}, {run.score} · run {run.id}")
    columns = ["items", "right, with 95 % interval" + (f" (chance {guess:.2f})" if guess else "")]
    return head + table(columns, rows) + _more(len(kinds) - len(rows), "kinds of items") + _said(f"Verdicts: {ends}")


@html.register
def _(report: Report) -> str:
    blocks = [block for section in report.sections for block in section.blocks]
    cards = next((block for block in blocks if isinstance(block, Cards)), None)
    first = next((block for block in blocks if isinstance(block, Table)), None)
    shown = table(["", "", ""], [list(card) for card in cards.cards]) if cards else ""
    if first and not cards:
        shown = table(first.columns, [list(map(_cell, row)) for row in first.rows[:ROWS]])
    titles = ", ".join(section.title for section in report.sections if section.title)
    rest = f"Sections: {titles}. " if titles else ""
    return (
        _head(report.title, report.subtitle)
        + _said(report.lead)
        + shown
        + _said(f'{rest}.save("report.html") has all.')
    )


@html.register
def _(found: Diagnosis) -> str:
    counted = f"{found.items:,} items answered, {found.unread} without an answer that could be read"
    shares = [[name, percent(one)] for name, one in found.shares.items() if name in found.needed]
    return (
        _head(found.model, counted) + _list(sentences(found)) + (table(["reader", "share"], shares) if shares else "")
    )


def sentences(found: Diagnosis) -> Sequence[str]:
    """What a diagnosis says, if only that it can say nothing."""
    if not found.confusion.readers:
        return ("Nothing can be said: on enough of these items no reader has an opinion.",)
    return found.sentences or ("Nothing can be said: the answers cannot be told from guessing.",)


@html.register
def _(found: Comparison) -> str:
    rows = [[row.items, *_tested(row)] for row in found.rows]
    sides = f"Only the first right: {len(found.gained)} items; only the second: {len(found.lost)}."
    unpaired = f" Without a value in one of them: {found.unpaired}." if found.unpaired else ""
    columns = ["items", "first − second, with 95 % interval by story", "p (Holm)"]
    return table(columns, rows[:ROWS]) + _more(len(rows) - ROWS, "kinds of items") + _said(sides + unpaired)


@html.register
def _(found: Comparisons) -> str:
    runs = [[name, run.suite, run.model, run.id] for name, run in zip(found.names, found.runs, strict=True)]
    # A pair is one word, however narrow its column is.
    rows = [[name.replace(" ", "\xa0"), row.items, *_tested(row)] for name, row in found.lines()]
    columns = ["", "items", "difference, with 95 % interval by story", "p (Holm)"]
    listed = table(["", "suite", "model", "run"], runs) + table(columns, rows[:LINES])
    return listed + _more(len(rows) - LINES, "lines") + _said(f"Above 0, A is right more often; {found.adjustment}.")


def _tested(row: Row) -> list[str]:
    return [str(row.difference), "–" if row.too_few else f"{row.holm:.3f}"]


@html.register
def _(found: Profile) -> str:
    first = [(study, finding) for study, finding in found.findings if finding.first] or found.findings
    rows = [[study, finding.model, finding.what, str(finding.estimate), finding.aside] for study, finding in first]
    said = [sentence for one in found.diagnoses.values() for sentence in one.sentences]
    head = _head(", ".join(found.models), f"profile, {found.size}")
    columns = ["study", "model", "", "with 95 % interval", "beside it"]
    return head + _list(said) + table(columns, rows[:ROWS]) + _more(len(rows) - ROWS, "scores")


# ── parts ──


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Rows under columns, in the colours of whatever it stands in."""
    heads = "".join(f'<th style="{_LINE}">{safe(column)}</th>' for column in columns) if any(columns) else ""
    lines = "".join(f"<tr>{''.join(_td(cell) for cell in row)}</tr>" for row in rows)
    top = f"<thead><tr>{heads}</tr></thead>" if heads else ""
    return (
        f'<div style="overflow-x:auto"><table style="border-collapse:collapse;background:none;color:inherit">{top}'
        f"<tbody>{lines}</tbody></table></div>"
    )


def _td(cell: object) -> str:
    return f'<td style="{_LINE};max-width:40em">{safe(cut(str(cell), CONTEXT))}</td>'


def _cell(cell: object) -> str:
    return "–" if cell is None else cut(str(getattr(cell, "cell", cell)), CELL)


def _pictures(pictures: dict[str, str]) -> str:
    paper = f"background:{PAPER};color:{INK};padding:.5em;overflow-x:auto;margin:.3em 0"
    return "".join(f'{_head(title)}<div style="{paper}">{svg}</div>' for title, svg in pictures.items())


def _head(title: str, beside: str = "") -> str:
    more = f' <span style="{_QUIET}">{safe(cut(beside, CELL))}</span>' if beside else ""
    return f"<div><strong>{safe(cut(title, CELL))}</strong>{more}</div>"


def _said(text: str) -> str:
    return f"<p>{safe(text)}</p>"


def _list(sentences: Iterable[str]) -> str:
    lines = "".join(f"<li>{safe(sentence)}</li>" for sentence in sentences)
    return f"<ul>{lines}</ul>" if lines else ""


def _more(number: int, of: str) -> str:
    return f'<p style="{_QUIET}">and {number:,} more {of}</p>' if number > 0 else ""
