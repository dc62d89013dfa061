"""The model table, line-ups in YAML, and the command that runs them."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from otherminds.cli import cli
from otherminds.errors import BadFile
from otherminds.results.lineups import PAPER, known, read_lineup
from otherminds.studies import lineup_page

RULES = """
suite: {size: 4, tasks: [TB, FB/SA]}
models:
  - {name: guess, spec: "baseline:random", series: rules, rank: 1, released: 2024-05-01, parameters: 0.1}
  - {name: knows, spec: "baseline:oracle", series: rules, rank: 2, partner: world}
  - {name: world, spec: "baseline:realist", series: rules, post_trained: false}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rules.yaml"
    path.write_text(RULES)
    return path


def test_the_papers_models_and_pairs() -> None:
    lineup = read_lineup(PAPER)
    assert len(lineup.members) == 16
    assert {name: len(some) for name, some in lineup.versions.items()} == {"Llama": 3, "Phi": 4, "Mistral": 4}
    assert lineup.pairs == [
        ("Llama-2-7b-hf", "Llama-2-7b-chat-hf"),
        ("Llama-3-8B", "Llama-3-8B-Instruct"),
        ("Llama-3.1-8B", "Llama-3.1-8B-Instruct"),
        ("Mistral-7B-v0.1", "Mistral-7B-Instruct-v0.1"),
        ("Mistral-7B-v0.3", "Mistral-7B-Instruct-v0.3"),
    ]
    for members in lineup.versions.values():
        assert [each.rank for each in members] == list(range(1, len(members) + 1))
        released = [each.released for each in members]
        assert released == sorted(released)


def test_a_known_model_needs_its_name_only(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text("models: [{name: Llama-3-8B-Instruct, rank: 7}]")
    lineup = read_lineup(path)
    assert [each.name for each in lineup.members] == ["Llama-3-8B-Instruct", "Llama-3-8B"]
    assert lineup.members[0].rank == 7
    assert lineup.members[0].spec == known()["Llama-3-8B-Instruct"].spec
    assert (lineup.size, lineup.tasks) == ("standard", ())


def test_own_models(file: Path) -> None:
    lineup = read_lineup(file)
    assert lineup.pairs == [("world", "knows")]
    assert [each.name for each in lineup.versions["rules"]] == ["guess", "knows"]
    assert lineup.members[0].released == "2024-05-01"
    assert {item.tags["task"] for item in lineup_page().suite(lineup)} == {"TB", "FB/SA"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("models: [{name: a, spec: s, series: x, rank: 1, partner: b}]", r"a names the partner 'b'"),
        ("models: [{name: a, spec: s, series: x, rank: 1, partner: a}]", r"circle: a → a"),
        (
            "models: [{name: a, spec: s, series: x, rank: 1, partner: b},"
            " {name: b, spec: s, series: x, rank: 2, partner: a}]",
            r"circle: a → b → a",
        ),
        ("models: [{name: a, spec: s, rank: 1}]", r"model 1 \(a\): series is missing"),
        ("models: [{name: a, series: s, rank: 1}]", r"\(a\): spec is missing"),
        ("models: [{name: a, spec: s, series: x}]", r"a has no rank"),
        ("models: [{name: a, spec: s, series: x, rank: one}]", r"\(a\): rank should be int, not 'one'"),
        ("models: [{name: a, spec: s, series: x, rank: true}]", r"\(a\): rank should be int"),
        ("models: [{name: a, spec: s, series: x, rank: 1, size: 2}]", r"\(a\): unknown field 'size'"),
        (
            "models: [{name: a, spec: s, series: x, rank: 1}, {name: b, spec: s, series: x, rank: 1}]",
            r"a and b are both number 1 of x",
        ),
        (
            "models: [{name: a, spec: s, series: x, rank: 1}, {name: a, spec: s, series: x, rank: 2}]",
            r"two models called a",
        ),
        ("models: [{spec: s}]", r"model 1 should have a name"),
        ("models: []", r"at least one model"),
        ("- a", r"a list `models`"),
        ("models: [{name: a, spec: s, series: x, rank: 1}]\nother: 1", r"unknown field 'other'"),
        ("models: [{name: a, spec: s, series: x, rank: 1}]\nsuite: {sice: 1}", r"suite should have size"),
        ("models: [{name: a, spec: s, series: x, rank: 1}]\nsuite: {tasks: TB}", r"tasks should be a list"),
        ("models: [{", r"not YAML"),
    ],
)
def test_what_is_wrong_is_said_with_the_models_name(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(BadFile, match=words):
        read_lineup(path)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="there is no file"):
        read_lineup(tmp_path / "none.yaml")


