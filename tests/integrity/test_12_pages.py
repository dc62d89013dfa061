"""What a page says is what its numbers are."""

import json
import re
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.items import Item, Suite
from otherminds.models.scripted import Scripted
from otherminds.pages.report import Report, Table
from otherminds.profiles.findings import Profile, ToldStudy, answer
from otherminds.results.lineups import Lineup, Member
from otherminds.results.trends import SeriesTrend
from otherminds.runs.runs import Record, load, run
from otherminds.stats import mean
from otherminds.store.store import Store
from otherminds.studies.explore.material.build import suite
from otherminds.studies.explore.material.measure import measure, question_mean
from otherminds.studies.explore.page import show as show_found
from otherminds.studies.perturbed.page import show as show_perturbed
from otherminds.studies.perturbed.tasks import intervene
from otherminds.studies.perturbed.tasks.build import build as build_perturbed
from otherminds.studies.safety.lineups import measure as measure_lineup
from otherminds.studies.safety.plots.build import build as build_safety
from otherminds.studies.study import Chapter, Finding
from tests.browser import Browser, needs_browser
from tests.integrity.pages import Cell, Items, Key, Tables, sentences
from tests.integrity.recount import Given, given, paired, recount
from tests.integrity.recount import mean as counted
from tests.studies.explore.made_up import FALSE, TRUE, says
from tests.studies.perturbed import agents
from tests.studies.safety.drift import drifting


def section(page: Report, title: str) -> list[object]:
    return next(list(each.blocks) for each in page.sections if each.title == title)


# ---- explore: how many stories each method asked about --------------------------------------------------------------


def test_both_methods_say_how_many_stories_they_asked_about() -> None:
    searched, drawn = replace(FALSE, evaluated=200), replace(TRUE, method="overgenerate", evaluated=64)
    page = show_found([searched, drawn], [run(suite([searched, drawn]), says("box"))], random_stories=0)
    told = section(page, "Against over-generation")
    assert "having asked about 200 stories, and over-generation to 1.00, having asked about 64:" in page.lead
    assert "200 / 64" in [row[-1] for block in told if isinstance(block, Table) for row in block.rows]
    said = " ".join([page.lead, *(block for block in told if isinstance(block, str))])
    assert "as many to the model" not in said


def test_models_are_compared_on_searched_stories_alone() -> None:
    findings = {"box sayer": [FALSE, replace(TRUE, method="overgenerate")], "basket sayer": [TRUE]}
    runs = [run(suite([FALSE, TRUE]), says(word, f"{word} sayer")) for word in ("box", "basket")]
    first = measure(findings, runs).crossed(0).where(against="box sayer, order 1")
    # By hand: of the two questions of order 1 about the one story that was searched, each has one right. With the
    # story that was drawn, they would be four.
    found = map(question_mean, first.by("model").values())
    assert [(one.value, one.n) for one in found if one] == [(0.5, 2), (0.5, 2)]


# ---- tell: the orders that were looked at ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ice-cream", "overheard"])
def test_nobody_is_wrong_only_as_far_as_was_looked(name: str, tmp_path: Path) -> None:
    shown = []
    for order in ("1", "2"):
        page = tmp_path / f"{order}.html"
        CliRunner().invoke(cli, ["tell", name, "--order", order, "--html", str(page)], catch_exceptions=False)
        told = CliRunner().invoke(cli, ["tell", name, "--order", order], catch_exceptions=False).stdout
        shown.append((page.read_text(encoding="utf-8"), told))
    for first, second in zip(*shown, strict=True):
        assert "wrongly thinks that" in second
        assert "Nobody is wrong about what is so" in " ".join(first.split())
        assert "anybody thinks" not in first


