"""Numbers from numbers: means and differences with their intervals, tests, trends, agreement of raters.

Knows nothing of items, models or pages; imports `errors` alone.
"""

from otherminds.stats.bounded import Bounded, high_of, low_of
from otherminds.stats.means import (
    Difference,
    Estimate,
    contrast,
    difference,
    in_words,
    interval_note,
    mean,
    percent,
    proportion,
    signed,
    span,
    sure,
    with_p,
)
from otherminds.stats.significance import (
    Association,
    Correlation,
    binomial,
    correlation,
    fisher,
    holm,
    mcnemar,
    phi,
    share_of_draws,
)

__all__ = [
    "Association",
    "Bounded",
    "Correlation",
    "Difference",
    "Estimate",
    "binomial",
    "contrast",
    "correlation",
    "difference",
    "fisher",
    "high_of",
    "holm",
    "in_words",
    "interval_note",
    "low_of",
    "mcnemar",
    "mean",
    "percent",
    "phi",
    "proportion",
    "share_of_draws",
    "signed",
    "span",
    "sure",
    "with_p",
]
