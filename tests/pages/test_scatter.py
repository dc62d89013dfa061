"""Scatter: where points and curves lie, and what is named."""

from xml.etree import ElementTree

import pytest

from otherminds.errors import UsageError
from otherminds.pages.report import Figure
from otherminds.pages.scatter import Point, scatter

SVG = "{http://www.w3.org/2000/svg}"
POINTS = [
    Point("common", 1000, 0.25),
    Point("rare", 1, 0.0),
    Point("rarer", 1, 0.0),
    Point("<b>far</b>", 100, 0.6, True),
]


def parts(svg, name):
    return list(ElementTree.fromstring(svg).iter(SVG + name))


def circles(svg):
    """The points; two circles are in the legend."""
    return parts(svg, "circle")[2:]


def draw(points=POINTS, **options):
    return scatter(points, title="Words", chance=0.25, z=2.326, **options)


def test_one_mark_a_place_and_names_for_the_far_ones():
    svg = draw()
    assert len(circles(svg)) == 3
    said = [part.text for part in parts(svg, "text")]
    assert "<b>far</b>" in said
    assert "common" not in said
    assert "4 points, 1 beyond the line; <b>far</b>: 0.60 of 100" in parts(svg, "desc")[0].text
    Figure(svg, "The report takes it.")


def test_axes_marks_and_curves_say_what_they_are():
    svg = draw(counted="how often", shared="of right options")
    said = [part.text for part in parts(svg, "text")]
    keys = ["beyond chance", "not to be told from chance", "the limit between them: 2.33 standard errors"]
    assert said[:3] == keys
    assert {"how often", "of right options"} <= set(said)
    full, open_, *_ = parts(svg, "circle")
    assert (full.get("style"), open_.get("style")) == (circles(svg)[2].get("style"), circles(svg)[0].get("style"))
    line = next(part for part in parts(svg, "line"))
    assert parts(svg, "polyline")[0].get("style") == f"fill:none;{line.get('style')}"


def test_the_axis_is_logarithmic():
    places = [float(part.get("cx")) for part in circles(draw())]
    common, rare, far = places
    assert far - rare == pytest.approx(2 * (common - far), abs=0.2)


def test_the_curves_meet_the_formula():
    svg = draw()
    upper, lower = parts(svg, "polyline")
    x, y = map(float, upper.get("points").split()[-1].split(","))
    chance = next(part for part in parts(svg, "line") if "dasharray" in part.get("style"))
    off = (float(chance.get("y1")) - y) / 320
    assert off == pytest.approx(2.326 * (0.25 * 0.75 / 1000) ** 0.5, abs=1e-3)
    assert x == pytest.approx(float(circles(svg)[0].get("cx")), abs=0.2)
    # A share cannot be below 0, so the lower curve begins where it gets there.
    assert len(lower.get("points").split()) < 61


def test_the_same_points_give_the_same_picture():
    assert draw() == draw(list(POINTS))


@pytest.mark.parametrize(("points", "chance"), [([], 0.5), ([Point("a", 0, 0.5)], 0.5), (POINTS, 1.0)])
def test_what_cannot_be_drawn_is_refused(points, chance):
    with pytest.raises(UsageError, match="Words"):
        scatter(points, title="Words", chance=chance, z=2.0)
