"""`otherminds check`: enough right answers, or exit code 1 and a sentence."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import otherminds as om
from otherminds.cli import cli
from otherminds.commands.check import read_condition
from otherminds.errors import UsageError


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("check") / "a.db"
    om.run("starter", "baseline:realist", store=path, quiet=True)
    return path


def call(store: Path, *words: str) -> tuple[int, str]:
    done = CliRunner().invoke(cli, ["check", "last", *words, "--store", str(store)])
    return done.exit_code, done.output


def test_met_and_not_met(store: Path) -> None:
    code, said = call(store, "--min", "false_belief=false>=0.9", "--min", "all>=50%")
    assert (code, said.count("met:"), said.count("not met:")) == (0, 2, 0)
    code, said = call(store, "--min", "false_belief>=0.8", "--min", "all>=0.2")
    assert code == 1
    assert "does not reach false_belief>=0.8 by its mean" in said
    assert said.count("not met:") == 1


def test_sure_goes_by_the_lower_end(store: Path) -> None:
    assert call(store, "--min", "all>=0.5")[0] == 0
    code, said = call(store, "--min", "all>=0.5", "--sure")
    assert code == 1
    assert "by the lower end of its interval" in said


def test_json_has_every_condition(store: Path) -> None:
    code, said = call(store, "--min", "false_belief=true|false>=0.4", "--json")
    (row,) = json.loads(said)["conditions"]
    assert (code, row["met"], row["n"], row["value"]) == (0, True, 48, 0.5)


def test_a_run_that_is_not_finished_has_not_enough(tmp_path: Path) -> None:
    path = tmp_path / "b.db"
    om.run("starter", "baseline:oracle", store=path, budget=om.Budget(calls=20), quiet=True)
    code, said = call(path, "--min", "all>=0.1")
    assert code == 1
    assert "is not finished" in said


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--min", "false_belief"), "should be items and the least share"),
        (("--min", "all>=1.2"), "should be items and the least share"),
        (("--min", "all>=1.2.3"), "should be items and the least share"),
        (("--min", "unicorn>=0.5"), "has a tag 'unicorn'; there are"),
        (("--min", "false_belief=maybe>=0.5"), "no scored answer for"),
        (("--min", "order=>=0.5"), "should be a tag"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(store: Path, words: tuple[str, ...], sentence: str) -> None:
    code, said = call(store, *words)
    assert code == 2
    assert sentence in said


def test_conditions_are_read() -> None:
    assert read_condition("order=1|2,kind=room>=80%") == (
        "order=1|2,kind=room>=80%",
        {"order": (1, 2), "kind": ("room",)},
        0.8,
    )
    with pytest.raises(UsageError):
        read_condition(">=0.5")
