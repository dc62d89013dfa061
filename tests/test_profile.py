"""Every study has its chapter in a profile, and one that fails takes nothing else with it."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from otherminds import studies
from otherminds.cli import cli
from otherminds.commands import profile
from otherminds.errors import ModelError
from otherminds.models.scripted import Scripted
from otherminds.report import Cards, Report, Section
from otherminds.studies import Study

PAGE = Report(
    "A page",
    "Nine of ten were right.",
    [Section("", [Cards([("Right", "0.90", "of ten")])]), Section("Details", ["There is more to say."])],
)


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(profile, "open_model", lambda *_, **__: Scripted(lambda _: "A", name="stubborn"))


def profiled(monkeypatch: pytest.MonkeyPatch, quick: Any, *options: str) -> tuple[Result, str]:
    def verb(*_: Any) -> Any:
        raise AssertionError("only `quick` belongs to a profile")

    study = Study("made-up", "What is all this?", verb, verb, verb, verb, quick)
    monkeypatch.setattr(studies, "STUDIES", {"made-up": lambda: study})
    done = CliRunner().invoke(cli, ["profile", "--limit", "4", "--json", *options])
    page = Path("profile/report.html")
    return done, page.read_text(encoding="utf-8") if page.exists() else ""


def test_a_study_is_a_chapter(monkeypatch: pytest.MonkeyPatch) -> None:
    done, page = profiled(monkeypatch, lambda *_, **__: PAGE)
    assert done.exit_code == 0, done.output
    assert "made-up: Nine of ten were right." in done.stderr
    for part in ("<h2>What is all this?</h2>", "Nine of ten were right.", "0.90", "<summary>Details</summary>"):
        assert part in page
    assert "<h2>Right answers</h2>" in page


def test_the_seed_and_the_budget_reach_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    def quick(*_: Any, **options: Any) -> Report:
        given.update(options)
        return PAGE

    profiled(monkeypatch, quick, "--seed", "7", "--budget", "calls=1000")
    assert (given["seed"], given["budget"].calls) == (7, 1000)


def test_a_study_that_fails_leaves_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    def quick(*_: Any, **__: Any) -> Report:
        raise ModelError("it lost its voice")

    done, page = profiled(monkeypatch, quick)
    assert done.exit_code == 3
    assert json.loads(done.stdout)["failed"] == {"made-up": "it lost its voice"}
    assert "<h2>Right answers</h2>" in page


def test_a_study_without_anything_to_report_is_unfinished(monkeypatch: pytest.MonkeyPatch) -> None:
    done, page = profiled(monkeypatch, lambda *_, **__: None)
    assert done.exit_code == 3
    assert "budget was spent" in json.loads(done.stdout)["failed"]["made-up"]
    assert "What is all this?" not in page


@pytest.mark.parametrize("options", [["--no-studies"], ["-m", "baseline:realist"]])
def test_studies_can_be_left_out(monkeypatch: pytest.MonkeyPatch, options: list[str]) -> None:
    def quick(*_: Any, **__: Any) -> Report:
        raise AssertionError("not wanted")

    done, _ = profiled(monkeypatch, quick, *options)
    assert done.exit_code == 0, done.output
