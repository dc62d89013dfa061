"""No reply takes more memory than a reply can need."""

import gzip

import pytest

from otherminds.models.api.connections import LARGEST_BODY, Unreadable, _unpacked, read_json
from tests.faults.bench import Bench, Cell


@pytest.mark.parametrize("kind", ["gzip-bomb", "50-MB"])
def test_a_body_that_is_too_large_is_an_error_and_is_not_held(bench: Bench, kind: str) -> None:
    outcome = bench.run(Cell(kind, "letters-raw", "sticky", 20))
    assert outcome.struck
    assert not outcome.bad, (outcome.example, outcome.faults)


def test_unpacking_ends_at_the_largest_body() -> None:
    bomb = gzip.compress(b"0" * (LARGEST_BODY + 1))
    with pytest.raises(Unreadable, match="unpacks to more than 16 MiB"):
        _unpacked(bomb, "gzip")
    with pytest.raises(Unreadable, match="cut short"):
        _unpacked(gzip.compress(b"whole")[:-4], "gzip")
    assert _unpacked(gzip.compress(b"whole"), "gzip") == b"whole"


@pytest.mark.parametrize("content", [b"[" * 10_000 + b"]" * 10_000, b"[" * 70 + b"]" * 70])
def test_nesting_ends_too(content: bytes) -> None:
    with pytest.raises(Unreadable):
        read_json(content)