# ---- perturbed: where a given chain stands --------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "role"), [("notes", "user"), ("prefill", "assistant")])
def test_a_page_says_in_whose_turn_a_given_chain_stands(how: intervene.How, role: str) -> None:
    plain, cot = (build_perturbed(style=style, focal=True) for style in ("vanilla", "cot"))
    runs = [run(each, agents.gold(each)) for each in (plain, cot)]
    led = intervene.build(runs[-1], how=how)
    given = run(led, agents.gold(led))
    prompt = given.records[0].prompts[0]
    asked, begun = prompt.messages[-1].content, prompt.prefill
    end = str(given.records[0].item.meta["given"][-1])
    assert ("After sentence 1" in asked, "After sentence 1" in begun) == (role == "user", role == "assistant")
    assert end in (asked if role == "user" else begun)
    said = " ".join(
        b for b in section(show_perturbed([*runs, given]), "Do answers follow the chains?") if isinstance(b, str)
    )
    assert "mouth" not in said
    assert ("in the turn of whoever asks" in said) is (role == "user")
    assert ("begins the model's own turn" in said) is (role == "assistant")


# ---- safety: a trend in words ---------------------------------------------------------------------------------------


def trend_of(*values: float) -> SeriesTrend:
    """A significant and steep trend, and the means that a page would show for it."""
    small = build_safety(tasks=["TB"], size=24)
    made = [run(small, drifting(small, version)) for version in range(1, len(values) + 1)]
    lineup = Lineup(tuple(Member(each.model, "", "drift", rank) for rank, each in enumerate(made, 1)))
    (one,) = measure_lineup(lineup, made).trends
    steps = [replace(step, value=new - old) for step, old, new in zip(one.steps, values, values[1:], strict=False)]
    slope = replace(one.trend.slope, value=values[-1] - values[0])
    top = one.trend.blocks * len(values) * (len(values) + 1) ** 2 / 4 + (1 if slope.value > 0 else -1)
    means = tuple(replace(mean([0.0, 1.0]), value=value) for value in values)
    return replace(one, p=0.001, means=means, steps=tuple(steps), trend=replace(one.trend, slope=slope, statistic=top))


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ((0.50, 0.81, 0.59), "goes up and down"),
        ((0.59, 0.50, 0.81), "goes up and down"),
        ((0.81, 0.50, 0.59), "goes up and down"),
        ((0.50, 0.59, 0.81), "rises"),
        ((0.50, 0.50, 0.81), "rises"),
        ((0.81, 0.59, 0.50), "falls"),
        ((0.50, 0.81), "rises"),
    ],
)
def test_a_series_rises_only_if_no_version_falls(values: tuple[float, ...], word: str) -> None:
    assert trend_of(*values).word == word


# ---- a profile: every number leads to exactly its items -------------------------------------------------------------

PAIRS = [("realist", "first_order"), ("random", "last_mention")]


@dataclass(frozen=True)
class Opened:
    """A profile of two baselines, as a page and with all its answers."""

    path: Path
    models: tuple[str, str]
    tables: Tables
    items: Items
    records: dict[Key, Record]
    found: dict[str, Any]

    def behind(self, link: str) -> list[Given]:
        return [given(key, self.records[key]) for key in self.items.of(link)]

    def rows(self, caption: str) -> list[list[Cell]]:
        return [row for table in self.tables.tables if table.caption.startswith(caption) for row in table.rows]


@pytest.fixture(scope="module", params=PAIRS, ids=" and ".join)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    folder = tmp_path_factory.mktemp("profile") / "two"
    specs = [part for name in request.param for part in ("-m", f"baseline:{name}")]
    done = CliRunner().invoke(cli, ["profile", *specs, "-o", str(folder), "--json"], catch_exceptions=False)
    found = json.loads(done.stdout)
    with Store(folder / "otherminds.db") as store:
        runs = [(study["study"], load(store, each["run"])) for study in found["studies"] for each in study["runs"]]
    records = {
        (study, run.suite, run.model, run.score, run.prompt, record.item.id): record
        for study, run in runs
        for record in run.records
    }
    assert len(records) == sum(len(run) for _, run in runs)
    html = (folder / "profile.html").read_text(encoding="utf-8")
    return Opened(folder / "profile.html", request.param, Tables(html), Items(html), records, found)


