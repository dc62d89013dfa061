"""Reading what servers report of the next token; the rest of `replies` is tried through a server in test_api."""

from math import exp, inf, log
from typing import Any

import pytest

from otherminds.errors import Unable
from otherminds.models import Prompt, Usage, Weighing
from otherminds.models.replies import counted, reported
from otherminds.models.wire import Unanswered

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


def test_a_token_of_no_chance_is_exact() -> None:
    found = counted(LETTERS, {" A": -0.1, " B": -inf}, Usage(), spelt=[" A", " B"])
    assert found.logprobs == {"A": -0.1, "B": -inf}
    assert not found.bounds


def test_tokens_without_a_number_are_passed_over() -> None:
    listed = [{"token": "A", "logprob": -1.0}, {"token": "B", "logprob": None}, None]
    content = [listed[0] | {"top_logprobs": listed}] if isinstance(listed[0], dict) else []
    assert reported({"choices": [{"logprobs": {"content": content}}]}) == {"A": -1.0}
    assert reported({"choices": [{"logprobs": {"top_logprobs": [{"A": -1.0, "B": None}]}}]}) == {"A": -1.0}


@pytest.mark.parametrize("logprobs", [5, {"content": 5}, {"content": [5]}, {"top_logprobs": {}}, {"top_logprobs": [5]}])
def test_log_probabilities_of_no_known_shape_are_none(logprobs: Any) -> None:
    with pytest.raises(Unable, match="no log-probabilities"):
        reported({"choices": [{"logprobs": logprobs}]})


def test_an_answer_that_a_filter_keeps_back_says_nothing_of_the_server() -> None:
    with pytest.raises(Unanswered, match="filter"):
        reported({"choices": [{"finish_reason": "content_filter", "logprobs": None}]})
