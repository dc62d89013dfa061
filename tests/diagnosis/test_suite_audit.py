import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import otherminds as om
from otherminds.cli import cli
from otherminds.diagnosis.audit import audit, separate
from otherminds.errors import UsageError

STARTER = om.get_suite("starter")
SAFETY = om.get_suite("safety")


def test_an_audit_tells_what_a_suite_cannot_separate_and_what_readers_get() -> None:
    found = audit(STARTER)
    assert found.inseparable == (("oracle", "first order"),)
    assert found.right["oracle"].value == 1
    assert found.right["realist"].value == 0.5
    assert found.chance == 0.5


def test_a_suite_that_a_rule_solves_shows_it() -> None:
    story = om.Story.of(
        om.Enter("Ada", "den"),
        om.Enter("Ben", "den"),
        om.Move("Ada", "fig", "tub"),
        om.Leave("Ada", "den"),
        om.Move("Ben", "fig", "urn"),
    )
    quiz = om.quiz(story, order=4).where(lambda item: item.tags["kind"] == "container" and "Ada" in item.meta["minds"])
    found = audit(quiz)
    assert found.right["earliest leaver"].value > 0.8
    assert found.right["realist"].value < 0.5


def test_items_that_separate_part_readers_better_than_the_first_ones() -> None:
    few = separate(SAFETY, 60)
    assert 55 < len(few) <= 60
    kept = {item.tags["twin"] for item in few if "twin" in item.tags}
    assert {item.id for item in SAFETY if item.tags.get("twin") in kept} <= {item.id for item in few}
    assert [item for item in SAFETY if item in few.items] == list(few.items)  # in their own order
    first = replace(SAFETY, items=SAFETY.items[:60])
    assert len(audit(few).confusion.merged) > len(audit(first).confusion.merged)
    assert separate(STARTER, 1000) == STARTER


def test_nonsense_is_refused_with_a_sentence() -> None:
    free = om.Suite("free", (om.Item("x", "Why?", "because"),), score="text")
    for wrong in (lambda: separate(STARTER, 0), lambda: audit(free), lambda: separate(free, 3)):
        with pytest.raises(UsageError):
            wrong()


def test_the_command_diagnoses_runs_and_suites(tmp_path: Path) -> None:
    with om.Store(tmp_path / "a.db") as store:
        runs = [om.run(STARTER, make(STARTER), store=store) for make in (om.realist, om.oracle)]
    given = ["diagnose", *(run.id for run in runs), "--store", str(tmp_path / "a.db")]
    done = CliRunner().invoke(cli, given)
    assert done.exit_code == 0, done.output
    assert done.output.index("How often readers give the same answer") < done.output.index("Answers like a realist")
    assert "Cannot be told apart on these items: oracle, first order." in done.output
    first, second = json.loads(CliRunner().invoke(cli, [*given, "--json"]).output)
    assert (first["model"], second["model"]) == ("realist", "oracle")
    assert first["shares"]["realist"]["value"] == pytest.approx(1, abs=1e-3)
    assert sum(len(cell["ids"]) for cell in first["map"]) == len(STARTER)
    tried = CliRunner().invoke(cli, ["diagnose", "--suite", "starter", "--json"])
    assert json.loads(tried.output)["inseparable"] == [["oracle", "first order"]]
    assert "opposites" in CliRunner().invoke(cli, ["diagnose", "--suite", "starter"]).output


def test_the_command_wants_runs_or_a_suite() -> None:
    for words in (["diagnose"], ["diagnose", "last", "--suite", "starter"]):
        done = CliRunner().invoke(cli, words)
        assert done.exit_code == 2
        assert "give the runs to diagnose, or models with -m, or a suite" in done.output


def test_lint_tells_it_too() -> None:
    told = json.loads(CliRunner().invoke(cli, ["lint", "starter", "--json"]).output)
    assert told["inseparable"] == [["oracle", "first order"]]
    assert "cannot tell apart: oracle, first order" in CliRunner().invoke(cli, ["lint", "starter"]).output


def test_a_build_keeps_the_items_that_separate(tmp_path: Path) -> None:
    path = tmp_path / "few.jsonl"
    done = CliRunner().invoke(cli, ["build", "safety", "--separate", "40", "-o", str(path)])
    assert done.exit_code == 0, done.output
    few = om.Suite.load(path)
    assert few.items == separate(om.get_suite("safety"), 40).items
    assert "40" in path.with_suffix(".md").read_text(encoding="utf-8")
    assert CliRunner().invoke(cli, ["build", "safety", "--separate", "0", "-o", str(path)]).exit_code == 2
