"""The page: what it says first, what it never says, and that its numbers are the measured ones."""

import csv
import re
from io import StringIO
from math import inf
from pathlib import Path
from xml.etree import ElementTree

import pytest

from otherminds.items import Suite
from otherminds.pages.report import Cards, Folded, Report, Section, Table
from otherminds.results.lineups import Lineup, Member
from otherminds.runs.runs import run
from otherminds.stats import Estimate
from otherminds.store.store import MEMORY, Store
from otherminds.studies.safety.lineups import LineupResults, askings, measure
from otherminds.studies.safety.page import LIMITS, lead, report, save, show
from otherminds.studies.safety.plots.build import build
from otherminds.studies.safety.plots.oracles import omniscient, perfect
from otherminds.studies.safety.tables import three, three_signed
from otherminds.studies.study import Desk, Subject
from tests.studies.safety.drift import drifting
from tests.studies.test_study_contract import bar, guess

SVG = "{http://www.w3.org/2000/svg}"
LINEUP = Lineup(
    (
        *(Member(f"drift-{n}", "", "drift", n, f"2024-0{n}-01", n / 10) for n in (1, 2, 3)),
        Member("perfect", "", "tuned", 1, partner="omniscient"),
        Member("omniscient", "", "tuned", post_trained=False),
    )
)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return build(size="small")


@pytest.fixture(scope="module")
def found(suite: Suite) -> LineupResults:
    models = [*(drifting(suite, n) for n in (1, 2, 3)), perfect(suite), omniscient(suite)]
    return measure(LINEUP, [run(suite, model) for model in models])


@pytest.fixture(scope="module")
def page(found: LineupResults) -> Report:
    return report(found)


def section(page: Report, title: str) -> Section:
    return next(each for each in page.sections if each.title == title)


def tables(section: Section) -> dict[str, Table]:
    inside = [block for each in section.blocks for block in (each.blocks if isinstance(each, Folded) else [each])]
    return {block.caption: block for block in inside if isinstance(block, Table)}


def test_limits_stand_first(page: Report) -> None:
    assert page.sections[0].title == ""
    assert LIMITS in page.sections[0].blocks
    html = page.html()
    assert html.index("What these scores cannot show") < html.index("Scores by task</h2>")
    assert "no evidence of safety" in html
    assert page.lead.endswith("they show neither intent nor safety.")


def test_no_conclusion_that_such_scores_cannot_bear(page: Report) -> None:
    assert not re.search(r"(has|have|lacks?|possess\w*) (a )?theory of mind|scheming|schemes", page.html(), re.I)


def test_confirmatory_before_exploratory(page: Report) -> None:
    kinds = [each.title.partition(":")[0] for each in page.sections if ":" in each.title]
    assert kinds == sorted(kinds)
    assert kinds.count("Confirmatory") == 2


def test_a_model_without_a_partner_is_in_the_figure_and_not_in_the_pairs(page: Report, found: LineupResults) -> None:
    (pairs, *_) = tables(section(page, "Confirmatory: base against post-trained")).values()
    assert {row[0] for row in pairs.rows} == {"omniscient", "perfect", ""}
    svg = next(block for block in section(page, "Scores by task").blocks if hasattr(block, "svg")).svg
    words = [text.text for text in ElementTree.fromstring(svg).iter(f"{SVG}text")]
    assert [word for word in words if word and re.match(r"\d \w", word)] == [
        "1 drift-1",
        "2 drift-2",
        "3 drift-3",
        "4 perfect",
    ]


def test_trends_are_told_with_their_confounds(page: Report, found: LineupResults) -> None:
    told = section(page, "Confirmatory: versions of a series")
    assert isinstance(told.blocks[0], str)
    assert "drift-1 (2024-01-01 · 0.1 B), drift-2" in told.blocks[0]
    rows = tables(told)["Trends"].rows
    assert [(row[1], row[7]) for row in rows] == [(one_short, one.word) for one_short, one in zip_short(found)]
    assert len(tables(told)["Each version less the last"].rows) == 2 * len(rows)


def zip_short(found: LineupResults):
    from otherminds.studies.safety.lineups import SHORT

    return [(SHORT[one.what], one) for one in found.trends]


def test_lead_names_the_numbers(found: LineupResults) -> None:
    said = lead(found)
    assert "5 models" in said
    assert "of 9 differences" in said
    assert "Over versions" in said


