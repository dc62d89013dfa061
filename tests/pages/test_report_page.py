"""A report as it is seen: on a phone, on a desk, on paper, and by keys alone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from otherminds.minds.stories import STORIES, titled_story
from otherminds.pages import plots
from otherminds.pages.report import Browser as Items
from otherminds.pages.report import Figure, Folded, Report, Scoreboard, ScoreLine, Section, Table
from otherminds.results.itembrowser import script
from otherminds.results.storybook import story_report
from otherminds.stats import proportion
from tests.browser import Browser, Page, needs_browser

pytestmark = needs_browser

NOTHING = {"texts": [], "runs": [], "items": [], "beliefs": [], "records": []}
WIDE = "a table that is wide everywhere"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with Browser() as one:
        yield one


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    half = proportion(12, 24)
    scores = [ScoreLine(f"Score {number}", [half, proportion(3, 24)]) for number in range(4)]
    board = Scoreboard(["smollm2", "gemma-270m"], [("starter", scores), ("safety", scores)], "Scores")
    svg = plots.intervals([("a", [half])], title="t")
    columns = [f"column-number-{number}" for number in range(20)]
    wide = Table(columns, [["unbreakable"] * 20], WIDE)
    folds = [Folded(name, ["inside"]) for name in ("First fold", "Second fold")]
    blocks = [board, Figure(svg, "a plot"), Table(["n"], [[1]], "a table"), wide, *folds, "And on."]
    path = tmp_path_factory.mktemp("page") / "page.html"
    Report("t", "", [Section("Findings", blocks), Section("Items", [Items(NOTHING, script())])]).save(path)
    return path


@pytest.fixture
def page(chromium: Browser, path: Path) -> Iterator[Page]:
    with chromium.page() as opened:
        opened.open(path.as_uri())
        yield opened
        assert opened.errors == []


def reached(page: Page) -> list[str]:
    """What keys stop at in order to scroll it."""
    return list(page.evaluate("[...document.querySelectorAll('.scroll[tabindex]')].map((box) => box.ariaLabel)"))


def test_keys_stop_only_at_what_can_be_scrolled(page: Page) -> None:
    page.wait("document.querySelectorAll('.scroll[tabindex]').length === 1")
    assert reached(page) == [WIDE]
    page.resize(390)
    page.wait("document.querySelectorAll('.scroll[tabindex]').length === 2")
    assert reached(page) == ["a plot", WIDE]


@pytest.mark.parametrize("width", [390, 1280])
def test_every_score_has_its_n_and_on_a_phone_its_model(page: Page, width: int) -> None:
    page.resize(width)
    assert page.text(".board tbody").count("n = 24") == 8
    told = page.evaluate("getComputedStyle(document.querySelector('.board td'), '::before').content")
    assert told == ('"smollm2"' if width == 390 else "none")


def test_on_paper_a_board_breaks_between_studies_and_folds_are_named_on_one_line(page: Page) -> None:
    page.send("Emulation.setEmulatedMedia", media="print")
    kept = "(what) => getComputedStyle(document.querySelector(what)).breakInside"
    assert [page.evaluate(f"({kept})('{what}')") for what in (".board", ".board tbody")] == ["auto", "avoid"]
    tops = "[...document.querySelectorAll('#findings details')].map((fold) => fold.getBoundingClientRect().top)"
    assert len(set(page.evaluate(tops))) == 1
    before = "getComputedStyle(document.querySelector('#findings details'), '::before').content"
    assert page.evaluate(before) == '"On the page: "'


def test_words_of_a_timeline_stay_inside(chromium: Browser, tmp_path: Path) -> None:
    outside = """[...document.querySelectorAll("svg[role=img]")].flatMap((svg) =>
        [...svg.querySelectorAll("text")].filter((text) => {
            const box = text.getBBox();
            return box.x + box.width > svg.viewBox.baseVal.width + 1;
        }).map((text) => text.textContent))"""
    with chromium.page() as page:
        for name in STORIES:
            title, story = titled_story(name)
            story_report(title, story).save(tmp_path / "story.html")
            page.open((tmp_path / "story.html").as_uri())
            assert page.evaluate(outside) == [], name
