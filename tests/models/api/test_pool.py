"""Several servers of one model: shared work, one that dies, and one that is not the same."""

import pytest

import otherminds as om
from otherminds.calling.recorded import Recorded
from otherminds.errors import ModelError, UsageError
from otherminds.models import Message, Prompt, fingerprint, get_model
from otherminds.models.api import pool
from otherminds.models.api.pool import ServerPool
from tests.models.scripted_server import Call, Reply, chat, serving

PROMPTS = [Prompt(messages=(Message("user", f"number {number}"),)) for number in range(12)]
SETTINGS = {"lacks": "raw,weigh,continuations,schema", "retries": 0, "timeout": 5}


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch, waits: list[float]) -> None:
    monkeypatch.setattr(pool, "SHORT", 1.0)


def echo(call: Call) -> Reply:
    return chat(call.body["messages"][-1]["content"])


def dying(after: int):  # type: ignore[no-untyped-def]
    left = [after]

    def answer(call: Call) -> Reply:
        left[0] -= 1
        return echo(call) if left[0] >= 0 else Reply({"error": {"message": "gone"}}, status=500)

    return answer


def run_all(model: om.Model) -> list[str]:
    with om.Store(":memory:") as store:
        return [each.text for each in Recorded(model, store).ask(PROMPTS)]


def test_servers_share_the_work() -> None:
    with serving(lambda call: Reply(echo(call).body, delay=0.02)) as one, serving(echo) as two:
        model = get_model("api:m", base_url=f"{one.url} {two.url}", parallel=2, **SETTINGS)
        assert isinstance(model, ServerPool)
        assert model.parallel == 4
        assert run_all(model) == [f"number {n}" for n in range(12)]
        assert one.calls
        assert two.calls


def test_the_work_of_a_dead_server_is_done_by_the_other() -> None:
    with serving(dying(3)) as one, serving(echo) as two:
        model = get_model("api:m", base_url=[one.url, two.url], **SETTINGS)
        assert [model.ask([prompt])[0].text for prompt in PROMPTS] == [f"number {n}" for n in range(12)]


def test_who_is_away_at_the_start_changes_no_identity() -> None:
    with serving(echo) as one, serving(echo) as two:
        both = [one.url, two.url]
        before = fingerprint(get_model("api:m", base_url=both, **SETTINGS))
    with serving(echo) as other:
        urls = [both[0], other.url]
        assert fingerprint(get_model("api:m", base_url=urls, **SETTINGS)) != before
        alone = get_model("api:m", base_url=urls, **SETTINGS)
        assert alone.ask(PROMPTS[:1])[0].text == "number 0"


def test_nobody_is_there() -> None:
    with serving(echo) as one, serving(echo) as two:
        urls = [one.url, two.url]
    with pytest.raises(ModelError, match="cannot be reached"):
        get_model("api:m", base_url=urls, **SETTINGS).ask(PROMPTS[:1])


def test_different_servers_are_not_one_model() -> None:
    other = Reply({"data": [{"id": "m", "root": "other-weights"}]})
    with serving(echo) as one, serving(echo, models=other) as two:
        model = get_model("api:m", base_url=[one.url, two.url], **SETTINGS)
        with pytest.raises(ModelError, match="not one model"):
            fingerprint(model)


def test_an_address_twice_is_a_slip() -> None:
    with pytest.raises(UsageError, match="twice"):
        get_model("api:m", base_url="http://a/v1 http://a/v1")
