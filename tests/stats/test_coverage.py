"""A sample of `benchmarks/coverage.py`: how often the interval of a share holds the truth."""

from statistics import fmean

import pytest

from benchmarks.coverage import LEAST, SHARES, cells


@pytest.mark.parametrize("groups", [5, 7, 25])
@pytest.mark.parametrize("share", SHARES)
def test_intervals_of_shares_hold_the_truth(share: float, groups: int) -> None:
    found = fmean(cells(share, groups, 30))  # nine sorts of groups, 270 trials
    assert found >= LEAST - 0.03
    assert share >= 0.9 or found < 1  # never so wide that they always do
