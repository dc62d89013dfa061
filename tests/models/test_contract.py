"""Every backend passes the one contract. A new one adds a line to MODELS."""

from collections.abc import Callable
from dataclasses import replace
from math import exp

import pytest

from otherminds.errors import ModelError
from otherminds.models import Model, Prompt, Response, Weighing, completed
from otherminds.models.check import BrokenContract, check_model
from otherminds.models.local import weights
from otherminds.models.local.model import Local
from otherminds.models.scripted import Scripted
from tests.models.tiny import CONTEXT


def scripted(request: pytest.FixtureRequest) -> Model:
    def answer(prompt: Prompt) -> str:
        return '{"place": "box"}' if prompt.schema else f"The marble is in box {len(prompt.text)} and not elsewhere"

    # Likelihood falls with length, which is all that the chain rule needs.
    return Scripted(answer, name="scripted", weigh=lambda prompt: {c: exp(-len(c)) for c in prompt.choices})


def gemma(request: pytest.FixtureRequest) -> Model:
    if not weights.present("gemma-270m"):
        pytest.skip("gemma-270m has terms that its user accepts, so tests do not fetch it")
    return Local("gemma-270m")


def fixture(name: str) -> Callable[[pytest.FixtureRequest], Model]:
    return lambda request: request.getfixturevalue(name)


MODELS: dict[str, Callable[[pytest.FixtureRequest], Model]] = {
    "scripted": scripted,
    "tiny": fixture("tiny"),
    "smollm2": fixture("smollm2"),
    "gemma-270m": gemma,
    "hf: tiny": fixture("hf_tiny"),
    "api: llama.cpp server, tiny": fixture("api_tiny"),
    "api: llama.cpp server, smollm2": fixture("api_smollm2"),
}


@pytest.mark.parametrize("name", MODELS)
def test_keeps_the_contract(name: str, request: pytest.FixtureRequest) -> None:
    check_model(MODELS[name](request))


class Broken(Scripted):
    """A model that breaks the contract in one way."""

    def __init__(self, how: str) -> None:
        good = scripted(None)  # type: ignore[arg-type]
        assert isinstance(good, Scripted)
        super().__init__(good._answer, name=how, weigh=good._weigh)
        self.how = how
        self.calls = 0
        if how == "secret":
            self.identity = {"key": "sk-0123456789"}
        if how == "not json":
            self.identity = {"weights": object()}
        if how == "boasts":
            self.cannot = frozenset({"chat"})
        if how == "unknown ability":
            self.cannot = frozenset({"fly"})

    def ask(self, prompts: list[Prompt]) -> list[Response]:  # type: ignore[override]
        self.calls += 1
        responses = super().ask(prompts)
        if self.how == "out of order":
            return responses[::-1]
        if self.how == "one too few":
            return responses[1:]
        if self.how == "changes its mind":
            return [replace(response, text=f"{response.text}{self.calls}") for response in responses]
        if self.how == "no limit":
            return [replace(response, finish="stop") for response in responses]
        if self.how == "adds to raw prompts":
            return [replace(response, rendered=response.rendered + "\n") for response in responses]
        if self.how == "repeats the prefill":
            return [replace(r, text=p.prefill + r.text) for p, r in zip(prompts, responses, strict=True)]
        if self.how == "ignores the schema":
            return [replace(response, text=response.text.replace("{", "(")) for response in responses]
        if any(len(prompt.text) > 10_000 for prompt in prompts) and self.how == "one long prompt spoils all":
            return [Response(error="too long") for _ in prompts]
        return responses

    def weigh(self, prompts: list[Prompt]) -> list[Weighing]:  # type: ignore[override]
        weighings = super().weigh(prompts)
        if self.how == "depends on the batch":
            shift = 0.1 * len(prompts)
            return [replace(w, logprobs={c: v - shift * (c == "A") for c, v in w.logprobs.items()}) for w in weighings]
        if self.how == "breaks the chain":
            return [replace(w, logprobs=dict.fromkeys(w.logprobs, -3.0)) for w in weighings]
        if self.how == "forgets a choice":
            return [replace(w, logprobs={}) for w in weighings]
        if self.how == "counts strange tokens":
            return [replace(w, tokens={c: ("the", *t) for c, t in w.tokens.items()}) for w in weighings]
        return weighings


BREAKS = {
    "secret": "OTHERMINDS_TEST_KEY",
    "boasts": "raises no ModelError",
    "unknown ability": "fly",
    "out of order": "several answers",
    "one too few": "got",
    "changes its mind": "several answers",
    "no limit": "length",
    "adds to raw prompts": "changed on its way",
    "repeats the prefill": "repeats the prefill",
    "ignores the schema": "schema",
    "one long prompt spoils all": "spoils its neighbours",
    "depends on the batch": "moves by",
    "breaks the chain": "differ from",
    "forgets a choice": "were weighed",
    "counts strange tokens": "counted as",
}


@pytest.mark.parametrize("how", BREAKS)
def test_the_contract_notices(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTHERMINDS_TEST_KEY", "sk-0123456789")
    with pytest.raises(BrokenContract, match=BREAKS[how]):
        check_model(Broken(how))


def test_an_identity_must_be_json() -> None:
    with pytest.raises(TypeError):
        check_model(Broken("not json"))


def test_a_refusal_passes_where_it_is_announced() -> None:
    class Base(Scripted):
        cannot = frozenset({"chat", "prefill"})  # type: ignore[assignment]

        def ask(self, prompts: list[Prompt]) -> list[Response]:  # type: ignore[override]
            if any(prompt.messages for prompt in prompts):
                raise ModelError("no template")
            return super().ask(prompts)

    good = scripted(None)  # type: ignore[arg-type]
    assert isinstance(good, Scripted)
    model = Base(good._answer, name="base", weigh=good._weigh)
    model.cannot = Base.cannot
    check_model(model)
    model.cannot = frozenset()
    with pytest.raises(ModelError, match="no template"):
        check_model(model)


def test_the_tiny_context_is_really_exceeded() -> None:
    # Else the check of long prompts would check nothing.
    assert CONTEXT < 20_000


def test_a_plain_class_has_the_defaults_of_all_that_it_does_not_say() -> None:
    class Plain:
        name = "plain"

    model = completed(Plain())
    assert (model.is_served, model.servers, model.settings, model.scales) == (False, (), {}, {})
    assert (model.retried, model.waited, model.shallower(), model.found_lacking) == (0, 0.0, None, frozenset())
    named = Scripted(lambda _: "", name="named")
    assert completed(named) is named, "ours inherit them"
