"""Names of models with settings behind them, and files of several."""

from pathlib import Path

import pytest

from otherminds.errors import BadFile, UsageError
from otherminds.models import get_model
from otherminds.models.specs import PROVIDERS, read_models, read_spec


def test_settings_stand_behind_the_name() -> None:
    name, settings = read_spec('vllm:org/qwen,base_url=http://a:8000/v1,temperature=0,extra={"top_k": 1}')
    assert name == "vllm:org/qwen"
    assert settings == {"base_url": "http://a:8000/v1", "temperature": 0, "extra": {"top_k": 1}}


def test_a_comma_in_a_path_is_no_setting() -> None:
    assert read_spec("gguf:/data/a,b.gguf,context=64") == ("gguf:/data/a,b.gguf", {"context": 64})


def test_several_addresses() -> None:
    assert read_spec("api:m,base_url=http://a/v1,base_url=http://b/v1").settings == {
        "base_url": "http://a/v1 http://b/v1"
    }


@pytest.mark.parametrize("text", ["vllm:m,api_key=secret", "vllm:m,temperature=0,temperature=1"])
def test_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_spec(text)
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_has_an_address_and_a_key_of_its_own(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PROVIDERS[provider]["key_env"], "k-0123456789")
    model = get_model(f"{provider}:some-model,temperature=0.5,name=ours")
    settings = model.settings  # type: ignore[attr-defined]
    assert model.name == "ours"
    assert settings["temperature"] == 0.5
    assert settings["base_url"] == PROVIDERS[provider]["base_url"]
    assert "k-0123456789" not in repr(model) + str(settings)


def test_documented_limits_are_not_tried_out() -> None:
    assert {"weigh", "schema", "raw"} <= get_model("anthropic:claude", server="other").cannot


def test_files_of_models(tmp_path: Path) -> None:
    file = tmp_path / "models.yaml"
    file.write_text(
        "models:\n  - smollm2\n  - {spec: 'vllm:q,seed=1', name: q, settings: {base_url: [http://a/v1, http://b/v1]}}\n"
    )
    first, second = read_models(file)
    assert first == ("smollm2", {})
    assert second == ("vllm:q", {"seed": 1, "base_url": ["http://a/v1", "http://b/v1"], "name": "q"})


@pytest.mark.parametrize(
    "text",
    ["models: []", "- a", "models: [3]", "models: [{spec: a, kind: b}]", "models: [{spec: a, settings: {api_key: x}}]"],
)
def test_bad_files_get_a_sentence(text: str, tmp_path: Path) -> None:
    file = tmp_path / "models.yaml"
    file.write_text(text)
    with pytest.raises(BadFile, match=r"models\.yaml"):
        read_models(file)
