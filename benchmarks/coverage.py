"""How often a 95 % interval of a share holds the truth, by simulation.

    python benchmarks/coverage.py [TRIALS]

Groups of 4, of 20 and of mixed sizes, whose answers are not alike at all, a little (intra-class correlation 0.1) and
much (0.3); every cell is the mean over these nine, with the least and the most of them. With few answers near 1 a share
can take few values, and at 1 it has but one, so that no interval can hold the truth in exactly 95 of 100 cases there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from statistics import fmean

import numpy as np

from otherminds.stats import mean

SHARES = (0.5, 0.7, 0.9, 0.99, 1.0)
GROUPS = (5, 7, 25, 100)
SIZES = (4, 20, None)  # None: from 1 to 40, mostly few
ALIKE = (0.0, 0.1, 0.3)
TRIALS = 1000
LEAST, MOST = 0.93, 0.98


def coverage(share: float, groups: int, size: int | None, alike: float, *, trials: int, seed: int = 0) -> float:
    """In what part of the trials the interval holds the share."""
    random = np.random.default_rng(seed)
    return fmean(_holds(share, *_answers(random, share, groups, size, alike)) for _ in range(trials))


def _answers(
    random: np.random.Generator, share: float, groups: int, size: int | None, alike: float
) -> tuple[list[float], list[int]]:
    """Answers that lean the same way within a group, and the group of each."""
    sizes = np.full(groups, size) if size else np.minimum(random.geometric(0.15, groups), 40)
    spread = (1 - alike) / alike if alike else 0.0
    chances = random.beta(share * spread, (1 - share) * spread, groups) if spread and share < 1 else [share] * groups
    by = np.repeat(np.arange(groups), sizes)
    return (random.random(len(by)) < np.asarray(chances)[by]).astype(float).tolist(), by.tolist()


def _holds(share: float, values: list[float], groups: list[int]) -> bool:
    found = mean(values, groups=groups, draws=1)
    return found.low <= share <= found.high


def cells(share: float, groups: int, trials: int) -> Iterator[float]:
    """The coverage for each sort of group."""
    for size in SIZES:
        for alike in ALIKE:
            yield coverage(share, groups, size, alike, trials=trials)


def main() -> int:
    """Print the table; exit code 1 where a mean over the sorts of group is out of bounds below 1."""
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else TRIALS
    print(f"coverage of 95 % intervals, {trials} trials a sort of group: mean (least–most of nine sorts)")
    print(f"{'groups':>6}" + "".join(f"{f'share {share}':>22}" for share in SHARES))
    bad = 0
    for groups in GROUPS:
        line = []
        for share in SHARES:
            found = list(cells(share, groups, trials))
            bad += share < 1 and not LEAST <= fmean(found) <= MOST
            line.append(f"{fmean(found):.3f} ({min(found):.3f}–{max(found):.3f})")
        print(f"{groups:6}" + "".join(f"{cell:>22}" for cell in line), flush=True)
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
