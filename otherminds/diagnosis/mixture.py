"""A mixture of known components: how large the share of each is. Numbers in, numbers out.

What each component predicts is known, so only the shares are fitted; their likelihood has one peak, and EM reaches it
from wherever it begins. Many sets of weights are fitted at once: a bootstrap is one call.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from otherminds.stats.reach import share_interval
from otherminds.stats.significance import TAIL

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STEPS = 200
CLOSE = 1e-4
GAIN = 4.0
"""What a component must add to the log-likelihood to be there at all: e⁴ ≈ 55 times as likely with it."""
_TINY = 1e-12


def fit(likely: Floats, weights: Floats) -> Floats:
    """By set of weights and component, its share.

    `likely` has how probable each component makes each answer, `weights` how often each answer counts in each set.
    """
    shares: Floats = np.full((len(weights), likely.shape[1]), 1 / likely.shape[1])
    total = weights.sum(axis=1, keepdims=True)
    for _ in range(STEPS):
        new: Floats = shares * ((weights / np.maximum(shares @ likely.T, _TINY)) @ likely) / total
        if np.abs(new - shares).max() < CLOSE:
            return new
        shares = new
    return shares


def log_likelihood(likely: Floats, weights: Floats, shares: Floats) -> Floats:
    """Of every set of weights."""
    found: Floats = (weights * np.log(np.maximum(shares @ likely.T, _TINY))).sum(axis=1)
    return found


def select(likely: Floats, weights: Floats, always: list[int]) -> list[int]:
    """The components that are needed: one after another as long as one more makes the answers clearly more likely."""
    chosen = list(always)
    while len(chosen) < likely.shape[1]:
        others = [each for each in range(likely.shape[1]) if each not in chosen]
        before = _explains(likely, weights, [chosen])[0]
        after = _explains(likely, weights, [[*chosen, other] for other in others])
        if after.max() - before < GAIN:
            break
        chosen.append(others[int(after.argmax())])
    for each in [one for one in chosen if one not in always]:
        # What came first may no longer be needed beside what came later.
        rest = [one for one in chosen if one != each]
        both = _explains(likely, weights, [chosen, rest])
        chosen = rest if both[0] - both[1] < GAIN else chosen
    return chosen


def _explains(likely: Floats, weights: Floats, sets: list[list[int]]) -> Floats:
    """The log-likelihood with each of some sets of components."""
    parts = [likely[:, each] for each in sets]
    return np.array([log_likelihood(part, weights[None], fit(part, weights[None]))[0] for part in parts])


def intervals(shares: Floats, drawn: Floats, likely: Floats, weights: Floats, groups: Ints) -> Floats:
    """By component, the 95 % interval of its share: of resampled groups, and with room for what was not seen.

    The second is the interval of a share of answers, each of which counts for a component as far as it is likely to be
    that one's: resampling alone would shrink to nothing at 0 and 1.
    """
    low, high = np.quantile(drawn, [TAIL, 1 - TAIL], axis=0)
    belongs = shares * likely / np.maximum(likely @ shares, _TINY)[:, None]
    sizes = np.bincount(groups, weights=weights).astype(np.float64)
    held = sizes > 0
    found = []
    for number in range(likely.shape[1]):
        part = np.minimum(np.bincount(groups, weights=weights * belongs[:, number]).round(), sizes)
        ends = share_interval(part[held], sizes[held])
        found.append((min(low[number], ends[0], shares[number]), max(high[number], ends[1], shares[number])))
    return np.array(found)
