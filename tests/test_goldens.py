"""What the package prints about fixed runs is what was recorded; `python -m tests.goldens --write` records a change."""

import pytest

from tests.goldens import GOLDENS, difference


@pytest.mark.parametrize("name", GOLDENS)
def test_printed_text_is_as_recorded(name: str) -> None:
    assert difference(name) == ""
