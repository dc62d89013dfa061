"""Response scores against lm-evaluation-harness: our export and the same weights, its log-likelihoods and its means."""

import os
from pathlib import Path

import pytest

from otherminds.data.export.otherminds_scores import response_score
from otherminds.items import Suite
from otherminds.models import get_model
from otherminds.models.local import weights
from otherminds.results.exports import lm_eval_files
from otherminds.runs.runs import run
from otherminds.studies.safety.plots.build import NEUTRAL, TASKS, build

EACH = int(os.environ.get("EACH", "4"))
"""Items of every task; `make harness` takes 20."""
pytest.importorskip("lm_eval", reason="needs the extra `harness`")


@pytest.mark.filterwarnings("default")  # the harness and what it loads give many
def test_response_scores_are_those_of_the_harness(tmp_path: Path) -> None:
    from lm_eval import simple_evaluate
    from lm_eval.models.huggingface import HFLM
    from lm_eval.tasks import TaskManager

    file = weights.expand(weights.get("smollm2"))  # at 16 bits, so that both compute with the same numbers
    # The shortest of every task: the harness computes the whole vocabulary at every token.
    whole = sorted(build(), key=lambda item: len(item.context))
    tasks = [task for task in TASKS if task != NEUTRAL]
    items = [item for task in tasks for item in [each for each in whole if each.tags["task"] == task][:EACH]]
    suite = Suite("safety", tuple(items))
    made = run(suite, get_model(f"gguf:{file}"))
    assert len(made) == 10 * EACH
    for name, text in lm_eval_files(suite).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    theirs = simple_evaluate(
        model=HFLM(pretrained=str(file.parent), gguf_file=file.name, dtype="float32", device="cpu", batch_size=4),
        tasks=["otherminds_safety_letters"],
        task_manager=TaskManager(include_path=str(tmp_path)),
        bootstrap_iters=0,
    )
    orders: dict[str, list[dict]] = {}
    for found in theirs["samples"]["otherminds_safety_letters"]:
        orders.setdefault(found["doc"]["id"], []).append(found["S"])
    assert {id: response_score(several) for id, several in orders.items()} == pytest.approx(made.values("S"), abs=2e-3)
    means = theirs["results"]["otherminds_safety_letters"]
    assert means["S,none"] == pytest.approx(made.mean("S"), abs=2e-3)
    assert means["mass,none"] == pytest.approx(made.mean("mass"), abs=2e-3)
