import re
import unicodedata
from xml.etree import ElementTree

import pytest

from otherminds.errors import UsageError
from otherminds.pages.drawing import WIDTH, fit, legend, visible
from otherminds.pages.plots import bars, intervals
from otherminds.stats import Estimate

HOSTILE = "<script>alert(1)</script>\" onload='x' & \u202egnp.exe\x07\x00\ud800"
SVG = "{http://www.w3.org/2000/svg}"


def estimate(value, low, high, n=24):
    return Estimate(value, low, high, n, n, "")


def read(svg):
    return ElementTree.fromstring(svg)


def words(svg):
    return [text.text for text in read(svg).iter(f"{SVG}text")]


def marks(svg, shape):
    return list(read(svg).iter(SVG + shape))


ROWS = [
    ("model", []),
    ("true belief", [estimate(0.9, 0.8, 1.0), estimate(0.5, 0.3, 0.7)]),
    ("false belief", [estimate(0.38, 0.2, 0.6), None]),
]


def test_intervals_print_every_number_with_n():
    svg = intervals(ROWS, title="By belief", series=("cloze", "letters"), reference=(0.5, "chance"))
    said = words(svg)
    for text in ("model", "true belief", "cloze", "letters", "chance", "0.90 [0.80, 1.00]", "0.38 [0.20, 0.60]"):
        assert said.count(text) == 1
    assert said.count("n = 24") == 3
    assert said.count("no value") == 1


def test_series_differ_in_shape():
    svg = intervals(ROWS, title="By belief", series=("cloze", "letters"))
    assert len(marks(svg, "circle")) == 2 + 1  # two estimates and the key
    assert len(marks(svg, "polygon")) == 1 + 1


def test_a_value_lies_where_the_axis_says():
    svg = intervals([("a", [estimate(0.25, 0.0, 1.0)])], title="t")
    ticks = {text.text: float(text.get("x")) for text in read(svg).iter(f"{SVG}text")}
    assert float(marks(svg, "circle")[0].get("cx")) == pytest.approx(ticks["0.25"])
    assert [tick for tick in ticks if re.fullmatch(r"[\d.]+", tick)] == ["0", "0.25", "0.5", "0.75", "1"]


def test_what_leaves_the_axis_is_cut_but_printed_whole():
    def strokes(svg):
        return [line for line in marks(svg, "line") if "stroke-width:2" in line.get("style")]

    inside = intervals([("a", [estimate(0.5, 0.2, 0.8)])], title="t")
    outside = intervals([("a", [estimate(0.5, float("-inf"), 7.0)])], title="t")
    assert (len(strokes(inside)), len(strokes(outside))) == (3, 1)
    assert "0.50 [−∞, 7.00]" in words(outside)
    assert all(0 <= float(line.get(end)) <= WIDTH for line in marks(outside, "line") for end in ("x1", "x2"))


def test_differences_carry_their_sign():
    svg = intervals([("a", [estimate(0.25, -0.1, 0.4)])], title="t", axis=(-1, 1), reference=(0, "none"))
    assert "+0.25 [−0.10, +0.40]" in words(svg)
    assert {"−1", "−0.5", "0", "0.5", "1"} <= set(words(svg))


def test_bars_are_shares_of_their_row():
    svg = bars([("letters", {"right": 30, "wrong": 10}), ("none", {})], title="Verdicts")
    widths = {rect[0].text: float(rect.get("width")) for rect in marks(svg, "rect") if len(rect)}
    assert set(widths) == {"right: 30 of 40", "wrong: 10 of 40"}
    assert widths["right: 30 of 40"] == pytest.approx(3 * widths["wrong: 10 of 40"], abs=0.5)
    assert {"letters", "none", "n = 40", "n = 0", "30", "10"} <= set(words(svg))


def test_parts_differ_in_hatching_and_keep_their_order():
    svg = bars([("a", {"wrong": 1, "right": 2})], title="t", parts=("right", "wrong", "refused"))
    assert [text for text in words(svg) if text in ("right", "wrong", "refused")] == ["right", "wrong", "refused"]
    assert len({path.get("d") for path in marks(svg, "path")}) == 3


def test_two_bars_on_a_page_do_not_share_ids():
    one, two = bars([("a", {"x": 1})], title="one"), bars([("a", {"x": 1})], title="two")
    ids = [pattern.get("id") for svg in (one, two) for pattern in marks(svg, "pattern")]
    assert len(ids) == len(set(ids)) == 2


def test_the_same_numbers_give_the_same_text():
    assert intervals(ROWS, title="t", series=("a", "b")) == intervals(ROWS, title="t", series=("a", "b"))
    assert bars([("a", {"x": 1})], title="t") == bars([("a", {"x": 1})], title="t")


