"""How commands print: tables for people, JSON for programs, progress on stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from otherminds.pages.drawing import numbered, replaced

if TYPE_CHECKING:
    from rich.console import Console

    from otherminds.calling.costs import Forecast

GAP = 2
"""Between two columns of a table."""
MANY = 200
"""Rows that rich prints; further ones are printed without it."""
LEAST = 6
"""No column is made narrower than that; the terminal wraps what is broader than itself."""


def print_json(data: Any) -> None:
    """The one JSON value that a command prints under --json."""
    text = json.dumps(data, ensure_ascii=False, indent=2)
    # To a program an escape is the same character; a terminal is not steered by it.
    print(replaced(text, lambda hidden: json.dumps(hidden)[1:-1]))


def say(*lines: str) -> None:
    """Lines for whoever reads stdout; a name in them can neither steer the terminal nor begin a line of its own."""
    for line in lines:
        print(in_line(line), flush=True)


def seen_at_once() -> bool:
    """Whether what goes to stderr is seen as it is written."""
    return sys.stderr.isatty()


def console() -> Console:
    """Stdout with tables; a pipe gets a fixed, generous width, because it has none of its own."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 120
    return Console(file=sys.stdout, width=width, highlight=False, markup=False, emoji=False, soft_wrap=False)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[str] = ()) -> None:
    """A plain table; the columns named in `right` hold numbers, and the first holds what one may want to copy."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    screen = console()
    heads, *shown = [[harmless(cell) for cell in line] for line in (columns, *rows)]
    widths = _widths([heads, *shown], screen.width)
    screen.width = max(screen.width, sum(widths) + GAP * (len(widths) - 1))
    table = Table(box=box.SIMPLE_HEAD, padding=(0, GAP - 1, 0, 0), show_edge=False, pad_edge=False, header_style="bold")
    for column, head, width in zip(columns, heads, widths, strict=True):
        table.add_column(Text(head), justify="right" if column in right else "left", overflow="fold", width=width)
    for row in shown[:MANY]:
        table.add_row(*map(Text, row))
    screen.print()
    screen.print(table)
    _print_rows(shown[MANY:], widths, [column in right for column in columns])
    screen.print()


def _print_rows(rows: Sequence[Sequence[str]], widths: Sequence[int], right: Sequence[bool]) -> None:
    """More rows of a table, as rich would print them, only faster."""
    from rich.cells import set_cell_size

    for row in rows:
        parts = [_folded(cell, width) for cell, width in zip(row, widths, strict=True)]
        for lines in zip_longest(*parts, fillvalue=""):
            cells = [
                part.rjust(width) if to_right and part.isascii() else set_cell_size(part, width)
                for part, width, to_right in zip(lines, widths, right, strict=True)
            ]
            print((" " * GAP).join(cells))


def _folded(cell: str, width: int) -> list[str]:
    """A cell as lines that fit into its column."""
    from rich.console import Console
    from rich.text import Text

    if len(cell) <= width and cell.isascii() and "\n" not in cell:
        return [cell]
    return [line.plain.rstrip() for line in Text(cell).wrap(Console(width=width), width, overflow="fold")]


def _widths(lines: Sequence[Sequence[str]], room: int) -> list[int]:
    """How broad each column is: the broadest give way to the room there is, and no word breaks while one has others."""
    from rich.cells import cell_len

    def longest(parts: Iterable[str]) -> int:
        return max(map(cell_len, parts), default=0)

    cells = list(zip(*lines, strict=True))
    widths = [longest(part for cell in column for part in cell.split("\n")) for column in cells]
    words = [longest(word for cell in column for word in cell.split()) for column in cells]
    # First down to the longest word of each column; if that is not enough, all but the first may break words, since
    # the first holds ids that somebody will copy.
    for least in (words, [words[0], *(min(word, LEAST) for word in words[1:])]):
        while sum(widths) + GAP * (len(widths) - 1) > room:
            loose = [column for column, width in enumerate(widths) if width > least[column]]
            if not loose:
                break
            widths[max(loose, key=lambda column: widths[column])] -= 1
    return widths


def print_forecast(counts: Mapping[str, int], forecast: Forecast, time: str) -> None:
    """What a dry run found: how much would be asked, then the tokens, the time and the money."""
    rows = [[name, f"{number:,}"] for name, number in counts.items()]
    rows += [
        ["tokens to send, about", f"{forecast.prompt_tokens:,}"],
        ["tokens to be written, at most", f"{forecast.written_tokens:,}"],
        ["time, about", time],
        ["money, about", "unknown without --prices" if forecast.money is None else f"{forecast.money:.4f}"],
    ]
    print_table(["dry run: nothing was asked", ""], rows)


def print_fields(title: str, fields: Sequence[tuple[str, str]]) -> None:
    """Labelled texts one under another; what a model wrote cannot steer the terminal."""
    from textwrap import TextWrapper

    from rich.text import Text

    screen = console()
    wrapper = TextWrapper(screen.width - 1, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    screen.print(Text(in_line(title), style="bold"))
    for label, text in fields:
        screen.print(Text(f"\n{in_line(label)}", style="dim"))
        for line in harmless(text).split("\n"):
            screen.print(Text(wrapper.fill(line)))


def harmless(text: str) -> str:
    """The text with control characters, which could move the cursor or hide words, shown by their number."""
    return numbered(text, "\\x{:02x}")


def in_line(text: str) -> str:
    """The same for what has to stay on its line."""
    return harmless(text).replace("\n", "\\x0a")


def note(text: str) -> None:
    """A remark for the person at the terminal, out of the way of what a program reads."""
    print(in_line(text), file=sys.stderr, flush=True)


def silent(_: str) -> None:
    """Says nothing, in place of `note`."""


@contextmanager
def progress(title: str, also: Callable[[], object] = str) -> Iterator[Callable[[int, int], None]]:
    """A function to call with (done, total): a bar with the time left, or now and then a line if nobody watches.

    What `also` returns, such as what was spent so far, stands at the end.
    """
    from otherminds.terminal import bars

    if bars.watched():
        with (bars.in_cell if bars.in_notebook() else bars.on_terminal)(title, also) as show:
            yield show
    else:
        yield bars.in_lines(title, also)
