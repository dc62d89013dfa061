"""A server that refuses the usual form of a request is asked in its own from then on."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from scripted_server import Call, Reply, chat, completion, serving, top

from otherminds.models import Message, Prompt
from otherminds.models.api import Endpoint

pytestmark = pytest.mark.usefixtures("waits", "no_key_of_ours")

CHAT = Prompt(messages=(Message("system", "Be brief."), Message("user", "Where?"), Message("assistant", "Here.")))
CHAT_LETTERS = Prompt(messages=CHAT.messages, choices=("A", "B"), labels=True)
FOLDED = [{"role": "user", "content": "Be brief.\n\nWhere?"}, {"role": "assistant", "content": "Here."}]
ANSWER = chat("A", **top({"A": -1.0, " A": -2.0, "B": -2.0, " B": -3.0}, in_chat=True))


def refused(said: str, status: int = 400) -> Reply:
    return Reply({"error": {"message": said}}, status=status)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("System role not supported", 400),
        ("Conversation roles must alternate; got role 'system'", 400),
        ("Developer instruction is not enabled: system instructions are refused", 400),
        ("Jinja exception: System role not supported", 500),
    ],
)
def test_a_system_turn_that_is_refused_goes_to_the_user(said: str, status: int) -> None:
    def answer(call: Call) -> Reply:
        return refused(said, status) if call.body["messages"][0]["role"] == "system" else ANSWER

    with serving(answer) as server:
        model = Endpoint("m", base_url=server.url, retries=1)
        first, second = model.ask([CHAT, CHAT])
        (weighed,) = model.weigh([CHAT_LETTERS])
    assert (first.text, second.text, weighed.error) == ("A", "A", "")
    assert first.rendered == second.rendered == weighed.rendered == "user: Be brief.\n\nWhere?\n\nassistant: Here."
    asked = [call.body["messages"] for call in server.calls if call.body["messages"][0]["role"] == "user"]
    assert asked == [FOLDED] * 3
    assert len(server.calls) == 3 + (1 if status == 400 else 2), "a refusal is remembered"


def test_a_system_turn_can_be_kept_back_from_the_beginning() -> None:
    with serving(lambda _: ANSWER) as server:
        Endpoint("m", base_url=server.url, system=False).ask([CHAT])
    assert server.calls[0].body["messages"] == FOLDED


def test_a_refusal_that_only_speaks_of_systems_changes_nothing() -> None:
    with serving(lambda _: refused("the system is out of messages")) as server:
        model = Endpoint("m", base_url=server.url)
        (response,) = model.ask([Prompt(messages=(Message("user", "Where?"),))])
    assert "out of messages" in response.error
    assert len(server.calls) == 1


def test_the_greatest_length_goes_by_the_name_that_the_server_wants() -> None:
    def answer(call: Call) -> Reply:
        if "max_tokens" in call.body:
            return refused("'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
        return ANSWER

    with serving(answer) as server:
        model = Endpoint("m", base_url=server.url)
        model.ask([CHAT])
        (weighed,) = model.weigh([CHAT_LETTERS])
    assert not weighed.error
    assert [call.body.get("max_completion_tokens") for call in server.calls] == [None, 256, 1]


@pytest.mark.parametrize("in_chat", [False, True])
def test_no_more_next_tokens_than_the_server_gives(in_chat: bool) -> None:
    name = "top_logprobs" if in_chat else "logprobs"

    def answer(call: Call) -> Reply:
        if call.body[name] > 5:
            return refused(f"Invalid value for 'logprobs': expected a value <= 5, but got {call.body[name]} instead.")
        return ANSWER if in_chat else completion(" A", **top({" A": -1.0, "A": -2.0, " B": -2.0, "B": -3.0}))

    prompt = CHAT_LETTERS if in_chat else Prompt(text="x", choices=("A", "B"), labels=True)
    with serving(answer) as server:
        weighed = Endpoint("m", base_url=server.url).weigh([prompt, prompt])
    assert [each.error for each in weighed] == ["", ""]
    assert [call.body[name] for call in server.calls] == [20, 5, 5]


def test_what_cannot_be_learnt_is_told_with_something_to_try() -> None:
    said = {"temperature": "'temperature' does not support 0", "logprobs": "logprobs are not for you"}
    with serving(lambda call: refused(said["logprobs" if "logprobs" in call.body else "temperature"])) as server:
        model = Endpoint("m", base_url=server.url)
        assert model.ask([CHAT])[0].error.endswith("; try -M temperature=null")
        assert model.weigh([CHAT_LETTERS])[0].error.endswith("; try -M top_logprobs=5")


def test_calls_under_way_at_once_all_learn() -> None:
    together = Barrier(4, timeout=10)

    def answer(call: Call) -> Reply:
        if "max_tokens" in call.body:
            together.wait()
            return refused("use max_completion_tokens")
        return ANSWER

    def ask(_: Any) -> str:
        return model.ask([CHAT])[0].error

    with serving(answer) as server, ThreadPoolExecutor(4) as pool:
        model = Endpoint("m", base_url=server.url)
        assert list(pool.map(ask, range(4))) == [""] * 4
