"""Summaries of runs with the clients of trackers, which are driven as they are called, and nothing sent unasked."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner

import otherminds as om
from otherminds.bridges.track import TrackingError, summary, track
from otherminds.cli import cli
from otherminds.errors import UsageError
from otherminds.studies.starter.study import starter


@pytest.fixture
def run() -> om.Run:
    suite = starter()
    return om.run(suite, om.realist(suite))


def test_a_summary_has_numbers_and_neither_questions_nor_answers(run: om.Run) -> None:
    told = summary(run)
    assert told.metrics["right/all items"] == run.mean()
    assert told.metrics["right/false belief"] == 0
    assert told.metrics["right_low/all items"] <= run.mean() <= told.metrics["right_high/all items"]
    assert told.metrics["verdicts/correct"] + told.metrics["verdicts/incorrect"] == len(run)
    text = json.dumps([told.name, dict(told.params), dict(told.metrics)])
    assert not any(record.item.question in text or record.item.context in text for record in run.records)


class Wandb(ModuleType):
    """The part of the client that is called, with its own signature."""

    def __init__(self) -> None:
        super().__init__("wandb")
        self.finished = False
        self.sent: dict[str, Any] = {}

    def init(self, *, project: str, name: str, config: dict[str, str], job_type: str) -> Any:
        self.sent |= {"project": project, "name": name, "config": config, "job_type": job_type}

        def finish() -> None:
            self.finished = True

        return SimpleNamespace(summary=self.sent, finish=finish, id="w1")


def test_weights_and_biases(run: om.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Wandb()
    monkeypatch.setitem(sys.modules, "wandb", client)
    assert track(run, "wandb", project="minds") == "w1"
    assert client.finished
    assert client.sent["project"] == "minds"
    assert client.sent["right/all items"] == run.mean()


def test_mlflow_keeps_it_in_its_file_store(run: om.Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed; the extra track brings it")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    there = track(run, "mlflow", project="minds")
    kept = mlflow.get_run(there).data
    assert kept.metrics["right/all items"] == run.mean()
    assert kept.params["suite"] == "starter"


def test_what_a_client_raises_is_a_sentence(run: om.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    client = ModuleType("wandb")

    def init(**given: Any) -> None:
        raise RuntimeError("no key\nset WANDB_API_KEY")

    client.init = init  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "wandb", client)
    with pytest.raises(TrackingError, match="wandb did not take the run: no key set WANDB_API_KEY"):
        track(run, "wandb", project="minds")


def test_without_the_client_there_is_a_sentence(run: om.Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(UsageError, match=r"otherminds\[track\]"):
        track(run, "mlflow", project="minds")
    with pytest.raises(UsageError, match="there is no tracker 'paper'"):
        track(run, "paper", project="minds")


def test_the_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "wandb", Wandb())
    assert CliRunner().invoke(cli, ["run", "starter", "-m", "baseline:oracle"]).exit_code == 0
    done = CliRunner().invoke(cli, ["track", "last", "--with", "wandb", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["id"] == "w1"
