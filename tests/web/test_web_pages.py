"""The pages of a store in a real browser: clicks lead from the list to an answer and back, keys reach everything."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from otherminds.web.pages import to_answer, to_comparison, to_run
from tests.browser import Browser, Page, needs_browser
from tests.web.test_web import LINK, NASTY, make_store

pytestmark = needs_browser

REACHABLE = "a[href], button, input, select, summary, [tabindex='0']"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("web") / "store.db"


@pytest.fixture(scope="module")
def ids(store: Path) -> dict[str, str]:
    return make_store(store)


@pytest.fixture(scope="module")
def site(store: Path, ids: dict[str, str]) -> Iterator[str]:
    """The address of the command's own pages, without the slash at the end."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from otherminds.cli import main; main()", "web", "--no-open", "--store", str(store)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout
    yield process.stdout.readline().strip().removesuffix("/")
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in said) == (0, False), said


def at(page: Page, path: str) -> None:
    """Wait until the page with this address is there."""
    page.wait(f"location.pathname + location.search === {json.dumps(path)} && document.readyState === 'complete'")


def shown(page: Page) -> list[str]:
    """The questions of the answers that are listed."""
    return list(page.evaluate("[...document.querySelectorAll('.records .what')].map((e) => e.firstChild.textContent)"))


def test_clicks_lead_from_the_list_to_an_answer_and_back(browser: Browser, site: str, ids: dict[str, str]) -> None:
    with browser.page() as page:
        page.open(f"{site}/")
        page.click(f"a[href='{to_run(ids['hasty'])}']")
        at(page, to_run(ids["hasty"]))
        page.click(".trail a[href='#items']")
        page.wait("document.querySelector('#items').getBoundingClientRect().top < innerHeight")
        page.click(".records details:nth-child(1) summary")
        page.wait("document.querySelector('.records dl')")
        assert "Sally was away when it was moved." in page.text(".records dl")
        page.click(".records dl a")
        at(page, to_answer(ids["hasty"], "sally-1"))
        assert page.text("h1") == "sally-1"
        assert "hasty, asked by text" in page.text(".lead")
        assert "Where is the marble?" in page.text("#the-story")
        page.click(".trail a:last-child")
        at(page, to_answer(ids["hasty"], "anne-1"))
        page.evaluate("history.back()")
        at(page, to_answer(ids["hasty"], "sally-1"))
        page.click(f".trail a[href='{to_run(ids['hasty'])}']")
        at(page, to_run(ids["hasty"]))
        page.click(f"a[href='{to_comparison(ids['hasty'], ids['careful'])}']")
        at(page, to_comparison(ids["hasty"], ids["careful"]))
        page.click(f"#changed-sides a[href='{to_answer(ids['careful'], 'sally-1')}']")
        at(page, to_answer(ids["careful"], "sally-1"))
        page.click(".trail a[href='/stories']")
        at(page, "/stories")
        page.click("tbody tr:nth-child(1) a")
        at(page, "/stories/sally-anne")
        assert page.evaluate("document.querySelectorAll('svg').length") > 0
        page.click(".trail a[href='/']")
        at(page, "/")
        assert page.errors == []
        assert page.hosts == {"127.0.0.1"}


def test_a_deep_link_opens_an_answer_or_a_filter(browser: Browser, site: str, ids: dict[str, str]) -> None:
    with browser.page() as page:
        page.open(site + to_answer(ids["careful"], "anne-1"))
        assert "Where does Anne look?" in page.text()
        page.open(f"{site}{to_run(ids['hasty'])}#items?verdict=incorrect")
        page.wait("document.querySelector('.records dl')")
        assert shown(page) == ["In which container does Sally think that the marble is?"]


def test_answers_are_filtered_and_searched(browser: Browser, site: str, ids: dict[str, str]) -> None:
    with browser.page() as page:
        page.open(site + to_run(ids["hasty"]))
        assert len(shown(page)) == 2
        page.evaluate("document.querySelector('#by-verdict').focus()")
        page.press("ArrowDown")
        page.wait("document.querySelectorAll('.records details').length === 1")
        assert "Anne" in shown(page)[0]
        page.press("ArrowDown")
        page.wait("document.querySelector('.records .what').textContent.includes('Sally')")
        page.press("ArrowLeft")
        page.press("ArrowLeft")
        page.wait("document.querySelectorAll('.records details').length === 2")
        page.click("#by-q")
        page.type("saw it all")
        page.wait("document.querySelectorAll('.records details').length === 1")
        assert shown(page) == ["Where does Anne look?"]
        page.wait("location.hash.includes('saw')")
        page.reload()
        assert shown(page) == ["Where does Anne look?"]
        assert page.errors == []


def test_tab_and_enter_reach_everything_and_the_focus_is_seen(browser: Browser, site: str, ids: dict[str, str]) -> None:
    with browser.page() as page:
        for path in ("/", to_run(ids["hasty"]), to_answer(ids["hasty"], "sally-1"), "/stories/sally-anne"):
            page.open(site + path)
            page.evaluate(
                f"window.left = new Set([...document.querySelectorAll({json.dumps(REACHABLE)})]"
                ".filter((element) => element.checkVisibility()))"
            )
            for _ in range(int(page.evaluate("left.size")) + 10):
                page.press("Tab")
                page.evaluate("left.delete(document.activeElement)")
                outlined = "document.activeElement === document.body || "
                assert page.evaluate(f"{outlined}getComputedStyle(document.activeElement).outlineStyle !== 'none'"), (
                    path
                )
            assert page.evaluate("[...left].map((element) => element.outerHTML.slice(0, 120))") == [], path
        page.open(f"{site}/")
        while page.evaluate("document.activeElement.getAttribute('href')") != to_run(ids["hasty"]):
            page.press("Tab")
        page.press("Enter")
        at(page, to_run(ids["hasty"]))


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out(browser: Browser, site: str, ids: dict[str, str], width: int) -> None:
    answers = [to_answer(ids["nasty"], item.id) for item in NASTY]
    paths = ["/", *map(to_run, ids.values()), *answers, to_answer(ids["hasty"], "sally-1"), "/stories", "/nothing"]
    paths += [to_comparison(ids["careful"], ids["hasty"]), "/stories/false-trail"]
    with browser.page(width=width) as page:
        for path in paths:
            page.open(site + path)
            page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
            assert page.overflow == [], path


def test_no_text_of_a_store_ever_runs(browser: Browser, site: str, ids: dict[str, str]) -> None:
    with browser.page() as page:
        for path in ("/", to_run(ids["nasty"]), *(to_answer(ids["nasty"], item.id) for item in NASTY)):
            page.open(site + path)
            for number in range(int(page.evaluate("document.querySelectorAll('summary').length"))):
                page.evaluate(f"document.querySelectorAll('summary')[{number}].id ||= 'summary-{number}'")
                page.click(f"#summary-{number}")
            assert page.evaluate("window.ran") is None, path
            assert (
                page.evaluate(
                    'document.querySelectorAll(\'img, form, iframe, a:not([href^="/"], [href^="#"])\').length'
                )
                == 0
            )
            assert page.errors == [], path
        page.open(site + to_answer(ids["nasty"], LINK))
        assert page.text("h1") == LINK
        page.click("#what-is-known-of-the-item a")
        page.wait("location.pathname.endsWith('answer.json')")
        assert page.evaluate("document.contentType") == "application/json"
        assert page.evaluate("window.ran") is None
        assert page.hosts == {"127.0.0.1"}
