"""Bases: the GGUF file that training starts from, with its tokenizer and its digest."""

from __future__ import annotations

import hashlib
from pathlib import Path

from otherminds.errors import UsageError
from otherminds.models import seals
from otherminds.models.local import weights
from otherminds.models.local.gguf import read_header
from otherminds.training.encoding import Encoder


def base_file(spec: str) -> Path:
    """The file of `smollm2` or another model that comes with weights, or of `gguf:PATH`."""
    if spec in weights.WEIGHTS:
        return weights.get(spec)
    kind, _, name = spec.partition(":")
    path = Path(name).expanduser()
    if kind != "gguf" or not name:
        raise UsageError(f"{spec} cannot be trained here; give smollm2 or gguf:PATH, the file of a Llama")
    if not path.is_file():
        raise UsageError(f"there is no file {path}; give gguf:PATH with the path of a GGUF file")
    return path


def base_digest(path: Path) -> str:
    """The sha256 of the weights, by which an adapter knows them again."""
    kept = seals.kept(path)
    known = seals.check(path, kept) if kept else None
    return (known or seals.seal_of(path)).sha256


def encoder_of(path: Path) -> Encoder:
    """The tokenizer of a file."""
    return Encoder.of_gguf(read_header(path))


def tokenizer_digest(path: Path) -> str:
    """By which lessons know the tokenizer that they were encoded with: its tokens and its chat template."""
    header = read_header(path)
    said = repr((header.metadata["tokenizer.ggml.tokens"], header.metadata.get("tokenizer.ggml.merges")))
    return hashlib.sha256((said + header.template).encode()).hexdigest()
