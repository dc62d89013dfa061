"""Numbers from numbers: means and differences with their intervals, tests, trends, agreement of raters.

Knows nothing of items, models or pages; imports `errors` alone.
"""

from otherminds.stats.means import Difference, Estimate, contrast, difference, mean, proportion, signed, span, sure
from otherminds.stats.significance import (
    Association,
    Correlation,
    binomial,
    correlation,
    fisher,
    holm,
    mcnemar,
    phi,
)

__all__ = [
    "Association",
    "Correlation",
    "Difference",
    "Estimate",
    "binomial",
    "contrast",
    "correlation",
    "difference",
    "fisher",
    "holm",
    "mcnemar",
    "mean",
    "phi",
    "proportion",
    "signed",
    "span",
    "sure",
]
