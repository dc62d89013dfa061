"""Logs of lm-evaluation-harness read back: the same table as our own run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import otherminds as om
from otherminds.bridges.replay import read
from otherminds.cli import cli
from otherminds.errors import BadFile, UsageError
from otherminds.items import Suite
from otherminds.models.scripted import Scripted
from otherminds.results.exports import lm_eval_files, name_of
from otherminds.runs.runs import load
from otherminds.store.store import Store
from otherminds.studies.starter.study import starter
from tests.bridges.miniatures import MAKERS
from tests.results.test_exports import documents, harness, weigh


def logged(suite: Suite, folder: Path, score: str = "letters") -> Path:
    """The samples as lm_eval 0.4.13 writes them with --log_samples: numbers as text, in a list for each request."""
    task = f"{name_of(suite)}_{score}"
    rows = []
    for number, doc in enumerate(documents(lm_eval_files(suite), f"{task}.jsonl")):
        pairs = [[str(value), str(greedy)] for value, greedy in harness(doc, letters=score == "letters")]
        resps = {"resps": [[pair] for pair in pairs], "filtered_resps": pairs}
        rows.append({"doc_id": number, "doc": doc, "target": str(doc["target"]), **resps, "filter": "none"})
    home = folder / "some__model"
    home.mkdir()
    path = home / f"samples_{task}_2026-11-16T06-34-24.360139.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (home / "results_2026-11-16T06-34-24.360139.json").write_text(json.dumps({"model_name": "some/model"}))
    return path


def dice() -> Scripted:
    return Scripted(lambda _: "", name="dice", weigh=weigh)


@pytest.mark.parametrize("score", ["letters", "cloze"])
def test_the_same_table(score: str, tmp_path: Path) -> None:
    here = om.run(starter().using(score=score), dice())
    with Store(tmp_path / "store.db") as store:
        back = load(store, read(logged(starter(), tmp_path, score), store).id)
    assert back.model == "some/model"
    assert back.digest == here.digest  # the suite that we know, with all that its items carry
    assert back.verdicts() == here.verdicts()
    assert back.values("S") == pytest.approx(here.values("S"), abs=1e-9)
    assert om.realist(starter()).values([record.item for record in back.records])


@pytest.mark.parametrize("name", ["dialogue", "unheard-of"])
def test_a_suite_that_nobody_knows_is_put_together_from_the_documents(name: str, tmp_path: Path) -> None:
    suite = replace(om.get_suite("dialogue"), items=om.get_suite("dialogue").items[:20], name=name)
    here = om.run(suite, dice())
    with Store(tmp_path / "store.db") as store:
        back = read(logged(suite, tmp_path), store)
    assert back.values("S") == pytest.approx(here.values("S"), abs=1e-9)
    assert [r.item.choices for r in back.records] == [r.item.choices for r in here.records]
    assert [r.item.question for r in back.records] == [r.item.question for r in here.records]
    assert [dict(r.item.tags) for r in back.records] == [dict(r.item.tags) for r in here.records]


def test_bad_logs_are_sentences(tmp_path: Path) -> None:
    path = logged(starter(), tmp_path)
    text = path.read_text()
    with Store(tmp_path / "store.db") as store:
        for change, sentence in (
            (lambda row: row.pop("doc"), "no doc or no resps"),
            (lambda row: row["doc"].pop("continuations"), "the document has no continuations"),
            (lambda row: row.update(filtered_resps=[["x", "False"]]), "resps should be log-likelihoods"),
            (lambda row: row.update(filtered_resps=[["-1", "False"]]), "1 log-likelihoods for 4 continuations"),
        ):
            row = json.loads(text.splitlines()[0])
            change(row)
            path.write_text(json.dumps(row))
            with pytest.raises(BadFile, match=sentence):
                read(path, store)
        path.write_text(text)
        with pytest.raises(UsageError, match="other prompts than suite 'dialogue'"):
            read(path, store, suite=om.get_suite("dialogue"))
        with pytest.raises(UsageError, match="should be called samples_otherminds"):
            read(tmp_path / "log.jsonl", store)


def test_a_task_folder_for_upstream_has_repaired_gold_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = MAKERS["tomi"](tmp_path)
    for words in (
        ["import", str(path), "-o", "tomi.jsonl"],
        ["export", "tomi.jsonl", "--to", "lm-eval", "-o", "folder"],
    ):
        done = CliRunner().invoke(cli, words)
        assert done.exit_code == 0, done.output
    text = Path("folder/README.md").read_text()
    assert "CC BY-NC 4.0" in text
    assert "2 labels differ" in text
    assert "### Paper\n\nLe, Boureau and Nickel (2019)" in text
    assert "`otherminds_tomi_letters`" in text
    docs = [json.loads(line) for line in Path("folder/otherminds_tomi_letters.jsonl").read_text().splitlines()]
    assert {doc["answer"] for doc in docs if doc["id"] == "test-1-5"} == {"tin_box"}
    assert not CliRunner().invoke(cli, ["export", "starter", "--to", "lm-eval", "-o", "ours"]).exit_code
    assert not Path("ours/README.md").exists()


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["import", str(logged(starter(), tmp_path))])
    assert done.exit_code == 0, done.output
    assert "starter, answered by some/model; right: 0." in done.stdout
    assert CliRunner().invoke(cli, ["report", "last", "-o", "x.html"]).exit_code == 0


@pytest.mark.filterwarnings("default")  # the harness and what it loads give many
def test_the_harness_itself_logs_a_realist_and_we_name_it(tmp_path: Path) -> None:
    """Its own evaluator and its own log; only the log-likelihoods are scripted."""
    pytest.importorskip("lm_eval", reason="needs the extra `harness`")
    from lm_eval import simple_evaluate
    from lm_eval.api.model import LM
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    suite = starter()
    folder, task = tmp_path / "tasks", "otherminds_starter_letters"
    folder.mkdir()
    for name, text in lm_eval_files(suite).items():
        (folder / name).write_text(text, encoding="utf-8")
    chances = {doc["prompt"]: by_reality(suite, doc) for doc in documents(lm_eval_files(suite), f"{task}.jsonl")}

    class Realist(LM):  # type: ignore[misc]
        def loglikelihood(self, requests: list) -> list[tuple[float, bool]]:  # type: ignore[type-arg]
            return [(chances[context][label.strip()], False) for context, label in (each.args for each in requests)]

        def loglikelihood_rolling(self, requests: object) -> None: ...

        def generate_until(self, requests: object) -> None: ...

    found = simple_evaluate(
        Realist(), tasks=[task], task_manager=TaskManager(include_path=str(folder)), bootstrap_iters=0
    )
    tracker = EvaluationTracker(output_path=str(tmp_path / "out"))
    tracker.save_results_aggregated(results={key: found[key] for key in ("results", "configs")}, samples={})
    tracker.save_results_samples(task_name=task, samples=found["samples"][task])
    (log,) = (tmp_path / "out").rglob("samples_*.jsonl")
    with Store(tmp_path / "store.db") as store:
        back = load(store, read(log, store).id)
    here = om.run(suite, om.realist(suite))
    assert back.values() == here.values()
    assert found["results"][task]["right,none"] == pytest.approx(back.mean())
    assert found["results"][task]["S,none"] == pytest.approx(back.mean("S"))
    theirs, ours = om.diagnose(back), om.diagnose(here)
    assert (theirs.dominant, theirs.sentences) == ("realist", ours.sentences)
    assert theirs.shares == ours.shares


def by_reality(suite: Suite, doc: dict) -> dict[str, float]:  # type: ignore[type-arg]
    """By letter, the log-likelihood that somebody who answers from the world gives it."""
    item = next(item for item in suite if item.id == doc["id"])
    return {
        letter: -0.8 if choice == item.meta["reality"] else -4.0
        for letter, choice in zip("AB", doc["choices"], strict=True)
    }
