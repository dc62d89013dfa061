"""A Hugging Face model as files: where they lie, what they are (by digest), and how transformers opens them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from otherminds.errors import ModelError, WeightsError
from otherminds.models.seals import Seal, demand, seal_of

_SMALL = ("*.json", "*.jinja", "*.model", "*.txt")
_KINDS = ("*.safetensors", "*.bin")


def libraries() -> tuple[Any, Any]:
    """torch and transformers, or the sentence that says how to get them."""
    try:
        import torch
        import transformers
    except ImportError as error:
        raise ModelError(f"hf: models need {error.name}; install otherminds[hf]") from None
    return torch, transformers


@dataclass(frozen=True)
class Checkpoint:
    """A folder, a GGUF file, or a model of the hub at one revision."""

    source: str
    revision: str | None = None
    gguf: str | None = None

    @classmethod
    def of(cls, name_or_path: str, *, revision: str | None = None, gguf_file: str | None = None) -> Checkpoint:
        """What a name or a path means; a path that ends in .gguf is that file."""
        path = Path(name_or_path).expanduser()
        if path.suffix == ".gguf" and gguf_file is None:
            return cls(str(path.parent), revision, path.name)
        return cls(str(path) if path.exists() else name_or_path, revision, gguf_file)

    @property
    def name(self) -> str:
        """What people call it."""
        return self.gguf or (Path(self.source).name if Path(self.source).exists() else self.source)

    @cached_property
    def folder(self) -> Path:
        """Where the files lie; from the hub they are fetched first."""
        if Path(self.source).exists():
            return Path(self.source)
        if self.source.startswith(("/", ".", "~")):
            raise WeightsError(f"there is no folder {self.source}; give a folder, a .gguf file or a name on the hub")
        for kind in (self.gguf,) if self.gguf else _KINDS:
            folder = self._fetch([*_SMALL, kind])
            if any(folder.glob(kind)):
                return folder
        raise WeightsError(f"{self.source} on the hub has no weights that transformers can read")

    def _fetch(self, patterns: list[str]) -> Path:
        libraries()
        from huggingface_hub import snapshot_download

        try:
            return Path(snapshot_download(self.source, revision=self.revision, allow_patterns=patterns))
        except Exception as error:  # the hub's client has dozens of kinds, from bad names to no network
            raise WeightsError(
                f"cannot get {self.source} from the hub: {first_line(error)}; check the name, the revision "
                "and the network, or give a folder"
            ) from None

    @cached_property
    def weights(self) -> tuple[Path, ...]:
        """The files that hold the weights."""
        if self.gguf:
            found = [self.folder / self.gguf]
        else:
            found = next((files for kind in _KINDS if (files := sorted(self.folder.glob(kind)))), [])
        if (self.folder / "adapter_config.json").is_file():
            raise WeightsError(
                f"{self.folder} holds an adapter, which names weights that lie elsewhere; merge it into its base model"
                " and give the folder of that"
            )
        if not found or not found[0].is_file():
            raise WeightsError(f"there are no weights in {self.folder}: no {self.gguf or ', '.join(_KINDS)}")
        return tuple(found)

    @cached_property
    def _seals(self) -> dict[Path, Seal]:
        # Read in full even where the hub's cache names a file by its sha256: the name stays when the bytes rot.
        return {path: seal_of(path) for path in self.weights}

    def digests(self) -> Mapping[str, str]:
        """The sha256 of every weights file."""
        return {path.name: seal.sha256 for path, seal in self._seals.items()}

    def unchanged(self) -> None:
        """Refuse to go on with weights that are no longer those of the digests."""
        for path, seal in self._seals.items():
            self._seals[path] = demand(path, seal)

    def load(self, kind: Any, **options: Any) -> Any:
        """A model with its weights, which are those of the digests."""
        # Known before they are loaded, or a change in between would go unseen.
        self.digests()
        model = self.open(kind, **options)
        self.unchanged()
        return model

    def open(self, kind: Any, **options: Any) -> Any:
        """A tokenizer or a model by one of transformers' auto classes."""
        if self.weights and self.gguf:
            options["gguf_file"] = self.gguf
        try:
            return kind.from_pretrained(str(self.folder), **options)
        except (OSError, ValueError, ImportError, LookupError, RuntimeError, TypeError) as error:
            raise WeightsError(f"transformers cannot load {self.name}: {first_line(error)}") from None


def first_line(error: BaseException) -> str:
    """What an error of another library says, without its page of advice."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
