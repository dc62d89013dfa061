"""Base models against what post-training made of them, task by task: adjusted differences, and the paper's table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from otherminds import stats
from otherminds.files import read_words
from otherminds.pages import sheets
from otherminds.pages.drawing import visible
from otherminds.pages.report import Block, Cell, Folded, Table
from otherminds.results.answers import Answers, shared
from otherminds.results.trends import ALPHA
from otherminds.stats import Difference, Estimate, span, with_p
from otherminds.stats.significance import p_value

_TEXTS: dict[str, str] = read_words("pages")["pairs"]


@dataclass(frozen=True, slots=True)
class Pairing:
    """One base model and what post-training made of it, on one task, over the items that both have."""

    base: str
    post: str
    task: str
    before: Estimate
    after: Estimate
    difference: Difference
    """After less before; p adjusted."""
    mcnemar: float
    """Of right and wrong answers, exact; as if items were independent."""


def pairings(
    asked: Mapping[str, Answers], pairs: Iterable[tuple[str, str]], tasks: Iterable[str], *, of: str = "S"
) -> list[Pairing]:
    """Every pair (base, post-trained) of which both were asked, on every task."""
    wanted = [(*pair, task) for pair in pairs if asked.keys() >= {*pair} for task in tasks]
    found = [one for base, post, task in wanted if (one := _pairing(asked, base, post, task, of))]
    ps = stats.holm([each.difference.p for each in found])
    return [replace(each, difference=replace(each.difference, p=p)) for each, p in zip(found, ps, strict=True)]


def _pairing(asked: Mapping[str, Answers], base: str, post: str, task: str, of: str) -> Pairing | None:
    old, new = shared(*(asked[name].where(task=task) for name in (base, post)), of=of)
    before, after, difference = old.mean(of), new.mean(of), new.less(old, of)
    if not before or not after or not difference:
        return None
    sides = Counter(zip(old.values.tolist(), new.values.tolist(), strict=True))
    return Pairing(base, post, task, before, after, difference, stats.mcnemar(sides[0, 1], sides[1, 0]))


def grid(pairings: Sequence[Pairing], heads: Mapping[str, str], *, intervals: bool = True) -> list[list[str]]:
    """The head, then the lines of every pair, as the paper's Table IV sets them: two rows a pair, and ours below.

    `heads` are the tasks, and how the columns are headed.

    model                  TB          INT  …
    Llama-2-7b-hf       0.537        0.506         the base model's mean
    Llama-2-7b-chat-hf +0.046*      -0.001         how far post-training moved it, always with its sign
                       [+0.01, +0.08] …            95 %, paired; * where Holm's p is at most 0.05
    """
    rows: dict[tuple[str, str], dict[str, Pairing]] = {}
    for each in pairings:
        rows.setdefault((each.base, each.post), {})[each.task] = each
    tasks = [task for task in heads if any(task in row for row in rows.values())]
    lines = [["model", *(heads[task] for task in tasks)]]
    for (base, post), row in rows.items():
        cells = [row.get(task) for task in tasks]
        lines.append([visible(base), *(f"{cell.before.value:.3f}" if cell else "–" for cell in cells)])
        moved = [cell and cell.difference for cell in cells]
        lines.append([visible(post), *(f"{m.value:+z.3f}{'*' * (m.p <= ALPHA)}" if m else "–" for m in moved)])
        if intervals:
            lines.append(["", *(f"[{m.low:+z.2f}, {m.high:+z.2f}]" if m else "" for m in moved)])
    return lines


def as_text(pairings: Sequence[Pairing], heads: Mapping[str, str], *, intervals: bool = True) -> str:
    """For a terminal: columns of one width, numbers to the right."""
    lines = grid(pairings, heads, intervals=intervals)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = [
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    ]
    return "\n".join([shown[0], "-" * len(shown[0]), *shown[1:]]) + "\n"


def as_latex(pairings: Sequence[Pairing], heads: Mapping[str, str]) -> str:
    """A tabular that needs no package."""
    head, *lines = grid(pairings, heads)
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


def as_table(pairings: Sequence[Pairing], heads: Mapping[str, str], caption: str) -> Table:
    """For the report."""
    head, *lines = grid(pairings, heads)
    return Table(head, lines, caption, note=_TEXTS["note"])


def blocks(
    found: Sequence[Pairing], heads: Mapping[str, str], caption: str, in_one_order: Sequence[Pairing], second: str
) -> list[Block]:
    """For the report: these pairings as a table; folded, those of scores in one order, and all differences."""
    if not found:
        return []
    lines: list[list[Cell]] = [
        [
            *(f"{each.base} → {each.post}", heads[each.task], span(each.before, 3), span(each.after, 3)),
            *(with_p(each.difference, 3), p_value(each.mcnemar)),
        ]
        for each in found
    ]
    columns = ["pair", "task", "base", "post-trained", "difference", "right or wrong: McNemar's p"]
    every = Table(columns, lines, "All differences", note="p is that of the interval, adjusted (Holm).")
    folded = [as_table(in_one_order, heads, second), every]
    return [
        as_table(found, heads, caption),
        Folded("The same in one order of the options, and with every number", folded),
    ]
