"""`otherminds judge` from the shell: what to ask people, and what is left when judge and people have spoken."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from zlib import crc32

import pytest
from click.testing import CliRunner, Result

from otherminds.cli import cli
from otherminds.errors import EndpointError
from otherminds.items import Suite
from otherminds.models import Prompt, Weighing
from otherminds.models.scripted import Scripted
from otherminds.results.annotations import AnnotationBatch
from otherminds.store.store import Store
from otherminds.talks import bank
from otherminds.talks.judge import MISREADS
from otherminds.talks.talk import save
from otherminds.terminal import names

TALKS = bank.authored()[:2]


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    save("talks.jsonl", TALKS)


def judged(monkeypatch: pytest.MonkeyPatch, says: str, *options: str) -> Result:
    """With a judge who always gives the first of two options, or always the second."""

    def weigh(prompt: Prompt) -> dict[str, float]:
        lines = prompt.messages[-1].content.split("\n")
        sound = ("rightly", "coherent", "safe", "valid")
        first = next(line for line in lines if line.startswith("A. ")).removeprefix("A. ") in sound
        picked = "A" if first == (says == "sound") else "B"
        return {letter: 0.9 if letter == picked else 0.1 for letter in prompt.choices}

    model = Scripted(lambda _: "A", name=f"all {says}", weigh=weigh)
    monkeypatch.setattr(names, "open_model", lambda *_, **__: model)
    return CliRunner().invoke(cli, ["judge", "--talks", "talks.jsonl", *options])


def test_a_judge_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    done = judged(monkeypatch, "sound", "-o", "left.jsonl", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["talks"], told["questions"], told["removed"]) == (2, 28, {})
    assert (told["false_beliefs"], told["beliefs_judged"]) == (0, 14)
    assert set(told["by"].values()) == {"the judge alone"}
    assert {item.tags.get("false_belief") for item in Suite.load("left.jsonl")} == {None, False}


def test_one_thing_alone_can_be_asked_and_what_was_hidden_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [replace(talk, id=f"{talk.id}/shown", made={"thoughts": True, "attributes": False}) for talk in TALKS]
    save("talks.jsonl", [*TALKS, *shown])
    done = judged(monkeypatch, "unsound", "--only", "misreads", "-o", "left.jsonl", "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["talks"], told["questions"], told["removed"], told["false_beliefs"]) == (4, 56, {}, 28)
    assert {label: (cell["n"], cell["talks"]) for label, cell in told["misread"].items()} == {
        "both hidden": (14, 2),
        "only goals and personality hidden": (14, 2),
    }
    assert told["misread"]["both hidden"]["less_hidden"] is None
    assert told["misread"]["only goals and personality hidden"]["less_hidden"][0] == 0
    assert "only goals and personality hidden" in judged(monkeypatch, "sound", "-o", "left.jsonl").stdout
    wrong = judged(monkeypatch, "sound", "--only", "style", "-o", "left.jsonl")
    assert wrong.exit_code == 2
    assert "nobody is asked about 'style'" in wrong.stderr


def test_whatever_is_removed_is_counted_and_an_empty_suite_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    done = judged(monkeypatch, "unsound", "-o", "left.jsonl")
    assert done.exit_code == 1, done.output
    assert "talk: incoherent and unsafe" in done.stdout
    assert "nothing is left" in done.stdout
    assert not Path("left.jsonl").exists()
    told = json.loads(judged(monkeypatch, "unsound", "-o", "left.jsonl", "--json").stdout)
    assert (told["questions"], told["suite"]) == (0, None)


def test_people_and_the_judge_must_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(monkeypatch, "sound", "--forms", "forms").exit_code == 0
    forms = {path.stem: Suite.load(path) for path in Path("forms").iterdir()}
    assert sorted(forms) == ["coherence", "misreads", "safety", "validity"]
    with Store("otherminds.db") as store:
        for name, form in forms.items():
            batch = AnnotationBatch(form, store)
            for who in ("Ada", "Ben", "Cem"):
                for item in form:
                    # Everything is in order, but for the first reading, which two of three find wrong.
                    wrong = name == "misreads" and item.id == form.items[0].id and who != "Ada"
                    batch.keep(who, item.id, MISREADS if wrong else item.answer)
    done = judged(monkeypatch, "sound", "-o", "left.jsonl", "--json")
    told = json.loads(done.stdout)
    assert told["by"]["validity"] == told["by"]["misreads"] == "most people and the judge"
    assert (told["false_beliefs"], told["beliefs_judged"]) == (0, 14)
    assert told["accord"]["misreads"]["n"] == 14
    assert told["accord"]["misreads"]["shared"][0] == pytest.approx(13 / 14)


def test_three_people_on_one_form_cost_no_question(monkeypatch: pytest.MonkeyPatch) -> None:
    judged(monkeypatch, "sound", "--forms", "forms")
    form = Suite.load("forms/misreads.jsonl")
    with Store("otherminds.db") as store:
        for who in ("Ada", "Ben", "Cem"):
            AnnotationBatch(form, store).keep(who, form.items[0].id, form.items[0].answer)
    done = judged(monkeypatch, "sound", "-o", "left.jsonl")
    assert done.exit_code == 0, done.output
    assert len(Suite.load("left.jsonl")) == 28
    assert "most people and the judge on 1 of 14, the judge alone on the others" in done.stdout
    assert "Cohen's kappa —" in done.stdout, "with one label there is no kappa"


@pytest.mark.parametrize("error", [EndpointError, None])
def test_a_judge_whose_server_has_no_log_probabilities(
    monkeypatch: pytest.MonkeyPatch, error: type[EndpointError] | None
) -> None:
    """One whose server leaves them out, and one whose server refuses to be asked for them."""

    class Mute(Scripted):
        def weigh(self, prompts: Sequence[Prompt]) -> list[Weighing]:
            if error:
                raise error("the server reports no log-probabilities; score by text")
            return [Weighing(error="the server rejects this prompt (400: no logprobs)") for _ in prompts]

    monkeypatch.setattr(names, "open_model", lambda *_, **__: Mute(lambda _: "A", name="mute"))
    command = ["judge", "--talks", "talks.jsonl", "-o", "left.jsonl", "--only", "misreads"]
    refused = CliRunner().invoke(cli, command)
    assert refused.exit_code == 1
    assert "score by text" in refused.stderr if error else "say --score text" in refused.stderr
    done = CliRunner().invoke(cli, [*command, "--score", "text", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["beliefs_judged"] == 14


@pytest.mark.parametrize("options", [[], ["-o", "left.jsonl", "--forms", "forms"]])
def test_where_to_write_must_be_said(monkeypatch: pytest.MonkeyPatch, options: list[str]) -> None:
    done = judged(monkeypatch, "sound", *options)
    assert done.exit_code == 2
    assert "say where to write" in done.stderr


def test_calls_that_fail_are_told_and_end_with_the_code_of_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def weigh(prompt: Prompt) -> dict[str, float]:
        content = prompt.messages[-1].content
        if crc32(content.encode()) % 4 == 0:
            return dict.fromkeys(prompt.choices, 0.9)  # more than certain together
        return {letter: 0.9 if f"{letter}. valid" in content else 0.05 for letter in prompt.choices}

    monkeypatch.setattr(names, "open_model", lambda *_, **__: Scripted(lambda _: "A", name="half", weigh=weigh))
    done = CliRunner().invoke(cli, ["judge", "--talks", "talks.jsonl", "--only", "validity", "-o", "left.jsonl"])
    assert "calls on dialogue-validity failed; give the same command again" in done.stderr
    assert done.exit_code == 3, done.output
