"""What a GGUF file says of itself: its metadata, its vocabulary, and where its tensors lie.

Reads the head of the file alone, so that a model can be named and checked before anything heavy is loaded. With the
vocabulary SmolLM2's words are cut into tokens without the engine, as llama.cpp does it.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

from otherminds.errors import MissingWeights, WeightsError

F32, F16, BF16 = 0, 1, 30
PLAIN = {F32: 4, F16: 2, BF16: 2}
"""Tensor types that are not quantised, with their bytes a number."""
QUANTISATIONS = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S",
    12: "Q3_K_M", 13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 32: "BF16",
}  # fmt: skip

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
_CONTROL = 3
MANY, SIDES = 1 << 24, 4
"""The most of anything in a head: values, tensors, tokens, characters of a text; and of the sides of a tensor."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One block of numbers: its form (rows last), its type, and where it starts in the file."""

    shape: tuple[int, ...]
    kind: int
    start: int


@dataclass(frozen=True)
class Header:
    """The head of a GGUF file."""

    metadata: Mapping[str, Any]
    tensors: Mapping[str, Tensor]
    path: Path = Path("this GGUF file")

    @property
    def architecture(self) -> str:
        """The family of the model, such as "llama"."""
        return str(self.metadata["general.architecture"])

    @property
    def template(self) -> str:
        """The chat template; empty for a base model."""
        return str(self.metadata.get("tokenizer.chat_template", ""))

    @property
    def context(self) -> int:
        """The longest text, in tokens, that the model was trained on."""
        length = self.metadata.get(f"{self.architecture}.context_length")
        if not isinstance(length, int):
            raise WeightsError(f"{self.path} does not state {self.architecture}.context_length; convert it anew")
        return length

    @property
    def quantisation(self) -> str:
        """How the weights are kept, such as "Q4_1"."""
        kind = self.metadata.get("general.file_type", -1)
        return QUANTISATIONS.get(kind, f"type {kind}")

    @property
    def plain(self) -> bool:
        """Whether no tensor is quantised."""
        return all(tensor.kind in PLAIN for tensor in self.tensors.values())

    @cached_property
    def pieces(self) -> list[bytes]:
        """The bytes that every token stands for; part of a character where the model splits characters."""
        decode = _from_gpt2 if self.metadata["tokenizer.ggml.model"] == "gpt2" else _from_sentencepiece
        return [decode(token) for token in self.metadata["tokenizer.ggml.tokens"]]

    @cached_property
    def specials(self) -> dict[str, int]:
        """Control tokens, which mark turns and ends and are never part of a text."""
        kinds = self.metadata.get("tokenizer.ggml.token_type", ())
        tokens = self.metadata["tokenizer.ggml.tokens"]
        return {token: id for id, (token, kind) in enumerate(zip(tokens, kinds, strict=False)) if kind == _CONTROL}

    def special(self, name: str) -> int | None:
        """The token that "bos" or "eos" stands for."""
        id = self.metadata.get(f"tokenizer.ggml.{name}_token_id")
        return id if id is None else int(id)


def read_header(path: Path) -> Header:
    """The head of this file, or a sentence that says why it cannot be used."""
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise WeightsError(f"{path} is not a GGUF file")
            return _read(file, path)
    except FileNotFoundError:
        raise MissingWeights(f"there is no file {path}") from None
    except OSError as error:
        raise WeightsError(f"{path} cannot be read: {error.strerror or error}") from None
    except (struct.error, EOFError, KeyError, OverflowError, MemoryError, RecursionError) as error:
        raise WeightsError(f"{path} is a damaged GGUF file ({type(error).__name__} in its head)") from None