def read(text: str) -> tuple[float, float, int]:
    """A value as it is printed, how far it may be off by rounding, and n."""
    words = " ".join(text.split()).replace("\N{MINUS SIGN}", "-")
    number = re.search(r"(?:\d+/(?P<whole>\d+) = )?(?P<value>[-+]?\d+\.(?P<digits>\d+))", words)
    assert number, words
    n = number["whole"] or re.search(r"n = ([\d,]+)", words)[1].replace(",", "")  # type: ignore[index]
    return float(number["value"]), 0.5 * 10 ** -len(number["digits"]) + 1e-9, int(n)


def check(cell: Cell, value: float, n: int) -> None:
    printed, rounding, of = read(cell.text)
    assert of == n, cell.text
    assert abs(printed - value) <= rounding, f"{cell.text} is {value}"


def test_every_number_of_a_profile_leads_to_exactly_its_items(opened: Opened) -> None:
    followed = []
    unlinked = set()
    numbers = [row for row in opened.rows("Every number to take away") if row[0].text != "what"]
    for what, _model, cell, *_ in numbers:
        if cell.link:
            followed.append(cell.link)
            check(cell, *recount(what.text, opened.behind(cell.link)))
        else:
            unlinked.add(what.text)
    assert unlinked <= {"Search less over-generation", "Canonical words less other words"}
    for what, *cells, _ in [row for row in opened.rows("Scores with 95 %")[1:] if len(row) > 1]:
        for cell in cells:
            if cell.link:
                followed.append(cell.link)
                check(cell, *recount(what.text, opened.behind(cell.link)))
    for row in opened.rows("Right answers")[1:]:
        for cell in row:
            if cell.link:
                followed.append(cell.link)
                check(cell, *paired(lambda each: each.model, opened.models[0])(opened.behind(cell.link)))
    tables = ["Share of right answers", "The model and the baselines on all items"]
    tables += [f"{name}{which}" for name in opened.models for which in (": right answers by class", " by mental state")]
    for caption in tables:
        rows = opened.rows(caption)
        linked = [cell for row in rows[1:] for cell in row if cell.link]
        assert linked or not rows, caption
        for cell in linked:
            followed.append(cell.link)
            check(cell, *counted()(opened.behind(cell.link)))
    for model, right, _story in opened.rows("The hardest stories found")[1:]:
        answers = opened.behind(right.link)
        followed.append(right.link)
        assert {(each.model, each.record.item.context) for each in answers} == {(model.text, _story.text)}
        value, n = right.text.split(" of ")
        assert (float(value), int(n)) == pytest.approx((sum(each.number() for each in answers), len(answers)))
    for row in opened.rows("What the answers hang on besides the question")[1:]:
        whole = len(opened.behind(row[4].link))
        followed.append(row[4].link)
        assert int(row[4].text.replace(",", "")) == whole
        unclear = len(opened.behind(row[8].link)) if row[8].link else 0
        followed += [row[8].link] * bool(row[8].link)
        assert row[8].text == f"{unclear / whole:.0%}"
    for cell in sentences(opened.path.read_text(encoding="utf-8")):
        followed.append(cell.link)
        check(cell, *counted()(opened.behind(cell.link)))
    followed += followed_map(opened)
    assert Counter(followed) == Counter(opened.tables.links)
    assert len(followed) > 100


