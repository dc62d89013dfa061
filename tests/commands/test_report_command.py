"""`otherminds report`: runs of a study get the study's own page."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from otherminds.cli import cli


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def page(suite: str, *options: str) -> str:
    for command in (
        ["run", suite, "-m", "baseline:oracle", "--limit", "20"],
        ["report", "last", "-o", "page.html", *options],
    ):
        done = CliRunner().invoke(cli, command)
        assert done.exit_code == 0, done.output
    return Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("build", "title"),
    [
        (["perturbed", "--focal"], "on perturbed false-belief tasks"),
        (["safety", "--size", "4"], "From reading to deception"),
        (["dialogue"], "What people think and do not say"),
    ],
    ids=lambda part: part[0],
)
def test_a_study_has_a_page_of_its_own(build: list[str], title: str) -> None:
    suite = f"{build[0]}.jsonl"
    assert CliRunner().invoke(cli, ["build", *build, "-o", suite]).exit_code == 0
    assert title in page(suite)
    assert f"oracle on the {build[0]} suite" in page(suite, "--study", "none")


def test_questions_about_talks_are_known_whatever_their_file_is_called() -> None:
    args = ["build", "dialogue", "-o", "one.jsonl", "--as-published", "one.json"]
    assert CliRunner().invoke(cli, args).exit_code == 0
    assert CliRunner().invoke(cli, ["build", "dialogue", "--published", "one.json", "-o", "own.jsonl"]).exit_code == 0
    written = page("own.jsonl")
    assert "What people think and do not say" in written
    assert "score is not comparable" in written


def test_other_suites_have_a_plain_one() -> None:
    assert "oracle on the starter suite" in page("starter")
    assert "Mine" in page("starter", "--title", "Mine")


def test_an_unknown_study_is_named() -> None:
    page("starter")
    done = CliRunner().invoke(cli, ["report", "last", "--study", "astrology"])
    assert done.exit_code == 2
    assert "astrology" in done.stderr
    assert "dialogue" in done.stderr
