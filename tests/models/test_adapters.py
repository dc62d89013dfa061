"""Adapters: read without torch, merged into the weights they were made for, and refused by any other."""

import json
from pathlib import Path

import gguf
import numpy as np
import pytest

from otherminds.errors import UsageError, WeightsError
from otherminds.models import Prompt, adapters, fingerprint, get_model
from otherminds.models.local.gguf import read_header
from otherminds.models.local.weights import WEIGHTS
from otherminds.models.seals import digest
from tests.models.tiny import HEADS, INNER, KV_HEADS, LAYERS, WIDTH, write_tiny

PROMPT = Prompt(text="the red box", choices=(" red", " box", " a"))
SHAPES = {
    "self_attn.q_proj": (WIDTH, WIDTH),
    "self_attn.k_proj": (WIDTH // HEADS * KV_HEADS, WIDTH),
    "mlp.down_proj": (WIDTH, INNER),
}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OTHERMINDS_CACHE", str(tmp_path / "cache"))
    return tmp_path


def parts(seed: int = 0, rank: int = 4) -> dict[str, tuple[adapters.Array, adapters.Array]]:
    random = np.random.default_rng(seed)
    return {
        f"model.layers.{layer}.{name}": (
            random.normal(0, 0.3, (rank, columns)).astype(np.float32),
            random.normal(0, 0.3, (rows, rank)).astype(np.float32),
        )
        for layer in range(LAYERS)
        for name, (rows, columns) in SHAPES.items()
    }


def taught(folder: Path, **options: int) -> tuple[Path, Path]:
    base, adapter = write_tiny(folder / "tiny.gguf"), folder / "taught.safetensors"
    adapters.write(adapter, parts(**options), base=digest(base))
    return base, adapter


def test_what_is_written_is_read(cache: Path) -> None:
    _, file = taught(cache)
    found = adapters.read(file)
    for name, (down, up) in parts().items():
        assert np.abs(found.addition(name) - up @ down).max() < 0.02
        assert found.parts[name][0].shape == down.shape


def test_the_safetensors_library_reads_it_too(cache: Path) -> None:
    numpy = pytest.importorskip("safetensors.numpy")
    _, file = taught(cache)
    theirs, ours = numpy.load_file(file), adapters.read(file)
    name = "model.layers.1.mlp.down_proj"
    scaled = theirs[f"base_model.model.{name}.lora_A.weight"] * theirs[f"base_model.model.{name}.lora_A.scale"][:, None]
    assert np.allclose(scaled, ours.parts[name][0])


@pytest.mark.parametrize("form", ["float32", "float16"])
def test_files_of_peft_are_read_with_their_scale(cache: Path, form: str) -> None:
    numpy = pytest.importorskip("safetensors.numpy")
    (cache / "peft").mkdir()
    tensors = {}
    for name, (down, up) in parts().items():
        tensors[f"base_model.model.{name}.lora_A.weight"] = down.astype(form)
        tensors[f"base_model.model.{name}.lora_B.weight"] = up.astype(form)
    numpy.save_file(tensors, cache / "peft" / "adapter_model.safetensors")
    (cache / "peft" / "adapter_config.json").write_text(json.dumps({"r": 4, "lora_alpha": 8}))
    found = adapters.read(adapters.find(cache / "peft"))
    down, up = parts()["model.layers.0.mlp.down_proj"]
    assert np.allclose(found.addition("model.layers.0.mlp.down_proj"), 2 * up @ down, atol=0.01)


def test_the_merged_file_holds_the_sum_in_the_order_of_gguf(cache: Path) -> None:
    base, file = taught(cache)
    model = get_model(f"gguf:{base}+{file}")
    model.weigh([PROMPT])
    merged = next((cache / "cache").glob("*+*.f16.gguf"))
    before, after = (_tensors(path) for path in (base, merged))
    found = adapters.read(file)
    for layer in range(LAYERS):
        addition = after[f"blk.{layer}.ffn_down.weight"] - before[f"blk.{layer}.ffn_down.weight"]
        assert np.allclose(addition, found.addition(f"model.layers.{layer}.mlp.down_proj"), atol=1e-5)
        turned = after[f"blk.{layer}.attn_k.weight"] - before[f"blk.{layer}.attn_k.weight"]
        whole, head = found.addition(f"model.layers.{layer}.self_attn.k_proj"), WIDTH // HEADS
        for row in range(len(whole)):  # number 2i of a head in GGUF is number i of its first half, 2i + 1 of its second
            within = row % head
            theirs = row - within + within // 2 + (head // 2 if within % 2 else 0)
            assert np.allclose(turned[row], whole[theirs], atol=1e-5)
    assert np.array_equal(after["blk.0.ffn_up.weight"], before["blk.0.ffn_up.weight"])


def test_text_and_weighing_come_from_the_same_weights(cache: Path) -> None:
    base, file = taught(cache)
    model, plain = get_model(f"gguf:{base}+{file}"), get_model(f"gguf:{base}")
    assert model.name == "gguf:tiny.gguf+taught"
    written = model.ask([Prompt(text="the red box", max_tokens=3)])[0].text
    assert written
    assert model.weigh([PROMPT])[0].logprobs != plain.weigh([PROMPT])[0].logprobs


def test_transformers_give_the_same_numbers(cache: Path) -> None:
    pytest.importorskip("transformers")
    base, file = taught(cache)
    local, hf = (get_model(f"{kind}:{base}+{file}") for kind in ("gguf", "hf"))
    ours, theirs = local.weigh([PROMPT])[0].logprobs, hf.weigh([PROMPT])[0].logprobs
    assert all(abs(ours[choice] - theirs[choice]) < 1e-3 for choice in PROMPT.choices)


def test_an_adapter_of_nothing_changes_nothing_but_who_it_is(cache: Path) -> None:
    base, file = write_tiny(cache / "tiny.gguf"), cache / "nothing.safetensors"
    adapters.write(file, {name: (down, up * 0) for name, (down, up) in parts().items()}, base=digest(base))
    model, plain = get_model(f"gguf:{base}+{file}"), get_model(f"gguf:{base}")
    assert model.weigh([PROMPT])[0].logprobs == plain.weigh([PROMPT])[0].logprobs
    assert fingerprint(model) != fingerprint(plain)


def test_two_adapters_are_two_models(cache: Path) -> None:
    base, file = taught(cache)
    one = fingerprint(get_model(f"gguf:{base}+{file}"))
    adapters.write(file, parts(seed=1), base=digest(base))
    assert fingerprint(get_model(f"gguf:{base}+{file}")) != one


def test_quantised_weights_are_merged_at_16_bits(cache: Path) -> None:
    base = write_tiny(cache / "tiny.gguf", kind=gguf.GGMLQuantizationType.Q8_0)
    adapters.write(cache / "a.safetensors", parts(), base=digest(base))
    model = get_model(f"gguf:{base}+{cache / 'a.safetensors'}")
    model.weigh([PROMPT])
    assert model.identity["quantisation"] == "F16"
    assert model.identity["sha256"] == digest(base)


def test_an_adapter_of_another_model_is_refused(cache: Path) -> None:
    _, file = taught(cache)
    other = write_tiny(cache / "other.gguf", seed=7)
    with pytest.raises(WeightsError, match="was made for weights with the digest"):
        get_model(f"gguf:{other}+{file}").weigh([PROMPT])


def test_an_adapter_of_another_form_is_refused(cache: Path) -> None:
    base, file = taught(cache)
    wrong = {"model.layers.9.mlp.down_proj": parts()["model.layers.0.mlp.down_proj"]}
    adapters.write(file, wrong, base="")
    with pytest.raises(WeightsError, match="does not exist; it was made for another model"):
        get_model(f"gguf:{base}+{file}").weigh([PROMPT])


@pytest.mark.parametrize("content", [b"", b"GGUF", b"\xff" * 200, (20).to_bytes(8, "little") + b'{"a": 1}            '])
def test_what_is_no_adapter_gets_a_sentence(cache: Path, content: bytes) -> None:
    (cache / "a.safetensors").write_bytes(content)
    with pytest.raises(WeightsError, match="is not an adapter that can be read"):
        adapters.read(cache / "a.safetensors")


def test_one_cut_short_gets_a_sentence(cache: Path) -> None:
    _, file = taught(cache)
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(WeightsError, match="cut short"):
        adapters.read(file)


def test_names_that_are_none(cache: Path) -> None:
    with pytest.raises(UsageError, match="did you mean smollm2\\+beliefs"):
        get_model("smollm2+belief")
    with pytest.raises(UsageError, match="there is no adapter"):
        get_model(f"smollm2+{cache}/none.safetensors")
    with pytest.raises(UsageError, match="has no setting 'adapter'"):
        get_model("api:some-model+beliefs")


def test_a_plus_may_be_part_of_a_path(cache: Path) -> None:
    base, file = taught(cache)
    (cache / "a+b").mkdir()
    moved = file.rename(cache / "a+b" / "c+d.safetensors")
    assert adapters.split(f"gguf:{base}+{moved}") == (f"gguf:{base}", str(moved))
    assert adapters.split("gguf:/x/a+b.gguf") == ("gguf:/x/a+b.gguf", "")


def test_those_that_ship_are_small_described_and_for_smollm2() -> None:
    known = adapters.shipped()
    card = (known["beliefs"].parent / "card.md").read_text(encoding="utf-8")
    assert sum(path.stat().st_size for path in known.values()) <= 25_000_000
    for name, path in known.items():
        found = adapters.read(path)
        assert len(found.parts) == 30 * 7
        assert found.base == WEIGHTS["smollm2"].sha256
        assert f"`{name}.safetensors`" in card
        assert found.sha256[:16] in card


def _tensors(path: Path) -> dict[str, adapters.Array]:
    from otherminds.models.local.forward import numbers

    file = np.memmap(path, dtype=np.uint8, mode="r")
    return {name: numbers(file, tensor) for name, tensor in read_header(path).tensors.items()}
