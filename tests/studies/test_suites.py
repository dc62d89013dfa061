"""Suites by name and by file."""

from pathlib import Path

import pytest

from otherminds.commands.lint import faults_of
from otherminds.errors import BadFile, UsageError
from otherminds.studies.starter.study import starter
from otherminds.studies.suites import get_suite, suites


@pytest.mark.parametrize("name", suites())
def test_built_in(name: str) -> None:
    assert get_suite(name).name == name


@pytest.mark.parametrize("name", suites())
def test_built_in_suites_have_no_faults(name: str) -> None:
    assert faults_of(get_suite(name)) == []


def test_a_folder_and_a_table_are_no_suites(tmp_path: Path) -> None:
    starter().save(tmp_path / "mine.jsonl")
    with pytest.raises(UsageError, match=r"is a folder.*did you mean .*mine\.jsonl"):
        get_suite(tmp_path)
    with pytest.raises(UsageError, match="is a table"):
        get_suite(tmp_path / "mine.csv")


def test_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    starter().save(path)
    assert get_suite(path) == get_suite(str(path)) == starter()


def test_a_name_that_is_none() -> None:
    with pytest.raises(UsageError, match="did you mean 'starter'"):
        get_suite("startre")
    with pytest.raises(BadFile, match="there is no file"):
        get_suite("startre.jsonl")