def test_a_plot_is_told_in_words_too():
    root = read(intervals([("a", [estimate(0.5, 0.2, 0.8)])], title="By belief"))
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text == "By belief"
    assert root.find(f"{SVG}desc").text == "a: 0.50 [0.20, 0.80], n = 24"
    exact = read(intervals([("a", [estimate(0.5, 0.4996, 0.5004)])], title="By belief", digits=3))
    assert exact.find(f"{SVG}desc").text == "a: 0.500 [0.500, 0.500], n = 24"


@pytest.mark.parametrize(
    "svg",
    [
        intervals([(HOSTILE, [estimate(0.5, 0.2, 0.8)])], title=HOSTILE, series=(HOSTILE,), reference=(0.5, HOSTILE)),
        bars([(HOSTILE, {HOSTILE: 3})], title=HOSTILE),
    ],
    ids=["intervals", "bars"],
)
def test_hostile_text_stays_text(svg):
    root = read(svg)
    assert not list(root.iter(f"{SVG}script"))
    assert not [name for element in root.iter() for name in element.keys() if name.startswith("on")]  # noqa: SIM118
    assert root.find(f"{SVG}title").text == HOSTILE.replace("\u202e", "⟨U+202E⟩").replace("\x07", "⟨U+0007⟩").replace(
        "\x00", "⟨U+0000⟩"
    ).replace("\ud800", "⟨U+D800⟩")


def test_long_labels_are_cut_where_drawn_and_whole_where_said():
    label = "a baseline whose name goes on and on and on and on"
    svg = intervals([(label, [estimate(0.5, 0.2, 0.8)])], title="t")
    assert [text for text in words(svg) if "…" in text]
    assert label in read(svg).find(f"{SVG}desc").text


def test_names_that_differ_at_the_end_are_still_told_apart():
    names = ["a-model-with-a-very-long-name-" * 5 + end for end in ("one", "two")]
    drawn, _ = legend(names, lambda index, x, y: "")
    first, second = words(f"<svg xmlns='http://www.w3.org/2000/svg'>{drawn}</svg>")
    assert (first[-3:], second[-3:]) == ("one", "two")
    assert len(first) < 105
    assert [fit("abcdefghij", width) for width in (200, 70, 12, 0)] == ["abcdefghij", "abc…hij", "a…", "a…"]


def test_an_axis_and_a_lone_series_have_their_names():
    rows = [("a", [estimate(0.5, 0.2, 0.8)])]
    svg = intervals(rows, title="t", series=("smollm2",), measure="share of right answers")
    assert {"smollm2", "share of right answers"} <= set(words(svg))
    height = float(read(svg).get("viewBox").split()[-1])
    assert all(float(text.get("y")) < height for text in marks(svg, "text"))
    assert len(marks(intervals(rows, title="t"), "text")) == len(marks(svg, "text")) - 2


def test_every_character_that_steers_text_is_shown():
    steering = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    characters = [chr(code) for code in range(0x110000)]
    hidden = [
        c for c in characters if unicodedata.bidirectional(c) in steering or unicodedata.category(c) in ("Cc", "Cs")
    ]
    assert [c for c in hidden if visible(c) == c] == ["\t", "\n"]
    assert visible("plain text, naïve — “quoted” 日本 👋\n") == "plain text, naïve — “quoted” 日本 👋\n"


FLAG = "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng\x7f")


@pytest.mark.parametrize("text", ["می\u200cخواهم", "क्\u200dष", "👩🏽\u200d🚀", "❤\ufe0f\u200d🔥", f"{FLAG}!"])
def test_what_joins_letters_or_emoji_stays(text):
    assert visible(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("ad\u200cmin", "ad⟨U+200C⟩min"),
        ("\u200dm\u200d", "⟨U+200D⟩m⟨U+200D⟩"),
        ("👩\u200d\u200d🚀", "👩⟨U+200D⟩⟨U+200D⟩🚀"),
        ("👩\u200d", "👩⟨U+200D⟩"),
        (FLAG[:-1], "\U0001f3f4⟨U+E0067⟩⟨U+E0062⟩⟨U+E0065⟩⟨U+E006E⟩⟨U+E0067⟩"),
        (FLAG[1], "⟨U+E0067⟩"),
    ],
)
def test_what_joins_nothing_is_shown_by_number(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        (lambda: intervals([("a", [None])], title="t", series=("x", "y")), "use None for a gap"),
        (lambda: intervals([], title="t", series="abcde" * 7), "at most 30"),
        (lambda: intervals([], title="t", axis=(1, 0)), "should be the smaller"),
        (lambda: bars([("a", {"x": -1})], title="t"), "zero or more"),
        (lambda: bars([("a", {"x": 1})], title="t", parts=["y"]), "not among y"),
        (lambda: bars([("a", dict.fromkeys("abcdefghi", 1))], title="t"), "at most 8"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_sentence(call, wrong):
    with pytest.raises(UsageError, match=wrong):
        call()
