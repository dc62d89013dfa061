"""Tables and figures as files: every number in full, and no text that a spreadsheet would run."""

import csv
from io import StringIO

from otherminds.pages.report import Cards, Figure, Folded, Linked, Table
from otherminds.pages.table_files import as_csv, files_in
from otherminds.stats import difference, proportion

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><title>t</title></svg>'


def read(table: Table) -> list[list[str]]:
    return list(csv.reader(StringIO(as_csv(table))))


def test_estimates_take_a_column_for_each_of_their_parts() -> None:
    share, gap = proportion(30, 48), difference([1.0, 0.0, 1.0], [0.0, 0.0, 0.0])
    rows = read(Table(["who", "right", "gap"], [["a", Linked(share, "#items"), gap], ["b", None, None]], "t"))
    assert rows[0] == [
        "who",
        "right",
        "right low",
        "right high",
        "right n",
        "gap",
        "gap low",
        "gap high",
        "gap n",
        "gap p",
    ]
    assert rows[1][1:5] == [str(part) for part in (share.value, share.low, share.high, share.n)]
    assert rows[1][5:] == [str(part) for part in (gap.value, gap.low, gap.high, gap.n, gap.p)]
    assert rows[2] == ["b", *[""] * 9]


def test_no_text_is_taken_for_a_formula() -> None:
    cells = ["=1+1", "@sum", "+cmd", "-cmd", "+0.10 [−0.20, 0.40]", "-3", "plain, with comma", "a\u202eb"]
    rows = read(Table(["x"], [[cell] for cell in cells], "t"))
    assert [row[0] for row in rows[1:]] == [
        *("'=1+1", "'@sum", "'+cmd", "'-cmd", "+0.10 [−0.20, 0.40]", "-3", "plain, with comma", "a⟨U+202E⟩b")
    ]


def test_every_table_and_figure_has_a_file_wherever_it_stands() -> None:
    table = Table(["x"], [[1]], "Scores: by class!")
    found = files_in(
        "safety", ["words", Cards([]), table, Folded("more", [Figure(SVG, "Über alles"), Folded("", [table])])]
    )
    assert list(found) == [
        "tables/safety-01-scores-by-class.csv",
        "tables/safety-02-scores-by-class.csv",
        "figures/safety-01-ber-alles.svg",
    ]
    assert found["figures/safety-01-ber-alles.svg"] == SVG + "\n"
