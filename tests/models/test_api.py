"""Servers are real ones on loopback, scripted by the test; a real llama.cpp server is in test_agreement."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from math import exp, inf, log
from typing import Any

import pytest
from scripted_server import Call, Reply, Serving, chat, completion, serving, top

from otherminds.errors import EndpointError, ModelError, UsageError
from otherminds.models import Finish, Message, Prompt, Usage, fingerprint
from otherminds.models.api import Endpoint

RAW = Prompt(text="The marble is in the", max_tokens=5)
CHAT = Prompt(messages=(Message("system", "Be brief."), Message("user", "Where?")), max_tokens=5)
LETTERS = Prompt(text="A. box\nB. tin\nAnswer:", choices=("A", "B"), labels=True)
KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def no_key_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits between tries, which are noted and not waited."""
    noted: list[float] = []
    monkeypatch.setattr("otherminds.models.wire.sleep", noted.append)
    return noted


def always(reply: Reply, **options: Any) -> AbstractContextManager[Serving]:
    return serving(lambda _: reply, **options)


def first_then(*replies: Reply) -> Callable[[Call], Reply]:
    """Each reply once, the last one for ever."""
    waiting = list(replies)
    return lambda _: waiting.pop(0) if len(waiting) > 1 else waiting[0]


# ── text ──


def test_chat_goes_to_chat_completions_with_all_settings() -> None:
    with always(chat("In the box.")) as server:
        model = Endpoint("m", base_url=server.url, temperature=0.5, seed=7, extra={"top_p": 0.9}, api_key=KEY)
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
    ],
)
def test_how_an_answer_ends(reply: Reply, finish: Finish) -> None:
    with always(reply) as server:
        (response,) = Endpoint("m", base_url=server.url).ask([CHAT])
    assert response.finish == finish
    assert bool(response.error) == (finish == "error")


def test_a_prompt_that_is_too_long_fails_alone() -> None:
    def answer(call: Call) -> Reply:
        if len(call.body["prompt"]) > 100:
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


# ── prefill and schema ──


def test_a_prefill_is_never_lost_silently() -> None:
    prompt = Prompt(messages=CHAT.messages, prefill="In the")
    with always(chat(" box")) as server:
        model = Endpoint("m", base_url=server.url)
        assert model.cannot == {"prefill"}
        with pytest.raises(ModelError, match="prefill=True"):
            model.ask([prompt])
        assert server.calls == []
        able = Endpoint("m", base_url=server.url, prefill=True)
        assert able.cannot == frozenset()
        assert able.ask([prompt])[0].text == " box"
    assert server.calls[0].body["messages"][-1] == {"role": "assistant", "content": "In the"}


@pytest.mark.parametrize("owner", ["vllm", "sglang"])
def test_servers_that_continue_a_message_are_told_to(owner: str) -> None:
    with always(chat(" box"), owner=owner) as server:
        model = Endpoint("m", base_url=server.url)
        assert model.cannot == frozenset()
        model.ask([Prompt(messages=CHAT.messages, prefill="In the"), CHAT])
    begun, plain = server.calls
    assert begun.body["continue_final_message"] is True
    assert begun.body["add_generation_prompt"] is False
    assert "continue_final_message" not in plain.body


def test_a_schema_goes_along_in_chat_and_is_refused_where_it_would_be_lost() -> None:
    schema = {"type": "object", "properties": {}}
    with always(chat("{}")) as server:
        model = Endpoint("m", base_url=server.url)
        model.ask([Prompt(messages=CHAT.messages, schema=json.dumps(schema))])
        with pytest.raises(ModelError, match="in chat only"):
            model.ask([Prompt(text="x", schema=json.dumps(schema))])
    (call,) = server.calls
    assert call.body["response_format"]["json_schema"]["schema"] == schema


# ── labels ──


@pytest.mark.parametrize("in_chat", [False, True])
def test_labels_are_sums_over_their_spellings(in_chat: bool) -> None:
    found = {" A": log(0.5), "A": log(0.1), " B": log(0.2), "Apple": log(0.05)}
    reply = chat("A", **top(found, in_chat=True)) if in_chat else completion(" A", **top(found))
    prompt = Prompt(messages=CHAT.messages, choices=("A", "B"), labels=True) if in_chat else LETTERS
    with always(reply) as server:
        (weighing,) = Endpoint("m", base_url=server.url, top_logprobs=4).weigh([prompt])
    assert {label: exp(value) for label, value in weighing.logprobs.items()} == pytest.approx({"A": 0.6, "B": 0.2})
    assert weighing.tokens == {"A": (" A", "A"), "B": (" B",)}
    assert not weighing.bounds
    body = server.calls[0].body
    assert body["max_tokens"] == 1
    assert body["top_logprobs" if in_chat else "logprobs"] == 4


