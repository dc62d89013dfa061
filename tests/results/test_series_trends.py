"""Whether scores move along a series: recounted by hand, and on the page of `otherminds series`."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from otherminds.cli import cli
from otherminds.heuristics.readers import reader
from otherminds.items import Item, Suite
from otherminds.results.lineups import Member
from otherminds.results.trend_page import lead, show
from otherminds.results.trends import MOVES, NOT_TOLD, STAYS, TOO_FEW, SeriesTrend, trends
from otherminds.runs.runs import Run, run

STORIES, MANY = 40, 200


def items(stories: int = STORIES) -> tuple[Item, ...]:
    return tuple(
        Item(
            id=f"{story}-{kind}",
            context=f"Story {story}. Ida puts the tea into the {'tin' if story % 2 else 'jar'}.",
            question=f"Where does Ida think the tea is, {kind}?",
            answer="tin" if story % 2 else "jar",
            choices=("tin", "jar"),
            tags={"story": f"s{story}", "order": 1, "false_belief": kind == "false"},
        )
        for story in range(stories)
        for kind in ("false", "true")
    )


def versions(suite: Suite, shares: Sequence[float], *, kind: str = "") -> dict[Member, Run]:
    """Models that get such a share of the stories right, more and more of the same; of the other kind, half."""

    stories = len(suite) // 2

    def made(number: int, share: float) -> Run:
        def choose(item: Item) -> Sequence[str]:
            story = int(item.id.partition("-")[0])
            wanted = share if kind in ("", item.id.partition("-")[2]) else 0.5
            right = (story * 7 % stories) / stories < wanted
            return [item.answer if right else next(each for each in item.choices if each != item.answer)]

        return run(suite, reader(f"v{number}", suite, choose))

    return {Member(f"v{number}", "", "s", number): made(number, share) for number, share in enumerate(shares)}


def trends_of(made: Mapping[Member, Run]) -> Sequence[SeriesTrend]:
    return trends({"s": list(made)}, {member.name: [one] for member, one in made.items()})


def verdicts(found: Sequence[SeriesTrend]) -> dict[str, str]:
    return {each.what: each.moves for each in found}


def test_a_score_that_goes_up_moves_and_one_that_stays_does_not() -> None:
    suite = Suite("tea", items())
    rising = verdicts(trends_of(versions(suite, (0.2, 0.4, 0.6, 0.9))))
    assert set(rising.values()) == {MOVES}
    assert {"all items", "S of all items", "false belief", "true belief"} <= set(rising)
    many = Suite("tea", items(MANY))
    assert set(verdicts(trends_of(versions(many, (0.5, 0.5, 0.5, 0.5)))).values()) == {STAYS}


def test_only_the_kind_that_moves_is_said_to() -> None:
    suite = Suite("tea", items(MANY))
    found = verdicts(trends_of(versions(suite, (0.1, 0.3, 0.6, 1.0), kind="false")))
    assert (found["false belief"], found["true belief"]) == (MOVES, STAYS)


def test_few_stories_tell_nothing() -> None:
    few = Suite("tea", items(5))
    assert set(verdicts(trends_of(versions(few, (0.0, 0.5, 1.0)))).values()) == {TOO_FEW}
    some = Suite("tea", items(8))
    assert NOT_TOLD in verdicts(trends_of(versions(some, (0.4, 0.5, 0.55)))).values()


def test_slopes_are_those_of_a_second_program() -> None:
    suite = Suite("tea", items())
    made = versions(suite, (0.3, 0.35, 0.6, 0.8))
    ranks = (0, 1, 5, 9)  # not evenly apart
    made = {replace(each, rank=rank): one for (each, one), rank in zip(made.items(), ranks, strict=True)}
    (one,) = [each for each in trends_of(made) if each.what == "false belief"]
    values: dict[str, list[float]] = defaultdict(list)
    for answered in made.values():
        for record in answered.records:
            if record.item.tags["false_belief"]:
                values[record.item.id].append(float(record.verdict == "correct"))
    slopes = [np.polyfit(ranks, row, 1)[0] for row in values.values()]
    assert one.trend.slope.value == pytest.approx(fmean(slopes))
    assert [mean.value for mean in one.means] == pytest.approx(
        [fmean(column) for column in zip(*values.values(), strict=True)]
    )
    assert one.trend.blocks == STORIES


def test_every_number_of_the_page_leads_to_its_answers() -> None:
    suite = Suite("tea", items())
    made = versions(suite, (0.2, 0.9))
    found = trends_of(made)
    page = show(found, list(made.values()))
    assert page.lead == lead(found)
    assert page.lead.startswith(f"Of {len(found)} scores, {len(found)} move")
    html = page.html()
    assert html.count('href="#items?') == 3 * len(found)  # two versions, and the slope of both


# ---- the command ----------------------------------------------------------------------------------------------------


def call(*args: object) -> Result:
    return CliRunner().invoke(cli, ["series", *map(str, args)])


@pytest.fixture
def line_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    members = [
        {"name": name, "spec": f"baseline:{name}", "series": "minds", "rank": rank}
        for rank, name in enumerate(("realist", "first_order", "oracle"))
    ]
    file = tmp_path / "minds.yaml"
    file.write_text(json.dumps({"models": members}), encoding="utf-8")
    return file


def test_series_puts_any_suites_to_a_line_up(line_up: Path, tmp_path: Path) -> None:
    done = call(line_up, "starter", "--score", "letters", "--score", "cloze", "-o", "out", "--json")
    assert done.exit_code == 0, done.output
    found: list[dict[str, Any]] = json.loads(done.stdout)["trends"]
    told = {(each["asked"], each["items"]): each["verdict"] for each in found}
    assert told["starter, by letters", "false belief"] == MOVES
    assert told["starter, as the end of a sentence", "true belief"] == NOT_TOLD  # all right, but on 24 stories
    with (tmp_path / "out" / "trends.csv").open(encoding="utf-8") as file:
        assert [row["verdict"] for row in csv.DictReader(file)] == [each["verdict"] for each in found]
    assert "Moves" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    again = call(line_up, "starter", "--score", "letters", "--limit", 10, "-o", "less")
    assert again.exit_code == 0
    assert "too few groups" in again.output


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--score", "letters"], "are for SUITEs"),
        (["starter", "--also", "controls"], "for the nine tasks"),
        (["startr"], "did you mean 'starter'"),
        (["starter", "--score", "telepathy"], "telepathy"),
        (["perturbed", "--score", "letters", "--prompt", "json"], "asks for JSON"),
    ],
)
def test_what_cannot_be_asked_is_a_sentence(line_up: Path, more: list[str], sentence: str) -> None:
    done = call(line_up, *more)
    assert done.exit_code == 2
    assert sentence in done.output


def test_items_without_an_ending_cannot_be_put_as_a_cloze(line_up: Path, tmp_path: Path) -> None:
    suite = Suite("tea", items())
    suite.save(tmp_path / "tea.jsonl")
    done = call(line_up, "tea.jsonl", "--score", "cloze")
    assert done.exit_code == 2
    assert "no item of tea can be put as the end of a sentence" in done.output
