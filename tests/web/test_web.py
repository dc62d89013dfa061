"""The store as pages: every page is there and says what the store says, nothing is written, and no text ever acts."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from html.parser import HTMLParser
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from threading import Thread
from urllib.parse import urljoin

import pytest
from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.errors import StoreError, UsageError
from otherminds.items import Item, Suite
from otherminds.minds.stories import STORIES, load_story
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Linked, Report, minus
from otherminds.results.measures import compare, mean_of
from otherminds.results.reading import record_data
from otherminds.results.summary import summarise
from otherminds.runs.runs import Budget, load, run
from otherminds.store.store import Store
from otherminds.web.pages import to_answer, to_comparison, to_json, to_run, to_story
from otherminds.web.serving import PageRequest, PageServer
from otherminds.web.site import Site

HOSTILE = (
    "</script></pre></title><script>window.ran = 'script'</script><!--"
    "<img src=x onerror=\"window.ran = 'image'\">\"' onmouseover=\"window.ran = 'mouse'\" "
    "[link](javascript:window.ran='link') <a href=\"javascript:window.ran='a'\">click</a> `{{ 7 * 7 }}` **\u202e"
)
LINK = "javascript:window.ran='address'"
EVENTS = load_story("sally-anne").to_dicts()
PLAIN = Suite(
    "plain",
    (
        Item(
            "sally-1",
            "In which container does Sally think that the marble is?",
            "basket",
            "Sally left. Anne moved the marble into the box.",
            ("basket", "box"),
            tags={"false_belief": True, "story": "a"},
            meta={"events": EVENTS, "minds": ["Sally"], "about": "marble", "why": "Sally was away when it was moved."},
        ),
        Item("anne-1", "Where does Anne look?", "box", "Anne saw it all.", ("basket", "box"), tags={"story": "b"}),
    ),
    score="text",
    prompt="direct",
)
NASTY = Suite(
    HOSTILE,
    (
        Item("../../etc/passwd?a=b&c#d%00", HOSTILE, HOSTILE, HOSTILE, ("no", HOSTILE), tags={HOSTILE: HOSTILE}),
        Item(LINK, LINK, LINK, LINK, (LINK, "yes"), meta={"why": HOSTILE, "events": [{"do": HOSTILE}]}),
        Item(HOSTILE, "Who?", "W" * 400, "x", tags={"story": LINK}, meta={"gold": [[HOSTILE]], "sentences": [HOSTILE]}),
        Item("..", "日本?", "é", "日本" * 100, ("é", LINK), meta={"events": EVENTS, "minds": [HOSTILE]}),
    ),
    score="text",
    prompt="direct",
)


def careful(prompt: Prompt) -> str:
    """What Sally believes and what Anne knows."""
    return "basket" if "Sally" in prompt.messages[-1].content else "box"


def make_store(path: Path) -> dict[str, str]:
    """A store with runs to look at, and their ids by name."""
    with Store(path) as store:
        made = {
            "careful": run(PLAIN, Scripted(careful, name="careful"), store=store),
            "hasty": run(PLAIN, Scripted(lambda _: "box", name="hasty"), store=store),
            "nasty": run(NASTY, Scripted(lambda _: HOSTILE, name=HOSTILE), store=store),
            "halted": run(PLAIN, Scripted(lambda _: "box", name="halted"), store=store, budget=Budget(calls=0)),
        }
        return {name: one.id for name, one in made.items()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "store.db"


@pytest.fixture
def ids(path: Path) -> dict[str, str]:
    return make_store(path)


@pytest.fixture
def server(path: Path, ids: dict[str, str]) -> Iterator[PageServer]:
    with PageServer(Site(path).respond, read_only=True) as server:
        thread = Thread(target=server.serve)
        thread.start()
        yield server
        server.stop()
        thread.join()


def ask(server: PageServer, path: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, str]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request(method, path, headers=headers)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply, text


class Seen(HTMLParser):
    """A page as a browser takes it apart."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def links(self) -> list[str]:
        return [attrs["href"] for tag, attrs in self.elements if tag == "a"]


def page(server: PageServer, path: str) -> Seen:
    reply, text = ask(server, path)
    assert reply.status == 200, text
    return Seen(text)