def call(tmp_path: Path, file: Path, *more: str) -> tuple[int, dict[str, object], str]:
    args = ["series", str(file), "-o", str(tmp_path / "out"), "--store", str(tmp_path / "s.db"), "--json", *more]
    done = CliRunner().invoke(cli, args)
    return done.exit_code, json.loads(done.stdout) if done.stdout else {}, done.stderr


def test_the_command_from_file_to_page(tmp_path: Path, file: Path) -> None:
    code, data, _ = call(tmp_path, file)
    assert code == 0
    assert isinstance(data["models"], dict)
    assert data["models"]["knows"]["TB"]["S"] == pytest.approx(0.95)
    names = {"report.html", "scores.csv", "violins.svg", "violins.csv", "trends.csv"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names | {
        f"pairs.{end}" for end in ("txt", "tex", "csv", "html")
    }


def test_a_model_that_fails_is_named_and_the_others_go_on(tmp_path: Path, file: Path) -> None:
    text = file.read_text()
    text += '  - {name: lost, spec: "gguf:nowhere.gguf", series: rules, rank: 3}\n'
    text += '  - {name: odd, spec: "nonsense", series: rules, rank: 4}\n'
    file.write_text(text)
    code, data, said = call(tmp_path, file)
    assert code == 3
    assert isinstance(data["failed"], dict)
    assert list(data["failed"]) == ["lost", "odd"]
    assert "no file" in data["failed"]["lost"][0]
    assert "there is no model 'nonsense'" in said
    assert isinstance(data["models"], dict)
    assert list(data["models"]) == ["guess", "knows", "world"]


def test_a_new_model_costs_only_its_own_answers(tmp_path: Path, file: Path) -> None:
    from otherminds.store.store import Store

    short = file.with_name("short.yaml")
    short.write_text("\n".join(line for line in RULES.splitlines() if "guess" not in line))
    assert call(tmp_path, short)[0] == 0
    assert call(tmp_path, file)[0] == 0
    with Store(tmp_path / "s.db") as store:
        made = {row.model: row.manifest["calls"]["made"] for row in store.runs() if row.score == "letters"}
    assert made["random"] > 0
    assert made["oracle"] == made["realist"] == 0


def test_nothing_can_be_asked(tmp_path: Path) -> None:
    path = tmp_path / "lost.yaml"
    path.write_text('suite: {size: 4}\nmodels: [{name: lost, spec: "gguf:nowhere.gguf", series: x, rank: 1}]')
    code, data, said = call(tmp_path, path)
    assert (code, data) == (1, {})
    assert "none of the 1 models could be asked" in said
    assert not (tmp_path / "out").exists()


def test_too_large_for_the_machine(tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_gpu = SimpleNamespace(cuda=SimpleNamespace(is_available=lambda: False))
    monkeypatch.setattr("otherminds.models.hf.checkpoint.libraries", lambda: (no_gpu, None))
    file.write_text(file.read_text() + '  - {name: huge, spec: "hf:a/b", series: rules, rank: 3, parameters: 90000}\n')
    code, _, said = call(tmp_path, file)
    assert code == 3
    assert "huge takes about 360000 GB in float32" in said
