"""CSV that a spreadsheet shows and never runs, and the way back to the text that a cell was made of."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from io import StringIO
from typing import Any

_NUMBER = r"[-+−]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?"
# Alone, as a share, with a star for a mark, or with its interval.
_PLAIN = re.compile(rf"{_NUMBER}%?\**(?: \[{_NUMBER}, {_NUMBER}\])?")
# Some programs drop white space before they look for a sign, and some take the wide signs of East Asia for the narrow.
_RUNS = re.compile(r"[\t\n\r]|\s*[-=+@－＝＋＠]")


def as_csv(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV: numbers as they are, texts as cells."""
    out = StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerows(map(cell, row) for row in rows)
    return out.getvalue()


def cell(text: Any) -> Any:
    """A text that no spreadsheet takes for a formula, with plain ends of lines; a number stays a number."""
    if not isinstance(text, str):
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if _is_risky(text) else text


def text_of(cell: str) -> str:
    """The text that a cell was made of."""
    return cell[1:] if cell.startswith("'") and _is_risky(cell[1:]) else cell


def _is_risky(text: str) -> bool:
    # Whatever stands behind our mark counts, or a text that begins with such a mark would lose it on the way back.
    bare = text.lstrip("'")
    return bool(_RUNS.match(bare)) and not _PLAIN.fullmatch(bare)
