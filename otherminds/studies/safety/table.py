"""Base against post-trained, as the paper's Table IV sets it: two rows a pair, and ours below them.

model                  TB          INT  …
Llama-2-7b-hf       0.537        0.506         the base model's mean
Llama-2-7b-chat-hf +0.046*      -0.001         how far post-training moved it, always with its sign
                   [+0.01, +0.08] …            95 %, paired; * where Holm's p is at most 0.05
"""

from __future__ import annotations

from collections.abc import Sequence

from otherminds.files import read_words
from otherminds.pages import sheets
from otherminds.pages.drawing import visible
from otherminds.pages.report import Table
from otherminds.results.trends import ALPHA
from otherminds.stats import Difference
from otherminds.studies.safety.lineups import NINE, SHORT, Pairing


def grid(pairings: Sequence[Pairing], *, intervals: bool = True) -> list[list[str]]:
    """The head, then the lines of every pair, as text."""
    rows: dict[tuple[str, str], dict[str, Pairing]] = {}
    for each in pairings:
        rows.setdefault((each.base, each.post), {})[each.task] = each
    tasks = [task for task in NINE if any(task in row for row in rows.values())]
    lines = [["model", *(SHORT[task] for task in tasks)]]
    for (base, post), row in rows.items():
        cells = [row.get(task) for task in tasks]
        lines.append([visible(base), *(f"{cell.before.value:.3f}" if cell else "–" for cell in cells)])
        lines.append([visible(post), *(_moved(cell.difference) if cell else "–" for cell in cells)])
        if intervals:
            lines.append(["", *(_interval(cell.difference) if cell else "" for cell in cells)])
    return lines


def _moved(difference: Difference) -> str:
    return f"{difference.value:+z.3f}{'*' * (difference.p <= ALPHA)}"


def _interval(difference: Difference) -> str:
    return f"[{difference.low:+z.2f}, {difference.high:+z.2f}]"


def as_text(pairings: Sequence[Pairing], *, intervals: bool = True) -> str:
    """For a terminal: columns of one width, numbers to the right."""
    lines = grid(pairings, intervals=intervals)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = [
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    ]
    return "\n".join([shown[0], "-" * len(shown[0]), *shown[1:]]) + "\n"


def as_latex(pairings: Sequence[Pairing]) -> str:
    """A tabular that needs no package."""
    head, *lines = grid(pairings)
    out = [rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", r"\hline", " & ".join(head) + r" \\", r"\hline"]
    for line in lines:
        name = line[0].replace("_", r"\_")
        cells = [
            f"${cell.replace('*', '^{*}')}$" if cell and cell != "–" else cell.replace("–", "--") for cell in line[1:]
        ]
        out.append(" & ".join([name, *cells]) + r" \\")
    return "\n".join([*out, r"\hline", r"\end{tabular}"]) + "\n"


def as_csv(pairings: Sequence[Pairing]) -> str:
    """A line for every pair and task, with all its numbers."""
    lines = [["base", "post_trained", "task", "base_mean", "difference", "low", "high", "marked"]]
    for each in pairings:
        moved = each.difference
        numbers = [f"{each.before.value:.6f}", f"{moved.value:+.6f}", f"{moved.low:.6f}", f"{moved.high:.6f}"]
        lines.append([each.base, each.post, each.task, *numbers, "yes" if moved.p <= ALPHA else "no"])
    return sheets.as_csv(lines)


def as_table(pairings: Sequence[Pairing], caption: str) -> Table:
    """For the report."""
    head, *lines = grid(pairings)
    return Table(head, lines, caption, note=read_words("pages")["safety"]["pairs"])
