"""What people read: sections of text, tables and plots, in one HTML file that needs nothing else.

    report = Report("Starter suite", lead="…", sections=[
        Section("", [Cards([("False belief", "0.38", "chance 0.50")])]),
        Section("By belief", ["Answers with **95 %** intervals.", table, Figure(svg, "…")]),
    ])
    report.save("report.html")

Every text is data and is escaped, whoever wrote it; characters that steer or hide text are shown by number.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Protocol
from xml.etree import ElementTree

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup, escape

from otherminds.errors import UsageError
from otherminds.files import write_text
from otherminds.pages.drawing import numbered, visible
from otherminds.pages.heatmap import Glossary, Heatmap, check_link
from otherminds.pages.plots import spark
from otherminds.showing.brief import cut
from otherminds.showing.notebook import Shown
from otherminds.stats import Estimate


class Number(Protocol):
    """Whatever prints itself and has a value to sort by, such as an estimate."""

    @property
    def value(self) -> float: ...


@dataclass(frozen=True, slots=True)
class Linked:
    """A cell that leads to another place in the page, such as "#items?study=safety"; if served, to another page."""

    cell: str | int | float | Number | None
    to: str

    def __post_init__(self) -> None:
        check_link(self.to)


Cell = str | int | float | Number | Linked | None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns; a column of numbers is set to the right."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    caption: str
    note: str = ""
    sortable: bool = False
    """Whether a click on a column's head puts the rows in its order, where the page has a script."""

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise UsageError(
                    f"table {self.caption!r}, row {number} has {len(row)} cells for {len(self.columns)} columns"
                )


@dataclass(frozen=True, slots=True)
class Figure:
    """A plot with what it shows; the SVG may hold shapes and words, and nothing that acts."""

    svg: str
    caption: str

    def __post_init__(self) -> None:
        _check_svg(self.svg)


@dataclass(frozen=True, slots=True)
class Example:
    """One answer to look at: labelled texts, letter by letter, folded until opened."""

    heading: str
    fields: Sequence[tuple[str, str]]
    open: bool = False


