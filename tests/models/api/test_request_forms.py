"""A server that refuses the usual form of a request is asked in its own, which is found out before anything else."""

from collections.abc import Sequence
from typing import Any

import pytest

from otherminds.models import Message, Prompt, fingerprint
from otherminds.models.api.endpoint import Endpoint
from otherminds.models.api.request_forms import NOES
from tests.models.scripted_server import Call, Reply, chat, completion, serving, top

pytestmark = pytest.mark.usefixtures("waits", "no_key_of_ours")

CHAT = Prompt(messages=(Message("system", "Be brief."), Message("user", "Where?"), Message("assistant", "Here.")))
CHAT_LETTERS = Prompt(messages=CHAT.messages, choices=("A", "B"), labels=True)
LETTERS = Prompt(text="x", choices=("A", "B"), labels=True)
FOLDED = [{"role": "user", "content": "Be brief.\n\nWhere?"}, {"role": "assistant", "content": "Here."}]
FOUND = {"A": -1.0, " A": -2.0, "B": -2.0, " B": -3.0}


def answer(call: Call) -> Reply:
    """What a server says that takes everything."""
    return chat("A", **top(FOUND, in_chat=True)) if "messages" in call.body else completion("A", **top(FOUND))


def refused(said: str, status: int = 400, **more: Any) -> Reply:
    return Reply({"error": {"message": said, **more}}, status=status)


def takes_no_system(call: Call) -> Reply:
    turns = call.body.get("messages")
    return refused("System role not supported") if turns and turns[0]["role"] == "system" else answer(call)


def wants_the_new_name(call: Call) -> Reply:
    return refused("Unsupported parameter") if "max_tokens" in call.body else answer(call)


def reports_five(call: Call) -> Reply:
    asked = max(int(call.body.get(name, 0)) for name in ("top_logprobs", "logprobs"))
    return refused("too many") if asked > 5 else answer(call)


def test_a_system_turn_that_is_refused_goes_to_the_user() -> None:
    with serving(takes_no_system) as server:
        model = Endpoint("m", base_url=server.url)
        assert model.identity["form"]["system"] is False
        before = len(server.calls)
        (text,), (weighed,) = model.ask([CHAT]), model.weigh([CHAT_LETTERS])
    assert (text.text, weighed.error) == ("A", "")
    assert text.rendered == weighed.rendered == "user: Be brief.\n\nWhere?\n\nassistant: Here."
    assert [call.body["messages"] for call in server.calls[before:]] == [FOLDED] * 2


def test_a_system_turn_can_be_kept_back_from_the_beginning() -> None:
    with serving(answer) as server:
        Endpoint("m", base_url=server.url, system=False).ask([CHAT])
    assert server.calls[0].body["messages"] == FOLDED


def test_the_greatest_length_goes_by_the_name_that_the_server_wants() -> None:
    with serving(wants_the_new_name) as server:
        model = Endpoint("m", base_url=server.url)
        assert model.identity["form"]["chat"] == ["max_completion_tokens", 20]
        before = len(server.calls)
        model.ask([CHAT])
        (weighed,) = model.weigh([CHAT_LETTERS])
    assert not weighed.error
    assert [call.body.get("max_completion_tokens") for call in server.calls[before:]] == [256, 1]


@pytest.mark.parametrize("prompt", [LETTERS, CHAT_LETTERS], ids=["raw", "chat"])
def test_no_more_next_tokens_than_the_server_gives(prompt: Prompt) -> None:
    name = "top_logprobs" if prompt.messages else "logprobs"
    with serving(reports_five) as server:
        model = Endpoint("m", base_url=server.url)
        assert model.identity["form"]["raw"] == ["max_tokens", 5]
        before = len(server.calls)
        weighed = model.weigh([prompt, prompt])
    assert [each.error for each in weighed] == ["", ""]
    assert [call.body[name] for call in server.calls[before:]] == [5, 5]


@pytest.mark.parametrize("served", [takes_no_system, wants_the_new_name, reports_five])
def test_who_asks_without_a_word_beforehand_is_understood_too(served: Any) -> None:
    with serving(served) as server:
        model = Endpoint("m", base_url=server.url)
        assert not model.weigh([CHAT_LETTERS])[0].error
        assert not model.ask([CHAT])[0].error


def test_a_field_that_is_named_is_believed_at_once() -> None:
    def named(call: Call) -> Reply:
        wrong = refused("no", param="max_tokens", code="unsupported_parameter")
        return wrong if "max_tokens" in call.body else answer(call)

    def placed(call: Call) -> Reply:
        detail = [{"loc": ["body", "max_tokens"], "type": "extra_forbidden"}]
        return Reply({"detail": detail}, status=422) if "max_tokens" in call.body else answer(call)

    for served in (named, placed):
        with serving(served) as server:
            assert (
                Endpoint("m", base_url=server.url, system=False).identity["form"]["raw"][0] == "max_completion_tokens"
            )
        refusals = [call for call in server.calls if "max_tokens" in call.body]
        assert len(refusals) <= 4, "once for a path, and once more because it was the first word"


@pytest.mark.parametrize(("parallel", "at_once"), [(16, range(2, NOES)), (1, (1,))])
def test_the_noes_that_it_takes_are_asked_for_together(parallel: int, at_once: Sequence[int]) -> None:
    def weighs_nothing(call: Call) -> Reply:
        return Reply((chat("A") if "messages" in call.body else completion("A")).body, delay=0.1)

    with serving(weighs_nothing) as server:
        assert "weigh" in Endpoint("m", base_url=server.url, parallel=parallel).cannot
    assert server.busiest in at_once
    greeted = [str(call.body) for call in server.calls if "logprobs" in call.body]
    assert len(greeted) == len(set(greeted)) == 2 * NOES


def test_who_is_asked_in_another_form_is_another_model() -> None:
    with serving(reports_five) as few, serving(answer) as many:
        one, other = (Endpoint("m", base_url=server.url) for server in (few, many))
        forms = [dict(model.identity["form"]) for model in (one, other)]
        assert forms[0] != forms[1]
        assert fingerprint(one) != fingerprint(other)


def test_what_cannot_be_found_out_is_told_with_something_to_try() -> None:
    said = {"temperature": "'temperature' does not support 0", "logprobs": "logprobs are not for you"}
    with serving(lambda call: refused(said["logprobs" if "logprobs" in call.body else "temperature"])) as server:
        model = Endpoint("m", base_url=server.url, lacks="")
        assert model.ask([CHAT])[0].error.endswith("; try -M temperature=null")
        assert model.weigh([CHAT_LETTERS])[0].error.endswith("; try -M top_logprobs=5")
