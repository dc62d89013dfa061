"""A short outage at the start changes nothing about what is measured."""

import pytest

from otherminds.errors import EndpointError
from otherminds.models import fingerprint
from otherminds.models.api.endpoint import Endpoint
from tests.faults.bench import Bench, Cell
from tests.models.scripted_server import Call, Reply, always, chat, completion, serving, top

FOUND = {"A": -1.0, " A": -2.0, "B": -2.0, " B": -3.0}


def well(call: Call) -> Reply:
    if "messages" in call.body:
        return chat("A", **top(FOUND, in_chat=True))
    if not call.body.get("echo"):
        return completion("A", **top(FOUND))
    first, _, rest = call.body["prompt"].partition(" ")
    logprobs = {"tokens": [first, f" {rest}"], "token_logprobs": [None, -1.0]}
    return completion(call.body["prompt"], logprobs=logprobs)


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize(("status", "often"), [(500, 3), (404, 1), (404, 9), (503, 6), (429, 6), (400, 2)])
def test_the_model_is_who_it_is_without_the_outage(status: int, often: int) -> None:
    left = [0]

    def answer(call: Call) -> Reply:
        left[0] -= 1
        return Reply({"error": {"message": "starting"}}, status=status) if left[0] >= 0 else well(call)

    with serving(answer) as server:
        calm = Endpoint("m", base_url=server.url)
        known = (fingerprint(calm), calm.cannot)
        left[0] = often
        late = Endpoint("m", base_url=server.url)
        assert (fingerprint(late), late.cannot) == known


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("often", [1, 30, 47, 200])
def test_an_outage_in_the_middle_of_the_first_questions_says_nothing(often: int) -> None:
    asked = [0]

    def answer(call: Call) -> Reply:
        asked[0] += 1
        away = 4 < asked[0] <= 4 + often
        return Reply({"error": {"message": "the machine is being moved"}}, status=503) if away else well(call)

    with serving(well) as calm:
        known = Endpoint("m", base_url=calm.url).cannot
    with serving(answer) as server:
        assert Endpoint("m", base_url=server.url, patience=7200).cannot == known


@pytest.mark.usefixtures("waits")
def test_a_server_that_never_answers_a_trial_is_not_said_to_lack_it() -> None:
    with always(Reply({}, status=500)) as server, pytest.raises(EndpointError, match="patience"):
        _ = Endpoint("m", base_url=server.url).cannot


@pytest.mark.parametrize("kind", ["500", "404", "hang-forever"])
@pytest.mark.parametrize("form", ["letters-raw", "cloze-raw", "text-chat"])
def test_a_run_that_begins_in_an_outage_measures_the_same(bench: Bench, kind: str, form: str) -> None:
    outcome = bench.run(Cell(kind, form, "start", 3))
    assert outcome.struck
    assert (outcome.bad, outcome.renamed, outcome.errors) == (False, False, 0), outcome.example