def answers(path: Path, run_id: str) -> list[str]:
    """The addresses of a run's answers."""
    with Store(path, read_only=True) as store:
        return [to_answer(run_id, record.item.id) for record in load(store, run_id).records]


def test_every_link_leads_to_a_page_and_none_to_anything_else(
    server: PageServer, path: Path, ids: dict[str, str]
) -> None:
    waiting, seen = ["/", *(link for id in ids.values() for link in answers(path, id))], set()
    while waiting:
        address = waiting.pop()
        seen.add(address)
        reply, text = ask(server, address)
        assert reply.status == 200, address
        if reply.headers["Content-Type"].startswith("text/html"):
            for link in Seen(text).links:
                assert re.match(r"#|/(?!/)", link), link
                if link[0] == "/" and link not in seen:
                    waiting.append(link)
    assert {to_run(id) for id in ids.values()} <= seen
    assert {to_story(name) for name in STORIES} <= seen
    assert {to_comparison(ids["careful"], ids["hasty"]), to_json(ids["nasty"], "..")} <= seen


def test_the_list_says_what_the_runs_say(server: PageServer, path: Path, ids: dict[str, str]) -> None:
    text = re.sub(r"\s+", " ", page(server, "/").text)
    with Store(path, read_only=True) as store:
        for id in ids.values():
            one = load(store, id)
            assert id in text
            assert one.model.replace("\u202e", "U+202E") in text
            if right := mean_of(one):
                assert f"{right.value:.2f} [{right.low:.2f}, {right.high:.2f}] {right.n} of {len(one)}" in text
    assert text.count(" not finished ") == 2


def test_a_run_has_its_report_and_its_answers(server: PageServer, path: Path, ids: dict[str, str]) -> None:
    _, html = ask(server, to_run(ids["careful"]))
    with Store(path, read_only=True) as store:
        assert summarise([load(store, ids["careful"])]).lead in Seen(html).text
    (data,) = re.findall(r'id="records">(.*?)</script>', html)
    held = json.loads(data)
    assert [item["id"] for item in held["items"]] == ["sally-1", "anne-1"]
    assert held["pages"] == [f"/runs/{ids['careful']}/answer"]


def test_an_answer_is_shown_whole(server: PageServer, path: Path, ids: dict[str, str]) -> None:
    shown = page(server, to_answer(ids["hasty"], "sally-1"))
    with Store(path, read_only=True) as store:
        record = load(store, ids["hasty"]).records[0]
    for text in (
        *(record.item.context, record.item.question, record.results[0].rendered, record.score.why),
        *(
            "Sally was away when it was moved.",
            "Incorrect: hasty",
            "basket (right)",
            "box (said)",
            "Where is the marble?",
        ),
    ):
        assert text in shown.text, text
    assert "✗ basket" in shown.text, "Sally's belief is false in the timeline"
    reply, text = ask(server, to_json(ids["hasty"], "sally-1"))
    assert reply.headers["Content-Type"] == "application/json; charset=utf-8"
    assert json.loads(text) == json.loads(json.dumps(record_data(record)))


def test_steps_stand_beside_what_the_model_wrote(server: PageServer, path: Path, ids: dict[str, str]) -> None:
    with Store(path) as store:
        row = store.run(ids["careful"])
        (line, *_) = store.records(row.id)
        line["item"]["meta"] = {
            "gold": [["basket"], ["basket", "box"]],
            "sentences": ["First.", "Then."],
            "target": "Sally",
        }
        line["score"]["detail"] = {"states": ["here", "there"]}
        store.keep_run(replace(row, id="steps"), [line])
    text = re.sub(r"\s+", " ", page(server, to_answer("steps", "sally-1")).text)
    assert "What Sally believes" in text
    assert "1 First. basket here 2 Then. basket or box there" in text


def test_two_runs_are_compared_as_everywhere(server: PageServer, path: Path, ids: dict[str, str]) -> None:
    shown = page(server, to_comparison(ids["careful"], ids["hasty"]))
    with Store(path, read_only=True) as store:
        found = compare(load(store, ids["careful"]), load(store, ids["hasty"]))
    assert found.gained == ("sally-1",)
    for row in found.rows:
        assert row.items in shown.text
        assert minus(str(row.difference)) in shown.text
    assert "Only A is right: 1" in shown.text
    assert [link for link in shown.links if "sally-1" in link] == [
        to_answer(ids["careful"], "sally-1"),
        to_answer(ids["hasty"], "sally-1"),
    ]
    assert to_comparison(ids["careful"], ids["hasty"]) in page(server, to_run(ids["careful"])).links


