"""A reply that is sent twice over one connection is never taken for the answer to another prompt."""

import pytest

from tests.faults.bench import Bench, Cell


@pytest.mark.parametrize("kind", ["twice", "twice-late"])
@pytest.mark.parametrize("form", ["letters-raw", "letters-chat", "text-chat", "cloze-raw"])
def test_every_prompt_gets_its_own_reply(bench: Bench, kind: str, form: str) -> None:
    outcome = bench.run(Cell(kind, form, "chance", 50))
    assert outcome.struck
    assert not outcome.bad, outcome.example
