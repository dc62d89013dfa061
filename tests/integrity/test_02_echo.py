"""An echo without log-probabilities is no probability of one."""

from typing import Any

import pytest

import otherminds as om
from otherminds.errors import Unable
from otherminds.models import Prompt
from otherminds.models.api.endpoint import Endpoint
from otherminds.store.store import Store
from tests.faults.bench import Bench, Cell, suite
from tests.models.scripted_server import Call, Reply, completion, serving, top

CLOZE = Prompt(text="in the", choices=(" red box", " tin"))


def repeats(logprobs: Any) -> Any:
    """A server that says every prompt back, with log-probabilities of its own."""

    def answer(call: Call) -> Reply:
        if not call.body.get("echo"):
            return completion(" A", **top({" A": -1.0, "A": -2.0}))
        return completion(call.body["prompt"], logprobs=logprobs)

    return answer


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("logprobs", [None, {}, {"tokens": [], "token_logprobs": []}])
def test_a_choice_without_numbers_is_not_weighed(logprobs: Any) -> None:
    with serving(repeats(logprobs)) as server:
        with pytest.raises(Unable, match="log-probabilities of a prompt"):
            Endpoint("m", base_url=server.url).weigh([CLOZE])
        with pytest.raises(Unable), Store(":memory:") as store:
            om.run(suite(4).using(prompt="raw", score="cloze"), Endpoint("m", base_url=server.url), store=store)


@pytest.mark.parametrize(
    "kind", ["logprobs-missing", "logprobs-null", "logprobs-empty", "logprobs-holes", "echo-ignored"]
)
def test_an_echo_that_lacks_numbers_now_and_then_costs_items_and_changes_none(bench: Bench, kind: str) -> None:
    outcome = bench.run(Cell(kind, "cloze-raw", "sticky", 20))
    assert outcome.struck
    assert outcome.errors
    assert not outcome.bad, outcome.example
