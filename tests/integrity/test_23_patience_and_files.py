"""No run ends while it has patience left, and no server is blamed for what this program may not open."""

import random
import subprocess
import sys
from typing import Any

import pytest

from otherminds.errors import EndpointError
from otherminds.models.api import wire
from otherminds.models.api.background import wait_for
from otherminds.models.api.connections import Broken, HttpReply, Unreachable
from otherminds.models.api.wire import Unanswered, Wire
from tests.faults.server import FaultServer

WELL = HttpReply(200, {}, {"choices": []}, "")


class Away:
    """A server by a clock that only waits let pass: it answers, is away for a while, and answers again."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, patience: float, outage: float, fault: Any) -> None:
        self.now = self.asked = 0.0
        self.until, self.fault = 0.0, fault
        self.wire = Wire(
            "http://127.0.0.1:9/v1", key="", key_env="KEY", parallel=4, retries=5, timeout=60, patience=patience
        )
        monkeypatch.setattr(wire, "sleep", self.sleep)
        monkeypatch.setattr(self.wire._connections, "send", self.send)
        self.post()
        self.until = outage

    async def sleep(self, seconds: float) -> bool:
        self.now += seconds
        return False

    async def send(self, *_: Any) -> HttpReply:
        if self.now < self.until:
            if isinstance(self.fault, Exception):
                raise self.fault
            return self.fault
        return WELL

    def post(self) -> Any:
        return wait_for(self.wire.post("/completions", {}, dict))


FAULTS = {
    "away": Unreachable("Connection refused"),
    "broken": Broken(),
    "500": HttpReply(500, {}, {}, ""),
    "503": HttpReply(503, {}, {}, ""),
    "429": HttpReply(429, {"Retry-After": "7"}, {}, ""),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_an_outage_that_is_shorter_than_the_patience_ends_no_run(fault: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = random.Random(7)
    for _ in range(200):
        patience = drawn.choice([10, 20, 40, 60, 100, 300, 900])
        server = Away(monkeypatch, patience, outage=patience * drawn.choice([0.1, 0.5, 0.9, 0.99, 1.0]), fault=fault)
        assert server.post() == WELL.data
        assert server.wire.waited <= patience


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_longer_one_ends_it_when_all_of_the_patience_is_used(fault: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for patience in (10, 40, 100, 900) * 10:
        server = Away(monkeypatch, patience, outage=patience * 1.01, fault=fault)
        with pytest.raises(EndpointError, match=f"waited {patience} s for it, and the patience is {patience} s"):
            server.post()
        assert server.now == pytest.approx(patience)


def test_a_server_that_asks_for_more_than_the_patience_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Away(monkeypatch, 40, outage=100, fault=HttpReply(429, {"Retry-After": "50"}, {}, ""))
    with pytest.raises(EndpointError, match="it asks to wait 50 s more"):
        server.post()
    assert server.now == 0
    patient = Away(monkeypatch, 60, outage=55, fault=HttpReply(429, {"Retry-After": "50"}, {}, ""))
    assert patient.post() == WELL.data


def test_a_request_that_alone_fails_ends_no_run_when_its_patience_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Away(monkeypatch, 1, outage=0, fault=None)

    async def send(method: str, path: str, body: Any) -> HttpReply:
        return HttpReply(500, {}, {}, "") if body else WELL

    monkeypatch.setattr(server.wire._connections, "send", send)
    with pytest.raises(Unanswered):
        wait_for(server.wire.post("/completions", {"prompt": "bad"}, dict))


PROGRAM = """
import logging, resource, sys
import otherminds as om
from tests.faults.bench import suite
logging.basicConfig(format="%(message)s")
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
model = om.get_model("api:m", base_url=sys.argv[1], parallel=5000, lacks="raw,weigh,continuations,schema")
run = om.run(suite(600).using(prompt="direct", score="text"), model)
print(run.verdicts()["error"], model.retried, model.waited)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
def test_with_few_files_fewer_calls_are_made_at_once_and_one_sentence_says_so() -> None:
    with FaultServer().running() as server:
        server.strike(latency=0.05)
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, server.url], capture_output=True, text=True, timeout=120, check=False
        )
    assert done.stdout.split() == ["0", "0", "0.0"], done.stderr
    told = [line for line in done.stderr.splitlines() if "ulimit" in line]
    assert len(told) == 1
    assert "fewer than 5000 calls at once, because this program may open no more files" in told[0]
