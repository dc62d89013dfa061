"""What is sent beside a prompt, by settings and by whatever somebody adds."""

from typing import Any

import pytest

from otherminds.errors import UsageError
from otherminds.models import Prompt
from otherminds.models.api.request_forms import Wishes

PROMPT = Prompt(text="x", max_tokens=64, stop=("\n",))


def wishes(
    *, temperature: float | None = 0, max_tokens: int | None = None, extra: Any = None, top_p: float | None = None
) -> Wishes:
    return Wishes(temperature=temperature, seed=None, top_p=top_p, max_tokens=max_tokens, extra=extra)


@pytest.mark.parametrize(
    ("settings", "sent"),
    [
        ({}, {"max_tokens": 64}),
        ({"max_tokens": 4096}, {"max_tokens": 4096}),
        ({"max_tokens": 8}, {"max_tokens": 64}),
        ({"extra": {"max_tokens": 8}}, {"max_tokens": 8}),
        ({"extra": {"max_tokens": None}}, {}),
        ({"extra": {"max_completion_tokens": 4096}}, {"max_completion_tokens": 4096}),
        ({"max_tokens": 9999, "extra": {"max_tokens": 8}}, {"max_tokens": 8}),
    ],
)
def test_a_text_has_the_room_that_was_asked_for(settings: dict[str, Any], sent: dict[str, int]) -> None:
    assert wishes(**settings).text(PROMPT) == {"temperature": 0.0, "stop": ["\n"], **sent}


def test_null_leaves_out_what_would_be_sent() -> None:
    assert wishes(extra={"temperature": None, "stop": None}).text(PROMPT) == {"max_tokens": 64}


@pytest.mark.parametrize(
    ("settings", "sent"),
    [
        ({"max_tokens": 4096, "top_p": 0.9}, {"max_tokens": 1, "temperature": 0}),
        ({"temperature": None}, {"max_tokens": 1}),
        (
            {"temperature": 0.7, "extra": {"think": False, "stop": ["x"]}},
            {"max_tokens": 1, "temperature": 0, "think": False},
        ),
        ({"extra": {"max_completion_tokens": 99, "n": None}}, {"max_completion_tokens": 1, "temperature": 0}),
        ({"extra": {"max_tokens": None}}, {"temperature": 0}),
    ],
)
def test_weighing_wants_one_token_and_no_chance(settings: dict[str, Any], sent: dict[str, Any]) -> None:
    assert wishes(**settings).weighing() == sent


def test_extra_is_an_object() -> None:
    with pytest.raises(UsageError, match="JSON object"):
        wishes(extra=5)
