"""A call ends in time, however slowly its reply drips."""

import time

import pytest

from tests.faults.bench import Bench, Cell


@pytest.mark.parametrize("kind", ["trickle-forever", "trickle-headers", "hang-forever"])
def test_a_reply_that_never_ends_is_not_waited_for(bench: Bench, kind: str) -> None:
    began = time.monotonic()
    outcome = bench.run(Cell(kind, "letters-raw", "sticky", 20))
    assert outcome.struck
    assert not outcome.bad, outcome.example
    assert time.monotonic() - began < 120, "it came to an end"
