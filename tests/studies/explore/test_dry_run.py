"""What a search would ask is counted without asking anybody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from otherminds.calling.costs import DryRun, read_speed
from otherminds.cli import cli
from otherminds.errors import UsageError
from otherminds.models import Prompt

SMALL = ["--sets", "tomi", "--stories", "1", "--budget", "4", "--endings", "5", "--people", "2", "--moves", "2"]


def test_a_search_is_counted_and_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["explore", "-m", "hf:no/such/model", *SMALL, "-o", "found", "--dry-run", "--speed", "100,10", "--json"]
    done = CliRunner().invoke(cli, words)
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["calls"] > told["stories"] > 0
    assert told["seconds"] == pytest.approx(told["prompt_tokens"] / 100 + told["written_tokens"] / 10)
    assert list(tmp_path.iterdir()) == []


def test_the_same_prompt_counts_once() -> None:
    tally = DryRun()
    tally.note("it", "weigh", [Prompt(text="x" * 40, choices=("A", "B"), about=about) for about in ("this", "that")])
    tally.note("it", "ask", [Prompt(text="y" * 80, max_tokens=7)])
    found = tally.forecast(speed=read_speed("10,7"))
    assert (found.calls, found.prompt_tokens, found.written_tokens, found.seconds) == (2, 30, 7, 4.0)


@pytest.mark.parametrize("text", ["", "5", "0,1", "-1,2", "a,b", "1,2,3", "nan,1", "inf,1"])
def test_a_speed_that_is_none(text: str) -> None:
    with pytest.raises(UsageError, match="tokens a second, read and written"):
        read_speed(text)


def test_a_profile_says_how_long_it_takes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["profile", "-m", "hf:no/such/model", "--no-studies", "--speed", "1000,100"]
    done = CliRunner().invoke(cli, [*words, "--dry-run", "--json"])
    assert done.exit_code == 0, done.output
    (row,) = json.loads(done.stdout)
    assert row["seconds"] == pytest.approx(row["prompt_tokens"] / 1000 + row["written_tokens"] / 100)
    refused = CliRunner().invoke(cli, words)
    assert "give --dry-run too" in str(refused.stderr or refused.exception)