def test_files_hold_the_same_numbers(tmp_path: Path, found: LineupResults) -> None:
    written = {path.name: path.read_text() for path in save(tmp_path, found)}
    lines = list(csv.DictReader(StringIO(written["scores.csv"])))
    one = next(line for line in lines if (line["model"], line["task"]) == ("perfect", "TB"))
    mean = found.models["perfect"].where(task="TB").mean("S")
    assert float(one["S"]) == mean.value
    assert int(one["n"]) == mean.n
    trends = list(csv.DictReader(StringIO(written["trends.csv"])))
    assert [line["trend"] for line in trends] == [each.word for each in found.trends]
    assert len(list(csv.DictReader(StringIO(written["pairs.csv"])))) == 9
    assert len(list(csv.DictReader(StringIO(written["violins.csv"])))) == 4 * 9
    assert written["violins.svg"].startswith("<svg")
    assert r"\begin{tabular}" in written["pairs.tex"]
    assert "<table" in written["pairs.html"]


def test_one_model_with_everything_asked() -> None:
    from otherminds.models.scripted import Scripted

    suite = build(size=4)
    model = Scripted(lambda _: "Answer: A", name="guesser", weigh=guess)
    with Store(MEMORY) as store:
        asked = Desk(store, bar).put_each(
            askings(suite, extras=("wordings", "controls", "refusals")), Subject.of(model)
        )
    page = show(Lineup(()), asked.runs)
    titles = [each.title for each in page.sections]
    for title in ("other ways to ask", "controls", "refusals", "letters and cloze", "calibration"):
        assert f"Exploratory: {title}" in titles
    assert not [title for title in titles if title.startswith("Confirmatory")]
    wordings = tables(section(page, "Exploratory: other ways to ask"))["S of guesser under other wordings"]
    spans = [[float(cell) for cell in row[1:-1]] for row in wordings.rows]
    assert [row[-1] for row in wordings.rows] == [f"{min(span):.3f} to {max(span):.3f}" for span in spans]
    assert page.html() == show(Lineup(()), asked.runs).html()


@pytest.fixture(scope="module")
def alone(suite: Suite) -> Report:
    """The page of one model."""
    return show(Lineup(()), [run(suite, omniscient(suite))])


def test_tasks_are_named_before_the_key_and_the_key_stands_before_the_figure(alone: Report) -> None:
    cards = alone.sections[0].blocks[0]
    assert isinstance(cards, Cards)
    assert cards.cards[0][0] == "S, facts (TB)"
    assert re.fullmatch(r"95 % 0\.\d{3} to [01]\.\d{3}, n = \d+", cards.cards[0][2])
    for short in ("INT", "FP", "D/V", "CA"):
        assert re.search(rf"\w \({short}\)", alone.lead)
    first, second, *_ = section(alone, "Scores by task").blocks
    assert str(first).startswith("**TB** facts of the story")
    assert "all alike: points" in second.caption


def test_how_often_the_order_matters_is_said_of_so_many_items(alone: Report) -> None:
    assert re.search(r"the same answer in 100% of \d+ items", alone.lead)


def test_the_verdict_says_that_it_goes_by_p(alone: Report) -> None:
    assert (
        "p is that of the difference from 0.5" in tables(section(alone, "Scores by task"))["Scores of omniscient"].note
    )


def test_an_interval_that_says_nothing_is_a_dash() -> None:
    assert three_signed(Estimate(3.308, -inf, inf, 4, 1, "")) == "+3.308 [–]"
    assert three_signed(Estimate(3.308, 3.1, 3.5, 4, 2, "")) == "+3.308 [+3.100, +3.500]"
    assert three(Estimate(0.308, 0.1, 0.5, 4, 2, "")) == "0.308 [0.100, 0.500]"


def test_the_spread_of_the_label_bias_has_a_column_of_its_own(alone: Report) -> None:
    (table,) = tables(section(alone, "Exploratory: what the letters are worth")).values()
    place = table.columns.index("its sd")
    assert all(re.fullmatch(r"\d+\.\d\d", str(row[place])) for row in table.rows)


def test_shares_beside_rules_have_intervals_and_their_number(alone: Report, page: Report) -> None:
    rules = tables(section(alone, "Exploratory: mindless baselines"))["Right answers, models and rules"].rows
    assert rules[-1][0] == "items"
    whole = dict(enumerate(rules[-1]))
    for row in rules[:-1]:
        for place, cell in enumerate(row[1:], start=1):
            # Of a rule that ties some options, how many are left.
            assert cell is None or str(cell).endswith("]") or int(str(cell).rpartition(" ")[2]) < whole[place]
    (reliable,) = (t for c, t in tables(section(alone, "Exploratory: calibration")).items() if c.startswith("Reliab"))
    assert all(str(row[-1]).endswith("]") for row in reliable.rows)
    side_by_side = tables(section(page, "Scores by task"))["Mean S, with 95 % intervals"].rows
    assert side_by_side[-1][0] == "items"
