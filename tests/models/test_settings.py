"""Settings are numbers, and the same number is the same setting however it is written."""

import json
from math import inf, nan
from typing import Any

import pytest

from otherminds.errors import UsageError
from otherminds.models.specs import settings


def test_one_number_is_written_in_one_way() -> None:
    one, other = settings(temperature=0, seed=3.0), settings(temperature=0.0, seed=3, top_p=None, max_tokens=None)
    assert json.dumps(one) == json.dumps(other) == '{"temperature": 0.0, "seed": 3}'
    assert settings(temperature=None, seed=None, optional=("temperature", "seed")) == {}
    assert settings(seed=2**70) == {"seed": 2**70}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"temperature": "hot"}, "temperature should be a number, not 'hot'"),
        ({"temperature": None}, "temperature should be a number, not 'None'"),
        ({"temperature": True}, "temperature should be a number, not 'True'"),
        ({"temperature": nan}, "temperature should be a number, not 'nan'"),
        ({"temperature": inf}, "temperature should be a number, not 'inf'"),
        ({"temperature": -0.1}, "temperature should be at least 0, not -0.1"),
        ({"seed": 10**400}, "seed should be a number, not '1000"),
        ({"seed": 1.5}, "seed should be a whole number, not 1.5"),
        ({"seed": [1]}, r"seed should be a number, not '\[1\]'"),
        ({"top_p": 1.1}, "top_p should be at most 1, not 1.1"),
        ({"top_p": 0}, "top_p should be above 0"),
        ({"max_tokens": 0}, "max_tokens should be at least 1, not 0"),
    ],
)
def test_what_is_no_setting(given: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        settings(**given)
