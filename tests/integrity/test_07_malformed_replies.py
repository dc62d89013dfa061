"""A malformed reply costs its own item at most, and an error inside a 200 is tried again."""

import pytest

from otherminds.models import Prompt
from otherminds.models.api.endpoint import Endpoint
from tests.faults.bench import Bench, Cell
from tests.models.scripted_server import Reply, completion, first_then, serving

KINDS = {
    "letters-raw": ["logprobs-5000", "logprobs-1e400", "logprobs-minus-1e400", "logprobs-strings", "logprobs-lists"],
    "cloze-raw": ["logprobs-5000", "logprobs-1e400", "logprobs-strings", "gzip-broken", "deep"],
    "text-chat": ["gzip-broken", "gzip-cut", "deep", "long-integer", "message-list", "content-surrogate"],
    "sglang:letters-raw": ["scores-null", "scores-all-null", "scores-text", "scores-too-few"],
    "llama.cpp:letters-raw": ["llama-null", "llama-dict", "llama-id-missing", "tokens-int"],
}


@pytest.mark.parametrize(("form", "kind"), [(form, kind) for form, kinds in KINDS.items() for kind in kinds])
def test_it_is_one_error_and_not_the_end(bench: Bench, form: str, kind: str) -> None:
    outcome = bench.run(Cell(kind, form, "sticky", 25))
    assert outcome.struck
    assert not outcome.bad, outcome.example


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("error", ["overloaded", {"message": "overloaded"}, {"message": "x", "code": 503}])
def test_an_error_inside_a_200_is_tried_again(error: object) -> None:
    with serving(first_then(Reply({"error": error}), completion(" box"))) as server:
        model = Endpoint("m", base_url=server.url, lacks="")
        assert model.ask([Prompt(text="in the")])[0].text == " box"
    assert model.retried == 1
