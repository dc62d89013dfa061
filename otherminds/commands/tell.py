"""`otherminds tell`: a story in words, and tables of who believes what after each event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from otherminds.minds.beliefs import WORLD, Trace, agreement, chain_name
from otherminds.minds.sightings import Minds
from otherminds.terminal.derived import File, command
from otherminds.terminal.screen import console, harmless, note, print_json, print_table, say

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from otherminds.minds.questions import Question
    from otherminds.minds.sightings import Minds
    from otherminds.minds.story import Story


@command(source={"metavar": "[STORY]"})
def tell(
    as_json: bool,
    source: str | None = None,
    *,
    order: int = 2,
    seed: int | None = None,
    questions: bool = False,
    html: File | None = None,
) -> None:
    """Tell a story, and who believes what after each event.

    STORY is the name of a built-in story or a .json file; without it, the built-in ones are listed.

    order: How deep to read minds; 2: A thinks B thinks.
    seed: Reword the story, by this seed.
    questions: List all that can be asked, with the answers.
    html: Write a page with belief timelines.
    """
    from otherminds.minds.stories import STORIES, titled_story

    if source is None:
        _list(STORIES, as_json)
        return
    title, story = titled_story(source)
    if html is not None:
        from otherminds.results.storybook import story_report

        story_report(title, story, order=order, seed=seed, with_questions=questions).save(html)
    if as_json:
        data = _as_data(title, story, order, seed, questions)
        print_json(data | ({"html": str(html)} if html else {}))
    elif html is not None:
        say(str(html))
    else:
        _print_story(title, story, order, seed)
        if questions:
            _print_questions(story, order)


def _list(stories: dict[str, str], as_json: bool) -> None:
    if as_json:
        print_json(stories)
    else:
        print_table(["story", "what happens"], list(stories.items()))
        note("`otherminds tell NAME` tells one of them; a .json file of your own will do as well")


def _print_story(title: str, story: Story, order: int, seed: int | None) -> None:
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from otherminds.minds.beliefs import summary, traces
    from otherminds.minds.stories import in_brief
    from otherminds.minds.telling import sentences, told_premises

    found = traces(story, order=order)
    screen = console()
    screen.print(Text(f"{harmless(title)}\n", style="bold"))
    lines = Table.grid(padding=(0, 2, 0, 0))
    lines.add_column(justify="right", style="dim")
    for sentence in told_premises(story):
        lines.add_row("", Text(harmless(sentence), style="italic"))
    for number, sentence in enumerate(sentences(story, seed=seed), start=1):
        lines.add_row(str(number), Text(harmless(sentence)))
    screen.print(lines)
    briefs = [in_brief(event, story.cast.roles) for event in story.events]
    for trace in found:
        for part in belief_tables(trace, briefs, width=screen.width):
            screen.print(part)
    screen.print(Text(f"\n{legend(found, width=screen.width)}\n", style="dim"))
    screen.print(Text("In the end", style="bold"))
    for line in summary(found, order=order, limit=8):
        screen.print(Padding(Text(harmless(line)), (0, 0, 0, 2)))


def _print_questions(story: Story, order: int) -> None:
    from otherminds.minds.questions import questions

    asked = questions(story, order=order)
    rows = [
        [str(question.tags["order"]), question.text, f"{'✗ ' * _is_false(question)}{question.answer}"]
        for question in asked
    ]
    print_table(["order", "question", "answer"], rows, right=["order"])
    say(f"{len(asked)} questions; ✗: the answer is a false belief")


def _is_false(question: Question) -> bool:
    return question.tags.get("false_belief") is True


def _as_data(title: str, story: Story, order: int, seed: int | None, with_questions: bool) -> dict[str, Any]:
    from otherminds.minds.beliefs import chains
    from otherminds.minds.questions import questions
    from otherminds.minds.stories import story_file
    from otherminds.minds.telling import sentences, told_premises

    told = sentences(story, seed=seed)
    minds, premises = chains(story.people, order=order), story.premises
    data: dict[str, Any] = {
        "title": title,
        "order": order,
        "premises": {
            "clear": sorted(premises.clear),
            "distrust": sorted(map(list, premises.distrust)),
            "fresh": premises.fresh,
            "text": told_premises(story),
        },
        "events": [
            {"number": part.length, "event": event, "text": text, "views": [_view(part, chain) for chain in minds]}
            for part, event, text in zip(story.prefixes(), story_file(story)["events"], told, strict=True)
        ],
    }
    if with_questions:
        data["questions"] = [
            {"question": asked.text, "answer": asked.answer, "choices": asked.choices, "minds": asked.minds}
            | {"tags": asked.tags}
            for asked in questions(story, order=order)
        ]
    return data


def _view(story: Story, minds: Minds) -> dict[str, Any]:
    """What a chain of minds takes to be so; whatever is not there is unknown."""
    from otherminds.minds.beliefs import beliefs, view

    facts = [
        {"of": fact.of, "property": fact.property, "value": fact.value, "false": not so}
        for fact, so in beliefs(story, minds)
    ]
    return {"minds": minds, "facts": facts, "topics": sorted(view(story, minds).topics)}


FALSE, MISJUDGED, NOTHING, SAME = "✗", "≠", "–", "·"
SIGNS = {
    FALSE: "not so in the world",
    MISJUDGED: "not what the next mind thinks",
    "?": "not known",
    NOTHING: "nothing to know yet",
    SAME: "as before",
    "›": "what the one thinks that the other thinks",
}
GAP = 2
"""Between columns: one space is ours, one the line's."""
SHORT = 28
"""The least width for the words of an event, which the numbers lead to in full."""
QUIET = 3
"""So many events in a row that change nothing are told in one line."""


