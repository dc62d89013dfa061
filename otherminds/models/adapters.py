"""Adapters: what a model learned, kept apart from it as two thin matrices for every matrix that changed.

Files are those of peft (safetensors, its names), so that others read ours and we read theirs. Ours may keep their
numbers as 8-bit integers with a scale for each of the `r` directions, say which base model they were made for, and
are refused for any other: on another model an adapter is noise that looks like a model.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from otherminds.errors import UsageError, WeightsError
from otherminds.files import replacing

Array = NDArray[np.float32]
SUFFIX = ".safetensors"
_NAME = re.compile(r"base_model\.model\.(?P<matrix>.+)\.lora_(?P<side>[AB])\.weight")
_TYPES = {"I8": "<i1", "F16": "<f2", "BF16": "<u2", "F32": "<f4"}


@dataclass(frozen=True)
class Adapter:
    """An adapter in memory: for every matrix, by Hugging Face's name, the two that are multiplied and added to it."""

    path: Path
    sha256: str
    base: str
    """The sha256 of the weights that it was made for; empty where the file does not say."""
    parts: Mapping[str, tuple[Array, Array]]

    def addition(self, matrix: str) -> Array:
        """What is added to this matrix, rows out and columns in."""
        down, up = self.parts[matrix]
        return up @ down

    def check(self, bases: Mapping[str, str], shapes: Mapping[str, tuple[int, ...]], model: str) -> None:
        """Refuse a model that is another than the one it was made for: by digest where it is stated, and by form."""
        if self.base and self.base not in bases.values():
            found = next(iter(bases.values()))
            raise WeightsError(
                f"{self.path.name} was made for weights with the digest {self.base[:12]}…, and those of {model} have"
                f" {found[:12]}…; give the model that it was trained from"
            )
        for name, (down, up) in self.parts.items():
            if shapes.get(name) != (len(up), down.shape[1]):
                there = f"is {shapes[name]}" if name in shapes else "does not exist"
                raise WeightsError(
                    f"{self.path.name} changes {name} of the form {(len(up), down.shape[1])}, which in {model} {there};"
                    " it was made for another model"
                )


def shipped() -> dict[str, Path]:
    """The adapters that come with the package, by name."""
    folder = Path(str(files("otherminds"))) / "data" / "adapters"
    return {path.name.removesuffix(SUFFIX): path for path in sorted(folder.glob(f"*{SUFFIX}"))}


def split(spec: str) -> tuple[str, str]:
    """The model and the adapter of a name such as `smollm2+beliefs`; a plus may also be part of a name or a path."""
    known = shipped()
    parted = [(spec[:place], spec[place + 1 :]) for place, letter in enumerate(spec) if letter == "+" and place]
    found = [(model, adapter) for model, adapter in parted if adapter in known or _is_adapter(adapter)]
    # One that ends so but is not there is an adapter that was misspelt, and `find` says so.
    misspelt = [(model, adapter) for model, adapter in parted if adapter.endswith(SUFFIX)]
    return next(iter(found or misspelt), (spec, ""))


def _is_adapter(name: str) -> bool:
    path = Path(name).expanduser()
    return bool(name) and ((path.suffix == SUFFIX and path.is_file()) or (path / f"adapter_model{SUFFIX}").is_file())


