"""From three models on: a line a model, and no prose on each."""

import json
import re
from pathlib import Path

import pytest

from otherminds.errors import UsageError
from otherminds.heuristics.readers import Rule, reader
from otherminds.items.tags import REALITY
from otherminds.pages import plots
from otherminds.pages.report import Report
from otherminds.profiles.findings import Profile, ToldStudy, lead
from otherminds.profiles.page import pages
from otherminds.runs.runs import run
from otherminds.stats import mean, proportion
from otherminds.studies.starter.study import starter
from otherminds.studies.study import Chapter, Finding
from tests.browser import Browser, needs_browser
from tests.integrity.pages import Items, Tables

SUITE = starter()
ORACLE: Rule = lambda item: [item.answer]  # noqa: E731
REALIST: Rule = lambda item: [str(item.meta[REALITY])]  # noqa: E731


def profile(rules: dict[str, Rule]) -> Profile:
    runs = [run(SUITE, reader(name, SUITE, rule)) for name, rule in rules.items()]
    findings = [Finding("Accuracy", name, proportion(9, 10), 0.5, first=True, rules={"a rule": 0.6}) for name in rules]
    chapter = Chapter(Report("t", "Prose about each.", []), findings, runs, by="kind")
    return Profile(list(rules), [ToldStudy("starter", "Does it?", chapter)])


@pytest.fixture(scope="module")
def many() -> Profile:
    rules = {f"oracle {number}": ORACLE for number in range(3)} | {f"realist {number}": REALIST for number in range(3)}
    return profile(rules)


def test_many_models_have_a_line_each_and_no_prose(many: Profile) -> None:
    (said,) = lead(many)
    assert said.startswith("Of 6 models, 3 tell false from true beliefs of the first order.")
    assert "“realist” in 3" in said
    html = pages(many).report.html()
    tables = Tables(html)
    (board,) = [table for table in tables.tables if table.caption == "Leaderboard"]
    assert [row[0].text for row in board.rows[1:]] == [*many.models]
    # Whoever is best about false beliefs comes first.
    assert [row[3].text[:4] for row in board.rows[1:]] == ["1.00"] * 3 + ["0.00"] * 3
    items = Items(html)
    for name, row in zip(many.models, board.rows[1:], strict=True):
        for cell, belief in ((row[3], True), (row[4], False)):
            (asked,) = [one for one in many.told[0].chapter.runs if one.model == name]
            wanted = [each for each in asked.records if each.item.tags["false_belief"] is belief]
            assert {key[2:3] + key[-1:] for key in items.of(cell.link)} == {(name, each.item.id) for each in wanted}
            assert f"{mean([each.score.value or 0.0 for each in wanted]).value:.2f}" == cell.text[:4]
    first_screen = html[: html.index('id="differences"')]
    assert "<h1>What 6 models can tell of other minds</h1>" in html
    assert "Prose about each." not in first_screen
    assert "best mindless reader a rule 0.60, chance 0.50" in html


def test_thirty_models_have_marks_of_their_own() -> None:
    names = [f"m{number}" for number in range(30)]
    svg = plots.intervals([("right", [proportion(1, 2)] * 30)], title="t", series=names)
    legend = re.findall(r"(<(?:circle|polygon)[^>]*/>)<text", svg)
    looks = {re.sub(r'(?:points|c[xy])="[^"]*"', "", mark) + str(mark.count(",")) + shape(mark) for mark in legend}
    assert len(looks) == 30
    with pytest.raises(UsageError, match="31 series do not fit"):
        plots.intervals([("right", [None] * 31)], title="t", series=[*names, "more"])


def shape(mark: str) -> str:
    """The corners of a mark, from its first."""
    points = [tuple(map(float, pair.split(","))) for pair in re.findall(r"[\d.]+,[\d.]+", mark)]
    return str([(round(x - points[0][0]), round(y - points[0][1])) for x, y in points]) if points else "circle"


@needs_browser
def test_a_click_sorts_and_every_width_has_room(many: Profile, tmp_path: Path) -> None:
    path = tmp_path / "many.html"
    pages(many).report.save(path)
    names = "[...document.querySelectorAll('table.sortable')[0].tBodies[0].rows].map((row) => row.cells[0].innerText)"
    with Browser() as browser:
        with browser.page() as page:
            page.open(path.as_uri())
            before = page.evaluate(names)
            page.click("table.sortable th:nth-child(4)")
            assert page.evaluate(names) == before  # best first, as it was
            page.click("table.sortable th:nth-child(4)")
            assert page.evaluate(names)[:3] == before[3:]
            page.click("table.sortable th:nth-child(1)")
            assert page.evaluate(names) == sorted(before)
            assert page.errors == []
        for width in (390, 1280):
            with browser.page(width=width, dark=width == 390) as page:
                page.open(path.as_uri())
                assert page.overflow == []


@needs_browser
def test_an_item_with_a_story_opens_to_a_picture_of_beliefs(tmp_path: Path) -> None:
    from otherminds.studies.safety.plots.build import build

    small = build(tasks=["FB/SA"], size=12)
    asked = run(small, reader("one", small, ORACLE))
    chapter = Chapter(Report("t", "l", []), [], [asked])
    page_of = pages(Profile(["one"], [ToldStudy("safety", "Does it?", chapter)]))
    path = tmp_path / "one.html"
    page_of.report.save(path)
    told = next(record.item for record in asked.records if record.item.meta.get("events"))
    with Browser() as browser, browser.page() as page:
        page.open(path.as_uri() + f"#items?id={told.id}")
        page.wait("document.querySelector('.lanes')")
        lanes = page.evaluate(
            "[...document.querySelectorAll('.lanes')[0].querySelectorAll('text')].map((t) => t.textContent)"
        )
        assert any(name.startswith("✗ ") for name in lanes) or told.tags["false_belief"] is False
        assert page.evaluate("document.querySelectorAll('.lanes rect').length") >= 2
        assert page.errors == []
        assert json.dumps(lanes)
