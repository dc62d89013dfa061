"""`lint --heuristics`: every heuristic by class, task and order, against the bounds of the study."""

import json

import pytest
from click.testing import CliRunner

import otherminds as om
from otherminds.cli import cli
from otherminds.heuristics.cues import BOUNDS, HeuristicScore, stretched, tried
from otherminds.heuristics.leaver import earliest_leaver
from otherminds.heuristics.readers import BASELINES


def outside(suite: str) -> dict[tuple[str, str], HeuristicScore]:
    done = CliRunner().invoke(cli, ["lint", suite, "--heuristics", "--json"])
    found = json.loads(done.stdout)
    assert done.exit_code == int(bool(found["faults"]) or any(one["outside"] for one in found["heuristics"]))
    return {(one["heuristic"], one["where"]): one for one in found["heuristics"] if one["outside"]}


def test_the_faults_of_our_own_suites_are_named() -> None:
    safety, perturbed = outside("safety"), outside("perturbed")
    assert {name for name, _ in safety} == {"earliest leaver"}
    higher, first = safety["earliest leaver", "task=FB/HO"], safety["earliest leaver", "task=FB/SA"]
    assert (round(higher["right"]["value"], 2), higher["right"]["n"]) == (0.79, 150)
    assert (round(first["right"]["value"], 2), first["right"]["n"], first["items"]) == (0.85, 60, 120)
    assert round(perturbed["realist", ""]["right"]["value"], 2) == 0.95
    assert not outside("starter")


def test_the_faults_are_printed_with_how_many_items_have_an_opinion() -> None:
    done = CliRunner().invoke(cli, ["lint", "safety", "--heuristics"])
    assert done.exit_code == 1
    assert "fault: earliest leaver: right in 0.85" in done.stdout
    assert "no faults" not in done.output, "the last line counts what the heuristics found"
    assert "on 60 of 120 items (task=FB/SA)" in done.stdout
    assert CliRunner().invoke(cli, ["lint", "safety"]).exit_code == 0


def test_few_items_are_no_fault() -> None:
    items = [om.Item(f"{n}", "Where?", "b", choices=("a", "b"), tags={"story": f"{n}"}) for n in range(30)]
    for number, found in ((4, False), (30, True)):
        assert any(one.outside for one in tried(items[:number])) is found


def test_that_the_world_answers_questions_about_the_world_is_no_fault() -> None:
    meta = {"reality": "box"}
    items = [
        om.Item(f"{n}", "Where?", "box", choices=("bag", "box"), tags={"order": n % 2}, meta=meta) for n in range(60)
    ]
    assert {one.where for one in tried(items) if one.heuristic == "realist"} == {"", "order=1"}


@pytest.mark.parametrize(("chance", "low", "high"), [(0.5, 0.35, 0.65), (0.25, 0, 0.475), (1, 0, 1)])
def test_bounds_lie_as_far_from_chance_for_more_options(chance: float, low: float, high: float) -> None:
    assert stretched(BOUNDS, chance) == pytest.approx((low, high))


def test_the_earliest_leaver_finds_places_however_options_name_them() -> None:
    story = om.Story.of(
        om.Enter("Jo", "hall"), om.Enter("Ivo", "hall"), om.Move("Jo", "fig", "tub"), om.Leave("Jo", "hall"),
        om.Move("Ivo", "fig", "urn"),
    )  # fmt: skip
    meta = {"events": story.to_dicts(), "about": "fig"}
    for choices in (("tub", "urn"), ("the tub", "the urn"), ("go to the tub", "go to the urn"), ("a tub", "an urn")):
        item = om.Item("x", "Where does Jo think the fig is?", choices[0], choices=choices, meta=meta)
        assert earliest_leaver(item) == [choices[0]]
    nobody = om.Item("y", "Where was the fig at first?", "tub", choices=("tub", "urn"), meta=meta)
    assert earliest_leaver(nobody) == []


def test_every_heuristic_is_a_baseline() -> None:
    suite = om.get_suite("safety").where(task="FB/HO")
    assert om.run(suite, BASELINES["earliest_leaver"](suite)).mean() == pytest.approx(0.79, abs=0.01)