@dataclass(frozen=True, slots=True)
class Column:
    """Chains that hold the same all along, and what they hold after each event."""

    header: str
    cells: Sequence[str]

    @property
    def width(self) -> int:
        return GAP + max(map(len, [*self.header.split("\n"), *self.cells]))

    def shown(self, index: int) -> str:
        """The cell, if it is new or false; a dot stands for what has not changed."""
        cell = self.cells[index]
        return cell if self.new(index) or FALSE in cell else SAME

    def new(self, index: int) -> bool:
        """Whether this event changed it."""
        return index == 0 or self.cells[index] != self.cells[index - 1]


def belief_tables(trace: Trace, briefs: Sequence[str], *, width: int) -> Iterator[RenderableType]:
    """One matter as one or more tables no wider than `width`, then how many chains need no column."""
    from rich.text import Text

    world, *columns = _columns(trace)
    free = width - len(f"{len(briefs)}–{len(briefs)}") - world.width  # the last column needs no gap
    label = min(max(map(len, briefs)) + GAP, max(SHORT, free - sum(column.width for column in columns)))
    for number, some in enumerate(_packed(columns, free - label)):
        heading = f"{trace.heading}{' (continued)' if number else ''}"
        yield Text(f"\n{harmless(heading)}", style="bold")
        yield _table([world, *some], briefs, label)
    if left_out := agreement(trace):
        yield Text(harmless(left_out), style="dim")


def legend(found: Sequence[Trace], *, width: int) -> str:
    """What the signs in these tables mean; no meaning is broken over two lines."""
    columns = [column for trace in found for column in _columns(trace)]
    used = {word for column in columns for cell in (column.header, *column.cells) for word in cell.split()} | {SAME}
    lines = [""]
    for meaning in [f"{sign} {words}" for sign, words in SIGNS.items() if sign in used]:
        if lines[-1] and len(lines[-1]) + 3 + len(meaning) > width:
            lines.append("")
        lines[-1] += f"   {meaning}" if lines[-1] else meaning
    return "\n".join(lines)


def _columns(trace: Trace) -> list[Column]:
    found = [Column(chain_name(WORLD), _cells(trace, WORLD))]
    for group in trace.alike(trace.of_order(1)):
        found.append(_shared(group, _cells(trace, group[0])))
    for order in range(2, max(map(len, trace.values)) + 1):
        groups: dict[tuple[str, ...], list[Minds]] = {}
        for minds in trace.telling(order):
            # Not by value alone: of two chains that hold the same, one may be wrong about the next mind.
            groups.setdefault(_cells(trace, minds), []).append(minds)
        found += [_shared(group, cells) for cells, group in groups.items()]
    return found


def _shared(group: Sequence[Minds], cells: Sequence[str]) -> Column:
    names = [harmless(chain_name(minds)) for minds in group]
    shown = names if len(names) <= 4 else [*names[:3], f"and {len(names) - 3} more"]
    return Column(",\n".join(shown), cells)


def _cells(trace: Trace, minds: Minds) -> tuple[str, ...]:
    cells = []
    for index, (value, real) in enumerate(zip(trace.values[minds], trace.values[WORLD], strict=True)):
        if value is None:
            cells.append(NOTHING if real is None else trace.unknown)
        else:
            false = f"{FALSE} " if value != real else ""
            misjudged = f" {MISJUDGED}" if len(minds) > 1 and trace.misjudged(minds, index) else ""
            cells.append(f"{false}{harmless(value)}{misjudged}")
    return tuple(cells)


def _packed(columns: Sequence[Column], free: int) -> Iterator[list[Column]]:
    """The columns in as many lots as the width asks for."""
    lot: list[Column] = []
    for column in columns:
        if lot and sum(other.width for other in lot) + column.width > free:
            yield lot
            lot = []
        lot.append(column)
    yield lot


def _table(columns: Sequence[Column], briefs: Sequence[str], label: int) -> Table:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("after", width=label - GAP, no_wrap=True, overflow="ellipsis")
    for column in columns:
        table.add_column(Text(column.header), overflow="fold", vertical="bottom")
    for numbers, brief, cells in _rows(columns, briefs):
        table.add_row(numbers, Text(harmless(brief)), *map(_styled, cells))
    return table


def _rows(columns: Sequence[Column], briefs: Sequence[str]) -> Iterator[tuple[str, str, list[str]]]:
    rows = [[column.shown(index) for column in columns] for index in range(len(briefs))]
    for quiet, run in groupby(range(len(rows)), key=lambda index: not any(column.new(index) for column in columns)):
        indices = list(run)
        if quiet and len(indices) >= QUIET:
            yield f"{indices[0] + 1}–{indices[-1] + 1}", "nothing changes here", rows[indices[0]]
        else:
            for index in indices:
                yield str(index + 1), briefs[index], rows[index]
    if SAME in rows[-1]:
        yield "", "in the end", [column.cells[-1] for column in columns]


def _styled(cell: str) -> Text:
    from rich.text import Text

    style = "bold red" if FALSE in cell else "yellow" if MISJUDGED in cell else "dim" if len(cell) == 1 else ""
    return Text(cell, style=style)
