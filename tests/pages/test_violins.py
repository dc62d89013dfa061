"""Violins: the numbers behind them, and how many marks of each sort are drawn."""

import csv
from io import StringIO
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy.stats import gaussian_kde

from otherminds import stats
from otherminds.errors import UsageError
from otherminds.pages.report import Figure
from otherminds.pages.violins import Violin, bandwidth, density, numbers, violins

SVG = "{http://www.w3.org/2000/svg}"


def violin(name, series, values):
    return Violin(name, series, values, stats.mean(values, draws=100))


def spread(seed, n=20):
    return np.random.default_rng(seed).random(n).tolist()


PANELS = [
    ("TB", [violin("one", "a", spread(1)), violin("two", "a", spread(2)), violin("three", "b", spread(3))]),
    ("SA", [violin("one", "a", [0.5] * 9), violin("two", "a", [0.1, 0.2, 0.9]), None]),
]


def marks(svg, shape):
    return list(ElementTree.fromstring(svg).iter(SVG + shape))


def test_every_violin_has_its_marks():
    svg = violins(PANELS, title="Scores")
    assert len(marks(svg, "polygon")) == 3
    # Means of five, and the points of those two that have no shape.
    assert len(marks(svg, "circle")) == 5 + 9 + 3
    assert len(marks(svg, "rect")) == 3
    said = [text.text for text in marks(svg, "text")]
    assert {"1 one", "2 two", "3 three", "TB", "SA", "n 20", "n 9", "n 3"} <= set(said)


def test_the_mean_has_its_interval_where_there_is_no_shape_too():
    few = violin("one", "a", [0.1, 0.2, 0.9])
    svg = violins([("SA", [few])], title="Scores")
    thick = [line for line in marks(svg, "line") if "stroke-width:3" in line.get("style")]
    assert len(thick) == 1
    # From 0 to 1 is 150 upwards.
    length = abs(float(thick[0].get("y1")) - float(thick[0].get("y2")))
    assert length == pytest.approx(150 * (min(few.mean.high, 1) - max(few.mean.low, 0)), abs=0.2)
    desc = marks(svg, "desc")[0].text
    assert desc == f"SA, one: mean 0.400 [{few.mean.low:.3f}, {few.mean.high:.3f}], n = 3"


def test_the_same_numbers_give_the_same_characters():
    assert violins(PANELS, title="Scores") == violins(PANELS, title="Scores")
    Figure(violins(PANELS, title="<b>&"), "may stand in a page")


def test_density_is_scipys():
    values = spread(4, 40)
    theirs = gaussian_kde(values, bw_method="scott")
    places = [place for place, _ in density(values)]
    heights = theirs(places)
    assert [height for _, height in density(values)] == pytest.approx((heights / heights.max()).tolist())
    assert (places[0], places[-1]) == pytest.approx((min(values), max(values)))
    assert bandwidth(values) == pytest.approx(theirs.factor * np.std(values, ddof=1))


def test_numbers_are_what_is_drawn():
    rows = list(csv.DictReader(StringIO(numbers(PANELS))))
    assert [(row["panel"], row["name"], row["drawn"]) for row in rows] == [
        *(("TB", name, "violin") for name in ("one", "two", "three")),
        *(("SA", name, "points") for name in ("one", "two")),
    ]
    assert float(rows[4]["mean"]) == pytest.approx(0.4)
    assert [float(rows[4][name]) for name in ("min", "median", "max")] == [0.1, 0.2, 0.9]


def test_one_model_needs_no_numbers():
    svg = violins([(task, [violin("only", "", spread(seed))]) for seed, task in enumerate("ABCDEFGHI")], title="One")
    said = [text.text for text in marks(svg, "text")]
    assert "only" in said
    assert len(marks(svg, "polygon")) == 9


@pytest.mark.parametrize(
    "panels",
    [
        [],
        [("TB", [None])],
        [("TB", [violin("one", "", [0.5])]), ("SA", [])],
        [("TB", [Violin("one", "", [], stats.mean([1]))])],
    ],
)
def test_what_cannot_be_drawn_is_refused(panels):
    with pytest.raises(UsageError):
        violins(panels, title="")
