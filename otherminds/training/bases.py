"""Bases: the GGUF file or the Hugging Face folder that training starts from, with its tokenizer and its digest."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from otherminds.errors import UsageError
from otherminds.files import read_text
from otherminds.models import seals
from otherminds.models.local import weights
from otherminds.models.local.gguf import read_header
from otherminds.training.encoding import Encoder, gguf_tokenizer

if TYPE_CHECKING:
    from otherminds.training.network import Llama


def base_file(spec: str) -> Path:
    """Where the weights of `smollm2` or another model that comes with them lie, or those of a file or a folder."""
    if spec in weights.WEIGHTS:
        return weights.get(spec)
    kind, _, name = spec.partition(":")
    path = Path(name if kind in ("gguf", "hf") and name else spec).expanduser()
    if path.is_dir() and kind != "gguf":
        return path
    if kind == "gguf" and name and not path.is_file():
        raise UsageError(f"there is no file {path}; give gguf:PATH with the path of a GGUF file")
    if path.is_file() and (kind == "gguf" or path.suffix == ".gguf"):
        return path
    raise UsageError(
        f"{spec} cannot be trained here; give smollm2, gguf:PATH, the file of a Llama, or the folder of one"
    )


def base_digest(path: Path) -> str:
    """The sha256 of the weights, by which an adapter knows them again; of several files, that of the first."""
    if path.is_dir():
        from otherminds.training.folders import weight_files

        path = weight_files(path)[0]
    kept = seals.kept(path)
    known = seals.check(path, kept) if kept else None
    return (known or seals.seal_of(path)).sha256


def network_of(path: Path, *, attention: str = "dense") -> Llama:
    """The network with its weights, at single precision."""
    if path.is_dir():
        from otherminds.training.folders import from_folder

        return from_folder(path, attention=attention)
    from otherminds.training.weights import from_gguf

    return from_gguf(path, attention=attention)


def encoder_of(path: Path) -> Encoder:
    """The tokenizer of a file or a folder."""
    if path.is_dir():
        from otherminds.training.folders import folder_header, folder_tokenizer

        return Encoder.of(folder_tokenizer(path), folder_header(path))
    header = read_header(path)
    return Encoder.of(gguf_tokenizer(header), header)


def tokenizer_digest(path: Path) -> str:
    """By which lessons know the tokenizer that they were encoded with: its tokens and its chat template."""
    if path.is_dir():
        from otherminds.training.folders import folder_header

        said, header = read_text(path / "tokenizer.json"), folder_header(path)
    else:
        header = read_header(path)
        said = repr((header.metadata["tokenizer.ggml.tokens"], header.metadata.get("tokenizer.ggml.merges")))
    return hashlib.sha256((said + header.template).encode()).hexdigest()
