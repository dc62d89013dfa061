"""Grids: a number for every split and part, as a table and as a picture."""

from otherminds.heuristics.readers import oracle, realist
from otherminds.pages.report import Figure, Linked
from otherminds.results.answers import Answers
from otherminds.results.grids import Grid
from otherminds.results.itembrowser import Links
from otherminds.results.measures import EVERYTHING, Split
from otherminds.runs.runs import run
from otherminds.stats import Estimate, span
from otherminds.studies.starter.study import starter

ITEMS = starter().items
RIGHT = Answers.by_rule("right", ITEMS, {item.id: 1.0 for item in ITEMS})
WORLD = Answers.by_rule("world", ITEMS, {item.id: float(not item.tags["false_belief"]) for item in ITEMS})
FALSE, NONE = Split("false belief", {"false_belief": True}), Split("no such kind", {"kind": "none"})
GRID = Grid.of({"right": RIGHT, "world": WORLD}, [EVERYTHING, FALSE, NONE])


def values(grid: Grid) -> list[tuple[str, list[float | None]]]:
    return [(label, [one and one.value for one in line]) for label, line in grid.lines]


def test_a_line_a_split_and_a_column_a_part() -> None:
    assert GRID.columns == ["right", "world"]
    assert values(GRID) == [("all items", [1.0, 0.5]), ("false belief", [1.0, 0.0]), ("no such kind", [None, None])]


def test_columns_become_lines() -> None:
    turned = GRID.turned
    assert turned.columns == ["all items", "false belief", "no such kind"]
    assert values(turned) == [("right", [1.0, 1.0, None]), ("world", [0.5, 0.0, None])]
    assert turned.compact.columns == ["all items", "false belief"]


def test_lines_without_a_number_can_be_left_out() -> None:
    assert [label for label, _ in GRID.filled.lines] == ["all items", "false belief"]


def test_a_table_shows_each_column_in_its_way() -> None:
    grid = GRID.only([0]).beside(GRID.only([1]).shown(span)).filled
    table = grid.table("items", "Two", note="n")
    assert (table.columns, table.caption, table.note) == (["items", "right", "world"], "Two", "n")
    assert isinstance(table.rows[0][1], Estimate)
    assert str(table.rows[1][2]).startswith("0.00 [0.00, ")
    assert GRID.rows()[2] == ["no such kind", None, None]


def test_numbers_lead_to_their_answers_whichever_way_the_grid_is_turned() -> None:
    suite = starter()
    table = Answers.of([run(suite, oracle(suite)), run(suite, realist(suite))])
    links = Links("mine", table)
    grid = Grid.of(table.by("model"), [EVERYTHING, FALSE], links=links)
    to = "#items?study=mine&model=realist&false_belief=true"
    cell = grid.rows()[1][2]
    assert isinstance(cell, Linked)
    assert cell.to == to
    assert [each.to for each in grid.turned.rows()[1][1:] if isinstance(each, Linked)] == [to.rpartition("&")[0], to]
    beside = grid.beside(Grid.of({"rule": WORLD}, [EVERYTHING, FALSE]))
    assert not isinstance(beside.rows()[1][3], Linked)
    twice = Grid.of(table.by("model"), [FALSE, Split("false belief", {"false_belief": False})], links=links)
    assert len(twice.lines) == 2
    assert not any(isinstance(each, Linked) for row in twice.rows() for each in row)


def test_a_picture_has_the_same_lines() -> None:
    figure = GRID.filled.figure("Title", "Caption", measure="share")
    assert isinstance(figure, Figure)
    assert all(word in figure.svg for word in ("all items", "false belief", "world", "Title"))
