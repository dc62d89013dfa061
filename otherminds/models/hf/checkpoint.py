"""A Hugging Face model as files: where they lie, what they are (by digest), and how transformers opens them.

Also where the weights go: whether there is room for them, on one device or over several.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from otherminds.errors import ModelError, WeightsError
from otherminds.models.seals import FileSeal, demand, seal_of

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
    def _seals(self) -> dict[Path, FileSeal]:
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


SPREAD = "auto"
"""The device that stands for all GPUs together."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether this is a device's or the machine's way to say that it is full."""
    import torch

    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return isinstance(error, RuntimeError) and "can't allocate memory" in str(error)


def free_memory(device: str) -> list[int]:
    """The bytes that are free: by GPU, or of the machine; empty where nothing tells."""
    import torch

    if device.startswith("cuda"):
        _, colon, number = device.partition(":")
        gpus = [int(number)] if colon else [torch.cuda.current_device()]
        return [torch.cuda.mem_get_info(gpu)[0] for gpu in gpus]
    if device == SPREAD:
        return [torch.cuda.mem_get_info(gpu)[0] for gpu in range(torch.cuda.device_count())]
    return _free_of_machine() if device == "cpu" else []


def _free_of_machine(told: str = "/proc/meminfo") -> list[int]:
    try:
        lines = dict(line.split(":", 1) for line in Path(told).read_text().splitlines())
        return [int(lines["MemAvailable"].split()[0]) * 1024]
    except (OSError, KeyError, ValueError, IndexError):
        return []


def size(config: Any, dtype: str) -> int:
    """The bytes of a model's weights in this dtype; 0 where its kind cannot be made up without them."""
    import torch
    import transformers

    try:
        with torch.device("meta"):
            model = transformers.AutoModelForCausalLM.from_config(config)
    except Exception:  # a maker's own code may do anything here, and then nothing is foreseen
        return 0
    return int(sum(part.numel() for part in model.parameters()) * getattr(torch, dtype).itemsize)


def place(name: str, wish: str | None, needed: int, dtype: str) -> str:
    """The device for weights of this size: a GPU if there is one, all GPUs together if one is too small."""
    import torch

    if wish and wish.startswith(("cuda", SPREAD)) and not torch.cuda.is_available():
        raise ModelError(
            f"{name} cannot be put on {wish!r}: torch finds no GPU here; leave out `device` to take the CPU, or check"
            " the driver with nvidia-smi"
        )
    device = wish or ("cuda" if torch.cuda.is_available() else "cpu")
    free = free_memory(device)
    if not wish and device == "cuda" and free and needed > free[0] and torch.cuda.device_count() > 1:
        device, free = SPREAD, free_memory(SPREAD)
    if free and needed > sum(free):
        narrower = " dtype=bfloat16 (half of it)," if dtype == "float32" else ""
        more = "" if device == SPREAD else f" device={SPREAD} to spread it over several GPUs,"
        raise ModelError(
            f"{name} needs {needed / 1e9:.1f} GB for its weights in {dtype}, and {_called(device)} has"
            f" {sum(free) / 1e9:.1f} GB free; take{narrower}{more} a smaller model or a quantised GGUF file"
        )
    return device


def _called(device: str) -> str:
    return {"cpu": "this machine", SPREAD: "all GPUs together"}.get(device, device)
