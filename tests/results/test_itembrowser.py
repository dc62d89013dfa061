"""Every answer in a page, in a real browser: found by filters, words and links, opened, and never run as code."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from otherminds.heuristics.readers import realist
from otherminds.items import Item, Suite
from otherminds.minds.questions import quiz
from otherminds.minds.stories import load_story
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Linked, Report, Section, Table
from otherminds.results.answers import Answers
from otherminds.results.itembrowser import Part, browser, leads_to, link, records, script
from otherminds.runs.runs import Run, run
from otherminds.studies.starter.study import starter
from tests.browser import Browser, Page, needs_browser

HOSTILE = (
    "</script><script>document.title='run'</script><img src=x onerror=\"document.title='run'\"> \u2028 \u202e"
    " <b onclick=alert(1)>[here](javascript:alert(2))</b>"
)


def hostile() -> Run:
    """A suite, an item and a model that mean no good."""
    item = Item("bad-<i>", f"Who? {HOSTILE}", HOSTILE, f"Once upon {HOSTILE}", (HOSTILE, "no"), tags={"kind": HOSTILE})
    suite = Suite(f"odd {HOSTILE}", (item,), score="text", prompt="direct")
    return run(suite, Scripted(lambda _: HOSTILE, name="bad"))


@pytest.fixture(scope="module")
def told() -> dict[str, Run]:
    story = quiz(load_story("sally-anne"), order=2)
    suite = starter()
    return {"story": run(story, realist(story)), "starter": run(suite, realist(suite)), "odd": hostile()}


@pytest.fixture(scope="module")
def page_file(told: dict[str, Run], tmp_path_factory: pytest.TempPathFactory) -> Path:
    block = browser([Part(name, [each]) for name, each in told.items()])
    to = link("starter", {"model": "realist", "false_belief": "true"})
    table = Table(["what", "value"], [["false beliefs", Linked(0.0, to)]], "Findings")
    path = tmp_path_factory.mktemp("page") / "page.html"
    Report("Answers", "All of them.", [Section("Findings", [table]), Section("Items", [block])]).save(path)
    return path


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with Browser() as one:
        yield one


@pytest.fixture(params=[390, 1280], ids=["phone", "desk"])
def page(request: pytest.FixtureRequest, chromium: Browser, page_file: Path) -> Iterator[Page]:
    with chromium.page(width=request.param, height=900) as opened:
        opened.open(page_file.as_uri())
        yield opened
        assert opened.errors == []
        assert opened.overflow == []
        assert opened.hosts <= {""}
        assert opened.evaluate("document.title") == "Answers"


def test_texts_are_there_once_and_prompts_are_whole(told: dict[str, Run]) -> None:
    data = records([Part("starter", [told["starter"]])])
    assert len(data["texts"]) == len(set(data["texts"]))
    for record, found in zip(told["starter"].records, data["records"], strict=True):
        for result, (pieces, _) in zip(record.results, found["calls"], strict=True):
            assert "".join(data["texts"][piece] for piece in pieces) == result.rendered
        assert data["texts"][data["items"][found["item"]]["context"]] == record.item.context


def test_a_story_comes_with_who_believes_what(told: dict[str, Run]) -> None:
    data = records([Part("story", [told["story"]])])
    question = "In which container does Anne think that Sally thinks the marble is?"
    item = next(each for each in data["items"] if each["question"] == question)
    (matter,) = data["beliefs"][item["beliefs"]]["matters"]
    lanes = dict(matter["lanes"])
    assert lanes["world"][-1] == "box"
    assert lanes["Sally"][-1] == lanes["Anne › Sally"][-1] == "basket"


@pytest.mark.parametrize(
    "meta",
    [
        {"gold": "basket"},
        {"gold": [["a"], 3], "sentences": ["x", "y"]},
        {"gold": [[1], [None]], "sentences": "one"},
        {"events": "none"},
        {"events": [{"do": "fly"}]},
        {"events": [], "premises": ["odd"]},
        {"events": [{"do": "enter_room", "person": "Ann", "room": "den"}], "minds": 7, "about": None},
    ],
)
def test_whatever_meta_holds_the_item_can_be_shown(meta: dict[str, Any]) -> None:
    suite = Suite("odd", (Item("a", "Where?", "x", choices=("x", "y"), meta=meta),))
    data = records([Part("odd", [run(suite, Scripted(lambda _: "A", name="m"))])])
    assert data["items"][0]["question"] == "Where?"


def test_properties_lead_to_exactly_the_answers_behind_a_number() -> None:
    items = tuple(Item(f"i{n}", f"Where {n}?", "x", "", ("x", "y"), tags={"order": n % 2}) for n in range(6))
    suite = Suite("few", items, score="text", prompt="direct")
    shy = run(suite, Scripted(lambda prompt: "Who knows?" if "Where 1?" in str(prompt) else "x", name="shy"))
    runs = [shy, run(suite, Scripted(lambda _: "y", name="y"))]
    table = Answers.of(runs)
    odd = table.where(model="shy", order=1)
    to = {"model": "shy", "order": "1"}

    def leads(*ids: str) -> dict[str, str]:
        return leads_to(Answers(row for row in table if row.model == "shy" and row.item.id in ids), table)

    assert leads_to(odd, table) == to
    assert leads_to(odd.with_value(), table) == {**to, "verdict": "correct|incorrect"}
    assert leads_to(odd[:2], table) == {**to, "id": "i1|i3"}
    assert leads_to(table.where(order=1), table) == {"model": "shy|y", "order": "1"}
    assert leads("i0", "i1") == {"model": "shy", "id": "i0|i1"}, "what no tag tells is told by ids"
    none = Answers((row for row in table if row.item.id == "i0"), odd.wanted)
    assert leads_to(none, table) == {}, "no filter can add what the properties leave out"


def test_nothing_in_the_data_ends_the_script_element(told: dict[str, Run]) -> None:
    text = str(browser([Part("odd", [told["odd"]])]).json)
    assert "<" not in text
    text.encode()
    assert json.loads(text)["records"][0]["said"].startswith("</script>")
    assert "innerHTML" not in script()


def choose(page: Page, name: str, value: str) -> None:
    """As a person does in a list of options; the list itself is drawn by the system, and cannot be clicked."""
    one = f"document.querySelector('#by-{name}')"
    page.evaluate(f"{one}.value = '{value}'; {one}.dispatchEvent(new Event('change'))")


@needs_browser
def test_filters_and_words_find_answers(page: Page) -> None:
    assert page.text(".count") == "56 of 56 answers, 27 of them right"
    choose(page, "study", "starter")
    page.wait("document.querySelector('.count').textContent.startsWith('48 of')")
    assert page.evaluate("location.hash") == "#items?study=starter"
    page.evaluate("document.querySelector('#by-q').focus()")
    page.type("teapot nadia")
    page.wait("document.querySelector('.count').textContent.startsWith('2 of')")
    assert page.evaluate("document.activeElement.id") == "by-q"
    choose(page, "verdict", "incorrect")
    page.wait("document.querySelector('.count').textContent.startsWith('1 of')")
    page.wait("document.querySelector('.records dl')")
    for part in ("Nadia runs a small bakery", "prompt 1, exactly as sent", "what came back 2", "did not see the move"):
        assert part in page.text(".records")


@needs_browser
def test_an_item_opens_by_a_click_and_shows_the_timeline(page: Page) -> None:
    page.evaluate("location.hash = '#items?study=story&order=2'")
    page.wait("document.querySelector('.chip')")
    assert page.text(".chip") == "order: 2 ✕"
    page.click(".records summary")
    page.wait("document.querySelector('.records details[open] table')")
    assert "✗ basket" in page.text(".records table")
    page.click(".chip")
    page.wait("!document.querySelector('.chip')")
    assert page.evaluate("location.hash") == "#items?study=story"


@needs_browser
def test_a_number_leads_to_its_items(page: Page) -> None:
    page.click("td a")
    page.wait("document.querySelector('.count').textContent.startsWith('24 of')")
    assert page.evaluate("document.querySelector('#by-model').value") == "realist"
    assert page.evaluate("document.querySelector('#items').getBoundingClientRect().top < innerHeight")
    page.send("Page.reload")
    page.wait("document.querySelector('.count')?.textContent.startsWith('24 of')")


@needs_browser
def test_what_a_model_says_is_text_and_nothing_else(page: Page) -> None:
    page.evaluate("location.hash = '#items?study=odd'")
    page.wait("document.querySelector('.records dl')")
    shown = page.text(".records")
    for part in ("</script><script>document.title='run'</script>", "onerror=", "⟨U+2028⟩", "⟨U+202E⟩"):
        assert part in shown
    assert page.evaluate("document.querySelectorAll('#browser img, #browser script, #browser [onclick]').length") == 0


@needs_browser
def test_it_can_be_used_with_the_keyboard(page: Page) -> None:
    page.evaluate("document.querySelector('.records summary').focus()")
    page.press("Enter")
    page.wait("document.querySelector('.records details[open] dl')")


def test_an_item_without_a_right_answer_is_neither_right_nor_wrong() -> None:
    item = Item("open", "What next?", "tin", "", ("tin", "jar"), tags={"scored": False})
    suite = Suite("open", (item,))
    (record,) = records([Part("open", [run(suite, realist_of_nothing())])])["records"]
    assert record["verdict"] == "unscored"


def realist_of_nothing() -> Scripted:
    """Prefers whatever comes first."""
    return Scripted(lambda _: "A", name="first", weigh=lambda prompt: {prompt.choices[0]: 0.9, prompt.choices[1]: 0.05})
