"""The timeline: segments, which of them are false, and that words stay words."""

import re
from xml.etree import ElementTree

import pytest

from otherminds.errors import UsageError
from otherminds.pages.report import Figure
from otherminds.pages.timeline import timeline

EVENTS = ["Ruth hid the seed.", "Ruth left.", "Saul moved the seed."]
LANES = [("world", ["pot", "pot", "box"]), ("Ruth", ["pot", "pot", "pot"]), ("Saul", [None, None, "box"])]


def spoken(svg: str) -> list[str]:
    """What the picture says of each segment, lane and event, in the order in which they are drawn."""
    names = {"svg": "http://www.w3.org/2000/svg"}
    return [title.text or "" for title in ElementTree.fromstring(svg).findall(".//svg:g/svg:title", names)]


def test_equal_values_make_one_segment_and_false_ones_are_marked() -> None:
    said = spoken(timeline(LANES, EVENTS, title="Seed"))
    assert said == [
        *EVENTS,
        *("world", "pot", "box"),
        *("Ruth", "pot", "✗ pot (not as in the top lane, world)"),
        *("Saul", "?", "box"),
    ]


def test_false_is_told_by_hatching_and_not_by_colour_alone() -> None:
    svg = timeline(LANES, EVENTS, title="Seed")
    used = set(re.findall(r"fill:url\(#([^)]+)\)", svg))
    assert len(used) == 1
    assert used <= set(re.findall(r'<pattern id="([^"]+)"', svg))
    assert "url(" not in timeline([LANES[0], LANES[0]], EVENTS, title="Seed")


def test_the_description_holds_all_of_it() -> None:
    svg = timeline(LANES, EVENTS, title="Seed")
    assert (
        "<desc>world: from 1 pot, from 3 box; Ruth: from 1 pot, from 3 pot (false); Saul: from 1 ?, from 3 box</desc>"
        in svg
    )


def test_blank_where_there_is_nothing_to_know() -> None:
    said = spoken(timeline([("world", ["", "pot", "pot"]), ("Ruth", ["", None, ""])], EVENTS, title="Seed"))
    assert said == [*EVENTS, "world", "pot", "Ruth", "?"]


def test_another_word_for_unknown_needs_no_key() -> None:
    svg = timeline(LANES, EVENTS, title="Rain", unknown="no")
    assert ">no</text>" in svg
    assert "unknown" not in svg
    assert "? unknown" in timeline(LANES, EVENTS, title="Rain")


def test_many_events_are_set_in_bands() -> None:
    events = [f"Event number {number} took place in the shed." for number in range(30)]
    svg = timeline([("world", ["pot"] * 30)], events, title="Long")
    labels = re.findall(r'<text x="0.0"[^>]*>world</text>', svg)
    assert len(labels) > 2
    assert [said for said in spoken(svg) if said.startswith("Event")] == events
    edges = [float(x) + float(width) for x, width in re.findall(r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', svg)]
    assert max(edges) <= 800


def test_the_same_value_has_the_same_colour_when_values_are_named() -> None:
    one = timeline([("Saul", ["box"])], ["x"], title="A", values=["pot", "box"])
    assert "fill:var(--series-2" in one
    assert "fill:var(--series-1" in timeline([("Saul", ["box"])], ["x"], title="A")


def test_words_stay_words() -> None:
    nasty = '</title><script>alert("x")</script>&\u202e'
    svg = timeline([(nasty, [nasty]), ("Ruth", ["pot"])], [nasty], title=nasty, unknown=nasty)
    Figure(svg, "The page takes it.")
    assert "<script" not in svg
    assert "\u202e" not in svg


def test_the_same_lanes_give_the_same_characters() -> None:
    assert timeline(LANES, EVENTS, title="Seed") == timeline(LANES, EVENTS, title="Seed")


def test_lanes_that_do_not_fit_the_events_are_refused() -> None:
    with pytest.raises(UsageError, match="lane 'Ruth' has 1 values for 3 events"):
        timeline([LANES[0], ("Ruth", ["pot"])], EVENTS, title="Seed")
    with pytest.raises(UsageError, match="at least one lane and one event"):
        timeline([], EVENTS, title="Seed")
