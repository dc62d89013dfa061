"""Servers are real ones on loopback, scripted by the test; a real llama.cpp server is in test_agreement."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from otherminds.errors import EndpointError, UsageError
from otherminds.models import Finish, Message, Prompt, Usage, fingerprint
from otherminds.models.api.endpoint import Endpoint
from tests.models.scripted_server import Call, Reply, always, chat, completion, first_then, serving, top

pytestmark = pytest.mark.usefixtures("waits", "no_key_of_ours")

RAW = Prompt(text="The marble is in the", max_tokens=5)
CHAT = Prompt(messages=(Message("system", "Be brief."), Message("user", "Where?")), max_tokens=5)
LETTERS = Prompt(text="A. box\nB. tin\nAnswer:", choices=("A", "B"), labels=True)
KEY = "sk-very-secret-0123456789"


# ── text ──


def test_chat_goes_to_chat_completions_with_all_settings() -> None:
    with always(chat("In the box.")) as server:
        extra = {"min_p": 0.1, "nothing": None}
        model = Endpoint("m", base_url=server.url, temperature=0.5, seed=7, top_p=0.9, extra=extra, api_key=KEY)
        (response,) = model.ask([Prompt(messages=CHAT.messages, max_tokens=5, stop=("\n",))])
    (call,) = server.calls
    assert call.path == "/v1/chat/completions"
    assert call.headers["Authorization"] == f"Bearer {KEY}"
    assert call.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Where?"}],
        "temperature": 0.5,
        "seed": 7,
        "top_p": 0.9,
        "min_p": 0.1,
        "max_tokens": 5,
        "stop": ["\n"],
    }
    assert (response.text, response.finish, response.usage) == ("In the box.", "stop", Usage(7, 0, 3))
    assert "Where?" in response.rendered


def test_raw_goes_to_completions_byte_for_byte() -> None:
    with always(completion(" box")) as server:
        (response,) = Endpoint("m", base_url=server.url).ask([RAW])
    assert server.calls[0].path == "/v1/completions"
    assert server.calls[0].body["prompt"] == RAW.text
    assert "seed" not in server.calls[0].body
    assert (response.text, response.rendered) == (" box", RAW.text)


def test_an_address_without_a_path_gets_the_usual_one() -> None:
    with always(completion(" box")) as server:
        Endpoint("m", base_url=server.url.removesuffix("/v1")).ask([RAW])
    assert server.calls[0].path == "/v1/completions"


@pytest.mark.parametrize(
    ("reply", "finish"),
    [
        (chat("x", finish_reason="stop"), "stop"),
        (chat("x", finish_reason="length"), "length"),
        (chat("", finish_reason="content_filter"), "refused"),
        (chat("", message={"content": None, "refusal": "I would rather not."}), "refused"),
        (Reply({"error": {"message": "no", "code": "content_filter"}}, status=400), "refused"),
        (Reply({"error": {"message": "1200 tokens are too many"}}, status=400), "error"),
        (chat("", finish_reason="error"), "error"),
        (chat("", finish_reason="abort"), "error"),
        (chat("", error={"message": "the provider is gone"}), "error"),
        (Reply({"choices": []}), "error"),
        (chat("", message={"content": 7}), "error"),
        (chat("", message={"content": None}), "error"),
        (chat("", message={"content": None}, finish_reason="length"), "length"),
        (chat("", message={"content": None, "tool_calls": [{"id": "x"}]}, finish_reason="tool_calls"), "error"),
        (chat("half \ud83d"), "error"),
        (chat("to here\0and on"), "error"),
        (Reply({"choices": chat("x").body["choices"] * 3}), "error"),
    ],
)
def test_how_an_answer_ends(reply: Reply, finish: Finish) -> None:
    with always(reply) as server:
        (response,) = Endpoint("m", base_url=server.url).ask([CHAT])
    assert response.finish == finish
    assert bool(response.error) == (finish == "error")


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"type": "thinking", "thinking": []}, {"type": "text", "text": "In the "}, {"text": "box."}], "In the box."),
        ("", ""),
        ("whole \U0001f600", "whole \U0001f600"),
    ],
    ids=["in parts", "nothing", "a whole letter"],
)
def test_texts_that_come_otherwise(content: Any, text: str) -> None:
    with always(chat("", message={"content": content})) as server:
        (response,) = Endpoint("m", base_url=server.url).ask([CHAT])
    assert (response.text, response.error) == (text, "")


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": "many", "prompt_tokens_details": 5}])
def test_costs_that_make_no_sense_are_not_known(usage: Any) -> None:
    with always(Reply({"choices": [{"text": "x"}], "usage": usage})) as server:
        assert Endpoint("m", base_url=server.url).ask([RAW])[0].usage == Usage()


def test_a_prompt_that_is_too_long_fails_alone() -> None:
    def answer(call: Call) -> Reply:
        if len(call.body.get("prompt", "")) > 100:
            return Reply({"error": {"message": "the context holds 30 tokens"}}, status=400)
        return completion(" box", **top({" A": -0.5, " B": -1.0}))

    long = Prompt(text="x" * 200, choices=("A", "B"), labels=True)
    with serving(answer) as server:
        model = Endpoint("m", base_url=server.url)
        good, bad, last = model.ask([RAW, long, RAW])
        weighed, unweighed = model.weigh([LETTERS, long])
    assert (good.text, last.text, bad.text) == (" box", " box", "")
    assert bad.error == "the server rejects this prompt (400: the context holds 30 tokens)"
    assert unweighed.error == bad.error
    assert not weighed.error


# ── what goes wrong ──


@pytest.mark.parametrize("after", ["7", ""])
def test_a_busy_server_is_tried_again_as_it_asks(after: str, waits: list[float]) -> None:
    busy = Reply({}, status=429, headers={"Retry-After": after} if after else {})
    with serving(first_then(busy, busy, completion(" box"))) as server:
        model = Endpoint("m", base_url=server.url)
        (response,) = model.ask([RAW])
    assert response.text == " box"
    assert model.retried == len(waits) == 2
    assert model.waited == sum(waits)
    assert all(wait == 7 for wait in waits) if after else 1 <= waits[0] <= 2 <= waits[1] <= 4


@pytest.mark.parametrize(
    ("after", "wait"),
    [
        ("Wed, 21 Oct 2099 07:28:30 GMT", 30),  # the server's clock is years ahead, and it says so
        ("Wed, 21 Oct 2099 07:27:00 GMT", 0),
        ("-5", 0),
        ("nan", 0),
        ("inf", 0),
        ("soon", 0),
    ],
)
def test_a_date_to_wait_for_is_by_the_clock_of_the_server(after: str, wait: float, waits: list[float]) -> None:
    dated = {"Retry-After": after, "Date": "Wed, 21 Oct 2099 07:28:00 GMT"}
    with serving(first_then(Reply({}, status=429, headers=dated), completion(" box"))) as server:
        assert Endpoint("m", base_url=server.url).ask([RAW])[0].text == " box"
    assert waits == [wait] if wait else waits[0] <= 2


def test_nobody_waits_longer_than_the_patience(waits: list[float]) -> None:
    busy = Reply({}, status=429, headers={"Retry-After": "86400"})
    with always(busy) as server:
        with pytest.raises(EndpointError, match=r"asks to wait 86400 s more, and the patience is 900 s"):
            Endpoint("m", base_url=server.url, retries=2).ask([RAW])
        assert max(waits) <= 60
        waits.clear()
        with pytest.raises(EndpointError, match="the patience is 5 s"):
            Endpoint("m", base_url=server.url, patience=5).ask([RAW])
    assert sum(waits) <= 5


def test_a_server_that_is_still_starting_is_waited_for() -> None:
    loading = Reply({"error": {"message": "Loading model"}}, status=503)
    with serving(first_then(loading, loading, loading, completion(" box"))) as server:
        assert Endpoint("m", base_url=server.url).ask([RAW])[0].text == " box"


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (Reply({"error": {"message": "slow down"}}, status=429), r"failed \(429: slow down\) \(waited [89]\d\d s for"),
        (Reply({"error": "kaput"}, status=500), r"failed \(500: kaput\) \(waited [89]\d\d s for it"),
        (Reply({"error": {"message": "no such model"}}, status=404), "404: no such model.*the model's name"),
        (Reply({}, status=302, headers={"Location": "http://127.0.0.1:9/"}), "answers 302"),
        (Reply({"error": {"message": "no credit"}}, status=402), "wants to be paid first.*no credit"),
        (Reply({"error": {"message": "x", "code": "insufficient_quota"}}, status=429), "wants to be paid first"),
    ],
)
def test_a_server_that_answers_nobody_ends_the_work(reply: Reply, sentence: str) -> None:
    with always(reply) as server, pytest.raises(EndpointError, match=sentence):
        Endpoint("m", base_url=server.url, retries=2).ask([CHAT])


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (Reply({"error": "kaput"}, status=500), r"failed (500: kaput) (tried 4 times)"),
        (Reply(text="<html>oops</html>", status=502), "502: <html>oops"),
        (Reply({}, status=524), "524"),
        (Reply({"choices": []}, cut=True), "broke off in the middle"),
        (Reply(text='{"choices": [{"te'), "not whole JSON"),
        (Reply(["a list"]), "no choices"),
        (Reply({}), "no choices"),
        (Reply({"choices": [None]}), "is empty"),
        (Reply({"error": {"message": "overloaded upstream", "code": 502}}), "failed (502: overloaded upstream)"),
    ],
)
def test_a_prompt_that_always_fails_fails_alone(reply: Reply, sentence: str) -> None:
    def answer(call: Call) -> Reply:
        if call.path == "/v1/completions":
            return completion(" box", **top({" A": -1.0, "A": -2.0, " B": -1.5, "B": -2.0}))
        return reply

    letters = Prompt(messages=CHAT.messages, choices=("A", "B"), labels=True)
    with serving(answer) as server:
        model = Endpoint("m", base_url=server.url, retries=2)
        before, bad, after = model.ask([RAW, CHAT, RAW])
        weighed, unweighed, again = model.weigh([LETTERS, letters, LETTERS])
    assert (before.text, after.text, bad.finish) == (" box", " box", "error")
    assert sentence in bad.error
    assert unweighed.error
    assert not weighed.error
    assert not again.error


def test_a_server_that_fails_for_a_while_is_waited_for(waits: list[float]) -> None:
    well = completion(" box")
    outage = [Reply({}, status=500)] * 20
    with serving(first_then(well, *outage, well)) as server:
        model = Endpoint("m", base_url=server.url, retries=2, patience=3600)
        texts = [model.ask([RAW])[0].text for _ in range(3)]
    assert texts == [" box"] * 3, "no item is lost to an outage"
    assert sum(waits) > 60


def test_an_answer_cut_on_the_way_is_asked_again() -> None:
    whole = completion(" box")
    with serving(first_then(Reply(whole.body, cut=True), whole)) as server:
        model = Endpoint("m", base_url=server.url)
        assert model.ask([RAW])[0].text == " box"
    assert model.retried == 1


def test_a_server_that_is_down_is_not_waited_for_before_anything_is_asked(waits: list[float]) -> None:
    with always(completion(" box")) as server:
        url = server.url
    with pytest.raises(EndpointError, match="is the server running"):
        _ = Endpoint("m", base_url=url).identity
    assert waits == []
    with pytest.raises(EndpointError, match=r"is the server running\? \(tried 6 times\)"):
        Endpoint("m", base_url=url, server="other").ask([RAW])
    assert len(waits) == 5


def test_a_server_that_is_slow_gets_a_sentence() -> None:
    with always(Reply(completion(" box").body, delay=0.5)) as server:
        model = Endpoint("m", base_url=server.url, server="other", retries=0, timeout=0.1, patience=0)
        with pytest.raises(EndpointError, match=r"did not answer within 0\.1 s"):
            model.ask([RAW])


@pytest.mark.parametrize("status", [401, 403])
def test_a_key_that_is_refused_every_time_stops_all_and_is_not_shown(status: int) -> None:
    with always(Reply({"error": {"message": f"bad key {KEY}"}}, status=status)) as server:
        with pytest.raises(EndpointError, match="set MY_KEY to a key that it takes") as caught:
            Endpoint("m", base_url=server.url, api_key=KEY, key_env="MY_KEY").ask([RAW])
        assert len(server.calls) == 7, "one no may be a slip of the server"
    assert KEY not in str(caught.value)


def test_the_key_is_shown_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    with always(Reply({"error": {"message": f"{KEY} spent"}}, status=400)) as server:
        url = server.url.replace("http://", "http://me:pass-word@")
        model = Endpoint("m", base_url=url, key_env="MY_KEY")
        (response,) = model.ask([RAW])
        shown = json.dumps(model.identity) + repr(model) + str(response) + model.name
    assert server.calls[0].headers["Authorization"].startswith("Basic ")
    assert KEY not in shown
    assert "pass-word" not in shown


def test_identity_holds_what_the_server_says_and_stays_the_same() -> None:
    with always(Reply({}, status=404), owner="vllm", version="0.32.0") as server:
        one, same = Endpoint("m", base_url=server.url), Endpoint("m", base_url=server.url, api_key=KEY)
        other = Endpoint("m", base_url=server.url, temperature=1.0)
        assert one.identity["server"] == "vllm"
        assert one.identity["says"] == {"id": "m", "version": "0.32.0"}
        assert fingerprint(one) == fingerprint(same) != fingerprint(other)


def test_the_same_setting_written_otherwise_is_the_same_model() -> None:
    def mark(**settings: Any) -> str:
        return fingerprint(Endpoint("m", base_url="http://127.0.0.1:9/v1", server="other", lacks="", **settings))

    usual = mark()
    assert usual == mark(temperature=0) == mark(extra={"x": None}) == mark(top_p=None, max_tokens=None)
    assert mark(seed=7) == mark(seed=7.0)
    others = [
        {"temperature": None},
        {"top_p": 0.9},
        {"max_tokens": 100},
        {"extra": {"max_tokens": 100}},
        {"extra": {"max_tokens": None}},
        {"extra": {"stop": None}},
        {"system": False},
    ]
    assert len({usual, *(mark(**other) for other in others)}) == 1 + len(others)


def test_what_stands_behind_the_question_mark_goes_along_and_is_not_shown() -> None:
    with always(completion(" box")) as server:
        url = f"{server.url}?api-version=2024-10-21"
        model = Endpoint("m", base_url=url, server="other")
        assert model.ask([RAW])[0].text == " box"
        assert fingerprint(model) != fingerprint(Endpoint("m", base_url=server.url, server="other"))
        assert "2024" not in json.dumps(model.identity) + repr(model)
    assert server.calls[0].path == "/v1/completions?api-version=2024-10-21"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "needs base_url"),
        ({"base_url": "http://"}, "should be like http"),
        ({"base_url": "localhost:8080"}, "should be like http"),
        ({"base_url": "http://host:port/v1"}, "should be like http"),
        ({"base_url": "http://127.0.0.1:1", "server": "vlm"}, "llama.cpp, vllm, sglang, other"),
        ({"base_url": "http://127.0.0.1:1", "lacks": "legs"}, "lacks knows raw, chat"),
        ({"base_url": "http://127.0.0.1:1", "patience": -1}, "at least"),
        ({"base_url": "http://127.0.0.1:1", "parallel": 0}, "at least 1"),
        ({"base_url": "http://127.0.0.1:1", "timeout": 0}, "at least"),
        ({"base_url": "http://127.0.0.1:1", "temperature": "hot"}, "should be a number"),
        ({"base_url": "http://127.0.0.1:1", "top_p": 2}, "at most 1"),
        ({"base_url": "http://127.0.0.1:1", "max_tokens": 1.5}, "whole number"),
        ({"base_url": "http://127.0.0.1:1", "extra": [1]}, "JSON object"),
        ({"base_url": "http://127.0.0.1:1", "api_key": "sk-very\nsecret"}, "cannot be sent"),
        ({"base_url": "http://127.0.0.1:1", "api_key": "sk-very-secret-é"}, "cannot be sent"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence) as caught:
        Endpoint("m", **settings)
    assert "sk-very" not in str(caught.value)


# ── many at once ──


def test_many_threads_share_one_endpoint() -> None:
    def answer(call: Call) -> Reply:
        return Reply(completion(call.body["prompt"].upper()).body, delay=0.002)

    with serving(answer) as server:
        model = Endpoint("m", base_url=server.url, parallel=4)
        prompts = [Prompt(text=f"prompt {number}") for number in range(60)]
        with ThreadPoolExecutor(16) as pool:
            responses = list(pool.map(lambda prompt: model.ask([prompt])[0], prompts))
    assert [response.text for response in responses] == [prompt.text.upper() for prompt in prompts]
    assert len(server.calls) == 60
    assert 1 < server.busiest <= 4
