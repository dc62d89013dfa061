"""Two runs side by side, on the screen and as a page of its own."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from otherminds.asking.runs import Run, run
from otherminds.asking.store import Store
from otherminds.cli import cli
from otherminds.items import Item, Suite
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.results.measures import compare
from otherminds.web.pages import comparison, left_out
from tests.browser import Browser, Page, needs_browser

SUITE = Suite(
    "few",
    tuple(
        Item(
            f"item-{number}",
            f"Where is number {number}?",
            "tin" if number % 2 else "jar",
            "Look.",
            ("tin", "jar"),
            tags={"story": f"s{number // 2}", "false_belief": bool(number % 2)},
            meta={"why": "so it was told"},
        )
        for number in range(16)
    ),
    score="text",
    prompt="direct",
)


def halting(prompt: Prompt) -> str:
    """The jar, but nothing that can be read about number 5."""
    return "Who knows?" if "number 5?" in str(prompt) else "jar"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compare") / "store.db"


@pytest.fixture(scope="module")
def runs(path: Path) -> tuple[Run, Run]:
    """A run of all items, and one of the first twelve."""
    with Store(path) as store:
        tin = run(SUITE, Scripted(lambda _: "tin", name="tin"), store=store)
        return tin, run(SUITE, Scripted(halting, name="jar"), store=store, limit=12)


def test_what_is_left_out_says_why(runs: tuple[Run, Run]) -> None:
    found = compare(*runs)
    assert found.unpaired == 5
    assert left_out(*runs, found) == (
        "Left out: 4 items that only one of the runs was asked; 1 item that both were asked and one has no value for"
        " (answers: 1 unparsed)."
    )
    assert left_out(runs[0], runs[0], compare(runs[0], runs[0])) == ""


def test_the_screen_and_the_page_say_the_same(runs: tuple[Run, Run], path: Path, tmp_path: Path) -> None:
    page = tmp_path / "c.html"
    ids = [each.id for each in runs]
    done = CliRunner().invoke(cli, ["compare", *ids, "--store", str(path), "-o", str(page)])
    assert done.exit_code == 0, done.output
    html = page.read_text(encoding="utf-8")
    for said in (done.stdout, html):
        assert "Left out: 4 items that only one of the runs was asked; 1 item" in said
        assert "too few" in said
        assert "item-1" in said
    assert "above B" not in html
    assert "A less B, right answers to the same items: −0.09 [−" in html


def test_lines_that_rest_on_too_few_stories_have_no_p(runs: tuple[Run, Run], path: Path) -> None:
    ids = [each.id for each in runs]
    done = CliRunner().invoke(cli, ["compare", *ids, "--store", str(path), "--json"])
    rows = json.loads(done.stdout)["rows"]
    assert [row["holm"] is None for row in rows] == [row["clusters"] < 6 for row in rows]


def test_as_a_file_it_leads_to_its_own_items(runs: tuple[Run, Run]) -> None:
    found = compare(*runs)
    html = comparison(*runs, found, saved=True).html()
    assert html.count('href="#items?study=A&amp;id=') == len(found.gained) + len(found.lost)
    assert 'href="#items?model=tin%7Cjar&amp;false_belief=true&amp;id=item-1%7Citem-11%7C' in html
    assert 'href="/' not in html


@pytest.fixture(scope="module")
def opened(runs: tuple[Run, Run], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    path = tmp_path_factory.mktemp("page") / "c.html"
    comparison(*runs, compare(*runs), saved=True).save(path)
    with Browser() as browser, browser.page() as page:
        page.open(path.as_uri())
        yield page


@needs_browser
def test_answers_to_one_item_stand_together(opened: Page) -> None:
    about = "[...document.querySelectorAll('.records summary')].slice(0, 4)"
    shown = opened.evaluate(
        f"{about}.map((one) => [one.innerText.match(/number \\d+/)[0], one.innerText.match(/^[AB] /m)[0]])"
    )
    assert shown == [["number 0", "A "], ["number 0", "B "], ["number 1", "A "], ["number 1", "B "]]
    assert opened.text(".filters label").startswith("run")


@needs_browser
def test_a_line_of_the_table_leads_to_its_items(opened: Page) -> None:
    # Five items have an answer of both that can be read, of eight and six that were asked.
    opened.click("a[href^='#items?model=tin%7Cjar&false_belief=true']")
    opened.wait("document.querySelector('.count').textContent.startsWith('10 of 28')")
    opened.click("a[href='#items?study=B&id=item-1']")
    opened.wait("document.querySelector('.records dl')")
    assert "so it was told" in opened.text(".records dl")
    assert opened.errors == []


@needs_browser
def test_items_that_changed_sides_are_printed(opened: Page) -> None:
    opened.send("Emulation.setEmulatedMedia", media="print")
    assert "Where is number 1?" in opened.text("#changed-sides")
    assert not opened.evaluate("document.querySelector('#items').checkVisibility()")
    opened.send("Emulation.setEmulatedMedia", media="")
