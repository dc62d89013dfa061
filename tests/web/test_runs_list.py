"""Runs as a place to work: sorting, filters, tags and notes, eight runs side by side, a run under way."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from threading import Event, Thread

import pytest

import otherminds as om
from otherminds.errors import BadFile
from otherminds.store.store import Store
from otherminds.web.run_page import Note, Notes
from otherminds.web.serving import PageRequest, PageServer
from otherminds.web.site import Site
from tests.browser import Browser, needs_browser

ALL = ("oracle", "realist", "decoy", "last_mention", "random", "option_only", "longest_option", "first_order")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "a.db"
    for name in ("oracle", "realist", "random"):
        om.run("starter", f"baseline:{name}", store=path, quiet=True)
    return path


@pytest.fixture
def server(store: Path) -> Iterator[PageServer]:
    with served(store) as server:
        yield server


@contextmanager
def served(store: Path) -> Iterator[PageServer]:
    with PageServer(Site(store).respond, read_only=True, takes=("/notes",)) as server:
        thread = Thread(target=server.serve, daemon=True)
        thread.start()
        yield server
        server.stop()
        thread.join()


def post(server: PageServer, path: str, body: object, *, token: str | None = None) -> tuple[int, dict[str, object]]:
    connection = HTTPConnection("127.0.0.1", server.port)
    headers = {"X-Otherminds-Token": server.token if token is None else token}
    connection.request("POST", path, json.dumps(body), headers)
    reply = connection.getresponse()
    said = reply.read()
    connection.close()
    return reply.status, json.loads(said) if said else {}


def test_tags_and_notes_lie_beside_the_store(server: PageServer, store: Path) -> None:
    before = store.read_bytes()
    with Store(store, read_only=True) as opened:
        run = opened.runs()[0].id
    assert post(server, "/notes", {"run": run, "tags": ["good", "good"], "note": " <b>see</b> "}) == (
        200,
        {"tags": ["good"], "note": "<b>see</b>"},
    )
    assert Notes(store).read()[run].tags == ("good",)
    page = Site(store).respond(PageRequest("GET", "/", {}, {}, "token")).text
    assert "#good &lt;b&gt;see&lt;/b&gt;" in page
    assert store.read_bytes() == before
    assert post(server, "/notes", {"run": run})[0] == 200
    assert Notes(store).read() == {}


def test_what_is_no_note_is_refused(server: PageServer, store: Path) -> None:
    with Store(store, read_only=True) as opened:
        run = opened.runs()[0].id
    assert post(server, "/notes", {"run": run}, token="another")[0] == 403
    assert post(server, "/notes", {"run": "none"})[0] == 400
    assert post(server, "/notes", {"run": run, "tags": ["two words"]})[0] == 400
    assert post(server, "/notes", {"run": run, "note": "x" * 5000})[0] == 400
    assert post(server, "/", {"run": run})[0] == 405
    Notes(store).path.write_text("[1]", encoding="utf-8")
    with pytest.raises(BadFile, match="is damaged; mend it"):
        Notes(store).read()


def test_up_to_eight_runs_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "b.db"
    ids = [om.run("starter", f"baseline:{name}", store=path, limit=24, quiet=True).id for name in ALL]
    site = Site(path)
    page = site.respond(PageRequest("GET", "/compare", {"runs": ",".join(ids)}, {}, ""))
    assert page.status == 200
    assert "8 runs side by side" in page.text
    assert page.text.count(">A − ") == 7 * 5
    assert "p is adjusted (Holm) for 7 lines of all items" in page.text
    assert "false belief" in page.text
    alone = site.respond(PageRequest("GET", "/compare", {"runs": ids[0]}, {}, ""))
    assert (alone.status, "Two to 8 runs can be compared" in alone.text) == (400, True)
    assert site.respond(PageRequest("GET", "/compare", {"runs": f"{ids[0]},none"}, {}, "")).status == 404


@contextmanager
def under_way(path: Path) -> Iterator[Event]:
    """A run that waits in its middle until the event is set, and then comes to its end."""
    asked, go_on = Event(), Event()

    def answer(prompt: om.Prompt) -> str:
        if "Tom" not in str(prompt):
            asked.set()
            go_on.wait(30)
        return "A"

    model = om.Scripted(answer, name="slow")
    thread = Thread(target=lambda: om.run("starter", model, score="text", prompt="direct", store=path, quiet=True))
    thread.start()
    assert asked.wait(30)
    yield go_on
    go_on.set()
    thread.join()


def test_how_far_a_run_is_that_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    with under_way(path):
        news = json.loads(Site(path).respond(PageRequest("GET", "/runs.json", {}, {}, "")).text)
        listed = Site(path).respond(PageRequest("GET", "/", {}, {}, "")).text
    assert [one["wanted"] for one in news["running"]] == [48]
    assert news["running"][0]["made"] < 48
    assert ">running</td>" in listed
    after = json.loads(Site(path).respond(PageRequest("GET", "/runs.json", {}, {}, "")).text)
    assert (after["running"], after["mark"] == news["mark"]) == ([], False)


@needs_browser
def test_a_person_sorts_filters_tags_and_compares(server: PageServer, store: Path) -> None:
    with Browser() as browser, browser.page(width=1280) as page:
        page.open(server.url)
        page.click("thead th:nth-child(5) button")
        firsts = "[...document.querySelectorAll('tbody tr')].filter((r) => !r.hidden).map((r) => r.cells[2].innerText)"
        assert page.evaluate(firsts)[0] == "realist"
        page.click("thead th:nth-child(5) button")
        assert page.evaluate(firsts)[0] == "oracle"
        page.click("tbody tr:first-child td:last-child button")
        page.type("best")
        page.click("tbody tr:first-child td:last-child button")
        page.wait("document.querySelector('tbody tr td:last-child').innerText.includes('#best')")
        assert [note.tags for note in Notes(store).read().values()] == [("best",)]
        page.evaluate("document.querySelector('[data-filter=tag]').value = 'best'")
        page.evaluate("document.querySelector('[data-filter=tag]').dispatchEvent(new Event('change'))")
        assert page.evaluate(firsts) == ["oracle"]
        assert page.evaluate("location.hash") == "#tag=best"
        page.reload()
        assert page.evaluate(firsts) == ["oracle"], "the address keeps the filter"
        page.evaluate("history.replaceState(null, '', '/')")
        page.reload()
        for row in (1, 2, 3):
            page.click(f"tbody tr:nth-child({row}) input[type=checkbox]")
        page.click("#browser button")
        page.wait("document.title.includes('3 runs side by side')")
        assert page.errors == []
        assert page.hosts == {"127.0.0.1"}
        page.resize(390)
        page.open(server.url)
        assert page.overflow == []


@needs_browser
def test_tags_and_note_are_changed_on_the_page_of_the_run(server: PageServer, store: Path) -> None:
    with Store(store, read_only=True) as opened:
        run = opened.runs()[0].id
    with Browser() as browser, browser.page(width=390) as page:
        page.open(f"{server.url}runs/{run}")
        page.click("#this-run button")
        page.type("best")
        page.click("#this-run input:nth-of-type(2)")
        page.type("<b>see")
        page.click("#this-run button")
        page.wait("document.querySelector('#this-run tbody').innerText.includes('#best <b>see')")
        assert (page.errors, page.overflow) == ([], [])
        page.reload()
        assert "finished" in page.text("#this-run tbody")
        assert "#best <b>see" in page.text("#this-run tbody")
        assert page.evaluate("document.querySelectorAll('.records details').length"), "its answers are there as ever"
    assert Notes(store).read()[run] == Note(("best",), "<b>see")


@needs_browser
def test_a_run_under_way_is_seen_to_go_on_and_to_end(tmp_path: Path) -> None:
    path = tmp_path / "d.db"
    with under_way(path) as go_on, served(path) as server, Browser() as browser:
        with Store(path, read_only=True) as opened:
            run = opened.runs()[0].id
        with browser.page() as listed, browser.page() as alone:
            listed.open(server.url)
            alone.open(f"{server.url}runs/{run}")
            for page in (listed, alone):
                page.wait("/running: \\d+ of 48 calls/.test(document.querySelector('tbody')?.innerText)")
            go_on.set()
            for page in (listed, alone):
                page.wait("/finished/.test(document.querySelector('tbody')?.innerText)")
                assert page.errors == []
