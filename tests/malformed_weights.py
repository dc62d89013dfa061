"""GGUF files with something wrong in their head: cut, flipped, with impossible counts, types and values."""

import random
import struct
from collections.abc import Iterator

from tests.malformed import PLACES, Case, holding

Value = tuple[int, bytes]
"""What kind of value it is, by GGUF's number, and its bytes."""
HUGE = (2**31, 2**40, 2**62, 2**63, 2**64 - 1)


def text(words: str) -> Value:
    """A text as GGUF keeps it."""
    return 8, struct.pack("<Q", len(words.encode())) + words.encode()


def listing(*words: str) -> Value:
    """A list of texts as GGUF keeps it."""
    return 9, struct.pack("<IQ", 8, len(words)) + b"".join(text(word)[1] for word in words)


def count(number: int) -> Value:
    """A whole number."""
    return 4, struct.pack("<I", number)


VALUES: dict[str, Value] = {
    "general.architecture": text("llama"),
    "llama.context_length": count(512),
    "tokenizer.ggml.model": text("gpt2"),
    "tokenizer.ggml.tokens": listing("a", "b", "c"),
    "tokenizer.ggml.token_type": (9, struct.pack("<IQ3i", 5, 3, 3, 1, 1)),
    "tokenizer.chat_template": text("{{ messages[0].content }}"),
}


def head(
    values: dict[str, Value], *, version: int = 3, tensors: bytes = b"", counts: tuple[int, int] | None = None
) -> bytes:
    """The head of a GGUF file, and no weights after it."""
    out = b"GGUF" + struct.pack("<IQQ", version, *(counts or (1 if tensors else 0, len(values))))
    for name, (kind, content) in values.items():
        out += struct.pack("<Q", len(name)) + name.encode() + struct.pack("<I", kind) + content
    return out + tensors + bytes(64)


WHOLE = head(VALUES)
HEADLESS = head(VALUES | {"llama.block_count": count(2**31), "llama.attention.head_count": count(0)})
"""Reads well, but no engine can do anything with it."""


def _tensor(shape: tuple[int, ...], kind: int = 0, offset: int = 0) -> bytes:
    sizes = struct.pack(f"<{len(shape)}Q", *shape)
    return text("w")[1] + struct.pack("<I", len(shape)) + sizes + struct.pack("<IQ", kind, offset)


def _heads() -> Iterator[tuple[str, bytes]]:
    """What is malformed for certain."""
    rng = random.Random("gguf")
    yield "empty", b""
    yield "text", b"GGUF is a file format"
    yield "another magic", b"GGML" + WHOLE[4:]
    yield "magic alone", b"GGUF"
    yield "zeros", bytes(1000)
    yield "noise", b"GGUF" + struct.pack("<I", 3) + rng.randbytes(2000)
    for version in (0, 1, 4, 2**31, 0x03000000):
        yield f"version {version}", head(VALUES, version=version)
    for _ in range(12):
        cut = rng.randrange(5, len(WHOLE) - 70)
        yield f"cut at {cut}", WHOLE[:cut]
    for huge in HUGE:
        yield f"{huge} values", head(VALUES, counts=(0, huge))
        yield f"{huge} tensors", head(VALUES, counts=(huge, len(VALUES)))
        yield f"a text of {huge}", head(VALUES | {"x": (8, struct.pack("<Q", huge))})
        yield f"a list of {huge}", head(VALUES | {"x": (9, struct.pack("<IQ", 8, huge))})
        yield f"{huge} bytes", head(VALUES | {"x": (9, struct.pack("<IQ", 0, huge))})
        yield f"a side of {huge}", head(VALUES, tensors=_tensor((huge, 2)))
        yield f"weights at {huge}", head(VALUES, tensors=_tensor((2, 2), offset=huge - 1))
    yield "many sides", head(VALUES, tensors=text("w")[1] + struct.pack("<I", 2**32 - 1))
    yield "lists in lists", head(VALUES | {"x": (9, struct.pack("<IQ", 9, 1) * 5000)})
    for kind in (13, 99, 2**32 - 1):
        yield f"type {kind}", head(VALUES | {"x": (kind, bytes(8))})
    for name in ("general.architecture", "llama.context_length", "tokenizer.ggml.model", "tokenizer.ggml.tokens"):
        yield f"no {name}", head({key: value for key, value in VALUES.items() if key != name})
        for wrong in (count(7), listing("a"), text("")):
            if wrong[0] != VALUES[name][0]:
                yield f"{name} of type {wrong[0]}", head(VALUES | {name: wrong})
    for wrong in (count(0), text("x"), (5, struct.pack("<i", -32)), listing("32")):
        yield f"alignment {wrong}", head(VALUES | {"general.alignment": wrong})
    yield "a template that is none", head(VALUES | {"tokenizer.chat_template": listing("a")})
    yield "numbers for tokens", head(VALUES | {"tokenizer.ggml.tokens": (9, struct.pack("<IQ3I", 4, 3, 1, 2, 3))})


def _flips() -> Iterator[tuple[str, bytes]]:
    rng = random.Random("flips")
    for _ in range(30):
        place, byte = rng.randrange(4, len(WHOLE) - 64), rng.randrange(256)
        yield f"byte {place} = {byte}", WHOLE[:place] + bytes([byte]) + WHOLE[place + 1 :]


COMMAND = ("run", "kept.jsonl", "-m", "gguf:model.gguf", "--dry-run")
WEIGHTS = [
    *(Case(f"weights: {name}", COMMAND, (("model.gguf", put),)) for name, put in PLACES.items()),
    *(Case(f"weights: {name}", COMMAND, (("model.gguf", holding(content)),)) for name, content in _heads()),
    *(
        Case(f"weights: {name}", COMMAND, (("model.gguf", holding(content)),), False, lambda _: True)
        for name, content in _flips()
    ),
]