@pytest.mark.parametrize(
    ("address", "status"),
    [
        *(("/nothing", 404), ("/runs", 404), ("/runs/", 404), ("/runs/x", 404), ("/runs/%2e%2e", 404)),
        *(("/runs/x/answer?item=sally-1", 404), ("/RUN/answer?item=sally-2", 404), ("/RUN/answer", 404)),
        *(("/RUN/answer.json", 404), ("/RUN/answer.xml?item=sally-1", 404), ("/RUN/", 404)),
        *(("/stories/", 404), ("/stories/x", 404), ("/stories/sally-anne.json", 404), ("/stories/..%2f..%2fx", 404)),
        *(("/../store.db", 404), ("/%2e%2e/store.db", 404), ("/store.db", 404), ("/etc/passwd", 404)),
        *(("/compare", 404), ("/compare?a=RUN&b=x", 404), ("/compare?a=RUN&b=NASTY", 400), (to_run(HOSTILE), 404)),
    ],
)
def test_a_strange_address_gets_a_page_with_a_sentence(
    server: PageServer, ids: dict[str, str], address: str, status: int
) -> None:
    address = address.replace("/RUN", f"/runs/{ids['careful']}").replace("=RUN", f"={ids['careful']}")
    reply, text = ask(server, address.replace("NASTY", ids["nasty"]))
    assert reply.status == status
    assert "/" in Seen(text).links
    assert re.search(r'<p class="lead">[A-Z].+\.</p>', text)


@pytest.mark.parametrize("address", ["/", "/nothing", "/stories/sally-anne"])
def test_only_reading_only_here_and_nothing_is_remembered(server: PageServer, address: str) -> None:
    reply, text = ask(server, address)
    head, nothing = ask(server, address, "HEAD")
    assert (head.status, nothing) == (reply.status, "")
    assert head.headers["Content-Length"] == str(len(text.encode()))
    for answered in (reply, head):
        assert answered.headers["Cache-Control"] == "no-store"
        assert answered.headers["X-Content-Type-Options"] == "nosniff"
        policy = answered.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none';")
        assert "frame-ancestors 'none'" in policy
        # The list of runs asks its own server what is new, and nobody else; so does the page of a run.
        alone = policy.replace(" connect-src 'self';", "") if address == "/" else policy
        assert not re.search(r"https?:|\*|'unsafe-eval'|script-src 'unsafe|'self'", alone)
    refused, text = ask(server, address, "POST")
    assert (refused.status, refused.headers["Allow"]) == (405, "GET, HEAD")
    assert ask(server, address, "DELETE")[0].status == 501
    assert ask(server, address, Host=f"evil.example:{server.port}")[0].status == 403


def test_the_store_stays_as_it_is(server: PageServer, path: Path, ids: dict[str, str]) -> None:
    before = path.read_bytes()
    for address in ("/", *map(to_run, ids.values()), to_answer(ids["careful"], "sally-1")):
        ask(server, address)
    assert path.read_bytes() == before
    with Store(path, read_only=True) as store, pytest.raises(StoreError, match="cannot be written"):
        store.keep_run(store.run(ids["careful"]))


def test_a_store_that_is_being_written_can_be_read(server: PageServer, path: Path, ids: dict[str, str]) -> None:
    with Store(path) as store:
        row = replace(store.run(ids["careful"]), id="under-way", finished="")
        store._db.execute("BEGIN IMMEDIATE")
        assert page(server, to_run(ids["careful"]))
        assert "under-way" not in page(server, "/").text
        store._db.execute("ROLLBACK")
        store.begin_run(row)
        assert "No answer of this run is kept yet" in page(server, to_run("under-way")).text
        # What was shown before is not shown again once there is more.
        store.keep_run(replace(row, manifest={**row.manifest, "ended": "later"}), store.records(ids["careful"]))
        assert "Answers of this run" in page(server, to_run("under-way")).text
        assert page(server, "/").text.count("not finished\n") == 2


