"""A run as a log of Inspect: the same numbers, and nothing that is not wrong counted as wrong."""

from collections import Counter
from itertools import cycle
from math import isnan
from pathlib import Path

import pytest

from otherminds.errors import BadFile, UsageError
from otherminds.heuristics.readers import realist
from otherminds.models import Prompt, Response, Usage
from otherminds.models.scripted import Scripted
from otherminds.results.exports import save
from otherminds.runs.runs import Budget, Run, run
from otherminds.studies.starter.study import starter

pytest.importorskip("inspect_ai", reason="needs the extra `inspect`")
pytestmark = pytest.mark.filterwarnings("default")  # Inspect gives many


def mixed() -> Run:
    ends = cycle(["A", "B", "I cannot help with that.", "banana", Response(finish="length"), Response(error="down")])
    used = Usage(prompt=10, cached=4, written=3)

    def answer(_: Prompt) -> Response:
        end = next(ends)
        return Response(end, usage=used) if isinstance(end, str) else end

    return run(starter().using(prompt="direct", score="text"), Scripted(answer, name="moody"))


def test_numbers_and_verdicts_are_those_of_the_run(tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    made = mixed()
    save(made, tmp_path / "run.eval")
    log = read_eval_log(str(tmp_path / "run.eval"))
    scores = {score.name: score for score in log.results.scores}
    assert {name: metric.value for name, metric in scores["verdict"].metrics.items()} == made.verdicts()
    assert scores["right"].metrics["accuracy"].value == pytest.approx(made.mean())
    assert scores["right"].metrics["stderr"].params == {"cluster": "cluster"}
    assert scores["right"].scored_samples == len(made.values())
    assert log.results.total_samples == len(made)
    assert Counter(sample.scores["verdict"].value for sample in log.samples) == Counter(made.verdicts())
    assert log.status == "success"
    assert (log.eval.model, log.eval.dataset.name, log.eval.metadata["run"]) == ("moody", "starter", made.id)
    assert log.eval.metadata["fingerprint"] == made.fingerprint


def test_every_answer_can_be_read_there(tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    made = mixed()
    save(made, tmp_path / "run.eval")
    samples = {sample.id: sample for sample in read_eval_log(str(tmp_path / "run.eval")).samples}
    for record in made.records:
        sample, (prompt,), (result,) = samples[record.item.id], record.prompts, record.results
        assert sample.messages[0].content == prompt.messages[0].content
        assert sample.target == record.item.answer
        assert sample.metadata["verdict"] == record.verdict
        assert sample.metadata["story"] == record.item.tags["story"]
        assert record.score.why in sample.scores["right"].explanation
        assert isnan(sample.scores["right"].value) == (record.value() is None)
        assert (sample.error is not None) == (record.verdict == "error")
        if record.verdict in ("correct", "incorrect"):
            usage = sample.model_usage["moody"]
            assert (usage.input_tokens, usage.input_tokens_cache_read, usage.output_tokens) == (6, 4, 3)
            assert sample.output.completion == result.text


def test_response_scores_stand_beside(tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    made = run(starter(), realist(starter()))
    save(made, tmp_path / "run.eval")
    log = read_eval_log(str(tmp_path / "run.eval"))
    assert {sample.id: sample.scores["S"].value for sample in log.samples} == made.values("S")
    means = {score.name: score.metrics for score in log.results.scores}
    assert means["S"]["mean"].value == pytest.approx(made.mean("S"))
    assert all(len(sample.messages) == 4 for sample in log.samples)


def test_a_run_that_was_stopped_says_so(tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log

    budget = Budget(calls=7)
    save(run(starter(), realist(starter()), budget=budget), tmp_path / "run.eval")
    assert read_eval_log(str(tmp_path / "run.eval")).status == "cancelled"


def test_bad_places_are_refused(tmp_path: Path) -> None:
    made = run(starter(), realist(starter()))
    with pytest.raises(UsageError, match=r"should end in \.eval"):
        save(made, tmp_path / "run.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(BadFile, match="cannot be written"):
        save(made, tmp_path / "file" / "run.eval")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
