"""Inspect, both ways: the same items get the same scores there and here."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tomllib
from math import isnan
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import otherminds as om
from otherminds.cli import cli
from otherminds.errors import ModelError, UsageError
from otherminds.items import Item, Suite
from otherminds.models import Prompt
from otherminds.models.scripted import Scripted
from otherminds.results.measures import mean_of
from otherminds.runs.runs import load
from otherminds.store.store import Store
from otherminds.studies.starter.study import starter

pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
pytestmark = pytest.mark.filterwarnings("default")  # Inspect gives many
ROOT = Path(__file__).parents[2]


def dice(prompt: Prompt) -> dict[str, float]:
    drawn = random.Random(prompt.text)
    return {choice: 0.05 + 0.02 * drawn.randrange(2) for choice in prompt.choices}


def scripted(*_: Any, **__: Any) -> Scripted:
    words = ("A", "B", "banana", "ANSWER: B", "ANSWER: A")
    return Scripted(lambda prompt: random.Random(str(prompt.messages)).choice(words), name="dice", weigh=dice)


@pytest.fixture(autouse=True)
def ours(monkeypatch: pytest.MonkeyPatch) -> None:
    from otherminds.bridges.inspect import registry

    assert registry.TASKS.keys() >= {"starter", "perturbed", "safety", "dialogue"}
    monkeypatch.setattr(registry, "get_model", scripted)


def mixed() -> Suite:
    """Items with two choices and with three, so that some have fewer orders than the task has epochs."""
    three = Item("three", "Which?", "cup", "A cup, a pot, a jar.", ("cup", "pot", "jar"), tags={"story": "three"})
    return Suite("mixed", (*starter().items[:8], three))


def evaluate(task: Any, tmp_path: Path, model: str = "otherminds/dice", **args: Any) -> Any:
    from inspect_ai import eval

    (log,) = eval(task, model=model, display="none", log_dir=str(tmp_path / "logs"), log_format="eval", **args)
    assert log.status == "success", log.error
    return log


def reduced(log: Any, scorer: str) -> dict[str, float]:
    (found,) = [each for each in log.reductions if each.scorer == scorer]
    return {sample.sample_id: sample.value for sample in found.samples if not isnan(sample.value)}


def test_every_order_is_an_epoch_and_all_together_are_our_scores(tmp_path: Path) -> None:
    from otherminds.bridges.inspect.tasks import task_of

    suite = mixed()
    log, here = evaluate(task_of(suite), tmp_path), om.run(suite, scripted())
    assert log.eval.config.epochs == 3
    assert reduced(log, "right") == here.values()
    assert reduced(log, "S") == pytest.approx(here.values("S"), abs=1e-12)
    assert len(here.values()) < len(suite)  # some are tied, which is neither right nor wrong there either
    scores = {score.name: score.metrics for score in log.results.scores}
    assert scores["right"]["accuracy"].value == pytest.approx(here.mean())
    assert scores["S"]["mean"].value == pytest.approx(here.mean("S"))
    assert scores["S"]["stderr"].value > 0
    for name, of in (("right", "value"), ("S", "S")):
        ours = mean_of(here, of)
        assert ours is not None
        assert (scores[name]["low"].value, scores[name]["high"].value) == pytest.approx((ours.low, ours.high))
    # The third order of a pair is not asked.
    asked = [sample for sample in log.samples if sample.output.choices]
    assert len(asked) == 8 * 2 + 3


@pytest.mark.parametrize("name", ["starter", "perturbed", "safety"])
def test_a_study_by_its_name_has_our_scores(name: str, tmp_path: Path) -> None:
    task_args = {"score": "letters", "prompt": "raw"}
    log = evaluate(f"otherminds/{name}", tmp_path, limit=8, task_args=task_args)
    ids = {sample.id for sample in log.samples}
    here = om.run(om.get_suite(name).where(lambda item: item.id in ids).using(**task_args), scripted())
    assert len(ids) == 8
    assert reduced(log, "right") == here.values()
    assert reduced(log, "S") == pytest.approx(here.values("S"), abs=1e-12)


def test_a_log_of_ours_is_the_run_that_we_would_have_made(tmp_path: Path) -> None:
    from otherminds.bridges.inspect.logs import read
    from otherminds.bridges.inspect.tasks import task_of

    suite = mixed()
    log, here = evaluate(task_of(suite), tmp_path), om.run(suite, scripted())
    with Store(tmp_path / "store.db") as store:
        back = read(Path(log.location), store)
        again = load(store, back.id)
    by_id = {record.item.id: record for record in again.records}
    assert len(by_id) == len(suite)
    for record in here.records:
        assert by_id[record.item.id].item == record.item
        assert by_id[record.item.id].score.to_dict() == record.score.to_dict()
        assert {prompt.text for prompt in by_id[record.item.id].prompts} == {prompt.text for prompt in record.prompts}
    assert again.verdicts() == here.verdicts()
    assert back.model == "otherminds/dice"


def test_texts_have_one_epoch_and_verdicts(tmp_path: Path) -> None:
    from otherminds.bridges.inspect.logs import read
    from otherminds.bridges.inspect.tasks import task_of

    suite = Suite("words", starter().items[:12], "direct", "text")
    log, here = evaluate(task_of(suite), tmp_path), om.run(suite, scripted())
    scores = {score.name: score.metrics for score in log.results.scores}
    assert {name: metric.value for name, metric in scores["verdict"].items()} == here.verdicts()
    assert here.verdicts()["unparsed"] > 0
    assert scores["right"]["accuracy"].value == pytest.approx(here.mean())
    with Store(tmp_path / "store.db") as store:
        assert read(Path(log.location), store).values() == here.values()


def multiple_choice_task() -> Any:
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import choice
    from inspect_ai.solver import multiple_choice

    def sample(number: int) -> Any:
        told = {"order": number, "n": [1]}
        return Sample(id=f"q{number}", input=f"Where is {number}?", choices=["box", "tin"], target="B", metadata=told)

    return Task(
        dataset=list(map(sample, range(12))), solver=multiple_choice(), scorer=choice(), name="theirs", epochs=2
    )


def test_a_log_of_somebody_elses_task_keeps_its_scores(tmp_path: Path) -> None:
    from otherminds.bridges.inspect.logs import read

    log = evaluate(multiple_choice_task(), tmp_path)
    with Store(tmp_path / "store.db") as store:
        back = load(store, read(Path(log.location), store).id)
    said = {(record.item.id): record.results[0].text for record in back.records}  # type: ignore[union-attr]
    right = {record.item.id: record.score.value for record in back.records}
    assert len(right) == 24
    assert right == {id: float(text == "ANSWER: B") for id, text in said.items()}
    assert 0 < sum(right.values()) < 24
    assert {record.item.answer for record in back.records} == {"tin"}
    by_id = {record.item.id: record.item for record in back.records}
    assert by_id["q3#2"].tags["story"] == by_id["q3"].tags["story"] == "q3"
    assert by_id["q3"].tags["order"] == 3


def test_import_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from otherminds.bridges.inspect.tasks import task_of

    monkeypatch.chdir(tmp_path)
    log = evaluate(task_of(mixed()), tmp_path)
    done = CliRunner().invoke(cli, ["import", log.location])
    assert done.exit_code == 0, done.output
    assert "mixed, answered by otherminds/dice; right: 0." in done.stdout
    for words in (["show", "last"], ["report", "last", "-o", "x.html"]):
        assert CliRunner().invoke(cli, words).exit_code == 0
    Path("half.eval").write_bytes(Path(log.location).read_bytes()[:300])
    bad = CliRunner().invoke(cli, ["import", "half.eval"])
    assert bad.exit_code == 1
    assert "half.eval is no log of Inspect that can be read" in bad.output
    gone = CliRunner().invoke(cli, ["import", "nothing.eval"])
    assert "there is no file nothing.eval" in gone.output


# ---- its providers as our models ------------------------------------------------------------------------------------


def plain(*texts: str) -> Any:
    """A provider that says these texts and reports no log-probabilities."""
    from inspect_ai.model import ModelAPI, ModelOutput, modelapi

    from otherminds.bridges.inspect.model import InspectModel

    left = iter(texts)

    class Plain(ModelAPI):  # type: ignore[misc]
        async def generate(self, input: Any, tools: Any, tool_choice: Any, config: Any) -> Any:
            return ModelOutput.from_content("plain", next(left))

    @modelapi(name="plain")
    def provider() -> Any:
        return Plain

    return InspectModel(f"plain/{len(texts)}")


def test_a_provider_answers_our_suite() -> None:
    suite = Suite("words", starter().items[:2], "direct", "text")
    run = om.run(suite, plain("A", "no idea"))
    assert run.model == "inspect:plain/2"
    assert sorted(record.verdict for record in run.records)[-1] == "unparsed"


def test_a_provider_without_log_probabilities_says_so() -> None:
    suite = Suite("letters", starter().items[:2], "direct", "letters")
    with pytest.raises(ModelError, match="reports no log-probabilities"):
        om.run(suite, plain(*["A"] * 8))


def test_labels_are_weighed_by_the_tokens_that_are_reported() -> None:
    from inspect_ai.model import Logprob, Logprobs, ModelOutput, TopLogprob

    from otherminds.bridges.inspect.model import read_output

    output = ModelOutput.from_content("m", "A")
    tops = [TopLogprob(token=token, logprob=value) for token, value in ((" A", -0.5), ("A", -2.0), ("The", -3.0))]
    output.choices[0].logprobs = Logprobs(content=[Logprob(token=" A", logprob=-0.5, top_logprobs=tops)])
    found = read_output(output, Prompt(text="x", choices=("A", "B"), labels=True), weighed=True)
    assert found.logprobs["A"] == pytest.approx(-0.2986, abs=1e-3)
    assert found.bounds["B"][1] <= -2.3  # at most as likely, twice, as the least likely that was reported


def test_a_provider_keeps_the_contract_of_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    from otherminds.bridges.inspect import registry
    from otherminds.bridges.inspect.model import InspectModel
    from otherminds.models.check import check_model

    def wordy(*_: Any, **__: Any) -> Scripted:
        return Scripted(lambda prompt: "one two three four five six seven", name="wordy", weigh=dice)

    monkeypatch.setattr(registry, "get_model", wordy)
    check_model(InspectModel("otherminds/wordy"))


def test_prompts_that_wait_for_each_other_are_answered_together_and_none_is_lost() -> None:
    from concurrent.futures import ThreadPoolExecutor

    from otherminds.bridges.inspect.registry import OthermindsAPI

    api = OthermindsAPI("dice")
    prompts = [
        Prompt(text=f"{n}", choices=("A", "B"), labels=True) if n % 3 else Prompt(text=f"{n}") for n in range(300)
    ]
    with ThreadPoolExecutor(16) as threads:
        results = list(threads.map(api._answer, prompts, timeout=60))
    expected = [api.model.weigh([p])[0] if p.choices else api.model.ask([p])[0] for p in prompts]
    assert results == expected


def test_our_provider_is_a_model_of_ours_again() -> None:
    from otherminds.bridges.inspect.model import InspectModel

    suite = Suite("pairs", starter().items[:6])
    assert om.run(suite, InspectModel("otherminds/dice")).values("S") == om.run(suite, scripted()).values("S")


@pytest.mark.parametrize("name", ["nobody/model", "openai/gpt-4o-mini"])
def test_what_cannot_be_opened_is_a_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from otherminds.bridges.inspect.model import InspectModel

    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(UsageError, match=f"Inspect cannot open '{name}'"):
        InspectModel(name)


# ---- from the shell -------------------------------------------------------------------------------------------------

PARROT = """
import random
from otherminds.models.scripted import Scripted
from otherminds.results.measures import mean_of