def test_a_store_of_an_older_program_is_read_as_it_is(server: PageServer, path: Path, ids: dict[str, str]) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("DROP TABLE annotations")
        db.execute("PRAGMA user_version = 1")
        db.commit()
    assert page(server, to_run(ids["careful"]))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)


def test_a_run_that_is_damaged_hides_no_other(server: PageServer, path: Path, ids: dict[str, str]) -> None:
    with Store(path) as store:
        broken = {**next(store.records(ids["careful"])), "score": {"judged": "right"}}
        store.keep_run(replace(store.run(ids["careful"]), id="damaged"), [broken])
    assert "cannot be read" in page(server, "/").text
    reply, text = ask(server, to_run("damaged"))
    assert reply.status == 500
    assert "run damaged is damaged" in text
    assert page(server, to_run(ids["careful"]))


def test_a_store_that_is_gone_is_told_and_not_made(server: PageServer, path: Path, ids: dict[str, str]) -> None:
    path.unlink()
    reply, text = ask(server, "/")
    assert reply.status == 500
    assert "There is no store" in text
    assert not path.exists()
    assert page(server, "/stories/ice-cream")


def test_no_text_of_a_store_becomes_an_element(server: PageServer, path: Path, ids: dict[str, str]) -> None:
    addresses = ["/", to_run(ids["nasty"]), *answers(path, ids["nasty"]), to_run(HOSTILE)]
    for address in addresses:
        _, html = ask(server, address)
        seen = Seen(html)
        scripts = [attrs for tag, attrs in seen.elements if tag == "script"]
        assert scripts in ([], [{"type": "application/json", "id": "records"}, {}])
        for tag, attrs in seen.elements:
            assert tag not in ("img", "iframe", "object", "embed", "form", "base")
            assert not [name for name in attrs if name.startswith("on")], attrs
            assert not any(value.strip().lower().startswith("javascript:") for value in attrs.values()), attrs
        assert "\u202e" not in html
        assert "{{ 7 * 7 }}" in html or LINK in html


def test_the_command_refuses_with_a_sentence(
    tmp_path: Path, path: Path, ids: dict[str, str], server: PageServer
) -> None:
    for options, code, said in (
        (["--store", str(tmp_path / "none.db")], 2, "error: there is no store"),
        (["--store", str(tmp_path)], 2, "is a directory"),
        (["--store", str(path), "--port", str(server.port)], 2, "cannot be used"),
    ):
        done = CliRunner().invoke(cli, ["web", "--no-open", *options])
        assert (done.exit_code, said in done.stderr) == (code, True), done.output
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize("link", [LINK, "//evil.example", "/\\evil.example", "http://evil.example", "", "runs/x"])
def test_a_page_cannot_be_made_to_lead_elsewhere(link: str) -> None:
    for make in (lambda: Linked("x", link), lambda: Report("t", "", [], trail=[("x", link)])):
        with pytest.raises(UsageError, match="begin it with # or one /"):
            make()


def test_links_are_of_this_site_whatever_a_name_says() -> None:
    for name in (HOSTILE, LINK, "//evil.example", "\\evil", "", "..", "a\nb"):
        for link in (
            to_run(name),
            to_answer(name, name),
            to_json(name, name),
            to_comparison(name, name),
            to_story(name),
        ):
            assert urljoin("http://here", link).startswith("http://here/")
            assert not re.search(r"[\s\"'<>\\]", link)


def test_a_large_run_is_paged_and_every_answer_is_on_one_page(
    path: Path, ids: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("otherminds.web.run_page.PAGE", 1)
    site, wanted = Site(path), [item.id for item in PLAIN]
    assert len(wanted) == 2

    def shown(number: str) -> tuple[int, list[str]]:
        reply = site.respond(PageRequest("GET", to_run(ids["careful"]), {"items": number}, {}, ""))
        return reply.status, [id for id in wanted if f'"id": "{id}"' in reply.text or f'"id":"{id}"' in reply.text]

    assert [shown("1"), shown("2")] == [(200, wanted[:1]), (200, wanted[1:])]
    for number in ("0", "3", "-1", "x", "1e9", "9" * 5000, ""):
        status, found = shown(number)
        assert (status, found) == (404, []), number
