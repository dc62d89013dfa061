"""`otherminds export`: files where they were wanted, sentences where they cannot be had."""

import csv
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from otherminds.cli import cli


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def give(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


@pytest.mark.parametrize(("form", "least"), [("lm-eval", "otherminds_starter_letters.yaml"), ("inspect", "task.py")])
def test_a_suite_becomes_a_folder(form: str, least: str) -> None:
    done = give("export", "starter", "--to", form, "-o", "out")
    assert done.exit_code == 0, done.output
    written = done.stdout.splitlines()
    assert f"out/{least}" in written
    assert sorted(written) == sorted(map(str, Path("out").iterdir()))
    assert "left out" not in done.stderr


def test_it_says_how_to_go_on_and_what_is_missing() -> None:
    done = give("export", "safety", "--to", "lm-eval", "-o", "out")
    assert "--tasks otherminds_safety --include_path out" in done.stderr
    assert "20 items are left out" in done.stderr
    done = give("export", "starter", "--to", "inspect", "-o", "out", "--json")
    assert json.loads(done.stdout) == {"files": ["out/task.py", "out/otherminds_starter.jsonl"]}
    assert done.stderr == ""


def test_a_run_becomes_a_table() -> None:
    assert give("run", "starter", "-m", "baseline:realist").exit_code == 0
    done = give("export", "last", "--to", "csv", "-o", "tables/starter.csv")
    assert (done.exit_code, done.stdout) == (0, "tables/starter.csv\n")
    with open("tables/starter.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 48
    assert {row["value"] for row in rows if row["false_belief"] == "True"} == {"0.0"}
    assert {row["model"] for row in rows} == {"realist"}


def test_without_inspect_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    assert give("run", "starter", "-m", "baseline:realist", "--limit", "4").exit_code == 0
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    done = give("export", "last", "--to", "inspect-log", "-o", "run.eval")
    assert done.exit_code == 2
    assert "pip install 'otherminds[inspect]'" in done.stderr
    assert not Path("run.eval").exists()


@pytest.mark.filterwarnings("default")
def test_a_run_becomes_a_log() -> None:
    pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
    from inspect_ai.log import read_eval_log

    assert give("run", "starter", "-m", "baseline:realist", "--limit", "4").exit_code == 0
    assert give("export", "last", "--to", "inspect-log", "-o", "logs/run.eval").exit_code == 0
    assert read_eval_log("logs/run.eval").results.total_samples == 4


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["starter", "--to", "parquet", "-o", "out"], 2, "parquet"),
        (["starter", "--to", "csv"], 2, "--output"),
        (["startr", "--to", "lm-eval", "-o", "out"], 2, "did you mean 'starter'"),
        (["last", "--to", "csv", "-o", "out.csv"], 2, "there is no store"),
        (["free.jsonl", "--to", "lm-eval", "-o", "out"], 2, "has choices to weigh"),
        (["starter", "--to", "inspect", "-o", "free.jsonl"], 1, "cannot be written"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(words: list[str], code: int, said: str) -> None:
    text = '{"otherminds": 1, "suite": "free"}\n{"id": "1", "question": "Where?", "answer": "here"}\n'
    Path("free.jsonl").write_text(text, encoding="utf-8")
    done = give("export", *words)
    assert done.exit_code == code, done.output
    assert said in done.stderr
    assert [path.name for path in Path().iterdir()] == ["free.jsonl"]
