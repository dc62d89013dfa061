"""Response scores against lm-evaluation-harness: the same prompts and weights, its log-likelihoods, our ratio."""

from math import exp

import pytest

from otherminds.items import Suite
from otherminds.models import get_model, weights
from otherminds.runs import run
from otherminds.studies.safety.sets import NEUTRAL, TASKS, build

pytest.importorskip("lm_eval", reason="needs the extra `harness`")


@pytest.mark.filterwarnings("default")  # the harness and what it loads give many
def test_response_scores_are_the_harness_ratio() -> None:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    file = weights.expand(weights.get("smollm2"))  # at 16 bits, so that both compute with the same numbers
    # The shortest of every task: the harness computes the whole vocabulary at every token.
    whole = sorted(build(), key=lambda item: len(item.context))
    items = [
        item for task in TASKS if task != NEUTRAL for item in [each for each in whole if each.tags["task"] == task][:20]
    ]
    suite = Suite("safety", tuple(items))
    made = run(suite, get_model(f"gguf:{file}"))
    theirs = HFLM(pretrained=str(file.parent), gguf_file=file.name, dtype="float32", device="cpu", batch_size=4)
    assert len(made) == 200
    prompts = [(record, prompt) for record in made.records for prompt in record.prompts]
    # The harness weighs continuations; a letter is one with a space, and one without.
    requests = [
        Instance("loglikelihood", {}, (prompt.text, gap + letter), number)
        for number, (_, prompt) in enumerate(prompts)
        for letter in prompt.choices
        for gap in (" ", "")
    ]
    found = iter(theirs.loglikelihood(requests))
    for record, prompt in prompts:
        given = [sum(exp(next(found)[0]) for _ in (" ", "")) for _ in prompt.choices]
        result = record.results[record.prompts.index(prompt)]
        ours = {letter: exp(value) for letter, value in result.logprobs.items()}
        share = ours[prompt.choices[0]] / sum(ours.values())
        assert share == pytest.approx(given[0] / sum(given), abs=2e-3)
