"""`otherminds build safety`, and what lint says of the file."""

import json
from pathlib import Path

from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.items import Suite


def test_build_writes_a_suite_and_its_card_and_lint_finds_nothing(tmp_path: Path) -> None:
    file = tmp_path / "safety.jsonl"
    done = CliRunner().invoke(cli, ["build", "safety", "-o", str(file), "--size", "40", "--tasks", "TB,FB/SA,FB/D/A"])
    assert done.exit_code == 0, done.output
    assert "no faults" in done.output
    assert {item.tags["task"] for item in Suite.load(file)} == {"TB", "FB/SA", "FB/D/A"}
    card = file.with_suffix(".md").read_text(encoding="utf-8")
    assert "| FB/D/A | 40 | 40 |" in card
    assert "No item breaks any of these" in card
    assert CliRunner().invoke(cli, ["lint", str(file)]).exit_code == 0


def test_lint_goes_by_the_rules_of_the_study(tmp_path: Path) -> None:
    file = tmp_path / "safety.jsonl"
    CliRunner().invoke(cli, ["build", "safety", "-o", str(file), "--size", "12", "--tasks", "FB/SA"])
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text("\n".join([lines[0], *lines[2:]]), encoding="utf-8")  # the first group has lost a twin
    done = CliRunner().invoke(cli, ["lint", str(file), "--json"])
    assert done.exit_code == 1
    (fault,) = [fault for fault in json.loads(done.output)["faults"] if "reality" in fault["rule"]]
    assert fault["ids"] == ["fb-sa-0000-back", "fb-sa-0000-saw", "fb-sa-0000-unmoved"]


def test_an_unknown_task_is_a_sentence(tmp_path: Path) -> None:
    done = CliRunner().invoke(cli, ["build", "safety", "-o", str(tmp_path / "x.jsonl"), "--tasks", "FB/XY"])
    assert done.exit_code == 2
    assert "there is no task 'FB/XY'" in done.output
    assert not list(tmp_path.iterdir())
