"""A garbled reply, and the words of an error, change nothing about how anybody is asked."""

import pytest

from otherminds.models import Message, Prompt
from otherminds.models.api.endpoint import Endpoint
from tests.faults.bench import Bench, Cell
from tests.models.scripted_server import Call, Reply, chat, completion, serving, top

FOUND = {"A": -1.0, " A": -2.0, "B": -2.0, " B": -3.0}
LETTERS = [Prompt(text=f"prompt {number}", choices=("A", "B"), labels=True) for number in range(8)]
TOLD = Prompt(messages=(Message("system", "Be brief."), Message("user", "Where?")))


def answer(call: Call) -> Reply:
    return chat("A", **top(FOUND, in_chat=True)) if "messages" in call.body else completion("A", **top(FOUND))


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize(
    "said", ['{"choices": [{"logprobs": {"top_logprobs": [{"A": -5, "3', '{"logprobs": 7, "x": [1,']
)
def test_a_reply_that_is_cut_leaves_the_next_requests_as_they_are(said: str) -> None:
    def served(call: Call) -> Reply:
        return Reply(text=said) if call.body.get("prompt") in ("prompt 2", "prompt 5") else answer(call)

    with serving(served) as server:
        model = Endpoint("m", base_url=server.url, retries=1)
        form = model.identity["form"]
        weighed = model.weigh(LETTERS)
    assert [bool(each.error) for each in weighed] == [number in (2, 5) for number in range(8)]
    assert {call.body["logprobs"] for call in server.calls if "prompt" in call.body and "echo" not in call.body} == {20}
    assert model.identity["form"] == form


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("status", [400, 422, 500, 503])
@pytest.mark.parametrize(
    "said",
    [
        "the system is out of memory while reading a message",
        "system message",
        "use max_completion_tokens",
        "logprobs: at most 5",
    ],
)
def test_the_words_of_an_error_teach_nothing(said: str, status: int) -> None:
    def served(call: Call) -> Reply:
        wrong = "Where?" in str(call.body) and "trap" in str(call.body)
        return Reply({"error": {"message": said}}, status=status) if wrong else answer(call)

    trap = Prompt(messages=(Message("system", "Be brief."), Message("user", "Where? A trap.")))
    with serving(served) as server:
        model = Endpoint("m", base_url=server.url, retries=1)
        form = model.identity["form"]
        (failed,), (told,) = model.ask([trap]), model.ask([TOLD])
    assert failed.error
    assert told.rendered.startswith("system: Be brief.")
    assert server.calls[-1].body["messages"][0]["role"] == "system"
    assert server.calls[-1].body["max_tokens"] == TOLD.max_tokens
    assert model.identity["form"] == form


@pytest.mark.parametrize("form", ["letters-raw", "letters-chat"])
def test_no_other_item_of_a_run_changes(bench: Bench, form: str) -> None:
    outcome = bench.run(Cell("cut-json", form, "sticky", 20))
    assert outcome.struck
    assert not outcome.bad, outcome.example
