"""Readers without a mind, and twins that they cannot get right."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from otherminds.bridges.audit import audit, gains, pairs_right
from otherminds.bridges.benchmarks.known import read
from otherminds.bridges.benchmarks.tomi import twins
from otherminds.cli import cli
from otherminds.errors import UsageError
from otherminds.heuristics.cues import askable
from otherminds.heuristics.leaver import earliest_leaver
from otherminds.items import Item, Suite
from otherminds.studies.starter.study import starter
from tests.bridges.miniatures import MAKERS
from tests.bridges.test_numbered import known_to

SAME = ("realist", "decoy", "last mention", "first mention", "first option", "last option", "constant answer")


def tomi(tmp_path: Path) -> Suite:
    return read(MAKERS["tomi"](tmp_path), split="test")


def test_readers_get_what_can_be_worked_out_by_hand(tmp_path: Path) -> None:
    suite = tomi(tmp_path)
    right = {row.name: row.right.value for row in audit(suite.items)}
    # Of the first story four of six answers are not where the pear is, of the second only the memory.
    assert right["realist"] == right["last mention"] == pytest.approx(7 / 12)
    assert right["decoy"] == right["first mention"] == pytest.approx(5 / 12)
    published = {row.name: row.right.value for row in audit(suite.items, published=True)}
    assert published["realist"] == pytest.approx(8 / 12)
    # By who left first: wrong on Ben, who came back; right about reality; no opinion on the two about the beginning.
    assert right["earliest leaver"] == pytest.approx((4 + 2 + 2 * 0.5 + 1) / 12)


def test_the_earliest_leaver_of_the_chain(tmp_path: Path) -> None:
    by_id = {item.id: item for item in tomi(tmp_path)}
    assert earliest_leaver(by_id["test-1-4"]) == ["tin_box"]
    assert earliest_leaver(by_id["test-1-3"]) == ["oak_chest"]  # Ada never leaves
    assert earliest_leaver(by_id["test-2-4"]) == ["red_jar"]  # though Ben came back
    assert earliest_leaver(by_id["test-1-1"]) == []


def test_what_has_no_opinion_guesses(tmp_path: Path) -> None:
    item = Item("x", "Which?", "b", choices=("a", "b", "c"))
    other = Item("z", "Which?", "c", choices=("a", "b", "c"))
    assert gains([item, other, replace(other, id="v")])["constant answer"] == {"x": 0.0, "z": 0.5, "v": 0.5}
    assert "realist" not in gains([item])
    assert gains([Item("y", "Which?", "b", choices=("a", "b", "c"), meta={"reality": "moon"}), item]).keys() >= {
        "first option"
    }


def test_our_own_suite_can_be_audited() -> None:
    rows = {row.name: row.right.value for row in audit(askable(starter().items))}
    assert rows["realist"] == pytest.approx(0.5, abs=0.1)


def test_a_suite_without_choices_is_a_sentence() -> None:
    with pytest.raises(UsageError, match="nothing to pick from"):
        askable([Item("x", "Where?", "here")])


def test_twins_are_the_same_sentences_with_another_answer(tmp_path: Path) -> None:
    suite = twins(tomi(tmp_path))
    pairs = list(zip(suite.items[::2], suite.items[1::2], strict=True))
    assert len(pairs) == 3  # what is thought of Ben, and what he thinks: he alone leaves for good
    for first, second in pairs:
        lines = [item.context.split("\n") for item in (first, second)]
        assert sorted(lines[0]) == sorted(lines[1])
        assert first.answer != second.answer
        assert first.meta["reality"] == second.meta["reality"]
        assert first.tags["twin"] == second.tags["twin"]
        for item, told in zip((first, second), lines, strict=True):
            quiet = [line for line in told if "likes" not in line and "shed" not in line]
            assert item.answer == known_to(quiet, tuple(item.meta["minds"]), open_containers=True)
    both = pairs_right(askable(suite.items))
    assert {name: both[name].value for name in SAME if name in both} == dict.fromkeys(
        (name for name in SAME if name in both), 0.0
    )


def test_twins_of_closed_containers(tmp_path: Path) -> None:
    suite = twins(read(MAKERS["hitom"](tmp_path)))
    assert all(item.context.startswith("1 ") and "\nNote: " in item.context for item in suite)
    assert pairs_right(askable(suite.items))["realist"].value == 0


def test_no_twins_of_other_suites() -> None:
    with pytest.raises(UsageError, match="ToMi and Hi-ToM"):
        twins(starter())


def test_the_command(tmp_path: Path) -> None:
    path = MAKERS["tomi"](tmp_path)
    found = CliRunner().invoke(cli, ["audit", str(path), "--only", "split=test", "--json"])
    assert found.exit_code == 0, found.output
    data = json.loads(found.stdout)
    assert data["items"] == 12
    assert data["repaired"][0]["n"] == 12
    shown = CliRunner().invoke(cli, ["audit", str(path), "--twins", str(tmp_path / "twins.jsonl")])
    assert "both twins right" in shown.stdout
    assert len(Suite.load(tmp_path / "twins.jsonl")) == 12
    nothing = CliRunner().invoke(cli, ["audit", str(path), "--only", "split=moon"])
    assert nothing.exit_code == 2
    assert "has no item with split=moon" in nothing.output


def test_import_command(tmp_path: Path) -> None:
    path = MAKERS["tomi"](tmp_path)
    words = ["import", str(path), "-o", str(tmp_path / "s.jsonl"), "--patch", str(tmp_path / "p.jsonl")]
    found = CliRunner().invoke(cli, [*words, "--json"])
    assert found.exit_code == 0, found.output
    data = json.loads(found.stdout)
    assert (data["benchmark"], data["items"], data["checked"], len(data["contradicted"])) == ("tomi", 24, 24, 2)
    assert len((tmp_path / "p.jsonl").read_text().splitlines()) == 2
    assert CliRunner().invoke(cli, words).exit_code == 0
    lacking = CliRunner().invoke(cli, ["import", str(path)])
    assert lacking.exit_code == 2
    assert "say with -o" in lacking.output
