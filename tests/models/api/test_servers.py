"""What kinds of servers can do, each a real one on loopback, scripted; a real llama.cpp server is in test_agreement."""

import json
import re
from collections import Counter
from collections.abc import Callable
from math import exp, inf, log
from typing import Any

import pytest

from otherminds.errors import EndpointError, ModelError, Unable
from otherminds.models import Message, Prompt
from otherminds.models.api.endpoint import Endpoint
from tests.models.scripted_server import Call, Reply, always, chat, completion, serving, top

pytestmark = pytest.mark.usefixtures("waits", "no_key_of_ours")

RAW = Prompt(text="The marble is in the", max_tokens=5)
CHAT = Prompt(messages=(Message("system", "Be brief."), Message("user", "Where?")), max_tokens=5)
LETTERS = Prompt(text="A. box\nB. tin\nAnswer:", choices=("A", "B"), labels=True)
CHAT_LETTERS = Prompt(messages=CHAT.messages, choices=("A", "B"), labels=True)


# ── prefill and schema ──


def test_a_prefill_is_never_lost_silently() -> None:
    prompt = Prompt(messages=CHAT.messages, prefill="In the")
    with always(chat(" box")) as server:
        model = Endpoint("m", base_url=server.url)
        with pytest.raises(ModelError, match="prefill=True"):
            model.ask([prompt])
        assert server.calls == []
        assert "prefill" in model.cannot
        able = Endpoint("m", base_url=server.url, prefill=True)
        assert "prefill" not in able.cannot
        assert able.ask([prompt])[0].text == " box"
    assert server.calls[-1].body["messages"][-1] == {"role": "assistant", "content": "In the"}


@pytest.mark.parametrize("owner", ["vllm", "sglang"])
def test_servers_that_continue_a_message_are_told_to(owner: str) -> None:
    with always(chat(" box"), owner=owner) as server:
        model = Endpoint("m", base_url=server.url)
        assert model.cannot == frozenset()
        model.ask([Prompt(messages=CHAT.messages, prefill="In the"), CHAT])
    plain, begun = sorted(
        server.calls, key=lambda call: "continue_final_message" in call.body
    )  # they are under way at once
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
    found = {" A": log(0.5), "A": log(0.1), " B": log(0.15), "B": log(0.05), "Apple": log(0.05)}
    reply = chat("A", **top(found, in_chat=True)) if in_chat else completion(" A", **top(found))
    prompt = CHAT_LETTERS if in_chat else LETTERS
    with always(reply) as server:
        (weighing,) = Endpoint("m", base_url=server.url, top_logprobs=4).weigh([prompt])
    assert {label: exp(value) for label, value in weighing.logprobs.items()} == pytest.approx({"A": 0.6, "B": 0.2})
    assert weighing.tokens == {"A": (" A", "A"), "B": (" B", "B")}
    assert not weighing.bounds
    body = server.calls[0].body
    assert body["max_tokens"] == 1
    assert body["top_logprobs" if in_chat else "logprobs"] == 4


