"""The little server that pages stand on: who may ask, what comes back, and a sentence for everything else."""

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from threading import Thread
from typing import Any

import pytest

from otherminds.errors import StoreError
from otherminds.items import Item, Suite
from otherminds.results.annotations import AnnotationBatch
from otherminds.store.store import MEMORY, Store
from otherminds.web.annotate import AnnotationPage
from otherminds.web.serving import PageReply, PageRequest, PageServer

SUITE = Suite(
    "small",
    (
        Item(id="a", context="One.", question="Where?", answer="box", choices=("basket", "box")),
        Item(id="b", question="Who?", answer="Ada", choices=("Ada", "Ben")),
        Item(id="c", question="When?", answer="now", choices=("now", "then")),
    ),
)
GIVEN = {"Ada": {"a": "box"}, "Cleo": {"a": "box", "c": "then"}}


@pytest.fixture
def batch() -> Iterator[AnnotationBatch]:
    with Store(MEMORY) as store:
        batch = AnnotationBatch(SUITE, store)
        for annotator, answers in GIVEN.items():
            for id, answer in answers.items():
                batch.keep(annotator, id, answer)
        yield batch


@pytest.fixture
def server(batch: AnnotationBatch) -> Iterator[PageServer]:
    with PageServer(AnnotationPage(batch).respond) as server:
        thread = Thread(target=server.serve)
        thread.start()
        yield server
        server.stop()
        thread.join()


def ask(server: PageServer, method: str, path: str, body: str | None = None, **headers: str) -> tuple[int, Any]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, json.loads(text) if reply.headers["Content-Type"].startswith("application/json") else text


ANSWER = json.dumps({"annotator": "Dana", "item": "a", "choice": 1})


def test_an_answer_needs_the_token_of_the_page(server: PageServer, batch: AnnotationBatch) -> None:
    status, page = ask(server, "GET", "/")
    assert status == 200
    assert server.token in page
    for headers in (
        {},
        {"X_Otherminds_Token": "wrong"},
        {"X_Otherminds_Token": "wröng"},
        {"X_Otherminds_Token": server.token, "Origin": "http://evil.example"},
        {"X_Otherminds_Token": server.token, "Origin": "null"},
        {"X_Otherminds_Token": server.token, "Host": "evil.example"},
    ):
        status, said = ask(server, "POST", "/answer", ANSWER, **headers)
        assert (status, set(said)) == (403, {"error"}), headers
    assert "Dana" not in batch.answers()
    origin = {"Origin": f"http://localhost:{server.port}", "Host": f"localhost:{server.port}"}
    assert ask(server, "POST", "/answer", ANSWER, X_Otherminds_Token=server.token, **origin) == (200, {"kept": True})
    assert batch.answers()["Dana"] == {"a": "box"}


def test_only_this_machine_by_its_own_name(server: PageServer) -> None:
    assert server.url.startswith("http://127.0.0.1:")
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", ""):
        assert ask(server, "GET", "/state?annotator=Ada", Host=host)[0] == 403


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("[]", 400),
        ("{", 400),
        ("[" * 50_000, 400),
        ("{}", 400),
        ('{"annotator": "Dana", "item": "z", "choice": 0}', 400),
        ('{"annotator": "Dana", "item": "a", "choice": 2}', 400),
        ('{"annotator": "Dana", "item": "a", "choice": -1}', 400),
        ('{"annotator": "Dana", "item": "a", "choice": true}', 400),
        ('{"annotator": "=x", "item": "a", "choice": 0}', 400),
        ('{"annotator": ["Dana"], "item": {}, "choice": 0}', 400),
    ],
)
def test_a_strange_request_gets_a_sentence(server: PageServer, batch: AnnotationBatch, body: str, status: int) -> None:
    got, said = ask(server, "POST", "/answer", body, X_Otherminds_Token=server.token)
    assert (got, set(said)) == (status, {"error"})
    assert batch.answers() == GIVEN


@pytest.mark.parametrize("length", ["1000000", "-1", "x", "٣"])
def test_a_body_without_a_sensible_length_is_not_read(server: PageServer, length: str) -> None:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.putrequest("POST", "/answer")
    connection.putheader("Content-Length", length.encode())
    connection.endheaders()
    reply = connection.getresponse()
    assert reply.status == 413
    assert reply.headers["Connection"] == "close"
    reply.read()
    connection.close()


@pytest.mark.parametrize(
    ("path", "status"),
    [("/nothing", 404), ("/item?id=z", 404), ("/item", 404), ("/state", 400), ("/../store.db", 404), ("http://[", 400)],
)
def test_a_strange_address_gets_a_sentence(server: PageServer, path: str, status: int) -> None:
    got, said = ask(server, "GET", path, Host=f"127.0.0.1:{server.port}")
    assert (got, set(said)) == (status, {"error"})


def test_nobody_else_is_in_the_state(server: PageServer) -> None:
    status, said = ask(server, "GET", "/state?annotator=Cleo")
    assert status == 200
    assert [entry["answer"] for entry in said["items"]] == [1, None, 1]
    assert "Ada" not in json.dumps(said)


def test_a_store_that_fails_is_told_to_the_page() -> None:
    def fail(_: PageRequest) -> PageReply:
        raise StoreError("the disk is full")

    with PageServer(fail) as server:
        thread = Thread(target=server.serve)
        thread.start()
        assert ask(server, "GET", "/") == (500, {"error": "the disk is full"})
        server.stop()
        thread.join()