def parrot(name):
    def weigh(prompt):
        drawn = random.Random(prompt.text)
        return {choice: 0.05 + 0.02 * drawn.randrange(2) for choice in prompt.choices}
    return Scripted(lambda prompt: "A", name="parrot", weigh=weigh)
"""


def test_inspect_eval_finds_tasks_and_models_by_our_entry_points(tmp_path: Path) -> None:
    from inspect_ai.log import list_eval_logs, read_eval_log

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = {**project["entry-points"], "otherminds.models": {"parrot": "parrot_package:parrot"}}
    info = tmp_path / "site" / "parrot_package-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: parrot-package\nVersion: 1.0\n")
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items()) for group, names in groups.items()]
    (info / "entry_points.txt").write_text("".join(lines))
    (tmp_path / "site" / "parrot_package.py").write_text(PARROT)
    paths = os.pathsep.join([str(tmp_path / "site"), str(ROOT)])
    command = [sys.executable, "-m", "inspect_ai", "eval", "otherminds/perturbed", "--model", "otherminds/parrot:grey"]
    done = subprocess.run(
        [
            *command,
            "-T",
            "score=letters",
            "-T",
            "prompt=raw",
            "--limit",
            "20",
            "--display",
            "none",
            "--log-dir",
            str(tmp_path / "logs"),
        ],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    (found,) = list_eval_logs(str(tmp_path / "logs"))
    log = read_eval_log(found)
    suite = om.get_suite("perturbed")
    ids = {sample.id for sample in log.samples}
    assert len(ids) == 20
    weigh = Scripted(lambda prompt: "A", name="parrot", weigh=dice)
    here = om.run(suite.where(lambda item: item.id in ids).using(prompt="raw", score="letters"), weigh)
    assert reduced(log, "S") == pytest.approx(here.values("S"), abs=1e-12)
    assert json.dumps(log.eval.metadata["otherminds"]["digest"]) == json.dumps(suite.digest)
