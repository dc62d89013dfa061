"""What a page says is what its numbers are."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.report import Report, Table
from otherminds.runs import run
from otherminds.stats import mean
from otherminds.studies.explore.build import suite
from otherminds.studies.explore.measure import measure
from otherminds.studies.explore.show import show as show_found
from otherminds.studies.perturbed import agents, intervene
from otherminds.studies.perturbed.build import build as build_perturbed
from otherminds.studies.perturbed.show import show as show_perturbed
from otherminds.studies.safety.drift import drifting
from otherminds.studies.safety.lineups import SeriesTrend, trends
from otherminds.studies.safety.series import Lineup, Member
from otherminds.studies.safety.sets import build as build_safety
from otherminds.studies.safety.sittings import sit
from tests.studies.explore.made_up import FALSE, TRUE, says


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
    crossed = measure(findings, runs).crossed
    assert crossed is not None
    (first, *_) = crossed.rows
    # By hand: of the two questions of order 1 about the one story that was searched, each has one right. With the
    # story that was drawn, they would be four.
    assert first[0] == "box sayer, order 1"
    assert [(one.value, one.n) for one in first[1] if one] == [(0.5, 2), (0.5, 2)]


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
    (one,) = trends(sit(made), lineup)
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