@pytest.mark.parametrize(
    ("found", "most"),
    [
        ({" A": log(0.6), " the": log(0.1)}, 2 * 0.1),
        ({" A": log(0.6), " the": log(0.35)}, 0.05),
        ({" A": log(0.6), " the": log(0.4)}, 2 * 0.4),
    ],
    ids=["less likely than what was reported", "no more than what is left", "rounding leaves nothing"],
)
def test_a_label_outside_the_report_has_bounds_and_is_not_zero(found: dict[str, float], most: float) -> None:
    with always(completion(" A", **top(found))) as server:
        (weighing,) = Endpoint("m", base_url=server.url).weigh([LETTERS])
    assert set(weighing.logprobs) == {"A"}
    low, high = weighing.bounds["B"]
    assert low == -inf
    assert exp(high) == pytest.approx(most)


@pytest.mark.parametrize("logprobs", [None, {}, {"top_logprobs": []}, {"top_logprobs": [None]}, {"content": []}])
def test_missing_log_probabilities_are_said_to_be_missing(logprobs: Any) -> None:
    with (
        always(completion(" A", logprobs=logprobs)) as server,
        pytest.raises(EndpointError, match="no log-probabilities"),
    ):
        Endpoint("m", base_url=server.url).weigh([LETTERS])


SPELLINGS = {"A": 1, " A": 2, "B": 3, " B": 4}


def label_server(call: Call) -> Reply:
    """A vLLM or SGLang whose vocabulary is the four spellings."""
    if call.path == "/tokenize":
        text = call.body["prompt"]
        return Reply({"tokens": [SPELLINGS[text]] if text in SPELLINGS else [8, 9]})
    if call.path == "/v1/score":
        return Reply({"scores": [[number / 100 for number in call.body["label_token_ids"]]]})
    named = {f"token_id:{number}": log(number / 100) for number in call.body.get("logprob_token_ids", [])}
    return completion("x", **top(named | {"token_id:77": log(0.5)}))


@pytest.mark.parametrize(("owner", "path"), [("vllm", "/v1/completions"), ("sglang", "/v1/score")])
def test_labels_by_number_where_the_server_can(owner: str, path: str) -> None:
    with serving(label_server, owner=owner) as server:
        weighing = Endpoint("m", base_url=server.url).weigh([LETTERS, LETTERS])[1]
    assert {label: exp(value) for label, value in weighing.logprobs.items()} == pytest.approx({"A": 0.03, "B": 0.07})
    assert {label: set(seen) for label, seen in weighing.tokens.items()} == {"A": {"A", " A"}, "B": {"B", " B"}}
    assert [call.path for call in server.calls].count(path) == 2
    assert sum(call.path == "/tokenize" for call in server.calls) == 12, "the spellings are looked up once"


def test_a_label_of_several_tokens_is_not_weighed_as_one() -> None:
    prompt = Prompt(text="x", choices=("A", "10"), labels=True)
    with serving(label_server, owner="vllm") as server:
        (weighing,) = Endpoint("m", base_url=server.url).weigh([prompt])
    assert "'10'" in weighing.error


# ── continuations ──


def echo(tokens: list[str], *, begin: str = "") -> Callable[[Call], Reply]:
    """A server that reports the prompt's own tokens, cut as given, and writes one more."""

    def answer(call: Call) -> Reply:
        listed = ([begin] if begin else []) + tokens + ["!"]
        values = [None, *(-float(place) for place in range(1, len(listed)))]
        return completion(call.body["prompt"] + "!", logprobs={"tokens": listed, "token_logprobs": values})

    return answer


@pytest.mark.parametrize("begin", ["", "<s>"])
def test_continuations_from_an_echoed_prompt(begin: str) -> None:
    prompt = Prompt(text="in the", choices=(" red box",))
    with serving(echo(["in", " the", " red", " box"], begin=begin)) as server:
        (weighing,) = Endpoint("m", base_url=server.url).weigh([prompt])
    shift = len(begin) // 3
    assert weighing.logprobs == {" red box": pytest.approx(-(2 + shift) - (3 + shift))}
    assert weighing.tokens == {" red box": (" red", " box")}
    assert server.calls[0].body["echo"] is True


def test_a_choice_that_shares_a_token_with_the_prompt_is_not_weighed() -> None:
    with serving(echo(["in", " thebox"])) as server:
        (weighing,) = Endpoint("m", base_url=server.url).weigh([Prompt(text="in the", choices=("box",))])
    assert "shares a token" in weighing.error


