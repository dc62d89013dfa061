"""Folders: a Llama as Hugging Face keeps it, read to be trained, and written when it has been."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from otherminds.errors import BadFile, UsageError
from otherminds.files import parse_json, read_text, replacing, write_text
from otherminds.models.chat_template import raw_runs
from otherminds.models.hf.checkpoint import Checkpoint, first_line
from otherminds.models.local.gguf import Header, read_header
from otherminds.training.encoding import gguf_tokenizer
from otherminds.training.network import PARTS, Form, Llama
from otherminds.training.weights import HF_NORMS, HF_PARTS

INDEX, WEIGHTS = "model.safetensors.index.json", "model.safetensors"
_CONTROL, _PLAIN = 3, 1
_SMALL = ("*.json", "*.jinja", "*.model", "*.txt")
_FIXED = {"attention_bias": False, "mlp_bias": False, "hidden_act": "silu"}


# ---- reading --------------------------------------------------------------------------------------------------------


def from_folder(folder: Path, *, attention: str = "dense") -> Llama:
    """The network with the weights of a folder, at single precision."""
    network = Llama(folder_form(folder), attention=attention)
    found = _tensors(folder)
    with torch.no_grad():
        for name, weight in full_state(network).items():
            if name not in found or found[name].shape != weight.shape:
                there = f"has the form {tuple(found[name].shape)}" if name in found else "is not there"
                raise BadFile(f"{folder}: {name} {there}, and config.json asks for {tuple(weight.shape)}")
            weight.copy_(found[name])
    return network


def folder_form(folder: Path) -> Form:
    """The form of the Llama in a folder; any other model is refused."""
    config = _json(folder / "config.json")
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    kind = next(iter(config.get("architectures") or [config.get("model_type", "model of no stated kind")]))
    other = [name for name, usual in _FIXED.items() if config.get(name, usual) != usual]
    if rope.get("rope_type", rope.get("type", "default")) != "default":
        other.append("rope_scaling")
    if kind != "LlamaForCausalLM" or other:
        beside = f" with {', '.join(other)}" if other else ""
        raise UsageError(f"only plain Llamas can be trained, and {folder} holds a {kind}{beside}")
    try:
        heads, width = config["num_attention_heads"], config["hidden_size"]
        form = Form(
            layers=config["num_hidden_layers"],
            width=width,
            inner=config["intermediate_size"],
            heads=heads,
            kv_heads=config.get("num_key_value_heads") or heads,
            vocabulary=config["vocab_size"],
            base=float(rope.get("rope_theta", config.get("rope_theta", 10000.0))),
            epsilon=float(config.get("rms_norm_eps", 1e-6)),
            own_head=not config.get("tie_word_embeddings", False),
        )
        if (config.get("head_dim") or form.head) * heads != width:
            raise UsageError(f"only plain Llamas can be trained, and the heads of {folder} do not fill its width")
    except (KeyError, TypeError, ZeroDivisionError) as error:
        raise BadFile(f"{folder / 'config.json'} does not state {error}, which a Llama needs") from None
    return form


def weight_files(folder: Path) -> list[Path]:
    """The files that hold the weights of a folder."""
    if (folder / INDEX).is_file():
        named = _json(folder / INDEX).get("weight_map")
        if not isinstance(named, dict) or not named:
            raise BadFile(f"{folder / INDEX} names no files of weights; get the folder again")
        return [folder / name for name in sorted(set(map(str, named.values())))]
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]
    found = Checkpoint.of(str(folder)).weights
    if found[0].suffix != ".safetensors":
        raise UsageError(f"{folder} has no weights as safetensors; save it anew with transformers' save_pretrained")
    return list(found)


def _tensors(folder: Path) -> dict[str, Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    found: dict[str, Tensor] = {}
    for path in weight_files(folder):
        try:
            found |= load_file(path)
        except (OSError, SafetensorError) as error:
            raise BadFile(f"{path} cannot be read: {first_line(error)}; get the folder again") from None
    return found


def full_state(network: Llama) -> dict[str, Tensor]:
    """Every weight under the name that Hugging Face gives it, additions merged."""
    state: dict[str, Tensor] = {"model.embed_tokens.weight": network.embedding, "model.norm.weight": network.norm}
    if network.head is not None:
        state["lm_head.weight"] = network.head
    for number, layer in enumerate(network.layers):
        for name, theirs in HF_NORMS.items():
            state[f"model.layers.{number}.{theirs}.weight"] = getattr(layer, name)
        for part in PARTS:
            state[f"model.layers.{number}.{HF_PARTS[part]}.weight"] = getattr(layer, part)()
    return {name: weight.detach() for name, weight in state.items()}


def folder_tokenizer(folder: Path) -> Any:
    """The `tokenizers.Tokenizer` of a folder, if it is a byte-level one."""
    from tokenizers import Tokenizer

    path = folder / "tokenizer.json"
    said = _json(path)
    if "ByteLevel" not in json.dumps(said.get("pre_tokenizer")):
        # Others put a space before whatever they are given, so a text in parts would have other tokens than in one.
        raise UsageError(f"only models with a byte-level vocabulary can be trained, and that of {folder} is another")
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises nothing more exact
        raise BadFile(f"{path} cannot be read: {first_line(error)}; get the folder again") from None
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def folder_header(folder: Path) -> Header:
    """What a GGUF file would say of the vocabulary in a folder."""
    tokenizer = folder_tokenizer(folder)
    said = _json(folder / "tokenizer_config.json") if (folder / "tokenizer_config.json").is_file() else {}
    special = {number for number, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    numbers = range(max(tokenizer.get_vocab().values()) + 1)
    data: dict[str, Any] = {
        "general.architecture": "llama",
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.tokens": [tokenizer.id_to_token(number) or "" for number in numbers],
        "tokenizer.ggml.token_type": [_CONTROL if number in special else _PLAIN for number in numbers],
        "tokenizer.chat_template": _template(folder, said),
    }
    for name in ("bos", "eos"):
        number = _mark(name, said, _json(folder / "config.json"), tokenizer)
        data |= {f"tokenizer.ggml.{name}_token_id": number} if number is not None else {}
    opening = tokenizer.encode("").ids
    data["tokenizer.ggml.add_bos_token"] = bool(opening) and opening[0] == data.get("tokenizer.ggml.bos_token_id")
    return Header(data, {})


def _mark(name: str, said: Mapping[str, Any], config: Mapping[str, Any], tokenizer: Any) -> int | None:
    """The token that begins or ends a text: by the tokenizer's word, or else by the model's."""
    token = said.get(f"{name}_token")
    token = token.get("content") if isinstance(token, dict) else token
    number = tokenizer.token_to_id(token) if isinstance(token, str) else config.get(f"{name}_token_id")
    number = next(iter(number), None) if isinstance(number, list) else number
    return number if isinstance(number, int) else None


def _template(folder: Path, said: Mapping[str, Any]) -> str:
    beside = folder / "chat_template.jinja"
    found = read_text(beside) if beside.is_file() else said.get("chat_template") or ""
    if isinstance(found, list):
        found = next((each["template"] for each in found if each.get("name") == "default"), "")
    return str(found)


def _json(path: Path) -> dict[str, Any]:
    try:
        found = parse_json(read_text(path))
        if isinstance(found, dict):
            return found
        raise ValueError("it is no object")
    except ValueError as error:
        raise BadFile(f"{path} cannot be read: {first_line(error)}; get the folder again") from None


# ---- writing --------------------------------------------------------------------------------------------------------


def write_folder(out: Path, network: Llama, base: Path) -> Path:
    """The whole model as a folder that transformers loads, with the tokenizer of what it began as."""
    from safetensors.torch import save

    out.mkdir(parents=True, exist_ok=True)
    if base.is_dir():
        for path in (path for kind in _SMALL for path in base.glob(kind) if path.name != INDEX):
            shutil.copyfile(path, out / path.name)
        config = _json(base / "config.json") | {"dtype": "float32"}
        config.pop("torch_dtype", None)
    else:
        header = read_header(base)
        config = _config(network.form, header)
        _write_tokenizer(out, header)
    write_text(out / "config.json", json.dumps(config, indent=1) + "\n")
    state = {name: weight.float().cpu().contiguous() for name, weight in full_state(network).items()}
    with replacing(out / WEIGHTS) as half:
        half.write_bytes(save(state, metadata={"format": "pt"}))
    return out


def _config(form: Form, header: Header) -> dict[str, Any]:
    marks = {f"{name}_token_id": header.special(name) for name in ("bos", "eos")}
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "num_hidden_layers": form.layers,
        "hidden_size": form.width,
        "intermediate_size": form.inner,
        "num_attention_heads": form.heads,
        "num_key_value_heads": form.kv_heads,
        "vocab_size": form.vocabulary,
        "rope_theta": form.base,
        "rms_norm_eps": form.epsilon,
        "tie_word_embeddings": not form.own_head,
        "max_position_embeddings": header.context,
        "hidden_act": "silu",
        "dtype": "float32",
        **marks,
    }


def _write_tokenizer(out: Path, header: Header) -> None:
    from tokenizers import AddedToken, decoders, processors

    tokenizer = gguf_tokenizer(header)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(name, special=True, normalized=False) for name in header.specials])
    names = header.metadata["tokenizer.ggml.tokens"]
    for run in raw_runs("", header):
        if isinstance(run, int):
            mark = names[run]
            tokenizer.post_processor = processors.TemplateProcessing(f"{mark} $A", special_tokens=[(mark, run)])
    said: dict[str, Any] = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    for name in ("bos", "eos"):
        number = header.special(name)
        said |= {f"{name}_token": names[number]} if number is not None else {}
    said |= {"chat_template": header.template} if header.template else {}
    tokenizer.save(str(out / "tokenizer.json"))
    write_text(out / "tokenizer_config.json", json.dumps(said, indent=1) + "\n")
