"""The tables and figures of a report as files, for papers: CSV and SVG, named by where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from otherminds.pages import sheets
from otherminds.pages.drawing import visible
from otherminds.pages.report import Block, Cell, Figure, Folded, Linked, Table


def files_in(name: str, blocks: Sequence[Block]) -> dict[str, str]:
    """By path, the text of every table and figure, in their order: tables/NAME-01-….csv, figures/NAME-01-….svg."""
    tables = [block for block in _walk(blocks) if isinstance(block, Table)]
    figures = [block for block in _walk(blocks) if isinstance(block, Figure)]
    found = {f"tables/{name}-{n:02}-{_slug(each.caption)}.csv": as_csv(each) for n, each in enumerate(tables, 1)}
    return found | {
        f"figures/{name}-{n:02}-{_slug(each.caption)}.svg": each.svg + "\n" for n, each in enumerate(figures, 1)
    }


def as_csv(table: Table) -> str:
    """A table with numbers in full: an estimate takes a column for its value, its ends and its n."""
    rows = [[cell.cell if isinstance(cell, Linked) else cell for cell in row] for row in table.rows]
    columns = [[row[index] for row in rows] for index in range(len(table.columns))]
    parts = [_parts(column) for column in columns]
    heads = zip(table.columns, parts, strict=True)
    head = [visible(f"{head} {part}".strip()) for head, several in heads for part in several]
    lines = ([_value(cell, part) for cell, several in zip(row, parts, strict=True) for part in several] for row in rows)
    return sheets.as_csv([head, *lines])


def _walk(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if isinstance(block, Folded):
            yield from _walk(block.blocks)
        else:
            yield block


def _parts(column: Sequence[object]) -> tuple[str, ...]:
    """What a column is written as: one column, or one for each part of its estimates."""
    spread = [cell for cell in column if hasattr(cell, "low")]
    if not spread:
        return ("",)
    return ("", "low", "high", "n", "p") if all(hasattr(cell, "p") for cell in spread) else ("", "low", "high", "n")


def _value(cell: Cell, part: str) -> str | float | int | None:
    if cell is None or isinstance(cell, int | float):
        return None if part else cell
    if isinstance(cell, str):
        return None if part else visible(cell)
    found = getattr(cell, part or "value", None)
    return found if isinstance(found, int | float) else None


def _slug(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower())[:48].strip("-") or "untitled"
