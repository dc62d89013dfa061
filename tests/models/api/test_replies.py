"""Reading what servers report of the next token; the rest of `replies` is tried through a server in test_api."""

from math import exp, inf, log
from typing import Any

import pytest

from otherminds.models import Prompt, Usage, Weighing
from otherminds.models.api.replies import chances, counted, echoed, reported, token_numbers
from otherminds.models.api.wire import Unsound

LETTERS = Prompt(text="x", choices=("A", "B"), labels=True)


def weighed(found: dict[str, float], **options: Any) -> Weighing:
    return counted(LETTERS, {token: log(chance) for token, chance in found.items()}, Usage(), **options)


def bounds(weighing: Weighing) -> dict[str, tuple[float, float]]:
    return {label: (round(exp(low), 6), round(exp(high), 6)) for label, (low, high) in weighing.bounds.items()}


def test_a_label_that_may_have_another_spelling_is_not_exact() -> None:
    half = weighed({"A": 0.30, " B": 0.29})
    assert bounds(half) == {"A": (0.30, 0.59), "B": (0.29, 0.58)}
    assert half.mass == pytest.approx(0.59), "what was seen of them counts"
    more = weighed({"A": 0.30, " B": 0.29, "B": 0.28})
    assert bounds(more) == {"A": (0.30, 0.43)}, "no more than what is left"


def test_a_spelling_that_can_change_nothing_leaves_a_label_exact() -> None:
    assert not weighed({" A": 0.7, " B": 0.2, " the": 0.001}).bounds
    assert bounds(weighed({" A": 0.7, " B": 0.01, " the": 0.001})) == {"B": (0.01, 0.011)}


def test_where_all_spellings_are_known_what_was_seen_is_exact() -> None:
    found = {" A": 0.3, " B": 0.29}
    assert not weighed(found, spelt=[" A", " B"]).bounds
    assert set(weighed(found, spelt=[" A", " B", "\nB"]).bounds) == {"B"}


def test_nothing_is_left_of_a_whole_that_was_rounded() -> None:
    assert not weighed({" A": 0.6, " B": 0.4}).bounds


@pytest.mark.parametrize("value", [None, "-1.0", [-1.0], True, float("nan"), inf, 5000, 10**400, -(10**400), 0.5])
def test_a_token_without_a_number_spoils_the_report(value: Any) -> None:
    listed = [{"token": "A", "logprob": -1.0}, {"token": "B", "logprob": value}]
    with pytest.raises(Unsound, match="reports a log-probability of"):
        reported(in_chat(listed), asked=20)
    with pytest.raises(Unsound, match="reports a log-probability of"):
        reported({"choices": [{"logprobs": {"top_logprobs": [{"A": -1.0, "B": value}]}}]}, asked=20)


def in_chat(listed: list[Any]) -> dict[str, Any]:
    return {"choices": [{"logprobs": {"content": [{**listed[0], "top_logprobs": listed}]}}]}


@pytest.mark.parametrize("logprobs", [None, 5, {"content": []}, {"top_logprobs": []}, {"top_logprobs": [None]}])
def test_a_reply_without_log_probabilities_lacks_them(logprobs: Any) -> None:
    with pytest.raises(Unsound, match="no log-probabilities") as caught:
        reported({"choices": [{"logprobs": logprobs}]}, asked=20)
    assert caught.value.lacking


@pytest.mark.parametrize(
    "logprobs",
    [
        {"content": 5},
        {"content": [5]},
        {"content": [{"token": "A", "logprob": -1.0}]},
        {"content": [{"token": "A", "logprob": -1.0, "top_logprobs": [None]}]},
        {"content": [{"token": "A", "logprob": -1.0, "top_logprobs": []}] * 2},
        {"top_logprobs": {}},
        {"top_logprobs": [5]},
        {"top_logprobs": [{"A": -1.0}] * 2},
    ],
)
def test_log_probabilities_of_no_known_shape_say_nothing_of_what_the_server_has(logprobs: Any) -> None:
    with pytest.raises(Unsound) as caught:
        reported({"choices": [{"logprobs": logprobs}]}, asked=20)
    assert not caught.value.lacking


def test_fewer_next_tokens_than_usual_are_not_taken_for_all() -> None:
    listed = [{"token": str(number), "logprob": -5.0} for number in range(20)]
    assert len(reported(in_chat(listed), asked=20, usual=20)) == 20
    assert len(reported(in_chat(listed[:19]), asked=20, usual=20)) == 19, "two may be spelt alike"
    with pytest.raises(Unsound, match="10 next tokens where 20 were asked for"):
        reported(in_chat(listed[:10]), asked=20, usual=20)
    with pytest.raises(Unsound, match="20 next tokens where 5"):
        reported(in_chat(listed), asked=5)


def test_next_tokens_that_are_more_than_certain_together_are_none() -> None:
    with pytest.raises(Unsound, match="more than 1 together"):
        reported({"choices": [{"logprobs": {"top_logprobs": [{"A": -0.1, "B": -0.2}]}}]}, asked=20)


def test_an_answer_that_a_filter_keeps_back_says_nothing_of_the_server() -> None:
    with pytest.raises(Unsound, match="filter"):
        reported({"choices": [{"finish_reason": "content_filter", "logprobs": None}]}, asked=20)


ECHO = {"text": "in the red box", "logprobs": {"tokens": ["in", " the", " red", " box"]}}


@pytest.mark.parametrize(
    "values",
    [
        [None, -1.0, -2.0],
        [None, -1.0, -2.0, -3.0, -4.0],
        [None, -1.0, None, -3.0],
        [None, -1.0, -2.0, "x"],
        [None, -1.0, -2.0, 5000],
        [None, -1.0, -(10**400), -1.0],
    ],
)
def test_an_echo_is_taken_whole_or_not_at_all(values: list[Any]) -> None:
    data = {"choices": [ECHO | {"logprobs": ECHO["logprobs"] | {"token_logprobs": values}}]}  # type: ignore[operator]
    with pytest.raises(Unsound) as caught:
        echoed(data, "in the", " red box")
    assert not caught.value.lacking


@pytest.mark.parametrize("logprobs", [None, {}, {"tokens": [], "token_logprobs": []}, {"tokens": ["in"]}])
def test_an_echo_without_log_probabilities_is_no_probability_of_one(logprobs: Any) -> None:
    with pytest.raises(Unsound, match="log-probabilities of a prompt") as caught:
        echoed({"choices": [ECHO | {"logprobs": logprobs}]}, "in the", " red box")
    assert caught.value.lacking


def test_an_echo_that_ends_before_the_choice_does() -> None:
    logprobs = {"tokens": [" red", " box", "!"], "token_logprobs": [-1.0, -2.0, -3.0]}
    data = {"choices": [{"text": "a very red box!", "logprobs": logprobs}]}
    with pytest.raises(Unsound, match="all tokens"):
        echoed(data, "a", " very red box")


@pytest.mark.parametrize("scores", [None, [[0.1]], [[0.1, 0.2, 0.3]], [[0.1, None]], [[0.1, "x"]], [[0.1, 7]], [5]])
def test_scores_are_as_many_as_tokens_and_all_probabilities(scores: Any) -> None:
    with pytest.raises(Unsound):
        chances({"scores": scores}, 2)


@pytest.mark.parametrize("tokens", [None, 5, [1, None], [{"id": 5}], ["7"], [-1]])
def test_tokens_are_numbers(tokens: Any) -> None:
    with pytest.raises(Unsound):
        token_numbers({"tokens": tokens})
