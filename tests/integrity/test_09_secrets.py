"""No secret of ours is stored, shown, or sent through a proxy to this very machine."""

import base64
import sqlite3
from pathlib import Path

import pytest

import otherminds as om
from otherminds.models.api.endpoint import Endpoint
from otherminds.store.store import Store
from tests.faults.bench import KEY, PASSWORD, SECRETS, USER, Bench, Cell, suite
from tests.models.scripted_server import Call, Reply, completion, serving, top

KINDS = ["key-in-200", "key-in-400", "key-in-401", "key-in-500", "key-in-usage", "key-in-finish", "key-in-text"]


@pytest.mark.parametrize("scheme", ["bearer", "basic"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_says_our_key_back_leaves_no_trace_of_it(bench: Bench, scheme: str, kind: str) -> None:
    outcome = bench.run(Cell(f"{scheme}-{kind}", "text-chat", "sticky", 25))
    assert outcome.struck
    assert not outcome.bad, (outcome.example, outcome.faults)


@pytest.mark.usefixtures("waits")
def test_credentials_in_an_address_are_not_in_the_store(tmp_path: Path) -> None:
    pair = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()

    def answer(call: Call) -> Reply:
        said = call.headers["Authorization"]
        if "Day 1." in str(call.body):
            return Reply({"error": {"message": f"who is {said}?"}}, status=400)
        return completion(" A", **top({" A": -1.0, "A": -2.0, " B": -2.0, "B": -3.0}))

    path = tmp_path / "store.db"
    with serving(answer) as server, Store(path) as store:
        url = server.url.replace("//", f"//{USER}:{PASSWORD}@")
        run = om.run(
            suite(4).using(prompt="raw", score="letters"), Endpoint("m", base_url=url, api_key=""), store=store
        )
        assert run.verdicts()["error"] == 1
    with sqlite3.connect(path) as db:
        held = "\n".join(db.iterdump())
    db.close()
    assert not any(secret in held for secret in (*SECRETS, PASSWORD, pair))


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_is_asked_without_a_proxy(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def proxy(call: Call) -> Reply:
        seen.append(call.path)
        return Reply({}, status=502)

    with serving(proxy) as other, serving(lambda _: completion(" box")) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, other.url.removesuffix("/v1"))
        model = Endpoint("m", base_url=server.url.replace("127.0.0.1", host), api_key=KEY, lacks="", server="other")
        assert model.ask([om.Prompt(text="in the")])[0].text == " box"
    assert seen == []
