"""A Llama in a Hugging Face folder is trained like one in a GGUF file, and a whole model is written as a folder."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("tokenizers")
pytest.importorskip("transformers")

from otherminds.errors import OthermindsError  # noqa: E402
from otherminds.models import Prompt, get_model  # noqa: E402
from otherminds.training.bases import base_digest, base_file, encoder_of, network_of, tokenizer_digest  # noqa: E402
from otherminds.training.folders import full_state, write_folder  # noqa: E402
from otherminds.training.lessons import Branch, Lesson  # noqa: E402
from otherminds.training.weights import from_gguf  # noqa: E402
from tests.models.tiny import write_tiny  # noqa: E402
from tests.training.test_train_command import call, lessons, refuses  # noqa: E402

SMALL = ("--device", "cpu", "--rows", "2", "--length", "512", "--rate", "0.01", "--warm-up", "3", "--steps", "3")


@pytest.fixture(scope="module")
def gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="module")
def folder(gguf: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny Llama as transformers itself saves it, in two files of weights."""
    import transformers

    path = tmp_path_factory.mktemp("hf") / "tiny"
    model = transformers.AutoModelForCausalLM.from_pretrained(str(gguf.parent), gguf_file=gguf.name)
    plain = transformers.LlamaForCausalLM(transformers.LlamaConfig.from_dict(_plain(model.config.to_dict())))
    plain.load_state_dict(model.state_dict())
    plain.save_pretrained(path, max_shard_size="150KB")
    transformers.AutoTokenizer.from_pretrained(str(gguf.parent), gguf_file=gguf.name).save_pretrained(path)
    return path


def _plain(config: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in config.items() if name != "quantization_config"}


def test_a_folder_holds_the_same_network_and_tokens_as_its_file(gguf: Path, folder: Path) -> None:
    assert len(list(folder.glob("*.safetensors"))) > 1
    one, other = full_state(from_gguf(gguf)), full_state(network_of(folder))
    assert one.keys() == other.keys()
    for name, weight in one.items():
        torch.testing.assert_close(other[name], weight)
    branch = Branch("\nQuestion: Where is the red box?\nAnswer:", " attic", "", "attic", (), "x")
    for chat in (False, True):
        lesson = Lesson("Anne puts the box away. 12 é", (branch,), chat, "", "")
        assert encoder_of(gguf).lesson(lesson) == encoder_of(folder).lesson(lesson)
    assert encoder_of(folder).frame


@pytest.mark.parametrize("how", [("--full", "--save", "full"), ("--rank", "4", "--save", "full")])
def test_from_a_folder_to_a_folder_that_hf_loads(folder: Path, tmp_path: Path, how: tuple[str, ...]) -> None:
    few = (
        "--shards",
        "1",
        "--size",
        "20",
        "--grammars",
        "terse",
        "--people",
        "2",
        "--questions",
        "2",
        "--processes",
        "1",
    )
    call("build", "lessons", "-o", tmp_path / "data", "--model", folder, *few)
    found = call("train", tmp_path / "data", "-o", tmp_path / "out", "-m", folder, *SMALL, *how)
    assert "adapter.safetensors" in found
    prompt = Prompt(text="the red box", choices=(" red", " box"))
    base, whole = get_model(f"hf:{folder}"), get_model(f"hf:{tmp_path / 'out' / 'model'}")
    added = get_model(f"hf:{folder}+{tmp_path / 'out' / 'adapter.safetensors'}")
    said = [model.weigh([prompt])[0].logprobs for model in (base, whole, added)]
    assert said[0] != said[1]
    if "--rank" in how:  # where it keeps all that was learned, up to its 8 bits
        assert said[2] == pytest.approx(said[1], abs=0.1)
        assert said[2] != pytest.approx(said[0], abs=1e-3)
    again = network_of(tmp_path / "out" / "model")
    assert tokenizer_digest(tmp_path / "out" / "model") == tokenizer_digest(folder)
    assert again.form == network_of(folder).form


def test_a_file_becomes_a_folder_that_says_the_same(gguf: Path, tmp_path: Path) -> None:
    out = write_folder(tmp_path / "model", from_gguf(gguf), gguf)
    prompts = [Prompt(text="the red box <|im_end|> é", choices=(" red", " box"))]
    one, other = (get_model(name) for name in (f"hf:{gguf}", f"hf:{out}"))
    assert other.weigh(prompts)[0].logprobs == pytest.approx(one.weigh(prompts)[0].logprobs, abs=1e-4)
    assert base_digest(out) != base_digest(gguf)


# ---- bad input ------------------------------------------------------------------------------------------------------


def changed(path: Path, **more: Any) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **more}))


def first_weights(folder: Path) -> Path:
    return min(folder.glob("*.safetensors"))


BAD: dict[str, Callable[[Path], object]] = {
    "holds a GPT2LMHeadModel": lambda path: changed(path / "config.json", architectures=["GPT2LMHeadModel"]),
    "LlamaForCausalLM with attention_bias": lambda path: changed(path / "config.json", attention_bias=True),
    "with rope_scaling": lambda path: changed(path / "config.json", rope_parameters={"rope_type": "llama3"}),
    "do not fill its width": lambda path: changed(path / "config.json", head_dim=128),
    "does not state": lambda path: (path / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}'),
    "config.json asks for": lambda path: changed(path / "config.json", intermediate_size=97),
    "there is no file": lambda path: (path / "config.json").unlink(),
    "config.json cannot be read": lambda path: (path / "config.json").write_text("["),
    "get the folder again": lambda path: first_weights(path).write_bytes(b"x" * 100),
    "cannot be read": lambda path: first_weights(path).unlink(),
    "names no files of weights": lambda path: (path / "model.safetensors.index.json").write_text("{}"),
    "byte-level": lambda path: changed(path / "tokenizer.json", pre_tokenizer={"type": "Metaspace"}),
    "tokenizer.json cannot be read": lambda path: changed(path / "tokenizer.json", model={"type": "none"}),
}


@pytest.mark.parametrize("words", BAD)
def test_a_folder_that_cannot_be_trained_is_said_in_a_sentence(folder: Path, tmp_path: Path, words: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    BAD[words](copy)
    with pytest.raises(OthermindsError, match=words):
        _ = network_of(copy), encoder_of(copy)


def test_neither_a_file_nor_a_folder(gguf: Path, tmp_path: Path) -> None:
    assert base_file(str(gguf)) == gguf
    data = lessons(tmp_path / "data", gguf)
    assert "or the folder of one" in refuses("train", data, "-o", tmp_path / "out", "-m", str(tmp_path / "nowhere"))
    (tmp_path / "empty").mkdir()
    assert "there is no file" in refuses("train", data, "-o", tmp_path / "out", "-m", str(tmp_path / "empty"))
