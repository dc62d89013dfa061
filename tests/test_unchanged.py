"""Suites, what every reader answers to them, and the numbers of a profile are those that were recorded.

Where one of them is meant to change, `python -m tests.unchanged --write` records anew, and the diff says what changed.
"""

import json

import pytest

from tests import unchanged

RECORDED = json.loads(unchanged.RECORDED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", unchanged.SUITES)
def test_a_suite_and_its_answers_are_as_recorded(name: str) -> None:
    assert unchanged.suite_and_answers(name) == RECORDED["suites"][name]


def test_the_numbers_of_a_profile_are_as_recorded() -> None:
    assert unchanged.profile() == RECORDED["profile"]