def find(name: str | Path) -> Path:
    """The file of an adapter, by the name of one that is shipped, by its path or by the folder it lies in."""
    known = shipped()
    if str(name) in known:
        return known[str(name)]
    path = Path(name).expanduser()
    path = path / f"adapter_model{SUFFIX}" if path.is_dir() else path
    if path.suffix == SUFFIX and path.is_file():
        return path
    near = get_close_matches(str(name), known, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise UsageError(f"there is no adapter {str(name)!r}{hint}; there are {', '.join(known)}, or give a {SUFFIX} file")


def read(path: Path) -> Adapter:
    """The adapter in this file, checked, or a sentence that says why it cannot be used."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise WeightsError(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        tensors, stated = _open(content)
        parts = _parts(tensors, _scale(path, stated))
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError, MemoryError) as error:
        raise WeightsError(f"{path} is not an adapter that can be read ({error or type(error).__name__})") from None
    return Adapter(path, hashlib.sha256(content).hexdigest(), str(stated.get("base_sha256", "")), parts)


def write(
    path: Path, parts: Mapping[str, tuple[Array, Array]], *, base: str, stated: Mapping[str, str] | None = None
) -> None:
    """Write an adapter with its numbers as 8-bit integers: a quarter of the bytes, and scores do not feel it."""
    tensors: dict[str, NDArray[Any]] = {}
    for name, (down, up) in parts.items():
        for side, matrix, axis in (("A", down, 1), ("B", up, 0)):
            stem = f"base_model.model.{name}.lora_{side}"
            scale = np.maximum(np.abs(matrix).max(axis=axis, keepdims=True), 1e-12) / np.float32(127)
            tensors[f"{stem}.weight"] = np.rint(matrix / scale).astype("<i1")
            tensors[f"{stem}.scale"] = scale.ravel().astype("<f4")
    rank = len(next(iter(parts.values()))[0])
    head = {"format": "otherminds-lora-int8", "rank": str(rank), "scale": "1.0", "base_sha256": base}
    _save(path, tensors, {**head, **(stated or {})})


# ---- the format: the length of a head in JSON, the head, and then nothing but numbers --------------------------------


def _open(content: bytes) -> tuple[dict[str, NDArray[Any]], Mapping[str, Any]]:
    length = int.from_bytes(content[:8], "little")
    if not 2 <= length <= len(content) - 8:
        raise ValueError("it is cut short, or no safetensors file")
    head = json.loads(content[8 : 8 + length])
    stated = head.pop("__metadata__", {})
    found = {}
    for name, entry in head.items():
        if entry["dtype"] not in _TYPES:
            raise ValueError(f"{name} is kept as {entry['dtype']}")
        first, end = entry["data_offsets"]
        data = np.frombuffer(content[8 + length + first : 8 + length + end], _TYPES[entry["dtype"]])
        if first < 0 or len(data) != prod(entry["shape"]):
            raise ValueError(f"{name} has {len(data)} numbers; it is cut short")
        if entry["dtype"] == "BF16":  # the upper half of a single-precision number
            data = (data.astype(np.uint32) << 16).view(np.float32)
        found[name] = data.reshape(entry["shape"])
    return found, stated


def _parts(tensors: Mapping[str, NDArray[Any]], scale: float) -> dict[str, tuple[Array, Array]]:
    found = {}
    for name in tensors:
        match = _NAME.fullmatch(name)
        if match and match["side"] == "A":
            down = _wide(tensors, name, 1)
            up = _wide(tensors, name.replace("lora_A", "lora_B"), 0) * np.float32(scale)
            if down.ndim != 2 or up.ndim != 2 or len(down) != up.shape[1]:
                raise ValueError(f"the two matrices of {match['matrix']} do not fit together")
            if not np.isfinite(down).all() or not np.isfinite(up).all():
                raise ValueError(f"{match['matrix']} holds a number that is none")
            found[match["matrix"]] = (down, up)
        elif not match and not name.endswith(".scale"):
            raise ValueError(f"it holds {name}, and only low-rank additions are read")
    if not found:
        raise ValueError("it holds no matrices of peft's names")
    return found


def _wide(tensors: Mapping[str, NDArray[Any]], name: str, axis: int) -> Array:
    numbers: Array = tensors[name].astype(np.float32)
    scale = tensors.get(name.replace(".weight", ".scale"))
    if tensors[name].dtype == np.int8 and scale is None:
        raise ValueError(f"{name} has no scale")
    return numbers if scale is None else numbers * np.expand_dims(scale.astype(np.float32), axis)


def _scale(path: Path, stated: Mapping[str, Any]) -> float:
    """What the product is multiplied by: stated in our files, and beside theirs."""
    beside = path.with_name("adapter_config.json")
    if "scale" in stated or not beside.is_file():
        return float(stated.get("scale", 1.0))
    config = json.loads(beside.read_text(encoding="utf-8"))
    if config.get("use_dora") or config.get("modules_to_save") or config.get("rank_pattern"):
        raise ValueError("adapter_config.json asks for more than plain low-rank additions")
    rank = config["r"] ** (0.5 if config.get("use_rslora") else 1)
    return float(config["lora_alpha"] / rank)


def _save(path: Path, tensors: Mapping[str, NDArray[Any]], stated: Mapping[str, str]) -> None:
    names = {np.dtype(form): name for name, form in _TYPES.items() if name != "BF16"}
    head: dict[str, Any] = {"__metadata__": dict(stated)}
    at = 0
    # Wide numbers first, so that all are aligned.
    order = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))
    for name in order:
        data = tensors[name]
        head[name] = {"dtype": names[data.dtype], "shape": list(data.shape), "data_offsets": [at, at + data.nbytes]}
        at += data.nbytes
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    with replacing(path) as half, half.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in order:
            file.write(np.ascontiguousarray(tensors[name]).tobytes())