def followed_map(opened: Opened) -> list[str]:
    """Every number of the map, recounted; its places part all answers that were right or wrong."""
    cells = [
        cell
        for row in opened.rows("Accuracy, and the likeliest reader")
        for cell in row
        if re.match(r"\s*[01]\.", cell.text)
    ]
    numbers = [cell for cell in cells if "n = " in cell.text]  # the rest is chance
    for cell in numbers:
        check(cell, *counted()(opened.behind(cell.link)))
        sorts = {(each.model, each.tag("order"), each.tag("false_belief")) for each in opened.behind(cell.link)}
        assert len(sorts) == 1, cell.text
    keys = Counter(key for link in {cell.link for cell in numbers} for key in opened.items.of(link))
    assert set(keys.values()) == {1}
    scored = {key: each for key, each in opened.records.items() if each.scored and each.score.value is not None}
    told = {key for key, each in scored.items() if len(each.item.choices) > 1}
    assert set(keys) == told
    return [cell.link for cell in numbers]


@needs_browser
def test_the_page_shows_what_its_links_say(opened: Opened) -> None:
    with Browser() as browser, browser.page() as page:
        page.open(opened.path.as_uri())
        for link in dict.fromkeys(opened.tables.links):
            page.evaluate(f"location.hash = {json.dumps(link)}")
            count = f"{len(opened.items.of(link)):,} of "
            page.wait(f"document.querySelector('.count').textContent.startsWith({json.dumps(count)})")
            time.sleep(0.06)  # Chromium follows no more than 200 links in ten seconds
        assert page.errors == []


# ---- a profile: mindless baselines, and ties ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "rules", "said"),
    [
        (0.39, {"always reality": 0.41, "always decoy": 0.59}, "clear of chance, but not of a mindless baseline, in"),
        (0.59, {"always decoy": 0.59}, "clear of chance, but not of a mindless baseline, in"),
        (0.60, {"always decoy": 0.59}, "above chance in"),
        (0.39, {}, "above chance in"),
        (0.30, {"always decoy": 0.10}, "cannot be told from guessing in 1 of 1 scores"),
    ],
)
def test_above_chance_is_above_every_rule_that_stands_beside(low: float, rules: dict[str, float], said: str) -> None:
    score = replace(mean([0.0, 1.0]), value=0.65, low=low, high=0.91)
    finding = Finding("Perturbed set", "box sayer", score, 1 / 3, first=True, rules=rules)
    runs = [run(suite([FALSE]), says("box"))]
    chapter = Chapter(Report("t", "l", []), [finding], runs)
    words = answer(Profile(["box sayer"], [ToldStudy("perturbed", "Does it?", chapter)]))
    assert said in words
    assert ("above chance in perturbed set" in words) is (said == "above chance in")
    assert all(f"{name} {value:.2f}" in finding.aside for name, value in rules.items())


def test_no_difference_stands_beside_no_change_of_side(opened: Opened) -> None:
    table = opened.rows("Right answers:")[1:]
    told = [each for each in opened.found["differences"] if not each["tags"]]
    for row, data in zip(table, told, strict=True):
        gained, lost = (len(data[name]) for name in ("only_first_right", "only_second_right"))
        assert row[-1].text == f"{gained} / {lost}"
        assert data["value"] == 0 or gained + lost > 0


def test_items_that_one_run_ties_are_in_no_difference(tmp_path: Path) -> None:
    items = tuple(Item(f"i{n}", "Where?", "tin", "Look.", ("tin", "jar"), tags={"story": f"s{n}"}) for n in range(8))
    asked = Suite("few", items, score="cloze", prompt="raw")
    sure = Scripted(lambda _: "tin", name="sure", weigh=lambda prompt: {" tin": 0.8, " jar": 0.1})
    torn = Scripted(lambda _: "tin", name="torn", weigh=lambda prompt: {" tin": 0.4, " jar": 0.4})
    with Store(tmp_path / "store.db") as store:
        ids = [run(asked, model, store=store).id for model in (sure, torn)]
    told = CliRunner().invoke(cli, ["compare", *ids, "--store", str(tmp_path / "store.db")])
    assert told.exit_code
    assert "no scored item in common" in told.output + told.stderr