@pytest.mark.parametrize(
    ("found", "most"),
    [
        ({" A": log(0.6), " the": log(0.1)}, 2 * 0.1),
        ({" A": log(0.6), " the": log(0.35)}, 0.05),
        ({" A": log(0.6), " the": log(0.4)}, 0.001),
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
        pytest.raises(Unable, match="no log-probabilities"),
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
    with always(reply) as server, pytest.raises(Unable, match="log-probabilities of a prompt"):
        Endpoint("m", base_url=server.url).weigh([Prompt(text="in the", choices=(" box",))])


def test_a_server_whose_model_adds_nothing_to_an_echo() -> None:
    def answer(call: Call) -> Reply:
        tokens = ["in", " the", " red", " box"]
        logprobs = {"tokens": tokens, "token_logprobs": [None, -1.0, -2.0, -3.0]}
        return completion(call.body["prompt"], logprobs=logprobs)

    with serving(answer) as server:
        (weighing,) = Endpoint("m", base_url=server.url).weigh([Prompt(text="in the", choices=(" red box",))])
    assert weighing.logprobs == {" red box": pytest.approx(-5)}


def test_a_token_that_ends_a_text_and_reads_as_nothing_is_no_part_of_a_choice() -> None:
    logprobs = {"tokens": ["in", " the", " box", ""], "token_logprobs": [None, -1.0, -2.0, -7.0]}
    with always(completion("in the box", logprobs=logprobs)) as server:
        (weighing,) = Endpoint("m", base_url=server.url).weigh([Prompt(text="in the", choices=(" box",))])
    assert weighing.logprobs == {" box": -2.0}


def test_a_vllm_that_hides_its_tokens_is_asked_like_any_other() -> None:
    def answer(call: Call) -> Reply:
        if call.path == "/tokenize":
            return Reply({}, status=404)
        return completion(" A", **top({" A": log(0.6), "A": log(0.1), " B": log(0.2), "B": log(0.05)}))

    with serving(answer, owner="vllm") as server:
        found = Endpoint("m", base_url=server.url).weigh([LETTERS, LETTERS])
    assert exp(found[1].logprobs["A"]) == pytest.approx(0.7)
    asked = [call.path for call in server.calls]
    assert asked[-1] == "/v1/completions"
    assert "/tokenize" not in asked[-3:], "it is found out once"


# ── what a server lacks ──


def echoing(call: Call) -> Reply:
    """A server that reports the prompt's own words."""
    words = re.findall(r" ?[^ ]+", call.body["prompt"])
    logprobs = {"tokens": words, "token_logprobs": [None, *(-1.0 for _ in words[1:])]}
    return completion(call.body["prompt"], logprobs=logprobs)


TOP, CHAT_TOP = top({" A": -1.0, "A": -1.0}), top({" A": -1.0, "A": -1.0}, in_chat=True)
NOT_THERE = Reply({"error": {"message": "This is a chat model"}}, status=404)
NOT_SO = Reply({"error": {"message": "echo is not supported"}}, status=400)
BROKEN = Reply({"error": {"message": "no route"}}, status=500)


@pytest.mark.parametrize(
    ("echo", "raw", "in_chat", "lacks"),
    [
        (None, completion(" A", **TOP), chat("A", **CHAT_TOP), ""),
        (None, completion(" A", **TOP), chat("A"), ""),
        (NOT_SO, completion(" A", **TOP), chat("A"), "continuations"),
        (completion("x"), completion(" A", **TOP), chat("A"), "continuations"),
        (completion("x"), completion(" A"), chat("A"), "continuations weigh"),
        (completion("x"), completion(" A"), chat("A", **CHAT_TOP), "continuations raw"),
        (NOT_THERE, NOT_THERE, chat("A"), "continuations raw weigh"),
        (NOT_THERE, NOT_THERE, chat("A", **CHAT_TOP), "continuations raw"),
        (NOT_SO, NOT_SO, NOT_SO, "continuations raw weigh"),
        (None, completion(" A", **TOP), NOT_THERE, "chat prefill"),
    ],
)
def test_what_a_server_lacks_is_found_out_with_one_token(
    echo: Reply | None, raw: Reply, in_chat: Reply, lacks: str
) -> None:
    def answer(call: Call) -> Reply:
        if call.path == "/v1/chat/completions":
            return in_chat
        return (echo or echoing(call)) if "echo" in call.body else raw

    with serving(answer) as server:
        model = Endpoint("m", base_url=server.url, prefill=True)
        assert model.cannot == model.cannot == set(lacks.split())
    assert all(1 in (call.body.get("max_tokens"), call.body.get("max_completion_tokens")) for call in server.calls)
    said = Counter(json.dumps(call.body, sort_keys=True) + call.path for call in server.calls)
    doubtful = in_chat is NOT_THERE or "weigh" in lacks
    most = 2 * (1 + doubtful)
    assert max(said.values()) <= most, "a no is asked for once more, and all if one came before the first answer"


def test_a_server_that_fails_at_a_trial_has_not_said_what_it_lacks() -> None:
    def answer(call: Call) -> Reply:
        return BROKEN if call.path == "/v1/completions" else chat("A", **CHAT_TOP)

    with serving(answer) as server:
        with pytest.raises(EndpointError, match=r"500: no route.*nobody knows what this server can do.*-M lacks="):
            _ = Endpoint("m", base_url=server.url).cannot
        assert Endpoint("m", base_url=server.url, lacks="raw, continuations", prefill=True).cannot == {
            "raw",
            "continuations",
        }


@pytest.mark.parametrize("status", [404, 400, 500])
@pytest.mark.parametrize("often", [1, 3, 10])
def test_a_server_that_is_about_to_start_lacks_nothing(status: int, often: int) -> None:
    left = [often]

    def answer(call: Call) -> Reply:
        left[0] -= 1
        if left[0] >= 0:
            return Reply({"error": {"message": "starting"}}, status=status)
        if call.path == "/v1/chat/completions":
            return chat("A", **CHAT_TOP)
        return echoing(call) if "echo" in call.body else completion(" A", **TOP)

    with serving(answer) as server:
        model = Endpoint("m", base_url=server.url, prefill=True)
        assert model.cannot == frozenset()
        form = model.identity["form"]
    assert form == {"raw": ["max_tokens", 20], "chat": ["max_tokens", 20], "system": True, "exact": True}


def test_a_server_that_has_chat_alone_says_so_and_not_that_its_address_is_wrong() -> None:
    def answer(call: Call) -> Reply:
        return chat("A") if call.path == "/v1/chat/completions" else NOT_THERE

    with serving(answer) as server:
        model = Endpoint("m", base_url=server.url)
        for verb, prompt in ((model.ask, RAW), (model.weigh, LETTERS)):
            with pytest.raises(Unable, match="no raw prompts on its server; use prompt 'direct' and score 'text'"):
                verb([prompt])  # type: ignore[operator]


def test_a_model_that_is_not_there_at_all_lacks_nothing_but_its_name() -> None:
    with always(NOT_THERE) as server, pytest.raises(EndpointError, match="check base_url and the model's name"):
        _ = Endpoint("m", base_url=server.url).cannot


@pytest.mark.parametrize("owner", ["vllm", "sglang", "llamacpp"])
def test_servers_that_are_known_are_not_tried_out(owner: str) -> None:
    with always(BROKEN, owner=owner) as server:
        assert Endpoint("m", base_url=server.url).cannot == frozenset()
    assert server.calls == []


# ── what says who they are ──


@pytest.mark.parametrize(
    "models", [Reply({}, status=403), Reply({}, status=401), Reply("nonsense"), Reply({"data": 5})]
)
def test_a_list_of_models_is_no_condition(models: Reply) -> None:
    with serving(lambda _: completion(" box"), models=models) as server:
        model = Endpoint("m", base_url=server.url)
        assert model.ask([RAW])[0].text == " box"
        assert (model.identity["server"], model.identity["says"]) == ("other", {})


def test_a_bare_list_of_models_is_one_too() -> None:
    with serving(lambda _: NOT_THERE, models=Reply([{"id": "m", "owned_by": "vllm"}])) as server:
        assert Endpoint("m", base_url=server.url).identity["server"] == "vllm"


def test_a_list_of_models_that_fails_may_be_another_server_tomorrow() -> None:
    with serving(lambda _: completion(" box"), models=Reply({}, status=500)) as server:
        with pytest.raises(EndpointError, match="failed"):
            Endpoint("m", base_url=server.url).ask([RAW])
        assert Endpoint("m", base_url=server.url, server="other").ask([RAW])[0].text == " box"