def test_a_server_that_passes_over_echo_is_found_out() -> None:
    reply = completion("!", logprobs={"tokens": ["!"], "token_logprobs": [-1.0]})
    with always(reply) as server, pytest.raises(EndpointError, match="log-probabilities of a prompt"):
        Endpoint("m", base_url=server.url).weigh([Prompt(text="in the", choices=(" box",))])


# ── what goes wrong ──


@pytest.mark.parametrize("after", ["7", "Wed, 21 Oct 2099 07:28:00 GMT", ""])
def test_a_busy_server_is_tried_again_as_it_asks(after: str, waits: list[float]) -> None:
    busy = Reply({}, status=429, headers={"Retry-After": after} if after else {})
    with serving(first_then(busy, busy, completion(" box"))) as server:
        model = Endpoint("m", base_url=server.url)
        if "2099" in after:
            with pytest.raises(EndpointError, match="429"):
                model.ask([RAW])
            assert waits == [], "nobody waits for years"
            return
        (response,) = model.ask([RAW])
    assert response.text == " box"
    assert model.retried == len(waits) == 2
    assert all(wait == 7 for wait in waits) if after else all(wait < 2 for wait in waits)


def test_a_server_that_is_still_starting_is_waited_for() -> None:
    loading = Reply({"error": {"message": "Loading model"}}, status=503)
    with serving(first_then(loading, loading, loading, completion(" box"))) as server:
        assert Endpoint("m", base_url=server.url).ask([RAW])[0].text == " box"


@pytest.mark.parametrize(
    ("reply", "sentence"),
    [
        (Reply({"error": {"message": "slow down"}}, status=429), r"failed \(429: slow down\) \(tried 3 times\)"),
        (Reply({"error": "kaput"}, status=500), r"failed \(500: kaput\)"),
        (Reply(text="<html>oops</html>", status=502), "502: <html>oops"),
        (Reply({"choices": []}, cut=True), "broke off in the middle"),
        (Reply(text='{"choices": [{"te'), "not whole JSON"),
        (Reply(["a list"]), "not an object"),
        (Reply({}), "no choices"),
        (Reply({"error": {"message": "no such model"}}, status=404), "404: no such model.*the model's name"),
        (Reply({}, status=302, headers={"Location": "http://127.0.0.1:9/"}), "answers 302"),
    ],
)
def test_a_server_that_stays_ill_gets_a_sentence(reply: Reply, sentence: str) -> None:
    with always(reply) as server, pytest.raises(EndpointError, match=sentence):
        Endpoint("m", base_url=server.url, retries=2).ask([RAW])


def test_an_answer_cut_on_the_way_is_asked_again() -> None:
    whole = completion(" box")
    with serving(first_then(Reply(whole.body, cut=True), whole)) as server:
        model = Endpoint("m", base_url=server.url)
        assert model.ask([RAW])[0].text == " box"
    assert model.retried == 1


def test_a_server_that_is_down_or_slow_gets_a_sentence() -> None:
    with always(completion(" box")) as server:
        url = server.url
    with pytest.raises(EndpointError, match="is the server running"):
        Endpoint("m", base_url=url, retries=0).ask([RAW])
    late = Reply(completion(" box").body, delay=0.5)
    with always(late) as server, pytest.raises(EndpointError, match=r"within 0\.1 s"):
        Endpoint("m", base_url=server.url, retries=0, timeout=0.1).ask([RAW])


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_stops_at_once_and_is_not_shown(status: int) -> None:
    with always(Reply({"error": {"message": f"bad key {KEY}"}}, status=status)) as server:
        with pytest.raises(EndpointError, match="set MY_KEY to a key that it takes") as caught:
            Endpoint("m", base_url=server.url, api_key=KEY, key_env="MY_KEY").ask([RAW])
        assert len(server.calls) == 1
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
    with always(completion("x"), owner="vllm", version="0.32.0") as server:
        one, same = Endpoint("m", base_url=server.url), Endpoint("m", base_url=server.url, api_key=KEY)
        other = Endpoint("m", base_url=server.url, temperature=1.0)
        assert one.identity["server"] == "vllm"
        assert one.identity["says"] == {"id": "m", "version": "0.32.0"}
        assert fingerprint(one) == fingerprint(same) != fingerprint(other)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "needs base_url"),
        ({"base_url": "http://"}, "should be like http"),
        ({"base_url": "localhost:8080"}, "should be like http"),
        ({"base_url": "http://host:port/v1"}, "should be like http"),
        ({"base_url": "http://127.0.0.1:1", "server": "vlm"}, "llama.cpp, vllm, sglang, other"),
        ({"base_url": "http://127.0.0.1:1", "parallel": 0}, "at least 1"),
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
