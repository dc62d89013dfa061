"""`otherminds play` from the shell: the folder it fills, what it prints, and sentences for what cannot be."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from players import again, player, well

from otherminds.cli import cli
from otherminds.errors import ModelError
from otherminds.items import Suite
from otherminds.models import Prompt, Response
from otherminds.models.scripted import Scripted
from otherminds.models.specs import Spec
from otherminds.talks import talk as talks
from otherminds.talks.ablation import CELLS, cell_of
from otherminds.terminal import names


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Scripted]:
    """The models by name; one that is not known yet plays well."""
    known: dict[str, Scripted] = {}

    def open_model(spec: Spec, **_: object) -> Scripted:
        model = known.setdefault(spec.name, player(name=spec.name))
        own = {name: value for name, value in spec.settings.items() if name != "base_url"}
        model.identity = {"name": spec.name, "base_url": spec.settings.get("base_url"), "extra": own}
        return model

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(names, "open_model", open_model)
    return known


def call(*args: str) -> Result:
    return CliRunner().invoke(cli, ["play", *args], prog_name="otherminds")


def told(*args: str) -> Any:
    done = call(*args, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def fails(code: int, *args: str) -> str:
    done = call(*args)
    assert done.exit_code == code, done.output
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


@pytest.mark.usefixtures("models")
def test_the_folder_has_talks_and_what_was_played(tmp_path: Path) -> None:
    found = told("--limit", "3", "--turns", "2", "-o", "out")
    assert json.loads((tmp_path / "out/play.json").read_text(encoding="utf-8")) == {
        name: value for name, value in found.items() if name != "folder"
    }
    assert len(talks.load(tmp_path / "out/talks.jsonl")) == found["talks"] == 3
    assert (tmp_path / "out/apart.jsonl").read_text(encoding="utf-8") == ""
    assert (found["messages"]["messages"], found["messages"]["share"]) == (12, 0.0)
    assert found["leak_check"] == {"prompts": 12, "leaks": 0, "shown_on_purpose": 0, "found": []}
    assert found["players"][0]["identity"]["extra"] == {"temperature": 0.6, "top_p": 0.9, "seed": 0}
    assert found["players"][0]["calls"] == {"made": 12, "reused": 0}
    assert told("--limit", "3", "--turns", "2", "-o", "out")["players"][0]["calls"] == {"made": 0, "reused": 12}


@pytest.mark.usefixtures("models")
def test_options_reach_the_play(tmp_path: Path) -> None:
    given = ["--turns", "1", "--states", "emotion,desire", "--swap", "--seed", "5", "--pairs", "2", "--limit", "4"]
    found = told(*given, "-M", "temperature=1", "-o", "a")
    assert found["states"] == ["desire", "emotion"]
    assert found["players"][0]["identity"]["extra"] == {"temperature": 1, "top_p": 0.9, "seed": 5}
    assert {(talk.first, talk.state) for talk in talks.load(tmp_path / "a/talks.jsonl")} == {
        (1, "desire"),
        (1, "emotion"),
    }
    assert told("--limit", "1", "--turns", "2", "--show-thoughts", "-o", "b")["leak_check"]["shown_on_purpose"] == 3
    told("--limit", "1", "--turns", "1", "--no-inner", "--show-attributes", "-o", "c")
    (talk,) = talks.load(tmp_path / "c/talks.jsonl")
    assert (talk.turns[0].thought, talk.made["attributes"], talk.made["inner"]) == ("", True, False)


@pytest.mark.usefixtures("models")
def test_an_ablation_plays_the_same_castings_in_four_cells(tmp_path: Path) -> None:
    found = told("--limit", "2", "--turns", "2", "--ablation", "-o", "out")
    played = talks.load(tmp_path / "out/talks.jsonl")
    assert (found["talks"], len(played)) == (8, 8)
    assert Counter(map(cell_of, played)) == dict.fromkeys(CELLS, 2)
    assert len({talk.casting.id for talk in played}) == 2
    # Four of eight conversations hide thoughts, and in the others all prompts but the first hold one.
    assert found["leak_check"] == {"prompts": 16, "leaks": 0, "shown_on_purpose": 12, "found": []}
    assert "by turns" in fails(2, "--ablation", "--show-thoughts", "--limit", "1", "-o", "other")


@pytest.mark.usefixtures("models")
def test_patterns_make_pairs_that_differ_in_one_factor(tmp_path: Path) -> None:
    told("--limit", "1", "--turns", "1", "--states", "desire", "--patterns", "-o", "out")
    done = CliRunner().invoke(cli, ["build", "traits", "--talks", "out/talks.jsonl", "-o", "traits.jsonl", "--json"])
    assert done.exit_code == 0, done.output
    suite = Suite.load(tmp_path / "traits.jsonl")
    assert Counter(item.tags["factor"] for item in suite) == dict.fromkeys(talks.TRAITS, 32)
    assert "| factor | neuroticism | 32 |" in (tmp_path / "traits.md").read_text(encoding="utf-8")


def test_a_partner_may_be_another_model(models: dict[str, Scripted], tmp_path: Path) -> None:
    given = ["-m", "one", "--partner", "api:two", "--base-url", "http://127.0.0.1:1/v1"]
    found = told(*given, "--limit", "1", "--turns", "1", "-o", "out")
    assert [player["name"] for player in found["players"]] == ["one", "api:two"]
    assert [player["identity"]["base_url"] for player in found["players"]] == [None, "http://127.0.0.1:1/v1"]
    assert len(models["one"].history) == len(models["api:two"].history) == 1


def test_for_people_it_prints_malformed_messages_and_the_leak_check(models: dict[str, Scripted]) -> None:
    models["m"] = player(lambda given: well(given) if again(given) else "Hm.", name="m")
    done = call("-m", "m", "--form", "plain", "--limit", "1", "--turns", "1", "-o", "out")
    assert done.exit_code == 0
    assert "2 of 2 (100.0%)" in done.stdout
    assert "none of 4 prompts holds a thought of the other" in done.stdout
    assert "out/talks.jsonl" in done.stdout


def test_what_is_kept_apart_has_its_reason(models: dict[str, Scripted], tmp_path: Path) -> None:
    models["m"] = player(lambda _: "mumble", name="m")
    done = call("-m", "m", "--form", "plain", "--limit", "2", "--turns", "1", "-o", "out", "--json")
    assert (done.exit_code, "no conversation came to its end" in done.stderr) == (1, True)
    found = json.loads(done.stdout)
    assert (found["talks"], found["apart"]) == (0, {"there is no thought": 2})
    lines = (tmp_path / "out/apart.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["reason"] for line in lines} == {"message 1 cannot be read: there is no thought"}
    assert talks.load(tmp_path / "out/talks.jsonl") == []


def test_finished_conversations_are_on_disk_whatever_ends_the_work(models: dict[str, Scripted], tmp_path: Path) -> None:
    def dies(given: Prompt) -> str:
        if len(models["m"].history) > 9:
            raise ModelError("the server is gone")
        return well(given)

    models["m"] = player(dies, name="m")
    models["m"].ask_batch = 1
    done = call("-m", "m", "--limit", "4", "--turns", "2", "-o", "out")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (1, "error: the server is gone")
    assert len(talks.load(tmp_path / "out/talks.jsonl")) == 2


def test_a_failed_call_is_not_the_end(models: dict[str, Scripted]) -> None:
    def stumbles(given: Prompt) -> str | Response:
        return Response(finish="error", error="busy") if len(models["m"].history) == 3 else well(given)

    models["m"] = player(stumbles, name="m")
    models["m"].ask_batch = 1
    done = call("-m", "m", "--limit", "2", "--turns", "2", "-o", "out")
    assert (done.exit_code, "1 conversations are apart because a call failed" in done.stderr) == (3, True)
    assert told("-m", "m", "--limit", "2", "--turns", "2", "-o", "out")["talks"] == 2


@pytest.mark.usefixtures("models")
def test_a_spent_budget_is_not_the_end() -> None:
    given = ["--limit", "2", "--turns", "2", "-o", "out"]
    done = call(*given, "--budget", "calls=3")
    assert done.exit_code == 3
    assert "not finished: the budget of 3 calls is spent" in done.stderr
    found = told(*given)
    assert (found["talks"], found["stopped"]) == (2, "")
    assert found["players"][0]["calls"] == {"made": 5, "reused": 3}


@pytest.mark.usefixtures("models")
@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--states", "mood"], "there is no state 'mood'"),
        (["--form", "verse"], "there is no form 'verse'"),
        (["--pairs", "21"], "1 to 20 pairs"),
        (["--retries", "9"], "retries should be 0 to 3"),
        (["--budget", "calls"], "should be NAME=NUMBER"),
        (["-m", "baseline:oracle"], "a baseline answers questions and cannot talk"),
        (["-o", "file/out"], "cannot be made"),
    ],
)
def test_bad_input_is_a_sentence(tmp_path: Path, args: list[str], sentence: str) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert sentence in fails(2, "-o", "out", *args)
    assert not (tmp_path / "out/talks.jsonl").exists()


def test_a_model_that_cannot_chat_is_a_sentence(models: dict[str, Scripted]) -> None:
    models["base"] = player(name="base", cannot=("chat", "prefill"))
    assert "base cannot chat" in fails(1, "-m", "base", "-o", "out")
