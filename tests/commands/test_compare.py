"""Two to eight runs side by side, on the screen and as a page of its own."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

import otherminds as om
from otherminds.cli import cli
from otherminds.errors import UsageError
from otherminds.items import Item, Suite
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.results.measures import compare
from otherminds.runs.runs import Run, run
from otherminds.store.store import Store
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


@pytest.fixture(scope="module")
def four(path: Path, runs: tuple[Run, Run]) -> list[Run]:
    """Somebody who is right in all, and three who are right in ever fewer."""

    def knows(wrong: int) -> Scripted:
        def answer(prompt: Prompt) -> str:
            number = int(re.findall(r"number (\d+)", str(prompt))[-1])
            return ("tin", "jar")[(number % 2 == 0) != (number < wrong)]

        return Scripted(answer, name=f"wrong-{wrong}")

    with Store(path) as store:
        return [run(SUITE, knows(wrong), store=store) for wrong in (0, 2, 14, 16)]


def stepped_down(ps: list[float]) -> list[float]:
    """Holm's p by his own words: the smallest times all, the next times all but one, and none below one before."""
    places = sorted(range(len(ps)), key=ps.__getitem__)
    highest, found = 0.0, dict.fromkeys(places, 0.0)
    for rank, place in enumerate(places):
        highest = max(highest, min(1.0, ps[place] * (len(ps) - rank)))
        found[place] = highest
    return [found[place] for place in range(len(ps))]


def test_p_of_several_pairs_is_adjusted_for_all_of_them(four: list[Run]) -> None:
    found = om.compare(*four)
    whole = [pair.rows[0] for pair in found.pairs]
    assert [row.difference.value for row in whole] == [2 / 16, 14 / 16, 1.0]
    assert [row.holm for row in whole] == pytest.approx(stepped_down([row.difference.p for row in whole]))
    kinds = [row for pair in found.pairs for row in pair.rows[1:]]
    assert [row.holm for row in kinds] == pytest.approx(stepped_down([row.difference.p for row in kinds]))
    assert [row.difference for row in whole] == [compare(four[0], one).rows[0].difference for one in four[1:]]
    assert any(row.holm > compare(four[0], four[2]).rows[0].holm for row in whole)


def test_screen_page_json_and_notebook_say_the_same_of_four(four: list[Run], path: Path, tmp_path: Path) -> None:
    page, words = tmp_path / "c.html", ["compare", *(each.id for each in four), "--store", str(path)]
    done = CliRunner().invoke(cli, [*words, "-o", str(page)])
    assert done.exit_code == 0, done.output
    html, shown = page.read_text(encoding="utf-8"), om.compare(*four)._repr_html_().replace("\xa0", " ")
    for said in (done.stdout, html, shown):
        assert "p is adjusted (Holm) for 3 lines of all items, and for 6 of kinds of items" in said
        assert said.count("A − D") == 3
    assert 'href="/' not in html
    data = json.loads(CliRunner().invoke(cli, [*words, "--json"]).stdout)
    assert [pair["rows"][0]["value"] for pair in data["pairs"]] == [2 / 16, 14 / 16, 1.0]
    assert [len(pair["gained"]) for pair in data["pairs"]] == [2, 14, 16]


@pytest.mark.parametrize("number", [1, 9])
def test_two_to_eight_runs_are_compared(four: list[Run], number: int) -> None:
    with pytest.raises(UsageError, match=f"two to 8 runs can be compared, not {number}"):
        om.compare(*[four[0]] * number)
