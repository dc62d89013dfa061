"""Table IV: the layout gives the paper's reference values from given means."""

import csv
from io import StringIO

from otherminds.results.pairs import Pairing, as_csv, as_latex, as_table, as_text, grid
from otherminds.stats import Difference, Estimate
from otherminds.studies.safety.lineups import SHORT

TASKS = ("TB", "MA/INT", "MA/IR", "FB/SA", "FB/D/V")
# The published base means and differences, to three decimals.
PUBLISHED = {
    "Llama-2-7b": ("0.537 +0.046", "0.506 -0.001", "0.474 -0.015", "0.456 -0.121", "0.539 -0.111"),
    "Llama-3-8B": ("0.561 +0.285", "0.452 +0.168", "0.587 +0.042", "0.339 -0.116", "0.361 -0.157"),
    "Llama-3.1-8B": ("0.592 +0.220", "0.400 +0.105", "0.616 +0.041", "0.286 +0.024", "0.383 -0.045"),
    "Mistral-7B-v0.1": ("0.647 +0.113", "0.491 +0.111", "0.514 +0.045", "0.342 -0.001", "0.412 -0.070"),
    "Mistral-7B-v0.3": ("0.662 +0.200", "0.495 +0.114", "0.526 +0.037", "0.336 -0.003", "0.411 -0.109"),
}


def pairing(base, post, task, before, moved, interval=(-1.0, 1.0), p=1.0):
    means = [Estimate(value, 0.0, 1.0, 100, 50, "") for value in (before, before + moved)]
    return Pairing(base, post, task, *means, Difference(moved, *interval, 100, 50, "", p), 1.0)


def published():
    found = []
    for name, cells in PUBLISHED.items():
        pairs = [tuple(map(float, cell.split())) for cell in cells]
        means = [(base, base + moved) for base, moved in pairs]
        for task, (base, after) in zip(TASKS, means, strict=True):
            found.append(pairing(name, f"{name}-chat", task, base, after - base))
    return found


def test_layout_gives_the_published_values():
    head, *lines = grid(published(), SHORT, intervals=False)
    assert head == ["model", "TB", "INT", "IR", "SA", "D/V"]
    for (name, cells), base, moved in zip(PUBLISHED.items(), lines[::2], lines[1::2], strict=True):
        assert base == [name, *(cell.split()[0] for cell in cells)]
        assert moved == [f"{name}-chat", *(cell.split()[1] for cell in cells)]


def test_text_and_latex_hold_the_same_cells():
    text, latex = as_text(published(), SHORT), as_latex(published(), SHORT)
    for cells in PUBLISHED.values():
        for cell in cells:
            base, moved = cell.split()
            assert base in text
            assert moved in text
            assert f"${base}$" in latex
            assert f"${moved}$" in latex
    assert len({len(line) for line in text.splitlines()}) == 1
    assert latex.count(r"\\") == 16


def test_intervals_and_marks_stand_below_and_beside():
    row = [
        pairing("a_b", "c", "TB", 0.5, -0.00004, (-0.01, 0.01)),
        pairing("a_b", "c", "FB/HO", 0.25, 0.125, (0.05, 0.2), p=0.05),
    ]
    assert grid(row, SHORT)[1:] == [
        ["a_b", "0.500", "0.250"],
        ["c", "+0.000", "+0.125*"],
        ["", "[-0.01, +0.01]", "[+0.05, +0.20]"],
    ]
    assert r"a\_b" in as_latex(row, SHORT)
    assert "$+0.125^{*}$" in as_latex(row, SHORT)
    assert as_table(row, SHORT, "Pairs").columns == ["model", "TB", "HO"]


def test_a_task_that_one_pair_lacks_is_a_gap():
    both = [pairing("a", "b", "TB", 0.5, 0.1), pairing("c", "d", "MA/IR", 0.4, 0.2)]
    assert grid(both, SHORT, intervals=False)[1:] == [
        ["a", "0.500", "–"],
        ["b", "+0.100", "–"],
        ["c", "–", "0.400"],
        ["d", "–", "+0.200"],
    ]
    assert "& -- " in as_latex(both, SHORT)


def test_csv_keeps_what_rounding_would_lose():
    (line,) = csv.DictReader(StringIO(as_csv([pairing("a", "b", "TB", 0.5, 1 / 3, (0.1, 0.5), p=0.01)])))
    assert line == {
        "base": "a",
        "post_trained": "b",
        "task": "TB",
        "base_mean": "0.500000",
        "difference": "+0.333333",
        "low": "0.100000",
        "high": "0.500000",
        "marked": "yes",
    }
