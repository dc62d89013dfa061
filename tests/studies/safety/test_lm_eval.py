"""Response scores against lm-evaluation-harness: the same prompts and weights, its log-likelihoods, our ratio.

Runs where the extra `harness` is installed and OTHERMINDS_HARNESS_MODEL names a .gguf file that transformers can open
too, such as that of the default model; it takes a few minutes.
"""

import os
from importlib.util import find_spec
from math import exp
from pathlib import Path

import pytest

WEIGHTS = os.environ.get("OTHERMINDS_HARNESS_MODEL", "")


@pytest.mark.skipif(find_spec("lm_eval") is None, reason="needs the extra `harness`")
@pytest.mark.skipif(not WEIGHTS, reason="OTHERMINDS_HARNESS_MODEL names no weights")
@pytest.mark.filterwarnings("default")  # the harness and what it loads give many
def test_response_scores_are_the_harness_ratio() -> None:
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    from otherminds.models import get_model
    from otherminds.runs import run
    from otherminds.studies.safety.sets import build

    made = run(build(size=20), get_model(f"gguf:{WEIGHTS}"), limit=200)
    file = Path(WEIGHTS)
    theirs = HFLM(pretrained=str(file.parent), gguf_file=file.name, dtype="float32", device="cpu", batch_size=8)
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
        weights = [sum(exp(next(found)[0]) for _ in (" ", "")) for _ in prompt.choices]
        result = record.results[record.prompts.index(prompt)]
        ours = {letter: exp(value) for letter, value in result.logprobs.items()}
        share = ours[prompt.choices[0]] / sum(ours.values())
        assert share == pytest.approx(weights[0] / sum(weights), abs=2e-3)