@dataclass(frozen=True, slots=True)
class Cards:
    """The few numbers to take away, as (label, value, note)."""

    cards: Sequence[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Folded:
    """Blocks under a heading, out of the way until opened."""

    heading: str
    blocks: Sequence[Block]


@dataclass(frozen=True, slots=True)
class Line:
    """What somebody said, and (label, text) of what stayed unsaid."""

    who: str
    said: str
    unsaid: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """What was said, line by line, folded until opened; what stayed unsaid is folded once more."""

    heading: str
    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """One line of a scoreboard: an estimate for every column, what it is read against, and where it leads."""

    label: str
    estimates: Sequence[Estimate | None]
    reference: float | None = None
    note: str = ""
    links: Sequence[str] = ()
    """One a column, empty where one leads nowhere; or none at all."""
    signed: bool = False
    """A difference, on a scale from -1 to 1."""
    digits: int = 2
    """After the point."""
    mindless: tuple[str, float] | None = None
    """Of mindless baselines, the best on the same items, and what it gets."""

    def __post_init__(self) -> None:
        for link in filter(None, self.links):
            check_link(link)


@dataclass(frozen=True, slots=True)
class Scoreboard:
    """The scores to take away, each drawn on its scale; grouped under titles, with a column for everybody scored."""

    columns: Sequence[str]
    groups: Sequence[tuple[str, Sequence[ScoreLine]]]
    caption: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Browser:
    """Records to filter, search and open: data for a script that comes with the page. A page can hold one."""

    data: Mapping[str, Any]
    script: str
    """Ours, never anybody's text; the page runs this script and no other."""
    note: str = ""
    asks: bool = False
    """Only if it is served: whether the script asks its server for more."""

    @property
    def json(self) -> Markup:
        """The data as it may stand between script tags: nothing in it ends the element."""
        return Markup(json.dumps(self.data, separators=(",", ":")).replace("<", "\\u003c"))

    @property
    def digest(self) -> str:
        """By which the page's policy knows the script."""
        return base64.b64encode(hashlib.sha256(self.script.encode()).digest()).decode()


Block = str | Table | Figure | Example | Cards | Folded | Conversation | Scoreboard | Browser | Heatmap | Glossary
"""A text is one or more paragraphs, parted by empty lines; `code`, **bold** and [words](#place) are all its markup."""


@dataclass(frozen=True)
class Section:
    """Blocks under a title; without a title, they follow what comes before.

    Blocks may be declared, as `results.sections` tells; a page shows them once they are measured.
    """

    title: str
    blocks: Sequence[Any]

    @cached_property
    def body(self) -> Markup:
        """The blocks as they stand in a page, made once for all pages that hold the section."""
        return Markup(_macros().blocks(self.blocks))


@dataclass(frozen=True, slots=True, repr=False)
class Report(Shown):
    """A title, a paragraph that gives the answer, and the sections that bear it out."""

    title: str
    lead: str
    sections: Sequence[Section]
    subtitle: str = ""
    trail: Sequence[tuple[str, str]] = ()
    """Only if it is served: other pages, as (label, path)."""

    def __post_init__(self) -> None:
        for _, path in self.trail:
            check_link(path)

    def __repr__(self) -> str:
        return f"<Report {cut(self.title, 120)!r}, {len(self.sections)} sections; save(path) writes it>"

    def html(self) -> str:
        """The report as one page; the same report gives the same characters."""
        return _template("report").render(report=self, sections=_anchored(self.sections), browser=self._browser)

    @property
    def policy(self) -> str:
        """What the page may do, as a Content-Security-Policy: be looked at, and run its one script if it has one."""
        script = f" script-src 'sha256-{self._browser.digest}';" if self._browser else ""
        icon = " img-src data:;" if self.trail else ""
        asks = " connect-src 'self';" if self._browser and self._browser.asks else ""
        return f"default-src 'none'; style-src 'unsafe-inline';{icon}{script}{asks} form-action 'none'"

    @property
    def _browser(self) -> Browser | None:
        return next((b for section in self.sections for b in section.blocks if isinstance(b, Browser)), None)

    def save(self, path: str | Path) -> None:
        """Write the page; the file is there whole or not at all."""
        write_text(path, self.html())


@cache
def _macros() -> Any:
    return _template("blocks").module


@cache
def _template(name: str) -> Template:
    # `finalize` sees every value on its way into the page, so that no place can forget to make it harmless.
    environment = Environment(
        autoescape=True, finalize=_shown, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"plain": visible, "inline": _inline, "paragraphs": _paragraphs, "svg": Markup}
    environment.filters |= {"cell": _cell, "numeric": _numeric_columns, "kind": lambda block: type(block).__name__}
    environment.filters |= {"minus": minus, "named": _named, "prose": _prose_columns}
    environment.filters |= {"link": lambda cell: cell.to if isinstance(cell, Linked) else "", "spark": _spark}
    return environment.from_string(files("otherminds").joinpath(f"data/{name}.html.j2").read_text(encoding="utf-8"))


def _shown(value: object) -> Markup:
    """A value as it may stand in the page: escaped, and with nothing invisible."""
    if isinstance(value, Markup):
        return value
    return Markup(numbered(escape(value), "<i class=control>U+{:04X}</i>"))


# Hebrew, Arabic and their neighbours, on to the next comma or bracket, or a space before another script.
_LEFTWARD = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
_NAMES = re.compile(f"[{_LEFTWARD}](?:[^\\s,;:.()<>&*`]| (?=[{_LEFTWARD}]))*")


def _named(text: str) -> Markup:
    """A line of ours, in which names that are written from right to left do not turn round what stands beside them."""
    return Markup(_NAMES.sub(lambda found: f"<bdi>{found[0]}</bdi>", _shown(text)))


_INLINE = re.compile(r"`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]<]+)\]\(#(term-[a-z0-9-]+|items\?[^)\s\"<>]+)\)")


def _inline(text: str) -> Markup:
    """One line of prose, in which `code`, **bold** and links within the page are all that is not taken literally."""

    def marked(found: re.Match[str]) -> str:
        code, bold, words, place = found.groups()
        if words:
            term = ' class="term"' if place.startswith("term-") else ""
            return f'<a{term} href="#{place}">{words}</a>'
        return f"<code>{code}</code>" if code else f"<strong>{bold}</strong>"

    return Markup(_INLINE.sub(marked, _named(text)))


def _paragraphs(text: str) -> list[Markup]:
    return [_inline(part.strip()) for part in re.split(r"\n\s*\n", text) if part.strip()]


GAPS = (None, "", "–", "too few")
"""What stands in a column of numbers where there is none."""
_FIGURES = re.compile(r"[-+−<≤≈ ]*\d[-+−–\d\s.,:%/×()\[\]∞]*(of \d[\d,]*)?")


def _cell(cell: Cell) -> tuple[str, float | None]:
    """What a cell says, and the value to sort it by if it has one."""
    match cell:
        case None:
            return "–", None
        case str():
            return (minus(cell) if _FIGURES.fullmatch(cell) else cell), None
        case bool():
            return ("yes" if cell else "no"), None
        case int():
            return minus(f"{cell:,}"), cell
        case float():
            return minus(f"{cell:z.2f}"), cell
        case Linked():
            return _cell(cell.cell)
    return minus(str(cell)), cell.value


def minus(figures: str) -> str:
    """Numbers with a minus sign as it is printed, which is as broad as a plus."""
    return re.sub(r"(?<!\w)-(?=[\d∞i])", "−", figures)


def _spark(score: ScoreLine, column: int) -> Markup:
    """An estimate as a small picture."""
    best = score.mindless[1] if score.mindless else None
    svg = spark(score.estimates[column], reference=score.reference, best=best, signed=score.signed, series=column)
    _check_svg(svg)
    return Markup(svg)


def _numeric_columns(table: Table) -> list[bool]:
    """For each column, whether all that it says is numbers."""

    def numeric(cell: Cell) -> bool:
        text, value = _cell(cell)
        return value is not None or _FIGURES.fullmatch(text) is not None

    columns = [[row[index] for row in table.rows] for index in range(len(table.columns))]
    filled = [[cell for cell in column if cell not in GAPS] for column in columns]
    return [bool(column) and all(map(numeric, column)) for column in filled]


LONG = 44
"""Characters from which on a cell is prose, which needs room to stand in a few lines."""


def _prose_columns(table: Table) -> list[bool]:
    """For each column, whether it has long texts."""
    return [any(len(_cell(row[place])[0]) > LONG for row in table.rows) for place in range(len(table.columns))]


def _anchored(sections: Sequence[Section]) -> list[tuple[str, Section]]:
    """Each section with the name that links lead to, made of its title."""
    anchors: list[str] = []
    for section in sections:
        anchor = re.sub(r"[^a-z0-9]+", "-", section.title.lower()).strip("-") or "section"
        while anchor in anchors:
            anchor += "-"
        anchors.append(anchor)
    return list(zip(anchors, sections, strict=True))


_SVG = "{http://www.w3.org/2000/svg}"
_DRAWN = {
    *("svg", "g", "title", "desc", "defs", "pattern", "text", "tspan"),
    *("rect", "line", "circle", "ellipse", "path", "polygon", "polyline"),
}


def _check_svg(svg: str) -> None:
    """Refuse a figure that could do more than be looked at."""
    # XML and HTML read comments and CDATA differently, and what hides in the gap could run.
    if "<!" in svg or "<?" in svg:
        raise UsageError("a figure should be a bare <svg> element, without comments, CDATA or declarations")
    try:
        root = ElementTree.fromstring(svg)
    except (ElementTree.ParseError, ValueError) as error:
        raise UsageError(f"a figure should be SVG, and this does not read as such: {error}") from None
    for element in root.iter():
        if element.tag not in {_SVG + name for name in _DRAWN}:
            raise UsageError(f"a figure may not hold <{element.tag.removeprefix(_SVG)}>, only shapes and text")
        for name, value in element.items():
            if name.startswith("on") or "href" in name or re.search(r"url\((?!#)", value):
                raise UsageError(f"a figure may not act or link, so {name}={value!r} has no place in it")