def _read(file: BinaryIO, path: Path) -> Header:
    number = _reader(file)
    version = number("I")
    if version not in (2, 3):
        raise WeightsError(f"{path} has GGUF version {version}, and only 2 and 3 can be read; convert it anew")
    n_tensors, n_values = number("Q"), number("Q")
    metadata = {_text(file): _value(file, number("I")) for _ in range(_few(n_values))}
    entries = []
    for _ in range(_few(n_tensors)):
        name = _text(file)
        # GGUF names the fastest dimension first, numpy last.
        shape = tuple(number("Q") for _ in range(_few(number("I"), SIDES)))[::-1]
        entries.append((name, shape, number("I"), number("Q")))
    _check(metadata, path)
    alignment = metadata.get("general.alignment", 32)
    start = -(-file.tell() // alignment) * alignment
    tensors = {name: Tensor(shape, kind, start + offset) for name, shape, kind, offset in entries}
    # No way of quantising takes less than a bit for a number.
    ends = {name: t.start + prod(t.shape) * PLAIN.get(t.kind, 0.125) for name, t in tensors.items()}
    if max(ends.values(), default=0) > path.stat().st_size:
        end = round(max(ends.values()))
        raise WeightsError(f"{path} is cut short: it should have at least {end} bytes; get it again")
    order = sorted(tensors, key=lambda name: tensors[name].start)
    apart = all(ends[one] <= tensors[other].start for one, other in pairwise(order))
    if not apart or len(tensors) < n_tensors or not all(prod(tensor.shape) for tensor in tensors.values()):
        raise WeightsError(f"{path} is a damaged GGUF file (its tensors are empty or overlap); get it again")
    return Header(metadata, tensors, path)


_STATED = {"general.architecture": str, "tokenizer.ggml.model": str, "tokenizer.ggml.tokens": list}


def _check(metadata: Mapping[str, Any], path: Path) -> None:
    for key, kind in _STATED.items():
        if not isinstance(metadata.get(key), kind):
            raise WeightsError(f"{path} does not state {key}, so it is not a language model that can be run")
    tokens, template = metadata["tokenizer.ggml.tokens"], metadata.get("tokenizer.chat_template", "")
    texts = isinstance(template, str) and all(isinstance(token, str) for token in tokens)
    if not texts or not isinstance(metadata.get("tokenizer.ggml.token_type", []), list):
        raise WeightsError(f"{path} is a damaged GGUF file (its tokens or its template are no texts); get it again")
    can_be = {"general.alignment": range(1, MANY), "general.file_type": range(MANY)}
    can_be |= {f"tokenizer.ggml.{name}_token_id": range(len(tokens)) for name in ("bos", "eos")}
    can_be |= {f"{metadata['general.architecture']}.{name}": range(MANY) for name in ("context_length", "block_count")}
    odd = [
        key for key in metadata.keys() & can_be if type(metadata[key]) is not int or metadata[key] not in can_be[key]
    ]
    if odd:
        raise WeightsError(f"{path} is a damaged GGUF file (its {min(odd)} cannot be); get it again")


def _reader(file: BinaryIO) -> Callable[[str], Any]:
    def number(form: str) -> Any:
        return struct.unpack("<" + form, file.read(struct.calcsize(form)))[0]

    return number


def _few(number: int, most: int = MANY) -> int:
    """A number of things in a head, if a head can have so many: what is damaged must not fill the memory."""
    if number > most:
        raise OverflowError
    return number


def _text(file: BinaryIO) -> str:
    return _texts(file, 1)[0]


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind != _LIST:
        return _reader(file)(_NUMBERS[kind])
    inner, length = struct.unpack("<IQ", file.read(12))
    _few(length)
    if inner in _NUMBERS:
        form = f"<{length}{_NUMBERS[inner]}"
        return list(struct.unpack(form, file.read(struct.calcsize(form))))
    return _texts(file, length) if inner == _TEXT else [_value(file, inner) for _ in range(length)]


def _texts(file: BinaryIO, number: int) -> list[str]:
    """Many texts one after another, such as a vocabulary."""
    read, size, found = file.read, struct.Struct("<Q").unpack, []
    for _ in range(number):
        (length,) = size(read(8))
        text = read(_few(length))
        if len(text) < length:
            raise EOFError
        found.append(text.decode("utf-8", errors="replace"))
    return found


def _gpt2_bytes() -> dict[str, int]:
    """GPT-2 writes bytes that do not print as other characters, from U+0100 up, in the order of the bytes."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    hidden = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(hidden)}


_GPT2 = _gpt2_bytes()
_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


def _from_gpt2(token: str) -> bytes:
    try:
        return bytes(_GPT2[character] for character in token)
    except KeyError:
        return token.encode()


def _from_sentencepiece(token: str) -> bytes:
    byte = _BYTE.fullmatch(token)
    return bytes([int(byte[1], 16)]) if byte else token.replace("▁", " ").encode()


NEVER = 2**31
"""The rank of a pair that is not merged."""


class BytePairs:
    """The vocabulary of a file, for texts in which names of control tokens are text like any other."""

    def __init__(self, header: Header) -> None:
        tokens, merges = (header.metadata[f"tokenizer.ggml.{key}"] for key in ("tokens", "merges"))
        self._ids = {token: id for id, token in enumerate(tokens)}
        self._bytes = {piece: token for token, piece in zip(tokens, header.pieces, strict=True) if len(piece) == 1}
        self._ranks = {tuple(pair.split(" ")): rank for rank, pair in enumerate(merges)}
        self._merged = lru_cache(2**16)(self._merge)
        # Every Python has a Unicode of its own, and this is llama.cpp's.
        kinds = json.loads((files("otherminds") / "data/unicode.json").read_text("utf-8"))
        letter, number, space = kinds["letters"], kinds["numbers"], kinds["spaces"]
        self._number = re.compile(f"([{number}])")
        self._word = re.compile(
            f"'s|'t|'re|'ve|'m|'ll|'d| ?[{letter}]+| ?[^{space}{letter}{number}]+|[{space}]+(?![^{space}])|[{space}]+|."
        )

    def tokenize(self, text: str) -> list[int]:
        """The tokens of a text."""
        parts = self._number.split(text)
        return [id for part in parts for word in self._word.findall(part) for id in self._merged(word)]

    def _merge(self, word: str) -> list[int]:
        parts = [self._bytes.get(bytes([byte]), "") for byte in word.encode()]
        ranks = [self._ranks.get(pair, NEVER) for pair in pairwise(parts)]
        while ranks and (best := min(ranks)) < NEVER:
            place = ranks.index(best)
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
            around = slice(max(place - 1, 0), place + 2)
            ranks[around] = [self._ranks.get(pair, NEVER) for pair in pairwise(parts[around.start : place + 2])]
        # The vocabulary lacks a few bytes that no text needs; llama.cpp leaves them out as well.
        return [self._ids[part] for part in parts if part in self._ids]
