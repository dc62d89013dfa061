import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from otherminds.errors import BadFile, UsageError
from otherminds.pages import drawing, plots
from otherminds.pages.heatmap import Glossary, Heatmap, Tile, term
from otherminds.pages.report import (
    Browser,
    Cards,
    Example,
    Figure,
    Linked,
    Report,
    Scoreboard,
    ScoreLine,
    Section,
    Table,
)
from otherminds.stats import difference, proportion

HOSTILE = (
    "</pre></title></style><script>alert(1)</script><img src=x onerror=alert(2)> \" ' onclick=alert(3) "
    "[here](javascript:alert(4)) {{ 7 * 7 }} {% raw %} \u202etxt.exe\u2066 \u200b\x00\x1b[31m\ud800"
)


class Page(HTMLParser):
    """What a browser would find: elements with their attributes, and the text."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.text = [], ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data

    def named(self, *tags):
        return [attrs for tag, attrs in self.elements if tag in tags]


def report(text="words", **kwargs):
    blocks = [
        text,
        Cards([(text, text, text)]),
        Table([text, "n"], [[text, 1_234], [None, 0.5]], text, note=text),
        Figure(plots.bars([(text, {text: 1})], title=text), text),
        Example(text, [(text, text)]),
        Scoreboard(
            [text, text], [(text, [ScoreLine(text, [proportion(3, 4), None], 0.5, text, ["#items", "#items"])])], text
        ),
        Heatmap([(text, [text])], [(text, text, [Tile(proportion(3, 4), 0.5, text, "#items")])], text, text),
        Glossary({text: text}),
    ]
    return Report(text, text, [Section(text, blocks)], subtitle=text, **kwargs)


def test_a_tile_is_coloured_only_where_it_is_clear_of_chance():
    sides = [Tile(proportion(right, 20), 0.5).side for right in (1, 10, 19)]
    assert sides == ["below", "", "above"]
    assert [round(Tile(proportion(right, 20), 0.5).strength, 2) for right in (0, 5, 10, 15, 20)] == [1, 0.5, 0, 0.5, 1]


def test_words_lead_to_the_glossary_and_nowhere_else():
    said = f"See {term('the order', 'order')}, not [this](https://example.org) or [that](#items)."
    page = Page(Report("t", said, [Section("Glossary", [Glossary({"order": "How deep."})])]).html())
    assert [attrs["href"] for attrs in page.named("a") if attrs.get("class") == "term"] == ["#term-order"]
    assert any(attrs.get("id") == "term-order" for attrs in page.named("div"))
    assert "[this](https://example.org) or [that](#items)" in page.text


def test_every_block_is_there():
    page = Page(report("some words").html())
    assert page.text.count("some words") >= 15
    for tag in ("h1", "h2", "nav", "table", "svg", "details", "pre"):
        assert page.named(tag), tag


def test_hostile_text_stays_text_wherever_it_stands():
    def bones(page):
        return [(tag, sorted(attrs)) for tag, attrs in page.elements if attrs.get("class") != "control"]

    html = report(HOSTILE).html()
    page = Page(html)
    assert bones(page) == bones(Page(report("tame").html()))
    assert not page.named("script", "img")
    assert "<script" not in html
    assert "{{ 7 * 7 }}" in html


def test_what_steers_or_hides_text_is_shown_by_number():
    html = report(HOSTILE).html()
    assert drawing.visible(html) == html
    for code in ("U+202E", "U+2066", "U+200B", "U+0000", "U+001B", "U+D800"):
        assert f"<i class=control>{code}</i>" in html


def test_the_page_needs_nothing_else_and_may_do_nothing():
    html = report(HOSTILE).html()
    page = Page(html)
    policy = next(meta["content"] for meta in page.named("meta") if meta.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    links = [value for _, attrs in page.elements for name, value in attrs.items() if name in ("href", "src", "action")]
    assert links
    assert all(link.startswith("#") for link in links)
    assert not re.search(r"url\((?!#)|@import", html)


def test_the_exact_prompt_survives():
    prompt = "\n  Story: two  spaces\tand a tab\n\nAnswer: `A` **not bold** "
    html = Report("t", "", [Section("s", [Example("one", [("Prompt", prompt)])])]).html()
    # A browser drops one line break right after <pre>; one is put there so that the prompt's own is kept.
    assert f"<pre>\n{prompt}</pre>" in html


def test_prose_knows_code_and_bold_and_paragraphs():
    html = Report("t", "", [Section("s", ["First `a<b **c**`.\n\nSecond, **bold & sure**; 2 ** 3, `open."])]).html()
    assert "<p>First <code>a&lt;b **c**</code>.</p>" in html
    assert "<p>Second, <strong>bold &amp; sure</strong>; 2 ** 3, `open.</p>" in html


def test_numbers_are_set_to_the_right_and_can_be_sorted():
    rows = [["false", 1_234, proportion(30, 48), "12/48", 0.5, True], ["true", None, None, "–", 0.25, False]]
    page = Page(Report("t", "", [Section("s", [Table("abcdef", rows, "c")])]).html())
    heads = [attrs.get("class") for attrs in page.named("th") if attrs["scope"] == "col"]
    assert heads == ["words", "number", "number", "number", "number", "words"]
    values = [attrs["data-value"] for attrs in page.named("td") if "data-value" in attrs]
    assert values == ["1234", "0.625", "0.5", "0.25"]
    for text in ("1,234", str(proportion(30, 48)), "12/48", "0.50", "yes", "no", "–"):
        assert text in page.text


def test_contents_lead_to_sections_even_when_titles_repeat():
    sections = [Section(title, []) for title in ("", "By belief", "By belief", "信念", "")]
    page = Page(Report("t", "", sections).html())
    ids = [attrs["id"] for attrs in page.named("section")]
    assert len(set(ids)) == 5
    assert [attrs["href"][1:] for attrs in page.named("a")] == ids[1:4]


def test_a_report_without_titles_has_no_contents():
    assert not Page(Report("t", "lead", [Section("", ["text"])]).html()).named("nav")


def test_the_same_report_gives_the_same_page():
    assert report().html() == report().html()


def test_save_writes_the_whole_page(tmp_path):
    target = tmp_path / "new" / "report.html"
    report(HOSTILE).save(target)
    assert target.read_text(encoding="utf-8") == report(HOSTILE).html()
    assert [path.name for path in target.parent.iterdir()] == ["report.html"]


def test_save_says_why_it_cannot_and_leaves_nothing(tmp_path):
    (tmp_path / "report.html").mkdir()
    with pytest.raises(BadFile, match=r"report\.html cannot be written"):
        report().save(tmp_path / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_crooked_table_is_refused():
    with pytest.raises(UsageError, match=r"table 'Scores', row 2 has 1 cells for 2 columns"):
        Table(["a", "b"], [[1, 2], [3]], "Scores")


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<script>alert(1)</script>", "<script>"),
        ("<foreignObject/>", "<foreignObject>"),
        ("<a href='javascript:alert(1)'/>", "<a>"),
        ("<g onload='alert(1)'/>", "onload"),
        ("<rect style='fill:url(http://example.org/x)'/>", "url"),
        ("<title><![CDATA[<img src=x onerror=alert(1)>]]></title>", "bare"),
        ("<!-- -->", "bare"),
        ("<g>", "does not read"),
    ],
)
def test_a_figure_that_could_act_is_refused(inside, words):
    with pytest.raises(UsageError, match=words):
        Figure(f'<svg xmlns="http://www.w3.org/2000/svg">{inside}</svg>', "caption")


def test_every_plot_of_ours_is_a_figure():
    rows = [("a", [proportion(3, 4), None])]
    assert Figure(plots.intervals(rows, title="t", series=("x", "y"), reference=(0.5, "chance")), "c")
    assert Figure(plots.bars([("a", dict.fromkeys("abcdef", 1))], title="t"), "c")


def test_a_scoreboard_draws_every_estimate_and_leads_on():
    scores = [
        ScoreLine("Right", [proportion(30, 40)], 0.5, "realist 0.10", ["#items?study=a"]),
        ScoreLine("Gain", [proportion(1, 4)], 0.0, signed=True),
        ScoreLine("S", [proportion(1, 3)], digits=3),
    ]
    html = Report("t", "", [Section("", [Scoreboard(["m"], [("**study** asks", scores)], "Scores")])]).html()
    page = Page(html)
    assert len(page.named("svg")) == 3
    assert [attrs["href"] for attrs in page.named("a")] == ["#items?study=a"]
    for part in ("0.75", "n = 40", "chance 0.50", "realist 0.10", "+0.25", "0.333 0.061 to 0.792"):
        assert part in page.text
    assert page.text.count("chance") == 1


def test_on_a_narrow_page_a_score_says_whose_it_is():
    scores = [ScoreLine("False beliefs", [proportion(3, 4), None])]
    html = Report("t", "", [Section("", [Scoreboard(["smollm2", "a<b"], [("starter", scores)], "Scores")])]).html()
    cells = [attrs["data-of"] for attrs in Page(html).named("td") if "data-of" in attrs]
    assert cells == ["smollm2", "a<b"]


def test_what_may_be_too_wide_can_be_reached_by_keys():
    svg = plots.intervals([("a", [proportion(1, 2)])], title="t")
    html = Report("t", "", [Section("", [Figure(svg, "a “plot”"), Table(["a"], [[1]], "a table")])]).html()
    boxes = [attrs for attrs in Page(html).named("div") if attrs.get("class") == "scroll"]
    assert [(box["tabindex"], box["aria-label"]) for box in boxes] == [("0", "a “plot”"), ("0", "a table")]


def test_numbers_have_a_minus_as_broad_as_a_plus():
    rows = [["a-1", -1, -0.5, Linked(difference([0.0, 0.0, 1.0], [1.0, 1.0, 1.0]), "#items")]]
    html = Report("t", "", [Section("", [Table(["", "n", "x", "d"], rows, "t")])]).html()
    for part in (">a-1<", ">−1<", ">−0.50<", ">−0.67 [−"):
        assert part in html
    assert 'data-value="-0.5"' in html


def test_a_column_of_numbers_may_have_gaps():
    rows = [[cell] for cell in ("< 0.001", "0.062", "too few", "–", None, "3 of 1,200")]
    html = Report("t", "", [Section("", [Table(["p"], rows, "t")])]).html()
    assert [attrs.get("class") for attrs in Page(html).named("th", "td")] == ["number"] * 7


def test_names_from_right_to_left_stay_where_they_are():
    names = "מודל-א, نموذج جديد"
    html = Report(f"{names} on the suite", f"{names}: 6 questions, **נח** (smollm2).", [Section("", [names])]).html()
    apart = "<bdi>מודל-א</bdi>, <bdi>نموذج جديد</bdi>"
    assert f"<h1>{apart} on the suite</h1>" in html
    assert f'<p class="lead">{apart}: 6 questions, <strong><bdi>נח</bdi></strong> (smollm2).</p>' in html
    assert f"<title>{names} on the suite</title>" in html


def test_a_cell_leads_to_a_place_in_the_page_and_nowhere_else():
    rows = [[Linked(proportion(1, 2), '#items?q="><script>'), Linked("words", "#items")]]
    page = Page(Report("t", "", [Section("", [Table("ab", rows, "c")])]).html())
    assert [attrs["href"] for attrs in page.named("a")] == ['#items?q="><script>', "#items"]
    assert [attrs["data-value"] for attrs in page.named("td") if "data-value" in attrs] == ["0.5"]
    for link in ("javascript:alert(1)", "https://example.org", "page.html"):
        with pytest.raises(UsageError, match="places of its own"):
            Linked("x", link)


def test_a_page_runs_its_own_script_and_no_other():
    script = "document.title = 'ours';\n"
    block = Browser({"texts": [HOSTILE.replace("\ud800", "")]}, script)
    html = Report("t", "", [Section("Items", [block])]).html()
    page = Page(html)
    policy = next(meta["content"] for meta in page.named("meta") if "http-equiv" in meta)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert "unsafe-inline'; script" in policy
    assert [attrs.get("type") for attrs in page.named("script")] == ["application/json", None]
    assert f"<script>{script}</script>" in html
    assert page.named("noscript")
